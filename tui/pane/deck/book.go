package deck

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"perfdeck/session"
	"perfdeck/tui/keys"
	"perfdeck/tui/pane"
)

// Book is the Deck tab: the deck of each host, with several hosts the deck of
// all of them, and the decks that the user made. One is shown.
type Book struct {
	words []string // of the filter of all panes, folded
	desk  *pane.Desk
	own   map[*pane.Host]*Deck
	all   *Abreast // nil with one host
	named []*Deck
	page  *Deck      // the user's own that is shown; nil: none
	some  *Abreast   // chosen hosts side by side; nil: not shown
	host  *pane.Host // whose own deck is shown; nil: all
	away  bool       // the own deck was opened from another tab
	keys  []keys.Binding
	bound bound

	asked  []string                // the paths that were asked for, of all hosts
	late   map[*pane.Host][]string // paths of own decks that are filled when they are opened: of thousands
	left   map[string]session.Deck // own decks of hosts that are no longer watched, by name
	shared []session.DeckPane      // of the deck of all hosts, from when there were several
}

// NewBook returns the decks of the hosts.
func NewBook(desk *pane.Desk) *Book {
	b := &Book{desk: desk, own: map[*pane.Host]*Deck{}, late: map[*pane.Host][]string{}, left: map[string]session.Deck{}}
	b.keys = b.bindings()
	if desk.Kept != nil {
		for _, spec := range desk.Kept.Decks {
			b.named = append(b.named, NewNamed(desk, spec))
		}
	}
	b.HostsChanged()
	return b
}

// sheet is what a page of the book is.
type sheet interface {
	pane.Screen
	pane.Selector
}

// shown is the deck that is shown.
func (b *Book) shown() sheet {
	switch {
	case b.page != nil:
		return b.page
	case b.abreast() != nil:
		return b.abreast()
	}
	return b.mine(b.host)
}

// abreast is the deck of several hosts that is shown, nil if it is of one.
func (b *Book) abreast() *Abreast {
	switch {
	case b.page != nil || b.host != nil:
		return nil
	case b.some != nil:
		return b.some
	}
	return b.all
}

// OpenHosts shows some of the hosts side by side.
func (b *Book) OpenHosts(hosts []*pane.Host) {
	b.page, b.host, b.away = nil, nil, true
	b.some = NewAbreast(b.desk, hosts)
	for _, h := range hosts {
		if d := b.all.of(h); d != nil && d.loaded {
			b.some.Load(h, d.Spec)
		}
	}
}

// Own is the deck of a host of its own.
func (b *Book) Own(h *pane.Host) *Deck { return b.mine(h) }

// Open shows the own deck of a host; away tells that Back leads to another tab.
func (b *Book) Open(h *pane.Host, away bool) {
	if b.own[h] != nil {
		b.page, b.host, b.away = nil, h, away
	}
}

// Back ends the filter, then the cursor, then leaves the own deck of a host for that of
// all. It reports whether that is where it came from.
func (b *Book) Back() bool {
	if b.clearFilter() || b.desk.EndCursor() {
		return true
	}
	if b.page != nil {
		b.page = nil
		return true
	}
	if b.some != nil && b.host == nil {
		b.some = nil
		return false
	}
	if b.all == nil || b.host == nil {
		return false
	}
	b.host = nil
	return !b.away
}

// Turn shows the next host, after the last the deck of all.
func (b *Book) Turn(n int) {
	hosts := b.desk.Hosts
	b.page, b.some = nil, nil
	if b.all == nil {
		return
	}
	at := len(hosts)
	if b.host != nil {
		at = slices.Index(hosts, b.host)
	}
	at = (at + n + len(hosts) + 1) % (len(hosts) + 1)
	b.host, b.away = nil, false
	if at < len(hosts) {
		b.host = hosts[at]
	}
}

// Focus selects the row of a value on the deck that is shown. It reports whether
// there is one.
func (b *Book) Focus(t pane.Target) bool {
	if a := b.abreast(); a != nil {
		for i, d := range a.decks {
			if d.host != t.Host {
				continue
			}
			if a.arrive(a.decks[i : i+1]); d.focusValue(t) {
				a.focus = i
				return true
			}
		}
		return false
	}
	d := b.deck()
	return d != nil && d.focusValue(t)
}

