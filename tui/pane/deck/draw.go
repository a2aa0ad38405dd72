package deck

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/chart"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// Draw draws the panes into the frame.
func (d *Deck) Draw(f pane.Frame) {
	d.body = layout.Rect{W: f.Width(), H: f.Height()}
	if len(d.panes) == 0 {
		d.drawEmpty(f)
		return
	}
	d.sync()
	d.place()
	if !d.zoomed {
		f.Zone(0, 0, f.Width(), f.Height(), pane.Hit{Kind: hitGap})
	}
	for i, p := range d.places {
		if !p.Hidden && p.H > 0 && p.W > 0 {
			d.drawPane(f.At(p.Rect), i, p)
		}
	}
}

// drawEmpty tells what can be done with a deck without panes.
func (d *Deck) drawEmpty(f pane.Frame) {
	y := max(0, f.Height()/2-2)
	muted := themes.Muted.Style()
	if !d.loaded {
		drawWaiting(f, y, (&block{host: d.hostOf("")}).state())
		return
	}
	f.Text(6, y, "No counters on this deck.", themes.Text.Style())
	f.Text(6, y+2, "a", themes.Accent.Style().Bold())
	f.Text(9, y+2, "add a counter: its path, or words of its name", muted)
	f.Text(6, y+3, "u", themes.Accent.Style().Bold())
	f.Text(9, y+3, "bring back what was removed", muted)
}

// drawWaiting says why nothing is shown yet: what was tried, why it failed, what
// can be done, what comes next.
func drawWaiting(f pane.Frame, y int, state session.HostState) {
	muted := themes.Muted.Style()
	if state.Err == nil {
		f.Left(6, y, f.Width()-6, state.Phase.String()+f.Glyphs().Ellipsis, muted)
		return
	}
	sign := string(f.Glyphs().Critical) + " "
	for i, text := range pane.Wrap(sign+session.Printable(state.Err.Error()), f.Width()-8) {
		f.Left(4+2*min(i, 1), y, f.Width()-6, text, themes.Critical.Style())
		y++
	}
	tried := "since " + state.Since.Format("15:04:05")
	if state.Tries > 1 {
		tried += ", tried " + strconv.Itoa(state.Tries) + " times"
	}
	if wait := state.NextTry.Sub(f.Now); wait > 0 {
		tried += ", next try in " + pane.Age(wait)
	}
	lines := []string{tried}
	if h, ok := errors.AsType[interface {
		error
		Hint() string
	}](state.Err); ok && h.Hint() != "" {
		lines = append(lines, pane.Wrap("hint: "+session.Printable(h.Hint()), f.Width()-8)...)
	}
	for _, text := range lines {
		f.Left(6, y, f.Width()-6, text, muted)
		y++
	}
	f.Text(6, y+1, "R", themes.Accent.Style().Bold())
	f.Text(9, y+1, "try again now", muted)
}

// place decides where the panes go. In one column the focused pane scrolls into
// view.
func (d *Deck) place() {
	if d.zoomed {
		d.places = make([]layout.Placed, len(d.panes))
		for i := range d.places {
			d.places[i].Hidden = i != d.focus
		}
		n := len(d.panes[d.focus].lines)
		d.places[d.focus] = layout.Placed{Rect: d.body, Rows: min(n, d.body.H-1)}
		if spare := d.body.H - 1 - n; spare >= 3 {
			d.places[d.focus].Graph = spare
		}
		return
	}
	if d.tree != nil {
		d.placeTree()
		return
	}
	shapes := make([]layout.Pane, len(d.panes))
	for i, b := range d.panes {
		shapes[i] = layout.Pane{Rows: len(b.lines)}
		if b.spec.Busiest > 0 {
			shapes[i] = layout.Pane{Rows: b.spec.Busiest, Most: b.spec.Busiest}
			if len(b.order) > 0 { // before the first values the place is kept
				shapes[i] = layout.Pane{Rows: min(len(b.lines), b.spec.Busiest), Most: len(b.lines)}
			}
		}
	}
	d.first = min(d.first, d.focus)
	for {
		placed := layout.Deck(d.body, shapes[d.first:])
		if d.first < d.focus && placed[d.focus-d.first].Hidden {
			d.first++
			continue
		}
		d.places = make([]layout.Placed, len(d.panes))
		for i := range d.places {
			d.places[i].Hidden = i < d.first
		}
		copy(d.places[d.first:], placed)
		return
	}
}

