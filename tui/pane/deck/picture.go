package deck

import (
	"slices"
	"time"

	"perfdeck/cooker"
	"perfdeck/session/alert"
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/graph"
	"perfdeck/tui/kit/kind"
	"perfdeck/tui/pane"
)

// scene is all that a pane is drawn from: what is drawn reads the rest of the deck only for the lines, and
// those have a number in it. So two scenes that are equal look the same, and a pane is drawn again only when
// its scene is another one. The clock is no part of it: what it says stands in title and notice.
type scene struct {
	facts
	signs  []sign        // the rows that are shown, from the first on
	limits []graph.Limit // of the graph
}

// facts are what of a scene compares at once.
type facts struct {
	lines   uint64 // number of the lines, see Deck.remake
	numbers int    // generation of how numbers are written
	shared  pane.Shared
	units   int // changes of shared
	when    moment

	w, h   int
	glyphs canvas.GlyphSet
	wipe   bool
	kind   kind.Kind
	each   bool // cells beside the graph that is over the whole width
	matrix bool // it is a cell of the matrix of hosts
	own    bool // its scale is that of the host alone
	plot   plot

	pane  int // its number, or that of the cell of the matrix: clicks name it
	title pane.Title
	isOld bool // values are those of before
	list  shownRows
}

// shownRows is which rows a picture has.
type shownRows struct {
	top      int // row that is shown first
	rows     int // rows that are shown
	hidden   int // lines that are not
	digits   int // for which there is room in their count
	selected int // row that is selected here; -1: none
}

// plot is the graph of a picture.
type plot struct {
	cell    int         // cells of it
	bare    bool        // it has no title
	zoomed  bool        // the graph is of the selected row
	graph   int         // lines of it above the rows
	graphed int         // line whose history the graph shows
	end     uint64      // the sample behind the newest one of its window
	cursor  uint64      // the sample behind the one that is marked; 0: none
	hi      float32     // the top of its scale
	held    bool        // the scale follows the values no more
	share   bool        // the graph shows how much of its limit the line is
	unit    cooker.Unit // of its numbers
	format  cooker.Format
}

// moment is the time that a picture is of.
type moment struct {
	every    time.Duration // from one sample to the next
	span     time.Duration // that graphs show at least; 0: as much as has room
	end      uint64        // sample behind the moment that is shown
	at       time.Time     // that moment; zero: it is now
	isSilent bool          // the host had not answered for longer than usual then
}

// sign is a row that is shown: whose values, and what stands on it besides these.
type sign struct {
	slot

	marked bool
	alert  alert.Mark
	colour int // series colour of its sparkline, from 1; 0: the usual one
}

// picture is a pane as it was drawn last. The zero value is none.
type picture struct {
	canvas *canvas.Canvas
	hits   pane.Hits
	of     scene
	next   scene // the one that is to be shown
}

// stage is the scene that is to be shown next, without signs, for the caller to fill.
func (p *picture) stage() *scene {
	p.next = scene{signs: p.next.signs[:0], limits: p.next.limits[:0]}
	return &p.next
}

// show brings the next scene to the frame. Unless it is the one of the picture, draw draws
// it, which is not told the time.
func (p *picture) show(f pane.Frame, draw func(pane.Frame, *scene)) {
	p.next.w, p.next.h, p.next.glyphs, p.next.wipe = f.Width(), f.Height(), f.GlyphSet(), f.Wipe
	of, next := &p.of, &p.next
	if p.canvas == nil || of.facts != next.facts || !slices.Equal(of.signs, next.signs) || !slices.Equal(of.limits, next.limits) {
		p.of, p.next = p.next, p.of
		if p.canvas == nil {
			p.canvas = new(canvas.Canvas)
		}
		p.canvas.SetGlyphs(p.of.glyphs)
		p.canvas.Resize(p.of.w, p.of.h) // blank, too
		p.hits.Reset()
		draw(pane.Frame{Region: p.canvas.Root(), Hits: &p.hits, Wipe: p.of.wipe}, &p.of)
	}
	f.Show(p.canvas, &p.hits)
}
