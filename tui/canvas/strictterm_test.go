package canvas

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"perfdeck/themes"
)

// strictTerm is a terminal that refuses whatever real terminals may do
// differently: wrapping, scrolling, relative moves from a column that is not
// certain, unknown sequences. A wide rune that is cut leaves ruin behind.
type strictTerm struct {
	w, h      int
	cells     []termCell
	x, y      int
	isUnsure  bool // the column may be anywhere
	isWaiting bool // wrote the last column
	state     sgr
	bce       bool
	allowed   Caps
	last      rune
	err       error
}

type termCell struct {
	char rune
	look sgr
}

type sgr struct {
	fg, bg                   string
	bold, underline, reverse bool
}

const ruin = '\uFFFC'

func newStrictTerm(w, h int, caps Caps) *strictTerm {
	t := &strictTerm{w: w, h: h, allowed: caps, bce: caps.BCE, isUnsure: true}
	t.cells = make([]termCell, w*h)
	for i := range t.cells {
		t.cells[i].char = ruin
	}
	return t
}

func (t *strictTerm) Write(p []byte) (int, error) {
	if !utf8.Valid(p) {
		t.fail("not UTF-8")
	}
	for rest := p; len(rest) > 0 && t.err == nil; {
		if rest[0] == 0x1b {
			rest = t.escape(rest)
			continue
		}
		char, size := utf8.DecodeRune(rest)
		t.char(char)
		rest = rest[size:]
	}
	return len(p), t.err
}

func (t *strictTerm) fail(format string, args ...any) {
	if t.err == nil {
		t.err = fmt.Errorf(format, args...)
	}
}

func (t *strictTerm) escape(p []byte) []byte {
	end := 2
	for end < len(p) && (p[end] < 0x40 || p[end] > 0x7e) {
		end++
	}
	if len(p) < 3 || p[1] != '[' || end >= len(p) {
		t.fail("bad escape sequence %q", p[:min(len(p), 10)])
		return nil
	}
	t.csi(string(p[2:end]), p[end])
	return p[end+1:]
}

func (t *strictTerm) csi(params string, final byte) {
	if strings.HasPrefix(params, "?") {
		if !t.allowed.Sync || params != "?2026" {
			t.fail("mode %s%c is not allowed", params, final)
		}
		return
	}
	if final == 'm' {
		t.sgr(params)
		return
	}
	n, m := 1, 1
	first, second, _ := strings.Cut(params, ";")
	for _, part := range []struct {
		text string
		n    *int
	}{{first, &n}, {second, &m}} {
		if part.text != "" {
			v, err := strconv.Atoi(part.text)
			if err != nil || v < 1 {
				t.fail("bad number in %q", params)
			}
			*part.n = v
		}
	}
	if (t.isUnsure || t.isWaiting) && final != 'H' && !(final == 'G' && !t.isWaiting && t.y >= 0) {
		t.fail("%c from an uncertain place", final)
		return
	}
	switch final {
	case 'H':
		t.isUnsure, t.isWaiting = false, false
		t.move(m-1, n-1)
	case 'G':
		t.isUnsure = false
		t.move(n-1, t.y)
	case 'd':
		t.move(t.x, n-1)
	case 'A':
		t.move(t.x, t.y-n)
	case 'B':
		t.move(t.x, t.y+n)
	case 'C':
		t.move(t.x+n, t.y)
	case 'D':
		t.move(t.x-n, t.y)
	case 'J':
		if params != "" || t.x != 0 || t.y != 0 {
			t.fail("ED %q from %d,%d", params, t.x, t.y)
		}
		for i := range t.cells {
			t.cells[i] = t.erased()
		}
	case 'K':
		t.erase(t.x, t.w)
	case 'X':
		t.erase(t.x, t.x+n)
	case 'b':
		if !t.allowed.Rep || t.last == 0 || t.last > 0x7e {
			t.fail("REP is not allowed here")
		}
		for range n {
			t.char(t.last)
		}
	case 'P':
		t.shift(n, true)
	case '@':
		t.shift(n, false)
	default:
		t.fail("unknown sequence %q%c", params, final)
	}
	if final != 'b' {
		t.last = 0
	}
}

func (t *strictTerm) move(x, y int) {
	if x < 0 || y < 0 || x >= t.w || y >= t.h {
		t.fail("move to %d,%d", x, y)
		return
	}
	t.x, t.y = x, y
}

func (t *strictTerm) row() []termCell { return t.cells[t.y*t.w : (t.y+1)*t.w] }

func (t *strictTerm) erased() termCell {
	look := sgr{}
	if t.bce {
		look.bg = t.state.bg
	}
	return termCell{' ', look}
}

func (t *strictTerm) erase(from, to int) {
	if to > t.w {
		t.fail("erase beyond the row")
		return
	}
	t.cut(from)
	t.cut(to)
	for i := from; i < to; i++ {
		t.row()[i] = t.erased()
	}
}

