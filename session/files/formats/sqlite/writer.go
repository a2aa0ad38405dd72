package sqlite

import (
	"cmp"
	"context"
	"database/sql/driver"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"perfdeck/cooker"
	"perfdeck/session/files/logs"
)

// writer writes sets into an SQLite file. Its journal is written ahead
// (WAL): a row that was written survives the end of the process, and Sync makes
// all rows so far survive a power cut.
type writer struct {
	db      *database
	name    string
	file    os.FileInfo // as it was opened
	set     int64       // SetNo
	options logs.WriteOptions
	columns []sqliteColumn
	index   int64 // RecordIndex of the last row
	noted   int64 // RecordIndex that PerfdeckLog has
	pending int   // values written since the last commit
	open    bool  // there is a transaction
	err     error // the first; nothing is written after it

	record, packed, base *statement
	clocks               map[clockKey]int    // slots that counters share
	slots                int                 // that are taken
	cells                []driver.NamedValue // rows of PerfdeckPacked: Key, V0, A0, ...
	block                int64               // of the last row
	bases                []int64             // by slot, of the block
	hasBase              []bool
	event                *statement // nil: no event was written
	events               int64      // of the set
	patient              bool       // a lock of another program is waited for
}

type sqliteColumn struct {
	logs.Column

	id    int64 // CounterID
	state logs.ColumnState
	// slot has its value and its first value, second and multi those parts of its raw
	// samples; noSlot: they have none.
	slot, second, multi int
}

const (
	packedWidth = 1 + 2*slotsPerRow // cells of a row of PerfdeckPacked
	// commitValues is how many values a buffered writer puts into a transaction.
	commitValues = 50_000
	// notedEvery is how often, in records, a set says how many it has: so that what a
	// damaged file lost can be counted.
	notedEvery = 64
	// writePatience is how long, in ms, a record waits for a program that has locked
	// the file, as backups and browsers of databases do: a recorder keeps the samples
	// of that time. Whoever opens a file is told sooner.
	writePatience = "60000"
)

func newWriter(name string, o logs.WriteOptions) (*writer, error) {
	db, err := openDatabase(context.Background(), name, readWrite, // what was recorded is written down
		"busy_timeout(5000)", "journal_mode(WAL)", "synchronous(NORMAL)", "trusted_schema(0)")
	if err != nil {
		return nil, err
	}
	db.layout = packedLayout
	w := &writer{db: db, name: name, options: o, clocks: map[clockKey]int{}}
	if w.file, err = os.Stat(name); err != nil {
		w.abandon()
		return nil, err
	}
	if err := w.prepare(); err != nil {
		w.abandon()
		return nil, err
	}
	for _, p := range []struct {
		to  **statement
		sql string
	}{
		{&w.record, "INSERT INTO PerfdeckTime VALUES (?, ?, ?)"},
		{&w.base, "INSERT INTO PerfdeckBase VALUES (?, ?)"},
		{&w.packed, "INSERT INTO PerfdeckPacked VALUES (?" + strings.Repeat(", ?", packedWidth-1) + ")"},
	} {
		if *p.to, err = db.prepare(p.sql); err != nil {
			w.abandon()
			return nil, err
		}
	}
	return w, nil
}

// prepare makes the tables that are not there. Those of a file that is continued must
// be tables, not views.
func (w *writer) prepare() error {
	if err := w.db.guard(true); err != nil {
		return err
	}
	packed, err := w.db.has("PerfdeckPacked")
	if err != nil {
		return err
	}
	others, err := w.db.number("SELECT count(*) FROM sqlite_schema WHERE name COLLATE NOCASE IN ('CounterData', 'CounterDetails', 'DisplayToID')")
	if err != nil {
		return err
	}
	if others > 0 && !packed {
		return &logs.FileError{File: w.name, Err: errForeign, Advice: "record into a new file; relog converts this one"}
	}
	if err := w.db.exec(packedSchema); err != nil {
		return err
	}
	missing, err := w.db.holds(packedTables)
	if err == nil && missing != "" {
		err = w.db.unknown("it has no table %s as it is written here", missing)
	}
	return err
}

// abandon closes the file after a failure.
func (w *writer) abandon() { _ = w.db.close() }

// asInt is a truth as SQL has it.
func asInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// atOnce does something in one transaction.
func (w *writer) atOnce(do func() error) error {
	if err := w.commit(); err != nil {
		return err
	}
	if err := w.begin(); err != nil {
		return err
	}
	if err := do(); err != nil {
		w.fail(err)
		return err
	}
	return w.commit()
}

func (w *writer) begin() error {
	if w.open {
		return nil
	}
	err := w.db.exec("BEGIN IMMEDIATE")
	w.open = err == nil
	return err
}

