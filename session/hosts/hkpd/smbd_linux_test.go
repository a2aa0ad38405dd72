package hkpd_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/hkpd"
	"perfdeck/session/wire/perflib"
	"perfdeck/session/wire/rpc"
	"perfdeck/session/wire/smbtest"
)

// sambaTime is when the first data of performance were taken.
var sambaTime = time.Date(2026, 3, 2, 14, 7, 32, 0, time.UTC)

// performance are data as smbd serves them, taken so many seconds later.
func performance(seconds uint64) *smbtest.Performance {
	return &smbtest.Performance{
		PerfTime: 5_000_000_000 + seconds*10_000_000, PerfFreqHz: 10_000_000, Time: sambaTime.Add(time.Duration(seconds) * time.Second),
		Objects: []smbtest.Object{
			{Name: "Memory", Help: "Memory object", Counters: []smbtest.Counter{
				{Name: "Available Bytes", Help: "bytes free", Type: uint32(cooker.CounterLargeRawCount), Values: []uint64{4 << 30}},
				{Name: "Page Faults/sec", Help: "page faults", Type: uint32(cooker.CounterCounter), Values: []uint64{123_456 + 50*seconds}},
			}},
			{Name: "Processor", Help: "Processor object", Instances: []string{"0", "1", "_Total"}, Counters: []smbtest.Counter{
				{Name: "% Processor Time", Help: "cpu", Type: uint32(cooker.Timer100ns), Values: []uint64{2_500_000 * seconds, 5_000_000 * seconds, 7_500_000 * seconds}},
				{Name: "Interrupts/sec", Help: "irq", Type: uint32(cooker.CounterCounter), Values: []uint64{1000 * seconds, 2000 * seconds, 3000 * seconds}},
			}},
			{Name: "System", Help: "System object", Counters: []smbtest.Counter{
				{Name: "Processes", Help: "processes", Type: uint32(cooker.CounterRawCount), Values: []uint64{77}},
			}},
		},
	}
}

func dialTo(s *smbtest.Server) func(ctx context.Context) (hkpd.Conn, error) {
	return func(ctx context.Context) (hkpd.Conn, error) {
		return rpc.Dial(ctx, rpc.Options{
			Address: rpc.Address{Host: s.Host, Port: s.Port, Connect: rpc.SMB},
			Account: rpc.Account{User: smbtest.User, Domain: smbtest.Workgroup, Password: smbtest.FixedPassword(smbtest.Password)},
			Calls:   rpc.Calls{CallTimeout: 20 * time.Second, Interfaces: []rpc.Interface{rpc.MSRRP}},
		})
	}
}

// smbdRig is a source that reads a stock smbd.
type smbdRig struct {
	testing.TB
	server *smbtest.Server
	source *hkpd.Source
	cat    *session.Catalogue
	query  session.Query
	batch  session.Batch
}

