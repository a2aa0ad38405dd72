package sqlite

import (
	"database/sql/driver"

	"perfdeck/cooker"
	"perfdeck/session/files/logs"
)

// newSet begins a set.
func (w *writer) newSet(h *logs.Header, name string) error {
	return w.atOnce(func() (err error) {
		if w.set, err = w.db.number("SELECT coalesce(max(SetNo) + 1, 0) FROM PerfdeckLog"); err != nil {
			return err
		}
		if w.set >= mostSetNo {
			return &logs.FileError{File: w.name, Err: errManySets}
		}
		err = w.db.exec("INSERT INTO PerfdeckLog VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0)",
			w.set, int64(packedVersion), logs.NewGUID(), name, int64(h.Zone.Bias), h.Zone.Name, asInt(h.Zone.Known), h.Caption)
		if err != nil {
			return err
		}
		return w.addColumns(h.Columns)
	})
}

// AddColumns puts columns behind the others.
func (w *writer) AddColumns(columns []logs.Column) error {
	if w.err != nil {
		return w.err
	}
	return w.atOnce(func() error { return w.addColumns(columns) })
}

func (w *writer) addColumns(columns []logs.Column) error {
	known, err := w.knownDetails()
	if err != nil {
		return err
	}
	for i := range columns {
		c := sqliteColumn{Column: columns[i], state: logs.ColumnState{Status: cooker.Gap}}
		w.assignSlots(&c)
		key := detailsKey{detailsOf(c.Path), c.StoredType(), int64(c.DefaultScale)}
		if ids := known[key]; len(ids) > 0 {
			c.id, known[key] = ids[0], ids[1:]
		} else if c.id, err = w.addDetails(key); err != nil {
			return err
		}
		err := w.db.exec("INSERT INTO PerfdeckSlot VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
			w.set, int64(len(w.columns)), c.id, c.Path, asInt(c.TypeKnown), int64(int32(c.BaseType)), int64(c.slot), slotCell(c.second), slotCell(c.multi))
		if err != nil {
			return err
		}
		if c.Attributes != 0 {
			if err := w.db.exec("INSERT INTO PerfdeckDisplay VALUES (?, ?, ?, ?)", w.set, int64(len(w.columns)), int64(c.Attributes), int64(c.HexWidth)); err != nil {
				return err
			}
		}
		w.columns = append(w.columns, c)
	}
	if w.slots > mostSlots {
		return &logs.FileError{File: w.name, Err: errManyColumns}
	}
	w.widen()
	return nil
}

// noSlot is the slot of what a counter does not have.
const noSlot = -1

func slotCell(slot int) driver.Value {
	if slot == noSlot {
		return nil
	}
	return int64(slot)
}

// assignSlots gives a column its slots: its own, and those of what its raw values are divided
// by. Counters of an object share a clock.
func (w *writer) assignSlots(c *sqliteColumn) {
	take := func() int {
		w.slots++
		return w.slots - 1
	}
	c.slot, c.second, c.multi = take(), noSlot, noSlot
	if !c.TypeKnown {
		return
	}
	info, _ := c.Type.Info()
	switch {
	case info.Base == cooker.BaseDivisor || info.Base == cooker.BaseClock:
		c.second = take()
	case info.Clock == cooker.ClockPerf || info.Clock == cooker.Clock100ns || info.Clock == cooker.ClockObject:
		d := detailsOf(c.Path)
		key := clockKey{d.machine, d.object, info.Clock}
		slot, known := w.clocks[key]
		if !known {
			slot = take()
			w.clocks[key] = slot
		}
		c.second = slot
	}
	if info.Base == cooker.BaseMulti {
		c.multi = take()
	}
}

// clockKey is what counters have in common whose samples were read by one clock.
type clockKey struct {
	machine, object string
	clock           cooker.Clock
}

// widen makes room for all slots.
func (w *writer) widen() {
	rows := (w.slots + slotsPerRow - 1) / slotsPerRow
	more := rows*slotsPerRow - len(w.bases)
	w.cells = append(w.cells, make([]driver.NamedValue, rows*packedWidth-len(w.cells))...)
	w.bases, w.hasBase = append(w.bases, make([]int64, more)...), append(w.hasBase, make([]bool, more)...)
	for i := range w.cells {
		w.cells[i].Ordinal = i%packedWidth + 1
	}
}

// detailsKey is a row of PerfdeckDetails without its CounterID.
type detailsKey struct {
	details

	counterType cooker.CounterType
	scale       int64
}

// knownDetails are the rows of PerfdeckDetails that this set does not use, by what
// they say: sets share them.
func (w *writer) knownDetails() (map[detailsKey][]int64, error) {
	mine := map[int64]bool{}
	for i := range w.columns {
		mine[w.columns[i].id] = true
	}
	known := map[detailsKey][]int64{}
	err := w.db.each(selectDetails(packedLayout)+" ORDER BY CounterID", nil, func(r *results) error {
		id, d, t, scale := readDetails(r)
		if !mine[id] {
			key := detailsKey{d, t, scale}
			known[key] = append(known[key], id)
		}
		return nil
	})
	return known, err
}

// addDetails adds a row to PerfdeckDetails and returns its CounterID.
func (w *writer) addDetails(k detailsKey) (int64, error) {
	values := []driver.Value{k.machine, k.object, k.counter, int64(int32(k.counterType)), k.scale, nil, nil, nil}
	if k.hasInstance {
		values[5], values[6] = k.instance, k.index
		if k.parent != "" {
			values[7] = k.parent
		}
	}
	return w.db.number(`INSERT INTO PerfdeckDetails
		(MachineName, ObjectName, CounterName, CounterType, DefaultScale, InstanceName, InstanceIndex, ParentName)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING CounterID`, values...)
}
