package sqlite

import (
	"math"
	"time"

	"perfdeck/cooker"
	"perfdeck/session/files/logs"
)

// cursor are the rows of a table of one chunk, in order of record and counter.
type cursor struct {
	rows  *results
	index int64 // RecordIndex of the row; beyond all when there is none left
}

func (c *cursor) advance() error {
	ok, err := c.rows.next()
	if err != nil {
		return err
	}
	if !ok {
		c.index = math.MaxInt64
		return nil
	}
	c.index = c.rows.int(0)
	return nil
}

func (c *cursor) close() {
	if c != nil {
		c.rows.close()
	}
}

// each hands out the rows of a record that are of columns with a place, and goes past all.
func (c *cursor) each(index int64, place map[int64]int, row func(column int, c *results)) error {
	if c == nil {
		return nil
	}
	for c.index <= index {
		if c.index == index {
			if i, ok := place[c.rows.int(1)]; ok {
				row(i, c.rows)
			}
		}
		if err := c.advance(); err != nil {
			return err
		}
	}
	return nil
}

// read reads the record that comes next.
func (r *reader) read(row *logs.Row) error {
	if len(r.records) == 0 {
		if err := r.enter(); err != nil {
			return err
		}
	}
	record := r.records[0]
	r.records = r.records[1:]
	r.next = record.index + 1
	row.Time = r.timeOf(record)
	n := len(r.columns)
	if cap(row.Values) < n {
		row.Values = make([]cooker.Value, n)
	}
	if cap(row.Raw) < n {
		row.Raw = make([]logs.Raw, n)
	}
	row.Values, row.Raw = row.Values[:n], row.Raw[:n]
	err := r.fill(record.index, row)
	if err != nil {
		r.next = record.index
	}
	return err
}

// fill reads the cells of a record.
func (r *reader) fill(index int64, row *logs.Row) error {
	err := r.changes.each(index, r.place, func(i int, c *results) { r.states[i] = readState(c, 2) })
	if err != nil {
		return err
	}
	for i := range row.Values {
		row.Values[i], row.Raw[i] = cooker.Absent(r.states[i].Status), logs.Raw{}
	}
	if len(r.place) < len(r.columns) {
		r.blank(row)
	}
	cooked := r.fillCooked
	if r.db.layout.packed {
		cooked = r.fillPacked
	}
	hasCookedRaw, err := cooked(index, row)
	if err != nil {
		return err
	}
	hasRaw, err := r.fillRaw(index, row)
	if err != nil {
		return err
	}
	if !hasRaw && !hasCookedRaw {
		row.Raw = row.Raw[:0]
	}
	return nil
}

// fillCooked fills a row with cooked values, and the raw ones beside them.
func (r *reader) fillCooked(index int64, row *logs.Row) (hasRaw bool, err error) {
	err = r.data.each(index, r.place, func(i int, c *results) {
		row.Values[i] = r.value(index, i, c)
		if !c.isNull(3) && r.hasRaw(index, i, c) {
			hasRaw = true
			p := logs.PDHRaw{First: joinHalves(c.int(3), c.int(4)), Second: joinHalves(c.int(5), c.int(6)), Multi: uint64(c.int(7))}
			row.Raw[i] = p.Unpack(r.columns[i].Type, &r.states[i])
		}
	})
	return hasRaw, err
}

// fillRaw fills a row with the raw values that have no cooked one beside them.
func (r *reader) fillRaw(index int64, row *logs.Row) (hasRaw bool, err error) {
	err = r.raw.each(index, r.place, func(i int, c *results) {
		if status, ok := cooker.ParseStatus(c.text(2)); ok && !status.Good() {
			row.Values[i] = cooker.Absent(status)
		}
		hasRaw = true
		p := logs.PDHRaw{First: uint64(c.int(3)), Second: uint64(c.int(4)), Multi: uint64(c.int(5))}
		row.Raw[i] = p.Unpack(r.columns[i].Type, &r.states[i])
	})
	return hasRaw, err
}

// blank makes the cells of columns that are not wanted pending.
func (r *reader) blank(row *logs.Row) {
	for i := range row.Values {
		if _, wanted := r.place[r.columns[i].id]; !wanted {
			row.Values[i] = cooker.Absent(cooker.Pending)
		}
	}
}

// joinHalves makes a value of its halves of a value.
func joinHalves(low, high int64) uint64 { return uint64(uint32(high))<<32 | uint64(uint32(low)) }

