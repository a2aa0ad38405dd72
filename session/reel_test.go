package session_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
)

// A snapshot of a reel stays as it is while samples are added, and has of each instance the
// history before it came, too; what is asked for may become less, and that again.
func TestReel(t *testing.T) {
	set := &session.Counterset{Name: "Set", Instances: session.MultipleInstances, Counters: []session.Counter{{Name: "a"}, {Name: "b"}}}
	a, b := session.Instance{Key: session.InstanceKey{Name: "a"}}, session.Instance{Key: session.InstanceKey{Name: "b"}}
	rows := func(*session.Counterset) []session.Instance { return []session.Instance{a, b} }
	all := session.Ask{Set: set, Counters: []int{0, 1}, Keep: []session.Keep{{Counters: []int{0}, Busiest: 1, By: 0}}}
	one := all
	one.Keep = []session.Keep{{Counters: []int{0}, Match: func(in *session.Instance) bool { return in.Key == b.Key }}}
	var r session.Reel
	ask := func(a session.Ask, isOther, anew bool) {
		t.Helper()
		if o, n := r.Ask([]session.Ask{a}, rows); o != isOther || n != anew {
			t.Errorf("other %v, anew %v; want %v, %v", o, n, isOther, anew)
		}
	}
	ask(all, true, true)
	r.Begin(5, 3)
	if s := r.Snapshot("h", start, session.HostState{}); len(s.Sets) > 0 || s.Timeline.First != 5 {
		t.Errorf("%+v of nothing", s)
	}
	add := func(i int, raw bool, in ...session.Instance) *session.SetView {
		sample := session.SetBatch{Set: set, Counters: all.Counters, Instances: in}
		for n := range in {
			for c := range 2 {
				reading := cooker.Reading{State: cooker.Pending}
				if raw && c == 1 {
					reading = cooker.Reading{Raw: 7, Size: 8}
				}
				sample.Values, sample.Readings = append(sample.Values, cooker.FloatValue(float64(10*n+i))), append(sample.Readings, reading)
			}
		}
		r.Add(&session.Batch{Time: start.Add(time.Duration(i) * time.Second), Sets: []session.SetBatch{sample}}, session.Rate{})
		return r.Snapshot("h", start, session.HostState{}).Sets[0]
	}
	first := add(0, false, a)
	want := picture(&session.Snapshot{Sets: []*session.SetView{first}})
	second := add(1, true, a, b)
	if _, _, _, _, ok := second.Raw(0, 0); ok {
		t.Error("a raw sample that was never read")
	}
	if older, newer, clocks, _, ok := second.Raw(1, 1); !ok || newer.Raw != 7 || older != nil || clocks != nil {
		t.Errorf("%v %v %v %v", older, newer, clocks, ok)
	}
	check := func(v *session.SetView, want string) {
		t.Helper()
		got := ""
		for row := range v.Rows {
			got += fmt.Sprintln(v.Rows[row].Key.Name, v.Rows[row].Gone, v.Series(row, 0).First, v.Series(row, 0).Values)
		}
		if got != want {
			t.Errorf("%swant %s", got, want)
		}
	}
	check(second, "a false 0 []\nb false 5 [NaN 11]\n")
	if got := picture(&session.Snapshot{Sets: []*session.SetView{first}}); got != want {
		t.Errorf("the first one became\n%sof\n%s", got, want)
	}
	check(add(2, false, a), "a false 0 []\nb true 5 [NaN 11]\n")
	ask(one, true, false)
	check(add(3, false, a, b), "a false 0 []\nb false 6 [11 NaN 13]\n")
	ask(one, false, false)
	ask(all, true, false)
	check(add(4, false, a), "a false 0 []\nb true 7 [NaN 13]\n")
	ask(session.Ask{Set: set, Counters: []int{1}}, true, true)
}

// Combining outside of a sampler takes the same instances and functions.
func TestCombineOutsideOfASampler(t *testing.T) {
	maximum := cooker.AggregateMax
	c := session.Combine{Name: "most", Match: func(in *session.Instance) bool { return in.Key.Name != "c" }}
	for name, want := range map[string]bool{"a": true, "c": false, "_Total": false, "0,_Total": false} {
		if got := c.Includes(&session.Instance{Key: session.InstanceKey{Name: name}}); got != want {
			t.Errorf("%s takes part: %v", name, got)
		}
	}
	if in := c.Instance(); in.Key.Name != "most" || in.Flags != session.FlagTotal|session.FlagCombined {
		t.Errorf("instance %+v", in)
	}
	counter := &session.Counter{Aggregate: cooker.AggregateTotal}
	a := c.Aggregator(counter)
	c.Func = &maximum
	b := c.Aggregator(counter)
	for _, f := range []float64{1, 5, 2} {
		a.Add(cooker.FloatValue(f))
		b.Add(cooker.FloatValue(f))
	}
	if total, most := a.Value(), b.Value(); total != cooker.FloatValue(8) || most != cooker.FloatValue(5) {
		t.Errorf("total %v, most %v", total, most)
	}
	merged := session.MergeAsks([]session.Ask{{Set: &session.Counterset{}, Counters: []int{2, 1, 2}}})
	if len(merged) != 1 || !slices.Equal(merged[0].Counters, []int{1, 2}) {
		t.Errorf("merged %v", merged)
	}
}

// A counter is wanted of all instances as soon as two want it of different ones.
func TestMergedAsksKeepTheirParts(t *testing.T) {
	set := &session.Counterset{}
	members, total := []session.Part{session.Members}, []session.Part{session.TotalInstance}
	for name, c := range map[string]struct {
		asks     []session.Ask
		counters []int
		of       []session.Part
	}{
		"one":   {[]session.Ask{{Set: set, Counters: []int{3, 1}, Of: []session.Part{session.Members, session.TotalInstance}}}, []int{1, 3}, []session.Part{session.TotalInstance, session.Members}},
		"same":  {[]session.Ask{{Set: set, Counters: []int{1}, Of: total}, {Set: set, Counters: []int{2}, Of: members}, {Set: set, Counters: []int{1}, Of: total}}, []int{1, 2}, []session.Part{session.TotalInstance, session.Members}},
		"other": {[]session.Ask{{Set: set, Counters: []int{1}, Of: total}, {Set: set, Counters: []int{1}, Of: members}, {Set: set, Counters: []int{1}, Of: total}}, []int{1}, nil},
		"all":   {[]session.Ask{{Set: set, Counters: []int{1}}, {Set: set, Counters: []int{1, 2}, Of: []session.Part{session.Members, session.Members}}}, []int{1, 2}, []session.Part{session.AllInstances, session.Members}},
	} {
		merged := session.MergeAsks(c.asks)
		if len(merged) != 1 || !slices.Equal(merged[0].Counters, c.counters) || !slices.Equal(merged[0].Of, c.of) {
			t.Errorf("%s: %v of %v, want %v of %v", name, merged[0].Counters, merged[0].Of, c.counters, c.of)
		}
	}
}
