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
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/graph"
	"perfdeck/tui/kit/kind"
	"perfdeck/tui/kit/names"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// drawBand draws the cells of a host. What stands in its last title instead of the name of
// the column is rest.
func (a *Abreast) drawBand(f pane.Frame, i int, r layout.Rect, rest string) {
	d, board, m := a.decks[i], a.desk.Board(), &a.matrix
	state := d.host.Sampler.State()
	for c := range m.columns {
		col := &m.columns[c]
		if col.pane >= len(d.panes) {
			continue
		}
		b := d.panes[col.pane]
		w := col.w + 1
		if c < len(m.columns)-1 {
			w += matrixGap - 1
		}
		s := a.cellScene(b.picture.stage(), i, c, r.H)
		a.cellSigns(s, board)
		a.cellAxis(s, board)
		if c == 0 {
			s.title = a.bandTitle(f, s, &state, board)
		} else {
			s.title = pane.Title{Name: strings.TrimSuffix(b.set.Name, " Interface")}
		}
		if rest != "" && c == len(m.columns)-1 {
			if s.title.Subtitle = rest; c > 0 && len(s.title.Name)+len(rest)+6 > w {
				s.title.Name, s.title.Subtitle = rest, "" // the bands above have the name
			}
		}
		s.title.Focused = i == a.focus
		b.picture.show(f.At(layout.Rect{X: col.x, Y: r.Y, W: w, H: r.H}), d.drawMatrixCell)
	}
	if below := a.below(i, 0); len(below) > 0 {
		a.drawBelow(f.At(layout.Rect{Y: r.Y + r.H - len(below), W: m.columns[0].w + 1, H: len(below)}), i, below, board)
	}
}

// cellAxis is the scale of the graph of a cell, its unit and its limits.
func (a *Abreast) cellAxis(s *scene, board *alert.Board) {
	d, col := a.decks[s.pane], &a.matrix.columns[s.column]
	b := d.panes[col.pane]
	if s.plot.graphed < 0 || b.made == nil {
		s.plot.hi = a.busiestTop(d, b)
		return
	}
	d.setUnit(s, b)
	s.plot.hi, s.plot.held = col.hi, col.scale.IsHeld()
	if a.matrix.own {
		rule := ruleIn(b, s)
		s.plot.hi = float32(b.scale.Top(rule, float64(d.highest(s, b, rule)), s.plot.format, s.plot.unit, b.made.Time))
		s.plot.held, s.own = b.scale.IsHeld(), rule.Limit == 0 && rule.Least == 0
	}
	d.setLimits(s, b, board, b.limitOf(&b.lines[s.plot.graphed]))
}

// bandTitle is the head of a band: the host, with what is wrong with it, else what it is
// and how far back its graphs reach.
func (a *Abreast) bandTitle(f pane.Frame, s *scene, state *session.HostState, board *alert.Board) pane.Title {
	d := a.decks[s.pane]
	t := pane.Title{Name: d.host.Name}
	if sign, st, ok := pane.SignOfMark(board.Host(d.host.Name), f.Glyphs()); ok {
		t.Sign, t.SignStyle = sign, st
	}
	if state.Phase != session.Live {
		standing := pane.StandingOf(state, f.Now)
		if sign, st := standing.Sign(f.Glyphs()); sign != 0 {
			t.Sign, t.SignStyle = sign, st
		}
		t.Problem, t.ProblemStyle = problemOf(standing, state, f)
		return t
	}
	return t
}

// problemOf says in a title what is wrong with a host whose sign stands before its name.
func problemOf(standing pane.Standing, state *session.HostState, f pane.Frame) (string, themes.Style) {
	text, st := problem(f, state)
	if sign, _ := standing.Sign(f.Glyphs()); sign != 0 {
		_, st = standing.Sign(f.Glyphs())
	}
	return strings.TrimLeft(text, string([]rune{f.Glyphs().Stale, f.Glyphs().Critical, ' '})), st
}

// processors is how many the host of a pane of processors has, 0 if it is none.
func (b *block) processors() (n int) {
	view := b.made.Set(b.set)
	if view == nil || !strings.HasPrefix(b.set.Name, "Processor") {
		return 0
	}
	for i := range view.Rows {
		if kind.IsPart(&view.Rows[i].Instance) {
			n++
		}
	}
	return n
}

