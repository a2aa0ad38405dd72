package session_test

import (
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/fake"
)

// picture is a deep copy of what a snapshot shows.
func picture(s *session.Snapshot) string {
	out := fmt.Sprintln(s.Host, s.Time, s.State, s.Timeline.First, s.Timeline.Nanos)
	for _, v := range s.Sets {
		out += fmt.Sprintln(v.Set.Name, v.Counters, v.Time, v.Rows, v.FactKeys, v.Facts, v.Err, v.Rate)
		for row := range v.Rows {
			for col := range v.Counters {
				value := v.Value(row, col)
				f, _ := value.Float()
				older, newer, t0, t1, ok := v.Raw(row, col)
				out += fmt.Sprintln(f, value.Status(), v.Series(row, col), ok)
				for _, p := range []*cooker.Reading{older, newer} {
					if p != nil {
						out += fmt.Sprintln(*p)
					}
				}
				for _, p := range []*cooker.Clocks{t0, t1} {
					if p != nil {
						out += fmt.Sprintln(*p)
					}
				}
			}
		}
	}
	return out
}

func busyScript() fake.Script {
	script := crowd(40, func(int) fake.Motion { return fake.Walk(0, 1000, 3*time.Second) })
	set := &script.Sets[0]
	set.Facts = []string{"user"}
	set.Counters[1] = fake.Counter{Name: "other", Type: cooker.Timer100ns, Is: fake.Walk(0, 100, 2*time.Second)}
	for i := range 40 {
		row := &set.Rows[i]
		row.Facts = []string{fmt.Sprint("user", i)}
		if i%4 == 0 {
			row.Alive = fake.Window{To: time.Duration(3+i%5) * time.Second, Every: time.Duration(8+i%5) * time.Second}
		}
	}
	script.Faults = []fake.Fault{{Window: fake.Window{From: 5 * time.Second, To: 6500 * time.Millisecond, Every: 9 * time.Second}, Set: "Set", Err: errLine}}
	return script
}

func busyAsk(r *rig) session.Ask {
	a := r.ask("Set")
	a.Facts = session.FactWant{Keys: []string{"user"}, All: true}
	a.Keep = []session.Keep{{Counters: a.Counters, Busiest: 10, By: 1}}
	return a
}

// A held snapshot stays as it was while the sampler goes on.
func TestHeldSnapshotsDoNotChange(t *testing.T) {
	onHost(t, busyScript(), func(r *rig) {
		f := r.feed(time.Second, busyAsk(r))
		type held struct {
			s    *session.Snapshot
			copy string
		}
		var all []held
		for i := range 160 {
			r.clock.Advance(time.Second)
			s := f.Take()
			if i%7 == 0 && i < 60 {
				all = append(all, held{s, picture(s)})
			} else {
				s.Release()
			}
		}
		for i, h := range all {
			if picture(h.s) != h.copy {
				t.Errorf("snapshot %d changed while it was held", i)
			}
			h.s.Release()
		}
	})
}

// What is released and used again shows the same as what was never released.
func TestReleaseChangesNothing(t *testing.T) {
	run := func(release bool) (pictures []string) {
		onHost(t, busyScript(), func(r *rig) {
			f := r.feed(time.Second, busyAsk(r))
			for range 80 {
				r.clock.Advance(time.Second)
				s := f.Take()
				pictures = append(pictures, picture(s))
				if release {
					s.Release()
				}
			}
		})
		return pictures
	}
	if !slices.Equal(run(true), run(false)) {
		t.Error("re-used memory shows something else")
	}
}

// Readers work on snapshots while the sampler goes on; the race detector
// watches.
func TestReadersBesideTheSampler(t *testing.T) {
	onHost(t, busyScript(), func(r *rig) {
		f := r.feed(time.Second, busyAsk(r))
		queue := make(chan *session.Snapshot, 8)
		var readers sync.WaitGroup
		for range 2 {
			readers.Go(func() {
				for s := range queue {
					if a, b := picture(s), picture(s); a != b {
						t.Error("a snapshot changed while it was read")
					}
					s.Release()
				}
			})
		}
		for range 60 {
			r.clock.Advance(time.Second)
			if s := f.Take(); s != nil {
				queue <- s
			}
		}
		close(queue)
		readers.Wait()
	})
}

// The newest snapshot wins; those that nobody took are not kept.
func TestMailbox(t *testing.T) {
	onHost(t, plain(), func(r *rig) {
		f := r.feed(time.Second, r.ask("Set", "rate"))
		r.clock.Advance(10 * time.Second)
		if n := len(f.Ready()); n != 1 {
			t.Errorf("%d values in the ready channel", n)
		}
		s := r.take(f)
		if at := s.Time.Sub(start); at != 10*time.Second {
			t.Errorf("a snapshot of %v", at)
		}
		if f.Take() != nil {
			t.Error("an older one waited behind it")
		}
	})
}

func TestNilSnapshot(t *testing.T) {
	var s *session.Snapshot
	s.Release()
	v := s.Set(nil)
	if v.Column(0) != -1 || v.Find(session.InstanceKey{}, 0) != -1 {
		t.Error("something was found in nothing")
	}
	if !reflect.DeepEqual((&session.SetView{}).Series(0, 0), session.Series{}) {
		t.Error("history of nothing")
	}
}
