package backoff_test

import (
	"slices"
	"testing"
	"time"

	"perfdeck/session/system/backoff"
)

func TestPauses(t *testing.T) {
	for _, c := range []struct {
		p    backoff.Pauses
		want []time.Duration
	}{
		{backoff.Pauses{First: 1, Most: 9}, []time.Duration{1, 2, 4, 8, 9, 9}},
		{backoff.Pauses{First: 5, Most: 60, Once: 1}, []time.Duration{1, 5, 10, 20, 40, 60, 60}},
		{backoff.Pauses{First: 9, Most: 4}, []time.Duration{4, 4}},
	} {
		for range 2 {
			var got []time.Duration
			for range c.want {
				got = append(got, c.p.Next())
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%+v: %v, want %v", c.p, got, c.want)
			}
			c.p.Reset()
		}
	}
}

func TestSpread(t *testing.T) {
	p := backoff.Pauses{First: time.Second, Most: time.Minute, Spread: true}
	plain := p
	plain.Spread = false
	seen := map[time.Duration]bool{}
	for range 100 {
		least, got := plain.Next(), p.Next()
		if got < least || got > least+least/4 {
			t.Fatalf("%v, want %v and a quarter more at most", got, least)
		}
		seen[got] = true
	}
	if len(seen) < 50 {
		t.Errorf("only %d different ones", len(seen))
	}
}
