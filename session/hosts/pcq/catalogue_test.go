package pcq

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/wire/perflib"
	"perfdeck/session/wire/rpc"
)

func TestCatalogueHasEnglishKeysAndLocalLabels(t *testing.T) {
	r := rigWith(t, &host{sets: []*hostSet{memorySet(), diskSet()}, german: true}, Options{Reach: Reach{LCID: 0x407}})
	disk := r.cat.Set("Disk")
	if disk == nil || disk.Label != "Disk (de)" || disk.Description != "About Disk (de)" || disk.Provider != "Provider of Disk" {
		t.Fatalf("%+v", disk)
	}
	if disk.GUID != guidOf(2).String() || disk.Instances != session.MultipleInstances || len(disk.Counters) != 9 {
		t.Errorf("%v %v %d", disk.GUID, disk.Instances, len(disk.Counters))
	}
	c := disk.Counters[1]
	if c.Name != "Disk 11" || c.Label != "Disk 11 (de)" || c.Description != "About Disk 11 (de)" || c.BaseID != 12 || c.Type != cooker.AverageBulk {
		t.Errorf("%+v", c)
	}
	if base := disk.Counters[2]; base.Name != "counter 12" || base.Label != "" {
		t.Errorf("base: %q %q", base.Name, base.Label)
	}
	if r.cat.Host != "web01" || len(r.source.Warnings()) != 0 {
		t.Errorf("%q %v", r.cat.Host, r.source.Warnings())
	}
}

func TestLanguageFallsBackToTheHosts(t *testing.T) {
	r := rigWith(t, &host{sets: []*hostSet{memorySet()}}, Options{Reach: Reach{LCID: 0x40C}})
	set := r.cat.Set("Memory")
	if set == nil || set.Label != "" || set.Counters[0].Description != "About Memory 1" {
		t.Fatalf("%+v", set)
	}
	if !strings.Contains(set.Description, "About Memory") || !strings.Contains(set.Description, "0x040C") || !strings.Contains(set.Description, "0x717") {
		t.Errorf("no reason in %q", set.Description)
	}
}

func TestEnglishNeedsNoSecondNames(t *testing.T) {
	r := rigWith(t, &host{sets: []*hostSet{memorySet()}}, Options{Reach: Reach{LCID: 0x809}})
	if r.host.calls["reg 3"]+r.host.calls["reg 5"] != 0 || r.cat.Sets[0].Description != "About Memory" {
		t.Error(r.host.calls)
	}
}

// refuse answers some codes by an error.
func refuse(code rpc.Code, codes ...perflib.RequestCode) func(perflib.GUID, perflib.RequestCode, uint32) (rpc.Array, bool) {
	return func(_ perflib.GUID, c perflib.RequestCode, _ uint32) (rpc.Array, bool) {
		return rpc.Array{Code: code}, slices.Contains(codes, c)
	}
}

func TestNamesThatCannotBeHad(t *testing.T) {
	known := &session.Counterset{GUID: guidOf(1).String(), Name: "Known", Counters: []session.Counter{{ID: 2, Name: "Known 2"}}}
	texts := []perflib.RequestCode{3, 4, 5, 6, 7, 8, 9, 10}
	for _, c := range []struct {
		label        string
		refused      []perflib.RequestCode
		known        []*session.Counterset
		name, second string
		provider     string
	}{
		{"english from local", []perflib.RequestCode{9, 10}, nil, "Memory", "Memory 2", "Provider of Memory"},
		{"guid and number", texts, nil, guidOf(1).String(), "counter 2", ""},
		{"known", texts, []*session.Counterset{known}, "Known", "Known 2", ""},
		{"provider guid", []perflib.RequestCode{7}, nil, "Memory", "Memory 2", guidOf(1).String()},
	} {
		r := rigWith(t, &host{sets: []*hostSet{memorySet()}, reg: refuse(rpc.CodeNotFound, c.refused...)}, Options{Known: c.known})
		set := r.cat.Sets[0]
		if set.Name != c.name || set.Counters[1].Name != c.second || set.Provider != c.provider {
			t.Errorf("%s: %q %q %q", c.label, set.Name, set.Counters[1].Name, set.Provider)
		}
		if lost := len(c.refused) == len(texts); lost != strings.Contains(set.Description, "0x490") {
			t.Errorf("%s: %q", c.label, set.Description)
		}
	}
}

