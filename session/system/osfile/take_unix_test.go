//go:build unix

package osfile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// Where a file system has no locks nobody is kept; a file that another one removed meanwhile is
// made anew, and what cannot be locked for another reason is not taken.
func TestTakeWithoutLocks(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	for range 2 {
		f, err := take(name, func(*os.File) error { return unix.ENOLCK })
		if err != nil {
			t.Fatal(err)
		}
		defer Release(f)
	}
	tries := 0
	f, err := take(name, func(*os.File) error {
		if tries++; tries < 3 {
			return os.Remove(name)
		}
		return nil
	})
	if err != nil || !IsNamed(f) {
		t.Errorf("after %d tries: %v", tries, err)
	}
	Release(f)
	if _, err := take(name, func(*os.File) error { return unix.EIO }); !errors.Is(err, unix.EIO) {
		t.Errorf("%v", err)
	}
	if _, err := take(name, func(*os.File) error { return os.Remove(name) }); !errors.Is(err, ErrLocked) {
		t.Errorf("one that never stays: %v", err)
	}
}
