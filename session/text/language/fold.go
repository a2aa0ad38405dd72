package language

import (
	"bytes"
	"sync"
	"unicode"
	"unicode/utf8"

	"perfdeck/paths"
)

// letters are those of the languages of Windows that write with Latin ones, by what they become
// where a code page has no better sign for them: Windows' best fit to ASCII.
var letters = sync.OnceValue(func() map[rune]string {
	m := map[rune]string{}
	for ascii, all := range map[string]string{
		"a": "ÀÁÂÃÄÅàáâãäåĀāĂăĄąǍǎªẠạẢảẤấẦầẨẩẪẫẬậẮắẰằẲẳẴẵẶặ", "ae": "Ææ", "b": "Ḃḃ", "c": "ÇçĆćĈĉĊċČč", "d": "ÐðĎďĐđ",
		"e": "ÈÉÊËèéêëĒēĔĕĖėĘęĚěẸẹẺẻẼẽẾếỀềỂểỄễỆệ", "f": "ƒ", "g": "ĜĝĞğĠġĢģǤǥǦǧ", "h": "ĤĥĦħ",
		"i": "ÌÍÎÏìíîïĨĩĪīĬĭĮįİıǏǐỈỉỊị", "j": "Ĵĵ", "k": "ĶķǨǩ", "l": "ĹĺĻļĽľĿŀŁł", "n": "ÑñŃńŅņŇňŉ",
		"o": "ÒÓÔÕÖØòóôõöøŌōŎŏŐőƠơǑǒºỌọỎỏỐốỒồỔổỖỗỘộỚớỜờỞởỠỡỢợ°", "oe": "Œœ", "r": "ŔŕŖŗŘř", "s": "ŚśŜŝŞşŠšȘș", "ss": "ßẞ",
		"t": "ŢţŤťŦŧȚț", "th": "Þþ", "u": "ÙÚÛÜùúûüŨũŪūŬŭŮůŰűŲųƯưǓǔỤụỦủỨứỪừỬửỮữỰự", "w": "Ŵŵ", "y": "ÝýÿŶŷŸỲỳỴỵỶỷỸỹ", "z": "ŹźŻżŽž",
		"1": "¹", "2": "²", "3": "³", "...": "…",
	} {
		for _, r := range all {
			m[r] = ascii
		}
	}
	return m
})

// fold is the key by which names are compared: without case, accents, kinds of apostrophes,
// dashes and blanks, the same whatever the locale of the user.
func fold(name string) string {
	if isFolded(name) {
		return name
	}
	b := make([]byte, 0, len(name))
	put := func(c byte) {
		switch {
		case c >= 'A' && c <= 'Z':
			c += 'a' - 'A'
		case c == '`':
			c = '\''
		case c == ' ' || c >= '\t' && c <= '\r':
			if len(b) == 0 || b[len(b)-1] == ' ' {
				return
			}
			c = ' '
		}
		b = append(b, c)
	}
	for _, r := range name {
		if r < utf8.RuneSelf {
			put(byte(r))
			continue
		}
		if ascii, ok := letters()[r]; ok {
			b = append(b, ascii...)
			continue
		}
		if unicode.Is(unicode.Mn, r) { // an accent that stands by itself
			continue
		}
		if plain := paths.Fold(paths.Plain(string(r))); len(plain) == 1 {
			put(plain[0])
		} else {
			b = append(b, plain...)
		}
	}
	return string(bytes.TrimSuffix(b, []byte(" ")))
}

// isFolded tells of ASCII that it is its own key.
func isFolded(name string) bool {
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 0x7F, c < ' ', c >= 'A' && c <= 'Z', c == '`',
			c == ' ' && (i == 0 || i == len(name)-1 || name[i-1] == ' '):
			return false
		}
	}
	return true
}
