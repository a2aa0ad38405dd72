package deck

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/themes"
	"perfdeck/tui/kit/graph"
	"perfdeck/tui/kit/kind"
	"perfdeck/tui/kit/scale"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// The matrix of several hosts (deck.md 7): a band a host, a column a measure.
const (
	matrixFrom   = 60  // narrower: rows by host
	fourColumns  = 114 // narrower: two
	fiveColumns  = 150
	leastBand    = 6
	matrixGraphs = 3 // of the panes of a deck
	matrixRows   = 4 // values below a graph
	silentRows   = 2 // of a host that never answered
)

// isMatrix tells whether the hosts are shown as a matrix: most of the first panes of their
// decks are graphs.
func (a *Abreast) isMatrix(w int) bool {
	return !a.byHost && w >= matrixFrom && slices.ContainsFunc(a.decks, (*Deck).hasColumns)
}

// hasColumns tells whether the panes of a deck can be columns of the matrix.
func (d *Deck) hasColumns() bool {
	graphs := 0
	for _, b := range d.panes {
		if b.as.Kind == kind.Graph {
			graphs++
		}
	}
	return d.loaded && len(d.panes) > matrixGraphs && graphs >= matrixGraphs
}

// columnsOf are the panes of a deck that are columns in a width.
func columnsOf(w int) []int {
	switch {
	case w >= fiveColumns:
		return []int{0, 1, 2, 3, 4}
	case w >= fourColumns:
		return []int{0, 1, 2, 3}
	}
	return []int{0, 3} // processor and network
}

// drawMatrix draws as many bands as fit, the focused one among them, and below them the
// hosts that never answered.
func (a *Abreast) drawMatrix(f pane.Frame) {
	var silent, shown []int
	for i, d := range a.decks {
		if d.loaded && !d.isForeign() {
			d.sync()
			shown = append(shown, i)
		} else {
			silent = append(silent, i)
		}
	}
	height := f.Height() - silentRows*len(silent)
	if most := f.Height() / 2 / silentRows; len(silent) > most && len(shown) > 0 {
		silent = silent[:most]
		height = f.Height() - silentRows*len(silent)
	}
	fit := max(1, height/leastBand)
	first := 0
	if at := slices.Index(shown, a.focus); at >= fit {
		first = at / fit * fit
	}
	all := len(shown)
	shown = shown[first:min(len(shown), first+fit)]
	decks := make([]*Deck, len(shown))
	for k, i := range shown {
		decks[k] = a.decks[i]
	}
	a.grid = layout.Grid{Columns: 1, First: shown[0], Panes: make([]layout.Rect, shown[len(shown)-1]-shown[0]+1)}
	a.shared.settle(decks)
	a.headings = noHeadings
	columns := columnsOf(f.Width())
	board := a.desk.Board()
	a.matrix = slices.Grow(a.matrix[:0], len(columns))[:len(columns)]
	for c, p := range columns {
		a.stageColumn(c, p, shown, (f.Width()-(len(columns)-1)*2)/len(columns), height/len(shown), board)
	}
	y := 0
	for k, i := range shown {
		h := height / len(shown)
		if k == 0 {
			h += height % len(shown)
		}
		rest := ""
		if k == len(shown)-1 && all > len(shown) {
			rest = strconv.Itoa(first+1) + "-" + strconv.Itoa(first+len(shown)) + " of " + strconv.Itoa(all) + ", 2 Fleet"
		}
		a.drawBand(f, i, columns, y, h, rest)
		y += h
	}
	for _, i := range silent {
		fr := f.At(layout.Rect{Y: y, W: f.Width(), H: silentRows})
		if a.decks[i].loaded {
			a.drawForeign(fr, i)
		} else {
			a.drawSilent(fr, i)
		}
		y += silentRows
	}
}

// column is what the cells of one column of the matrix have in common.
type column struct {
	scale scale.Scale
	hi    float32
}

// stageColumn chooses the scale of a column: the same for all hosts.
func (a *Abreast) stageColumn(c, p int, shown []int, w, h int, board *alert.Board) {
	most, rule := float32(0), scale.Rule{}
	var now time.Time
	var unit cooker.Unit
	var format cooker.Format
	for _, i := range shown {
		d := a.decks[i]
		if p >= len(d.panes) {
			continue
		}
		b := d.panes[p]
		s := a.cellScene(b.picture.stage(), d, i, p, w, h, board)
		if s.graphed < 0 || b.made == nil {
			continue
		}
		r := d.rowOf(b, s.graphed, 0, &scene{facts: s.facts, signs: []sign{{}}})
		unit, format, now = r.Unit, r.Look.Format, b.made.Time
		drawn := &b.lines[s.graphed].item.drawn
		limit := 0.
		if drawn.Limit.Is() {
			limit = zeroOf(drawn.Read(cooker.FloatValue(0), drawn.Limit.Value(b.made, b.lines[s.graphed].key)).Limit)
		}
		if own := drawn.Rule(limit); own.Limit >= rule.Limit {
			rule = own
		}
		for k := range b.graphs(s.graphed) {
			for _, v := range d.history(b, s.graphed+k, s, k) {
				most = max(most, float32(zeroOf(float64(v))))
			}
		}
	}
	a.matrix[c].hi = float32(a.matrix[c].scale.Top(rule, float64(most), format, unit, now))
}

