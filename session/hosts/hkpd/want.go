package hkpd

import (
	"fmt"
	"slices"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/wire/perflib"
)

// Bounds of what one object may hold.
const maxCells = 4 << 20

// want is a session.Want with what it takes to answer it.
type want struct {
	session.Want
	index   int   // in the batch
	err     error // why nothing can be asked for it
	object  *object
	columns []column
	placed  bool // the columns are in the host's description
	pace    pace
}

// column is a counter of a want, and where the host has it.
type column struct {
	at, base int // positions in the object; -1: not there
	isText   bool
	needBase bool // it is cooked with a base
	onClock  bool // and with the object's own clock
}

// newWant checks what is wanted. The set need not be of this source's catalogue:
// its title index and the numbers of its counters are what counts.
func newWant(index int, w *session.Want) *want {
	out := &want{Want: *w, index: index}
	switch {
	case w.Set == nil:
		out.err = errNoSet
	case w.Set.V1Index == 0:
		out.err = fmt.Errorf("select %s: it has no title index", w.Set.Name)
	default:
		for _, i := range w.Counters {
			if i < 0 || i >= len(w.Set.Counters) {
				out.err = fmt.Errorf("select %s: no counter %d", w.Set.Name, i)
			}
		}
	}
	return out
}

// place looks up where the host has the counters.
func (w *want) place(list []perflib.V1Counter) {
	w.columns = w.columns[:0]
	w.placed = len(w.Counters) == 0
	for _, i := range w.Counters {
		col := columnOf(list, &w.Set.Counters[i])
		w.columns = append(w.columns, col)
		w.placed = w.placed || col.at >= 0
	}
}

func columnOf(list []perflib.V1Counter, c *session.Counter) column {
	col := column{at: find(list, c), base: -1, isText: c.Type.IsText()}
	info, _ := c.Type.Info()
	col.needBase = info.Base != cooker.BaseNone
	if col.at >= 0 && col.needBase {
		col.base = perflib.V1Base(list, col.at)
	}
	stamped := info.Base == cooker.BaseClock && col.base >= 0 // a timer with a clock of its own
	col.onClock = info.Clock == cooker.ClockObject && !stamped
	return col
}

// find gives the position of a counter, -1 if the host has it not, or of another
// type: its values would be cooked wrongly.
func find(list []perflib.V1Counter, c *session.Counter) int {
	at := int(c.ID &^ byPosition)
	if c.ID < byPosition {
		at = slices.IndexFunc(list, func(o perflib.V1Counter) bool { return o.NameIndex == c.ID })
	}
	if at < 0 || at >= len(list) || list[at].Type != c.Type {
		return -1
	}
	return at
}

// fill answers a want from what was read.
func (w *want) fill(o *object, b *session.SetBatch, clocks cooker.Clocks) error {
	raw := &o.raw
	b.Clocks = clocks
	b.Clocks.ObjTime, b.Clocks.ObjFreqHz = raw.PerfTime, raw.PerfFreqHz
	width, rows := len(w.columns), len(o.table.rows)
	if width*rows > maxCells {
		return fmt.Errorf("read %s: %d instances are too many", w.Set.Name, rows)
	}
	o.texts.Forget(rows * len(o.counters))
	b.Readings = slices.Grow(b.Readings[:0], width*rows)
	it := raw.Instances()
	for i := range rows {
		if !it.Next() {
			break
		}
		b.Instances = append(b.Instances, o.table.rows[i].Instance)
		for c := range w.columns {
			col := &w.columns[c]
			if col.isText && col.at >= 0 {
				b.Readings = append(b.Readings, o.text(col.at, it.Data, b))
			} else {
				b.Readings = append(b.Readings, col.reading(o, it.Data))
			}
		}
	}
	if len(b.Instances) == 0 && raw.Err() != nil {
		return fmt.Errorf("read %s: %w", w.Set.Name, raw.Err())
	}
	return nil
}

// text makes the sample of a text counter from the values of an instance.
func (o *object) text(at int, block []byte, b *session.SetBatch) cooker.Reading {
	text, ok := o.texts.V1(&o.raw, &o.counters[at], block)
	if !ok {
		return cooker.Reading{State: cooker.Unavailable}
	}
	return b.TextReading(text)
}

// reading makes the raw sample of a column from the values of an instance.
func (c *column) reading(o *object, block []byte) (r cooker.Reading) {
	if c.at < 0 {
		return cooker.Reading{State: cooker.Unavailable}
	}
	if r.Raw, r.Size = o.counters[c.at].Value(block); r.Size == 0 {
		return cooker.Reading{State: cooker.Unavailable}
	}
	if c.needBase {
		if c.base >= 0 {
			r.Base, r.BaseSize = o.counters[c.base].Value(block)
		}
		if r.BaseSize == 0 {
			r.State = cooker.NoBase
		}
	}
	if c.onClock && o.raw.PerfTime == 0 {
		r.State = cooker.NoBase
	}
	return r
}
