package deck

import (
	"perfdeck/tui/keys"
	"perfdeck/tui/kit/list"
	"perfdeck/tui/pane"
)

// bindings are those of a deck, for the focused host, but that panes are hosts
// and what is added or removed is so on all.
func (a *Abreast) bindings() []keys.Binding {
	turn := func(n int) func() {
		return func() { a.focus = (a.focus + n + len(a.decks)) % len(a.decks) }
	}
	the := func(do func(*Deck)) func() {
		return func() { do(a.decks[a.focus]) }
	}
	noRow := func() string { return a.decks[a.focus].whyNoRow() }
	noValue := func() string { return a.decks[a.focus].whyNoValue() }
	return append([]keys.Binding{
		{Keys: []string{"a"}, Text: "add a counter, on all hosts", Hint: "add", Section: keys.Change, Do: the((*Deck).askAdd)},
		{Keys: []string{"d", "delete"}, Text: "remove the selected counter, on all hosts", Hint: "remove", Section: keys.Change,
			Why: noRow, Do: a.remove},
		{Keys: []string{"enter"}, Text: "open: one level deeper", Section: keys.Go, Why: noValue, Do: the((*Deck).open)},
		{Keys: []string{"esc"}, Text: "back", Section: keys.Go, Do: func() { a.desk.Send(pane.Back{}) }},
		{Keys: []string{"esc"}, Text: "back", Section: keys.Go, Do: func() { a.desk.Send(pane.Back{}) }},
		{Keys: []string{"space"}, Text: "mark several", Section: keys.Selected, Why: noRow, Do: the((*Deck).mark)},
		{Keys: []string{pane.CombineKey}, Text: "one row of the marked ones, on all hosts", Section: keys.Change,
			Why: func() string { return a.decks[a.focus].whyNotCombine() }, Do: func() { a.decks[a.focus].combine(a.decks) }},
		{Keys: []string{"v"}, Text: "a matrix of hosts, panes by host", Section: keys.View, Do: func() { a.byHost = !a.byHost }},
		{Keys: []string{"z"}, Text: "zoom: the host's own deck", Hint: "zoom", Section: keys.View,
			Do: func() { a.desk.Send(pane.OpenHost{Host: a.Host()}) }},
		{Keys: []string{"tab", "right", "l"}, Show: "tab l", Text: "next host", Section: keys.Go, Do: turn(1)},
		{Keys: []string{"shift+tab", "left", "h"}, Show: "shift+tab h", Text: "previous host", Section: keys.Go, Do: turn(-1)},
	}, pane.ListKeys("select", func(m list.Motion) { a.decks[a.focus].moveBy(m) })...)
}

// remove takes the selected counter off the decks of all hosts.
func (a *Abreast) remove() {
	d := a.decks[a.focus]
	i := d.selectedLine()
	if i < 0 {
		return
	}
	text := d.panes[d.focus].lines[i].item.text
	var undo []func()
	for _, other := range a.decks {
		undo = append(undo, other.memory())
		other.drop(text, other.panes)
	}
	d.selectNear(i)
	a.desk.Send(pane.Reask{})
	a.desk.Send(pane.Did{
		Text: "removed " + text,
		Undo: func() {
			for _, back := range undo {
				back()
			}
		},
	})
}
