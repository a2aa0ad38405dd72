package deck

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"perfdeck/session"
	"perfdeck/tui/keys"
	"perfdeck/tui/pane"
)

// Book is the Deck tab: the deck of each host, with several hosts the deck of
// all of them, and the decks that the user made. One is shown, which answers for it.
type Book struct {
	sheet // that is shown

	words []string // of the filter of all panes, folded
	desk  *pane.Desk
	own   map[*pane.Host]*Deck
	all   *Abreast // shown below all others, unless there is one host
	named []*Deck
	roles []session.Deck // of the config, for what hosts are
	above []opened       // what was opened, see put
	keys  []keys.Binding
	bound []keys.Binding // those of the sheet that is shown with these; nil: not asked for yet

	asked []string                // the paths that were asked for, of all hosts
	left  map[string]session.Deck // own decks of hosts that are no longer watched, by name
}

// opened is a sheet above others; away tells that Back leads to another tab.
type opened struct {
	sheet

	away bool
}

// NewBook returns the decks of the hosts.
func NewBook(desk *pane.Desk) *Book {
	b := &Book{desk: desk, own: map[*pane.Host]*Deck{}, all: NewAbreast(desk, nil), left: map[string]session.Deck{}}
	b.keys = b.bindings()
	if desk.Kept != nil {
		for _, spec := range desk.Kept.Decks {
			b.named = append(b.named, NewNamed(desk, spec))
		}
	}
	b.HostsChanged()
	return b
}

// sheet is what a page of the book is: a deck, or those of several hosts.
type sheet interface {
	pane.Screen
	pane.Selector
	pane.Watcher
	pane.Focuser
	pane.Gripped

	each() []*Deck // filled by now
	focused() *Deck
	filter(words []string)
	memory() func()
}

// What is opened stands above what is less particular, and takes the place of the rest.
const (
	rankHosts = iota
	rankHost
	rankNamed
)

func rank(s sheet) int {
	switch d, is := s.(*Deck); {
	case !is:
		return rankHosts
	case d.host != nil:
		return rankHost
	}
	return rankNamed
}

// base is what is shown while nothing is open.
func (b *Book) base() sheet {
	if len(b.desk.Hosts) == 1 {
		return b.own[b.desk.Hosts[0]]
	}
	return b.all
}

// put lets sheets be open: the last one is shown.
func (b *Book) put(above []opened) {
	b.above, b.sheet, b.bound = above, b.base(), nil
	if n := len(above); n > 0 {
		b.sheet = above[n-1].sheet
	}
	if d := b.deck(); d != nil {
		arrive(b.desk, d)
	}
}

// open shows a sheet.
func (b *Book) open(s sheet, away bool) {
	above := slices.DeleteFunc(b.above, func(o opened) bool { return rank(o.sheet) >= rank(s) })
	if s != b.base() {
		above = append(above, opened{s, away})
	}
	b.put(above)
}

// abreast is the deck of several hosts that is shown, nil if it is of one.
func (b *Book) abreast() *Abreast {
	a, _ := b.sheet.(*Abreast)
	return a
}

// deck is the deck that is shown, nil if it is that of several hosts.
func (b *Book) deck() *Deck {
	d, _ := b.sheet.(*Deck)
	return d
}

// page is the deck of the user's that is shown, nil if it is none.
func (b *Book) page() *Deck {
	if d := b.deck(); d != nil && d.host == nil {
		return d
	}
	return nil
}

// OpenHosts shows some of the hosts side by side.
func (b *Book) OpenHosts(hosts []*pane.Host) {
	some := NewAbreast(b.desk, hosts)
	for _, h := range hosts {
		d := b.all.of(h)
		if arrive(b.desk, d); d.loaded {
			some.Load(h, d.Spec)
		}
	}
	b.open(some, true)
}

// Own is the deck of a host of its own, filled by now.
func (b *Book) Own(h *pane.Host) *Deck {
	d := b.own[h]
	if d != nil {
		arrive(b.desk, d)
	}
	return d
}

