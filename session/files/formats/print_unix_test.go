//go:build unix

package formats

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"perfdeck/session/files/logs"
)

// What another user's program reads can be read by it, whatever the umask, also when it is replaced.
func TestPromForOthers(t *testing.T) {
	defer unix.Umask(unix.Umask(0o077))
	f, ok := formatNamed("prom", func(*Format) bool { return true })
	if !ok {
		t.Fatal("no such format")
	}
	name := filepath.Join(t.TempDir(), "x.prom")
	p, err := f.PrintFile(name, logs.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := p.Write(&logs.Beat{Time: time.Now()}); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o644 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
}
