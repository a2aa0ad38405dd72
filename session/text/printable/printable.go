// Package printable makes what came from a host or a file fit for any sink, as text, as JSON and
// as TOML.
package printable

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Text makes text that came from a host or a file fit for any sink: cells,
// titles, OSC sequences, errors, logs. What would steer a terminal or reorder
// text (C0 and C1 controls, DEL, line and paragraph separators, bidi controls,
// other format characters, surrogates, bytes that are not UTF-8) becomes `?`.
// Text that is clean already is returned as it is, without allocation.
func Text(s string) string {
	i := 0
	for i < len(s) && s[i]-' ' < 0x7F-' ' { // nearly all that there is
		i++
	}
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !printableRune(r, size) {
			return printableFrom(s, i)
		}
		i += size
	}
	return s
}

func printableFrom(s string, clean int) string {
	var b strings.Builder
	b.Grow(len(s))
	b.WriteString(s[:clean])
	for i := clean; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if printableRune(r, size) {
			b.WriteString(s[i : i+size])
		} else {
			b.WriteByte('?')
		}
		i += size
	}
	return b.String()
}

// Rune tells whether a character may be shown.
func Rune(r rune) bool {
	switch {
	case r < 0x80:
		return r >= 0x20 && r != 0x7F
	case r < 0xA0, r == 0x2028, r == 0x2029, r > unicode.MaxRune: // C1, separators
		return false
	}
	return !unicode.In(r, unicode.Cf, unicode.Cs, unicode.Co)
}

// printableRune takes U+FFFD for a broken byte, unless it is a real one.
func printableRune(r rune, size int) bool { return Rune(r) && (r != utf8.RuneError || size > 1) }

// Line is a foreign text as one printable line of at most so many characters.
func Line(text string, most int) string {
	const far = 4 * utf8.UTFMax // bytes a character: far more than is kept; what is torn becomes `?`, or is cut
	return Shorten(Text(strings.Join(strings.Fields(text[:min(len(text), far*most)]), " ")), most)
}

// Shorten cuts a text to so many characters, the ellipsis that stands for the rest among
// them.
func Shorten(text string, most int) string {
	n, end := 0, 0
	for i := range text {
		switch n++; n {
		case most:
			end = i
		case most + 1:
			return text[:end] + "\u2026"
		}
	}
	return text
}

// JSON is a value as JSON on one line, with < and > as they are, in which paths of rules end.
func JSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// JSONLine is that value as a line, in which nothing steers a terminal.
func JSONLine(v any) ([]byte, error) {
	text, err := JSON(v)
	return append(EscapeJSON(text), '\n'), err
}

// WriteJSON writes a value as such a line.
func WriteJSON(w io.Writer, v any) error {
	line, err := JSONLine(v)
	if err != nil {
		return err
	}
	_, err = w.Write(line)
	return err
}

// EscapeJSON escapes in JSON, of one or several lines, what Text would replace:
// names stay as they are for whoever parses it, and steer no terminal on which it is
// looked at. Encoded JSON has such characters in strings only.
func EscapeJSON(text []byte) []byte {
	if isPrintableText(text) {
		return text
	}
	var out []byte
	for _, r := range string(text) {
		switch {
		case r == '\n' || Rune(r):
			out = utf8.AppendRune(out, r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}

// EscapeTOML does that for TOML that has its strings on one line each, in either
// kind of quotes.
func EscapeTOML(text []byte) []byte {
	if isPrintableText(text) {
		return text
	}
	var out []byte
	for rest := string(text); rest != ""; {
		at := strings.IndexAny(rest, `'"#`)
		if at < 0 {
			return append(out, rest...)
		}
		out = append(out, rest[:at]...)
		kind := rest[at]
		if kind == '#' {
			end := strings.IndexByte(rest[at:]+"\n", '\n')
			out = append(out, Text(rest[at:at+end])...)
			rest = rest[at+end:]
			continue
		}
		inner, behind := tomlString(rest[at+1:], kind)
		if kind == '\'' {
			if Text(inner) == inner {
				out = append(append(append(out, '\''), inner...), '\'')
				rest = behind
				continue
			}
			inner = strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(inner) // no escapes in single quotes
		}
		out = append(out, '"')
		for _, r := range inner {
			switch {
			case Rune(r):
				out = utf8.AppendRune(out, r)
			case r > 0xFFFF:
				out = fmt.Appendf(out, `\U%08X`, r)
			default:
				out = fmt.Appendf(out, `\u%04X`, r)
			}
		}
		out = append(out, '"')
		rest = behind
	}
	return out
}

// tomlString parts the rest of a string, which ends at a quote of its kind, from
// what is behind it.
func tomlString(text string, quote byte) (inner, behind string) {
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && quote == '"':
			i++
		case text[i] == quote:
			return text[:i], text[i+1:]
		}
	}
	return text, ""
}

func isPrintableText(text []byte) bool {
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		if s := string(line); Text(s) != s {
			return false
		}
	}
	return true
}

// hiddenValue stands for what of an address may be a secret.
const hiddenValue = "..."

// Address is an address as it may be shown: without an account, and without the
// values of its query, which may be tokens. Its path stays.
func Address(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" { // what it means is not known: all that may be a secret goes
		scheme, rest, ok := strings.Cut(text, "://")
		if !ok {
			scheme, rest = "", text
		} else {
			scheme += "://"
		}
		rest = rest[strings.LastIndexByte(rest, '@')+1:]
		if i := strings.IndexAny(rest, "?#"); i >= 0 {
			rest = rest[:i] + "?" + hiddenValue
		}
		return Text(scheme + rest)
	}
	query := u.RawQuery
	u.User, u.RawQuery, u.Fragment, u.RawFragment, u.ForceQuery = nil, "", "", "", false
	shown := u.String()
	if query == "" {
		return Text(shown)
	}
	fields := strings.Split(query, "&")
	for i, field := range fields {
		name, _, named := strings.Cut(field, "=")
		if named {
			fields[i] = name + "=" + hiddenValue
		} else {
			fields[i] = hiddenValue
		}
	}
	return Text(shown + "?" + strings.Join(fields, "&"))
}
