package merged

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/fake"
)

// other knows two countersets, one of which the host has, too. It is as slow and as broken as
// a test says.
type other struct {
	*fake.Source

	mu    sync.Mutex
	slow  time.Duration
	err   error
	calls int
	bands []session.Valued
}

func (o *other) call(ctx context.Context) error {
	o.mu.Lock()
	slow, err := o.slow, o.err
	o.calls++
	o.mu.Unlock()
	if !session.Sleep(ctx, slow) {
		return context.Cause(ctx)
	}
	return err
}

func (o *other) set(slow time.Duration, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.slow, o.err = slow, err
}

func (o *other) Catalogue(ctx context.Context) (*session.Catalogue, error) {
	if err := o.call(ctx); err != nil {
		return nil, err
	}
	return o.Source.Catalogue(ctx)
}

func (o *other) Open(ctx context.Context) (session.Query, error) {
	q, err := o.Source.Open(ctx)
	return &otherQuery{q, o}, err
}

type otherQuery struct {
	session.Query
	of *other
}

func (q *otherQuery) Collect(ctx context.Context, b *session.Batch) error {
	if err := q.of.call(ctx); err != nil {
		return err
	}
	return q.Query.Collect(ctx, b)
}

func (o *other) Bands(_ context.Context, of []session.Valued, from, _ time.Time, _ time.Duration) ([][]session.Band, error) {
	o.bands = of
	out := make([][]session.Band, len(of))
	for i, v := range of {
		out[i] = []session.Band{{End: from.UnixNano(), Mean: float64(v.Counter)}}
	}
	return out, nil
}

func setOf(name string, value float64, counters ...string) fake.Set {
	out := fake.Set{Name: name}
	for _, c := range counters {
		out.Counters = append(out.Counters, fake.Counter{Name: c, Type: cooker.CounterLargeRawCount, Is: fake.Const(value)})
	}
	return out
}

// rig is a host with Memory, and what another knows: Memory and Mail.
func rig(t *testing.T) (*Source, *other) {
	t.Helper()
	clock := session.NewSystemClock()
	host := fake.New(fake.Script{Name: "srv", Sets: []fake.Set{setOf("Memory", 1, "Free", "Used")}}, clock)
	o := &other{Source: fake.New(fake.Script{Name: "srv", Sets: []fake.Set{setOf("Memory", 2, "Used"), setOf("Mail", 3, "Queue")}}, clock)}
	s := New(Options{Host: host, Other: o, Name: "Prometheus at db:9090", Go: func(f func()) { go f() }})
	t.Cleanup(func() {
		_ = s.Close()
		synctest.Wait()
	})
	return s, o
}

func names(c *session.Catalogue) string {
	var out []string
	for _, s := range c.Sets {
		out = append(out, s.Name)
	}
	return strings.Join(out, " ")
}

func opened(t *testing.T, s *Source) (session.Query, *session.Batch) {
	t.Helper()
	cat, err := s.Catalogue(t.Context())
	if err != nil || names(cat) != "Memory Mail" {
		t.Fatalf("%v, %v", cat, err)
	}
	q, err := s.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Select(t.Context(), []session.Want{{Set: cat.Sets[0], Counters: []int{0}}, {Set: cat.Sets[1], Counters: []int{0}}}); err != nil {
		t.Fatal(err)
	}
	return q, new(session.Batch)
}

// values are what was read: by counterset, empty where nothing was.
func values(t *testing.T, q session.Query, b *session.Batch, due bool) (memory, mail uint64, failed error) {
	t.Helper()
	b.Due = []bool{true, due}
	if err := q.Collect(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	value := func(i int) uint64 {
		if !b.IsDue(i) || len(b.Sets[i].Readings) == 0 {
			return 0
		}
		return b.Sets[i].Readings[0].Raw
	}
	if b.IsDue(1) {
		failed = b.Sets[1].Err
	}
	return value(0), value(1), failed
}

// Both are one host: what the host has is read there, what only the other has of that.
func TestBothAreOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, o := rig(t)
		q, b := opened(t, s)
		if memory, mail, err := values(t, q, b, true); memory != 1 || mail != 3 || err != nil {
			t.Errorf("%d, %d, %v", memory, mail, err)
		}
		if memory, mail, _ := values(t, q, b, false); memory != 1 || mail != 0 {
			t.Errorf("%d, %d though it is not due", memory, mail)
		}
		b.Due = nil // all is due, and waited for
		o.set(5*time.Second, nil)
		if err := q.Collect(t.Context(), b); err != nil || b.Sets[1].Readings[0].Raw != 3 {
			t.Errorf("%v, %+v", err, b.Sets[1])
		}
		if err := q.Close(); err != nil {
			t.Error(err)
		}
	})
}

