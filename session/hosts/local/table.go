package local

import (
	"perfdeck/cooker"
	"perfdeck/session"
)

// counter is one row of a counterset's table. T is what is known about one
// instance after its files were read.
type counter[T any] struct {
	id    uint32
	name  string
	kind  cooker.CounterType
	scale int
	about string // one line
	total totalRule
	needs uint32 // files read for it, in the bits of its collector
	read  func(*T) cooker.Reading
}

// totalRule says what an instance that stands for others shows.
type totalRule uint8

const (
	totalSum  totalRule = iota // gauges added up, rates by their growth
	totalMean                  // the same, divided by the number of instances
	totalNone                  // nothing: sums have no meaning
)

func (r totalRule) aggregate() cooker.AggregateFunc {
	switch r {
	case totalSum:
		return cooker.AggregateTotal
	case totalMean:
		return cooker.AggregateAverage
	case totalNone:
	}
	return cooker.AggregateNone
}

// baseOffset is added to a counter's id for the id of its base.
const baseOffset = 100_000

// describe fills the counters of a set from its table. The base of a counter
// follows it, as in the registry of Windows.
func describe[T any](set *session.Counterset, rows []counter[T]) *session.Counterset {
	set.Provider = "local"
	for i := range rows {
		r := &rows[i]
		c := session.Counter{
			ID: r.id, Name: r.name, Description: r.about, Type: r.kind,
			Quantity: cooker.QuantityIn(r.kind, set.Name, r.name), Aggregate: r.total.aggregate(),
			DefaultScale: r.scale, Detail: session.DetailNovice,
			BaseID: session.NoID, PerfTimeID: session.NoID, PerfFreqID: session.NoID, MultiID: session.NoID,
		}
		info, _ := r.kind.Info()
		if info.Base != cooker.BaseNone {
			c.BaseID = r.id + baseOffset
		}
		set.Counters = append(set.Counters, c)
		if info.Base == cooker.BaseNone {
			continue
		}
		c.ID, c.BaseID, c.Name, c.Type = c.BaseID, session.NoID, c.Name+"_Base", info.BaseType
		c.Description, c.DefaultScale, c.Attributes = "Base of "+r.name, 0, cooker.NoDisplay
		c.Quantity = cooker.QuantityIn(c.Type, set.Name, c.Name)
		set.Counters = append(set.Counters, c)
	}
	return set
}

// column is one counter of a Want: its row, and whether its base is asked for.
type column[T any] struct {
	*counter[T]
	index int // in Set.Counters
	base  bool
	of    session.Part
}

// columns finds the rows of what is wanted.
func columns[T any](rows []counter[T], w *session.Want) []column[T] {
	cols := make([]column[T], 0, len(w.Counters))
	for at, index := range w.Counters {
		of := session.AllInstances
		if w.Of != nil {
			of = w.Of[at]
		}
		id, base := w.Set.Counters[index].ID, false
		if id >= baseOffset {
			id, base = id-baseOffset, true
		}
		for i := range rows {
			if rows[i].id == id {
				cols = append(cols, column[T]{&rows[i], index, base, of})
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
