// Package panetest is what the tests of screens and dialogs stand on: a canvas
// that is read back, keys by name and the mouse, hosts on a clock that the test
// moves. Nobody but tests imports it.
package panetest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// Picture is what was drawn, with what lies under the mouse. Places are in cells
// of the canvas.
type Picture struct {
	testing.TB

	Canvas *canvas.Canvas
	Hits   pane.Hits
}

// NewPicture is an empty one.
func NewPicture(t testing.TB, w, h int, glyphs canvas.GlyphSet) Picture {
	return Picture{TB: t, Canvas: canvas.New(w, h, glyphs)}
}

// Text is all that is shown, a line for each row.
func (p *Picture) Text() string { return p.Canvas.String() }

// Find is the place where the text is shown first.
func (p *Picture) Find(text string) (x, y int, ok bool) {
	for y, row := range p.Canvas.Rows() {
		if before, _, shown := strings.Cut(row, text); shown {
			return utf8.RuneCountInString(before), y, true
		}
	}
	return 0, 0, false
}

// MustFind is Find of a text that must be shown.
func (p *Picture) MustFind(text string) (x, y int) {
	p.Helper()
	x, y, ok := p.Find(text)
	if !ok {
		p.Fatalf("%q is not shown:\n%s", text, p.Text())
	}
	return x, y
}

// Shows fails the test unless all the texts are shown.
func (p *Picture) Shows(texts ...string) {
	p.Helper()
	all := p.Text()
	for _, text := range texts {
		if !strings.Contains(all, text) {
			p.Errorf("%q is not shown:\n%s", text, all)
		}
	}
}

// Hides fails the test if one of the texts is shown.
func (p *Picture) Hides(texts ...string) {
	p.Helper()
	all := p.Text()
	for _, text := range texts {
		if strings.Contains(all, text) {
			p.Errorf("%q is shown:\n%s", text, all)
		}
	}
}

// Row is the first row that holds the text, "" if none does.
func (p *Picture) Row(text string) string {
	_, h := p.Canvas.Size()
	return p.RowWithin(0, h, text)
}

// RowWithin is Row among the rows from one to before another.
func (p *Picture) RowWithin(from, to int, text string) string {
	for _, row := range p.Canvas.Rows()[from:to] {
		if strings.Contains(row, text) {
			return row
		}
	}
	return ""
}

// Selected is the first row with the mark of the selection, from the mark on.
func (p *Picture) Selected() string {
	mark := string(p.Canvas.Glyphs().Glyphs().Selected)
	for _, row := range p.Canvas.Rows() {
		if i := strings.Index(row, mark); i >= 0 {
			return row[i:]
		}
	}
	return ""
}

// StyleOf is the style of the first place that shows the text.
func (p *Picture) StyleOf(text string) themes.Style {
	p.Helper()
	x, y := p.MustFind(text)
	return p.Canvas.At(x, y).Style
}

// HitAt is what lies in a cell.
func (p *Picture) HitAt(x, y int) (pane.Hit, bool) { return p.Hits.Get(p.Canvas.Hit(x, y)) }

// steers tells of runes that no cell may hold: controls, and those that reorder
// or hide text.
func steers(c rune) bool {
	return c < ' ' || c >= 0x7f && c < 0xa0 || c >= 0x2028 && c <= 0x202e || c >= 0x2066 && c <= 0x2069 || c == 0x200b
}

// Whole fails the test unless all rows, as text, are as wide as the canvas.
func (p *Picture) Whole() {
	p.Helper()
	p.checkRows(nil)
}

// Clean is Whole of rows that hold nothing that steers a terminal or that their
// glyph set has not.
func (p *Picture) Clean() {
	p.Helper()
	p.checkRows(p.mayShow)
}

// checkRows checks the widths of rows, and what they hold unless mayShow is nil.
func (p *Picture) checkRows(mayShow func(rune) bool) {
	p.Helper()
	w, h := p.Canvas.Size()
	for y, row := range p.Canvas.Rows() {
		if n := p.Canvas.Glyphs().TextWidth(row); n != w {
			p.Fatalf("%dx%d: row %d takes %d cells: %s", w, h, y, n, row)
		}
		if mayShow == nil {
			continue
		}
		for _, c := range row {
			if !mayShow(c) {
				p.Fatalf("%dx%d: %q in row %d: %s", w, h, c, y, row)
			}
		}
	}
}

