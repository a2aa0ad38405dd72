package session

import (
	"fmt"
	"strings"
	"time"
)

// Count is a number of things in words.
func Count[N int | int64](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// SpellSpan writes a time with its two largest units, as "2h5m".
func SpellSpan(d time.Duration) string {
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Hour:
		return d.Round(time.Second).String()
	case d < 24*time.Hour:
		return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
	}
	hours := int(d.Round(time.Hour) / time.Hour)
	return fmt.Sprintf("%dd%dh", hours/24, hours%24)
}

// WasWere is the verb behind a number of things.
func WasWere(n int) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

// SizeText is a number of bytes for people.
func SizeText(n int64) string {
	switch f := float64(n); {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KB", f/(1<<10))
	case n < 1<<30:
		return fmt.Sprintf("%.1f MB", f/(1<<20))
	default:
		return fmt.Sprintf("%.2f GB", f/(1<<30))
	}
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

// Either are words of which one is meant, with "or" before the last.
func Either(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// DurationText writes a time without parts that are 0: "24h", not "24h0m0s".
func DurationText(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
