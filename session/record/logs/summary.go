package logs

import (
	"math"
	"time"

	"perfdeck/cooker"
)

// Summary sums up the values of one column, in fixed memory.
type Summary struct {
	Count, Missing int64
	Texts          int64     // values that are texts: they are neither counted nor missing
	First, Last    time.Time // of the rows that gave values
	Min, Max       float64
	MinAt, MaxAt   time.Time

	typ     cooker.CounterType
	known   bool
	mean    float64 // of those that are weighted alike
	opening float64 // the value of the first row
	opened  bool    // it had one
	sum     float64 // of values times seconds, of types that are weighted by time
	seconds float64
	before  time.Time // of the last row, whether it had a value or not
	sketch  sketch
}

// Summarize makes the summaries of all columns of a header, ready for rows.
func Summarize(h *Header) []Summary {
	all := make([]Summary, len(h.Columns))
	for i := range h.Columns {
		all[i].typ, all[i].known = h.Columns[i].Type, h.Columns[i].TypeKnown
	}
	return all
}

// Add takes in the value of a row.
func (s *Summary) Add(at time.Time, v cooker.Value) {
	before := s.before
	s.before = at
	f, ok := v.Float()
	switch _, isText := v.Text(); {
	case isText:
		s.Texts++
		return
	case !ok:
		s.Missing++
		return
	}
	if s.Count == 0 || f < s.Min {
		s.Min, s.MinAt = f, at
	}
	if s.Count == 0 || f > s.Max {
		s.Max, s.MaxAt = f, at
	}
	if s.Count == 0 {
		s.First = at
	}
	if before.IsZero() {
		s.opening, s.opened = f, true
	}
	s.Last = at
	s.Count++
	s.mean += (f - s.mean) / float64(s.Count) // keeps small numbers beside large sums
	if interval := at.Sub(before).Seconds(); !before.IsZero() && interval > 0 {
		s.sum += f * interval
		s.seconds += interval
	}
	s.sketch.add(f)
}

// Average is the mean of the values. Where the type is known it is that of
// cooker.Summarize: rates and timers are weighted by the time that they stand for,
// and what was cooked with a sample before the first row does not count.
func (s *Summary) Average() float64 {
	info, ok := s.typ.Info()
	if !s.known || !ok || info.Samples < 2 || s.Count < 2 {
		return s.mean
	}
	clocked := info.Clock != cooker.ClockNone && info.Clock != cooker.ClockFreq || info.Base == cooker.BaseClock
	switch {
	case clocked && s.seconds > 0:
		return s.sum / s.seconds
	case info.Base == cooker.BaseDivisor && s.opened:
		return (s.mean*float64(s.Count) - s.opening) / float64(s.Count-1)
	}
	return s.mean
}

// Quantile is the value of rank q, from 0 to 1, within 1 % of it. Those at the
// ends are exact.
func (s *Summary) Quantile(q float64) float64 {
	switch {
	case s.Count == 0 || math.IsNaN(q):
		return 0
	case q <= 0:
		return s.Min
	case q >= 1:
		return s.Max
	}
	return s.sketch.quantile(q, s.Min, s.Max)
}
