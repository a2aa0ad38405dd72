package logs

import (
	"database/sql/driver"

	"perfdeck/cooker"
)

// newSet begins a set.
func (w *sqliteWriter) newSet(h *Header, name string) error {
	w.guid = newGUID()
	return w.atOnce(func() error {
		if err := w.db.exec("INSERT INTO DisplayToID VALUES (?, 0, ?, NULL, NULL, 0, ?, ?)", w.guid, name, int64(h.Zone.Bias), h.Zone.Name); err != nil {
			return err
		}
		if err := w.db.exec("INSERT INTO PerfdeckSet VALUES (?, ?, ?, ?)", w.guid, int64(sqliteVersion), h.Caption, asInt(h.Zone.Known)); err != nil {
			return err
		}
		return w.addColumns(h.Columns)
	})
}

// AddColumns puts columns behind the others.
func (w *sqliteWriter) AddColumns(columns []Column) error {
	if w.err != nil {
		return w.err
	}
	return w.atOnce(func() error { return w.addColumns(columns) })
}

func (w *sqliteWriter) addColumns(columns []Column) error {
	known, err := w.knownDetails()
	if err != nil {
		return err
	}
	for i := range columns {
		c := sqliteColumn{Column: columns[i], state: columnState{status: cooker.Gap}}
		key := detailsKey{detailsOf(c.Path), c.storedType(), int64(c.DefaultScale)}
		if ids := known[key]; len(ids) > 0 {
			c.id, known[key] = ids[0], ids[1:]
		} else if c.id, err = w.addDetails(key); err != nil {
			return err
		}
		err := w.db.exec("INSERT INTO PerfdeckColumn VALUES (?, ?, ?, ?, ?, ?)",
			w.guid, int64(len(w.columns)), c.id, c.Path, asInt(c.TypeKnown), int64(int32(c.BaseType)))
		if err != nil {
			return err
		}
		w.columns = append(w.columns, c)
	}
	return nil
}

// storedType is the CounterType of CounterDetails: a plain number where none is
// known.
func (c *Column) storedType() cooker.CounterType {
	if !c.TypeKnown {
		return cooker.CounterRawCount
	}
	return c.Type
}

// detailsKey is a row of CounterDetails without its CounterID.
type detailsKey struct {
	details

	counterType cooker.CounterType
	scale       int64
}

// knownDetails are the rows of CounterDetails that this set does not use, by what
// they say: sets share them.
func (w *sqliteWriter) knownDetails() (map[detailsKey][]int64, error) {
	mine := map[int64]bool{}
	for i := range w.columns {
		mine[w.columns[i].id] = true
	}
	known := map[detailsKey][]int64{}
	err := w.db.each(selectDetails+" ORDER BY CounterID", nil, func(r *results) error {
		id, d, t, scale := readDetails(r)
		if !mine[id] {
			key := detailsKey{d, t, scale}
			known[key] = append(known[key], id)
		}
		return nil
	})
	return known, err
}

// addDetails adds a row to CounterDetails and returns its CounterID.
func (w *sqliteWriter) addDetails(k detailsKey) (int64, error) {
	values := []driver.Value{k.machine, k.object, k.counter, int64(int32(k.counterType)), k.scale, nil, nil, nil}
	if k.hasInstance {
		values[5], values[6] = k.instance, k.index
		if k.parent != "" {
			values[7] = k.parent
		}
	}
	return w.db.number(`INSERT INTO CounterDetails
		(MachineName, ObjectName, CounterName, CounterType, DefaultScale, InstanceName, InstanceIndex, ParentName)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING CounterID`, values...)
}
