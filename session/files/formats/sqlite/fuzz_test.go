package sqlite_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"perfdeck/session/files/formats/formatstest"
	"perfdeck/session/files/formats/sqlite"
	"perfdeck/session/files/logs"
)

// FuzzSQLiteReader damages a file at some place, and what its tables say.
func FuzzSQLiteReader(f *testing.F) {
	name := formatstest.Recorded(f, "sqlite", formatstest.TypedHeader(), formatstest.RawRows(formatstest.TypedHeader(), 8))
	whole := formatstest.Content(f, name)
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
			if db, err := sqlite.OpenDatabase(t.Context(), name, sqlite.ReadWrite); err == nil {
				_ = db.Exec(change)
				_ = db.Close()
			}
		}
		formatstest.Exercise(t, name, logs.OpenOptions{})
	})
}