func onSmbd(t testing.TB, o smbtest.Options) *smbdRig {
	t.Helper()
	r := &smbdRig{TB: t, server: smbtest.Start(t, o)}
	r.source = hkpd.New(hkpd.Options{Reach: hkpd.Reach{Host: "labsrv", Dial: dialTo(r.server)}})
	t.Cleanup(func() { _ = r.source.Close() })
	var err error
	if r.cat, err = r.source.Catalogue(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.open()
	return r
}

// open opens a query and asks for all.
func (r *smbdRig) open() {
	r.Helper()
	var err error
	if r.query, err = r.source.Open(r.Context()); err != nil {
		r.Fatal(err)
	}
	var wants []session.Want
	for _, set := range r.cat.Sets {
		w := session.Want{Set: set, Every: time.Second}
		for i := range set.Counters {
			w.Counters = append(w.Counters, i)
		}
		wants = append(wants, w)
	}
	if err := r.query.Select(r.Context(), wants); err != nil {
		r.Fatal(err)
	}
}

func (r *smbdRig) collect() map[string]*session.SetBatch {
	r.Helper()
	if err := r.query.Collect(r.Context(), &r.batch); err != nil {
		r.Fatal(err)
	}
	sets := map[string]*session.SetBatch{}
	for i := range r.batch.Sets {
		set := r.batch.Sets[i]
		if set.Err != nil {
			r.Fatal(set.Err)
		}
		set.Instances, set.Readings = slices.Clone(set.Instances), slices.Clone(set.Readings)
		sets[set.Set.Name] = &set
	}
	return sets
}

// TestSmbd reads a stock smbd over SMB, sealed: names, descriptions and values,
// which cook to what the test published.
func TestSmbd(t *testing.T) {
	r := onSmbd(t, smbtest.Options{Performance: performance(0)})
	if w := r.source.Warnings(); len(w) > 0 {
		t.Error(w)
	}
	memory := r.cat.Set("Memory")
	if memory == nil || memory.Description != "Memory object" || memory.Counters[0].Description != "bytes free" || memory.Instances.Multiple() {
		t.Fatalf("%+v", memory)
	}
	before := r.collect()
	r.server.Publish(*performance(4))
	after := r.collect()
	for _, c := range []struct {
		set      string
		instance int
		counter  string
		want     float64
	}{
		{"Memory", 0, "Available Bytes", 4 << 30},
		{"Memory", 0, "Page Faults/sec", 50},
		{"Processor", 0, "% Processor Time", 25},
		{"Processor", 1, "% Processor Time", 50},
		{"Processor", 2, "Interrupts/sec", 3000},
		{"System", 0, "Processes", 77},
	} {
		b, a := before[c.set], after[c.set]
		i, _ := a.Set.Counter(c.counter)
		v := cooker.Cook(a.Set.Counters[i].Type, &b.Row(c.instance)[i], &a.Row(c.instance)[i], &b.Clocks, &a.Clocks, nil)
		if got, ok := v.Float(); !ok || got != c.want {
			t.Errorf(`\%s(%d)\%s: %v (%v), want %v`, c.set, c.instance, c.counter, got, v.Status(), c.want)
		}
	}
	if names := after["Processor"].Instances; len(names) != 3 || names[1].Key.Name != "1" || names[2].Flags != session.FlagTotal {
		t.Errorf("%+v", names)
	}
}

// TestSmbdLargeAnswers has smbd cut answers off, which it calls a success.
func TestSmbdLargeAnswers(t *testing.T) {
	p := performance(0)
	var names []string
	values := []uint64{}
	for i := range 600 {
		names = append(names, "a process with a rather long name, number "+strconv.Itoa(i))
		values = append(values, uint64(i))
	}
	var counters []smbtest.Counter
	for i := range 10 {
		counters = append(counters, smbtest.Counter{Name: "Counter " + strconv.Itoa(i), Help: "help", Type: uint32(cooker.CounterLargeRawCount), Values: values})
	}
	p.Objects = append(p.Objects, smbtest.Object{Name: "Process", Help: "Processes", Instances: names, Counters: counters})
	r := onSmbd(t, smbtest.Options{Performance: p})
	if w := r.source.Warnings(); len(w) > 0 {
		t.Error(w)
	}
	process := r.collect()["Process"]
	if process == nil || len(process.Instances) != 600 || process.Row(599)[9].Raw != 599 {
		t.Errorf("%+v", process)
	}
}

// TestNetRPCRegistry has Samba's own client read the names that this source
// reads. It tells how large a binary value is, not what is in it.
func TestNetRPCRegistry(t *testing.T) {
	smbtest.Need(t, "samba-common-bin", "net")
	s := smbtest.Start(t, smbtest.Options{Performance: performance(3)})
	conn, err := dialTo(s)(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	key, _, err := conn.OpenPerformanceData(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, value := range []string{"Counter 009", "Explain 009"} {
		ours, err := conn.QueryValue(t.Context(), key, value, 1<<16, nil)
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := exec.Command("net", "rpc", "registry", "getvalueraw", "HKPD", value, "-s", s.Config(),
			"-S", s.Host, "-p", strconv.Itoa(s.Port), "-U", smbtest.Workgroup+`\`+smbtest.User+"%"+smbtest.Password).CombinedOutput()
		if want := fmt.Sprintf("%d bytes", len(ours.Data)); err != nil || len(ours.Data) < 100 || strings.TrimSpace(string(theirs)) != want {
			t.Errorf("%s: net says %q, want %q (%v)", value, theirs, want, err)
		}
	}
}

const impacketReader = `
import sys
from impacket.dcerpc.v5 import transport, rrp
host, port, user, password, domain = sys.argv[1:]
t = transport.DCERPCTransportFactory(r'ncacn_np:%s[\pipe\winreg]' % host)
t.set_dport(int(port))
t.set_credentials(user, password, domain)
d = t.get_dce_rpc()
d.set_auth_level(6)
d.connect()
d.bind(rrp.MSRPC_UUID_RRP)
key = rrp.hOpenPerformanceData(d)['phKey']
for value in ('Counter 009', 'Global'):
    print(bytes(rrp.hBaseRegQueryValue(d, key, value, 65536)[1]).hex())
`

// TestImpacketReadsTheSame has another implementation of MS-RRP read the same
// data: names and values agree.
func TestImpacketReadsTheSame(t *testing.T) {
	python := "/usr/bin/python3"
	if out, err := exec.Command(python, "-c", "import impacket").CombinedOutput(); err != nil {
		t.Skipf("impacket is not installed (Debian's package python3-impacket): %s", out)
	}
	r := onSmbd(t, smbtest.Options{Performance: performance(3)})
	out, err := exec.Command(python, "-c", impacketReader, r.server.Host, strconv.Itoa(r.server.Port),
		smbtest.User, smbtest.Password, smbtest.Workgroup).CombinedOutput()
	lines := strings.Fields(string(out))
	if err != nil || len(lines) != 2 {
		t.Fatalf("%v\n%s", err, out)
	}
	names, _ := hex.DecodeString(lines[0])
	known := 0
	for n := perflib.ReadV1Names(names); n.Next(); {
		if name, ok := r.cat.NameOf(n.Index); ok {
			known++
			if name != n.Text.String() {
				t.Errorf("index %d is %q, and %q", n.Index, name, n.Text.String())
			}
		}
	}
	if known != 8 {
		t.Errorf("%d names", known)
	}
	data, _ := hex.DecodeString(lines[1])
	theirs, ours := perflib.ReadV1(data), r.collect()
	for theirs.Next() {
		o := theirs.Object()
		name, _ := r.cat.NameOf(o.NameIndex)
		set := ours[name]
		if set == nil {
			t.Fatalf("object %d", o.NameIndex)
		}
		counters, i := o.AppendCounters(nil), 0
		for it := o.Instances(); it.Next(); i++ {
			if set.Instances[i].Key.Name != o.Text(it.Name) {
				t.Errorf("%s: instance %q", name, o.Text(it.Name))
			}
			for k := range counters {
				if v, _ := counters[k].Value(it.Data); v != set.Row(i)[k].Raw {
					t.Errorf(`\%s(%d)\%d: %d, read %d`, name, i, k, v, set.Row(i)[k].Raw)
				}
			}
		}
		delete(ours, name)
	}
	if theirs.Err() != nil || len(ours) > 0 {
		t.Errorf("%v, missing %v", theirs.Err(), ours)
	}
}

// TestFrozenAndRestartedSmbd: a call ends when it is given up though nothing answers, and
// the source reads on after a restart.
func TestFrozenAndRestartedSmbd(t *testing.T) {
	r := onSmbd(t, smbtest.Options{Performance: performance(0)})
	r.collect()
	r.server.Freeze()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(200*time.Millisecond, cancel)
	if err := r.query.Collect(ctx, &r.batch); !errors.Is(err, context.Canceled) { // not the time of a call
		t.Error(err)
	}
	r.server.Thaw()
	r.open()
	r.collect()
	r.server.Stop()
	if err := r.query.Collect(t.Context(), &r.batch); err == nil {
		t.Error("a stopped server answered")
	}
	if _, err := r.source.Open(t.Context()); err == nil {
		t.Error("a stopped server was opened")
	}
	r.server.Run()
	r.open()
	r.collect()
}

// BenchmarkSmbdThreeObjects is one collection of three objects from a stock
// smbd, sealed.
func BenchmarkSmbdThreeObjects(b *testing.B) {
	r := onSmbd(b, smbtest.Options{Performance: performance(0)})
	r.collect()
	b.ReportAllocs()
	for b.Loop() {
		if err := r.query.Collect(context.Background(), &r.batch); err != nil {
			b.Fatal(err)
		}
	}
}
