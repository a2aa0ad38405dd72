package fake

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/clocktest"
)

var start = time.Date(2026, 3, 2, 14, 7, 32, 0, time.UTC)

func stillClock() *clocktest.Clock { return clocktest.New(start, func() {}) }

// open opens a query on all counters of all sets of a source.
func open(t testing.TB, s *Source) (session.Query, []session.Want) {
	t.Helper()
	cat, err := s.Catalogue(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	q, err := s.Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var wants []session.Want
	for _, set := range cat.Sets {
		w := session.Want{Set: set, Facts: session.FactWant{Keys: set.Facts, All: true}}
		for i := range set.Counters {
			w.Counters = append(w.Counters, i)
		}
		wants = append(wants, w)
	}
	if err := q.Select(context.Background(), wants); err != nil {
		t.Fatal(err)
	}
	return q, wants
}

func collect(t testing.TB, q session.Query) *session.Batch {
	t.Helper()
	b := new(session.Batch)
	if err := q.Collect(context.Background(), b); err != nil {
		t.Fatal(err)
	}
	return b
}

// cook cooks a counter of an instance from two batches.
func cook(older, newer *session.SetBatch, row, col int) cooker.Value {
	return cooker.Cook(newer.Set.Counters[newer.Counters[col]].Type,
		&older.Row(row)[col], &newer.Row(row)[col], &older.Clocks, &newer.Clocks, nil)
}

// Cooking what the source gives is to give back the scripted value, for every
// type that shows one.
func TestEveryTypeCooksToItsMotion(t *testing.T) {
	const value = 37.0
	var counters []Counter
	for _, info := range cooker.Types() {
		if info.Samples > 0 && !info.Type.IsText() && info.Type != cooker.CounterComposite {
			counters = append(counters, Counter{Name: info.Name, Type: info.Type, Is: Const(value), Per: Const(200)})
		}
	}
	if len(counters) < 28 {
		t.Fatalf("only %d types", len(counters))
	}
	clock := stillClock()
	q, _ := open(t, New(Script{Name: "h", Sets: []Set{{Name: "all", Counters: counters}}}, clock))
	older := collect(t, q)
	clock.Advance(1300 * time.Millisecond)
	newer := collect(t, q)
	for col, c := range newer.Sets[0].Set.Counters {
		if !c.Type.Displayable() {
			if c.Attributes != cooker.NoDisplay {
				t.Errorf("%s is not hidden", c.Name)
			}
			continue
		}
		v := cook(&older.Sets[0], &newer.Sets[0], 0, col)
		got, ok := v.Float()
		tolerance := 0.01 + oneCount(&older.Sets[0], &newer.Sets[0], col, got)
		if !ok || math.Abs(got-value) > tolerance {
			t.Errorf("%s: %v %v, want %v", c.Type, got, v.Status(), value)
		}
	}
}

// oneCount is how much a number moves by the smallest step of what it is made of: counts
// are whole.
func oneCount(older, newer *session.SetBatch, col int, got float64) (most float64) {
	r := &newer.Row(0)[col]
	was := *r
	for _, step := range []cooker.Reading{{Raw: was.Raw + 1, Base: was.Base}, {Raw: was.Raw, Base: was.Base + 1}} {
		r.Raw, r.Base = step.Raw, step.Base
		if f, ok := cook(older, newer, 0, col).Float(); ok {
			most = max(most, math.Abs(f-got))
		}
	}
	*r = was
	return most
}

func TestTotals(t *testing.T) {
	script := Script{Name: "h", Sets: []Set{{
		Name: "s", Instances: session.MultipleAggregate,
		Counters: []Counter{
			{Name: "sum", Type: cooker.Timer100ns, Is: Const(10)},
			{Name: "mean", Type: cooker.Timer100nsInv, Is: Const(10), Mean: true},
		},
		Rows: []Row{{Name: "a"}, {Name: "b", Times: 3}, {Name: "_Total", Flags: session.FlagTotal}},
	}}}
	clock := stillClock()
	q, _ := open(t, New(script, clock))
	older := collect(t, q)
	clock.Advance(time.Second)
	newer := collect(t, q)
	for col, want := range []float64{40, 20} {
		if got, _ := cook(&older.Sets[0], &newer.Sets[0], 2, col).Float(); math.Abs(got-want) > 1e-3 {
			t.Errorf("total of column %d is %v, want %v", col, got, want)
		}
	}
}

func TestSameScriptSameReadings(t *testing.T) {
	read := func() []cooker.Reading {
		clock := stillClock()
		host := Demo(clock)[0]
		q, _ := open(t, host.Source.(*Source))
		clock.Advance(95 * time.Second)
		var all []cooker.Reading
		for _, s := range collect(t, q).Sets {
			all = append(all, s.Readings...)
		}
		return all
	}
	if a, b := read(), read(); !slices.Equal(a, b) {
		t.Error("two runs of one script differ")
	}
}

func TestChurnAndRestart(t *testing.T) {
	script := Script{Name: "h",
		Sets: []Set{{
			Name: "s", Instances: session.MultipleInstances,
			Counters: []Counter{{Name: "n", Type: cooker.CounterBulkCount, Is: Const(1e6)}},
			Rows: []Row{
				{Name: "x"}, {Name: "x", Number: 40, Alive: Window{From: 2 * time.Second, To: 4 * time.Second, Every: 10 * time.Second}}, {Name: "x"},
			},
		}},
		Faults: []Fault{{Window: Window{From: 20 * time.Second, To: 21 * time.Second}, Restart: true}},
	}
	clock := stillClock()
	q, _ := open(t, New(script, clock))
	one := collect(t, q).Sets[0]
	if len(one.Instances) != 2 || one.Instances[1].Index != 1 {
		t.Fatalf("rows at 0 s: %+v", one.Instances)
	}
	clock.Advance(3 * time.Second)
	two := collect(t, q).Sets[0]
	clock.Advance(10 * time.Second)
	three := collect(t, q).Sets[0]
	if len(two.Instances) != 3 || len(three.Instances) != 3 {
		t.Fatalf("%d and %d rows, want 3", len(two.Instances), len(three.Instances))
	}
	if a, b := two.Instances[1], three.Instances[1]; a.Key.Name != b.Key.Name || a.Key.ID == b.Key.ID || a.Number == b.Number {
		t.Errorf("what came again is the same instance: %+v %+v", a, b)
	}
	if a, b := two.Instances[2], three.Instances[2]; a != b || a.Index != 2 {
		t.Errorf("what stayed is another instance: %+v %+v", a, b)
	}
	clock.Advance(10 * time.Second)
	if err := q.Collect(context.Background(), new(session.Batch)); err == nil {
		t.Fatal("a query survived the restart of the host")
	}
}

func TestQueryAfterRestart(t *testing.T) {
	script := Script{Name: "h",
		Sets: []Set{{Name: "s", Instances: session.MultipleInstances, Rows: []Row{{Name: "x"}},
			Counters: []Counter{{Name: "n", Type: cooker.CounterBulkCount, Is: Const(1e6)}}}},
		Faults: []Fault{{Window: Window{From: 5 * time.Second}, Set: "s", Restart: true}},
	}
	clock := stillClock()
	q, _ := open(t, New(script, clock))
	before := collect(t, q).Sets[0]
	clock.Advance(6 * time.Second)
	after := collect(t, q).Sets[0]
	if after.Readings[0].Raw >= before.Readings[0].Raw || after.Instances[0].Key.ID == before.Instances[0].Key.ID {
		t.Errorf("no restart: %+v, %+v", before, after)
	}
}

func TestFaults(t *testing.T) {
	broken := errors.New("broken")
	script := Script{Name: "h",
		Sets: []Set{{Name: "s", Counters: []Counter{{Name: "a", Is: Const(1)}, {Name: "b", Is: Const(2)}, {Name: "c", Absent: "not on this system"}}}},
		Faults: []Fault{
			{Window: Window{From: time.Second, To: 2 * time.Second}, Set: "s", Err: broken},
			{Window: Window{From: 2 * time.Second, To: 3 * time.Second}, Set: "s", Counter: "b", State: cooker.Denied},
			{Window: Window{From: 3 * time.Second, To: 4 * time.Second}, Err: broken},
		},
	}
	clock := stillClock()
	q, _ := open(t, New(script, clock))
	if r := collect(t, q).Sets[0].Readings; r[0].State != cooker.OK || r[2].State != cooker.Unavailable {
		t.Errorf("readings %+v", r)
	}
	clock.Advance(time.Second)
	if b := collect(t, q); !errors.Is(b.Sets[0].Err, broken) || len(b.Sets[0].Readings) != 0 {
		t.Errorf("set error %v", b.Sets[0].Err)
	}
	clock.Advance(time.Second)
	if r := collect(t, q).Sets[0].Readings; r[0].State != cooker.OK || r[1].State != cooker.Denied {
		t.Errorf("readings %+v", r)
	}
	clock.Advance(time.Second)
	if err := q.Collect(context.Background(), new(session.Batch)); !errors.Is(err, broken) {
		t.Errorf("host error %v", err)
	}
}

func TestHangEndsWithContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := clocktest.New(start, synctest.Wait)
		source := New(Script{Name: "h", Faults: []Fault{{Hang: true}}}, clock)
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		go func() {
			_, err := source.Catalogue(ctx)
			done <- err
		}()
		clock.Advance(24 * time.Hour)
		if clock.Waiting() != 1 || len(done) != 0 {
			t.Error("it does not hang")
		}
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		if clock.Waiting() != 0 {
			t.Error("a timer was left behind")
		}
	})
}