// commit ends the transaction.
func (w *writer) commit() error {
	if !w.open {
		return w.err
	}
	w.open, w.pending = false, 0
	return w.db.exec("COMMIT")
}

// fail undoes the transaction and lets nothing be written after it.
func (w *writer) fail(err error) {
	w.err = cmp.Or(w.err, err)
	if w.open {
		w.open = false
		_ = w.db.exec("ROLLBACK") // the error that is told is the first
	}
}

// WriteRow writes a record.
func (w *writer) WriteRow(row *logs.Row) error {
	switch {
	case w.err != nil:
		return w.err
	case len(row.Values) != len(w.columns):
		return logs.ErrRowWidth
	}
	if !w.patient {
		w.patient = true
		if err := w.db.exec("PRAGMA busy_timeout = " + writePatience); err != nil {
			return err
		}
	}
	if err := w.write(row); err != nil {
		w.fail(err)
		return err
	}
	return nil
}

func (w *writer) write(row *logs.Row) error {
	if err := w.begin(); err != nil {
		return err
	}
	if err := w.insert(row); err != nil {
		return err
	}
	if w.options.Buffered && w.pending < commitValues {
		return nil
	}
	return w.commit()
}

// note writes down how many records there are.
func (w *writer) note() error {
	if w.noted == w.index {
		return nil
	}
	w.noted = w.index
	return w.db.exec("UPDATE PerfdeckLog SET Records = ? WHERE SetNo = ?", w.index, w.set)
}

func (w *writer) insert(row *logs.Row) error {
	if year := row.Recorded().Year(); year < 1678 || year > 2261 { // of 64 bits of nanoseconds
		return &logs.FileError{File: w.name, Err: logs.ErrTimeRange}
	}
	if w.index++; w.index >= mostRecords {
		return &logs.FileError{File: w.name, Err: errManyRecords, Advice: "record into a new file"}
	}
	if err := w.record.exec(named([]driver.Value{w.set, w.index, row.Recorded().UnixNano()})); err != nil {
		return err
	}
	if block := w.index >> blockBits; block != w.block {
		w.block = block
		clear(w.hasBase)
	}
	for i := range w.cells {
		w.cells[i].Value = nil
	}
	for i := range w.columns {
		var raw *logs.Raw
		if i < len(row.Raw) && row.Raw[i].Known {
			raw = &row.Raw[i]
		}
		if err := w.cell(&w.columns[i], row.Values[i], raw); err != nil {
			return err
		}
	}
	w.pending += len(w.columns)
	if w.index%notedEvery == 1 {
		if err := w.note(); err != nil {
			return err
		}
	}
	return w.flush()
}

// valueAt and rawAt are the cells V and A of a slot.
func (w *writer) valueAt(slot int) *driver.Value {
	return &w.cells[slot>>slotBits*packedWidth+1+slot%slotsPerRow*2].Value
}

func (w *writer) rawAt(slot int) *driver.Value {
	return &w.cells[slot>>slotBits*packedWidth+2+slot%slotsPerRow*2].Value
}

// cell writes a value, and why there is none.
func (w *writer) cell(c *sqliteColumn, v cooker.Value, raw *logs.Raw) error {
	state := c.state
	var p logs.PDHRaw
	if raw != nil {
		p = logs.PackRaw(c.StoredType(), raw)
		state.TimeBase, state.RawBytes, state.BaseBytes = p.TimeBase, raw.Reading.Size, raw.Reading.BaseSize
		state.NoBase = raw.Reading.State == cooker.NoBase
	}
	value := packedValue(v)
	if value == nil {
		state.Status = v.Status()
	}
	if state != c.state {
		if err := w.change(c, state); err != nil {
			return err
		}
	}
	if raw != nil {
		fits, err := w.put(c, &p)
		switch {
		case err != nil:
			return err
		case !fits:
			err = w.db.exec("INSERT INTO PerfdeckOther VALUES (?, ?, ?, '', ?, ?, ?)",
				w.set, w.index, c.id, int64(p.First), int64(p.Second), int64(p.Multi))
			if err != nil {
				return err
			}
		case value == nil:
			value = []byte{}
		case value == int64(p.First):
			value = nil
		}
	}
	*w.valueAt(c.slot) = value
	return nil
}

// packedValue is V of a value; nil: it has none.
func packedValue(v cooker.Value) driver.Value {
	if text, ok := v.Text(); ok {
		return text
	}
	f, ok := v.Float()
	if !ok {
		return nil
	}
	if n, isSmall := v.Signed(); isSmall && v.IsWhole() {
		return n
	}
	if n, isWhole := v.Whole(); isWhole && v.IsWhole() {
		if n <= math.MaxInt64 {
			return int64(n)
		}
		return strconv.AppendUint(nil, n, 10)
	}
	if math.Trunc(f) == f && math.Abs(f) < 1<<53 && !(f == 0 && math.Signbit(f)) {
		return int64(f)
	}
	return f
}

