package winhost

import (
	"slices"
	"strings"

	"perfdeck/paths"
	"perfdeck/session"
)

// merge makes one catalogue of those of the V2 and the V1 half, either of which
// may be nil: all of V2, and of V1 what V2 has not. Providers of V2 countersets
// are offered as V1 objects of the same name too.
func merge(host string, cats [2]*session.Catalogue) *session.Catalogue {
	out := &session.Catalogue{Host: host}
	taken := map[string]bool{}
	for i, cat := range cats {
		if cat == nil {
			continue
		}
		names := make([]string, 0, len(cat.Sets))
		for _, set := range cat.Sets {
			name := paths.Fold(set.Name)
			if i > 0 && taken[name] {
				continue
			}
			names = append(names, name)
			out.Sets = append(out.Sets, set)
		}
		for _, name := range names { // of two V1 objects of one name both are there
			taken[name] = true
		}
		if cat.Names != nil {
			out.Names = cat.Names
		}
	}
	slices.SortStableFunc(out.Sets, func(a, b *session.Counterset) int {
		return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	return out
}
