package tui

import (
	"testing"
	"time"

	"perfdeck/session/clocktest"
	"perfdeck/session/hosts/fake"
)

// A removal that is taken back fills no host that told nothing yet, as the second one of
// the demo, which refuses access; every key goes on.
func TestUndoWithHostsThatComeAndGo(t *testing.T) {
	demo := func(c *clocktest.Clock) []fake.Host { return fake.Demo(c) }
	for _, w := range []int{59, 80, 120, 160} {
		for _, gone := range []string{"g", "j", "G"} {
			onScreens(t, rigOptions{hosts: demo, w: w}, func(r *rig) {
				r.begin(3)
				before := len(r.root.desk.Hosts)
				r.press("1", "d", "7", gone, "d", "y", "1", "u", "u")
				r.press("g", "j", "tab", "G", "l", "h", "v", "z", "esc", "=")
				r.pass(4 * time.Second)
				if n := len(r.root.desk.Hosts); n != before {
					t.Errorf("width %d: %d hosts, before %d:\n%s", w, n, before, r.text())
				}
			})
		}
	}
}
