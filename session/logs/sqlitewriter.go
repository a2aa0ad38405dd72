package logs

import (
	"cmp"
	"context"
	"database/sql/driver"
	"fmt"
	"math"
	"os"
	"slices"
	"time"

	"perfdeck/cooker"
)

// sqliteWriter writes sets into an SQLite file. Its journal is written ahead
// (WAL): a row that was written survives the end of the process, and Sync makes
// all rows so far survive a power cut.
type sqliteWriter struct {
	db      *database
	name    string
	file    os.FileInfo // as it was opened
	guid    string
	options WriteOptions
	columns []sqliteColumn
	index   int64     // RecordIndex of the last row
	last    time.Time // of a recording that is continued: rows have to be later
	stop    time.Time // of the last row
	noted   int64     // RecordIndex that DisplayToID has
	pending int       // values written since the last commit
	open    bool      // there is a transaction
	err     error     // the first; nothing is written after it

	data   [len(batchSizes)]*statement // of CounterData, by size
	record *statement
	args   []driver.NamedValue // of rows of CounterData that wait
	waits  int                 // how many rows do
}

type sqliteColumn struct {
	Column

	id    int64 // CounterID
	state columnState
}

// batchSizes are how many rows one statement inserts: many at once take a third
// of the time.
var batchSizes = [...]int{256, 128, 64, 32, 16, 8, 4, 2, 1}

const (
	sharedArgs = 3 // GUID, RecordIndex, CounterDateTime
	rowArgs    = 7 // CounterID, CounterValue, FirstValueA to MultiCount
	// commitValues is how many values a buffered writer puts into a transaction.
	commitValues = 50_000
)

func newSQLiteWriter(name string, o WriteOptions) (*sqliteWriter, error) {
	db, err := openDatabase(context.Background(), name, readWrite, // what was recorded is written down
		"busy_timeout(5000)", "journal_mode(WAL)", "synchronous(NORMAL)", "trusted_schema(0)")
	if err != nil {
		return nil, err
	}
	w := &sqliteWriter{db: db, name: name, options: o}
	if w.file, err = os.Stat(name); err != nil {
		w.abandon()
		return nil, err
	}
	if err := w.prepare(); err != nil {
		w.abandon()
		return nil, err
	}
	if w.record, err = db.prepare("INSERT INTO PerfdeckRecord VALUES (?, ?, ?)"); err != nil {
		w.abandon()
		return nil, err
	}
	w.args = named(make([]driver.Value, sharedArgs+rowArgs*batchSizes[0]))
	return w, nil
}

// prepare makes the tables that are not there. Those of a file that is continued must
// be tables, not views.
func (w *sqliteWriter) prepare() error {
	if err := w.db.guard(true); err != nil {
		return err
	}
	if err := w.db.exec(sqliteSchema); err != nil {
		return err
	}
	missing, err := w.db.holds(slices.Concat(plaTables, ownTables))
	if err == nil && missing != "" {
		err = &FileError{File: w.name, Err: fmt.Errorf("%w: it has no table %s as it is written here", ErrUnknownFormat, missing)}
	}
	return err
}

// abandon closes the file after a failure.
func (w *sqliteWriter) abandon() { _ = w.db.close() }

