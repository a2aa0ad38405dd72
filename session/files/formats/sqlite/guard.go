package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"modernc.org/libc"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"perfdeck/session/files/logs"
	"perfdeck/session/system/guard"
)

// An SQLite file is a program as well: views, triggers, computed columns and virtual
// tables run when it is read or written, and its pages may lead round in circles. Of
// files that others made tables alone are read, whose names and columns are known
// (sqlite.org/security.html):
//
//	has             looks a table up by its kind and its page
//	guard           refuses to compile what leads elsewhere
//	limit           bounds what one value and one statement can be
//	takeHeap        bounds what SQLite allocates
//	interruptAfter  ends what it does

// sqliteTable is a table with columns of it.
type sqliteTable struct {
	name    string
	columns []string
}

// plaTables are those of MS-PLA that are read, packedTables those that are written here.
var (
	plaTables = []sqliteTable{
		{"DisplayToID", []string{"GUID", "DisplayString", "NumberOfRecords", "LogStartTime", "LogStopTime", "MinutesToUTC", "TimeZoneName"}},
		{"CounterDetails", []string{"CounterID", "MachineName", "ObjectName", "CounterName", "CounterType", "DefaultScale", "InstanceName", "InstanceIndex", "ParentName"}},
		{"CounterData", []string{"GUID", "CounterID", "RecordIndex", "CounterDateTime", "CounterValue", "FirstValueA", "FirstValueB", "SecondValueA", "SecondValueB"}},
	}
	packedTables = []sqliteTable{
		{"PerfdeckLog", []string{"SetNo", "Version", "GUID", "DisplayString", "MinutesToUTC", "TimeZoneName", "ZoneKnown", "Caption", "Records"}},
		{"PerfdeckDetails", []string{"CounterID", "MachineName", "ObjectName", "CounterName", "CounterType", "DefaultScale", "InstanceName", "InstanceIndex", "ParentName", "TimeBaseA", "TimeBaseB"}},
		{"PerfdeckSlot", []string{"SetNo", "Position", "CounterID", "Path", "TypeKnown", "BaseType", "Slot", "Second", "Multi"}},
		{"PerfdeckTime", []string{"SetNo", "RecordIndex", "Time"}},
		{"PerfdeckPacked", append([]string{"Key"}, strings.Split(packedCells, ", ")...)},
		{"PerfdeckBase", []string{"Key", "First"}},
		{"PerfdeckChange", []string{"SetNo", "RecordIndex", "CounterID", "Status", "TimeBase", "RawBytes", "BaseBytes", "NoBase"}},
		{"PerfdeckDisplay", []string{"SetNo", "Position", "Attributes", "HexWidth"}},
		{"PerfdeckOther", []string{"SetNo", "RecordIndex", "CounterID", "Status", "FirstValue", "SecondValue", "MultiCount"}},
	}
)

// besides are what statements read or write beside the tables: what SQLite knows of
// them itself.
var besides = []string{"sqlite_master", "sqlite_schema", "sqlite_temp_master", "pragma_table_xinfo"}

// functions and pragmas are those of the statements here.
var (
	functions = []string{"coalesce", "count", "max", "strftime", "substr", "typeof"}
	pragmas   = []string{"table_xinfo", "query_only", "journal_mode", "wal_checkpoint", "busy_timeout"}
)

func isKnownTable(name string) bool {
	is := func(t sqliteTable) bool { return strings.EqualFold(t.name, name) }
	return slices.ContainsFunc(plaTables, is) || slices.ContainsFunc(packedTables, is) || strings.EqualFold(name, plaRecords) || strings.EqualFold(name, eventTable) || slices.Contains(besides, name)
}

// guard refuses to compile statements that lead elsewhere than to known tables, as
// those of a view or a trigger do. What a schema computes was resolved before: that is
// for has and trusted_schema. Only a writer may change what is in the file.
func (d *database) guard(isWriter bool) error {
	may := func(is bool) sqlite.AuthorizerReturnCode {
		if is {
			return sqlite.AuthorizerOK
		}
		return sqlite.AuthorizerDeny
	}
	return d.wrap(d.conn.RegisterAuthorizer(func(action sqlite.AuthorizerActionCode, first, second, database, within string) sqlite.AuthorizerReturnCode {
		if within != "" { // a view or a trigger
			return sqlite.AuthorizerDeny
		}
		switch action {
		case sqlite.AuthSelect:
			return sqlite.AuthorizerOK
		case sqlite.AuthRead:
			return may(isKnownTable(first))
		case sqlite.AuthFunction:
			return may(slices.Contains(functions, strings.ToLower(second)))
		case sqlite.AuthPragma:
			return may(slices.Contains(pragmas, strings.ToLower(first)))
		case sqlite.AuthInsert, sqlite.AuthUpdate, sqlite.AuthCreateTable:
			return may((isWriter || database == "temp") && isKnownTable(first))
		case sqlite.AuthDelete:
			return may(isWriter && first == eventTable)
		case sqlite.AuthCreateTempTable:
			return may(isKnownTable(first))
		case sqlite.AuthCreateTempIndex: // of a key
			return may(isKnownTable(second))
		case sqlite.AuthCreateIndex:
			return may(isWriter && isKnownTable(second))
		case sqlite.AuthCreateView: // nothing of it runs
			return may(isWriter && isKnownTable(first))
		case sqlite.AuthTransaction:
			return may(isWriter)
		}
		return sqlite.AuthorizerDeny
	}))
}

