package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"perfdeck/paths"
	"perfdeck/session"
)

// leastGrew is from how many bytes on it is told that a process grew.
const leastGrew = 16 << 20

// grew names the processes of a host that have more memory of their own at the end than at first, the
// one that grew most first: who came has all of it more.
func (h *Host) grew() string {
	const most = 3
	type grower struct {
		*Counter

		by float64
	}
	var all []grower
	for _, c := range h.Counters {
		other := c.english.Object == "Memory Use" && c.english.Counter == "Working Set - Private" && besideProcesses[c.Instance] != ""
		if !other && (!session.IsOfProcesses(c.english.Object) || !paths.EqualFold(c.english.Counter, "Private Bytes") || paths.IsTotal(c.Instance)) || len(c.Course) < 2 {
			continue
		}
		by := c.Course[len(c.Course)-1] // none where it ended
		if c.Course[0] == c.Course[0] {
			by -= c.Course[0]
		}
		if by >= leastGrew {
			all = append(all, grower{c, by})
		}
	}
	slices.SortStableFunc(all, func(a, b grower) int { return cmp.Compare(b.by, a.by) })
	var text []string
	for _, g := range all[:min(len(all), most)] {
		who := cmp.Or(besideProcesses[g.Instance], g.Instance)
		if i := slices.IndexFunc(h.Counters, func(c *Counter) bool {
			return c.Object == g.Object && c.Instance == g.Instance && paths.EqualFold(c.english.Counter, "ID Process") && c.Min == c.Max && c.Max > 0
		}); i >= 0 {
			who += fmt.Sprintf(" (%.0f)", h.Counters[i].Max)
		}
		text = append(text, who+" +"+g.Scale.With(g.by))
	}
	if len(all) > most {
		text = append(text, fmt.Sprintf("%d more", len(all)-most))
	}
	return strings.Join(text, ", ")
}
