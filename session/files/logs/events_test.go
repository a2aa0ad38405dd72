package logs

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/files/eventlist"
	"perfdeck/session/text/printable"
)

var evening = time.Date(2026, 1, 2, 21, 0, 0, 0, time.UTC)

// happened are events of all kinds, a second from each other.
func happened(n int) (out []session.HostEvent) {
	for i := range n {
		at := evening.Add(time.Duration(i) * time.Second)
		e := session.HostEvent{Time: at, Until: at, Count: 1 + i%3, Host: "SRV", Level: session.EventLevel(i % 4), Log: "System", Source: "disk", ID: fmt.Sprint(i), Text: "text \"of\" \\ event " + fmt.Sprint(i)}
		if i%5 == 0 {
			e.Until, e.Own, e.AtLeast, e.Unit, e.PID = at.Add(time.Minute), at.Add(-time.Hour), true, "shop", 1<<40
			e.Known, e.Names = "memory-killer", []string{"java", "shop"}
		}
		out = append(out, e)
	}
	return out
}

// eventful is a recording with events among its rows.
func eventful(t testing.TB, format string, events []session.HostEvent) string {
	t.Helper()
	h := typedHeader()
	rows := rowsFor(format, rawRows(h, 12))
	f, _ := FormatNamed(format)
	name := filepath.Join(t.TempDir(), "eventful"+f.Extensions[0])
	w, err := Create(name, f, h, WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		if err := w.WriteRow(&rows[i]); err != nil {
			t.Fatal(err)
		}
		if i == 5 {
			if err := WriteEvents(w, events); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return name
}

func eventsOf(t testing.TB, name string) []session.HostEvent {
	t.Helper()
	events, _, damaged := Events(t.Context(), []string{name}, nil, time.Time{}, time.Time{})
	if len(damaged) > 0 {
		t.Fatal(damaged)
	}
	return events
}

// Events stand in a recording beside its rows, which are the same as without them; they come back
// as they were written, also where it is continued.
func TestEventsAreKept(t *testing.T) {
	for _, format := range []string{"sqlite", "json"} {
		events := happened(40)
		if got, kept, damaged := Events(t.Context(), []string{eventful(t, format, nil)}, nil, time.Time{}, time.Time{}); len(got) > 0 || !kept || len(damaged) > 0 {
			t.Errorf("%s: of none %+v, %v, %v", format, got, kept, damaged)
		}
		if _, kept, _ := Events(t.Context(), []string{recorded(t, format, typedHeader(), rowsFor(format, rawRows(typedHeader(), 3)))}, nil, time.Time{}, time.Time{}); kept {
			t.Errorf("%s: nobody wrote of events", format)
		}
		name := eventful(t, format, events)
		if got := eventsOf(t, name); !reflect.DeepEqual(got, events) {
			t.Fatalf("%s: %+v\nwant %+v", format, got, events)
		}
		_, with, faults := readAll(t, name, OpenOptions{})
		_, without, _ := readAll(t, recorded(t, format, typedHeader(), rowsFor(format, rawRows(typedHeader(), 12))), OpenOptions{})
		if !reflect.DeepEqual(with, without) || faults.Rows+faults.Cells > 0 {
			t.Errorf("%s: rows differ by the events, %+v", format, faults)
		}
		f, _ := FormatNamed(format)
		w, _, err := Append(name, f, typedHeader(), WriteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		late := happened(41)[40:]
		if err := WriteEvents(w, late); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if got := eventsOf(t, name); len(got) != 41 {
			t.Errorf("%s: %d events of the recording that was continued", format, len(got))
		}
		exercise(t, name, OpenOptions{})
		some, _, _ := Events(t.Context(), []string{name, name}, nil, evening.Add(30*time.Second), evening.Add(32*time.Second))
		for _, e := range some {
			if e.Until.Before(evening.Add(30*time.Second)) || e.Time.After(evening.Add(32*time.Second)) {
				t.Errorf("%s: %v until %v is of another time", format, e.Time, e.Until)
			}
		}
		if len(some) < 3 || len(some) > 10 {
			t.Errorf("%s: %d events of three seconds, of the same file twice", format, len(some))
		}
	}
	for _, format := range []string{"csv", "tsv", "blg"} {
		f, _ := FormatNamed(format)
		if err := f.NoEvents("x"); err == nil || f.KeepsEvents() {
			t.Errorf("%s: %v", format, err)
		}
	}
}

// Who goes on with a recording leaves the events that stand behind its last row, and cuts off what is torn.
func TestEventsAreGoneOnWith(t *testing.T) {
	for _, format := range []string{"sqlite", "json"} {
		name := eventful(t, format, nil)
		h := typedHeader()
		f, _ := FormatNamed(format)
		for i, e := range happened(3) {
			if format == "json" {
				torn, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprint(torn, `{"event":{"time":"2026`)
				torn.Close()
			}
			w, _, err := Append(name, f, h, WriteOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if err := cmp.Or(WriteEvents(w, []session.HostEvent{e}), w.Close()); err != nil {
				t.Fatal(err)
			}
			if got := eventsOf(t, name); len(got) != i+1 {
				t.Errorf("%s: %d events after the %d. time", format, len(got), i+1)
			}
		}
		if _, rows, _ := readAll(t, name, OpenOptions{}); len(rows) != 12 {
			t.Errorf("%s: %d rows", format, len(rows))
		}
	}
}

// A recording has so many of them, of which the least severe and oldest go first; never before those that
// something is not there.
func TestEventsAreBounded(t *testing.T) {
	for format, n := range map[string]int{"sqlite": eventlist.Most + 5000, "json": 11 * eventlist.Most} {
		events := happened(n)
		events[0].Known, events[0].Level = session.EventGap, session.EventInformation
		newest := &events[n-1]
		newest.Level = session.EventCritical
		got := eventsOf(t, eventful(t, format, events))
		if len(got) != eventlist.Most || !got[len(got)-1].Time.Equal(newest.Time) {
			t.Fatalf("%s: %d, up to %v", format, len(got), got[len(got)-1].Time)
		}
		if format == "sqlite" && got[0].Known != session.EventGap {
			t.Errorf("%s: that something was not read was dropped", format)
		}
		for _, e := range got {
			if e.Level == session.EventInformation && e.Known == "" && e.Time.Before(evening.Add(4000*time.Second)) {
				t.Fatalf("%s: %s of %v is kept", format, e.Level, e.Time)
			}
		}
	}
}

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
		name := eventful(t, "sqlite", happened(40))
		undefended(t, name, strings.Split(change, "\n")...)
		events, _, damaged := Events(t.Context(), []string{name}, nil, time.Time{}, time.Time{})
		if len(events) != want || want == 20 && len(damaged) != 1 {
			t.Errorf("%s: %d events, want %d, %v", change, len(events), want, damaged)
		}
		for _, e := range events {
			if text := e.Text + e.Source + e.Host; printable.Text(text) != text || len(text) > 10_000 {
				t.Errorf("%s: %.50q", change, text)
			}
		}
		if _, rows, _ := readAll(t, name, OpenOptions{}); len(rows) != 12 {
			t.Errorf("%s: %d rows", change, len(rows))
		}
	}
}

// TestMillionEvents: a file of others may have any number; it is read within bounds of memory.
func TestMillionEvents(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	name := eventful(t, "sqlite", happened(40))
	//nolint:unqueryvet // of the table as it is
	undefended(t, name, "INSERT INTO PerfdeckHostEvent SELECT SetNo, Time + n, Until + n, Own, Count, AtLeast, Host, n % 4, Log, Source, n, Unit, PID, Known, Names, Text || hex(zeroblob(50))"+
		" FROM (SELECT * FROM PerfdeckHostEvent LIMIT 1), (WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 1000000) SELECT n FROM c)")
	begun := time.Now()
	var got []session.HostEvent
	used := allocated(func() { got = eventsOf(t, name) })
	if t.Logf("%d MiB in %v", used>>20, time.Since(begun)); len(got) != eventlist.Most || used > 150<<20 {
		t.Errorf("%d events, %d MiB", len(got), used>>20)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, _, damaged := Events(ctx, []string{name}, nil, time.Time{}, time.Time{}); len(damaged) == 0 {
		t.Error("it does not end with its context")
	}
}

// TestEventsOfCutFiles: wherever a file is cut off, what is before it is read.
func TestEventsOfCutFiles(t *testing.T) {
	for _, format := range []string{"sqlite", "json"} {
		name := eventful(t, format, happened(200))
		whole := content(t, name)
		f, _ := FormatNamed(format)
		step := max(len(whole)/150, 1)
		if testing.Short() {
			step *= 5
		}
		before := 0
		for at := 0; at < len(whole); at += step {
			cut := filepath.Join(t.TempDir(), "cut"+f.Extensions[0])
			if err := os.WriteFile(cut, whole[:at], 0o600); err != nil {
				t.Fatal(err)
			}
			events, _, _ := Events(t.Context(), []string{cut}, nil, time.Time{}, time.Time{})
			if format == "json" && (len(events) < before || before > 0 && len(events) == 0) {
				t.Errorf("cut at %d: %d events, and %d of a shorter one", at, len(events), before)
			}
			if before = len(events); format == "json" {
				exercise(t, cut, OpenOptions{})
			}
		}
		if format == "json" && before != 200 {
			t.Errorf("%d events in the end", before)
		}
	}
}

func FuzzJSONEvents(f *testing.F) {
	for _, e := range happened(6) {
		f.Add(append(eventlist.AppendJSON([]byte(jsonEventKey), &e), "}\n"...))
	}
	f.Add([]byte(jsonEventKey + `{"time":"2026-01-02T03:04:05Z","level":"warning","text":` + "\n"))
	f.Add([]byte(jsonEventKey + `[1,2]}` + "\n" + jsonEventKey + strings.Repeat("x", 70_000) + "\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		name := fileOf(t, "fuzzed.json", string(data))
		r, err := jsonEvents(t.Context(), name, "")
		if lines := bytes.Count(data, []byte(jsonEventKey)); err != nil || len(r.list)+r.left > lines {
			t.Fatalf("%d and %d of %d, %v", len(r.list), r.left, lines, err)
		}
		for _, e := range r.list {
			if printable.Text(e.Text) != e.Text || len(e.Text) > 4*session.MostEventText || !json.Valid(eventlist.AppendJSON(nil, &e)) {
				t.Errorf("%+v", e)
			}
		}
	})
}
