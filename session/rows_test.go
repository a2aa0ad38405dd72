package session_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"perfdeck/session"
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
			if rng.IntN(5) == 0 {
				rng.Shuffle(len(now), func(i, j int) { now[i], now[j] = now[j], now[i] })
			}
		}
		v := &session.SetView{Rows: now, Counters: columns[:1+step/7%2]}
		same, want := rows.Same(v), rows.Known() && slices.Equal(before, now) && !slices.ContainsFunc(now, gone)
		if want = want && len(v.Counters) == 1+(step-1)/7%2; same != want {
			t.Fatalf("step %d: same %v, want %v", step, same, want)
		}
		moved, added := rows.Next(v)
		var wantAdded []int
		for i, r := range now {
			if j := slices.Index(before, r); !gone(r) && j < 0 {
				wantAdded = append(wantAdded, i)
			} else if !gone(r) && moved[j] != i {
				t.Fatalf("step %d: row %d is at %d, not %d", step, j, moved[j], i)
			}
		}
		for j, r := range before {
			if moved[j] >= 0 && now[moved[j]] != r {
				t.Fatalf("step %d: row %d became another", step, j)
			}
		}
		if !slices.Equal(added, wantAdded) {
			t.Fatalf("step %d: new %v, want %v", step, added, wantAdded)
		}
		before = now
	}
}
