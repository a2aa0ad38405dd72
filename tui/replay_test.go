package tui

import (
	"testing"

	"perfdeck/tui/layout"
	"perfdeck/tui/pane/replay"
)

// In a replay every terminal that is large enough for anything has the bar, or its
// title at least, above the hints; the body keeps the rest.
func TestReplayBarAtAnySize(t *testing.T) {
	for w := 30; w < 130; w += 9 {
		for h := 1; h < 60; h++ {
			r := &root{w: w, h: h, bar: &replay.Bar{}}
			f, bar := r.frame()
			whole := layout.NewFrame(w, h)
			switch {
			case whole.TooSmall:
				if bar.H != 0 || !f.TooSmall {
					t.Fatalf("%dx%d: a bar of %d rows", w, h, bar.H)
				}
				continue
			case bar.H != 1 && bar.H != replay.Height, bar.W != w, h >= 16 && bar.H == 1:
				t.Fatalf("%dx%d: the bar is %+v", w, h, bar)
			}
			if bar.Y != f.Body.Y+f.Body.H || bar.Y+bar.H != f.Hints.Y || f.Body.H+bar.H != whole.Body.H || f.Body.H < 8 {
				t.Fatalf("%dx%d: body %+v, bar %+v, hints %+v", w, h, f.Body, bar, f.Hints)
			}
		}
	}
}
