package manifest

import (
	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
)

// detail is what the words of the schema mean.
var detail = map[string]session.DetailLevel{standardDetail: session.DetailNovice, advancedDetail: session.DetailAdvanced}

// Catalogue gives the countersets as a host that had them registered would
// offer them. What could not be read well enough is left out: sets without a
// GUID or a name, counters without an id or a type, and the second of two with
// the same GUID or id.
func (f *File) Catalogue() []*session.Counterset {
	var sets []*session.Counterset
	seen := map[string]bool{}
	for _, p := range f.Providers {
		for _, set := range p.Sets {
			guid := guidKey(set.GUID)
			if guid == "" || seen[guid] || set.Name.Value == "" {
				continue
			}
			seen[guid] = true
			sets = append(sets, &session.Counterset{
				GUID:        guid,
				Name:        set.Name.Value,
				Description: set.Description.Value,
				Provider:    p.Name,
				Instances:   instancesOf(set.Instances).is,
				Counters:    set.catalogue(),
			})
		}
	}
	return sets
}

func (s *CounterSet) catalogue() []session.Counter {
	counters := make([]session.Counter, 0, len(s.Counters))
	seen := make(map[uint32]bool, len(s.Counters))
	for _, c := range s.Counters {
		if !c.ID.Set || c.ID.Value == session.NoID || seen[c.ID.Value] || !c.HasType {
			continue
		}
		seen[c.ID.Value] = true
		aggregate, _ := cooker.ParseAggregate(c.Aggregate)
		counters = append(counters, session.Counter{
			ID:           c.ID.Value,
			Name:         c.Name.Value,
			Description:  c.Description.Value,
			Type:         c.Type,
			Quantity:     cooker.QuantityIn(c.Type, s.Name.Value, c.Name.Value),
			DefaultScale: c.DefaultScale,
			Detail:       detail[c.Detail],
			Attributes:   c.Attributes,
			Aggregate:    aggregate,
			Companions:   session.Companions{BaseID: c.BaseID.orNone(), PerfTimeID: c.PerfTimeID.orNone(), PerfFreqID: c.PerfFreqID.orNone(), MultiID: c.MultiCounterID.orNone()},
		})
	}
	return counters
}

// Paths are the counter paths of the manifest, in its order, with (*) for sets
// that have instances. Hidden counters are among them only if asked for; a
// counter without a name, or with one that is too long, has no path.
func (f *File) Paths(hidden bool) []string {
	var all []string
	for _, p := range f.Providers {
		for _, set := range p.Sets {
			for _, c := range set.Counters {
				if c.Path != "" && (hidden || !c.Hidden) {
					all = append(all, c.Path)
				}
			}
		}
	}
	return all
}

// reachable says that the names of a counter can stand in a path.
func (s *CounterSet) reachable(c *Counter) bool {
	named := func(t Text) bool { return t.Value != "" && nameFits(t.Value) }
	return named(s.Name) && named(c.Name)
}

// path is the path of a counter in all instances of its set.
func (s *CounterSet) path(c *Counter) paths.Path {
	p := paths.Path{Object: s.Name.Value, Counter: c.Name.Value}
	if instancesOf(s.Instances).is.Multiple() {
		p.HasInstance, p.Instance = true, "*"
	}
	return p
}
