package deck

import (
	"strconv"
	"strings"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/text/printable"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/graph"
	"perfdeck/tui/kit/names"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// drawBand draws the panes of a host. What stands in the last title of all instead of the name of the pane is rest.
func (a *Abreast) drawBand(f pane.Frame, i int, board *alert.Board, rest string) {
	d, m := a.decks[i], &a.matrix
	isLast := i == m.shown[len(m.shown)-1]
	for c, column := range m.columns {
		for k, p := range column {
			b := d.pane(p)
			if b == nil {
				continue
			}
			at, _ := a.placeOf(i, p)
			w := min(at.W+layout.ColumnGap, f.Width()-at.X)
			s := &b.picture.next
			if !m.own && (s.plot.graphed >= 0 || p == m.ranking) {
				s.setTop(&m.measures[p].scale, &m.measures[p].need)
			}
			if k == 0 {
				s.title = d.titleBeside(f, p, w, c == 0, board)
				if s.title.Focused = i == a.focus; rest != "" && isLast && c == len(m.columns)-1 {
					if s.title.Subtitle = rest; c > 0 && len(s.title.Name)+len(rest)+8 > w {
						s.title.Name, s.title.Subtitle = rest, "" // the bands above have the name
					}
				}
			}
			b.picture.show(f.Sub(at.X, at.Y, w, at.H), a.drawCell)
		}
	}
}

// listed tells that the title of pane p tells of what its instances are, as the user named it: that
// of the first one has a host to tell, and counts instances.
func (b *block) listed(p int) bool {
	return (p > 0 || b.spec.Busiest > 0) && b.spec.AsNamed && b.isListed() && len(b.items) == 1
}

// titleBeside is the head of a pane w cells wide beside other hosts. The first one names the host,
// with what is wrong with it.
func (d *Deck) titleBeside(f pane.Frame, p, w int, isFirst bool, board *alert.Board) pane.Title {
	b, t, state := d.panes[p], pane.Title{}, d.host.Sampler.State()
	if t.Name = strings.TrimSuffix(b.set.Name, " Interface"); isFirst {
		t.Name = d.host.Name
		t.Sign, t.SignStyle, _ = pane.SignOfMark(board.Host(t.Name), f.Glyphs())
		if state.Phase != session.Live {
			_, t.Problem, t.ProblemStyle = problem(f, &state)
			if sign, st := pane.StandingOf(&state, f.Now).Sign(f.Glyphs()); sign != 0 {
				t.Sign, t.SignStyle, t.ProblemStyle = sign, st, st
			}
		}
	}
	if b.listed(p) && t.Problem == "" {
		t.Subtitle = b.items[0].names.Of(b.items[0].name(), b.set.Name, w/2)
	}
	return t
}

// drawCell draws a pane of a host: a graph with values below it, or values alone.
func (a *Abreast) drawCell(f pane.Frame, s *scene) {
	i, p := a.cellOf(s.pane)
	d, columns, y := a.decks[i], a.matrix.columns, 0
	b, first := d.panes[p], columns[a.matrix.columnOf(p)][0]
	f.Zone(0, 0, s.w, s.h, hitGap, s.pane)
	if !s.plot.bare {
		f.Zone(0, 0, s.w, 1, hitTitle, s.pane)
		if y = 1; p == columns[0][0] {
			d.drawBandTitle(f, b, s)
		} else {
			drawMeasure(f, b, s)
		}
	}
	if s.plot.graphed >= 0 {
		d.drawCurve(f.Sub(1, y, s.plot.cell, s.plot.graph), b, s)
	}
	if y+s.plot.graph+s.list.rows <= s.h { // level with those that have a graph
		y += s.plot.graph
	}
	for row, sg := range s.signs {
		of := s
		if sg.pane != p {
			other := *s
			other.plot, of = plot{bare: true, graphed: -1}, &other
		}
		line := f.Lines(y+row, 1)
		a.drawValue(line, d, row, of, a.matrix.measures[first].graphs)
		line.ZoneLine(0, hitRow, a.cell(i, sg.pane), sg.line)
		signZone(line, 0, 0, s, row)
	}
}

// drawBandTitle draws the head of a band: behind the host what it is and how far back its
// graphs reach, as far as these have room before the top of the scale.
func (d *Deck) drawBandTitle(f pane.Frame, b *block, s *scene) {
	t, span := s.title, ""
	has := s.plot.graphed >= 0 && b.made != nil
	if has && t.Problem == "" {
		room := s.plot.cell - 5 - canvas.Full.TextWidth(s.topText())
		if t.Sign != 0 {
			room -= 2
		}
		if s.plot.graph > 0 {
			span, _ = b.spanText(s, s.plot.cell)
		}
		if t.Name = printable.Text(t.Name); canvas.Full.TextWidth(t.Name) > room { // it is cut anyway
			t.Name = f.CutMiddle(max(8, room-1-canvas.Full.TextWidth(span)), t.Name)
		}
		about := b.made.Extent(b.set)
		if t.Subtitle == "" {
			t.Subtitle = canvas.Fitting(room-canvas.Full.TextWidth(t.Name), strings.Trim(about+", "+span, ", "), span, about, "")
		}
	}
	if !has && t.Subtitle == "" {
		t.Subtitle = s.moreText()
	}
	x := pane.DrawTitle(f, t)
	if t.Sign != 0 && t.Problem == "" {
		f.Zone(2, 0, 1, 1, hitSign, s.pane)
	}
	if w := canvas.Full.TextWidth(span); w > 0 && strings.HasSuffix(t.Subtitle, span) {
		f.Zone(x-w, 0, w, 1, hitSpan, s.pane)
	}
	if has && s.plot.graph > 0 {
		drawMax(f, x+1, s)
	}
}

// drawMeasure draws the head of a cell that is not the first one of its band.
func drawMeasure(f pane.Frame, b *block, s *scene) {
	t, room, has := s.title, s.w, s.plot.graphed >= 0 && b.made != nil
	if has {
		room = s.plot.cell - canvas.Full.TextWidth(s.topText())
	}
	t.Follows = true
	t.Subtitle = canvas.Fitting(room-6-canvas.Full.TextWidth(t.Name), strings.TrimSpace(t.Subtitle+" "+s.moreText()), t.Subtitle)
	pane.DrawRule(f, t.Focused)
	if x := pane.DrawTitle(f.Sub(1, 0, s.w-1, 1), t); has { // a cell of rule is between it and the one before
		drawMax(f, x+2, s)
	}
}

// moreText counts the lines of a cell that are not shown, "" if all are.
func (s *scene) moreText() string {
	if s.list.hidden == 0 {
		return ""
	}
	return "+" + strconv.Itoa(s.list.hidden) + " more"
}

// drawMax draws the top of the scale so that it ends over the right end of the graph.
func drawMax(f pane.Frame, from int, s *scene) {
	h := graph.Head{Max: s.topText()}
	w := min(s.plot.cell, s.w-2) // a blank stands behind it
	at := h.Draw(f.Region, 0, from, 1, w)
	headZones(f, &at, s)
}

// drawValue draws a value as a row of its cell: below a graph, unless its column has none.
func (a *Abreast) drawValue(f pane.Frame, d *Deck, row int, s *scene, graphs bool) {
	at := s.signs[row].slot
	b := d.panes[at.pane]
	r := d.rowOf(b, row, s)
	if at.pane == a.matrix.ranking {
		r.Hi = s.plot.hi
	}
	// Names leave room for the number, and what is left behind them is for a sparkline.
	l, less, swatch := layout.ValueRow(27), max(0, 27-f.Width()), b.swatch(at.line, s.plot.graphed)
	l.NameW, l.ValueX, l.UnitX = l.NameW-less, l.ValueX-less, l.UnitX-less
	l.SparkX, l.SparkW = 28, graph.SparkWidth(f.Width()-29)
	switch {
	case graphs && swatch != graph.NoSwatch:
		l.SparkW = 0
	case !graphs: // names are longer
		const narrow = 30 // names of instances need that of the unit
		unit := layout.UnitW
		if r.Look.Quantity.Kind == cooker.Percent && !s.plot.bare && (b.hasInstances() || f.Width() < narrow) {
			unit = 1
		}
		l = layout.InstanceRow(f.Width(), unit)
	}
	switch {
	case b.spec.Busiest > 0 && b.items[0].missing:
		r.Name, r.Instance = b.set.Name, ""
	case b.spec.Busiest > 0:
		r.Name = f.CutMiddle(l.NameW, b.nameAmong(at.line))
	case s.plot.bare:
		object := names.Object(b.set.Name)
		if room := l.NameW - len(object) - 1; r.Instance == "" && !strings.Contains(r.Names.Cut(f, r.Name, r.Short, room), f.Glyphs().Ellipsis) {
			r.Object = object
		}
	case b.listed(at.pane) && r.Instance != "":
		r.Name, r.Instance = r.Instance, ""
	}
	pane.DrawRow(f, 0, l, &r)
	swatch.Draw(f.Region, 2, 0)
}

// nameAmong is what instance n of the busiest ones is called: with its number only where
// another one that is shown has the same name.
func (b *block) nameAmong(n int) string {
	name := func(i int) string { return names.Parented(b.lines[i].key) }
	if b.lines[n].row < 0 {
		return b.lines[n].name
	}
	for i := range b.lines {
		if number := b.view().Rows[b.lines[n].row].Number; i != n && number != 0 && name(i) == name(n) {
			return printable.Text(name(n) + " " + strconv.FormatUint(number, 10))
		}
	}
	return printable.Text(name(n))
}

// drawQuiet draws the hosts without values that have room, of all of them, from line y on.
func (a *Abreast) drawQuiet(f pane.Frame, y int, shown []int, all int) {
	for k, i := range shown {
		rest := ""
		if more := all - len(shown); k == len(shown)-1 && more > 0 {
			rest = strconv.Itoa(more) + " more, 2 Fleet"
		}
		t := pane.Title{Name: a.decks[i].host.Name, Focused: i == a.focus}
		a.decks[i].drawSilent(f.Lines(y+k*silentRows, silentRows), t, rest, a.cell(i, 0))
	}
}

// drawSilent draws a host without values, by which number clicks name it: of one that answers
// what it has in place of the deck's counters, of others what is wrong, how often it was tried and
// what comes next, as far as that has room before the rest, below it why, and what a key does.
func (d *Deck) drawSilent(f pane.Frame, t pane.Title, rest string, cell int) {
	var why string
	ends, key, does := []string{rest}, "4", "browse"
	if d.loaded {
		t.Subtitle = "has none of the deck's counters"
		why = "it offers " + printable.Text(listed(d.host.Sampler.Catalogue()))
	} else {
		state := d.host.Sampler.State()
		standing := pane.StandingOf(&state, f.Now)
		t.Problem = standing.String()
		t.Sign, t.SignStyle = standing.Sign(f.Glyphs())
		if t.ProblemStyle = t.SignStyle; standing.Condition == pane.Refusing {
			t.Problem = session.ErrDenied.Error()
		}
		ends, key, does = pane.NextTries(&state, f.Now, rest), retryKey, "retry"
		why = standing.Why(&state, f.Now, t.Problem, f.Width()-layout.SignW-9)
	}
	x := pane.DrawTitle(f, t)
	if end := canvas.Fitting(f.Width()-x-5, append(ends, "")...); end != "" {
		pane.DrawHead(f, f.Width()-2, end, themes.Muted)
	}
	f.Zone(0, 0, f.Width(), silentRows, hitTitle, cell)
	word := key + " " + does
	x = layout.SignW + f.Left(layout.SignW, 1, max(0, f.Width()-layout.SignW-len(word)-2), why, themes.Text)
	if why != "" {
		x++
	}
	f.Text(x, 1, word, themes.Muted)
	f.Text(x, 1, key, themes.Accent.Bold())
	if key == retryKey {
		f.Zone(x, 1, len(word), 1, hitRetry, cell)
	}
}
