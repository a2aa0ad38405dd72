package platest

import (
	"testing"
	"testing/synctest"
	"time"

	"perfdeck/session/hosts/pla"
)

// A listing of 50 sets waits for the host at most ten times after the log-ons where calls may
// run side by side, and as often as it has to where not. Waits are counted by the client, and
// here by a line over which nothing but the way takes time.
func TestWaitsOfAListing(t *testing.T) {
	for _, v := range []struct {
		o      Options
		most   int
		first  bool // of the connections' first listing: interfaces may have to be bound to
		listed int
	}{
		{Options{}, 10, true, 50},
		{Options{LateBinding: true}, 10, true, 50},
		{Options{}, 8, false, 50},
		{Options{OneAtATime: true}, 160, true, 50},
	} {
		synctest.Test(t, func(t *testing.T) {
			const oneWay = 50 * time.Millisecond
			v.o.InMemory, v.o.Latency = true, oneWay
			h := filled(t, v.o, 50)
			c := pla.New(h.Dial, h.Port())
			list := func() (waits int, took time.Duration) {
				before, began := h.Waits(), time.Now()
				l, err := c.List(t.Context(), pla.Service)
				if err != nil || len(l.Sets) != v.listed {
					t.Fatalf("%+v, %v", l, err)
				}
				return int(h.Waits() - before), time.Since(began)
			}
			waits, took := list()
			if !v.first {
				waits, took = list()
			}
			ways := int(took / (2 * oneWay))
			if v.first {
				ways -= 2 * 2 // of two log-ons
			}
			if waits > v.most || ways > v.most {
				t.Errorf("%+v: %d waits by the client's count, %d by the line's, at most %d are right", v.o, waits, ways, v.most)
			}
			t.Logf("%d waits by the client's count, %d by the line's", waits, ways)
			settled(t, h)
			_ = c.Close()
			h.Close()
			synctest.Wait()
		})
	}
}
