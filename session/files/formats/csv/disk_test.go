package csv_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"perfdeck/session/files/formats/csv"
	"perfdeck/session/files/formats/formatstest"
	"perfdeck/session/files/logs"
)

// failingWriter writes a part of a row and fails, as a full disk does.
type failingWriter struct {
	file *os.File
	room int
}

func (f *failingWriter) Write(b []byte) (int, error) {
	if len(b) <= f.room {
		f.room -= len(b)
		return f.file.Write(b)
	}
	n, _ := f.file.Write(b[:f.room])
	f.room = 0
	return n, fs.ErrInvalid
}

// TestDiskFull holds that the file ends with a whole row.
func TestDiskFull(t *testing.T) {
	rows := formatstest.SomeRows(20, 5)
	for room := 400; room < 2000; room += 37 {
		file, err := os.Create(filepath.Join(t.TempDir(), "full.csv"))
		if err != nil {
			t.Fatal(err)
		}
		disk := &failingWriter{file, room}
		w, err := csv.Separator(',').Stream(disk, formatstest.WideHeader(5), logs.WriteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		csv.SetFile(w, file)
		written := 0
		for i := range rows {
			if err = w.WriteRow(&rows[i]); err != nil {
				break
			}
			written++
		}
		if err == nil {
			t.Fatal("nothing failed")
		}
		disk.room = 1 << 20
		if again := w.WriteRow(&rows[0]); !errors.Is(again, fs.ErrInvalid) {
			t.Errorf("after a failure: %v", again)
		}
		w.Close()
		_, all, faults := formatstest.ReadAll(t, file.Name(), logs.OpenOptions{})
		if len(all) != written || faults.Any() || faults.Torn {
			t.Errorf("room for %d bytes: %d rows were written, %d are there, %v", room, written, len(all), faults.First)
		}
	}
}
