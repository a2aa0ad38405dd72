package canvas

import (
	"math"

	"perfdeck/themes"
)

// Scale maps values to heights: Lo is the ground, Hi the top.
type Scale struct {
	Lo, Hi float32
	IsFlat bool // nearly constant: everything is drawn at a third
}

// PercentScale is 0 to 100.
func PercentScale() Scale { return Scale{Lo: 0, Hi: 100} }

// flatShare is the spread, as a share of the largest value, under which a
// window counts as constant.
const flatShare = 0.05

// WindowScale is 0 to the largest value of the window (from the smallest, if
// that is negative). NaN is a gap and ignored.
func WindowScale(values []float32) Scale {
	lo, hi := float32(math.Inf(1)), float32(math.Inf(-1))
	for _, v := range values {
		if isNumber(v) {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	if lo > hi {
		return Scale{}
	}
	s := Scale{Lo: min(0, lo), Hi: max(0, hi)}
	largest := max(s.Hi, -s.Lo)
	s.IsFlat = largest > 0 && hi-lo < flatShare*largest
	return s
}

// share returns the height of a value, 0 to 1.
func (s Scale) share(v float32) float32 {
	switch {
	case s.IsFlat:
		return 1. / 3
	case !(s.Hi > s.Lo):
		return 0
	}
	// In float64: the span of two float32 may exceed float32.
	at := (float64(v) - float64(s.Lo)) / (float64(s.Hi) - float64(s.Lo))
	return float32(max(0, min(1, at)))
}

func (s Scale) level(v float32) int {
	return min(Levels-1, int(s.share(v)*Levels))
}

// Spark draws the last w values in one row, the newest at the right end; NaN
// is a gap. style gives the style of each value; gaps are drawn in that of NaN.
func (r Region) Spark(x, y, w int, values []float32, scale Scale, style func(v float32) themes.Style) {
	if w <= 0 {
		return
	}
	values = values[max(0, len(values)-w):]
	gap := style(float32(math.NaN()))
	glyphs := r.Glyphs()
	cells, skip := r.span(x, y, w)
	blanks := w - len(values) - skip // before the first value
	for i := range cells {
		if i < blanks || values[i-blanks] != values[i-blanks] {
			cells[i] = pack(' ', gap)
			continue
		}
		v := values[i-blanks]
		cells[i] = pack(glyphs.Spark[scale.level(v)], style(v))
	}
}

// SparkWipe draws the same values, but each where its number says: the newest
// one, before the sample number end, moves from left to right over the older
// ones, and a blank goes before it. So a new sample changes two cells, not w.
func (r Region) SparkWipe(x, y, w int, values []float32, end uint64, scale Scale, style func(v float32) themes.Style) {
	if w <= 1 {
		return
	}
	values = values[max(0, len(values)-w+1):]
	gap, glyphs := style(float32(math.NaN())), r.Glyphs()
	r.Repeat(x, y, w, ' ', gap)
	first := end - uint64(len(values))
	for i, v := range values {
		if v == v {
			at := int((first + uint64(i)) % uint64(w))
			r.put(x+at, y, glyphs.Spark[scale.level(v)], 1, style(v))
		}
	}
}

// isNumber holds for anything but NaN and the infinities.
func isNumber(v float32) bool { return v-v == 0 }
