package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/manifest"
	"perfdeck/session/wire/perflib"
	"perfdeck/session/wire/rpc"
	"perfdeck/session/wire/smbtest"
)

const (
	testUser     = "perf"
	testPassword = "Passw0rd!"
)

// everyType is a manifest with a counter of every type of the schema, and the
// companions that they need, in a counterset with instances and one without.
func everyType(t testing.TB) *manifest.File {
	t.Helper()
	var b strings.Builder
	b.WriteString(`<instrumentationManifest xmlns="http://schemas.microsoft.com/win/2004/08/events"><instrumentation>
<counters xmlns="http://schemas.microsoft.com/win/2005/12/counters" schemaVersion="2.0">
<provider applicationIdentity="a.exe" providerName="Every type" providerType="userMode" symbol="Every" callback="default"
 providerGuid="{aaaaaaaa-0000-4000-8000-000000000001}">`)
	for i, instances := range []string{"multiple", "single", "globalAggregate"} {
		fmt.Fprintf(&b, `<counterSet guid="{bbbbbbbb-0000-4000-8000-00000000000%d}" uri="Every.%s" symbol="S%d" name="Every %s" nameID="%d" description="All of them." descriptionID="%d" instances="%s">`,
			i, instances, i, instances, 1+2*i, 2+2*i, instances)
		writeCounters(&b, i)
		b.WriteString("</counterSet>")
	}
	b.WriteString("</provider></counters></instrumentation></instrumentationManifest>")
	f, problems := manifest.Parse("every.man", []byte(b.String()))
	for _, p := range problems {
		if p.Severity == manifest.Error {
			t.Fatalf("%s", p)
		}
	}
	return f
}

func writeCounters(b *strings.Builder, set int) {
	id := 1
	counter := func(kind, more string) {
		fmt.Fprintf(b, `<counter id="%d" uri="Every.%d.%d" symbol="C%d_%d" name="Counter %d" nameID="%d" description="Number %d." descriptionID="%d" type="%s" detailLevel="standard"%s/>`,
			id, set, id, set, id, id, 1000*set+2*id+100, id, 1000*set+2*id+101, kind, more)
		id++
	}
	counter("perf_counter_large_rawcount", "") // 1 and 2: the clock of object time
	counter("perf_counter_large_rawcount", "")
	seen := map[string]bool{}
	for _, info := range cooker.Types() {
		if info.ManifestName == "" || seen[info.ManifestName] || info.ManifestName == "perf_counter_composite" {
			continue
		}
		seen[info.ManifestName] = true
		more := ""
		switch base, _ := info.BaseType.Info(); info.Base {
		case cooker.BaseDivisor, cooker.BaseClock:
			more = fmt.Sprintf(` baseID="%d"`, id)
			counter(base.ManifestName, "")
		case cooker.BaseMulti:
			more = fmt.Sprintf(` multiCounterID="%d"`, id)
			counter("perf_counter_rawcount", "")
		}
		if info.Clock == cooker.ClockObject {
			more += ` perfTimeID="1" perfFreqID="2"`
		}
		counter(info.ManifestName, more)
	}
}

// table is a source of fixed readings that counts its open queries.
type table struct {
	cat   *session.Catalogue
	rows  map[string][]session.Instance
	read  func(set *session.Counterset, in *session.Instance, counter int) cooker.Reading
	errs  map[string]error // by set
	dead  atomic.Bool
	hangs atomic.Bool // until the caller gives up
	open  atomic.Int32
	calls atomic.Int32
	late  func(call, want int) time.Duration // that the clock of a set is behind the others; nil: none
}

var errDead = errors.New("no answer")

func (s *table) Catalogue(context.Context) (*session.Catalogue, error) { return s.cat, nil }
func (s *table) Close() error                                          { return nil }

func (s *table) Open(context.Context) (session.Query, error) {
	s.open.Add(1)
	return &tableQuery{source: s}, nil
}

type tableQuery struct {
	source *table
	wants  []session.Want
}

func (q *tableQuery) Select(_ context.Context, wants []session.Want) error {
	q.wants = wants
	return nil
}

func (q *tableQuery) Collect(ctx context.Context, b *session.Batch) error {
	n := q.source.calls.Add(1)
	if q.source.hangs.Load() {
		<-ctx.Done()
		return ctx.Err()
	}
	if q.source.dead.Load() {
		return errDead
	}
	b.Time = time.Unix(1_700_000_000+int64(n), 0)
	b.Fit(q.wants)
	for i := range q.wants {
		w, out := &q.wants[i], &b.Sets[i]
		out.Clocks = cooker.Clocks{PerfTime: 1000 + uint64(n), PerfFreqHz: 1e9, Time100ns: 133_500_000_000_000_000 + uint64(n), ObjTime: 77, ObjFreqHz: 10}
		if q.source.late != nil {
			out.Clocks.Time100ns += uint64(q.source.late(int(n), i) / 100)
		}
		if out.Err = q.source.errs[w.Set.Name]; out.Err != nil {
			continue
		}
		rows := q.source.rows[w.Set.Name]
		for r := range rows {
			out.Instances = append(out.Instances, rows[r])
			for _, c := range w.Counters {
				out.Readings = append(out.Readings, q.source.read(w.Set, &rows[r], c))
			}
			for _, key := range w.Facts.Keys {
				fact := ""
				if w.Facts.All || slices.Contains(w.Facts.Rows, rows[r].Key) {
					fact = key + " of " + rows[r].Key.Name
				}
				out.Facts = append(out.Facts, fact)
			}
		}
	}
	return nil
}

func (q *tableQuery) Close() error {
	q.source.open.Add(-1)
	return nil
}

