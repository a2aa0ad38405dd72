package sqlite_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/session/files/formats"
	"perfdeck/session/files/formats/formatstest"
	"perfdeck/session/files/formats/sqlite"
	"perfdeck/session/files/logs"
	"perfdeck/session/system/sharedtest"
)

// endless is a query without an end.
const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "

// altered is a recording of ours that was changed by SQL, without what guards a
// connection. One with the tables of MS-PLA alone is changed where these are named.
func altered(t testing.TB, changes ...string) string {
	t.Helper()
	h := formatstest.TypedHeader()
	name := formatstest.Recorded(t, "sqlite", h, formatstest.RawRows(h, 5))
	if isPLA(changes) {
		name = plaFile(t)
	}
	changed(t, name, changes...)
	return name
}

// isPLA tells whether changes are of the tables of MS-PLA.
func isPLA(changes []string) bool {
	text := strings.Join(changes, " ")
	return slices.ContainsFunc(sqlite.PLATables(), func(name string) bool { return strings.Contains(text, name) })
}

func changed(t testing.TB, name string, changes ...string) {
	t.Helper()
	db, err := sqlite.OpenDatabase(context.Background(), name, sqlite.ReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range changes {
		if err := db.Exec(change); err != nil {
			t.Fatalf("%s: %v", change, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// hung fails a test that would go on for ever.
func hung(t *testing.T, what string, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); do() }()
	select {
	case <-done:
	case <-time.After(sharedtest.Patience):
		t.Fatalf("%s goes on for ever", what)
	}
}

// computed takes the place of a table: a view of the same columns.
func computed(table, columns, values string) []string {
	return []string{
		"DROP TABLE " + table,
		"CREATE VIEW " + table + "(" + columns + ") AS " + endless + "SELECT " + values + " FROM n",
	}
}

// What a file has in the place of a table is neither read nor written, and what a
// file would have done on the way is not done.
func TestSQLiteRefusesWhatRuns(t *testing.T) {
	data := computed("CounterData", "GUID, CounterID, RecordIndex, CounterDateTime, CounterValue, FirstValueA, FirstValueB, SecondValueA, SecondValueB, MultiCount",
		"(SELECT GUID FROM DisplayToID), 1, i, '2026-01-01 10:00:00.000', 1.5, NULL, NULL, NULL, NULL, NULL")
	hostile := map[string][]string{
		"a view of data": data,
		"a view of sets": computed("DisplayToID", "GUID, RunID, DisplayString, LogStartTime, LogStopTime, NumberOfRecords, MinutesToUTC, TimeZoneName",
			"i, 0, 'set ' || i, NULL, NULL, 0, 0, ''"),
		"a view of counters": computed("CounterDetails", "CounterID, MachineName, ObjectName, CounterName, CounterType, DefaultScale, InstanceName, InstanceIndex, ParentName, ParentObjectID, TimeBaseA, TimeBaseB",
			"i, '', 'o', 'c' || i, 65536, 0, NULL, NULL, NULL, NULL, NULL, NULL"),
		"a column that is computed": {
			"ALTER TABLE CounterData RENAME TO Old",
			"CREATE TABLE CounterData (GUID, CounterID, RecordIndex, CounterDateTime, Seed, CounterValue AS (length(hex(zeroblob(1000000 * Seed)))), FirstValueA, FirstValueB, SecondValueA, SecondValueB, MultiCount)",
			"INSERT INTO CounterData SELECT GUID, CounterID, RecordIndex, CounterDateTime, 1, FirstValueA, FirstValueB, SecondValueA, SecondValueB, MultiCount FROM Old",
		},
		"a view of packed rows":    computed("PerfdeckPacked", "Key, "+sqlite.PackedCells, "i"+strings.Repeat(", i", 2*sqlite.SlotsPerRow)),
		"a view of packed times":   computed("PerfdeckTime", "SetNo, RecordIndex, Time", "0, i, i"),
		"a view of packed slots":   computed("PerfdeckSlot", "SetNo, Position, CounterID, Path, TypeKnown, BaseType, Slot, Second, Multi", "0, i, i, 'p' || i, 0, 0, i, NULL, NULL"),
		"a view of packed sets":    computed("PerfdeckLog", "SetNo, Version, GUID, DisplayString, MinutesToUTC, TimeZoneName, ZoneKnown, Caption, Records", "i, 2, i, i, 0, '', 0, '', 0"),
		"a view of packed bases":   computed("PerfdeckBase", "Key, First", "i, i"),
		"a view of packed changes": computed("PerfdeckChange", "SetNo, RecordIndex, CounterID, Status, TimeBase, RawBytes, BaseBytes, NoBase", "0, 1, 1, '', 0, 0, 0, 0"),
		"a computed packed cell": {
			"DROP TABLE PerfdeckBase",
			"CREATE TABLE PerfdeckBase (Key INTEGER PRIMARY KEY, First AS (1) STORED)",
		},
		"a virtual table of packed rows": {
			"DROP TABLE PerfdeckPacked",
			"CREATE VIRTUAL TABLE PerfdeckPacked USING fts5(Key, " + sqlite.PackedCells + ")",
		},
		"a virtual table of data": {
			"DROP TABLE CounterData",
			"CREATE VIRTUAL TABLE CounterData USING fts5(GUID, CounterID, RecordIndex, CounterDateTime, CounterValue, FirstValueA, FirstValueB, SecondValueA, SecondValueB, MultiCount)",
		},
	}
	for _, what := range some(hostile, 4) {
		changes := hostile[what]
		t.Run(what, func(t *testing.T) {
			name := altered(t, changes...)
			hung(t, "reading", func() {
				r, err := formats.Open(t.Context(), name, logs.OpenOptions{})
				if err == nil {
					_ = r.Close()
				}
				if !errors.Is(err, logs.ErrUnknownFormat) {
					t.Errorf("read: %v", err)
				}
			})
			hung(t, "appending", func() {
				w, _, err := formats.Append(name, nil, formatstest.TypedHeader(), logs.WriteOptions{})
				if err == nil {
					_ = w.Close()
				}
				if err == nil {
					t.Error("it was appended to")
				}
			})
		})
	}
}

// Triggers do not run: a recording that has some is read, and not continued.
func TestSQLiteTriggers(t *testing.T) {
	for _, table := range []string{"PerfdeckPacked", "PerfdeckTime", "PerfdeckLog"} {
		for _, what := range []string{"INSERT", "UPDATE"} {
			name := altered(t, "CREATE TABLE Ran (i)",
				"CREATE TRIGGER evil AFTER "+what+" ON "+table+" BEGIN INSERT INTO Ran SELECT 1; DELETE FROM PerfdeckDetails; END")
			h, rows, _ := formatstest.ReadAll(t, name, logs.OpenOptions{})
			if len(rows) != 5 {
				t.Fatalf("%d rows", len(rows))
			}
			next := formatstest.RawRows(&h, 9)[8]
			hung(t, "appending", func() {
				w, _, err := formats.Append(name, nil, &h, logs.WriteOptions{})
				if err == nil {
					err = w.WriteRow(&next)
					err = errors.Join(err, w.Close())
				}
				if what == "INSERT" && table != "PerfdeckLog" && err == nil {
					t.Errorf("%s on %s: a row was appended", what, table)
				}
			})
			db, err := sqlite.OpenDatabase(t.Context(), name, sqlite.ReadWrite)
			if err != nil {
				t.Fatal(err)
			}
			if n, err := db.Number("SELECT count(*) FROM Ran"); err != nil || n != 0 {
				t.Errorf("%s on %s: the trigger ran %d times, %v", what, table, n, err)
			}
			_ = db.Close()
		}
	}
}

// What is larger than anything that is recorded is refused before there is memory
// for it.
func TestSQLiteHuge(t *testing.T) {
	huge := map[string][]string{
		"the name of a set": {"UPDATE PerfdeckLog SET DisplayString = zeroblob(200000000)"},
		"the zone of a set": {"UPDATE PerfdeckLog SET TimeZoneName = zeroblob(200000000)"},
		"a path":            {"UPDATE PerfdeckSlot SET Path = zeroblob(200000000) WHERE Position = 0"},
		"a caption":         {"UPDATE PerfdeckLog SET Caption = zeroblob(200000000)"},
		"a text":            {"UPDATE PerfdeckPacked SET V0 = zeroblob(200000000) WHERE Key = (SELECT min(Key) FROM PerfdeckPacked)"},
		"the text of the schema": {
			"PRAGMA writable_schema=1",
			"INSERT INTO sqlite_schema VALUES ('table', 'Extra', 'Extra', 2, 'CREATE TABLE Extra (a DEFAULT ''' || hex(zeroblob(20000000)) || ''')')",
		},
	}
	for _, what := range some(huge, 3) {
		changes := huge[what]
		t.Run(what, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "huge.db")
			h := formatstest.TypedHeader()
			if err := os.Rename(formatstest.Recorded(t, "sqlite", h, formatstest.RawRows(h, 2)), name); err != nil {
				t.Fatal(err)
			}
			undefended(t, name, changes...)
			used := formatstest.Allocated(func() {
				r, err := formats.Open(t.Context(), name, logs.OpenOptions{})
				var row logs.Row
				for err == nil {
					err = r.Next(&row)
				}
				if r != nil {
					_ = r.Close()
				}
				if file, ok := errors.AsType[*logs.FileError](err); !ok || errors.Is(err, io.EOF) || file.Hint() == "" {
					t.Errorf("%v", err)
				}
			})
			if used > 64<<20 {
				t.Errorf("%d bytes were allocated", used)
			}
		})
	}
}

// Reading a schema ends with the context, however large it is, and leaves nothing
// taken.
func TestSQLiteLargeSchema(t *testing.T) {
	h := formatstest.TypedHeader()
	name := formatstest.Recorded(t, "sqlite", h, formatstest.RawRows(h, 2))
	page := []string{"PRAGMA writable_schema=1"}
	undefended(t, name, append(page, endless+`INSERT INTO sqlite_schema SELECT 'table', 't' || i, 't' || i, 2,
		'CREATE TABLE t' || i || '(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t)' FROM n LIMIT 300000`)...)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(300*time.Millisecond, cancel)
	hung(t, "reading", func() {
		r, err := formats.Open(ctx, name, logs.OpenOptions{})
		if err == nil {
			_ = r.Close()
		}
		if _, isFile := errors.AsType[*logs.FileError](err); !errors.Is(err, context.Canceled) && !isFile {
			t.Errorf("%v", err)
		}
	})
	again := formatstest.Recorded(t, "sqlite", h, formatstest.RawRows(h, 2)) // the memory is there again
	if _, rows, _ := formatstest.ReadAll(t, again, logs.OpenOptions{}); len(rows) != 2 {
		t.Errorf("%d rows", len(rows))
	}
}

// undefended changes a file as another program can: its schema, and without limits.
func undefended(t *testing.T, name string, changes ...string) {
	t.Helper()
	python(t, "import sqlite3, sys\nc = sqlite3.connect(sys.argv[1], isolation_level=None)\nc.execute('pragma journal_mode=off')\nfor s in sys.argv[2:]: c.execute(s)\n", append([]string{name}, changes...)...)
}

// circles makes a foreign file whose CounterData has so many levels of pages, each of
// which is the one below it many times over: rows without end in a small file.
func circles(t *testing.T, levels int) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "circles.db")
	const size = 4096
	python(t, `
import sqlite3, sys
c = sqlite3.connect(sys.argv[1])
c.execute("pragma page_size=4096")
c.executescript("""
create table DisplayToID (GUID, RunID int, DisplayString, LogStartTime, LogStopTime, NumberOfRecords int, MinutesToUTC int, TimeZoneName);
create table CounterDetails (CounterID integer primary key, MachineName, ObjectName, CounterName, CounterType int, DefaultScale int, InstanceName, InstanceIndex int, ParentName);
create table CounterData (GUID, CounterID int, RecordIndex int, CounterDateTime, CounterValue float, FirstValueA int, FirstValueB int, SecondValueA int, SecondValueB int);
create table Filler (b);
insert into DisplayToID values ('g', 0, 's', '', '', 1, 0, '');
insert into CounterDetails values (1, '', 'o', 'c', 65536, 0, null, null, null);
""")
c.execute("insert into CounterData values ('g', 1, 1, '2026-01-01 10:00:00.000', 1.5, null, null, null, null)")
c.execute("insert into Filler values (zeroblob(200000))")
c.commit()
c.close()
`, name)
	pages := formatstest.Content(t, name)
	root := 4 // sqlite_schema, and the tables in their order
	leaf := bytes.Clone(pages[(root-1)*size : root*size])
	// The filler's overflow pages are at the end of the file.
	last := len(pages) / size
	copy(pages[(last-1)*size:], leaf)
	for level := range levels {
		at, below := last-2-level, last-1-level
		if level == levels-1 {
			at = root
		}
		page := pages[(at-1)*size : at*size]
		clear(page)
		const cells = 300
		page[0] = 5 // interior page of a table (sqlite.org/fileformat2.html#b_tree_pages)
		if level == 0 {
			below = last
		} else {
			below = last - 1 - level
		}
		binary.BigEndian.PutUint16(page[3:], cells)
		binary.BigEndian.PutUint16(page[5:], uint16(size-cells*6))
		binary.BigEndian.PutUint32(page[8:], uint32(below))
		for i := range cells {
			cell := size - (i+1)*6
			binary.BigEndian.PutUint16(page[12+2*i:], uint16(cell))
			binary.BigEndian.PutUint32(page[cell:], uint32(below))
			page[cell+4], page[cell+5] = 0x81, byte(i%128)
		}
	}
	if err := os.WriteFile(name, pages, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// Reading ends when the context does, whatever SQLite is doing: here a table whose
// pages lead round in circles.
func TestSQLiteEndsWithContext(t *testing.T) {
	name := circles(t, 6)
	over := errors.New("over")
	for _, after := range []time.Duration{0, 20 * time.Millisecond, 300 * time.Millisecond} {
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(after, func() { cancel(over) })
		var err error
		hung(t, "reading", func() {
			var r logs.Reader
			r, err = formats.Open(ctx, name, logs.OpenOptions{})
			var row logs.Row
			for err == nil {
				err = r.Next(&row)
			}
			if r != nil {
				_ = r.Close()
			}
		})
		if !errors.Is(err, over) {
			t.Errorf("after %v: %v", after, err)
		}
	}
}

// A statement that goes on between two rows ends too.
func TestSQLiteEndsBetweenRows(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	db, err := sqlite.OpenDatabase(ctx, altered(t), sqlite.ReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(endless + "SELECT i FROM n WHERE i = 1")
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := rows.Next(); !ok || err != nil {
		t.Fatalf("%v, %v", ok, err)
	}
	time.AfterFunc(20*time.Millisecond, cancel)
	hung(t, "the statement", func() {
		if _, err := rows.Next(); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	})
	rows.Close()
	if _, err := db.Number("SELECT 1"); !errors.Is(err, context.Canceled) && err != nil {
		t.Errorf("after the end: %v", err)
	}
}

// A pipe beside a file, where its journal would be, does not hang who opens it.
func TestSQLiteJournalIsPlain(t *testing.T) {
	for _, suffix := range sqlite.Journals() {
		name := altered(t)
		if err := os.Mkdir(name+suffix, 0o700); err != nil {
			t.Fatal(err)
		}
		_, err := formats.Open(t.Context(), name, logs.OpenOptions{})
		if file, ok := errors.AsType[*logs.FileError](err); !ok || file.Hint() == "" {
			t.Errorf("%s: %v", suffix, err)
		}
	}
}

// What SQLite allocates is counted, or nothing would bound it.
func TestSQLiteHeapIsCounted(t *testing.T) {
	name := altered(t)
	r, err := formats.Open(t.Context(), name, logs.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	db, err := sqlite.OpenDatabase(t.Context(), name, sqlite.ReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	before, _ := db.Number("PRAGMA hard_heap_limit")
	if before < sqlite.SharedHeap || before > sqlite.SharedHeap+1000*sqlite.ConnectionHeap {
		t.Errorf("the heap may have %d bytes", before)
	}
	err = db.Exec("CREATE TEMP TABLE m (b)")
	if err == nil {
		err = db.Exec("PRAGMA temp_store=2")
	}
	for i := 0; err == nil && i < 100; i++ {
		err = db.Exec("CREATE TEMP TABLE m (b); INSERT INTO m VALUES (zeroblob(16000000)); ALTER TABLE m RENAME TO m" + strings.Repeat("x", i+1))
	}
	if err == nil {
		t.Error("it took 1.6 GB")
	}
}

// some are the names of cases in their order, in short runs each nth.
func some(cases map[string][]string, n int) (names []string) {
	for i, name := range slices.Sorted(maps.Keys(cases)) {
		if i%n == 0 || !testing.Short() {
			names = append(names, name)
		}
	}
	return names
}
