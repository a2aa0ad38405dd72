// Package deck is the start screen: panes of counters, each a row with its
// value, its sparkline and its statistics.
package deck

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/tui/keys"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// Deck is the screen.
type Deck struct {
	host   *pane.Host
	name   string
	panes  []*block
	units  pane.Units
	zoomed bool
	// compact is how the deck is drawn beside those of other hosts: what the
	// host lacks keeps its row, busiest panes show no more than they ask for.
	compact bool

	focus    int // pane
	selected rowID
	body     layout.Rect
	places   []layout.Placed
	first    int // pane shown first where one column has to scroll
	keys     []keys.Binding
	loaded   bool
}

// block is one pane of the deck.
type block struct {
	spec   session.DeckPane
	set    *session.Counterset
	items  []*item
	lines  []line
	order  []session.InstanceKey // of a busiest pane, as it was sorted last
	sorted time.Time
}

// item is one path of a pane.
type item struct {
	text    string
	sel     session.Selection
	counter int // index in sel.Set.Counters
	missing bool
}

// rowID is a row by identity.
type rowID struct {
	item *item
	key  session.InstanceKey
}

// New returns a deck of one host. Its panes are made when the host's catalogue
// is there; extra are paths that the user asked for.
func New(host *pane.Host) *Deck {
	d := &Deck{host: host, name: host.Name, units: pane.NewUnits(host.Numbers)}
	d.keys = d.bindings()
	return d
}

// Title is the name of the tab.
func (d *Deck) Title() string { return "Deck" }

// Scope is the host's name.
func (d *Deck) Scope() string { return d.name }

// Bindings are the deck's keys.
func (d *Deck) Bindings() []keys.Binding { return d.keys }

// Load fills the deck with panes, from the first row on and without a past.
// Paths that mean nothing on the host are left out; the errors are returned.
func (d *Deck) Load(spec []session.DeckPane, cat *session.Catalogue) []error {
	d.focus, d.selected = 0, rowID{}
	return d.load(spec, cat)
}

// Reload looks the paths of the deck up in another catalogue of the host. What
// the host has no more leaves the deck, or says so on a compact one.
func (d *Deck) Reload(cat *session.Catalogue) []error { return d.load(d.Spec(), cat) }

func (d *Deck) load(spec []session.DeckPane, cat *session.Catalogue) []error {
	var errs []error
	d.panes = nil
	for _, p := range spec {
		b := &block{spec: session.DeckPane{Host: p.Host, Busiest: p.Busiest}}
		for _, text := range p.Paths {
			items, err := d.resolve(cat, text)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			b.add(text, items)
		}
		if len(b.items) > 0 {
			d.panes = append(d.panes, b)
		}
	}
	d.loaded = true
	d.focus = min(d.focus, max(0, len(d.panes)-1))
	d.refresh()
	return errs
}

// Loaded tells whether Load was called.
func (d *Deck) Loaded() bool { return d.loaded }

// Spec is the deck as it could be written to a file.
func (d *Deck) Spec() []session.DeckPane {
	out := make([]session.DeckPane, 0, len(d.panes))
	for _, b := range d.panes {
		spec := b.spec
		spec.Paths = slices.Clone(b.spec.Paths)
		out = append(out, spec)
	}
	return out
}

// add appends the items of one path. A pane holds one counterset.
func (b *block) add(text string, items []*item) {
	b.spec.Paths = append(b.spec.Paths, text)
	if b.set == nil || b.items[0].missing {
		b.set = items[0].sel.Set
	}
	b.items = append(b.items, items...)
}

// resolve makes the items of a path: one for each counter that it means. On a
// compact deck a counter that the host lacks is an item too.
func (d *Deck) resolve(cat *session.Catalogue, text string) ([]*item, error) {
	selections, err := cat.Resolve(text, paths.Options{})
	if p, bad := paths.Parse(text); err != nil && d.compact && bad == nil {
		set := &session.Counterset{Name: p.Object, Counters: []session.Counter{{Name: p.Counter}}}
		return []*item{{text: text, sel: session.Selection{Path: p, Set: set}, missing: true}}, nil
	}
	if err != nil {
		return nil, err
	}
	var out []*item
	for _, s := range selections {
		for _, c := range s.Counters {
			out = append(out, &item{text: text, sel: s, counter: c})
		}
	}
	return out, nil
}

