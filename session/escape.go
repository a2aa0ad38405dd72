package session

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// EscapeJSON escapes in JSON, of one or several lines, what Printable would replace:
// names stay as they are for whoever parses it, and steer no terminal on which it is
// looked at. Encoded JSON has such characters in strings only.
func EscapeJSON(text []byte) []byte {
	if isPrintableText(text) {
		return text
	}
	var out []byte
	for _, r := range string(text) {
		switch {
		case r == '\n' || printableRune(r, utf8.RuneLen(r)):
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
			out = append(out, Printable(rest[at:at+end])...)
			rest = rest[at+end:]
			continue
		}
		inner, behind := tomlString(rest[at+1:], kind)
		if kind == '\'' {
			if Printable(inner) == inner {
				out = append(append(append(out, '\''), inner...), '\'')
				rest = behind
				continue
			}
			inner = strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(inner) // no escapes in single quotes
		}
		out = append(out, '"')
		for _, r := range inner {
			switch {
			case printableRune(r, utf8.RuneLen(r)):
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
		if s := string(line); Printable(s) != s {
			return false
		}
	}
	return true
}
