package pcq_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"sync"
	"testing"
	"testing/synctest"
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

// A wait is a round trip that what comes next waits for. In a bubble nothing but the far
// line takes time, so waits are the bubble's time over that of a round trip.
const wait = 300 * time.Millisecond

// farLine is the network to a host: connections take a round trip to come about, and what is
// written to one arrives half of a round trip later, whatever its size.
type farLine struct {
	accepted chan net.Conn
	over     chan struct{}
	close    sync.Once
}

func (l *farLine) Accept() (net.Conn, error) {
	select {
	case c := <-l.accepted:
		return c, nil
	case <-l.over:
		return nil, net.ErrClosed
	}
}

func (l *farLine) Close() error   { l.close.Do(func() { close(l.over) }); return nil }
func (l *farLine) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 1} }

// dial is an rpc.Transport.
func (l *farLine) dial(context.Context, *rpc.Options) (net.Conn, error) {
	time.Sleep(wait)
	near, nearEnd := net.Pipe()
	far, farEnd := net.Pipe()
	go delay(farEnd, nearEnd)
	go delay(nearEnd, farEnd)
	select {
	case l.accepted <- far:
		return near, nil
	case <-l.over:
		return nil, net.ErrClosed
	}
}

// delay hands on what it reads half a round trip later.
func delay(to, from net.Conn) {
	type piece struct {
		text []byte
		due  time.Time
	}
	way := make(chan piece, 1<<10)
	go func() {
		defer to.Close()
		for p := range way {
			time.Sleep(time.Until(p.due))
			if _, err := to.Write(p.text); err != nil {
				go func() { _, _ = io.Copy(io.Discard, from) }()
			}
		}
	}()
	defer close(way)
	for {
		text := make([]byte, 64<<10)
		n, err := from.Read(text)
		if err != nil {
			return
		}
		way <- piece{text[:n], time.Now().Add(wait / 2)}
	}
}

func farSet(i int) string { return fmt.Sprint("Set ", i) }

// farWaits is a host of 150 countersets behind a far line.
type farWaits struct {
	*testing.T
	began time.Time
	line  *farLine
	whole chan struct{} // closed when the catalogue has all sets
	at    time.Duration // when that was
	texts chan struct{} // closed when it has their texts
}

func newFarWaits(t *testing.T) *farWaits {
	var sets []fake.Set
	for i := range 150 {
		sets = append(sets, fake.Set{Name: farSet(i), Counters: []fake.Counter{
			{Name: "Level", Type: cooker.CounterRawCount, Is: fake.Const(7)}, {Name: "Rate", Type: cooker.CounterBulkCount, Is: fake.Const(7)},
		}})
	}
	accounts := server.Accounts{}
	if err := accounts.Add(user, []byte(password)); err != nil {
		t.Fatal(err)
	}
	f := &farWaits{T: t, line: &farLine{accepted: make(chan net.Conn), over: make(chan struct{})}, whole: make(chan struct{}), texts: make(chan struct{})}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	source := fake.New(fake.Script{Name: "far", Sets: sets}, clocktest.New(time.Now(), func() {}))
	go func() {
		done <- server.Serve(ctx, f.line, server.Options{Source: source, Accounts: accounts, Go: func(f func()) { go f() }})
	}()
	t.Cleanup(func() {
		cancel()
		<-done
		time.Sleep(wait) // what is under way arrives
	})
	f.began = time.Now()
	return f
}

