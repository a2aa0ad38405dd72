package top

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/tui/kit/names"
)

// resortAfter is how often rows are sorted anew at most, and how long they keep
// still after a key.
const resortAfter = 2 * time.Second

// refresh chooses and sorts the rows of the newest view.
func (t *Top) refresh() {
	t.rows = t.rows[:0]
	if t.host == nil {
		return
	}
	t.snap = t.host.Snap
	view := t.snap.Set(t.set)
	if view == nil {
		return
	}
	there := len(t.present)
	if t.total, t.present = 0, t.made.in(view); len(t.present) != there {
		t.sorted = time.Time{}
	}
	for i := range view.Rows {
		r := &view.Rows[i]
		if !t.lists(&r.Instance) {
			continue
		}
		t.total++
		if t.filter.Takes(line{view, i}) {
			t.rows = append(t.rows, row{at: i})
		}
	}
	t.common = commonName(view, t.rows)
	t.arrange(view)
	t.keepSelection(view)
}

// lists tells whether an instance has a row: one that was made, instead of those that
// it is made of, and what stands for all where the counterset means that.
func (t *Top) lists(in *session.Instance) bool {
	switch {
	case t.all:
		return in.Flags&session.FlagCombined == 0 || t.stands(in)
	case in.Flags&session.FlagTotal != 0:
		return t.stands(in)
	}
	return in.Flags&(session.FlagIdle|session.FlagBackground) == 0 && !t.present.takes(in)
}

// stands tells whether an instance stands for others of which the user wants one row.
func (t *Top) stands(in *session.Instance) bool {
	return t.made.has(in.Key.Name) || in.Flags&session.FlagTogether != 0 ||
		t.set.Instances.IsWhole() && in.Key.Name == cooker.AggregateInstance
}

// commonName is what the names of all rows begin with.
func commonName(view *session.SetView, rows []row) string {
	var list names.Common
	for _, r := range rows {
		if in := &view.Rows[r.at]; in.Flags&session.FlagTotal == 0 {
			list.Add(session.Printable(names.Parented(in.Key)))
		}
	}
	return list.Prefix()
}

// factsCome is how long the facts of all rows may take to come after a table was
// sorted by them: meanwhile it is sorted anew with each sample.
const factsCome = 4 * time.Second

// arrange sorts the rows by the sort column if it is time, else as they were.
func (t *Top) arrange(view *session.SetView) {
	now := t.desk.Now()
	filling := t.columns[t.sort].kind == factColumn && now.Sub(t.chosen) < factsCome
	due := filling || now.Sub(t.sorted) >= resortAfter && now.Sub(t.touched) >= resortAfter || t.sorted.IsZero()
	for i := range t.rows {
		t.rows[i].was = t.position(view, t.rows[i])
	}
	before := func(a, b row) int { return cmp.Compare(a.was, b.was) }
	if due {
		less := t.compare(view)
		slices.SortStableFunc(t.rows, func(a, b row) int {
			if c := less(a.at, b.at); c != 0 {
				return c
			}
			return before(a, b)
		})
		t.sorted = now
		if !t.isSortable(view) { // the column was asked for just now: the next view is sorted
			t.sorted = time.Time{}
		}
	} else {
		slices.SortStableFunc(t.rows, before)
	}
	if t.tree {
		t.rows = treeOrder(view, t.rows)
	}
	clear(t.order)
	for i, r := range t.rows {
		t.order[view.Rows[r.at].Key] = i
	}
}

// isSortable tells whether any row has a value in the sort column.
func (t *Top) isSortable(view *session.SetView) bool {
	c := &t.columns[t.sort]
	if c.kind != counterColumn {
		return true
	}
	col := view.Column(c.counter)
	return col >= 0 && slices.ContainsFunc(t.rows, func(r row) bool { return t.value(view, r.at, col).Valid() })
}

func (t *Top) position(view *session.SetView, r row) int {
	if p, ok := t.order[view.Rows[r.at].Key]; ok {
		return p
	}
	return math.MaxInt
}

// compare orders two view rows by the sort column. Numbers go down, names and
// texts up; what has no value comes last.
func (t *Top) compare(view *session.SetView) func(a, b int) int {
	c := &t.columns[t.sort]
	sign := 1
	if t.reverse {
		sign = -1
	}
	switch c.kind {
	case counterColumn:
		col := view.Column(c.counter)
		return func(a, b int) int {
			if col < 0 {
				return 0
			}
			return sign * compareValues(t.value(view, a, col), t.value(view, b, col), sign)
		}
	case numberColumn:
		return func(a, b int) int { return sign * cmp.Compare(view.Rows[a].Number, view.Rows[b].Number) }
	case factColumn:
		col := slices.Index(view.FactKeys, c.fact)
		if col < 0 {
			return func(int, int) int { return 0 }
		}
		return func(a, b int) int { return sign * strings.Compare(view.Fact(a, col), view.Fact(b, col)) }
	}
	return func(a, b int) int { return sign * strings.Compare(view.Rows[a].Key.Name, view.Rows[b].Key.Name) }
}

