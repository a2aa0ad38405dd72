package session_test

import (
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
)

// TestJoin holds that histories of a recording go on in those of the screens, with all digits and by their own
// times, while rows and raw samples stay those of the moment that is looked at; that what came since has rows which
// were not there then; and that neither of both changes.
func TestJoin(t *testing.T) {
	set := &session.Counterset{Name: "Set", Instances: session.MultipleInstances, Counters: []session.Counter{{Name: "n", Type: cooker.CounterLargeRawCount}}}
	const huge = 1<<40 + 1 // float32 has 24 bits
	key := func(name string) session.Instance { return session.Instance{Key: session.InstanceKey{Name: name}} }
	ask := session.Ask{Set: set, Counters: []int{0}, Keep: []session.Keep{{Counters: []int{0}, Busiest: 9, By: 0}}}
	begun := func() *session.Reel {
		r := new(session.Reel)
		r.Ask([]session.Ask{ask}, func(*session.Counterset) []session.Instance { return nil })
		r.Begin(0, 100)
		return r
	}
	second := func(i int) time.Time { return start.Add(time.Duration(i) * time.Second) }
	add := func(r *session.Reel, i int, names ...string) {
		b := session.SetBatch{Set: set, Counters: ask.Counters}
		for _, name := range names {
			b.Instances, b.Readings = append(b.Instances, key(name)), append(b.Readings, cooker.Reading{Raw: huge + uint64(i), Size: 8})
		}
		r.Add(&session.Batch{Time: second(i), Sets: []session.SetBatch{b}}, session.Rate{Interval: time.Second})
	}
	recorded := begun()
	for i := range 5 {
		add(recorded, i, "a", "went")
	}
	then := recorded.Snapshot("h", second(4), session.HostState{})
	for i := 5; i < 10; i++ {
		add(recorded, i, "a", "came")
	}
	recorded.Extend(then)
	live := begun()
	for i := 8; i < 20; i++ { // two of which were recorded, too
		add(live, i, "a", "new")
	}
	now := live.Snapshot("h", second(19), session.HostState{Phase: session.Live})
	before := picture(then) + picture(now)
	s := session.Join(then, now, second(15))
	if n := len(s.Timeline.Nanos); n != 16 || !s.Timeline.At(s.Timeline.Next()-1).Equal(second(15)) || !s.Time.Equal(second(4)) || s.State.Phase != session.Live {
		t.Fatalf("%d samples to %v, of %v", n, s.Timeline.At(s.Timeline.Next()-1), s.Time)
	}
	for i := range s.Timeline.Nanos {
		if want := second(i); !s.Timeline.At(s.Timeline.First + uint64(i)).Equal(want) {
			t.Fatalf("sample %d is of %v", i, time.Unix(0, s.Timeline.Nanos[i]))
		}
	}
	v := s.Set(set)
	for name, c := range map[string]struct {
		from, to int
		there    bool
	}{"a": {0, 15, true}, "went": {0, 4, true}, "came": {5, 9, false}, "new": {10, 15, false}} {
		row := v.Find(key(name).Key, -1)
		if row < 0 {
			t.Fatalf("%s has no row", name)
		}
		if there := !v.Rows[row].Since.After(s.Time); there != c.there {
			t.Errorf("%s was there: %v", name, there)
		}
		series := v.Series(row, 0)
		for i := range 16 {
			got, has := series.Value(s.Timeline.First+uint64(i)), i >= c.from && i <= c.to
			if got.Valid() != has || has && got != cooker.WholeValue(huge+uint64(i)) {
				t.Errorf("%s at %d: %v", name, i, got)
			}
		}
	}
	if _, newer, _, _, ok := v.Raw(v.Find(key("a").Key, -1), 0); !ok || newer.Raw != huge+4 {
		t.Errorf("its raw sample is %v", newer)
	}
	s.Release()
	if after := picture(then) + picture(now); after != before {
		t.Errorf("they became\n%s of\n%s", after, before)
	}
}
