package deck

import (
	"cmp"
	"slices"
	"strconv"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/text/printable"
	"perfdeck/tui/kit/kind"
	"perfdeck/tui/kit/names"
)

// line is one row of a pane, as the newest snapshot has it.
type line struct {
	item *item
	key  session.InstanceKey
	name string // of the counter, or of the instance in a busiest pane
	inst string
	row  int // in the view; -1: the instance is not there
	col  int
	sum  int // of the summaries of the pane, from 1; 0: none was made
}

func (l *line) isText() bool { return l.item.sel.Set.Counters[l.item.counter].Type.IsText() }

// find is the first line of a pane of which something holds, -1 without one.
func (b *block) find(is func(l *line) bool) int {
	for i := range b.lines {
		if is(&b.lines[i]) {
			return i
		}
	}
	return -1
}

// graphed is the line that the graph of a pane shows: its first that has a curve, -1 without one.
func (b *block) graphed() int { return b.find(func(l *line) bool { return l.item.drawn.HasPicture }) }

// summary is the statistics of a line, made once for all drawings of a snapshot.
type summary struct {
	end    uint64
	span   int
	window session.Window
}

// windowOf sums as much of the history of a line up to a sample as the pane shows.
func (b *block) windowOf(l *line, s *session.Series, end uint64) session.Window {
	if l.sum == 0 {
		b.sums = append(b.sums, summary{})
		l.sum = len(b.sums)
	}
	sum := &b.sums[l.sum-1]
	if sum.end != end || sum.span != b.span {
		*sum = summary{end, b.span, s.Window(end, cmp.Or(b.span, len(s.Values)))}
	}
	return sum.window
}

// viewOf is the newest view of a line; ok: the line has a value in it.
func (b *block) viewOf(l *line) (view *session.SetView, ok bool) {
	view = b.made.Set(l.item.sel.Set)
	return view, view != nil && l.row >= 0 && l.col >= 0
}

func (l *line) id() rowID { return rowID{l.item, l.key} }

// mostLines bounds what one wildcard brings to a pane.
const (
	mostLines = 200
	mostCells = 2048
)

func (b *block) refresh(snap *session.Snapshot) {
	b.made = snap
	b.lines, b.sums = b.lines[:0], b.sums[:0]
	b.match(snap)
	items := b.items
	if b.brief {
		items = briefly(items)
	}
	for _, it := range items {
		switch {
		case it.also && b.kinds.derived == kind.Cells: // a number beside each cell
		case b.level == "" && it.again:
		case it.missing:
			b.lines = append(b.lines, line{item: it, name: it.name(), row: -1, col: -1})
		default:
			b.follow(it, snap.Set(it.sel.Set))
		}
	}
}

// briefly is the items of a pane of meters in an order of which a few rows tell most: the first, what has a
// limit of its own counterset that no other has, what has none; what is part of what is shown comes last.
func briefly(items []*item) []*item {
	rank := func(it *item) int {
		switch {
		case it == items[0]:
			return 0
		case it.also:
			return 2
		case it.drawn.Limit.Set == it.sel.Set && it.drawn.Limit != items[0].drawn.Limit:
			return 1
		}
		return 3
	}
	return slices.SortedStableFunc(slices.Values(items), func(a, b *item) int { return cmp.Compare(rank(a), rank(b)) })
}

// match finds out which rows the items mean now. Only rows that are new are matched by name.
func (b *block) match(snap *session.Snapshot) {
	if b.targets == nil {
		for _, it := range b.items {
			in := b.targets.In(it.sel.Set, 0)
			in.Ghosts, in.Targets, it.places = true, append(in.Targets, it), nil
		}
	}
	for _, in := range b.targets {
		in.Follow(snap, func(it *item, moved, added []int) {
			it.match(in.View, moved, added, in.Targets[:slices.Index(in.Targets, it)], b.kinds.as.Kind == kind.Cells)
		})
	}
}

// match goes on to a view. A wildcard means no row of which an item before it shows the counter.
func (it *item) match(view *session.SetView, moved, added []int, before []*item, parts bool) {
	means := func(in *session.Instance) bool {
		shows := func(o *item) bool {
			return o.counter == it.counter &&
				slices.ContainsFunc(o.places, func(p session.Place[struct{}]) bool { return &view.Rows[p.Row].Instance == in })
		}
		if is := it.sel.Matches(in); !is || !it.sel.Wild {
			return is
		}
		if parts && !in.IsPart() { // cells are of no totals
			return false
		}
		return in.Flags&hiddenFromWild == 0 && !slices.ContainsFunc(before, shows)
	}
	it.places.Follow(view, &it.sel, moved, added, means, func(*session.Instance, int) (none struct{}) { return none })
}

// follow adds the rows of one item: one for each instance that it means now.
func (b *block) follow(it *item, view *session.SetView) {
	l := line{item: it, name: it.name(), row: -1, col: view.Column(it.counter)}
	first := len(b.lines)
	if view != nil {
		most := mostLines
		if b.kinds.derived == kind.Cells {
			most = mostCells
		}
		for _, p := range it.places[:min(len(it.places), max(0, most-first))] {
			in := &view.Rows[p.Row]
			l.row, l.key, l.inst = p.Row, in.Key, names.Instance(&in.Instance)
			if in.Vanished > 0 {
				l.inst += " +" + strconv.Itoa(in.Vanished) + " gone"
			}
			b.lines = append(b.lines, l)
		}
	}
	if len(b.lines) == first && first < mostLines {
		l.inst = it.sel.Path.InstanceText()
		b.lines = append(b.lines, l)
	}
}

// hiddenFromWild are instances that a wildcard does not bring to a pane: the kernel's own, and unused capacity.
const hiddenFromWild = session.FlagIdle | session.FlagBackground

// soleInstance is the instance that all lines share, "" when they differ.
func (b *block) soleInstance() string {
	if len(b.lines) == 0 || b.find(func(l *line) bool { return l.inst != b.lines[0].inst }) >= 0 {
		return ""
	}
	return b.lines[0].inst
}

// value is what the line shows.
func (l *line) value(view *session.SetView) cooker.Value {
	switch {
	case l.item.missing:
		return cooker.Absent(cooker.Unavailable)
	case view == nil || l.row < 0 || l.col < 0:
		return cooker.Absent(view.Lack())
	}
	return view.Value(l.row, l.col)
}

// commonName is what the instances of all lines begin with.
func (b *block) commonName() string {
	var list names.Common
	for i := 0; i < len(b.lines) && !list.IsNone(); i++ {
		l := &b.lines[i]
		switch {
		case b.hasInstances():
			list.Add(printable.Text(l.name))
		case l.inst != "" && l.inst != totalInstance:
			list.Add(printable.Text(l.inst))
		}
	}
	return list.Prefix()
}