// drawMatrixCell draws a graph with the values below it.
func (d *Deck) drawMatrixCell(f pane.Frame, s *scene) {
	b := d.panes[s.measure]
	f.Zone(0, 0, s.w, s.h, pane.Hit{Kind: hitPane, A: s.pane})
	f.Zone(0, 0, s.w, 1, pane.Hit{Kind: hitTitle, A: s.pane})
	if s.column == 0 {
		d.drawBandTitle(f, b, s)
	} else {
		drawMeasure(f, b, s)
	}
	y := 1
	if s.plot.graphed >= 0 {
		y += s.plot.graph
		d.drawCurve(f.At(layout.Rect{X: 1, Y: 1, W: s.plot.cell, H: s.plot.graph}), b, s)
	} else if b.lacksUsed(b.items[0]) && s.list.rows <= s.h-1-s.plot.graph { // level with those that have one
		y += s.plot.graph
	}
	for row := range s.list.rows {
		n := s.list.top + row
		r := d.rowOf(b, n, row, s)
		if b.spec.Busiest > 0 {
			r.Name = b.nameAmong(n, s.list.top+s.list.rows)
		}
		if b.items[0].missing && b.spec.Busiest > 0 {
			r.Name, r.Instance = b.set.Name, ""
		}
		line := f.At(layout.Rect{Y: y + row, W: min(s.w, s.plot.cell+matrixGap), H: 1})
		d.drawValue(line, s.measure, n, &r, s)
		if s.plot.graphed >= 0 {
			b.swatch(n, s.plot.graphed).Draw(line.Region, 2, 0)
		}
	}
}

// leastHostName is how much of the name of its host a band shows at least, in cells.
const leastHostName = 8

// drawBandTitle draws the head of a band: behind the host what it is and how far back its
// graphs reach, as far as these have room before the top of the scale.
func (d *Deck) drawBandTitle(f pane.Frame, b *block, s *scene) {
	t, span := s.title, ""
	room := s.plot.cell - 3
	if t.Sign != 0 {
		room -= 2
	}
	has := s.plot.graphed >= 0 && b.made != nil
	if has {
		room -= canvas.Full.TextWidth(s.maxText()) + 2
		if t.Problem == "" { // a long name leaves room for the span
			span, _ = b.spanText(s, s.plot.cell)
			t.Name = f.CutMiddle(max(leastHostName, room-1-canvas.Full.TextWidth(span)), session.Printable(t.Name))
		}
	}
	room -= canvas.Full.TextWidth(t.Name)
	if span != "" && t.Subtitle == "" {
		about := ""
		if s.cpus > 0 {
			about = strconv.Itoa(s.cpus) + " cpu"
		}
		for _, try := range []string{strings.TrimPrefix(about+", "+span, ", "), span, about} {
			if t.Subtitle = try; canvas.Full.TextWidth(try) <= room {
				break
			}
			t.Subtitle = ""
		}
	}
	x := pane.DrawTitle(f, layout.Row{}, t)
	if t.Sign != 0 && t.Problem == "" {
		f.Zone(2, 0, 1, 1, pane.Hit{Kind: hitSign, A: s.pane})
	}
	if w := canvas.Full.TextWidth(span); strings.HasSuffix(t.Subtitle, span) && w > 0 {
		f.Zone(x-w, 0, w, 1, pane.Hit{Kind: hitSpan, A: s.pane})
	}
	if has {
		drawMax(f, x+1, s)
	}
}

// drawMeasure draws the head of a cell that is not the first one of its band.
func drawMeasure(f pane.Frame, b *block, s *scene) {
	muted, x := themes.Muted.Style(), 3
	pane.DrawRule(f, s.title.Focused)
	for _, text := range []string{s.title.Name, s.title.Subtitle} {
		if text != "" {
			f.Put(x-1, 0, ' ', muted)
			x += f.Left(x, 0, s.w-x-1, text, muted) + 1
			f.Put(x-1, 0, ' ', muted)
		}
	}
	if s.plot.graphed >= 0 && b.made != nil {
		drawMax(f, x, s)
	}
}

// drawMax draws the top of the scale so that it ends over the right end of the graph.
func drawMax(f pane.Frame, from int, s *scene) {
	h := graph.Head{Max: s.maxText()}
	w := min(s.plot.cell, s.w-2) // a blank stands behind it
	at := h.Draw(f.Region, 0, from, 1, w)
	headZones(f, &at, s)
}

