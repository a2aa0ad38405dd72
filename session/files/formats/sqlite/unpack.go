package sqlite

import (
	"database/sql/driver"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"perfdeck/cooker"
	"perfdeck/session/files/logs"
)

// packedSlots are what the slots of a set hold in a record.
type packedSlots struct {
	rows   *results // of PerfdeckPacked, of one chunk
	record int64    // of the row that comes next; beyond all when there is none left
	group  int      // likewise

	values  []driver.Value // V, by slot
	raws    []driver.Value // A
	block   int64          // that the bases are of; -1: none
	bases   []int64        // by slot
	hasBase []bool
	wanted  string // the groups of what is read, for SQL; empty: all
	isMade  bool   // wanted is of the columns that are read now
}

// openPacked opens a set of ours.
func (r *reader) openPacked() (err error) {
	if r.columns, err = readColumns(r.db, r.set.key); err != nil {
		return err
	}
	if err = readAttributes(r.db, r.set.key, r.columns); err != nil {
		return err
	}
	slots := (slotsOf(r.columns) + slotsPerRow - 1) / slotsPerRow * slotsPerRow
	s := &r.slots
	s.values, s.raws, s.bases, s.hasBase = make([]driver.Value, slots), make([]driver.Value, slots), make([]int64, slots), make([]bool, slots)
	s.block = -1
	return r.db.each("SELECT Version, Caption, ZoneKnown FROM PerfdeckLog WHERE SetNo = ?", []driver.Value{r.set.key}, func(row *results) error {
		if v := row.int(0); v != packedVersion {
			return r.db.unknown("version %d of its tables", v)
		}
		r.header.Caption, r.header.Zone.Known = row.text(1), row.int(2) != 0
		return nil
	})
}

// slotsOf is how many slots columns have.
func slotsOf(columns []sqliteColumn) (slots int) {
	for _, c := range columns {
		slots = max(slots, c.slot+1, c.second+1, c.multi+1)
	}
	return slots
}

// setNo is the number of the set.
func (r *reader) setNo() int64 {
	n, _ := r.set.key.(int64)
	return n
}

// chooseGroups tells which rows of a record are read: few are looked up, many are read
// through.
func (r *reader) chooseGroups() {
	s := &r.slots
	s.wanted, s.isMade = "", true
	var groups []int
	for i := range r.columns {
		c := &r.columns[i]
		if _, ok := r.place[c.id]; !ok {
			continue
		}
		for _, slot := range []int{c.slot, c.second, c.multi} {
			if slot != noSlot {
				groups = append(groups, slot>>slotBits)
			}
		}
	}
	slices.Sort(groups)
	groups = slices.Compact(groups)
	const most = 100 // that are looked up
	if len(groups) > most || 2*len(groups) > len(s.values)/slotsPerRow {
		return
	}
	keys := make([]string, len(groups))
	for i, g := range groups {
		keys[i] = fmt.Sprintf("(r.SetNo << %d) + (r.RecordIndex << %d) + %d", setShift, groupBits, g)
	}
	s.wanted = "(" + strings.Join(keys, ", ") + ")"
}

// enterPacked asks for the rows of some records.
func (r *reader) enterPacked(first, last int64) (err error) {
	s := &r.slots
	if !s.isMade {
		r.chooseGroups()
	}
	s.record = math.MaxInt64
	switch {
	case len(r.place) == 0:
		return nil
	case s.wanted == "":
		s.rows, err = r.db.query("SELECT Key, "+packedCells+" FROM PerfdeckPacked WHERE Key BETWEEN ? AND ? ORDER BY Key",
			packedKey(r.setNo(), first, 0), packedKey(r.setNo(), last, 1<<groupBits-1))
	default:
		s.rows, err = r.db.query("SELECT Key, "+packedCells+" FROM PerfdeckTime r CROSS JOIN PerfdeckPacked p ON p.Key IN "+s.wanted+
			" WHERE r.SetNo = ? AND r.RecordIndex BETWEEN ? AND ? ORDER BY r.RecordIndex", r.set.key, first, last)
	}
	if err != nil {
		return err
	}
	return s.advance()
}