// put puts the parts of a raw sample into their slots. It reports false, and leaves all
// as it is, when one of them does not fit: another counter has another clock there.
func (w *writer) put(c *sqliteColumn, p *logs.PDHRaw) (fits bool, err error) {
	parts := [...]struct {
		slot  int
		value uint64
	}{{c.slot, p.First}, {c.second, p.Second}, {c.multi, p.Multi}}
	var offsets [len(parts)]int64
	for i, part := range parts {
		if part.slot == noSlot {
			if part.value != 0 {
				return false, nil
			}
			continue
		}
		if w.hasBase[part.slot] {
			offsets[i] = int64(part.value - uint64(w.bases[part.slot]))
			sum := w.bases[part.slot] + offsets[i]
			if (offsets[i] >= 0) != (sum >= w.bases[part.slot]) { // SQL would make it real
				return false, nil
			}
		}
		if has := *w.rawAt(part.slot); has != nil && has != offsets[i] {
			return false, nil
		}
	}
	for i, part := range parts {
		if part.slot == noSlot {
			continue
		}
		if !w.hasBase[part.slot] {
			w.bases[part.slot], w.hasBase[part.slot] = int64(part.value), true
			if err := w.base.exec(named([]driver.Value{baseKey(w.set, w.block, part.slot), int64(part.value)})); err != nil {
				return false, err
			}
		}
		*w.rawAt(part.slot) = offsets[i]
	}
	return true, nil
}

// change notes what holds for a counter from this record on.
func (w *writer) change(c *sqliteColumn, state logs.ColumnState) error {
	err := w.db.exec("INSERT INTO PerfdeckChange VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		w.set, w.index, c.id, state.Status.String(), int64(state.TimeBase), int64(state.RawBytes), int64(state.BaseBytes), asInt(state.NoBase))
	if err == nil && c.state.TimeBase == 0 && state.TimeBase != 0 {
		err = w.db.exec("UPDATE PerfdeckDetails SET TimeBaseA = ?, TimeBaseB = ? WHERE CounterID = ?", low(state.TimeBase), high(state.TimeBase), c.id)
	}
	c.state = state
	return err
}

// low and high are the halves of a value as SQL has them: signed, of 32 bits.
func low(n uint64) int64  { return int64(int32(uint32(n))) }
func high(n uint64) int64 { return int64(int32(uint32(n >> 32))) }

// flush inserts the rows of the record that hold something.
func (w *writer) flush() error {
	for group := range len(w.cells) / packedWidth {
		cells := w.cells[group*packedWidth:][:packedWidth]
		if !slices.ContainsFunc(cells, func(c driver.NamedValue) bool { return c.Value != nil }) {
			continue
		}
		cells[0].Value = packedKey(w.set, w.index, group)
		if err := w.packed.exec(cells); err != nil {
			return err
		}
	}
	return nil
}

// Sync commits and copies the journal into the file, which flushes both to the
// disk (sqlite.org/pragma.html#pragma_wal_checkpoint).
func (w *writer) Sync() error {
	if w.err != nil {
		return w.err
	}
	if err := w.atOnce(w.note); err != nil {
		w.fail(err)
		return err
	}
	if now, err := os.Stat(w.name); err != nil || !os.SameFile(w.file, now) {
		w.fail(&logs.FileError{File: w.name, Err: logs.ErrGone})
		return w.err
	}
	return w.db.exec("PRAGMA wal_checkpoint(PASSIVE)")
}

// Size is that of the file and of its journal.
func (w *writer) Size() (int64, error) { return sqliteSize(w.name) }

func sqliteSize(name string) (int64, error) {
	info, err := os.Stat(name)
	if err != nil {
		return 0, err
	}
	size := info.Size()
	if journal, err := os.Stat(journalOf(name, Journal)); err == nil {
		size += journal.Size()
	}
	return size, nil
}

// Close leaves one file without a journal, unless somebody reads it now.
func (w *writer) Close() error {
	err := w.err
	if err == nil {
		err = w.finish()
	}
	w.err = cmp.Or(w.err, logs.ErrClosed)
	return cmp.Or(err, w.db.close())
}

func (w *writer) finish() error {
	if err := w.atOnce(w.note); err != nil {
		return err
	}
	if err := w.db.exec("PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		return err
	}
	_ = w.db.exec("PRAGMA journal_mode=DELETE") // a reader may keep the journal
	return nil
}
