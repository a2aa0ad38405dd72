package deck

import (
	"slices"
	"strconv"
	"time"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// headings is which panes of a deck beside others have a line with their name.
type headings uint8

const (
	allHeadings     headings = iota
	busiestHeadings          // those whose rows are instances
	noHeadings
)

// The graph of a host's first counter takes 3 to 5 spare rows.
const minGraphRows, maxGraphRows = 3, 5

// Draw draws as many panes as fit, the focused one among them, and below them the hosts
// that never answered. The same rows of the panes of a band stand level.
func (a *Abreast) Draw(f pane.Frame) {
	body := layout.Rect{W: f.Width(), H: f.Height()}
	a.width = body.W
	if a.isMatrix(body.W) {
		a.drawMatrix(f)
		return
	}
	answer, silent := a.answering()
	quiet := silentPage(silent, body.H, len(answer), a.focus)
	body.H -= silentRows * len(quiet)
	a.grid = layout.NewGrid(body, len(answer), max(0, slices.Index(answer, a.focus)))
	a.inView = append(a.inView[:0], answer[a.grid.First:][:len(a.grid.Panes)]...)
	shown := make([]*Deck, len(a.inView))
	for i, n := range a.inView {
		shown[i] = a.decks[n]
	}
	a.inView = append(a.inView, quiet...)
	a.arrive(shown)
	a.settleRows(shown)
	for _, d := range shown {
		d.abreast.narrow = body.W < matrixFrom
		d.sync()
	}
	a.shared.settle(shown)
	a.headings = a.chooseHeadings(shown, f.Now)
	board := a.desk.Board()
	for i, d := range shown {
		r := a.grid.Panes[i]
		fr := f.At(r)
		d.laid.body = r
		state := d.host.Sampler.State()
		s := d.picture.stage()
		s.title, s.pane, s.w = a.title(fr, i, len(answer), &state), a.inView[i], r.W
		s.notice, s.isOld = silence(&state, f.Now, r.W-layout.SignW), isOld(state.Phase) || a.desk.IsSilent(d.host.Snap)
		s.plot.graph = a.graphRows(shown, r.Y)
		a.setScene(s, d, r.H, board)
		d.picture.show(fr, d.drawStacked)
	}
	a.drawQuiet(f, body.H, quiet, len(silent))
}

// chooseHeadings leaves out headings until all rows of all panes have a place:
// values come before decoration.
func (a *Abreast) chooseHeadings(shown []*Deck, now time.Time) headings {
	for h := range noHeadings {
		fits := true
		for i, d := range shown {
			need := 1 + len(d.stacked(h))
			if state := d.host.Sampler.State(); silence(&state, now, 0) != "" {
				need++
			}
			fits = fits && (!d.loaded || need <= a.grid.Panes[i].H)
		}
		if fits {
			return h
		}
	}
	return noHeadings
}

// graphRows is how many rows above the values the panes of the band at y have for
// a graph: as many as each of them can spare.
func (a *Abreast) graphRows(shown []*Deck, y int) int {
	least := maxGraphRows
	for i, d := range shown {
		if r := a.grid.Panes[i]; r.Y == y && d.loaded && len(d.panes) > 0 {
			least = min(least, r.H-1-len(d.stacked(a.headings)))
		}
	}
	if least < minGraphRows {
		return 0
	}
	return least
}

// setScene says which rows of a host are drawn in a pane of a height.
func (a *Abreast) setScene(s *scene, d *Deck, height int, board *alert.Board) {
	n := s.pane
	s.lines, s.numbers, s.headings = d.made, d.units.Generation(), a.headings
	s.shared, s.units = a.shared.Shared, a.shared.Changes()
	s.when.end, s.when.isPast, s.when.isSilent = d.desk.End(d.host.Snap), d.desk.Past(), d.desk.IsSilent(d.host.Snap)
	if len(d.panes) > 0 {
		s.plot.graphed = d.panes[0].graphed(d.desk.Numbers)
		d.panes[0].setWindow(s, a.desk.Wipe)
	}
	rows := d.stacked(a.headings)
	room := height - 1 - s.plot.graph
	if s.notice != "" && s.plot.graph == 0 && room > 2 {
		room-- // it stands below the rows, which stay level with those beside
	}
	if len(rows) > room && room > 1 {
		room-- // for the count of what is not shown
	}
	at := d.stackedAt(rows)
	shown := &a.lists[n]
	shown.Resize(len(rows))
	shown.Select(at)
	from, end := shown.Show(len(rows), room)
	s.list.top, s.list.rows = from, end-from
	s.list.hidden = len(rows) - s.list.rows
	s.list.selected = -1
	if n == a.focus && d.selectedLine() >= 0 {
		s.list.selected = at - s.list.top
	}
	for _, row := range rows[s.list.top : s.list.top+s.list.rows] {
		sg := sign{}
		if row.line >= 0 {
			b := d.panes[row.pane]
			sg = d.signOf(b, &b.lines[row.line], board)
		}
		s.signs = append(s.signs, sg)
	}
}

// drawStacked draws the panes of a host, one below the other, as their scene says.
func (d *Deck) drawStacked(f pane.Frame, s *scene) {
	f.Zone(0, 0, s.w, s.h, pane.Hit{Kind: hitTitle, A: s.pane})
	l := layout.NewRow(s.w)
	pane.DrawTitle(f, l, s.title)
	y := 1 + s.plot.graph
	d.drawLead(f, s)
	for i, row := range d.stacked(s.headings)[s.list.top : s.list.top+s.list.rows] {
		b := d.panes[row.pane]
		if row.line < 0 {
			f.Left(layout.SignW, y, s.w-layout.SignW, session.Printable(b.heading()), themes.Muted.Style())
		} else {
			d.drawLine(f, l, y, b, row.line, i, s)
			rowZone(f, y, s, i, s.list.top+i)
		}
		y++
	}
	if y < s.h {
		drawMore(f, y, s)
	}
	if s.plot.graph == 0 && s.h-1 > y-1 {
		drawNotice(f, s.h-1, s)
	}
}

// drawLead draws what stands above the rows: the graph, with the notice in its
// first line.
func (d *Deck) drawLead(f pane.Frame, s *scene) {
	if s.plot.graph == 0 || len(d.panes) == 0 {
		return
	}
	r := layout.Rect{Y: 1, W: s.w, H: s.plot.graph}
	if s.notice != "" {
		drawNotice(f, r.Y, s)
		r.Y, r.H = r.Y+1, r.H-1
	}
	d.drawHistory(f.At(r), d.panes[0], s)
}

func drawNotice(f pane.Frame, y int, s *scene) {
	f.Left(layout.SignW, y, s.w-layout.SignW, s.notice, themes.Stale.Style())
}

// silence says of a host that answered before since when it does not, why, and
// when it is tried again; empty of one that answers. In few cells the time, which
// the title tells too, is left out.
func silence(state *session.HostState, now time.Time, w int) string {
	if !isOld(state.Phase) || state.LastAnswer.IsZero() {
		return ""
	}
	next, why := "", pane.StandingOf(state, now).Reason()
	if wait := state.NextTry.Sub(now); wait > 0 {
		next = ". Next try in " + pane.Roughly(wait)
	}
	since := "No answer since " + state.LastAnswer.Format(time.TimeOnly)
	if why == "" {
		return since + next
	}
	if text := since + " (" + why + ")" + next; canvas.Full.TextWidth(text) <= w {
		return text
	}
	return why + next
}

// title is the head of pane i of those that are shown: its host's name, where it
// stands among all that answer, its latency, what is wrong.
func (a *Abreast) title(f pane.Frame, i, all int, state *session.HostState) pane.Title {
	n := a.inView[i]
	t := pane.Title{Name: a.decks[n].host.Name, Focused: n == a.focus, Heads: true, At: a.desk.At}
	if shown := len(a.grid.Panes); i == shown-1 && shown < all {
		t.Subtitle = strconv.Itoa(a.grid.First+i+1) + " of " + strconv.Itoa(all)
		if shown > 1 {
			t.Subtitle = strconv.Itoa(a.grid.First+1) + "-" + t.Subtitle
		}
		t.Subtitle += ", 2 Fleet"
		t.Heads = f.Width() >= layout.MinPaneWidth+len(t.Subtitle)+2
	}
	if state.Phase == session.Live {
		if t.Subtitle != "" {
			t.Subtitle += "  "
		}
		t.Subtitle += strconv.FormatInt(state.Latency.Milliseconds(), 10) + " ms"
		return t
	}
	t.Heads = false
	t.Problem, t.ProblemStyle = problem(f, state)
	return t
}

// problem says in a title what is wrong with a host.
func problem(f pane.Frame, state *session.HostState) (string, themes.Style) {
	g := f.Glyphs()
	switch state.Phase {
	case session.Live, session.Connecting:
		return state.Phase.String(), themes.Muted.Style()
	case session.Refused:
		return string(g.Critical) + " access denied", themes.Critical.Style()
	}
	text := string(g.Stale) + " " + state.Phase.String()
	if !state.LastAnswer.IsZero() {
		text += " " + pane.Roughly(f.Now.Sub(state.LastAnswer))
	}
	return text, themes.Stale.Style()
}

// stackedRow is a row of a compact deck: a heading (line -1) or a line.
type stackedRow struct{ pane, line int }

// stacked are the rows of all panes, one below the other. They are good until the
// next call. Without room for headings what panes begin with stands first: the rows of
// each that are drawn as its graph.
func (d *Deck) stacked(h headings) []stackedRow {
	d.spare.stack = d.spare.stack[:0]
	if h == noHeadings && d.abreast.narrow {
		return d.stackedByWeight()
	}
	for p, b := range d.panes {
		if h == allHeadings || h == busiestHeadings && b.spec.Busiest > 0 {
			d.spare.stack = append(d.spare.stack, stackedRow{p, -1})
		}
		for l := range b.lines {
			d.spare.stack = append(d.spare.stack, stackedRow{p, l})
		}
	}
	return d.spare.stack
}

func (d *Deck) stackedByWeight() []stackedRow {
	for _, leads := range [...]bool{true, false} {
		for p, b := range d.panes {
			for l := range b.lines {
				if (l < b.graphs(0)) == leads {
					d.spare.stack = append(d.spare.stack, stackedRow{p, l})
				}
			}
		}
	}
	return d.spare.stack
}

// stackedAt is the row of the selected line, -1 if there is none.
func (d *Deck) stackedAt(rows []stackedRow) int {
	return slices.Index(rows, stackedRow{d.focus, max(0, d.selectedLine())})
}

// heading is what stands above the rows of a pane in a compact deck.
func (b *block) heading() string {
	if b.spec.Busiest > 0 {
		return b.set.Name + " by " + b.items[0].name()
	}
	if b.sole != "" && b.sole != totalInstance {
		return b.set.Name + "  " + b.sole
	}
	return b.set.Name
}