func TestResourceErrorOfTheStructureIsRetriedInTheHostsLanguage(t *testing.T) {
	var asked []uint32
	h := &host{sets: []*hostSet{memorySet()}}
	h.reg = func(_ perflib.GUID, c perflib.RequestCode, lcid uint32) (rpc.Array, bool) {
		if c != perflib.CountersetStruct {
			return rpc.Array{}, false
		}
		asked = append(asked, lcid)
		return rpc.Array{Code: rpc.CodeLanguageNotFound}, lcid == 0
	}
	r := rigWith(t, h, Options{Reach: Reach{LCID: 0x407}})
	if len(r.cat.Sets) != 1 || !slices.Equal(asked, []uint32{0, 0x407}) {
		t.Errorf("%d sets, asked %v", len(r.cat.Sets), asked)
	}
}

func TestStructureThatCannotBeHadLeavesTheSetOut(t *testing.T) {
	h := &host{sets: []*hostSet{memorySet(), diskSet()}}
	h.reg = func(g perflib.GUID, c perflib.RequestCode, _ uint32) (rpc.Array, bool) {
		return rpc.Array{Code: rpc.CodeInvalidRegInfo}, g == guidOf(1) && c == perflib.CountersetStruct
	}
	r := rigWith(t, h, Options{})
	if len(r.cat.Sets) != 1 || r.cat.Sets[0].Name != "Disk" {
		t.Errorf("%d sets", len(r.cat.Sets))
	}
	if w := r.source.Warnings(); len(w) != 1 || rpc.CodeOf(w[0]) != rpc.CodeInvalidRegInfo {
		t.Error(w)
	}
}

func TestDamagedStructureIsRepairedCounterByCounter(t *testing.T) {
	h := &host{sets: []*hostSet{memorySet()}}
	h.reg = func(g perflib.GUID, c perflib.RequestCode, _ uint32) (rpc.Array, bool) {
		if c != perflib.CountersetStruct {
			return rpc.Array{}, false
		}
		whole, _ := h.sets[0].registration(c, 0, false)
		return rpc.Array{Data: whole[:len(whole)-48]}, true
	}
	r := rigWith(t, h, Options{})
	if n := len(r.cat.Sets[0].Counters); n != 3 || h.calls["reg 2"] != 1 || len(r.source.Warnings()) != 1 {
		t.Errorf("%d counters, %v, %v", n, h.calls, r.source.Warnings())
	}
}

func TestMoreCountersetsThanCanBeListed(t *testing.T) {
	h := &host{}
	for i := range 300 {
		s := memorySet()
		s.info.GUID[14], s.info.GUID[15] = byte(i>>8), byte(i)
		s.name = fmt.Sprint("Set ", i)
		h.sets = append(h.sets, s)
	}
	known := []*session.Counterset{
		{GUID: h.sets[299].info.GUID.String(), Name: "x"},
		{GUID: guidOf(99).String(), Name: "not on this host"},
		{Name: "without GUID"},
	}
	r := rigWith(t, h, Options{Known: known})
	if len(r.cat.Sets) != 1 || r.cat.Set("Set 299") == nil {
		t.Errorf("%d sets", len(r.cat.Sets))
	}
	if w := r.source.Warnings(); len(w) != 1 || !errors.Is(w[0], errTooMany) {
		t.Error(w)
	}
}

func TestTwiceListedSetsAndCountersComeOnce(t *testing.T) {
	s := memorySet()
	s.info.Counters = append(s.info.Counters, s.info.Counters[0])
	r := newRig(t, s, s)
	if len(r.cat.Sets) != 1 || len(r.cat.Sets[0].Counters) != 3 {
		t.Errorf("%d sets, %d counters", len(r.cat.Sets), len(r.cat.Sets[0].Counters))
	}
}

