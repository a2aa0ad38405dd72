package pane_test

import (
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/tui/pane"
)

// kept is a series of values 10, 11, 12 … at seconds of a minute.
func kept(seconds ...int) (*session.Snapshot, session.Series, func(second float64) time.Time) {
	begin := time.Date(2026, 3, 2, 3, 0, 0, 0, time.UTC)
	at := func(second float64) time.Time { return begin.Add(time.Duration(second * float64(time.Second))) }
	var times []time.Time
	var values []cooker.Value
	for i, s := range seconds {
		times, values = append(times, at(float64(s))), append(values, cooker.WholeValue(uint64(10+i)))
	}
	snap := reeled(0, times, values)
	return snap, snap.Sets[0].Series(0, 0), at
}

// reeled is what a recording shows of a counter that had values, from an absolute number on.
func reeled(first uint64, times []time.Time, values []cooker.Value) *session.Snapshot {
	set := &session.Counterset{Counters: []session.Counter{{Type: cooker.CounterLargeRawCount}}}
	var r session.Reel
	r.Ask([]session.Ask{{Set: set, Counters: []int{0}, Keep: []session.Keep{{Counters: []int{0}, Recent: true}}}}, nil)
	r.Begin(first, 60)
	for i, v := range values {
		r.Add(&session.Batch{Time: times[i], Sets: []session.SetBatch{{
			Set: set, Counters: []int{0}, Instances: make([]session.Instance, 1), Values: []cooker.Value{v}, Readings: []cooker.Reading{{State: cooker.Pending}},
		}}}, session.Rate{})
	}
	return r.Snapshot("a", times[len(times)-1], session.HostState{})
}

// At a past moment the value is that of the sample before it, unless the host had
// not answered for a while: then there is a gap, whether it came back or not.
func TestValueAtAPastMoment(t *testing.T) {
	snap, series, at := kept(1, 2, 3, 4, 5, 6, 30, 31, 32, 33, 34, 35, 36)
	newest := cooker.WholeValue(22)
	for _, test := range []struct {
		second float64
		want   cooker.Value
		silent bool
	}{
		{0.5, cooker.Absent(cooker.Pending), false}, // not kept; unavailable is what the host lacks
		{3, cooker.WholeValue(12), false},
		{3.9, cooker.WholeValue(12), false},
		{6, cooker.WholeValue(15), false},
		{8, cooker.WholeValue(15), false}, // two beats late: it may come yet
		{9, cooker.Absent(cooker.Gap), true},
		{29.9, cooker.Absent(cooker.Gap), true},
		{30, cooker.WholeValue(16), false},
		{36, newest, false},
		{50, cooker.Absent(cooker.Gap), true}, // lost for good
	} {
		d := &pane.Desk{At: at(test.second)}
		if got := d.Shown(snap, series, newest); got != test.want || d.IsSilent(snap) != test.silent {
			t.Errorf("at %v s: %v, silent %v; want %v, %v", test.second, got, d.IsSilent(snap), test.want, test.silent)
		}
	}
	now := &pane.Desk{}
	if got := now.Shown(snap, series, newest); got != newest || now.IsSilent(snap) || now.IsSilent(nil) {
		t.Errorf("now: %v", got)
	}
}

// Without a number a past value says why: the host lacks it, it had none yet, or
// there is a gap.
func TestAbsentInThePast(t *testing.T) {
	rate := reeled(5, make([]time.Time, 4), []cooker.Value{cooker.Absent(cooker.Pending), cooker.Absent(cooker.Pending), cooker.WholeValue(7), cooker.Absent(cooker.Gap)}).Sets[0].Series(0, 0)
	ok, lacks := cooker.WholeValue(7), cooker.Absent(cooker.Unavailable)
	for _, test := range []struct {
		series session.Series
		end    uint64
		newest cooker.Value
		want   cooker.Value
	}{
		{rate, 3, ok, cooker.Absent(cooker.Pending)},
		{rate, 6, ok, cooker.Absent(cooker.Pending)},
		{rate, 8, ok, ok},
		{rate, 9, ok, cooker.Absent(cooker.Gap)},
		{rate, 6, lacks, lacks},
		{session.Series{}, 6, ok, cooker.Absent(cooker.NotKept)},
	} {
		if got := pane.PastValue(test.series, test.end, test.newest); got != test.want {
			t.Errorf("at %d: %v, want %v", test.end, got, test.want)
		}
	}
}