// Asks are the counters of all panes.
func (d *Deck) Asks(h *pane.Host) []session.Ask {
	var asks []session.Ask
	if h != d.host {
		return nil
	}
	for _, b := range d.panes {
		for _, it := range b.items {
			if it.missing {
				continue
			}
			ask := session.Ask{Set: it.sel.Set, Counters: []int{it.counter}}
			keep := session.Keep{Counters: ask.Counters}
			if b.spec.Busiest > 0 {
				keep.Busiest, keep.By = busiestKept, it.counter
			} else {
				keep.Match = it.sel.Matches
			}
			ask.Keep = []session.Keep{keep}
			asks = append(asks, ask)
		}
	}
	return asks
}

// busiestKept is of how many rows of a table history is kept.
const busiestKept = 30

// Snapshot brings new values.
func (d *Deck) Snapshot(h *pane.Host) {
	if h == d.host {
		d.refresh()
	}
}

// refresh makes the lines of all panes anew.
func (d *Deck) refresh() {
	for _, b := range d.panes {
		b.refresh(d.host.Snap)
		if d.compact && b.spec.Busiest > 0 {
			b.lines = b.lines[:min(len(b.lines), b.spec.Busiest)]
		}
	}
	d.keepSelection()
}

// keepSelection puts the selection on a row that is there.
func (d *Deck) keepSelection() {
	if len(d.panes) == 0 {
		return
	}
	d.focus = min(d.focus, len(d.panes)-1)
	b := d.panes[d.focus]
	if d.selectedLine() < 0 && len(b.lines) > 0 {
		// Its instance came, or went: another line of the same path is nearest.
		at := slices.IndexFunc(b.lines, func(l line) bool { return l.item == d.selected.item })
		d.selected = b.lines[max(0, at)].id()
	}
}

// selectedLine is the line of the focused pane that is selected, or -1.
func (d *Deck) selectedLine() int {
	if d.focus >= len(d.panes) {
		return -1
	}
	return slices.IndexFunc(d.panes[d.focus].lines, func(l line) bool { return l.id() == d.selected })
}

// target is the value that is selected.
func (d *Deck) target() (pane.Target, bool) {
	i := d.selectedLine()
	if i < 0 {
		return pane.Target{}, false
	}
	l := &d.panes[d.focus].lines[i]
	return pane.Target{Host: d.host, Set: l.item.sel.Set, Counter: l.item.counter, Key: l.key}, true
}

// Selected is the value that is selected.
func (d *Deck) Selected() []pane.Target {
	if t, ok := d.target(); ok && !d.missing() {
		return []pane.Target{t}
	}
	return []pane.Target{{Host: d.host, Counter: -1}}
}

// missing tells that the selected row is of a counter that the host lacks.
func (d *Deck) missing() bool {
	i := d.selectedLine()
	return i >= 0 && d.panes[d.focus].lines[i].item.missing
}

// Click selects a row; on the selected one it opens it.
func (d *Deck) Click(hit pane.Hit, button tea.MouseButton) tea.Cmd {
	if button != tea.MouseLeft || hit.A >= len(d.panes) {
		return nil
	}
	switch hit.Kind {
	case hitTitle:
		d.focusOn(hit.A)
	case hitRow:
		lines := d.panes[hit.A].lines
		if hit.B >= len(lines) {
			return nil
		}
		if hit.A == d.focus && lines[hit.B].id() == d.selected {
			return d.open()
		}
		d.focus, d.selected = hit.A, lines[hit.B].id()
	}
	return nil
}

const (
	hitTitle pane.HitKind = iota + 1
	hitRow
)

// Wheel moves the selection.
func (d *Deck) Wheel(_ pane.Hit, lines int) { d.move(lines) }
