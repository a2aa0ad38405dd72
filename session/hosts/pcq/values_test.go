package pcq

import (
	"slices"
	"testing"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/wire/perflib"
	"perfdeck/session/wire/rpc"
)

func TestSingleInstanceValues(t *testing.T) {
	r := newRig(t, memorySet())
	r.host.sets[0].value = func(c uint32, _ int) any {
		if c == 3 {
			return uint32(7)
		}
		return uint64(1)<<40 + uint64(c)
	}
	for _, counters := range [][]int{{0, 1, 2}, {2}, {2, 0}} { // all at once, and one by one
		r.selects(r.want("Memory", counters...))
		b := r.collect().Sets[0]
		if b.Err != nil || len(b.Instances) != 1 || len(b.Readings) != len(counters) {
			t.Fatalf("%v: %+v", counters, b)
		}
		for i, c := range counters {
			want := cooker.Reading{Raw: 1<<40 + uint64(c) + 1, Size: 8}
			if c == 2 {
				want = cooker.Reading{Raw: 7, Size: 4}
			}
			if b.Readings[i] != want {
				t.Errorf("%v: counter %d: %+v", counters, c, b.Readings[i])
			}
		}
		if b.Clocks.PerfTime != r.host.clock || b.Clocks.PerfFreqHz != 1_000_000 || b.Clocks.Time100ns == 0 {
			t.Errorf("%+v", b.Clocks)
		}
	}
}

func TestCompanionsAreCollectedThoughNobodyAskedForThem(t *testing.T) {
	r := newRig(t, diskSet())
	r.selects(r.want("Disk", 1))
	b := r.collect().Sets[0]
	if got := listed(&b); !slices.Equal(got, []string{"_Total#0", "C:#0", "D:#0"}) {
		t.Fatal(got)
	}
	for i, got := range b.Readings {
		if want := (cooker.Reading{Raw: 11_000 + uint64(i), Size: 8, Base: 12_000 + uint64(i), BaseSize: 8}); got != want {
			t.Errorf("row %d: %+v", i, got)
		}
	}
	if b.Instances[0].Flags != session.FlagTotal || b.Instances[1].Flags != 0 {
		t.Error("flags")
	}
}

func TestWildcardOfCountersOnlyWhereItSaves(t *testing.T) {
	for _, c := range []struct {
		counters []int
		ids      int
	}{{[]int{0}, 1}, {[]int{0, 1}, 3}, {[]int{0, 1, 3, 4, 5, 6}, 1}} {
		r := newRig(t, diskSet())
		r.selects(r.want("Disk", c.counters...))
		for _, q := range r.host.handles {
			if len(q.ids) != c.ids {
				t.Errorf("%v: %d identifiers", c.counters, len(q.ids))
			}
		}
		b := r.collect().Sets[0]
		for i, col := range c.counters {
			id := b.Set.Counters[col].ID
			if got := b.Row(2)[i]; got.Raw != uint64(id)*1000+2 || got.State != cooker.OK {
				t.Errorf("%v: %+v", c.counters, got)
			}
		}
	}
}

func TestCompanionThatCannotBeUsed(t *testing.T) {
	object := func(time, freq uint32) *hostSet {
		s := hostOf(3, "Object", session.MultipleInstances, hostCounter(1, cooker.ElapsedTime),
			hostCounter(2, cooker.CounterLargeRawCount), hostCounter(3, cooker.CounterLargeRawCount))
		s.instances = instances("a", "b")
		s.info.Counters[0].PerfTimeID, s.info.Counters[0].PerfFreqID = time, freq
		s.value = func(c uint32, _ int) any { return int(c) * 1000 }
		return s
	}
	disk := func(base uint32) *hostSet {
		s := diskSet()
		s.info.Counters[1].BaseID = base
		return s
	}
	multi := func(id uint32) *hostSet {
		s := hostOf(4, "Multi", session.SingleInstance, hostCounter(1, cooker.CounterMultiTimer), hostCounter(2, cooker.CounterRawCount))
		s.info.Counters[0].MultiID = id
		return s
	}
	failing := func(counter uint32) func(*perflib.Identifier) uint32 {
		return func(id *perflib.Identifier) uint32 {
			if id.CounterID == counter || id.CounterID == perflib.AllCounters {
				return uint32(rpc.CodeItemNotFound)
			}
			return 0
		}
	}
	for _, c := range []struct {
		label   string
		set     *hostSet
		counter int
		status  func(*perflib.Identifier) uint32
		state   cooker.Status
	}{
		{"base", disk(12), 1, nil, cooker.OK},
		{"no base", disk(session.NoID), 1, nil, cooker.NoBase},
		{"unknown base", disk(77), 1, nil, cooker.NoBase},
		{"base of wrong type", disk(13), 1, nil, cooker.NoBase},
		{"base is itself", disk(11), 1, nil, cooker.NoBase},
		{"failing base", disk(12), 1, failing(12), cooker.NoBase},
		{"multi", multi(2), 0, nil, cooker.OK},
		{"no multi", multi(session.NoID), 0, nil, cooker.NoBase},
		{"object clock", object(2, 3), 0, nil, cooker.OK},
		{"no frequency", object(2, session.NoID), 0, nil, cooker.NoBase},
		{"no time", object(session.NoID, 3), 0, nil, cooker.NoBase},
		{"failing time", object(2, 3), 0, failing(2), cooker.NoBase},
	} {
		r := rigWith(t, &host{sets: []*hostSet{c.set}, status: c.status}, Options{})
		r.selects(r.want(c.set.name, c.counter))
		b := r.collect().Sets[0]
		if len(b.Readings) == 0 || b.Readings[0].State != c.state || b.Readings[0].Size != 8 {
			t.Errorf("%s: %+v %v", c.label, b.Readings, b.Err)
		}
		if c.label == "object clock" && (b.Clocks.ObjTime != 2000 || b.Clocks.ObjFreqHz != 3000) {
			t.Errorf("%s: %+v", c.label, b.Clocks)
		}
	}
}

