package tui

import (
	"context"
	"strings"
	"testing"
	"time"

	"perfdeck/session/hosts/fake"
	"perfdeck/tui/pane"
)

// The first frame has the gauges of a host that answers at once, and says of rates that
// they come.
func TestFirstFrame(t *testing.T) {
	onScreens(t, rigOptions{}, func(r *rig) {
		r.root.awaitFirst(context.Background())
		r.root.draw()
		text := r.text()
		for _, want := range []string{"Proc Time", "…", "GB"} {
			if !strings.Contains(text, want) {
				t.Errorf("the first frame has no %s:\n%s", want, text)
			}
		}
		if strings.Contains(text, "connecting") {
			t.Errorf("the first frame is of a host that was not there:\n%s", text)
		}
	})
}

// A host that is slow, or behind a log-on, does not hold the first frame up.
func TestFirstFrameOfTheSlow(t *testing.T) {
	onScreens(t, rigOptions{hosts: script(fake.Script{Faults: []fake.Fault{{Latency: time.Minute}}})}, func(r *rig) {
		began := time.Now()
		r.root.awaitFirst(context.Background())
		if waited := time.Since(began); waited != firstWait {
			t.Errorf("waited for %v", waited)
		}
		r.root.watched[0].LogOns = struct{ pane.LogOns }{}
		began = time.Now()
		r.root.awaitFirst(context.Background())
		if waited := time.Since(began); waited != 0 {
			t.Errorf("waited for %v", waited)
		}
		r.root.draw()
		if text := r.text(); !strings.Contains(text, "connecting") {
			t.Errorf("the first frame:\n%s", text)
		}
	})
}

// A graph is not black before its first sample, has its first dot as soon as there is a
// number, and words that stand for values are whole.
func TestFirstGraph(t *testing.T) {
	onScreens(t, rigOptions{w: 120, h: 36}, func(r *rig) {
		graph := func() string {
			var out []string
			for _, row := range r.rows()[2:8] {
				out = append(out, string([]rune(row)[1:40]))
			}
			return strings.Join(out, "\n")
		}
		r.root.awaitFirst(context.Background())
		r.root.draw()
		if n := strings.Count(graph(), "·"); n < 4 {
			t.Errorf("the first frame has %d marks of paper:\n%s", n, r.text())
		}
		for _, cut := range []string{"pendi… ", "pendin…"} {
			if strings.Contains(r.text(), cut) {
				t.Errorf("the first frame has %q:\n%s", cut, r.text())
			}
		}
		r.clock.Advance(260 * time.Millisecond)
		r.settle()
		r.root.draw()
		if row := r.row("Proc Time"); strings.Contains(row, "…  ") || strings.Contains(row, "pending") {
			t.Fatalf("no number yet: %q", row)
		}
		if !strings.ContainsFunc(r.text(), func(c rune) bool { return c > 0x2800 && c <= 0x28ff }) {
			t.Errorf("the number has no dot:\n%s", r.text())
		}
	})
}