// value is what a cell shows: of the newest sample, or of the moment that is
// shown, where its history is kept.
func (t *Top) value(view *session.SetView, row, col int) cooker.Value {
	return t.desk.Shown(t.host.Snap, view.Series(row, col), view.Value(row, col))
}

// number is the value of a row, NaN when there is none.
func (t *Top) number(view *session.SetView, row, col int) float64 {
	if col >= 0 {
		if f, ok := t.value(view, row, col).Float(); ok {
			return f
		}
	}
	return math.NaN()
}

// compareValues orders numbers down and texts up. What has no value comes last,
// whatever the sign.
func compareValues(a, b cooker.Value, sign int) int {
	x, isNumberA := a.Float()
	y, isNumberB := b.Float()
	switch {
	case isNumberA && isNumberB:
		return cmp.Compare(y, x)
	case !a.Valid() || !b.Valid() || isNumberA || isNumberB:
		return sign * cmp.Compare(rank(a, isNumberA), rank(b, isNumberB))
	}
	textA, _ := a.Text()
	textB, _ := b.Text()
	return cmp.Or(strings.Compare(strings.ToLower(textA), strings.ToLower(textB)), strings.Compare(textA, textB))
}

// rank puts numbers before texts, and what has no value behind both.
func rank(v cooker.Value, isNumber bool) int {
	switch {
	case isNumber:
		return 0
	case v.Valid():
		return 1
	}
	return 2
}

// treeOrder puts every row under its parent, keeping the order among those of
// one parent. A row whose parent is not there is a root.
func treeOrder(view *session.SetView, rows []row) []row {
	byNumber := make(map[uint64]bool, len(rows))
	for _, r := range rows {
		byNumber[view.Rows[r.at].Number] = true
	}
	children := map[uint64][]row{}
	var roots []row
	for _, r := range rows {
		in := &view.Rows[r.at]
		if in.Owner == 0 || in.Owner == in.Number || !byNumber[in.Owner] {
			roots = append(roots, r)
			continue
		}
		children[in.Owner] = append(children[in.Owner], r)
	}
	out := make([]row, 0, len(rows))
	var walk func(list []row, depth int, through uint64)
	walk = func(list []row, depth int, through uint64) {
		for i, r := range list {
			r.depth, r.last, r.through = depth, i == len(list)-1, through
			out = append(out, r)
			number := view.Rows[r.at].Number
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
		in := &view.Rows[r.at]
		if below, left := children[in.Owner]; left {
			delete(children, in.Owner)
			walk(below, 0, 0)
		}
	}
	return out
}

// pickedFor is how long a row that the user chose stays selected, wherever it
// goes: long enough to read it and to act on it. Then its line does, so that a
// table nobody touches shows who is on top.
const pickedFor = 30 * time.Second

// isPicked tells whether the selection is of the instance that the user chose.
func (t *Top) isPicked() bool { return !t.picked.IsZero() }

// letGo ends what the user chose a while ago. Only time in which the table is
// seen counts: behind another screen it stays.
func (t *Top) letGo(now time.Time) {
	if now.Sub(t.picked) >= pickedFor {
		t.picked = time.Time{}
	}
}

// keepSelection keeps the selected line; but the selected instance while it is
// followed, or was chosen a short while ago, or below a dialog, which may be about
// it.
func (t *Top) keepSelection(view *session.SetView) {
	for key := range t.marks {
		if view.Find(key, -1) < 0 {
			delete(t.marks, key)
		}
	}
	if t.awaited != "" && t.present.has(t.awaited) {
		t.key, t.picked, t.awaited = session.InstanceKey{Name: t.awaited}, t.desk.Now(), ""
	}
	if t.follow || t.desk.Held || t.isPicked() {
		at := slices.IndexFunc(t.rows, func(r row) bool { return view.Rows[r.at].Key == t.key })
		if at >= 0 {
			t.list.Resize(len(t.rows))
			t.list.Select(at)
			return
		}
		t.follow, t.picked = false, time.Time{}
	}
	t.choose(view, t.list.Line())
}

// touch notes that the user does something with the table.
func (t *Top) touch() {
	t.touched = t.desk.Now()
	if !t.picked.IsZero() {
		t.picked = t.touched
	}
}

// pick selects a line because the user chose it.
func (t *Top) pick(i int) {
	t.picked = t.desk.Now()
	t.touch()
	t.follow = false
	t.selectRow(i)
}

// selectRow selects a line, or the nearest there is.
func (t *Top) selectRow(i int) {
	if view := t.view(); view != nil {
		t.choose(view, i)
	}
}

func (t *Top) choose(view *session.SetView, i int) {
	t.list.Resize(len(t.rows))
	t.list.Select(i)
	if t.list.Has() {
		t.key = view.Rows[t.rows[t.list.Line()].at].Key
	}
}
