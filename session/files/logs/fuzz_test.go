package logs

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// allocated runs something and returns how many bytes it allocated.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// exercise reads a file from front to back and from other places. It returns how
// many rows there are; a fuzzed file may be no recording.
func exercise(t *testing.T, name string, o OpenOptions) (rows int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // pages may lead round in circles
	defer cancel()
	r, err := Open(ctx, name, o)
	if err != nil {
		return 0
	}
	defer r.Close()
	var row Row
	var at time.Time
	for err == nil {
		if err = r.Next(&row); err == nil {
			rows++
			if len(row.Values) > len(r.Header().Columns) || len(row.Raw) > 0 && len(row.Raw) != len(row.Values) {
				t.Fatalf("%d values and %d raw samples for %d columns", len(row.Values), len(row.Raw), len(r.Header().Columns))
			}
			if rows%3 == 1 {
				at = row.Time
			}
		}
	}
	if !errors.Is(err, io.EOF) {
		return rows
	}
	if _, err := r.Span(); err != nil {
		return rows
	}
	if err := r.SeekTime(at); err != nil {
		return rows
	}
	_ = r.Next(&row)
	// Lines of JSON whose times go back and forth make other rows from behind.
	if went, err := r.Back(rows + 1); err == nil && went > rows && !strings.HasSuffix(name, ".json") {
		t.Fatalf("went back %d of %d rows", went, rows)
	}
	return rows
}

// fuzzFile writes fuzzed bytes and reads them, with a bound on what may be
// allocated: some buffers, and so many bytes for each byte of the file.
func fuzzFile(t *testing.T, extension string, data []byte, o OpenOptions) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "fuzzed"+extension)
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	used := allocated(func() { exercise(t, name, o) })
	if most := uint64(16<<20 + 1000*len(data)); used > most {
		t.Errorf("%d bytes were allocated for a file of %d", used, len(data))
	}
	return name
}

func FuzzTextReader(f *testing.F) {
	f.Add([]byte(head+"\"01/02/2026 03:04:05.006\",\"1\",\"2.5\"\r\n"), "")
	f.Add([]byte("(PDH-TSV 4.0)\t\\\\H\\a\\b\tcaption\n01/02/2026 03:04:05.006\t-1.#IND\n\x00\x00"), "1252")
	f.Add([]byte("Date \\\\H (PDH-CSV 4.0) (x(y))(-420),Time,a\\b\r1/2/26,3:04,\"a\"\"b\"\r"), "932")
	f.Add([]byte(strings.Replace(head, "\\", "\\a\nb\r\n\"\"", 1)+"\"01/02/2026 03:04:05.006\",\"1\",\"2.5\"\r\n"), "")
	f.Add([]byte("\xFF\xFE(\x00P\x00D\x00H\x00-\x00"), "")
	f.Fuzz(func(t *testing.T, data []byte, encoding string) {
		name := fuzzFile(t, ".csv", data, OpenOptions{Encoding: encoding})
		r, err := Open(t.Context(), name, OpenOptions{Encoding: encoding})
		if err != nil {
			return
		}
		defer r.Close()
		// What was read is written and read again: it stays the same.
		var first, second bytes.Buffer
		copyTo(t, r, &first)
		again, err := Open(t.Context(), fileOf(t, "again.csv", first.String()), OpenOptions{Encoding: "utf-8"})
		if err != nil {
			if len(r.Header().Columns) > 0 {
				t.Fatalf("what was written cannot be read: %v\n%q", err, first.String())
			}
			return
		}
		defer again.Close()
		copyTo(t, again, &second)
		if len(r.Header().Columns) == len(again.Header().Columns) && first.String() != second.String() {
			t.Errorf("written again it differs:\n%q\n%q", first.String(), second.String())
		}
	})
}

