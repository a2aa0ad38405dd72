package pcq

import (
	"errors"
	"slices"
	"testing"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/wire/perflib"
	"perfdeck/session/wire/rpc"
)

func TestFailingCounterLeavesTheOthers(t *testing.T) {
	for _, c := range []struct {
		code  rpc.Code
		state cooker.Status
	}{
		{rpc.CodeAccessDenied, cooker.Denied}, {rpc.CodeNoData, cooker.Gone},
		{rpc.CodeItemNotFound, cooker.Unavailable}, {rpc.CodeOutOfMemory, cooker.Unavailable},
	} {
		r := newRig(t, diskSet())
		r.selects(r.want("Disk", 0, 3))
		r.collect() // whose values must not stay
		r.host.block = func(w *perflib.DataWriter, id *perflib.Identifier) bool {
			if id.CounterID == 13 {
				w.Failed(uint32(c.code))
			}
			return id.CounterID == 13
		}
		b := r.collect().Sets[0]
		if b.Err != nil || len(b.Instances) != 3 || b.Row(0)[0].State != cooker.OK || b.Row(0)[1] != (cooker.Reading{State: c.state}) {
			t.Errorf("%v: %v %+v", c.code, b.Err, b.Readings)
		}
	}
}

func TestRefusedCounterLeavesTheOthersAndIsTriedAgain(t *testing.T) {
	r := newRig(t, diskSet())
	r.host.status = func(id *perflib.Identifier) uint32 {
		if id.CounterID == 13 {
			return uint32(rpc.CodeItemNotFound)
		}
		return 0
	}
	r.selects(r.want("Disk", 0, 3))
	b := r.collect().Sets[0]
	if len(b.Instances) != 3 || b.Row(1)[0].Raw != 10_001 || b.Row(1)[1].State != cooker.Unavailable {
		t.Fatalf("%v %+v", b.Err, b.Readings)
	}
	r.host.status = nil
	r.collect()
	if r.host.calls["add"] != 1 {
		t.Error("tried again at once")
	}
	r.now = r.now.Add(retryRefused)
	if b = r.collect().Sets[0]; b.Row(1)[1].Raw != 13_001 {
		t.Errorf("%+v", b.Readings)
	}
}

func TestAllCountersAtOnceRefusedOrFailing(t *testing.T) {
	all := []int{0, 1, 3, 4, 5, 6, 7, 8}
	for _, c := range []struct {
		label string
		h     *host
		first bool // the first collection has values already
	}{
		{"refused", &host{status: func(id *perflib.Identifier) uint32 {
			if id.CounterID == perflib.AllCounters {
				return uint32(rpc.CodeInvalidParameter)
			}
			return 0
		}}, true},
		{"failing", &host{block: func(w *perflib.DataWriter, id *perflib.Identifier) bool {
			if id.CounterID == perflib.AllCounters {
				w.Failed(uint32(rpc.CodeInvalidRegInfo))
			}
			return id.CounterID == perflib.AllCounters
		}}, false},
	} {
		c.h.sets = []*hostSet{diskSet()}
		r := rigWith(t, c.h, Options{})
		r.selects(r.want("Disk", all...))
		b := r.collect().Sets[0]
		if c.first != (b.Err == nil) {
			t.Errorf("%s: %v", c.label, b.Err)
		}
		b = r.collect().Sets[0]
		if b.Err != nil || len(b.Instances) != 3 || b.Row(2)[1].Base != 12_002 {
			t.Errorf("%s: %v %+v", c.label, b.Err, b.Readings)
		}
	}
}

func TestSetThatIsGoneOrDenied(t *testing.T) {
	for _, code := range []rpc.Code{rpc.CodeGUIDNotFound, rpc.CodeAccessDenied} {
		r := newRig(t, diskSet(), memorySet())
		r.host.status = func(id *perflib.Identifier) uint32 {
			if id.Counterset == guidOf(2) {
				return uint32(code)
			}
			return 0
		}
		r.selects(r.want("Disk", 0), r.want("Memory", 0))
		b := r.collect()
		if b.Sets[0].Err == nil || b.Sets[1].Err != nil || len(b.Sets[1].Readings) != 1 {
			t.Errorf("%v: %v, %v", code, b.Sets[0].Err, b.Sets[1].Err)
		}
	}
}

func TestPositionsOfBlocks(t *testing.T) {
	for _, c := range []struct {
		label string
		index func(i, n int) uint32
	}{
		{"from 1", func(i, n int) uint32 { return uint32(n - i) }},
		{"from 0", func(i, n int) uint32 { return uint32(n - 1 - i) }},
	} {
		r := newRig(t, diskSet())
		r.host.info = func(list []perflib.Identifier) {
			for i := range list {
				list[i].Index = c.index(i, len(list))
			}
		}
		r.selects(r.want("Disk", 0, 1))
		if b := r.collect().Sets[0]; b.Row(0)[0].Raw != 10_000 || b.Row(0)[1].Base != 12_000 {
			t.Errorf("%s: %+v", c.label, b.Readings)
		}
	}
	for _, index := range [][]uint32{{0, 0, 0}, {5, 6, 7}, {0xFFFFFFFF, 0, 1}} {
		list := make([]perflib.Identifier, 3)
		for i := range list {
			list[i].Index = index[i]
		}
		if got := positions(list); !slices.Equal(got, []int{0, 1, 2}) {
			t.Errorf("%v: %v", index, got)
		}
	}
}

