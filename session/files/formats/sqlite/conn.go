package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"
	"syscall"

	"modernc.org/sqlite"

	"perfdeck/session/files/logs"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/osfile"
)

// database is a connection to an SQLite file. It is the driver's own, without the
// pool of database/sql: one goroutine uses it, and values are bound as they are.
type database struct {
	ctx        context.Context // ends whatever it does
	conn       connection
	name       string // of the file, for errors
	statements []driver.Stmt
	leave      func()      // of the context and of the heap
	release    func()      // once its locks are gone
	layout     tableLayout // of the set that is used
	isDamaged  bool        // it was opened to read what is left
}

// connection is what the driver's have.
type connection interface {
	driver.Conn
	driver.ExecerContext
	driver.QueryerContext
	driver.ConnPrepareContext
	sqlite.AuthorizerRegisterer
}

// Ways to open an SQLite file (sqlite.org/uri.html).
const (
	readWrite = "rw"
	readOnly  = "ro"
	frozen    = "frozen" // nobody else writes, and a journal is left alone
	// damaged is to read what is left of a file: SQLite opens one that is cut off, or
	// whose schema is odd, only where the schema may be written (writable_schema).
	damaged = "damaged"
)

// openDatabase opens a file, until the context ends. Pragmas are as in
// "busy_timeout(2000)".
func openDatabase(ctx context.Context, name, how string, pragmas ...string) (*database, error) {
	if err := besideIsPlain(name); err != nil {
		return nil, err
	}
	path, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // file:///C:/x.db
	}
	query := url.Values{"_pragma": pragmas, "_defensive": {"1"}}
	query.Set("mode", how)
	switch how {
	case frozen:
		query.Set("mode", readOnly)
		query.Set("immutable", "1")
	case damaged:
		query.Set("mode", readOnly)
		query.Del("_defensive")
		query["_pragma"] = append([]string{"writable_schema(1)"}, pragmas...)
	}
	u := url.URL{Scheme: "file", Path: path, RawQuery: query.Encode()}
	d := &database{ctx: ctx, name: name}
	freeHeap := allowHeap()
	d.release = osfile.HoldLocks(name)
	conn, err := new(sqlite.Driver).Open(u.String())
	if err != nil {
		freeHeap()
		d.release()
		return nil, d.wrap(err)
	}
	handle, hasHandle := handleOf(conn)
	known, ok := conn.(connection)
	if !ok || !hasHandle {
		freeHeap()
		defer d.release()
		return nil, errors.Join(errNoSQL, conn.Close())
	}
	d.conn = known
	limit(handle)
	unwatch := interruptAfter(ctx, handle)
	d.leave = func() { unwatch(); freeHeap() }
	return d, nil
}

// close closes the statements first: SQLite keeps a file open until all are.
func (d *database) close() error {
	d.leave()
	for _, s := range d.statements {
		_ = s.Close() // what it did was judged when it did it
	}
	defer d.release()
	return d.conn.Close()
}

