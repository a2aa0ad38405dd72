package session

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"perfdeck/cooker"
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

// Whoever comes, goes, moves or is flagged: a history is kept of those that match, and of
// nobody else.
func TestHistoryOfRowsThatMatch(t *testing.T) {
	set := &Counterset{Name: "Set", Instances: MultipleInstances, Counters: []Counter{{Name: "n", Type: cooker.CounterRawCount}}}
	match := func(in *Instance) bool { return in.Flags == 0 && in.Key.Name < "e" }
	tr := newTrack(Ask{Set: set, Counters: []int{0}, Keep: []Keep{{Counters: []int{0}, Match: match}}}, 10)
	r := rand.New(rand.NewPCG(3, 4))
	names := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
	flags := map[string]InstanceFlags{}
	there := slices.Clone(names)
	for sample := range uint64(3_000) {
		switch r.IntN(6) {
		case 0:
			r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
			there = names[:r.IntN(len(names)+1)]
		case 1:
			flags[names[r.IntN(len(names))]] ^= FlagBackground
		}
		b := &SetBatch{Set: set, Counters: []int{0}}
		for i, name := range there {
			b.Instances = append(b.Instances, Instance{Key: InstanceKey{Name: name}, Flags: flags[name]})
			b.Readings = append(b.Readings, cooker.Reading{Raw: 100*sample + uint64(i), Size: 8})
		}
		tr.cook(b, time.Unix(int64(sample), 0), sample, Rate{Interval: time.Second})
		for row := range tr.view.live {
			in := &tr.view.Rows[row].Instance
			kept := tr.view.Series(row, 0).Values
			if match(in) != (len(kept) > 0) {
				t.Fatalf("sample %d: of %q, flags %d, %d samples are kept", sample, in.Key.Name, in.Flags, len(kept))
			}
			if want := float32(100*sample + uint64(row)); len(kept) > 0 && kept[len(kept)-1] != want {
				t.Fatalf("sample %d: of %q the last one is %v, want %v", sample, in.Key.Name, kept[len(kept)-1], want)
			}
			if s := tr.series.byKey[seriesKey{in.Key, 0}]; s != nil && tr.rowOf(s) != row {
				t.Fatalf("sample %d: %q is taken to be in row %d, not %d", sample, in.Key.Name, tr.rowOf(s), row)
			}
		}
	}
}

// Of rows with one key the first has the history, whatever keeps it, and no other a part of it.
func TestHistoryOfRowsWithOneKey(t *testing.T) {
	set := &Counterset{Name: "Set", Instances: MultipleInstances, Counters: []Counter{{Name: "n", Type: cooker.CounterRawCount}}}
	all := func(*Instance) bool { return true }
	for name, keep := range map[string][]Keep{
		"matched": {{Counters: []int{0}, Match: all}},
		"twice":   {{Counters: []int{0}, Match: all}, {Counters: []int{0}, Match: all}},
		"busiest": {{Counters: []int{0}, Busiest: 3}},
		"both":    {{Counters: []int{0}, Match: all}, {Counters: []int{0}, Busiest: 3}},
	} {
		tr := newTrack(Ask{Set: set, Counters: []int{0}, Keep: keep}, 10)
		for sample := range uint64(5) {
			b := &SetBatch{Set: set, Counters: []int{0}}
			for i := range uint32(3) {
				b.Instances = append(b.Instances, Instance{Key: InstanceKey{Name: "a"}, Index: i})
				b.Readings = append(b.Readings, cooker.Reading{Raw: 10*sample + uint64(i), Size: 8})
			}
			tr.cook(b, time.Unix(int64(sample), 0), sample, Rate{Interval: time.Second})
		}
		for row, want := range [][]float32{{0, 10, 20, 30, 40}, nil, nil} {
			if got := tr.view.Series(row, 0).Values; !slices.Equal(got, want) {
				t.Errorf("%s: row %d has %v, want %v", name, row, got, want)
			}
		}
	}
}
