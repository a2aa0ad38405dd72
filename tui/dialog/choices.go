package dialog

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/keys"
	"perfdeck/tui/kit/lineedit"
	"perfdeck/tui/pane"
	"perfdeck/tui/search"
)

// choices is a list of things to do; typing narrows it.
type choices struct {
	searched

	out   *pane.Outbox
	keys  *keys.Map
	items []pane.MenuItem
	found []int // indices in items
}

func newChoices(out *pane.Outbox, items []pane.MenuItem, m *keys.Map) *choices {
	c := &choices{out: out, items: items, keys: m}
	c.changed = c.search
	c.search()
	return c
}

// search finds the items that hold all words, or what these are called here, and
// selects the first that can be chosen.
func (c *choices) search() {
	c.found = c.found[:0]
	words := strings.Fields(strings.ToLower(c.field.String()))
	for i := range c.items {
		text := strings.ToLower(c.items[i].Text + " " + c.items[i].Also)
		holds := func(w string) bool { return strings.Contains(text, w) }
		if !slices.ContainsFunc(words, func(w string) bool { return !holds(w) && !slices.ContainsFunc(search.Synonyms(w), holds) }) {
			c.found = append(c.found, i)
		}
	}
	c.searched.found(len(c.found))
	c.Select(slices.IndexFunc(c.found, func(i int) bool { return c.items[i].Why == "" }))
}

// current is the selected item, nil if there is none.
func (c *choices) current() *pane.MenuItem {
	if !c.Has() {
		return nil
	}
	return &c.items[c.found[c.Line()]]
}

// choose closes the dialog and does what is selected, if it can be done.
func (c *choices) choose() {
	it := c.current()
	if it == nil || it.Why != "" {
		return // the reason stands beside it
	}
	c.out.Close(it.Do)
}

func (c *choices) key(k tea.KeyPressMsg) {
	if k.String() == "enter" {
		c.choose()
		return
	}
	c.typed(k)
}

// Click selects a row, and chooses the one that is selected.
func (c *choices) Click(hit pane.Hit, button tea.MouseButton) {
	if c.Opens(hit, button) {
		c.choose()
	}
}

// draw draws what was typed, the rows, and the reason if the selected one cannot
// be chosen.
func (c *choices) draw(f pane.Frame) {
	drawSearch(f, &c.field, "type to narrow")
	c.DrawEach(f.Below(2), len(c.found), c.drawItem)
	if len(c.found) == 0 {
		f.Rest(2, 2, "nothing here has these words", themes.Muted)
	}
}

// drawSearch draws the line where words are typed, with a hint while it is empty.
func drawSearch(f pane.Frame, fl *lineedit.Line, hint string) {
	fl.Draw(f.Region, 0, 0, f.Width(), themes.Strong)
	if fl.String() == "" {
		f.Rest(2, 0, hint, themes.Muted)
	}
}

// drawItem draws a row: text, the reason if it cannot be chosen, the key that
// does the same without the menu.
func (c *choices) drawItem(f pane.Frame, row int) {
	it := &c.items[c.found[row]]
	shown := c.keys.Words(it.Key)
	keyW := min(len([]rune(shown)), max(0, f.Width()-12))
	w := f.Width() - 3
	if keyW > 0 {
		w -= keyW + 1
	}
	st := themes.Text
	if it.Why != "" {
		st = themes.Muted
	} else if c.Is(row) {
		st = st.Bold()
	}
	n := f.Middle(2, 0, w, it.Text, st)
	if it.Also != "" && w-n > 4 {
		n += 2 + f.Left(4+n, 0, w-n-2, it.Also, themes.Muted)
	}
	if it.Why != "" {
		f.Left(2+n, 0, w-n, ": "+it.Why, st)
	}
	if keyW > 0 {
		keySt := themes.Accent.Bold()
		if it.Why != "" {
			keySt = themes.Muted
		}
		f.Left(f.Width()-1-keyW, 0, keyW, shown, keySt)
	}
}

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
