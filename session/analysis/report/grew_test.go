package report_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"perfdeck/session/analysis/report"
	page "perfdeck/session/text"
)

// The short answer names whose memory grew, the most first, wrong or not: who came has all of it
// more; who shrank, ended or grew by little is none of them.
func TestWhyNamesWhoGrew(t *testing.T) {
	const mb = 1 << 20
	ramp := func(from, by float64) func(int) float64 {
		return func(i int) float64 { return (from + by*float64(i)/400) * mb }
	}
	absent := func(of func(int) float64, from, to int) func(int) float64 {
		return during(func(int) float64 { return math.NaN() }, of, from, to)
	}
	r := answered(t, 400, append(busyBox(0, 0),
		process("leak", "Private Bytes", ramp(100, 400)), process("leak", "ID Process", always(77)),
		process("shrinks", "Private Bytes", ramp(900, -400)), process("little", "Private Bytes", ramp(900, 5)),
		process("came", "Private Bytes", absent(always(700*mb), 200, 400)), process("went", "Private Bytes", absent(ramp(1, 900), 0, 200)),
		process("_Total", "Private Bytes", ramp(1000, 2000)), process("leak", "Handle Count", ramp(1, 9)),
		column{`\\box\Memory Use(Shared Memory)\Working Set - Private`, ramp(1, 600)}, column{`\\box\Memory Use(File Cache)\Working Set - Private`, ramp(1, 9000)})...)
	var b bytes.Buffer
	if err := r.WriteWhy(&b, report.WhyOptions{TextOptions: report.TextOptions{Printer: page.Plain(&b)}}); err != nil {
		t.Fatal(err)
	}
	_, told, ok := strings.Cut(strings.Join(strings.Fields(b.String()), " "), "grew in ")
	if told, _, _ = strings.Cut(told, " not "); !ok || !strings.Contains(told, "came +700.0 MB, shared memory +59") || strings.ContainsAny(told, "_") || strings.Contains(told, "Cache") || strings.Contains(told, "little") || strings.Contains(told, "shrinks") || strings.Contains(told, "went") {
		t.Errorf("%q of\n%s", told, b.String())
	}
}
