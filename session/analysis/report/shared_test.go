package report_test

import (
	"path/filepath"
	"strings"
	"testing"

	"perfdeck/session/alert"
	"perfdeck/session/analysis/report"
	"perfdeck/session/system/sharedtest"
)

// Recordings that Windows made are told of: what was wrong, and what has no rule.
func TestRecordingsOfWindows(t *testing.T) {
	for _, c := range []struct {
		file     string
		hosts    int
		counters int
		verdicts int
		want     string
	}{
		{"data/blg/clinthuffman_PAL__SampleLog.blg", 1, 1832, 1, "Less than 512 MB of memory available"},
		{"data/blg/PowerShell_PowerShell__BadCounterSamples.blg", 26, 26, 0, "Nothing was wrong on 26 hosts in what was judged; not judged: memory, disks, network."},
		{"data/pdhtext/PowerShell_PowerShell__CounterSamples.csv", 1, 10, 1, "charlieparker"},
	} {
		t.Run(filepath.Base(c.file), func(t *testing.T) {
			r := reported(t, report.Options{}, packRules(t), sharedtest.Path(t, c.file))
			counters := 0
			for i := range r.Hosts {
				counters += len(r.Hosts[i].Counters)
			}
			page := htmlOf(t, r)
			if len(r.Hosts) != c.hosts || counters != c.counters || len(r.Verdicts) != c.verdicts || !strings.Contains(page, c.want) {
				t.Errorf("%d hosts, %d counters, %d verdicts: %s", len(r.Hosts), counters, len(r.Verdicts), r.Headline())
			}
			if len(page) > 2<<20 || strings.Contains(page, "NaN") {
				t.Errorf("%d bytes", len(page))
			}
		})
	}
}

// In a binary log raw values are kept: the number of its verdict is worked out of them.
func TestFoldOfBinaryLog(t *testing.T) {
	r := reported(t, report.Options{}, packRules(t), sharedtest.Path(t, "data/blg/clinthuffman_PAL__SampleLog.blg"))
	if len(r.Verdicts) != 1 || r.Verdicts[0].Severity != alert.Critical {
		t.Fatal(r.Headline())
	}
	v := r.Verdicts[0]
	if f := v.Fold; f.Raw == nil || f.Shown != v.Worst || !strings.HasSuffix(f.Worked[len(f.Worked)-1], "shown as "+v.Worst) {
		t.Errorf("fold %+v, worst %s", f, v.Worst)
	}
}