func TestAnswersLargerThanTheFirstBuffer(t *testing.T) {
	s := memorySet()
	for id := uint32(100); id < 3000; id++ {
		s.info.Counters = append(s.info.Counters, hostCounter(id, cooker.CounterRawCount))
	}
	r := newRig(t, s)
	if n := len(r.cat.Sets[0].Counters); n != 2903 || r.host.calls["reg 1"] != 2 {
		t.Errorf("%d counters in %d calls", n, r.host.calls["reg 1"])
	}
}

func TestRefusedEnumerationIsDenied(t *testing.T) {
	h := &host{list: &rpc.Array{Code: rpc.CodeAccessDenied}}
	_, err := New(Options{Reach: Reach{Host: "web01", Dial: h.dial}}).Catalogue(t.Context())
	var he *session.HostError
	if !errors.Is(err, session.ErrDenied) || !errors.As(err, &he) || he.Host != "web01" || he.Hint() == "" {
		t.Errorf("%v", err)
	}
	if h.closed != 1 {
		t.Error("the connection is open still")
	}
}

func TestFaultOfOneItemCostsAConnectionNotTheCatalogue(t *testing.T) {
	h := &host{sets: []*hostSet{memorySet(), diskSet()}}
	h.fail = func(op string) error {
		if op == "reg 6" {
			return &rpc.Error{Op: "query registration info", Code: rpc.CodeBadStubData}
		}
		return nil
	}
	r := rigWith(t, h, Options{})
	if len(r.cat.Sets) != 2 || h.dials != 3 || h.closed != 2 {
		t.Errorf("%d sets, %d dials, %d closed", len(r.cat.Sets), h.dials, h.closed)
	}
}

func TestHostThatFaultsAllTheTimeIsLeft(t *testing.T) {
	h := &host{}
	for i := range 20 {
		s := memorySet()
		s.info.GUID[15] = byte(i)
		h.sets = append(h.sets, s)
	}
	h.fail = func(op string) error {
		if op == "reg 6" {
			return &rpc.Error{Op: "query registration info", Code: rpc.CodeBadStubData}
		}
		return nil
	}
	_, err := New(Options{Reach: Reach{Host: "web01", Dial: h.dial}}).Catalogue(t.Context())
	if rpc.CodeOf(err) != rpc.CodeBadStubData || h.dials > maxFaults+1 || h.closed < h.dials {
		t.Errorf("%v, %d dials, %d closed", err, h.dials, h.closed)
	}
}

func TestCutConnectionFailsTheCatalogue(t *testing.T) {
	for op := range maps.Keys(map[string]bool{"dial": true, "enumerate": true, "reg 1": true, "reg 10": true, "reg 4": true, "reg 7": true}) {
		h := &host{sets: []*hostSet{memorySet()}}
		h.fail = func(o string) error {
			if o == op {
				return errCut
			}
			return nil
		}
		s := New(Options{Reach: Reach{Host: "web01", Dial: h.dial}})
		_, err := s.Catalogue(t.Context())
		var he *session.HostError
		if !errors.As(err, &he) || !errors.Is(err, errCut) || s.conn != nil {
			t.Errorf("%s: %v", op, err)
		}
		h.fail = nil
		if _, err := s.Catalogue(t.Context()); err != nil {
			t.Errorf("%s: not dialled anew: %v", op, err)
		}
	}
}

func TestHostThatGoesOnAskingForLargerBuffers(t *testing.T) {
	h := &host{sets: []*hostSet{memorySet()}}
	for _, needed := range []uint32{0, 1, 1 << 31, 0xFFFFFFFF} {
		h.reg = refuse(rpc.CodeNotEnoughMemory, 1)
		old := h.reg
		h.reg = func(g perflib.GUID, c perflib.RequestCode, l uint32) (rpc.Array, bool) {
			a, ok := old(g, c, l)
			a.Needed = needed
			return a, ok
		}
		r := rigWith(t, h, Options{})
		if len(r.cat.Sets) != 0 || len(r.source.Warnings()) != 1 || h.calls["reg 1"] > 4*maxGrowth {
			t.Errorf("needed %d: %d sets after %d calls", needed, len(r.cat.Sets), h.calls["reg 1"])
		}
	}
}

