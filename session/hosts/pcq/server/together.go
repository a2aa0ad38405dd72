package server

import (
	"math"

	"perfdeck/cooker"
	"perfdeck/session"
)

// together makes what an identifier without a name reads of a counterset of the
// global aggregate types: one value for all instances. The functions are of cooked
// values (MS-PCQ 2.2.4.2, AggregateFunc) and the wire has raw ones, so instances are
// cooked here and the raw values grow in such a way that they cook to the aggregate:
// an instance that comes or goes is no jump of a rate. It lasts as long as its query
// handle, so a type with history keeps what ended as long.
type together struct {
	set     *session.Counterset
	all     session.Combine // what takes part
	joined  []joined        // as set.Counters
	keys    []session.InstanceKey
	rows    map[session.InstanceKey]int // of keys
	before  []cooker.Reading            // of keys, row by row
	width   int                         // of before
	columns []int                       // of before, as set.Counters; -1: not read
	clocks  cooker.Clocks               // of before
	members []member                    // of this sample
	left    []int                       // rows of before that are not in this sample
	begun   bool
}

// member is an instance that takes part: its row in the batch, and in the one before.
type member struct{ now, before int }

// joined is one counter of all instances.
type joined struct {
	owner int  // the counter of which this is a companion, -1: none
	clock bool // it is a clock, which is the same for all
	out   cooker.Reading
	rest  float64 // of out.Raw, which is whole
	ended *cooker.Vanished[session.InstanceKey]
}

func newTogether(set *session.Counterset) *together {
	g := &together{set: set, joined: make([]joined, len(set.Counters))}
	index := make(map[uint32]int, len(set.Counters))
	for i := range set.Counters {
		g.joined[i].owner = -1
		index[set.Counters[i].ID] = i
		if set.Instances == session.GlobalAggregateHistory {
			g.joined[i].ended = new(cooker.Vanished[session.InstanceKey])
		}
	}
	for i := range set.Counters {
		c := &set.Counters[i]
		info, _ := c.Type.Info()
		base := c.BaseID
		if info.Base == cooker.BaseMulti {
			base = c.MultiID
		}
		if at, there := index[base]; there && info.Base != cooker.BaseNone {
			g.joined[at].owner = i
		}
		for _, id := range []uint32{c.PerfTimeID, c.PerfFreqID} {
			if at, there := index[id]; there && info.Clock == cooker.ClockObject {
				g.joined[at].clock = true
			}
		}
	}
	return g
}

// isThere tells whether there is anything to give.
func (g *together) isThere() bool {
	return len(g.members) > 0 || g.begun && g.set.Instances == session.GlobalAggregateHistory
}

// gather goes on by a sample. columns are those of set.Counters in it, -1: not read.
func (g *together) gather(b *session.SetBatch, columns []int) {
	g.match(b)
	for i := range g.joined {
		if at := columns[i]; at >= 0 {
			g.join(i, at, b)
		}
	}
	for i := range g.joined {
		if o := g.joined[i].owner; o >= 0 {
			g.joined[i].out = cooker.Reading{Raw: g.joined[o].out.Base, Size: 8, State: g.joined[o].out.State}
		}
	}
	g.remember(b, columns)
	g.begun = g.begun || len(g.members) > 0
}

// match finds the instances that take part, and each in the sample before.
func (g *together) match(b *session.SetBatch) {
	g.members, g.left = g.members[:0], g.left[:0]
	stayed := make([]bool, len(g.keys))
	for i := range b.Instances {
		in := &b.Instances[i]
		if !g.all.Includes(in) {
			continue
		}
		m := member{i, -1}
		if row, there := g.rows[in.Key]; there {
			m.before, stayed[row] = row, true
		}
		g.members = append(g.members, m)
	}
	for row, there := range stayed {
		if !there {
			g.left = append(g.left, row)
		}
	}
}

// remember keeps the sample for the next one.
func (g *together) remember(b *session.SetBatch, columns []int) {
	g.width, g.clocks = len(b.Counters), b.Clocks
	g.columns = append(g.columns[:0], columns...)
	g.keys, g.before, g.rows = g.keys[:0], g.before[:0], make(map[session.InstanceKey]int, len(g.members))
	for _, m := range g.members {
		key := b.Instances[m.now].Key
		g.rows[key] = len(g.keys)
		g.keys = append(g.keys, key)
		g.before = append(g.before, b.Row(m.now)...)
	}
}

// join makes the reading of counter i, which is column at of the sample.
func (g *together) join(i, at int, b *session.SetBatch) {
	c, j := &g.set.Counters[i], &g.joined[i]
	info, known := c.Type.Info()
	if j.clock && len(g.members) > 0 {
		j.out = b.Row(g.members[0].now)[at]
		return
	}
	if j.owner >= 0 || !known || c.Aggregate == cooker.AggregateNone || c.Type.IsText() {
		j.out = cooker.Reading{State: cooker.Unavailable}
		return
	}
	sum := cooker.Aggregator{Func: c.Aggregate} // of cooked values
	raw := cooker.Aggregator{Func: c.Aggregate} // what cumulative ones begin with
	s := step{info: info, newer: &b.Clocks, older: &g.clocks, why: cooker.Unavailable}
	for _, m := range g.members {
		r, older := &b.Row(m.now)[at], g.older(m.before, i)
		v := cooker.Cook(c.Type, older, r, &g.clocks, &b.Clocks, nil)
		sum.Add(v)
		if !r.State.Good() {
			s.why = r.State
			continue
		}
		raw.Add(cooker.WholeValue(r.Raw))
		s.base += r.Base
		if older != nil && older.State.Good() && (v.Valid() || v.Status() == cooker.ZeroBase) {
			s.operations += r.Base - older.Base
		}
	}
	if j.ended != nil {
		g.addEnded(i, b, &sum)
	}
	s.value, s.start = sum.Value(), raw.Value()
	s.unread = len(g.members) > 0 && raw.Count() == 0
	j.move(&s)
}

