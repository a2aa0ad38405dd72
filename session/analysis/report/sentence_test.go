package report_test

import (
	"os"
	"strings"
	"testing"

	"perfdeck/session/analysis/report"
)

// A recording most of which cannot be read gets no all-clear: the headline says how much
// was read, and of which time.
func TestHeadlineOfDamage(t *testing.T) {
	file := recording(t, "a.csv", 50, column{`\\h\Memory\Available MBytes`, noise(9000, 0.01, 1)})
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	for i := 5; i < len(lines)-2; i++ {
		lines[i] = "no row\n"
	}
	if err := os.WriteFile(file, []byte(strings.Join(lines, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	r := reported(t, report.Options{}, packRules(t), file)
	if got := r.Headline(); !strings.HasPrefix(got, "Nothing was wrong in what could be read: 5 of 50 samples, ") {
		t.Error(got)
	}
}
