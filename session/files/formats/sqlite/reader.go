package sqlite

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"perfdeck/session/files/logs"
	"perfdeck/session/system/osfile"
)

// reader reads one set of an SQLite file. It asks for some records at a
// time, so that whoever writes is not held up and memory does not grow.
type reader struct {
	db       *database
	name     string
	set      *sqliteSet
	header   logs.Header
	location *time.Location

	columns []sqliteColumn
	slots   packedSlots
	place   map[int64]int      // of the columns that are wanted, by CounterID
	wanted  string             // their CounterIDs for SQL; empty: all
	states  []logs.ColumnState // as of the record before next
	stale   bool               // they are not, because other columns were wanted
	next    int64              // RecordIndex of the record that comes next, or less
	multi   string             // the cell MultiCount, if the file has it

	faults    logs.Faults
	alone     bool  // records are asked for one at a time: the file is damaged
	lastIndex int64 // see end; 0: not found out

	chunk              int64          // how many records are asked for next
	records            []sqliteRecord // of the chunk, that are not read yet
	data, raw, changes *cursor
}

type sqliteRecord struct{ index, nanos int64 }

// records hands out so many records of a set, -1 all: from one on, or those before it, backwards.
func (d *database) records(key driver.Value, index int64, back bool, most int64, each func(c sqliteRecord, isTime bool) error) error {
	which := " AND RecordIndex >= ? ORDER BY RecordIndex LIMIT ?"
	if back {
		which = " AND RecordIndex < ? ORDER BY RecordIndex DESC LIMIT ?"
	}
	return d.each("SELECT RecordIndex, Time FROM "+d.layout.record+" WHERE "+d.layout.key+" = ?"+which, []driver.Value{key, index, most},
		func(row *results) error { return each(sqliteRecord{row.int(0), row.int(1)}, row.isInt(1)) })
}

func (r *reader) timeOf(c sqliteRecord) time.Time { return time.Unix(0, c.nanos).In(r.location) }

// Open opens a set of a file.
func Open(ctx context.Context, name string, o logs.OpenOptions) (logs.FileRows, error) {
	if _, err := os.Stat(name); err != nil {
		return nil, err
	}
	db, err := openToRead(ctx, name)
	if err != nil {
		return nil, err
	}
	r := &reader{db: db, name: name, faults: logs.Faults{Most: o.Faults}}
	if db.isDamaged {
		r.faults.Cut = true
		r.faults.Note(&logs.FileError{File: name, Err: errCut})
	}
	if err := r.open(o.Set); err != nil {
		_ = r.Close()
		return nil, err
	}
	return r, nil
}

// openToRead opens a file that may have a journal beside it. In a folder that
// cannot be written to a copy of both is read: SQLite reads no journal there.
func openToRead(ctx context.Context, name string) (*database, error) {
	db, err := openGuarded(ctx, name, readOnly)
	if err == nil || ctx.Err() != nil {
		return db, err
	}
	if isDamage(err) {
		if db, damageErr := openGuarded(ctx, name, damaged); damageErr == nil {
			db.isDamaged = true
			return db, nil
		}
		return nil, err
	}
	if Orphan(name) == nil { // nothing is in the journal
		if db, frozenErr := openGuarded(ctx, name, frozen); frozenErr == nil {
			return db, nil
		}
		return nil, err
	}
	folder, remove, copyErr := osfile.MakeTemp(os.TempDir(), "perfdeck-")
	if copyErr != nil {
		return nil, err
	}
	copied := filepath.Join(folder, "copy.db")
	for _, suffix := range []string{"", Journal} {
		copyErr = errors.Join(copyErr, copyFile(ctx, journalOf(name, suffix), copied+suffix))
	}
	if copyErr == nil {
		db, copyErr = openGuarded(ctx, copied, readOnly)
	}
	if copyErr != nil {
		remove()
		return nil, err
	}
	leave := db.leave
	db.name, db.leave = name, func() { leave(); remove() }
	return db, nil
}

func copyFile(ctx context.Context, from, to string) error {
	in, err := osfile.OpenPlain(from)
	if err != nil {
		return err
	}
	defer osfile.Close(in) //nolint:errcheck // it was only read
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, osfile.Until(ctx, in))
	return cmp.Or(err, out.Close())
}

// openGuarded opens a file to read known tables, and looks whether it can be read.
func openGuarded(ctx context.Context, name, how string) (*database, error) {
	db, err := openDatabase(ctx, name, how, "busy_timeout(2000)", "trusted_schema(0)", "cell_size_check(1)", "temp_store(1)") // a temporary file
	if err != nil {
		return nil, err
	}
	if err = db.guard(false); err == nil {
		_, err = db.number("SELECT count(*) FROM sqlite_schema")
	}
	if err != nil {
		_ = db.close()
		return nil, err
	}
	return db, nil
}

