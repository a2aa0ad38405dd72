package pcq

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/wire/perflib"
	"perfdeck/session/wire/rpc"
)

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
