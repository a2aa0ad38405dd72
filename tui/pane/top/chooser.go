package top

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"perfdeck/session"
	"perfdeck/themes"
	"perfdeck/tui/pane"
)

// chooser is the dialog in which columns are chosen, ordered and sized. What it
// does shows in the table at once; esc takes it back.
type chooser struct {
	table *Top
	set   *session.Counterset // whose columns they are
	was   []column
	sort  int
	at    int
	top   int
	page  int
}

func newChooser(t *Top) *chooser {
	return &chooser{table: t, set: t.set, was: slices.Clone(t.columns), sort: t.sort, at: t.cursor}
}

// Size is the size it would like to have.
func (c *chooser) Size() (w, h int) { return 62, min(len(c.table.columns)+6, 30) }

// Title is the dialog's name.
func (c *chooser) Title() string { return "Columns of " + session.Printable(c.table.set.Name) }

// Key moves, chooses, orders or closes.
func (c *chooser) Key(k tea.KeyPressMsg) {
	t := c.table
	if t.set != c.set {
		t.desk.Send(pane.Close{}) // the host has another catalogue now
		return
	}
	c.at = min(c.at, len(t.columns)-1)
	switch k.String() {
	case "esc":
		t.columns, t.sort = c.was, c.sort
		c.changed()
		t.desk.Send(pane.Close{})
	case "enter":
		t.desk.Send(pane.Close{})
		t.keep()
		t.desk.Send(pane.Reask{})
	case "down", "j":
		c.Wheel(1)
	case "up", "k":
		c.Wheel(-1)
	case "pgdown":
		c.Wheel(max(1, c.page))
	case "pgup":
		c.Wheel(-max(1, c.page))
	case "space":
		c.toggle(c.at)
	case "left", "h":
		c.shift(-1)
	case "right", "l":
		c.shift(1)
	case "+", "=":
		c.resize(1)
	case "-":
		c.resize(-1)
	}
}

// toggle shows or hides a column. The instance and the sorted one stay.
func (c *chooser) toggle(i int) {
	t := c.table
	if t.columns[i].kind == nameColumn || i == t.sort {
		return
	}
	t.columns[i].hidden = !t.columns[i].hidden
	c.changed()
}

// shift moves the column to another place; the instance stays first.
func (c *chooser) shift(n int) {
	t := c.table
	to := c.at + n
	if c.at == 0 || to < 1 || to >= len(t.columns) {
		return
	}
	t.columns[c.at], t.columns[to] = t.columns[to], t.columns[c.at]
	switch t.sort {
	case c.at:
		t.sort = to
	case to:
		t.sort = c.at
	}
	c.at = to
	c.changed()
}

// resize makes the column wider or narrower.
func (c *chooser) resize(n int) {
	t := c.table
	col := &t.columns[c.at]
	w := col.width
	if w == 0 && c.at < len(t.widths) {
		w = max(t.widths[c.at], col.Min)
	}
	col.width = max(3, min(w+n, maxWidth))
	c.changed()
}

func (c *chooser) changed() {
	t := c.table
	t.widths, t.stale = nil, true
	t.cursor = min(t.cursor, len(t.columns)-1)
}

// Paste does nothing here.
func (c *chooser) Paste(string) {}

const hitColumn pane.HitKind = 1

// Draw draws the columns in their order.
func (c *chooser) Draw(f pane.Frame) {
	t := c.table
	surface := func(k themes.Token) themes.Style { return k.Style().On(themes.Surface) }
	c.page = max(1, f.Height()-2)
	c.top = max(min(c.top, c.at), c.at-c.page+1, 0)
	for y := range c.page {
		i := c.top + y
		if i >= len(t.columns) {
			break
		}
		col := &t.columns[i]
		box := "[x] "
		if col.hidden {
			box = "[ ] "
		}
		st := surface(themes.Text)
		if col.hidden {
			st = surface(themes.Muted)
		}
		x := 2 + f.Text(2, y, box, surface(themes.Accent))
		f.Middle(x, y, max(0, f.Width()-x-16), session.Printable(col.name(t.set)), st)
		f.Left(f.Width()-15, y, 15, c.about(i), surface(themes.Muted))
		if i == c.at {
			f.Put(0, y, f.Glyphs().Selected, surface(themes.Focus))
			f.SetBackground(0, y, f.Width(), 1, themes.Selection)
		}
		f.Zone(0, y, f.Width(), 1, pane.Hit{Kind: hitColumn, A: i})
	}
	hint := "space show  h l order  + - width  enter keep  esc undo"
	if f.Width() < len(hint) {
		hint = "space show  enter keep  esc undo" // how to leave, first of all
	}
	f.Left(0, f.Height()-1, f.Width(), hint, surface(themes.Muted))
}

// about says what is special with a column.
func (c *chooser) about(i int) string {
	t := c.table
	switch {
	case i == t.sort:
		return "sorted"
	case t.columns[i].hidden:
		return ""
	case i < len(t.widths) && t.widths[i] == 0:
		return "no room"
	case t.columns[i].width > 0:
		return "own width"
	}
	return ""
}

// Click selects a column; on the selected one it shows or hides it.
func (c *chooser) Click(hit pane.Hit, _ tea.MouseButton) {
	if hit.Kind != hitColumn || hit.A >= len(c.table.columns) || c.table.set != c.set {
		return
	}
	if hit.A == c.at {
		c.toggle(hit.A)
	}
	c.at = hit.A
}

// Wheel moves.
func (c *chooser) Wheel(lines int) {
	c.at = max(0, min(c.at+lines, len(c.table.columns)-1))
}

var _ pane.Dialog = (*chooser)(nil)