func (r *reader) open(name string) error {
	packed, err := r.db.has("PerfdeckPacked")
	if err != nil {
		return err
	}
	tables, as := plaTables, "MS-PLA describes it"
	if r.db.layout = plaLayout; packed {
		r.db.layout, tables, as = packedLayout, packedTables, "it is written here"
	}
	if missing, err := r.db.holds(tables); err != nil || missing != "" {
		return cmp.Or(err, r.db.unknown("it has no table %s as %s", missing, as))
	}
	set, err := findSet(r.db, name)
	if err != nil {
		return err
	}
	r.set, r.header.Zone, r.location = set, set.zone, set.zone.Location()
	if packed {
		err = r.openPacked()
	} else {
		err = r.openPLA()
	}
	if err != nil {
		return err
	}
	return r.ready()
}

// openPLA opens a set of another program.
func (r *reader) openPLA() error {
	multi, err := r.db.has("CounterData", "MultiCount")
	if err != nil {
		return err
	}
	if r.multi = "0"; multi {
		r.multi = "d.MultiCount"
	}
	r.columns, err = r.adopt()
	return err
}

// ready goes to the first record, when all is known of the set.
func (r *reader) ready() error {
	if err := r.db.exec("PRAGMA query_only=1"); err != nil {
		return err
	}
	for i := range r.columns {
		r.header.Columns = append(r.header.Columns, r.columns[i].Column)
	}
	r.Only(nil)
	return r.jump(0)
}

// leastRow is how many bytes of a file a row of CounterData takes at least. A file
// with more rows than that leads round in circles.
const leastRow = 8

// adopt makes the table of records, which another program did not write, in a temporary file.
func (r *reader) adopt() ([]sqliteColumn, error) {
	err := r.db.exec(`CREATE TEMP TABLE ` + plaRecords + ` (GUID uniqueidentifier NOT NULL, RecordIndex int NOT NULL, Time int NOT NULL,
		PRIMARY KEY (GUID, RecordIndex)) WITHOUT ROWID`)
	if err != nil {
		return nil, err
	}
	size, err := sqliteSize(r.name)
	if err != nil {
		return nil, err
	}
	const rows = `(SELECT GUID, RecordIndex, CounterID, CounterDateTime FROM CounterData WHERE GUID = ? LIMIT ?)`
	err = r.db.exec(`INSERT INTO temp.`+plaRecords+` SELECT GUID, RecordIndex,
		strftime('%s', substr(max(CounterDateTime), 1, 19)) * 1000000000 + CAST(substr(max(CounterDateTime), 21, 3) AS int) * 1000000
		FROM `+rows+` WHERE typeof(RecordIndex) = 'integer' GROUP BY RecordIndex
		HAVING strftime('%s', substr(max(CounterDateTime), 1, 19)) IS NOT NULL AND typeof(max(CounterDateTime)) = 'text'`,
		r.set.key, size/leastRow)
	if err != nil {
		return nil, err
	}
	err = r.db.each(`SELECT RecordIndex, typeof(RecordIndex) = 'integer' FROM `+rows+` GROUP BY RecordIndex
		HAVING typeof(RecordIndex) <> 'integer' OR strftime('%s', substr(max(CounterDateTime), 1, 19)) IS NULL OR typeof(max(CounterDateTime)) <> 'text'`,
		[]driver.Value{r.set.key, size / leastRow}, func(c *results) error {
			why := errNotATimeDB
			if c.int(1) == 0 {
				why = errNotARecord
			}
			r.lose(c.int(0), why)
			return nil
		})
	if err != nil {
		return nil, err
	}
	strays, err := r.db.number(`SELECT count(*) FROM `+rows+` WHERE typeof(CounterID) <> 'integer'`, r.set.key, size/leastRow)
	if strays > 0 {
		r.faults.NoteCell(&logs.FileError{File: r.name, Err: errNotARecord})
		r.faults.Cells += strays - 1
	}
	if err != nil {
		return nil, err
	}
	return foreignColumns(r.db, r.set.key)
}

func (r *reader) Header() *logs.Header { return &r.header }
func (r *reader) Faults() logs.Faults  { return r.faults }

func (r *reader) Complete(context.Context) error { return nil }
func (r *reader) IsComplete() (bool, error)      { return true, nil }

func (r *reader) Close() error {
	r.leave()
	return r.db.close()
}

func (r *reader) Only(columns []int) {
	r.wanted = ""
	if columns == nil {
		r.place = placesOf(r.columns)
	} else {
		r.place = make(map[int64]int, len(columns))
		ids := make([]string, len(columns))
		for i, c := range columns {
			r.place[r.columns[c].id] = c
			ids[i] = strconv.FormatInt(r.columns[c].id, 10)
		}
		const most = 500 // of an IN list; more columns are read all
		if len(ids) < min(most, len(r.columns)) {
			r.wanted = "(" + strings.Join(ids, ",") + ")"
		}
	}
	if r.wanted == "" && !r.db.layout.packed {
		r.wanted = "(SELECT CounterID FROM CounterDetails)" // its key may begin with the counter
	}
	r.leave()
	r.stale, r.slots.isMade = true, false
}

