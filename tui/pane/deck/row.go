package deck

import (
	"slices"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/text/printable"
	"perfdeck/tui/kit/kind"
	"perfdeck/tui/kit/names"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// rowOf is what a row of the scene of a pane shows.
func (d *Deck) rowOf(b *block, row int, s *scene) (r pane.Row) {
	sg := &s.signs[row]
	ln := &b.lines[sg.line]
	view := b.made.Set(ln.item.sel.Set)
	r.Name, r.Instance, r.Common = ln.name, ln.inst, b.common
	r.Set, r.Counter = ln.item.sel.Set, ln.item.counter
	r.Selected, r.Marked, r.Alert, r.Colour = row == s.list.selected, sg.marked, sg.alert, sg.colour
	r.Stale = s.isOld || view != nil && view.Err != nil
	d.fillRecent(&r.Recent, b, ln, &s.when)
	d.nameRow(&r, b, ln, s)
	// Where others show what is used, this host may not tell of what that is: a row below says what is left.
	if b.level != "" && ln.item == b.items[0] && slices.ContainsFunc(b.items, func(it *item) bool { return it.again }) {
		r.Name, r.Value = b.level, cooker.Absent(cooker.Unavailable)
		return r
	}
	var at time.Time // units change with the values, not with the clock
	if b.made != nil {
		at = b.made.Time
	}
	own := d.units.Row(pane.UnitKey{Set: r.Set, Counter: r.Counter, Key: ln.key})
	r.Top, r.Now = own.Scale(), at
	shared := false
	if s.shared != d.shared.Shared || ln.item.isPaired() { // its own deck compares pairs alone
		r.Unit, r.Look, shared = s.shared.Unit(b.sharedKey(ln), r.Set, r.Counter)
	}
	if !shared {
		r.Unit, r.Look = own.Choose(r.Window.Largest(r.Value), at)
	}
	if s.plot.share && sg.line == s.plot.graphed {
		r.Unit, r.Look = percentUnit, percentLook
		if share := d.readingOf(b, ln, &s.when).Share; share == share {
			r.Value = cooker.FloatValue(share)
		} else if r.Value.Valid() {
			r.Value = cooker.Absent(cooker.Unavailable) // nobody knows of what it is a share
		}
	}
	if names.Hundredths(ln.name) && r.Short != "" && r.Look.Scale == 0 {
		r.Look.Scale = -2 // the short name does not say so
	}
	return r
}

// How shares of limits are written.
var (
	percentLook = session.Look{Format: cooker.Format{Style: cooker.UnitWindows, Quantity: cooker.Quantity{Kind: cooker.Percent}, Digits: cooker.DefaultFormat().Digits}}
	percentUnit = cooker.UnitFor(percentLook.Quantity, percentLook.Style, 0)
)

// nameRow finds the words of a row.
func (d *Deck) nameRow(r *pane.Row, b *block, ln *line, s *scene) {
	if b.hasInstances() {
		r.Name = printable.Text(r.Name)
	}
	if b.sole != "" {
		r.Instance = ""
	}
	r.Name = ln.item.drawn.Name(r.Name)
	if own := ln.item.sel.Set.Name; own != b.set.Name {
		if r.Name = names.Elsewhere(r.Name, own); isWholeName(r.Instance) {
			r.Instance = ""
		}
	}
	hasRoom := s.kind == kind.Rows && !names.Hundredths(r.Name) && b.widest <= layout.HostRow(s.w, s.plot.bare).NameW
	if s.kind == kind.Graph || s.kind == kind.Meters || !s.matrix && (s.plot.bare || !hasRoom) { // else the name says what it is of
		r.Short, r.Names = b.set.Name, &ln.item.names
	}
	if s.plot.bare && !s.matrix {
		r.Object = strings.TrimSpace(printable.Text(d.hostAbout(b)) + " " + names.Object(b.set.Name))
	}
	if b.hasInstances() {
		r.Short = ""
	}
	if isWholeName(r.Instance) && (s.kind == kind.Graph || b.kinds.derived == kind.Graph) && !b.isListed() {
		r.Instance = ""
	}
}

// isWholeName tells whether an instance stands for all: what a graph shows.
func isWholeName(name string) bool { return name == totalInstance || kind.IsSum(name) }

// fillRecent fills in what a row shows of a line at a moment: where what is used is drawn in place of
// what is left, all of it is of that.
func (d *Deck) fillRecent(r *pane.Recent, b *block, ln *line, when *moment) {
	reading := d.readingOf(b, ln, when)
	r.Value, r.End, r.Every, r.Scale = reading.Value, when.end, b.every, ln.item.drawn.Rule(reading.Limit)
	if view, ok := b.viewOf(ln); ok {
		r.Series = view.Recent(&d.recent, ln.row, ln.col)
		d.asDrawn(&r.Series, b, ln, false, 0)
		r.Window = b.windowOf(ln, &r.Series, r.End)
	}
}

// sharing is the units of rows that are compared, on one deck or on those of several hosts.
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
			when := moment{end: d.desk.End(b.made), at: d.desk.At}
			for i := range b.lines {
				if l := &b.lines[i]; !b.tab.tabular && l.row >= 0 && l.col >= 0 && (len(decks) > 1 || l.item.isPaired()) {
					var r pane.Recent
					d.fillRecent(&r, b, l, &when)
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
	it := l.item
	return pane.SharedKey{Host: b.spec.Host, Set: it.sel.Set.Name, Counter: it.pairName(), Parent: l.key.Parent, Name: l.key.Name}
}
