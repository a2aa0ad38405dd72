package cooker

import "time"

// Point is a moment of a counter in a window.
type Point struct {
	Time  time.Time
	Value Value // cooked from this and the point before
	// Reading and Clocks are what Value was cooked from. Clocks is nil where
	// only values are kept.
	Reading Reading
	Clocks  *Clocks
}

// Statistics are those of perfmon's legend. Values that do not count are left
// out; a statistic of nothing has the status of the newest value.
type Statistics struct {
	Last     Value
	Average  Value
	Min, Max Value
	Duration time.Duration // from the first point to the last
	Covered  time.Duration // Duration without the intervals that gave no value
	Count    int           // values that count
}

// Summarize gives the statistics of a window, its points in order of time.
func Summarize(t CounterType, points []Point) Statistics {
	a := NewAccumulator(t)
	var s Statistics
	for i := range points {
		p := &points[i]
		a.Add(p.Time, p.Value, &p.Reading, p.Clocks)
		if _, ok := p.Value.Float(); ok && i > 0 {
			s.Covered += p.Time.Sub(points[i-1].Time)
		}
	}
	s.Last, s.Average, s.Min, s.Max, s.Count = a.Newest, a.Average(), a.Min, a.Max, int(a.Count)
	if s.Count == 0 {
		s.Min, s.Max = s.Last, s.Last
	}
	if len(points) > 0 {
		s.Duration = points[len(points)-1].Time.Sub(points[0].Time)
	}
	return s
}

// isQuotient tells types whose values are a change divided by an interval of a clock or a base.
func isQuotient(r *rule) bool { return r != nil && r.Samples == 2 && r.kind != kindDifference }

// Weight is how much the value of an interval counts in the average of several: what it
// was divided by, which is the clock or the base of the interval. Without clocks it is
// the seconds, and of what is no quotient over an interval 1. It is 0 where the value has no
// divisor.
func Weight(t CounterType, older, newer *Reading, olderClocks, newerClocks *Clocks, seconds float64) float64 {
	return weigh(ruleOf(t), older, newer, olderClocks, newerClocks, seconds)
}

func weigh(r *rule, older, newer *Reading, olderClocks, newerClocks *Clocks, seconds float64) float64 {
	if !isQuotient(r) {
		return 1
	}
	if olderClocks != nil && newerClocks != nil {
		var w float64
		var status Status
		switch r.kind {
		case kindPrecision:
			w, status = ownInterval(r, older, newer, olderClocks, newerClocks)
		case kindAverage, kindSeconds:
			w, status = baseInterval(r, older, newer, newerClocks)
		default:
			w, status = interval(r, olderClocks, newerClocks, &noOptions)
		}
		if status == OK {
			return w
		}
		return 0
	}
	return max(seconds, 0)
}
