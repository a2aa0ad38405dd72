package sampling

import (
	"testing"

	"perfdeck/session/record/collector"
)

// Of many hosts that lack samples the worst are named.
func TestMisses(t *testing.T) {
	for _, c := range []struct {
		misses []collector.Miss
		want   string
	}{
		{nil, ""},
		{[]collector.Miss{{Host: "sql04", Samples: 50}}, ": sql04"},
		{[]collector.Miss{{Host: "a", Samples: 1}, {Host: "b\x1b", Samples: 9}}, ": b? (9), a (1)"},
		{[]collector.Miss{{Host: "a", Samples: 1}, {Host: "b", Samples: 1}, {Host: "c", Samples: 1}, {Host: "d", Samples: 1}, {Host: "e", Samples: 1}, {Host: "f", Samples: 1}, {Host: "g", Samples: 1}},
			": a (1), b (1), c (1), d (1), e (1), 2 more"},
	} {
		if got := Misses(collector.Status{Misses: c.misses}); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