func zeroOf(v float64) float64 {
	if v != v {
		return 0
	}
	return v
}

// cellScene says what is drawn of a pane of a host in a cell of the matrix.
func (a *Abreast) cellScene(s *scene, d *Deck, i, p, w, h int, board *alert.Board) *scene {
	b := d.panes[p]
	state := d.host.Sampler.State()
	s.facts = facts{
		lines: b.number, numbers: d.units.Generation(), shared: a.shared.Shared, units: a.shared.Changes(),
		end: d.desk.End(b.made), isPast: d.desk.Past(), kind: kind.Graph, matrix: true,
		pane: i, isOld: isOld(state.Phase) || d.desk.IsSilent(b.made), selected: -1, alarm: -1, w: w, headings: allHeadings,
	}
	s.rows = min(matrixRows, len(b.lines), max(1, h-3))
	s.graph = max(0, h-1-min(matrixRows, max(1, h-3)))
	if s.graphed = b.graphed(d.desk.Numbers); s.graphed >= 0 && b.as.Kind != kind.Graph {
		s.graphed = -1
	}
	if i == a.focus && p == d.focus {
		if s.selected = d.selectedLine(); s.selected >= s.rows {
			s.top = s.selected - s.rows + 1
			s.selected = s.rows - 1
		}
	}
	for n := s.top; n < s.top+s.rows; n++ {
		s.signs = append(s.signs, d.signOf(b, &b.lines[n], board))
	}
	return s
}

// drawBand draws the cells of a host.
func (a *Abreast) drawBand(f pane.Frame, i int, columns []int, y, h int, rest string) {
	d, board := a.decks[i], a.desk.Board()
	w := (f.Width() - (len(columns)-1)*2) / len(columns)
	state := d.host.Sampler.State()
	for c, p := range columns {
		x := c * (w + 2)
		cw := w
		if c == len(columns)-1 {
			cw = f.Width() - x
		}
		if p >= len(d.panes) {
			continue
		}
		b := d.panes[p]
		r := layout.Rect{X: x, Y: y, W: cw, H: h}
		fr := f.At(r)
		s := a.cellScene(b.picture.stage(), d, i, p, cw, h, board)
		s.hi = a.matrix[c].hi
		s.title = a.cellTitle(fr, i, p, c, &state)
		if c == len(columns)-1 && rest != "" {
			s.title.Subtitle = rest
		}
		s.inset = p
		b.picture.show(fr, d.drawMatrixCell)
	}
	if len(columns) < 5 {
		a.drawBusiest(f, i, y+h, w, board)
	}
}

// cellTitle is the head of a cell: of the first one the host with what is wrong with it.
func (a *Abreast) cellTitle(f pane.Frame, i, p, c int, state *session.HostState) pane.Title {
	d := a.decks[i]
	t := pane.Title{Name: d.panes[p].set.Name, Focused: i == a.focus}
	if c > 0 {
		if word, ok := strings.CutSuffix(t.Name, " Interface"); ok {
			t.Name = word
		}
		return t
	}
	t.Name = d.host.Name
	if state.Phase != session.Live {
		t.Problem, t.ProblemStyle = problem(f, state)
	}
	return t
}

// drawMatrixCell draws a graph with the values below it.
func (d *Deck) drawMatrixCell(f pane.Frame, s *scene) {
	b := d.panes[s.inset]
	f.Zone(0, 0, s.w, s.h, pane.Hit{Kind: hitTitle, A: s.pane})
	x := pane.DrawTitle(f, layout.Row{}, s.title)
	gw := graphWidth(s)
	if s.graphed >= 0 && b.made != nil {
		r := d.rowOf(b, s.graphed, 0, &scene{facts: s.facts, signs: []sign{{}}})
		h := graph.Head{Max: string(scale.AppendTop(nil, float64(s.hi), r.Look.Format, r.Unit))}
		if s.title.Problem == "" && s.inset == 0 {
			h.Span, _ = b.spanText(s, gw)
		}
		h.Draw(f.Region, 0, x+1, 0, s.w-1)
		if s.graph > 0 {
			g := graph.Graph{Upper: graph.Series{Values: d.history(b, s.graphed, s, 0)}, End: s.end, Hi: s.hi, PerDot: graph.PerDot(gw), Wipe: f.Wipe}
			if b.graphs(s.graphed) == 2 {
				g.Lower = &graph.Series{Values: d.history(b, s.graphed+1, s, 1)}
			}
			g.Draw(f.Sub(1, 1, gw, s.graph))
		}
	}
	rows := d.stacked(noHeadings)
	l := layout.ValueRow(27)
	for row := range s.rows {
		n, y := s.top+row, 1+s.graph+row
		line := f.At(layout.Rect{Y: y, W: min(s.w, 29), H: 1})
		r := d.rowOf(b, n, row, s)
		if b.spec.Busiest > 0 {
			r.Short = ""
		}
		pane.DrawRow(line, 0, l, &r)
		if s.graphed >= 0 {
			b.swatch(n, s.graphed).Draw(line.Region, 2, 0)
		}
		f.Zone(0, y, s.w, 1, pane.Hit{Kind: hitRow, A: s.pane, B: slices.Index(rows, stackedRow{s.inset, n})})
	}
}

