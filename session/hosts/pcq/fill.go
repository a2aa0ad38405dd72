package pcq

import (
	"cmp"
	"slices"

	"perfdeck/cooker"
	"perfdeck/session"
)

// fill answers a want from what was read.
func (w *want) fill(b *session.SetBatch, clocks cooker.Clocks) {
	a := w.asked
	if a.err != nil {
		b.Err = a.err
		return
	}
	b.Clocks = clocks
	timeAt, freqAt := a.place(w.time), a.place(w.freq)
	objTime, objFreq := a.objectClock(timeAt, freqAt)
	w.toldAt(b)
	b.Clocks.ObjTime, b.Clocks.ObjFreqHz = objTime, objFreq
	width := len(w.columns)
	n := len(a.table.rows) * width
	b.Readings = slices.Grow(b.Readings[:0], n)[:n]
	for i := range a.table.rows {
		b.Instances = append(b.Instances, a.table.rows[i].Instance)
		// All have one object clock, but where each has moments of its own: rows with another have none.
		time, freq := a.numberAt(i, timeAt), a.numberAt(i, freqAt)
		if i < len(b.Moments) {
			b.Moments[i].ObjTime, b.Moments[i].ObjFreqHz = time.value, freq.value
		}
		clocks := b.ClocksOf(i)
		inStep := time.number() && time.value == clocks.ObjTime && freq.value == clocks.ObjFreqHz
		cells := a.cells[i*len(a.ids) : (i+1)*len(a.ids)]
		out := b.Readings[i*width : (i+1)*width]
		for c := range w.columns {
			col := &w.columns[c]
			if raw := &cells[col.at]; col.plain && raw.number() {
				out[c] = cooker.Reading{Raw: raw.value, Size: raw.size}
			} else {
				out[c] = col.reading(a, b, cells, inStep)
			}
		}
	}
}

// toldAt takes the clocks that go along with values for those of the reply: the newest for all, and
// for each instance its own where they are not the same.
func (w *want) toldAt(b *session.SetBatch) {
	if !w.Set.Told {
		return
	}
	for row := range w.asked.table.rows {
		var told [len(w.moment)]uint64
		for i, id := range w.moment {
			c := w.asked.numberAt(row, w.asked.place(id))
			if !c.number() {
				b.Moments = b.Moments[:0]
				return
			}
			told[i] = c.value
		}
		b.Moments = append(b.Moments, cooker.Clocks{PerfTime: told[0], PerfFreqHz: told[1], Time100ns: told[2]})
	}
	if len(b.Moments) == 0 {
		return
	}
	b.Clocks = slices.MaxFunc(b.Moments, func(x, y cooker.Clocks) int { return cmp.Compare(x.PerfTime, y.PerfTime) })
	if !slices.ContainsFunc(b.Moments, func(c cooker.Clocks) bool { return c != b.Clocks }) {
		b.Moments = b.Moments[:0]
	}
}

// objectClock is the clock of the first instance that has one; totals may not.
func (a *asked) objectClock(timeAt, freqAt int) (ticks, freqHz uint64) {
	if timeAt < 0 {
		return 0, 0
	}
	for i := range a.table.rows {
		if t := a.numberAt(i, timeAt); t.value != 0 {
			return t.value, a.numberAt(i, freqAt).value
		}
	}
	return 0, 0
}

// numberAt is a value of a row; it is empty where at is -1 or it is no number.
func (a *asked) numberAt(row, at int) cell {
	if at < 0 {
		return cell{}
	}
	if c := a.cells[row*len(a.ids)+at]; c.number() {
		return c
	}
	return cell{}
}

// reading makes the raw sample of a column that is not there, a text, or needs others.
func (c *column) reading(a *asked, b *session.SetBatch, cells []cell, inStep bool) cooker.Reading {
	raw := cells[c.at]
	switch {
	case raw.number():
	case raw.size == noValue && (!c.undated || a.why[c.at] != cooker.Gone):
		return cooker.Reading{State: a.why[c.at]}
	case raw.size == isText:
		return b.TextReading(a.text[raw.value])
	case c.undated:
		return cooker.Reading{State: cooker.FirstSample}
	default:
		return cooker.Reading{State: cooker.Unavailable}
	}
	r := cooker.Reading{Raw: raw.value, Size: raw.size}
	if c.needBase {
		base := cell{}
		if c.baseAt >= 0 {
			base = cells[c.baseAt]
		}
		if base.number() {
			r.Base, r.BaseSize = base.value, base.size
		} else {
			r.State = cooker.NoBase
		}
	}
	switch offClock := !inStep && c.onClock; {
	case c.ownClockless || offClock && c.needBase:
		// Without base it would be cooked with a clock that is not its own.
		r.State = cooker.Unavailable
	case c.clockless || offClock:
		r.State = cooker.NoBase
	}
	return r
}
