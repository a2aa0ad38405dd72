package server

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/wire/perflib"
	"perfdeck/session/wire/rpc"
)

// crowd is a source of countersets whose instances come and go, all of them with
// counters of every type.
type crowd struct {
	cat     *session.Catalogue
	random  *rand.Rand
	live    []string
	counted map[string][]cooker.Reading // by instance, as the counters of any of the sets
	now     uint64                      // seconds
	// byItself is who is there at each reading, which then is a step; the last ones stay.
	byItself [][]string
}

// newCrowd makes sets that aggregate by each function, of both types.
func newCrowd(declared bool) *crowd {
	c := &crowd{cat: &session.Catalogue{Host: "crowd"}, random: rand.New(rand.NewPCG(1, 2)), counted: map[string][]cooker.Reading{}, now: 1_000_000}
	for _, kind := range []session.InstanceType{session.GlobalAggregate, session.GlobalAggregateHistory} {
		for _, f := range []cooker.AggregateFunc{cooker.AggregateTotal, cooker.AggregateAverage, cooker.AggregateMin, cooker.AggregateMax} {
			c.cat.Sets = append(c.cat.Sets, everyCounter(fmt.Sprintf("%v %#x", f, uint32(kind)), kind, f, declared))
		}
	}
	return c
}

// everyCounter is a set with a counter of each type that is shown; declared with the
// companions that they need, which the server adds otherwise.
func everyCounter(name string, kind session.InstanceType, f cooker.AggregateFunc, declared bool) *session.Counterset {
	set := &session.Counterset{Name: name, Instances: kind}
	add := func(c session.Counter) *session.Counter {
		c.ID = uint32(len(set.Counters) + 1)
		c.Name = fmt.Sprint("Counter ", c.ID)
		set.Counters = append(set.Counters, none(c))
		return &set.Counters[len(set.Counters)-1]
	}
	for _, info := range cooker.Types() {
		if info.ManifestName == "" || info.Samples == 0 || info.Type == cooker.CounterText {
			continue
		}
		base := session.NoID
		if declared && info.Base == cooker.BaseMulti {
			base = add(session.Counter{Type: cooker.CounterRawCount}).ID
		} else if declared && info.Base != cooker.BaseNone {
			base = add(session.Counter{Type: info.BaseType}).ID
		}
		c := add(session.Counter{Type: info.Type, Aggregate: f})
		if info.Base == cooker.BaseMulti {
			c.MultiID = base
		} else {
			c.BaseID = base
		}
	}
	return set
}

// step lets a second pass: instances count on, and others take their place.
func (c *crowd) step(live ...string) {
	c.now++
	c.live = live
	maps.DeleteFunc(c.counted, func(name string, _ []cooker.Reading) bool { return !slices.Contains(live, name) })
	set := c.cat.Sets[0]
	for _, name := range live {
		if c.counted[name] == nil {
			c.counted[name] = make([]cooker.Reading, len(set.Counters))
		}
		for i := range set.Counters {
			c.count(&c.counted[name][i], &set.Counters[i])
		}
	}
	for i := range set.Counters { // what is declared is the base of the counter behind it
		if i+1 < len(set.Counters) && isCompanion(set, i) {
			for _, r := range c.counted {
				r[i] = cooker.Reading{Raw: r[i+1].Base, Size: 8}
			}
		}
	}
}

func isCompanion(set *session.Counterset, i int) bool {
	id := set.Counters[i].ID
	return slices.ContainsFunc(set.Counters, func(c session.Counter) bool { return c.BaseID == id || c.MultiID == id })
}

