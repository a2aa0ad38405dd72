package cooker

// isQuotient tells types whose values are a change divided by an interval of a clock or a base.
func isQuotient(r *rule) bool { return r != nil && r.Samples == 2 && r.kind != KindDifference }

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
		case KindPrecision:
			w, status = ownInterval(r, older, newer, olderClocks, newerClocks)
		case KindAverage, KindSeconds:
			w, status = baseInterval(r, older, newer, newerClocks)
		default:
			if w, status = interval(r, olderClocks, newerClocks, &noOptions); !isInSeconds(r, &noOptions) {
				w /= frequency(r, newerClocks) // as those that have no clocks
			}
		}
		if status == OK {
			return w
		}
		return 0
	}
	return max(seconds, 0)
}
