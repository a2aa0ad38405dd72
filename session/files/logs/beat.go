package logs

import (
	"cmp"
	"slices"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
)

// Beat is what the hosts gave on one beat, in two ways: as values in columns, and as
// cells of what is there. It does not last.
type Beat struct {
	Time    time.Time
	Several bool // hosts are recorded
	Columns []*Named
	Values  []cooker.Value // by column
	// Samples are those of the hosts that answered, and the news of those that fail.
	Samples []Sample
}

// Sample is a beat's part of one host.
type Sample struct {
	Host  string
	Time  time.Time
	Cells []Cell // in the order of what was asked for
}

// Cell is a value of a series.
type Cell struct {
	*Named

	Value cooker.Value
	From  *Evidence // nil: not kept, or there is none
}

// Named is one counter of one instance, under one name.
type Named struct {
	Host    string
	Path    paths.Path // without computer
	Text    string     // of Path
	Set     *session.Counterset
	Counter *session.Counter
	Key     session.InstanceKey
	Index   uint32 // of #n
	Number  uint64 // by which people know the instance, as a pid; 0: none
	Wild    bool   // it was asked for with others, by a wildcard
	Found   bool   // an instance is known; else Path is what was asked for
}

// Instance is the instance as lists show it, empty for a counterset without.
func (s *Named) Instance() string { return s.Path.InstanceText() }

// Full is the path with the computer.
func (s *Named) Full() string {
	p := s.Path
	p.Computer = s.Host
	return p.String()
}

// Evidence is what a value was made from.
type Evidence struct {
	cooker.Evidence

	Interval time.Duration // since the sample before
}

// KeepBusiest leaves, of the instances of wildcards, those with the highest values, the busiest first.
func (b *Beat) KeepBusiest(most int) {
	for i := range b.Samples {
		s := &b.Samples[i]
		var kept, busy []Cell
		for _, c := range s.Cells {
			name := c.Key.Name
			if !c.Wild || !c.Found {
				kept = append(kept, c)
			} else if v, ok := c.Value.Float(); ok && v > 0 && !paths.IsTotal(name) && !paths.EqualFold(name, "Idle") {
				busy = append(busy, c)
			}
		}
		slices.SortStableFunc(busy, func(a, b Cell) int {
			x, _ := a.Value.Float()
			y, _ := b.Value.Float()
			return cmp.Compare(y, x)
		})
		s.Cells = append(kept, busy[:min(len(busy), most)]...)
	}
}
