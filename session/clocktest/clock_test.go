package clocktest

import (
	"testing"
	"time"

	"perfdeck/session"
)

// Timers go by the monotonic clock, which sleeping and setting the wall clock leave alone.
func TestClock(t *testing.T) {
	start := time.Date(2026, 3, 2, 3, 12, 0, 0, time.UTC)
	clock := New(start, func() {})
	late, _ := clock.Timer(2 * time.Second)
	early, _ := clock.Timer(time.Second)
	stopped, stop := clock.Timer(time.Second)
	stop()
	clock.Sleep(time.Hour)
	if len(early) != 0 {
		t.Error("a timer went off while the computer slept")
	}
	clock.Step(-30 * time.Minute)
	clock.Advance(1500 * time.Millisecond)
	if len(early) != 1 || len(late) != 0 || len(stopped) != 0 {
		t.Error("the wrong timers went off")
	}
	want := session.Instant{Wall: start.Add(30*time.Minute + 1500*time.Millisecond), Mono: 1500 * time.Millisecond}
	if now := clock.Now(); now != want {
		t.Errorf("the clock shows %v, want %v", now, want)
	}
}
