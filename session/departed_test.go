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

// Who looks at a moment of the past sees what was there then and ended since, with all that was
// kept of it, until the history is over; who looks at now does not.
func TestRowsOfThePast(t *testing.T) {
	script := plain()
	script.Sets[0].Rows[0].Alive = during(20*time.Second, 25500*time.Millisecond)
	onHost(t, script, func(r *rig) {
		a := r.ask("Set", "rate", "gauge")
		a.Keep = []session.Keep{{Counters: a.Counters[:1], Busiest: 5, By: a.Counters[0]}, {Counters: a.Counters, Recent: true}}
		a.Facts = session.FactWant{Keys: []string{"user"}, All: true}
		f := r.feed(time.Second, a)
		var s *session.Snapshot
		for range 40 {
			s = r.step(f, time.Second)
		}
		seconds := func(n float64) time.Time { return start.Add(time.Duration(n * float64(time.Second))) }
		if n := len(view(t, s).Rows); n != 1 {
			t.Fatalf("%d rows now", n)
		}
		for at, want := range map[float64]int{19: 1, 19.5: 1, 20: 2, 22: 2, 25.9: 2, 26: 1, 30: 1} {
			v := view(t, s.Then(seconds(at), nil))
			if len(v.Rows) != want || len(v.Values) != want*len(v.Counters) {
				t.Errorf("%v s: rows %+v, want %d", at, v.Rows, want)
			}
		}
		v := view(t, s.Then(seconds(23), nil))
		row := &v.Rows[1]
		if row.Key.Name != "a" || !row.Gone || v.Find(row.Key, -1) != 1 || v.Fact(1, "user") != "mia" {
			t.Errorf("%+v of %q", row, v.Fact(1, "user"))
		}
		wantStatus(t, v.Value(1, 0), cooker.Gone)
		for col := range v.Counters { // of which one is kept, of the other the last minute
			if h := v.Series(1, col); len(h.Values) < 5 || h.First+uint64(len(h.Values)) != 25 || isNaN(h.Values[4]) {
				t.Errorf("column %d: history from sample %d on %v", col, h.First, h.Values)
			}
		}
		if n := len(view(t, s).Rows); n != 1 {
			t.Errorf("%d rows now", n)
		}
	})
}

// What is kept of those that ended is bounded, and goes when the history of then does; what used
// most is kept longest, and that others are not is told.
func TestDepartedAreBounded(t *testing.T) {
	const many, busiest = 400, 3 // one of the first that end
	script := plain()
	rows := script.Sets[0].Rows[1:]
	for i := range many {
		row := fake.Row{Name: fmt.Sprint("p", i), Alive: during(10*time.Second, time.Duration(20+i/100)*time.Second)}
		if i == busiest {
			row.Is = map[string]fake.Motion{"rate": fake.Const(1e6)}
		}
		rows = append(rows, row)
	}
	script.Sets[0].Rows = rows
	onHost(t, script, func(r *rig) {
		f := r.sampler.Feed(session.FeedOptions{Every: time.Second, History: time.Minute, Memory: 200 << 10})
		f.Ask([]session.Ask{keepAll(r.ask("Set", "rate"))})
		r.clock.Advance(0)
		var s *session.Snapshot
		for range 60 {
			s = r.step(f, time.Second)
		}
		at := start.Add(19 * time.Second)
		v := view(t, s.Then(at, nil))
		samples := 0
		for row := 1; row < len(v.Rows); row++ {
			samples += len(v.Series(row, 0).Values)
		}
		if n := len(v.Rows) - 1; n < 200 || n >= many || samples > 50_000 || samples == 0 {
			t.Errorf("%d of %d are kept, with %d samples", n, many, samples)
		}
		if !slices.ContainsFunc(v.Rows, func(row session.Row) bool { return row.Key.Name == fmt.Sprint("p", busiest) }) {
			t.Error("the one that used most is not kept")
		}
		if ended := start.Add(20 * time.Second); v.Forgotten.Before(ended) || v.Forgotten.After(ended.Add(5*time.Second)) {
			t.Errorf("those that ended before %v are said not to be kept", v.Forgotten)
		}
		for range 10 * 60 {
			s = r.step(f, time.Second)
		}
		if n := len(view(t, s.Then(at, nil)).Rows); n != 1 {
			t.Errorf("%d rows of a time before the history", n)
		}
	})
}

// Histories of nothing but zeros take no memory, of those that ended, too: none is forgotten for it.
func TestThoseThatSleptTakeNoMemory(t *testing.T) {
	const many = 400
	script := plain()
	rows := script.Sets[0].Rows[1:]
	for i := range many {
		rows = append(rows, fake.Row{Name: fmt.Sprint("p", i), Alive: during(time.Second, 50*time.Second), Is: map[string]fake.Motion{"gauge": fake.Const(0)}})
	}
	script.Sets[0].Rows = rows
	onHost(t, script, func(r *rig) {
		f := r.sampler.Feed(session.FeedOptions{Every: time.Second, History: time.Minute, Memory: many * 700})
		f.Ask([]session.Ask{keepAll(r.ask("Set", "gauge"))})
		r.clock.Advance(0)
		var s *session.Snapshot
		for range 65 {
			s = r.step(f, time.Second)
		}
		v := view(t, s.Then(start.Add(40*time.Second), nil))
		if n := len(v.Rows) - 1; n != many || !v.Forgotten.IsZero() {
			t.Fatalf("%d of %d are kept; until %v some were forgotten", n, many, v.Forgotten)
		}
		if n := len(v.Series(1, 0).Values); n < 40 {
			t.Errorf("%d samples of 49", n)
		}
	})
}

// What an instance was before it came back, long after it ended, is there too.
func TestOneThatCameBack(t *testing.T) {
	script := plain()
	script.Sets[0].Rows[0].ID = 7
	again := script.Sets[0].Rows[0]
	script.Sets[0].Rows[0].Alive = during(10*time.Second, 15500*time.Millisecond)
	again.Alive = fake.Window{From: 40 * time.Second}
	script.Sets[0].Rows = append(script.Sets[0].Rows, again)
	onHost(t, script, func(r *rig) {
		f := r.feed(time.Second, keepAll(r.ask("Set", "rate", "gauge")))
		var s *session.Snapshot
		for range 50 {
			s = r.step(f, time.Second)
		}
		for at, there := range map[time.Duration]bool{12 * time.Second: true, 30 * time.Second: false, 45 * time.Second: true} {
			moment := start.Add(at)
			then := s.Then(moment, nil)
			v := view(t, then)
			row := slices.IndexFunc(v.Rows, func(r session.Row) bool { return r.Key.ID == 7 })
			if len(v.Rows) != 2 || len(v.Values) != 2*len(v.Counters) || row < 0 {
				t.Fatalf("%v: %+v", at, v.Rows)
			}
			in, value := &v.Rows[row], v.Series(row, 1).At(s.Timeline.First+uint64(at/time.Second)-1)
			if got := !isNaN(float32(value)); got != there {
				t.Errorf("%v: %v of %+v", at, value, in)
			}
			if in.Gone != (at < 16*time.Second) {
				t.Errorf("%v: %+v", at, in)
			}
		}
	})
}