// Every counter of the demo has a value after two collections, and nothing is
// out of its range.
func TestDemo(t *testing.T) {
	clock := stillClock()
	for _, host := range Demo(clock) {
		if host.Name == "sql04" {
			if _, err := host.Source.Catalogue(context.Background()); !errors.Is(err, session.ErrDenied) {
				t.Errorf("sql04 answers: %v", err)
			}
			continue
		}
		source := host.Source.(*Source)
		source.script.Faults = nil // on a clock that stands still, an answer that takes time never comes
		q, _ := open(t, source)
		older := collect(t, q)
		for range 3 {
			clock.Advance(time.Second)
			newer := collect(t, q)
			for i := range newer.Sets {
				checkSet(t, &older.Sets[i], &newer.Sets[i])
			}
			older = newer
		}
	}
}

func checkSet(t *testing.T, older, newer *session.SetBatch) {
	t.Helper()
	for row, in := range newer.Instances {
		for col, c := range newer.Set.Counters {
			if !c.Type.Displayable() {
				continue
			}
			v := cook(older, newer, row, col)
			f, ok := v.Float()
			if !ok && v.Status() != cooker.ZeroBase {
				t.Errorf("%s(%s)\\%s: %v", newer.Set.Name, in.Key.Name, c.Name, v.Status())
			}
			if c.Name == "Available MBytes" && f < 100 {
				t.Errorf("only %v MB available", f)
			}
			if newer.Set.Name == "Processor" && c.Quantity.Kind == cooker.Percent && (f < 0 || f > 100) {
				t.Errorf("%s(%s)\\%s is %v %%", newer.Set.Name, in.Key.Name, c.Name, f)
			}
		}
	}
}

func BenchmarkCollectDemo(b *testing.B) {
	clock := stillClock()
	q, _ := open(b, Demo(clock)[0].Source.(*Source))
	batch := new(session.Batch)
	b.ReportAllocs()
	for b.Loop() {
		clock.Advance(time.Second)
		if err := q.Collect(context.Background(), batch); err != nil {
			b.Fatal(err)
		}
	}
}
