package sqlite_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/files/eventlist"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/formats/formatstest"
	"perfdeck/session/files/logs"
	"perfdeck/session/text/printable"
)

// Rows of others that are none cost themselves.
func TestHostileEvents(t *testing.T) {
	defer func(begun time.Time) { t.Log(time.Since(begun)) }(time.Now())
	for change, want := range map[string]int{
		"UPDATE PerfdeckHostEvent SET Time = 'x' WHERE rowid % 2":                                                20,
		"UPDATE PerfdeckHostEvent SET Level = 7 WHERE rowid % 2":                                                 20,
		"UPDATE PerfdeckHostEvent SET Level = x'00' WHERE rowid % 2":                                             20,
		"UPDATE PerfdeckHostEvent SET Time = 9223372036854775807, Until = -9223372036854775807 WHERE rowid % 2":  20,
		"UPDATE PerfdeckHostEvent SET Text = 7, Count = 'many', PID = 1e300, Names = 3.5, Known = 9, Host = 1.5": 40,
		"UPDATE PerfdeckHostEvent SET Text = zeroblob(1000000), Host = zeroblob(1000000)":                        40,
		"UPDATE PerfdeckHostEvent SET Text = char(27) || ']0;owned' || char(7) || char(10), Source = Text":       40,
		"DROP TABLE PerfdeckHostEvent":                                                            0,
		"ALTER TABLE PerfdeckHostEvent RENAME COLUMN Text TO Other":                               0,
		"DROP TABLE PerfdeckHostEvent\nCREATE VIEW PerfdeckHostEvent AS SELECT 1":                 0,
		"DROP TABLE PerfdeckHostEvent\nCREATE VIRTUAL TABLE PerfdeckHostEvent USING fts5(Time)":   0,
		"DROP TABLE PerfdeckHostEvent\nCREATE TABLE PerfdeckHostEvent (Time AS (abs(1)), Text x)": 0,
	} {
		name := formatstest.Eventful(t, "sqlite", formatstest.Happened(40))
		undefended(t, name, strings.Split(change, "\n")...)
		events, _, damaged := formats.Events(t.Context(), []string{name}, nil, time.Time{}, time.Time{})
		if len(events) != want || want == 20 && len(damaged) != 1 {
			t.Errorf("%s: %d events, want %d, %v", change, len(events), want, damaged)
		}
		for _, e := range events {
			if text := e.Text + e.Source + e.Host; printable.Text(text) != text || len(text) > 10_000 {
				t.Errorf("%s: %.50q", change, text)
			}
		}
		if _, rows, _ := formatstest.ReadAll(t, name, logs.OpenOptions{}); len(rows) != 12 {
			t.Errorf("%s: %d rows", change, len(rows))
		}
	}
}

// TestMillionEvents: a file of others may have any number; it is read within bounds of memory.
func TestMillionEvents(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	name := formatstest.Eventful(t, "sqlite", formatstest.Happened(40))
	//nolint:unqueryvet // of the table as it is
	undefended(t, name, "INSERT INTO PerfdeckHostEvent SELECT SetNo, Time + n, Until + n, Own, Count, AtLeast, Host, n % 4, Log, Source, n, Unit, PID, Known, Names, Text || hex(zeroblob(50))"+
		" FROM (SELECT * FROM PerfdeckHostEvent LIMIT 1), (WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 1000000) SELECT n FROM c)")
	begun := time.Now()
	var got []session.HostEvent
	used := formatstest.Allocated(func() { got = formatstest.EventsOf(t, name) })
	if t.Logf("%d MiB in %v", used>>20, time.Since(begun)); len(got) != eventlist.Most || used > 150<<20 {
		t.Errorf("%d events, %d MiB", len(got), used>>20)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, _, damaged := formats.Events(ctx, []string{name}, nil, time.Time{}, time.Time{}); len(damaged) == 0 {
		t.Error("it does not end with its context")
	}
}