func TestOnlyOneObjectClockFitsInABatch(t *testing.T) {
	s := hostOf(3, "Object", session.MultipleInstances, hostCounter(1, cooker.ElapsedTime), hostCounter(2, cooker.CounterLargeRawCount),
		hostCounter(3, cooker.CounterLargeRawCount), hostCounter(4, cooker.ElapsedTime), hostCounter(5, cooker.PrecisionObjectTimer),
		hostCounter(6, cooker.ElapsedTime), hostCounter(7, cooker.ObjTimeTimer))
	s.info.Counters[0].PerfTimeID, s.info.Counters[0].PerfFreqID = 2, 3
	s.info.Counters[3].PerfTimeID, s.info.Counters[3].PerfFreqID = 3, 3
	s.info.Counters[4].PerfTimeID, s.info.Counters[4].PerfFreqID = 3, 3
	s.info.Counters[5].PerfTimeID, s.info.Counters[5].PerfFreqID = 2, 2
	s.info.Counters[6].PerfTimeID = 2 // which needs no frequency
	s.instances = instances("_Total", "a", "b", "c")
	s.value = func(c uint32, i int) any {
		if c == 2 && i != 1 && i != 2 {
			return 5 * i // no time, and another than that of the first with one
		}
		return int(c)
	}
	r := newRig(t, s)
	r.selects(r.want("Object", 0, 3, 4, 5, 6))
	b := r.collect().Sets[0]
	for i, want := range []cooker.Status{
		cooker.NoBase, cooker.NoBase, cooker.Unavailable, cooker.NoBase, cooker.NoBase,
		cooker.OK, cooker.NoBase, cooker.Unavailable, cooker.NoBase, cooker.OK,
		cooker.OK, cooker.NoBase, cooker.Unavailable, cooker.NoBase, cooker.OK,
		cooker.NoBase, cooker.NoBase, cooker.Unavailable, cooker.NoBase, cooker.NoBase,
	} {
		if b.Readings[i].State != want {
			t.Errorf("reading %d: %v, want %v", i, b.Readings[i].State, want)
		}
	}
}

func TestTextCounters(t *testing.T) {
	const ascii = cooker.CounterText | 0x10000
	s := hostOf(5, "Texts", session.MultipleInstances, hostCounter(1, cooker.CounterText), hostCounter(2, cooker.CounterRawCount), hostCounter(3, ascii))
	s.instances = instances("a", "b", "c")
	s.value = func(c uint32, i int) any {
		switch c {
		case 1:
			return []any{"Größe", "", []byte{}}[i]
		case 3:
			return []any{[]byte("up\x00xy"), []byte("1234"), []byte{0}}[i]
		}
		return 5
	}
	r := newRig(t, s)
	if set := r.cat.Set("Texts"); len(set.Facts) > 0 {
		t.Fatal(set.Facts)
	}
	r.selects(r.want("Texts", 0, 1, 2))
	for range 2 {
		b := r.collect().Sets[0]
		var got []string
		for i := range b.Readings {
			kind := b.Set.Counters[b.Counters[i%3]].Type
			got = append(got, cooker.Cook(kind, nil, &b.Readings[i], nil, &b.Clocks, &cooker.Options{Texts: b.Texts}).String())
		}
		want := []string{"Größe OK", "5 OK", "up OK", "OK", "5 OK", "1234 OK", "UNAVAILABLE", "5 OK", "OK"}
		if !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestValuesOfOtherSizesAreNoNumbers(t *testing.T) {
	r := newRig(t, memorySet())
	r.host.sets[0].value = func(uint32, int) any { return make([]byte, 26) }
	r.selects(r.want("Memory", 0))
	if got := r.collect().Sets[0].Readings[0]; got != (cooker.Reading{State: cooker.Unavailable}) {
		t.Errorf("%+v", got)
	}
}

func TestNoAllocationInSteadyState(t *testing.T) {
	texts := hostOf(5, "Texts", session.SingleInstance, hostCounter(1, cooker.CounterText))
	texts.value = func(uint32, int) any { return "a text that stays" }
	r := newRig(t, diskSet(), memorySet(), texts)
	r.selects(r.want("Disk", 0, 1), r.want("Memory", 0, 1, 2), r.want("Texts", 0))
	r.collect()
	r.collect()
	h := r.query.(*query).handles[0]
	data := slices.Clone(h.data)
	n := testing.AllocsPerRun(100, func() {
		clocks := h.read(data)
		r.batch.Fit(r.query.(*query).wanted)
		for _, w := range h.wants {
			w.fill(&r.batch.Sets[w.index], clocks)
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}
