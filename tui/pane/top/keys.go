package top

import (
	"cmp"
	"slices"
	"time"

	"perfdeck/session"
	"perfdeck/session/text/english"
	"perfdeck/tui/keys"
	"perfdeck/tui/kit/graph"
	"perfdeck/tui/kit/list"
	"perfdeck/tui/kit/table"
	"perfdeck/tui/pane"
)

func (t *Top) bindings() []keys.Binding {
	filtering := t.filter.Key("filter")
	filtering.Why = t.whyNoSet
	return pane.BindKeys([]keys.Binding{
		{Keys: "s", Text: "sort by this column; again: reverse", Hint: "sort", Why: t.whyNoSet, Do: t.sortByCursor},
		{Keys: "f6", Show: "F6", Text: "list of what to sort by", Why: t.whyNoSet, Do: t.chooseSort},
		{Keys: "o", Text: "columns: choose, order, widths; kept with the sort", Hint: "columns", Why: t.whyNoSet, Do: func() { t.desk.Send(pane.Open{Dialog: newChooser(t)}) }},
		{Keys: "space", Text: "mark several", Hint: "mark", Section: keys.Selected, Why: t.whyNoRow, Do: t.mark},
		{Keys: pane.CombineKey, Text: "one row of the marked ones; again: apart", Why: t.whyNotCombine, Do: t.combine},
		{Keys: "v", Text: "list, tree by parent, graphs of the selected row", Hint: "tree", Why: t.whyNoView, Do: t.nextView},
		filtering,
		{Keys: "f", Text: "follow the selected instance", Hint: "follow",
			Why: t.whyNoRow, Do: func() { t.at.follow = !t.at.follow }},
		{Keys: "K", Text: "show background, idle and total rows too", Why: t.whyNoSet, Do: t.toggleAll},
		{Keys: "enter", Text: "open: all that is known of the selected instance",
			Why: t.whyNoRow, Do: t.open},
		{Keys: "esc", Text: "clear the filter; back", Do: t.escape},
		{Keys: "right l", Back: "left h", Show: "h l arrows", Text: "column", Why: t.whyNoSet, Step: t.moveCursor},
	}, "select", t.move)
}

func (t *Top) whyNoSet() string {
	if t.set != nil {
		return ""
	}
	return cmp.Or(WhyNoProcesses(t.host), "the first sample is awaited")
}

func (t *Top) whyNoRow() string {
	return keys.When(t.list.Line() >= len(t.rows()), "no row is selected")
}

// hasParents tells whether rows can stand below others.
func (t *Top) hasParents() bool {
	view := t.view()
	return view != nil && slices.ContainsFunc(view.Rows, func(r session.Row) bool { return r.Owner != 0 })
}

func (t *Top) whyNoView() string {
	switch {
	case t.view() == nil:
		return t.whyNoSet()
	case !t.hasParents() && !t.pics.hasRoom:
		return "there is no room for graphs of the selected row"
	}
	return ""
}

// move selects another line; the first one is whoever is there.
func (t *Top) move(m list.Motion) {
	t.pick(t.list.Line() + t.list.Lines(m))
	if m == list.First {
		t.at.picked = time.Time{}
	}
}

// moveCursor moves to the next column that is shown.
func (t *Top) moveCursor(n int) {
	for i := t.cursor + n; i >= 0 && i < len(t.table.Columns); i += n {
		if t.table.Has(i) && t.table.Columns[i].Sorts() {
			t.cursor = i
			return
		}
	}
}

func (t *Top) sortByCursor() { t.sortByColumn(t.cursor) }

// sortByColumn sorts by a column, the other way round if rows are sorted by it.
func (t *Top) sortByColumn(i int) {
	if i >= len(t.table.Columns) || !t.table.Columns[i].Sorts() {
		return
	}
	t.table.Choose(i)
	t.chosen = t.desk.Now()
	t.resort()
}

// chooseSort lists the columns that rows can be sorted by, those that are hidden too.
func (t *Top) chooseSort() {
	set := t.set
	menu := pane.OpenMenu{Title: "Sort " + set.Name + " by"}
	for i := range t.table.Columns {
		c := &t.table.Columns[i]
		if !c.Sorts() {
			continue
		}
		name := c.Name(set)
		item := pane.MenuItem{Text: name, Also: c.Called(set), Do: func() { t.sortByName(set, name) }}
		if i == t.table.Sort {
			item.Text += ", the other way round"
		}
		menu.Items = append(menu.Items, item)
	}
	t.desk.Send(menu)
}

// sortByName sorts by a column that was chosen, if the table is still that of the set.
func (t *Top) sortByName(set *session.Counterset, name string) {
	if t.set == nil || t.set.Name != set.Name {
		return
	}
	if i := slices.IndexFunc(t.table.Columns, func(c table.Column) bool { return c.Name(t.set) == name }); i >= 0 {
		t.cursor = i
		t.sortByColumn(i)
		t.desk.Reask()
	}
}

// mark marks the selected row, or takes its mark back, and goes on.
func (t *Top) mark() {
	if t.marks[t.at.key] {
		delete(t.marks, t.at.key)
	} else {
		t.marks[t.at.key] = true
	}
	t.move(list.Down)
}

// resort sorts at once, whatever was touched. What the user chose stays selected
// wherever it goes; the first line, which nobody chose, is whoever is there.
func (t *Top) resort() {
	t.table.Forget()
	t.stale = true
	chosen := t.at.follow || t.isPicked() || t.list.Line() > 0
	if chosen {
		t.at.picked = t.desk.Now()
	}
	if t.refresh(); !chosen { // below a dialog too: it is what the user does
		t.selectRow(0)
	}
}

// nextView goes from the list to the tree, where rows have parents, and on to the list
// with graphs, or without where it has some by itself.
func (t *Top) nextView() {
	switch {
	case t.pics.flipped:
		t.pics.flipped = false
	case t.table.Tree:
		t.table.Tree, t.pics.flipped = false, t.pics.hasRoom
	case t.hasParents():
		t.table.Tree = true
	default:
		t.pics.flipped = true
	}
	t.resort()
}

// ShiftSpan lets the history of the sorted column, and growth, be of more or less time.
func (t *Top) ShiftSpan(steps int) {
	spans := pane.SpansFrom(pane.Spans, graph.SparkReach, t.host.History)
	at := max(0, slices.Index(spans, t.span)) + steps
	text := "rows show no less than the last minute"
	switch {
	case at >= len(spans):
		text = "this is all that is kept: --history keeps more"
	case at >= 0:
		t.span = spans[at]
		if text = "rows show the last minute"; at > 0 {
			text = "rows show " + english.Span(t.span) + "; growth in it is a column to sort by"
		}
		if t.table != nil {
			t.table.SetSpan(t.span)
			t.resort()
		}
	}
	t.desk.Say(text)
}

func (t *Top) toggleAll() {
	t.all = !t.all
	t.resort()
}

// escape clears the filter first, then goes back to the deck.
func (t *Top) escape() {
	if !t.filter.Clear() {
		t.desk.Back()
	}
}

func (t *Top) open() {
	in := t.selected(t.view())
	if in == nil {
		return
	}
	t.at.picked = t.desk.Now() // whoever comes back finds it
	counter := -1
	if c := t.measured(); c != nil {
		counter = c.Counter
	}
	t.desk.Send(pane.OpenDetails{Target: t.host.Target(t.set, counter, in.Key)})
}
