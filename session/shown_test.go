package session_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/fake"
)

// rowsOf is an ask that keeps what some rows have.
func rowsOf(a session.Ask, names ...string) []session.Ask {
	a.Keep = []session.Keep{{Counters: a.Counters, Match: func(in *session.Instance) bool { return slices.Contains(names, in.Key.Name) }}}
	return []session.Ask{a}
}

// What was asked for 10 s goes on to be kept when nobody asks for it, as long as the history says;
// what was asked for a moment is not.
func TestShownIsKept(t *testing.T) {
	onHost(t, crowd(9, func(i int) fake.Motion { return fake.Const(float64(i)) }), func(r *rig) {
		f := r.feed(time.Second, rowsOf(r.ask("Set"), "row1")...)
		pass := func(n int) (v *session.SetView) {
			for range n {
				v = view(t, r.step(f, time.Second))
			}
			return v
		}
		pass(12)
		f.Ask(rowsOf(r.ask("Set"), "row2"))
		pass(5)
		f.Ask(rowsOf(r.ask("Set"), "row3"))
		v := pass(20)
		if kept := keptRows(v); !slices.Equal(kept, []string{"row1", "row3"}) {
			t.Errorf("kept %v", kept)
		}
		if h := v.Series(rowNamed(v, "row1"), 0); len(h.Values) != 37 || h.Values[36] != 1 {
			t.Errorf("%d samples of what was shown: %v", len(h.Values), h.Values)
		}
		v = pass(30)
		if kept := keptRows(v); !slices.Equal(kept, []string{"row1", "row3"}) {
			t.Errorf("55 s later kept %v", kept)
		}
		if v = pass(15); !slices.Equal(keptRows(v), []string{"row3"}) || !v.Forgotten.IsZero() {
			t.Errorf("when the history is over kept %v", keptRows(v))
		}
	})
}

// What nobody asks for and used least goes where it takes too much memory, and until when is told.
func TestShownIsBounded(t *testing.T) {
	const many = 100
	script := crowd(many, func(i int) fake.Motion { return fake.Const(float64(i)) })
	script.Sets[0].Counters[0].Type = cooker.CounterBulkCount
	onHost(t, script, func(r *rig) {
		f := r.sampler.Feed(session.FeedOptions{Every: time.Second, History: time.Minute, Memory: 20 << 10})
		a := r.ask("Set")
		f.Ask([]session.Ask{keepAll(a)})
		r.clock.Advance(0)
		for range 15 {
			r.step(f, time.Second)
		}
		f.Ask(rowsOf(a, "row0"))
		var v *session.SetView
		for range 10 {
			v = view(t, r.step(f, time.Second))
		}
		kept := keptRows(v)
		if n := len(kept); n < 5 || n > 60 || !slices.Contains(kept, "row0") || !slices.Contains(kept, fmt.Sprint("row", many-1)) || slices.Contains(kept, "row1") {
			t.Errorf("kept %v", kept)
		}
		if v.Forgotten.Before(start.Add(15*time.Second)) || v.Forgotten.After(start.Add(18*time.Second)) {
			t.Errorf("what was shown before %v is said not to be kept", v.Forgotten)
		}
	})
}

// A counterset that nobody asks for is not read, and has what was seen of it when somebody asks again:
// with a gap, with those that ended meanwhile, without calling anybody new.
func TestAwayIsKept(t *testing.T) {
	script := plain()
	script.Sets = append(script.Sets, script.Sets[0])
	script.Sets[0].Rows = slices.Clone(script.Sets[0].Rows)
	script.Sets[1].Name = "Other"
	script.Sets[0].Rows[0].Alive = during(2*time.Second, 30*time.Second)
	script.Sets[0].Rows = append(script.Sets[0].Rows, fake.Row{Name: "late", Alive: during(28*time.Second, time.Hour)})
	onHost(t, script, func(r *rig) {
		set := keepAll(r.ask("Set", "rate", "gauge"))
		f := r.feed(time.Second, set)
		for range 20 {
			r.step(f, time.Second)
		}
		f.Ask([]session.Ask{keepAll(r.ask("Other", "rate"))})
		for range 20 {
			if s := r.step(f, time.Second); s.Set(set.Set) != nil {
				t.Fatal("what nobody asks for is shown")
			}
		}
		f.Ask([]session.Ask{set})
		v := view(t, r.step(f, 100*time.Millisecond))
		wantStatus(t, v.Value(rowNamed(v, "b"), 0), cooker.FirstSample)
		var s *session.Snapshot
		for range 5 {
			s = r.step(f, time.Second)
		}
		v = view(t, s)
		if len(v.Rows) != 2 {
			t.Errorf("rows %+v", v.Rows)
		}
		old := v.Rows[rowNamed(v, "b")]
		if !old.Since.Before(start.Add(time.Second)) || v.Rows[rowNamed(v, "late")].Came {
			t.Errorf("since %v, came %v", old.Since, v.Rows[rowNamed(v, "late")].Came)
		}
		h := v.Series(rowNamed(v, "b"), 0)
		first := h.At(s.Timeline.First + 10)
		gap := h.At(s.Timeline.First + 30)
		if isNaN(float32(first)) || !isNaN(float32(gap)) || isNaN(h.Values[len(h.Values)-1]) {
			t.Errorf("history %v", h.Values)
		}
		then := s.Then(start.Add(15*time.Second), nil).Set(set.Set)
		row := rowNamed(then, "a")
		if len(then.Rows) != 3 || row < 0 || !then.Rows[row].Gone || isNaN(float32(then.Series(row, 0).At(s.Timeline.First+10))) {
			t.Errorf("then %+v", then.Rows)
		}
		f.Ask([]session.Ask{keepAll(r.ask("Other", "rate"))})
		for range 70 {
			r.step(f, time.Second)
		}
		f.Ask([]session.Ask{set})
		if v = view(t, r.step(f, time.Second)); len(v.Series(0, 0).Values) > 2 {
			t.Errorf("after the history of then: %v", v.Series(0, 0).Values)
		}
	})
}
