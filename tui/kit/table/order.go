package table

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"perfdeck/session"
)

// SortEvery is how long rows keep still after a key, so that they can be read, and how long
// one stays whose instance ended. Else they are sorted with each sample.
const SortEvery = 2 * time.Second

// early is how much earlier than asked a sample may come: samples do not come to the
// millisecond.
const early = SortEvery / 10

// wipedSortEvery is how often rows are sorted over a slow line: rows that trade places cost
// more than all the rest of a deck.
const wipedSortEvery = 10 * time.Second

// Arranging is what is asked of an arrangement.
type Arranging struct {
	Now  time.Time
	Anew bool // sort now, whatever the time
	Hold bool // a key was pressed: keep the order
	Fine bool // numbers are told with all their digits: none are equal that only read so in a column
	Room int  // rows that are seen: an instance that ended takes none of a living one; 0: all are
	// Lists tells whether a row of the view has a line; nil: each has.
	Lists func(row int) bool
	// Keeps tells that an instance which ended keeps its line as long as the view shows
	// it: who looks at it wants to read what became of it. Nil: none does.
	Keeps func(in *session.Row) bool
}

// order is the order of all rows of a view, those that have no line too.
type order struct {
	rows   session.Rows
	at     []int     // rows of the view, as sorted last
	sorted time.Time // by the clock of who looks; zero: not yet
	isFine bool      // by numbers with all their digits
	isOld  bool      // rows do not stand in the order of what is shown
	ranks  []rank    // memory that is used again
	places []int     // of these in their order
	spare  []int
	listed []bool
}

// rank is what a row is sorted by.
type rank struct {
	row    int
	kind   uint8 // numbers, then texts, then what has no value
	number float64
	text   string
	tie    float64
}

// Forget makes the next Arrange sort.
func (t *Table) Forget() { t.order.sorted = time.Time{} }

// Restart forgets the order of the rows too.
func (t *Table) Restart() {
	t.order = order{rows: session.Rows{Ghosts: true}}
}

// Arrange chooses the rows of a view that have a line, in their order.
func (t *Table) Arrange(m Frame, a Arranging) {
	t.order.isFine, t.every, t.isPast = a.Fine, m.Every, !m.At.IsZero()
	t.order.follow(m.View)
	since := a.Now.Sub(t.order.sorted)
	due := a.Anew || t.order.sorted.IsZero() || !a.Hold && (!m.Wipe || since >= wipedSortEvery-early || since < 0)
	t.list(&m, a)
	if t.sort(&m, due); due {
		if t.order.sorted = a.Now; !t.isSortable(&m) { // the column was asked for just now: the next view is sorted
			t.order.sorted = time.Time{}
		}
	}
	t.names(&m, a.Now)
	t.plain(&m, a.Now)
	if t.Tree {
		t.rows = treeOrder(m.View, t.rows)
	}
}

// follow goes on to a view: its rows stand as those of the one before, new ones last.
func (o *order) follow(view *session.SetView) {
	if o.rows.Same(view) {
		return
	}
	moved, added := o.rows.Next(view)
	out := o.spare[:0]
	for _, at := range o.at {
		if at = moved[at]; at != session.GoneRow {
			out = append(out, at)
		}
	}
	o.at, o.spare = append(out, added...), o.at
}

// list chooses the rows that have a line. One that ended keeps it for a while.
func (t *Table) list(m *Frame, a Arranging) {
	t.rows = t.rows[:0]
	now, living := cmp.Or(m.At, m.View.Time), 0
	keeps := func(in *session.Row) bool { return a.Keeps != nil && a.Keeps(in) }
	by, ok := t.Sorted()
	if !ok {
		by = t.Columns[t.FirstCounter()].Counter
	}
	sum := m.View.Column(by) // what is no process that lives has a row among what it has a number of
	for _, at := range t.order.at {
		in := &m.View.Rows[at]
		isGone := m.IsGone(in)
		if in.Flags&session.FlagEnded != 0 && (sum < 0 || !m.Value(at, sum).Valid()) {
			continue
		}
		if !m.IsThere(in) || isGone && now.Sub(in.Since) >= SortEvery-early && !keeps(in) || a.Lists != nil && !a.Lists(at) {
			continue
		}
		if t.rows = append(t.rows, Row{At: at, isGone: isGone}); !isGone {
			living++
		}
	}
	if dead := len(t.rows) - living; a.Room > 0 && dead > 0 && len(t.rows) > a.Room {
		t.rows = slices.DeleteFunc(t.rows, func(r Row) bool { return r.isGone && !keeps(&m.View.Rows[r.At]) })
	}
}