// copyTo writes a recording as PDH-CSV.
func copyTo(t *testing.T, r Reader, to *bytes.Buffer) {
	t.Helper()
	f, _ := FormatNamed("csv")
	w, err := Stream(to, f, r.Header(), WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var row Row
	for r.Next(&row) == nil {
		if err := w.WriteRow(&row); err != nil {
			t.Fatal(err)
		}
	}
}

func FuzzJSONReader(f *testing.F) {
	line := `{"time":"2026-01-02T03:04:05.000000006Z","host":"a","values":[{"path":"\\Memory\\x","value":1.5,"text":"1.5","status":"ok"}]}` + "\n"
	f.Add([]byte(line + strings.Replace(line, `"a"`, `"b"`, 1) + line))
	f.Add([]byte(strings.Replace(line, "1.5,", "null,", 1)))
	f.Add([]byte(line[:len(line)-20]))
	f.Fuzz(func(t *testing.T, data []byte) {
		fuzzFile(t, ".json", data, OpenOptions{})
	})
}

// FuzzSQLiteReader damages a file at some place, and what its tables say.
func FuzzSQLiteReader(f *testing.F) {
	name := recorded(f, "sqlite", typedHeader(), rawRows(typedHeader(), 8))
	whole := content(f, name)
	f.Add(100, []byte{0xFF, 0, 1}, "UPDATE CounterData SET CounterValue = 'x', RecordIndex = 'y'")
	f.Add(5000, []byte("CREATE TABLE"), "UPDATE PerfdeckTime SET Time = -9223372036854775808")
	f.Add(-1, []byte{}, "UPDATE PerfdeckSlot SET CounterID = 1, Path = zeroblob(9)")
	f.Add(-1, []byte{}, "UPDATE PerfdeckChange SET Status = 'OK', RawBytes = 3.5, TimeBase = -1")
	f.Add(-1, []byte{}, "UPDATE DisplayToID SET MinutesToUTC = 1e300, GUID = 5")
	f.Add(-1, []byte{}, "DROP TABLE PerfdeckSlot")
	f.Add(-1, []byte{}, "UPDATE PerfdeckPacked SET V0 = 'x', A1 = 'y', V2 = x'00', A3 = 1e9")
	f.Add(-1, []byte{}, "UPDATE PerfdeckSlot SET Slot = 262143, Second = -1")
	f.Add(-1, []byte{}, "UPDATE PerfdeckBase SET First = 9223372036854775807")
	f.Add(-1, []byte{}, "UPDATE PerfdeckTime SET Time = 'x', RecordIndex = RecordIndex + 5")
	f.Add(-1, []byte{}, "UPDATE PerfdeckLog SET Version = 3")
	f.Add(-1, []byte{}, "CREATE TABLE IF NOT EXISTS Extra AS SELECT zeroblob(100)")
	f.Add(-1, []byte{}, "CREATE INDEX i ON CounterData(abs(RecordIndex)) WHERE RecordIndex > 1")
	f.Add(-1, []byte{}, "ALTER TABLE CounterData ADD COLUMN MoreOf AS (CounterValue || 'x')")
	f.Add(-1, []byte{}, "ALTER TABLE PerfdeckOther RENAME COLUMN Status TO State")
	f.Fuzz(func(t *testing.T, at int, with []byte, change string) {
		data := bytes.Clone(whole)
		if at >= 0 && at < len(data) {
			copy(data[at:], with)
		}
		name := filepath.Join(t.TempDir(), "fuzzed.db")
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		word, _, _ := strings.Cut(strings.ToUpper(strings.TrimSpace(change)), " ")
		if slices.Contains([]string{"UPDATE", "DELETE", "DROP", "CREATE", "ALTER"}, word) && !strings.Contains(change, ";") && !strings.Contains(strings.ToUpper(change), "RECURSIVE") {
			if db, err := openDatabase(t.Context(), name, readWrite); err == nil {
				_ = db.exec(change)
				_ = db.close()
			}
		}
		exercise(t, name, OpenOptions{})
	})
}
