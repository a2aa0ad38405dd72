package pane

import (
	"perfdeck/session"
	"perfdeck/tui/keys"
)

// Moves is how the keys of a list move its selection, or those of a text what is
// in view.
type Moves struct {
	Does        string // "select", "scroll"
	By          func(lines int)
	Page        func() int // lines in view
	First, Last func()
}

// Keys are the keys that mean the same in every list.
func (m Moves) Keys() []keys.Binding {
	step := func(n int) func() {
		return func() { m.By(n) }
	}
	page := func(n, part int) func() {
		return func() { m.By(n * max(1, m.Page()/part-1)) }
	}
	return []keys.Binding{
		{Keys: []string{"down", "j"}, Show: "j k arrows", Text: m.Does, Section: keys.Move, Do: step(1)},
		{Keys: []string{"up", "k"}, Show: "j k arrows", Text: m.Does, Section: keys.Move, Do: step(-1)},
		{Keys: []string{"pgdown"}, Show: "pgup pgdn", Text: "page", Section: keys.Move, Do: page(1, 1)},
		{Keys: []string{"pgup"}, Show: "pgup pgdn", Text: "page", Section: keys.Move, Do: page(-1, 1)},
		{Keys: []string{"ctrl+d"}, Show: "ctrl+u ctrl+d", Text: "half a page", Section: keys.Move, Do: page(1, 2)},
		{Keys: []string{"ctrl+u"}, Show: "ctrl+u ctrl+d", Text: "half a page", Section: keys.Move, Do: page(-1, 2)},
		{Keys: []string{"g", "home"}, Show: "g G", Text: "first, last", Section: keys.Move, Do: m.First},
		{Keys: []string{"G", "end"}, Show: "g G", Text: "first, last", Section: keys.Move, Do: m.Last},
	}
}

// Known is part of screens that ask hosts for nothing: what they show is not
// counted but known, and read when it is drawn.
type Known struct{}

// Asks are none.
func (Known) Asks(*Host) []session.Ask { return nil }

// Snapshot has nothing to do.
func (Known) Snapshot(*Host) {}
