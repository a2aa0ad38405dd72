package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
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

// still is a recording at its beginning.
type still struct {
	replay.Controller
	playing bool
}

func (s *still) Position() time.Time                                { return start }
func (s *still) Bounds() (first, last time.Time)                    { return start, start.Add(time.Hour) }
func (s *still) Said() string                                       { return "" }
func (s *still) Playing() bool                                      { return s.playing }
func (s *still) Play(on bool)                                       { s.playing = on }
func (s *still) Speed() int                                         { return 1 }
func (s *still) Reached() int                                       { return 0 }
func (s *still) About() replay.About                                { return replay.About{Files: []string{"a.db"}} }
func (s *still) Overview(pane.Target, int) ([]replay.Cell, float64) { return nil, 1 }
func (s *still) Gaps() ([]replay.Gap, float64)                      { return nil, 1 }
func (s *still) SetSpan(span time.Duration) time.Duration           { return span }
func (s *still) Marks() []replay.Mark                               { return nil }

// The first hint of a replay is the key that plays it, on every screen and at every
// width; it says what it does. Nothing that is said at the start is in its place.
func TestReplaySaysHowItIsPlayed(t *testing.T) {
	for _, size := range [][2]int{{40, 12}, {60, 15}, {120, 36}, {200, 60}} {
		onScreens(t, rigOptions{w: size[0], h: size[1]}, func(r *rig) {
			r.begin(3)
			o := r.root.options
			o.Hosts, o.Replay = nil, &still{}
			o.Noted = []pane.Entry{{Time: start, Text: "a.db: 3 counters, to 15:07"}}
			if said := newRoot(o).word.text; said != "" {
				r.Errorf("at the start %q covers the hints", said)
			}
			r.root.bar = replay.NewBar(r.root.desk, o.Replay)
			r.root.keys = r.root.withoutPlayed(r.root.bindings())
			for _, tab := range r.root.tabs {
				for _, want := range []string{"p play", "p pause"} {
					r.root.at = tab.tab
					r.root.draw()
					rows := r.rows()
					if hints := strings.TrimSpace(rows[len(rows)-1]); !strings.HasPrefix(hints, want+"  ") || strings.Count(hints, " p ") > 0 {
						r.Errorf("%v, tab %s: the hints are %q, not %s", size, tab.key, hints, want)
					}
					x, y, _ := r.find(want)
					r.root.click(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
				}
			}
		})
	}
}
