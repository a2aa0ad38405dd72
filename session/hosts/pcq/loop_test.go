package pcq_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"strconv"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/clocktest"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/hosts/pcq"
	"perfdeck/session/hosts/pcq/server"
	"perfdeck/session/wire/rpc"
	"perfdeck/session/wire/smbtest"
)

const (
	user     = "perf"
	password = "Passw0rd!"
)

// serve publishes a source on loopback, on a port of its own if port is 0.
func serve(t testing.TB, source session.Source, port int) (int, func()) {
	t.Helper()
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		t.Fatal(err)
	}
	accounts := server.Accounts{}
	if err := accounts.Add(user, []byte(password)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		defer close(done)
		done <- server.Serve(ctx, l, server.Options{Source: source, Accounts: accounts,
			Go: func(f func()) { go f() }, LogonDelay: time.Millisecond})
	}()
	stop := func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("serve: %v", err)
		}
	}
	t.Cleanup(stop)
	return l.Addr().(*net.TCPAddr).Port, stop
}

func client(t testing.TB, port int, secret string) *pcq.Source {
	s := pcq.New(pcq.Options{
		Reach: pcq.Reach{
			Host: "far",
			Dial: func(ctx context.Context) (pcq.Conn, error) {
				return rpc.Dial(ctx, rpc.Options{Address: rpc.Address{Host: "127.0.0.1", Port: port}, Account: rpc.Account{User: user, Password: smbtest.FixedPassword(secret)}, Calls: rpc.Calls{CallTimeout: 10 * time.Second}})
			},
		},
	})
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// allOf wants all counters of the sets.
func allOf(sets []*session.Counterset) []session.Want {
	wants := make([]session.Want, len(sets))
	for i, set := range sets {
		wants[i].Set = set
		for c := range set.Counters {
			wants[i].Counters = append(wants[i].Counters, c)
		}
	}
	return wants
}

// twice collects all of the sets now and a second later.
func twice(t *testing.T, s session.Source, sets []*session.Counterset, now, later *session.Batch, step func()) {
	t.Helper()
	q, err := s.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	if err := q.Select(t.Context(), allOf(sets)); err != nil {
		t.Fatal(err)
	}
	if err := q.Collect(t.Context(), now); err != nil {
		t.Fatal(err)
	}
	step()
	if err := q.Collect(t.Context(), later); err != nil {
		t.Fatal(err)
	}
}

// A scripted host shows the same values over the wire as it does here.
func TestSameValuesOverTheWire(t *testing.T) {
	start := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	host := func() (*fake.Source, *clocktest.Clock) {
		clock := clocktest.New(start, func() {})
		return fake.New(script(), clock), clock
	}
	published, farClock := host()
	near, nearClock := host()
	port, _ := serve(t, published, 0)
	far := client(t, port, password)
	farCat, err := far.Catalogue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	nearCat, err := near.Catalogue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(far.Warnings()) != 0 || len(farCat.Sets) != len(nearCat.Sets) {
		t.Fatalf("%d sets of %d, %v", len(farCat.Sets), len(nearCat.Sets), far.Warnings())
	}
	var b [4]session.Batch
	twice(t, far, farCat.Sets, &b[0], &b[1], func() { farClock.Advance(time.Second) })
	twice(t, near, nearCat.Sets, &b[2], &b[3], func() { nearClock.Advance(time.Second) })
	compared := 0
	for i, set := range nearCat.Sets {
		j := -1
		for k, other := range farCat.Sets {
			if other.Name == set.Name {
				j = k
			}
		}
		if j < 0 {
			t.Errorf("%s is not there", set.Name)
			continue
		}
		compared += compare(t, &b[2].Sets[i], &b[3].Sets[i], &b[0].Sets[j], &b[1].Sets[j])
	}
	if compared < 20 {
		t.Errorf("only %d values compared", compared)
	}
}

// script is a host with counters of every kind of companion.
func script() fake.Script {
	wave := fake.Sine(50, 20, 30*time.Second)
	counters := func() []fake.Counter {
		var list []fake.Counter
		for _, kind := range []cooker.CounterType{
			cooker.CounterRawCount, cooker.CounterLargeRawCount, cooker.CounterBulkCount, cooker.CounterCounter,
			cooker.Timer100ns, cooker.Timer100nsInv, cooker.CounterTimer, cooker.AverageTimer, cooker.AverageBulk, cooker.RawFraction,
			cooker.LargeRawFraction, cooker.SampleFraction, cooker.ElapsedTime, cooker.CounterQueueLen, cooker.PrecisionSystemTimer,
			cooker.CounterMultiTimer, cooker.Precision100nsTimer, cooker.CounterDelta,
		} {
			list = append(list, fake.Counter{Name: kind.String(), Type: kind, Is: wave})
		}
		return list
	}
	return fake.Script{Name: "host", Seed: 7, Sets: []fake.Set{
		{Name: "Alone", Counters: counters()},
		{Name: "Many", Instances: session.MultipleInstances, Counters: counters(), Rows: []fake.Row{
			{Name: "_Total", Flags: session.FlagTotal}, {Name: "a"}, {Name: "b"}, {Name: "a"}, {Name: "Größe 🚀"},
		}},
	}}
}

// compare cooks both and compares.
func compare(t *testing.T, near0, near1, far0, far1 *session.SetBatch) (compared int) {
	t.Helper()
	if far1.Err != nil || len(far1.Instances) != len(near1.Instances) {
		t.Errorf("%s: %d instances of %d, %v", near1.Set.Name, len(far1.Instances), len(near1.Instances), far1.Err)
		return 0
	}
	for row := range near1.Instances {
		a, b := &near1.Instances[row], &far1.Instances[row]
		if a.Key.Name != b.Key.Name || a.Index != b.Index || a.Flags&session.FlagTotal != b.Flags&session.FlagTotal {
			t.Errorf("%s: instance %+v instead of %+v", near1.Set.Name, b, a)
		}
		for col, index := range near1.Counters {
			c := &near1.Set.Counters[index]
			other, ok := far1.Set.Counter(c.Name)
			if !c.Type.Displayable() {
				continue
			}
			if !ok || far1.Set.Counters[other].Type != c.Type {
				t.Errorf("%s: %s is not there", near1.Set.Name, c.Name)
				continue
			}
			want := cooker.Cook(c.Type, &near0.Row(row)[col], &near1.Row(row)[col], &near0.Clocks, &near1.Clocks, nil)
			got := cooker.Cook(c.Type, &far0.Row(row)[other], &far1.Row(row)[other], &far0.Clocks, &far1.Clocks, nil)
			x, _ := want.Float()
			y, _ := got.Float()
			if want.Status() != got.Status() || math.Abs(x-y) > 1e-9*math.Abs(x) {
				t.Errorf("%s %s, %s: %v instead of %v", near1.Set.Name, a.Key.Name, c.Name, got, want)
			}
			if got.Valid() {
				compared++
			}
		}
	}
	return compared
}

func TestWrongPasswordIsDenied(t *testing.T) {
	port, _ := serve(t, fake.New(script(), clocktest.New(time.Now(), func() {})), 0)
	_, err := client(t, port, "wrong").Catalogue(t.Context())
	if !errors.Is(err, session.ErrDenied) {
		t.Errorf("%v", err)
	}
}

func TestServerComesBack(t *testing.T) {
	source := fake.New(script(), clocktest.New(time.Now(), func() {}))
	port, stop := serve(t, source, 0)
	s := client(t, port, password)
	cat, err := s.Catalogue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	open := func() (session.Query, error) {
		q, err := s.Open(t.Context())
		if err != nil {
			return nil, err
		}
		return q, q.Select(t.Context(), allOf(cat.Sets))
	}
	var b session.Batch
	q, err := open()
	if err != nil || q.Collect(t.Context(), &b) != nil {
		t.Fatal(err)
	}
	stop()
	var he *session.HostError
	if err := q.Collect(t.Context(), &b); !errors.As(err, &he) || he.Host != "far" {
		t.Errorf("%v", err)
	}
	_ = q.Close()
	if _, err := open(); !errors.As(err, &he) || he.Hint() == "" {
		t.Errorf("%v", err)
	}
	serve(t, source, port)
	if q, err = open(); err != nil {
		t.Fatal(err)
	}
	if err := q.Collect(t.Context(), &b); err != nil || len(b.Sets[0].Readings) == 0 {
		t.Errorf("%v", err)
	}
	_ = q.Close()
}

// A peer that accepts and says nothing must not hold a call beyond its end.
func TestFrozenPeer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s := client(t, l.Addr().(*net.TCPAddr).Port, password)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := s.Catalogue(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

// BenchmarkCollectOverLoopback is a whole collection: server, wire, client.
func BenchmarkCollectOverLoopback(b *testing.B) {
	for _, n := range []int{10, 1000, 20_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			set := fake.Set{Name: "Many", Instances: session.MultipleInstances}
			for i := range 10 {
				set.Counters = append(set.Counters, fake.Counter{Name: fmt.Sprint("Counter ", i), Type: cooker.CounterLargeRawCount})
			}
			for i := range n / 10 {
				set.Rows = append(set.Rows, fake.Row{Name: fmt.Sprint("instance ", i)})
			}
			port, _ := serve(b, fake.New(fake.Script{Name: "host", Sets: []fake.Set{set}}, clocktest.New(time.Now(), func() {})), 0)
			s := client(b, port, password)
			cat, err := s.Catalogue(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			q, err := s.Open(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			if err := q.Select(b.Context(), allOf(cat.Sets)); err != nil {
				b.Fatal(err)
			}
			var batch session.Batch
			b.ReportAllocs()
			for b.Loop() {
				if err := q.Collect(b.Context(), &batch); err != nil || len(batch.Sets[0].Readings) != n {
					b.Fatal(err, len(batch.Sets[0].Readings))
				}
			}
		})
	}
}
