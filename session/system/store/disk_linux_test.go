package store

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// On a disk that is full what was written before stays whole, and nothing is there in part; what
// waits is written when there is room.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=65536"); err != nil {
		t.Skipf("no disk of its own: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	d := &Document{Name: filepath.Join(dir, "d"), Most: 1 << 20}
	must(t, d.Write(bytes.Repeat([]byte("x"), 20_000)))
	j := journal(dir)
	j.Late = 1 << 20
	var told []string
	next := func() error {
		line := fmt.Sprintf("%d %0999d", len(told), 0)
		told = append(told, line)
		return j.Append([]byte(line+"\n"), true)
	}
	for next() == nil {
	}
	if err := j.CatchUp(); err == nil {
		t.Error("what waits is written")
	}
	want(t, lines(t, j), told[:len(told)-1]...)
	if err := d.Write(bytes.Repeat([]byte("y"), 40_000)); err == nil {
		t.Error("it is written")
	}
	text, err := d.Read()
	must(t, err)
	if len(text) != 20_000 || text[0] != 'x' {
		t.Errorf("%d bytes", len(text))
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.tmp")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	must(t, os.Remove(d.Name))
	must(t, next())
	want(t, lines(t, j), told[len(told)-2:]...)
}
