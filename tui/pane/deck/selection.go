package deck

import (
	"perfdeck/cooker"
	"perfdeck/tui/pane"
)

// keepSelection puts the selection on a row that is there.
func (d *Deck) keepSelection() {
	if len(d.panes) == 0 {
		return
	}
	d.focus = min(d.focus, len(d.panes)-1)
	b := d.panes[d.focus]
	if d.selectedLine() < 0 && len(b.lines) > 0 {
		// Its instance came, or went: another line of the same path is nearest.
		at := b.find(func(l *line) bool { return l.item == d.selected.item })
		d.selected = b.lines[max(0, at)].id()
	}
}

// each are the deck itself: of several hosts there is one for each.
func (d *Deck) each() []*Deck { return []*Deck{d} }

func (d *Deck) focused() *Deck { return d }

// Focus selects the row of a value. It reports whether there is one.
func (d *Deck) Focus(t pane.Target) bool {
	return d.choose(func(b *block, l *line) bool {
		return b.host == t.Host && l.item.sel.Set == t.Set && l.item.counter == t.Counter && l.key == t.Key
	})
}

// choose selects the first row of a kind. It reports whether there is one.
func (d *Deck) choose(is func(b *block, l *line) bool) bool {
	for p, b := range d.panes {
		for i := range b.lines {
			if l := &b.lines[i]; is(b, l) {
				d.focus, d.selected = p, l.id()
				return true
			}
		}
	}
	return false
}

// selectedLine is the line of the focused pane that is selected, or -1.
func (d *Deck) selectedLine() int {
	if d.focus >= len(d.panes) {
		return -1
	}
	return d.panes[d.focus].find(func(l *line) bool { return l.id() == d.selected })
}

// targetOf is the value of a line.
func (d *Deck) targetOf(p, i int) pane.Target {
	l := &d.panes[p].lines[i]
	t := d.panes[p].host.Target(l.item.sel.Set, l.item.counter, l.key)
	t.Used = l.item.drawn.Used != ""
	return t
}

// Selected is the value that is selected.
func (d *Deck) Selected() []pane.Target {
	if d.whyNoValue() != "" {
		return []pane.Target{{Host: d.focusedHost(), Counter: -1}}
	}
	return d.appendMarked([]pane.Target{d.targetOf(d.focus, d.selectedLine())}, d.selected)
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

const (
	hitTitle pane.HitKind = iota + 1
	hitRow
	hitGap // between panes
	hitGraph
	hitHead     // of a column of a table
	hitMore     // instances that a table has no row for
	hitUnplaced // panes without a place
	hitSpan
	hitScale
	hitRetry
	hitSign // of an alert
)

// inPane is B of a gap that is no border: A is the pane that it lies in.
const inPane = 1

// Wheel moves the selection in the pane under the mouse, and not beyond it: the mouse stays where it is.
func (d *Deck) Wheel(hit pane.Hit, lines int) {
	if hit.Kind == 0 || hit.Kind == hitGap && hit.B != inPane || hit.A >= len(d.panes) {
		d.move(lines)
		return
	}
	if d.focus != hit.A {
		d.focusOn(hit.A)
	}
	d.touched = d.desk.Now()
	d.selectLine(d.selectedLine() + lines)
}

// mostOfInstances is how many instances of a pane are offered: there may be thousands.
const mostOfInstances = 16

// Offered are the values of the deck that is shown that a chart could show, of panes of instances the first ones.
func (b *Book) Offered() (out []pane.Target) {
	d := b.focused()
	for p, blk := range d.panes {
		for i := range blk.lines {
			if blk.hasInstances() && i >= mostOfInstances {
				break
			}
			if blk.lines[i].isNumber() {
				out = append(out, d.targetOf(p, i))
			}
		}
	}
	return out
}

// mostProposed is how many counters are proposed for a chart.
const mostProposed = 3

// Proposed are the first values of the focused pane that have one scale: what a chart could show.
func (b *Book) Proposed() (out []pane.Target) {
	d := b.focused()
	if d.focus >= len(d.panes) {
		return nil
	}
	p := d.panes[d.focus]
	first := p.graphed()
	if first < 0 {
		return nil
	}
	scale := func(i int) cooker.Quantity {
		it := p.lines[i].item
		return it.sel.Set.Counters[it.counter].Quantity
	}
	for i := first; i < len(p.lines) && len(out) < mostProposed; i++ {
		if p.lines[i].isNumber() && scale(i) == scale(first) {
			out = append(out, d.targetOf(d.focus, i))
		}
	}
	return out
}

// isNumber tells that a line has what a chart could show.
func (l *line) isNumber() bool { return !l.item.missing && !l.isText() && l.row >= 0 }
