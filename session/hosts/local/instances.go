package local

import (
	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
)

// reader finds the instances of a counterset. T is what it keeps of each.
type reader[T any] interface {
	// read calls f.instance for each instance there is.
	read(f *found[T]) error
	close()
}

// found collects the instances of one read, and keeps those of the last.
type found[T any] struct {
	clocks cooker.Clocks // taken just before; a reader that begins later takes them anew
	needs  uint32
	want   *session.Want
	known  map[instanceID]*instance[T]
	list   []*instance[T]
	round  uint64
	slots  int
	free   []int
	names  numberedNames
	reset  func(slot int)
	named  func(name string) string // makes names fit for paths
}

type instanceID struct {
	parent, name string
	id           uint64
}

type instance[T any] struct {
	session.Instance
	raw   instanceID
	slot  int
	round uint64
	entry string // parent and name, for numbering
	state T

	kept, last paced
}

// paced are counts of an instance that grow no faster than time, in 100 ns.
type paced struct {
	known bool
	times [mostPaced]uint64
}

const mostPaced = 3

// instance adds one to the read and returns what is kept of it; the zero T if
// it is new. Its name is made fit for paths.
func (f *found[T]) instance(parent, name string, id uint64) *T {
	return f.flagged(0, parent, name, id)
}

// flagged is instance for one that screens treat in another way.
func (f *found[T]) flagged(flags session.InstanceFlags, parent, name string, id uint64) *T {
	key := instanceID{parent, name, id}
	i := f.known[key]
	if i == nil {
		i = &instance[T]{raw: key, slot: f.takeSlot()}
		i.Key = session.InstanceKey{Parent: paths.Instance(parent), Name: f.named(name), ID: id}
		i.entry = i.Key.Parent + "/" + i.Key.Name
		f.known[key] = i
	}
	if i.round != f.round {
		i.round = f.round
		i.Flags = flags
		i.Index = f.names.next(f.names.entry([]byte(i.entry)))
		f.list = append(f.list, i)
	}
	return &i.state
}

func (f *found[T]) takeSlot() int {
	if n := len(f.free); n > 0 {
		slot := f.free[n-1]
		f.free = f.free[:n-1]
		f.reset(slot)
		return slot
	}
	f.slots++
	return f.slots - 1
}

// forget drops instances that were not found again.
func (f *found[T]) forget() {
	f.names.end()
	for key, i := range f.known {
		if i.round != f.round {
			f.free = append(f.free, i.slot)
			delete(f.known, key)
		}
	}
}

// many collects a counterset of several instances.
type many[T any] struct {
	rows     []counter[T]
	reader   reader[T]
	hasTotal bool
	totalKey session.InstanceKey
	again    func(*T) bool              // tells what counts what another does, so that _Total leaves it out; nil: nothing
	paced    func(*T) [mostPaced]uint64 // nil: there are no such counts
	pace     *pace
	stamp    stamp

	cols  []column[T]
	found found[T]
	total totals
}

func newMany[T any](rows []counter[T], r reader[T], hasTotal bool) *many[T] {
	m := &many[T]{rows: rows, reader: r, hasTotal: hasTotal, totalKey: session.InstanceKey{Name: totalName}}
	m.found.known = make(map[instanceID]*instance[T])
	m.found.reset, m.found.named = m.total.forget, paths.Instance
	return m
}

func (m *many[T]) choose(w *session.Want) {
	m.cols = columnsHere(m.rows, w)
	m.found.needs, m.found.want = needsOf(m.cols), w
	chooseTotals(&m.total, m.cols)
}

func (m *many[T]) collect(b *session.SetBatch, clocks cooker.Clocks) {
	f := &m.found
	f.list = f.list[:0]
	f.round++
	f.names.begin()
	f.clocks = clocks
	err := m.reader.read(f)
	f.forget()
	if err != nil {
		failed(b, clocks, err)
		return
	}
	b.Clocks = f.clocks
	if m.paced != nil {
		b.Clocks = m.stamp.settle(m.pace, f.clocks, m.passed())
	}
	m.total.begin(f.slots)
	for n, i := range f.list {
		b.Instances = append(b.Instances, i.Instance)
		appendRow(b, m.cols, &i.state)
		if m.again == nil || !m.again(&i.state) {
			m.total.add(i.slot, b.Row(n))
		}
	}
	if m.hasTotal {
		b.Instances = append(b.Instances, session.Instance{Key: m.totalKey, Flags: session.FlagTotal})
		b.Readings = m.total.appendTo(b.Readings)
	}
}

// holdTo sets the clock by counts that grow no faster than time.
func (m *many[T]) holdTo(p *pace, counts func(*T) [mostPaced]uint64) *many[T] {
	m.pace, m.paced = p, counts
	return m
}

// passed is how much the count that grew most did since the reading before.
func (m *many[T]) passed() (most uint64) {
	for _, i := range m.found.list {
		if !m.pace.again {
			i.kept = i.last
		}
		i.last = paced{true, m.paced(&i.state)}
		if !i.kept.known {
			continue
		}
		for n, t := range i.last.times {
			most = max(most, grown(i.kept.times[n], t))
		}
	}
	return most
}

func (m *many[T]) close() { m.reader.close() }
