// Package deck is the start screen: panes of counters, each a row with its
// value, its sparkline and its statistics.
package deck

import (
	"maps"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/tui/keys"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// Deck is a deck: that of one host, its panes by counterset, or one that the user
// made, of any hosts.
type Deck struct {
	desk   *pane.Desk
	host   *pane.Host // of a host's own deck; nil: each pane has its own
	name   string
	panes  []*block
	units  pane.Units
	zoomed bool
	graphs bool // every row with its graph

	// lasting: what a host lacks keeps its row. Compact is how the deck is drawn
	// beside those of other hosts: busiest panes show no more than they ask for.
	lasting, compact bool
	offered          bool // by the config: it is not written unless the user does

	tree      *layout.Tree // as the user divided the screen; nil: automatic
	arranging *arranging   // the layout mode; nil: it is off
	aim       *aim         // where the next added counter goes; nil: to its counterset
	held      *held        // a border in the hand of the mouse; nil: none

	focus    int // pane
	marks    map[rowID]bool
	selected rowID
	body     layout.Rect
	places   []layout.Placed
	first    int // pane shown first where one column has to scroll
	keys     []keys.Binding
	modeKeys []keys.Binding // of the layout mode
	loaded   bool
}

// block is one pane of the deck.
type block struct {
	host   *pane.Host // nil: none of its name is watched
	spec   session.DeckPane
	set    *session.Counterset
	items  []*item
	made   *session.Snapshot // of which the lines are
	lines  []line
	sole   string  // the instance that all lines share, "" when they differ
	order  []place // of a busiest pane, as it was sorted last
	sorted time.Time
}

// item is one path of a pane.
type item struct {
	text    string
	sel     session.Selection
	counter int // index in sel.Set.Counters
	missing bool
	look    string // the name of its look, see pane.LookPath
}

// rowID is a row by identity.
type rowID struct {
	item *item
	key  session.InstanceKey
}

// New returns the deck of one host. Its panes are made when the host's catalogue
// is there.
func New(desk *pane.Desk, host *pane.Host) *Deck {
	d := &Deck{desk: desk, host: host, name: host.Name, units: pane.NewUnits(desk.Numbers), marks: map[rowID]bool{}}
	d.keys, d.modeKeys = d.bindings(), d.arrangeBindings()
	return d
}

// NewNamed returns a deck that the user made. What a host lacks, or does not
// tell yet, keeps its row.
func NewNamed(desk *pane.Desk, spec session.Deck) *Deck {
	d := &Deck{desk: desk, name: spec.Name, units: pane.NewUnits(desk.Numbers), lasting: true, marks: map[rowID]bool{}}
	d.keys, d.modeKeys = d.bindings(), d.arrangeBindings()
	d.Load(spec.Panes)
	if tree, err := layout.ParseTree(spec.Layout, len(d.panes)); err == nil && spec.Layout != "" {
		d.tree = tree
	}
	return d
}

// hostOf is the host of a name: the deck's own, or the first, where it has
// none. It is nil if none of that name is watched.
func (d *Deck) hostOf(name string) *pane.Host {
	switch {
	case d.host != nil:
		return d.host
	case name == "" && len(d.desk.Hosts) > 0:
		return d.desk.Hosts[0]
	}
	return d.desk.Find(name)
}

// catalogue is what the host of a pane told, nil before that.
func (b *block) catalogue() *session.Catalogue {
	if b.host == nil {
		return nil
	}
	return b.host.Sampler.Catalogue()
}

// snap is the newest snapshot of the pane's host.
func (b *block) snap() *session.Snapshot {
	if b.host == nil {
		return nil
	}
	return b.host.Snap
}

// state is how things stand with the pane's host.
func (b *block) state() session.HostState {
	if b.host == nil {
		return session.HostState{Err: errNotWatched, Phase: session.Retrying}
	}
	return b.host.Sampler.State()
}

// Title is the name of the tab.
func (d *Deck) Title() string { return "Deck" }

// Scope is the host's name.
func (d *Deck) Scope() string { return d.name }

// Bindings are the deck's keys, or those of its layout mode.
func (d *Deck) Bindings() []keys.Binding {
	if d.arranging != nil {
		return d.modeKeys
	}
	return d.keys
}

// Load fills the deck with panes, from the first row on and without a past.
// Paths that mean nothing on the host are left out; the errors are returned.
func (d *Deck) Load(spec []session.DeckPane) []error {
	d.focus, d.selected, d.tree = 0, rowID{}, nil
	clear(d.marks)
	return d.load(spec)
}

// Reload looks the paths of the deck up in the newest catalogues. What a host
// has no more leaves the deck, or says so on a lasting one.
func (d *Deck) Reload() []error { return d.load(d.Spec()) }

func (d *Deck) load(spec []session.DeckPane) []error {
	var errs []error
	old := d.panes
	d.panes = nil
	for _, p := range spec {
		b := &block{host: d.hostOf(p.Host), spec: session.DeckPane{Host: p.Host, Busiest: max(0, min(p.Busiest, busiestKept))}}
		for _, text := range p.Paths {
			items, err := d.resolve(b.catalogue(), text, d.lasting)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			b.add(text, takeKnown(old, b, items))
		}
		if len(b.items) > 0 {
			d.panes = append(d.panes, b)
		}
	}
	d.loaded = true
	d.focus = min(d.focus, max(0, len(d.panes)-1))
	if d.tree != nil && len(d.panes) != len(spec) {
		d.tree = nil // a pane is missing
	}
	d.refresh()
	d.dropMarks()
	return errs
}

// dropMarks forgets the marks of items that left the deck.
func (d *Deck) dropMarks() {
	maps.DeleteFunc(d.marks, func(id rowID, _ bool) bool { return !d.has(id.item) })
}

// takeKnown puts the items that the deck had before, brought up to date, in the
// place of new ones: selection and marks are of them.
func takeKnown(old []*block, b *block, items []*item) []*item {
	for i, it := range items {
		for _, o := range old {
			if o.spec.Host != b.spec.Host || o.spec.Busiest != b.spec.Busiest {
				continue
			}
			at := slices.IndexFunc(o.items, func(had *item) bool { return had.text == it.text && had.name() == it.name() })
			if at >= 0 {
				known := o.items[at]
				o.items = slices.Delete(o.items, at, at+1)
				*known = *it
				items[i] = known
				break
			}
		}
	}
	return items
}

// has tells whether an item is on the deck.
func (d *Deck) has(it *item) bool {
	return slices.ContainsFunc(d.panes, func(b *block) bool { return slices.Contains(b.items, it) })
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

// name is that of the counter.
func (it *item) name() string { return it.sel.Set.Counters[it.counter].Name }

// resolve makes the items of a path: one for each counter that it means. With
// lasting a counter that the host lacks is an item too.
func (d *Deck) resolve(cat *session.Catalogue, text string, lasting bool) ([]*item, error) {
	var selections []session.Selection
	err := error(errNoCatalogue)
	if cat != nil {
		selections, err = cat.Resolve(text, paths.Options{})
	}
	if p, bad := paths.Parse(text); err != nil && lasting && bad == nil {
		set := &session.Counterset{Name: p.Object, Counters: []session.Counter{{Name: p.Counter}}}
		return []*item{{text: text, sel: session.Selection{Path: p, Set: set}, missing: true}}, nil
	}
	if err != nil {
		return nil, err
	}
	var out []*item
	for _, s := range selections {
		for _, c := range s.Counters {
			out = append(out, &item{text: text, sel: s, counter: c, look: pane.LookPath(s.Set, c)})
		}
	}
	return out, nil
}

// Asks are the counters of all panes.
func (d *Deck) Asks(h *pane.Host) []session.Ask {
	var asks []session.Ask
	for _, b := range d.panes {
		if b.host != h {
			continue
		}
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
			if paths.EqualFold(it.sel.Path.InstanceText(), cooker.AggregateInstance) {
				ask.Combine = []session.Combine{{Name: cooker.AggregateInstance}}
			}
			asks = append(asks, ask)
		}
	}
	return asks
}

// busiestKept is of how many rows of a table history is kept.
const busiestKept = 30

// Snapshot brings new values.
func (d *Deck) Snapshot(h *pane.Host) {
	if d.Shows(h) {
		d.sync()
	}
}

// Shows tells whether a pane is of the host.
func (d *Deck) Shows(h *pane.Host) bool {
	return slices.ContainsFunc(d.panes, func(b *block) bool { return b.host == h })
}

// refresh makes the lines of all panes anew.
func (d *Deck) refresh() {
	for _, b := range d.panes {
		d.remake(b)
	}
	d.keepSelection()
}

// sync makes the lines anew of panes whose host has another snapshot than that
// they were made of: the rows of one mean nothing in another.
func (d *Deck) sync() {
	changed := false
	for _, b := range d.panes {
		if b.made != b.snap() {
			d.remake(b)
			changed = true
		}
	}
	if changed {
		d.keepSelection()
	}
}

func (d *Deck) remake(b *block) {
	b.refresh(b.snap())
	if d.compact && b.spec.Busiest > 0 {
		b.lines = b.lines[:min(len(b.lines), b.spec.Busiest)]
	}
	b.sole = b.soleInstance()
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
	return d.targetOf(d.focus, i), true
}

// targetOf is the value of a line.
func (d *Deck) targetOf(p, i int) pane.Target {
	l := &d.panes[p].lines[i]
	return pane.Target{Host: d.panes[p].host, Set: l.item.sel.Set, Counter: l.item.counter, Key: l.key}
}

// Selected is the value that is selected.
func (d *Deck) Selected() []pane.Target {
	t, ok := d.target()
	if !ok || d.missing() {
		return []pane.Target{{Host: d.focusedHost(), Counter: -1}}
	}
	return d.appendMarked([]pane.Target{t}, d.selected)
}

// appendMarked appends the values that are marked, but for one row.
func (d *Deck) appendMarked(out []pane.Target, but rowID) []pane.Target {
	if len(d.marks) == 0 {
		return out
	}
	for p, b := range d.panes {
		for i := range b.lines {
			l := &b.lines[i]
			if id := l.id(); d.marks[id] && !l.item.missing && id != but {
				out = append(out, d.targetOf(p, i))
			}
		}
	}
	return out
}

// focusedHost is the host of the focused pane, nil if it is not watched.
func (d *Deck) focusedHost() *pane.Host {
	if d.focus < len(d.panes) {
		return d.panes[d.focus].host
	}
	return d.hostOf("")
}

// missing tells that the selected row is of a counter that the host lacks.
func (d *Deck) missing() bool {
	i := d.selectedLine()
	return i >= 0 && d.panes[d.focus].lines[i].item.missing
}

// Click selects a row; on the selected one it opens it.
func (d *Deck) Click(hit pane.Hit, button tea.MouseButton) tea.Cmd {
	d.held = nil // whatever became of the button before
	if hit.Kind == hitGap || hit.A >= len(d.panes) {
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
		if button == tea.MouseLeft && hit.A == d.focus && lines[hit.B].id() == d.selected {
			return d.open()
		}
		d.focus, d.selected = hit.A, lines[hit.B].id()
	}
	return nil
}

const (
	hitTitle pane.HitKind = iota + 1
	hitRow
	hitGap // between panes
)

// Wheel moves the selection.
func (d *Deck) Wheel(_ pane.Hit, lines int) { d.move(lines) }
