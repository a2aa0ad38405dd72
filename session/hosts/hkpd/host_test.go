package hkpd

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/wire/perflib"
	"perfdeck/session/wire/perflib/perflibtest"
	"perfdeck/session/wire/rpc"
)

// host is a scripted host in memory. The zero value of each script field means
// what a healthy Windows does.
type host struct {
	mu      sync.Mutex
	objects []*hostObject
	english map[uint32]string
	german  map[uint32]string // nil: it is English
	clock   uint64            // 100 ns
	asked   []string          // values
	dials   int
	closed  int // connections
	keys    int // open

	fail    func(op string) error                         // of a call
	value   func(name string, size uint32) (v *rpc.Value) // instead of what follows
	samba   bool                                          // cuts answers off, ignores indexes
	takes   func(name string)                             // to hear of a call, as to let time pass
	nls     bool                                          // the German names are in HKEY_PERFORMANCE_NLSTEXT alone
	noNames bool
}

type hostObject struct {
	index     uint32
	costly    bool
	counters  []perflib.V1Counter
	single    bool
	codePage  uint32
	objTime   bool
	instances []hostInstance
	value     func(counter, instance int, clock uint64) uint64
	texts     map[cooker.CounterType]string // the bytes of texts
}

type hostInstance struct {
	name          string
	unique        uint32 // 0: none
	parent, place uint32
	values        map[uint32]uint64 // by title index, instead of value
}

const (
	dataKey, textKey, nlsKey = 1, 2, 3
)

type conn struct{ *host }

func (h *host) dial(context.Context) (Conn, error) {
	h.mu.Lock()
	h.dials++
	h.mu.Unlock()
	if err := h.failed("dial"); err != nil {
		return nil, err
	}
	return conn{h}, nil
}

func (h *host) failed(op string) error {
	if h.fail != nil {
		return h.fail(op)
	}
	return nil
}

func (c conn) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed++
	return nil
}

func (c conn) open(n byte) (rpc.Handle, rpc.Code, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.failed("open"); err != nil {
		var code *rpc.Error
		if errors.As(err, &code) {
			return rpc.Handle{}, code.Code, nil
		}
		return rpc.Handle{}, 0, err
	}
	c.keys++
	return rpc.Handle{n}, 0, nil
}

func (c conn) OpenPerformanceData(context.Context) (rpc.Handle, rpc.Code, error) {
	return c.open(dataKey)
}

func (c conn) OpenPerformanceText(context.Context) (rpc.Handle, rpc.Code, error) {
	return c.open(textKey)
}

func (c conn) OpenPerformanceNLSText(context.Context) (rpc.Handle, rpc.Code, error) {
	return c.open(nlsKey)
}

func (c conn) CloseKey(context.Context, rpc.Handle) (rpc.Handle, rpc.Code, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keys--
	return rpc.Handle{}, 0, nil
}

