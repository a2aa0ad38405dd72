package tui

import (
	"testing"

	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/pane"
	"perfdeck/tui/pane/alerts"
	"perfdeck/tui/pane/browser"
	"perfdeck/tui/pane/chart"
	"perfdeck/tui/pane/details"
	"perfdeck/tui/pane/explain"
	"perfdeck/tui/pane/fleet"
	"perfdeck/tui/pane/hosts"
	"perfdeck/tui/pane/journal"
	"perfdeck/tui/pane/moved"
	"perfdeck/tui/pane/top"
)

// What screens are besides, which the root looks for.
var (
	_ interface {
		pane.Selector
		pane.Opener
		pane.Asker
	} = (*alerts.Screen)(nil)
	_ interface {
		pane.Selector
		pane.Opener
		pane.Keeper
		pane.Asker
	} = (*browser.Browser)(nil)
	_ interface {
		pane.Selector
		pane.Dragger
		pane.Opener
		pane.Asker
	} = (*chart.Chart)(nil)
	_ pane.Selector = (*details.Screen)(nil)
	_ pane.Selector = (*explain.Screen)(nil)
	_ interface {
		pane.Selector
		pane.Opener
		pane.Asker
	} = (*fleet.Screen)(nil)
	_ pane.Selector = (*hosts.Screen)(nil)
	_ pane.Selector = (*journal.Screen)(nil)
	_ interface {
		pane.Selector
		pane.Opener
	} = (*moved.Screen)(nil)
	_ interface {
		pane.Selector
		pane.Spanned
	} = (*top.Top)(nil)
)

// Screens draw inside the rectangle they are given, at any size, also smaller
// than the frame ever gives them, and do not leave old cells behind dialogs.
func TestScreensStayInside(t *testing.T) {
	const mark = '\u2591'
	fine := [2]int{9, 5}
	if testing.Short() {
		fine = [2]int{3, 2}
	}
	sentinel := themes.Critical.Reverse()
	for _, d := range sweepData {
		onScreens(t, rigOptions{hosts: d.hosts, paths: d.paths}, func(r *rig) {
			if d.samples >= 0 {
				r.begin(d.samples)
			}
			for _, keys := range [][]string{nil, {"z"}, {"z", "x"}, {"esc", "3"}, {"v"}, {"?"}, {"esc", "1", "a"}, {"esc", "i"}} {
				r.press(keys...)
				for w := 0; w <= 50; w += 1 + w/fine[0] {
					for h := 0; h <= 24; h += 1 + h/fine[1] {
						c := canvas.New(w+4, h+4, canvas.Full)
						c.Root().Fill(0, 0, w+4, h+4, mark, sentinel)
						f := pane.Frame{Region: c.Root(), Now: r.root.options.Now(), Hits: &pane.Hits{}}
						f = f.Sub(2, 2, w, h)
						if dialog := r.root.dialog(); dialog != nil {
							dialog.Draw(f)
						} else {
							r.root.screen().Draw(f)
						}
						outside(t, c, w, h, mark)
					}
				}
			}
		})
	}
}

func outside(t *testing.T, c *canvas.Canvas, w, h int, mark rune) {
	t.Helper()
	for y := range h + 4 {
		for x := range w + 4 {
			if x >= 2 && x < w+2 && y >= 2 && y < h+2 {
				continue
			}
			if at := c.At(x, y); at.Rune != mark {
				t.Fatalf("%dx%d: %q is drawn outside, at %d,%d:\n%s", w, h, at.Rune, x-2, y-2, c)
			}
		}
	}
}