// hasRaw tells whether the parts of a raw sample are numbers.
func (r *reader) hasRaw(index int64, column int, c *results) bool {
	for cell := 3; cell < 8; cell++ {
		if !c.isNull(cell) && !c.isInt(cell) {
			r.noNumber(index, column)
			return false
		}
	}
	return true
}

// noNumber notes a cell that is none.
func (r *reader) noNumber(index int64, column int) {
	r.faults.NoteCell(&logs.FileError{File: r.name, Record: index, Cell: column + 1, Err: logs.ErrNotANumber})
}

// value is the value of a row of CounterData.
func (r *reader) value(index int64, column int, c *results) cooker.Value {
	f, ok := c.float(2)
	if !ok {
		r.noNumber(index, column)
		return cooker.Absent(cooker.Gap)
	}
	return r.number(column, f)
}

// number is a number of a column. Counts are whole numbers.
func (r *reader) number(column int, f float64) cooker.Value {
	if math.Trunc(f) != f || math.Abs(f) > 1<<53 {
		return cooker.FloatValue(f)
	}
	switch t := r.columns[column].Type; {
	case !r.columns[column].TypeKnown:
	case isHexType(t) && f >= 0:
		return cooker.WholeValue(uint64(f)).WithStatus(cooker.OKHex)
	case (t == cooker.CounterRawCount || t == cooker.CounterLargeRawCount) && f >= 0:
		return cooker.WholeValue(uint64(f))
	case t == cooker.CounterDelta || t == cooker.CounterLargeDelta:
		return cooker.DeltaValue(int64(f))
	}
	return cooker.FloatValue(f)
}

// record finds the record with this index, or the first behind it; back: the last before it.
func (r *reader) record(index int64, back bool) (found sqliteRecord, ok bool, err error) {
	err = r.db.records(r.set.key, index, back, 1, func(c sqliteRecord, _ bool) error {
		found, ok = c, true
		return nil
	})
	return found, ok, err
}

// extent is the first and the last record.
func (r *reader) extent() (first, last sqliteRecord, ok bool, err error) {
	if first, ok, err = r.record(math.MinInt64, false); err != nil || !ok {
		return first, last, ok, err
	}
	last, ok, err = r.record(math.MaxInt64, true)
	return first, last, ok, err
}

func (r *reader) Bounds() (first, end, near int64, err error) {
	begin, last, ok, err := r.extent()
	switch {
	case isDamage(err):
		return 1, r.end() + 1, 0, nil
	case err != nil || !ok:
		return -1, 0, 0, err
	}
	return begin.index, last.index + 1, 0, nil
}

func (r *reader) RowAt(place, before int64) (at int64, t time.Time, err error) {
	c, ok, err := r.record(place, false)
	if isDamage(err) {
		err = nil
	}
	if !ok || c.index >= before {
		return -1, t, err
	}
	return c.index, r.timeOf(c), err
}

func (r *reader) BackFrom(place int64, n int) (at int64, went int, err error) {
	at = place
	err = r.db.records(r.set.key, place, true, int64(n), func(c sqliteRecord, _ bool) error {
		at, went = c.index, went+1
		return nil
	})
	return at, went, err
}

// roughSpan is what can be told of a damaged file.
func (r *reader) roughSpan(s logs.Span) logs.Span {
	s.Exact = false
	if first, ok, err := r.record(math.MinInt64, false); err == nil && ok {
		s.First = r.timeOf(first)
		s.Last = s.First
	}
	if last, ok, err := r.record(r.set.records, false); err == nil && ok {
		s.Last = r.timeOf(last)
	}
	s.Rows = r.set.records
	return s
}

func (r *reader) Span() (logs.Span, error) {
	size, err := sqliteSize(r.name)
	s := logs.Span{Bytes: size, Exact: true}
	if err != nil {
		return s, err
	}
	first, last, ok, err := r.extent()
	if isDamage(err) {
		return r.roughSpan(s), nil
	}
	if err != nil || !ok {
		return s, err
	}
	r.lastIndex = last.index
	s.First, s.Last = r.timeOf(first), r.timeOf(last)
	s.Rows = last.index - first.index + 1
	s.At = int64(float64(size) * float64(min(max(r.next-first.index, 0), s.Rows)) / float64(s.Rows))
	return s, nil
}
