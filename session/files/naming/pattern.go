package naming

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Values is what a name is made of: a local time, a serial number, a computer.
type Values struct {
	Time     time.Time // its location is the local zone
	Serial   uint32
	Computer string
}

// letters are the pattern letters of MS-PLA 2.2.3.1: how often each may stand in a
// row, and what it then means. N, the serial number, may stand any number of times.
var letters = map[byte]map[int]func(m Values) string{
	'D': {
		1: func(m Values) string { return strconv.Itoa(m.Time.YearDay()) },
		3: func(m Values) string { return fmt.Sprintf("%03d", m.Time.YearDay()) },
	},
	'd': {1: layout("2"), 2: layout("02"), 3: layout("Mon"), 4: layout("Monday")},
	'M': {1: layout("1"), 2: layout("01"), 3: layout("Jan"), 4: layout("January")},
	'y': {
		1: func(m Values) string { return strconv.Itoa(m.Time.Year() % 100) },
		2: layout("06"),
		4: layout("2006"),
	},
	'h': {1: layout("3"), 2: layout("03")},
	'H': {1: func(m Values) string { return strconv.Itoa(m.Time.Hour()) }, 2: layout("15")},
	'm': {1: layout("4"), 2: layout("04")},
	's': {1: layout("5"), 2: layout("05")},
	't': {1: func(m Values) string { return m.Time.Format("PM")[:1] }, 2: layout("PM")},
	'z': {
		1: func(m Values) string { return fmt.Sprintf("%+d", hoursEast(m.Time)) },
		2: func(m Values) string { return fmt.Sprintf("%+03d", hoursEast(m.Time)) },
	},
}

func layout(l string) func(Values) string {
	return func(m Values) string { return m.Time.Format(l) }
}

// hoursEast is the zone as whole hours east of UTC; minutes are cut off.
func hoursEast(t time.Time) int {
	_, seconds := t.Zone()
	return seconds / 3600
}

// FormatPattern writes a moment by a pattern of MS-PLA 2.2.3.1, as
// `yyyyMMdd\-NNNNNN`. T is the same as t. Behind a backslash every character
// stands for itself; so does what is no letter. Errors are *NameError.
func FormatPattern(pattern string, m Values) (string, error) {
	var b strings.Builder
	for i := 0; i < len(pattern); {
		c, size := utf8.DecodeRuneInString(pattern[i:])
		switch {
		case c == '\\':
			i += size
			if i == len(pattern) {
				return "", &NameError{Fault: BadEscape, Text: pattern, At: i - size}
			}
			c, size = utf8.DecodeRuneInString(pattern[i:])
			b.WriteRune(c)
		case unicode.IsLetter(c):
			size = runOf(pattern[i:])
			text, fault := letter(pattern[i], size, c, m)
			if fault != 0 {
				return "", &NameError{Fault: fault, Text: pattern, At: i}
			}
			b.WriteString(text)
		default:
			b.WriteRune(c)
		}
		i += size
	}
	return b.String(), nil
}

// runOf is how many equal letters a text begins with. T is the same as t.
func runOf(s string) int {
	same := func(c byte) byte {
		if c == 'T' {
			return 't'
		}
		return c
	}
	n := 1
	for n < len(s) && same(s[n]) == same(s[0]) {
		n++
	}
	return n
}

// letter is what a letter means that stands n times in a row.
func letter(c byte, n int, r rune, m Values) (string, NameFault) {
	if c == 'T' {
		c = 't'
	}
	if c == 'N' {
		return fmt.Sprintf("%0*d", n, m.Serial), 0
	}
	meanings, known := letters[c]
	if !known || r >= utf8.RuneSelf {
		return "", BadLetter
	}
	write, ok := meanings[n]
	if !ok {
		return "", BadRun
	}
	return write(m), 0
}
