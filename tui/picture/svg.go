package picture

import (
	"bytes"
	"fmt"
	"html"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"perfdeck/session/text/printable"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
)

// The size of a cell, of a monospaced face of 13 pixels, and where its letters stand.
const (
	cellW, cellH = 8, 17
	fontSize     = 13
	baseLine     = 13
)

// faces are monospaced; whichever there is, each run of text is told its length.
const faces = "DejaVu Sans Mono,Menlo,Consolas,Liberation Mono,monospace"

// SVG is the picture as a graphic that stands for itself: text is text, and lines, blocks
// and dots are drawn, so that they join whatever the face is.
func (p Picture) SVG() []byte { return p.Moving([]*canvas.Canvas{p.Canvas}, time.Second) }

// Moving is a moving picture: each frame, of the size of the first, is seen for a time.
// Who animates nothing shows the first. A row stands once for each time that it changes.
func (p Picture) Moving(frames []*canvas.Canvas, each time.Duration) []byte {
	var b bytes.Buffer
	w, h := frames[0].Size()
	inks := p.Theme.Inks(p.Dark)
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-labelledby="title" font-family="%s" font-size="%d">`+"\n",
		w*cellW, h*cellH, w*cellW, h*cellH, faces, fontSize)
	fmt.Fprintf(&b, `<title id="title">%s</title>`+"\n", xmlText(printable.Text(p.Title)))
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="%s"/>`+"\n", w*cellW, h*cellH, hex(inks.Background()))
	pens := &pens{inks: inks, blanks: 2}
	if len(frames) > 1 { // many elements take much room
		pens.blanks = 12
	}
	var spells []spell
	for y := range h {
		for from := 0; from < len(frames); {
			row := pens.row(frames[from], w, y)
			to := from + 1
			for to < len(frames) && sameRow(frames[from], frames[to], w, y) {
				to++
			}
			if row != "" {
				s := spell{from, to}
				begin(&b, y, s, len(frames))
				if to-from < len(frames) && !slices.Contains(spells, s) {
					spells = append(spells, s)
				}
				b.WriteString(row)
				b.WriteString("</g>\n")
			}
			from = to
		}
	}
	b.WriteString("<style>text{white-space:pre}" + pens.rules())
	for _, s := range spells {
		b.WriteString(s.rule(len(frames), each))
	}
	b.WriteString(".l{fill:none;stroke:currentColor}.d{stroke-linecap:round;stroke-width:2.2;stroke-dasharray:.1 3.9}.h{stroke-width:2}</style>\n</svg>\n")
	return b.Bytes()
}

// sameRow tells whether two frames show the same in a row.
func sameRow(a, b *canvas.Canvas, w, y int) bool {
	for x := range w {
		if a.At(x, y) != b.At(x, y) {
			return false
		}
	}
	return true
}

// spell is from which frame on something is seen, and before which not any more.
type spell struct{ from, to int }

func (s spell) class() string { return fmt.Sprintf("s%d-%d", s.from, s.to) }

// rule is the rule of style by which it comes and goes, among n frames.
func (s spell) rule(n int, each time.Duration) string {
	percent := func(k int) string { return number(100*float64(k)/float64(n)) + "%" }
	steps := percent(s.from) + "{visibility:visible}"
	if s.from > 0 {
		steps = "0%{visibility:hidden}" + steps
	}
	last := "visible"
	if s.to < n {
		steps += percent(s.to) + "{visibility:hidden}"
		last = "hidden"
	}
	return fmt.Sprintf(".%[1]s{animation:%[1]s %[2]ss step-end infinite}@keyframes %[1]s{%[3]s100%%{visibility:%[4]s}}",
		s.class(), number((time.Duration(n) * each).Seconds()), steps, last)
}

// begin begins the group of a row that is seen for a spell. Who animates nothing shows the
// first frame.
func begin(b *bytes.Buffer, y int, s spell, frames int) {
	fmt.Fprintf(b, `<g transform="translate(0 %d)"`, y*cellH+baseLine)
	if s.to-s.from < frames {
		fmt.Fprintf(b, ` class="%s"`, s.class())
	}
	if s.from > 0 {
		b.WriteString(` visibility="hidden"`)
	}
	b.WriteString(">")
}

// pens are the classes of what is drawn, each named by its place: a picture has many
// things of few looks.
type pens struct {
	inks   *themes.Inks
	list   []pen
	blanks int // within a run of text at most; who does not know textLength drifts in long ones
}

