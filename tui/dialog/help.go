package dialog

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/keys"
	"perfdeck/tui/kit/lineedit"
	"perfdeck/tui/kit/list"
	"perfdeck/tui/pane"
)

// HelpPage is the help of one screen: its bindings, before those of the root.
type HelpPage struct {
	Name     string
	Bindings [][]keys.Binding
}

// Help lists the keys of a screen as the user has them, made from its bindings.
// Typing searches it; tab shows the other screens.
type Help struct {
	view

	out   *pane.Outbox
	pages []HelpPage
	at    int
	keys  *keys.Map
	other string // the keys that only other screens have
	field lineedit.Line
}

// NewHelp returns the help of screens, at first that of page at. userKeys may be
// nil.
func NewHelp(out *pane.Outbox, pages []HelpPage, at int, userKeys *keys.Map) *Help {
	h := &Help{out: out, pages: pages, at: at, keys: userKeys}
	h.other = h.elsewhere()
	return h
}

// Size is the size it would like to have: that of the page, whatever is searched.
func (h *Help) Size() (w, height int) {
	const width, margin, around = 94, 6, 5
	return width, h.lay(canvas.Full.Glyphs(), width-margin, "").height() + around
}

// Title is the dialog's name.
func (h *Help) Title() string { return "Help: " + h.pages[h.at].Name }

// Key scrolls, searches, turns the page, closes.
func (h *Help) Key(k tea.KeyPressMsg) {
	switch k.String() {
	case "esc":
		if h.field.String() != "" {
			h.field, h.view = lineedit.Line{}, view{}
			return
		}
		h.out.Close(nil)
	case "enter", "f1":
		h.out.Close(nil)
	case "?": // opens and closes it, until something is searched
		if h.field.String() == "" {
			h.out.Close(nil)
			return
		}
		h.field.Key(k)
		h.view = view{}
	case "tab":
		h.turn(1)
	case "shift+tab":
		h.turn(-1)
	default:
		if m, ok := list.WhileTyping(k.String()); ok {
			h.Scroll(h.Lines(m))
			return
		}
		if _, changed := h.field.Key(k); changed {
			h.view = view{}
		}
	}
}

func (h *Help) turn(by int) {
	n := len(h.pages)
	h.at, h.view = (h.at+by+n)%n, view{}
	h.other = h.elsewhere()
}

// Paste types what was pasted.
func (h *Help) Paste(text string) {
	h.field.Paste(text)
	h.view = view{}
}

// Click does nothing here.
func (h *Help) Click(pane.Hit, tea.MouseButton) {}

// Draw draws the columns above the search line and the hints.
func (h *Help) Draw(f pane.Frame) {
	sheet := h.lay(f.Glyphs(), f.Width(), h.field.String())
	h.Show(sheet.height(), f.Height()-2)
	sheet.draw(f.Lines(0, f.Height()-2), h.Top())
	y := f.Height() - 1
	pairs := []string{"tab", "other screens", "esc", "close"}
	if h.Position() != "" {
		pairs = append([]string{"pgdn", "more"}, pairs...)
	}
	w := hintsWidth(pairs)
	if w+12 > f.Width() {
		pairs = pairs[len(pairs)-2:]
		w = hintsWidth(pairs)
	}
	room := max(0, f.Width()-w-2)
	hints(f.Sub(f.Width()-w, y, w, 1), 0, pairs...)
	foot := f.Sub(0, y, room, 1)
	if h.field.String() == "" {
		foot.Left(0, 0, room, "type to search the help", themes.Muted)
		return
	}
	foot.Put(0, 0, '/', themes.Accent.Bold())
	h.field.Draw(foot.Region, 2, 0, room-2, themes.Strong)
}

// blocks are the parts of the help that are shown: those of the page, or what
// the search finds on all pages.
func (h *Help) blocks(g *canvas.Glyphs, search string) (blocks []helpBlock, elsewhere string) {
	words := strings.Fields(strings.ToLower(search))
	blocks = h.pageBlocks(g, h.at, words)
	if len(words) == 0 {
		return blocks, h.other
	}
	for i := range h.pages {
		if i == h.at {
			continue
		}
		for _, b := range h.pageBlocks(g, i, words) {
			if b.screen { // the rest is on this page too
				b.head = h.pages[i].Name + ": " + b.head
				blocks = append(blocks, b)
			}
		}
	}
	return blocks, ""
}

// pageBlocks are the blocks of a page, of them the lines that hold all words.
func (h *Help) pageBlocks(g *canvas.Glyphs, at int, words []string) (out []helpBlock) {
	p := &h.pages[at]
	add := func(b helpBlock) {
		b.lines = slices.DeleteFunc(b.lines, func(l helpLine) bool {
			text := strings.ToLower(b.head + " " + l.keys + " " + l.text)
			return slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
		})
		if len(b.lines) > 0 {
			out = append(out, b)
		}
	}
	for _, s := range keys.Sections {
		add(helpBlock{head: string(s), column: columnOf(s), lines: h.sectionLines(s, p.Bindings...), screen: true})
	}
	add(helpBlock{head: "Mouse", lines: slices.Clone(mouse)})
	add(helpBlock{head: "Signs", column: 2, lines: signLines(g)})
	return out
}

// sectionLines are the lines of one section; what cannot be done now says why.
func (h *Help) sectionLines(s keys.Section, bindings ...[]keys.Binding) (out []helpLine) {
	for _, b := range h.keys.HelpOf(s, bindings...) {
		line := helpLine{keys: b.Keys, text: b.Text, key: themes.Accent.Bold()}
		if b.Of.Note != nil && b.Of.Note() != "" {
			line.text += ": " + b.Of.Note()
		}
		if ok, why := b.Of.Applies(); !ok {
			line.text += " (" + why + ")"
			line.off = true
		}
		out = append(out, line)
	}
	return out
}

// elsewhere names the keys that only other screens have.
func (h *Help) elsewhere() string {
	var out []string
	here := map[string]bool{}
	for i := range h.pages {
		page := &h.pages[(h.at+i)%len(h.pages)] // first the one that is shown
		for _, s := range keys.Sections {
			for _, l := range h.keys.HelpOf(s, page.Bindings...) {
				if i > 0 && !here[l.Keys] {
					out = append(out, l.Keys)
				}
				here[l.Keys] = true
			}
		}
	}
	if len(out) == 0 {
		return ""
	}
	return "other screens: " + strings.Join(out, " ")
}
