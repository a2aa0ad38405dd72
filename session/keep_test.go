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

// crowd is a script of one set of n rows. Row i has the value of level(i).
func crowd(n int, level func(i int) fake.Motion) fake.Script {
	set := fake.Set{Name: "Set", Instances: session.MultipleAggregate,
		Counters: []fake.Counter{{Name: "level", Type: cooker.CounterLargeRawCount}, {Name: "other", Type: cooker.CounterLargeRawCount}}}
	for i := range n {
		set.Rows = append(set.Rows, fake.Row{Name: fmt.Sprint("row", i), Is: map[string]fake.Motion{"level": level(i)}})
	}
	set.Rows = append(set.Rows, fake.Row{Name: "_Total", Flags: session.FlagTotal},
		fake.Row{Name: "Idle", Flags: session.FlagIdle, Is: map[string]fake.Motion{"level": fake.Const(1e9)}})
	return fake.Script{Sets: []fake.Set{set}}
}

// keptRows lists the rows of which the first column has a history.
func keptRows(v *session.SetView) []string {
	var names []string
	for row := range v.Rows {
		if len(v.Series(row, 0).Values) > 0 {
			names = append(names, v.Rows[row].Key.Name)
		}
	}
	return names
}

func TestBusiestRows(t *testing.T) {
	onHost(t, crowd(100, func(int) fake.Motion { return fake.Walk(0, 1000, 3*time.Second) }), func(r *rig) {
		a := r.ask("Set")
		a.Keep = []session.Keep{{Counters: []int{0}, Busiest: 30, By: 0}}
		f := r.feed(time.Second, a)
		for sec := range 50 {
			v := view(t, r.step(f, time.Second))
			var want []string
			rows := make([]int, 100)
			for i := range rows {
				rows[i] = i
			}
			slices.SortFunc(rows, func(a, b int) int { // values are whole, so equals may go either way
				x, _ := v.Value(a, 0).Whole()
				y, _ := v.Value(b, 0).Whole()
				return int(int64(y) - int64(x))
			})
			least, _ := v.Value(rows[29], 0).Whole()
			kept := keptRows(v)
			if n := len(kept); n < 30 || sec < 10 && n != 30 { // those that were busy for a while are kept on
				t.Fatalf("%d rows kept, want 30", n)
			}
			for _, i := range rows {
				if x, _ := v.Value(i, 0).Whole(); x > least {
					want = append(want, v.Rows[i].Key.Name)
				}
			}
			for _, name := range want {
				if !slices.Contains(kept, name) {
					t.Errorf("%s is among the busiest and not kept", name)
				}
			}
		}
	})
}

// Among equals those that are kept stay kept, even when a new row comes first.
func TestBusiestAmongEquals(t *testing.T) {
	script := crowd(60, func(int) fake.Motion { return fake.Const(0) })
	rows := script.Sets[0].Rows
	for i := range 5 {
		rows[i].Alive = fake.Window{From: 5 * time.Second}
	}
	rows[50].Is["level"] = fake.Burst(fake.Const(0), fake.Const(9), during(8*time.Second, time.Hour))
	onHost(t, script, func(r *rig) {
		a := r.ask("Set")
		a.Keep = []session.Keep{{Counters: []int{0}, Busiest: 30, By: 0}}
		f := r.feed(time.Second, a)
		first := keptRows(view(t, r.step(f, time.Second)))
		for range 6 {
			if now := keptRows(view(t, r.step(f, time.Second))); !slices.Equal(now, first) {
				t.Fatalf("kept %v, then %v", first, now)
			}
		}
		now := keptRows(view(t, r.step(f, 2*time.Second)))
		if len(now) != 30 || !slices.Contains(now, "row50") {
			t.Errorf("kept %v", now)
		}
		gone := 0
		for _, name := range first {
			if !slices.Contains(now, name) {
				gone++
			}
		}
		if gone != 1 {
			t.Errorf("one row came in and %d went", gone)
		}
	})
}

func TestKeepRules(t *testing.T) {
	onHost(t, crowd(20, func(i int) fake.Motion { return fake.Const(float64(i)) }), func(r *rig) {
		a := r.ask("Set")
		f := r.feed(time.Second, a)
		v := view(t, r.step(f, time.Second))
		if kept := keptRows(v); kept != nil {
			t.Errorf("kept %v without being asked", kept)
		}
		a.Keep = []session.Keep{
			{Counters: []int{0}, Match: func(in *session.Instance) bool { return in.Key.Name == "row3" }},
			{Counters: []int{0}, Rows: []session.InstanceKey{v.Rows[7].Key, {Name: "row7", ID: 999}}},
			{Counters: []int{0}, Busiest: 2, By: 0},
		}
		f.Ask([]session.Ask{a})
		v = view(t, r.step(f, time.Second))
		if kept, want := keptRows(v), []string{"row3", "row7", "row18", "row19"}; !slices.Equal(kept, want) {
			t.Errorf("kept %v, want %v", kept, want)
		}
		if n := len(v.Series(3, 1).Values); n != 0 {
			t.Error("history of a counter that nobody keeps")
		}
		a.Keep = a.Keep[:1]
		f.Ask([]session.Ask{a})
		if kept, want := keptRows(view(t, r.step(f, time.Second))), []string{"row3"}; !slices.Equal(kept, want) {
			t.Errorf("kept %v, want %v", kept, want)
		}
	})
}