// pen is a colour and how text looks in it.
type pen struct {
	colour          [3]uint8
	bold, underline bool
}

func (p *pens) class(of pen) string {
	for i := range p.list {
		if p.list[i] == of {
			return penName(i)
		}
	}
	p.list = append(p.list, of)
	return penName(len(p.list) - 1)
}

// penName is a name in capitals: small letters are those of kinds of lines.
func penName(i int) string { return string(rune('A'+i%26)) + strings.Repeat("Z", i/26) }

func (p *pens) rules() string {
	var b strings.Builder
	for i, of := range p.list {
		colour := hex(of.colour)
		fmt.Fprintf(&b, ".%s{fill:%s;color:%s", penName(i), colour, colour)
		if of.bold {
			b.WriteString(";font-weight:700")
		}
		if of.underline {
			b.WriteString(";text-decoration:underline")
		}
		b.WriteString("}")
	}
	return b.String()
}

// row draws a row, from where its letters stand: what lies below, then lines, blocks and
// dots, each colour at once, then text.
func (p *pens) row(c *canvas.Canvas, w, y int) string {
	var grounds, texts strings.Builder
	shapes := shapes{pens: p}
	background := p.inks.Background()
	ground, groundFrom := background, 0
	endGround := func(x int) {
		if ground != background {
			fmt.Fprintf(&grounds, `<path class="%s" d="M%d-%dh%dv%dh-%dz"/>`, p.class(pen{colour: ground}), groundFrom*cellW, baseLine, (x-groundFrom)*cellW, cellH, (x-groundFrom)*cellW)
		}
	}
	run := textRun{}
	for x := range w {
		cell := c.At(x, y)
		ink := p.inks.Ink(cell.Style)
		if ink.Back != ground {
			endGround(x)
			ground, groundFrom = ink.Back, x
		}
		if cell.Rune == 0 { // the right half of a wide one
			continue
		}
		look := pen{ink.Fore, ink.Bold, ink.Underline}
		if cell.Rune == ' ' && !ink.Underline {
			run.blanks++
			continue
		}
		if shapes.draw(x, cell.Rune, ink.Fore) {
			run.flush(&texts, p)
			continue
		}
		wide := 1
		if x+1 < w && c.At(x+1, y).Rune == 0 {
			wide = 2
		}
		run.add(&texts, p, x, wide, cell.Rune, look)
	}
	run.flush(&texts, p)
	endGround(w)
	return grounds.String() + shapes.String() + texts.String()
}

// textRun is text of one look, in cells side by side. Blanks within it belong to it.
type textRun struct {
	from, cells int
	look        pen
	text        strings.Builder
	blanks      int
}

func (r *textRun) add(to *strings.Builder, p *pens, x, wide int, char rune, look pen) {
	if r.cells > 0 && (r.look != look || r.blanks > p.blanks || r.from+r.cells+r.blanks != x) {
		r.flush(to, p)
	}
	if r.cells == 0 {
		r.from, r.look, r.blanks = x, look, 0
	}
	for range r.blanks {
		r.text.WriteByte(' ')
	}
	r.cells += r.blanks + wide
	r.blanks = 0
	r.text.WriteString(xmlText(string(char)))
}

func (r *textRun) flush(to *strings.Builder, p *pens) {
	if r.cells > 0 {
		fmt.Fprintf(to, `<text x="%d"`, r.from*cellW)
		if r.cells > 1 {
			fmt.Fprintf(to, ` textLength="%d"`, r.cells*cellW)
		}
		fmt.Fprintf(to, ` class="%s">%s</text>`, p.class(r.look), r.text.String())
	}
	*r = textRun{}
}

// xmlText is text as XML has it: what it cannot have is `?` (XML 1.0, 2.2).
func xmlText(text string) string {
	return html.EscapeString(strings.Map(func(r rune) rune {
		if r < 0x20 || r >= 0x7f && r < 0xa0 || r&0xfffe == 0xfffe {
			return '?'
		}
		return r
	}, text))
}

func hex(c [3]uint8) string {
	if c[0]%17 == 0 && c[1]%17 == 0 && c[2]%17 == 0 {
		return fmt.Sprintf("#%x%x%x", c[0]/17, c[1]/17, c[2]/17)
	}
	return fmt.Sprintf("#%02x%02x%02x", c[0], c[1], c[2])
}

// number is a number as SVG has it, in no more digits than can be seen.
func number(v float64) string { return strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64) }
