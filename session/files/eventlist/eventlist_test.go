package eventlist_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/files/eventlist"
)

var at = time.Date(2026, 11, 23, 3, 12, 0, 123456789, time.UTC)

func event(after time.Duration, level session.EventLevel, id string) session.HostEvent {
	return session.HostEvent{Time: at.Add(after), Until: at.Add(after), Count: 1, Host: "SRV", Level: level, Log: "System", Source: "disk", ID: id}
}

func TestFormIsRead(t *testing.T) {
	for _, e := range []session.HostEvent{
		event(0, session.EventCritical, "153"),
		{Time: at, Until: at.Add(time.Minute), Own: at.Add(time.Second), Count: 7, AtLeast: true, Host: "h", Level: session.EventWarning, Unit: "shop", PID: 77, Known: "memory-killer", Names: []string{"java", "shop"}, Text: "a \"text\" \u2028"},
	} {
		var back session.HostEvent
		if err := json.Unmarshal(eventlist.AppendJSON(nil, &e), &back); err != nil || !reflect.DeepEqual(back, e) {
			t.Errorf("%v\n%+v\n%+v", err, back, e)
		}
	}
	var e session.HostEvent
	if err := json.Unmarshal([]byte(`{"time":"2026-11-23T03:12:00Z","level":"fatal"}`), &e); err == nil {
		t.Error("a level that there is not was taken")
	}
}

func TestBoundsAndMerging(t *testing.T) {
	var many []session.HostEvent
	for i := range 100 {
		many = append(many, event(time.Duration(i)*time.Second, session.EventLevel(i%4), fmt.Sprint(i)))
	}
	kept := eventlist.Bound(eventlist.Merge(many, many), 40)
	if len(kept) != 40 {
		t.Fatalf("%d are kept", len(kept))
	}
	for _, e := range kept { // all of the 50 severe ones but the oldest of the less severe of them
		if e.Level < session.EventError || e.Level == session.EventError && e.Time.Before(at.Add(42*time.Second)) {
			t.Errorf("%s of %v was kept", e.Level, e.Time)
		}
	}
	many[0].Known, many[1].Known = session.EventGap, session.EventMore
	if kept = eventlist.Bound(many, 60); kept[0].Known != session.EventGap {
		t.Errorf("that something was not read was dropped before what is no worse: %+v", kept[0])
	}
	long := event(0, session.EventError, "long")
	long.Until = at.Add(time.Hour)
	if in := eventlist.Within([]session.HostEvent{long, event(time.Minute, 0, "before"), event(3*time.Hour, 0, "after")}, at.Add(30*time.Minute), at.Add(time.Hour)); len(in) != 1 || in[0].ID != "long" {
		t.Errorf("within: %+v", in)
	}
	moved := []session.HostEvent{long}
	eventlist.Move(moved, func(times ...*time.Time) { *times[0] = times[0].Add(time.Hour) })
	if got := moved[0].Until.Sub(at); got != 2*time.Hour {
		t.Errorf("its end was moved to %v", got)
	}
}

// What two that read a host have told is one event, though they did not measure its clock alike, and
// folded otherwise.
func TestMergingWhatWasReadTwice(t *testing.T) {
	told := func(measured time.Duration, id string, from, lasted time.Duration, count int) session.HostEvent {
		e := event(from+measured, session.EventWarning, id)
		e.Own, e.Until, e.Count = at.Add(from), e.Until.Add(lasted), count
		return e
	}
	unmeasured := told(0, "unmeasured", 0, 0, 1)
	unmeasured.Own = time.Time{}
	ms := time.Millisecond
	merged := eventlist.Merge(
		[]session.HostEvent{
			told(0, "one", 0, 0, 1), unmeasured, told(0, "parts", 0, time.Second, 2), told(0, "parts", 2*time.Second, time.Second, 3),
			told(0, "again", 0, 0, 1), told(0, "goes on", 0, time.Second, 9), told(0, "alike", 0, 0, 2), told(0, "alike", 0, 0, 1),
		},
		[]session.HostEvent{
			told(3*ms, "one", 0, 0, 1), told(-4*ms, "unmeasured", 0, 0, 1), told(5*ms, "parts", 0, 3*time.Second, 5),
			told(3*ms, "again", time.Second, 0, 1), told(3*ms, "goes on", time.Second+20*ms, 30*time.Second, 200),
		},
	)
	counts := map[string]int{}
	for _, e := range merged {
		counts[e.ID] += e.Count
	}
	if want := map[string]int{"one": 1, "unmeasured": 1, "parts": 5, "again": 2, "goes on": 209, "alike": 3}; !reflect.DeepEqual(counts, want) {
		t.Errorf("%v, want %v", counts, want)
	}
}

func BenchmarkMerge(b *testing.B) {
	lists := make([][]session.HostEvent, 2)
	for i := range eventlist.Most {
		lists[i%2] = append(lists[i%2], event(time.Duration(i)*time.Second, session.EventError, fmt.Sprint(i)))
	}
	for b.Loop() {
		eventlist.Merge(lists...)
	}
}
