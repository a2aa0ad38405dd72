package deck

import (
	"errors"
	"slices"
	"strconv"

	"perfdeck/session"
	"perfdeck/tui/pane"
)

// Abreast is the deck of several hosts: a pane for each, with the same counters in the same order,
// so that eyes compare across. What a host lacks keeps its row.
type Abreast struct {
	pane.Face

	desk  *pane.Desk
	decks []*Deck
	index map[*pane.Host]int // of decks
	focus int
	// inView are the hosts that were drawn last: first those that have a band.
	inView []int
	// shared is the units: the same row has one on all hosts.
	shared sharing

	matrix matrix
	reach  reach              // of the graphs that were drawn last
	last   []session.DeckPane // what hosts showed that left since
}

// mostReady is how many hosts have their decks filled before anybody looks at them.
const mostReady = 100

// NewAbreast returns the deck of several hosts.
func NewAbreast(desk *pane.Desk, hosts []*pane.Host) *Abreast {
	a := &Abreast{Face: pane.Face{Name: "Deck"}, desk: desk, shared: newSharing(desk)}
	a.setHosts(hosts)
	a.Keys = a.bindings()
	return a
}

// setHosts makes a pane for each host; those that stay keep theirs. A new host shows what the others do.
func (a *Abreast) setHosts(hosts []*pane.Host) {
	a.last = a.spec()
	decks, index, focus := make([]*Deck, len(hosts)), make(map[*pane.Host]int, len(hosts)), 0
	for i, h := range hosts {
		d := a.of(h)
		switch {
		case d == nil:
			d = New(a.desk, h)
			d.compact = true
		case d == a.focused():
			focus = i
		}
		decks[i], index[h] = d, i
	}
	a.decks, a.index, a.focus = decks, index, focus
	if a.isReady() {
		a.each()
	}
}

// isReady tells that panes are filled before anybody looks at them: of thousands of hosts a
// screen shows a few, and of one its own deck.
func (a *Abreast) isReady() bool { return len(a.decks) > 1 && len(a.decks) <= mostReady }

// Scope tells how many hosts there are.
func (a *Abreast) Scope() string { return strconv.Itoa(len(a.decks)) + " hosts" }

// Load fills the pane of a host, with what the given function tells while no other one shows
// anything. Paths that the host lacks keep their rows.
func (a *Abreast) Load(h *pane.Host, spec func() []session.DeckPane) {
	d := a.of(h)
	if d.loaded {
		d.Reload()
		return
	}
	d.late = func() {
		others := a.spec()
		if others == nil {
			others = spec()
		}
		d.Load(others)
	}
	if a.isReady() {
		d.fill()
	}
}

// each are the panes of all hosts, filled by now.
func (a *Abreast) each() []*Deck {
	arrive(a.desk, a.decks...)
	return a.decks
}

// focused is the deck of the host that is focused.
func (a *Abreast) focused() *Deck { return a.decks[a.focus] }

// filter shows of all hosts what has all of some words.
func (a *Abreast) filter(words []string) {
	for _, d := range a.decks {
		d.filter(words)
	}
}

// Focus selects the row of a value. It reports whether there is one.
func (a *Abreast) Focus(t pane.Target) bool {
	i, is := a.index[t.Host]
	if !is {
		return false
	}
	arrive(a.desk, a.decks[i])
	if is = a.decks[i].Focus(t); is {
		a.focus = i
	}
	return is
}

// spec is what the hosts show, or did, nil before any of them is known.
func (a *Abreast) spec() []session.DeckPane {
	for _, d := range a.decks {
		if d.loaded {
			return d.Spec()
		}
	}
	return a.last
}

// memory keeps what the hosts show as it is; what it returns brings it back, to hosts that
// came since too. Those that are gone stay away, and one that told nothing yet is not filled.
func (a *Abreast) memory() func() {
	spec := a.spec()
	before := map[*Deck]func(){}
	for _, d := range a.decks {
		if d.loaded {
			before[d] = d.memory()
		}
	}
	return func() {
		for _, d := range a.decks {
			if back := before[d]; back != nil {
				back()
			} else if d.loaded {
				d.Load(spec)
			}
		}
	}
}

// of is the pane of a host, nil if it has none.
func (a *Abreast) of(h *pane.Host) *Deck {
	if i, is := a.index[h]; is {
		return a.decks[i]
	}
	return nil
}

// Asks are what the pane of a host shows.
func (a *Abreast) Asks(h *pane.Host) []session.Ask {
	if d := a.of(h); d != nil {
		return d.Asks(h)
	}
	return nil
}

// Snapshot has nothing to do: panes take new values when they are drawn, and few of many are.
func (a *Abreast) Snapshot(*pane.Host) {}

// Shows tells whether the pane of a host is in view.
func (a *Abreast) Shows(h *pane.Host) bool {
	i, is := a.index[h]
	return is && (len(a.inView) == 0 || slices.Contains(a.inView, i))
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

// Wheel moves the selection of the pane under the mouse.
func (a *Abreast) Wheel(hit pane.Hit, lines int) {
	if hit.Kind == 0 {
		return // it would leave the host
	}
	if i, _ := a.cellOf(hit.A); i < len(a.decks) {
		a.focus = i
	}
	a.move(lines)
}

// Add puts a path on the deck of a host; of nil on that of every one that is known by now.
// One of them at least has to have it.
func (a *Abreast) Add(h *pane.Host, text string) error {
	if h != nil {
		if d := a.of(h); d != nil {
			return d.Add(h, text)
		}
		return errOtherHost
	}
	err := errNoCatalogue
	for _, d := range a.decks {
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
