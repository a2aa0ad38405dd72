package session

import (
	"testing"
	"time"
)

func TestSpellSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{
		12 * time.Millisecond:          "12ms",
		61 * time.Second:               "1m1s",
		125*time.Minute + time.Second:  "2h5m",
		49*time.Hour + 20*time.Minute:  "2d1h",
		time.Hour - time.Nanosecond:    "1h0m0s",
		24*time.Hour - time.Nanosecond: "24h0m",
	} {
		if got := SpellSpan(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}
