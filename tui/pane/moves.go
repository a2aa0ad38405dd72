package pane

import (
	"perfdeck/session"
	"perfdeck/tui/keys"
	"perfdeck/tui/kit/list"
)

// ListKeys are the keys that move in a list, or in a text: the same on all
// screens. Does says what the single steps do: "select", "scroll".
func ListKeys(does string, move func(list.Motion)) []keys.Binding {
	out := make([]keys.Binding, 0, 2*len(listKeys))
	for _, k := range listKeys {
		text := k.text
		if text == "" {
			text = does
		}
		for i, m := range k.motions {
			out = append(out, keys.Binding{Keys: k.keys[i], Show: k.show, Text: text, Section: keys.Move, Do: func() { move(m) }})
		}
	}
	return out
}

// listKeys are pairs of motions and their keys; one without a text does what the
// list is for.
var listKeys = []struct {
	show, text string
	motions    [2]list.Motion
	keys       [2][]string
}{
	{"j k arrows", "", [2]list.Motion{list.Down, list.Up}, [2][]string{{"down", "j"}, {"up", "k"}}},
	{"pgup pgdn", "page", [2]list.Motion{list.PageDown, list.PageUp}, [2][]string{{"pgdown"}, {"pgup"}}},
	{"ctrl+u ctrl+d", "half a page", [2]list.Motion{list.HalfDown, list.HalfUp}, [2][]string{{"ctrl+d"}, {"ctrl+u"}}},
	{"g G", "first, last", [2]list.Motion{list.First, list.Last}, [2][]string{{"g", "home"}, {"G", "end"}}},
}

// Known is part of screens that ask hosts for nothing: what they show is not
// counted but known, and read when it is drawn.
type Known struct{}

// Asks are none.
func (Known) Asks(*Host) []session.Ask { return nil }

// Snapshot has nothing to do.
func (Known) Snapshot(*Host) {}
