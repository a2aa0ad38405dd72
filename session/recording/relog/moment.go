package relog

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"perfdeck/session"
	"perfdeck/session/system/failure"
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

// parseMoment reads a limit: of two such times the earlier one that is not before first, or the
// later one. A time of day is that of the first day, or of the next if it would be before after.
// An empty text is the zero time, no limit.
func parseMoment(text string, first, after time.Time, later bool) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return session.InZone(t, first.Location()), nil
	}
	for _, layout := range momentLayouts {
		if t, err := time.Parse(layout, text); err == nil {
			at, _ := notBefore(t, first, time.Time{}, later)
			return at, nil
		}
	}
	for _, layout := range dayTimeLayouts {
		t, err := time.Parse(layout, text)
		if err != nil {
			continue
		}
		for d := 0; ; d++ {
			wall := time.Date(first.Year(), first.Month(), first.Day()+d, t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
			if at, ok := notBefore(wall, first, after, later); ok || d > 0 {
				return at, nil
			}
		}
	}
	return time.Time{}, failure.WithHint(errNotAMoment, `write "2026-03-01 22:30", "3/1/2026 22:30:00" or 22:30`)
}

// notBefore is the first, or the last, moment not before another at which the clocks of a recording
// that begins at first show a time. As a limit a time that they pass over is as good as when they do.
func notBefore(wall, first, after time.Time, later bool) (at time.Time, ok bool) {
	all, behind := session.Shown(wall, first.Location())
	if len(all) == 0 {
		all = append(all, behind)
	}
	for _, one := range all {
		if at = one; !later && !one.Before(after) && !one.Before(first) {
			return one, true
		}
	}
	return at, !at.Before(after)
}

// Limits reads --begin and --end; the zero time is no limit. A time of day is that of the
// first day, or of the next: of the begin if it would be before after, of the end if it would
// be before the begin. Of a begin that was twice up to last the first is taken, and again is told.
func Limits(begin, end string, first, last, after time.Time, again func(words string)) (from, to time.Time, err error) {
	if from, err = limit("begin", begin, first, after, false); err == nil {
		to, err = limit("end", end, first, cmp.Or(from, first), true)
	}
	if words := session.AgainWords(from, last); err == nil && words != "" {
		again("--begin: " + words)
	}
	return from, to, err
}

func limit(flag, text string, first, after time.Time, later bool) (time.Time, error) {
	at, err := parseMoment(text, first, after, later)
	if err != nil {
		return at, failure.Usage(fmt.Errorf("--%s %q: %w", flag, text, err))
	}
	return at, nil
}

// MomentWithin reads a flag that is a moment of a recording, as session.MomentIn reads it. One that
// is none of the recording's is ErrOutside.
func MomentWithin(flag, text string, first, last time.Time) (time.Time, error) {
	at, err := session.MomentIn(text, first, last, first)
	if err != nil {
		return at, failure.Usage(fmt.Errorf("--%s: %w", flag, err))
	}
	if at.Before(first) || at.After(last) {
		return at, failure.Usage(failure.WithHint(fmt.Errorf("--%s %s: %w", flag, text, ErrOutside), Extent(first, last)))
	}
	return at, nil
}

// Extent tells where a recording begins and ends, for who looks elsewhere.
func Extent(first, last time.Time) string {
	return "it is from " + first.Format(time.DateTime) + " to " + last.Format(time.DateTime)
}
