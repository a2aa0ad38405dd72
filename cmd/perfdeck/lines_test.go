package main

import (
	"bufio"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
)

// With several hosts each value is said with its host, also where only one of
// them answered in time.
func TestLinesNameTheirHost(t *testing.T) {
	p, err := paths.Parse(`\System\Threads`)
	if err != nil {
		t.Fatal(err)
	}
	sample := func(host string, v uint64) sampled {
		s := &series{host: host, path: p, text: p.String(), counter: &session.Counter{Name: "Threads"}}
		return sampled{host: host, cells: []cell{{series: s, value: cooker.WholeValue(v)}}}
	}
	var b strings.Builder
	out := bufio.NewWriter(&b)
	w := newLines(outlet{w: out}, look{})
	at := time.Date(2026, 3, 2, 14, 7, 32, 0, time.UTC)
	for _, r := range []row{{at, []sampled{sample("one", 1), sample("two", 2)}}, {at, []sampled{sample("two", 3)}}} {
		if err := w.write(r); err != nil {
			t.Fatal(err)
		}
	}
	_ = out.Flush()
	if n := strings.Count(b.String(), "two, System"); n != 2 {
		t.Errorf("said\n%s", b.String())
	}
}