func TestBuffersGrowThoughTooLittleIsAskedFor(t *testing.T) {
	for _, need := range []uint32{0, 1, 100, 1000, 1 << 20} {
		size := uint32(64)
		a, err := grow(&size, 1<<20, func(inSize uint32) (rpc.Array, error) {
			if inSize < need {
				return rpc.Array{Code: rpc.CodeNotEnoughMemory, Needed: inSize}, nil
			}
			return rpc.Array{Needed: need}, nil
		})
		if reach := uint32(64) << (maxGrowth - 1); a.Needed != need && need <= reach || err != nil && need <= reach {
			t.Errorf("%d: %v at %d, %v", need, a, size, err)
		}
	}
	var asked []uint32
	size := uint32(64)
	_, err := grow(&size, 1000, func(inSize uint32) (rpc.Array, error) {
		asked = append(asked, inSize)
		return rpc.Array{Code: rpc.CodeNotEnoughMemory, Needed: 2000}, nil
	})
	if err == nil || len(asked) != 1 {
		t.Errorf("asked for %v, %v", asked, err)
	}
}

func TestCatalogueIsBounded(t *testing.T) {
	h := &host{}
	for i := range 256 {
		s := memorySet()
		s.info.GUID[15] = byte(i)
		h.sets = append(h.sets, s)
	}
	long := perflib.AppendString(nil, perflib.EncodeText(strings.Repeat("x", 1<<20)))
	h.reg = func(_ perflib.GUID, c perflib.RequestCode, _ uint32) (rpc.Array, bool) {
		return rpc.Array{Data: long}, c == perflib.CountersetHelp
	}
	r := rigWith(t, h, Options{})
	if n := len(r.cat.Sets); n == 0 || n > maxCatalogue/(1<<20) {
		t.Errorf("%d sets", n)
	}
	if len(r.source.Warnings()) == 0 {
		t.Error("no warning")
	}
}

func TestInstancesComeAndGo(t *testing.T) {
	r := newRig(t, diskSet())
	s := r.host.sets[0]
	r.selects(r.want("Disk", 0, 3)) // two blocks
	step := func(want ...string) []session.Instance {
		t.Helper()
		b := r.collect().Sets[0]
		if got := listed(&b); !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
		for i := range b.Instances {
			if b.Row(i)[0].Raw != 10_000+uint64(i) || b.Row(i)[1].Raw != 13_000+uint64(i) {
				t.Fatalf("row %d: %+v", i, b.Row(i))
			}
		}
		return slices.Clone(b.Instances)
	}
	before := step("_Total#0", "C:#0", "D:#0")
	s.instances = append(s.instances[:1:1], s.instances[2], perflib.Instance{ID: 9, Name: perflib.EncodeText("C:")})
	after := step("_Total#0", "D:#0", "C:#0")
	if before[2].Key != after[1].Key {
		t.Error("the identity of D: changed")
	}
	if before[1].Key == after[2].Key {
		t.Error("another C: has the identity of the first")
	}
	s.instances = nil
	step()
	s.instances = instances("x", "x", "y")
	got := step("x#0", "x#1", "y#0")
	if got[0].Key == got[1].Key || got[1].Key.ID != 1 {
		t.Errorf("%+v", got)
	}
}

func TestBlocksInDifferentOrders(t *testing.T) {
	r := newRig(t, diskSet())
	set := r.host.sets[0]
	r.host.block = func(w *perflib.DataWriter, id *perflib.Identifier) bool {
		w.Instances()
		for i := range set.instances {
			if id.CounterID == 10 {
				i = len(set.instances) - 1 - i
			}
			w.Instance(set.instances[i].ID, set.instances[i].Name)
			w.Uint64(uint64(set.instances[i].ID))
		}
		return true
	}
	r.selects(r.want("Disk", 0, 3))
	for _, order := range [][]uint32{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}, {2, 0}, {5, 0, 2, 6}} {
		set.instances = nil
		for _, id := range order {
			set.instances = append(set.instances, perflib.Instance{ID: id, Name: perflib.EncodeText("x")})
		}
		b := r.collect().Sets[0]
		if len(b.Instances) != len(order) {
			t.Fatalf("%v: %v", order, listed(&b))
		}
		for i, id := range order {
			if row := b.Row(i); b.Instances[i].Key.ID != uint64(id) || row[0].Raw != uint64(id) || row[1].Raw != uint64(id) {
				t.Errorf("%v: row %d: %+v %+v", order, i, b.Instances[i].Key, row)
			}
		}
	}
}