// named turns values into those of the driver: int64, float64, string, []byte,
// nil.
func named(values []driver.Value) []driver.NamedValue {
	out := make([]driver.NamedValue, len(values))
	for i, v := range values {
		out[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	return out
}

var errNoSQL = errors.New("the driver of SQLite lacks what is needed")

// exec runs a statement.
func (d *database) exec(query string, values ...driver.Value) error {
	_, err := d.conn.ExecContext(context.Background(), query, named(values))
	return d.wrap(err)
}

// prepare makes a statement ready for many runs.
func (d *database) prepare(query string) (*statement, error) {
	s, err := d.conn.PrepareContext(context.Background(), query)
	if err != nil {
		return nil, d.wrap(err)
	}
	d.statements = append(d.statements, s)
	run, ok := s.(driver.StmtExecContext)
	if !ok {
		return nil, errNoSQL
	}
	return &statement{d, run}, nil
}

// statement is a prepared statement.
type statement struct {
	d   *database
	run driver.StmtExecContext
}

func (s *statement) exec(values []driver.NamedValue) error {
	_, err := s.run.ExecContext(context.Background(), values)
	return s.d.wrap(err)
}

// query runs a statement that gives rows.
func (d *database) query(query string, values ...driver.Value) (*results, error) {
	rows, err := d.conn.QueryContext(context.Background(), query, named(values))
	if err != nil {
		return nil, d.wrap(err)
	}
	return &results{d: d, rows: rows, cells: make([]driver.Value, len(rows.Columns()))}, nil
}

// each runs a statement and hands its rows out.
func (d *database) each(query string, values []driver.Value, row func(*results) error) error {
	r, err := d.query(query, values...)
	if err != nil {
		return err
	}
	defer r.close()
	for {
		switch ok, err := r.next(); {
		case err != nil:
			return err
		case !ok:
			return nil
		}
		if err := row(r); err != nil {
			return err
		}
	}
}

// number runs a statement that gives one number, 0 if it gives none.
func (d *database) number(query string, values ...driver.Value) (n int64, err error) {
	err = d.each(query, values, func(r *results) error { n = r.int(0); return nil })
	return n, err
}

// has tells whether there is a table with these columns. A view, a virtual table or
// a column that is computed in its place is an error: to read it runs what the file
// says.
func (d *database) has(table string, columns ...string) (bool, error) {
	isThere, isTable := false, false
	err := d.each("SELECT type, rootpage FROM sqlite_schema WHERE name = ? COLLATE NOCASE AND type IN ('table', 'view')",
		[]driver.Value{table}, func(r *results) error {
			isThere, isTable = true, r.text(0) == "table" && r.int(1) > 0 // a virtual one has no page
			return nil
		})
	switch {
	case err != nil || !isThere:
		return false, err
	case !isTable:
		return false, d.unknown("%s is no table but a view, or a virtual one", table)
	}
	found := 0
	err = d.each("SELECT name, hidden FROM pragma_table_xinfo(?)", []driver.Value{table}, func(r *results) error {
		for _, c := range columns {
			if !strings.EqualFold(c, r.text(0)) {
				continue
			}
			if r.int(1) != 0 {
				return d.unknown("%s.%s is computed", table, c)
			}
			found++
		}
		return nil
	})
	return found == len(columns), err
}

// holds tells whether all of these tables are there, as has does.
func (d *database) holds(tables []sqliteTable) (missing string, err error) {
	for _, t := range tables {
		if ok, err := d.has(t.name, t.columns...); err != nil || !ok {
			return t.name, err
		}
	}
	return "", nil
}

// unknown says why a file is not one that is known.
func (d *database) unknown(format string, args ...any) error {
	return &logs.FileError{File: d.name, Err: fmt.Errorf("%w: %s", logs.ErrUnknownFormat, fmt.Sprintf(format, args...))}
}

// wrap says which file an error is of.
func (d *database) wrap(err error) error {
	if err == nil {
		return nil
	}
	if d.ctx.Err() != nil {
		return context.Cause(d.ctx)
	}
	e := &logs.FileError{File: d.name, Err: err}
	if coded, ok := errors.AsType[*sqlite.Error](err); ok {
		e.Err = fmt.Errorf("SQLite: %w", err)
		const busy, noMemory, failed, tooBig, full, corrupt, notADB, denied = 5, 7, 10, 18, 13, 11, 26, 23 // sqlite3.h
		code := coded.Code() & 0xFF
		if code == failed && osfile.IsCrowded(filepath.Dir(d.name)) { // as of a file beside it that found no room
			code = full
		}
		switch code {
		case noMemory, tooBig, denied:
			e.Advice = "the file is damaged, or made to do harm"
		case busy:
			e.Advice = "another program writes to the file"
		case full:
			e.Err, e.Advice = failure.Worded("the disk is full", errors.Join(syscall.ENOSPC, err)), failure.RoomHint(d.name)
		case corrupt, notADB:
			if head, err := logs.ReadHead(d.name); err == nil && !Is(head) { // only its name says so
				return &logs.FileError{File: d.name, Err: logs.ErrUnknownFormat, Advice: "its name is that of an SQLite file, its content is none"}
			}
			e.Advice = "relog FILE -o NEW saves what can be read; the sqlite3 program's .recover may save more"
		}
	}
	return e
}

// results are the rows of a query. Cells may be of any type whatever the table
// says: SQLite keeps what it was given.
type results struct {
	d     *database
	rows  driver.Rows
	cells []driver.Value
}

func (r *results) next() (ok bool, err error) {
	err = r.rows.Next(r.cells)
	if errors.Is(err, io.EOF) {
		return false, nil
	}
	return err == nil, r.d.wrap(err)
}

func (r *results) close() {
	if r != nil {
		_ = r.rows.Close() // only read
	}
}

func (r *results) isNull(i int) bool { return r.cells[i] == nil }

func (r *results) int(i int) int64 {
	switch v := r.cells[i].(type) {
	case int64:
		return v
	case float64:
		if v > -1<<62 && v < 1<<62 {
			return int64(v)
		}
	}
	return 0
}

// isInt tells that a cell is a whole number, as columns of numbers may hold anything.
func (r *results) isInt(i int) bool {
	_, ok := r.cells[i].(int64)
	return ok
}

// float is a number; ok is false for what is none.
func (r *results) float(i int) (f float64, ok bool) {
	switch v := r.cells[i].(type) {
	case float64:
		return v, true
	case int64:
		return float64(v), true
	}
	return 0, false
}

func (r *results) text(i int) string {
	switch v := r.cells[i].(type) {
	case string:
		return v
	case []byte:
		return string(v)
	}
	return ""
}
