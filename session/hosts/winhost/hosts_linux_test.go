package winhost_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/clocktest"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/hosts/hkpd"
	"perfdeck/session/hosts/pcq"
	"perfdeck/session/hosts/pcq/server"
	"perfdeck/session/hosts/service"
	"perfdeck/session/hosts/winhost"
	"perfdeck/session/system/sharedtest"
	"perfdeck/session/wire/rpc"
	"perfdeck/session/wire/smbtest"
)

// line dials a host and counts how often.
type line struct {
	options rpc.Options
	dials   atomic.Int32
	traffic rpc.Traffic
	rpc.Shared
}

func newLine(o rpc.Options) *line {
	l := &line{options: o}
	if o.Connect != nil { // SMB
		l.LogOn = func(ctx context.Context) (*rpc.Shares, error) {
			l.dials.Add(1)
			o := l.options
			o.CallTimeout, o.Traffic = 10*time.Second, &l.traffic
			return rpc.Files(ctx, o)
		}
	}
	l.Dial = func(ctx context.Context, on *rpc.Shares, interfaces ...rpc.Interface) (*rpc.Client, error) {
		if on == nil {
			l.dials.Add(1)
		}
		o := l.options
		o.On = on
		o.Interfaces, o.CallTimeout, o.Traffic = interfaces, 10*time.Second, &l.traffic
		return rpc.Dial(ctx, o)
	}
	return l
}

// host is a source that reads V2 over one line and V1 over another, which may be
// the same.
func host(t *testing.T, v2, v1 *line, now func() time.Time) *winhost.Source {
	return hostWith(t, v2, v1, now, nil)
}

