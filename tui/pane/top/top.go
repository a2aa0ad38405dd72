// Package top is the table of a counterset: a row for each instance, a column
// for each counter. For Process it is the `top` of the program.
package top

import (
	"cmp"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"perfdeck/session"
	"perfdeck/session/text/printable"
	"perfdeck/tui/keys"
	"perfdeck/tui/kit/filter"
	"perfdeck/tui/kit/names"
	"perfdeck/tui/kit/scale"
	"perfdeck/tui/kit/table"
	"perfdeck/tui/pane"
)

// Top is the screen.
type Top struct {
	desk    *pane.Desk
	host    *pane.Host // nil before Show
	set     *session.Counterset
	table   *table.Table // of the set; nil before Show
	cursor  int          // column
	all     bool         // show idle, totals and background instances too
	filter  pane.Filter[line]
	marks   map[session.InstanceKey]bool
	left    map[string]*session.SavedTable // by counterset: how it was left
	made    combined                       // rows of several instances
	present combined                       // those that are there
	at      chosenRow
	span    time.Duration // of histories and growth; 0: as is usual

	snap   *session.Snapshot // of which the rows are
	shown  time.Time         // the moment that they are of; zero: the newest sample
	chosen time.Time         // when the sort column was chosen
	list   pane.PlainList
	total  int // instances that could be shown
	ended  int // those of them that ended

	asked   table.Asked  // rows of which facts and history are asked, since which sample
	led     session.Lead // what was asked: without rows, all instances
	stale   bool         // what is asked does not fit what is shown
	gauges  []gauge
	addends []int                // rows whose sums the summary shows
	told    []*session.HostEvent // by the host of late

	pics graphed
	keys []keys.Binding
}

// chosenRow is the selected row, and what keeps it where it is.
type chosenRow struct {
	awaited string              // the newest row made of several, to be selected when it comes
	touched time.Time           // when a key moved the selection last
	picked  time.Time           // when the user chose the selected row; zero: nobody did
	key     session.InstanceKey // of the selected row
	follow  bool
}

// graphed is the graphs of the selected row, in height that the table leaves.
type graphed struct {
	units    pane.Units       // of the values beside graphs
	names    *pane.ShortNames // of them
	drawn    []picture        // of the selected instance
	tops     []scale.Scale    // of the graphs
	topsOf   topsOf
	pictured []int // counters that were asked for them
	room     int   // rows that the table takes where there are graphs
	hasRoom  bool  // for graphs, if they are wanted
	flipped  bool  // the user wants graphs where there are none by themselves, and none where there are
}

// New returns a table. It shows nothing until Show.
func New(desk *pane.Desk) *Top {
	t := &Top{desk: desk, marks: map[session.InstanceKey]bool{}, left: map[string]*session.SavedTable{}}
	t.filter = pane.Filter[line]{Desk: desk, Title: "Filter", Fields: t.fields, Changed: t.resort}
	t.keys = t.bindings()
	return t
}

// Show chooses the counterset and, if sort is not negative, the counter to sort
// by. A key selects the row of an instance and follows it.
func (t *Top) Show(host *pane.Host, set *session.Counterset, key session.InstanceKey, sort int) {
	if t.host != host || t.set != set {
		if t.set != nil {
			left := t.kept()
			t.left[t.set.Name] = &left
		}
		t.at.picked = time.Time{}
		t.host, t.set = host, set
		t.lay(cmp.Or(t.left[set.Name], t.desk.Kept.Table(set.Name)))
		clear(t.marks)
		t.filter.Filter = filter.Filter[line]{}
		t.list.Restart()
	}
	if sort >= 0 {
		t.table.SortBy(sort)
	}
	if key != (session.InstanceKey{}) {
		t.at.key, t.at.follow = key, true
	}
	t.table.Forget()
	t.stale = true
	t.refresh()
}

