package krb

import (
	"testing"
	"time"
)

// The realm's clock is followed, but for what is tolerated.
func TestSync(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	c := &Client{o: Options{Now: func() time.Time { return now }}}
	for i, v := range []struct{ realm, want time.Duration }{
		{time.Second, 0}, {time.Hour, time.Hour}, {time.Hour + time.Second, time.Hour},
		{time.Second, 0}, {-time.Hour, -time.Hour}, {0, 0}, {1000 * time.Hour, 1000 * time.Hour},
	} {
		if c.sync(now.Add(v.realm)); c.Skew() != v.want {
			t.Errorf("%d: the realm is %v ahead: skew %v", i, v.realm, c.Skew())
		}
	}
}

// A clock that nobody has proven holds for the next request, and only within
// bounds.
func TestLean(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	c := &Client{o: Options{Now: func() time.Time { return now }, MaxSkew: 2 * time.Hour}}
	for i, v := range []struct {
		realm, trial time.Duration
		moved        bool
	}{
		{time.Second, 0, false}, {time.Hour, time.Hour, true}, {time.Hour + time.Second, time.Hour, false},
		{3 * time.Hour, time.Hour, false}, {-3 * time.Hour, time.Hour, false}, {1 << 62, time.Hour, false},
		{time.Second, 0, true}, {-2 * time.Hour, -2 * time.Hour, true},
	} {
		if moved := c.lean(now.Add(v.realm)); moved != v.moved || c.trial != v.trial || c.Skew() != 0 {
			t.Errorf("%d: the realm is %v ahead: %v tried, moved %v, skew %v", i, v.realm, c.trial, moved, c.Skew())
		}
	}
	if c.settle(); c.Skew() != -2*time.Hour {
		t.Errorf("proven: %v", c.Skew())
	}
}

// No two authenticators have the same time, whatever the clock's resolution.
func TestStamps(t *testing.T) {
	c := &Client{}
	now := time.Unix(1_700_000_000, 999_999_000)
	seen := map[time.Time]bool{}
	for i := range 100 {
		at := c.stamp(now.Add(time.Duration(i/10) * time.Microsecond))
		if seen[at] || at.Sub(now) > time.Millisecond {
			t.Fatalf("%d: %v", i, at)
		}
		seen[at] = true
	}
	if at := c.stamp(now.Add(-time.Hour)); !at.Equal(now.Add(-time.Hour)) {
		t.Errorf("a clock that was put back: %v", at)
	}
}
