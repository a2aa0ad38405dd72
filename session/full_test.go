package session_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"perfdeck/session"
)

// Of a full disk the hint names its folder, whatever is said of other failures.
func TestHintOfFullDisk(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.db")
	full := &fs.PathError{Op: "write", Path: name, Err: syscall.ENOSPC}
	for _, c := range []struct {
		err  error
		want string
	}{
		{session.WithHint(fmt.Errorf("write: %w", full), "-o names another"), filepath.Dir(name)},
		{session.WithHint(fmt.Errorf("write %s: %w", name, session.Bare(full)), "-o names another"), filepath.Dir(name)},
		{&os.LinkError{Op: "rename", Old: "y", New: name, Err: syscall.EDQUOT}, filepath.Dir(name)},
		{session.WithHint(full, session.RoomHint("/srv/a/b")), "/srv/a"},
		{&fs.PathError{Op: "write", Path: os.Stdout.Name(), Err: syscall.ENOSPC}, "standard output"},
		{syscall.EFBIG, "make room"},
	} {
		if hint := session.HintOf(c.err); !strings.HasPrefix(hint, "make room") || !strings.Contains(filepath.ToSlash(hint), filepath.ToSlash(c.want)) {
			t.Errorf("%v: %q", c.err, hint)
		}
	}
	other := session.WithHint(&fs.PathError{Op: "write", Path: name, Err: syscall.EACCES}, "-o names another")
	if session.HintOf(other) != "-o names another" || session.IsFull(other) || session.HintOf(errors.New("x")) != "" {
		t.Errorf("%q", session.HintOf(other))
	}
}
