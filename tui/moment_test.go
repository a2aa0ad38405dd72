package tui

import (
	"strings"
	"testing"
)

// The past does not look like now: at every width the way back is the first hint,
// and the clock says that it is a moment.
func TestPastIsSaid(t *testing.T) {
	for _, size := range [][2]int{{40, 12}, {60, 15}, {80, 24}, {120, 36}} {
		onScreens(t, rigOptions{w: size[0], h: size[1]}, func(r *rig) {
			r.begin(70)
			r.hides(". now")
			for _, screen := range []string{"1", "5", "3"} {
				r.press(screen, "[")
				rows := r.rows()
				if hints := strings.TrimSpace(rows[len(rows)-1]); !strings.HasPrefix(hints, ". now") {
					r.Errorf("%v, screen %s: the hints begin with %q", size, screen, hints)
				}
				if n := strings.Count(rows[len(rows)-1], ". now"); n != 1 {
					r.Errorf("%v, screen %s: the way back is %d times among the hints", size, screen, n)
				}
				at := "at " + r.root.desk.At.Format("15:04")
				if !strings.Contains(rows[0], at) {
					r.Errorf("%v, screen %s: the header does not say %q: %s", size, screen, at, rows[0])
				}
				r.click(". now")
				if r.root.desk.Past() {
					r.Errorf("%v: a click on the hint does not lead back", size)
				}
				r.hides(". now")
			}
		})
	}
}

// Once the layout mode was left there is nothing of it to undo but the layout that
// was kept.
func TestUndoAfterLayoutMode(t *testing.T) {
	onScreens(t, rigOptions{w: 120, h: 36}, func(r *rig) {
		r.begin(3)
		r.press("L", "|")
		r.write("disk sec tr")
		r.press("enter", "esc", "u")
		r.shows("nothing was changed")
		r.press("L", "|")
		r.write("disk sec tr")
		r.press("enter", "enter", "u")
		r.shows("undone: the layout")
		r.press("u")
		r.shows("nothing was changed")
	})
}
