package pane

import (
	"perfdeck/cooker"
	"perfdeck/session"
)

// Numbers is how numbers are written, as the user wants them.
type Numbers struct {
	Grouping string // between groups of three digits, of numbers that are no counter's
	Looks    session.Looks

	generation int
}

// Replace takes over how other numbers are written; rows that are shown follow.
func (n *Numbers) Replace(o *Numbers) {
	n.Grouping, n.Looks = o.Grouping, o.Looks
	n.generation++
}

// DefaultNumbers is how numbers are written when nobody says otherwise.
func DefaultNumbers() *Numbers { return &Numbers{Grouping: ","} }

// Separator is what stands between groups of digits; n may be nil.
func (n *Numbers) Separator() string {
	if n == nil {
		return DefaultNumbers().Grouping
	}
	return n.Grouping
}

// Of is how the numbers of counters are written; n may be nil.
func (n *Numbers) Of() session.Looks {
	if n == nil {
		return nil
	}
	return n.Looks
}

// Look is the look of a counter (index in set.Counters); n may be nil.
func (n *Numbers) Look(set *session.Counterset, counter int) session.Look {
	if n == nil {
		return set.Counters[counter].Look()
	}
	return n.Looks.Of(set, &set.Counters[counter])
}

// Generation changes when numbers are written in another way.
func (n *Numbers) Generation() int {
	if n == nil {
		return 0
	}
	return n.generation
}

// Power is 10^scale.
func Power(scale int) float64 {
	f, _ := cooker.Scaled(cooker.FloatValue(1), scale).Float()
	return f
}
