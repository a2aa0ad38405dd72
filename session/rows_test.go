package session_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/hosts/fake"
)

// Where rows went is as a search for each would find, whatever comes, goes and moves.
func TestRows(t *testing.T) {
	for _, ghosts := range []bool{false, true} {
		testRows(t, session.Rows{Ghosts: ghosts})
	}
}

func testRows(t *testing.T, rows session.Rows) {
	rng := rand.New(rand.NewPCG(1, 2))
	gone := func(r session.Row) bool { return r.Gone && !rows.Ghosts }
	find := func(list []session.Row, r session.Row) int {
		return slices.IndexFunc(list, func(o session.Row) bool { return o.Key == r.Key && !gone(o) })
	}
	var before []session.Row
	id := uint64(0)
	columns := []int{3, 5} // the second is there now and then
	for step := range 2000 {
		now := slices.Clone(before)
		if step%3 > 0 { // else nothing changed
			for range rng.IntN(3) {
				if len(now) > 0 {
					now = slices.Delete(now, 0, rng.IntN(min(3, len(now)))+1)
				}
			}
			for range rng.IntN(4) {
				id++
				row := session.Row{Instance: session.Instance{Key: session.InstanceKey{Name: "p", ID: id}, Index: uint32(id % 3)}, Gone: rng.IntN(9) == 0}
				now = slices.Insert(now, rng.IntN(len(now)+1), row)
			}
			if len(now) > 0 && rng.IntN(3) == 0 { // one goes, or is back
				at := &now[rng.IntN(len(now))]
				at.Gone = !at.Gone
			}
			if rng.IntN(5) == 0 {
				rng.Shuffle(len(now), func(i, j int) { now[i], now[j] = now[j], now[i] })
			}
		}
		v := &session.SetView{Rows: now, Counters: columns[:1+step/7%2]}
		same, want := rows.Same(v), rows.Known() && slices.EqualFunc(before, now, func(a, b session.Row) bool {
			return gone(a) && gone(b) || a.Key == b.Key && gone(a) == gone(b)
		})
		if want = want && len(v.Counters) == 1+(step-1)/7%2; same != want {
			t.Fatalf("step %d: same %v, want %v", step, same, want)
		}
		moved, added := rows.Next(v)
		var wantAdded []int
		for i, r := range now {
			if j := find(before, r); !gone(r) && j < 0 {
				wantAdded = append(wantAdded, i)
			} else if !gone(r) && moved[j] != i {
				t.Fatalf("step %d: row %d is at %d, not %d", step, j, moved[j], i)
			}
		}
		for j, r := range before {
			if moved[j] >= 0 && (gone(r) || now[moved[j]].Key != r.Key) {
				t.Fatalf("step %d: row %d became another", step, j)
			}
		}
		if !slices.Equal(added, wantAdded) {
			t.Fatalf("step %d: new %v, want %v", step, added, wantAdded)
		}
		before = now
	}
}

// What views of a sampler tell of each other holds: rows that are said to be the same
// are, whatever comes, goes, is shown though it is gone, is read beside the beat, and
// whichever columns are asked for.
func TestRowsOfSampler(t *testing.T) {
	script := plain(fake.Fault{Window: during(40*time.Second, 43*time.Second), Set: "Set", Err: session.ErrDenied})
	rng := rand.New(rand.NewPCG(3, 4))
	for range 40 {
		from := time.Duration(rng.IntN(100)) * time.Second
		to := from + time.Duration(1+rng.IntN(30))*time.Second
		script.Sets[0].Rows = append(script.Sets[0].Rows, fake.Row{Name: string(rune('a' + rng.IntN(20))), Alive: during(from, to)})
	}
	onHost(t, script, func(r *rig) {
		one, two := r.ask("Set", "gauge"), r.ask("Set", "gauge", "rate")
		two.Combine = []session.Combine{{Name: "all"}}
		three := two
		three.Combine = []session.Combine{{Name: "each"}}
		f := r.feed(time.Second, keepAll(two))
		watched := [...]session.Rows{{}, {Ghosts: true}}
		var before *session.SetView
		sames := 0
		for step := range 120 {
			switch step % 20 {
			case 5:
				f.Ask([]session.Ask{keepAll(one)})
			case 12:
				f.Ask([]session.Ask{keepAll(two)})
			case 15:
				f.Ask([]session.Ask{keepAll(three)})
			case 17:
				f.SampleNow()
			}
			r.clock.Advance(700 * time.Millisecond)
			s := f.Take()
			if s == nil {
				continue
			}
			v := view(t, s)
			for i := range watched {
				rows := &watched[i]
				same := before != nil && slices.Equal(before.Counters, v.Counters) && slices.EqualFunc(before.Rows, v.Rows, func(a, b session.Row) bool {
					return a.Gone && b.Gone && !rows.Ghosts || a.Key == b.Key && a.Index == b.Index && (rows.Ghosts || a.Gone == b.Gone)
				})
				if rows.Same(v) != same {
					t.Errorf("step %d, ghosts %v: same %v", step, rows.Ghosts, !same)
				}
				if same {
					sames++
				}
				rows.Next(v)
			}
			r.Cleanup(s.Release)
			before = v
		}
		if sames < 20 {
			t.Errorf("%d views had the rows of the one before", sames)
		}
	})
}