func (s *packedSlots) advance() error {
	ok, err := s.rows.next()
	if err != nil {
		return err
	}
	s.record = math.MaxInt64
	if ok {
		key := s.rows.int(0)
		s.record, s.group = key>>groupBits&(mostRecords-1), int(key&(1<<groupBits-1))
	}
	return nil
}

// load takes the rows of a record.
func (s *packedSlots) load(record int64) error {
	clear(s.values)
	clear(s.raws)
	for s.record <= record {
		if at := s.group * slotsPerRow; s.record == record && at < len(s.values) {
			for i := range slotsPerRow {
				s.values[at+i], s.raws[at+i] = keep(s.rows.cells[1+2*i]), s.rows.cells[2+2*i]
			}
		}
		if err := s.advance(); err != nil {
			return err
		}
	}
	return nil
}

// keep is a cell that stays when the next row is read.
func keep(cell driver.Value) driver.Value {
	if b, ok := cell.([]byte); ok {
		return slices.Clone(b)
	}
	return cell
}

// fillPacked reads the values of a record.
func (r *reader) fillPacked(index int64, row *logs.Row) (hasRaw bool, err error) {
	if len(r.place) == 0 {
		return false, nil
	}
	s := &r.slots
	if err := s.load(index); err != nil {
		return false, err
	}
	if s.block != index>>blockBits {
		if err := r.loadBases(index >> blockBits); err != nil {
			return false, err
		}
	}
	for i := range r.columns {
		c := &r.columns[i]
		if at, ok := r.place[c.id]; !ok || at != i {
			continue
		}
		v, a := s.values[c.slot], s.raws[c.slot]
		var p logs.PDHRaw
		known := false
		if a != nil {
			if p, known, err = r.rawOf(index, i); err != nil {
				return false, err
			}
		}
		switch {
		case known && v == nil:
			row.Values[i] = r.whole(i, int64(p.First))
		case v != nil:
			row.Values[i] = r.packedValue(index, i, v, row.Values[i])
		}
		if known {
			hasRaw = true
			row.Raw[i] = p.Unpack(c.Type, &r.states[i])
		}
	}
	return hasRaw, nil
}

// rawOf puts a raw sample together.
func (r *reader) rawOf(index int64, column int) (p logs.PDHRaw, known bool, err error) {
	s, c := &r.slots, &r.columns[column]
	for _, part := range []struct {
		slot int
		to   *uint64
	}{{c.slot, &p.First}, {c.second, &p.Second}, {c.multi, &p.Multi}} {
		if part.slot == noSlot {
			continue
		}
		offset, isInt := s.raws[part.slot].(int64)
		if isInt && !s.hasBase[part.slot] { // it may have come since
			if err := r.loadBases(s.block); err != nil {
				return p, false, err
			}
		}
		if !isInt || !s.hasBase[part.slot] {
			r.noNumber(index, column)
			return p, false, nil
		}
		*part.to = uint64(s.bases[part.slot] + offset)
	}
	return p, true, nil
}

// loadBases reads what raw values count from in a block.
func (r *reader) loadBases(block int64) error {
	s := &r.slots
	clear(s.hasBase)
	s.block = block
	return readBases(r.db, r.setNo(), block, func(slot int, base int64) {
		if slot < len(s.bases) {
			s.bases[slot], s.hasBase[slot] = base, true
		}
	})
}

// packedValue is the value of V. An empty blob is none, for the reason that holds.
func (r *reader) packedValue(index int64, column int, v driver.Value, absent cooker.Value) cooker.Value {
	switch v := v.(type) {
	case int64:
		return r.whole(column, v)
	case float64:
		return r.number(column, v)
	case string:
		return cooker.TextValue(v)
	case []byte:
		if len(v) == 0 {
			return absent
		}
		if n, err := strconv.ParseUint(string(v), 10, 64); err == nil {
			return cooker.WholeValue(n)
		}
	}
	r.noNumber(index, column)
	return absent
}

// whole is a whole number of a column.
func (r *reader) whole(column int, n int64) cooker.Value {
	switch {
	case n > 1<<53:
		return cooker.WholeValue(uint64(n))
	case n < -1<<53:
		return cooker.DeltaValue(n)
	}
	return r.number(column, float64(n))
}
