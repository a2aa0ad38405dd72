package replay

import (
	"cmp"
	"math"
	"slices"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/files/logs"
)

// gauge is the type of counters of which a recording does not tell the type: it
// shows values as they are.
const gauge = cooker.CounterLargeRawCount

const gaugeDescription = "The recording does not tell the type of this counter: its values are shown as they were recorded."

// otherSet is the counterset of columns whose names are no counter paths.
const otherSet = "Other columns"

// hostColumns are the columns of a recording that are of one host.
type hostColumns struct {
	name string
	own  string // its name in the recording
	cat  *session.Catalogue
	sets map[*session.Counterset]*setColumns
}

// setColumns are the columns of one counterset.
type setColumns struct {
	set       *session.Counterset
	instances []session.Instance
	cells     [][]cell       // of each instance, by counter
	counters  map[string]int // by folded name, in English
	// number and owner are the counters that tell the numbers of processes; -1: not
	// recorded.
	number, owner int
	// kernel is the instance that all threads of a kernel are owned by; -1: not recorded.
	kernel int
}

// cell is the column of a counter of an instance. A counter has several if the
// recording has columns of the same path.
type cell struct{ counter, column int32 }

// of are the cells of a counter of an instance.
func (s *setColumns) of(instance, counter int) []cell {
	all := s.cells[instance]
	from, _ := slices.BinarySearchFunc(all, int32(counter), func(c cell, counter int32) int { return int(c.counter) - int(counter) })
	to := from
	for to < len(all) && all[to].counter == int32(counter) {
		to++
	}
	return all[from:to]
}

// counterOf is the first counter of these names that is recorded, -1 if none is.
func (s *setColumns) counterOf(name string) int {
	if i, ok := s.counters[paths.Fold(name)]; ok {
		return i
	}
	return -1
}

// hostsOf sorts the columns of a recording by host, in the order in which they
// first appear. Columns that name no computer are of the one that unnamed says.
func hostsOf(columns []logs.Column, unnamed, origin string) []*hostColumns {
	c := cataloguer{unnamed: unnamed, origin: origin, hosts: map[string]*hostColumns{}, sets: map[setName]*setColumns{}, found: map[instanceName]int{}}
	for i := range columns {
		c.add(i, &columns[i])
	}
	for _, s := range c.sets {
		for _, cells := range s.cells {
			slices.SortStableFunc(cells, func(a, b cell) int { return int(a.counter) - int(b.counter) })
		}
		for i := range s.set.Counters {
			c := &s.set.Counters[i]
			c.Quantity = cooker.QuantityIn(c.Type, s.set.InEnglish(), c.InEnglish())
			if c.Description != "" { // what it measures tells whether it is over the time since the row before
				c.WeighedAs = cooker.TypeByName(c.Quantity, c.InEnglish())
			}
		}
		s.set.Settle(s.instances)
		s.findKernel()
		s.number, s.owner = s.set.NumberCounter(), s.counterOf("Creating Process ID")
	}
	return c.order
}

// cataloguer makes catalogues of columns.
type cataloguer struct {
	unnamed, origin string

	order []*hostColumns
	hosts map[string]*hostColumns // by folded name
	sets  map[setName]*setColumns
	found map[instanceName]int // index among the instances of the set
}

// setName tells countersets apart. One of which some columns name an instance
// and others none is two.
type setName struct {
	host   *hostColumns
	folded string
	single bool
}

type instanceName struct {
	set          *setColumns
	parent, name string // folded
	index        uint32
}

// add takes a column in.
func (c *cataloguer) add(column int, recorded *logs.Column) {
	path, err := paths.Parse(recorded.Path)
	if err != nil {
		path = paths.Path{Object: otherSet, Counter: recorded.Path}
	}
	s := c.set(c.host(path.Computer), path, recorded.English.Object)
	instance := c.instance(s, path)
	counter := s.counter(path.Counter, recorded)
	s.cells[instance] = append(s.cells[instance], cell{int32(counter), int32(column)})
}

func (c *cataloguer) host(computer string) *hostColumns {
	if computer == "" {
		computer = c.unnamed
	}
	folded := paths.Fold(computer)
	h := c.hosts[folded]
	if h == nil {
		h = &hostColumns{name: computer, cat: &session.Catalogue{Host: computer}, sets: map[*session.Counterset]*setColumns{}}
		c.hosts[folded] = h
		c.order = append(c.order, h)
	}
	return h
}

func (c *cataloguer) set(h *hostColumns, path paths.Path, english string) *setColumns {
	key := setName{h, paths.Fold(cmp.Or(english, path.Object)), !path.HasInstance}
	s := c.sets[key]
	if s == nil {
		set := &session.Counterset{Name: path.Object, English: other(english, path.Object), Protocol: c.origin, Instances: session.MultipleInstances}
		s = &setColumns{set: set, counters: map[string]int{}}
		if key.single {
			s.set.Instances = session.SingleInstance
		}
		c.sets[key] = s
		h.cat.Sets = append(h.cat.Sets, s.set)
		h.sets[s.set] = s
	}
	return s
}

// instance is the index of the instance of a path in its set. An instance is
// known by its name and by n of name#n: a recording tells no more.
func (c *cataloguer) instance(s *setColumns, path paths.Path) int {
	n, ok := path.Index.Number()
	if !ok || uint64(n) > math.MaxUint32 { // `name#*`: a name after all
		path.Instance, n = path.Instance+"#"+string(path.Index), 0
	}
	key := instanceName{s, paths.Fold(path.Parent), paths.Fold(path.Instance), uint32(n)}
	at, known := c.found[key]
	if !known {
		if path.Instance == cooker.AggregateInstance && path.Parent == "" {
			s.set.Instances = session.GlobalAggregate // its own word how they are combined is recorded
		}
		at = len(s.instances)
		c.found[key] = at
		s.instances = append(s.instances, session.Instance{
			Key:   session.InstanceKey{Parent: path.Parent, Name: path.Instance, ID: uint64(n)},
			Index: uint32(n), Flags: s.set.FlagsOf(path.Instance),
		})
		s.cells = append(s.cells, nil)
	}
	return at
}

// counter is the index of a counter. What the first column that knows it says of
// its type holds.
func (s *setColumns) counter(name string, recorded *logs.Column) int {
	folded := paths.Fold(cmp.Or(recorded.English.Counter, name))
	at, known := s.counters[folded]
	if !known {
		at = len(s.set.Counters)
		s.counters[folded] = at
		s.set.Counters = append(s.set.Counters, session.Counter{
			ID: uint32(at), Name: name, English: other(recorded.English.Counter, name), Type: gauge, Description: gaugeDescription, Detail: session.DetailNovice,
			Companions: session.NoCompanions,
		})
	}
	counter := &s.set.Counters[at]
	if recorded.TypeKnown && counter.Description != "" {
		counter.Type, counter.DefaultScale, counter.Description = recorded.Type, clampScale(recorded.DefaultScale), ""
	}
	if shown := recorded.Attributes &^ cooker.NoDisplay; shown != 0 && counter.Attributes == 0 { // it was recorded to be seen
		counter.Attributes = shown
	}
	return at
}

// other is the English name where it is another one.
func other(english, name string) string {
	if english == name {
		return ""
	}
	return english
}

// clampScale keeps a power of ten in the range that charts have.
func clampScale(power int) int { return min(max(power, -10), 10) }
