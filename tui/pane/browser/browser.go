// Package browser is the screen that shows what there is to be watched: hosts,
// their countersets, counters and instances. It searches all of them while the
// words are typed, says what a counter means, shows its present value, and puts
// what was chosen on the deck.
package browser

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"perfdeck/session"
	fit "perfdeck/tui/kit/columns"
	"perfdeck/tui/kit/lineedit"
	"perfdeck/tui/pane"
	"perfdeck/tui/search"
)

// Browser is the screen. It stands on four lists, each of what is marked in the
// one before it.
type Browser struct {
	pane.Face

	desk      *pane.Desk
	manifests []Manifest
	index     *search.Index
	finder    *search.Finder
	units     pane.Units
	numbers   *pane.Numbers // of the units

	sought searching
	level  session.DetailLevel // counters above it are not shown

	places []*place // hosts as they stand on the desk, then manifests
	all    *place   // all hosts together
	place  *place   // where the mark is
	setKey string   // folded name of the counterset where the mark is

	// What the columns list.
	hostRows  pane.List[*place, *place] // all hosts, if there are several, then places
	sets      pane.List[string, *setRow]
	counters  pane.List[string, *counterRow]
	instances pane.List[instance, instanceRow]
	heads     int              // of them, before those that stand for themselves
	owners    map[instance]int // how many hosts have one, with all hosts
	more      bool             // there are more instances than are listed
	many      bool             // there are more than are read
	common    string           // what their names begin with
	asked     []offer          // hosts of the counterset that are asked for instances and values

	focus   column
	lists   [columns]pane.Rows // the four; the wheel leaves their marks: other lists are of them
	visited map[string]*visit  // by setKey
	picks   []*picks
	names   map[naming]*named // see namesOf

	stale bool       // what is asked does not fit what is shown
	split rows       // of the last drawing
	wide  pane.Frame // the rows of the column that is being drawn, with the gap behind it
	seen  seen       // of the last drawing
}

// searching is the line of the search and what it found.
type searching struct {
	query  string        // that is searched for
	line   lineedit.Line // where it is typed
	typing bool
	took   time.Duration // of the last search
	found  int           // counters of all places
}

// Manifest is a list of countersets that no host needs to have: what a counter
// manifest describes. It has no values.
type Manifest struct {
	Name      string
	Catalogue *session.Catalogue
}

// column is one of the four lists.
type column int

const (
	hostColumn column = iota
	setColumn
	counterColumn
	instanceColumn
	columns
)

// visit is where the marks stood in a counterset when it was left.
type visit struct {
	counter  string // folded name
	instance instance
	named    instance // the last one that was no wildcard
	like     string   // a wildcard that was made of it
	moved    bool     // the user chose the instance
}

// New returns the browser of the desk's hosts.
func New(desk *pane.Desk) *Browser {
	b := &Browser{
		desk: desk, index: search.NewIndex(),
		level: session.DetailWizard, all: &place{name: "all hosts", isAll: true},
		visited: map[string]*visit{},
	}
	b.hostRows = newList(hostColumn, func(p *place) *place { return p }, b.drawPlace)
	b.sets = newList(setColumn, func(s *setRow) string { return s.key }, b.drawSet)
	b.counters = newList(counterColumn, func(c *counterRow) string { return c.key }, b.drawCounter)
	b.instances = newList(instanceColumn, func(r instanceRow) instance { return r.id() }, b.drawInstance)
	b.lists = [columns]pane.Rows{&b.hostRows, &b.sets, &b.counters, &b.instances}
	b.forgetUnits()
	b.finder = search.NewFinder(b.index)
	b.Face = pane.Face{Name: "Browse", About: "browse", Keys: b.bindings()}
	return b
}

// newList is the list of a column. What it draws of a row is told its line, too.
func newList[K comparable, R any](c column, key func(R) K, draw func(f pane.Frame, y int, r R)) pane.List[K, R] {
	l := pane.List[K, R]{KeyOf: key, Part: int(c), Columns: []pane.ListColumn[R]{{
		Min: 1, Want: fit.All, Rank: fit.Stays, Draw: func(f pane.Frame, y int, _ fit.Place, r R) { draw(f.Lines(y, 1), y, r) },
	}}}
	l.Loose = true
	return l
}

// forgetUnits lets the units of all values be chosen anew.
func (b *Browser) forgetUnits() { b.units, b.numbers = pane.NewUnits(b.desk.Numbers), b.desk.Numbers }

// SetManifests shows catalogues of manifests beside the hosts.
func (b *Browser) SetManifests(list []Manifest) {
	b.manifests = list
	b.sync()
}

// OpenManifest moves to the countersets of a manifest.
func (b *Browser) OpenManifest(m Manifest) {
	for _, p := range b.hostRows.Rows {
		if p.isManifest() && p.cat == m.Catalogue {
			b.place = p
			b.rebuild()
			b.focus = setColumn
		}
	}
}

// Opened brings the lists up to date when the screen comes to the front.
func (b *Browser) Opened() {
	b.sync()
	b.stale = true
}

// Show puts the marks on a value, or on a host.
func (b *Browser) Show(t pane.Target) {
	b.sync()
	b.sought.typing = false
	b.setQuery("")
	for _, p := range b.places {
		if p.host == t.Host && t.Host != nil {
			b.place = p
		}
	}
	b.focus = hostColumn
	if t.Set != nil {
		b.focus = setColumn
		b.setKey = fold(t.Set.Name)
		if t.Counter >= 0 && t.Counter < len(t.Set.Counters) {
			b.focus = counterColumn
			b.level = max(b.level, t.Of().Detail)
			v := b.visitOf(b.setKey)
			v.counter = fold(t.Of().Name)
			if t.Set.Instances.Multiple() {
				v.put(instance{key: t.Key})
			}
		}
	}
	b.search()
}

// Snapshot brings what instances there are now.
func (b *Browser) Snapshot(h *pane.Host) {
	if !slices.ContainsFunc(b.asked, func(o offer) bool { return o.place.host == h }) {
		return
	}
	before := b.preview()
	b.listInstances()
	b.stale = b.stale || before != b.preview()
}

// Shows tells whether a host is one of those that the lists show.
func (b *Browser) Shows(h *pane.Host) bool {
	return b.place != nil && (b.place.isAll || b.place.host == h)
}

// AskStale tells that other counters are in view than were asked for.
func (b *Browser) AskStale() bool { return b.stale }

// Click puts the mark on what was clicked; what is marked already is chosen.
func (b *Browser) Click(hit pane.Hit, button tea.MouseButton) {
	if button != tea.MouseLeft && button != tea.MouseRight {
		return
	}
	b.sought.typing = hit.Kind == hitSearch
	c := column(hit.A)
	switch hit.Kind {
	case hitTick:
		b.moveTo(c, hit.B)
		b.toggle()
	case pane.HitRow:
		focused, opens := b.focus == c, false
		b.choose(c, func() { opens = pane.Pressed(b.lists[c], hit.B, button) })
		if opens && focused {
			b.enter()
		}
	case hitColumn:
		b.focus = c
	}
}

// Wheel scrolls the column under the mouse. The mark stays where it is.
func (b *Browser) Wheel(hit pane.Hit, lines int) {
	c := b.focus
	if hit.Kind == pane.HitRow || hit.Kind == hitTick || hit.Kind == hitColumn {
		c = column(hit.A)
	}
	b.lists[c].Scroll(lines)
	b.stale = true
}

const (
	hitSearch pane.HitKind = iota + 1
	hitColumn              // A: column
	hitTick                // the box of a row: A, B as pane.HitRow
)
