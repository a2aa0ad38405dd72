// Package scale chooses what the top of a picture stands for, in one way for graphs,
// sparklines, meters and axes of all screens: 100 of percentages, a limit where there
// is one, else the next round number over what is shown, which changes seldom
// (deck.md 5).
package scale

import (
	"bytes"
	"math"
	"strconv"
	"time"

	"perfdeck/cooker"
)

// Rule is what a counter's numbers are measured against. The zero Rule is nothing.
type Rule struct {
	Limit float64 // is always the top; 0 or NaN: there is none
	Least float64 // is the top until a number is over it, as 100 of percentages; 0: none
}

// steps are the round numbers of a decade.
var steps = [...]float64{1, 1.5, 2, 3, 4, 5, 6, 8, 10}

// The top goes down when all numbers were less than so much of the lower step for so
// long.
const (
	lowShare = 0.6
	lowHold  = 10 * time.Second
)

// leastTop is the lowest top, in the unit that is shown: numbers have two decimals.
const leastTop = 0.01

// Scale is the top of one picture, or of several that are compared: it goes up at once,
// and down one step at a time. The zero value is ready.
type Scale struct {
	top   float64
	lower float64 // the step below it
	one   float64 // what the unit that is shown is in the counter's own
	isLow bool    // all numbers have been since a time
	since time.Time
	down  time.Time // when it went down last: not twice in a tick
	most  float64   // of them
	held  bool
}

// Hold holds the top where it is, or lets it follow the numbers again. It reports
// whether it is held.
func (s *Scale) Hold() bool {
	s.held = !s.held && s.top > 0
	return s.held
}

// IsHeld tells whether the top is held.
func (s *Scale) IsHeld() bool { return s.held }

// Top is the top at a time, in the counter's own unit, given the largest magnitude that
// is shown then, and how it is written. It is 0 as long as there was nothing but zeros.
func (s *Scale) Top(r Rule, largest float64, f cooker.Format, u cooker.Unit, now time.Time) float64 {
	if r.Limit > 0 {
		return r.Limit
	}
	if s.held {
		return max(s.top, r.Least)
	}
	largest = math.Abs(largest)
	if largest-largest != 0 { // NaN or infinite: nothing to go by
		largest = 0
	}
	if one := s.grid(largest, f, u); one != s.one {
		s.regrid(one)
	}
	switch {
	case s.top == 0 && largest == 0: // nothing to measure
		return r.Least
	case s.top == 0 || largest > s.top:
		s.step(Over(largest, s.one))
	case largest > 0:
		s.settle(largest, now)
	}
	return max(s.top, r.Least)
}

// grid is what the steps are of: the unit that is shown, or the next one where the top
// had more than 4 places.
func (s *Scale) grid(largest float64, f cooker.Format, u cooker.Unit) float64 {
	const last = 8000 // of the steps with 4 places
	one := One(f, u)
	if max(s.top, largest) <= last*one*(1+1e-9) || f.IsOneNumber() {
		return one
	}
	return max(one, One(f, f.Unit(MostPlaces*one)))
}

// regrid goes on with numbers in another unit.
func (s *Scale) regrid(one float64) {
	if s.one = one; s.top > 0 {
		s.step(atMost(s.top, one))
	}
}

// step goes to a round number.
func (s *Scale) step(top float64) {
	s.top, s.lower, s.isLow = top, below(top, s.one), false
}

// settle goes down a step when it is time.
func (s *Scale) settle(largest float64, now time.Time) {
	if s.lower == s.top || largest >= lowShare*s.lower {
		s.isLow = false
		return
	}
	if !s.isLow || now.Before(s.since) {
		s.isLow, s.since, s.most = true, now, 0
	}
	s.most = max(s.most, largest)
	if now.Sub(s.since) < lowHold || now.Equal(s.down) {
		return
	}
	s.down = now
	s.step(s.lower)
	// What was low enough for the step after it too need not wait again.
	s.isLow = s.most < lowShare*s.lower
}

// Over is the least round number that is not less than a number, in units of one.
func Over(number, one float64) float64 {
	if !(number > 0) {
		return one
	}
	decade, i := place(number / one)
	if stepAt(decade, i)*one < number*(1-1e-12) { // rounding is no number
		if i++; i == len(steps)-1 {
			decade, i = decade+1, 0
		}
	}
	return max(leastTop, stepAt(decade, i)) * one
}

// atMost is the largest round number that is not more than a number.
func atMost(number, one float64) float64 {
	decade, i := place(number / one)
	return max(leastTop, stepAt(decade, i)) * one
}

// below is the round number below one that is one itself.
func below(top, one float64) float64 {
	decade, i := place(top / one)
	if i--; i < 0 {
		decade, i = decade-1, len(steps)-2
	}
	return max(leastTop, stepAt(decade, i)) * one
}

// place is the decade and the step of the largest round number that is not more than a
// positive number.
func place(number float64) (decade, step int) {
	decade = int(math.Floor(math.Log10(number)))
	near := number * (1 + 1e-12)
	if stepAt(decade+1, 0) <= near { // the logarithm was rounded
		decade++
	}
	for i := len(steps) - 2; i > 0; i-- {
		if stepAt(decade, i) <= near {
			return decade, i
		}
	}
	return decade, 0
}

func stepAt(decade, i int) float64 { return steps[i] * math.Pow10(decade) }

// One is what one of the unit that is shown is in the counter's own.
func One(f cooker.Format, u cooker.Unit) float64 {
	one := u.Factor
	if one == 0 {
		one = 1
	}
	return one / math.Pow10(f.Scale)
}

// MostPlaces is the first number that has more than 4 places.
const MostPlaces = 9999.5

// AppendTop appends a top as titles and axes write it: as short as it goes, with the
// unit of the numbers beside it, or the one above where it had more than 4 places. Of 0
// there is none.
func AppendTop(buf []byte, top float64, f cooker.Format, u cooker.Unit) []byte {
	if top == 0 {
		return buf
	}
	n := top / One(f, u)
	if math.Abs(n) >= MostPlaces && !f.IsOneNumber() {
		if larger := f.Unit(top); larger.Factor > u.Factor {
			u, n = larger, top/One(f, larger)
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
