package collectorset

import (
	"testing"
	"time"
)

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Skipf("no time zones on this computer: %v", err)
	}
	return z
}

// TestScheduleYear starts a set every day of a year, through both changes of the clock.
func TestScheduleYear(t *testing.T) {
	for _, c := range []struct {
		zone  string
		clock Clock
		odd   map[string]string // days on which the clock shows another time
	}{
		{"Europe/Berlin", 2*3600 + 1800, map[string]string{"2026-03-29": "03:00"}},
		{"America/New_York", 2*3600 + 1800, map[string]string{"2026-03-08": "03:00"}},
		{"America/New_York", 3600 + 1800, nil},                                          // twice on 1 November: the first
		{"Australia/Lord_Howe", 2*3600 + 900, map[string]string{"2026-10-04": "02:30"}}, // half an hour
		{"America/Sao_Paulo", 0, nil},
		{"Asia/Kolkata", 23*3600 + 3599, nil},
	} {
		z := zone(t, c.zone)
		s := Schedule{StartTime: c.clock, Days: EveryDay}
		at := time.Date(2026, 1, 1, 0, 0, 0, 0, z).Add(-time.Nanosecond)
		for day := range 365 {
			next, ok := s.Next(at)
			want := c.clock.String()[:5]
			date := time.Date(2026, 1, 1+day, 12, 0, 0, 0, z).Format("2006-01-02")
			if odd := c.odd[date]; odd != "" {
				want = odd
			}
			if !ok || next.Format("2006-01-02 15:04") != date+" "+want {
				t.Fatalf("%s: behind %v comes %v, want %s %s", c.zone, at, next, date, want)
			}
			if earlier := next.Add(-time.Hour); day > 300 && earlier.Format("15:04") == want {
				t.Errorf("%s: %v is the second one of that hour", c.zone, next)
			}
			at = next
		}
	}
}

func TestSchedule(t *testing.T) {
	day := func(d int) Date { return Date{2026, 11, d} }
	at := func(d, h int) time.Time { return time.Date(2026, 11, d, h, 0, 0, 0, time.UTC) }
	for name, c := range map[string]struct {
		s     Schedule
		after time.Time
		want  time.Time
	}{
		"weekdays, on Friday evening":   {Schedule{StartTime: 4 * 3600, Days: 62}, at(20, 22), at(23, 4)},
		"the same day of the next week": {Schedule{StartTime: 4 * 3600, Days: 1}, at(22, 4), at(29, 4)},
		"not before its first day":      {Schedule{StartDate: day(25), Days: EveryDay}, at(1, 0), at(25, 0)},
		"the last day counts":           {Schedule{EndDate: day(22), StartTime: 4 * 3600, Days: EveryDay}, at(22, 3), at(22, 4)},
		"over":                          {Schedule{EndDate: day(22), StartTime: 4 * 3600, Days: EveryDay}, at(22, 4), time.Time{}},
		"once":                          {Schedule{StartDate: day(25), StartTime: 3600}, at(1, 0), at(25, 1)},
		"once, and it was":              {Schedule{StartDate: day(25), StartTime: 3600}, at(25, 1), time.Time{}},
		"never":                         {Schedule{}, at(1, 0), time.Time{}},
	} {
		got, ok := c.s.Next(c.after)
		if ok != !c.want.IsZero() || ok && !got.Equal(c.want) {
			t.Errorf("%s: %v %v, want %v", name, got, ok, c.want)
		}
	}
	s := Set{Schedules: []Schedule{{StartTime: 7200, Days: EveryDay}, {StartTime: 3600, Days: EveryDay}}}
	if _, ok := s.Next(at(1, 0)); ok {
		t.Error("starts though its schedules are off")
	}
	s.SchedulesEnabled = true
	if next, ok := s.Next(at(1, 0)); !ok || !next.Equal(at(1, 1)) {
		t.Errorf("the first of two is %v", next)
	}
}
