package deck

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"perfdeck/session"
	"perfdeck/themes"
	"perfdeck/tui/keys"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// Abreast is the deck of several hosts: a pane for each, with the same counters
// in the same order, so that eyes compare across. What a host lacks keeps its
// row.
type Abreast struct {
	desk  *pane.Desk
	decks []*Deck
	focus int
	grid  layout.Grid
	tops  []int // first line shown of each pane
	keys  []keys.Binding
}

// NewAbreast returns the deck of several hosts.
func NewAbreast(desk *pane.Desk, hosts []*pane.Host) *Abreast {
	a := &Abreast{desk: desk}
	a.setHosts(hosts)
	a.keys = a.bindings()
	return a
}

// setHosts makes a pane for each host; those that stay keep theirs. A new host
// shows what the others do.
func (a *Abreast) setHosts(hosts []*pane.Host) {
	focused := a.focus < len(a.decks)
	var host *pane.Host
	if focused {
		host = a.decks[a.focus].host
	}
	old := a.decks
	a.decks, a.tops, a.focus = nil, make([]int, len(hosts)), 0
	for i, h := range hosts {
		at := slices.IndexFunc(old, func(d *Deck) bool { return d.host == h })
		if at >= 0 {
			a.decks = append(a.decks, old[at])
		} else {
			d := New(a.desk, h)
			d.compact, d.lasting = true, true
			a.decks = append(a.decks, d)
		}
		if h == host {
			a.focus = i
		}
	}
}

// Title is the name of the tab.
func (a *Abreast) Title() string { return "Deck" }

// Scope tells how many hosts there are.
func (a *Abreast) Scope() string { return strconv.Itoa(len(a.decks)) + " hosts" }

// Bindings are the screen's keys.
func (a *Abreast) Bindings() []keys.Binding { return a.keys }

// Load fills the pane of a host. Paths that the host lacks keep their rows.
func (a *Abreast) Load(h *pane.Host, spec []session.DeckPane) []error {
	d := a.of(h)
	if d.loaded {
		return d.Reload()
	}
	for _, other := range a.decks {
		if other.loaded {
			spec = other.Spec()
			break
		}
	}
	return d.Load(spec)
}

// of is the pane of a host, nil if it has none.
func (a *Abreast) of(h *pane.Host) *Deck {
	i := slices.IndexFunc(a.decks, func(d *Deck) bool { return d.host == h })
	if i < 0 {
		return nil
	}
	return a.decks[i]
}

// Asks are what the pane of a host shows.
func (a *Abreast) Asks(h *pane.Host) []session.Ask {
	if d := a.of(h); d != nil {
		return d.Asks(h)
	}
	return nil
}

// Snapshot has nothing to do: panes take new values when they are drawn, and few
// of many are.
func (a *Abreast) Snapshot(*pane.Host) {}

// Shows tells whether the pane of a host is in view.
func (a *Abreast) Shows(h *pane.Host) bool {
	i := slices.IndexFunc(a.decks, func(d *Deck) bool { return d.host == h })
	n := len(a.grid.Panes)
	return i >= 0 && (n == 0 || i >= a.grid.First && i < a.grid.First+n)
}

// hosts are those that have a pane.
func (a *Abreast) hosts() []*pane.Host {
	out := make([]*pane.Host, len(a.decks))
	for i, d := range a.decks {
		out[i] = d.host
	}
	return out
}

// Selected is the value that is selected, and those that are marked.
func (a *Abreast) Selected() []pane.Target {
	out := a.decks[a.focus].Selected()
	for i, d := range a.decks {
		if i != a.focus {
			out = d.appendMarked(out, rowID{})
		}
	}
	return out
}

// Host is the host whose pane is focused.
func (a *Abreast) Host() *pane.Host { return a.decks[a.focus].host }

