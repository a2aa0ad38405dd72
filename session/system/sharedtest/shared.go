// Package sharedtest finds what tests use and the project does not hold: real recordings
// of others, specifications, tools. They lie in a folder "shared" beside the checkout. A
// test that lacks them is skipped, with words that the test command counts.
package sharedtest

import (
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
			t.Skipf("SKIPPED FOR WANT OF shared/%s: no folder above this one has it", name)
		}
	}
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