// maxText is the top of the scale, and whose it is.
func (s *scene) maxText() string {
	if s.own {
		return "own " + s.topText()
	}
	return s.topText()
}

// valueColumns are the columns of a row of values, w cells wide: a sparkline where there
// is room beside the names.
func valueColumns(w int) layout.Row {
	l := layout.ValueRow(27)
	if less := 27 - w; less > 0 {
		l.NameW, l.ValueX, l.UnitX = l.NameW-less, l.ValueX-less, l.UnitX-less
	}
	if l.SparkW = graph.SparkWidth(w - 29); l.SparkW > 0 {
		l.SparkX = 28
	}
	return l
}

// drawValue draws line n of a pane as a row below its graph.
func (d *Deck) drawValue(f pane.Frame, p, n int, r *pane.Row, s *scene) {
	l := valueColumns(f.Width())
	if b := d.panes[p]; s.plot.graphed < 0 && b.hasInstances() { // names are longer
		unit := layout.UnitW
		if r.Look.Quantity.Kind == cooker.Percent {
			unit = 1
		}
		l = layout.InstanceRow(f.Width(), unit)
	} else if s.plot.graphed < 0 && !b.lacksUsed(b.items[0]) {
		l = layout.NewRow(f.Width())
	} else if d.panes[p].swatch(n, s.plot.graphed) != graph.NoSwatch {
		l.SparkW = 0
	}
	pane.DrawRow(f, 0, l, r)
	f.Zone(0, 0, f.Width(), 1, pane.Hit{Kind: hitValue, A: s.pane, B: p<<16 | n})
	signZone(f, 0, 0, s, n-s.list.top)
}

// nameAmong is what instance n of the busiest ones is called: with its number only where
// another one that is shown has the same name.
func (b *block) nameAmong(n, shown int) string {
	name := func(i int) string { return names.Parented(b.lines[i].key) }
	if b.lines[n].row < 0 {
		return b.lines[n].name
	}
	for i := range min(shown, len(b.lines)) {
		if number := b.view().Rows[b.lines[n].row].Number; i != n && number != 0 && name(i) == name(n) {
			return session.Printable(name(n) + " " + strconv.FormatUint(number, 10))
		}
	}
	return session.Printable(name(n))
}

// drawBelow draws values of panes that have no column in the last rows of the first one of a host.
func (a *Abreast) drawBelow(f pane.Frame, i int, slots []slot, board *alert.Board) {
	d := a.decks[i]
	for row, at := range slots {
		b := d.panes[at.pane]
		if at.line >= len(b.lines) {
			continue
		}
		s := scene{facts: facts{
			shared: a.shared.Shared, when: d.momentOf(b), kind: kind.Graph, matrix: true, pane: i, plot: plot{bare: true},
			list: shownRows{selected: -1, alarm: -1, rows: 1, top: at.line}, isOld: isOld(d.host.Sampler.State().Phase) || d.desk.IsSilent(b.made),
		}, signs: []sign{d.signOf(b, &b.lines[at.line], board)}}
		if b.spec.Busiest > 0 {
			s.plot.hi = a.busiestTop(d, b)
		}
		if i == a.focus && d.focus == at.pane && d.selectedLine() == at.line {
			s.list.selected = 0
		}
		r := d.rowOf(b, at.line, 0, &s)
		switch {
		case b.spec.Busiest == 0:
			r.Object = names.Object(b.set.Name)
		case b.items[0].missing:
			r.Name = b.set.Name
		default:
			r.Name = b.nameAmong(at.line, busiestRows)
		}
		d.drawValue(f.At(layout.Rect{Y: row, W: f.Width(), H: 1}), at.pane, at.line, &r, &s)
	}
}

// drawForeign draws a host that answers and has none of the deck's counters: what it has
// instead.
func (a *Abreast) drawForeign(f pane.Frame, i int, rest string) {
	d := a.decks[i]
	t := pane.Title{Name: d.host.Name, Focused: i == a.focus, Subtitle: "has none of the deck's counters"}
	drawRest(f, pane.DrawTitle(f, layout.Row{}, t), rest)
	muted := themes.Muted.Style()
	n := f.Left(layout.SignW, 1, max(0, f.Width()-layout.SignW-10), "it offers "+session.Printable(listed(setNames(d.host.Sampler.Catalogue()))), themes.Text.Style())
	f.Text(layout.SignW+n+1, 1, "4", themes.Accent.Style().Bold())
	f.Text(layout.SignW+n+3, 1, "browse", muted)
	f.Zone(0, 0, f.Width(), silentRows, pane.Hit{Kind: hitTitle, A: i})
}