func TestTwinsKeepApart(t *testing.T) {
	r := newRig(t, diskSet())
	twin := perflib.Instance{ID: 3, Name: perflib.EncodeText("x")}
	r.host.sets[0].instances = []perflib.Instance{twin, twin, twin}
	r.selects(r.want("Disk", 0, 1))
	b := r.collect().Sets[0]
	if got := listed(&b); !slices.Equal(got, []string{"x#0", "x#1", "x#2"}) {
		t.Fatal(got)
	}
	for i := range b.Instances {
		if b.Instances[i].Key == b.Instances[(i+1)%3].Key || b.Row(i)[1].Base != 12_000+uint64(i) {
			t.Errorf("%+v %+v", b.Instances[i], b.Row(i))
		}
	}
}

func TestInstanceThatIsInOneBlockOnly(t *testing.T) {
	for _, without := range []uint32{10, 13} { // the block of 13 comes first
		r := newRig(t, diskSet())
		r.host.block = func(w *perflib.DataWriter, id *perflib.Identifier) bool {
			w.Instances()
			for i, in := range r.host.sets[0].instances {
				if id.CounterID == without && i == 1 {
					continue
				}
				w.Instance(in.ID, in.Name)
				w.Uint64(uint64(id.CounterID))
			}
			return true
		}
		r.selects(r.want("Disk", 0, 3))
		for range 2 {
			b := r.collect().Sets[0]
			if len(b.Instances) != 3 {
				t.Fatal(listed(&b))
			}
			for i, in := range b.Instances {
				for col, id := range []uint32{10, 13} {
					want := cooker.Reading{Raw: uint64(id), Size: 8}
					if in.Key.Name == "C:" && id == without {
						want = cooker.Reading{State: cooker.Gone}
					}
					if got := b.Row(i)[col]; got != want {
						t.Errorf("without %d: %s: %+v", without, in.Key.Name, got)
					}
				}
			}
		}
	}
}

func TestWildcardRefusedForWantOfInstances(t *testing.T) {
	r := newRig(t, diskSet())
	r.host.status = func(*perflib.Identifier) uint32 { return uint32(rpc.CodePathNotFound) }
	r.selects(r.want("Disk", 0))
	if b := r.collect().Sets[0]; b.Err != nil || len(b.Instances) != 0 {
		t.Fatalf("%v %v", b.Err, listed(&b))
	}
	r.host.status = nil
	r.now = r.now.Add(retryAbsent)
	if b := r.collect().Sets[0]; b.Err != nil || len(b.Instances) != 3 {
		t.Errorf("%v %v", b.Err, listed(&b))
	}
}

func TestSetWithoutInstancesNow(t *testing.T) {
	for _, code := range []rpc.Code{rpc.CodeNoData, rpc.CodePathNotFound, rpc.CodeInstanceNotFound, rpc.CodeOK} {
		r := newRig(t, diskSet())
		r.host.block = func(w *perflib.DataWriter, _ *perflib.Identifier) bool {
			w.Failed(uint32(code)) // 0: a block of errors without an error, as Windows sends it
			return true
		}
		r.selects(r.want("Disk", 0))
		if b := r.collect().Sets[0]; b.Err != nil || len(b.Instances) != 0 {
			t.Errorf("%v: %v %v", code, b.Err, b.Instances)
		}
	}
}

