package failure_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"perfdeck/session/system/failure"
)

// Of a full disk the hint names its folder, whatever is said of other failures.
func TestHintOfFullDisk(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.db")
	full := &fs.PathError{Op: "write", Path: name, Err: syscall.ENOSPC}
	for _, c := range []struct {
		err  error
		want string
	}{
		{failure.WithHint(fmt.Errorf("write: %w", full), "-o names another"), filepath.Dir(name)},
		{failure.WithHint(fmt.Errorf("write %s: %w", name, failure.Bare(full)), "-o names another"), filepath.Dir(name)},
		{&os.LinkError{Op: "rename", Old: "y", New: name, Err: syscall.EDQUOT}, filepath.Dir(name)},
		{failure.WithHint(full, failure.RoomHint("/srv/a/b")), "/srv/a"},
		{&fs.PathError{Op: "write", Path: os.Stdout.Name(), Err: syscall.ENOSPC}, "standard output"},
		{syscall.EFBIG, "make room"},
	} {
		if hint := failure.Hint(c.err); !strings.HasPrefix(hint, "make room") || !strings.Contains(filepath.ToSlash(hint), filepath.ToSlash(c.want)) {
			t.Errorf("%v: %q", c.err, hint)
		}
	}
	other := failure.WithHint(&fs.PathError{Op: "write", Path: name, Err: syscall.EACCES}, "-o names another")
	if failure.Hint(other) != "-o names another" || failure.IsFull(other) || failure.Hint(errors.New("x")) != "" {
		t.Errorf("%q", failure.Hint(other))
	}
}

// A file that is not there is told with the folder where it was looked for.
func TestHintOfFile(t *testing.T) {
	t.Chdir(t.TempDir())
	_, err := os.Open("absent.db")
	if here, _ := os.Getwd(); !strings.Contains(failure.Hint(fmt.Errorf("read: %w", err)), here) {
		t.Errorf("%v: %q", err, failure.Hint(err))
	}
	if denied := failure.Hint(&fs.PathError{Op: "open", Path: "x", Err: fs.ErrPermission}); denied == "" {
		t.Error("what may not be opened has no hint")
	}
}