func (d *Deck) drawPane(f pane.Frame, i int, p layout.Placed) {
	b := d.panes[i]
	view := b.snap().Set(b.set)
	l := layout.NewRow(f.Width())
	title := d.title(f, i, view)
	if f.Width() < layout.MinPaneWidth {
		title.Heads = false
	}
	pane.DrawTitle(f, l, title)
	f.Zone(0, 0, f.Width(), 1, pane.Hit{Kind: hitTitle, A: i})
	y := 1
	if d.graphs {
		d.drawGraphs(f, i)
		return
	}
	if p.Graph > 0 {
		d.drawGraph(f.At(layout.Rect{Y: 1, W: f.Width(), H: p.Graph}), b)
		y += p.Graph
	}
	top, rows := d.window(i, p.Rows)
	hidden := len(b.lines) - rows
	for n := range rows {
		d.drawLine(f, y, l, i, top+n, i == d.focus)
		f.Zone(0, y, f.Width(), 1, pane.Hit{Kind: hitRow, A: i, B: top + n})
		y++
	}
	if hidden > 0 && b.spec.Busiest == 0 {
		f.Left(layout.SignW, y, f.Width()-layout.SignW, moreRows(hidden), themes.Muted.Style())
	}
}

// isOld tells that the values of a host are those of before.
func isOld(p session.Phase) bool { return p == session.Stale || p == session.Retrying }

func moreRows(n int) string { return fmt.Sprintf("+ %d more rows", n) }

// window is which lines of a pane are shown: the selected one among them. One
// line less, where the others are counted below them.
func (d *Deck) window(i, rows int) (top, n int) {
	b := d.panes[i]
	n = min(rows, len(b.lines))
	if n > 1 && n < len(b.lines) && b.spec.Busiest == 0 {
		n--
	}
	if i == d.focus {
		top = max(0, d.selectedLine()-n+1)
	}
	return top, n
}

// title is the head of a pane: the counterset, what its sole instance is, and
// what is wrong with it.
func (d *Deck) title(f pane.Frame, i int, view *session.SetView) pane.Title {
	b := d.panes[i]
	t := pane.Title{Name: b.set.Name, Focused: i == d.focus, Heads: true}
	if b.spec.Busiest > 0 {
		t.Subtitle = "by " + b.set.Counters[b.items[0].counter].Name
	} else if b.sole != "_Total" {
		t.Subtitle = b.sole
	}
	if d.first > 0 && i == d.first {
		t.Subtitle = strings.TrimSpace(t.Subtitle + fmt.Sprintf(" pane %d of %d", i+1, len(d.panes)))
	}
	if d.host == nil {
		t.Subtitle = strings.TrimSpace(b.hostName() + " " + t.Subtitle)
	}
	state := b.state()
	switch {
	case b.host == nil:
		t.Problem, t.ProblemStyle = string(f.Glyphs().Stale)+" not watched", themes.Stale.Style()
	case view != nil && view.Err != nil:
		t.Problem = string(f.Glyphs().Critical) + " " + view.Err.Error()
		t.ProblemStyle = themes.Critical.Style()
	case state.Phase != session.Live && state.Phase != session.Connecting:
		t.Problem, t.ProblemStyle = problem(f, state)
	}
	if t.Problem != "" {
		t.Heads = false
	}
	return t
}

// soleInstance is the instance that all lines share, "" when they differ.
func (b *block) soleInstance() string {
	for i := range b.lines {
		if b.lines[i].inst == "" || b.lines[i].inst != b.lines[0].inst {
			return ""
		}
	}
	if len(b.lines) == 0 {
		return ""
	}
	return b.lines[0].inst
}

