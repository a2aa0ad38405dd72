package config

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"perfdeck/cooker"
	"perfdeck/session/text/field"
	"perfdeck/session/text/printable"
)

// The limits of values.
const (
	maxInterval = 24 * time.Hour
	minHistory  = time.Second
	maxHistory  = 7 * 24 * time.Hour
	maxDigits   = 17 // cooker.Format
	maxBusiest  = 1000
	maxNameLen  = 64  // characters
	maxHostLen  = 255 // bytes
)

func yesNo() reader[bool] {
	return reader[bool]{expected: "true or false", read: func(v any) (bool, bool) {
		b, ok := v.(bool)
		return b, ok
	}}
}

// duration takes a text as 500ms or 00:15, or a number of seconds as number or
// text.
func duration(least, most time.Duration) reader[time.Duration] {
	return reader[time.Duration]{
		expected: field.Times(least, most),
		read: func(v any) (time.Duration, bool) {
			said, ok := field.Amount.Values(v)
			d, fine := field.ParseTime(said.Text())
			return d, ok && fine && least <= d && d <= most
		},
	}
}

// oneOf takes one of the words, the n-th for the value T(n) of an enumeration.
func oneOf[T ~uint8](words ...string) reader[T] {
	return reader[T]{
		expected: "one of " + strings.Join(words, ", "), words: words,
		read: func(v any) (T, bool) {
			s, ok := v.(string)
			i := slices.Index(words, s)
			return T(max(i, 0)), ok && i >= 0
		},
	}
}

// unitStyles takes the styles in the order of their constants.
func unitStyles() reader[cooker.UnitStyle] {
	return oneOf[cooker.UnitStyle]("plain", "windows", "si", "iec")
}

func whole(least, most int) reader[int] {
	return reader[int]{
		expected: fmt.Sprintf("a whole number from %d to %d", least, most),
		read: func(v any) (int, bool) {
			n, ok := v.(int64)
			return int(n), ok && int64(least) <= n && n <= int64(most)
		},
	}
}

// text takes a text that fits.
func text(expected string, fits func(s string) bool) reader[string] {
	return reader[string]{expected: expected, read: func(v any) (string, bool) {
		s, ok := v.(string)
		return s, ok && fits(s)
	}}
}

// separator takes what may stand between groups of digits: one mark or blank of
// one cell that cannot be taken for a part of the number.
func separator() reader[string] {
	return text(`one mark or blank other than . and -, as "," or " ", or "" for none`, func(s string) bool {
		r, size := utf8.DecodeRuneInString(s)
		return s == "" || size == len(s) && r < firstWideRune && !strings.ContainsRune(".-", r) &&
			(unicode.IsPunct(r) || unicode.Is(unicode.Zs, r))
	})
}

// firstWideRune is where the East Asian scripts begin, whose marks are two cells
// wide.
const firstWideRune = 0x2E80

func name(of string) reader[string] {
	return text(fmt.Sprintf("the name of %s, at most %d characters that can be seen", of, maxNameLen), isName)
}

func isName(s string) bool {
	return s != "" && s == strings.TrimSpace(s) && utf8.RuneCountInString(s) <= maxNameLen && printable.Text(s) == s
}

// themeName takes the name of a theme: that of a file, without its directory.
func themeName() reader[string] {
	return text("the name of a theme, without directory and .toml", func(s string) bool {
		return isName(s) && !strings.ContainsAny(s, `/\:`) && !strings.HasPrefix(s, ".") && !strings.HasSuffix(s, ".toml")
	})
}

// hostName takes what may name a host; which forms there are is for those who
// open hosts.
func hostName() reader[string] { return text(`a host, as "NAME" or "NAME:PORT"`, isHost) }

func isHost(s string) bool {
	return s != "" && len(s) <= maxHostLen && printable.Text(s) == s && !strings.ContainsFunc(s, unicode.IsSpace)
}

// wholePath takes the name of a file that means the same in whichever folder it is read.
func wholePath() reader[string] { return text("an absolute path, or one below ~/", isWholePath) }

// webURL is an address of http or https that can be seen, without an account.
func webURL(s string) (u *url.URL, ok bool) {
	u, err := url.Parse(s)
	return u, err == nil && plainText(s) && u.Hostname() != "" && u.User == nil && (u.Scheme == "https" || u.Scheme == "http")
}

func isWebURL(s string) bool {
	_, ok := webURL(s)
	return ok
}