func (c conn) QueryValue(_ context.Context, key rpc.Handle, name string, size uint32, dst []byte) (rpc.Value, error) {
	c.mu.Lock()
	c.asked = append(c.asked, name)
	c.mu.Unlock()
	if c.takes != nil {
		c.takes(name)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.failed(name); err != nil {
		return rpc.Value{}, err
	}
	if c.value != nil {
		if v := c.value(name, size); v != nil {
			v.Data = append(dst[:0], v.Data...)
			return *v, nil
		}
	}
	data := c.host.answer(key[0], name)
	if data == nil {
		return rpc.Value{Code: 2, Data: dst[:0]}, nil // ERROR_FILE_NOT_FOUND
	}
	if len(data) <= int(size) {
		return rpc.Value{Type: 3, Needed: uint32(len(data)), Data: append(dst[:0], data...)}, nil
	}
	if c.samba {
		return rpc.Value{Type: 3, Needed: size, Data: append(dst[:0], data[:size]...)}, nil
	}
	empty, _ := c.writer().Finish()
	for i := 20; i < 24; i++ {
		empty[i] = 0 // TotalByteLength
	}
	return rpc.Value{Code: rpc.CodeMoreData, Type: 3, Needed: size, Data: append(dst[:0], empty...)}, nil
}

func (h *host) writer() *perflibtest.V1Writer {
	w := perflibtest.NewV1Writer(&perflib.V1Header{PerfTime: h.clock, PerfFreqHz: 10_000_000, Time100ns: h.clock})
	return &w
}

// answer is the value of a key, nil where there is none.
func (h *host) answer(key byte, name string) []byte {
	table := func(names map[uint32]string, suffix string) []byte {
		if names == nil || h.noNames {
			return nil
		}
		var b []byte
		add := func(text string) { b = perflib.AppendString(b, perflib.EncodeText(text)) }
		add("1")
		add("1847")
		for _, i := range sortedKeys(names) {
			add(strconv.Itoa(int(i)))
			add(names[i] + suffix)
		}
		return append(b, 0, 0)
	}
	switch {
	case key == dataKey && name == "Counter 009", key == textKey && name == "Counter":
		return table(h.english, "")
	case key == dataKey && name == "Explain 009":
		return table(h.english, " explained")
	case key == dataKey && name == "Counter 007" && !h.nls, key == nlsKey && name == "Counter":
		return table(h.german, "")
	case key == dataKey && name == "Explain 007" && !h.nls, key == nlsKey && name == "Help":
		return table(h.german, " erklärt")
	case key != dataKey || strings.HasPrefix(name, "Counter") || strings.HasPrefix(name, "Explain") || strings.HasPrefix(name, "Help"):
		return nil
	}
	w := h.writer()
	wanted := strings.Fields(name)
	for _, o := range h.objects {
		if name == "Global" && !o.costly || name == "Costly" && o.costly || h.samba || slices.Contains(wanted, strconv.Itoa(int(o.index))) {
			o.write(w, h.clock)
		}
	}
	b, err := w.Finish()
	if err != nil {
		panic(err)
	}
	return b
}

func (o *hostObject) write(w *perflibtest.V1Writer, clock uint64) {
	head := perflib.V1Object{NameIndex: o.index, HelpIndex: o.index, Detail: session.DetailNovice, CodePage: o.codePage}
	if o.objTime {
		head.PerfTime, head.PerfFreqHz = clock, 10_000_000
	}
	w.Object(&head, o.counters, !o.single)
	instances := o.instances
	if o.single {
		instances = []hostInstance{{}}
	}
	for i, in := range instances {
		if !o.single {
			name := []byte(in.name)
			if o.codePage == 0 {
				name = perflib.EncodeText(in.name)
			}
			unique := in.unique
			if unique == 0 {
				unique = perflib.V1NoUniqueID
			}
			w.Instance(&perflib.V1Instance{ParentObject: in.parent, ParentIndex: in.place, UniqueID: unique, Name: name}, o.codePage)
		}
		for k, c := range o.counters {
			v, ok := in.values[c.NameIndex]
			if !ok && o.value != nil {
				v = o.value(k, i, clock)
			}
			if !c.Type.IsText() {
				w.Uint(v)
			} else {
				w.Bytes([]byte(o.texts[c.Type]))
			}
		}
	}
}

func sortedKeys(m map[uint32]string) []uint32 {
	var keys []uint32
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func counterOf(index uint32, kind cooker.CounterType, size uint32) perflib.V1Counter {
	return perflib.V1Counter{NameIndex: index, HelpIndex: index, Type: kind, Size: size, Detail: session.DetailAdvanced}
}

// windows is a host with objects of all shapes. Values are 1000*counter +
// instance, and grow by the clock's seconds.
func windows() *host {
	value := func(c, i int, clock uint64) uint64 { return uint64(1000*c+i) + clock/10_000_000 }
	h := &host{clock: 133_000_000_000_000_000, english: map[uint32]string{
		2: "System", 4: "Memory", 6: "% Processor Time", 24: "Available Bytes", 28: "Page Faults/sec", 206: "Avg. Disk sec/Read",
		230: "Process", 232: "Thread", 234: "PhysicalDisk", 674: "System Up Time", 684: "Elapsed Time", 784: "ID Process",
		804: "ID Thread", 1410: "Creating Process ID", 218: "Disk Bytes/sec", 408: "% Free Space", 740: "Costly Object", 742: "Slow",
	}}
	h.objects = []*hostObject{
		{index: 4, single: true, value: value, counters: []perflib.V1Counter{counterOf(24, cooker.CounterLargeRawCount, 8), counterOf(28, cooker.CounterCounter, 4)}},
		{index: 2, single: true, objTime: true, value: func(int, int, uint64) uint64 { return 132_000_000_000_000_000 },
			counters: []perflib.V1Counter{counterOf(674, cooker.ElapsedTime, 8)}},
		{index: 234, value: value, counters: []perflib.V1Counter{
			counterOf(206, cooker.AverageTimer, 8), counterOf(206, cooker.AverageBase, 4),
			counterOf(218, cooker.CounterBulkCount, 8), counterOf(408, cooker.RawFraction, 4),
		}, instances: []hostInstance{{name: "0 C:"}, {name: "1 D:"}, {name: "_Total"}}},
		{index: 230, value: value, objTime: true, counters: []perflib.V1Counter{
			counterOf(6, cooker.Timer100ns, 8), counterOf(684, cooker.ElapsedTime, 8), counterOf(784, cooker.CounterRawCount, 4), counterOf(1410, cooker.CounterRawCount, 4),
		}, instances: []hostInstance{
			{name: "Idle", values: map[uint32]uint64{784: 0, 684: 0, 1410: 0}},
			process("svchost", 100, 4), process("svchost", 200, 4), process("w3wp", 300, 100),
			{name: "_Total", values: map[uint32]uint64{784: 0, 684: 0, 1410: 0}},
		}},
		{index: 232, value: value, counters: []perflib.V1Counter{counterOf(6, cooker.Timer100ns, 8), counterOf(784, cooker.CounterRawCount, 4), counterOf(804, cooker.CounterRawCount, 4)},
			instances: []hostInstance{thread("0", 1, 100, 11), thread("1", 1, 100, 12), thread("0", 2, 200, 21), thread("0", 3, 300, 31)}},
		{index: 740, costly: true, single: true, value: value, counters: []perflib.V1Counter{counterOf(742, cooker.CounterRawCount, 4)}},
	}
	return h
}

func process(name string, pid, parent uint64) hostInstance {
	return hostInstance{name: name, values: map[uint32]uint64{784: pid, 684: 132_900_000_000_000_000 + pid, 1410: parent}}
}

func thread(name string, place uint32, pid, tid uint64) hostInstance {
	return hostInstance{name: name, parent: 230, place: place, values: map[uint32]uint64{784: pid, 804: tid}}
}

func (h *host) object(index uint32) *hostObject {
	return h.objects[slices.IndexFunc(h.objects, func(o *hostObject) bool { return o.index == index })]
}

type rig struct {
	*testing.T
	host   *host
	source *Source
	cat    *session.Catalogue
	query  session.Query
	batch  session.Batch
	now    time.Time
}

func newRig(t *testing.T, h *host, o Options) *rig {
	t.Helper()
	r := &rig{T: t, host: h, now: time.Unix(1_700_000_000, 0)}
	o.Host, o.Dial, o.Now = "web01", h.dial, func() time.Time { return r.now }
	r.source = New(o)
	t.Cleanup(func() { _ = r.source.Close() })
	var err error
	if r.cat, err = r.source.Catalogue(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}

// want asks for all counters of a set, or those named.
func (r *rig) want(set string, counters ...string) session.Want {
	r.Helper()
	w := session.Want{Set: r.cat.Set(set), Every: time.Second}
	if w.Set == nil {
		r.Fatalf("no set %s", set)
	}
	for i := range w.Set.Counters {
		if len(counters) == 0 {
			w.Counters = append(w.Counters, i)
		}
	}
	for _, name := range counters {
		i, ok := w.Set.Counter(name)
		if !ok {
			r.Fatalf("no counter %s in %s", name, set)
		}
		w.Counters = append(w.Counters, i)
	}
	return w
}

func (r *rig) selects(wants ...session.Want) {
	r.Helper()
	if r.query == nil {
		var err error
		if r.query, err = r.source.Open(r.Context()); err != nil {
			r.Fatal(err)
		}
	}
	if err := r.query.Select(r.Context(), wants); err != nil {
		r.Fatal(err)
	}
	r.host.mu.Lock()
	defer r.host.mu.Unlock()
	r.host.asked = nil
}

func (r *rig) collect(due ...bool) *session.Batch {
	r.Helper()
	r.batch.Due = due
	if err := r.query.Collect(r.Context(), &r.batch); err != nil {
		r.Fatal(err)
	}
	return &r.batch
}

// beat lets a second pass and reads what is due: all.
func (r *rig) beat() *session.Batch {
	r.Helper()
	r.now = r.now.Add(time.Second)
	r.host.clock += 10_000_000
	due := make([]bool, len(r.query.(*query).wants))
	for i := range due {
		due[i] = true
	}
	return r.collect(due...)
}

// listed are the instances of a set of the batch, as parent/name#index.
func listed(b *session.SetBatch) []string {
	var out []string
	for i := range b.Instances {
		in := &b.Instances[i]
		text := in.Key.Name
		if in.Key.Parent != "" {
			text = in.Key.Parent + "/" + text
		}
		if in.Index > 0 {
			text += "#" + strconv.Itoa(int(in.Index))
		}
		out = append(out, text)
	}
	return out
}

var errCut = errors.New("connection cut")
