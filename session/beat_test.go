package session

import (
	"testing"
	"time"
)

func TestBeat(t *testing.T) {
	const every = time.Second
	wall := time.Date(2026, 3, 2, 14, 7, 32, 0, time.UTC)
	at := func(mono, step time.Duration) Instant { return Instant{Wall: wall.Add(mono + step), Mono: mono} }
	for _, c := range []struct {
		name   string
		now    Instant
		missed int
		gap    bool
		next   time.Duration
	}{
		{"on time", at(6*every, 0), 0, false, 7 * every},
		{"a little late", at(6*every+every/3, 0), 0, false, 7 * every},
		{"almost a beat late", at(7*every-1, 0), 0, false, 7 * every},
		{"a beat late", at(7*every, 0), 1, false, 8 * every},
		{"three beats late", at(9*every+every/2, 0), 3, false, 10 * every},
		{"close to the next after two missed", at(8*every+every*9/10, 0), 3, false, 10 * every},
		{"four beats late", at(10*every, 0), 4, true, 11 * every},
		{"clock disciplined", at(6*every, 200*time.Millisecond), 0, false, 7 * every},
		{"suspended", at(6*every, time.Minute), 0, true, 7 * every},
		{"clock set back", at(6*every, -time.Minute), 0, true, 7 * every},
	} {
		b := beat{every: every}
		b.start(at(0, 0))
		for i := range 5 {
			b.tick(at(time.Duration(i+1)*every, 0))
		}
		if b.due(at(6*every-1, 0)) || !b.due(c.now) {
			t.Errorf("%s: due at the wrong time", c.name)
		}
		missed, gap := b.tick(c.now)
		if missed != c.missed || gap != c.gap || b.next != c.next {
			t.Errorf("%s: missed %d, gap %v, next %v, want %d, %v, %v", c.name, missed, gap, b.next, c.missed, c.gap, c.next)
		}
	}
}

// The first tick comes after about an interval, and beats of all intervals
// meet at their common multiples.
func TestBeatsMeet(t *testing.T) {
	for _, every := range []time.Duration{100 * time.Millisecond, time.Second, 1500 * time.Millisecond, 5 * time.Second, time.Minute} {
		for origin := time.Duration(0); origin < 2*every; origin += every / 7 {
			b := beat{every: every}
			b.start(Instant{Wall: time.Unix(1, 0), Mono: origin})
			if wait := b.next - origin; wait < every/2 || wait >= every*3/2 {
				t.Errorf("each %v from %v: first tick after %v", every, origin, wait)
			}
			if b.next%every != 0 {
				t.Errorf("each %v from %v: tick at %v", every, origin, b.next)
			}
		}
	}
}

// When the phase changes, beats of all intervals come after it from the next on, and meet
// there.
func TestBeatsTakePhase(t *testing.T) {
	const phase = 1_234_567 * time.Microsecond
	for _, every := range []time.Duration{100 * time.Millisecond, time.Second, 5 * time.Second} {
		b := beat{every: every}
		b.start(Instant{Wall: time.Unix(1, 0)})
		for n := range 5 {
			was := b.next
			now := Instant{Wall: time.Unix(1, 0).Add(was), Mono: was, Phase: phase}
			if missed, gap := b.tick(now); missed != 0 || gap {
				t.Errorf("each %v, tick %d: missed %d, gap %v", every, n, missed, gap)
			}
			if (b.next-phase)%every != 0 {
				t.Errorf("each %v, tick %d: the next comes at %v", every, n, b.next)
			}
			if wait := b.next - was; wait < every || wait >= 2*every || n > 0 && wait != every {
				t.Errorf("each %v, tick %d: the next comes after %v", every, n, wait)
			}
		}
	}
}
