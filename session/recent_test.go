package session_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/hosts/fake"
)

// Whoever comes, goes, sleeps and wakes: the last minute of each instance that is there
// is known, of busy ones and others, from when it came.
func TestRecentOfAll(t *testing.T) {
	script := crowd(300, func(int) fake.Motion { return fake.Walk(0, 1000, 3*time.Second) })
	for i := range 300 {
		row := &script.Sets[0].Rows[i]
		row.Name = fmt.Sprint("row", i%50)
		if i%3 > 0 {
			every := time.Duration(3+i%40) * time.Second
			row.Alive = fake.Window{From: time.Duration(i%5) * time.Second / 2, To: every - time.Duration(i%2)*time.Second, Every: every}
		}
	}
	onHost(t, script, func(r *rig) {
		a := r.ask("Set")
		a.Keep = []session.Keep{{Counters: []int{0}, Busiest: 5, By: 0}, {Counters: []int{0, 1}, Recent: true}}
		f := r.feed(time.Second, a)
		want := map[session.InstanceKey][]float32{}
		for range 150 {
			snap := r.step(f, time.Second)
			v := view(t, snap)
			there := map[session.InstanceKey]bool{}
			for row := range v.Rows {
				if v.Rows[row].Gone {
					continue
				}
				key := v.Rows[row].Key
				there[key] = true
				n, _ := v.Value(row, 0).Float()
				want[key] = append(want[key], float32(n))
				got := v.Recent(new(session.Recalled), row, 0)
				if got.First+uint64(len(got.Values)) != snap.Timeline.Next() {
					t.Fatalf("the history ends before sample %d", got.First+uint64(len(got.Values)))
				}
				if least := min(60, len(want[key])); len(got.Values) < least || !slices.Equal(got.Values[len(got.Values)-least:], want[key][len(want[key])-least:]) {
					t.Fatalf("%v: %v, want %v", key, got.Values, want[key])
				}
			}
			for row := range v.Rows { // of all times of each row there is a number, of a sample soon after
				known, next := want[v.Rows[row].Key], snap.Timeline.Next()
				if v.Rows[row].Gone {
					continue
				}
				for back := 1; back <= min(len(known), 75); back += 7 { // as far as is kept
					from := len(known) - back
					number, ok := v.Earliest(new(session.Recalled), row, 0, next-uint64(back))
					if at := slices.Index(known[max(0, from-7):], float32(number)); !ok || at < 0 || at > 22 || back <= 60 && float32(number) != known[from] {
						t.Fatalf("%v, %d samples ago: %v %v, want one of the first of %v", v.Rows[row].Key, back, number, ok, known[from:])
					}
				}
			}
			for key := range want {
				if !there[key] {
					delete(want, key)
				}
			}
		}
	})
}

// What a view tells of the last minute does not change while it is held.
func TestRecentIsHeld(t *testing.T) {
	onHost(t, crowd(100, func(int) fake.Motion { return fake.Walk(0, 1000, time.Second) }), func(r *rig) {
		a := r.ask("Set")
		a.Keep = []session.Keep{{Counters: []int{0}, Recent: true}}
		f := r.feed(time.Second, a)
		r.clock.Advance(9 * time.Second)
		held := r.take(f)
		was := view(t, held).Recent(new(session.Recalled), 70, 0)
		for range 200 {
			r.clock.Advance(time.Second)
		}
		if is := view(t, held).Recent(new(session.Recalled), 70, 0); is.First != was.First || !slices.Equal(is.Values, was.Values) || len(is.Values) != 9 {
			t.Errorf("%v, was %v", is, was)
		}
	})
}

// Samples of which nothing came are gaps, and what nobody asks for is not kept.
func TestRecentGaps(t *testing.T) {
	script := crowd(3, func(i int) fake.Motion { return fake.Const(float64(i)) })
	onHost(t, script, func(r *rig) {
		a := r.ask("Set")
		f := r.feed(time.Second, a)
		v := view(t, r.step(f, 5*time.Second))
		if n := len(v.Recent(new(session.Recalled), 1, 0).Values); n != 0 {
			t.Errorf("%d samples of what nobody asked for", n)
		}
		a.Keep = []session.Keep{{Counters: []int{1}, Recent: true}}
		f.Ask([]session.Ask{a})
		v = view(t, r.step(f, 4*time.Second))
		if n, m := len(v.Recent(new(session.Recalled), 1, 0).Values), len(v.Recent(new(session.Recalled), 1, 1).Values); n != 0 || m != 4 {
			t.Errorf("%d and %d samples, want 0 and 4", n, m)
		}
	})
}

// An instance that takes the name of another one in the beat in which that goes has a last minute
// of its own.
func TestRecentOfNamesake(t *testing.T) {
	script := crowd(4, func(i int) fake.Motion { return fake.Const(float64(i)) })
	rows := script.Sets[0].Rows
	rows[1].Alive, rows[2].Alive, rows[2].Name = fake.Window{To: 20 * time.Second}, fake.Window{From: 20 * time.Second}, rows[1].Name
	rows[1].ID, rows[2].ID, rows[1].Number, rows[2].Number = 7, 7, 41, 42
	onHost(t, script, func(r *rig) {
		a := r.ask("Set")
		a.Keep = []session.Keep{{Counters: []int{0}, Recent: true}}
		v := view(t, r.step(r.feed(time.Second, a), 30*time.Second))
		for row := range v.Rows {
			values := v.Recent(new(session.Recalled), row, 0).Values
			if v.Rows[row].Gone || v.Rows[row].Key.Name != rows[1].Name {
				continue
			}
			if len(values) > 12 || slices.Contains(values, 1) {
				t.Errorf("row %d of %v: %v", row, v.Rows[row].Key, values)
			}
		}
	})
}
