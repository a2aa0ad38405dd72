package session_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"perfdeck/session"
	"perfdeck/session/text/printable"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func eventAt(second int, level session.EventLevel, id string) session.HostEvent {
	at := noon.Add(time.Duration(second) * time.Second)
	return session.HostEvent{Time: at, Until: at, Count: 1, Host: "a", Level: level, Log: "journal", Source: "app", ID: id, Text: fmt.Sprint("at ", second)}
}

// What says the same within a minute is one event, whenever it was read; what was given away stays as it was.
func TestHostEventsAreFolded(t *testing.T) {
	var l session.HostEvents
	l.Add(eventAt(1, session.EventWarning, "x"), eventAt(2, session.EventError, "x"))
	before := l.All()
	was := slices.Clone(before)
	l.Add(eventAt(3, session.EventWarning, "x"))
	l.Add(eventAt(61, session.EventWarning, "x"))
	if !slices.EqualFunc(before, was, func(a, b session.HostEvent) bool { return a.Count == b.Count && a.Until.Equal(b.Until) }) {
		t.Errorf("what was given away changed: %+v", before)
	}
	var got []string
	for _, e := range l.All() {
		got = append(got, e.Line())
	}
	if want := []string{"app x: at 1, twice in 2 s", "app x: at 2", "app x: at 61"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// Of too many kinds in a minute the least severe are counted; what is severe is kept, however late it comes.
func TestManyKindsInAMinute(t *testing.T) {
	var l session.HostEvents
	for i := range 1000 {
		l.Add(eventAt(i%60, session.EventWarning, fmt.Sprint(i)))
	}
	l.Add(eventAt(59, session.EventError, "disk"), eventAt(59, session.EventWarning, "7"), eventAt(61, session.EventWarning, "next"))
	all := l.All()
	count, more := 0, ""
	for i := range all {
		count += all[i].Count
		if all[i].Known == session.EventMore {
			more = all[i].Title()
		}
	}
	if len(all) != 64+1+1 || count != 1003 || more != "937 more of 937 kinds" {
		t.Errorf("%d kept of %d: %q", len(all), count, more)
	}
	if !slices.ContainsFunc(all, func(e session.HostEvent) bool { return e.ID == "disk" }) {
		t.Error("an error gave way to warnings")
	}
}

func TestManyEvents(t *testing.T) {
	var l session.HostEvents
	for i := range 30_000 {
		l.Add(eventAt(i*60, session.EventLevel(i%2), "x"), eventAt(i*60, session.EventInformation, "y"))
	}
	all := l.All()
	warnings := 0
	for i := range all {
		if all[i].Level == session.EventWarning {
			warnings++
		}
	}
	if len(all) > 20_000 || len(all) < 18_000 || warnings != 15_000 || !all[len(all)-1].Time.Equal(noon.Add(29_999*time.Minute)) {
		t.Errorf("%d kept, %d of them warnings, to %v", len(all), warnings, all[len(all)-1].Time)
	}
}

func TestWhatIsSaidOfAHostEvent(t *testing.T) {
	at := noon.Add(time.Minute)
	for _, c := range []struct {
		e           session.HostEvent
		title, line string
	}{
		{session.HostEvent{Known: "disk-reset", Names: []string{"sda"}, Source: "kernel", Text: "ata1: hard reset"}, "disk sda was reset", "disk sda was reset"},
		{session.HostEvent{Source: "cron", Text: "secret"}, "cron", "cron: secret"},
		{session.HostEvent{Source: "MSSQLSERVER", ID: "17054", Log: "Application", Text: "secret"}, "Application log, MSSQLSERVER 17054", "Application log, MSSQLSERVER 17054: secret"},
		{session.HostEvent{Source: "a", Count: 3, AtLeast: true, Time: noon, Until: at}, "a, at least 3 times in 1 min", "a, at least 3 times in 1 min"},
		{session.HostEvent{Unit: "web", ID: "98e322203f7a4ed290d09fe03c09fe15", Count: 2}, "web, twice", "web, twice"},
	} {
		if c.e.Title() != c.title || c.e.Line() != c.line {
			t.Errorf("%q, %q; want %q, %q", c.e.Title(), c.e.Line(), c.title, c.line)
		}
	}
}

// Whatever a file or a host says, an event of it is printable, of one line, and bounded.
func TestEventsAreSettled(t *testing.T) {
	hostile := "\x1b]0;owned\a\nnext\u202e" + strings.Repeat("x", 100_000)
	e := session.HostEvent{
		Time: noon, Until: noon.Add(-time.Hour), Own: noon.AddDate(9000, 0, 0), Count: -3, Host: hostile, Log: hostile, Source: hostile, ID: hostile, Unit: hostile,
		Known: hostile, Names: []string{hostile}, Text: hostile,
	}
	if !e.Settle() {
		t.Fatal("an event of a good time was left out")
	}
	for _, text := range []string{e.Host, e.Log, e.Source, e.ID, e.Unit, e.Text} {
		if n := utf8.RuneCountInString(text); printable.Text(text) != text || n == 0 || n > session.MostEventText || strings.ContainsAny(text, "\n\x1b") {
			t.Errorf("%d characters, %.40q", n, text)
		}
	}
	if !e.Until.Equal(noon) || !e.Own.IsZero() || e.Count != 1 || e.Known != "" || len(e.Names) != 0 {
		t.Errorf("%v until %v, own %v, %d times, %q %q", e.Time, e.Until, e.Own, e.Count, e.Known, e.Names)
	}
	e = session.HostEvent{Time: noon, Known: "memory-killer", Names: make([]string, 1000)}
	if !e.Settle() || e.Known == "" || len(e.Names) > 16 {
		t.Errorf("%q with %d names", e.Known, len(e.Names))
	}
	for _, e := range []session.HostEvent{{}, {Time: noon, Level: 9}, {Time: noon.AddDate(2000, 0, 0)}} {
		if e.Settle() {
			t.Errorf("%v, %d: taken", e.Time, e.Level)
		}
	}
}