// A slow other holds nothing up: its values come when they are due again, and it is not asked
// twice at once.
func TestSlowOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, o := rig(t)
		q, b := opened(t, s)
		o.set(2500*time.Millisecond, nil)
		var got []uint64
		for range 8 {
			began := time.Now()
			memory, mail, err := values(t, q, b, true)
			if took := time.Since(began); memory != 1 || err != nil || took > soon {
				t.Errorf("%d, %v after %v", memory, err, took)
			}
			got = append(got, mail)
			time.Sleep(time.Second - time.Since(began))
		}
		if o.calls > 4 || got[0] != 0 || got[3] != 3 {
			t.Errorf("%v, asked %d times", got, o.calls)
		}
		if err := q.Close(); err != nil {
			t.Error(err)
		}
	})
}

// An other that fails is told, and the host goes on.
func TestOtherFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, o := rig(t)
		q, b := opened(t, s)
		broken := errors.New("connection refused")
		o.set(0, broken)
		if memory, _, err := values(t, q, b, true); memory != 1 || !errors.Is(err, broken) || !strings.Contains(err.Error(), "Prometheus at db:9090") {
			t.Errorf("%d, %v", memory, err)
		}
		o.set(0, nil)
		if memory, mail, err := values(t, q, b, true); memory != 1 || mail != 3 || err != nil {
			t.Errorf("%d, %d, %v", memory, mail, err)
		}
	})
}

// A catalogue of the other's that comes late is added when it comes, and what is lacking until
// then is told.
func TestLateCatalogue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, o := rig(t)
		broken := errors.New("connection refused")
		o.set(0, broken)
		renewed := make(chan *session.Catalogue, 1)
		s.RenewTo(func(c *session.Catalogue) { renewed <- c })
		began := time.Now()
		cat, err := s.Catalogue(t.Context())
		if err != nil || names(cat) != "Memory" || time.Since(began) > patience {
			t.Errorf("%v, %v after %v", cat, err, time.Since(began))
		}
		if w := s.Warnings(); len(w) != 1 || !errors.Is(w[0], broken) {
			t.Errorf("%v", w)
		}
		if _, err := s.Bands(t.Context(), []session.Valued{{Set: cat.Sets[0]}}, began, began, time.Second); !errors.Is(err, broken) {
			t.Errorf("%v", err)
		}
		o.set(0, nil)
		if cat = <-renewed; names(cat) != "Memory Mail" || len(s.Warnings()) != 0 {
			t.Errorf("%s, %v", names(cat), s.Warnings())
		}
		again, err := s.Catalogue(t.Context())
		if err != nil || again != cat {
			t.Errorf("another catalogue of the same: %v", err)
		}
	})
}

// Closing ends what is under way.
func TestCloseEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, o := rig(t)
		q, b := opened(t, s)
		o.set(time.Hour, nil)
		values(t, q, b, true)
		began := time.Now()
		_ = q.Close()
		_ = s.Close()
		synctest.Wait()
		if took := time.Since(began); took > time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

// The past of what the host has is that of the other's counter of its name.
func TestBandsByName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, o := rig(t)
		cat, err := s.Catalogue(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		memory, mail := cat.Sets[0], cat.Sets[1]
		bands, err := s.Bands(t.Context(), []session.Valued{
			{Set: memory, Counter: 0}, {Set: memory, Counter: 1}, {Set: memory, Counter: 1, Key: session.InstanceKey{ID: 7}}, {Set: mail},
		}, time.Now(), time.Now(), time.Second)
		if err != nil || len(bands) != 4 || len(bands[0]) != 0 || len(bands[1]) != 1 || len(bands[2]) != 0 || len(bands[3]) != 1 {
			t.Fatalf("%v, %v", bands, err)
		}
		if len(o.bands) != 2 || o.bands[0].Set == memory || o.bands[0].Counter != 0 || o.bands[1].Set != mail {
			t.Errorf("%+v", o.bands)
		}
	})
}
