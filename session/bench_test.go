package session

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"perfdeck/cooker"
)

// manyProcesses is a batch of a Process set as a large host gives it: as many
// instances and counters as asked for, a third of the names shared.
func manyProcesses(instances, counters int) (*Batch, Ask) {
	set := &Counterset{Name: "Process", Instances: MultipleAggregate}
	ask := Ask{Set: set}
	for i := range counters {
		kind := cooker.Timer100ns
		if i%3 == 2 {
			kind = cooker.CounterLargeRawCount
		}
		set.Counters = append(set.Counters, Counter{Name: fmt.Sprint("counter", i), Type: kind})
		ask.Counters = append(ask.Counters, i)
	}
	b := SetBatch{Set: set, Counters: ask.Counters}
	for i := range instances {
		name := fmt.Sprint("process", i)
		if i%3 == 0 {
			name = "svchost"
		}
		b.Instances = append(b.Instances, Instance{Key: InstanceKey{Name: name, ID: uint64(i)}, Number: uint64(i)})
		for range counters {
			b.Readings = append(b.Readings, cooker.Reading{Size: 8})
		}
	}
	ask.Keep = []Keep{{Counters: []int{0}, Busiest: 30, By: 0}}
	return &Batch{Sets: []SetBatch{b}}, ask
}

// BenchmarkTake is the engine's share of a beat: matching, cooking, history
// and the snapshot.
func BenchmarkTake(b *testing.B) {
	for _, size := range []struct{ instances, counters int }{{85, 12}, {2090, 1}, {2090, 12}} {
		b.Run(fmt.Sprintf("%dx%d", size.instances, size.counters), func(b *testing.B) {
			batch, ask := manyProcesses(size.instances, size.counters)
			ask.Keep = append(ask.Keep, Keep{Counters: ask.Counters[:min(5, size.counters)], Recent: true})
			beats := beating(batch, []Ask{ask}, true)
			for range 700 { // until the rings are full
				beats()
			}
			b.ReportAllocs()
			for b.Loop() {
				beats()
			}
		})
	}
}

// beating returns a function that lets one beat pass for a feed of some asks.
// Its snapshots are taken and released, or left in the mailbox.
func beating(batch *Batch, asks []Ask, taken bool) func() {
	s := NewSampler("host", nil, NewSystemClock())
	f := s.Feed(FeedOptions{Every: time.Second, History: 10 * time.Minute})
	f.Ask(asks)
	now := Instant{Wall: time.Unix(1_000_000, 0)}
	f.update(now)
	var shown *Snapshot
	return func() {
		now.Wall, now.Mono = now.Wall.Add(time.Second), now.Mono+time.Second
		batch.Time = now.Wall
		for s := range batch.Sets {
			set := &batch.Sets[s]
			set.Clocks.Time100ns += 1e7
			for i := range set.Readings {
				set.Readings[i].Raw += uint64(i * i % 1000)
			}
		}
		f.receive(batch, now, true, HostState{Phase: Live})
		if taken { // the one before is shown until then
			shown.Release()
			shown = f.Take()
		}
	}
}

// BenchmarkAskAgain is an ask for the same rows and facts as before.
func BenchmarkAskAgain(b *testing.B) {
	_, ask := manyProcesses(90, 12)
	var rows []InstanceKey
	for i := range 90 {
		rows = append(rows, InstanceKey{Name: fmt.Sprint("process", i), ID: uint64(i)})
	}
	ask.Facts = FactWant{Keys: []string{"user"}, Rows: rows}
	ask.Keep[0].Rows = rows
	f := NewSampler("host", nil, NewSystemClock()).Feed(FeedOptions{Every: time.Second, History: time.Minute})
	f.Ask([]Ask{ask})
	again := cloneAsks([]Ask{ask})
	b.ReportAllocs()
	for b.Loop() {
		f.Ask(again)
	}
}

// In steady state nothing is allocated for an instance: a host with ten times
// as many costs no allocation more.
func TestNothingAllocatedPerInstance(t *testing.T) {
	allocs := func(instances int, taken bool) float64 {
		batch, ask := manyProcesses(instances, 4)
		ask.Keep = append(ask.Keep, Keep{Counters: ask.Counters, Recent: true})
		beats := beating(batch, []Ask{ask}, taken)
		for range 700 {
			beats()
		}
		return testing.AllocsPerRun(50, beats)
	}
	for _, taken := range []bool{true, false} {
		few, many := allocs(60, taken), allocs(600, taken)
		if many > few+2 || many > 8 {
			t.Errorf("taken %v: %v allocations a beat for 60 instances, %v for 600", taken, few, many)
		}
	}
}

// Nor for countersets of different sizes: each finds buffers that fit.
func TestNothingAllocatedPerCounterset(t *testing.T) {
	all, asks := &Batch{}, []Ask(nil)
	for _, instances := range []int{600, 1, 5, 40, 2, 1, 90, 1} {
		batch, ask := manyProcesses(instances, 4)
		all.Sets, asks = append(all.Sets, batch.Sets...), append(asks, ask)
	}
	beats := beating(all, asks, true)
	for range 700 {
		beats()
	}
	bytes := func() (n uint64) {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.TotalAlloc
	}
	before := bytes()
	const times = 50
	for range times {
		beats()
	}
	if each := (bytes() - before) / times; each > 4096 {
		t.Errorf("%d bytes allocated a beat", each)
	}
}

// BenchmarkFollow finds the values of 10,000 questions, each about one instance, in a
// sample of 100 countersets.
func BenchmarkFollow(b *testing.B) {
	cat, snap := &Catalogue{}, &Snapshot{}
	f := &Follower{}
	for i := range 100 {
		set := &Counterset{Name: fmt.Sprint("Set ", i), Instances: MultipleInstances}
		view := &SetView{Set: set, Values: make([]cooker.Value, 100)}
		for c := range 10 {
			set.Counters = append(set.Counters, Counter{Name: fmt.Sprint("Counter ", c), Type: cooker.CounterRawCount})
			view.Counters = append(view.Counters, c)
			view.Rows = append(view.Rows, Row{Instance: Instance{Key: InstanceKey{Name: fmt.Sprint("Instance ", c), ID: uint64(c) + 1}}})
		}
		cat.Sets, snap.Sets = append(cat.Sets, set), append(snap.Sets, view)
		for n := range 100 {
			f.questions = append(f.questions, Question{Text: fmt.Sprintf(`\Set %d(Instance %d)\Counter %d`, i, n/10, n%10)})
		}
	}
	f.find(cat)
	a := &Answer{}
	b.ReportAllocs()
	for b.Loop() {
		*a = Answer{Cells: a.Cells[:0], Unmet: a.Unmet[:0]}
		f.pick(snap, a)
	}
	if len(a.Cells) != 10_000 {
		b.Fatal(len(a.Cells))
	}
}
