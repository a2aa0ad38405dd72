package dialog

import (
	tea "charm.land/bubbletea/v2"

	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/keys"
	"perfdeck/tui/pane"
)

// Menu lists what can be done; typing narrows it. What cannot be done now says
// why.
type Menu struct {
	title string
	*choices
}

// NewMenu returns a menu. The keys of its items are labels in keys of the table
// of actions, as of Binding.Label; the user's are shown.
func NewMenu(out *pane.Outbox, m pane.OpenMenu, userKeys *keys.Map) *Menu {
	return &Menu{title: m.Title, choices: newChoices(out, m.Items, userKeys)}
}

// Size is the size it would like to have: all items, as wide as the widest, or as
// the title.
func (m *Menu) Size() (w, h int) {
	const margin, around = 6, 7 // frame and margin; those, the search line, the hints and a blank
	w = canvas.Full.TextWidth(m.title)
	for i := range m.items {
		it := &m.items[i]
		n := 3 + canvas.Full.TextWidth(it.Text)
		if it.Key != "" {
			n += 1 + canvas.Full.TextWidth(m.keys.Words(it.Key))
		}
		if it.Why != "" {
			n += 2 + canvas.Full.TextWidth(it.Why)
		}
		w = max(w, n)
	}
	return min(max(w, 30)+margin, 62), len(m.items) + around
}

// Title is what the menu is about.
func (m *Menu) Title() string { return m.title }

// Key moves, narrows, chooses, closes.
func (m *Menu) Key(k tea.KeyPressMsg) {
	if k.String() == "esc" {
		m.out.Close(nil)
		return
	}
	m.key(k)
}

// Draw draws the items above the hints.
func (m *Menu) Draw(f pane.Frame) {
	m.draw(f.Lines(0, f.Height()-2))
	if it := m.current(); it != nil && it.Why != "" { // whole, where the row is too short for it
		f.Rest(0, f.Height()-2, it.Why, themes.Muted)
	}
	hints(f, f.Height()-1, "enter", "do it", "esc", "close")
}
