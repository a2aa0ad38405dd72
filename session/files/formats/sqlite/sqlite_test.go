package sqlite_test

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/formats/formatstest"
	"perfdeck/session/files/formats/sqlite"
	"perfdeck/session/files/logs"
	"perfdeck/session/system/sharedtest"
)

// TestSQLiteCooksAgain reads raw samples of every type back and cooks them again.
func TestSQLiteCooksAgain(t *testing.T) {
	h := formatstest.TypedHeader()
	rows := formatstest.RawRows(h, 40)
	name := formatstest.Recorded(t, "sqlite", h, rows)
	back, all, _ := formatstest.ReadAll(t, name, logs.OpenOptions{})
	if back.Caption != h.Caption || back.Zone != h.Zone || len(back.Columns) != len(h.Columns) || len(all) != len(rows) {
		t.Fatalf("header %+v, %d rows", back, len(all))
	}
	for c := range h.Columns {
		if back.Columns[c] != h.Columns[c] {
			t.Errorf("column %+v, want %+v", back.Columns[c], h.Columns[c])
		}
	}
	for i := range rows {
		if !all[i].Time.Equal(rows[i].Time) {
			t.Errorf("row %d is of %v, want %v", i, all[i].Time, rows[i].Time)
		}
		for c := range h.Columns {
			want := rows[i].Values[c]
			got := all[i].Values[c]
			if got.Valid() != want.Valid() || string(cooker.AppendMachine(nil, got)) != string(cooker.AppendMachine(nil, want)) && want.Valid() || !want.Valid() && got.Status() != want.Status() {
				t.Errorf("row %d, %s: %v, want %v", i, h.Columns[c].Type, got, want)
			}
			if !rows[i].Raw[c].Known {
				if len(all[i].Raw) > 0 && all[i].Raw[c].Known {
					t.Errorf("row %d, %s: a raw sample came from nowhere", i, h.Columns[c].Type)
				}
				continue
			}
			var before *logs.Raw
			if i > 0 && len(all[i-1].Raw) > 0 && all[i-1].Raw[c].Known {
				before = &all[i-1].Raw[c]
			}
			if again := formatstest.CookRaw(h.Columns[c].Type, before, &all[i].Raw[c]); again != formatstest.CookRaw(h.Columns[c].Type, formatstest.RawBefore(rows, i, c), &rows[i].Raw[c]) {
				t.Errorf("row %d, %s: cooked again %v, want %v", i, h.Columns[c].Type, again, want)
			}
		}
	}
}

// python runs a program of Python with arguments.
func python(t testing.TB, program string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not here to read the file")
	}
	out, err := exec.Command(path, append([]string{"-c", program}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("python: %v\n%s", err, out)
	}
	return strings.TrimSpace(string(out))
}

// TestSQLitePython has Python's sqlite3 read the views with the columns of MS-PLA.
func TestSQLitePython(t *testing.T) {
	name := formatstest.Convert(t, sharedtest.Path(t, "data/pdhtext/PowerShell_PowerShell__CounterSamples.csv"), "sqlite")
	got := python(t, `
import sqlite3, sys
c = sqlite3.connect(sys.argv[1])
one = lambda q: c.execute(q).fetchone()
print(one("pragma integrity_check")[0], one("pragma journal_mode")[0])
print(one("select DisplayString, LogStartTime, LogStopTime, NumberOfRecords, MinutesToUTC, TimeZoneName from DisplayToID"))
print(one("select count(*) from CounterDetails")[0], one("select count(*), min(RecordIndex), max(RecordIndex) from CounterData"))
print(one("""select d.MachineName, d.ObjectName, d.InstanceName, d.CounterName, v.CounterDateTime, v.CounterValue
 from CounterData v join CounterDetails d using (CounterID) join DisplayToID i using (GUID) where v.RecordIndex = 2 and d.CounterName like '%committed%'"""))
print([r[0] for r in c.execute("select RecordIndex from CounterData v join CounterDetails d using (CounterID) where CounterName = 'cache faults/sec' order by 1 limit 3")])
for t in "CounterData", "CounterDetails", "DisplayToID":
  print(t, [r[1] for r in c.execute(f"pragma table_info({t})")])
`, name)
	want := `ok delete
('converted', '2016-11-26 21:46:30.874', '2016-11-26 21:47:42.983', 25, 480, 'Pacific Standard Time')
10 (242, 1, 25)
('\\\\charlieparker', 'memory', None, '% committed bytes in use', '2016-11-26 21:46:33.877', 86.91851340395364)
[2, 3, 4]
CounterData ['GUID', 'CounterID', 'RecordIndex', 'CounterDateTime', 'CounterValue', 'FirstValueA', 'FirstValueB', 'SecondValueA', 'SecondValueB', 'MultiCount']
CounterDetails ['CounterID', 'MachineName', 'ObjectName', 'CounterName', 'CounterType', 'DefaultScale', 'InstanceName', 'InstanceIndex', 'ParentName', 'ParentObjectID', 'TimeBaseA', 'TimeBaseB']
DisplayToID ['GUID', 'RunID', 'DisplayString', 'LogStartTime', 'LogStopTime', 'NumberOfRecords', 'MinutesToUTC', 'TimeZoneName']`
	if got != want {
		t.Errorf("python reads\n%s\nwant\n%s", got, want)
	}
}

