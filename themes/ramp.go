package themes

// Ramp is a run of colours from low to high, in which graphs and meters are drawn:
// brightness is height, never state.
type Ramp uint8

// The ramps: one for a single series, meters and the upper half of a pair, one for
// its lower half.
const (
	RampA Ramp = iota
	RampB
)

// RampSteps is how many colours a ramp has in true colour; in 256 colours it has
// three, in 16 one.
const RampSteps = 8

// shadeCount is how many foregrounds there are: the tokens, and behind them the
// steps of the ramps.
const shadeCount = tokenCount + 2*RampSteps

// Step is the colour of cell i of n along the ramp, as a foreground. Below the ramp
// is its first colour, beyond it its last.
func (r Ramp) Step(i, n int) Token {
	if n < 1 {
		return r.shade(0)
	}
	return r.shade((2*i + 1) * RampSteps / (2 * n)) // the middle of the cell
}

// At is the colour at a share of the ramp, 0 to 1.
func (r Ramp) At(share float64) Token { return r.shade(int(share * RampSteps)) }

func (r Ramp) shade(step int) Token {
	return tokenCount + Token(r)*RampSteps + Token(max(0, min(RampSteps-1, step)))
}

// tokens are the low end, the middle and the high end of the ramp.
func (r Ramp) tokens() [3]Token {
	if r == RampB {
		return [3]Token{B1, B2, B3}
	}
	return [3]Token{A1, A2, A3}
}

// plain is the token that a ramp stands for where there are few colours.
func (r Ramp) plain() Token {
	if r == RampB {
		return OK
	}
	return Spark
}

// shade is the colour of a step of a ramp.
func (p *Palette) shade(r Ramp, step int, profile Profile) Colour {
	knots := r.tokens()
	at := (float64(step) + 0.5) / RampSteps
	nearest := p[knots[int(at*float64(len(knots)))]]
	if profile != TrueColour {
		return nearest
	}
	if at < 0.5 {
		return mixed(p[knots[0]], p[knots[1]], 2*at)
	}
	return mixed(p[knots[1]], p[knots[2]], 2*at-1)
}

// mixed is the colour at a share of the way from a to b, with the word of a, for true
// colour alone: it has no Index. Colours that are the terminal's own cannot be mixed.
func mixed(a, b Colour, share float64) Colour {
	if a.Own || a.Inherit || b.Own || b.Inherit || share <= 0 {
		return a
	}
	out := Colour{Word: a.Word}
	for i := range out.RGB {
		x, y := float64(a.RGB[i]), float64(b.RGB[i])
		out.RGB[i] = uint8(x + (y-x)*share + 0.5)
	}
	return out
}
