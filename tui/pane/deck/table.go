package deck

import (
	"cmp"
	"slices"

	"perfdeck/session"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/kind"
	"perfdeck/tui/kit/names"
	"perfdeck/tui/kit/table"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// isTable tells whether a pane has the rows of a table. Beside other hosts instances are rows.
func (d *Deck) isTable(b *block) bool {
	it := b.items[0]
	return !d.compact && b.kinds.as.Kind == kind.Table && !it.missing && (it.sel.Wild || b.spec.Busiest > 0)
}

// hasInstances tells whether the lines of a pane are instances, ranked by its first counter.
func (b *block) hasInstances() bool { return b.spec.Busiest > 0 || b.tab.tabular }

// isWild tells that paths of a pane mean whatever instances there are.
func (b *block) isWild() bool {
	return slices.ContainsFunc(b.items, func(it *item) bool { return !it.also && it.sel.Wild })
}

// isOfAll tells whether all instances are meant.
func (b *block) isOfAll() bool {
	return !slices.ContainsFunc(b.items, func(it *item) bool {
		return !it.also && !it.missing && (it.sel.Path.Instance != everyInstance || it.sel.Path.Parent != "" || it.sel.Combine != nil)
	})
}

// left is how many instances there are besides those that were asked for.
func (b *block) left() int {
	if view := b.view(); b.hasInstances() && view != nil {
		return max(view.Left, 0)
	}
	return 0
}

// tableOf is the table of a pane.
func (d *Deck) tableOf(b *block) *table.Table {
	if b.tab.table != nil {
		return b.tab.table
	}
	it := b.items[0]
	t := table.New(it.sel.Set, d.desk.Numbers.Of())
	b.tab.table, t.InRule, t.Coming = t, true, b.isComing
	var own []int // counters of the paths of the pane
	for _, it := range b.items {
		if !it.also && !it.missing {
			own = append(own, it.counter)
		}
	}
	if len(own) > 1 {
		t.Show(own)
	}
	t.SortAtFirst(it.counter)
	t.Columns[t.Sort].Hidden = false
	return t
}

// arrangeRows makes the lines of a pane of instances those of its table, in the order of that.
func (d *Deck) arrangeRows(b *block) {
	b.lines, b.sums = b.lines[:0], b.sums[:0]
	it, view := b.items[0], b.view()
	if view == nil {
		b.lines = append(b.lines, line{item: it, name: it.name(), row: -1, col: -1})
		return
	}
	t := d.tableOf(b)
	const left = session.FlagTotal | session.FlagIdle | session.FlagBackground
	now, all, room := d.desk.Now(), b.isOfAll(), b.tab.seen
	if !b.tab.tabular {
		room = cmp.Or(b.most, busiestKept)
	}
	t.Arrange(d.desk.TableMoment(b.made, view), table.Arranging{
		Now: now, Anew: !b.at.Equal(d.desk.At), Hold: now.Sub(d.touched) < table.SortEvery, Room: room, Fine: !b.tab.tabular,
		Keeps: func(in *session.Row) bool { return d.desk.Held && in.Key == d.selected.key },
		Lists: func(at int) bool {
			in := &view.Rows[at].Instance
			isMeant := func(it *item) bool { return !it.also && !it.missing && it.sel.Matches(in) }
			return in.Flags&left == 0 && (all || slices.ContainsFunc(b.items, isMeant)) &&
				(len(d.words) == 0 || d.passes(&line{item: it, key: in.Key, name: in.Key.Name}))
		},
	})
	col := view.Column(it.counter)
	rows := t.Rows()
	if !b.tab.tabular {
		rows = rows[:min(len(rows), room)]
	}
	for _, r := range rows {
		in := &view.Rows[r.At]
		l := line{item: it, key: in.Key, row: r.At, col: col, name: in.Key.Name}
		if !b.tab.tabular { // no column has its number
			if name, is := in.EndedAs(); is {
				l.name = name
			} else {
				l.name = names.Instance(&in.Instance)
			}
		}
		b.lines = append(b.lines, l)
	}
	d.stale = d.stale || b.tab.tabular && t.HasFacts() && b.lacksFacts()
	if len(b.lines) == 0 {
		b.lines = append(b.lines, line{item: it, name: it.name(), row: -1, col: col})
	}
}

// asksOfTable is what the table of a pane needs: columns that have room, the history of
// what it is sorted by, and the facts of the rows in view.
func (d *Deck) asksOfTable(b *block, asks []session.Ask) []session.Ask {
	it, t := b.items[0], d.tableOf(b)
	ask := session.Ask{Set: it.sel.Set, Counters: t.Counters()}
	if !slices.Contains(ask.Counters, it.counter) {
		ask.Counters = append(ask.Counters, it.counter)
	}
	ask.OnlyOf(session.Members)
	keep := session.Keep{Counters: ask.Counters, Recent: true}
	if counter, ok := t.Sorted(); ok {
		keep.Busiest, keep.By = max(b.tab.seen, busiestKept), counter
	}
	ask.Keep = []session.Keep{keep}
	ask.Facts = session.FactWant{Keys: t.Facts()}
	switch {
	case len(ask.Facts.Keys) == 0:
		b.tab.known = table.Asked{}
	case t.IsByFact() || b.hasFewRows():
		ask.Facts.All = true
		b.tab.known.AskAll(b.made.Next())
	default:
		ask.Facts.Rows = b.factRows()
		b.tab.known.Ask(ask.Facts.Rows, b.made.Next())
	}
	if l, ok := t.Lead(max(len(ask.Facts.Rows), b.tab.seen+busiestKept)); ok && len(d.words) == 0 && b.isOfAll() {
		ask.Leads = []session.Lead{l}
	}
	return append(asks, ask)
}

// mostFacts is of how many rows facts are asked for, unless more are in view.
const mostFacts = 128

// hasFewRows tells that facts may be asked of all rows of the host: those that come and go
// need no new ask then, which costs what a beat does.
func (b *block) hasFewRows() bool {
	view, most := b.view(), mostFacts
	if b.tab.known.All() {
		most *= 2
	}
	return view != nil && len(view.Rows) <= most
}

// factRows are the rows that facts are asked for where there are many: those in view, and
// as far as there is room those that were: they may be back with the next sorting.
func (b *block) factRows() []session.InstanceKey {
	inView := min(len(b.lines), max(b.tab.seen, busiestKept))
	rows := make([]session.InstanceKey, 0, max(inView, min(len(b.lines), mostFacts)))
	for i := range b.lines {
		if asked := b.tab.known.Has(b.lines[i].key); i < inView || asked && len(rows) < cap(rows) {
			rows = append(rows, b.lines[i].key)
		}
	}
	return rows
}

// lacksFacts tells that others are to be asked for than were.
func (b *block) lacksFacts() bool {
	if b.tab.known.All() {
		return !b.tab.table.IsByFact() && !b.hasFewRows()
	}
	for i := range min(len(b.lines), b.tab.seen) {
		if !b.tab.known.Has(b.lines[i].key) {
			return true
		}
	}
	return false
}

// isComing tells that a fact of a row was not told because it was not asked for, or since the newest sample only.
func (b *block) isComing(key session.InstanceKey, fact string) bool {
	return b.tab.known.IsComing(key, fact, b.view(), b.made.Next())
}

// view is what the newest sample has of the counterset of a table; nil: nothing.
func (b *block) view() *session.SetView { return b.made.Set(b.items[0].sel.Set) }

// fitTable gives the columns their places. Others than before are asked for.
func (d *Deck) fitTable(b *block, p *layout.Placed) {
	if len(b.lines) == 0 || b.lines[0].row < 0 {
		return
	}
	t, heads := b.tab.table, p.W
	if t.Title = 0; !p.Bare {
		t.Title, heads = canvas.Full.TextWidth(b.set.Name), min(p.W, p.Heads)
	}
	if t.Fit(layout.SignW, p.W-layout.SignW-2, heads-layout.SignW-2) || t.HasFacts() && b.tab.known.None() || p.Rows > max(b.tab.seen, busiestKept) {
		d.stale = true
	}
	b.tab.seen = p.Rows
}

// drawTable draws a pane as a table, the heads in its title.
func (d *Deck) drawTable(f pane.Frame, b *block, s *scene) {
	y, t := 0, b.tab.table
	if !s.plot.bare {
		x := pane.DrawTitle(f, s.title)
		if s.title.Problem == "" && t != nil {
			t.DrawRule(f.Region, x+1)
			for i := range t.Columns {
				if p := t.HeadPlace(i); p.W > 0 && p.X > x {
					f.Zone(p.X, 0, p.W, 1, hitHead, s.pane, i)
				}
			}
		}
		y++
	}
	view := b.view()
	if t == nil || view == nil || len(b.lines) == 0 || b.lines[0].row < 0 {
		if s.list.rows > 0 {
			r := d.rowOf(b, 0, s)
			pane.DrawRow(f, y, layout.NewRow(s.w), &r)
		}
		return
	}
	m := d.desk.TableMoment(b.made, view)
	t.Scale(m, s.list.top, s.list.top+s.list.rows, b.made.Time)
	s.eachRow(f, y, func(y, n, row int) {
		t.DrawRow(f.Region, y, n)
		sg := &s.signs[row]
		sign, st, _ := pane.SignOfMark(sg.alert, f.Glyphs())
		f.DrawLead(y, pane.Lead{Selected: row == s.list.selected, Marked: sg.marked, Sign: sign, Style: st})
		if s.isOld {
			f.Restyle(layout.SignW, y, s.w-layout.SignW, 1, themes.Stale)
		}
		f.Highlight(y, row == s.list.selected)
	})
}

// leastDigits is for how many digits there is room in the count of rows that are not shown,
// so that what stands behind it stays where it is.
const leastDigits = 3

// sortBy sorts the table of a pane by a column, which was clicked on.
func (d *Deck) sortBy(b *block, column int) {
	if b.tab.table == nil || column >= len(b.tab.table.Columns) {
		return
	}
	b.tab.table.Choose(column)
	b.tab.table.Forget()
	b.made, d.stale = nil, true
	d.sync()
}

// AskStale tells that the tables show other columns than were asked for.
func (b *Book) AskStale() bool {
	d := b.deck()
	if d == nil || !d.stale {
		return false
	}
	d.stale = false
	return true
}
