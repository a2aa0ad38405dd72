package hkpd

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/wire/perflib"
	"perfdeck/session/wire/rpc"
)

func TestOnlyWhatIsShownIsAsked(t *testing.T) {
	h := windows()
	r := newRig(t, h, Options{})
	r.selects(r.want("PhysicalDisk"), r.want("Memory"))
	r.beat()
	r.collect(false, true)
	r.collect(true, false)
	r.collect(false, false)
	if want := []string{"4 234 ", "4 ", "234 "}; !slices.Equal(h.asked, want) {
		t.Errorf("asked %q, want %q", h.asked, want)
	}
	r.selects(r.want("Memory"))
	r.collect()
	if want := []string{"4 "}; !slices.Equal(h.asked, want) {
		t.Errorf("asked %q, want %q", h.asked, want)
	}
	r.selects()
	r.beat()
	if len(h.asked) != 0 {
		t.Errorf("asked %q for nothing", h.asked)
	}
}

// Values, bases and clocks are those of the host.
func TestValues(t *testing.T) {
	r := newRig(t, windows(), Options{})
	r.selects(r.want("PhysicalDisk"), r.want("System"), r.want("Memory", "Available Bytes"))
	b := r.beat()
	disk := &b.Sets[0]
	if got := listed(disk); !slices.Equal(got, []string{"0 C:", "1 D:", "_Total"}) || disk.Err != nil {
		t.Fatalf("%q %v", got, disk.Err)
	}
	if disk.Instances[2].Flags != session.FlagTotal || disk.Instances[0].Flags != 0 {
		t.Errorf("%+v", disk.Instances)
	}
	s := r.host.clock / 10_000_000
	want := []cooker.Reading{
		{Raw: s + 1, Size: 8, Base: uint64(uint32(1000 + s + 1)), BaseSize: 4},
		{Raw: uint64(uint32(1000 + s + 1)), Size: 4},
		{Raw: 2000 + s + 1, Size: 8},
		{Raw: uint64(uint32(3000 + s + 1)), Size: 4, State: cooker.NoBase}, // a fraction, and nothing after it
	}
	if got := disk.Row(1); !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v\nwant %+v", got, want)
	}
	if disk.Clocks != (cooker.Clocks{PerfTime: r.host.clock, PerfFreqHz: 10_000_000, Time100ns: r.host.clock}) {
		t.Errorf("%+v", disk.Clocks)
	}
	system := &b.Sets[1]
	if system.Clocks.ObjTime != r.host.clock || system.Clocks.ObjFreqHz != 10_000_000 || len(system.Instances) != 1 || system.Instances[0].Key.Name != "" {
		t.Errorf("%+v", system)
	}
	up := cooker.Cook(cooker.ElapsedTime, nil, &system.Readings[0], nil, &system.Clocks, nil)
	if v, _ := up.Float(); v != float64(r.host.clock-132_000_000_000_000_000)/1e7 {
		t.Errorf("up for %v s", v)
	}
	r.host.object(2).objTime = false
	if b := r.beat(); b.Sets[1].Readings[0].State != cooker.NoBase {
		t.Errorf("elapsed time without the object's clock: %+v", b.Sets[1].Readings)
	}
}

func TestBaseIsTheNextCounterOrNone(t *testing.T) {
	h := windows()
	disk := h.object(234)
	disk.counters[1], disk.counters[2] = disk.counters[2], disk.counters[1]
	r := newRig(t, h, Options{})
	r.selects(r.want("PhysicalDisk", "Avg. Disk sec/Read"))
	if got := r.beat().Sets[0].Readings[0]; got.State != cooker.NoBase || got.Size != 8 {
		t.Errorf("%+v", got)
	}
}

// Instances are named by their parents, which are read with them once that is
// known.
func TestParents(t *testing.T) {
	h := windows()
	r := newRig(t, h, Options{})
	r.selects(r.want("Thread"))
	b := r.beat()
	if got := listed(&b.Sets[0]); !slices.Equal(got, []string{"svchost/0", "svchost/1", "svchost/0#1", "w3wp/0"}) {
		t.Errorf("%q", got)
	}
	r.beat()
	if want := []string{"232 ", "230 232 ", "230 232 "}; !slices.Equal(h.asked, want) {
		t.Errorf("asked %q, want %q", h.asked, want)
	}
	r.selects(r.want("Process"), r.want("Thread"))
	r.beat()
	if want := []string{"230 232 "}; !slices.Equal(h.asked, want) {
		t.Errorf("asked %q, want %q", h.asked, want)
	}
	threads := &r.batch.Sets[1]
	first, second := threads.Instances[0], threads.Instances[2]
	if first.Key == second.Key || first.Number != 11 || second.Number != 21 {
		t.Errorf("%+v %+v", first, second)
	}
	h.object(230).instances = h.object(230).instances[:2] // two processes ended between
	if got := listed(&r.beat().Sets[1]); !slices.Equal(got, []string{"svchost/0", "svchost/1", "0", "0#1"}) {
		t.Errorf("%q", got)
	}
}

