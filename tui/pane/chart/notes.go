package chart

import (
	"slices"
	"time"

	"perfdeck/session/note"
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

const mostNoteText = 32 // cells of a note beside its line

// drawNotes draws an upright line for each note, below all else, and its text at the top
// where it hides nothing. Of the note at the cursor all of the text is there, whatever it
// hides. free tells where nothing but the grid is, open where text may stand.
func (c *Chart) drawNotes(body canvas.Region, free, open func(x, y int) bool) {
	win := c.picture.key.win
	notes := c.writtenIn(win)
	quiet := themes.Muted.Style()
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
	for i, n := range notes {
		if n.x == cursor {
			continue
		}
		before, behind := -1, win.w
		if i > 0 {
			before = notes[i-1].x
		}
		if i+1 < len(notes) {
			behind = notes[i+1].x
		}
		drawNoteText(body, n, before, behind, open)
	}
	c.drawNoteAt(body, notes, cursor)
}

// drawNoteText writes a note on the right of its line, or on the left where there is more
// room, between the notes before and behind it.
func drawNoteText(body canvas.Region, n written, before, behind int, free func(x, y int) bool) {
	const least = 6
	roomAt := func(x, step, most int) (room int) {
		for room < most && free(x+room*step, 0) {
			room++
		}
		return room
	}
	want := min(mostNoteText, setOf(body.Glyphs()).TextWidth(n.Text))
	right := min(want, roomAt(n.x+2, 1, behind-n.x-3))
	if right == want {
		body.Left(n.x+2, 0, right, n.Text, themes.Muted.Style())
		return
	}
	left := min(want, roomAt(n.x-2, -1, n.x-before-3))
	switch {
	case max(left, right) < least:
	case left > right:
		body.Left(n.x-1-left, 0, left, n.Text, themes.Muted.Style())
	default:
		body.Left(n.x+2, 0, right, n.Text, themes.Muted.Style())
	}
}

// drawNoteAt writes the last note at the cursor, with its time, over all else.
func (c *Chart) drawNoteAt(body canvas.Region, notes []written, cursor int) {
	for _, n := range slices.Backward(notes) {
		if n.x != cursor {
			continue
		}
		text := " " + n.Time.In(c.desk.Now().Location()).Format("15:04:05 ") + n.Text + " "
		w := min(setOf(body.Glyphs()).TextWidth(text), body.Width())
		x := min(n.x+1, body.Width()-w)
		body.Left(max(0, x), 0, w, text, themes.Focus.Style().On(themes.Surface))
		return
	}
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