func none(c session.Counter) session.Counter {
	c.BaseID, c.PerfTimeID, c.PerfFreqID, c.MultiID = session.NoID, session.NoID, session.NoID, session.NoID
	c.Detail = session.DetailNovice
	return c
}

// newTable is a table of a set with instances, Disk, and one without, Memory.
func newTable() *table {
	disk := &session.Counterset{Name: "Disk", Provider: "table", Description: "Disks.", Instances: session.MultipleInstances, Counters: []session.Counter{
		none(session.Counter{ID: 5, Name: "Queue", Type: cooker.CounterRawCount, Description: "Length."}),
		none(session.Counter{ID: 6, Name: "Bytes", Type: cooker.CounterBulkCount}),
		none(session.Counter{ID: 7, Name: "sec/Read", Type: cooker.AverageTimer}),
		none(session.Counter{ID: 8, Name: "Nowhere", Type: cooker.CounterRawCount, Absent: "not on this system"}),
	}}
	memory := &session.Counterset{Name: "Memory", Provider: "table", GUID: "{cccccccc-0000-4000-8000-000000000001}", Counters: []session.Counter{
		none(session.Counter{ID: 1, Name: "Free", Type: cooker.CounterLargeRawCount}),
		none(session.Counter{ID: 2, Name: "Up Time", Type: cooker.ElapsedTime}),
	}}
	s := &table{cat: &session.Catalogue{Host: "table", Sets: []*session.Counterset{disk, memory}}, errs: map[string]error{}}
	s.rows = map[string][]session.Instance{
		"Disk": {
			{Key: session.InstanceKey{Name: "sda", ID: 1}}, {Key: session.InstanceKey{Name: "sdb", ID: 2}},
			{Key: session.InstanceKey{Name: "SDA", ID: 3}}, {Key: session.InstanceKey{Parent: "bus", Name: "x", ID: 1 << 40}},
		},
		"Memory": {{}},
	}
	s.read = func(_ *session.Counterset, in *session.Instance, c int) cooker.Reading {
		return cooker.Reading{Raw: 0x1_0000_0000 + 100*in.Key.ID%1000 + uint64(c), Base: 0x2_0000_0000 + uint64(c), Size: 8, BaseSize: 8}
	}
	return s
}

func newSession(t testing.TB, source session.Source, expose ...string) (*Handler, rpc.Session) {
	t.Helper()
	h, err := NewHandler(t.Context(), source, expose)
	if err != nil {
		t.Fatal(err)
	}
	s := h.connect()
	t.Cleanup(s.Close)
	return h, s
}

func testAccounts(t testing.TB) Accounts {
	t.Helper()
	a := Accounts{}
	if err := a.Add(testUser, []byte(testPassword)); err != nil {
		t.Fatal(err)
	}
	return a
}

// serve runs a server on loopback and tells its port.
func serve(t testing.TB, source session.Source, change func(*Options)) (port int, stop func()) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Source: source, Accounts: testAccounts(t), Go: func(f func()) { go f() }, LogonDelay: time.Millisecond}
	if change != nil {
		change(&o)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, l, o) }()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-done; err != nil {
			t.Errorf("serve: %v", err)
		}
	}
	t.Cleanup(stop)
	return l.Addr().(*net.TCPAddr).Port, stop
}

func dial(t testing.TB, port int) *rpc.Client {
	t.Helper()
	c, err := rpc.Dial(t.Context(), rpc.Options{Address: rpc.Address{Host: "127.0.0.1", Port: port}, Account: rpc.Account{User: testUser, Password: smbtest.FixedPassword(testPassword)}, Calls: rpc.Calls{CallTimeout: 10 * time.Second}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// enough is a buffer size that fits every reply of these tests.
const enough = 4 << 20

func openHandle(t testing.TB, p rpc.PerflibV2) rpc.Handle {
	t.Helper()
	h, code, err := p.OpenQueryHandle(t.Context())
	if err != nil || code != rpc.CodeOK || h.IsNull() {
		t.Fatalf("open query: %v, %v, %v", h, code, err)
	}
	return h
}

// add adds (or removes) identifiers and gives their statuses.
func add(t testing.TB, p rpc.PerflibV2, h rpc.Handle, adding bool, ids ...perflib.Identifier) []rpc.Code {
	t.Helper()
	var buf []byte
	for i := range ids {
		buf = perflib.AppendIdentifier(buf, &ids[i])
	}
	code, err := p.ValidateCounters(t.Context(), h, buf, adding)
	if err != nil || code != rpc.CodeOK {
		t.Fatalf("validate: %v, %v", code, err)
	}
	list, err := perflib.DecodeIdentifiers(buf)
	if err != nil || len(list) != len(ids) {
		t.Fatalf("validate: %d identifiers, %v", len(list), err)
	}
	var statuses []rpc.Code
	for _, id := range list {
		statuses = append(statuses, rpc.Code(id.Status))
	}
	return statuses
}

func ident(guid perflib.GUID, counter uint32, name string) perflib.Identifier {
	id := perflib.Identifier{Counterset: guid, CounterID: counter, InstanceID: perflib.AnyInstance}
	if name != "" {
		id.Name = perflib.EncodeText(name)
	}
	return id
}

// collect reads a handle's data.
func collect(t testing.TB, p rpc.PerflibV2, h rpc.Handle) perflib.DataReader {
	t.Helper()
	a, err := p.QueryCounterData(t.Context(), h, enough, nil)
	if err != nil || a.Code != rpc.CodeOK {
		t.Fatalf("collect: %v, %v", a.Code, err)
	}
	return perflib.ReadData(a.Data)
}
