package joined

import (
	"errors"
	"slices"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
)

// told is what a host tells since a moment.
type told struct{ state session.EventState }

func (t *told) Want(time.Duration, func([]session.HostEvent)) func() { return func() {} }
func (t *told) State() session.EventState                            { return t.state }

func event(seconds int, host, id string) session.HostEvent {
	at := start.Add(time.Duration(seconds) * time.Second)
	return session.HostEvent{Time: at, Until: at, Count: 1, Host: host, ID: id, Text: "a text"}
}

// Where somebody looks at a moment before a host was watched, what recordings kept of its events stands
// before its own, each once; it goes when that is over.
func TestEventsAreJoined(t *testing.T) {
	dir := t.TempDir()
	file := recorded(t, dir, "a.db", "old", start, 60, time.Second, 0)
	f, _ := formats.ByExtension(file)
	in, err := formats.Open(t.Context(), file, logs.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	fold := event(41, "old", "fold") // of which the host tells the rest
	fold.Until, fold.Count = start.Add(59*time.Second), 19
	rest := event(51, "web01", "fold")
	rest.Until, rest.Count = start.Add(60*time.Second), 10
	w, _, err := formats.Append(file, f, in.Header(), logs.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(in.Close(), formats.WriteEvents(w, []session.HostEvent{event(5, "old", "a"), event(30, "old", "b"), event(40, "other", "x"), event(55, "OLD", "live"), event(49, "old", "seam"), fold}), w.Close()); err != nil {
		t.Fatal(err)
	}
	listed(t, dir, file, "old", start, start.Add(59*time.Second), time.Second, true)
	s, _ := shelfOf(dir)
	feed := s.Feed(new(fed), mine)
	defer feed.Close()
	again := event(49, "web01", "seam") // by another measure of its clock
	again.Own, again.Time, again.Until = again.Time, start.Add(50*time.Second), start.Add(50*time.Second)
	own := &told{session.EventState{Since: start.Add(50 * time.Second), Round: 3, Events: []session.HostEvent{again, rest, event(55, "web01", "live")}}}
	events := feed.Events("web01", own)
	if got := events.State(); len(got.Events) != 3 || got.Round != 3 {
		t.Errorf("it looks at nothing: %+v", got)
	}
	feed.Ask([]session.Ask{{Set: liveSet, Counters: []int{1}}})
	now := liveFrom(start.Add(58*time.Second), 2)
	feed.See(start.Add(30*time.Second), 40*time.Second, now)
	var got session.EventState
	for len(got.Events) < 6 {
		select {
		case <-feed.Ready():
			got = events.State()
		case <-time.After(10 * time.Second):
			t.Fatalf("%+v", got)
		}
	}
	var ids []string
	folded := 0
	for _, e := range got.Events {
		if ids = append(ids, e.ID); e.ID == "fold" {
			folded += e.Count
		}
	}
	if want := []string{"a", "b", "fold", "seam", "fold", "live"}; !slices.Equal(ids, want) || got.Events[0].Host != "web01" || folded != 20 || got.Round == 3 {
		t.Errorf("%q, %d folded: %+v", ids, folded, got)
	}
	feed.See(time.Time{}, 0, now)
	if got := events.State(); len(got.Events) != 3 {
		t.Errorf("it looks at nothing again: %+v", got)
	}
}
