// Package english writes numbers of things, sizes and durations for people, each in one way.
package english

import (
	"fmt"
	"strconv"
	"strings"
)

var sizeUnits = []string{"B", "KB", "MB", "GB", "TB", "PB", "EB"}

// Plural is the word that goes with a number of things: the noun, or its verb.
func Plural[N ~int | ~int64 | ~uint64](n N, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// Count is a number of things: "1 host", "12 hosts".
func Count[N ~int | ~int64 | ~uint64](n N, one, many string) string {
	return fmt.Sprintf("%d %s", n, Plural(n, one, many))
}

// AndMore is the first of n things, and how many others there are: "a", "a and 2 more".
func AndMore(first string, n int) string {
	if n > 1 {
		first += " and " + strconv.Itoa(n-1) + " more"
	}
	return first
}

// Some are words, so many of them, and how many others there are: "a, b and 2 more".
func Some(words []string, most int) string {
	if n := len(words) - most; n > 0 {
		return strings.Join(words[:most], ", ") + " and " + strconv.Itoa(n) + " more"
	}
	return strings.Join(words, ", ")
}

// Times is how often something was: "once", "twice", "12 times".
func Times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return strconv.Itoa(n) + " times"
}

// Either are words of which one is meant, with "or" before the last.
func Either(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// Size is a number of bytes, 1,024 to the KB: whole where it is so to the byte, as "512 B" and
// "64 MB", else with 4 places at most: "1.25 KB", "28.6 MB", "1001 GB".
func Size(n int64) string {
	size, unit := float64(n), 0
	for unit < len(sizeUnits)-1 && size >= 1023.5 {
		size, unit = size/1024, unit+1
	}
	digits := 0
	switch {
	case n%(1<<(10*unit)) == 0 || size >= 999.95:
	case size < 9.995:
		digits = 2
	default:
		digits = 1
	}
	return strconv.FormatFloat(size, 'f', digits, 64) + " " + sizeUnits[unit]
}

// GroupDigits puts a mark between groups of three digits of a whole number.
func GroupDigits(number, mark string) string {
	sign := ""
	if strings.HasPrefix(number, "-") {
		sign, number = "-", number[1:]
	}
	for i := len(number) - 3; i > 0; i -= 3 {
		number = number[:i] + mark + number[i:]
	}
	return sign + number
}