func TestAskChangeKeepsHistory(t *testing.T) {
	script := plain()
	script.Sets = append(script.Sets, script.Sets[0])
	script.Sets[1].Name = "Other"
	onHost(t, script, func(r *rig) {
		f := r.feed(time.Second, keepAll(r.ask("Set", "rate")))
		r.clock.Advance(5300 * time.Millisecond)
		r.take(f)
		f.Ask([]session.Ask{keepAll(r.ask("Other", "rate")), keepAll(r.ask("Set", "rate", "gauge"))})
		s := r.step(f, 100*time.Millisecond)
		wantStatus(t, s.Set(r.cat.Set("Other")).Value(0, 0), cooker.FirstSample) // at once
		if at := s.Set(r.cat.Set("Set")).Time.Sub(start); at != 5*time.Second {
			t.Errorf("what stayed was read beside the beat, at %v", at)
		}
		s = r.step(f, 1600*time.Millisecond)
		set, other := s.Set(r.cat.Set("Set")), s.Set(r.cat.Set("Other"))
		wantValue(t, other.Value(0, 0), 100)
		wantValue(t, set.Value(0, 0), 100)
		if n := len(set.Series(0, 0).Values); n != 7 {
			t.Errorf("%d samples of what stayed, want 7", n)
		}
		if h := other.Series(0, 0); len(h.Values) != 2 || h.First != 5 || isNaN(h.Values[0]) {
			t.Errorf("history %+v of what is new, want the samples 5 and 6", h)
		}
		f.Ask([]session.Ask{keepAll(r.ask("Set", "gauge"))})
		s = r.step(f, time.Second)
		if s.Set(r.cat.Set("Other")) != nil || len(view(t, s).Counters) != 1 {
			t.Error("what is not asked for any more is still there")
		}
		wantValue(t, view(t, s).Value(1, 0), 21)
	})
}

// Counters that take the place of others are not cooked from their samples.
func TestOtherCounterOfTheSet(t *testing.T) {
	script := plain()
	script.Sets[0].Counters[1] = fake.Counter{Name: "slow", Type: cooker.Timer100ns, Is: fake.Const(5)}
	onHost(t, script, func(r *rig) {
		f := r.feed(time.Second, r.ask("Set", "rate"))
		r.clock.Advance(2 * time.Second)
		r.take(f)
		f.Ask([]session.Ask{r.ask("Set", "slow")})
		v := view(t, r.step(f, 2*time.Second))
		if !slices.Equal(v.Counters, []int{1}) {
			t.Fatalf("counters %v", v.Counters)
		}
		wantValue(t, v.Value(0, 0), 5)
		f.Ask([]session.Ask{r.ask("Set", "rate")})
		wantStatus(t, view(t, r.step(f, time.Second)).Value(0, 0), cooker.FirstSample)
		wantValue(t, view(t, r.step(f, time.Second)).Value(0, 0), 100)
	})
}

// Two asks for one set are one.
func TestAsksAddUp(t *testing.T) {
	onHost(t, plain(), func(r *rig) {
		f := r.feed(time.Second, keepAll(r.ask("Set", "gauge")), r.ask("Set", "rate", "gauge"))
		v := view(t, r.step(f, time.Second))
		if !slices.Equal(v.Counters, []int{0, 1}) || len(v.Series(0, 1).Values) != 1 || len(v.Series(0, 0).Values) != 0 {
			t.Errorf("counters %v, histories %v, %v", v.Counters, v.Series(0, 0), v.Series(0, 1))
		}
	})
}

// A row that went is shown for 10 s if its history is kept.
func TestGoneRows(t *testing.T) {
	script := plain()
	script.Sets[0].Rows[0].Alive = during(0, 3500*time.Millisecond)
	onHost(t, script, func(r *rig) {
		f := r.feed(time.Second, keepAll(r.ask("Set", "rate", "gauge")))
		bare := r.feed(time.Second, r.ask("Set", "rate"))
		r.clock.Advance(3 * time.Second)
		r.take(f)
		s := r.step(f, time.Second)
		v := view(t, s)
		if v.Rows[0].Key.Name != "b" || len(v.Rows) != 2 || !v.Rows[1].Gone || !v.Rows[1].Since.Equal(s.Time) {
			t.Fatalf("rows %+v", v.Rows)
		}
		wantStatus(t, v.Value(1, 0), cooker.Gone)
		wantValue(t, v.Value(0, 0), 300)
		if h := v.Series(1, 0); len(h.Values) != 3 || isNaN(h.Values[2]) {
			t.Errorf("history %v of what went", h.Values)
		}
		if _, _, _, _, ok := v.Raw(1, 0); ok {
			t.Error("raw samples of what went")
		}
		if n := len(view(t, r.take(bare)).Rows); n != 1 {
			t.Errorf("%d rows where no history is kept", n)
		}
		if n := len(view(t, r.step(f, 10*time.Second)).Rows); n != 2 {
			t.Errorf("%d rows after 10 s", n)
		}
		if n := len(view(t, r.step(f, time.Second)).Rows); n != 1 {
			t.Errorf("%d rows after 11 s", n)
		}
	})
}

