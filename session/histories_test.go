package session

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

// Whatever is asked for in whatever order, what is found is what was added.
func TestHistoriesFind(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	h := newHistories()
	have := map[seriesKey]*series{}
	keyOf := func(n int) seriesKey {
		return seriesKey{InstanceKey{Name: "p" + strconv.Itoa(n%7), ID: uint64(n % 13)}, n % 3}
	}
	for range 5_000 {
		switch n := r.IntN(60); r.IntN(10) {
		case 0:
			h.drop(func(s *series) bool { return s.key == keyOf(n) })
			delete(have, keyOf(n))
		case 1:
			for _, s := range h.list {
				s.row = r.IntN(9)
			}
			h.order()
		default:
			for k := n; k < n+r.IntN(12); k++ {
				s := h.find(keyOf(k))
				if s != have[keyOf(k)] {
					t.Fatalf("key %v: found another", keyOf(k))
				}
				if s == nil {
					s = &series{key: keyOf(k)}
					h.add(s)
					have[s.key] = s
				}
			}
		}
		if len(h.list) != len(have) || len(h.byKey) != len(have) || slices.Contains(h.list, nil) {
			t.Fatalf("%d listed, %d by key, want %d", len(h.list), len(h.byKey), len(have))
		}
	}
}