func TestParentsThatNeverCome(t *testing.T) {
	h := windows()
	n := uint32(5000)
	h.takes = func(string) { // another object of parents with every answer
		for i := range h.object(232).instances {
			h.object(232).instances[i].parent = n
		}
		n++
	}
	r := newRig(t, h, Options{})
	r.selects(r.want("Thread"))
	for range 20 {
		r.beat()
	}
	if len(h.asked) > 20+maxParents || len(r.query.(*query).objects) > 1+maxParents {
		t.Errorf("asked %q", h.asked)
	}
	if got := listed(&r.batch.Sets[0]); !slices.Equal(got, []string{"0", "1", "0#1", "0#2"}) {
		t.Errorf("%q", got)
	}
}

func keys(b *session.SetBatch) []session.InstanceKey {
	var out []session.InstanceKey
	for _, in := range b.Instances {
		out = append(out, in.Key)
	}
	return out
}

// Processes of one name are told apart by number and start, so that one which
// ends does not pass its history on to the next, nor its number.
func TestProcessesKeepTheirIdentity(t *testing.T) {
	h := windows()
	r := newRig(t, h, Options{})
	r.selects(r.want("Process"))
	b := r.beat()
	before := keys(&b.Sets[0])
	if got := b.Sets[0].Instances; got[0].Flags != session.FlagIdle || got[4].Flags != session.FlagTotal || got[3].Number != 300 || got[3].Owner != 100 {
		t.Errorf("%+v", got)
	}
	if got := listed(&b.Sets[0]); !slices.Equal(got, []string{"Idle", "svchost", "svchost#1", "w3wp", "_Total"}) {
		t.Errorf("%q", got)
	}
	list := h.object(230).instances
	h.object(230).instances = slices.Delete(slices.Clone(list), 1, 2)
	b = r.beat()
	if got := listed(&b.Sets[0]); !slices.Equal(got, []string{"Idle", "svchost", "w3wp", "_Total"}) {
		t.Errorf("%q", got)
	}
	if after := keys(&b.Sets[0]); after[1] != before[2] || after[2] != before[3] || after[3] != before[4] || after[0] != before[0] {
		t.Errorf("before %v\nafter  %v", before, after)
	}
	reused := process("svchost", 100, 4)
	reused.values[684] += 5_000_000_000
	h.object(230).instances = []hostInstance{list[0], reused}
	if after := keys(&r.beat().Sets[0]); after[1] == before[1] || after[1] == before[2] {
		t.Errorf("a number that is in use again is the same process: %v", after)
	}
}

func TestUniqueIDs(t *testing.T) {
	h := windows()
	h.object(234).instances = []hostInstance{{name: "a", unique: 7}, {name: "a", unique: 8}, {unique: 9}, {name: "b"}, {name: "b"}, {name: "b", unique: 7}}
	r := newRig(t, h, Options{})
	r.selects(r.want("PhysicalDisk"))
	b := &r.beat().Sets[0]
	if got := listed(b); !slices.Equal(got, []string{"a", "a#1", "9", "b", "b#1", "b#2"}) {
		t.Errorf("%q", got)
	}
	before := keys(b)
	if before[0].ID != 7 || before[1].ID != 8 || before[2].ID != 9 {
		t.Errorf("%v", before)
	}
	seen := map[session.InstanceKey]bool{}
	for _, k := range before {
		if seen[k] {
			t.Errorf("%v twice", k)
		}
		seen[k] = true
	}
	h.object(234).instances = h.object(234).instances[1:]
	if after := keys(&r.beat().Sets[0]); after[0] != before[1] || after[1] != before[2] {
		t.Errorf("%v", after)
	}
}

func TestOtherCodePagesAndTexts(t *testing.T) {
	h := windows()
	disk := h.object(234)
	disk.codePage = 1252
	disk.counters = append(disk.counters, counterOf(4, cooker.CounterText|0x10000, 8), counterOf(6, cooker.CounterText, 8))
	// Of 8 bytes: what has the size of a number is a text still.
	disk.texts = map[cooker.CounterType]string{cooker.CounterText: "\xf6\x00l\x00\x00\x00xx", cooker.CounterText | 0x10000: "\xf6l\x00x\x00\x00\x00x"}
	disk.instances = []hostInstance{{name: "gr\xf6\xdfer"}}
	r := newRig(t, h, Options{})
	r.selects(r.want("PhysicalDisk"))
	b := &r.beat().Sets[0]
	texts := 0
	for col, i := range b.Counters {
		kind := b.Set.Counters[i].Type
		v := cooker.Cook(kind, nil, &b.Row(0)[col], nil, &b.Clocks, &cooker.Options{Texts: b.Texts})
		if text, ok := v.Text(); kind.IsText() && (!ok || text != "öl") || ok != kind.IsText() {
			t.Errorf("%v: %v", kind, v)
		} else if ok {
			texts++
		}
	}
	if got := listed(b); !slices.Equal(got, []string{"größer"}) || texts != 2 || len(b.Set.Facts) > 0 {
		t.Errorf("%q, %d texts, facts %q", got, texts, b.Set.Facts)
	}
}

