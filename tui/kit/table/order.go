package table

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
)

// SortEvery is how often rows are sorted anew at most, and how long they keep still
// after a key, so that they can be read.
const SortEvery = 2 * time.Second

// early is how much earlier than that a sample may come: samples do not come to the
// millisecond, and without it each other sorting would wait for one more.
const early = SortEvery / 10

// wipedSortEvery is the same over a slow line: rows that trade places cost more than all
// the rest of a deck.
const wipedSortEvery = 10 * time.Second

// Arranging is what is asked of an arrangement.
type Arranging struct {
	Now  time.Time
	Anew bool // sort now, whatever the time
	Hold bool // a key was pressed: keep the order
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
	swept  time.Time // time of the sample that was sorted last
	ranks  []rank    // memory that is used again
	spare  []int
	listed []bool
	fresh  []int // rows that had no number yet when rows were sorted last
	tie    int   // counter that decides among equals, -1: none
}

// rank is what a row is sorted by.
type rank struct {
	row    int
	kind   uint8 // numbers, then texts, then what has no value
	number float64
	text   string
	tie    float64
}

// isSome tells a number above zero.
func (r *rank) isSome() bool { return r.kind == isNumber && r.number > 0 }

// Forget makes the next Arrange sort.
func (t *Table) Forget() { t.order.sorted = time.Time{} }

// Restart forgets the order of the rows too.
func (t *Table) Restart() {
	t.order = order{rows: session.Rows{Ghosts: true}}
}

// Arrange chooses the rows of a view that have a line, in their order: each SortEvery
// they are sorted anew. An instance that ended keeps its line until then, and says so
// there.
func (t *Table) Arrange(m Moment, a Arranging) {
	t.order.tie, t.every, t.isPast = t.tie(), m.Every, !m.At.IsZero()
	t.order.follow(m.View)
	every := SortEvery
	if m.Wipe {
		every = wipedSortEvery
	}
	due := a.Anew || t.order.sorted.IsZero() || !a.Hold && (a.Now.Sub(t.order.sorted) >= every-early || a.Now.Before(t.order.sorted))
	if due {
		t.order.swept = m.View.Time
	}
	t.list(&m, a)
	if due {
		t.sort(&m)
		if t.order.sorted = a.Now; !t.isSortable(&m) { // the column was asked for just now: the next view is sorted
			t.order.sorted = time.Time{}
		}
	}
	if !due && !a.Hold && !m.Wipe {
		t.place(&m)
	}
	t.names(&m)
	t.blanks(&m)
	t.units(&m, a.Now)
	if t.Tree {
		t.rows = treeOrder(m.View, t.rows)
	}
}

// follow goes on to a view: its rows stand as those of the one before, new ones last.
func (o *order) follow(view *session.SetView) {
	if o.rows.Known() && o.rows.Same(view) {
		return
	}
	moved, added := o.rows.Next(view)
	o.at, o.spare = carry(o.spare[:0], o.at, moved, added), o.at
	o.fresh = carry(o.fresh[:0], o.fresh, moved, added)
}

// carry appends rows of the view before as they are called in the next one, and behind them
// those that it adds.
func carry(to, rows, moved, added []int) []int {
	for _, at := range rows {
		if at = moved[at]; at != session.GoneRow {
			to = append(to, at)
		}
	}
	return append(to, added...)
}

// list chooses the rows that have a line. One that ended loses it with the first
// sorting after the sample in which it was missing.
func (t *Table) list(m *Moment, a Arranging) {
	t.rows = t.rows[:0]
	for _, at := range t.order.at {
		in := &m.View.Rows[at]
		if m.IsGone(in) && in.Since.Before(t.order.swept) && (a.Keeps == nil || !a.Keeps(in)) || !m.IsThere(in) {
			continue
		}
		if a.Lists == nil || a.Lists(at) {
			t.rows = append(t.rows, Row{At: at})
		}
	}
}

