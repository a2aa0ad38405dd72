// Package table is the table of the instances of a counterset: a row for each, a
// column for each counter, fact, or history. It knows which columns a counterset has
// and what they are called, in which order the rows stand, and draws heads and cells.
// The screen Top and the table panes of decks are this one table.
package table

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/text/english"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/columns"
	"perfdeck/tui/kit/scale"
)

// Table is the columns and rows of one counterset. Make it with [New]; then, for each
// new view, [Table.Arrange], and for each drawing [Table.Fit], DrawHeads or DrawRule,
// [Table.Scale] and DrawRow.
type Table struct {
	Set     *session.Counterset
	Columns []Column
	Sort    int // column
	Reverse bool
	Tree    bool // each row below its parent
	InRule  bool // heads stand in the title rule of a pane
	Title   int  // cells of the title in that rule, before which none has room
	// Coming tells that a fact which is not there was not asked for yet. Nil: what is
	// not there will not come.
	Coming func(in session.InstanceKey, fact string) bool
	// Remark is what else is to be said of a row; empty, and nil: nothing.
	Remark func(in *session.Instance) (text string, st themes.Style)

	span     time.Duration // see SetSpan
	layout   columns.Layout
	fitting  []columns.Column // scratch of Fit
	fittedTo []columns.Column // what the layout is of
	fitted   fitted
	numbered bool // a row has a number
	order    order
	tie      int // counter that decides among equals, -1: none
	rows     []Row
	every    time.Duration    // from one sample to the next
	isPast   bool             // the rows are those of a moment before the newest sample
	common   string           // what the names of all rows begin with
	longest  longest          // name
	home     int              // counter that rows are sorted by at first: its head has room for the mark
	spanned  spanned          // what the head of histories says
	recent   session.Recalled // scratch: the history of a row
	shown    Frame            // that is drawn, see Scale
	top      scale.Scale      // of the histories of topOf
	topOf    int              // counter
}

// longest is the most cells that anything took of late: columns grow at once, and shrink
// when nothing has needed them for a while.
type longest struct {
	now, next int
	since     time.Time
}

func (l *longest) note(cells int, now time.Time) {
	const hold = 10 * time.Second
	l.now, l.next = max(l.now, cells), max(l.next, cells)
	if held := now.Sub(l.since); held >= hold || held < 0 {
		l.now, l.next, l.since = l.next, 0, now
	}
}

// fitted is for which place a layout was made.
type fitted struct{ x, w, beside int }

// Frame is what a table shows: a view of its counterset, at a moment.
type Frame struct {
	View *session.SetView
	End  uint64 // number of the sample behind the moment
	// Past is the value of a series at a moment before the newest sample; nil: it is
	// shown as it is.
	Past  func(s session.Series, newest cooker.Value) cooker.Value
	At    time.Time     // that moment; zero: the newest sample
	Every time.Duration // from one sample to the next; 0: a cell of a history is one
	Top   float64       // what the highest level of histories stands for, see Table.Scale
	Wipe  bool          // histories overwrite themselves

	recent session.Recalled // scratch: the history of a row
}

// Value is what a cell shows.
func (m *Frame) Value(row, col int) cooker.Value {
	if m.Past == nil {
		return m.View.Value(row, col)
	}
	v := m.Past(m.View.Recent(&m.recent, row, col), m.View.Value(row, col))
	if v.Status() == cooker.Pending && m.View.Rows[row].Since.Before(m.At) { // it was there
		return cooker.Absent(cooker.NotKept)
	}
	return v
}

// value is what a cell of a column shows.
func (t *Table) value(c *Column, m *Frame, row, col int) cooker.Value {
	v := m.Value(row, col)
	if !c.Growth || m.Every <= 0 {
		return v
	}
	now, ok := v.Float()
	if !ok {
		return v
	}
	span, end := t.growthSpan(), cmp.Or(m.At, m.View.Time)
	from := m.End - 1 - min(m.End-1, uint64(span/m.Every))
	was, ok := m.View.Earliest(&t.recent, row, col, from)
	if in := &m.View.Rows[row]; !ok || in.Came && in.Since.After(end.Add(-span)) { // all of it is new
		was = 0
	}
	return cooker.FloatValue(now - was)
}

// growthSpan is in which time growth is.
func (t *Table) growthSpan() time.Duration { return cmp.Or(t.span, 10*time.Minute) }

// IsThere tells whether an instance had begun at the moment.
func (m *Frame) IsThere(in *session.Row) bool {
	switch {
	case m.At.IsZero():
		return true
	case !in.Gone:
		return !m.At.Before(in.Since)
	}
	return in.Lived == 0 || !m.At.Before(in.Since.Add(-in.Lived))
}

// IsGone tells whether an instance had ended at the moment.
func (m *Frame) IsGone(in *session.Row) bool {
	return in.Gone && (m.At.IsZero() || !m.At.Before(in.Since))
}

// Row is one line of a table.
type Row struct {
	At     int // row of the view
	Depth  int // in the tree
	isGone bool
	last   bool
	// through has bit n set where the guide of level n goes on below the row.
	through uint64
}

