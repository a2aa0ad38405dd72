package session_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
)

// rebuilt is a snapshot made by a builder of all that another one shows.
func rebuilt(b *session.Builder, s *session.Snapshot) *session.Snapshot {
	var views []*session.SetView
	for _, v := range s.Sets {
		d := session.ViewData{
			Set: v.Set, Counters: v.Counters, FactKeys: v.FactKeys, Time: v.Time, Rate: v.Rate,
			Rows: v.Rows, Values: v.Values, Older: new(session.RawData), Newer: new(session.RawData),
		}
		for row := range v.Rows {
			switch {
			case v.Rows[row].Gone:
			case v.Rows[row].Flags&session.FlagCombined != 0:
				d.Combined++
			default:
				d.Live++
			}
			for col := range v.Counters {
				if series := v.Series(row, col); len(series.Values) > 0 {
					d.Series = append(d.Series, session.RowSeries{Row: row, Col: col, Series: series})
				}
				older, newer, t0, t1, ok := v.Raw(row, col)
				if !ok {
					continue
				}
				d.Newer.Readings, d.Newer.Clocks = append(d.Newer.Readings, *newer), *t1
				if older == nil {
					older, t0 = &cooker.Reading{State: cooker.Pending}, &d.Older.Clocks
				}
				d.Older.Readings, d.Older.Clocks = append(d.Older.Readings, *older), *t0
			}
		}
		slices.Reverse(d.Series) // in any order
		views = append(views, b.View(&d))
	}
	return session.NewSnapshot(s.Host, s.Time, s.State, s.Timeline, views)
}

// What a builder makes shows what it was made of, and stays so while others are
// made and released.
func TestBuiltSnapshots(t *testing.T) {
	script := busyScript()
	script.Sets[0].Facts, script.Faults = nil, nil
	for i := range script.Sets[0].Rows {
		script.Sets[0].Rows[i].Facts = nil
	}
	onHost(t, script, func(r *rig) {
		ask := keepAll(r.ask("Set"))
		ask.Combine = []session.Combine{{Name: "sum", Func: new(cooker.AggregateFunc)}}
		f := r.feed(time.Second, ask)
		var b session.Builder
		var held []*session.Snapshot
		var want []string
		for i := range 30 {
			s := r.step(f, time.Second)
			made := rebuilt(&b, s)
			if got := picture(made); got != picture(s) {
				t.Fatalf("sample %d: built\n%.2000s\nof\n%.2000s", i, got, picture(s))
			}
			if i%3 == 0 {
				held, want = append(held, made), append(want, picture(made))
			} else {
				made.Release()
			}
		}
		for i, s := range held {
			if picture(s) != want[i] {
				t.Errorf("snapshot %d changed while it was held", i)
			}
			s.Release()
		}
	})
}

// A view without raw samples says so, also where some are known.
func TestBuiltWithoutRaw(t *testing.T) {
	set := &session.Counterset{Name: "Set", Counters: []session.Counter{{Name: "a"}, {Name: "b"}}}
	d := session.ViewData{Set: set, Counters: []int{0, 1}, Rows: make([]session.Row, 1), Live: 1, Values: make([]cooker.Value, 2)}
	var b session.Builder
	if _, _, _, _, ok := b.View(&d).Raw(0, 0); ok {
		t.Error("a raw sample of nothing")
	}
	unread := cooker.Reading{State: cooker.Pending}
	d.Newer = &session.RawData{Readings: []cooker.Reading{unread, {Raw: 7}}}
	d.Older = &session.RawData{Readings: []cooker.Reading{unread, unread}}
	v := b.View(&d)
	if _, _, _, _, ok := v.Raw(0, 0); ok {
		t.Error("a raw sample that was never read")
	}
	if older, newer, clocks, _, ok := v.Raw(0, 1); !ok || newer.Raw != 7 || older != nil || clocks != nil {
		t.Errorf("%v %v %v %v", older, newer, clocks, ok)
	}
}

// A history of a builder keeps what one of a feed keeps.
func TestBuiltHistory(t *testing.T) {
	h, times := session.NewHistory(3, cooker.Format{}, nil), session.NewTimes(3)
	var early session.Series
	for i := range 10 {
		v := cooker.FloatValue(float64(i))
		if i == 8 {
			v = cooker.Absent(cooker.Gap)
		}
		h.Add(v)
		times.Add(start.Add(time.Duration(i) * time.Second))
		if i == 4 {
			early = h.Series(5)
		}
	}
	if got := h.Series(10); got.First != 7 || fmt.Sprint(got.Values) != "[7 NaN 9]" {
		t.Errorf("history %v", got)
	}
	if early.First != 2 || fmt.Sprint(early.Values) != "[2 3 4]" {
		t.Errorf("the history before %v", early)
	}
	if line := times.Timeline(10); line.First != 7 || !line.At(9).Equal(start.Add(9*time.Second)) || line.Next() != 10 {
		t.Errorf("times %v", line)
	}
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