// source reads it as the inventory does.
func (f *farWaits) source(o pcq.Options) *pcq.Source {
	dial := func(ctx context.Context) (pcq.Conn, error) {
		return rpc.Dial(ctx, rpc.Options{Address: rpc.Address{Host: "far", Connect: f.line.dial}, Account: rpc.Account{User: user, Password: smbtest.FixedPassword(password)}})
	}
	var once, worded sync.Once
	o.Reach = pcq.Reach{Host: "far", LCID: 0x409, Dial: dial, Go: func(f func()) { go f() }, CacheDir: o.CacheDir, Refreshed: func(cat *session.Catalogue) {
		if len(cat.Sets) == 150 {
			once.Do(func() { f.at = time.Since(f.began); close(f.whole) })
		}
		if cat.Sets[0].Provider != "" && len(cat.Sets) == 150 {
			worded.Do(func() { close(f.texts) })
		}
	}}
	o.Extra = dial
	s := pcq.New(o)
	f.Cleanup(func() { _ = s.Close() })
	return s
}

// waits are those since the beginning.
func waits(took time.Duration) float64 { return float64(took) / float64(wait) }

// value reads the first value of a set.
func (f *farWaits) value(s *pcq.Source, name string) (cat *session.Catalogue, took time.Duration) {
	f.Helper()
	cat, err := s.Catalogue(f.Context())
	if err != nil {
		f.Fatal(err)
	}
	q, err := s.Open(f.Context())
	if err != nil {
		f.Fatal(err)
	}
	set := cat.Set(name)
	if set == nil {
		f.Fatalf("%s is not there", name)
	}
	var b session.Batch
	if err := q.Select(f.Context(), allOf([]*session.Counterset{set})); err != nil {
		f.Fatal(err)
	}
	if err := q.Collect(f.Context(), &b); err != nil || b.Sets[0].Err != nil || len(b.Sets[0].Readings) == 0 {
		f.Fatalf("%v, %+v", err, b.Sets)
	}
	return cat, time.Since(f.began)
}

// Of a host of 150 countersets by eight calls at once: the first value of a set whose
// identifier is known comes after at most 12 waits, that of any other after 35, and all
// sets after 70.
func TestWaits(t *testing.T) {
	wanted := farSet(90)
	has := func(cat *session.Catalogue) bool { return cat.Set(wanted) != nil }
	own := pcq.First{GUIDs: []string{server.CountersetGUID(wanted).String()}, Names: []string{wanted}, Enough: has}
	for name, c := range map[string]struct {
		first  pcq.First
		kept   bool
		most   float64 // waits for the first value
		sets   int     // of the first catalogue
		follow bool    // the whole one does
	}{
		"known":        {own, false, 12, 1, true},
		"of a deck":    {pcq.First{GUIDs: own.GUIDs}, false, 12, 1, true},
		"kept":         {own, true, 12, 150, false},
		"other":        {pcq.First{Names: []string{"set 90"}, Enough: has}, false, 35, 1, true},
		"all the same": {pcq.First{All: true}, false, 70, 150, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				f := newFarWaits(t)
				o := pcq.Options{First: c.first, Reach: pcq.Reach{CacheDir: dir}}
				if c.kept {
					f.value(f.source(o), wanted)
					<-f.texts
					f.began = time.Now()
				}
				s := f.source(o)
				cat, took := f.value(s, wanted)
				if n := waits(took); n > c.most || len(cat.Sets) != c.sets {
					t.Errorf("a value after %.1f waits, of a catalogue of %d sets", n, len(cat.Sets))
				}
				if !c.follow {
					return
				}
				if <-f.whole; waits(f.at) > 70 {
					t.Errorf("all sets after %.1f waits", waits(f.at))
				}
			})
		})
	}
}

// What the first sets lack is looked for among all, by names in the host's language at last.
func TestWaitsForWhatIsNotThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFarWaits(t)
		s := f.source(pcq.Options{First: pcq.First{Names: []string{"None"}, Enough: func(cat *session.Catalogue) bool { return cat.Set("None") != nil }}})
		if cat, err := s.Catalogue(t.Context()); err != nil || len(cat.Sets) != 150 || waits(time.Since(f.began)) > 70 {
			t.Errorf("%v, %d sets after %.1f waits", err, len(cat.Sets), waits(time.Since(f.began)))
		}
	})
}
