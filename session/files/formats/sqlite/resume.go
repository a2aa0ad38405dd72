package sqlite

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"math"
	"time"

	"perfdeck/session/files/logs"
	"perfdeck/session/text/english"
)

var (
	errCut        = errors.New("the file is damaged, or cut off")
	errNotFound   = errors.New("the samples from here on are not found: the file is damaged")
	errDamaged    = errors.New("the sample could not be read: the file is damaged, or cut off")
	errNotARecord = errors.New("the number of a sample, or of a counter, is none")
	errNotATimeDB = errors.New("not a time as 2016-11-26 13:46:30.874")
	errOrphan     = errors.New("the journal of a recording whose file is gone: it holds samples")

	errNoSet   = errors.New("there is no set of samples in the file")
	errForeign = errors.New("the file was written by another program: it is only read")

	errManyRecords = errors.New("the set has as many samples as one can have")
	errManySets    = fmt.Errorf("more than %d sets", mostSets)
	errManyColumns = fmt.Errorf("more than %d counters, or more than %s of their names", logs.MostColumns, english.Size(logs.MostNameBytes))
)

func selectDetails(l tableLayout) string {
	return "SELECT CounterID, MachineName, ObjectName, CounterName, CounterType, DefaultScale, InstanceName, InstanceIndex, ParentName FROM " + l.details
}

// continueSet goes on with a set: with the one that is named, or with the newest.
// A set of another name than those that are there is begun.
func (w *writer) continueSet(h *logs.Header, o logs.WriteOptions) (logs.Tail, error) {
	set, err := findSet(w.db, o.Set)
	if errors.Is(err, errNoSet) {
		return logs.Tail{Rows: 0}, w.newSet(h, setName(w.name, o))
	}
	if err != nil {
		return logs.Tail{}, err
	}
	key, ok := set.key.(int64)
	if !ok {
		return logs.Tail{}, errNoSet
	}
	w.set = key
	columns, err := readColumns(w.db, w.set)
	if err != nil {
		return logs.Tail{}, err
	}
	have := logs.Header{Columns: make([]logs.Column, len(columns))}
	for i := range columns {
		have.Columns[i] = columns[i].Column
	}
	if err := logs.CheckResume(w.name, &have, h); err != nil {
		return logs.Tail{}, err
	}
	w.columns, w.slots = columns, slotsOf(columns)
	tail, err := w.tail()
	if err != nil {
		return logs.Tail{}, err
	}
	w.index = tail.Rows
	w.widen()
	if err := w.loadBases(); err != nil {
		return logs.Tail{}, err
	}
	return tail, w.loadStates()
}

// loadBases reads what raw values count from in the block that the next record is of.
func (w *writer) loadBases() error {
	w.block = (w.index + 1) >> blockBits
	return readBases(w.db, w.set, w.block, func(slot int, base int64) {
		if slot < len(w.bases) {
			w.bases[slot], w.hasBase[slot] = base, true
		}
	})
}

// readBases hands out the bases of a block.
func readBases(db *database, set, block int64, base func(slot int, base int64)) error {
	return db.each("SELECT Key, First FROM PerfdeckBase WHERE Key BETWEEN ? AND ?",
		[]driver.Value{baseKey(set, block, 0), baseKey(set, block, mostSlots-1)}, func(r *results) error {
			base(int(r.int(0)&(mostSlots-1)), r.int(1))
			return nil
		})
}

// tail tells how the set ended.
func (w *writer) tail() (tail logs.Tail, err error) {
	err = w.db.records(w.set, math.MaxInt64, true, 1, func(c sqliteRecord, _ bool) error {
		tail.Rows, tail.Last = c.index, time.Unix(0, c.nanos)
		return nil
	})
	return tail, err
}

func (w *writer) loadStates() error {
	place := placesOf(w.columns)
	states := make([]logs.ColumnState, len(w.columns))
	for i := range states {
		states[i] = w.columns[i].state
	}
	if err := readStates(w.db, w.set, w.index, place, states); err != nil {
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
