package sqlite_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"perfdeck/cooker"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/formats/sqlite"
	"perfdeck/session/files/logs"
)

// sharedByte and sharedSize are what SQLite locks to read, and to write ahead
// (sqlite.org/fileformat2.html#the_lock_byte_page).
const (
	sharedByte = 1<<30 + 2
	sharedSize = 510
)

// isLocked tells whether another process could not take a file for its own: a lock of
// an open file meets those of this process as another process's would. The file stays
// open: its end would end them.
func isLocked(t *testing.T, f *os.File) bool {
	t.Helper()
	l := unix.Flock_t{Type: unix.F_WRLCK, Start: sharedByte, Len: sharedSize}
	if err := unix.FcntlFlock(f.Fd(), unix.F_OFD_GETLK, &l); err != nil {
		t.Fatal(err)
	}
	return l.Type != unix.F_UNLCK
}

// What this process looks at of a file that it records leaves the recorder its locks:
// without them another process that reads the file would remove the journal.
func TestLocksOutliveEveryLook(t *testing.T) {
	name := filepath.Join(t.TempDir(), "n.db")
	format, _ := formats.Named("sqlite")
	h := &logs.Header{Columns: []logs.Column{{Path: `\\a\Memory\Free`, Type: cooker.CounterLargeRawCount}}}
	w, err := formats.Create(name, format, h, logs.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 3, 2, 14, 7, 32, 0, time.UTC)
	write := func() {
		t.Helper()
		at = at.Add(time.Second)
		if err := w.WriteRow(&logs.Row{Time: at, Values: []cooker.Value{cooker.FloatValue(1)}}); err != nil {
			t.Fatal(err)
		}
	}
	write()
	link := filepath.Join(t.TempDir(), "link.db")
	if err := os.Link(name, link); err != nil {
		t.Skip(err)
	}
	probe, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer probe.Close()
	for label, look := range map[string]func() error{
		"nothing":           func() error { return nil },
		"detect":            func() error { _, err := formats.Detect(name); return err },
		"detect by a link":  func() error { _, err := formats.Detect(link); return err },
		"copy":              func() error { return sqlite.CopyFile(t.Context(), name, filepath.Join(t.TempDir(), "copy.db")) },
		"head":              func() error { _, err := logs.ReadHead(name); return err },
		"open, read, close": func() error { return lookThrough(t, name) },
	} {
		if err := look(); err != nil {
			t.Errorf("%s: %v", label, err)
		}
		if write(); !isLocked(t, probe) {
			t.Fatalf("%s: another process can take the file", label)
		}
	}
	open := openFiles(t)
	for range 20 {
		if _, err := formats.Detect(name); err != nil {
			t.Fatal(err)
		}
	}
	if n := openFiles(t); n > open {
		t.Errorf("%d files more are open", n-open)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if isLocked(t, probe) {
		t.Error("the recorder's end leaves a lock")
	}
	if n := openFiles(t); n > open-3 { // what was put off, too
		t.Errorf("%d files of %d are still open", n, open)
	}
}

func lookThrough(t *testing.T, name string) error {
	r, err := formats.Open(t.Context(), name, logs.OpenOptions{})
	if err != nil {
		return err
	}
	var row logs.Row
	for err = r.Next(&row); err == nil; err = r.Next(&row) {
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if closed := r.Close(); err == nil {
		err = closed
	}
	return err
}

func openFiles(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}
