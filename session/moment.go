package session

import (
	"fmt"
	"strings"
	"time"
)

// ParseMoment reads a moment of the past: a time of day, the last one before now or that of
// yesterday, a day with or without a time, or how long before now, as -20m.
func ParseMoment(text string, now time.Time) (time.Time, error) {
	text = strings.TrimSpace(text)
	if ago, ok := strings.CutPrefix(text, "-"); ok {
		if d, err := time.ParseDuration(ago); err == nil && d >= 0 {
			return now.Add(-d), nil
		}
	}
	rest, yesterday := strings.CutPrefix(text, "yesterday ")
	if t, ok := ParseClock(rest); ok {
		year, month, day := now.Date()
		at := time.Date(year, month, day, t.Hour(), t.Minute(), t.Second(), 0, now.Location())
		if yesterday || at.After(now) {
			at = at.AddDate(0, 0, -1)
		}
		return at, nil
	}
	if at, ok := ParseDate(text, now.Location()); ok {
		return at, nil
	}
	return time.Time{}, fmt.Errorf("time %q: not as 03:12, yesterday 03:12, 2026-03-02 03:12 or -20m", Printable(text))
}

// MomentIn reads a moment of a recording: a time of day, which is that of the
// day on which the recording has it, later than from if it has several; a day with
// a time; or how much after, or before, a moment.
func MomentIn(text string, first, last, from time.Time) (time.Time, error) {
	text = strings.TrimSpace(text)
	if d, err := time.ParseDuration(text); err == nil && text != "" && (text[0] == '-' || text[0] == '+') {
		return from.Add(d), nil
	}
	if at, ok := ParseDate(text, first.Location()); ok {
		return at, nil
	}
	if t, ok := ParseClock(text); ok {
		return onDay(t, first, last, from), nil
	}
	return time.Time{}, fmt.Errorf("time %q: not as 03:12, 2026-03-02 03:12 or -20m", text)
}

// onDay puts a time of day on the first day behind from on which the recording
// has it, else on the first at all.
func onDay(t, first, last, from time.Time) time.Time {
	var found time.Time
	for d := 0; ; d++ {
		at := time.Date(first.Year(), first.Month(), first.Day()+d, t.Hour(), t.Minute(), t.Second(), 0, first.Location())
		switch {
		case at.After(last) && found.IsZero():
			return at
		case at.After(last):
			return found
		case at.Before(first):
			continue
		case at.After(from):
			return at
		case found.IsZero():
			found = at
		}
	}
}

// ParseClock reads a time of day.
func ParseClock(text string) (t time.Time, ok bool) { return parseAs(clockForms, text, time.UTC) }

// ParseDate reads a day, with or without a time: one of a zone where it names none.
func ParseDate(text string, zone *time.Location) (at time.Time, ok bool) {
	return parseAs(dateForms, text, zone)
}

var (
	clockForms = []string{"15:04:05", "15:04"}
	dateForms  = []string{"2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02", time.RFC3339}
)

func parseAs(forms []string, text string, zone *time.Location) (time.Time, bool) {
	for _, form := range forms {
		if at, err := time.ParseInLocation(form, text, zone); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}
