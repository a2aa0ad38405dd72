package browser

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"perfdeck/session"
	"perfdeck/tui/keys"
	"perfdeck/tui/kit/list"
	"perfdeck/tui/pane"
)

// Bindings are the browser's keys.
func (b *Browser) Bindings() []keys.Binding {
	hint := &b.Keys[0].Hint
	*hint = "add to deck"
	if b.hasChosen() {
		list, _ := b.results()
		*hint = fmt.Sprintf("add %d to deck", len(list))
	} else if b.focus < counterColumn {
		*hint = "open"
	}
	return b.Keys
}

func (b *Browser) bindings() []keys.Binding {
	return pane.BindKeys([]keys.Binding{
		{Keys: "enter", Text: "one level deeper; add what is chosen to the deck", Do: b.enter},
		{Keys: "space", Text: "choose, several", Hint: "mark", Section: keys.Selected, Why: b.whyNoMark, Do: b.toggle},
		{Keys: "right l", Back: "left h", Show: "h l", Text: "column", Hint: "column", Step: b.step},
		{Keys: "/", Text: "search names and descriptions", Hint: "search", Do: b.startSearch},
		{Keys: "*", Text: "make the highlighted part a wildcard; again: wider",
			Why: b.whyNotWild, Do: b.widen},
		{Keys: pane.CombineKey, Text: "one of the chosen instances", Why: b.whyNotCombine, Do: b.combine},
		{Keys: "a", Text: "add to the deck", Why: b.whyNotAdd, Do: b.add},
		{Keys: "d delete", Text: "clear the choice", Why: b.whyNothingChosen, Do: b.unmark},
		{Keys: "y", Text: "copy the paths that are chosen", Hint: "copy path", Why: b.whyNoPath, Do: b.copyPaths},
		{Keys: "v", Text: "detail: novice, advanced, expert, wizard", Do: b.turnLevel},
		{Keys: "n", Back: "N", Text: "next, previous counter found", Step: b.nextFound},
		{Keys: "esc", Text: "clear the search; back", Hint: "back", Do: b.escape},
		{Keys: "tab", Text: "next column", Do: func() { b.turn(1) }},
		{Keys: "shift+tab", Text: "previous column", Do: func() { b.turn(-1) }},
	}, "select", b.move)
}

// move moves the mark of the focused column.
func (b *Browser) move(m list.Motion) {
	l := b.lists[b.focus]
	b.choose(b.focus, func() { l.Move(l.Lines(m)) })
}

// step moves the focus to the column beside.
func (b *Browser) step(n int) {
	b.focus = max(hostColumn, min(b.focus+column(n), instanceColumn))
	if b.focus == instanceColumn && b.lists[instanceColumn].Count() == 0 {
		b.focus = counterColumn
	}
	b.stale = true
}

// turn moves the focus to the next column, behind the last to the first.
func (b *Browser) turn(n int) {
	b.focus = (b.focus + column(n) + columns) % columns
	if b.focus == instanceColumn && b.lists[instanceColumn].Count() == 0 {
		b.focus = (b.focus + column(n) + columns) % columns
	}
	b.stale = true
}

// Turn goes to the next host.
func (b *Browser) Turn(n int) {
	rows := len(b.hostRows.Rows)
	if rows > 0 {
		focus := b.focus
		b.moveTo(hostColumn, (b.lists[hostColumn].Line()+n+rows)%rows)
		b.focus = focus
	}
}

func (b *Browser) whyNoMark() string {
	switch {
	case b.focus == hostColumn:
		return "counters and instances are chosen; all hosts are the first row"
	case b.counters.Row() == nil:
		return "no counter is highlighted"
	}
	return ""
}

func (b *Browser) whyNothingChosen() string { return keys.When(len(b.picks) == 0, "nothing is chosen") }

// unmark forgets what was chosen. It can be undone.
func (b *Browser) unmark() {
	before := b.picks
	b.picks = nil
	b.listInstances()
	b.desk.Did("nothing is chosen now", func() {
		b.picks = before
		b.listInstances()
	})
}

func (b *Browser) whyNoPath() string {
	list, _ := b.results()
	return keys.When(len(list) == 0, "no counter is highlighted")
}

// copyPaths copies what enter would add.
func (b *Browser) copyPaths() {
	list, _ := b.results()
	paths := make([]string, len(list))
	for i := range list {
		paths[i] = list[i].full()
	}
	b.desk.Send(pane.CopyPaths{Paths: paths})
}

// turnLevel shows counters of the next level.
func (b *Browser) turnLevel() {
	levels := [...]session.DetailLevel{session.DetailNovice, session.DetailAdvanced, session.DetailExpert, session.DetailWizard}
	b.level = levels[(slices.Index(levels[:], b.level)+1)%len(levels)]
	b.tally()
	b.rebuild()
	text := "all counters are shown"
	if b.level != session.DetailWizard {
		text = "counters up to " + b.level.String() + " are shown"
	}
	b.desk.Say(text)
}

// nextFound goes to the next counter, at the end of a counterset into the next.
func (b *Browser) nextFound(n int) {
	b.focus = counterColumn
	l, sets := b.lists[counterColumn], b.lists[setColumn]
	if to := l.Line() + n; to >= 0 && to < l.Count() {
		b.moveTo(counterColumn, to)
		return
	}
	if sets.Count() == 0 {
		return
	}
	b.moveTo(setColumn, (sets.Line()+n+sets.Count())%sets.Count())
	at := 0
	if n < 0 {
		at = l.Count() - 1
	}
	b.moveTo(counterColumn, at)
}

func (b *Browser) startSearch() {
	if many := b.manyNames(); b.focus == instanceColumn && len(many) > 0 {
		b.searchInstances(many)
		return
	}
	b.sought.typing = true
}

// escape clears the search first, then goes back.
func (b *Browser) escape() {
	if b.sought.query != "" {
		b.setQuery("")
		b.reaskAll()
		return
	}
	b.desk.Back()
}

func (b *Browser) reaskAll() {
	if b.place != nil && b.place.isAll {
		b.desk.Reask()
	}
}

// HandleKey types into the search line while it is open. Arrows move the marks
// meanwhile.
func (b *Browser) HandleKey(k tea.KeyPressMsg) bool {
	if !b.sought.typing {
		return false
	}
	switch name := k.String(); name {
	case "esc":
		b.sought.typing = false
		b.setQuery("")
		b.reaskAll()
		return true
	case "enter":
		b.sought.typing = false
		b.focus = max(b.focus, counterColumn)
		return true
	case "backspace", "ctrl+h", "ctrl+w", "ctrl+u":
		if b.sought.line.IsEmpty() {
			b.sought.typing = false
		}
		b.sought.line.Key(k)
		b.setQuery(b.sought.line.String())
	default:
		if k.Text == "" {
			return false // arrows, tab and pages do what they always do
		}
		b.sought.line.Insert(k.Text)
		b.setQuery(b.sought.line.String())
	}
	b.reaskAll()
	return true
}

// Paste types text into the search line. Controls are left out.
func (b *Browser) Paste(text string) {
	b.sought.typing = true
	b.sought.line.Paste(text)
	b.setQuery(b.sought.line.String())
}
