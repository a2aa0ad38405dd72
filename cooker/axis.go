package cooker

import (
	"bytes"
	"math"
	"strconv"
)

// What the top of a picture stands for is a round number of the unit that is shown:
// screens and reports choose it in this one way.

// roundSteps are the round numbers of a decade.
var roundSteps = [...]float64{1, 1.5, 2, 3, 4, 5, 6, 8, 10}

// LeastTop is the lowest top, in the unit that is shown: numbers have two decimals.
const LeastTop = 0.01

// RoundOver is the least round number that is not less than a number, in units of one.
func RoundOver(number, one float64) float64 {
	if !(number > 0) {
		return one
	}
	decade, i := roundPlace(number / one)
	if roundAt(decade, i)*one < number*(1-1e-12) { // rounding is no number
		if i++; i == len(roundSteps)-1 {
			decade, i = decade+1, 0
		}
	}
	return max(LeastTop, roundAt(decade, i)) * one
}

// RoundAtMost is the largest round number that is not more than a number.
func RoundAtMost(number, one float64) float64 {
	decade, i := roundPlace(number / one)
	return max(LeastTop, roundAt(decade, i)) * one
}

// RoundBelow is the round number below one that is one itself.
func RoundBelow(top, one float64) float64 {
	decade, i := roundPlace(top / one)
	if i--; i < 0 {
		decade, i = decade-1, len(roundSteps)-2
	}
	return max(LeastTop, roundAt(decade, i)) * one
}

// roundPlace is the decade and the step of the largest round number that is not more
// than a positive number.
func roundPlace(number float64) (decade, step int) {
	decade = int(math.Floor(math.Log10(number)))
	near := number * (1 + 1e-12)
	if roundAt(decade+1, 0) <= near { // the logarithm was rounded
		decade++
	}
	for i := len(roundSteps) - 2; i > 0; i-- {
		if roundAt(decade, i) <= near {
			return decade, i
		}
	}
	return decade, 0
}

func roundAt(decade, i int) float64 { return roundSteps[i] * math.Pow10(decade) }

// One is what one of the unit that is shown is in the counter's own.
func (f Format) One(u Unit) float64 {
	one := u.Factor
	if one == 0 {
		one = 1
	}
	return one / math.Pow10(f.Scale)
}

// Grid is what the round numbers of a top are of: the unit that is shown, or the next one
// where the top over the largest number had more than 4 places.
func (f Format) Grid(largest float64, u Unit) float64 {
	const last = 8000 // of the steps with 4 places
	one := f.One(u)
	if largest <= last*one*(1+1e-9) || f.IsOneNumber() {
		return one
	}
	return max(one, f.One(f.Unit(MostPlaces*one)))
}

// AppendTop appends a top as titles and axes write it: as short as it goes, with the
// unit of the numbers beside it, or the one above where it had more than 4 places. Of 0
// there is none.
func (f Format) AppendTop(buf []byte, top float64, u Unit) []byte {
	if top == 0 {
		return buf
	}
	n := top / f.One(u)
	if math.Abs(n) >= MostPlaces && !f.IsOneNumber() {
		if larger := f.Unit(top); larger.Factor > u.Factor {
			u, n = larger, top/f.One(larger)
		}
	}
	decimals := 0
	switch magnitude := math.Abs(n); {
	case magnitude < 1:
		decimals = 3
	case magnitude < 10:
		decimals = 2
	case magnitude < 1000:
		decimals = 1
	}
	start := len(buf)
	buf = strconv.AppendFloat(buf, n, 'f', decimals, 64)
	if decimals > 0 {
		tail := bytes.TrimRight(bytes.TrimRight(buf[start:], "0"), ".")
		buf = buf[:start+len(tail)]
	}
	if u.Label != "" {
		buf = append(append(buf, ' '), u.Label...)
	}
	return buf
}
