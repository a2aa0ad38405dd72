// Package deck is the start screen: panes of counters, each a row with its value, its sparkline and its statistics.
package deck

import (
	"slices"
	"strings"
	"time"

	"perfdeck/session"
	"perfdeck/tui/keys"
	"perfdeck/tui/kit/kind"
	"perfdeck/tui/kit/list"
	"perfdeck/tui/kit/scale"
	"perfdeck/tui/kit/table"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// Deck is a deck: that of one host, its panes by counterset, or one that the user made, of any hosts.
type Deck struct {
	desk   *pane.Desk
	host   *pane.Host // of a host's own deck; nil: each pane has its own
	name   string
	panes  []*block
	units  pane.Units
	shared sharing // of rows that are compared
	zoomed bool

	compact bool // it is one of several hosts: instances are rows
	offered bool // by the config: it is not written unless the user does

	divided divided

	focus    int      // pane
	words    []string // of the filter, folded
	marks    map[rowID]bool
	selected rowID
	laid     laid
	parts    []layout.Pane // as they are now: scratch of place
	touched  time.Time     // by a key that moved the selection
	stale    bool          // tables show other columns than were asked for
	keys     []keys.Binding
	modeKeys []keys.Binding // of the layout mode
	loaded   bool
	late     func()    // fills it when it is looked at first; nil: nothing does
	removed  []removed // a short while ago

	histories [2][]float32     // memory for those that are drawn
	recent    session.Recalled // memory for the last minute of a row

	reach reach  // of the graphs that were drawn last
	looks int    // generation of the numbers by which panes got their kinds
	made  uint64 // how often lines were made
}

// divided is how the user divides the screen, and with what in hand.
type divided struct {
	tree      *layout.Tree // as the user divided the screen; nil: automatic
	arranging *arranging   // the layout mode; nil: it is off
	aim       *layout.Tree // with a place for the next added counter; nil: it goes to its counterset
	held      *held        // a border in the hand of the mouse; nil: none
	again     bool         // the button went down on the title of the focused pane
}

// block is one pane of the deck.
type block struct {
	host    *pane.Host // nil: none of its name is watched
	spec    session.DeckPane
	set     *session.Counterset
	items   []*item
	targets session.Targets[*item] // the items; nil: there are others
	made    *session.Snapshot      // of which the lines are
	at      time.Time              // the moment that they are of
	lines   []line
	sums    []summary
	number  uint64 // of the lines: other lines have another one
	sole    string // the instance that all lines share, "" when they differ
	common  string // what all instances begin with
	about   string // what the title says besides the counterset
	widest  int    // cells of the longest name of its items

	kinds   kinds
	cells   int                             // lines of all instances, from when there were some
	every   time.Duration                   // how far samples are apart
	most    int                             // instances of a pane beside other hosts; 0: as many as are kept
	span    int                             // samples that the pane shows of a history; 0: all
	brief   bool                            // lines are in the order of a pane that has room for few
	level   string                          // what the first row is called beside hosts that draw what is used; "" where none does
	fullest map[session.InstanceKey]float64 // shares of cells that have no room, as they were at the start
	tab     tabled
	scale   scale.Scale // of the graph
	scaled  rowID       // the line that it is of
	window  uint64      // the sample behind the newest one of the graph; 0: it goes on with time

	list    list.List // of the lines
	picture picture
}

// kinds is what a pane is drawn as, and why.
type kinds struct {
	as      kind.Pane // what the paths are drawn as
	derived kind.Kind // the kind that they have by themselves
	home    *home     // how the pane was before its kind was changed; nil: as it is
}

// tabled is a pane as a table.
type tabled struct {
	table   *table.Table // of a pane that is one
	tabular bool         // it is: the lines are its rows
	seen    int          // rows of it that have a place
	digits  int          // of the longest count of those that have none
	known   table.Asked  // of which rows the facts are
}

// item is one path of a pane.
type item struct {
	text    string
	sel     session.Target
	counter int // index in sel.Set.Counters
	missing bool
	also    bool                     // a row behind those of the pane's own paths
	again   bool                     // it shows what one of those does: what is left, where nothing tells what that is of
	drawn   kind.Drawn               // what the counter is drawn as
	places  session.Places[struct{}] // in the view that the lines are of
	look    string                   // the name of its look, see pane.LookPath
	names   pane.ShortNames
	pair    string      // its name as kind.PairName has it
	ask     session.Ask // what it asks for, without a set until then
}

// totalInstance goes without saying.
const totalInstance = "_Total"

// rowID is a row by identity.
type rowID struct {
	item *item
	key  session.InstanceKey
}

// New returns the deck of one host. Its panes are made when the host's catalogue is there.
func New(desk *pane.Desk, host *pane.Host) *Deck {
	return &Deck{desk: desk, host: host, name: host.Name, units: pane.NewUnits(desk.Numbers), shared: newSharing(desk), marks: map[rowID]bool{}}
}

// NewNamed returns a deck that the user made. What a host lacks, or does not tell yet, keeps its row.
func NewNamed(desk *pane.Desk, spec session.Deck) *Deck {
	d := &Deck{desk: desk, name: spec.Name, units: pane.NewUnits(desk.Numbers), shared: newSharing(desk), marks: map[rowID]bool{}}
	d.restore(spec)
	return d
}

// isLasting tells that what a host lacks keeps its row.
func (d *Deck) isLasting() bool { return d.compact || d.host == nil }

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
	if d.keys == nil { // of thousands of hosts few get keys
		d.keys, d.modeKeys = d.bindings(), d.arrangeBindings()
	}
	if d.divided.arranging != nil {
		return d.modeKeys
	}
	return d.keys
}

