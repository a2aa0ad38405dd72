package windowscli

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

func write(t *testing.T, name string) string {
	t.Helper()
	if err := os.WriteFile(name, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// Links are made once more without harm, those of a version before are replaced, and what
// is somebody else's stays.
func TestLink(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("what is made there are copies")
	}
	dir, bin := t.TempDir(), t.TempDir()
	own, before, other := write(t, filepath.Join(dir, "perfdeck")), write(t, filepath.Join(dir, "perfdeck-1")), write(t, filepath.Join(dir, "other"))
	var made []string
	link := func() error {
		made = nil
		return Link(own, bin, func(name string) { made = append(made, filepath.Base(name)) })
	}
	for range 2 {
		if err := link(); err != nil || !slices.Equal(made, []string{"typeperf", "relog", "logman"}) {
			t.Fatalf("%v, made %v", err, made)
		}
	}
	relog := filepath.Join(bin, "relog")
	for _, c := range []struct {
		to   string
		mine bool
	}{{before, true}, {filepath.Join(dir, "gone"), true}, {other, false}} {
		if err := os.Remove(relog); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(c.to, relog); err != nil {
			t.Fatal(err)
		}
		err := link()
		if to, _ := os.Readlink(relog); (err == nil) != c.mine || (to == own) != c.mine {
			t.Errorf("a link to %s: %v, then it is one to %s", c.to, err, to)
		}
	}
	if err := os.Remove(relog); err != nil {
		t.Fatal(err)
	}
	if err := link(); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(bin, "logman2"))
	if err := os.Rename(filepath.Join(bin, "logman2"), filepath.Join(bin, "logman")); err != nil {
		t.Fatal(err)
	}
	if err := link(); err == nil {
		t.Error("a file is replaced by a link")
	}
}

// A copy is one of the program, and takes no name that is taken.
func TestCopyProgram(t *testing.T) {
	dir := t.TempDir()
	own, name := write(t, filepath.Join(dir, "perfdeck")), filepath.Join(dir, "relog")
	if err := copyProgram(own, name); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(name); err != nil || string(text) != "x" {
		t.Errorf("%v %q", err, text)
	}
	if err := copyProgram(own, name); err == nil {
		t.Error("a file is written over")
	}
}

// What is printed goes to a file that is not there, or that may be replaced.
func TestOpenOutput(t *testing.T) {
	name := filepath.Join(t.TempDir(), "list.txt")
	for _, c := range []struct {
		o  Translation
		ok bool
	}{{Translation{Output: name}, true}, {Translation{Output: name}, false}, {Translation{Output: name, Replace: true}, true}} {
		f, err := c.o.OpenOutput()
		if (err == nil) != c.ok {
			t.Errorf("%+v: %v", c.o, err)
		}
		if f != nil {
			_ = f.Close()
		}
	}
	if f, err := (&Translation{}).OpenOutput(); f != nil || err != nil {
		t.Errorf("without a file: %v, %v", f, err)
	}
}
