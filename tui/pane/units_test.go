package pane

import (
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/tui/kit/kind"
)

// Rows that are compared have the unit of the largest of them, whichever is
// offered first, and follow it in the same tick.
func TestSharedUnits(t *testing.T) {
	read, write := "Disk Read Bytes/sec", "Disk Write Bytes/sec"
	set := &session.Counterset{Name: "PhysicalDisk"}
	for _, name := range []string{read, write} {
		set.Counters = append(set.Counters, session.Counter{Name: name, Type: cooker.CounterBulkCount, Quantity: cooker.Quantity{Kind: cooker.BytesPerSecond}})
	}
	s, now := NewShared(nil), time.Unix(0, 0)
	key := func(c int) SharedKey { return SharedKey{Set: set.Name, Counter: kind.PairName(set.Counters[c].Name)} }
	check := func(a, b float64, want string) {
		t.Helper()
		now = now.Add(time.Second)
		s.Offer(key(0), set, 0, a*1024)
		s.Offer(key(1), set, 1, b*1024)
		s.Settle(now)
		for c := range 2 {
			if u, _, ok := s.Unit(key(c), set, c); !ok || u.Label != want {
				t.Errorf("%v and %v: counter %d is in %q, want %q", a, b, c, u.Label, want)
			}
		}
	}
	check(9999, 500, "MB/s") // as 9.76
	check(627, 95.9*1024, "MB/s")
	for range 4 {
		check(627, 899, "MB/s")
	}
	before := s.Changes()
	check(627, 899, "MB/s")
	check(627, 899, "KB/s")
	if s.Changes() == before {
		t.Error("another unit does not count as a change")
	}
	check(627, 9999, "KB/s")
	check(10000, 3, "MB/s")
	s.Settle(now)
	if _, _, ok := s.Unit(key(0), set, 0); ok {
		t.Error("rows that left still have a unit")
	}
}
