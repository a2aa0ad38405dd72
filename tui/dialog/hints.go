package dialog

import (
	"slices"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"perfdeck/tui/pane"
)

// hitHint is a hint in the last line of a dialog: clicking it presses its key.
// Dialogs number their own kinds from 1.
const hitHint pane.HitKind = 100

// hintKeys are the keys that can be pressed by clicking their hint.
var hintKeys = []struct {
	name string
	key  tea.Key
}{
	{"enter", tea.Key{Code: tea.KeyEnter}},
	{"esc", tea.Key{Code: tea.KeyEscape}},
	{"tab", tea.Key{Code: tea.KeyTab}},
}

// hints draws pairs of key and meaning in line y. What does not fit leaves from the right, the
// last pair, which leads out, at the end.
func hints(f pane.Frame, y int, pairs ...string) {
	for len(pairs) > 2 && hintsWidth(pairs) > f.Width() {
		pairs = append(slices.Clone(pairs[:len(pairs)-4]), pairs[len(pairs)-2:]...)
	}
	x := 0
	for i := 0; i+1 < len(pairs); i += 2 {
		w := f.DrawHint(x, y, pairs[i], pairs[i+1])
		for k := range hintKeys {
			if hintKeys[k].name == pairs[i] {
				f.Zone(x, y, w, 1, hitHint, k)
			}
		}
		x += w + 2
	}
}

// hintsWidth is the cells that hints take.
func hintsWidth(pairs []string) int {
	w := -2
	for i := 0; i+1 < len(pairs); i += 2 {
		w += utf8.RuneCountInString(pairs[i]) + 1 + utf8.RuneCountInString(pairs[i+1]) + 2
	}
	return w
}

// Click tells a dialog of a button of the mouse; on a hint that presses its key.
func Click(d pane.Dialog, hit pane.Hit, button tea.MouseButton) {
	switch {
	case hit.Kind != hitHint:
		d.Click(hit, button)
	case button == tea.MouseLeft:
		d.Key(tea.KeyPressMsg(hintKeys[hit.A].key))
	}
}
