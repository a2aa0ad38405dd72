package top

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"perfdeck/session"
	"perfdeck/themes"
	"perfdeck/tui/kit/columns"
	"perfdeck/tui/kit/list"
	"perfdeck/tui/pane"
)

// chooser is the dialog in which columns are chosen, ordered and sized. What it
// does shows in the table at once; esc takes it back.
type chooser struct {
	table *Top
	set   *session.Counterset // whose columns they are
	was   []column
	sort  int
	list  list.List
}

func newChooser(t *Top) *chooser {
	c := &chooser{table: t, set: t.set, was: slices.Clone(t.columns), sort: t.sort}
	c.list.Resize(len(t.columns))
	c.list.Select(t.cursor)
	return c
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
	c.list.Resize(len(t.columns))
	if m, ok := list.Plain(k.String()); ok {
		c.list.Move(c.list.Lines(m))
		return
	}
	switch k.String() {
	case "esc":
		t.columns, t.sort = c.was, c.sort
		c.changed()
		t.desk.Send(pane.Close{})
	case "enter":
		t.desk.Send(pane.Close{})
		t.keep()
		t.desk.Send(pane.Reask{})

	case "space":
		c.toggle(c.list.Line())
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
	at := c.list.Line()
	to := at + n
	if at == 0 || to < 1 || to >= len(t.columns) {
		return
	}
	t.columns[at], t.columns[to] = t.columns[to], t.columns[at]
	switch t.sort {
	case at:
		t.sort = to
	case to:
		t.sort = at
	}
	c.list.Select(to)
	c.changed()
}

// resize makes the column wider or narrower.
func (c *chooser) resize(n int) {
	t := c.table
	col := &t.columns[c.list.Line()]
	w := col.width
	if w == 0 && c.list.Line() < len(t.cols.Places) {
		w = max(t.cols.Places[c.list.Line()].W, col.Min)
	}
	col.width = max(3, min(w+n, maxWidth))
	c.changed()
}

func (c *chooser) changed() {
	t := c.table
	t.cols, t.stale = columns.Layout{}, true
	t.cursor = min(t.cursor, len(t.columns)-1)
}

// Paste does nothing here.
func (c *chooser) Paste(string) {}

const hitColumn pane.HitKind = 1

// Draw draws the columns in their order.
func (c *chooser) Draw(f pane.Frame) {
	t := c.table
	surface := func(k themes.Token) themes.Style { return k.Style().On(themes.Surface) }
	from, end := c.list.Show(len(t.columns), max(1, f.Height()-2))
	for i := from; i < end; i++ {
		y := i - from
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
		f.DrawLead(y, pane.Lead{Selected: c.list.Is(i)})
		f.Highlight(y, c.list.Is(i))
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
	case !t.shown(i):
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
	if c.list.Is(hit.A) {
		c.toggle(hit.A)
	}
	c.list.Select(hit.A)
}

// Wheel scrolls.
func (c *chooser) Wheel(lines int) { c.list.Scroll(lines) }

// Position tells which columns are in view.
func (c *chooser) Position() string { return c.list.Position() }

var _ pane.Dialog = (*chooser)(nil)
