package top

import (
	"cmp"
	"time"

	tea "charm.land/bubbletea/v2"

	"perfdeck/tui/keys"
	"perfdeck/tui/pane"
)

func (t *Top) bindings() []keys.Binding {
	column := func(n int) func() tea.Cmd {
		return func() tea.Cmd { t.moveCursor(n); return nil }
	}
	return append([]keys.Binding{
		{Keys: []string{"s"}, Text: "sort by this column; again: reverse", Hint: "sort", Section: keys.View, Why: t.whyNoSet, Do: t.sortByCursor},
		{Keys: []string{"o"}, Text: "columns: choose, order, widths", Hint: "columns", Section: keys.View, Why: t.whyNoSet, Do: t.chooseColumns},
		{Keys: []string{"space"}, Text: "mark several", Hint: "mark", Section: keys.Selected, Why: t.whyNoRow, Do: t.mark},
		{Keys: []string{"v"}, Text: "list, tree by parent", Hint: "tree", Section: keys.View, Why: t.whyNoTree, Do: t.toggleTree},
		{Keys: []string{"/"}, Text: "filter", Hint: "filter", Section: keys.Go, Note: t.filterHelp, Why: t.whyNoSet, Do: t.askFilter},
		{Keys: []string{"f"}, Text: "follow the selected instance", Hint: "follow", Section: keys.Selected,
			Why: t.whyNoRow, Do: t.toggleFollow},
		{Keys: []string{"K"}, Text: "show background, idle and total rows too", Section: keys.View, Do: t.toggleAll},
		{Keys: []string{"enter"}, Text: "open: how the number came about", Section: keys.Go,
			Why: t.whyNoNumber, Do: t.open},
		{Keys: []string{"esc"}, Text: "clear the filter; back", Section: keys.Go, Do: t.escape},
		{Keys: []string{"right", "l"}, Show: "h l arrows", Text: "column", Section: keys.Move, Do: column(1)},
		{Keys: []string{"left", "h"}, Show: "h l arrows", Text: "column", Section: keys.Move, Do: column(-1)},
	}, pane.Moves{
		Does: "select", By: func(n int) tea.Cmd { t.move(n); return nil }, Page: func() int { return t.page },
		First: func() tea.Cmd { t.first(); return nil }, Last: func() tea.Cmd { t.move(len(t.rows)); return nil },
	}.Keys()...)
}

func (t *Top) whyNoSet() string {
	if t.set == nil {
		return cmp.Or(WhyNoProcesses(t.host), "the first sample is awaited")
	}
	return ""
}

func (t *Top) whyNoRow() string {
	if t.selected >= len(t.rows) {
		return "no row is selected"
	}
	return ""
}

func (t *Top) whyNoNumber() string {
	if _, ok := t.target(); !ok {
		return "neither the marked nor the sorted column is a counter"
	}
	return ""
}

func (t *Top) whyNoTree() string {
	if view := t.view(); view != nil {
		for i := range view.Rows {
			if view.Rows[i].Owner != 0 {
				return ""
			}
		}
	}
	return "these instances have no parents"
}

func (t *Top) move(n int) { t.pick(t.selected + n) }

// moveCursor moves to the next column that is shown.
func (t *Top) moveCursor(n int) {
	for i := t.cursor + n; i >= 0 && i < len(t.columns); i += n {
		if t.shown(i) && t.columns[i].kind != sparkColumn {
			t.cursor = i
			return
		}
	}
}

func (t *Top) sortByCursor() tea.Cmd {
	if t.cursor >= len(t.columns) || t.columns[t.cursor].kind == sparkColumn {
		return nil
	}
	if t.sort == t.cursor {
		t.reverse = !t.reverse
	} else {
		t.sort, t.reverse = t.cursor, false
	}
	t.chosen = t.desk.Now()
	return tea.Batch(t.resort(), t.keep())
}

// mark marks the selected row, or takes its mark back, and goes on.
func (t *Top) mark() tea.Cmd {
	if t.marks[t.key] {
		delete(t.marks, t.key)
	} else {
		t.marks[t.key] = true
	}
	t.move(1)
	return nil
}

func (t *Top) chooseColumns() tea.Cmd { return pane.Send(pane.Open{Dialog: newChooser(t)}) }

// resort sorts at once, whatever was touched. What the user chose stays selected
// wherever it goes; the first line, which nobody chose, is whoever is there.
func (t *Top) resort() tea.Cmd {
	t.sorted, t.stale = time.Time{}, true
	chosen := t.follow || t.isPicked() || t.selected > 0
	if chosen {
		t.picked = t.desk.Now()
	}
	if t.refresh(); !chosen { // below a dialog too: it is what the user does
		t.selectRow(0)
	}
	return nil
}

func (t *Top) toggleTree() tea.Cmd {
	t.tree = !t.tree
	return t.resort()
}

func (t *Top) toggleAll() tea.Cmd {
	t.all = !t.all
	return t.resort()
}

func (t *Top) toggleFollow() tea.Cmd {
	t.follow = !t.follow
	return nil
}

func (t *Top) askFilter() tea.Cmd {
	return pane.Send(pane.AskText{
		Title: "Filter", Text: t.filter.Text(), Help: t.filterHelp(),
		Each: t.setFilter, Done: t.setFilter,
	})
}

// setFilter filters by an expression, while it is typed. While it is wrong the
// last good one holds.
func (t *Top) setFilter(text string) error {
	f, err := t.fields().Parse(text)
	if err != nil {
		return err
	}
	t.filter = f
	t.resort()
	return nil
}

// escape clears the filter first, then goes back to the deck.
func (t *Top) escape() tea.Cmd {
	if t.filter.Text() != "" {
		_ = t.setFilter("")
		return nil
	}
	return pane.Send(pane.Back{})
}

func (t *Top) open() tea.Cmd {
	target, ok := t.target()
	if !ok {
		return nil
	}
	return pane.Send(pane.OpenExplain{Target: target})
}

var (
	_ pane.Screen   = (*Top)(nil)
	_ pane.Selector = (*Top)(nil)
)
