// Package sharedtest finds what tests use and the project does not hold: real recordings
// of others, specifications, tools. They lie in a folder "shared" beside the checkout. A
// test that lacks them is skipped; the test command counts such tests by the file that
// PERFDECK_TEST_LACKS names, to which each adds a line. CPUTime is what benchmarks go by, Until
// how tests wait.
package sharedtest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Path is where a file or folder of the shared ones is. The test is skipped if it is not
// there.
func Path(t testing.TB, name string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; ; dir = filepath.Dir(dir) {
		path := filepath.Join(dir, "shared", name)
		if _, err := os.Stat(path); err == nil {
			return path
		}
		if dir == filepath.Dir(dir) {
			lacking(t, name)
		}
	}
}

func lacking(t testing.TB, name string) {
	t.Helper()
	if list := os.Getenv("PERFDECK_TEST_LACKS"); list != "" {
		f, err := os.OpenFile(list, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		_, err = fmt.Fprintf(f, "%s: %s\n", t.Name(), name)
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	t.Skipf("no folder above this one has shared/%s", name)
}

// Read is the text of a shared file. The test is skipped if it is not there.
func Read(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(Path(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
