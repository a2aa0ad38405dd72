package dialog

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/keys"
	"perfdeck/tui/pane"
)

// Help lists the keys of a screen, made from its bindings.
type Help struct {
	title  string
	blocks []helpBlock
	top    int
	height int // lines of the last drawing
	total  int
}

type helpBlock struct {
	head  string
	lines []keys.Help
}

// signs explains the signs of rows, in the order of weight.
func signs(g *canvas.Glyphs) helpBlock {
	return helpBlock{"Signs", []keys.Help{
		{Keys: g.Ellipsis, Text: "first sample: a rate needs two"},
		{Keys: string(g.Stale), Text: "old value, or a host that does not answer"},
		{Keys: string(g.Critical), Text: "refused, or cannot be read"},
		{Keys: "gone", Text: "ended; shown for 10 s"},
		{Keys: "pending", Text: "not there yet"},
		{Keys: "denied", Text: "may not be read"},
		{Keys: "none", Text: "this system lacks it"},
		{Keys: "idle", Text: "no operations to divide by"},
		{Keys: string(g.Selected), Text: "selected"},
	}}
}

var mouse = []keys.Help{
	{Keys: "click", Text: "selects, again opens"},
	{Keys: "wheel", Text: "scrolls"},
	{Keys: "shift+drag", Text: "the terminal selects"},
}

// NewHelp returns the help of a screen.
func NewHelp(screen string, maps ...[]keys.Binding) *Help {
	h := &Help{title: "Help: " + screen}
	for _, s := range keys.Sections {
		if lines := keys.HelpOf(s, maps...); len(lines) > 0 {
			h.blocks = append(h.blocks, helpBlock{string(s), lines})
		}
	}
	h.blocks = append(h.blocks, helpBlock{"Mouse", mouse})
	return h
}

// Size is the size it would like to have.
func (h *Help) Size() (w, height int) { return 94, 30 }

// Title is the dialog's name.
func (h *Help) Title() string { return h.title }

// Key scrolls or closes.
func (h *Help) Key(k tea.KeyPressMsg) tea.Cmd {
	switch k.String() {
	case "esc", "q", "?", "enter", "f1":
		return pane.Send(pane.Close{})
	case "down", "j":
		h.Wheel(1)
	case "up", "k":
		h.Wheel(-1)
	case "pgdown", "space":
		h.Wheel(h.height)
	case "pgup":
		h.Wheel(-h.height)
	}
	return nil
}

// Paste does nothing here.
func (h *Help) Paste(string) {}

const (
	helpKeyW  = 13
	helpWidth = 42 // of a column
)

// Draw draws the blocks in as many columns as fit, each block to the shortest.
func (h *Help) Draw(f pane.Frame) {
	columns := max(1, f.Width()/helpWidth)
	used := make([]int, columns)
	h.height = max(1, f.Height()-1)
	body := f.Sub(0, 0, f.Width(), h.height)
	for _, b := range append(slices.Clip(h.blocks), signs(f.Glyphs())) {
		c := 0
		for i := range used {
			if used[i] < used[c] {
				c = i
			}
		}
		fr := f
		fr.Region = body.Sub(c*(f.Width()/columns), used[c]-h.top, f.Width()/columns-1, len(b.lines)+1)
		drawHelp(fr, b)
		used[c] += len(b.lines) + 2
	}
	h.total = 0
	for _, n := range used {
		h.total = max(h.total, n)
	}
	hints(f, f.Height()-1, "j k", "scroll", "esc", "close")
}

func drawHelp(f pane.Frame, b helpBlock) {
	f.Text(0, 0, b.head, themes.Strong.Style().Bold().On(themes.Surface))
	for i, l := range b.lines {
		f.Left(0, i+1, helpKeyW-1, l.Keys, themes.Accent.Style().Bold().On(themes.Surface))
		f.Left(helpKeyW, i+1, f.Width()-helpKeyW, l.Text, themes.Muted.Style().On(themes.Surface))
	}
}

// Click does nothing here.
func (h *Help) Click(pane.Hit, tea.MouseButton) tea.Cmd { return nil }

// Wheel scrolls.
func (h *Help) Wheel(lines int) {
	h.top = max(0, min(h.top+lines, h.total-h.height))
}
