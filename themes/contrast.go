package themes

import (
	"fmt"
	"math"
)

// The least contrast (WCAG 2.2, 1.4.3 and 1.4.11): of text, and of what is drawn.
const (
	LeastText    = 4.5
	LeastGraphic = 3.0
)

// areas is what everything else stands on.
var areas = []Token{Background, Surface, Header, Selection}

// Problem is a token that cannot be read well on an area.
type Problem struct {
	Side     string // "dark" or "light"
	Token    Token
	Area     Token
	Profile  Profile // TrueColour or Colours256
	Contrast float64 // 1 to 21
	Least    float64
}

func (p Problem) String() string {
	colours := ""
	if p.Profile == Colours256 {
		colours = " in 256 colours"
	}
	return fmt.Sprintf("%s.%s: contrast %.1f on %s%s, want at least %.1f", p.Side, p.Token, p.Contrast, p.Area, colours, p.Least)
}

// Check measures whether text and graphics can be read on every area, with true
// colours and with 256. What is left to the terminal cannot be measured.
func (t *Theme) Check() []Problem {
	var out []Problem
	for _, side := range t.sides() {
		for token := range tokenCount {
			least := leastContrast(token)
			if least == 0 {
				continue
			}
			for _, area := range areas {
				if area == Selection && token == B1 { // of a selected row only the swatch has a colour of this ramp: a higher one
					continue
				}
				for _, profile := range []Profile{TrueColour, Colours256} {
					c, ok := contrastOf(side.palette[token], side.palette[area], profile)
					if ok && math.Round(c*10)/10 < least { // as it is shown
						out = append(out, Problem{side.name, token, area, profile, c, least})
					}
				}
			}
		}
	}
	return out
}

// leastContrast is what a token needs on every area, 0 where it may be faint.
func leastContrast(t Token) float64 {
	switch {
	case t == Rule || t >= Background:
		return 0
	case t == Spark || t >= S1 && t <= B3:
		return LeastGraphic
	}
	return LeastText
}

// contrastOf is the contrast of two colours, false where the terminal decides.
func contrastOf(a, b Colour, profile Profile) (ratio float64, ok bool) {
	if a.Inherit || b.Inherit || a.Own || b.Own {
		return 0, false
	}
	if profile == Colours256 {
		if a.Index < 16 || b.Index < 16 { // the terminal's own
			return 0, false
		}
		return contrast(rgb256(a.Index), rgb256(b.Index)), true
	}
	return contrast(a.RGB, b.RGB), true
}

// contrast is the ratio of two colours' luminance, from 1 to 21 (WCAG 2.2).
func contrast(a, b [3]uint8) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// luminance is that of an sRGB colour, from 0 to 1 (WCAG 2.2).
func luminance(rgb [3]uint8) float64 {
	r, g, b := linear(rgb[0]), linear(rgb[1]), linear(rgb[2])
	return 0.2126*r + 0.7152*g + 0.0722*b
}

func linear(v uint8) float64 {
	c := float64(v) / 255
	if c <= 0.04045 {
		return c / 12.92
	}
	return math.Pow((c+0.055)/1.055, 2.4)
}

// rgb256 is colour 16 to 255 of the 256: a cube of six steps and 24 greys, as
// xterm has them.
func rgb256(index uint8) [3]uint8 {
	if index >= 232 {
		v := 8 + (index-232)*10
		return [3]uint8{v, v, v}
	}
	steps := [6]uint8{0, 95, 135, 175, 215, 255}
	i := max(16, index) - 16
	return [3]uint8{steps[i/36], steps[i/6%6], steps[i%6]}
}

// nearest256 is the one of the 256 colours, the terminal's own 16 aside, that
// looks most like a colour.
func nearest256(rgb [3]uint8) uint8 {
	best, least := uint8(16), math.Inf(1)
	for i := 16; i < 256; i++ {
		if d := distance(rgb, rgb256(uint8(i))); d < least {
			best, least = uint8(i), d
		}
	}
	return best
}

// distance is how different two colours look: Delta E of CIE 1976.
func distance(a, b [3]uint8) float64 {
	x, y := lab(a), lab(b)
	return math.Sqrt((x[0]-y[0])*(x[0]-y[0]) + (x[1]-y[1])*(x[1]-y[1]) + (x[2]-y[2])*(x[2]-y[2]))
}

// lab is a colour in CIELAB under D65.
func lab(rgb [3]uint8) [3]float64 {
	r, g, b := linear(rgb[0]), linear(rgb[1]), linear(rgb[2])
	f := func(t float64) float64 {
		if t > 216.0/24389 {
			return math.Cbrt(t)
		}
		return (24389.0/27*t + 16) / 116
	}
	x := f((0.4124*r + 0.3576*g + 0.1805*b) / 0.9505)
	y := f(0.2126*r + 0.7152*g + 0.0722*b)
	z := f((0.0193*r + 0.1192*g + 0.9505*b) / 1.089)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}
