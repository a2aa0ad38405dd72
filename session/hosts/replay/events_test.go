package replay

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/files/eventlist"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
)

// withEvents writes events into a recording: one a minute of each host.
func withEvents(t *testing.T, file string, h *logs.Header, hosts ...string) string {
	t.Helper()
	f, _ := formats.ByExtension(file)
	w, _, err := formats.Append(file, f, h, logs.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var events []session.HostEvent
	for i := range 10 {
		for _, host := range hosts {
			at := start.Add(time.Duration(i) * time.Minute)
			events = append(events, session.HostEvent{Time: at, Until: at, Count: 1, Host: host, Level: session.EventWarning, Source: host, ID: fmt.Sprint(i)})
		}
	}
	if err := errors.Join(formats.WriteEvents(w, events), w.Close()); err != nil {
		t.Fatal(err)
	}
	return file
}

// What a host wrote down is there up to the moment that is shown, and goes when that goes back.
func TestEventsUpToTheMoment(t *testing.T) {
	h, rows := night(700, utc(), "sql01")
	for _, name := range []string{"night.db", "night.json"} {
		playing(t, Options{}, []string{withEvents(t, write(t, name, h, rows), h, "sql01")}, func(r *rig) {
			r.clock.Advance(0)
			told := r.Hosts()[0].Events()
			told.Want(time.Hour, nil)()
			last := uint64(0)
			for minutes, want := range map[int]int{0: 1, 3: 4, 5: 6, 1: 2} {
				r.Seek(start.Add(time.Duration(minutes)*time.Minute + time.Second))
				s := told.State()
				if len(s.Events) != want || s.Err != nil || !s.Since.Equal(start) || s.Round == last {
					t.Errorf("%s: after %d minutes %d events since %v, %v, round %d", name, minutes, len(s.Events), s.Since, s.Err, s.Round)
				}
				last = s.Round
			}
			r.Seek(start.Add(90 * time.Second))
			if s := told.State(); s.Events[0].Count != 1 || s.Events[1].Count != 1 {
				t.Errorf("%s: %+v", name, s.Events)
			}
			if all := told.All(); len(all) != 10 || all[0].Host != "sql01" {
				t.Errorf("%d in all", len(all))
			}
		})
	}
	playing(t, Options{}, []string{write(t, "night.csv", h, rows)}, func(r *rig) {
		r.clock.Advance(0)
		if s := r.Hosts()[0].Events().State(); s.Err == nil || len(s.Events) > 0 {
			t.Errorf("a recording without events: %+v", s)
		}
	})
}

// Each host has its own, an overlay at the times at which it lies.
func TestEventsOfHosts(t *testing.T) {
	a, rowsA := night(300, utc(), "sql01")
	b, rowsB := night(300, utc(), "web01")
	one, other := withEvents(t, write(t, "one.db", a, rowsA), a, "sql01", "SQL01", "web01"), withEvents(t, write(t, "other.db", b, rowsB), b, "web01")
	playing(t, Options{}, []string{one, other}, func(r *rig) {
		r.clock.Advance(0)
		for _, h := range r.Hosts() {
			for _, e := range h.Events().All() {
				if e.Host != h.Name() {
					t.Errorf("%s has %+v", h.Name(), e)
				}
			}
		}
		if n := len(r.Host("web01").Events().All()); n != 10 {
			t.Errorf("%d of web01", n)
		}
	})
	playing(t, Options{Overlay: true, Align: AlignStart}, []string{one, one}, func(r *rig) {
		r.clock.Advance(0)
		for _, h := range r.Hosts() {
			all := h.Events().All()
			if len(all) != 20 || all[0].Host != h.Name() || !all[0].Time.Equal(start) {
				t.Errorf("%s: %d, %+v", h.Name(), len(all), all)
			}
		}
	})
}

// Of a host that did not tell its events they are not known, be it beside one that had none.
func TestEventsThatWereNotRead(t *testing.T) {
	a, rowsA := night(300, utc(), "sql01")
	b, rowsB := night(300, utc(), "web01")
	refused, none := write(t, "refused.db", a, rowsA), withEvents(t, write(t, "none.db", b, rowsB), b)
	f, _ := formats.ByExtension(refused)
	w, _, err := formats.Append(refused, f, a, logs.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(formats.WriteEvents(w, []session.HostEvent{eventlist.Unread("sql01", start)}), w.Close()); err != nil {
		t.Fatal(err)
	}
	playing(t, Options{}, []string{refused, none}, func(r *rig) {
		r.clock.Advance(0)
		if events := r.Host("sql01").Events().Recorded(t.Context()); events != nil {
			t.Errorf("%+v", events)
		}
		if events := r.Host("web01").Events().Recorded(t.Context()); events == nil || len(events) > 0 {
			t.Errorf("%+v", events)
		}
	})
}

// Of events that are told as one those are counted that were before the moment that is shown.
func TestEventsInTheMidstOfOne(t *testing.T) {
	h, rows := night(700, utc(), "sql01")
	file := write(t, "night.db", h, rows)
	f, _ := formats.ByExtension(file)
	w, _, err := formats.Append(file, f, h, logs.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	one := session.HostEvent{Time: start.Add(10 * time.Second), Until: start.Add(50 * time.Second), Count: 41, Host: "sql01", Source: "shop", ID: "1"}
	if err := errors.Join(formats.WriteEvents(w, []session.HostEvent{one}), w.Close()); err != nil {
		t.Fatal(err)
	}
	playing(t, Options{}, []string{file}, func(r *rig) {
		r.clock.Advance(0)
		told, last := r.Hosts()[0].Events(), uint64(0)
		for _, of := range [][2]int{{10, 1}, {30, 21}, {49, 40}, {50, 41}, {60, 41}, {12, 3}} {
			r.Seek(start.Add(time.Duration(of[0]) * time.Second))
			s := told.State()
			if len(s.Events) != 1 || s.Events[0].Count != of[1] || s.Round == last && of[0] != 60 {
				t.Errorf("after %d s: %+v, round %d", of[0], s.Events, s.Round)
			}
			last = s.Round
		}
		if all := told.All(); all[0].Count != 41 {
			t.Errorf("%+v", all)
		}
	})
}
