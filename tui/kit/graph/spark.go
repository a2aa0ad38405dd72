package graph

import (
	"math"
	"time"

	"perfdeck/session"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
)

// SparkReach is how much time a sparkline shows at first.
const SparkReach = time.Minute

// sparkWidths are the widths in which a minute has cells of whole seconds.
var sparkWidths = [...]int{20, 15, 12, 10, 6}

// SparkWidth is the widest sparkline that fits into w cells, 0 where none does.
func SparkWidth(w int) int {
	for _, n := range sparkWidths {
		if n <= w {
			return n
		}
	}
	return 0
}

// PerCell is how many samples, every apart, a cell of a sparkline shows that has w for a time. Of
// samples that are farther apart than a cell is long it is one.
func PerCell(reach time.Duration, w int, every time.Duration) int {
	if w < 1 || every <= 0 {
		return 1
	}
	return max(1, int(math.Round(float64(reach)/float64(w)/float64(every))))
}

// SparkSpan is how much time a sparkline really shows that has w cells for it.
func SparkSpan(reach time.Duration, w int, every time.Duration) time.Duration {
	span := time.Duration(max(0, w)*PerCell(reach, w, every)) * every
	if off := span - reach; off.Abs() < reach/20 { // samples come a little early or late
		return reach
	}
	return span
}

// Spark is a sparkline.
type Spark struct {
	Series  session.Series
	End     uint64       // absolute number of the sample behind the newest one
	PerCell int          // samples, the largest of which a cell shows; less than 1 counts as 1
	Hi      float32      // the value of the highest level
	Limits  []Limit      // from low to high: cells over them have the colour of their state
	Plain   themes.Style // of cells that are beyond no limit; Text: shades by their level
	// Wipe lets the newest cell move from left to right over the oldest ones, a blank
	// before it.
	Wipe bool
}

// Draw draws the sparkline in w cells from x on.
func (l *Spark) Draw(r canvas.Region, x, y, w int) {
	span := r.Span(x, y, w)
	from, to := span.Bounds()
	signs := &r.Glyphs().Spark
	t := timesOf(w, max(1, l.PerCell), l.End, l.Wipe)
	for i := from; i < to; i++ {
		cell, ok := t.cell(i)
		v := t.largest(&l.Series, cell*t.perCell, t.perCell)
		if !ok || v != v {
			span.Put(i, ' ', 0)
			continue
		}
		level := l.level(v)
		span.Put(i, signs[level], l.style(v, level))
	}
}

// level is the height of a value: its true one, also of a value that never changes.
func (l *Spark) level(v float32) int {
	switch {
	case !(l.Hi > 0) || !(v > 0):
		return 0
	case v >= l.Hi:
		return canvas.Levels - 1
	}
	return int(v / l.Hi * canvas.Levels)
}

// The shades of levels, as shares of the ramp.
var shades = [canvas.Levels]float64{.15, .15, .15, .4, .4, .4, .65}

// style is that of a cell: of nothing there is only a line.
func (l *Spark) style(v float32, level int) themes.Style {
	for i := len(l.Limits) - 1; i >= 0; i-- {
		if at := &l.Limits[i]; !at.Below && v > at.Value || at.Below && v < at.Value {
			return at.State
		}
	}
	switch {
	case l.Plain != 0:
		return l.Plain
	case v == 0:
		return themes.Rule
	}
	return themes.RampA.At(shades[level])
}
