package compare

import "perfdeck/cooker"

// Least is the spread that a counter has at least, in its own unit: half a point of a
// percentage. Of others nothing can be told by their type.
func Least(q cooker.Quantity) float64 {
	if q.Kind == cooker.Percent {
		return 0.5
	}
	return 0
}
