package panetest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// CatchRaces is an environment in which the race detector of a child reports to a
// file: on the child's terminal its text would be taken for the screen. A report fails
// the test at its end; who kills the child then has to say so after this.
func CatchRaces(t testing.TB, environ []string) []string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "race")
	t.Cleanup(func() {
		reports, _ := filepath.Glob(file + ".*") // by process
		for _, name := range reports {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Error(err)
			}
			for report := range strings.SplitSeq(string(text), "==================\n") {
				if strings.Contains(report, "DATA RACE") && !ofTheLibrary(report) {
					t.Errorf("%s", report)
				}
			}
		}
	})
	environ = slices.DeleteFunc(slices.Clone(environ), func(e string) bool { return strings.HasPrefix(e, "GORACE=") })
	return append(environ, "GORACE=atexit_sleep_ms=0 exitcode=0 log_path="+file)
}

// ofTheLibrary tells whether a race is that of bubbletea with itself: when it ends it
// closes its reader of the terminal, in which a goroutine of its own may still wait
// (github.com/muesli/cancelreader v0.2.2, Close beside wait).
func ofTheLibrary(report string) bool {
	accesses, _, _ := strings.Cut(report, " created at:")
	one, other, both := strings.Cut(accesses, "Previous ")
	return both && strings.Contains(one, "cancelreader.(*epollCancelReader)") && strings.Contains(other, "cancelreader.(*epollCancelReader)")
}
