package formats_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/files/eventlist"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/formats/formatstest"
	"perfdeck/session/files/logs"
)

// Events stand in a recording beside its rows, which are the same as without them; they come back
// as they were written, also where it is continued.
func TestEventsAreKept(t *testing.T) {
	for _, format := range []string{"sqlite", "json"} {
		events := formatstest.Happened(40)
		if got, kept, damaged := formats.Events(t.Context(), []string{formatstest.Eventful(t, format, nil)}, nil, time.Time{}, time.Time{}); len(got) > 0 || !kept || len(damaged) > 0 {
			t.Errorf("%s: of none %+v, %v, %v", format, got, kept, damaged)
		}
		if _, kept, _ := formats.Events(t.Context(), []string{formatstest.Recorded(t, format, formatstest.TypedHeader(), formatstest.RowsFor(format, formatstest.RawRows(formatstest.TypedHeader(), 3)))}, nil, time.Time{}, time.Time{}); kept {
			t.Errorf("%s: nobody wrote of events", format)
		}
		name := formatstest.Eventful(t, format, events)
		if got := formatstest.EventsOf(t, name); !reflect.DeepEqual(got, events) {
			t.Fatalf("%s: %+v\nwant %+v", format, got, events)
		}
		_, with, faults := formatstest.ReadAll(t, name, logs.OpenOptions{})
		_, without, _ := formatstest.ReadAll(t, formatstest.Recorded(t, format, formatstest.TypedHeader(), formatstest.RowsFor(format, formatstest.RawRows(formatstest.TypedHeader(), 12))), logs.OpenOptions{})
		if !reflect.DeepEqual(with, without) || faults.Rows+faults.Cells > 0 {
			t.Errorf("%s: rows differ by the events, %+v", format, faults)
		}
		f, _ := formats.Named(format)
		w, _, err := formats.Append(name, f, formatstest.TypedHeader(), logs.WriteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		late := formatstest.Happened(41)[40:]
		if err := formats.WriteEvents(w, late); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if got := formatstest.EventsOf(t, name); len(got) != 41 {
			t.Errorf("%s: %d events of the recording that was continued", format, len(got))
		}
		formatstest.Exercise(t, name, logs.OpenOptions{})
		some, _, _ := formats.Events(t.Context(), []string{name, name}, nil, formatstest.Evening.Add(30*time.Second), formatstest.Evening.Add(32*time.Second))
		for _, e := range some {
			if e.Until.Before(formatstest.Evening.Add(30*time.Second)) || e.Time.After(formatstest.Evening.Add(32*time.Second)) {
				t.Errorf("%s: %v until %v is of another time", format, e.Time, e.Until)
			}
		}
		if len(some) < 3 || len(some) > 10 {
			t.Errorf("%s: %d events of three seconds, of the same file twice", format, len(some))
		}
	}
	for _, format := range []string{"csv", "tsv", "blg"} {
		f, _ := formats.Named(format)
		if err := f.NoEvents("x"); err == nil || f.KeepsEvents() {
			t.Errorf("%s: %v", format, err)
		}
	}
}

// Who goes on with a recording leaves the events that stand behind its last row, and cuts off what is torn.
func TestEventsAreGoneOnWith(t *testing.T) {
	for _, format := range []string{"sqlite", "json"} {
		name := formatstest.Eventful(t, format, nil)
		h := formatstest.TypedHeader()
		f, _ := formats.Named(format)
		for i, e := range formatstest.Happened(3) {
			if format == "json" {
				torn, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprint(torn, `{"event":{"time":"2026`)
				torn.Close()
			}
			w, _, err := formats.Append(name, f, h, logs.WriteOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if err := cmp.Or(formats.WriteEvents(w, []session.HostEvent{e}), w.Close()); err != nil {
				t.Fatal(err)
			}
			if got := formatstest.EventsOf(t, name); len(got) != i+1 {
				t.Errorf("%s: %d events after the %d. time", format, len(got), i+1)
			}
		}
		if _, rows, _ := formatstest.ReadAll(t, name, logs.OpenOptions{}); len(rows) != 12 {
			t.Errorf("%s: %d rows", format, len(rows))
		}
	}
}

// A recording has so many of them, of which the least severe and oldest go first; never before those that
// something is not there.
func TestEventsAreBounded(t *testing.T) {
	for format, n := range map[string]int{"sqlite": eventlist.Most + 5000, "json": 11 * eventlist.Most} {
		events := formatstest.Happened(n)
		events[0].Known, events[0].Level = session.EventGap, session.EventInformation
		newest := &events[n-1]
		newest.Level = session.EventCritical
		got := formatstest.EventsOf(t, formatstest.Eventful(t, format, events))
		if len(got) != eventlist.Most || !got[len(got)-1].Time.Equal(newest.Time) {
			t.Fatalf("%s: %d, up to %v", format, len(got), got[len(got)-1].Time)
		}
		if format == "sqlite" && got[0].Known != session.EventGap {
			t.Errorf("%s: that something was not read was dropped", format)
		}
		for _, e := range got {
			if e.Level == session.EventInformation && e.Known == "" && e.Time.Before(formatstest.Evening.Add(4000*time.Second)) {
				t.Fatalf("%s: %s of %v is kept", format, e.Level, e.Time)
			}
		}
	}
}

// TestEventsOfCutFiles: wherever a file is cut off, what is before it is read.
func TestEventsOfCutFiles(t *testing.T) {
	for _, format := range []string{"sqlite", "json"} {
		name := formatstest.Eventful(t, format, formatstest.Happened(200))
		whole := formatstest.Content(t, name)
		f, _ := formats.Named(format)
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
			events, _, _ := formats.Events(t.Context(), []string{cut}, nil, time.Time{}, time.Time{})
			if format == "json" && (len(events) < before || before > 0 && len(events) == 0) {
				t.Errorf("cut at %d: %d events, and %d of a shorter one", at, len(events), before)
			}
			if before = len(events); format == "json" {
				formatstest.Exercise(t, cut, logs.OpenOptions{})
			}
		}
		if format == "json" && before != 200 {
			t.Errorf("%d events in the end", before)
		}
	}
}