// cut ruins a wide rune that lies across the border before column x.
func (t *strictTerm) cut(x int) {
	row := t.row()
	if x > 0 && x < t.w && row[x].char == continuation {
		row[x-1].char, row[x].char = ruin, ruin
	}
}

func (t *strictTerm) shift(n int, isDelete bool) {
	if !t.allowed.ShiftChars {
		t.fail("DCH and ICH are not allowed")
		return
	}
	row := t.row()
	for _, c := range row[t.x:] {
		if c.char == continuation {
			t.fail("shift of a wide rune")
		}
	}
	n = min(n, t.w-t.x)
	from, to := t.x, t.x+n
	if isDelete {
		copy(row[t.x:], row[t.x+n:])
		from, to = t.w-n, t.w
	} else {
		copy(row[t.x+n:], row[t.x:t.w-n])
	}
	for i := from; i < to; i++ {
		row[i] = termCell{ruin, t.erased().look}
	}
}

func (t *strictTerm) char(char rune) {
	switch char {
	case '\r':
		t.x = 0
		if t.isWaiting {
			t.fail("CR behind the last column")
		}
		t.isUnsure = false
		return
	case '\n':
		if t.y >= t.h-1 {
			t.fail("scrolled")
			return
		}
		t.y++
		return
	case '\b':
		if t.isUnsure || t.isWaiting {
			t.fail("BS from an uncertain place")
		}
		t.move(t.x-1, t.y)
		return
	}
	safe, width := safeRune(char, false)
	switch {
	case safe != char || width == 0:
		t.fail("unprintable rune %U", char)
	case t.isWaiting:
		t.fail("wrapped at %d,%d", t.x, t.y)
	case t.isUnsure:
		t.fail("%q at an uncertain place", char)
	case t.x+width > t.w:
		t.fail("wide rune in the last column")
	}
	if t.err != nil {
		return
	}
	row := t.row()
	t.cut(t.x)
	t.cut(t.x + width)
	row[t.x] = termCell{char, t.state}
	if width == 2 {
		row[t.x+1] = termCell{continuation, t.state}
	}
	t.last = char
	t.x += width
	if t.x >= t.w {
		t.x, t.isWaiting = t.w-1, true
	} else if !isPlain(char) {
		t.isUnsure = true
	}
}

func (t *strictTerm) sgr(params string) {
	parts := strings.Split(params, ";")
	for i := 0; i < len(parts); i++ {
		switch part := parts[i]; part {
		case "", "0":
			t.state = sgr{}
		case "1", "22":
			t.state.bold = part == "1"
		case "4", "24":
			t.state.underline = part == "4"
		case "7", "27":
			t.state.reverse = part == "7"
		case "38", "48":
			n := 3
			if parts[i+1] == "2" {
				n = 5
			}
			colour := strings.Join(parts[i:i+n], ";")
			if part == "38" {
				t.state.fg = colour
			} else {
				t.state.bg = colour
			}
			i += n - 1
		case "39":
			t.state.fg = ""
		case "49":
			t.state.bg = ""
		default:
			switch part[0] {
			case '3', '9':
				t.state.fg = part
			case '4', '1':
				t.state.bg = part
			default:
				t.fail("unknown SGR %q", part)
			}
		}
	}
}

// visible drops of a look what does not show on the rune.
func (s sgr) visible(char rune) sgr {
	if char == ' ' {
		s.bold = false
		if !s.reverse && !s.underline {
			s.fg = ""
		}
	}
	return s
}

// compare returns how the screen differs from the canvas, nil when it does not.
func (t *strictTerm) compare(c *Canvas, sheet *themes.Sheet) error {
	if t.err != nil {
		return t.err
	}
	looks := map[themes.Style]sgr{}
	for y := range c.h {
		for x := range c.w {
			if c.cells[y*c.w+x] == invalid {
				continue // of which nothing is known
			}
			want, got := c.At(x, y), t.cells[y*t.w+x]
			look, ok := looks[want.Style]
			if !ok {
				look = lookOf(sheet, want.Style)
				looks[want.Style] = look
			}
			if got.char != want.Rune || got.look.visible(got.char) != look.visible(want.Rune) {
				return fmt.Errorf("at %d,%d: terminal shows %q %+v, canvas has %q %+v", x, y, got.char, got.look, want.Rune, look)
			}
		}
	}
	return nil
}

func lookOf(sheet *themes.Sheet, st themes.Style) sgr {
	var t strictTerm
	seq := sheet.AppendChange(nil, themes.Pen{}, sheet.Pen(st))
	for len(seq) > 0 {
		end := bytes.IndexByte(seq, 'm')
		t.sgr(string(seq[2:end]))
		seq = seq[end+1:]
	}
	return t.state
}
