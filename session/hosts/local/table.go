package local

import (
	"perfdeck/cooker"
	"perfdeck/session"
)

// counter is how one counter of a counterset is read. T is what is known about one
// instance after its files were read.
type counter[T any] struct {
	name  string
	needs uint32 // files read for it, in the bits of its collector
	read  func(*T) cooker.Reading
}

// column is one counter of a Want: how it is read, and whether its base is asked for.
type column[T any] struct {
	*counter[T]
	entry *session.Counter // in the catalogue; of a base, the one of its counter
	index int              // in Set.Counters
	base  bool
	of    session.Part
}

// columns finds how what is wanted is read.
func columns[T any](rows []counter[T], w *session.Want) []column[T] {
	cols := make([]column[T], 0, len(w.Counters))
	for at, index := range w.Counters {
		c := column[T]{entry: &w.Set.Counters[index], index: index, of: session.AllInstances}
		if w.Of != nil {
			c.of = w.Of[at]
		}
		if c.entry.ID >= baseOffset {
			c.entry, c.base = &w.Set.Counters[index-1], true
		}
		for i := range rows {
			if rows[i].name == c.entry.Name {
				c.counter = &rows[i]
				cols = append(cols, c)
				break
			}
		}
	}
	return cols
}

func needsOf[T any](cols []column[T]) (needs uint32) {
	for i := range cols {
		needs |= cols[i].needs
	}
	return needs
}

// appendRow adds the readings of one instance.
func appendRow[T any](b *session.SetBatch, cols []column[T], t *T) {
	for i := range cols {
		r := cols[i].read(t)
		if cols[i].base {
			r.Raw, r.Base = r.Base, 0
		}
		b.Readings = append(b.Readings, r)
	}
}

func raw(n uint64) cooker.Reading { return cooker.Reading{Raw: n, Size: 8} }

func ratio(n, base uint64) cooker.Reading {
	return cooker.Reading{Raw: n, Base: base, Size: 8, BaseSize: 8}
}

func missing(why cooker.Status) cooker.Reading { return cooker.Reading{State: why} }

// failed is the batch of a set of which nothing could be read.
func failed(b *session.SetBatch, clocks cooker.Clocks, err error) {
	b.Clocks, b.Err = clocks, err
}

// single is what collectors of countersets without instances share.
type single[T any] struct {
	rows  []counter[T]
	cols  []column[T]
	needs uint32
}

func (s *single[T]) choose(w *session.Want) {
	s.cols = columnsHere(s.rows, w)
	s.needs = needsOf(s.cols)
}

// fill adds the one row.
func (s *single[T]) fill(b *session.SetBatch, t *T) {
	b.Instances = append(b.Instances, session.Instance{})
	appendRow(b, s.cols, t)
}
