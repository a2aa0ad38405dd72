package deck

import (
	"time"

	"perfdeck/tui/kit/kind"
	"perfdeck/tui/pane"
)

// sharing is the units of rows that are compared, on one deck or on those of
// several hosts.
type sharing struct {
	pane.Shared

	seen uint64 // what the rows were when the units were settled
}

func newSharing(desk *pane.Desk) sharing { return sharing{Shared: pane.NewShared(desk.Numbers)} }

// settle chooses the units of the rows of some decks that are compared: all of
// several, of one the pairs. Nothing is done until one of them has other rows.
func (s *sharing) settle(decks []*Deck) {
	seen := uint64(14695981039346656037) // FNV-1a
	for _, d := range decks {
		for _, b := range d.panes {
			for _, n := range [...]uint64{b.number, d.desk.End(b.made), uint64(d.units.Generation())} {
				seen = (seen ^ n) * 1099511628211
			}
		}
	}
	if seen == s.seen {
		return
	}
	s.seen = seen
	var now time.Time
	for _, d := range decks {
		for _, b := range d.panes {
			if b.made != nil && b.made.Time.After(now) {
				now = b.made.Time
			}
			when := moment{end: d.desk.End(b.made), isPast: d.desk.Past()}
			for i := range b.lines {
				if l := &b.lines[i]; l.row >= 0 && l.col >= 0 && (len(decks) > 1 || l.item.isPaired()) {
					r := d.recentOf(b, l, &when)
					s.Offer(b.sharedKey(l), l.item.sel.Set, l.item.counter, r.Window.Largest(r.Value))
				}
			}
		}
	}
	s.Settle(now)
}

// isPaired tells whether the counter is one of two by its name.
func (it *item) isPaired() bool { return it.pairName() != it.name() }

func (it *item) pairName() string {
	if it.pair == "" {
		it.pair = kind.PairName(it.name())
	}
	return it.pair
}

func (b *block) sharedKey(l *line) pane.SharedKey {
	k := pane.SharedKey{Set: l.item.sel.Set.Name, Counter: l.item.pairName(), Parent: l.key.Parent, Name: l.key.Name}
	if b.spec.Host != "" { // of a deck of several hosts
		if l.item.shared == "" {
			l.item.shared = b.spec.Host + " " + k.Set
		}
		k.Set = l.item.shared
	}
	return k
}
