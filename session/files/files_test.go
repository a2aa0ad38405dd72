package files_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"perfdeck/session/files"
)

// TestReplace replaces a file that another reads for a moment.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "new"), filepath.Join(dir, "old")
	for name, text := range map[string]string{from: "new", to: "old"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	reader, err := os.Open(to)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	time.AfterFunc(30*time.Millisecond, func() {
		_ = reader.Close()
		close(done)
	})
	if err := files.Replace(from, to); err != nil {
		t.Error(err)
	}
	<-done
	if text, err := os.ReadFile(to); err != nil || string(text) != "new" {
		t.Errorf("%q, %v", text, err)
	}
	if err := files.Replace(from, to); !os.IsNotExist(err) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// One holds a lock at a time, and who ends it lets others have it.
func TestLock(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	open := func() *os.File {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
	one, other := open(), open()
	if err := files.Lock(one); err != nil {
		t.Fatal(err)
	}
	if err := files.Lock(other); !errors.Is(err, files.ErrLocked) {
		t.Errorf("a second lock: %v", err)
	}
	files.Unlock(one)
	if err := files.Lock(other); err != nil {
		t.Errorf("after the first ended: %v", err)
	}
}
