package sets

import (
	"context"
	"fmt"
	"testing"
	"time"

	"perfdeck/session/record/collectorset"
	"perfdeck/session/record/collectorset/store"
)

// scheduling keeps sets with schedules, each at another minute.
func scheduling(t testing.TB, n int) *Scheduler {
	t.Helper()
	s := store.Open(t.TempDir())
	for i := range n {
		set := collectorset.New(fmt.Sprintf("set %d", i))
		c := collectorset.NewCollector(collectorset.Counters, "A")
		c.Counters = []string{`\Memory\*`}
		set.Collectors = []collectorset.Collector{c}
		set.Schedules = []collectorset.Schedule{{StartTime: collectorset.Clock(60 * i), Days: collectorset.EveryDay}}
		if err := s.Create(&store.Entry{Set: set}); err != nil {
			t.Fatal(err)
		}
	}
	return &Scheduler{store: s, report: func(err error) { t.Error(err) }}
}

// Sets that come, change and go are seen, and are not read again otherwise.
func TestSchedulerSees(t *testing.T) {
	s := scheduling(t, 3)
	var read scheduled
	now := time.Date(2026, 3, 2, 14, 0, 0, 0, time.UTC)
	if due := read.due(s, now); len(due) != 3 || !due["set 1"].Equal(time.Date(2026, 3, 3, 0, 1, 0, 0, time.UTC)) {
		t.Errorf("%v", due)
	}
	before := read.sets["set 1"]
	if read.due(s, now); read.sets["set 1"] != before {
		t.Error("sets that did not change are read again")
	}
	if err := s.store.Delete("set 1"); err != nil {
		t.Fatal(err)
	}
	read.changed = time.Time{} // a file system may not tell two moments apart
	if due := read.due(s, now); len(due) != 2 {
		t.Errorf("after one was deleted: %v", due)
	}
}

// BenchmarkScheduled is what a look at 100 scheduled sets costs, of which there is one in
// 30 seconds.
func BenchmarkScheduled(b *testing.B) {
	s := scheduling(b, 100)
	var read scheduled
	now := time.Date(2026, 3, 2, 14, 0, 0, 0, time.UTC)
	for b.Loop() {
		read.due(s, now)
	}
}

// That a set ended is told.
func TestSchedulerTellsEnds(t *testing.T) {
	s := scheduling(t, 1)
	var told []string
	s.tell = func(text string) { told = append(told, text) }
	end, err := s.store.Hold("run", "set 0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if s.await(ctx, "set 0"); len(told) > 0 {
		t.Errorf("while it runs: %q", told)
	}
	end.Release()
	if s.await(t.Context(), "set 0"); len(told) != 1 {
		t.Errorf("told %q", told)
	}
}