// focusValue selects the row of a value.
func (d *Deck) focusValue(t pane.Target) bool {
	for p, b := range d.panes {
		for i := range b.lines {
			l := &b.lines[i]
			if b.host == t.Host && l.item.sel.Set == t.Set && l.item.counter == t.Counter && l.key == t.Key {
				d.focus, d.selected = p, l.id()
				return true
			}
		}
	}
	return false
}

// IsShared tells whether what is added to the deck comes to several hosts.
func (b *Book) IsShared() bool { return b.abreast() != nil }

// Memory keeps the decks as they are; what it returns brings them back.
func (b *Book) Memory() func() {
	var undo []func()
	keep := func(d *Deck) {
		if d.loaded {
			undo = append(undo, d.memory())
		}
	}
	if b.page != nil {
		keep(b.page)
	}
	for _, d := range b.own {
		keep(d)
	}
	for _, a := range []*Abreast{b.all, b.some} {
		if a != nil {
			undo = append(undo, a.memory())
		}
	}
	return func() {
		for _, back := range undo {
			back()
		}
	}
}

// Title is the name of the tab.
func (b *Book) Title() string { return "Deck" }

// Scope tells whose deck is shown.
func (b *Book) Scope() string { return b.shown().Scope() }

// Bindings are the keys of the deck that is shown, and those of the decks.
func (b *Book) Bindings() []keys.Binding {
	own := b.shown().Bindings()
	if b.deck() != nil && b.deck().divided.arranging != nil {
		return own
	}
	if shown := b.shown(); b.bound.of != shown {
		b.bound.of, b.bound.list = shown, slices.Concat(own, b.keys)
	}
	return b.bound.list
}

// bound is the bindings of a deck with those of the book.
type bound struct {
	of   pane.Screen
	list []keys.Binding
}

// deck is the deck that is shown, nil if it is that of all hosts.
func (b *Book) deck() *Deck {
	switch {
	case b.page != nil:
		return b.page
	case b.host != nil:
		return b.mine(b.host)
	}
	return nil
}

// Host is the host that is focused.
func (b *Book) Host() *pane.Host {
	if b.page != nil {
		return b.page.focusedHost()
	}
	if a := b.abreast(); a != nil {
		return a.Host()
	}
	return b.host
}

// Selected is the value that is selected.
func (b *Book) Selected() []pane.Target { return b.shown().Selected() }

// Shows tells whether something of a host is on the screen.
func (b *Book) Shows(h *pane.Host) bool {
	if b.page != nil {
		return b.page.Shows(h)
	}
	if a := b.abreast(); a != nil {
		return a.Shows(h)
	}
	return b.host == h
}

// Snapshot tells the deck that is shown of a host's new snapshot.
func (b *Book) Snapshot(h *pane.Host) {
	if d := b.deck(); d != nil {
		d.Snapshot(h)
	}
}

// Asks are what the deck of all hosts, and the own one that is shown, want to
// know of a host.
func (b *Book) Asks(h *pane.Host) []session.Ask {
	var asks []session.Ask
	if b.all != nil {
		asks = b.all.Asks(h)
	}
	if b.some != nil {
		asks = append(asks, b.some.Asks(h)...)
	}
	if b.host == h && b.own[h] != nil {
		asks = append(asks, b.own[h].Asks(h)...)
	}
	if b.page != nil {
		asks = append(asks, b.page.Asks(h)...)
	}
	return asks
}

// Draw draws the deck that is shown.
func (b *Book) Draw(f pane.Frame) {
	b.filterShown()
	b.shown().Draw(f)
}

// Click goes to the deck that is shown.
func (b *Book) Click(hit pane.Hit, button tea.MouseButton) {
	if hit.Kind == hitSpan {
		b.shiftSpan(1, true)
		return
	}
	b.shown().Click(hit, button)
}

// Grip goes to the deck that is shown.
func (b *Book) Grip(hit pane.Hit, x, y int) {
	if a := b.abreast(); a != nil {
		a.Grip(hit, x)
		return
	}
	if d := b.deck(); d != nil {
		d.Grip(hit, x, y)
	}
}

// Drag goes to the deck that is shown.
func (b *Book) Drag(from pane.Hit, x, y int, released bool) {
	if d := b.deck(); d != nil {
		d.Drag(from, x, y, released)
	}
}

// Wheel goes to the deck that is shown.
func (b *Book) Wheel(hit pane.Hit, lines int) { b.shown().Wheel(hit, lines) }

var (
	_ pane.Screen   = (*Book)(nil)
	_ pane.Selector = (*Book)(nil)
	_ pane.Dragger  = (*Book)(nil)
)