// leave ends the chunk.
func (r *reader) leave() {
	for _, c := range []**cursor{&r.data, &r.raw, &r.changes} {
		(*c).close()
		*c = nil
	}
	r.records = nil
	r.slots.rows.close()
	r.slots.rows = nil
}

// jump lets the record with this index, or the first behind it, come next.
func (r *reader) jump(index int64) error {
	r.leave()
	r.next, r.stale, r.chunk = index, false, firstChunk
	r.states = make([]logs.ColumnState, len(r.columns))
	for i := range r.states {
		r.states[i] = r.columns[i].state
	}
	if !r.db.layout.packed {
		return nil
	}
	err := readStates(r.db, r.set.key, index-1, placesOf(r.columns), r.states)
	if isDamage(err) {
		return nil // they are why values are absent, and no more
	}
	return err
}

func (r *reader) Position() int64 { return r.next }

func (r *reader) GoTo(place int64) error { return r.jump(place) }

// Times reads the table of records, that are whole ones.
func (r *reader) Times(ctx context.Context, place int64, take func(from, to int64, at time.Time)) error {
	n := 0
	err := r.db.records(r.set.key, place, false, -1, func(c sqliteRecord, isTime bool) error {
		if n++; n%logs.BetweenLooks == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if isTime {
			take(place, c.index+1, r.timeOf(c))
			place = c.index + 1
		}
		return nil
	})
	if ctx.Err() == nil && isDamage(err) {
		return nil
	}
	return err
}

// Records are asked for in chunks that grow: few are wanted after a jump, many when
// all are read. chunkValues is about how many values a chunk has at most.
const (
	firstChunk  = 8
	mostChunk   = 2000
	chunkValues = 20_000
)

// enter asks for the records that come next.
func (r *reader) enter() error {
	r.leave()
	if r.stale {
		if err := r.jump(r.next); err != nil {
			return err
		}
	}
	if err := r.readRecords(); err != nil {
		return err
	}
	first, last := r.records[0].index, r.records[len(r.records)-1].index
	if r.db.layout.packed {
		if err := r.enterPacked(first, last); err != nil {
			return err
		}
	}
	return r.openCursors(first, last)
}

// readRecords reads which records come next, one at least: those without a time are passed
// over.
func (r *reader) readRecords() error {
	for len(r.records) == 0 {
		n := min(max(int64(chunkValues/max(len(r.place), 1)), 1), r.chunk)
		r.chunk = min(2*r.chunk, mostChunk)
		if r.alone {
			n = 1
		}
		before := r.next
		err := r.db.records(r.set.key, r.next, false, n, func(c sqliteRecord, isTime bool) error {
			if !isTime { // else it would be 1970
				r.lose(c.index, errNotATimeDB)
				r.next = c.index + 1
				return nil
			}
			r.records = append(r.records, c)
			return nil
		})
		if err != nil {
			return err
		}
		if len(r.records) == 0 && r.next <= before { // below it: an index that has none behind it
			return io.EOF
		}
	}
	return nil
}

// openCursors begins to read what tables have of records.
func (r *reader) openCursors(first, last int64) (err error) {
	if !r.db.layout.packed {
		r.data, err = r.openCursor("CounterData", "d.CounterValue, d.FirstValueA, d.FirstValueB, d.SecondValueA, d.SecondValueB, "+r.multi, first, last)
		return err
	}
	if r.raw, err = r.openCursor("PerfdeckOther", "d.Status, d.FirstValue, d.SecondValue, d.MultiCount", first, last); err == nil {
		r.changes, err = r.openCursor("PerfdeckChange", "d.Status, d.TimeBase, d.RawBytes, d.BaseBytes, d.NoBase", first, last)
	}
	return err
}

func (r *reader) openCursor(table, cells string, first, last int64) (*cursor, error) {
	l := r.db.layout
	from, only := table+" d", ""
	if r.wanted != "" {
		from = l.record + " r CROSS JOIN " + table + " d ON d." + l.key + " = r." + l.key + " AND d.RecordIndex = r.RecordIndex"
		only = " AND d.CounterID IN " + r.wanted
	}
	rows, err := r.db.query("SELECT d.RecordIndex, d.CounterID, "+cells+" FROM "+from+only+
		" WHERE d."+l.key+" = ? AND d.RecordIndex BETWEEN ? AND ? ORDER BY d.RecordIndex, d.CounterID", r.set.key, first, last)
	if err != nil {
		return nil, err
	}
	c := &cursor{rows: rows}
	return c, c.advance()
}
