package session

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"perfdeck/session/text/printable"
)

// Later is the later one of two moments.
func Later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// Earlier is the earlier one of two moments.
func Earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

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
		return lastShown(text, t, now, yesterday)
	}
	if all, ok, err := parseDate(text, now.Location()); ok {
		for _, one := range slices.Backward(all) {
			if !one.After(now) {
				return one, err
			}
		}
		return all[0], err
	}
	return time.Time{}, fmt.Errorf("time %q: not as 03:12, yesterday 03:12, 2026-03-02 03:12 or -20m", printable.Text(text))
}

// lastShown is when clocks showed a time of day last, or on the day before.
func lastShown(text string, t, now time.Time, yesterday bool) (time.Time, error) {
	year, month, day := now.Date()
	if yesterday {
		day--
	}
	for {
		at, behind := Shown(time.Date(year, month, day, t.Hour(), t.Minute(), t.Second(), 0, time.UTC), now.Location())
		for _, one := range slices.Backward(at) {
			if !one.After(now) {
				return one, nil
			}
		}
		if len(at) == 0 && !behind.After(now) {
			return time.Time{}, neverShown(text, behind)
		}
		day--
	}
}

// MomentIn reads a moment of a recording: a time of day, which is that of the
// day on which the recording has it, later than from if it has several; a day with
// a time; or how much after, or before, a moment. Of several such times it is the first: see Again.
func MomentIn(text string, first, last, from time.Time) (time.Time, error) {
	text = strings.TrimSpace(text)
	if d, err := time.ParseDuration(text); err == nil && text != "" && (text[0] == '-' || text[0] == '+') {
		return from.Add(d), nil
	}
	if all, ok, err := parseDate(text, first.Location()); ok {
		for _, one := range all {
			if !one.Before(first) && !one.After(last) {
				return one, err
			}
		}
		return all[0], err
	}
	if t, ok := ParseClock(text); ok {
		return onDay(text, t, first, last, from)
	}
	return time.Time{}, fmt.Errorf("time %q: not as 03:12, 2026-03-02 03:12 or -20m", text)
}

// onDay puts a time of day on the first day behind from on which the recording
// has it, else on the first at all.
func onDay(text string, t, first, last, from time.Time) (time.Time, error) {
	var found time.Time
	var never error
	for d := 0; ; d++ {
		all, behind := Shown(time.Date(first.Year(), first.Month(), first.Day()+d, t.Hour(), t.Minute(), t.Second(), 0, time.UTC), first.Location())
		if len(all) == 0 && !behind.Before(first) && !behind.After(last) {
			never = neverShown(text, behind)
		}
		for _, at := range all {
			switch {
			case at.After(last) && found.IsZero():
				return at, never
			case at.After(last):
				return found, nil
			case at.Before(first):
			case at.After(from):
				return at, nil
			case found.IsZero():
				found = at
			}
		}
	}
}

// Shown are the moments at which the clocks of a zone show a time, which is that of wall in UTC:
// several where they are set back over it, the earlier ones first. Where they pass over it there
// is none, and behind is when they did.
func Shown(wall time.Time, zone *time.Location) (at []time.Time, behind time.Time) {
	const around = 26 * time.Hour // the most that clocks differ from UTC, and more
	var passed bool               // by the clocks of the part before
	for t := wall.Add(-around).In(zone); ; {
		_, offset := t.Zone()
		start, end := t.ZoneBounds()
		one := wall.Add(-time.Duration(offset) * time.Second)
		switch {
		case !start.IsZero() && one.Before(start):
			if passed {
				behind = start
			}
		case end.IsZero() || one.Before(end):
			at = append(at, one.In(zone))
		}
		passed = !end.IsZero() && !one.Before(end)
		if end.IsZero() || end.After(wall.Add(around)) && !isLine(zone) {
			return at, behind
		}
		t = end
	}
}

// LineZone is the name of the zones of recordings whose clocks were set back, by any time.
const LineZone = "the clocks of a recording"

func isLine(zone *time.Location) bool { return zone.String() == LineZone }

// Again is the next moment up to last at which clocks show what they do at a moment, in the zone
// of which that is.
func Again(at, last time.Time) (next time.Time, ok bool) {
	all, _ := Shown(wallOf(at), at.Location())
	for _, one := range all {
		if one.After(at) && !one.After(last) {
			return one, true
		}
	}
	return next, false
}

// AgainWords say that a moment of a recording was there again; empty: it was not.
func AgainWords(at, last time.Time) string {
	next, ok := Again(at, last)
	if !ok {
		return ""
	}
	return at.Format(time.DateTime) + " was twice: the first is taken, the second is " + next.Format(time.RFC3339)
}

// wallOf is what clocks show at a moment, as if it were UTC.
func wallOf(at time.Time) time.Time {
	_, offset := at.Zone()
	return at.UTC().Add(time.Duration(offset) * time.Second)
}

// InZone is the moment of a time that names its offset, in a zone. In that of a recording whose
// clock was set back the offset tells which of several is meant; the first one, of what was
// recorded, means none.
func InZone(t time.Time, zone *time.Location) time.Time {
	if !isLine(zone) {
		return t
	}
	_, offset := t.Zone()
	all, _ := Shown(wallOf(t), zone)
	for _, one := range all {
		if _, has := one.Zone(); has == offset {
			return one
		}
	}
	if _, first := time.Unix(-1<<40, 0).In(zone).Zone(); first == offset && len(all) > 0 {
		return all[0]
	}
	return t.In(zone)
}

// FirstShown is the first moment at which the clocks of a zone show a time, which is that of wall
// in UTC, or pass over it.
func FirstShown(wall time.Time, zone *time.Location) time.Time {
	at, behind := Shown(wall, zone)
	if len(at) == 0 {
		return behind
	}
	return at[0]
}

func neverShown(text string, behind time.Time) error {
	_, offset := behind.Add(-1).Zone()
	return fmt.Errorf("time %q: there was none: on %s clocks went from %s to %s", printable.Text(text),
		behind.Format(time.DateOnly), behind.In(time.FixedZone("", offset)).Format("15:04"), behind.Format("15:04"))
}

// ParseClock reads a time of day.
func ParseClock(text string) (t time.Time, ok bool) { return parseAs(clockForms, text) }

// parseDate reads a day, with or without a time: one of a zone where it names none, at all
// moments that it means. There is one with an error, too.
func parseDate(text string, zone *time.Location) (at []time.Time, ok bool, err error) {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return []time.Time{InZone(at, zone)}, true, nil
	}
	wall, ok := parseAs(dateForms, text)
	if !ok {
		return nil, false, nil
	}
	at, behind := Shown(wall, zone)
	switch {
	case len(at) > 0:
	case len(text) == len(time.DateOnly):
		at = []time.Time{behind} // its first moment
	default:
		return []time.Time{behind}, true, neverShown(text, behind)
	}
	return at, true, nil
}

var (
	clockForms = []string{"15:04:05", "15:04"}
	dateForms  = []string{"2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02T15:04:05", "2006-01-02T15:04", time.DateOnly}
)

func parseAs(forms []string, text string) (time.Time, bool) {
	for _, form := range forms {
		if at, err := time.Parse(form, text); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}