func (h *host) crowd(n int) {
	var list []hostInstance
	for range n {
		list = append(list, hostInstance{name: "a rather long name of an instance"})
	}
	h.object(234).instances = list
}

// The buffer grows until the answer fits, whether the host says so or cuts the
// answer off, and then stays.
func TestBufferGrows(t *testing.T) {
	for _, samba := range []bool{false, true} {
		h := windows()
		h.samba = samba
		r := newRig(t, h, Options{})
		h.crowd(10_000) // more than the catalogue told
		r.selects(r.want("PhysicalDisk"))
		b := &r.beat().Sets[0]
		if b.Err != nil || len(b.Instances) != 10_000 {
			t.Fatalf("samba %v: %d instances, %v", samba, len(b.Instances), b.Err)
		}
		if n := len(h.asked); n < 2 || n > 6 {
			t.Errorf("samba %v: %d calls", samba, n)
		}
		h.asked = nil
		r.beat()
		if n := len(h.asked); n != 1 {
			t.Errorf("samba %v: %d calls the next time", samba, n)
		}
	}
}

func TestHostThatNeverHasEnough(t *testing.T) {
	h := windows()
	r := newRig(t, h, Options{})
	r.selects(r.want("Memory"))
	h.value = func(name string, size uint32) *rpc.Value {
		return &rpc.Value{Code: rpc.CodeMoreData, Needed: 0xFFFFFFFF}
	}
	if err := r.query.Collect(t.Context(), &r.batch); err == nil || len(h.asked) > maxGrowth {
		t.Errorf("%v after %d calls", err, len(h.asked))
	}
}

// A cut answer in a buffer with room is taken for what it is: no larger buffer
// would help.
func TestDamagedAnswer(t *testing.T) {
	h := windows()
	r := newRig(t, h, Options{})
	r.selects(r.want("Memory"), r.want("PhysicalDisk"), r.want("Process"))
	whole := h.answer(dataKey, "4 230 234 ")
	header := int(whole[24])
	for i := range whole {
		n := header + i
		if n >= len(whole) { // without a header that can be read, at last
			n = len(whole) - 1 - i
		}
		h.value = func(string, uint32) *rpc.Value { return &rpc.Value{Data: whole[:n]} }
		if n == header-1 && len(h.asked) != len(whole)-header {
			t.Errorf("%d calls for %d answers", len(h.asked), len(whole)-header)
		}
		r.now = r.now.Add(retryFailed)
		b := r.collect()
		for i := range b.Sets {
			if set := &b.Sets[i]; set.Err == nil && len(set.Readings) != len(set.Instances)*len(set.Counters) {
				t.Fatalf("%d bytes: %d readings of %d instances", n, len(set.Readings), len(set.Instances))
			}
		}
		lost := func(r cooker.Reading) bool { return r.State != cooker.OK }
		if last := b.Sets[2]; last.Err == nil && len(last.Instances) == 5 && !slices.ContainsFunc(last.Row(4), lost) && n < len(whole)-4 {
			t.Fatalf("all is there in %d of %d bytes", n, len(whole))
		}
	}
	if n := len(h.asked); n > len(whole)+5*header {
		t.Errorf("%d calls for %d answers", n, len(whole))
	}
}

func TestObjectThatIsGone(t *testing.T) {
	h := windows()
	r := newRig(t, h, Options{})
	r.selects(r.want("Memory"), r.want("PhysicalDisk"))
	h.object(234).index = 9999
	b := r.beat()
	if b.Sets[0].Err != nil || !errors.Is(b.Sets[1].Err, errGone) {
		t.Errorf("%v, %v", b.Sets[0].Err, b.Sets[1].Err)
	}
}

