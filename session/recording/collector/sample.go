package collector

import (
	"slices"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/files/logs"
)

// sample is what a host answered on one beat, or the news that it failed. Its
// memory is used again.
type sample struct {
	session.Answer

	from  *member          // for the writer
	place int              // of the host in its assembler
	row   int64            // of the assembler
	raws  []logs.Raw       // of the cells; empty where they are not kept
	made  []*logs.Evidence // the same, for streams
}

// fill copies an answer, and what was gathered for it.
func (s *sample) fill(from *member, a *session.Answer, g *gathered) {
	cells, unmet, raws := s.Cells[:0], s.Unmet[:0], s.raws[:0]
	*s = sample{Answer: *a, from: from, place: from.place}
	if !a.Idle {
		s.raws, s.made = append(raws, g.raws...), slices.Clone(g.made)
		s.Cells, s.Unmet = append(cells, a.Cells...), append(unmet, a.Unmet...)
	}
}

// series is an item on its way into columns. It does not change.
type series struct {
	*session.Item

	instance instanceName
	counter  string // folded
	column   logs.Column
}

// instanceName names instances of one name: they differ by #n.
type instanceName struct {
	host                 int // of the recording
	object, parent, name string
}

// seriesOf makes the series of items of a host.
func (m *member) seriesOf(items []*session.Item) []*series {
	out := make([]*series, len(items))
	for i, it := range items {
		s := &series{Item: it, instance: instanceNameOf(m.number, it.Path), counter: paths.Fold(it.Path.Counter)}
		if it.Set != nil {
			c := &it.Set.Counters[it.Counter]
			s.column = logs.Column{
				TypeKnown: true, Type: c.Type, BaseType: baseType(it.Set, c),
				DefaultScale: c.DefaultScale, Attributes: c.Attributes,
			}
		}
		s.column.Path = s.pathOn(m.host.Name, s.number()).String()
		out[i] = s
	}
	return out
}

// number is the n of #n.
func (s *series) number() uint32 {
	n, _ := s.Path.Index.Number()
	return uint32(n)
}

// pathOn is the path on a computer with another #n.
func (s *series) pathOn(computer string, n uint32) paths.Path {
	p := s.Path
	p.Computer = computer
	if p.HasInstance && n != s.number() {
		p = paths.Of(computer, p.Object, p.Parent, p.Instance, int(n), p.Counter)
	}
	return p
}

func instanceNameOf(host int, p paths.Path) instanceName {
	return instanceName{host, paths.Fold(p.Object), paths.Fold(p.Parent), paths.Fold(p.Instance)}
}

// baseType is the type of the companion by which a counter is divided, 0: it has
// none.
func baseType(set *session.Counterset, c *session.Counter) cooker.CounterType {
	if c.BaseID == session.NoID {
		return 0
	}
	for i := range set.Counters {
		if set.Counters[i].ID == c.BaseID {
			return set.Counters[i].Type
		}
	}
	return 0
}
