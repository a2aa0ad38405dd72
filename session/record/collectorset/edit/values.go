package edit

import (
	"fmt"
	"math"
	"math/bits"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"perfdeck/session/config"
	"perfdeck/session/record/collectorset"
	"perfdeck/session/record/naming"
	"perfdeck/session/text/english"
)

// ValueError says what is wrong with what is said of a field.
type ValueError struct {
	Field, Value string
	why, hint    string
}

func (e *ValueError) Error() string { return fmt.Sprintf("%s %q: %s", e.Field, e.Value, e.why) }

// Hint says what can be said.
func (e *ValueError) Hint() string { return e.hint }

// values are what is said of a field.
type values struct {
	field string
	all   []string
}

// text is the only one, or the last.
func (v values) text() string {
	if len(v.all) == 0 {
		return ""
	}
	return v.all[len(v.all)-1]
}

func (v values) is() bool { return v.text() == "true" }

func (v values) wrong(why, hint string) error { return &ValueError{v.field, v.text(), why, hint} }

func (v values) unknown(text, known string) error {
	return &ValueError{v.field, text, "no such value", "known: " + known}
}

func (v values) number(to *uint32) error {
	n, err := strconv.ParseUint(v.text(), 0, 32)
	if err != nil {
		return v.wrong("not a whole number", "")
	}
	*to = uint32(n)
	return nil
}

// seconds takes a time of whole seconds, 0 for none.
func (v values) seconds(to *uint32) error {
	d, ok := config.ParseTime(v.text())
	if !ok || d%time.Second != 0 || d/time.Second > math.MaxUint32 {
		return v.wrong("not a time of whole seconds", "write 90, 8h, 1m30s or 01:30:00")
	}
	*to = uint32(d / time.Second)
	return nil
}

// megabytes takes a size in whole MB, 0 for none.
func (v values) megabytes(to *uint32) error {
	n, ok := config.ParseSize(v.text())
	if !ok {
		return v.wrong("not a size as 500KB or 2GB", "")
	}
	const mb = 1 << 20
	if n > 0 && n < mb || n/mb > math.MaxUint32 {
		return v.wrong("sets count whole MB", "")
	}
	*to = uint32(n / mb)
	return nil
}

// begin takes a time of the day, with a day before it from when on.
func (v values) begin(s *collectorset.Schedule) error {
	text := v.text()
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
		return v.wrong("not a time", "write 22:00 or '2026-03-01 22:00'")
	}
	s.StartTime = at
	if date != "" {
		s.StartDate = day
	}
	return nil
}

// lastDay takes the day behind which a schedule is over.
func (v values) lastDay(s *collectorset.Schedule) error {
	if v.text() == "" {
		return nil
	}
	day, err := collectorset.ParseDay(v.text())
	if err != nil {
		return v.wrong("not a day", "write 2026-03-31")
	}
	s.EndDate = day
	return nil
}

// days takes days of the week.
func (v values) days(s *collectorset.Schedule) error {
	var days uint32
	for _, name := range v.all {
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
			return v.unknown(name, "mon, tue, wed, thu, fri, sat, sun, daily, once")
		}
	}
	s.Days = days
	return nil
}

// format takes how files are written.
func (v values) format(c *collectorset.Collector) error {
	format, ok := collectorset.FormatOfWord(v.text())
	if !ok {
		return v.unknown(v.text(), strings.Join(collectorset.FormatWords(), ", "))
	}
	c.LogFileFormat, c.LogCircular = format, c.LogCircular || strings.EqualFold(v.text(), collectorset.Circular)
	return nil
}

// parts takes of what the names of files are made.
func (v values) parts(c *collectorset.Collector) error {
	parts, ok := naming.ParseParts(v.text())
	if !ok && v.text() != "" { // none
		return v.unknown(v.text(), strings.Join(naming.PartNames(), ", "))
	}
	c.FileNameFormat = c.FileNameFormat&uint32(naming.PartPattern) | uint32(parts)
	return nil
}

// policies are the words for what goes first, by ResourcePolicy.
var policies = []string{"largest", "oldest"}

func (v values) policy(to *uint32) error {
	if v.text() == "" {
		return nil
	}
	i := slices.Index(policies, v.text())
	if i < 0 {
		return v.unknown(v.text(), strings.Join(policies, ", "))
	}
	*to = uint32(i)
	return nil
}

// folder takes the name of a folder, from the root on.
func (v values) folder(to *string) error {
	if v.text() == "" {
		return nil
	}
	name, err := Folder(v.text())
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

// secondsText and megabytesText write numbers of a set as they are read.
func secondsText(n uint32) string {
	if n == 0 {
		return "0"
	}
	return spanText(n)
}

func megabytesText(n uint32) string {
	if n == 0 {
		return "0"
	}
	return fmt.Sprintf("%dMB", n)
}

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
	days := s.Set.Schedules[0].Days
	switch {
	case days == 0:
		return "once"
	case bits.OnesCount32(days) == 7:
		return "daily"
	}
	var names []string
	for d := range 7 {
		if days&(1<<d) != 0 {
			names = append(names, strings.ToLower(time.Weekday(d).String()[:3]))
		}
	}
	return strings.Join(names, ",")
}
