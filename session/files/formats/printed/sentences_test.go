package printed

import (
	"bufio"
	"fmt"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/files/logs"
)

// With several hosts each value is said with its host, also where only one of
// them answered in time.
func TestLinesNameTheirHost(t *testing.T) {
	p, err := paths.Parse(`\System\Threads`)
	if err != nil {
		t.Fatal(err)
	}
	sample := func(host string, v uint64) logs.Sample {
		s := &logs.Named{Host: host, Path: p, Text: p.String(), Counter: &session.Counter{Name: "Threads"}}
		return logs.Sample{Host: host, Cells: []logs.Cell{{Named: s, Value: cooker.WholeValue(v)}}}
	}
	var b strings.Builder
	out := bufio.NewWriter(&b)
	w := Sentences(logs.Outlet{W: out})
	at := time.Date(2026, 3, 2, 14, 7, 32, 0, time.UTC)
	for _, r := range []logs.Beat{{Time: at, Several: true, Samples: []logs.Sample{sample("two", 2)}}, {Time: at, Several: true, Samples: []logs.Sample{sample("two", 3)}}} {
		if err := w.Write(&r); err != nil {
			t.Fatal(err)
		}
	}
	_ = out.Flush()
	if n := strings.Count(b.String(), "two, System"); n != 2 {
		t.Errorf("said\n%s", b.String())
	}
}

// What left is forgotten: instances come and go for days. A host that is late
// keeps what was said of it.
func TestLinesForget(t *testing.T) {
	var b strings.Builder
	out := bufio.NewWriter(&b)
	l, _ := Sentences(logs.Outlet{W: out}).(*sentences)
	sample := func(host string, names ...string) logs.Sample {
		s := logs.Sample{Host: host}
		for _, n := range names {
			p, err := paths.Parse(`\Process(` + n + `)\Threads`)
			if err != nil {
				t.Fatal(err)
			}
			s.Cells = append(s.Cells, logs.Cell{Named: &logs.Named{Host: host, Path: p, Text: p.String(), Counter: &session.Counter{}}, Value: cooker.WholeValue(7)})
		}
		return s
	}
	for i := range 50 {
		samples := []logs.Sample{sample("one", fmt.Sprint("a", i), "stays")}
		if i == 0 {
			samples = append(samples, sample("late", "x"))
		}
		if err := l.Write(&logs.Beat{Several: true, Samples: samples}); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(l.said["one"]); n != 2 {
		t.Errorf("%d things that were said are kept", n)
	}
	_ = l.Write(&logs.Beat{Several: true, Samples: []logs.Sample{sample("late", "x")}})
	_ = out.Flush()
	for _, name := range []string{"one, Process stays", "late, Process x"} {
		if n := strings.Count(b.String(), name); n != 1 {
			t.Errorf("%s is said %d times", name, n)
		}
	}
}

// Why there is no value is said in words, not in the names of vectors.
func TestSpokenStatus(t *testing.T) {
	for s := cooker.OK; s.String() != "INVALID_STATUS"; s++ {
		if s.Good() {
			continue
		}
		text := spoken(logs.WriteOptions{}, logs.Cell{Named: &logs.Named{Counter: &session.Counter{}}, Value: cooker.Absent(s)})
		if text == "" || text != strings.ToLower(text) || strings.ContainsAny(text, "_…") {
			t.Errorf("%v is said as %q", s, text)
		}
	}
}
