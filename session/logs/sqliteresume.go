package logs

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"time"
)

var (
	errNoSet   = errors.New("there is no set of samples in the file")
	errForeign = errors.New("the set was written by another program")

	errManySets    = fmt.Errorf("more than %d sets", mostSets)
	errManyColumns = fmt.Errorf("more than %d counters, or more than %d MiB of their names", mostColumns, mostNameBytes>>20)
)

const selectDetails = `SELECT CounterID, MachineName, ObjectName, CounterName, CounterType, DefaultScale, InstanceName, InstanceIndex, ParentName FROM CounterDetails`

// continueSet goes on with a set: with the one that is named, or with the newest.
// A set of another name than those that are there is begun.
func (w *sqliteWriter) continueSet(h *Header, o WriteOptions) (Tail, error) {
	set, err := findSet(w.db, o.Set)
	if errors.Is(err, errNoSet) {
		return Tail{Rows: 0}, w.newSet(h, setName(w.name, o))
	}
	if err != nil {
		return Tail{}, err
	}
	w.guid, _ = set.guid.(string)
	own, err := w.db.number("SELECT count(*) FROM PerfdeckSet WHERE GUID = ?", w.guid)
	if err != nil {
		return Tail{}, err
	}
	if own == 0 {
		return Tail{}, &FileError{File: w.name, Err: errForeign, Advice: "record into a new file, or into a set of another name"}
	}
	columns, err := readColumns(w.db, set.guid)
	if err != nil {
		return Tail{}, err
	}
	have := Header{Columns: make([]Column, len(columns))}
	for i := range columns {
		have.Columns[i] = columns[i].Column
	}
	if err := checkResume(w.name, &have, h); err != nil {
		return Tail{}, err
	}
	w.columns = columns
	tail, err := w.tail()
	if err != nil {
		return Tail{}, err
	}
	w.index, w.noted, w.last = tail.Rows, tail.Rows, tail.Last
	return tail, w.loadStates()
}

// tail tells how the set ended.
func (w *sqliteWriter) tail() (tail Tail, err error) {
	err = w.db.each("SELECT RecordIndex, Time FROM PerfdeckRecord WHERE GUID = ? ORDER BY RecordIndex DESC LIMIT 1", []driver.Value{w.guid}, func(r *results) error {
		tail.Rows, tail.Last = r.int(0), time.Unix(0, r.int(1))
		return nil
	})
	return tail, err
}

func (w *sqliteWriter) loadStates() error {
	place := placesOf(w.columns)
	states := make([]columnState, len(w.columns))
	for i := range states {
		states[i] = w.columns[i].state
	}
	if err := readStates(w.db, w.guid, w.index, place, states); err != nil {
		return err
	}
	for i := range states {
		w.columns[i].state = states[i]
	}
	return nil
}

// placesOf is the place of each column by its CounterID.
func placesOf(columns []sqliteColumn) map[int64]int {
	place := make(map[int64]int, len(columns))
	for i := range columns {
		place[columns[i].id] = i
	}
	return place
}
