package rows

import (
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
)

// Series is one counter of one instance, as long as it bears the same name.
type Series struct {
	Host    string
	Path    paths.Path // without computer
	Text    string     // of Path
	Set     *session.Counterset
	Counter *session.Counter
	Key     session.InstanceKey
	Index   uint32
	Found   bool // a host has it; else Path is what was asked for

	taken int // the sample it was last taken in
}

// Instance is the instance as lists show it, empty for a counterset without.
func (s *Series) Instance() string { return s.Path.InstanceText() }

// Full is the path with the computer.
func (s *Series) Full() string {
	p := s.Path
	p.Computer = s.Host
	return p.String()
}

// Cell is a value of a series in one sample.
type Cell struct {
	*Series

	Value cooker.Value
	Wild  bool      // its path may mean several instances
	From  *Evidence // what the value was made from, if that is kept
}

// Evidence is what a value was made from.
type Evidence struct {
	cooker.Evidence

	Interval time.Duration // since the sample before
}

// picker finds what the paths of one host mean in its snapshots.
type picker struct {
	host       string
	selections []selection

	mu       sync.Mutex // a sampler may pick while others ask what is silent
	progress []progress // of each selection
	known    map[seriesKey]*Series
	samples  int
	live     int       // cells of the sample before
	evidence bool      // keep what values are made from
	unmet    []Silence // paths of a host that never answered
}

type seriesKey struct {
	set     *session.Counterset
	counter int
	key     session.InstanceKey
	index   uint32
	asked   string // path, if no host has the instance
}

// progress is how far a selection came.
type progress struct {
	gave   bool          // it had a value once
	seen   bool          // it had an instance once
	status cooker.Status // the newest reason why it had no value
}

func newPicker(host string, selections []selection) *picker {
	k := &picker{host: host, selections: selections, known: map[seriesKey]*Series{}}
	k.progress = make([]progress, len(selections))
	for i := range k.progress {
		k.progress[i].status = cooker.Pending
	}
	return k
}

// pick lists the values of a snapshot in the order of the paths, each series
// once.
func (k *picker) pick(s *session.Snapshot) []Cell {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.known) > 4*k.live+mostForgotten { // most of what is known is gone
		maps.DeleteFunc(k.known, func(_ seriesKey, s *Series) bool { return s.taken != k.samples })
	}
	k.samples++
	var cells []Cell
	for i := range k.selections {
		first := len(cells)
		cells = k.pickOne(cells, i, s)
		k.progress[i].note(cells[first:])
		cells = append(cells[:first], k.untaken(cells[first:])...)
	}
	k.live = len(cells)
	return cells
}

// mostForgotten is how many series of vanished instances are remembered at least.
const mostForgotten = 4096

// note takes in what a sample gave.
func (p *progress) note(cells []Cell) {
	for _, c := range cells {
		switch {
		case !c.Found:
		case answered(c.Value):
			p.seen, p.gave = true, true
		default:
			p.seen, p.status = true, c.Value.Status()
		}
	}
}

// untaken leaves out what an earlier path of the sample took.
func (k *picker) untaken(cells []Cell) []Cell {
	return slices.DeleteFunc(cells, func(c Cell) bool {
		again := c.taken == k.samples
		c.taken = k.samples
		return again
	})
}

// answered tells whether a path gave what it can: a value, or the news that a
// counter was idle, which is no value but no failure either.
func answered(v cooker.Value) bool { return v.Valid() || v.Status() == cooker.ZeroBase }

// pickOne adds the values of one path.
func (k *picker) pickOne(cells []Cell, i int, s *session.Snapshot) []Cell {
	sel := &k.selections[i]
	view := s.Set(sel.Set)
	failure := failureOf(s, view)
	first, wild := len(cells), isWild(sel.Path)
	for row := 0; view != nil && row < len(view.Rows); row++ {
		in := &view.Rows[row].Instance
		if view.Rows[row].Gone || !sel.means(in) {
			continue
		}
		for _, counter := range sel.Counters {
			c := Cell{Series: k.series(sel.Set, counter, in), Value: failure, Wild: wild}
			if failure.Status().Good() {
				c.Value = view.Value(row, view.Column(counter))
			}
			if k.evidence {
				c.From = evidenceOf(view, row, c.Counter, view.Column(counter))
			}
			cells = append(cells, c)
		}
	}
	if len(cells) > first {
		return cells
	}
	why := k.absence(i, failure)
	for _, counter := range sel.Counters {
		cells = append(cells, Cell{Series: k.asked(sel, counter), Value: why, Wild: wild})
	}
	return cells
}

// absence is the value of a path that no instance fits now.
func (k *picker) absence(i int, failure cooker.Value) cooker.Value {
	switch {
	case k.progress[i].seen:
		return cooker.Absent(cooker.Gone)
	case failure.Status().Good():
		return cooker.Absent(cooker.Pending)
	}
	return failure
}

// failureOf is the value of everything that could not be read, and a good one
// when nothing failed.
func failureOf(s *session.Snapshot, view *session.SetView) cooker.Value {
	err := s.State.Err
	if view != nil && view.Err != nil {
		err = view.Err
	}
	switch {
	case errors.Is(err, session.ErrDenied):
		return cooker.Absent(cooker.Denied)
	case err != nil:
		return cooker.Absent(cooker.Unavailable)
	}
	return cooker.WholeValue(0)
}

// series finds or makes the series of a counter of an instance.
func (k *picker) series(set *session.Counterset, counter int, in *session.Instance) *Series {
	key := seriesKey{set: set, counter: counter, key: in.Key, index: in.Index}
	s := k.known[key]
	if s == nil {
		s = &Series{Host: k.host, Path: session.PathOf("", set, counter, in), Set: set,
			Counter: &set.Counters[counter], Key: in.Key, Index: in.Index, Found: true}
		s.Text = s.Path.String()
		k.known[key] = s
	}
	return s
}

// asked is the series of a path whose instance is not there.
func (k *picker) asked(sel *selection, counter int) *Series {
	p := sel.Path
	p.Computer, p.Object, p.Counter = "", sel.Set.Name, sel.Set.Counters[counter].Name
	key := seriesKey{set: sel.Set, counter: counter, asked: p.String()}
	s := k.known[key]
	if s == nil {
		s = &Series{Host: k.host, Path: p, Text: key.asked, Set: sel.Set, Counter: &sel.Set.Counters[counter]}
		k.known[key] = s
	}
	return s
}

// begin forgets what gave a value so far.
func (k *picker) begin() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := range k.progress {
		k.progress[i].gave = false
	}
}

// Silence is a path that never had a value.
type Silence struct {
	Host, Path string
	Status     cooker.Status // the newest reason why
}

func (k *picker) silent() []Silence {
	k.mu.Lock()
	defer k.mu.Unlock()
	out := slices.Clone(k.unmet)
	for i, p := range k.progress {
		if !p.gave {
			out = append(out, Silence{k.host, k.selections[i].query.Text, p.status})
		}
	}
	return out
}

// evidenceOf copies what a value was made from; nil for rows that are gone.
func evidenceOf(view *session.SetView, at int, counter *session.Counter, column int) *Evidence {
	older, newer, olderClocks, newerClocks, ok := view.Raw(at, column)
	if !ok {
		return nil
	}
	return &Evidence{cooker.Evidence{
		Type: counter.Type, Prev: clone(older), Cur: clone(newer),
		PrevClocks: clone(olderClocks), CurClocks: clone(newerClocks),
		Attributes: counter.Attributes, Scale: counter.DefaultScale,
	}, view.Rate.Interval}
}

func clone[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}
