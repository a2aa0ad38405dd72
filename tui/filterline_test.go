package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// A filter is typed in the line of the hints: what it leaves stays in view, at any size and
// on all screens; errors are told, and keys and clicks end it as they end any dialog.
func TestFilterIsALine(t *testing.T) {
	for _, size := range [][2]int{{40, 12}, {80, 24}, {120, 36}} {
		onScreens(t, rigOptions{w: size[0], h: size[1]}, func(r *rig) {
			r.begin(5)
			for _, screen := range []string{"1", "2", "3", "6", "7", "8"} {
				r.press(screen)
				before := r.rows()
				r.press("/")
				if got := r.rows(); got[1] != before[1] || !strings.Contains(got[len(got)-1], "esc back") {
					r.Errorf("%v, screen %s: the screen is\n%s", size, screen, strings.Join(got, "\n"))
				}
				r.write("s")
				typed := r.rows()
				r.press("enter")
				after := r.rows()
				if was, is := strings.Join(typed[1:len(typed)-1], "\n"), strings.Join(after[1:len(after)-1], "\n"); was != is {
					r.Errorf("%v, screen %s: while it is typed\n%s\nthen\n%s", size, screen, was, is)
				}
				r.press("/", "ctrl+u")
				r.click("esc back")
				if r.root.dialog() != nil {
					r.Errorf("%v, screen %s: a click on esc leaves the filter open", size, screen)
				}
				r.press("esc")
			}
			r.press("3", "/")
			r.write("cpu>x")
			r.shows("a number is missing")
			r.press("enter")
			r.shows("a number is missing") // and stays open
			r.press("ctrl+u")
			r.hides("a number is missing")
			r.root.Update(tea.PasteMsg{Content: "cpu>3\n"})
			r.shows("cpu>3")
			r.press("esc")
		})
	}
}
