package relog

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"perfdeck/session"
)

var errNotAMoment = errors.New("not a time")

// momentLayouts are those of limits, dayTimeLayouts those without a day.
var (
	momentLayouts = []string{
		"2006-1-2 15:4:5", "2006-1-2 15:4", "2006-1-2T15:4:5", "2006-1-2T15:4", "2006-1-2",
		"1/2/2006 15:4:5", "1/2/2006 15:4", "1/2/2006", "1/2/2006 3:4:5PM", "1/2/2006 3:4:5 PM",
	}
	dayTimeLayouts = []string{"15:4:5", "15:4"}
)

// ParseMoment reads a limit. A time of day is that of the first day, or of the
// next if it would be before after. An empty text is the zero time, no limit.
func ParseMoment(text string, first, after time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return t, nil
	}
	for _, layout := range momentLayouts {
		if t, err := time.ParseInLocation(layout, text, first.Location()); err == nil {
			return t, nil
		}
	}
	for _, layout := range dayTimeLayouts {
		t, err := time.Parse(layout, text)
		if err != nil {
			continue
		}
		at := time.Date(first.Year(), first.Month(), first.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), first.Location())
		if at.Before(after) {
			at = at.AddDate(0, 0, 1)
		}
		return at, nil
	}
	return time.Time{}, session.WithHint(errNotAMoment, `write "2026-03-01 22:30", "3/1/2026 22:30:00" or 22:30`)
}

// Limits reads --begin and --end; the zero time is no limit. A time of day is that of the
// first day, or of the next: of the begin if it would be before after, of the end if it would
// be before the begin.
func Limits(begin, end string, first, after time.Time) (from, to time.Time, err error) {
	if from, err = limit("begin", begin, first, after); err == nil {
		to, err = limit("end", end, first, cmp.Or(from, first))
	}
	return from, to, err
}

func limit(flag, text string, first, after time.Time) (time.Time, error) {
	at, err := ParseMoment(text, first, after)
	if err != nil {
		return at, session.Usage(fmt.Errorf("--%s %q: %w", flag, text, err))
	}
	return at, nil
}

// MomentWithin reads a flag that is a moment of a recording, as session.MomentIn reads it. One that
// is none of the recording's is ErrOutside.
func MomentWithin(flag, text string, first, last time.Time) (time.Time, error) {
	at, err := session.MomentIn(text, first, last, first)
	if err != nil {
		return at, session.Usage(fmt.Errorf("--%s: %w", flag, err))
	}
	if at.Before(first) || at.After(last) {
		return at, session.Usage(session.WithHint(fmt.Errorf("--%s %s: %w", flag, text, ErrOutside), Extent(first, last)))
	}
	return at, nil
}

// Extent tells where a recording begins and ends, for who looks elsewhere.
func Extent(first, last time.Time) string {
	return "it is from " + first.Format(time.DateTime) + " to " + last.Format(time.DateTime)
}
