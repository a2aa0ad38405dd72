package note

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// The forms of a time at the beginning of a line: of one word, of two, of three.
var moments = [...][]string{
	{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02T15:04"},
	{"2006-01-02 15:04:05.999999999", "2006-01-02 15:04", "2006-01-02 15:04:05.999999999Z07:00"},
	{"2006-01-02 15:04:05.999999999 -0700"},
}

// ParseLine reads a line that a program wrote: an object as those of Read, or text, with
// its time before it or without: then, and where the object has none, the note has the
// time written, which dated tells. Times without a zone are of the given one. ok is
// false for what is no note, as an empty line.
func ParseLine(text string, written time.Time, zone *time.Location, by string) (n Note, dated, ok bool) {
	if len(text) > mostLine {
		return Note{}, false, false
	}
	text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
	if strings.HasPrefix(text, "{") {
		var f form
		if json.Unmarshal([]byte(text), &f) == nil {
			if dated = !f.Time.IsZero(); dated {
				written = f.Time
			}
			n, err := New(written, f.Text, cmp.Or(f.By, by))
			return n, dated, err == nil
		}
	}
	if at, rest, found := cutTime(text, zone); found {
		written, text, dated = at, rest, true
	}
	n, err := New(written, text, by)
	return n, dated, err == nil
}

// cutTime parts a line from the time at its beginning. The longest form that fits is
// meant: a zone may stand behind.
func cutTime(text string, zone *time.Location) (at time.Time, behind string, ok bool) {
	head, rest := "", text
	for words, forms := range moments {
		word, next, _ := strings.Cut(rest, " ")
		head, rest = strings.TrimSpace(head+" "+word), strings.TrimLeft(next, " ")
		for _, form := range forms {
			if t, err := time.ParseInLocation(form, head, zone); err == nil {
				at, behind, ok = t, rest, true
			}
		}
		if t, isUnix := unixTime(head); words == 0 && isUnix {
			return t, rest, true
		}
	}
	return at, behind, ok
}

// unixTime reads seconds since 1970 as `date +%s` prints them, of times from 2001 to 2286:
// ten digits. Fewer are no time.
func unixTime(word string) (time.Time, bool) {
	whole, part, _ := strings.Cut(word, ".")
	if len(whole) != 10 || len(part) > 9 {
		return time.Time{}, false
	}
	seconds, err := strconv.ParseUint(whole, 10, 63)
	if err != nil {
		return time.Time{}, false
	}
	nanos := uint64(0)
	if part != "" {
		if nanos, err = strconv.ParseUint(part+"000000000"[len(part):], 10, 63); err != nil {
			return time.Time{}, false
		}
	}
	return time.Unix(int64(seconds), int64(nanos)), true
}