// Draw draws as many panes as fit, the focused one among them.
func (a *Abreast) Draw(f pane.Frame) {
	body := layout.Rect{W: f.Width(), H: f.Height()}
	a.grid = layout.NewGrid(body, len(a.decks), a.focus)
	for i, r := range a.grid.Panes {
		n := a.grid.First + i
		fr := f.At(r)
		fr.Zone(0, 0, r.W, r.H, pane.Hit{Kind: hitTitle, A: n})
		a.drawHost(fr, n, i == len(a.grid.Panes)-1)
	}
}

func (a *Abreast) drawHost(f pane.Frame, n int, last bool) {
	d := a.decks[n]
	l := layout.NewRow(f.Width())
	t := a.title(f, n, last)
	pane.DrawTitle(f, l, t)
	body := f.At(layout.Rect{Y: 1, W: f.Width(), H: f.Height() - 1})
	if !d.loaded {
		drawWaiting(body, 1, d.host.Sampler.State())
		return
	}
	if text := silence(d.host.Sampler.State(), f.Now); text != "" && body.Height() > 2 {
		body.Left(layout.SignW, 0, f.Width()-layout.SignW, text, themes.Stale.Style())
		body = body.At(layout.Rect{Y: 1, W: body.Width(), H: body.Height() - 1})
	}
	d.sync()
	rows := d.stacked()
	spare := body.Height() - len(rows)
	if spare >= minGraphRows && len(d.panes) > 0 {
		h := min(spare, maxGraphRows)
		d.drawGraph(body.At(layout.Rect{W: body.Width(), H: h}), d.panes[0])
		body = body.At(layout.Rect{Y: h, W: body.Width(), H: body.Height() - h})
	}
	height := body.Height()
	if len(rows) > height && height > 1 {
		height-- // for what is not shown
	}
	a.tops[n] = scroll(a.tops[n], d.stackedAt(rows), height, len(rows))
	end := min(len(rows), a.tops[n]+height)
	if end < len(rows) && end > a.tops[n]+1 && rows[end-1].line < 0 {
		end-- // a heading without its rows
	}
	if hidden := countLines(rows) - countLines(rows[a.tops[n]:end]); hidden > 0 && height < body.Height() {
		body.Left(layout.SignW, height, f.Width()-layout.SignW, moreRows(hidden), themes.Muted.Style())
	}
	for y, row := range rows[a.tops[n]:end] {
		if row.line < 0 {
			body.Left(layout.SignW, y, f.Width()-layout.SignW, session.Printable(d.panes[row.pane].heading()), themes.Muted.Style())
			continue
		}
		d.drawLine(body, y, l, row.pane, row.line, n == a.focus)
		body.Zone(0, y, f.Width(), 1, pane.Hit{Kind: hitRow, A: n, B: y + a.tops[n]})
	}
}

// silence says of a host that answered before since when it does not, why, and
// when it is tried again; empty of one that answers.
func silence(state session.HostState, now time.Time) string {
	if state.Phase != session.Stale && state.Phase != session.Retrying || state.LastAnswer.IsZero() {
		return ""
	}
	text := "No answer since " + state.LastAnswer.Format("15:04:05")
	if state.Err != nil {
		text += " (" + session.Printable(state.Err.Error()) + ")"
	}
	text += "."
	if wait := state.NextTry.Sub(now); wait > 0 {
		text += " Next try in " + pane.Age(wait) + "."
	}
	return text
}

// The graph of a host's first counter takes 3 to 5 spare rows.
const minGraphRows, maxGraphRows = 3, 5

// scroll moves the first line so that the selected one is in view.
func scroll(top, selected, height, total int) int {
	if selected >= 0 {
		top = max(min(top, selected), selected-height+1)
	}
	return max(0, min(top, total-height))
}