// sort sorts the rows, or tells only whether they are. Those of instances that ended stay in
// their places.
func (t *Table) sort(m *Frame, due bool) {
	o := &t.order
	o.ranks, o.places = o.ranks[:0], o.places[:0]
	rankOf, tie := rankOfNothing, m.View.Column(t.tie)
	if c := &t.Columns[t.Sort]; c.rank != nil {
		rankOf = c.rank(t, c, m)
	}
	for _, r := range t.rows {
		if r.isGone {
			continue
		}
		o.places = append(o.places, len(o.ranks))
		o.ranks = append(o.ranks, rank{row: r.At, kind: isNothing})
		is := &o.ranks[len(o.ranks)-1]
		if rankOf(is); tie >= 0 { // memory, where rows have it
			is.tie, _ = m.Value(r.At, tie).Float()
		}
	}
	sign := 1
	if t.Reverse {
		sign = -1
	}
	by := func(a, b int) int { return compare(&o.ranks[a], &o.ranks[b], sign) }
	if o.isOld = !slices.IsSortedFunc(o.places, by); !due || !o.isOld {
		return
	}
	slices.SortStableFunc(o.places, by)
	o.isOld = false
	next := 0
	for i := range t.rows {
		if !t.rows[i].isGone {
			t.rows[i].At = o.ranks[o.places[next]].row
			next++
		}
	}
	o.note(t.rows)
}

// note takes the order of the rows over: those without a line stand behind them.
func (o *order) note(rows []Row) {
	o.listed = slices.Grow(o.listed[:0], len(o.at))[:len(o.at)]
	clear(o.listed)
	out := o.spare[:0]
	for _, r := range rows {
		out = append(out, r.At)
		o.listed[r.At] = true
	}
	for _, at := range o.at {
		if !o.listed[at] {
			out = append(out, at)
		}
	}
	o.at, o.spare = out, o.at
}

// compare orders two rows: numbers go down, texts up; what has no value comes last,
// whichever the way round.
func compare(a, b *rank, sign int) int {
	switch {
	case a.kind != b.kind:
		return cmp.Compare(a.kind, b.kind)
	case a.kind == isNothing:
	case a.number > b.number:
		return -sign
	case a.number < b.number:
		return sign
	case a.text != b.text:
		return sign * cmp.Or(strings.Compare(strings.ToLower(a.text), strings.ToLower(b.text)), strings.Compare(a.text, b.text))
	}
	return cmp.Compare(b.tie, a.tie)
}

// What rows are sorted by, in the order of their rows.
const (
	isNumber uint8 = iota
	isText
	isNothing
)

// tieOf is the counter that decides among equals: memory, of processes; -1 without.
func tieOf(set *session.Counterset) int {
	if !IsProcesses(set) {
		return -1
	}
	return set.Given("Working Set")
}

// isSortable tells whether any row has a value in the column that rows are sorted by.
func (t *Table) isSortable(m *Frame) bool {
	counter, ok := t.Sorted()
	if !ok {
		return true
	}
	col := m.View.Column(counter)
	return col >= 0 && slices.ContainsFunc(t.rows, func(r Row) bool { return m.Value(r.At, col).Valid() })
}

// Number is the value of a row for comparisons, NaN when there is none.
func (m *Frame) Number(row, col int) float64 {
	if col >= 0 {
		if f, ok := m.Value(row, col).Float(); ok {
			return f
		}
	}
	return math.NaN()
}

// mostGuides bounds the levels of which it is known whether they go on.
const mostGuides = 63

// treeOrder puts every row under its parent, keeping the order among those of
// one parent. A row whose parent is not there is a root.
func treeOrder(view *session.SetView, rows []Row) []Row {
	byNumber := make(map[uint64]bool, len(rows))
	for _, r := range rows {
		byNumber[view.Rows[r.At].Number] = true
	}
	children := map[uint64][]Row{}
	var roots []Row
	for _, r := range rows {
		in := &view.Rows[r.At]
		if in.Owner == 0 || in.Owner == in.Number || !byNumber[in.Owner] {
			roots = append(roots, r)
			continue
		}
		children[in.Owner] = append(children[in.Owner], r)
	}
	out := make([]Row, 0, len(rows))
	var walk func(list []Row, depth int, through uint64)
	walk = func(list []Row, depth int, through uint64) {
		for i, r := range list {
			r.Depth, r.last, r.through = depth, i == len(list)-1, through
			out = append(out, r)
			number := view.Rows[r.At].Number
			below := children[number]
			delete(children, number) // a circle ends here
			guides := through
			if !r.last {
				guides |= 1 << min(depth, mostGuides)
			}
			walk(below, depth+1, guides)
		}
	}
	walk(roots, 0, 0)
	for _, r := range rows { // circles without a root
		in := &view.Rows[r.At]
		if below, left := children[in.Owner]; left {
			delete(children, in.Owner)
			walk(below, 0, 0)
		}
	}
	return out
}
