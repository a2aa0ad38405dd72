package replay

import (
	"sort"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/record/logs"
)

// window is the part of a recording that ends at the moment that is shown: the
// columns that somebody asked for, with as many samples as are kept.
type window struct {
	slots []slot // by column, ascending
	size  int    // samples that are kept
	times *session.Times
	next  uint64 // absolute number of the sample that comes next
	taken int    // samples since it was emptied

	newest, before time.Time // of the last two samples; zero: there is none

	weighings []*weighing
	byClock   map[clockOf]*weighing // of them, those that columns share
	last      clockOf               // that was looked up, and what was found: mostly the next one
	found     *weighing
}

// clockOf is a clock of a counterset.
type clockOf struct {
	set   *setColumns
	clock cooker.Clock
}

// weighing is how much samples count of the columns that are divided by one clock of a
// counterset, or of one with a base of its own.
type weighing struct {
	*session.Weights

	slots []int // which have the interval
}

// slot is one column of a window.
type slot struct {
	column int
	kind   cooker.CounterType
	typed  bool             // kind is known: raw samples can be cooked
	kept   *session.History // nil: only the newest value is kept

	value        cooker.Value
	older, newer logs.Raw // that value was cooked from
}

// want is a column that has to be in a window.
type want struct {
	column  int
	of      *setColumns // with its history, as that of a counter of these; nil: without
	counter int
}

// reset empties the window and makes it one of other columns.
func (w *window) reset(wants []want, columns []logs.Column, size int) {
	w.size, w.taken = size, 0
	w.newest, w.before = time.Time{}, time.Time{}
	w.times = session.NewTimes(size)
	w.slots, w.weighings, w.byClock, w.found = make([]slot, len(wants)), nil, map[clockOf]*weighing{}, nil
	for i, want := range wants {
		c := &columns[want.column]
		w.slots[i] = slot{column: want.column, kind: c.Type, typed: c.TypeKnown}
		if want.of != nil {
			w.slots[i].kept = session.NewHistory(size, c.Format(), w.weigh(want.of, &want.of.set.Counters[want.counter], i))
		}
	}
}

// weigh is how much samples of a counter count, which the slots tell; nil: all alike.
func (w *window) weigh(of *setColumns, c *session.Counter, slots ...int) *session.Weights {
	kind := weighedAs(c)
	clock, own := cooker.WeighedBy(kind)
	if !own && clock == cooker.ClockNone {
		return nil
	}
	one := w.found
	if key := (clockOf{of, clock}); own || one == nil || w.last != key {
		if one = w.byClock[key]; one == nil {
			one = &weighing{Weights: session.NewWeights(w.size, kind)}
			w.weighings = append(w.weighings, one)
		}
		if !own {
			w.byClock[key], w.last, w.found = one, key, one
		}
	}
	one.slots = append(one.slots, slots...)
	return one.Weights
}

// add takes the sample that the window took last.
func (g *weighing) add(w *window) {
	var in session.Interval
	if !w.before.IsZero() {
		in.Seconds = w.newest.Sub(w.before).Seconds()
	}
	for _, i := range g.slots {
		if s := &w.slots[i]; s.older.Known && s.newer.Known {
			in.Older, in.Newer, in.OlderClocks, in.NewerClocks = &s.older.Reading, &s.newer.Reading, &s.older.Clocks, &s.newer.Clocks
			break
		}
	}
	g.Add(&in)
}

// has tells whether the window has all of these columns.
func (w *window) has(wants []want) bool {
	for _, want := range wants {
		s := w.slotOf(want.column)
		if s == nil || want.of != nil && s.kept == nil {
			return false
		}
	}
	return true
}

// slotOf is the slot of a column, nil if it is not there.
func (w *window) slotOf(column int) *slot {
	i := sort.Search(len(w.slots), func(i int) bool { return w.slots[i].column >= column })
	if i < len(w.slots) && w.slots[i].column == column {
		return &w.slots[i]
	}
	return nil
}

// slotsOf are the slots of cells.
func (w *window) slotsOf(cells []cell) []*slot {
	var slots []*slot
	for _, c := range cells {
		slots = append(slots, w.slotOf(int(c.column)))
	}
	return slots
}

// addRow takes a sample.
func (w *window) addRow(row *logs.Row) {
	w.before, w.newest = w.newest, row.Time
	w.times.Add(row.Time)
	w.next++
	w.taken++
	for i := range w.slots {
		s := &w.slots[i]
		s.addRow(row)
		if s.kept != nil {
			s.kept.Add(s.value)
		}
	}
	for i := range w.weighings {
		w.weighings[i].add(w)
	}
}

// number sets the absolute number of the sample that comes next.
func (w *window) number(next uint64) { w.next = max(next, uint64(w.taken)) }

// addRow takes the cell of a row.
func (s *slot) addRow(row *logs.Row) {
	s.older = s.newer
	s.newer = logs.Raw{}
	if len(row.Raw) > 0 {
		s.newer = row.Raw[s.column]
	}
	s.value = s.cook(row.Values[s.column])
}

// cook makes the value anew of the raw samples where they are known, so that it
// can be explained by them. What has no value by the recording stays without one,
// and what the raw samples do not give is as it was recorded: the recorder knew a
// sample before the first, and judged a wrap by more than two.
func (s *slot) cook(recorded cooker.Value) cooker.Value {
	if !s.typed || !s.newer.Known || !recorded.Valid() {
		return recorded
	}
	var prev *cooker.Reading
	if s.older.Known {
		prev = &s.older.Reading
	}
	v := cooker.Cook(s.kind, prev, &s.newer.Reading, &s.older.Clocks, &s.newer.Clocks, nil)
	if _, ok := v.Float(); !ok || v.Status() == cooker.OKWrap {
		return recorded
	}
	return v
}