// title is the head of a host's pane: its name, its latency, what is wrong.
func (a *Abreast) title(f pane.Frame, n int, last bool) pane.Title {
	d := a.decks[n]
	state := d.host.Sampler.State()
	t := pane.Title{Name: d.host.Name, Focused: n == a.focus, Heads: true}
	if state.Phase == session.Live {
		t.Subtitle = fmt.Sprintf("%d ms", state.Latency.Milliseconds())
	} else {
		t.Heads = false
		t.Problem, t.ProblemStyle = problem(f, state)
	}
	if last && len(a.grid.Panes) < len(a.decks) {
		first := a.grid.First + 1
		t.Subtitle += fmt.Sprintf("  %d-%d of %d", first, first+len(a.grid.Panes)-1, len(a.decks))
	}
	return t
}

// problem says in a title what is wrong with a host.
func problem(f pane.Frame, state session.HostState) (string, themes.Style) {
	g := f.Glyphs()
	switch state.Phase {
	case session.Live, session.Connecting:
		return state.Phase.String(), themes.Muted.Style()
	case session.Refused:
		return string(g.Critical) + " access denied", themes.Critical.Style()
	}
	text := string(g.Stale) + " " + state.Phase.String()
	if !state.LastAnswer.IsZero() {
		text += " " + pane.Age(f.Now.Sub(state.LastAnswer))
	}
	return text, themes.Stale.Style()
}

// stackedRow is a row of a compact deck: a heading (line -1) or a line.
type stackedRow struct{ pane, line int }

// stacked are the rows of all panes, one below the other under their headings.
func (d *Deck) stacked() []stackedRow {
	var out []stackedRow
	for p, b := range d.panes {
		out = append(out, stackedRow{p, -1})
		for l := range b.lines {
			out = append(out, stackedRow{p, l})
		}
	}
	return out
}

// countLines counts the rows that are no headings.
func countLines(rows []stackedRow) int {
	n := 0
	for _, r := range rows {
		if r.line >= 0 {
			n++
		}
	}
	return n
}

// stackedAt is the row of the selected line, -1 if there is none.
func (d *Deck) stackedAt(rows []stackedRow) int {
	return slices.Index(rows, stackedRow{d.focus, max(0, d.selectedLine())})
}

// heading is what stands above the rows of a pane in a compact deck.
func (b *block) heading() string {
	if b.spec.Busiest > 0 {
		return b.set.Name + " by " + b.set.Counters[b.items[0].counter].Name
	}
	if b.sole != "" && b.sole != "_Total" {
		return b.set.Name + "  " + b.sole
	}
	return b.set.Name
}

// Click selects a pane or a row; on the selected row it opens it.
func (a *Abreast) Click(hit pane.Hit, button tea.MouseButton) tea.Cmd {
	if hit.A >= len(a.decks) {
		return nil
	}
	was := a.focus
	a.focus = hit.A
	if hit.Kind != hitRow {
		return nil
	}
	d := a.decks[hit.A]
	rows := d.stacked()
	if hit.B >= len(rows) || rows[hit.B].line < 0 {
		return nil
	}
	row := rows[hit.B]
	if button == tea.MouseLeft && was == hit.A && d.focus == row.pane && d.selectedLine() == row.line {
		return d.open()
	}
	d.focus = row.pane
	d.selectLine(row.line)
	return nil
}

// Wheel moves the selection of the pane under the mouse.
func (a *Abreast) Wheel(hit pane.Hit, lines int) {
	if hit.Kind != 0 && hit.A < len(a.decks) {
		a.focus = hit.A
	}
	a.decks[a.focus].move(lines)
}

// Add puts a path on the deck of every host that is known by now. One of them
// at least has to have it.
func (a *Abreast) Add(text string) error {
	err := error(errNoCatalogue)
	for _, d := range a.decks {
		if !d.loaded {
			continue
		}
		if _, err = d.resolve(d.host.Sampler.Catalogue(), text, false); err == nil {
			break
		}
	}
	if err != nil {
		return err
	}
	for _, d := range a.decks {
		if d.loaded {
			err = errors.Join(err, d.put(d.host, text, true))
		}
	}
	return err
}

var (
	_ pane.Screen   = (*Abreast)(nil)
	_ pane.Selector = (*Abreast)(nil)
)