// sort sorts the rows. Those of instances that ended stay in their places.
func (t *Table) sort(m *Moment) {
	o := &t.order
	o.ranks = o.ranks[:0]
	rankOf := t.ranking(m)
	for _, r := range t.rows {
		if !m.IsGone(&m.View.Rows[r.At]) {
			o.ranks = append(o.ranks, rankOf(r.At))
		}
	}
	sign := 1
	if t.Reverse {
		sign = -1
	}
	slices.SortStableFunc(o.ranks, func(a, b rank) int { return compare(&a, &b, sign) })
	next := 0
	for i := range t.rows {
		if !m.IsGone(&m.View.Rows[t.rows[i].At]) {
			t.rows[i].At = o.ranks[next].row
			next++
		}
	}
	o.fresh = o.fresh[:0]
	for i := range o.ranks {
		if o.ranks[i].kind == isNothing {
			o.fresh = append(o.fresh, o.ranks[i].row)
		}
	}
	o.note(t.rows)
}

// mostPlaced is how many rows are put in their places between two sortings: of a storm of new
// ones the next sorting is soon enough.
const mostPlaced = 32

// place puts rows that have their first number among the others, above those with less: who
// is new and busy is seen at once. The others keep their order until all are sorted.
func (t *Table) place(m *Moment) {
	o := &t.order
	if len(o.fresh) == 0 || t.Reverse {
		return
	}
	rankOf := t.ranking(m)
	many := 0
	for _, at := range o.fresh {
		if r := rankOf(at); r.isSome() {
			many++
		}
	}
	if many == 0 || many > mostPlaced {
		return
	}
	o.ranks = o.ranks[:0]
	for _, r := range t.rows {
		o.ranks = append(o.ranks, rankOf(r.At))
	}
	o.fresh = slices.DeleteFunc(o.fresh, func(at int) bool {
		from := slices.Index(t.rows, Row{At: at})
		if from < 0 || !o.ranks[from].isSome() {
			return false
		}
		mine, row := o.ranks[from], t.rows[from]
		to := from
		for i := range from {
			if !m.IsGone(&m.View.Rows[t.rows[i].At]) && compare(&mine, &o.ranks[i], 1) < 0 {
				to = i
				break
			}
		}
		copy(t.rows[to+1:from+1], t.rows[to:from])
		copy(o.ranks[to+1:from+1], o.ranks[to:from])
		t.rows[to], o.ranks[to] = row, mine
		return true
	})
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
	case a.number != b.number:
		return sign * cmp.Compare(b.number, a.number)
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

// ranking is what rows are sorted by: the column, then memory where rows have it.
func (t *Table) ranking(m *Moment) func(row int) rank {
	c := &t.Columns[t.Sort]
	view, tie := m.View, m.View.Column(t.order.tie)
	col := -1
	switch c.Kind {
	case Counter:
		col = view.Column(c.Counter)
	case Fact:
		col = slices.Index(view.FactKeys, c.Fact)
	}
	return func(row int) (r rank) {
		r.row = row
		if tie >= 0 {
			r.tie, _ = m.Value(row, tie).Float()
		}
		switch {
		case c.Kind == Number:
			r.number = -float64(view.Rows[row].Number) // up
		case c.Kind == Name:
			r.kind, r.text = isText, view.Rows[row].Key.Name
		case col < 0:
			r.kind = isNothing
		case c.Kind == Fact:
			r.kind, r.text = isText, view.Fact(row, col)
		default:
			r.of(m.Value(row, col))
		}
		return r
	}
}

// of takes a value to sort by.
func (r *rank) of(v cooker.Value) {
	if n, ok := v.Float(); ok && n == n {
		r.number = n
		return
	}
	if r.kind = isNothing; v.Valid() {
		r.kind = isText
		r.text, _ = v.Text()
	}
}

// tie is the counter that decides among equals: memory, of processes.
func (t *Table) tie() int {
	if i, ok := t.Set.Counter("Working Set"); ok && IsProcesses(t.Set) && t.Set.Counters[i].Absent == "" {
		return i
	}
	return -1
}

// isSortable tells whether any row has a value in the column that rows are sorted by.
func (t *Table) isSortable(m *Moment) bool {
	c := &t.Columns[t.Sort]
	if c.Kind != Counter {
		return true
	}
	col := m.View.Column(c.Counter)
	return col >= 0 && slices.ContainsFunc(t.rows, func(r Row) bool { return m.Value(r.At, col).Valid() })
}

// Number is the value of a row for comparisons, NaN when there is none.
func (m *Moment) Number(row, col int) float64 {
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