// A host that describes an object otherwise than the catalogue is not cooked by
// wrong types; what it still has is read where it stands now.
func TestChangedDescription(t *testing.T) {
	h := windows()
	r := newRig(t, h, Options{})
	r.selects(r.want("PhysicalDisk", "Disk Bytes/sec", "% Free Space"), r.want("Memory", "Available Bytes"))
	disk := h.object(234)
	disk.counters = []perflib.V1Counter{counterOf(408, cooker.CounterRawCount, 4), counterOf(9000, cooker.CounterCounter, 4), counterOf(218, cooker.CounterBulkCount, 8)}
	h.object(4).counters = []perflib.V1Counter{counterOf(24, cooker.CounterRawCount, 4)}
	b := r.beat()
	row := b.Sets[0].Row(0)
	if row[0].State != cooker.OK || row[0].Raw != 2000+h.clock/10_000_000 || row[1].State != cooker.Unavailable {
		t.Errorf("%+v", row)
	}
	if !errors.Is(b.Sets[1].Err, errStale) {
		t.Errorf("%v", b.Sets[1].Err)
	}
}

func TestWrongWants(t *testing.T) {
	r := newRig(t, windows(), Options{})
	good := r.want("Memory")
	bad := good
	bad.Counters = []int{99}
	r.selects(good, bad, session.Want{Set: &session.Counterset{Name: "V2", GUID: "{1}"}}, session.Want{})
	b := r.beat()
	if b.Sets[0].Err != nil {
		t.Error(b.Sets[0].Err)
	}
	for i := 1; i < 4; i++ {
		if b.Sets[i].Err == nil {
			t.Errorf("want %d has no error", i)
		}
	}
}

func TestCutConnection(t *testing.T) {
	h := windows()
	r := newRig(t, h, Options{})
	r.selects(r.want("Memory"))
	h.fail = func(string) error { return errCut }
	if err := r.query.Collect(t.Context(), &r.batch); !errors.Is(err, errCut) {
		t.Fatal(err)
	}
	if h.closed != 1 {
		t.Errorf("%d connections closed", h.closed)
	}
	if err := r.query.Collect(t.Context(), &r.batch); !errors.Is(err, errClosed) {
		t.Error(err)
	}
	if err := r.query.Select(t.Context(), nil); !errors.Is(err, errClosed) {
		t.Error(err)
	}
	h.fail = nil
	r.query = nil
	r.selects(r.want("Memory"))
	if b := r.beat(); b.Sets[0].Err != nil || h.dials != 2 {
		t.Errorf("%v after %d dials", b.Sets[0].Err, h.dials)
	}
}

func TestRefusedReading(t *testing.T) {
	h := windows()
	r := newRig(t, h, Options{})
	r.selects(r.want("Memory"))
	h.value = func(string, uint32) *rpc.Value { return &rpc.Value{Code: 0xAA} } // ERROR_BUSY
	if b := r.beat(); b.Sets[0].Err == nil || !strings.Contains(b.Sets[0].Err.Error(), "Memory") {
		t.Error(b.Sets[0].Err)
	}
	h.value = nil
	if b := r.beat(); b.Sets[0].Err != nil {
		t.Error(b.Sets[0].Err)
	}
	h.value = func(string, uint32) *rpc.Value { return &rpc.Value{Code: rpc.CodeAccessDenied} }
	if err := r.query.Collect(t.Context(), &r.batch); !errors.Is(err, session.ErrDenied) {
		t.Error(err)
	}
}

// Objects that spoil the whole answer are told alone: the others are read in the same
// collection, and these again after a while, by calls of their own.
func TestFailingObjectsNeverFailTheOthers(t *testing.T) {
	for label, how := range map[string]rpc.Value{
		"code":      {Code: rpc.CodeNotFound},
		"no header": {Type: 3, Data: []byte{1, 2, 3}},
	} {
		t.Run(label, func(t *testing.T) {
			h := windows()
			r := newRig(t, h, Options{})
			r.selects(r.want("Memory"), r.want("PhysicalDisk"), r.want("System"), r.want("Process"))
			bad := []string{"2", "230"}
			h.value = func(name string, _ uint32) *rpc.Value {
				for _, index := range strings.Fields(name) {
					if slices.Contains(bad, index) {
						v := how
						return &v
					}
				}
				return nil
			}
			check := func(calls int, fails ...bool) {
				t.Helper()
				h.asked = nil
				b := r.beat()
				for i := range b.Sets {
					if s := &b.Sets[i]; (s.Err != nil) != fails[i] || len(s.Readings) > 0 == fails[i] {
						t.Errorf("set %d: %v, %d readings", i, s.Err, len(s.Readings))
					}
				}
				if len(h.asked) > calls {
					t.Errorf("%d calls: %q", len(h.asked), h.asked)
				}
			}
			check(7, false, false, true, true)
			check(3, false, false, true, true)
			check(1, false, false, true, true)
			r.now = r.now.Add(retryFailed)
			check(3, false, false, true, true)
			bad = bad[:1]
			r.now = r.now.Add(retryFailed)
			check(3, false, false, true, false)
			for range manyQuick {
				r.beat()
			}
			check(1, false, false, true, false)
			if h.dials != 1 || h.closed != 0 {
				t.Errorf("%d dials, %d closed", h.dials, h.closed)
			}
		})
	}
}
