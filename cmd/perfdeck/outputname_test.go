package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
)

// TestOutputNames: names of outputs mean what they say: a set of an SQLite file is one,
// what cannot be is refused and nothing is made of its name.
func TestOutputNames(t *testing.T) {
	t.Chdir(t.TempDir())
	night := nightFile(t, "night.db", 5)
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"relog", night, "-o", "SQL:DSN!night"}, exitUsage, "database server"},
		{[]string{"record", `\Memory\*`, "-o", "sql:DSN!night"}, exitUsage, "database server"},
		{[]string{"sample", `\Memory\*`, "-o", "SQL:DSN!night"}, exitUsage, "database server"},
		{[]string{"relog", night, "-o", "x.csv!two"}, exitUsage, "no sets"},
		{[]string{"sample", `\Memory\*`, "-o", "x.db!two"}, exitUsage, "no sets"},
		{[]string{"record", `\Memory\*`, "-o", "-"}, exitUsage, "no plain file"},
		{[]string{"relog", night, "-o", "two.db!first"}, exitDone, ""},
		{[]string{"relog", night, "-q", "--begin", "2001-09-09"}, exitDone, ""},
		{[]string{"relog", "two.db!third", "-q"}, exitFailed, "third"},
	} {
		if _, stderr, code := perfdeck(t, "", c.args...); code != c.code || !strings.Contains(stderr, c.says) {
			t.Errorf("%q: exit code %d, want %d: %s", c.args, code, c.code, stderr)
		}
	}
	r, err := formats.Open(t.Context(), "two.db", logs.OpenOptions{Set: "first"})
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	if runtime.GOOS != "windows" {
		for _, args := range [][]string{{"relog", night}, {"sample", "-n1", "-i0.1", "-f", "csv", `\System\System Up Time`}, {"sample", "-n1", "-i0.1", "-f", "prom", `\System\System Up Time`}} {
			if out, stderr, code := perfdeck(t, "", append(args, "-o", os.DevNull)...); code != exitDone || out != "" {
				t.Errorf("%q to nowhere: exit code %d: %s%s", args, code, out, stderr)
			}
			if out, stderr, code := perfdeck(t, "", append(args, "-o", "-")...); code != exitDone || len(out) < 20 {
				t.Errorf("%q to standard output: exit code %d: %s%s", args, code, out, stderr)
			}
		}
		if _, stderr, code := perfdeck(t, "", "record", "-n1", `\Memory\*`, "-o", os.DevNull); code != exitUsage {
			t.Errorf("recorded to nowhere: exit code %d: %s", code, stderr)
		}
		if info, err := os.Stat(os.DevNull); err != nil || info.Mode()&os.ModeDevice == 0 {
			t.Fatal("the null device is gone")
		}
	}
	if left, _ := filepath.Glob("*"); len(left) != 1 || left[0] != "two.db" {
		t.Errorf("left: %q", left)
	}
}
