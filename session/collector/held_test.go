package collector

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestHoldFile: a file that is recorded is not given to others, under its own name or
// that of a link to it; one that is held is not recorded. Where no lock can be made
// nobody has one.
func TestHoldFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "night.csv")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	names := []string{file}
	if link := filepath.Join(dir, "link.csv"); os.Symlink(file, link) == nil {
		names = append(names, link)
	}
	if other := filepath.Join(t.TempDir(), "other"); os.Symlink(dir, other) == nil {
		names = append(names, filepath.Join(other, "night.csv")) // another name of the same lock
	}
	for _, name := range names {
		l, err := lockRecording(file)
		if err != nil {
			t.Fatal(err)
		}
		release, err := Hold(name)
		if busy, ok := errors.AsType[*BusyError](err); !ok || busy.File != name || busy.Holder == "" {
			t.Errorf("%s is held while it is recorded: %v", name, err)
		}
		release()
		l.release()
		if release, err = Hold(name); err != nil {
			t.Fatal(err)
		}
		if _, err := lockRecording(file); err == nil {
			t.Errorf("%s is held and recorded", name)
		}
		release()
		if l, err = lockRecording(file); err != nil {
			t.Errorf("%s is not held any more: %v", name, err)
		}
		l.release()
	}
	release, err := Hold(filepath.Join(dir, "nowhere", "n.csv"))
	if err != nil {
		t.Errorf("no folder: %v", err)
	}
	release()
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}