// count lets a counter go on for a second.
func (c *crowd) count(r *cooker.Reading, counter *session.Counter) {
	info, _ := counter.Type.Info()
	part := c.random.Float64()
	r.Size, r.BaseSize = 8, 8
	switch counter.Type.Kind() {
	case cooker.KindDifference, cooker.KindRate:
		r.Raw += uint64(10_000 * part)
	case cooker.KindRatio:
		r.Raw += uint64(ticksPerSecond * part)
	case cooker.KindMulti:
		r.Base = 4
		if r.Raw += uint64(4 * ticksPerSecond * part); info.Clock == cooker.ClockPerf {
			r.Raw -= uint64(4 * ticksPerSecond * part)
			r.Raw += uint64(4 * part)
		}
	case cooker.KindPrecision:
		r.Base += ticksPerSecond
		r.Raw += uint64(ticksPerSecond * part)
	case cooker.KindAverage:
		n := 1 + c.random.Uint64N(20)
		r.Base += n
		r.Raw += uint64(part * float64(n))
		if info.Suffix != "%" {
			r.Raw += 1000 * n
		}
	case cooker.KindSeconds:
		n := 1 + c.random.Uint64N(20)
		r.Base += n
		r.Raw += uint64(part * ticksPerSecond)
	case cooker.KindFraction:
		r.Base = 3 + c.random.Uint64N(5)
		r.Raw = c.random.Uint64N(r.Base)
	case cooker.KindElapsed:
		if r.Raw == 0 {
			r.Raw = (c.now - 1 - c.random.Uint64N(1000)) * ticksPerSecond
		}
	default:
		r.Raw = c.random.Uint64N(1000)
	}
}

func (c *crowd) clocks() cooker.Clocks {
	ticks := c.now * ticksPerSecond
	return cooker.Clocks{PerfTime: ticks, PerfFreqHz: ticksPerSecond, Time100ns: 133_500_000_000_000_000 + ticks, ObjTime: ticks, ObjFreqHz: ticksPerSecond}
}

func (c *crowd) Catalogue(context.Context) (*session.Catalogue, error) { return c.cat, nil }
func (c *crowd) Open(context.Context) (session.Query, error)           { return &crowdQuery{source: c}, nil }
func (c *crowd) Close() error                                          { return nil }

type crowdQuery struct {
	source *crowd
	wants  []session.Want
}

func (q *crowdQuery) Select(_ context.Context, wants []session.Want) error {
	q.wants = slices.Clone(wants)
	return nil
}

func (q *crowdQuery) Collect(_ context.Context, b *session.Batch) error {
	b.Fit(q.wants)
	if next := q.source.byItself; len(next) > 0 {
		q.source.step(next[0]...)
		if len(next) > 1 {
			q.source.byItself = next[1:]
		}
	}
	for i := range q.wants {
		set := &b.Sets[i]
		set.Clocks = q.source.clocks()
		for _, name := range q.source.live {
			set.Instances = append(set.Instances, session.Instance{Key: session.InstanceKey{Name: name}})
			for _, counter := range set.Counters {
				set.Readings = append(set.Readings, q.source.counted[name][counter])
			}
		}
	}
	return nil
}

func (q *crowdQuery) Close() error { return nil }

// turns is who is there, second by second: unequal ones, which come and go.
var turns = [][]string{{"a", "b", "c"}, {"a", "b", "c"}, {"b", "c", "_Total"}, {"b", "c", "d", "e"}, {"d", "e"}, {"a", "d", "e"}, {"a"}, {"a"}}

// What an identifier without a name reads of an aggregate set, cooked from the bytes
// alone, is the aggregate of what its instances cook to.
func TestNamelessCooksToTheAggregate(t *testing.T) {
	for _, declared := range []bool{true, false} {
		source := newCrowd(declared)
		h, c := newSession(t, source)
		for _, set := range h.sets {
			source.counted = map[string][]cooker.Reading{}
			j := judgeOf{T: t, set: set, ended: map[[2]any]cooker.Value{}}
			q := openHandle(t, c)
			add(t, c, q, true, ident(set.info.GUID, perflib.AllCounters, "*"), ident(set.info.GUID, perflib.AllCounters, ""))
			var before moment
			for n, live := range append(slices.Clone(turns), []string{"a", "b"}, []string{"a", "b"}, []string{"a", "b"}, []string{"a", "b"}) {
				if n == len(turns)+2 { // b begins anew
					source.counted["b"] = make([]cooker.Reading, len(source.counted["b"]))
				}
				source.step(live...)
				now := read(t, collect(t, c, q), source.clocks())
				j.compare(n, &before, &now)
				before = now
			}
			if how := set.set.Counters[0].Aggregate; j.fell == 0 && (how == cooker.AggregateTotal || how == cooker.AggregateAverage) {
				t.Errorf("%s: nothing fell", set.set.Name)
			}
			if j.compared < len(turns)*len(set.counters)/3 {
				t.Errorf("%s: %d values compared", set.set.Name, j.compared)
			}
		}
	}
}

