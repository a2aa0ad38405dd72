package tui

import (
	"context"
	"strings"
	"testing"
	"time"

	"perfdeck/session/source/fake"
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
