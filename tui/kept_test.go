package tui

import (
	"testing"
	"time"

	"perfdeck/session"
)

// recordedFeed is a feed that has recordings of its host from a moment on.
type recordedFeed struct {
	since time.Time
	own   time.Time // first sample
	saw   []time.Time
}

func (k *recordedFeed) Kept(shown *session.Snapshot) (first, last time.Time) {
	line := shown.Timeline
	k.own = line.At(line.First)
	return k.since, line.At(line.Next() - 1)
}

func (k *recordedFeed) See(at time.Time, _ time.Duration, _ *session.Snapshot) bool {
	k.saw = append(k.saw, at)
	return false
}

func (k *recordedFeed) Looks() bool { return len(k.saw) > 0 && !k.saw[len(k.saw)-1].IsZero() }

func (k *recordedFeed) Source(time.Time) string { return "night.db" }

// Keys go on past the first sample of the screens into what was recorded, as far as that reaches; the header
// names it; whatever leads back to now has the feed show what it samples.
func TestBeforeTheFirstSample(t *testing.T) {
	onScreens(t, rigOptions{}, func(r *rig) {
		k := &recordedFeed{since: start.Add(-10 * time.Minute)}
		r.root.desk.Hosts[0].Kept = k
		r.begin(3)
		_, last := r.root.desk.Sampled()
		r.press("[")
		if at := r.root.desk.At; !at.Equal(last.Add(-time.Minute)) || len(k.saw) != 1 || !k.saw[0].Equal(at) || !at.Before(k.own) {
			t.Fatalf("it shows %v, and has seen %v", at, k.saw)
		}
		r.shows("night.db")
		r.press("{", "{", "{")
		if at := r.root.desk.At; !at.Equal(k.since) {
			t.Errorf("before all that was recorded it shows %v", at)
		}
		for _, key := range []string{".", "]"} {
			r.press(key)
			if key == "]" {
				r.press("[", "]")
			}
			if n := len(k.saw); !r.root.desk.At.IsZero() || !k.saw[n-1].IsZero() {
				t.Errorf("%s: it shows %v, the feed %v", key, r.root.desk.At, k.saw[n-1])
			}
			r.press("[")
		}
	})
}
