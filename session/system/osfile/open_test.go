package osfile_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"perfdeck/session/system/failure"
	"perfdeck/session/system/osfile"
)

// written is a file with a text, in a folder of its own.
func written(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestReadsPlainFiles(t *testing.T) {
	name := written(t, "text")
	if text, err := osfile.ReadPlain(name, 4); err != nil || string(text) != "text" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := osfile.ReadPlain(name, 3); err == nil {
		t.Error("more than was allowed was read")
	}
	if text, err := osfile.Read(t.Context(), name, 4); err != nil || string(text) != "text" {
		t.Errorf("%q, %v", text, err)
	}
	if text, err := osfile.Read(t.Context(), os.DevNull, 4); err != nil || len(text) > 0 {
		t.Errorf("the null device: %q, %v", text, err)
	}
	if text, err := osfile.ReadPlain(os.DevNull, 4); err != nil || len(text) > 0 {
		t.Errorf("the null device as a plain file: %q, %v", text, err)
	}
	for _, name := range []string{filepath.Join(filepath.Dir(name), "none"), filepath.Dir(name)} {
		for by, open := range openers(t) {
			if err := open(name); err == nil {
				t.Errorf("%s opened %s", by, name)
			} else if path, ok := errors.AsType[*fs.PathError](err); !ok || path.Path != name {
				t.Errorf("%s: %v does not name %s", by, err, name)
			}
		}
	}
}

// openers are the ways to open a file to read it, without the file.
func openers(t *testing.T) map[string]func(string) error {
	return map[string]func(string) error{
		"OpenPlain":  func(name string) error { f, err := osfile.OpenPlain(name); return closed(f, err) },
		"OpenSecret": func(name string) error { f, err := osfile.OpenSecret(name); return closed(f, err) },
		"Open":       func(name string) error { f, err := osfile.Open(t.Context(), name); return closed(f, err) },
	}
}

func closed(f io.Closer, err error) error {
	if err == nil {
		_ = f.Close()
	}
	return err
}

// What blocks is left when the context ends, and what came before is read.
func TestUntil(t *testing.T) {
	from, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	defer to.Close()
	ctx, cancel := context.WithCancelCause(t.Context())
	r := osfile.Until(ctx, from)
	if _, err := to.WriteString("first"); err != nil {
		t.Fatal(err)
	}
	var got [3]byte
	if n, err := io.ReadFull(r, got[:]); n != 3 || err != nil {
		t.Fatalf("%q, %v", got[:n], err)
	}
	over := errors.New("over")
	time.AfterFunc(10*time.Millisecond, func() { cancel(over) })
	rest, err := io.ReadAll(r)
	if string(rest) != "st" || !errors.Is(err, over) {
		t.Errorf("%q, %v", rest, err)
	}
	if n, err := r.Read(got[:]); n != 0 || !errors.Is(err, over) {
		t.Errorf("after the end: %d, %v", n, err)
	}
	if text, err := io.ReadAll(osfile.Until(t.Context(), strings.NewReader("all of it"))); err != nil || string(text) != "all of it" {
		t.Errorf("%q, %v", text, err)
	}
}

// Of a folder plain files are read by what reads any file system.
func TestPlainFolder(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.toml"), []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "b.toml"), 0o700); err != nil {
		t.Fatal(err)
	}
	plain := osfile.Plain(dir)
	if text, err := fs.ReadFile(plain, "a.toml"); err != nil || string(text) != "a" {
		t.Errorf("%q, %v", text, err)
	}
	if names, err := fs.Glob(plain, "*.toml"); err != nil || len(names) != 2 {
		t.Errorf("%q, %v", names, err)
	}
	_, err := plain.Open("b.toml")
	if failure.Hint(err) == "" {
		t.Errorf("a folder: %v", err)
	}
	for _, name := range []string{"../a.toml", "/a.toml", ""} {
		if _, err := plain.Open(name); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := plain.Open("none.toml"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("none: %v", err)
	}
}
