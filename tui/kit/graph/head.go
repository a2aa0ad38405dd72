package graph

import (
	"strconv"
	"strings"
	"time"

	"perfdeck/themes"
	"perfdeck/tui/canvas"
)

// Swatch says beside a name how its counter is drawn.
type Swatch uint8

// The swatches.
const (
	NoSwatch    Swatch = iota
	WholeSwatch        // the one series of a graph
	UpperSwatch        // the upper half of a pair
	LowerSwatch
)

// SwatchOf is that of a line of as many that a graph shows.
func SwatchOf(line, of int) Swatch {
	switch {
	case line < 0 || line >= of:
		return NoSwatch
	case of == 1:
		return WholeSwatch
	case line == 0:
		return UpperSwatch
	}
	return LowerSwatch
}

// Draw draws the swatch, of one cell.
func (s Swatch) Draw(r canvas.Region, x, y int) {
	const height = 0.6 // of the ramp
	signs := [...]rune{WholeSwatch: '█', UpperSwatch: '▀', LowerSwatch: '▄'}
	if r.GlyphSet() == canvas.ASCII {
		signs = [...]rune{WholeSwatch: '#', UpperSwatch: '\'', LowerSwatch: '.'}
	}
	ramp := themes.RampA
	switch s {
	case NoSwatch:
		return
	case LowerSwatch:
		ramp = themes.RampB
	case WholeSwatch, UpperSwatch:
	}
	r.Put(x, y, signs[s], ramp.At(height))
}

// Head is what the title rule above a graph tells of it. What is empty is left out.
type Head struct {
	Name  string // of the counter; of a pair what its halves are called
	Lower string // of the lower half
	Of    string // "sum, ": before all else
	Span  string // "98 s", "since 12 s": how much time is shown
	Peak  string // "peak 91.7"
	Max   string // "100 %": the value at the top
	// Every is how far samples are apart: a wide graph that is full has ticks for whole
	// minutes instead of its span. 0: it has none.
	Every  time.Duration
	PerDot int
}

// Place is the columns that something takes.
type Place struct{ X, W int }

// Places is where the parts of a head that can be changed stand; what has no cells had no
// room.
type Places struct {
	Span, Max Place
	Rest      string // what had no room, for another place
}

// Draw draws the head in row y of the region, over a rule that stands there, for a
// graph of w cells from x on: what is told from column from on, which is behind the name
// of the pane, the maximum so that it ends over the right end of the graph.
func (h *Head) Draw(r canvas.Region, y, from, x, w int) (at Places) {
	muted := themes.Muted
	end := x + w // of what is left of the maximum
	if n := r.GlyphSet().TextWidth(h.Max); n > 0 && x+w-n-1 >= from {
		end = x + w - n - 1
		r.Text(end, y, " "+h.Max+" ", muted)
		at.Max = Place{end + 1, n}
	}
	if h.Max != "" && at.Max.W == 0 {
		at.Rest = h.Max
	}
	room := end - from
	if end == x+w {
		room-- // for the blank behind it, which the maximum has before it
	}
	if w >= wideCells && h.Every > 0 {
		names := min(room, h.nameWidth(r))
		if h.drawTicks(r, y, from+names, end, x+w) {
			h.drawNames(r, y, from, names, "")
			at.Span = Place{from + names, room - names}
			return at
		}
	}
	spans := join(", ", h.Span, h.Peak)
	for _, try := range []struct {
		named bool
		text  string
	}{{true, spans}, {true, h.Span}, {false, spans}, {false, h.Span}} {
		names := 0
		if try.named {
			names = h.nameWidth(r)
		}
		of := 0
		if names == 0 {
			of = len(h.Of)
		}
		if try.named && names == 0 || of+names+r.GlyphSet().TextWidth(try.text) > room {
			continue
		}
		h.drawNames(r, y, from, names, try.text)
		at.Span = Place{from + names, r.GlyphSet().TextWidth(h.Span)}
		return at
	}
	at.Rest = join(", ", at.Rest, h.Of+h.Span)
	return at
}

// nameWidth is how many cells the names take, with a blank behind them; 0 of none.
func (h *Head) nameWidth(r canvas.Region) int {
	n := r.GlyphSet().TextWidth(h.Name)
	if n == 0 {
		return 0
	}
	if h.Lower != "" {
		n += r.GlyphSet().TextWidth(h.Lower) + len(" # ")*2 - 1
	}
	return len(h.Of) + n + 1
}

// drawNames draws the names, if they have room, and a text behind them.
func (h *Head) drawNames(r canvas.Region, y, x, names int, text string) {
	muted := themes.Muted
	of := 0
	if names > 0 && names >= h.nameWidth(r) || text != "" {
		of = r.Text(x, y, h.Of, muted)
	}
	if names > 0 && names >= h.nameWidth(r) {
		at := x + of
		at += r.Text(at, y, h.Name+" ", muted)
		if h.Lower != "" {
			UpperSwatch.Draw(r, at, y)
			at += 1 + r.Text(at+1, y, " "+h.Lower+" ", muted)
			LowerSwatch.Draw(r, at, y)
			r.Put(at+1, y, ' ', muted)
		}
		x += names
	} else {
		x += of
	}
	if text != "" {
		r.Text(x, y, text+" ", muted)
	}
}

// drawTicks draws when cells of the graph were, centred over them, for whole minutes:
// "-1 min". Of those that have no room between from and to, or touch another one, none is drawn.
// It reports whether there was room for any.
func (h *Head) drawTicks(r canvas.Region, y, from, to, right int) bool {
	cell := time.Duration(dotsAcross*max(1, h.PerDot)) * h.Every
	drawn, next, step := false, to, tickStep(cell)
	for minutes := step; minutes < 60*24*7; minutes += step {
		back := time.Duration(minutes) * time.Minute
		text := " -" + strconv.Itoa(minutes) + " min "
		x := right - 1 - int(back/cell) - len(text)/2 + 1
		if x < from {
			break
		}
		if x+len(text) <= next {
			r.Text(x, y, text, themes.Muted)
			drawn, next = true, x-2
		}
	}
	return drawn
}

// tickStep is the minutes from one tick to the next, so that all of them have room.
func tickStep(cell time.Duration) int {
	const least = 12 // cells of a tick with what parts it from the next
	steps := [...]int{1, 2, 5, 10, 15, 30, 60, 2 * 60, 4 * 60, 12 * 60, 24 * 60}
	for _, minutes := range steps {
		if time.Duration(minutes)*time.Minute >= least*cell {
			return minutes
		}
	}
	return steps[len(steps)-1]
}

// join joins what is not empty.
func join(by string, parts ...string) string {
	var some []string
	for _, p := range parts {
		if p != "" {
			some = append(some, p)
		}
	}
	return strings.Join(some, by)
}
