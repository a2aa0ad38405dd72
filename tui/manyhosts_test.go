package tui

import (
	"fmt"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session/clocktest"
	"perfdeck/session/hosts/fake"
)

// Of hundreds of hosts those are asked that are in view; others come when one goes to them.
func TestManyHostsAreAskedInView(t *testing.T) {
	const many = 150
	onScreens(t, rigOptions{hosts: func(c *clocktest.Clock) (hosts []fake.Host) {
		for i := range many {
			name := fmt.Sprintf("srv%03d", i)
			script := fake.Script{Name: name, Seed: uint64(i), Sets: []fake.Set{{Name: "Memory", Counters: []fake.Counter{
				{Name: "Available MBytes", Type: cooker.CounterRawCount, Is: fake.Const(float64(i))},
			}}}}
			hosts = append(hosts, fake.Host{Name: name, Source: fake.New(script, c)})
		}
		return hosts
	}}, func(r *rig) {
		r.pass(5 * time.Second)
		asked := func() (n int) {
			for _, h := range r.root.desk.Hosts {
				if len(r.root.asks(h)) > 0 {
					n++
				}
			}
			return n
		}
		if n := asked(); n == 0 || n > 60 {
			t.Errorf("%d hosts are asked", n)
		}
		before := asked()
		r.shows("srv000")
		for range 40 {
			r.press("tab")
		}
		r.pass(5 * time.Second)
		r.shows("srv040")
		if n := asked(); n <= before || n > 120 {
			t.Errorf("%d hosts are asked, %d before", n, before)
		}
		r.press("z")
		r.pass(5 * time.Second)
		r.shows("srv040", "40    MB")
	})
}
