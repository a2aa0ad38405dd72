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
	if f.Quantity.Kind == cooker.Count && !c.Type.IsText() && isID(c.Name) {
		f.Attributes |= cooker.NoGrouping
	}
	return Look{f, cooker.ClampScale(c.DefaultScale)}
}

// isID tells counters whose numbers name something, as ID Process does: Windows gives them
// no attribute that says so.
func isID(name string) bool { return strings.HasPrefix(name, "ID ") || strings.HasSuffix(name, " ID") }

// IsCode tells that the numbers of a counter that looks so are no amounts: hexadecimal, without
// digit grouping, what means a word, or a text.
func (c *Counter) IsCode(l Look) bool {
	return c.Type.IsText() || l.Quantity.Words() != nil || l.IsHex() || l.Attributes.Effective()&cooker.NoGrouping != 0
}

// IsIdentity tells names of counters that say which one it is, in which state, of which rank and
// since when, and not how much of anything there is: that they differ is no change.
func IsIdentity(name string) bool {
	switch {
	case isID(name), strings.HasPrefix(name, "Priority "), strings.HasSuffix(name, " State"), strings.HasSuffix(name, " Address"):
		return true
	}
	switch name {
	case "Thread Wait Reason", "Elapsed Time", "System Up Time", "State", "Start Type", "Exit Code":
		return true
	}
	return false
}

// IsFlow tells what happens just now, rates, shares and how long things take, from what is
// there.
func (c *Counter) IsFlow() bool {
	switch c.Quantity.Kind {
	case cooker.PerSecond, cooker.Percent, cooker.BytesPerSecond, cooker.BitsPerSecond:
		return true
	case cooker.Seconds:
		return c.Type != cooker.ElapsedTime
	case cooker.Count, cooker.Bytes, cooker.Hertz, cooker.ServiceState, cooker.ServiceStart:
	}
	return false
}