// Open shows the own deck of a host; away tells that Back leads to another tab.
func (b *Book) Open(h *pane.Host, away bool) {
	if d := b.own[h]; d != nil {
		b.open(d, away)
	}
}

// Back ends the filter, then the cursor, then leaves what was opened last. It reports
// whether that is where it came from.
func (b *Book) Back() bool {
	if had := len(b.words) > 0; had || b.desk.EndCursor() {
		_ = b.setFilter("")
		return true
	}
	n := len(b.above) - 1
	if n < 0 {
		return false
	}
	away := b.above[n].away
	b.put(b.above[:n])
	return !away
}

// Turn shows the next host, after the last the deck of all.
func (b *Book) Turn(n int) {
	hosts := b.desk.Hosts
	at := slices.IndexFunc(hosts, func(h *pane.Host) bool {
		return slices.ContainsFunc(b.above, func(o opened) bool { return o.sheet == b.own[h] })
	})
	b.put(nil)
	if at = (at + n + len(hosts) + 1) % (len(hosts) + 1); at < len(hosts) {
		b.Open(hosts[at], false)
	}
}

// IsShared tells whether what is added to the deck comes to several hosts.
func (b *Book) IsShared() bool { return b.abreast() != nil }

// Memory keeps the decks as they are; what it returns brings them back.
func (b *Book) Memory() func() {
	undo := []func(){b.all.memory()}
	for _, d := range b.own {
		if d.loaded {
			undo = append(undo, d.memory())
		}
	}
	for _, o := range b.above {
		if rank(o.sheet) != rankHost {
			undo = append(undo, o.memory())
		}
	}
	return func() {
		for _, back := range undo {
			back()
		}
	}
}

// Bindings are the keys of the deck that is shown, and those of the decks.
func (b *Book) Bindings() []keys.Binding {
	own := b.sheet.Bindings()
	if b.focused().divided.arranging != nil {
		return own
	}
	if b.bound == nil {
		b.bound = slices.Concat(own, b.keys)
	}
	return b.bound
}

// Host is the host that is focused.
func (b *Book) Host() *pane.Host { return b.focused().focusedHost() }

// Asks are what the decks that are open want to know of a host, with that below them.
func (b *Book) Asks(h *pane.Host) []session.Ask {
	asks := b.base().Asks(h)
	for _, o := range b.above {
		asks = append(asks, o.Asks(h)...)
	}
	return asks
}

// Draw draws the deck that is shown.
func (b *Book) Draw(f pane.Frame) {
	b.filter(b.words)
	b.sheet.Draw(f)
}

// Click goes to the deck that is shown.
func (b *Book) Click(hit pane.Hit, button tea.MouseButton) {
	if hit.Kind == hitSpan {
		b.shiftSpan(1, true)
		return
	}
	b.sheet.Click(hit, button)
}

// Drag goes to the deck that is shown.
func (b *Book) Drag(from pane.Hit, x, y int, released bool) {
	if d := b.deck(); d != nil {
		d.Drag(from, x, y, released)
	}
}

// Add puts a path on the deck that is shown. On that of several hosts it comes to every
// one, unless the path names one; without a host it does so on any.
func (b *Book) Add(h *pane.Host, path string) error {
	named, path, err := b.desk.HostOfPath(path)
	if err != nil {
		return err
	}
	if named != nil {
		h = named
	}
	if h == nil && b.page() == nil {
		b.put(nil)
	}
	d := b.deck()
	switch {
	case d == nil:
		return b.abreast().Add(named, path)
	case d.host != nil && named != nil && d.host != named:
		return errOtherHost
	case d.host != nil && b.own[h] != nil: // which need not be the one that is shown
		d = b.Own(h)
	}
	return d.Add(h, path)
}

// pathsFor are the paths that mean a host, without their computers: those that have none,
// and those that name it; of nil those of all that are watched.
func pathsFor(desk *pane.Desk, h *pane.Host, list []string) (out []string) {
	for _, text := range list {
		named, path, err := desk.HostOfPath(text)
		if err == nil && (h == nil || named == nil || named == h) && !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	return out
}

var _ pane.Dragger = (*Book)(nil)
