package collector

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"perfdeck/session/files/naming"
	"perfdeck/session/system/store"
)

// A ring of a later version is not gone on with, and stays as it is.
func TestRingOfALaterVersion(t *testing.T) {
	dir := t.TempDir()
	open := func() *ring { return openRing(1<<20, dir, "night.csv", naming.Name{}) }
	if err := open().take(filepath.Join(dir, "night.csv"), true); err != nil {
		t.Fatal(err)
	}
	name, later := open().store.Name, `{"form":2}`+"\n[]"
	if err := os.WriteFile(name, []byte(later), 0o600); err != nil {
		t.Fatal(err)
	}
	err := open().take(filepath.Join(dir, "more.csv"), true)
	if text, _ := os.ReadFile(name); !errors.Is(err, store.ErrForm) || string(text) != later {
		t.Errorf("%v, left %q", err, text)
	}
}
