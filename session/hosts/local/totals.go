package local

import (
	"math/bits"

	"perfdeck/cooker"
)

// totals makes the row that stands for all instances, as _Total. What counts
// up is accumulated by the growth of instances seen in both reads: a plain sum
// would fall when an instance leaves.
type totals struct {
	countNew bool // a new instance adds its whole count: it was born since the last read

	cols []totalColumn
	last []pair // by slot and column: what was read last
	have []bool // the same: something was read
	sums []pair // of the read under way
}

type totalColumn struct {
	index  int // in Set.Counters, to follow a column from one Select to the next
	rule   cooker.AggregateFunc
	counts bool // counts up, so that growth is added instead of the number
	fresh  bool // not read since it was selected
	acc    pair
	number uint64 // of instances that gave a value in this read
	fell   bool   // an instance's count did in this read
	why    cooker.Status
}

type pair struct{ raw, base uint64 }

// choose sets the columns and keeps what was known of those that stay.
func chooseTotals[T any](t *totals, cols []column[T]) {
	old, stride := t.cols, len(t.cols)
	slots := 0
	if stride > 0 {
		slots = len(t.last) / stride
	}
	last, have := t.last, t.have
	t.cols = make([]totalColumn, len(cols))
	t.sums = make([]pair, len(cols))
	t.last, t.have = make([]pair, slots*len(cols)), make([]bool, slots*len(cols))
	for i, c := range cols {
		t.cols[i] = totalColumn{index: c.index, rule: c.entry.Aggregate, counts: counts(c.entry.Type), fresh: true}
		for j := range old {
			if old[j].index != c.index {
				continue
			}
			t.cols[i].acc, t.cols[i].fresh = old[j].acc, old[j].fresh
			for s := range slots {
				t.last[s*len(cols)+i], t.have[s*len(cols)+i] = last[s*stride+j], have[s*stride+j]
			}
			break
		}
	}
}

// counts says that a raw value of this type counts up.
func counts(t cooker.CounterType) bool {
	info, _ := t.Info()
	return info.Samples == 2
}

// begin starts a read of instances in slots 0 to slots-1.
func (t *totals) begin(slots int) {
	n := slots * len(t.cols)
	for len(t.last) < n {
		t.last, t.have = append(t.last, pair{}), append(t.have, false)
	}
	for i := range t.cols {
		t.cols[i].number, t.cols[i].fell, t.cols[i].why = 0, false, cooker.Unavailable
		t.sums[i] = pair{}
	}
}

// forget empties a slot before another instance takes it.
func (t *totals) forget(slot int) {
	n := len(t.cols)
	if from := slot * n; from+n <= len(t.have) {
		clear(t.have[from : from+n])
	}
}

// add counts the row of the instance in a slot.
func (t *totals) add(slot int, row []cooker.Reading) {
	from := slot * len(t.cols)
	for i := range t.cols {
		c, r := &t.cols[i], &row[i]
		if r.State != cooker.OK {
			c.why = r.State
			if r.State == cooker.NegativeValue {
				c.fell, t.last[from+i] = true, pair{r.Raw, r.Base}
			}
			continue
		}
		now := pair{r.Raw, r.Base}
		last, have := &t.last[from+i], &t.have[from+i]
		switch {
		case !c.counts || c.fresh:
			t.sums[i].plus(now)
			c.number++
		case *have:
			t.sums[i].plus(pair{grown(last.raw, now.raw), grown(last.base, now.base)})
			c.fell = c.fell || now.raw < last.raw || now.base < last.base
			c.number++
		case t.countNew:
			t.sums[i].plus(now)
			c.number++
		}
		*last, *have = now, true
	}
}

// appendTo ends the read and adds its row.
func (t *totals) appendTo(readings []cooker.Reading) []cooker.Reading {
	for i := range t.cols {
		readings = append(readings, t.cols[i].end(t.sums[i]))
	}
	return readings
}

func (c *totalColumn) end(sum pair) cooker.Reading {
	if c.rule == cooker.AggregateAverage && c.number > 1 {
		sum = pair{sum.raw / c.number, sum.base / c.number}
	}
	switch {
	case c.rule == cooker.AggregateNone:
		return missing(cooker.Unavailable)
	case !c.counts:
		c.acc = sum
	case c.fresh && c.number > 0:
		c.acc, c.fresh = sum, false
	case c.fell: // what it did since the last read nobody knows: so it is with the sum
		c.acc = pair{below(c.acc.raw), below(c.acc.base)}
	case !c.fresh:
		c.acc.plus(sum)
	}
	if c.number == 0 && (c.fresh || !c.counts) {
		return missing(c.why)
	}
	return ratio(c.acc.raw, c.acc.base)
}

func (p *pair) plus(q pair) {
	p.raw += q.raw
	p.base += q.base
}

// below is where a count goes on that begins anew: at nearly nothing, and below n whatever
// that is, so that all who take differences see it fall.
func below(n uint64) uint64 {
	const nearlyNothing = 1 << 20
	return grown(1, min(n, nearlyNothing))
}

// sumOf adds up columns. Where one of them fell since the read before, and the growth of
// others would hide it, the reading says so.
func sumOf(now, before []uint64, unit uint64, columns []int) cooker.Reading {
	var sum, was uint64
	fell := false
	for _, c := range columns {
		sum, was = sum+now[c], was+before[c]
		fell = fell || now[c] < before[c]
	}
	r := raw(sum * unit)
	if fell && sum >= was {
		r.State = cooker.NegativeValue
	}
	return r
}

// grown is how much a count rose. One that fell began anew or is one of those
// that the kernel does not keep steady: it adds nothing.
func grown(from, to uint64) uint64 {
	if to < from {
		return 0
	}
	return to - from
}

// share is n*part/whole without overflow, for part <= whole and whole > 0.
func share(n, part, whole uint64) uint64 {
	hi, lo := bits.Mul64(n, part)
	q, _ := bits.Div64(hi, lo, whole)
	return q
}
