package collector

import (
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/logs"
)

// sample is what a host answered on one beat, or the news that it failed. Its
// memory is used again.
type sample struct {
	from     *follower
	place    int // of the host in its muster
	answered bool
	idle     bool          // nothing is asked of the host: it has nothing of what is recorded
	failure  cooker.Status // why it did not
	at       time.Time     // our clock, when it was asked
	began    time.Duration // the same on the monotonic clock
	row      int64         // of the muster

	fresh  bool       // the numbers of series begin anew
	news   []*series  // series that no sample had before, in the order of their numbers
	pins   []*series  // where set: what paths without wildcards name
	sought int        // of how many paths of the host it is, those that mean nothing included
	cells  []cell     // each series once
	raws   []logs.Raw // of the cells; empty where they are not kept
}

// reset empties a sample for a host.
func (s *sample) reset(f *follower) {
	*s = sample{from: f, place: f.place, cells: s.cells[:0], raws: s.raws[:0]}
}

// cell is a value of a series, by the number of that.
type cell struct {
	number int32
	value  cooker.Value
}

// series is one counter of one instance of a host. It does not change.
type series struct {
	seat      seatKey
	owner     *owner     // nil: no instance is known
	path      paths.Path // without computer, with the #n that it had at first
	counter   string     // folded
	selection int        // of the host's paths, for the order of columns
	column    logs.Column
}

// owner is the identity of an instance.
type owner struct {
	key   session.InstanceKey
	index uint32 // where the host has no number for the instance
}

// seatKey names instances of one name: they differ by #n.
type seatKey struct {
	host                 int // of the recording
	object, parent, name string
}

// newSeries is the series of a counter; in is nil for a counterset without
// instances.
func newSeries(host int, computer string, set *session.Counterset, counter int, in *session.Instance, who *owner) *series {
	c := &set.Counters[counter]
	s := &series{path: session.PathOf("", set, counter, in), owner: who, counter: paths.Fold(c.Name)}
	s.seat = seatOf(host, s.path)
	s.column = logs.Column{TypeKnown: true, Type: c.Type, BaseType: baseType(set, c), DefaultScale: c.DefaultScale}
	s.column.Path = s.pathOn(computer, s.number())
	return s
}

// number is the n of #n.
func (s *series) number() uint32 {
	n, _ := s.path.Index.Number()
	return uint32(n)
}

// pathOn is the path on a computer with another #n.
func (s *series) pathOn(computer string, n uint32) string {
	p := s.path
	p.Computer = computer
	if p.HasInstance && n != s.number() {
		p = paths.Of(computer, p.Object, p.Parent, p.Instance, int(n), p.Counter)
	}
	return p.String()
}

func seatOf(host int, p paths.Path) seatKey {
	return seatKey{host, paths.Fold(p.Object), paths.Fold(p.Parent), paths.Fold(p.Instance)}
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
