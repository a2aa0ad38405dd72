package tui

import (
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
)

// While snapshots come in time the clock does not tick, but what hosts turn to is
// noted; as soon as one is late it does.
func TestClockTicksWhenASnapshotIsLate(t *testing.T) {
	onScreens(t, rigOptions{}, func(r *rig) {
		r.begin(3)
		w, ticks := r.root.watched[0], make(chan tea.Msg, 1)
		tick := r.root.tick()
		go func() { ticks <- tick() }()
		ticked := func() bool {
			synctest.Wait()
			return len(ticks) > 0
		}
		for range 20 {
			time.Sleep(time.Second)
			r.clock.Advance(time.Second)
			<-w.Feed.Ready()
			before := r.root.pacing.attended
			r.root.Update(snapshotReady{w})
			if ticked() {
				r.Fatal("the clock ticked beside the snapshots")
			}
			if r.root.pacing.attended.Equal(before) {
				r.Fatal("nobody looked after the hosts")
			}
		}
		time.Sleep(time.Second)
		if ticked() {
			r.Error("it ticked before a snapshot was late")
		}
		if time.Sleep(lateSnapshot); !ticked() {
			r.Error("it did not tick when a snapshot was late")
		}
	})
}