func hostWith(t *testing.T, v2, v1 *line, now func() time.Time, services *service.Source) *winhost.Source {
	s := winhost.New(winhost.Options{
		Host: "srv1", Now: now, Services: services, Traffic: v1.traffic.Bytes,
		Hold: func(ctx context.Context) (io.Closer, error) {
			l, err := v1.Hold(ctx)
			if err != nil {
				return nil, err
			}
			return l, nil
		},
		V2: func(refreshed func(*session.Catalogue)) winhost.Half {
			return pcq.New(pcq.Options{
				Reach: pcq.Reach{
					Host:      "srv1",
					Refreshed: refreshed,
					Dial: func(ctx context.Context) (pcq.Conn, error) {
						l, err := v2.Connect(ctx, rpc.MSPCQ)
						if err != nil {
							return nil, err
						}
						return l, nil
					},
				},
			})
		},
		V1: func(refreshed func(*session.Catalogue)) winhost.Half {
			return hkpd.New(hkpd.Options{
				Reach: hkpd.Reach{
					Host:      "srv1",
					Refreshed: refreshed,
					Dial: func(ctx context.Context) (hkpd.Conn, error) {
						l, err := v1.Connect(ctx, rpc.MSRRP)
						if err != nil {
							return nil, err
						}
						return l, nil
					},
				},
			})
		},
	})
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// served is a line to perfdeck's own server, which has V2 alone.
func served(t *testing.T) *line {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	accounts := server.Accounts{}
	if err := accounts.Add("perf", []byte("Passw0rd!")); err != nil {
		t.Fatal(err)
	}
	script := fake.Script{Name: "far", Sets: []fake.Set{
		{Name: "Processor Information", Instances: session.MultipleInstances, Rows: []fake.Row{{Name: "0,0"}, {Name: "_Total"}},
			Counters: []fake.Counter{{Name: "% Processor Time", Type: cooker.Timer100ns, Is: fake.Const(40)}}},
		{Name: "Memory", Counters: []fake.Counter{{Name: "Available Bytes", Type: cooker.CounterLargeRawCount, Is: fake.Const(1000)}}},
	}}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- server.Serve(ctx, l, server.Options{Source: fake.New(script, clocktest.New(time.Now(), func() {})), Accounts: accounts,
			Go: func(f func()) { go f() }, LogonDelay: time.Millisecond})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return newLine(rpc.Options{Address: rpc.Address{Host: "127.0.0.1", Port: l.Addr().(*net.TCPAddr).Port}, Account: rpc.Account{User: "perf", Password: smbtest.FixedPassword("Passw0rd!")}})
}

// stock is a line to a stock smbd, which has V1 alone.
func stock(t *testing.T) (*smbtest.Server, *line) {
	s := smbtest.Start(t, smbtest.Options{Performance: &smbtest.Performance{
		PerfTime: 1, PerfFreqHz: 10_000_000, Time: time.Now(),
		Objects: []smbtest.Object{
			{Name: "Memory", Help: "memory", Counters: []smbtest.Counter{{Name: "Available Bytes", Help: "free", Type: uint32(cooker.CounterLargeRawCount), Values: []uint64{77}}}},
			{Name: "LogicalDisk", Help: "disks", Instances: []string{"C:", "_Total"}, Counters: []smbtest.Counter{
				{Name: "Free Megabytes", Help: "free", Type: uint32(cooker.CounterRawCount), Values: []uint64{5, 5}}}},
		},
	}})
	return s, newLine(rpc.Options{Address: rpc.Address{Host: s.Host, Port: s.Port, Connect: rpc.SMB}, Account: rpc.Account{User: smbtest.User, Domain: smbtest.Workgroup, Password: smbtest.FixedPassword(smbtest.Password)}})
}

// read reads all of a host once: what sets it has, and the first value of each
// that could be read.
func read(t *testing.T, s *winhost.Source) (q session.Query, b *session.Batch, sets map[string]uint64) {
	t.Helper()
	cat, err := s.Catalogue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if q, err = s.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	var wants []session.Want
	for _, set := range cat.Sets {
		wants = append(wants, session.Want{Set: set, Counters: []int{0}})
	}
	if err := q.Select(t.Context(), wants); err != nil {
		t.Fatal(err)
	}
	b = &session.Batch{}
	return q, b, collect(t, q, b)
}

func collect(t *testing.T, q session.Query, b *session.Batch) map[string]uint64 {
	t.Helper()
	if err := q.Collect(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	sets := map[string]uint64{}
	for i := range b.Sets {
		if set := &b.Sets[i]; set.Err == nil && len(set.Readings) > 0 {
			sets[set.Set.Name+" by "+set.Set.Protocol] = set.Readings[0].Raw
		}
	}
	return sets
}

func keysOf(m map[string]uint64) (out []string) {
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// A stock Samba has V1 alone; what is missing is said, and costs no log-on with
// every connection.
func TestSambaAlone(t *testing.T) {
	_, l := stock(t)
	s := host(t, l, l, nil)
	_, _, sets := read(t, s)
	if got := keysOf(sets); !slices.Equal(got, []string{"LogicalDisk by MS-RRP", "Memory by MS-RRP"}) || sets["Memory by MS-RRP"] != 77 {
		t.Errorf("%v", sets)
	}
	w := s.Warnings()
	if len(w) != 1 || !errors.Is(w[0], rpc.ErrNotServed) || !strings.Contains(w[0].Error(), "MS-PCQ") {
		t.Errorf("%v", w)
	}
	if n := l.dials.Load(); n > 2 {
		t.Errorf("%d log-ons", n)
	}
	if s.Traffic() == 0 {
		t.Error("no traffic")
	}
}

// perfdeck's own server has V2 alone.
func TestServeAlone(t *testing.T) {
	l := served(t)
	s := host(t, l, l, nil)
	_, _, sets := read(t, s)
	if got := keysOf(sets); !slices.Equal(got, []string{"Memory by MS-PCQ", "Processor Information by MS-PCQ"}) {
		t.Errorf("%v", sets)
	}
	if w := s.Warnings(); len(w) != 1 || !errors.Is(w[0], rpc.ErrNotServed) || !strings.Contains(w[0].Error(), "HKEY_PERFORMANCE_DATA") {
		t.Errorf("%v", w)
	}
}

// One host over two connections: V2 first, V1 fills in. When one connection goes
// the other stays, and it comes back.
func TestBothWaysOverTwoConnections(t *testing.T) {
	smbd, v1 := stock(t)
	v2 := served(t)
	now := time.Now()
	s := host(t, v2, v1, func() time.Time { return now })
	q, b, sets := read(t, s)
	all := []string{"LogicalDisk by MS-RRP", "Memory by MS-PCQ", "Processor Information by MS-PCQ"}
	if got := keysOf(sets); !slices.Equal(got, all) || sets["Memory by MS-PCQ"] != 1000 || len(s.Warnings()) != 0 {
		t.Errorf("%v, %v", sets, s.Warnings())
	}
	smbd.Stop()
	if got := keysOf(collect(t, q, b)); !slices.Equal(got, all[1:]) {
		t.Errorf("%v", got)
	}
	if w := s.Warnings(); len(w) != 1 {
		t.Errorf("%v", w)
	}
	smbd.Run()
	now = now.Add(time.Minute)
	if got := keysOf(collect(t, q, b)); !slices.Equal(got, all) || len(s.Warnings()) != 0 {
		t.Errorf("%v, %v", got, s.Warnings())
	}
}

// Services of a Samba stand beside its counters, over the same log-on.
func TestServicesBesideCounters(t *testing.T) {
	_, l := stock(t)
	remote := service.NewRemote("srv1", func(ctx context.Context) (service.Conn, error) {
		c, err := l.Connect(ctx, rpc.MSSCMR)
		if err != nil {
			return nil, err
		}
		return c, nil
	}, func(err error) { l.Refused(rpc.MSSCMR, err) })
	s := hostWith(t, l, l, nil, remote.Source(func(f func()) { go f() }))
	q, b, sets := read(t, s)
	sharedtest.Until(t, "services are read", func() bool {
		sets = collect(t, q, b)
		return slices.Equal(keysOf(sets), []string{"LogicalDisk by MS-RRP", "Memory by MS-RRP", "Service by MS-SCMR"})
	})
	names := ""
	for i := range b.Sets {
		if b.Sets[i].Set.Name == service.Name {
			names = fmt.Sprint(b.Sets[i].Instances)
		}
	}
	if !strings.Contains(names, "Spooler") || !strings.Contains(names, "NETLOGON") {
		t.Errorf("%s", names)
	}
	if n := l.dials.Load(); n > 2 { // one of them for what the host does not serve
		t.Errorf("%d log-ons", n)
	}
}

// A wrong password is tried once, whichever way the host is read.
func TestWrongPasswordIsTriedOnce(t *testing.T) {
	_, smb := stock(t)
	for name, l := range map[string]*line{"SMB": smb, "TCP": served(t)} {
		l.options.Password = smbtest.FixedPassword("wrong")
		s := host(t, l, l, nil)
		if _, err := s.Catalogue(t.Context()); !errors.Is(err, session.ErrDenied) {
			t.Errorf("%s: %v", name, err)
		}
		if n := l.dials.Load(); n != 1 {
			t.Errorf("%s: %d log-ons with a wrong password", name, n)
		}
	}
}

// A sampler goes on when the server was restarted under it.
func TestRestartUnderASampler(t *testing.T) {
	smbd, l := stock(t)
	s := host(t, l, l, nil)
	sampler := session.NewSampler("srv1", s, session.NewSystemClock())
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		sampler.Run(ctx)
		close(done)
	}()
	defer func() {
		cancel()
		<-done
	}()
	within := func(what string) <-chan time.Time {
		t.Log(what)
		return time.After(sharedtest.Patience)
	}
	select {
	case <-sampler.Known():
	case <-within("the catalogue"):
		t.Fatal(sampler.State().Err)
	}
	feed := sampler.Feed(session.FeedOptions{Every: 100 * time.Millisecond, History: time.Minute})
	set := sampler.Catalogue().Set("LogicalDisk")
	feed.Ask([]session.Ask{{Set: set, Counters: []int{0}}})
	until := func(what string, phase session.Phase) *session.Snapshot {
		t.Helper()
		for late := within(what); ; {
			select {
			case <-feed.Ready():
			case <-late:
				t.Fatalf("%s: %+v", what, sampler.State())
			}
			snapshot := feed.Take()
			if snapshot == nil {
				continue
			}
			t.Cleanup(snapshot.Release)
			if snapshot.State.Phase == phase {
				return snapshot
			}
		}
	}
	first := until("live", session.Live)
	if first.State.Notes == nil || len(first.Sets) != 1 || len(first.Sets[0].Rows) != 2 {
		t.Errorf("%+v", first)
	}
	smbd.Stop()
	if lost := until("retrying", session.Retrying); lost.State.Err == nil {
		t.Errorf("%+v", lost.State)
	}
	smbd.Run()
	sampler.Retry()
	again := until("live again", session.Live)
	if len(again.Sets) != 1 || again.Sets[0].Err != nil {
		t.Errorf("%+v", again)
	}
	for state := sampler.State(); state.BytesPerSecond == 0; state = sampler.State() {
		until("traffic", session.Live)
	}
}
