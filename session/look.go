package session

import (
	"strings"

	"perfdeck/cooker"
)

// Look is how a counter is shown, on every screen and in every report.
type Look struct {
	cooker.Format // of its numbers

	ChartScale int // charts draw its numbers times 10^ChartScale at first
}

// Looks gives the look of each counter, as the user wants it. nil is that of a user
// who wants nothing.
type Looks func(*Counterset, *Counter) Look

// Of is the look of a counter of a set.
func (l Looks) Of(set *Counterset, c *Counter) Look {
	if l == nil {
		return c.Look()
	}
	return l(set, c)
}

// Look is how a counter itself asks to be shown: by its type, its attributes and
// its default scale.
func (c *Counter) Look() Look {
	f := cooker.FormatOf(c.Type, c.Quantity, c.Attributes)
	f.Style, f.Grouping = cooker.UnitWindows, ","
	if c.isID() {
		f.Attributes |= cooker.NoGrouping
	}
	return Look{f, cooker.ClampScale(c.DefaultScale)}
}

// isID tells counters whose numbers name something, as ID Process does: Windows gives them
// no attribute that says so.
func (c *Counter) isID() bool {
	return c.Quantity.Kind == cooker.Count && !c.Type.IsText() && (strings.HasPrefix(c.Name, "ID ") || strings.HasSuffix(c.Name, " ID"))
}
