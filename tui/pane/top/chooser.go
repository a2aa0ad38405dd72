package top

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"perfdeck/session"
	"perfdeck/themes"
	"perfdeck/tui/kit/list"
	"perfdeck/tui/kit/table"
	"perfdeck/tui/pane"
)

// chooser is the dialog in which columns are chosen, ordered and sized. What it
// does shows in the table at once; esc takes it back.
type chooser struct {
	pane.PlainList

	top  *Top
	set  *session.Counterset // whose columns they are
	was  []table.Column
	sort int
}

func newChooser(t *Top) *chooser {
	c := &chooser{top: t, set: t.set, was: slices.Clone(t.table.Columns), sort: t.table.Sort}
	c.Resize(len(t.table.Columns))
	c.Select(t.cursor)
	return c
}

// Size is the size it would like to have.
func (c *chooser) Size() (w, h int) { return 62, min(len(c.top.table.Columns)+6, 30) }

// Title is the dialog's name.
func (c *chooser) Title() string { return "Columns of " + c.top.set.Name }

// Key moves, chooses, orders or closes.
func (c *chooser) Key(k tea.KeyPressMsg) {
	t := c.top
	if t.set != c.set {
		t.desk.Close(nil) // the host has another catalogue now
		return
	}
	c.Resize(len(t.table.Columns))
	if m, ok := list.Plain(k.String()); ok {
		c.Move(c.Lines(m))
		return
	}
	switch k.String() {
	case "esc":
		t.table.Columns, t.table.Sort = c.was, c.sort
		c.changed()
		t.desk.Close(nil)
	case "enter":
		t.desk.Close(nil)
		t.keep(true)
		t.desk.Reask()

	case "space":
		c.toggle(c.Line())
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
	t := c.top
	if i == 0 || i == t.table.Sort {
		return
	}
	t.table.Columns[i].Hidden = !t.table.Columns[i].Hidden
	c.changed()
}

// shift moves the column to another place; the instance stays first.
func (c *chooser) shift(n int) {
	t := c.top
	at := c.Line()
	to := at + n
	if at == 0 || to < 1 || to >= len(t.table.Columns) {
		return
	}
	t.table.Columns[at], t.table.Columns[to] = t.table.Columns[to], t.table.Columns[at]
	switch t.table.Sort {
	case at:
		t.table.Sort = to
	case to:
		t.table.Sort = at
	}
	c.Select(to)
	c.changed()
}

// resize makes the column wider or narrower.
func (c *chooser) resize(n int) {
	t := c.top
	col := &t.table.Columns[c.Line()]
	w := cmp.Or(col.Width, t.table.Place(c.Line()).W)
	col.Width = max(3, min(w+n, table.MaxWidth))
	c.changed()
}

func (c *chooser) changed() {
	t := c.top
	t.table.Unplace()
	t.stale = true
	t.cursor = min(t.cursor, len(t.table.Columns)-1)
}

// Paste does nothing here.
func (c *chooser) Paste(string) {}

// Draw draws the columns in their order.
func (c *chooser) Draw(f pane.Frame) {
	t := c.top
	c.DrawEach(f.Lines(0, max(1, f.Height()-2)), len(t.table.Columns), func(f pane.Frame, i int) {
		col := &t.table.Columns[i]
		box, st := "[x] ", themes.Text
		if col.Hidden {
			box, st = "[ ] ", themes.Muted
		}
		x := 2 + f.Text(2, 0, box, themes.Accent)
		room := max(0, f.Width()-x-16)
		n := f.Middle(x, 0, room, col.Name(t.set), st)
		if head := col.Called(t.set); head != "" && room-n > 4 {
			f.Left(x+n+2, 0, room-n-2, head, themes.Muted)
		}
		f.Left(f.Width()-15, 0, 15, c.about(i), themes.Muted)
	})
	hint := "space show  h l order  + - width  enter keep  esc undo"
	if f.Width() < len(hint) {
		hint = "space show  enter keep  esc undo" // how to leave, first of all
	}
	f.Rest(0, f.Height()-1, hint, themes.Muted)
}

// about says what is special with a column.
func (c *chooser) about(i int) string {
	t := c.top
	switch {
	case i == t.table.Sort:
		return "sorted"
	case t.table.Columns[i].Hidden:
		return ""
	case !t.table.Has(i):
		return "no room"
	case t.table.Columns[i].Width > 0:
		return "own width"
	}
	return ""
}

// Click selects a column; on the selected one it shows or hides it.
func (c *chooser) Click(hit pane.Hit, button tea.MouseButton) {
	if c.top.set == c.set && c.Opens(hit, button) {
		c.toggle(hit.B)
	}
}
