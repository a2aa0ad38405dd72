package chart

import (
	"slices"
	"time"

	"perfdeck/session/files/note"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
)

// written is a note in a column of the plot.
type written struct {
	x int
	note.Note
}

// writtenIn are the notes of a window.
func (c *Chart) writtenIn(win window) (out []written) {
	for _, n := range c.desk.NotesIn(time.Unix(0, win.from), time.Unix(0, win.to())) {
		if x := win.column(n.Time.UnixNano()); x >= 0 && x < win.w {
			out = append(out, written{x, n})
		}
	}
	return out
}

// What is written of a note beside its line, in cells.
const (
	mostNoteText  = 32
	leastNoteText = 3 // of one that is cut
)

// drawNotes draws an upright line for each note, below all else, and its text at the top
// where it hides nothing. Of the note at the cursor all of the text is there, whatever it
// hides. free tells where nothing but the grid is, open where text may stand.
func (c *Chart) drawNotes(body canvas.Region, free, open func(x, y int) bool) {
	win := c.picture.key.win
	notes := c.writtenIn(win)
	quiet := themes.Muted
	line := '┊'
	if !body.Glyphs().HasBraille {
		line = body.Glyphs().Vertical
	}
	for _, n := range notes {
		for y := range body.Height() {
			if free(n.x, y) {
				body.Put(n.x, y, line, quiet)
			}
		}
	}
	cursor := -1
	if c.desk.Past() {
		cursor = win.column(c.desk.At.UnixNano())
	}
	first, end := c.drawNoteAt(body, notes, cursor)
	taken := make([]bool, win.w) // by a line or a text
	for _, n := range notes {
		taken[n.x] = true
	}
	if cursor >= 0 && cursor < win.w {
		taken[cursor] = true
	}
	for x := max(0, first); x < min(end, win.w); x++ {
		taken[x] = true
	}
	for _, n := range notes {
		if n.x != cursor {
			drawNoteText(body, n, taken, func(x int) bool { return open(x, 0) })
		}
	}
}

// drawNoteText writes a note at the right of its line, or at the left where there is more
// room, and takes the cells. It touches its own line, and nothing else that is taken.
func drawNoteText(body canvas.Region, n written, taken []bool, open func(x int) bool) {
	want := min(mostNoteText, body.GlyphSet().TextWidth(n.Text))
	room := func(step int) int {
		cells := 0
		for x := n.x + step; cells <= want && x >= 0 && x < len(taken) && !taken[x] && open(x); x += step {
			cells++
		}
		if past := n.x + step*(cells+1); past >= 0 && past < len(taken) && taken[past] {
			cells--
		}
		return min(cells, want)
	}
	right, left := room(1), room(-1)
	x, w := n.x+1, right
	if left > right {
		x, w = n.x-left, left
	}
	if w < min(want, leastNoteText) {
		return
	}
	body.Left(x, 0, w, n.Text, themes.Muted)
	for i := range w {
		taken[x+i] = true
	}
}

// drawNoteAt writes the last note at the cursor, with its time, over all else, and returns
// which cells it has.
func (c *Chart) drawNoteAt(body canvas.Region, notes []written, cursor int) (first, end int) {
	for _, n := range slices.Backward(notes) {
		if n.x != cursor {
			continue
		}
		text := " " + n.Time.In(c.desk.Now().Location()).Format("15:04:05 ") + n.Text + " "
		w := min(body.GlyphSet().TextWidth(text), body.Width())
		x := max(0, min(n.x+1, body.Width()-w))
		body.Left(x, 0, w, text, themes.Focus.On(themes.Surface))
		return x, x + w
	}
	return 0, 0
}

// isFreeForNotes tells whether a note hides nothing in a cell: the highest value is told
// around its place.
func (p *picture) isFreeForNotes(x, y int) bool {
	const around = 14 // cells of a number with its unit
	if p.peak.ok && max(p.peak.x-x, x-p.peak.x) < around && max(p.peak.y-y, y-p.peak.y) <= 1 {
		return false
	}
	return p.isFree(x, y)
}