// lay makes the table of the counterset, with its columns as they are kept.
func (t *Top) lay(kept *session.SavedTable) {
	numbers := t.desk.NumbersOf(t.host)
	t.table = table.New(t.set, numbers.Of())
	t.table.Restore(kept)
	t.table.SetSpan(t.span)
	t.table.Coming, t.table.Remark = t.isComing, t.remark
	t.gauges, t.pics.units = t.gaugesOf(numbers), pane.NewUnits(numbers)
	t.pics.drawn, t.pics.room = nil, 0
	called := make([]string, len(t.set.Counters))
	for i := range called {
		called[i] = printable.Text(t.set.Counters[i].Name)
	}
	t.pics.names = &pane.ShortNames{List: names.NewList(t.set.Name, called)}
	t.cursor, t.made = 0, nil
	if kept != nil {
		t.made = t.made.with(kept.Combined...)
	}
}

// Recall takes over that numbers are written another way.
func (t *Top) Recall() {
	if t.set != nil {
		t.relay(t.set)
		t.refresh()
	}
}

// relay makes the table anew, with columns, sorting and filter as they are.
func (t *Top) relay(set *session.Counterset) {
	kept, tree, text := t.kept(), t.table.Tree, t.filter.Text()
	t.set, t.stale = set, true
	t.lay(&kept)
	t.table.Tree = tree
	_ = t.filter.Filter.Set(text, t.fields())
}

// Set is the counterset shown, nil before Show.
func (t *Top) Set() *session.Counterset { return t.set }

// ShowProcesses shows the processes of a host, if it tells them.
func (t *Top) ShowProcesses(h *pane.Host) {
	t.host = h
	if set := h.Sampler.Catalogue().Processes(); set != nil {
		t.Show(h, set, session.InstanceKey{}, -1)
	}
}

// Turn shows the same counterset of the next host.
func (t *Top) Turn(n int) {
	hosts := t.desk.Hosts
	at := slices.Index(hosts, t.host)
	h := hosts[(at+n+len(hosts))%len(hosts)]
	if t.set != nil {
		if set := h.Sampler.Catalogue().Set(t.set.Name); set != nil {
			t.Show(h, set, session.InstanceKey{}, -1)
			return
		}
	}
	t.set, t.table = nil, nil
	t.ShowProcesses(h)
}

// Opened shows another host if the one shown is no longer watched, and the
// processes once they are told. What was chosen before is still.
func (t *Top) Opened() {
	if t.isPicked() {
		t.at.picked = t.desk.Now()
	}
	if !slices.Contains(t.desk.Hosts, t.host) {
		t.set, t.table = nil, nil
		t.ShowProcesses(t.desk.Hosts[0])
	}
}

// Selected is the value that is selected, and those of rows that are marked.
func (t *Top) Selected() []pane.Target {
	target, ok := t.target()
	if !ok {
		return []pane.Target{{Host: t.host, Counter: -1}}
	}
	out := []pane.Target{target}
	if len(t.marks) == 0 { // what keys can do is asked with each picture
		return out
	}
	view, c := t.view(), t.measured()
	selected := t.selected(view)
	for _, r := range t.rows() {
		if in := &view.Rows[r.At]; t.marks[in.Key] && in != selected {
			out = append(out, t.host.Target(t.set, c.Counter, in.Key))
		}
	}
	return out
}

// keep remembers columns for the next start, and what they are sorted by if that was chosen with
// them: a look at another order is none.
func (t *Top) keep(order bool) {
	if t.desk.Kept == nil {
		return
	}
	kept := t.kept()
	if !order {
		old := cmp.Or(t.desk.Kept.Table(kept.Set), new(session.SavedTable))
		kept.Sort, kept.Reverse = old.Sort, old.Reverse
	}
	t.desk.Kept.SetTable(kept)
	t.desk.Send(pane.Keep{})
}

// kept is columns and sort as they are kept.
func (t *Top) kept() session.SavedTable {
	kept := t.table.Kept()
	kept.Combined = t.made.names()
	return kept
}