// moment is what was read of a set: raw values by instance and counter.
type moment struct {
	values sample
	clocks cooker.Clocks
	names  []string
}

func read(t *testing.T, r perflib.DataReader, clocks cooker.Clocks) moment {
	t.Helper()
	m := moment{clocks: clocks}
	m.values, _ = samples(t, r)
	for key := range m.values {
		if name := key[0].(string); name != "" && !slices.Contains(m.names, name) {
			m.names = append(m.names, name)
		}
	}
	return m
}

// judgeOf compares what is read without a name with the instances.
type judgeOf struct {
	*testing.T
	set      *counterset
	ended    map[[2]any]cooker.Value // with history, by instance and counter
	compared int
	fell     int
}

func (j *judgeOf) compare(n int, before, now *moment) {
	j.Helper()
	for i := range j.set.info.Counters {
		c := &j.set.info.Counters[i]
		if c.Aggregate == cooker.AggregateNone {
			continue
		}
		a := cooker.Aggregator{Func: c.Aggregate}
		for _, name := range now.names {
			delete(j.ended, [2]any{name, c.ID})
			if cooker.InAggregate(name) {
				a.Add(j.cook(c, name, before, now))
			}
		}
		for _, name := range before.names {
			if cooker.InAggregate(name) && !slices.Contains(now.names, name) && j.set.info.Instances == session.GlobalAggregateHistory {
				j.ended[[2]any{name, c.ID}] = c.Type.Ended(j.cook(c, name, &moment{}, before))
			}
		}
		for key, v := range j.ended {
			if key[1] == c.ID {
				a.Add(v)
			}
		}
		want, ok := a.Value().Float()
		v := j.cook(c, "", before, now)
		got, valid := v.Float()
		if a.Value().Status().Fell() {
			if j.fell++; valid {
				j.Errorf("%s, second %d, counter %d, %v: %v, want none", j.set.set.Name, n, c.ID, c.Type, v)
			}
		}
		if !ok {
			continue // new ones only: there is no rate yet
		}
		if info, _ := c.Type.Info(); c.Type.Fields().Inverse && info.Base == cooker.BaseNone {
			want = min(want, 100) // more cannot be said by idle time
		}
		most := 1 + math.Abs(want)/1000
		if c.Type.Kind() == cooker.KindMulti && c.Type.Fields().Timer == 0 {
			most = 100 // it counts whole seconds
		}
		j.compared++
		if !valid || math.Abs(got-want) > most || c.Type == cooker.LargeRawFraction && math.Abs(got-want) > 1e-6 {
			j.Errorf("%s, second %d, counter %d, %v: %v, want %v", j.set.set.Name, n, c.ID, c.Type, v, want)
		}
	}
}

// cook cooks a counter as a client does.
func (j *judgeOf) cook(c *perflib.CounterInfo, name string, before, now *moment) cooker.Value {
	info, _ := c.Type.Info()
	base := c.BaseID
	if info.Base == cooker.BaseMulti {
		base = c.MultiID
	}
	reading := func(m *moment) *cooker.Reading {
		raw, there := m.values[[2]any{name, c.ID}]
		if !there {
			return nil
		}
		r := &cooker.Reading{Raw: raw, Base: m.values[[2]any{name, base}], Size: 8, BaseSize: 8}
		if info.Samples == 2 && formOf(c.Type) == formDword {
			r.Size = 4
		}
		return r
	}
	return cooker.Cook(c.Type, reading(before), reading(now), &before.clocks, &now.clocks, nil)
}

