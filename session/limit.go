package session

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"perfdeck/cooker"
	"perfdeck/paths"
)

// Countersets of what a process tree may use where that is less than the computer has: their
// counters are absent where it is not.
const (
	ProcessorLimit = "Processor Limit"
	MemoryLimit    = "Memory Limit"
)

// IsOfLimit tells the paths, and the names, of those countersets.
func IsOfLimit(path string) bool {
	name, _, _ := strings.Cut(strings.TrimPrefix(path, `\`), `\`)
	return paths.EqualFold(name, ProcessorLimit) || paths.EqualFold(name, MemoryLimit)
}

// IsLimited tells whether less may be used than the computer has.
func (c *Catalogue) IsLimited() bool {
	return c.Offers(`\`+ProcessorLimit+`\% Processor Time`) || c.Offers(`\`+MemoryLimit+`\Available Bytes`)
}

// Unlimited is the catalogue without those countersets: of all that the computer has.
func (c *Catalogue) Unlimited() *Catalogue {
	if c == nil {
		return nil
	}
	return &Catalogue{Host: c.Host, Names: c.Names, Sets: slices.DeleteFunc(slices.Clone(c.Sets), func(s *Counterset) bool { return IsOfLimit(s.Name) })}
}

// The counters that tell how much may be used.
const (
	allProcessors    = "Computer Processors"
	allowed          = "Processors Allowed"
	quotaX100        = "Processor Quota x100"
	usableX100       = "Processors Usable x100"
	memoryLimitBytes = "Limit Bytes"
)

// AskExtent asks for what Extent tells of a counterset of limits, of others for nothing.
func AskExtent(asks []Ask, set *Counterset) []Ask {
	if set == nil || !IsOfLimit(set.Name) {
		return asks
	}
	ask := Ask{Set: set}
	for _, name := range [...]string{allProcessors, allowed, quotaX100, usableX100, memoryLimitBytes} {
		if i := set.Given(name); i >= 0 {
			ask.Counters = append(ask.Counters, i)
		}
	}
	return append(asks, ask)
}

// Extent is of how much the percentages of a counterset are: of "16 cpu", of "2 of 16 cpu, quota 1.5"
// or "of 4 GB limit" where that is all that may be used; "" of others, or where it is not known.
func (s *Snapshot) Extent(set *Counterset) (text string) {
	view := s.Set(set)
	if n := view.sole(memoryLimitBytes); n > 0 && IsOfLimit(set.Name) {
		unit := cooker.UnitFor(cooker.Quantity{Kind: cooker.Bytes}, cooker.UnitWindows, n)
		return "of " + decimals(n/cmp.Or(unit.Factor, 1)) + " " + unit.Label + " limit"
	}
	all := s.Processors(set)
	if paths.EqualFold(set.Name, ProcessorLimit) {
		if all = view.sole(allProcessors); view.sole(allowed) < all {
			text = decimals(view.sole(allowed)) + " of "
		}
	}
	if !(all > 0) {
		return ""
	}
	text += decimals(all) + " cpu"
	if n := view.sole(quotaX100); n > 0 {
		text += ", quota " + decimals(n/100)
	}
	return text
}

// Processors is how many processors a percentage of a counterset of them is of: those that a host
// has, or what may be used of them, which may be a fraction; 0 where that is not known.
func (s *Snapshot) Processors(set *Counterset) float64 {
	switch view := s.Set(set); {
	case set == nil:
	case paths.EqualFold(set.Name, ProcessorLimit):
		return view.sole(usableX100) / 100
	case strings.HasPrefix(set.InEnglish(), "Processor"):
		return float64(view.Parts())
	}
	return 0
}

// OfProcessors is " of 16", how many a total stands for, " of 1.5 of 16" where that is all that may
// be used; "" where nobody knows.
func (s *Snapshot) OfProcessors(set *Counterset) string {
	n, all := s.Processors(set), s.Set(set).sole(allProcessors)
	switch {
	case !(n > 0):
		return ""
	case all > 0:
		return " of " + decimals(n) + " of " + decimals(all)
	}
	return " of " + decimals(n)
}

// sole is the number of a counter of the only row, 0 without.
func (v *SetView) sole(name string) float64 {
	if v == nil || len(v.Rows) == 0 {
		return 0
	}
	if i, ok := v.Set.Counter(name); ok {
		if col := v.Column(i); col >= 0 {
			n, _ := v.Value(0, col).Float()
			return n
		}
	}
	return 0
}

// decimals is a number with two decimals at most.
func decimals(n float64) string {
	return strconv.FormatFloat(math.Round(n*100)/100, 'f', -1, 64)
}

// IsPart tells an instance that lists and cells show from the totals of others:
// _Total, and N,_Total of Processor Information.
func (in *Instance) IsPart() bool {
	var all Combine
	return all.Includes(in) && in.Flags&FlagBackground == 0
}

// Parts is how many of them a view has; 0 without a view.
func (v *SetView) Parts() (n int) {
	if v == nil {
		return 0
	}
	for i := range v.Rows {
		if in := &v.Rows[i]; !in.Gone && in.IsPart() {
			n++
		}
	}
	return n
}
