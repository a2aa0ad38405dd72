package session

import (
	"cmp"
	"slices"
)

// seriesKey is what a history is of.
type seriesKey struct {
	instance InstanceKey
	counter  int
}

// histories are those that a track keeps. Nearly always the next one that is asked for is
// the one that was listed behind the last: then it is not looked up.
type histories struct {
	byKey map[seriesKey]*series
	list  []*series // the same, by row and counter where they were listed last; new ones behind
	next  int       // place in list of the one that is expected
}

func newHistories() histories { return histories{byKey: map[seriesKey]*series{}} }

// find is the history of a counter of an instance, nil where none is kept.
func (h *histories) find(key seriesKey) *series {
	if h.next < len(h.list) && h.list[h.next].key == key {
		h.next++
		return h.list[h.next-1]
	}
	s := h.byKey[key]
	if s != nil {
		h.next = s.place + 1
	}
	return s
}

// add keeps one more.
func (h *histories) add(s *series) {
	h.byKey[s.key] = s
	s.place = len(h.list)
	h.list = append(h.list, s)
}

// drop forgets those of which gone is true.
func (h *histories) drop(gone func(*series) bool) {
	h.list = slices.DeleteFunc(h.list, func(s *series) bool {
		if !gone(s) {
			return false
		}
		delete(h.byKey, s.key)
		return true
	})
}

// order brings the list into the order of rows and counters.
func (h *histories) order() {
	byRow := func(a, b *series) int {
		return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.key.counter, b.key.counter))
	}
	if !slices.IsSortedFunc(h.list, byRow) {
		slices.SortStableFunc(h.list, byRow)
	}
	for i, s := range h.list {
		s.place = i
	}
	h.next = 0
}