func (d *Deck) drawLine(f pane.Frame, y int, l layout.Row, i, n int, focused bool) {
	b := d.panes[i]
	ln := &b.lines[n]
	view := b.snap().Set(ln.item.sel.Set)
	r := pane.Row{
		Name: ln.name, Instance: ln.inst,
		Set: ln.item.sel.Set, Counter: ln.item.counter,
		Value:    ln.value(view),
		Selected: focused && i == d.focus && ln.id() == d.selected,
		Stale:    isOld(b.state().Phase) || view != nil && view.Err != nil,
		Marked:   d.marks[ln.id()],
		Alert:    d.desk.Mark(b.host, ln.item.sel.Set, ln.item.counter, ln.key),
	}
	if look := d.desk.Kept.Look(ln.item.look); look != nil {
		r.Colour = look.Colour
	}
	if b.spec.Busiest > 0 {
		r.Name = session.Printable(r.Name)
	}
	if b.sole != "" {
		r.Instance = ""
	}
	if view != nil && ln.row >= 0 && ln.col >= 0 {
		r.End = d.desk.End(b.snap())
		r.Series = view.Series(ln.row, ln.col)
		r.Window = ln.windowOf(r.Series, r.End)
		if d.desk.Past() {
			r.Value = pane.PastValue(r.Series, r.End, r.Value)
		}
	}
	largest := max(r.Window.Max, -r.Window.Min)
	if f64, ok := r.Value.Float(); ok {
		largest = max(largest, f64, -f64)
	}
	r.Unit, r.Look = d.units.Choose(pane.UnitKey{Set: r.Set, Counter: r.Counter, Key: ln.key}, largest, f.Now)
	pane.DrawRow(f, y, l, &r)
}

// The axis of a graph is labelled at its right.
const graphLeft, graphRight = 3, 6

// drawGraph fills spare rows with the history of the pane's first counter; a
// zoomed pane shows the selected one as a chart.
func (d *Deck) drawGraph(f pane.Frame, b *block) {
	line := 0
	if d.zoomed {
		line = max(0, d.selectedLine())
	}
	d.drawHistory(f, b, line)
}

// drawHistory draws the history of one line.
func (d *Deck) drawHistory(f pane.Frame, b *block, line int) {
	if line >= len(b.lines) {
		return
	}
	l := &b.lines[line]
	view := b.snap().Set(l.item.sel.Set)
	if view == nil || l.row < 0 || l.col < 0 {
		return
	}
	w := f.Width() - graphLeft - graphRight
	end := d.desk.End(b.snap())
	if w < 1 || end == 0 {
		return
	}
	values := view.Series(l.row, l.col).Slice(end, 2*w)
	q := l.item.sel.Set.Counters[l.item.counter].Quantity
	scale := graphScale(q, values)
	body := f.Sub(graphLeft, 0, w, f.Height())
	if d.zoomed && chart.Fits(w, f.Height()) {
		chart.Draw(body, chart.Chart{
			Lines: []chart.Line{{Values: values, Style: themes.S1.Style()}},
			Lo:    float64(scale.Lo), Hi: float64(scale.Hi), Samples: 2 * w,
		})
		f.Left(graphLeft, 0, w, l.name+"  "+span(b.snap().Timeline, end, 2*w), themes.Muted.Style())
	} else {
		spark := themes.Spark.Style()
		body.Graph(values, int64(end)-1, scale, func(float32) themes.Style { return spark })
	}
	muted := themes.Muted.Style()
	f.Right(f.Width()-graphRight, 0, graphRight-1, axisLabel(float64(scale.Hi), q), muted)
	f.Right(f.Width()-graphRight, f.Height()-1, graphRight-1, axisLabel(float64(scale.Lo), q), muted)
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

// graphScale is 0 to 100 for percentages, else 0 to the window's maximum.
func graphScale(q cooker.Quantity, values []float32) canvas.Scale {
	scale := canvas.WindowScale(values)
	scale.IsFlat = false // the axis says what it means
	if q.Kind == cooker.Percent && scale.Hi <= 100 && scale.Lo >= 0 {
		return canvas.PercentScale()
	}
	return scale
}

// axisLabel writes an end of the axis in at most five cells: "100%", "2.1K".
func axisLabel(v float64, q cooker.Quantity) string {
	const cells = graphRight - 1
	u := cooker.UnitFor(q, cooker.UnitWindows, v)
	unit := strings.TrimSuffix(strings.TrimSuffix(u.Label, "/s"), "B")
	if u.Factor != 0 {
		v /= u.Factor
	}
	for decimals := 2; decimals >= 0; decimals-- {
		text := strconv.FormatFloat(v, 'f', decimals, 64)
		if strings.Contains(text, ".") {
			text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
		}
		if text += unit; len(text) <= cells || decimals == 0 {
			return text
		}
	}
	return ""
}