// TestSQLiteForeign reads tables that another program wrote as MS-PLA describes
// them, in its order of the key, without tables of ours.
func TestSQLiteForeign(t *testing.T) {
	name := filepath.Join(t.TempDir(), "foreign.db")
	python(t, `
import sqlite3, sys
c = sqlite3.connect(sys.argv[1])
c.executescript("""
create table CounterData (GUID uniqueidentifier not null, CounterID int not null, RecordIndex int not null, CounterDateTime char(24) not null,
  CounterValue float not null, FirstValueA int, FirstValueB int, SecondValueA int, SecondValueB int, primary key (GUID, CounterID, RecordIndex));
create table CounterDetails (CounterID int primary key, MachineName varchar(1024) not null, ObjectName varchar(1024) not null, CounterName varchar(1024) not null,
  CounterType int not null, DefaultScale int not null, InstanceName varchar(1024), InstanceIndex int, ParentName varchar(1024), ParentObjectID int);
create table DisplayToID (GUID uniqueidentifier not null primary key, RunID int, DisplayString varchar(1024) not null unique, LogStartTime char(24), LogStopTime char(24),
  NumberOfRecords int, MinutesToUTC int, TimeZoneName char(32));
insert into CounterDetails values (5, '\\\\SRV', 'Process', 'ID Process', 65536, 0, 'a', 2, 'b', null), (9, '\\\\SRV', 'Memory', 'Pages/sec', 272696320, 0, null, null, null, null),
  (11, '\\\\SRV', 'Other', 'of another set', 65536, 0, null, null, null, null);
""")
g = bytes(range(16))
c.execute("insert into DisplayToID values (?, 0, 'night', '2026-01-01 10:00:00.500', '2026-01-01 10:00:02.500', 3, -60, 'W. Europe Standard Time         ')", (g,))
for i, (a, b) in enumerate([(7, 0), (8, None), (9, 2.5)]):
  c.execute("insert into CounterData values (?, 5, ?, ?, ?, ?, 0, 0, 0)", (g, i + 1, f"2026-01-01 10:00:0{i}.500 ", a, a))
  if b is not None: c.execute("insert into CounterData values (?, 9, ?, ?, ?, ?, 1, ?, 2)", (g, i + 1, f"2026-01-01 10:00:0{i}:500", b, i, -1))
c.commit()
`, name)
	h, rows, _ := formatstest.ReadAll(t, name, logs.OpenOptions{})
	if len(h.Columns) != 2 || h.Columns[0].Path != `\\SRV\Process(b/a#2)\ID Process` || h.Columns[1].Path != `\\SRV\Memory\Pages/sec` || h.Columns[1].Type != cooker.CounterCounter {
		t.Fatalf("columns %+v", h.Columns)
	}
	if h.Zone != (logs.Zone{Name: "W. Europe Standard Time", Bias: -60, Known: true}) || len(rows) != 3 {
		t.Fatalf("zone %v, %d rows", h.Zone, len(rows))
	}
	if want := time.Date(2026, 1, 1, 10, 0, 1, 500e6, time.UTC); !rows[1].Time.Equal(want) || rows[1].Values[0] != cooker.WholeValue(8) || rows[1].Values[1].Valid() {
		t.Errorf("row %v %v", rows[1].Time, rows[1].Values)
	}
	if raw := rows[2].Raw[1]; !raw.Known || raw.Reading.Raw != 1<<32+2 || raw.Clocks.PerfTime != 2<<32+1<<32-1 {
		t.Errorf("raw %+v", raw)
	}
	if _, _, err := formats.Append(name, nil, &h, logs.WriteOptions{}); !errors.Is(err, sqlite.ErrForeign) {
		t.Errorf("the set of another program was continued: %v", err)
	}
}