// drawBusiest draws the busiest processes of a host in the last rows of its first column.
func (a *Abreast) drawBusiest(f pane.Frame, i, end, w int, board *alert.Board) {
	d := a.decks[i]
	const column = 4
	if column >= len(d.panes) || d.panes[column].spec.Busiest == 0 {
		return
	}
	b := d.panes[column]
	free := matrixRows - len(d.panes[0].lines)
	if free < 1 || len(b.lines) == 0 || b.lines[0].row < 0 {
		return
	}
	for row := range min(free, len(b.lines)) {
		y := end - free + row
		s := scene{facts: facts{
			shared: a.shared.Shared, end: d.desk.End(b.made), isPast: d.desk.Past(), kind: kind.Rows, selected: -1, alarm: -1, rows: 1,
			isOld: isOld(d.host.Sampler.State().Phase),
		}, signs: []sign{d.signOf(b, &b.lines[row], board)}}
		if i == a.focus && d.focus == column && d.selectedLine() == row {
			s.selected = 0
		}
		r := d.rowOf(b, row, 0, &s)
		r.Short = ""
		pane.DrawRow(f.At(layout.Rect{Y: y, W: w, H: 1}), 0, layout.ValueRow(27), &r)
		f.Zone(0, y, w, 1, pane.Hit{Kind: hitRow, A: i, B: slices.Index(d.stacked(noHeadings), stackedRow{column, row})})
	}
}

// drawForeign draws a host that answers and has none of the deck's counters: what it has
// instead.
func (a *Abreast) drawForeign(f pane.Frame, i int) {
	d := a.decks[i]
	pane.DrawTitle(f, layout.Row{}, pane.Title{Name: d.host.Name, Focused: i == a.focus, Subtitle: "has none of the deck's counters"})
	muted := themes.Muted.Style()
	n := f.Left(layout.SignW, 1, max(0, f.Width()-layout.SignW-10), "it offers "+session.Printable(listed(setNames(d.host.Sampler.Catalogue()))), themes.Text.Style())
	f.Text(layout.SignW+n+1, 1, "4", themes.Accent.Style().Bold())
	f.Text(layout.SignW+n+3, 1, "browse", muted)
	f.Zone(0, 0, f.Width(), silentRows, pane.Hit{Kind: hitTitle, A: i})
}

// drawSilent draws a host that never answered: what is wrong, since when, how often, what
// comes next, and what can be done.
func (a *Abreast) drawSilent(f pane.Frame, i int) {
	d := a.decks[i]
	state := d.host.Sampler.State()
	standing := pane.StandingOf(&state, f.Now)
	g, muted := f.Glyphs(), themes.Muted.Style()
	sign, st := standing.Sign(g)
	t := pane.Title{Name: d.host.Name, Focused: i == a.focus}
	if sign != 0 {
		t.Problem, t.ProblemStyle = string(sign)+" "+standing.String(), st
	} else {
		t.Subtitle = standing.String()
	}
	x := pane.DrawTitle(f, layout.Row{}, t)
	next := ""
	if state.Tries > 1 {
		next = "tried " + strconv.Itoa(state.Tries) + " times"
	}
	if wait := state.NextTry.Sub(f.Now); wait > 0 {
		next = strings.TrimPrefix(next+", next try in "+pane.Age(wait), ", ")
	}
	if next != "" && x+len(next)+4 < f.Width() {
		pane.DrawHead(f, f.Width()-2, next, muted)
	}
	text := standing.Reason()
	if state.Err != nil {
		text = session.Printable(state.Err.Error())
	}
	n := f.Left(layout.SignW, 1, max(0, f.Width()-layout.SignW-9), text, st)
	f.Text(layout.SignW+n+1, 1, "R", themes.Accent.Style().Bold())
	f.Text(layout.SignW+n+3, 1, "retry", muted)
	f.Zone(0, 0, f.Width(), 2, pane.Hit{Kind: hitTitle, A: i})
}
