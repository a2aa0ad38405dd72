// Package meter draws how much of a limit is used: as a meter in a row, as meters of
// instances in columns, or, where these have no room, as upright bars.
package meter

import (
	"math"
	"strconv"

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

// levels is how many heights a cell of a bar has.
const levels = 8

// barSigns are the signs of a cell by how many of its levels are filled.
var barSigns = [...][levels + 1]rune{
	canvas.Full:    {' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'},
	canvas.Console: {' ', '▄', '▄', '▄', '▄', '█', '█', '█', '█'},
	canvas.ASCII:   {' ', '.', '.', ':', ':', '#', '#', '#', '#'},
}

// Bars are upright bars, one cell wide, of the shares of instances.
type Bars struct {
	Shares []float64     // 0 to 1; NaN: nothing is known, and there is no bar
	Limits []graph.Limit // of shares, from low to high
	Stale  bool
	// Named tells that a title says where bars are the highest of several instances;
	// else the bars end with it.
	Named bool
}

// Group is how many of n neighbours a bar shows the highest of in w cells.
func Group(n, w int) int {
	if w < 1 {
		return max(1, n)
	}
	return max(1, (n+w-1)/w)
}

// GroupText is what a title says of bars that stand for several instances each,
// "" where each stands for one.
func GroupText(group int) string {
	if group < 2 {
		return ""
	}
	return "max of " + strconv.Itoa(group)
}

// Draw draws the bars over all of the region, from the left. It returns how many
// instances a bar stands for.
func (b *Bars) Draw(r canvas.Region) (group int) {
	w, h := r.Width(), r.Height()
	group = Group(len(b.Shares), w)
	if text := GroupText(group); text != "" && !b.Named {
		n := 0
		for n != len(text) { // a longer text leaves less room for bars
			n = len(text)
			group = Group(len(b.Shares), w-1-n)
			text = GroupText(group)
		}
		r.Right(0, h-1, w, text, themes.Muted)
	}
	signs := &barSigns[min(int(r.GlyphSet()), len(barSigns)-1)]
	for x := 0; x*group < len(b.Shares) && x < w; x++ {
		some := b.Shares[x*group : min(len(b.Shares), (x+1)*group)]
		share := some[Highest(some)]
		if share != share {
			continue
		}
		filled := max(1, int(math.Round(min(1, max(0, share))*float64(h*levels))))
		for i := 0; i*levels < filled; i++ {
			st := styleAt(share, b.Limits, i, h)
			if b.Stale {
				st = themes.Stale
			}
			r.Put(x, h-1-i, signs[min(levels, filled-i*levels)], st)
		}
	}
	return group
}

// Highest is the number of the highest of some shares, the first where none is known.
func Highest(shares []float64) (at int) {
	for i, v := range shares {
		if !(shares[at] >= v) && v == v {
			at = i
		}
	}
	return at
}
