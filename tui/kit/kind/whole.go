package kind

import (
	"slices"
	"strings"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
)

// Whole is how the instances of a counter become one where the host gives no _Total.
type Whole uint8

// The ways.
const (
	Busiest Whole = iota // the highest of them
	Sum
)

// Instance is the instance of a path that stands for all, given whether the host has
// a _Total; ok is false where it is the busiest one, whose name depends on values.
func (w Whole) Instance(hasTotal bool) (name string, ok bool) {
	switch {
	case hasTotal:
		return totalInstance, true
	case w == Sum:
		return session.TotalOfAll, true
	}
	return "", false
}

// IsSum tells whether an instance of a path is the sum of all, which titles say.
func IsSum(name string) bool { return paths.EqualFold(name, session.TotalOfAll) }

// Uncounted is which of the instances that are in no sum has the most, "" where none has any.
func Uncounted(view *session.SetView, col int) (name string) {
	most := 0.
	for i := range view.Rows {
		if in := &view.Rows[i]; in.CountsAgain() && !in.Gone {
			if v, ok := view.Value(i, col).Float(); ok && v > most {
				most, name = v, in.Key.Name
			}
		}
	}
	return name
}

// notAdditive are words of names of raw numbers whose sum means nothing.
var notAdditive = []string{
	"%", "address", "average", "avg", "avg.", "bandwidth", "base", "code", "expectancy", "frequency", "id", "index", "level",
	"limit", "max", "maximum", "min", "minimum", "mode", "mtu", "peak", "percent", "priority", "ratio", "reason", "state",
	"status", "temperature", "time", "type", "version", "x100",
}

// wholeOf is how the instances of a counter become one: by what it says itself
// (MS-PCQ 2.2.4.2, AggregateFunc), else by its type and the words of its name. Shares
// of different things make no sum, whatever it says: those of one processor are of one thing.
func wholeOf(c *session.Counter, d *Drawn) Whole {
	if d.IsPercent && !d.OfOneCPU {
		return Busiest
	}
	switch c.Aggregate {
	case cooker.AggregateTotal:
		return Sum
	case cooker.AggregateNone:
	default:
		return Busiest
	}
	switch c.Quantity.Kind {
	case cooker.Percent, cooker.Seconds, cooker.Hertz:
		return Busiest
	}
	if !c.Type.IsAdditive() {
		return Busiest
	}
	for word := range strings.FieldsFuncSeq(strings.ToLower(c.Name), isBetween) {
		if slices.Contains(notAdditive, word) {
			return Busiest
		}
	}
	return Sum
}

func isBetween(r rune) bool { return r == ' ' || r == '/' || r == '(' || r == ')' }

// pairs are the words by which the names of two counters that belong together
// differ.
var pairs = [...][2]string{
	{"Read", "Write"}, {"Reads", "Writes"}, {"Received", "Sent"}, {"Input", "Output"}, {"In", "Out"},
}

// PairName is the name that the two counters of a pair have in common, as
// Disk Read|Write Bytes/sec of Disk Read Bytes/sec; of others their own. The words may
// stand anywhere, in any case.
func PairName(counter string) string {
	for i := 0; i < len(counter); {
		end := i + strings.IndexAny(counter[i:]+" ", " /")
		for _, p := range pairs {
			if word := counter[i:end]; paths.EqualFold(word, p[0]) || paths.EqualFold(word, p[1]) {
				return counter[:i] + p[0] + "|" + p[1] + counter[end:]
			}
		}
		i = end + 1
	}
	return counter
}

// IsPair tells whether two counters of a counterset are one pair by their names.
func IsPair(a, b string) bool {
	pair := PairName(a)
	return !paths.EqualFold(a, b) && pair != a && paths.EqualFold(pair, PairName(b))
}