func (p *Picture) mayShow(c rune) bool {
	if c >= ' ' && c <= '~' {
		return true
	}
	switch p.Canvas.Glyphs() {
	case canvas.ASCII:
		return false
	case canvas.Console:
		return !steers(c) && (c < 0x2800 || c >= 0x2900) // a console has no braille
	default:
		return !steers(c)
	}
}

// Sound draws at a size and fails the test if a cell outside changes, or one
// holds what Clean forbids. Around what is drawn there is a margin of 2 cells.
func (p *Picture) Sound(w, h int, glyphs canvas.GlyphSet, draw func(canvas.Region)) {
	p.Helper()
	const margin, mark = 2, '`' // which no screen draws outside by chance
	around := w + 2*margin
	p.Canvas.SetGlyphs(glyphs)
	p.Canvas.Resize(around, h+2*margin)
	root := p.Canvas.Root()
	root.Fill(0, 0, around, h+2*margin, mark, 0)
	p.Hits.Reset()
	within := root.Sub(margin, margin, w, h)
	within.Clear(0)
	draw(within)
	inner := layout.Rect{X: margin, Y: margin, W: w, H: h}
	for y := range h + 2*margin {
		for x := range around {
			c := p.Canvas.At(x, y).Rune
			switch {
			case x < inner.X || x >= inner.X+w || y < inner.Y || y >= inner.Y+h:
				if c != mark {
					p.Fatalf("%dx%d: %q is drawn outside, at %d,%d:\n%s", w, h, c, x-margin, y-margin, p.Text())
				}
			case c != 0 && !p.mayShow(c):
				p.Fatalf("%dx%d: %q is drawn at %d,%d:\n%s", w, h, c, x-margin, y-margin, p.Text())
			}
		}
	}
}

// Golden compares what is shown with a file, without the spaces at the ends of
// rows, or writes the file anew.
func (p *Picture) Golden(file string, write bool) {
	p.Helper()
	var b strings.Builder
	for _, row := range p.Canvas.Rows() {
		b.WriteString(strings.TrimRight(row, " ") + "\n")
	}
	Golden(p, file, b.String(), write)
}

// Golden holds a text against a file of the source tree, or writes it there.
func Golden(t testing.TB, file, got string, write bool) {
	t.Helper()
	if write {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil { //nolint:gosec // of the source tree
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil { //nolint:gosec // of the source tree
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (-update accepts it):\n%.8000s\nwant\n%.8000s", file, got, want)
	}
}

// Sizes are what a screen is swept with: all up to W x H in steps, then some
// larger ones.
type Sizes struct {
	W, H            int
	StepW, StepH    int
	Widths, Heights []int
}

// All are the sizes, width first; in a short run every fourth of them.
func (s Sizes) All() (out [][2]int) {
	for w := 1; w <= s.W; w += s.StepW {
		for h := 1; h <= s.H; h += s.StepH {
			out = append(out, [2]int{w, h})
		}
	}
	for _, w := range s.Widths {
		for _, h := range s.Heights {
			out = append(out, [2]int{w, h})
		}
	}
	return fewer(out)
}

// fewer are every fourth of the sizes in a short run, of widths and heights alike.
func fewer(sizes [][2]int) (out [][2]int) {
	if !testing.Short() {
		return sizes
	}
	for i := 0; i < len(sizes); i += 4 {
		out = append(out, sizes[i])
	}
	return out
}

// GrowingSizes are the sizes up to 300x100, each step larger by a fraction of
// the width, and by half of the height; in a short run every fourth of them.
func GrowingSizes(fraction int) (out [][2]int) {
	for w := 1; w <= 300; w += 1 + w/fraction {
		for h := 1; h <= 100; h += 1 + h/2 {
			out = append(out, [2]int{w, h})
		}
	}
	return fewer(out)
}
