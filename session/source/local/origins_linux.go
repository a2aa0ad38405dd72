package local

import "perfdeck/session"

// origins of a counterset: counters and the kernel's files that they come from.
// Names of values are the kernel's; fields count from 1. What stands after "else"
// is read where the first is not there.
type origins []struct {
	from     string
	counters []string
}

// from writes the origin of each counter behind its description.
func (o origins) from(set func() *session.Counterset) func() *session.Counterset {
	return func() *session.Counterset {
		s := set()
		for _, origin := range o {
			for _, name := range origin.counters {
				if i, ok := s.Counter(name); ok {
					s.Counters[i].Description += ". From " + origin.from
				}
			}
		}
		return s
	}
}