// New is the table of a counterset. looks says how numbers are written; nil: as the
// counters ask.
func New(set *session.Counterset, looks session.Looks) *Table {
	t := &Table{Set: set, Columns: columnsOf(set, looks), numbered: true, tie: tieOf(set)}
	t.Sort = t.FirstCounter()
	t.home = t.Columns[t.Sort].Counter
	t.order.rows.Ghosts = true
	t.SetSpan(0)
	return t
}

// SortAtFirst sorts by a counter of the set, if the table has it, as nobody chose another:
// it is what was asked for, and stands first.
func (t *Table) SortAtFirst(counter int) {
	i, first := t.ColumnOf(counter), t.FirstCounter()
	if i < 0 {
		return
	}
	c := &t.Columns[i]
	c.fit.Rank, c.fit.Min = columns.Stays, max(c.fit.Min, c.cells(1, true))
	if 0 < first && first < i {
		t.Columns = moved(t.Columns, i, first)
		t.Columns = moved(t.Columns, t.spark(), first+1)
	}
	t.home = counter
	t.SortBy(counter)
}

// moved is a list with one of it in another place.
func moved[T any](list []T, from, to int) []T {
	it := list[from]
	return slices.Insert(slices.Delete(list, from, from+1), to, it)
}

// grow lets the growth be of the column that rows are sorted by, where that is of what is there.
func (t *Table) grow() {
	c := t.Columns[t.Sort]
	if g := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Growth }); g >= 0 && !c.Growth && c.hasCurve() && (c.isLevel(t.Set) || !t.Columns[g].isLevel(t.Set)) {
		t.Columns[g] = c.growth(&t.Columns[g])
		t.SetSpan(t.span)
	}
}

// SetSpan says of which time histories and growth are; 0: the last minute, and what is usual for
// growth.
func (t *Table) SetSpan(span time.Duration) {
	t.span, t.spanned = span, spanned{}
	for i := range t.Columns {
		if c := &t.Columns[i]; c.Growth {
			of := &t.Columns[t.ColumnOf(c.Counter)]
			c.above = strings.TrimPrefix(of.Head, of.above+" ")
			c.Head = c.above + " + in " + english.Span(t.growthSpan())
		}
	}
}

// isHome tells whether rows are sorted by a column at first.
func (t *Table) isHome(i int) bool { return t.Columns[i].isOf(t.home) }

// isOf tells whether a column has the values of a counter.
func (c *Column) isOf(counter int) bool {
	return c.Kind == Counter && !c.Growth && c.Counter == counter
}

// curve is the column whose history is shown: the one that rows are sorted by, or where
// that has none, the one that they are sorted by at first; nil where that has none either.
func (t *Table) curve() *Column {
	if c := &t.Columns[t.Sort]; c.hasCurve() {
		return c
	}
	if i := t.ColumnOf(t.home); i >= 0 && t.Columns[i].hasCurve() {
		return &t.Columns[i]
	}
	return nil
}

// spark is the column of histories, -1 without.
func (t *Table) spark() int {
	return slices.IndexFunc(t.Columns, func(c Column) bool { return c.Kind == Spark })
}

func (c *Column) hasCurve() bool { return c.Kind == Counter && !c.IsText }

// FirstCounter is the column that a table is sorted by at first: its first counter
// that is a number, else the first of all.
func (t *Table) FirstCounter() int {
	return max(0, slices.IndexFunc(t.Columns, func(c Column) bool { return c.hasCurve() && !c.Hidden }))
}

// Rows are the rows in their order. They are good until the next Arrange.
func (t *Table) Rows() []Row { return t.rows }

// Find is the line of an instance, -1 where it has none.
func (t *Table) Find(view *session.SetView, key session.InstanceKey) int {
	return slices.IndexFunc(t.rows, func(r Row) bool { return view.Rows[r.At].Key == key })
}

// ColumnOf is the column of a counter, -1 where there is none.
func (t *Table) ColumnOf(counter int) int {
	return slices.IndexFunc(t.Columns, func(c Column) bool { return c.isOf(counter) })
}

// Has tells whether a column has room; all have before the first Fit.
func (t *Table) Has(i int) bool { return i >= len(t.layout.Places) || t.layout.Has(i) }

// Place is where a column stands.
func (t *Table) Place(i int) columns.Place {
	if i < len(t.layout.Places) {
		return t.layout.Places[i]
	}
	return columns.Place{}
}

// Unplace forgets where columns stand: they are others.
func (t *Table) Unplace() { t.layout = columns.Layout{} }

// Counters are the counters whose values and histories the columns that have room
// need (indices in Set.Counters), the one that rows are sorted by among them.
func (t *Table) Counters() (out []int) {
	for i := range t.Columns {
		c := &t.Columns[i]
		if c.counters == nil || i != t.Sort && (c.Hidden || !t.Has(i)) {
			continue
		}
		for _, of := range c.counters(c) {
			if of >= 0 && !slices.Contains(out, of) {
				out = append(out, of)
			}
		}
	}
	if t.tie >= 0 && !slices.Contains(out, t.tie) {
		out = append(out, t.tie)
	}
	return out
}

