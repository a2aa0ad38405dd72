package main

import (
	"errors"
	"slices"
	"sync"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
)

// series is one counter of one instance, as long as it bears the same name.
type series struct {
	host    string
	path    paths.Path // without computer
	text    string     // of path
	set     *session.Counterset
	counter *session.Counter
	key     session.InstanceKey
	index   uint32
	found   bool // a host has it; else path is what was asked for
	taken   int  // the sample it was last taken in
}

// instance is the instance as lists show it, empty for a counterset without.
func (s *series) instance() string { return s.path.InstanceText() }

// full is the path with the computer.
func (s *series) full() string {
	p := s.path
	p.Computer = s.host
	return p.String()
}

// cell is a value of a series in one sample.
type cell struct {
	*series
	value cooker.Value
	wild  bool      // its path may mean several instances
	from  *evidence // what the value was made from, if that is kept
}

// evidence is what a value was made from.
type evidence struct {
	cooker.Evidence
	interval time.Duration
}

// picker finds what the paths of one host mean in its snapshots.
type picker struct {
	host       string
	selections []selection

	mu       sync.Mutex // a sampler may pick while others ask what is silent
	progress []progress // of each selection
	known    map[seriesKey]*series
	samples  int
	evidence bool      // keep what values are made from
	unmet    []silence // paths of a host that never answered
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
	k := &picker{host: host, selections: selections, known: map[seriesKey]*series{}}
	k.progress = make([]progress, len(selections))
	for i := range k.progress {
		k.progress[i].status = cooker.Pending
	}
	return k
}

// pick lists the values of a snapshot in the order of the paths, each series
// once.
func (k *picker) pick(s *session.Snapshot) []cell {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.samples++
	var cells []cell
	for i := range k.selections {
		first := len(cells)
		cells = k.pickOne(cells, i, s)
		k.progress[i].note(cells[first:])
		cells = append(cells[:first], k.untaken(cells[first:])...)
	}
	return cells
}

// note takes in what a sample gave.
func (p *progress) note(cells []cell) {
	for _, c := range cells {
		switch {
		case !c.found:
		case answered(c.value):
			p.seen, p.gave = true, true
		default:
			p.seen, p.status = true, c.value.Status()
		}
	}
}

// untaken leaves out what an earlier path of the sample took.
func (k *picker) untaken(cells []cell) []cell {
	return slices.DeleteFunc(cells, func(c cell) bool {
		again := c.taken == k.samples
		c.taken = k.samples
		return again
	})
}

// answered tells whether a path gave what it can: a value, or the news that a
// counter was idle, which is no value but no failure either.
func answered(v cooker.Value) bool { return v.Valid() || v.Status() == cooker.ZeroBase }

// pickOne adds the values of one path.
func (k *picker) pickOne(cells []cell, i int, s *session.Snapshot) []cell {
	sel := &k.selections[i]
	view := s.Set(sel.Set)
	failure := failureOf(s, view)
	first, wild := len(cells), sel.Path.Wildcard()&^paths.WildCounter != 0
	for row := 0; view != nil && row < len(view.Rows); row++ {
		in := &view.Rows[row].Instance
		if view.Rows[row].Gone || !sel.means(in) {
			continue
		}
		for _, counter := range sel.Counters {
			c := cell{series: k.series(sel.Set, counter, in), value: failure, wild: wild}
			if failure.Status().Good() {
				c.value = view.Value(row, view.Column(counter))
			}
			if k.evidence {
				c.from = evidenceOf(view, row, c.counter, view.Column(counter))
			}
			cells = append(cells, c)
		}
	}
	if len(cells) > first {
		return cells
	}
	why := k.absence(i, failure)
	for _, counter := range sel.Counters {
		cells = append(cells, cell{series: k.asked(sel, counter), value: why, wild: wild})
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
func (k *picker) series(set *session.Counterset, counter int, in *session.Instance) *series {
	key := seriesKey{set: set, counter: counter, key: in.Key, index: in.Index}
	s := k.known[key]
	if s == nil {
		s = &series{host: k.host, path: session.PathOf("", set, counter, in), set: set,
			counter: &set.Counters[counter], key: in.Key, index: in.Index, found: true}
		s.text = s.path.String()
		k.known[key] = s
	}
	return s
}

// asked is the series of a path whose instance is not there.
func (k *picker) asked(sel *selection, counter int) *series {
	p := sel.Path
	p.Computer, p.Object, p.Counter = "", sel.Set.Name, sel.Set.Counters[counter].Name
	key := seriesKey{set: sel.Set, counter: counter, asked: p.String()}
	s := k.known[key]
	if s == nil {
		s = &series{host: k.host, path: p, text: key.asked, set: sel.Set, counter: &sel.Set.Counters[counter]}
		k.known[key] = s
	}
	return s
}

// silence is a path that never had a value.
type silence struct {
	path   string
	status cooker.Status
}

func (k *picker) silent() []silence {
	k.mu.Lock()
	defer k.mu.Unlock()
	out := slices.Clone(k.unmet)
	for i, p := range k.progress {
		if !p.gave {
			out = append(out, silence{k.selections[i].query.text, p.status})
		}
	}
	return out
}