func TestGrowingReplies(t *testing.T) {
	r := newRig(t, diskSet())
	r.selects(r.want("Disk", 0))
	s := r.host.sets[0]
	s.instances = nil
	for i := range 5000 {
		s.instances = append(s.instances, perflib.Instance{ID: uint32(i), Name: perflib.EncodeText("a rather long name of an instance")})
	}
	if b := r.collect().Sets[0]; len(b.Instances) != 5000 {
		t.Fatal(len(b.Instances))
	}
	calls := r.host.calls["data"]
	r.collect()
	if r.host.calls["data"] != calls+1 {
		t.Error("the size was not kept")
	}
}

func TestDamagedBlockCostsItsOwnCounterOnly(t *testing.T) {
	r := newRig(t, memorySet(), diskSet())
	r.host.data = func(b []byte) rpc.Array {
		b[48+16] = 0xFF // size of the value in the first block, which is the last identifier's
		return rpc.Array{Data: b}
	}
	r.selects(r.want("Memory", 0), r.want("Memory", 2))
	b := r.collect()
	bad, good := b.Sets[1].Readings, b.Sets[0].Readings
	if len(bad) != 1 || len(good) != 1 || bad[0].State != cooker.Unavailable || good[0].State != cooker.OK {
		t.Errorf("%+v %+v", bad, good)
	}
}

func TestUnknownAndForeignBlocksArePassedOver(t *testing.T) {
	r := newRig(t, memorySet())
	r.host.block = func(w *perflib.DataWriter, id *perflib.Identifier) bool {
		w.Counter()
		w.Uint64(uint64(id.CounterID))
		w.Counter() // one more than there are identifiers
		w.Uint64(99)
		return true
	}
	r.selects(r.want("Memory", 0))
	if b := r.collect().Sets[0]; len(b.Readings) != 1 || b.Readings[0].Raw != 1 {
		t.Errorf("%+v", b)
	}
	// One value where all were asked for: of which counter, nobody knows.
	r.selects(r.want("Memory", 0, 1, 2))
	if b := r.collect().Sets[0]; b.Err == nil {
		t.Errorf("%+v", b)
	}
}

func TestRowsAndValuesAreBounded(t *testing.T) {
	r := newRig(t, diskSet())
	name := perflib.EncodeText("")
	r.host.block = func(w *perflib.DataWriter, _ *perflib.Identifier) bool {
		w.Counterset(nil)
		for i := range maxInstances + 1 {
			w.Instance(uint32(i), name)
		}
		return true
	}
	r.host.data = func(b []byte) rpc.Array { return rpc.Array{Data: b} }
	r.selects(r.want("Disk", 0))
	if b := r.collect().Sets[0]; !errors.Is(b.Err, errTooLarge) {
		t.Errorf("%v, %d rows", b.Err, len(b.Instances))
	}
}

func TestCellsAreBounded(t *testing.T) {
	r := newRig(t, manyCounters(maxCells/maxInstances/4+1, session.MultipleInstances))
	r.host.block = func(w *perflib.DataWriter, _ *perflib.Identifier) bool {
		w.Counterset(nil)
		for i := range maxInstances {
			w.Instance(uint32(i), nil)
		}
		return true
	}
	r.host.data = func(b []byte) rpc.Array { return rpc.Array{Data: b} }
	r.selects(allOf(r.cat.Set("Many")))
	if b := r.collect().Sets[0]; !errors.Is(b.Err, errTooLarge) {
		t.Errorf("%v, %d rows", b.Err, len(b.Instances))
	}
}

func TestIdentifierThatIsThereAlready(t *testing.T) {
	r := newRig(t, memorySet())
	r.selects()
	id := perflib.Identifier{Counterset: guidOf(1), CounterID: 1, InstanceID: perflib.AnyInstance}
	for _, q := range r.host.handles {
		q.ids = append(q.ids, id)
	}
	r.selects(r.want("Memory", 0))
	if b := r.collect().Sets[0]; b.Err != nil || b.Readings[0].Raw != 1000 || r.query.(*query).handles[0].refused {
		t.Errorf("%+v", b)
	}
}

func TestWantsThatCannotBe(t *testing.T) {
	r := newRig(t, memorySet())
	r.selects(session.Want{}, session.Want{Set: &session.Counterset{Name: "x"}}, r.want("Memory", 7), r.want("Memory", 0))
	b := r.collect()
	for i := range 3 {
		if b.Sets[i].Err == nil {
			t.Errorf("want %d: no error", i)
		}
	}
	if b.Sets[3].Err != nil || len(b.Sets[3].Readings) != 1 {
		t.Errorf("%+v", b.Sets[3])
	}
}
