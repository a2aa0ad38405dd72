package canvas

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"perfdeck/themes"
)

// Painter brings canvases to a terminal. It remembers what the terminal shows
// and writes only the difference, in one Write a frame. It belongs to one
// goroutine, and nothing else may write to the terminal; after something did,
// call Invalidate.
type Painter struct {
	out   io.Writer
	sheet *themes.Sheet
	caps  Caps
	stats Stats

	buf     []byte // the frame being built
	next    []cell // what it is to show
	runs    []run  // what of it is left to write
	room    int    // bytes that may be written
	worth   worth
	w, h    int
	shown   []cell // what the terminal shows
	isValid bool   // whether shown, pen and cursor can be trusted

	pen themes.Pen
	cx  int // cursor column, -1 when unknown
	cy  int // cursor row, -1 when unknown
}

// Stats counts what a painter wrote.
type Stats struct {
	Frames uint64 // frames that changed something
	Bytes  uint64
}

const (
	syncBegin = "\x1b[?2026h"
	syncEnd   = "\x1b[?2026l"
)

// NewPainter returns a painter of a terminal whose screen is unknown: the first
// frame clears it.
func NewPainter(out io.Writer, sheet *themes.Sheet, caps Caps) *Painter {
	return &Painter{out: out, sheet: sheet, caps: caps}
}

// SetSheet changes the colours; the next frame repaints everything.
func (p *Painter) SetSheet(sheet *themes.Sheet) {
	p.sheet = sheet
	p.Invalidate()
}

// SetCaps changes what the terminal is known to do.
func (p *Painter) SetCaps(caps Caps) { p.caps = caps }

// Caps returns what the terminal is known to do.
func (p *Painter) Caps() Caps { return p.caps }

// Invalidate makes the next frame clear the screen and repaint everything: on
// request, after a resize, a suspend or output of others.
func (p *Painter) Invalidate() { p.isValid = false }

// Stats returns the counts so far.
func (p *Painter) Stats() Stats { return p.stats }

// Paint makes the terminal show the canvas. After an error the state of the
// screen is unknown and the next frame repaints everything.
func (p *Painter) Paint(c *Canvas) error {
	_, err := p.PaintWithin(c, Unbounded)
	return err
}

// Unbounded is room for every frame.
const Unbounded = math.MaxInt

// PaintWithin paints what has room in about so many bytes, what is worth most first, and
// reports whether that was all. What had no room is left to the next frame, if it is wanted still.
func (p *Painter) PaintWithin(c *Canvas, room int) (all bool, err error) {
	p.buf, p.room = p.buf[:0], room
	sync := p.caps.Sync && room == Unbounded
	if sync {
		p.buf = append(p.buf, syncBegin...)
	}
	prefix := len(p.buf)
	isKnown := p.isValid && p.w == c.w && p.h == c.h
	if !isKnown || room < Unbounded && isMostlyNew(p.shown, c.cells) && p.erases() {
		p.start(c)
	}
	if room < Unbounded {
		p.worth.take(c)
	}
	p.next = c.cells
	p.runs = p.runs[:0]
	for y := range c.h {
		shown, next := p.row(y)
		if !slices.Equal(shown, next) {
			p.changeRow(y, shown, next)
		}
	}
	all = p.paintRuns()
	p.next = nil
	if len(p.buf) == prefix {
		return all, nil
	}
	if sync {
		p.buf = append(p.buf, syncEnd...)
	}
	return all, p.write()
}

// row returns what the row shows and what it is to show.
func (p *Painter) row(y int) (shown, next []cell) {
	from, to := y*p.w, (y+1)*p.w
	return p.shown[from:to], p.next[from:to]
}

// start clears the screen and takes over the size of the canvas.
func (p *Painter) start(c *Canvas) {
	p.w, p.h = c.w, c.h
	p.shown = slices.Grow(p.shown[:0], p.w*p.h)[:p.w*p.h]
	p.isValid = true
	if len(p.shown) == 0 {
		p.isValid = false
		return
	}
	blank := pack(' ', 0)
	pen := p.sheet.Pen(blank.style())
	p.buf = append(p.buf, "\x1b[m"...)
	p.buf = p.sheet.AppendChange(p.buf, themes.Pen{}, pen)
	p.buf = append(p.buf, "\x1b[H\x1b[J"...) // ED from home: ED 2 fills the scrollback of some
	p.pen, p.cx, p.cy = pen, 0, 0
	if !p.erases() {
		blank = invalid
	}
	for i := range p.shown {
		p.shown[i] = blank
	}
}

// erases tells whether an erased screen is blank.
func (p *Painter) erases() bool { return p.sheet.Pen(pack(' ', 0).style()).ErasesTo(p.caps.BCE) }

func (p *Painter) write() error {
	n, err := p.out.Write(p.buf)
	p.stats.Bytes += uint64(max(0, n))
	if err != nil {
		p.isValid = false
		return fmt.Errorf("paint the screen: %w", err)
	}
	p.stats.Frames++
	return nil
}

// Caps are the optional abilities of a terminal. The zero value is what every
// ANSI terminal has.
type Caps struct {
	Sync       bool // synchronized output, private mode 2026
	Rep        bool // REP: repeat the preceding character, used for ASCII only
	ShiftChars bool // DCH and ICH: delete and insert characters
	BCE        bool // erasing leaves the current background colour
}

// capsByTerm is searched in order for a prefix of TERM. REP is left to the
// terminals that have a name of their own: many that call themselves xterm
// lack it. Sync is asked of the terminal instead (DECRQM).
var capsByTerm = []struct {
	prefix string
	caps   Caps
}{
	{"xterm-kitty", Caps{Rep: true, ShiftChars: true, BCE: true}},
	{"xterm-ghostty", Caps{Rep: true, ShiftChars: true, BCE: true}},
	{"alacritty", Caps{Rep: true, ShiftChars: true, BCE: true}},
	{"foot", Caps{Rep: true, ShiftChars: true, BCE: true}},
	{"wezterm", Caps{Rep: true, ShiftChars: true, BCE: true}},
	{"contour", Caps{Rep: true, ShiftChars: true, BCE: true}},
	{"xterm", Caps{ShiftChars: true, BCE: true}},
	{"vte", Caps{ShiftChars: true, BCE: true}},
	{"gnome", Caps{ShiftChars: true, BCE: true}},
	{"konsole", Caps{ShiftChars: true, BCE: true}},
	{"rxvt", Caps{ShiftChars: true, BCE: true}},
	{"putty", Caps{ShiftChars: true, BCE: true}},
	{"st-", Caps{ShiftChars: true, BCE: true}},
	{"linux", Caps{ShiftChars: true, BCE: true}},
	{"tmux", Caps{ShiftChars: true}},
	{"screen", Caps{ShiftChars: true}},
}

// CapsOf returns what a terminal of this TERM can do; an unknown one gets no
// more than every terminal has. A Windows console, which sets no TERM, goes by
// "xterm".
func CapsOf(term string) Caps {
	for _, row := range capsByTerm {
		if strings.HasPrefix(term, row.prefix) {
			return row.caps
		}
	}
	return Caps{}
}