// HasNumbers tells whether a column of the numbers of instances has room.
func (t *Table) HasNumbers() bool {
	i := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Kind == Number })
	return i >= 0 && !t.Columns[i].Hidden && t.numbered && t.Has(i)
}

// Facts are the facts that the columns that have room need, and the sorting.
func (t *Table) Facts() (out []string) {
	for i := range t.Columns {
		if t.needsFact(i) {
			out = append(out, t.Columns[i].Fact)
		}
	}
	return out
}

// HasFacts tells whether there are any of these.
func (t *Table) HasFacts() bool {
	for i := range t.Columns {
		if t.needsFact(i) {
			return true
		}
	}
	return false
}

func (t *Table) needsFact(i int) bool {
	c := &t.Columns[i]
	return c.Kind == Fact && (i == t.Sort || !c.Hidden && t.Has(i))
}

// IsByFact tells whether rows are sorted by a fact, which all of them need then.
func (t *Table) IsByFact() bool { return t.Columns[t.Sort].Kind == Fact }

// Sorted is the counter that rows are sorted by; ok is false where it is another
// column.
func (t *Table) Sorted() (counter int, ok bool) {
	c := &t.Columns[t.Sort]
	return c.Counter, c.Kind == Counter
}

// Lead is of which instances the first so many rows are; ok is false where that is not
// those with the highest values.
func (t *Table) Lead(rows int) (l session.Lead, ok bool) {
	counter, ok := t.Sorted()
	if !ok || t.Reverse || t.Tree || t.Columns[t.Sort].Growth {
		return session.Lead{}, false
	}
	return session.Lead{By: counter, Rows: rows}, true
}

// SortBy sorts by a counter of the set, if the table has it.
func (t *Table) SortBy(counter int) {
	if i := t.ColumnOf(counter); i >= 0 {
		t.Sort, t.Reverse = i, false
		t.grow()
	}
}

// Show lets the table have the columns of some counters, and of no others.
func (t *Table) Show(counters []int) {
	for i := range t.Columns {
		if c := &t.Columns[i]; c.Kind == Counter || c.Kind == Meter {
			c.Hidden = c.Kind == Meter || c.Growth || !slices.Contains(counters, c.Counter)
		}
	}
}

// Choose sorts by a column, the other way round if it was sorted by it. Of a meter that is
// its counter, what has least left first.
func (t *Table) Choose(column int) {
	least := false
	if c := &t.Columns[column]; c.Kind == Meter {
		column, least = t.ColumnOf(c.Counter), c.drawn.Used != ""
	}
	if t.Sort == column {
		t.Reverse = !t.Reverse
		return
	}
	t.Sort, t.Reverse = column, least
	t.grow()
}

// Restore takes over what is kept of a table: columns in their order, those that are not
// kept behind them, and the sorting. The instance stays first.
func (t *Table) Restore(kept *session.SavedTable) {
	if kept == nil {
		return
	}
	order := cmp.Or(kept.Sort, t.Columns[t.Sort].Name(t.Set))
	t.Columns = arranged(t.Columns, t.Set, kept)
	t.Sort = t.FirstCounter()
	if i := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name(t.Set) == order }); i >= 0 {
		t.Sort, t.Reverse = i, kept.Reverse
	}
}

// Kept is columns and sorting as they are kept.
func (t *Table) Kept() session.SavedTable {
	out := session.SavedTable{Set: t.Set.Name, Sort: t.Columns[t.Sort].Name(t.Set), Reverse: t.Reverse}
	for i := range t.Columns {
		c := &t.Columns[i]
		out.Columns = append(out.Columns, session.SavedColumn{Name: c.Name(t.Set), Hidden: c.Hidden, Width: c.Width})
	}
	return out
}

// plain settles how wide numbers without prefixes are.
func (t *Table) plain(m *Frame, now time.Time) {
	var buf [64]byte
	for i := range t.Columns {
		c := &t.Columns[i]
		col := m.View.Column(c.Counter)
		if !c.isPlain || col < 0 {
			continue
		}
		w := 0
		for _, r := range t.rows {
			w = max(w, len(c.appendText(buf[:0], t.value(c, m, r.At, col), math.MaxInt)))
		}
		c.longest.note(w, now)
	}
}

// names settles how wide the widest name is, what all begin with, and whether there are
// numbers beside them.
func (t *Table) names(m *Frame, now time.Time) {
	t.common = commonName(m.View, t.rows)
	w := 0
	for _, r := range t.rows {
		if name := called(&m.View.Rows[r.At]); len(name) > w { // no rune has more cells than bytes
			w = max(w, canvas.Full.TextWidth(name))
		}
	}
	t.longest.note(w, now)
	t.numbered = len(m.View.Rows) == 0 || slices.ContainsFunc(m.View.Rows, func(r session.Row) bool { return r.Number > 0 })
}