// Whether sets of the aggregate types carry instance names differs: all instances are
// asked for first, without a name where a host refuses that, which is said.
func TestAggregateSetsEitherWay(t *testing.T) {
	for _, kind := range []session.InstanceType{session.GlobalAggregate, session.GlobalAggregateHistory, session.MultipleAggregate} {
		for _, named := range []bool{false, true} {
			r := aggregateRig(t, kind, named)
			r.selects(r.want("Aggregate", 0))
			b := r.collect().Sets[0]
			if named {
				if b.Err != nil || len(b.Instances) != 2 || r.host.calls["add"] != 1 || len(r.source.Warnings()) != 0 {
					t.Errorf("%v: %v %v, %v", kind, b.Err, listed(&b), r.source.Warnings())
				}
				continue
			}
			whole := session.Instance{Key: session.InstanceKey{Name: "_Aggregate"}, Flags: session.FlagTotal | session.FlagTogether}
			if b.Err != nil || len(b.Instances) != 1 || b.Instances[0] != whole || b.Row(0)[0].Raw != 1000 {
				t.Errorf("%v: %v %+v %+v", kind, b.Err, b.Instances, b.Readings)
			}
			r.collect()
			if w := r.source.Warnings(); len(w) != 1 || !errors.Is(w[0], errTogether) || !strings.Contains(w[0].Error(), "Aggregate: not aggregated") {
				t.Errorf("%v: %v", kind, w)
			}
		}
	}
}

// aggregateRig is a host with an aggregate set whose identifiers are named, or not.
func aggregateRig(t *testing.T, kind session.InstanceType, named bool) *rig {
	t.Helper()
	s := hostOf(6, "Aggregate", kind, hostCounter(1, cooker.CounterRawCount))
	s.instances = instances("a", "b")
	h := &host{sets: []*hostSet{s}, status: func(id *perflib.Identifier) uint32 {
		if named != (len(id.Name) > 0) {
			return uint32(rpc.CodeInvalidParameter)
		}
		return 0
	}}
	r := rigWith(t, h, Options{})
	s.info.Instances = session.SingleInstance // what the host checks from here on
	if named {
		s.info.Instances = session.MultipleInstances
	}
	return r
}

// That there is no instance now is said in either of two ways: the identifier is
// refused with ERROR_PATH_NOT_FOUND (MS-PCQ 3.1.4.1.7), or it is taken and its block
// has ERROR_NO_DATA. Neither is a failure, by any kind of identifier.
func TestAbsentInstanceEitherWay(t *testing.T) {
	for _, kind := range []session.InstanceType{session.MultipleInstances, session.GlobalAggregate, session.GlobalAggregateHistory} {
		for _, named := range []bool{true, false} {
			if !named && kind == session.MultipleInstances {
				continue
			}
			for _, refused := range []bool{true, false} {
				r := aggregateRig(t, kind, named)
				rightly := r.host.status
				r.host.status = func(id *perflib.Identifier) uint32 {
					if code := rightly(id); code != 0 || !refused {
						return code
					}
					return uint32(rpc.CodePathNotFound)
				}
				r.host.block = func(w *perflib.DataWriter, _ *perflib.Identifier) bool {
					w.Failed(uint32(rpc.CodeNoData))
					return true
				}
				r.selects(r.want("Aggregate", 0))
				if b := r.collect().Sets[0]; b.Err != nil || len(b.Instances) != 0 {
					t.Errorf("%v, named %t, refused %t: %v %v", kind, named, refused, b.Err, listed(&b))
				}
				r.host.status, r.host.block = rightly, nil
				r.now = r.now.Add(retryAbsent)
				if b := r.collect().Sets[0]; b.Err != nil || len(b.Instances) == 0 {
					t.Errorf("%v, named %t, refused %t, then there: %v %v", kind, named, refused, b.Err, listed(&b))
				}
			}
		}
	}
}

// Unused capacity is no process: nothing that lists the busiest ones shows it.
func TestIdleProcess(t *testing.T) {
	for set, idle := range map[string]string{"Process": "Idle", "Process V2": "Idle:0", "Disk": ""} {
		s := hostOf(3, set, session.MultipleInstances, hostCounter(1, cooker.CounterRawCount))
		s.instances = instances("Idle", "Idle:0", "_Total", "Idler")
		r := newRig(t, s)
		r.selects(r.want(set, 0))
		for _, in := range r.collect().Sets[0].Instances {
			is := idle != "" && in.Key.Name == idle || set == "Process V2" && in.Key.Name == "Idle"
			if got := in.Flags&session.FlagIdle != 0; got != is {
				t.Errorf("%s(%s): idle %v", set, in.Key.Name, got)
			}
		}
	}
}
