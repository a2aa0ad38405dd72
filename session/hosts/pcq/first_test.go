package pcq

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/wire/rpc"
)

// farHost is a host behind a line of 80 ms: each dial and each call takes its round
// trips of the bubble's time.
type farHost struct {
	*host

	most         int // connections that it allows; 0: any number
	open, busy   atomic.Int32
	widest       atomic.Int32 // calls at once
	dials, calls atomic.Int32
}

const (
	roundTrip = 80 * time.Millisecond
	dialTrips = 4 // TCP, and the three messages of a log-on
)

var errCrowded = errors.New("as many connections as it may have")

func (h *farHost) dial(ctx context.Context) (Conn, error) {
	h.dials.Add(1)
	select {
	case <-time.After(dialTrips * roundTrip):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if n := h.open.Add(1); h.most > 0 && int(n) > h.most {
		h.open.Add(-1)
		return nil, errCrowded
	}
	return &farConn{Conn: conn{h.host}, to: h, mine: make(chan struct{}, 1)}, nil
}

type farConn struct {
	Conn
	to   *farHost
	mine chan struct{} // holds a call; a mutex would stop the bubble's time
	over bool
}

// call takes one round trip, one call of the connection after the other.
func (c *farConn) call() func() {
	c.mine <- struct{}{}
	n := c.to.busy.Add(1)
	for w := c.to.widest.Load(); n > w && !c.to.widest.CompareAndSwap(w, n); w = c.to.widest.Load() {
	}
	c.to.calls.Add(1)
	time.Sleep(roundTrip)
	return func() { c.to.busy.Add(-1); <-c.mine }
}

func (c *farConn) EnumerateCounterSet(ctx context.Context, n uint32) (rpc.Array, error) {
	defer c.call()()
	return c.Conn.EnumerateCounterSet(ctx, n)
}

func (c *farConn) QueryCounterSetRegistrationInfo(ctx context.Context, g [16]byte, code, lcid, n uint32) (rpc.Array, error) {
	defer c.call()()
	return c.Conn.QueryCounterSetRegistrationInfo(ctx, g, code, lcid, n)
}

func (c *farConn) OpenQueryHandle(ctx context.Context) (rpc.Handle, rpc.Code, error) {
	defer c.call()()
	return c.Conn.OpenQueryHandle(ctx)
}

func (c *farConn) QueryCounterInfo(ctx context.Context, h rpc.Handle, n uint32) (rpc.Array, error) {
	defer c.call()()
	return c.Conn.QueryCounterInfo(ctx, h, n)
}

func (c *farConn) QueryCounterData(ctx context.Context, h rpc.Handle, n uint32, b []byte) (rpc.Array, error) {
	defer c.call()()
	return c.Conn.QueryCounterData(ctx, h, n, b)
}

func (c *farConn) ValidateCounters(ctx context.Context, h rpc.Handle, b []byte, add bool) (rpc.Code, error) {
	defer c.call()()
	return c.Conn.ValidateCounters(ctx, h, b, add)
}

func (c *farConn) Close() error {
	if !c.over {
		c.over = true
		c.to.open.Add(-1)
	}
	return c.Conn.Close()
}

// farSets are 150 countersets, of which six in the midst are those of a deck.
func farSets() (sets []*hostSet, first []string) {
	for i := range 150 {
		s := hostOf(byte(i), fmt.Sprint("Set ", i), session.SingleInstance, hostCounter(1, cooker.CounterRawCount), hostCounter(2, cooker.CounterBulkCount))
		if i >= 70 && i < 76 {
			first = append(first, s.info.GUID.String())
		}
		sets = append(sets, s)
	}
	return sets, first
}

// Over 80 ms the first values of a deck come within 1.5 s, and all 150 countersets
// within 6 s, by at most 8 calls at once; also where the host allows fewer connections
// they come.
func TestFirstCatalogueOverALongLine(t *testing.T) {
	sets, first := farSets()
	for _, v := range []struct {
		name         string
		most         int
		lcid         uint32
		value, whole time.Duration
	}{
		{"any number of connections", 0, english, 1500 * time.Millisecond, 6 * time.Second},
		{"another language", 0, 0x407, 1500 * time.Millisecond, 6 * time.Second},
		{"two connections", 2, english, 2500 * time.Millisecond, 40 * time.Second},
	} {
		t.Run(v.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := &farHost{host: &host{sets: sets, german: true}, most: v.most}
				began := time.Now()
				var mu sync.Mutex
				var whole []*session.Catalogue
				var at []time.Duration
				s := New(Options{
					Reach: Reach{
						Host: "far",
						LCID: v.lcid,
						Dial: h.dial,
						Go:   func(f func()) { go f() },
						Refreshed: func(cat *session.Catalogue) {
							mu.Lock()
							defer mu.Unlock()
							whole, at = append(whole, cat), append(at, time.Since(began))
						},
					},
					First: First{GUIDs: first},
					Extra: h.dial,
				})
				defer s.Close()
				cat, err := s.Catalogue(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				q, err := s.Open(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				var wants []session.Want
				for _, set := range cat.Sets {
					wants = append(wants, allOf(set))
				}
				if err := q.Select(t.Context(), wants); err != nil {
					t.Fatal(err)
				}
				var b session.Batch
				if err := q.Collect(t.Context(), &b); err != nil || len(cat.Sets) != len(first) || b.Sets[0].Err != nil || len(b.Sets[0].Readings) != 2 {
					t.Fatalf("%v, %d sets, %+v", err, len(cat.Sets), b.Sets)
				}
				if took := time.Since(began); took > v.value {
					t.Errorf("the first values come after %v", took)
				}
				s.copy.Wait()
				if len(whole) != 2 || len(whole[0].Sets) != len(sets) || len(whole[1].Sets) != len(sets) {
					t.Fatalf("%d catalogues followed", len(whole))
				}
				if at[0] > v.whole {
					t.Errorf("the whole catalogue comes after %v", at[0])
				}
				t.Logf("first catalogue %v, whole %v, texts %v, %d dials, %d calls", len(cat.Sets), at[0], at[1], h.dials.Load(), h.calls.Load())
				if n := h.widest.Load(); n > MaxCalls {
					t.Errorf("%d calls at once", n)
				}
				for _, set := range cat.Sets {
					i := slices.IndexFunc(whole[1].Sets, func(o *session.Counterset) bool { return o.GUID == set.GUID })
					if i < 0 || !whole[1].Sets[i].ReadsLike(set) {
						t.Errorf("%s is another set in the whole catalogue", set.Name)
					}
				}
				_ = q.Close()
				_ = s.Close()
				if n := h.open.Load(); n != 0 {
					t.Errorf("%d connections are left", n)
				}
			})
		})
	}
}