// TestSQLiteSets keeps several sets in one file, which share counters.
func TestSQLiteSets(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "two.db")
	f, _ := formats.Named("sqlite")
	h := formatstest.WideHeader(3)
	h.Columns = append(h.Columns, h.Columns[1]) // twice in one set
	for i, set := range []string{"first", "second"} {
		write := formats.Create
		if i > 0 {
			write = func(name string, f *formats.Format, h *logs.Header, o logs.WriteOptions) (logs.Writer, error) {
				w, _, err := formats.Append(name, f, h, o)
				return w, err
			}
		}
		w, err := write(name, f, h, logs.WriteOptions{Set: set})
		if err != nil {
			t.Fatal(err)
		}
		for n := range 5 + i {
			row := logs.Row{Time: time.Unix(int64(1000*i+n), 0), Values: make([]cooker.Value, 4)}
			for c := range row.Values {
				row.Values[c] = cooker.WholeValue(uint64(100*i + 10*n + c))
			}
			if err := w.WriteRow(&row); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for set, want := range map[string]struct {
		rows  int
		first uint64
	}{"first": {5, 0}, "SECOND": {6, 100}, "": {6, 100}} {
		_, rows, _ := formatstest.ReadAll(t, name, logs.OpenOptions{Set: set})
		if len(rows) != want.rows || rows[0].Values[3] != cooker.FloatValue(float64(want.first+3)) {
			t.Errorf("set %q: %d rows, %v", set, len(rows), rows[0].Values)
		}
	}
	if _, err := formats.Open(t.Context(), name, logs.OpenOptions{Set: "third"}); !errors.Is(err, sqlite.ErrNoSet) {
		t.Errorf("a set that is not there: %v", err)
	}
	if got := python(t, `import sqlite3,sys; print(sqlite3.connect(sys.argv[1]).execute("select count(*) from CounterDetails").fetchone()[0])`, name); got != "4" {
		t.Errorf("%s counters, want 4: sets share them", got)
	}
}

// TestSQLiteGrows adds columns on the way.
func TestSQLiteGrows(t *testing.T) {
	f, _ := formats.Named("sqlite")
	name := filepath.Join(t.TempDir(), "x.db")
	w, err := formats.Create(name, f, formatstest.WideHeader(1), logs.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rows := formatstest.SomeRows(4, 3)
	first := logs.Row{Time: rows[0].Time, Values: rows[0].Values[:1]}
	if err := w.WriteRow(&first); err != nil {
		t.Fatal(err)
	}
	if err := w.(logs.Grower).AddColumns(formatstest.WideHeader(3).Columns[1:]); err != nil {
		t.Fatal(err)
	}
	for i := 1; i < 4; i++ {
		if err := w.WriteRow(&rows[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.WriteRow(&first); !errors.Is(err, logs.ErrRowWidth) {
		t.Errorf("a row of the old width: %v", err)
	}
	w.Close()
	h, all, _ := formatstest.ReadAll(t, name, logs.OpenOptions{})
	if len(h.Columns) != 3 || len(all) != 4 || all[0].Values[1].Valid() || !formatstest.SameValues(all[3].Values, rows[3].Values) {
		t.Errorf("%d columns, rows %v", len(h.Columns), all)
	}
}

// TestSQLiteSurvives opens what the end of a process, or a power cut, leaves: the
// file, and a journal that was cut anywhere.
func TestSQLiteSurvives(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "x.db")
	f, _ := formats.Named("sqlite")
	w, err := formats.Create(name, f, formatstest.WideHeader(5), logs.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	rows := formatstest.SomeRows(60, 5)
	const synced = 30
	for i := range rows {
		if i == synced {
			if err := w.Sync(); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.WriteRow(&rows[i]); err != nil {
			t.Fatal(err)
		}
	}
	file, journal := formatstest.Content(t, name), formatstest.Content(t, name+"-wal")
	parts := 40
	if testing.Short() {
		parts = 9
	}
	for n := range parts + 1 {
		cut := len(journal) * n / parts
		left := filepath.Join(dir, fmt.Sprintf("cut%d.db", cut))
		if err := os.WriteFile(left, file, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(left+"-wal", journal[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		h, all, _ := formatstest.ReadAll(t, left, logs.OpenOptions{})
		if len(all) < synced || cut == len(journal) && len(all) != len(rows) {
			t.Fatalf("journal cut at %d of %d: %d rows are left", cut, len(journal), len(all))
		}
		for i := range all {
			if !formatstest.SameValues(all[i].Values, rows[i].Values) {
				t.Fatalf("journal cut at %d: row %d: %v", cut, i, all[i].Values)
			}
		}
		again, tail, err := formats.Append(left, nil, &h, logs.WriteOptions{})
		if err != nil || tail.Rows != int64(len(all)) || !tail.Last.Equal(all[len(all)-1].Time) {
			t.Fatalf("resume: %+v, %v", tail, err)
		}
		row := logs.Row{Time: rows[59].Time.Add(time.Second), Values: rows[0].Values}
		if err := again.WriteRow(&row); err != nil {
			t.Fatal(err)
		}
		if err := again.Close(); err != nil {
			t.Fatal(err)
		}
		if _, more, _ := formatstest.ReadAll(t, left, logs.OpenOptions{}); len(more) != len(all)+1 {
			t.Fatalf("%d rows after resume, want %d", len(more), len(all)+1)
		}
	}
}

// TestSQLiteReadOnly reads a file in a folder that cannot be written to, with its
// journal.
func TestSQLiteReadOnly(t *testing.T) {
	if os.Getuid() == 0 {
		t.Log("the superuser may write everywhere: only the plain case is tried")
	}
	name := formatstest.Recorded(t, "sqlite", formatstest.WideHeader(2), formatstest.SomeRows(3, 2))
	dir := filepath.Dir(name)
	if err := os.Chmod(name, 0o400); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o700)
	if _, rows, _ := formatstest.ReadAll(t, name, logs.OpenOptions{}); len(rows) != 3 {
		t.Errorf("%d rows", len(rows))
	}
}

// TestSQLiteTimes refuses times that nanoseconds cannot count.
func TestSQLiteTimes(t *testing.T) {
	f, _ := formats.Named("sqlite")
	name := filepath.Join(t.TempDir(), "x.db")
	w, err := formats.Create(name, f, formatstest.WideHeader(1), logs.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	row := logs.Row{Time: time.Date(1601, 1, 1, 0, 0, 0, 0, time.UTC), Values: []cooker.Value{cooker.WholeValue(1)}}
	if err := w.WriteRow(&row); !errors.Is(err, logs.ErrTimeRange) {
		t.Errorf("a row of 1601: %v", err)
	}
	w.Close()
	if _, rows, _ := formatstest.ReadAll(t, name, logs.OpenOptions{}); len(rows) != 0 {
		t.Errorf("%d rows", len(rows))
	}
}

// TestSQLiteOdd opens what is no recording.
func TestSQLiteOdd(t *testing.T) {
	name := filepath.Join(t.TempDir(), `a ?%20#&b.db`)
	python(t, `import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); c.execute("create table x(y)"); c.commit()`, name)
	if _, err := formats.Open(t.Context(), name, logs.OpenOptions{}); !errors.Is(err, logs.ErrUnknownFormat) {
		t.Errorf("a file of other tables: %v", err)
	}
	bad := formatstest.FileOf(t, "bad.db", "SQLite format 3\x00"+strings.Repeat("no page", 999))
	if _, err := formats.Open(t.Context(), bad, logs.OpenOptions{}); err == nil || !strings.Contains(err.Error(), bad) {
		t.Errorf("a damaged file: %v", err)
	}
}

// TestSQLiteThroughLink: the journal is beside the file that a link leads to: it counts,
// and one that was left there does not come over a new file.
func TestSQLiteThroughLink(t *testing.T) {
	dir := t.TempDir()
	name, link := filepath.Join(dir, "real.db"), filepath.Join(t.TempDir(), "link.db")
	if err := os.Symlink(name, link); err != nil {
		t.Skip("no symbolic links here")
	}
	f, _ := formats.Named("sqlite")
	h := &logs.Header{Columns: []logs.Column{{Path: `\\H\a\b`}}}
	row := logs.Row{Time: time.Unix(5, 0), Values: []cooker.Value{cooker.WholeValue(7)}}
	w, err := formats.Create(name, f, h, logs.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.WriteRow(&row); err != nil {
		t.Fatal(err)
	}
	file, journal := formatstest.Content(t, name), formatstest.Content(t, name+"-wal")
	w.Close()
	if os.WriteFile(name, file, 0o600) != nil || os.WriteFile(name+"-wal", journal, 0o600) != nil {
		t.Fatal("no journal to try it with")
	}
	if size, err := sqlite.SQLiteSize(link); err != nil || size != int64(len(file)+len(journal)) {
		t.Errorf("size %d, %v, want %d and %d", size, err, len(file), len(journal))
	}
	if w, err = formats.Create(link, f, h, logs.WriteOptions{Overwrite: true}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := formats.Open(t.Context(), name, logs.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if rows := formatstest.Rest(t, r); len(rows) != 0 {
		t.Errorf("%d rows of the file that was there before", len(rows))
	}
}

// TestOrphanJournal: the journal of a file that is gone, or was emptied, holds samples: no
// recording is begun, nor read, that SQLite would remove it for.
func TestOrphanJournal(t *testing.T) {
	f, _ := formats.Named("sqlite")
	h := &logs.Header{Columns: []logs.Column{{Path: `\\H\a\b`}}}
	for _, emptied := range []bool{true, false} {
		name := filepath.Join(t.TempDir(), "x.db")
		journal := make([]byte, 5000)
		if err := os.WriteFile(name+"-wal", journal, 0o600); err != nil {
			t.Fatal(err)
		}
		if emptied {
			if err := os.WriteFile(name, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if w, err := formats.Create(name, f, h, logs.WriteOptions{}); err == nil {
			t.Error("a recording is begun")
			w.Close()
		}
		if w, _, err := formats.Append(name, f, h, logs.WriteOptions{}); err == nil {
			t.Error("a recording is continued")
			w.Close()
		}
		if r, err := formats.Open(t.Context(), name, logs.OpenOptions{}); err == nil || emptied && !errors.Is(err, sqlite.ErrOrphan) {
			t.Errorf("it is read: %v", err)
			if err == nil {
				r.Close()
			}
		}
		if left, err := os.ReadFile(name + "-wal"); err != nil || len(left) != len(journal) {
			t.Errorf("emptied: %t: the journal has %d bytes, %v", emptied, len(left), err)
		}
	}
}

// TestSQLiteWrongSchema: text in the place of numbers and times that are none are told,
// and never become 0 or 1970.
func TestSQLiteWrongSchema(t *testing.T) {
	name := filepath.Join(t.TempDir(), "odd.db")
	db, err := sqlite.OpenDatabase(t.Context(), name, "rwc")
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		`CREATE TABLE CounterDetails (CounterID, MachineName, ObjectName, CounterName, CounterType, DefaultScale, InstanceName, InstanceIndex, ParentName)`,
		`CREATE TABLE DisplayToID (GUID, DisplayString, LogStartTime, LogStopTime, NumberOfRecords, MinutesToUTC, TimeZoneName)`,
		`CREATE TABLE CounterData (GUID, CounterID, RecordIndex, CounterDateTime, CounterValue, FirstValueA, FirstValueB, SecondValueA, SecondValueB)`,
		`INSERT INTO DisplayToID VALUES ('g', 'odd', '2026-03-01 10:00:00.000', '2026-03-01 10:00:09.000', 5, 0, 'UTC')`,
		`INSERT INTO CounterDetails VALUES (1, '\\H', 'a', 'b', 65536, 0, NULL, NULL, NULL)`,
		`INSERT INTO CounterData VALUES
			('g', 1, 1, '2026-03-01 10:00:00.250', 1, 1, 0, 0, 0), ('g', 1, 2, 'yesterday', 2, 2, 0, 0, 0), ('g', 1, 3, 1234567, 3, 3, 0, 0, 0),
			('g', 1, 4, '2026-03-01 10:00:03:500', 'many', 4, 0, 0, 0), ('g', 1, 5, '2026-03-01 10:00:04.000', 5, 'x', 0, 0, 0),
			('g', 1, 'six', '2026-03-01 10:00:05.000', 6, 6, 0, 0, 0), ('g', 'one', 7, '2026-03-01 10:00:06.000', 7, 7, 0, 0, 0)`,
	} {
		if err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := formats.Open(t.Context(), name, logs.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	rows := formatstest.Rest(t, r)
	at := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	var times []string
	for _, row := range rows {
		text := row.Time.Sub(at).String()
		for _, v := range row.Values {
			text += " " + string(cooker.AppendMachine(nil, v))
		}
		times = append(times, text)
	}
	if want := "[250ms 1 3.5s  4s 5 6s ]"; fmt.Sprint(times) != want {
		t.Errorf("%v, want %s", times, want)
	}
	f := r.Faults()
	if f.Rows != 3 || f.Cells != 3 {
		t.Errorf("%d rows and %d cells are told: %v", f.Rows, f.Cells, f.First)
	}
}

// plaFile is a file with the tables of MS-PLA alone, of whoever else writes them. It has
// TypedHeader and five of RawRows, but for a type that came later.
func plaFile(t testing.TB) string {
	t.Helper()
	packed, err := os.Open(filepath.Join("testdata", "pla.db.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	z, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return formatstest.FileOf(t, "pla.db", string(data))
}

// TestSQLitePLA: what others wrote is read, with its raw samples, and not continued.
func TestSQLitePLA(t *testing.T) {
	name := plaFile(t)
	have, old, faults := formatstest.ReadAll(t, name, logs.OpenOptions{})
	h := formatstest.TypedHeader()
	rows := formatstest.RawRows(h, 5)
	now, read, _ := formatstest.ReadAll(t, formatstest.Recorded(t, "sqlite", h, rows), logs.OpenOptions{})
	if faults.Any() || len(old) != len(rows)-1 || len(have.Columns) < 20 { // one row has no value at all
		t.Fatalf("%d rows of %d columns, %+v", len(old), len(have.Columns), faults)
	}
	values := 0
	for c := range have.Columns {
		at := slices.IndexFunc(now.Columns, func(o logs.Column) bool { return o.Path == have.Columns[c].Path })
		if at < 0 {
			t.Fatalf("there is %s", have.Columns[c].Path)
		}
		for i := range old {
			k := slices.IndexFunc(read, func(r formatstest.Kept) bool { return r.Time.Sub(old[i].Time).Abs() < time.Millisecond })
			if k < 0 {
				t.Fatalf("no row is at %v", old[i].Time)
			}
			o, n := old[i].Values[c], read[k].Values[at]
			was, ok := o.Float()
			is, has := n.Float()
			if !ok {
				continue
			}
			values++
			if !has || math.Abs(was-is) > 4e-16*math.Abs(is) { // the factor of percentages came first, there
				t.Errorf("row %d, %s: %v was %v", i, have.Columns[c].Path, n, o)
			}
			if raw := old[i].Raw[c]; raw.Known && raw.Reading.Raw != read[k].Raw[at].Reading.Raw {
				t.Errorf("row %d, %s: raw %d was %d", i, have.Columns[c].Path, read[k].Raw[at].Reading.Raw, raw.Reading.Raw)
			}
		}
	}
	if values < 70 {
		t.Errorf("%d values", values)
	}
	if _, _, err := formats.Append(name, nil, h, logs.WriteOptions{}); !errors.Is(err, sqlite.ErrForeign) {
		t.Errorf("it is continued: %v", err)
	}
}

// TestSQLiteViews has the sqlite3 program, or Python, read the views: values and raw
// samples are those that were recorded, in the halves of a PDH_RAW_COUNTER.
func TestSQLiteViews(t *testing.T) {
	h := formatstest.TypedHeader()
	rows := formatstest.RawRows(h, 200) // several blocks
	for i := range rows {
		for c := range rows[i].Raw {
			if i%50 == 49 && c%3 == 0 { // another clock than the others have
				rows[i].Raw[c].Clocks.PerfTime += 77
				rows[i].Raw[c].Clocks.Time100ns += 77
			}
		}
	}
	name := formatstest.Recorded(t, "sqlite", h, rows)
	const query = `select RecordIndex, CounterID, CounterDateTime, CounterValue, FirstValueA, FirstValueB, SecondValueA, SecondValueB, MultiCount from CounterData order by 1, 2`
	var text string
	if program, err := exec.LookPath("sqlite3"); err == nil {
		out, err := exec.Command(program, "-readonly", name, query).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		text = string(out)
	} else {
		text = python(t, "import sqlite3, sys\nfor r in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]): print('|'.join('' if x is None else str(x) for x in r))", name, query)
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	n := 0
	for i := range rows {
		for c := range h.Columns {
			f, ok := rows[i].Values[c].Float()
			if !ok {
				continue
			}
			if n == len(lines) {
				t.Fatalf("only %d rows", n)
			}
			cells := strings.Split(lines[n], "|")
			n++
			var p logs.PDHRaw
			if rows[i].Raw[c].Known {
				p = logs.PackRaw(h.Columns[c].Type, &rows[i].Raw[c])
			}
			want := []string{strconv.Itoa(i + 1), strconv.Itoa(c + 1), rows[i].Time.UTC().Format("2006-01-02 15:04:05.000"), "", fmt.Sprint(sqlite.Low(p.First)), fmt.Sprint(sqlite.High(p.First)), fmt.Sprint(sqlite.Low(p.Second)), fmt.Sprint(sqlite.High(p.Second)), fmt.Sprint(p.Multi)}
			if len(cells) != len(want) {
				t.Fatalf("%q", lines[n-1])
			}
			got, err := strconv.ParseFloat(cells[3], 64)
			if cells[3] = ""; err != nil || math.Abs(got-f) > 1e-12*math.Abs(f) || !slices.Equal(cells, want) {
				t.Fatalf("%s: %v %v, want %v %v", h.Columns[c].Type, got, cells, f, want)
			}
		}
	}
	if n != len(lines) {
		t.Errorf("%d rows, want %d", len(lines), n)
	}
	_, back, _ := formatstest.ReadAll(t, name, logs.OpenOptions{})
	for i := range rows {
		for c := range h.Columns {
			if len(back[i].Raw) > 0 && back[i].Raw[c].Known != rows[i].Raw[c].Known || rows[i].Raw[c].Known && logs.PackRaw(h.Columns[c].Type, &back[i].Raw[c]) != logs.PackRaw(h.Columns[c].Type, &rows[i].Raw[c]) {
				t.Fatalf("row %d, %s: %+v, want %+v", i, h.Columns[c].Type, back[i].Raw[c], rows[i].Raw[c])
			}
		}
	}
}

// TestSQLitePacked: values that a number of SQL does not hold, or that look like others,
// come back as they were.
func TestSQLitePacked(t *testing.T) {
	h := formatstest.WideHeader(40)
	h.Columns[3].TypeKnown, h.Columns[3].Type = true, cooker.CounterLargeRawCount
	row := logs.Row{Time: time.Unix(1e9, 0), Values: make([]cooker.Value, 40), Raw: make([]logs.Raw, 40)}
	for i := range row.Values {
		row.Values[i] = cooker.Absent(cooker.Denied)
	}
	for i, v := range []cooker.Value{
		cooker.WholeValue(math.MaxUint64), cooker.DeltaValue(math.MinInt64), cooker.WholeValue(1<<53 + 1), cooker.WholeValue(5), cooker.FloatValue(math.Copysign(0, -1)),
		cooker.FloatValue(1e300), cooker.FloatValue(5e-324), cooker.TextValue("12"), cooker.TextValue(""), cooker.FloatValue(1 << 60), cooker.FloatValue(0.1), cooker.FloatValue(math.Inf(1)),
	} {
		row.Values[i] = v
	}
	row.Values[39] = cooker.FloatValue(7)
	row.Raw[3] = logs.Raw{Known: true, Reading: cooker.Reading{Raw: math.MaxUint64}}
	other := row
	other.Time, other.Raw = row.Time.Add(time.Second), slices.Clone(row.Raw)
	other.Raw[3].Reading.Raw = 3
	name := formatstest.Recorded(t, "sqlite", h, []logs.Row{row, other})
	_, rows, faults := formatstest.ReadAll(t, name, logs.OpenOptions{})
	if len(rows) != 2 || faults.Any() {
		t.Fatalf("%d rows, %+v", len(rows), faults)
	}
	for i, want := range row.Values {
		got := rows[1].Values[i]
		if string(cooker.AppendMachine(nil, got)) != string(cooker.AppendMachine(nil, want)) || got.Status() != want.Status() || got.IsText() != want.IsText() {
			t.Errorf("value %d: %v, want %v", i, got, want)
		}
	}
	for i, want := range []uint64{math.MaxUint64, 3} {
		if got := rows[i].Raw[3].Reading.Raw; got != want {
			t.Errorf("raw value %d, want %d", got, want)
		}
	}
	r, err := formats.Open(t.Context(), name, logs.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	r.Only([]int{39})
	if only := formatstest.Rest(t, r); len(only) != 2 || only[0].Values[39] != row.Values[39] || only[0].Values[0].Valid() {
		t.Errorf("of one column %v", only)
	}
}

// While another program has the file locked, what was recorded can be read, and a
// record waits for the end of the lock instead of ending the recording. Who opens a
// file to record to it is told soon.
func TestSQLiteWhileAnotherLocks(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.db")
	f, _ := formats.Named("sqlite")
	w, err := formats.Create(name, f, formatstest.WideHeader(5), logs.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	patience := func() int64 {
		ms, err := sqlite.NumberOf(w, "PRAGMA busy_timeout")
		if err != nil {
			t.Fatal(err)
		}
		return ms
	}
	if ms := patience(); ms > 10_000 {
		t.Errorf("it opens a file for %d ms", ms)
	}
	rows := formatstest.SomeRows(2, 5)
	if err := w.WriteRow(&rows[0]); err != nil {
		t.Fatal(err)
	}
	if ms := patience(); ms < 30_000 {
		t.Errorf("a record waits for %d ms: a backup takes longer", ms)
	}
	other, err := sqlite.OpenDatabase(t.Context(), name, sqlite.ReadWrite, "busy_timeout(0)")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	for _, do := range []string{"BEGIN EXCLUSIVE", "DELETE FROM PerfdeckPacked"} {
		if err := other.Exec(do); err != nil {
			t.Fatal(err)
		}
	}
	if _, all, _ := formatstest.ReadAll(t, name, logs.OpenOptions{}); len(all) != 1 || !formatstest.SameValues(all[0].Values, rows[0].Values) {
		t.Errorf("while it is locked %d rows are read", len(all))
	}
	written := make(chan error)
	go func() { written <- w.WriteRow(&rows[1]) }()
	select {
	case err := <-written:
		t.Fatalf("a record does not wait: %v", err)
	case <-time.After(20 * time.Millisecond): // it is most likely at the lock
	}
	if err := other.Exec("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	if _, all, _ := formatstest.ReadAll(t, name, logs.OpenOptions{}); len(all) != 2 || !formatstest.SameValues(all[1].Values, rows[1].Values) {
		t.Errorf("after the lock %d rows are read", len(all))
	}
}
