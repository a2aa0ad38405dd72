package tui

import (
	"testing"
	"time"

	"perfdeck/tui/pane"
)

// While the terminal is slow values are drawn as by --low-bandwidth, and not while what was drawn
// before is not shown; keys at once. It is told once, and what the user set is as it was afterwards.
func TestSlowTerminal(t *testing.T) {
	onScreens(t, rigOptions{}, func(r *rig) {
		r.begin(10)
		drawn := func(seconds int) (n int) {
			for range seconds {
				last := r.root.pacing.drawn
				if r.beat(); r.root.pacing.drawn != last {
					n++
				}
			}
			return n
		}
		told := func() (n int) {
			entries, _ := r.root.desk.Journal.Entries()
			for _, e := range entries {
				if e.Level == pane.Careful {
					n++
				}
			}
			return n
		}
		before := told()
		for _, c := range []struct {
			slow, behind bool
			least, most  int // drawings in 60 s
			told         int
		}{{false, false, 58, 62, 0}, {true, false, 15, 22, 1}, {true, true, 0, 0, 1}, {false, false, 55, 62, 1}} {
			r.out.slow, r.out.behind = c.slow, c.behind
			drawn(3)
			if n := drawn(60); n < c.least || n > c.most || told()-before != c.told {
				t.Errorf("slow %v, behind %v: drawn %d times in 60 s, told %d times", c.slow, c.behind, n, told()-before)
			}
			last := r.root.pacing.drawn
			r.clock.Advance(time.Second)
			if r.send(keyPress("j")); r.root.pacing.drawn == last {
				t.Error("a key is not answered")
			}
		}
		if r.root.desk.Wipe || r.root.options.LowBandwidth {
			t.Error("it is drawn seldom for good")
		}
		r.root.frugal(true)
		r.out.slow = true
		drawn(3)
		r.out.slow = false
		if drawn(3); !r.root.desk.Wipe {
			t.Error("what the user wants is forgotten")
		}
	})
}
