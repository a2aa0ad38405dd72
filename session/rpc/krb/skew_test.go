package krb

import (
	"testing"
	"time"
)

// The realm's clock is followed, but for what is tolerated.
func TestSync(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	c := &Client{o: Options{Now: func() time.Time { return now }}}
	for i, v := range []struct {
		realm, want time.Duration
		moved       bool
	}{
		{time.Second, 0, false}, {time.Hour, time.Hour, true}, {time.Hour + time.Second, time.Hour, false},
		{time.Second, 0, true}, {-time.Hour, -time.Hour, true}, {0, 0, true},
	} {
		if moved := c.sync(now.Add(v.realm)); moved != v.moved || c.Skew() != v.want {
			t.Errorf("%d: the realm is %v ahead: skew %v, moved %v", i, v.realm, c.Skew(), moved)
		}
	}
}