// rows are the rows of the table, of the view that was arranged last.
func (t *Top) rows() []table.Row {
	if t.table == nil {
		return nil
	}
	return t.table.Rows()
}

// Title is the name of the tab.
func (t *Top) Title() string { return "Top" }

// Scope is the host's name.
func (t *Top) Scope() string {
	if t.host == nil {
		return ""
	}
	return t.host.Name
}

// Bindings are the table's keys. What the next view is depends on the rows.
func (t *Top) Bindings() []keys.Binding {
	view := &t.keys[slices.IndexFunc(t.keys, func(b keys.Binding) bool { return b.Keys == "v" })]
	if view.Hint = "graphs"; t.hasParents() && !t.table.Tree {
		view.Hint = "tree"
	}
	return t.keys
}

// Snapshot brings new values.
func (t *Top) Snapshot(h *pane.Host) {
	if h != t.host {
		return
	}
	if t.set == nil {
		t.ShowProcesses(h)
		return
	}
	if set := t.host.Renewed(t.set); set != nil { // what the user chose stays
		t.relay(set)
	}
	t.refresh()
}

// newest is the newest snapshot, for the moment that is shown.
func (t *Top) newest() *session.Snapshot { return t.host.Then(t.desk.At) }

// view is the newest view; the rows are always of it.
func (t *Top) view() *session.SetView {
	if t.host == nil {
		return nil
	}
	if t.snap != t.newest() || !t.shown.Equal(t.desk.At) {
		t.refresh()
	}
	return t.newest().Set(t.set)
}

// target is the value that is selected: the sorted counter of the row.
func (t *Top) target() (pane.Target, bool) {
	view := t.view()
	in := t.selected(view)
	if in == nil {
		return pane.Target{}, false
	}
	c := t.measured()
	if c == nil {
		return pane.Target{}, false
	}
	return t.host.Target(t.set, c.Counter, in.Key), true
}

// selected is the row of a view that is selected, nil without one.
func (t *Top) selected(view *session.SetView) *session.Row {
	if rows := t.rows(); view != nil && t.list.Line() < len(rows) {
		return &view.Rows[rows[t.list.Line()].At]
	}
	return nil
}

// measured is the column of the value that is selected: that under the cursor,
// or the sorted one, or the first that is a counter; nil if none is.
func (t *Top) measured() *table.Column {
	for _, i := range []int{t.cursor, t.table.Sort, t.table.FirstCounter()} {
		if c := &t.table.Columns[i]; c.Kind == table.Counter {
			return c
		}
	}
	return nil
}

const (
	hitHead pane.HitKind = iota + 1
	hitEdge              // right of a column's head
)

// Drag moves the right edge of a column.
func (t *Top) Drag(from pane.Hit, x, _ int, released bool) {
	if from.Kind != hitEdge || t.table == nil || from.A >= len(t.table.Columns) {
		return
	}
	t.table.Columns[from.A].Width = max(3, min(x-from.B, table.MaxWidth))
	if released {
		t.keep(false)
	}
}

// Click selects a row, or sorts by the column whose head was clicked.
func (t *Top) Click(hit pane.Hit, button tea.MouseButton) {
	switch isLeft := button == tea.MouseLeft; {
	case hit.Kind == hitHead && isLeft:
		t.cursor = hit.A
		t.sortByCursor()
	case hit.Kind != pane.HitRow:
	case isLeft && t.list.Is(hit.B):
		t.touch()
		t.open()
	case isLeft || button == tea.MouseRight:
		t.pick(hit.B)
	}
}

// Wheel scrolls. It chooses nobody: where the selection goes along, it is of
// whoever is there.
func (t *Top) Wheel(_ pane.Hit, lines int) {
	was := t.list.Line()
	t.list.Scroll(lines)
	t.touch()
	if t.list.Line() != was {
		t.at.follow, t.at.picked = false, time.Time{}
		t.selectRow(t.list.Line())
	}
}
