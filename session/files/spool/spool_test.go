package spool

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"perfdeck/session/files/logs"
	"perfdeck/session/files/zips"
)

// zipped writes an archive.
func zipped(t *testing.T, members map[string]string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "night.zip")
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	w := zip.NewWriter(file)
	for member, text := range members {
		out, err := w.Create(member)
		if err == nil {
			_, err = out.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return name
}

const tinyCSV = "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\A\\B\\C\"\r\n\"03/02/2026 10:00:00.000\",\"1\"\r\n\"03/02/2026 10:00:01.000\",\"2\"\r\n"

// TestRecordingArguments: an argument is a recording when it is there and its content is
// one, else a counter path.
func TestRecordingArguments(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, text := range map[string]string{"night": tinyCSV, "report": tinyCSV, "notes.txt": "hello", "trace.cab": "MSCF\x00\x00\x00\x00", `\Memory\Pages`: "no recording"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil && !strings.HasPrefix(name, `\`) {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args string
		want int
		err  bool
	}{
		{`night`, 1, false},
		{`night ./report`, 2, false},
		{`\Memory\Pages`, 0, false},
		{`\Memory\Available`, 0, false},
		{`nothing.blg`, 0, false}, // the parser of paths says what it is not
		{`night \Memory\Pages`, 0, true},
		{`notes.txt`, 0, true},
		{`trace.cab`, 0, true},
		{``, 0, false},
	} {
		files, err := Recordings(strings.Fields(c.args), func(string) bool { return false })
		if len(files) != c.want || (err != nil) != c.err {
			t.Errorf("%s: %q, %v", c.args, files, err)
		}
	}
	_, err := Recordings([]string{"trace.cab"}, func(string) bool { return false })
	if e, ok := errors.AsType[*logs.FileError](err); !ok || e.Advice == "" || !strings.Contains(e.Error(), "cabinet") {
		t.Errorf("a cabinet: %v", err)
	}
}

// TestZip: recordings are read out of archives, whatever the names of their files.
func TestZip(t *testing.T) {
	dir := t.TempDir()
	name := zipped(t, map[string]string{"../../etc/evil.csv": tinyCSV, "a/b/c": tinyCSV, "readme.txt": "hello", "d/": ""})
	found, err := zips.Unpack(name, dir)
	if err != nil || len(found) != 2 {
		t.Fatalf("%q, %v", found, err)
	}
	for _, file := range found {
		if filepath.Dir(file) != dir {
			t.Errorf("%s is not in its folder", file)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("%v are left, %v", left, err)
	}
	if is, err := isRecording(name); !is || err != nil {
		t.Errorf("%t, %v", is, err)
	}
	if _, err := zips.Unpack(zipped(t, map[string]string{"x": "hello"}), t.TempDir()); !errors.Is(err, zips.ErrEmpty) {
		t.Errorf("without recordings: %v", err)
	}
	broken := filepath.Join(t.TempDir(), "x.zip")
	if err := os.WriteFile(broken, []byte("PK\x03\x04 and no more"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := zips.Unpack(broken, t.TempDir()); err == nil {
		t.Error("a broken archive opens")
	}
}

// What is no plain file becomes one, is called by the name that the user knows, and goes in
// the end.
func TestFiles(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "plain.csv")
	if err := os.WriteFile(plain, []byte(tinyCSV), 0o600); err != nil {
		t.Fatal(err)
	}
	archive := zipped(t, map[string]string{"a.csv": tinyCSV})
	read, half := 0, []string(nil)
	s := New(Options{
		Context: t.Context, Report: func(err error) { t.Error(err) },
		Stdin: func() (io.Reader, func()) { return strings.NewReader(tinyCSV), func() { read++ } },
		Half:  func(folder string) func() { half = append(half, folder); return func() {} },
		Past: func(name string) (func(string) (string, error), bool) {
			return func(folder string) (string, error) {
				file := filepath.Join(folder, "web.db")
				return file, os.WriteFile(file, []byte(tinyCSV), 0o600)
			}, name == "prom"
		},
	})
	files, done, err := s.Files([]string{plain + "!set", plain, "-", archive, "prom", "none.csv"})
	if err != nil || len(files) != 6 || read != 1 || len(half) != 3 {
		t.Fatalf("%q, %v, the standard input was read %d times, %d folders", files, err, read, len(half))
	}
	if files[0] != plain+"!set" || files[1] != plain || files[5] != "none.csv" {
		t.Errorf("%q", files)
	}
	want := []string{"standard input", archive + ", a.csv", "prom"}
	for i, file := range files[2:5] {
		if text, err := os.ReadFile(file); err != nil || string(text) != tinyCSV {
			t.Errorf("%s: %q, %v", file, text, err)
		}
		if shown := s.Shown("read " + file + ": torn"); shown != "read "+want[i]+": torn" || !s.IsMade(file) {
			t.Errorf("%s is shown as %q", file, shown)
		}
	}
	if s.IsMade(plain) {
		t.Error("a plain file is taken for one that goes")
	}
	done()
	for _, folder := range half {
		if _, err := os.Stat(folder); err == nil {
			t.Errorf("%s is left", folder)
		}
	}
}

// What cannot be read leaves nothing.
func TestFilesFail(t *testing.T) {
	var made []string
	s := New(Options{
		Context: func() context.Context { return t.Context() }, Report: func(err error) { t.Error(err) },
		Half: func(folder string) func() { made = append(made, folder); return func() {} },
		Past: func(name string) (func(string) (string, error), bool) {
			return func(string) (string, error) { return "", fmt.Errorf("%s is away", name) }, name == "prom"
		},
	})
	empty := zipped(t, map[string]string{"x": "hello"})
	for _, name := range []string{"prom", empty} {
		if _, _, err := s.Files([]string{name}); err == nil {
			t.Errorf("%s is read", name)
		}
	}
	if len(made) != 2 || slices.ContainsFunc(made, func(f string) bool { _, err := os.Stat(f); return err == nil }) {
		t.Errorf("%v", made)
	}
}
