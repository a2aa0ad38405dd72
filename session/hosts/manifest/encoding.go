package manifest

import (
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// decode returns the manifest as UTF-8 without BOM. What cannot be read becomes
// U+FFFD, one for each byte or code unit, so that columns stay true; the first
// of each kind is reported.
func decode(data []byte, r *report) string {
	head := string(data[:min(4, len(data))])
	switch {
	case strings.HasPrefix(head, "\xEF\xBB\xBF"):
		return decodeUTF8(data[3:], r)
	case strings.HasPrefix(head, "\xFF\xFE"):
		return decodeUTF16(data[2:], binary.LittleEndian, r)
	case strings.HasPrefix(head, "\xFE\xFF"):
		return decodeUTF16(data[2:], binary.BigEndian, r)
	case strings.HasPrefix(head, "<\x00"): // no BOM, but nothing else begins so
		return decodeUTF16(data, binary.LittleEndian, r)
	case strings.HasPrefix(head, "\x00<"):
		return decodeUTF16(data, binary.BigEndian, r)
	}
	return decodeUTF8(data, r)
}

func decodeUTF16(data []byte, order binary.ByteOrder, r *report) string {
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	var b strings.Builder
	b.Grow(len(units) + len(units)/8)
	reported := false
	for i := 0; i < len(units); i++ {
		c := rune(units[i])
		if utf16.IsSurrogate(c) {
			pair := utf8.RuneError
			if i+1 < len(units) {
				pair = utf16.DecodeRune(c, rune(units[i+1]))
			}
			switch c = pair; {
			case c != utf8.RuneError:
				i++
			case !reported:
				reported = true
				r.fail(b.Len(), finding{RuleEncoding, "half of a surrogate pair is no character", ""})
			}
		}
		b.WriteRune(c)
	}
	if len(data)%2 != 0 {
		r.fail(b.Len(), finding{RuleEncoding, "the file ends in half of a UTF-16 character", ""})
	}
	return b.String()
}

func decodeUTF8(data []byte, r *report) string {
	text := string(data)
	declared := strings.ToLower(declaredEncoding(text))
	if utf8.ValidString(text) {
		if strings.HasPrefix(declared, "utf-16") {
			r.warn(0, finding{RuleEncoding, "the declaration says " + quote(declared) + ", but the file is UTF-8", "save it as UTF-16 or change the declaration"})
		}
		return text
	}
	var b strings.Builder
	b.Grow(len(text) + len(text)/8)
	ansi := declared == "windows-1252" || declared == "iso-8859-1"
	reported := false
	for i := 0; i < len(text); {
		c, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case ansi:
			c, size = ansiRune(text[i]), 1
		case c == utf8.RuneError && size == 1 && !reported:
			reported = true
			r.fail(b.Len(), finding{RuleEncoding, fmt.Sprintf("byte 0x%02X is not UTF-8", text[i]), "save the file as UTF-8, or declare its encoding"})
		}
		b.WriteRune(c)
		i += size
	}
	return b.String()
}

// declaredEncoding is the encoding that an XML declaration names, empty if none.
func declaredEncoding(text string) string {
	declaration, _, ok := strings.Cut(text[:min(len(text), 200)], "?>")
	if !ok || !strings.HasPrefix(declaration, "<?xml") {
		return ""
	}
	_, value, ok := strings.Cut(declaration, "encoding")
	if !ok {
		return ""
	}
	value = strings.TrimLeft(value, " \t\r\n=")
	if value == "" || !strings.ContainsRune(`"'`, rune(value[0])) {
		return ""
	}
	value, _, _ = strings.Cut(value[1:], value[:1])
	return value
}

// ansiRune is a character of windows-1252. A file that says ISO-8859-1 is read
// by it too, as XML readers on Windows do.
func ansiRune(b byte) rune {
	if c := charmap.Windows1252.DecodeByte(b); c < 0x80 || c >= 0xA0 {
		return c
	}
	return utf8.RuneError // what the page does not have
}

// checkCharacters reports the first control character that XML forbids.
func checkCharacters(text string, r *report) {
	for i := range len(text) {
		if c := text[i]; c < ' ' && c != '\t' && c != '\n' && c != '\r' {
			r.fail(i, finding{RuleSyntax, fmt.Sprintf("the control character 0x%02X is not allowed in XML", c), ""})
			return
		}
	}
}
