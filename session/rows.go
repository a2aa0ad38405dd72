package session

import (
	"math"
	"slices"
)

// Rows remembers the rows and columns of the views of one counterset, so that only
// rows that are new have to be matched by name.
type Rows struct {
	Ghosts bool // rows that are gone count as long as views show them

	ids      []rowID
	counters []int
	arranged *arrangement // nil: the view before had none
	moved    []int        // its memory is used again
	known    bool
}

// rowID tells a row of a view from others.
type rowID struct {
	key   InstanceKey
	index uint32
}

// GoneRow stands for a row that is not there any more.
const GoneRow = -1

// Known tells that there was a view.
func (r *Rows) Known() bool { return r.known }

// arrangement stands for which rows and columns views have, in which order: those of
// one track that have the same share one.
type arrangement struct{ _ byte }

// arrange settles the arrangement of a view behind another one of its track. same says
// that their live rows are.
func (v *SetView) arrange(before *SetView, same bool) {
	same = same && before != nil && before.arranged != nil && len(v.Rows) == len(before.Rows) && slices.Equal(v.Counters, before.Counters)
	for i := v.live; same && i < len(v.Rows); i++ {
		same = v.Rows[i].id() == before.Rows[i].id() && v.Rows[i].Gone == before.Rows[i].Gone
	}
	if !same {
		v.arranged = new(arrangement)
		return
	}
	v.arranged = before.arranged
}

// Same tells whether the rows and columns of a view are those of the one before.
func (r *Rows) Same(v *SetView) bool {
	if r.arranged != nil && r.arranged == v.arranged {
		return true
	}
	if !r.known || len(v.Rows) != len(r.ids) || !slices.Equal(v.Counters, r.counters) {
		return false
	}
	for i := range r.ids {
		if r.idOf(&v.Rows[i]) != r.ids[i] {
			return false
		}
	}
	r.arranged = v.arranged
	return true
}

// noRow stands for a row that does not count.
var noRow = rowID{index: math.MaxUint32}

func (r *Rows) idOf(row *Row) rowID {
	if row.Gone && !r.Ghosts {
		return noRow
	}
	return row.id()
}

// Next goes on to a view. It tells where the rows of the view before are now, and
// which are new; moved is good until the next call.
func (r *Rows) Next(v *SetView) (moved, added []int) {
	r.moved = slices.Grow(r.moved[:0], len(r.ids))[:len(r.ids)]
	moved = r.moved
	for i := range moved {
		moved[i] = GoneRow
	}
	next := 0
	for i := range v.Rows {
		id := r.idOf(&v.Rows[i])
		if id == noRow {
			continue
		}
		if at := r.ahead(next, id); at >= 0 {
			moved[at], next = i, at+1
		} else {
			added = append(added, i)
		}
	}
	added = r.findMoved(v, moved, added)
	r.known, r.arranged, r.ids, r.counters = true, v.arranged, r.ids[:0], append(r.counters[:0], v.Counters...)
	for i := range v.Rows {
		r.ids = append(r.ids, r.idOf(&v.Rows[i]))
	}
	return moved, added
}

func (row *Row) id() rowID { return rowID{row.Key, row.Index} }

// mostAhead is how many rows that left one behind the other are passed over at most.
const mostAhead = 8

// ahead finds a row among the next ones of the view before, -1 without: mostly rows
// keep their order, and few come or go.
func (r *Rows) ahead(next int, id rowID) int {
	for i := next; i < min(len(r.ids), next+mostAhead); i++ {
		if r.ids[i] == id {
			return i
		}
	}
	return -1
}

// findMoved finds rows that were in another place before, and returns those that are
// new indeed.
func (r *Rows) findMoved(v *SetView, moved, added []int) []int {
	if len(added) == 0 || !slices.Contains(moved, GoneRow) {
		return added
	}
	left := map[rowID]int{}
	for i, to := range moved {
		if to == GoneRow {
			left[r.ids[i]] = i
		}
	}
	return slices.DeleteFunc(added, func(row int) bool {
		was, ok := left[v.Rows[row].id()]
		if ok {
			moved[was] = row
		}
		return ok
	})
}