// Snapshot brings new values.
func (d *Deck) Snapshot(h *pane.Host) {
	if d.Shows(h) {
		d.sync()
	}
}

// Shows tells whether the deck, or a pane, is of the host.
func (d *Deck) Shows(h *pane.Host) bool {
	return h != nil && d.host == h || slices.ContainsFunc(d.panes, func(b *block) bool { return b.host == h })
}

// refresh makes the lines of all panes anew.
func (d *Deck) refresh() {
	d.made++ // though there may be no pane left
	for _, b := range d.panes {
		d.remake(b)
	}
	d.keepSelection()
}

// sync makes the lines anew of panes whose host has another snapshot than that
// they were made of: the rows of one mean nothing in another.
func (d *Deck) sync() {
	if d.looks != d.desk.Numbers.Generation() {
		d.settleKinds()
	}
	changed := false
	for _, b := range d.panes {
		if b.made != b.host.Then(d.desk.At) || b.hasInstances() && !b.at.Equal(d.desk.At) {
			d.remake(b)
			changed = true
		}
	}
	if changed {
		d.keepSelection()
	}
}

func (d *Deck) remake(b *block) {
	b.made, b.tab.tabular = b.host.Then(d.desk.At), d.isTable(b)
	if b.hasInstances() {
		d.arrangeRows(b)
	} else {
		b.refresh(b.made)
	}
	b.at = d.desk.At
	if n := len(b.lines); b.cells == 0 && b.isWild() && n > 0 && b.lines[0].row >= 0 {
		b.cells = n
	}
	if len(d.words) > 0 {
		b.lines = slices.DeleteFunc(b.lines, func(l line) bool { return !d.passes(&l) })
	}
	d.made++
	b.every = d.desk.EveryOf(b.made)
	b.number, b.sole, b.common = d.made, b.soleInstance(), b.commonName()
	b.about = d.aboutPane(b)
}

// aboutPane is what the title of a pane says besides its counterset: by what it is
// sorted, or what its sole instance is.
func (d *Deck) aboutPane(b *block) string {
	about, alone := "", b.uncounted()
	switch {
	case alone != "":
		about = "without " + alone
	case b.tab.tabular: // heads say it
	case b.hasInstances():
		about = "by " + b.items[0].name()
	case session.IsOfLimit(b.set.Name):
		about = b.made.Extent(b.set)
	case b.sole != totalInstance:
		about = b.sole
	}
	return strings.TrimSpace(d.hostAbout(b) + " " + about)
}

// uncounted is who alone has what a pane shows the sum of, which has nothing of it: lo, where
// a computer talks to itself; "" where there is no such thing.
func (b *block) uncounted() string {
	const seen = 120 // samples, about as many as a graph shows
	if len(b.lines) == 0 || !kind.IsSum(b.lines[0].inst) {
		return ""
	}
	l := &b.lines[0]
	view, ok := b.viewOf(l)
	if !ok {
		return ""
	}
	if s := view.Series(l.row, l.col); s.Cut(s.End(), seen).Highest() > 0 {
		return ""
	}
	return kind.Uncounted(view, l.col)
}

// hostAbout is the host that the title of a pane names. Of one host the header says it.
func (d *Deck) hostAbout(b *block) string {
	if d.host == nil && len(d.desk.Hosts) > 1 {
		return b.hostName()
	}
	return ""
}