// Bounds of values and statements (sqlite.org/c3ref/c_limit_attached.html).
var sqliteLimits = []struct{ id, most int32 }{
	{sqlite3.SQLITE_LIMIT_LENGTH, 16 << 20}, // bytes of a value, and of a row
	{sqlite3.SQLITE_LIMIT_SQL_LENGTH, 1 << 20},
	{sqlite3.SQLITE_LIMIT_COLUMN, 500},
	{sqlite3.SQLITE_LIMIT_COMPOUND_SELECT, 300}, // rows that one statement inserts
	{sqlite3.SQLITE_LIMIT_ATTACHED, 0},
	{sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH, 1},
	{sqlite3.SQLITE_LIMIT_WORKER_THREADS, 0},
}

// limit bounds what a connection takes. The driver has it for connections of a pool
// alone.
func limit(handle uintptr) {
	tls := libc.NewTLS()
	defer tls.Close()
	for _, l := range sqliteLimits {
		sqlite3.Xsqlite3_limit(tls, handle, l.id, l.most)
	}
}

// handleOf is the sqlite3 of a connection. The driver ends a query by its context
// until the first row comes, and shows nobody the handle by which the others could
// be ended: it is read from its connection.
func handleOf(conn driver.Conn) (handle uintptr, ok bool) {
	c := reflect.Indirect(reflect.ValueOf(conn))
	if c.Kind() != reflect.Struct {
		return 0, false
	}
	db := c.FieldByName("db")
	if db.Kind() != reflect.Uintptr {
		return 0, false
	}
	return uintptr(db.Uint()), true
}

// interruptEvery is how often a connection is told to stop: it forgets what it was
// told between two statements.
const interruptEvery = 5 * time.Millisecond

// interruptAfter ends what a connection does when the context ends, and all that it
// begins after that, until stop is called.
func interruptAfter(ctx context.Context, handle uintptr) (stop func()) {
	if ctx.Done() == nil {
		return func() {}
	}
	over := make(chan struct{})
	wait := guard.Beside(func() {
		select {
		case <-over:
			return
		case <-ctx.Done():
		}
		again := time.NewTicker(interruptEvery)
		defer again.Stop()
		for {
			sqlite3.Xsqlite3_interrupt(nil, handle) // sets a flag
			select {
			case <-over:
				return
			case <-again.C:
			}
		}
	})
	return func() { close(over); wait() }
}

// What SQLite may allocate: for what a file demands, and for each connection's cache
// and statements. What is sorted and does not fit goes to a temporary file.
const (
	sharedHeap     = 128 << 20
	connectionHeap = 16 << 20
)

// heap counts the connections. SQLite has one heap for all of a process, and counts
// what is taken from it if it is told so before it is first used.
var heap struct {
	sync.Mutex

	isCounted bool
	users     int64
}

// allowHeap allows for another connection, until free is called.
func allowHeap() (free func()) {
	resize := func(n int64) {
		heap.Lock()
		defer heap.Unlock()
		tls := libc.NewTLS()
		defer tls.Close()
		if !heap.isCounted {
			heap.isCounted = true
			list := tls.Alloc(8)
			sqlite3.Xsqlite3_config(tls, sqlite3.SQLITE_CONFIG_MEMSTATUS, libc.VaList(list, int32(1)))
			tls.Free(8)
		}
		heap.users += n
		sqlite3.Xsqlite3_hard_heap_limit64(tls, sharedHeap+heap.users*connectionHeap)
	}
	resize(1)
	return sync.OnceFunc(func() { resize(-1) })
}

// besideIsPlain refuses a file with something that blocks in the place of its
// journal.
func besideIsPlain(name string) error {
	for _, suffix := range Journals() {
		info, err := os.Lstat(journalOf(name, suffix)) // SQLite would write to where a link leads
		if err == nil && !info.Mode().IsRegular() {
			return &logs.FileError{File: name, Err: fmt.Errorf("%s is no plain file", journalOf(name, suffix)), Advice: "move it away: SQLite takes it for a journal"}
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
			return err
		}
	}
	return nil
}
