package manifest

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// unescape replaces references and makes each line break or tab a blank, as XML
// does in attribute values (XML 1.0, 3.3.3). A reference that XML does not
// define is reported and kept as it is.
func (s *scanner) unescape(raw string, at int) string {
	if !strings.ContainsAny(raw, "&\t\r\n") {
		return raw
	}
	var b strings.Builder
	b.Grow(len(raw))
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; c {
		case '\r':
			if i+1 < len(raw) && raw[i+1] == '\n' {
				i++
			}
			b.WriteByte(' ')
		case '\t', '\n':
			b.WriteByte(' ')
		case '&':
			text, size := reference(raw[i:])
			if size == 0 {
				if !s.report.full(Error) {
					s.report.fail(at+i, badReference(raw[i:]))
				}
				b.WriteByte('&')
				continue
			}
			b.WriteString(text)
			i += size - 1
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// reference reads the reference that a text begins with; the size is 0 if it is
// none that XML defines.
func reference(text string) (value string, size int) {
	const longest = 12 // "&#x0010FFFF;"
	end := strings.IndexByte(text[:min(len(text), longest)], ';')
	if end < 0 {
		return "", 0
	}
	name := text[1:end]
	switch name {
	case "amp":
		return "&", end + 1
	case "lt":
		return "<", end + 1
	case "gt":
		return ">", end + 1
	case "quot":
		return `"`, end + 1
	case "apos":
		return "'", end + 1
	}
	digits, ok := strings.CutPrefix(name, "#")
	if !ok {
		return "", 0
	}
	base := 10
	if hex, ok := strings.CutPrefix(digits, "x"); ok {
		digits, base = hex, 16
	}
	code, err := strconv.ParseUint(digits, base, 32)
	if err != nil || !legalRune(code) {
		return "", 0
	}
	return string(rune(code)), end + 1
}

// legalRune says that XML 1.0 allows the character (2.2, Char).
func legalRune(code uint64) bool {
	if code < ' ' {
		return code == '\t' || code == '\n' || code == '\r'
	}
	return code <= utf8.MaxRune && code != 0xFFFE && code != 0xFFFF && utf8.ValidRune(rune(code))
}

func badReference(text string) finding {
	end := 1
	for end < len(text) && end < 40 && (nameByte(text[end]) || text[end] == '#') {
		end++
	}
	if end == 1 || end == len(text) || text[end] != ';' {
		return finding{RuleEntity, "& begins no reference", "write &amp; for the character itself"}
	}
	return finding{RuleEntity, "the reference " + quote(text[:end+1]) + " is unknown: XML defines &amp; &lt; &gt; &quot; &apos; and &#n;", "write the text itself"}
}
