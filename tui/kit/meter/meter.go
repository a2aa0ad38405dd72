// Package meter draws how much of a limit is used: as a meter in a row, as meters of
// instances in columns, or, where these have no room, as upright bars.
package meter

import (
	"math"

	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/graph"
)

// Meter is one meter.
type Meter struct {
	Share  float64       // 0 to 1; NaN: nothing is known, and no cell is filled
	Limits []graph.Limit // of shares, from low to high
	Stale  bool
}

// leastShown is the share from which on a cell is filled: it is written as a percent.
const leastShown = 0.005

// Draw draws the meter in w cells from x on. Cells have the colour of their place; those
// in which a limit lies that the share is over, and those behind, that of its state.
func (m *Meter) Draw(r canvas.Region, x, y, w int) {
	full, empty := '■', r.Glyphs().Middot
	if r.GlyphSet() == canvas.ASCII {
		full, empty = '|', '.'
	}
	span := r.Span(x, y, w)
	from, to := span.Bounds()
	filled := m.filled(w)
	for i := from; i < to; i++ {
		switch {
		case i >= filled:
			span.Put(i, empty, themes.Rule)
		case m.Stale:
			span.Put(i, full, themes.Stale)
		default:
			span.Put(i, full, styleAt(m.Share, m.Limits, i, w))
		}
	}
}

// filled is how many of w cells are filled.
func (m *Meter) filled(w int) int {
	if m.Share != m.Share || m.Share < leastShown {
		return 0
	}
	return min(w, max(1, int(math.Round(min(1, m.Share)*float64(w)))))
}

// styleAt is the style of cell i of n along a share: that of the highest limit that the
// share is over and that lies in the cell or before it, else that of its place.
func styleAt(share float64, limits []graph.Limit, i, n int) themes.Style {
	for k := graph.Over(limits, float32(share)); k >= 0; k-- {
		if l := &limits[k]; !l.Below && i >= min(n-1, int(float64(l.Value)*float64(n))) {
			return l.State
		}
	}
	return themes.RampA.Step(i, n)
}
