package deck

import (
	"bytes"
	"strconv"
	"strings"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/themes"
	"perfdeck/tui/chart"
	"perfdeck/tui/kit/graph"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// The axis of a graph is labelled at its right, a cell apart.
const graphLeft, graphRight = 3, 7

// drawHistory draws the history of one line; in a zoomed pane as a chart.
func drawHistory(f pane.Frame, b *block, line int, s *scene) {
	if line < 0 || line >= len(b.lines) {
		return
	}
	l := &b.lines[line]
	view := b.made.Set(l.item.sel.Set)
	if view == nil || l.row < 0 || l.col < 0 {
		return
	}
	w := f.Width() - graphLeft - graphRight
	if w < 1 || s.end == 0 {
		return
	}
	series := view.Series(l.row, l.col)
	if l.isText() {
		drawWhole(f.At(layout.Rect{X: graphLeft, W: w, H: f.Height()}), view.Value(l.row, l.col), series, s)
		return
	}
	values := series.Slice(s.end, 2*w)
	q := l.item.sel.Set.Counters[l.item.counter].Quantity
	lo, hi := axisOf(q, values)
	body := f.Sub(graphLeft, 0, w, f.Height())
	if s.zoomed && chart.Fits(w, f.Height()) {
		chart.Draw(body, chart.Chart{
			Lines: []chart.Line{{Values: values, Style: themes.S1.Style()}},
			Lo:    lo, Hi: hi, Samples: 2 * w, End: s.end,
		})
		f.Left(graphLeft, 0, w, l.name+"  "+span(b.made.Timeline, s.end, 2*w), themes.Muted.Style())
	} else {
		lo = 0
		g := graph.Graph{Upper: graph.Series{Values: values}, End: s.end, Hi: float32(hi)}
		g.Draw(body)
	}
	drawAxis(f, 0, hi, q)
	drawAxis(f, f.Height()-1, lo, q)
}

// drawWhole shows a text, which has no curve, with all its lines.
func drawWhole(f pane.Frame, v cooker.Value, series session.Series, s *scene) {
	if s.isPast {
		v = pane.PastValue(series, s.end, v)
	}
	text, _ := v.Text()
	for y, line := range pane.Fold(session.Printable(text), f.Width()) {
		if y < f.Height() {
			f.Left(0, y, f.Width(), line, themes.Text.Style())
		}
	}
}

// span tells how far back n samples before end reach.
func span(line session.Timeline, end uint64, n int) string {
	if end == 0 || end <= line.First {
		return ""
	}
	from := line.First
	if end > uint64(n) {
		from = max(from, end-uint64(n))
	}
	return "last " + pane.Age(line.At(end-1).Sub(line.At(from)))
}

// axisOf is 0 to 100 for percentages, else 0, or less, to the largest value.
func axisOf(q cooker.Quantity, values []float32) (lo, hi float64) {
	for _, v := range values {
		if v-v == 0 {
			lo, hi = min(lo, float64(v)), max(hi, float64(v))
		}
	}
	if q.Kind == cooker.Percent && hi <= 100 && lo >= 0 {
		return 0, 100
	}
	return lo, hi
}

// drawAxis labels an end of the axis, in at most five cells: "100%", "2.1K".
func drawAxis(f pane.Frame, y int, v float64, q cooker.Quantity) {
	const cells = graphRight - 2
	u := cooker.UnitFor(q, cooker.UnitWindows, v)
	unit := strings.TrimSuffix(strings.TrimSuffix(u.Label, "/s"), "B")
	if u.Factor != 0 {
		v /= u.Factor
	}
	var buf [32]byte
	text := buf[:0]
	for decimals := 2; decimals >= 0; decimals-- {
		text = strconv.AppendFloat(buf[:0], v, 'f', decimals, 64)
		if decimals > 0 {
			text = bytes.TrimRight(bytes.TrimRight(text, "0"), ".")
		}
		if text = append(text, unit...); len(text) <= cells {
			break
		}
	}
	f.Right(f.Width()-graphRight+1, y, cells, string(text), themes.Muted.Style())
}
