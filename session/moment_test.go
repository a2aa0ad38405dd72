package session

import (
	"testing"
	"time"
)

func TestParseMoment(t *testing.T) {
	zone := time.FixedZone("", 3600)
	now := time.Date(2026, 3, 2, 10, 0, 0, 0, zone)
	for text, want := range map[string]string{
		"-20m": "2026-03-02T09:40:00+01:00", " -1h30m ": "2026-03-02T08:30:00+01:00", "03:12": "2026-03-02T03:12:00+01:00",
		"10:00:01": "2026-03-01T10:00:01+01:00", "yesterday 03:12": "2026-03-01T03:12:00+01:00", "yesterday 11:00": "2026-03-01T11:00:00+01:00",
		"2026-02-27 23:59": "2026-02-27T23:59:00+01:00", "2026-02-27": "2026-02-27T00:00:00+01:00", "2026-03-02T03:12:30": "2026-03-02T03:12:30+01:00",
		"2026-03-02T03:12:30Z": "2026-03-02T03:12:30Z",
		"":                     "", "-": "", "--5m": "", "yesterday": "", "yesterday 2026-03-01": "", "25:00": "", "2026-02-30": "", "-5 apples": "", "\x1b[31m": "",
	} {
		at, err := ParseMoment(text, now)
		if got := at.Format(time.RFC3339); (err != nil) != (want == "") || err == nil && got != want {
			t.Errorf("%q is %s, %v, want %s", text, got, err, want)
		}
	}
}

// A time of day is that of the next day on which the recording has it.
func TestMomentIn(t *testing.T) {
	first := time.Date(2026, 3, 2, 22, 0, 0, 0, time.UTC)
	last := first.Add(72 * time.Hour)
	for _, test := range []struct{ text, from, want string }{
		{"03:00", "03-02 22:00", "03-03 03:00"},
		{"03:00", "03-03 04:00", "03-04 03:00"},
		{"23:00", "03-05 21:00", "03-02 23:00"},
		{"21:30", "03-02 22:00", "03-03 21:30"},
		{"+1h", "03-05 21:00", "03-05 22:00"},
	} {
		from, _ := time.Parse("2006-01-02 15:04", "2026-"+test.from)
		at, err := MomentIn(test.text, first, last, from)
		if got := at.Format("01-02 15:04"); err != nil || got != test.want {
			t.Errorf("%s from %s: %s, %v, want %s", test.text, test.from, got, err, test.want)
		}
	}
	if at, err := MomentIn("12:00", first, first.Add(time.Hour), first); err != nil || at.Hour() != 12 {
		t.Errorf("a time that the recording lacks: %v %v", at, err)
	}
}

func mustLoad(t *testing.T, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Skipf("no database of time zones: %v", err)
	}
	return zone
}

// What clocks show is no 24 hours apart on the days when they change: a time that was twice is the
// last that was, and one that was not is told.
func TestParseMomentWhereClocksChange(t *testing.T) {
	for _, c := range []struct{ zone, now, text, want string }{
		{"Europe/Lisbon", "2026-10-25T01:10:00Z", "01:30", "2026-10-25T01:30:00+01:00"}, // 40 minutes ago
		{"Europe/Lisbon", "2026-10-25T01:40:00Z", "01:30", "2026-10-25T01:30:00Z"},      // the second one
		{"Europe/Lisbon", "2026-10-25T00:10:00Z", "01:30", "2026-10-24T01:30:00+01:00"},
		{"Europe/Lisbon", "2026-10-26T12:00:00Z", "yesterday 01:30", "2026-10-25T01:30:00Z"},
		{"Europe/Lisbon", "2026-10-25T01:10:00Z", "2026-10-25 01:30", "2026-10-25T01:30:00+01:00"},
		{"Europe/Lisbon", "2026-10-25T12:00:00Z", "2026-10-25 01:30", "2026-10-25T01:30:00Z"},
		{"Europe/Lisbon", "2026-03-29T01:10:00Z", "01:30", ""}, // 02:10 there: the day has none
		{"Europe/Lisbon", "2026-03-29T00:30:00Z", "01:30", "2026-03-28T01:30:00Z"},
		{"Europe/Lisbon", "2026-03-30T12:00:00Z", "yesterday 01:30", ""},
		{"Europe/Lisbon", "2026-03-30T12:00:00Z", "2026-03-29 01:30", ""},
		{"Europe/Lisbon", "2026-03-29T12:00:00Z", "00:30", "2026-03-29T00:30:00Z"},
		{"America/Santiago", "2026-09-06T12:00:00Z", "2026-09-06", "2026-09-06T01:00:00-03:00"}, // without a midnight
		{"America/Santiago", "2026-09-06T12:00:00Z", "00:30", ""},
		{"Africa/Cairo", "2026-04-24T12:00:00Z", "2026-04-24T00:00", ""},
		{"Australia/Lord_Howe", "2026-04-04T15:10:00Z", "01:45", "2026-04-05T01:45:00+11:00"}, // half an hour
		{"Australia/Lord_Howe", "2026-04-04T15:40:00Z", "01:45", "2026-04-05T01:45:00+10:30"},
		{"Pacific/Apia", "2011-12-30T12:00:00Z", "yesterday 12:00", ""}, // a day that they left out
		{"Pacific/Apia", "2011-12-31T12:00:00Z", "yesterday 12:00", "2011-12-31T12:00:00+14:00"},
	} {
		now, _ := time.Parse(time.RFC3339, c.now)
		at, err := ParseMoment(c.text, now.In(mustLoad(t, c.zone)))
		if got := at.Format(time.RFC3339); (err != nil) != (c.want == "") || err == nil && got != c.want {
			t.Errorf("%s at %s, %s: %s, %v, want %s", c.zone, c.now, c.text, got, err, c.want)
		}
	}
}

// In a recording a time of day is also the second one of a day, and none of one without it.
func TestMomentInWhereClocksChange(t *testing.T) {
	zone := mustLoad(t, "Europe/Berlin")
	at := func(text string) time.Time { t, _ := time.Parse(time.RFC3339, text); return t.In(zone) }
	for _, c := range []struct{ first, last, from, text, want string }{
		{"2026-10-24T22:00:00Z", "2026-10-25T04:00:00Z", "2026-10-24T22:00:00Z", "02:30", "2026-10-25T02:30:00+02:00"},
		{"2026-10-24T22:00:00Z", "2026-10-25T04:00:00Z", "2026-10-25T00:30:00Z", "02:30", "2026-10-25T02:30:00+01:00"},
		{"2026-10-25T01:00:00Z", "2026-10-25T04:00:00Z", "2026-10-25T01:00:00Z", "2026-10-25 02:30", "2026-10-25T02:30:00+01:00"},
		{"2026-03-28T22:00:00Z", "2026-03-29T04:00:00Z", "2026-03-28T22:00:00Z", "02:30", ""},
		{"2026-03-28T00:00:00Z", "2026-03-29T04:00:00Z", "2026-03-28T00:00:00Z", "02:30", "2026-03-28T02:30:00+01:00"},
	} {
		got, err := MomentIn(c.text, at(c.first), at(c.last), at(c.from))
		if text := got.Format(time.RFC3339); (err != nil) != (c.want == "") || err == nil && text != c.want {
			t.Errorf("%s from %s: %s, %v, want %s", c.text, c.from, text, err, c.want)
		}
	}
}