// asInt is a truth as SQL has it.
func asInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// atOnce does something in one transaction.
func (w *sqliteWriter) atOnce(do func() error) error {
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

func (w *sqliteWriter) begin() error {
	if w.open {
		return nil
	}
	err := w.db.exec("BEGIN IMMEDIATE")
	w.open = err == nil
	return err
}

// commit ends the transaction. The extent of the set is written with it.
func (w *sqliteWriter) commit() error {
	if !w.open {
		return w.err
	}
	if w.noted != w.index {
		at := formatPLATime(w.stop)
		if err := w.db.exec("UPDATE DisplayToID SET LogStartTime = coalesce(LogStartTime, ?), LogStopTime = ?, NumberOfRecords = ? WHERE GUID = ?",
			at, at, w.index, w.guid); err != nil {
			return err
		}
		w.noted = w.index
	}
	w.open, w.pending = false, 0
	return w.db.exec("COMMIT")
}

// fail undoes the transaction and lets nothing be written after it.
func (w *sqliteWriter) fail(err error) {
	w.err = cmp.Or(w.err, err)
	if w.open {
		w.open = false
		_ = w.db.exec("ROLLBACK") // the error that is told is the first
	}
}

// WriteRow writes a record.
func (w *sqliteWriter) WriteRow(row *Row) error {
	switch {
	case w.err != nil:
		return w.err
	case len(row.Values) != len(w.columns):
		return errRowWidth
	}
	if err := checkLater(w.name, w.last, row.Time); err != nil {
		return err
	}
	w.last = time.Time{}
	if err := w.write(row); err != nil {
		w.fail(err)
		return err
	}
	return nil
}

func (w *sqliteWriter) write(row *Row) error {
	if err := w.begin(); err != nil {
		return err
	}
	if err := w.insert(row); err != nil {
		return err
	}
	if w.options.Buffered && w.pending < commitValues && w.noted > 0 {
		return nil
	}
	return w.commit() // that of the first row notes when the set began
}

func (w *sqliteWriter) insert(row *Row) error {
	if year := row.Time.Year(); year < 1678 || year > 2261 { // of 64 bits of nanoseconds
		return &FileError{File: w.name, Err: errTimeRange}
	}
	w.index++
	w.stop = row.Time
	if err := w.record.exec(named([]driver.Value{w.guid, w.index, row.Time.UnixNano()})); err != nil {
		return err
	}
	w.args[0].Value, w.args[1].Value, w.args[2].Value = w.guid, w.index, formatPLATime(row.Time)
	for i := range w.columns {
		var raw *Raw
		if i < len(row.Raw) && row.Raw[i].Known {
			raw = &row.Raw[i]
		}
		if err := w.cell(&w.columns[i], row.Values[i], raw); err != nil {
			return err
		}
	}
	w.pending += len(w.columns)
	return w.flush()
}

// cell writes a value, and why there is none.
func (w *sqliteWriter) cell(c *sqliteColumn, v cooker.Value, raw *Raw) error {
	state := c.state
	var p pdhRaw
	if raw != nil {
		p = packRaw(c.storedType(), raw)
		state.timeBase, state.rawBytes, state.baseBytes = p.timeBase, raw.Reading.Size, raw.Reading.BaseSize
		state.noBase = raw.Reading.State == cooker.NoBase
	} else if !v.Valid() {
		state.status = v.Status()
	}
	if state != c.state {
		if err := w.change(c, state); err != nil {
			return err
		}
	}
	f, isNumber := v.Float()
	switch text, isText := v.Text(); {
	case isText:
		return w.db.exec("INSERT INTO PerfdeckExact VALUES (?, ?, ?, ?, 1)", w.guid, w.index, c.id, text)
	case !isNumber && raw != nil:
		return w.db.exec("INSERT INTO PerfdeckRaw VALUES (?, ?, ?, ?, ?, ?, ?)",
			w.guid, w.index, c.id, v.Status().String(), int64(p.first), int64(p.second), int64(p.multi))
	case !isNumber:
		return nil
	case v.IsWhole() && math.Abs(f) >= 1<<53 && string(appendNumber(nil, f)) != string(cooker.AppendMachine(nil, v)):
		if err := w.db.exec("INSERT INTO PerfdeckExact VALUES (?, ?, ?, ?, 0)", w.guid, w.index, c.id, string(cooker.AppendMachine(nil, v))); err != nil {
			return err
		}
	}
	w.add(c.id, f, raw != nil, p)
	if w.waits == batchSizes[0] {
		return w.flush()
	}
	return nil
}

// change notes what holds for a counter from this record on.
func (w *sqliteWriter) change(c *sqliteColumn, state columnState) error {
	err := w.db.exec("INSERT INTO PerfdeckState VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		w.guid, w.index, c.id, state.status.String(), int64(state.timeBase), int64(state.rawBytes), int64(state.baseBytes), asInt(state.noBase))
	if err == nil && c.state.timeBase == 0 && state.timeBase != 0 {
		err = w.db.exec("UPDATE CounterDetails SET TimeBaseA = ?, TimeBaseB = ? WHERE CounterID = ?", low(state.timeBase), high(state.timeBase), c.id)
	}
	c.state = state
	return err
}

// low and high are the halves of a value as SQL has them: signed, of 32 bits.
func low(n uint64) int64  { return int64(int32(uint32(n))) }
func high(n uint64) int64 { return int64(int32(uint32(n >> 32))) }

// add puts a row of CounterData behind those that wait.
func (w *sqliteWriter) add(id int64, value float64, hasRaw bool, p pdhRaw) {
	a := w.args[sharedArgs+rowArgs*w.waits:][:rowArgs]
	w.waits++
	a[0].Value, a[1].Value = id, value
	if !hasRaw {
		for i := 2; i < rowArgs; i++ {
			a[i].Value = nil
		}
		return
	}
	a[2].Value, a[3].Value, a[4].Value, a[5].Value = low(p.first), high(p.first), low(p.second), high(p.second)
	a[6].Value = int64(p.multi)
}

// flush inserts the rows that wait.
func (w *sqliteWriter) flush() error {
	for i, size := range batchSizes {
		if w.waits < size {
			continue
		}
		if w.data[i] == nil {
			var err error
			if w.data[i], err = w.db.prepare(insertData(size)); err != nil {
				return err
			}
		}
		n := sharedArgs + rowArgs*size
		if err := w.data[i].exec(w.args[:n]); err != nil {
			return err
		}
		w.waits -= size
		for k := range rowArgs * w.waits {
			w.args[sharedArgs+k].Value = w.args[n+k].Value
		}
	}
	return nil
}

// insertData is the statement that inserts so many rows of one record.
func insertData(rows int) string {
	return "INSERT INTO CounterData SELECT p.g, v.column1, p.r, p.t, v.column2, v.column3, v.column4, v.column5, v.column6, v.column7 " +
		"FROM (SELECT ? AS g, ? AS r, ? AS t) AS p, (VALUES " + string(slices.Repeat([]byte("(?,?,?,?,?,?,?),"), rows)[:16*rows-1]) + ") AS v"
}

// Sync commits and copies the journal into the file, which flushes both to the
// disk (sqlite.org/pragma.html#pragma_wal_checkpoint).
func (w *sqliteWriter) Sync() error {
	if w.err != nil {
		return w.err
	}
	if err := w.commit(); err != nil {
		w.fail(err)
		return err
	}
	if now, err := os.Stat(w.name); err != nil || !os.SameFile(w.file, now) {
		w.fail(&FileError{File: w.name, Err: errGone})
		return w.err
	}
	return w.db.exec("PRAGMA wal_checkpoint(PASSIVE)")
}

// Size is that of the file and of its journal.
func (w *sqliteWriter) Size() (int64, error) { return sqliteSize(w.name) }

func sqliteSize(name string) (int64, error) {
	info, err := os.Stat(name)
	if err != nil {
		return 0, err
	}
	size := info.Size()
	if journal, err := os.Stat(journalOf(name, "-wal")); err == nil {
		size += journal.Size()
	}
	return size, nil
}

// Close leaves one file without a journal, unless somebody reads it now.
func (w *sqliteWriter) Close() error {
	err := w.err
	if err == nil {
		err = w.finish()
	}
	w.err = cmp.Or(w.err, errClosed)
	return cmp.Or(err, w.db.close())
}

func (w *sqliteWriter) finish() error {
	if err := w.commit(); err != nil {
		return err
	}
	if err := w.db.exec("PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		return err
	}
	_ = w.db.exec("PRAGMA journal_mode=DELETE") // a reader may keep the journal
	return nil
}
