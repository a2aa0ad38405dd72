package edit

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"perfdeck/session/config"
	"perfdeck/session/files/naming"
	"perfdeck/session/recording/collectorset"
	"perfdeck/session/text/english"
	"perfdeck/session/text/field"
)

func wrong(v field.Values, why, hint string) error {
	return &field.Error{Value: v.Text(), Why: why, Hints: hint}
}

func unknown(text, known string) error {
	return &field.Error{Value: text, Why: "no such value", Hints: "known: " + known}
}

// word and toggle take texts and switches as they are.
func word(v field.Values, to *string) error { *to = v.Text(); return nil }
func toggle(v field.Values, to *bool) error { *to = v.Is(); return nil }

var errNoLines = errors.New("there is nothing to collect")

// lines takes paths or thresholds, in place of those that there are.
func lines(v field.Values, to *[]string) error {
	if len(v) == 0 {
		return errNoLines
	}
	*to = v
	return nil
}

// number takes a whole number.
func number(v field.Values, to *uint32) error {
	n, err := strconv.ParseUint(v.Or("0"), 0, 32)
	if err != nil {
		return wrong(v, "not a whole number", "")
	}
	*to = uint32(n)
	return nil
}

// seconds takes a time of whole seconds, 0 for none.
func seconds(v field.Values, to *uint32) error {
	d, ok := field.ParseTime(v.Or("0"))
	if !ok || d%time.Second != 0 || d/time.Second > math.MaxUint32 {
		return wrong(v, "not a time of whole seconds", "write 90, 8h, 1m30s or 01:30:00")
	}
	*to = uint32(d / time.Second)
	return nil
}

// megabytes takes a size in whole MB, 0 for none.
func megabytes(v field.Values, to *uint32) error {
	n, ok := field.ParseSize(v.Or("0"))
	if !ok {
		return wrong(v, "not a size as 500KB or 2GB", "")
	}
	const mb = 1 << 20
	if n > 0 && n < mb || n/mb > math.MaxUint32 {
		return wrong(v, "sets count whole MB", "")
	}
	*to = uint32(n / mb)
	return nil
}

// begin takes a time of the day, with a day before it from when on.
func begin(v field.Values, s *collectorset.Schedule) error {
	text := v.Text()
	if text == "" {
		return nil
	}
	date, clock, _ := strings.Cut(text, " ")
	if clock == "" {
		date, clock = "", text
	}
	at, err := collectorset.ParseClock(clock)
	day, fault := collectorset.ParseDay(date)
	if err != nil || fault != nil {
		return wrong(v, "not a time", "write 22:00 or '2026-03-01 22:00'")
	}
	s.StartTime = at
	if date != "" {
		s.StartDate = day
	}
	return nil
}

// lastDay takes the day behind which a schedule is over.
func lastDay(v field.Values, s *collectorset.Schedule) error {
	if v.Text() == "" {
		return nil
	}
	day, err := collectorset.ParseDay(v.Text())
	if err != nil {
		return wrong(v, "not a day", "write 2026-03-31")
	}
	s.EndDate = day
	return nil
}

// days takes days of the week.
func days(v field.Values, s *collectorset.Schedule) error {
	var days uint32
	for _, name := range v {
		name = strings.ToLower(strings.TrimSpace(name))
		switch name {
		case "daily":
			days |= collectorset.EveryDay
			continue
		case "once":
			continue
		}
		found := false
		for d := range 7 {
			if long := strings.ToLower(time.Weekday(d).String()); len(name) >= 2 && strings.HasPrefix(long, name) {
				days, found = days|1<<d, true
			}
		}
		if !found {
			return unknown(name, "mon, tue, wed, thu, fri, sat, sun, daily, once")
		}
	}
	s.Days = days
	return nil
}

// format takes how files are written.
func format(v field.Values, c *collectorset.Collector) error {
	format, ok := collectorset.FormatOfWord(v.Text())
	if !ok {
		return unknown(v.Text(), strings.Join(collectorset.FormatWords(), ", "))
	}
	c.LogFileFormat, c.LogCircular = format, c.LogCircular || strings.EqualFold(v.Text(), collectorset.Circular)
	return nil
}

// parts takes of what the names of files are made.
func parts(v field.Values, c *collectorset.Collector) error {
	parts, ok := naming.ParseParts(v.Text())
	if !ok && v.Text() != "" { // none
		return unknown(v.Text(), strings.Join(naming.PartNames(), ", "))
	}
	c.FileNameFormat = c.FileNameFormat&uint32(naming.PartPattern) | uint32(parts)
	return nil
}

// policies are the words for what goes first, by ResourcePolicy.
var policies = []string{"largest", "oldest"}

func policy(v field.Values, to *uint32) error {
	if v.Text() == "" {
		return nil
	}
	i := slices.Index(policies, v.Text())
	if i < 0 {
		return unknown(v.Text(), strings.Join(policies, ", "))
	}
	*to = uint32(i)
	return nil
}

// folder takes the name of a folder, from the root on.
func folder(v field.Values, to *string) error {
	if v.Text() == "" {
		return nil
	}
	name, err := Folder(v.Text())
	*to = name
	return err
}

// Folder is the name of a folder that a user wrote, from the root on.
func Folder(name string) (string, error) {
	name, err := config.BelowHome(name)
	if err != nil {
		return "", err
	}
	return filepath.Abs(name)
}

// spanText writes seconds of a set; empty: none.
func spanText(seconds uint32) string {
	if seconds == 0 {
		return ""
	}
	return english.Exact(time.Duration(seconds) * time.Second)
}

func megabytesText(n uint32) string { return unlessZero("%dMB", n) }

func beginText(s *subject) string {
	if len(s.Set.Schedules) == 0 {
		return ""
	}
	one := &s.Set.Schedules[0]
	if one.StartDate.IsZero() {
		return one.StartTime.String()
	}
	return fmt.Sprintf("%04d-%02d-%02d %v", one.StartDate.Year, one.StartDate.Month, one.StartDate.Day, one.StartTime)
}

func daysText(s *subject) string {
	if len(s.Set.Schedules) == 0 {
		return "daily"
	}
	switch one := &s.Set.Schedules[0]; one.Days {
	case 0:
		return "once"
	case collectorset.EveryDay:
		return "daily"
	default:
		return strings.ToLower(strings.Join(one.DayNames(), ","))
	}
}
