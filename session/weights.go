package session

import (
	"perfdeck/cooker"
)

// How much a sample counts in an average is what its value was divided by, as cooker.Weight
// has it: of rates and timers the interval by a clock, which all instances of a counterset
// share, of averages of operations and precision timers their own base. Others count alike.
// It takes 4 bytes a sample, for each clock of a counterset, or each history with a base.

// weights is how much the last samples of values of one type count in averages.
type weights struct {
	of     cooker.CounterType
	values ring[float32]
	next   uint64 // absolute number of the sample that comes next
	byTime bool   // they are the time since the sample before, for want of raw samples
	own    bool   // by a base
}

// interval is what the value of a sample was made over: what is known of it.
type interval struct {
	Older, Newer             *cooker.Reading
	OlderClocks, NewerClocks *cooker.Clocks
	Seconds                  float64
}

// newWeights keeps so many samples of a type.
func newWeights(samples int, of cooker.CounterType) *weights {
	_, own := cooker.WeighedBy(of)
	return &weights{of: of, values: ring[float32]{n: samples}, byTime: true, own: own}
}

// put stores the weight of sample number at. Where samples that were passed over are filled
// in, its interval is theirs, too.
func (w *weights) put(at uint64, i *interval, filled bool) {
	weight := i.weight(w.of)
	skipped, gap := w.values.skipped(at-w.next), 0.0
	if filled {
		weight /= float64(skipped + 1)
		gap = weight
	}
	for range skipped {
		w.values.add(float32(gap))
	}
	w.values.add(float32(weight))
	if w.next = at + 1; i.Newer != nil {
		w.byTime = i.Newer.Size == cooker.SizeCooked
	}
}

// weight is the time where there is no other one: of values that came cooked.
func (i *interval) weight(of cooker.CounterType) float64 {
	w := cooker.Weight(of, i.Older, i.Newer, i.OlderClocks, i.NewerClocks, i.Seconds)
	if w == 0 {
		w = cooker.Weight(of, nil, nil, nil, nil, i.Seconds)
	}
	return w
}

// weighed is what a series has of weights.
type weighed struct {
	by     []float32 // nil: all count alike
	first  uint64    // absolute number of the sample by[0]
	own    bool      // no other series has it
	byTime bool
}

// before is what counts of the samples before the absolute number next.
func (w *weights) before(next uint64) (out weighed) {
	if w != nil {
		out.by, out.byTime, out.own = w.values.last(), w.byTime, w.own
		out.first = next - uint64(len(out.by))
	}
	return out
}

// from is how much the samples from n on count, behind so many that do not.
func (w *weighed) from(n uint64) (by []float32, unweighed int) {
	if n < w.first {
		return w.by, int(w.first - n)
	}
	return w.by[min(n-w.first, uint64(len(w.by))):], 0
}

// at is how much sample n counts.
func (w *weighed) at(n uint64) float64 {
	switch {
	case w.by == nil:
		return 1
	case n < w.first || n-w.first >= uint64(len(w.by)):
		return 0
	}
	return float64(w.by[n-w.first])
}

// clockWeights are those by the clocks of a counterset that histories need.
type clockWeights [cooker.ClockObject + 1]struct {
	*weights

	counter int // that is divided by it
}

// ask makes them those of the counters that are kept.
func (c *clockWeights) ask(a *Ask, samples int) {
	for i := range a.Keep {
		for _, counter := range a.Keep[i].Counters {
			of := a.Set.Counters[counter].SummedAs()
			clock, _ := cooker.WeighedBy(of)
			if clock == cooker.ClockNone {
				continue
			}
			one := &c[clock]
			if one.weights == nil {
				one.weights = newWeights(samples, of)
			}
			one.counter = counter
		}
	}
	for i := range c {
		if c[i].weights != nil {
			c[i].values.n = samples
		}
	}
}

// by is what weighs the values of a type, nil where that is none of the clocks.
func (c *clockWeights) by(of cooker.CounterType) *weights {
	clock, _ := cooker.WeighedBy(of)
	return c[clock].weights
}

// record adds a sample.
func (c *clockWeights) record(v *SetView, sample uint64, filled bool) {
	for i := range c {
		w := &c[i]
		if w.weights == nil {
			continue
		}
		in := interval{Seconds: v.seconds(), NewerClocks: &v.newer.clocks}
		if v.older != nil {
			in.OlderClocks = &v.older.clocks
		}
		for row := 0; row < v.live && in.Newer == nil; row++ {
			if r := v.newer.reading(row, w.counter); r == nil || r.State != cooker.Pending {
				in.Newer = r
			}
		}
		w.put(sample, &in, filled)
	}
}

// interval is what the value of a row and column was made over.
func (v *SetView) interval(row, col int) (i interval) {
	i.Seconds = v.seconds()
	if i.Older, i.Newer, i.OlderClocks, i.NewerClocks, _ = v.Raw(row, col); i.Older == nil {
		i.OlderClocks = nil
	}
	return i
}

// seconds is the time since the sample before, 0 where that is not known.
func (v *SetView) seconds() float64 {
	if v.Rate.Gap {
		return 0
	}
	return v.Rate.Interval.Seconds()
}
