package themes

import (
	"fmt"
	"strconv"
)

// Profile is how many colours the terminal shows.
type Profile uint8

// The profiles. NoColour (NO_COLOR) keeps bold, faint and reverse.
const (
	NoColour Profile = iota
	Colours16
	Colours256
	TrueColour
)

// Sheet is a theme resolved for one terminal: every style becomes a Pen, and
// pens know the shortest way from one to the next. It is immutable.
type Sheet struct {
	fg        [shadeCount]uint8 // into fgParams
	bg        [tokenCount]uint8 // into bgParams
	attrs     [shadeCount]attr
	areaAttrs [tokenCount]attr
	fgParams  []string // SGR parameters; 0 is the terminal's own colour
	bgParams  []string
}

// Pen is a style as the terminal sees it: two styles that look the same are
// equal pens. The zero value is the state after a reset (ESC [ m).
type Pen struct {
	fg, bg uint8
	attr   attr
}

type attr uint8

const (
	attrUnderline attr = 1 << iota
	attrReverse
	attrBold
	attrFaint // never with bold

	attrWeight = attrBold | attrFaint
)

// Sheet resolves the theme for a profile and for a dark or light background.
func (t *Theme) Sheet(profile Profile, isDark bool) *Sheet {
	palette := t.palette(isDark)
	s := &Sheet{fgParams: []string{"39"}, bgParams: []string{"49"}}
	for token := range tokenCount {
		c := palette[token]
		s.fg[token] = intern(&s.fgParams, c.params(profile, 30))
		s.bg[token] = intern(&s.bgParams, c.params(profile, 40))
		if profile > Colours16 && !c.Own {
			continue
		}
		s.attrs[token] = c.Word.attrs()
		if token >= Background {
			s.areaAttrs[token] = c.Word.attrs()
		}
	}
	for _, ramp := range []Ramp{RampA, RampB} {
		for step := range RampSteps {
			c := palette.shade(ramp, step, profile)
			s.fg[ramp.shade(step)] = intern(&s.fgParams, c.params(profile, 30))
			if profile <= Colours16 || c.Own {
				s.attrs[ramp.shade(step)] = c.Word.attrs()
			}
		}
	}
	return s
}

// Pen resolves a style.
func (s *Sheet) Pen(style Style) Pen {
	fg, bg := style.tokens()
	p := Pen{fg: s.fg[fg], bg: s.bg[bg], attr: s.attrs[fg] | s.areaAttrs[bg]}
	if style&boldBit != 0 {
		p.attr |= attrBold
	}
	if p.attr&attrBold != 0 {
		p.attr &^= attrFaint
	}
	if style&underlineBit != 0 {
		p.attr |= attrUnderline
	}
	if style&reverseBit != 0 {
		p.attr |= attrReverse
	}
	return p
}

// AppendChange appends the shortest SGR sequence that takes the terminal from
// one pen to another; nothing when they are equal.
func (s *Sheet) AppendChange(dst []byte, from, to Pen) []byte {
	if from == to {
		return dst
	}
	if to == (Pen{}) {
		return append(dst, reset...)
	}
	if s.fromResetLen(to) < s.deltaLen(from, to) {
		dst = append(dst, "\x1b[0;"...)
		return s.appendParams(dst, Pen{}, to)
	}
	return s.appendParams(append(dst, "\x1b["...), from, to)
}

// ChangeLen returns the bytes that AppendChange appends.
func (s *Sheet) ChangeLen(from, to Pen) int {
	switch {
	case from == to:
		return 0
	case to == (Pen{}):
		return len(reset)
	}
	return len("\x1b[") + min(s.fromResetLen(to), s.deltaLen(from, to))
}

const reset = "\x1b[m"

// SameBlank reports whether a blank cell looks the same in both pens.
func SameBlank(a, b Pen) bool {
	const visible = attrUnderline | attrReverse
	return a.bg == b.bg && a.attr&visible == b.attr&visible &&
		(a.attr&visible == 0 || a.fg == b.fg)
}