// The first sample has the plain aggregates of what was counted, and wide ones where
// many narrow counts have no room in four bytes.
func TestNamelessLevels(t *testing.T) {
	set := &session.Counterset{Name: "Levels", Instances: session.GlobalAggregateHistory, Counters: []session.Counter{
		none(session.Counter{ID: 1, Name: "Sum", Type: cooker.CounterRawCount, Aggregate: cooker.AggregateTotal}),
		none(session.Counter{ID: 2, Name: "Mean", Type: cooker.CounterRawCount, Aggregate: cooker.AggregateAverage}),
		none(session.Counter{ID: 3, Name: "Least", Type: cooker.CounterLargeRawCount, Aggregate: cooker.AggregateMin}),
		none(session.Counter{ID: 4, Name: "Most", Type: cooker.CounterLargeRawCount, Aggregate: cooker.AggregateMax}),
		none(session.Counter{ID: 5, Name: "Undefined", Type: cooker.CounterRawCount}),
	}}
	source := newTable()
	source.cat.Sets = append(source.cat.Sets, set)
	source.read = func(_ *session.Counterset, in *session.Instance, _ int) cooker.Reading {
		return cooker.Reading{Raw: in.Key.ID, Size: 4}
	}
	show := func(levels ...uint64) {
		source.rows["Levels"] = nil
		for i, n := range levels {
			source.rows["Levels"] = append(source.rows["Levels"], session.Instance{Key: session.InstanceKey{Name: string(rune('a' + i)), ID: n}})
		}
	}
	h, c := newSession(t, source)
	guid := h.byName("Levels").info.GUID
	q := openHandle(t, c)
	add(t, c, q, true, ident(guid, perflib.AllCounters, ""), ident(guid, 1, ""), ident(guid, 5, ""))
	check := func(want ...uint64) {
		t.Helper()
		r := collect(t, c, q)
		r.Next()
		var got []uint64
		for v := r.Block().Values(); v.Next(); {
			n, _ := v.Value.Uint64()
			got = append(got, n)
		}
		r.Next()
		one, undefined := r.Block().Kind, perflib.KindCounter
		if r.Next() {
			undefined = r.Block().Kind
		}
		if !slices.Equal(got, want) || one != perflib.KindCounter || undefined != perflib.KindError {
			t.Errorf("%v, want %v; kinds %v, %v", got, want, one, undefined)
		}
	}
	show(1, 3, 8)
	check(12, 4, 1, 8, 0)
	show(3_000_000_000, 3_000_000_001)
	check(12+6_000_000_001, 1_200_000_003, 1, 3_000_000_001, 0) // with those that ended
	show()
	check(12+6_000_000_001, 1_200_000_003, 1, 3_000_000_001, 0)
}

// A set without history has nothing to give when all of its instances are gone, as an
// instance that is absent: status 0, and an error block.
func TestNamelessWithoutInstances(t *testing.T) {
	source := newCrowd(false)
	h, c := newSession(t, source)
	q := openHandle(t, c)
	guid := h.sets[0].info.GUID
	if got := add(t, c, q, true, ident(guid, 1, ""), ident(guid, 1, "nobody"), ident(guid, 1, "no*")); !slices.Equal(got, []rpc.Code{0, 0, 0}) {
		t.Errorf("statuses %v", got)
	}
	r := collect(t, c, q)
	for i := range 3 {
		if !r.Next() {
			t.Fatal(r.Err())
		}
		b := r.Block()
		if i < 2 && (b.Kind != perflib.KindError || rpc.Code(b.Status) != rpc.CodeNoData) || i == 2 && b.Kind != perflib.KindInstances {
			t.Errorf("block %d: kind %v, status %d", i, b.Kind, b.Status)
		}
	}
}

// A multi timer that lacks its count gets a plain one.
func TestCompanionOfMultiTimer(t *testing.T) {
	h, _ := newSession(t, newCrowd(false))
	seen := 0
	for i := range h.sets[0].info.Counters {
		c := &h.sets[0].info.Counters[i]
		if info, _ := c.Type.Info(); info.Base == cooker.BaseMulti {
			seen++
			if got := h.sets[0].info.Counters[h.sets[0].byID[c.MultiID]].Type; got != cooker.CounterRawCount {
				t.Errorf("%v: its count is %v", c.Type, got)
			}
		}
	}
	if seen != 4 {
		t.Errorf("%d multi timers", seen)
	}
}

// byName finds a set.
func (h *Handler) byName(name string) *counterset {
	return h.sets[slices.IndexFunc(h.sets, func(s *counterset) bool { return s.set.Name == name })]
}
