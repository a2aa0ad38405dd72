package session

import "slices"

// Rows remembers the rows and columns of the views of one counterset, so that only
// rows that are new have to be matched by name.
type Rows struct {
	Ghosts bool // rows that are gone count as long as views show them

	ids      []rowID
	counters []int
	moved    []int // its memory is used again
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

// Same tells whether the rows and columns of a view are those of the one before.
func (r *Rows) Same(v *SetView) bool {
	if !r.known || len(v.Rows) != len(r.ids) || !slices.Equal(v.Counters, r.counters) {
		return false
	}
	for i := range r.ids {
		if row := &v.Rows[i]; row.Key != r.ids[i].key || row.Index != r.ids[i].index || !r.counts(row) {
			return false
		}
	}
	return true
}

func (r *Rows) counts(row *Row) bool { return !row.Gone || r.Ghosts }

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
		row := &v.Rows[i]
		if !r.counts(row) {
			continue
		}
		if at := r.ahead(next, row.id()); at >= 0 {
			moved[at], next = i, at+1
		} else {
			added = append(added, i)
		}
	}
	added = r.findMoved(v, moved, added)
	r.known, r.ids, r.counters = true, r.ids[:0], append(r.counters[:0], v.Counters...)
	for i := range v.Rows {
		r.ids = append(r.ids, v.Rows[i].id())
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
