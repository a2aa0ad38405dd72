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
