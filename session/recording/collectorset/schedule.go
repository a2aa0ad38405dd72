package collectorset

import (
	"fmt"
	"strings"
	"time"

	"perfdeck/session"
)

// Schedule says when a set starts: MS-PLA 3.2.4.12. It does not say when it ends: see
// Set.Duration.
type Schedule struct {
	StartDate Date // none: any
	EndDate   Date // the last day; none: it goes on
	StartTime Clock
	Days      uint32 // bits, Sunday is 1; 0: once, on StartDate

	Extra []string
}

// EveryDay is all bits of Schedule.Days.
const EveryDay = 1<<7 - 1

// Next is when the schedule starts a set the next time after a moment, in the zone of
// that moment. A time that the clock passes over, when daylight saving begins, is the
// first one behind; one that it shows twice is the first of the two.
func (s *Schedule) Next(after time.Time) (time.Time, bool) {
	if s.Days == 0 {
		at := localTime(s.StartDate, s.StartTime, after.Location())
		return at, !s.StartDate.IsZero() && at.After(after)
	}
	day := DateOf(after)
	if day.Compare(s.StartDate) < 0 {
		day = s.StartDate
	}
	for range 8 { // the same day of the next week at the latest
		if !s.EndDate.IsZero() && day.Compare(s.EndDate) > 0 {
			break
		}
		midday := time.Date(day.Year, day.Month, day.Day, 12, 0, 0, 0, time.UTC)
		if s.Days&(1<<midday.Weekday()) != 0 {
			if at := localTime(day, s.StartTime, after.Location()); at.After(after) {
				return at, true
			}
		}
		day = DateOf(midday.AddDate(0, 0, 1))
	}
	return time.Time{}, false
}

// Next is when any schedule starts the set the next time.
func (s *Set) Next(after time.Time) (next time.Time, ok bool) {
	if !s.SchedulesEnabled {
		return time.Time{}, false
	}
	for i := range s.Schedules {
		if at, has := s.Schedules[i].Next(after); has && (!ok || at.Before(next)) {
			next, ok = at, true
		}
	}
	return next, ok
}

// localTime is when clocks of a zone show a time, or pass over it.
func localTime(d Date, c Clock, zone *time.Location) time.Time {
	return session.FirstShown(time.Date(d.Year, d.Month, d.Day, 0, 0, int(c), 0, time.UTC), zone)
}

// DayNames are the days of the week on which it starts, as Sun.
func (s *Schedule) DayNames() (names []string) {
	for d := range 7 {
		if s.Days&(1<<d) != 0 {
			names = append(names, time.Weekday(d).String()[:3])
		}
	}
	return names
}

// Describe says when that is.
func (s *Schedule) Describe() string {
	if s.Days == 0 {
		return fmt.Sprintf("once, on %v at %v", s.StartDate, s.StartTime)
	}
	days := "every day"
	if s.Days != EveryDay {
		days = "on " + strings.Join(s.DayNames(), ", ")
	}
	text := fmt.Sprintf("%s at %v", days, s.StartTime)
	if !s.StartDate.IsZero() {
		text += fmt.Sprintf(" from %v", s.StartDate)
	}
	if !s.EndDate.IsZero() {
		text += fmt.Sprintf(" to %v", s.EndDate)
	}
	return text
}
