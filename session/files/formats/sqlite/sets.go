package sqlite

import (
	"database/sql/driver"
	"fmt"
	"strings"

	"perfdeck/cooker"
	"perfdeck/session/files/logs"
)

// sqliteSet is a row of DisplayToID.
type sqliteSet struct {
	key     driver.Value // GUID, a text or 16 bytes; SetNo where it is packed
	name    string
	records int64
	start   string // of its first record, as a text or
	begun   int64  // in nanoseconds
	zone    logs.Zone
}

// Bounds of sets: how many there may be, and how many an error names.
const (
	mostSets  = 1_000_000
	mostNamed = 20
)

// findSet finds a set by its name, or the newest.
func findSet(db *database, name string) (*sqliteSet, error) {
	var found *sqliteSet
	names, sets := make([]string, 0, mostNamed), 0
	query := "SELECT GUID, DisplayString, NumberOfRecords, LogStartTime, MinutesToUTC, TimeZoneName FROM DisplayToID"
	if db.layout.packed {
		query = `SELECT SetNo, DisplayString, Records, (SELECT Time FROM PerfdeckTime t WHERE t.SetNo = l.SetNo ORDER BY RecordIndex LIMIT 1),
			MinutesToUTC, TimeZoneName FROM PerfdeckLog l ORDER BY SetNo`
	}
	err := db.each(query, nil,
		func(r *results) error {
			s := &sqliteSet{
				key: r.cells[0], name: r.text(1), records: r.int(2), start: r.text(3), begun: r.int(3),
				zone: logs.Zone{Name: strings.TrimRight(r.text(5), " \x00"), Bias: int(r.int(4)), Known: true},
			}
			if r.int(4) > logs.MostBias || r.int(4) < -logs.MostBias {
				s.zone.Bias = 0
			}
			if sets++; sets > mostSets {
				return &logs.FileError{File: db.name, Err: errManySets}
			}
			if len(names) < mostNamed {
				names = append(names, s.name)
			}
			isNewer := found == nil || s.start >= found.start && s.begun >= found.begun
			if isNewer && (name == "" || strings.EqualFold(name, s.name)) {
				found = s
			}
			return nil
		})
	if err != nil {
		return nil, err
	}
	if found == nil {
		e := &logs.FileError{File: db.name, Err: errNoSet}
		if name != "" && len(names) > 0 {
			e.Err = fmt.Errorf("%q: %w", name, errNoSet)
			e.Advice = "its sets: " + strings.Join(names, ", ")
		}
		return nil, e
	}
	return found, nil
}

// readDetails reads a row of CounterDetails as selectDetails gives it.
func readDetails(r *results) (id int64, d details, t cooker.CounterType, scale int64) {
	d = details{machine: r.text(1), object: r.text(2), counter: r.text(3), hasInstance: !r.isNull(6), instance: r.text(6), index: r.int(7), parent: r.text(8)}
	return r.int(0), d, cooker.TypeOf(uint32(r.int(4))), r.int(5)
}

// columnList are columns up to the bounds.
type columnList struct {
	file    string
	columns []sqliteColumn
	bytes   int
}

func (l *columnList) add(c *sqliteColumn) error {
	l.bytes += len(c.Path)
	if len(l.columns) == logs.MostColumns || l.bytes > logs.MostNameBytes {
		return &logs.FileError{File: l.file, Err: errManyColumns}
	}
	l.columns = append(l.columns, *c)
	return nil
}

// readColumns reads the columns of a set of ours, in their order.
func readColumns(db *database, key driver.Value) ([]sqliteColumn, error) {
	list := &columnList{file: db.name}
	err := db.each(`SELECT c.CounterID, c.Path, c.TypeKnown, c.BaseType, d.CounterType, d.DefaultScale, c.Slot, c.Second, c.Multi
		FROM PerfdeckSlot c LEFT JOIN PerfdeckDetails d ON d.CounterID = c.CounterID
		WHERE c.SetNo = ? ORDER BY c.Position`, []driver.Value{key}, func(r *results) error {
		c := sqliteColumn{id: r.int(0), state: logs.ColumnState{Status: cooker.Gap}}
		for i, slot := range []*int{&c.slot, &c.second, &c.multi} {
			if *slot = noSlot; !r.isNull(6 + i) {
				if n := r.int(6 + i); n < 0 || n >= mostSlots {
					return &logs.FileError{File: db.name, Err: errManyColumns}
				}
				*slot = int(r.int(6 + i))
			}
		}
		if c.slot == noSlot {
			return db.unknown("a column has no slot")
		}
		c.Path, c.TypeKnown = r.text(1), r.int(2) != 0
		if c.TypeKnown {
			c.Type, c.BaseType = cooker.TypeOf(uint32(r.int(4))), cooker.CounterType(uint32(r.int(3)))
			c.DefaultScale = int(min(max(r.int(5), -10), 10))
		}
		return list.add(&c)
	})
	return list.columns, err
}

// readAttributes reads how the counters of a set are shown.
func readAttributes(db *database, key driver.Value, columns []sqliteColumn) error {
	return db.each("SELECT Position, Attributes, HexWidth FROM PerfdeckDisplay WHERE SetNo = ?", []driver.Value{key}, func(r *results) error {
		if n := r.int(0); n >= 0 && n < int64(len(columns)) {
			columns[n].Attributes, columns[n].HexWidth = cooker.Attributes(r.int(1)), int(r.int(2))
		}
		return nil
	})
}

// foreignColumns makes columns of a set of another program: its counters in the
// order of their CounterID.
func foreignColumns(db *database, key driver.Value) ([]sqliteColumn, error) {
	list := &columnList{file: db.name}
	err := db.each(selectDetails(db.layout)+" WHERE CounterID IN (SELECT DISTINCT CounterID FROM CounterData WHERE GUID = ?) ORDER BY CounterID",
		[]driver.Value{key}, func(r *results) error {
			id, d, t, scale := readDetails(r)
			c := sqliteColumn{id: id, state: logs.ColumnState{Status: cooker.Gap}}
			c.Path, c.TypeKnown, c.Type, c.DefaultScale = d.path(), true, t, int(min(max(scale, -10), 10))
			return list.add(&c)
		})
	return list.columns, err
}

// readStates reads what holds for counters after a record.
func readStates(db *database, key driver.Value, index int64, place map[int64]int, states []logs.ColumnState) error {
	return db.each("SELECT CounterID, Status, TimeBase, RawBytes, BaseBytes, NoBase FROM PerfdeckChange WHERE SetNo = ? AND RecordIndex <= ? ORDER BY RecordIndex",
		[]driver.Value{key, index}, func(r *results) error {
			if i, ok := place[r.int(0)]; ok {
				states[i] = readState(r, 1)
			}
			return nil
		})
}

// readState reads Status to NoBase of PerfdeckChange.
func readState(r *results, from int) logs.ColumnState {
	s := logs.ColumnState{Status: cooker.Gap, TimeBase: uint64(r.int(from + 1)), RawBytes: uint8(r.int(from + 2)), BaseBytes: uint8(r.int(from + 3)), NoBase: r.int(from+4) != 0}
	if status, ok := cooker.ParseStatus(r.text(from)); ok && !status.Good() {
		s.Status = status
	}
	return s
}