// older is the reading of a counter in a row of the sample before, nil if there was
// none.
func (g *together) older(row, counter int) *cooker.Reading {
	if row < 0 || g.columns[counter] < 0 {
		return nil
	}
	return &g.before[row*g.width+g.columns[counter]]
}

// addEnded adds what instances that are gone counted last.
func (g *together) addEnded(counter int, b *session.SetBatch, sum *cooker.Aggregator) {
	j, t := &g.joined[counter], g.set.Counters[counter].Type
	for _, row := range g.left {
		j.ended.Keep(g.keys[row], t.Ended(cooker.Cook(t, nil, g.older(row, counter), nil, &g.clocks, nil)))
	}
	for _, m := range g.members {
		if m.before < 0 {
			j.ended.Return(b.Instances[m.now].Key)
		}
	}
	j.ended.AddTo(sum)
}

// step is what happened to all instances of a counter from one sample to the next.
type step struct {
	info             cooker.TypeInfo
	value            cooker.Value // aggregated
	start            cooker.Value // what a cumulative counter begins with
	base, operations uint64       // sum of the bases, and by how much they grew
	older, newer     *cooker.Clocks
	unread           bool          // there are instances, none of which could be read
	why              cooker.Status // that is so
}

// inThousandths is the unit of bases that divide, and of what they divide: few
// operations are to give an average that is not rounded to a whole number.
const inThousandths = 1000

// move makes the reading that, with the one before, cooks to the value.
func (j *joined) move(s *step) {
	began := j.out.Size != 0
	v, valid := s.value.Float()
	switch {
	case s.info.Samples < 2:
		j.show(s, v, valid)
		return
	case s.unread:
		j.out.State = s.why
		return
	case !began && s.start.Valid():
		j.out = cooker.Reading{Raw: wholeOf(s.start), Base: s.base, Size: 8, BaseSize: 8}
		return
	case !began:
		j.out = cooker.Reading{State: s.why}
		return
	}
	j.out.State = cooker.OK
	if s.value.Status().Fell() { // so does this one: a client makes nothing of the interval
		j.out.Raw, j.rest = 0, 0
	}
	switch s.info.Base {
	case cooker.BaseMulti:
		j.out.Base = s.base
	case cooker.BaseDivisor:
		s.operations *= inThousandths
		j.out.Base += s.operations
	case cooker.BaseClock:
		j.out.Base += s.operations
	case cooker.BaseNone:
	}
	if valid {
		j.grow(s, v)
	}
}

// wholeOf is a value as raw counters are: a whole number.
func wholeOf(v cooker.Value) uint64 {
	if n, ok := v.Whole(); ok {
		return n
	}
	f, _ := v.Float()
	return uint64(math.Round(max(0, f)))
}

// show is for the types that need one sample.
func (j *joined) show(s *step, v float64, valid bool) {
	kind := s.info.Type.Kind()
	j.out = cooker.Reading{Raw: wholeOf(s.value), Base: s.base, Size: 8, BaseSize: 8}
	switch {
	case !valid && kind == cooker.KindFraction && s.base == 0 && s.start.Valid(): // idle: the base says it
	case !valid:
		j.out = cooker.Reading{State: s.why}
	case kind == cooker.KindFraction:
		for j.out.Base > 0 && j.out.Base < 1<<40 {
			j.out.Base *= inThousandths
		}
		j.out.Raw = uint64(math.Round(v / 100 * float64(j.out.Base)))
	case kind == cooker.KindElapsed:
		j.out.Raw = s.newer.ObjTime - uint64(v*float64(s.newer.ObjFreqHz))
	}
}

// grow goes on so that the formula gives the value.
func (j *joined) grow(s *step, v float64) {
	by := s.info.Growth(v, s.passed())
	by = max(0, by+j.rest)
	whole := math.Round(by)
	j.rest = by - whole
	j.out.Raw += uint64(whole)
}

// passed is what went by between the samples.
func (s *step) passed() (p cooker.Passed) {
	p.Ticks, p.FreqHz, p.Base = float64(s.newer.PerfTime-s.older.PerfTime), float64(s.newer.PerfFreqHz), float64(s.operations)
	if p.FreqHz > 0 {
		p.Seconds = p.Ticks / p.FreqHz
	}
	switch s.info.Clock {
	case cooker.Clock100ns:
		p.Ticks = float64(s.newer.Time100ns - s.older.Time100ns)
	case cooker.ClockObject:
		p.Ticks = float64(s.newer.ObjTime - s.older.ObjTime)
	}
	if s.info.Base == cooker.BaseMulti {
		p.Base = float64(s.base)
	}
	return p
}
