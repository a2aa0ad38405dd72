package cache

import (
	"cmp"
	"slices"
	"sync"

	"perfdeck/session"
)

// Shared is what the catalogues of several hosts have in common: hosts of one
// kind describe the same countersets, and a hundred copies of them are larger
// than all else that is kept of these hosts. The zero value is ready; sources
// may use it at the same time. A nil one shares nothing.
type Shared struct {
	mu   sync.Mutex
	sets map[string][]*session.Counterset // by GUID, or by name where they have none
}

// maxVariants is how many descriptions of one counterset are shared: versions
// and languages.
const maxVariants = 16

// One gives the set that was described in the same way before, or set itself.
// It must not be changed any more.
func (s *Shared) One(set *session.Counterset) *session.Counterset {
	if s == nil {
		return set
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := cmp.Or(set.GUID, set.Name)
	known := s.sets[key]
	if i := slices.IndexFunc(known, func(o *session.Counterset) bool { return same(o, set) }); i >= 0 {
		return known[i]
	}
	if len(known) < maxVariants {
		if s.sets == nil {
			s.sets = map[string][]*session.Counterset{}
		}
		s.sets[key] = append(known, set)
	}
	return set
}

func same(a, b *session.Counterset) bool {
	return a.GUID == b.GUID && a.V1Index == b.V1Index && a.Name == b.Name && a.Label == b.Label &&
		a.Description == b.Description && a.Provider == b.Provider && a.Protocol == b.Protocol && a.Instances == b.Instances &&
		slices.Equal(a.Counters, b.Counters) && slices.Equal(a.Facts, b.Facts)
}
