package tty

import (
	"io/fs"
	"os"
	"testing"
)

// Who writes to a pipe that nobody reads is told from who fails otherwise.
func TestIsGone(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	_ = r.Close()
	if _, err := w.WriteString("x"); !IsGone(err) {
		t.Errorf("write to nobody: %v", err)
	}
	if IsGone(nil) || IsGone(fs.ErrNotExist) {
		t.Error("another failure is taken for that")
	}
}

// What is no terminal has no echo.
func TestMuteEcho(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "file")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := MuteEcho(int(f.Fd())); err == nil {
		t.Error("the echo of a file is off")
	}
}