func TestGoneRowAndClockStep(t *testing.T) {
	script := plain()
	script.Sets[0].Rows[0].Alive = during(0, 3500*time.Millisecond)
	onHost(t, script, func(r *rig) {
		f := r.feed(time.Second, keepAll(r.ask("Set", "rate")))
		r.clock.Advance(4 * time.Second)
		r.take(f)
		r.clock.Step(-time.Hour)
		if n := len(view(t, r.step(f, 12*time.Second)).Rows); n != 1 {
			t.Errorf("%d rows: what went stays", n)
		}
	})
}

// A name that returns as something new starts anew.
func TestReusedName(t *testing.T) {
	script := plain()
	script.Sets[0].Rows[0].Alive = fake.Window{To: 10 * time.Second, Every: 10 * time.Second}
	onHost(t, script, func(r *rig) {
		f := r.feed(time.Second, keepAll(r.ask("Set", "rate")))
		r.clock.Advance(9 * time.Second)
		before := view(t, r.take(f)).Rows[0]
		v := view(t, r.step(f, time.Second))
		if v.Rows[0].Key.Name != "a" || v.Rows[0].Key == before.Key {
			t.Fatalf("rows %+v", v.Rows)
		}
		wantStatus(t, v.Value(0, 0), cooker.FirstSample)
		wantValue(t, v.Value(1, 0), 300)
		if !v.Rows[0].Since.After(before.Since) || !v.Rows[1].Since.Equal(before.Since) {
			t.Errorf("since %v and %v, the one before since %v", v.Rows[0].Since, v.Rows[1].Since, before.Since)
		}
		v = view(t, r.step(f, time.Second))
		wantValue(t, v.Value(0, 0), 100)
		if h := v.Series(0, 0); len(h.Values) != 2 || h.First != 9 {
			t.Errorf("history %+v", h)
		}
	})
}

// Rows keep their identity while others come and go around them.
func TestChurn(t *testing.T) {
	script := crowd(200, func(i int) fake.Motion { return fake.Const(float64(i)) })
	set := &script.Sets[0]
	set.Counters[1].Type = cooker.Timer100ns
	for i := range 200 {
		row := &set.Rows[i]
		row.Name = fmt.Sprint("row", i%7)
		row.Is["other"] = fake.Const(float64(i))
		if i%3 > 0 {
			every := time.Duration(3+i%11) * time.Second
			row.Alive = fake.Window{From: time.Duration(i%5) * time.Second / 2, To: every - time.Duration(i%2)*time.Second, Every: every}
		}
	}
	onHost(t, script, func(r *rig) {
		f := r.feed(time.Second, keepAll(r.ask("Set")))
		before := map[session.InstanceKey]bool{}
		for range 60 {
			v := view(t, r.step(f, time.Second))
			there := map[session.InstanceKey]bool{}
			for row := range v.Rows {
				if v.Rows[row].Gone || v.Rows[row].Flags != 0 {
					continue
				}
				key := v.Rows[row].Key
				there[key] = true
				level, _ := v.Value(row, 0).Float()
				if share := v.Value(row, 1); share.Status() != cooker.FirstSample || before[key] {
					if got, ok := share.Float(); !ok || got-level > 0.01 || level-got > 0.01 {
						t.Fatalf("row %d: %v %v, want %v", row, got, share.Status(), level)
					}
				}
				for _, h := range v.Series(row, 0).Values {
					if h != float32(level) {
						t.Fatalf("row %d has the history of another: %v in %v", row, h, v.Series(row, 0).Values)
					}
				}
			}
			before = there
		}
	})
}

// A row that went tells the facts that were known of it.
func TestFactsOfGoneRows(t *testing.T) {
	script := plain()
	set := &script.Sets[0]
	set.Facts = []string{"user"}
	set.Rows[0].Alive = during(0, 3500*time.Millisecond)
	for i := range set.Rows {
		set.Rows[i].Facts = []string{"user of " + set.Rows[i].Name}
	}
	onHost(t, script, func(r *rig) {
		a := keepAll(r.ask("Set", "rate"))
		a.Facts = session.FactWant{Keys: []string{"user"}, All: true}
		f := r.feed(time.Second, a)
		r.clock.Advance(3 * time.Second)
		r.take(f)
		for range 3 {
			v := view(t, r.step(f, time.Second))
			gone := len(v.Rows) - 1
			if !v.Rows[gone].Gone || v.Fact(gone, "user") != "user of a" || v.Fact(0, "user") != "user of b" {
				t.Errorf("%+v: %q", v.Rows, v.Facts)
			}
		}
	})
}
