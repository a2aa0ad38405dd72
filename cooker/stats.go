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
//
// The average of a rate or timer is that of its raw samples: the change over
// the window divided by the clock, or base, over the window. It is summed up
// interval by interval, so wraps count and restarts and gaps do not. Where no
// raw samples are kept, rates and timers are weighted by time. The average of
// other types is the mean of the values.
func Summarize(t CounterType, points []Point) Statistics {
	var s Statistics
	if len(points) == 0 {
		nothing := Absent(Pending)
		return Statistics{Last: nothing, Average: nothing, Min: nothing, Max: nothing}
	}
	least, greatest := Aggregator{Func: AggregateMin}, Aggregator{Func: AggregateMax}
	var mean weightedMean
	r := ruleOf(t)
	for i := range points {
		p := &points[i]
		number, ok := p.Value.Float()
		if !ok {
			continue
		}
		least.Add(p.Value)
		greatest.Add(p.Value)
		if i == 0 {
			mean.add(number, firstWeight(r))
			continue
		}
		before := &points[i-1]
		s.Covered += p.Time.Sub(before.Time)
		mean.add(number, weight(r, before, p))
	}
	first, last := &points[0], &points[len(points)-1]
	s.Last, s.Count, s.Duration = last.Value, least.Count(), last.Time.Sub(first.Time)
	if s.Count == 0 {
		s.Average, s.Min, s.Max = s.Last, s.Last, s.Last
		return s
	}
	s.Min, s.Max = least.Value(), greatest.Value()
	s.Average = mean.value(s.Max)
	return s
}

// weightedMean is the sum of value*weight over the sum of weights.
type weightedMean struct {
	sum, weights float64
	plain        float64
	count        int
}

func (m *weightedMean) add(number, weight float64) {
	m.sum += number * weight
	m.weights += weight
	m.plain += number
	m.count++
}

// value is the mean, the plain one where nothing had a weight. That of one
// value is the value.
func (m *weightedMean) value(only Value) Value {
	switch {
	case m.count == 1:
		return only
	case m.weights > 0:
		return FloatValue(m.sum / m.weights)
	}
	return FloatValue(m.plain / float64(m.count))
}

// firstWeight: the first value of a window was cooked with a sample outside of
// it, so a type of two samples leaves it out of the average.
func firstWeight(r *rule) float64 {
	if r != nil && r.Samples == 2 && r.kind != kindDifference {
		return 0
	}
	return 1
}

func weight(r *rule, before, p *Point) float64 {
	return weigh(r, &before.Reading, &p.Reading, before.Clocks, p.Clocks, p.Time.Sub(before.Time).Seconds())
}

// Weight is how much the value of an interval counts in the average of several: what it
// was divided by, which is the clock or the base of the interval. Without clocks it is
// the seconds, of averages of operations, of which nobody knows how many there were, and of
// what is no value of an interval, 1. It is 0 where the value has no divisor.
func Weight(t CounterType, older, newer *Reading, olderClocks, newerClocks *Clocks, seconds float64) float64 {
	return weigh(ruleOf(t), older, newer, olderClocks, newerClocks, seconds)
}

func weigh(r *rule, older, newer *Reading, olderClocks, newerClocks *Clocks, seconds float64) float64 {
	if firstWeight(r) == 1 {
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
	if r.kind == kindAverage || r.kind == kindSeconds {
		return 1
	}
	return max(seconds, 0)
}
