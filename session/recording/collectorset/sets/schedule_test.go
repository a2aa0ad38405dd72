package sets

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"perfdeck/session"
	"perfdeck/session/files/listing"
	"perfdeck/session/recording/collector"
	"perfdeck/session/recording/collectorset"
	"perfdeck/session/recording/collectorset/store"
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

// keeping are Sets that keep a set which starts in ten minutes, made a day before.
func keeping(t *testing.T) (*Sets, *store.Store, time.Time) {
	t.Helper()
	dir := t.TempDir()
	d := New(Options{
		StateDir: func() (string, error) { return dir, nil }, Recordings: func() (string, error) { return collector.RecordingsDir(dir), nil },
		Clock: session.NewSystemClock(), Go: func(do func()) { go do() },
	})
	s, err := d.store()
	if err != nil {
		t.Fatal(err)
	}
	at := time.Now().Add(10 * time.Minute)
	set := collectorset.New("soon")
	c := collectorset.NewCollector(collectorset.Counters, "A")
	c.Counters = []string{`\Memory\*`}
	set.Collectors = []collectorset.Collector{c}
	set.Schedules = []collectorset.Schedule{{StartTime: collectorset.Clock(3600*at.Hour() + 60*at.Minute() + at.Second()), Days: collectorset.EveryDay}}
	before := at.AddDate(0, 0, -1).Add(time.Minute)
	if err := errors.Join(s.Create(&store.Entry{Set: set}), os.Chtimes(filepath.Join(dir, "sets", "soon.xml"), before, before)); err != nil {
		t.Fatal(err)
	}
	return d, s, at
}

// A start that was missed is reported, once, and stands in the list; not before a set had time to start, not
// when it ran, and not of a set that was made since.
func TestMissed(t *testing.T) {
	for name, c := range map[string]struct {
		ran, made bool
		want      int
	}{"nobody started it": {want: 1}, "it ran": {ran: true}, "it was made later": {made: true}} {
		synctest.Test(t, func(t *testing.T) {
			d, s, at := keeping(t)
			ctx, stop := context.WithCancel(t.Context())
			var mu sync.Mutex
			var all []error
			told := func() []error { mu.Lock(); defer mu.Unlock(); return slices.Clone(all) }
			done := make(chan struct{})
			go func() {
				defer close(done)
				d.NewLookout(func(err error) { mu.Lock(); defer mu.Unlock(); all = append(all, err) }).Run(ctx)
			}()
			time.Sleep(10*time.Minute + startsWithin/2)
			if told := told(); len(told) > 0 {
				t.Errorf("%s: too early: %v", name, told)
			}
			if c.ran {
				if err := s.Change("run", "soon", func(e *store.Entry) error { e.State.Began, e.State.Ended = at, time.Now(); return nil }); err != nil {
					t.Fatal(err)
				}
			}
			made := at.AddDate(0, 0, -1)
			if c.made {
				made = at.Add(time.Second)
			}
			if err := os.Chtimes(filepath.Join(filepath.Dir(d.lock()), "sets", "soon.xml"), made, made); err != nil {
				t.Fatal(err)
			}
			time.Sleep(startsWithin)
			stop()
			<-done
			list, err := d.List(nil)
			if told := told(); err != nil || len(list) != 1 || len(told) != c.want || len(d.NewLookout(nil).Missed()) != c.want {
				t.Fatalf("%s: %v, %v, %+v", name, err, told, list)
			}
			if got := strings.Contains(fmt.Sprint(list[0].Findings), "was not started"); got != (c.want > 0) {
				t.Errorf("%s: %+v", name, list[0].Findings)
			}
		})
	}
}

// Recordings that are over stay in the list, the newest first, but those that are gone, and those of sets.
func TestMade(t *testing.T) {
	d, s, _ := keeping(t)
	dir, _ := d.o.Recordings()
	files := t.TempDir()
	var lines []byte
	for i, name := range []string{"old.db", "new.db", "gone.db", "ofset.csv"} {
		file := filepath.Join(files, name)
		if name != "gone.db" {
			if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		m := collector.Made{Written: collector.Written{Name: file, Bytes: 1}, Begin: time.Unix(int64(1000*i), 0), End: time.Unix(int64(1000*i+9), 0), Every: time.Second, Hosts: []collector.MadeHost{{Name: "web01"}}}
		line, err := json.Marshal(&m)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(append(lines, line...), '\n')
	}
	err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "made.jsonl"), lines, 0o600),
		s.Change("run", "soon", func(e *store.Entry) error {
			e.State.Root, e.State.Folders = files, []store.Folder{{Files: []string{"ofset.csv"}}}
			return nil
		}))
	if err != nil {
		t.Fatal(err)
	}
	list, err := d.List(nil)
	var got []string
	for _, r := range list {
		got = append(got, r.Name)
	}
	if err != nil || !slices.Equal(got, []string{"soon", "new.db", "old.db"}) {
		t.Fatalf("%q, %v", got, err)
	}
	if r := list[1]; r.Kind != listing.MadeRecording || r.State != listing.Ended || r.Output != filepath.Join(files, "new.db") || r.Bytes != 1 || r.Ended.Unix() != 1009 {
		t.Errorf("%+v", r)
	}
}
