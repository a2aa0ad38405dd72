package dialog

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/list"
	"perfdeck/tui/pane"
)

// Confirm asks before something that cannot be undone. The safe answer is chosen
// until another is; enter gives what is chosen, y and n answer at once.
type Confirm struct {
	view // of the text

	out *pane.Outbox
	ask pane.Confirm
	yes bool
}

// NewConfirm returns a question.
func NewConfirm(out *pane.Outbox, ask pane.Confirm) *Confirm { return &Confirm{out: out, ask: ask} }

// Size is the size it would like to have.
func (c *Confirm) Size() (w, h int) {
	const width, margin, around = 62, 6, 8
	return width, min(len(c.wrapped(width-margin)), 16) + around
}

func (c *Confirm) wrapped(w int) (out []string) {
	for line := range strings.SplitSeq(c.ask.Text, "\n") {
		out = append(out, canvas.Fold(line, max(1, w))...)
	}
	return out
}

// Title is what is asked about.
func (c *Confirm) Title() string { return c.ask.Title }

// Key chooses and answers.
func (c *Confirm) Key(k tea.KeyPressMsg) {
	switch k.String() {
	case "esc":
		c.out.Close(nil)
	case "enter", "space":
		c.answer(c.yes)
	case "tab", "shift+tab":
		c.yes = !c.yes
	case "left":
		c.yes = false
	case "right":
		c.yes = true
	case "y", "Y":
		c.answer(true)
	case "n", "N":
		c.answer(false)
	default:
		if o := &c.ask.Other; o.Do != nil && k.String() == o.Key {
			c.out.Close(o.Do)
			return
		}
		if m, ok := list.Plain(k.String()); ok {
			c.Scroll(c.Lines(m))
		}
	}
}

func (c *Confirm) answer(yes bool) {
	if !yes {
		c.out.Close(nil)
		return
	}
	c.out.Close(c.ask.Do)
}

// Paste does nothing: an answer is never pasted.
func (c *Confirm) Paste(string) {}

// The buttons of the mouse.
const (
	hitNo pane.HitKind = 1 + iota
	hitYes
)

// Draw draws the question above the buttons.
func (c *Confirm) Draw(f pane.Frame) {
	lines := c.wrapped(f.Width())
	body := f.Lines(0, f.Height()-4)
	from, end := c.Show(len(lines), body.Height())
	for i := from; i < end; i++ {
		body.Rest(0, i-from, lines[i], themes.Text)
	}
	if _, more := c.Hidden(); more > 0 && body.Height() > 0 {
		body.Right(0, body.Height()-1, body.Width(), " "+f.Glyphs().Ellipsis, themes.Muted)
	}
	y := f.Height() - 3
	x := button(f, 0, y, "No", !c.yes, hitNo) + 2
	button(f, x, y, c.ask.Yes, c.yes, hitYes)
	does := "no"
	if c.yes {
		does = c.ask.Yes
	}
	keys := []string{"enter", does, "y n", "answer", "tab", "other answer", "esc", "no"}
	if o := &c.ask.Other; o.Do != nil {
		keys = []string{"y", c.ask.Yes, o.Key, o.Text, "enter", does, "tab", "other answer", "esc", "no"}
	}
	hints(f, f.Height()-1, keys...)
}

// button draws a button and returns where it ends. The chosen one is marked by
// more than its colour.
func button(f pane.Frame, x, y int, text string, chosen bool, kind pane.HitKind) int {
	st := themes.Text
	left, right := "[ ", " ]"
	if chosen {
		st = themes.Focus.Bold().On(themes.Selection)
		left = string(f.Glyphs().Selected) + "[ "
	} else {
		left = " " + left
	}
	w := min(canvas.Full.TextWidth(left+text+right), max(0, f.Width()-x))
	f.Left(x, y, w, left+text+right, st)
	f.Zone(x, y, w, 1, kind)
	return x + w
}

// Click answers.
func (c *Confirm) Click(hit pane.Hit, button tea.MouseButton) {
	if button == tea.MouseLeft && (hit.Kind == hitNo || hit.Kind == hitYes) {
		c.answer(hit.Kind == hitYes)
	}
}
