package main

import (
	"archive/zip"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"perfdeck/session/record/logs"
	"perfdeck/session/record/zips"
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
		files, err := recordingsOf(strings.Fields(c.args))
		if len(files) != c.want || (err != nil) != c.err {
			t.Errorf("%s: %q, %v", c.args, files, err)
		}
	}
	_, err := recordingsOf([]string{"trace.cab"})
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