// drawSilent draws a host that never answered: what is wrong, since when, how often, what
// comes next, and what can be done.
func (a *Abreast) drawSilent(f pane.Frame, i int, rest string) {
	d := a.decks[i]
	state := d.host.Sampler.State()
	standing := pane.StandingOf(&state, f.Now)
	sign, st := standing.Sign(f.Glyphs())
	t := pane.Title{Name: d.host.Name, Focused: i == a.focus, Sign: sign, SignStyle: st}
	t.Problem, t.ProblemStyle = standing.String(), st
	if standing.Condition == pane.Refusing {
		t.Problem = session.ErrDenied.Error()
	}
	x := pane.DrawTitle(f, layout.Row{}, t)
	drawRest(f, x, nextTries(&state, f.Now, rest)...)
	n := f.Left(layout.SignW, 1, max(0, f.Width()-layout.SignW-9), whySilent(standing, &state, f, t.Problem), themes.Text.Style())
	f.Zone(0, 0, f.Width(), silentRows, pane.Hit{Kind: hitTitle, A: i})
	x = layout.SignW + n + 1
	if n == 0 {
		x--
	}
	f.Text(x, 1, "R", themes.Accent.Style().Bold())
	f.Text(x+2, 1, "retry", themes.Muted.Style())
	f.Zone(x, 1, len("R retry"), 1, pane.Hit{Kind: hitRetry, A: i})
}

// nextTries says how often a host was tried, and when it is tried again, before what is
// said of others: the longest form first.
func nextTries(state *session.HostState, now time.Time, rest string) []string {
	count, next, short := "", "", ""
	if state.Tries > 0 {
		count = ordinal(state.Tries) + " time"
	}
	if !state.NextTry.IsZero() {
		next = nextTry(state, now)
		short = strings.TrimPrefix(next, "next try ")
	}
	out := make([]string, 0, 4)
	for _, form := range [][]string{{count, next}, {next}, {short}, nil} {
		text := strings.Join(slices.DeleteFunc(form, func(part string) bool { return part == "" }), ", ")
		if rest != "" {
			text = strings.TrimPrefix(text+"; "+rest, "; ")
		}
		out = append(out, text)
	}
	return out
}

// nextTry says when a host is tried again.
func nextTry(state *session.HostState, now time.Time) string {
	if wait := state.NextTry.Sub(now); wait >= time.Second {
		return "next try in " + pane.Roughly(wait)
	}
	return "trying"
}

// whySilent says why a host does not answer, but for the word that its title has, since
// when, and what can be done. Where there is no room for all of it, since when leaves first.
func whySilent(s pane.Standing, state *session.HostState, f pane.Frame, said string) string {
	if state.Err == nil {
		return "no answer yet"
	}
	cause, since := s.Cause(), ""
	if cause == said {
		cause = ""
	}
	if !state.Since.IsZero() {
		since = "since " + pane.Clock(state.Since, f.Now)
	}
	hint := session.Printable(session.HintOf(state.Err))
	text := ""
	for _, when := range []string{since, ""} {
		text = strings.TrimSpace(cause + " " + when)
		if text != "" && hint != "" {
			text += ": "
		}
		if text += hint; layout.SignW+canvas.Full.TextWidth(text)+9 <= f.Width() {
			break
		}
	}
	return text
}

// drawRest draws the first of some texts that has room behind the words of a title at its
// right end.
func drawRest(f pane.Frame, x int, texts ...string) {
	for _, text := range texts {
		if text != "" && x+canvas.Full.TextWidth(text)+4 < f.Width() {
			pane.DrawHead(f, f.Width()-2, text, themes.Muted.Style())
			return
		}
	}
}

// ordinal writes a number as one of a row: "1st", "12th".
func ordinal(n int) string {
	end := "th"
	if tens := n % 100; tens < 11 || tens > 13 {
		switch n % 10 {
		case 1:
			end = "st"
		case 2:
			end = "nd"
		case 3:
			end = "rd"
		}
	}
	return strconv.Itoa(n) + end
}