// ErasesTo reports whether erasing with this pen leaves cells that look like
// its blanks: the erased area takes the background colour on terminals with
// background colour erase, else the terminal's own; never reverse or underline.
func (p Pen) ErasesTo(hasBCE bool) bool {
	return p.attr&(attrUnderline|attrReverse) == 0 && (p.bg == 0 || hasBCE)
}

// deltaLen counts the parameters with their separators and final byte.
func (s *Sheet) deltaLen(from, to Pen) int {
	n := 0
	if from.fg != to.fg {
		n += len(s.fgParams[to.fg]) + 1
	}
	if from.bg != to.bg {
		n += len(s.bgParams[to.bg]) + 1
	}
	if was, is := from.attr&attrWeight, to.attr&attrWeight; was != is {
		if was != 0 {
			n += len("22;")
		}
		if is != 0 {
			n += len("1;")
		}
	}
	for bit := attrUnderline; bit <= attrReverse; bit <<= 1 {
		if (from.attr^to.attr)&bit != 0 {
			n += 2
			if to.attr&bit == 0 {
				n++ // 24, 27
			}
		}
	}
	return n
}

func (s *Sheet) fromResetLen(to Pen) int { return 2 + s.deltaLen(Pen{}, to) }

func (s *Sheet) appendParams(dst []byte, from, to Pen) []byte {
	if was, is := from.attr&attrWeight, to.attr&attrWeight; was != is {
		if was != 0 {
			dst = append(dst, "22;"...)
		}
		switch is {
		case attrBold:
			dst = append(dst, "1;"...)
		case attrFaint:
			dst = append(dst, "2;"...)
		}
	}
	for bit, code := attrUnderline, [...]string{"4", "7"}; bit <= attrReverse; bit <<= 1 {
		i := bit >> 1 // 0, 1
		switch {
		case (from.attr^to.attr)&bit == 0:
		case to.attr&bit != 0:
			dst = append(append(dst, code[i]...), ';')
		default:
			dst = append(append(dst, attrOff[i]...), ';')
		}
	}
	if from.fg != to.fg {
		dst = append(append(dst, s.fgParams[to.fg]...), ';')
	}
	if from.bg != to.bg {
		dst = append(append(dst, s.bgParams[to.bg]...), ';')
	}
	dst[len(dst)-1] = 'm'
	return dst
}

// attrOff clears underline and reverse (ECMA-48 8.3.117), as 22 does bold and faint.
var attrOff = [...]string{"24", "27"}

func (w Word16) attrs() (a attr) {
	if w.Bold {
		a |= attrBold
	}
	if w.Faint {
		a |= attrFaint
	}
	if w.Reverse {
		a |= attrReverse
	}
	return a
}

// params returns the SGR parameters of the colour; base is 30 for foregrounds,
// 40 for backgrounds. Empty means the terminal's own.
func (c Colour) params(profile Profile, base int) string {
	switch {
	case c.Inherit || profile == NoColour:
		return ""
	case c.Own:
		return c.Word.params(base)
	case profile == TrueColour:
		return fmt.Sprintf("%d;2;%d;%d;%d", base+8, c.RGB[0], c.RGB[1], c.RGB[2])
	case profile == Colours256:
		return fmt.Sprintf("%d;5;%d", base+8, c.Index)
	}
	return c.Word.params(base)
}

// params returns the SGR parameter of the colour; base as above.
func (w Word16) params(base int) string {
	switch {
	case w.Colour < 0:
		return ""
	case w.Colour < 8:
		return strconv.Itoa(base + int(w.Colour))
	}
	return strconv.Itoa(base + 60 + int(w.Colour) - 8) // aixterm's bright colours
}

func intern(list *[]string, params string) uint8 {
	if params == "" {
		return 0
	}
	for i, known := range *list {
		if known == params {
			return uint8(i)
		}
	}
	*list = append(*list, params)
	return uint8(len(*list) - 1)
}
