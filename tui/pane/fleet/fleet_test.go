package fleet

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/fake"
	"perfdeck/tui/keys"
	"perfdeck/tui/pane"
	"perfdeck/tui/panetest"
)

// few is hosts whose standings differ.
func few() []scripted {
	return []scripted{
		{name: "calm", groups: []string{"fra"}, cpu: fake.Const(12), mem: 33, disk: 0.0021, net: 1 << 20},
		{name: "busy", groups: []string{"fra", "web"}, cpu: fake.Const(97), mem: 77, disk: 0.0412, net: 8 << 20},
		{name: "gone", groups: []string{"ams"}, faults: []fake.Fault{{Err: &session.HostError{Host: "gone", Op: "dial",
			Err: errors.New("dial tcp 10.0.0.9:445: connect: connection refused"), Advice: "open port 445"}}}},
		{name: "locked", groups: []string{"ams"}, faults: []fake.Fault{{Err: fake.Denied("locked")}}},
		{name: "slow", groups: []string{"ams"}, cpu: fake.Const(5),
			faults: []fake.Fault{{Window: fake.Window{From: 10 * time.Second}, Latency: time.Hour}}},
		{name: "middling", cpu: fake.Const(50), mem: 50, disk: 0.001, net: 5 << 20},
	}
}

// What the counters say is in the columns, in their units.
func TestNumbers(t *testing.T) {
	onFleet(t, few(), 120, 34, func(r *rig) {
		r.Begin(5)
		row := r.row("busy")
		for _, want := range []string{"97", "77", "41.2", "32.0"} { // 41.2 ms; 8 MB/s and 24 MB/s
			if !strings.Contains(row, want) {
				t.Errorf("%s is not in %q", want, row)
			}
		}
	})
}

// What interfaces loop back or carry again is no traffic of a host, as on its deck.
func TestNetworkIsWhatIsCarriedOnce(t *testing.T) {
	host := scripted{name: "here", sets: []fake.Set{{
		Name: "Network Interface", V1Index: 510, Instances: session.MultipleInstances,
		Counters: []fake.Counter{{Name: "Bytes Total/sec", Type: cooker.CounterBulkCount, Is: fake.Const(1 << 20)}},
		Rows:     []fake.Row{{Name: "lo", Times: 90}, {Name: "docker0", Times: 50}, {Name: "eth0"}, {Name: "eth1", Times: 2}, {Name: "eth1.100", Times: 40}},
	}}}
	onFleet(t, []scripted{host}, 120, 34, func(r *rig) {
		r.Begin(5)
		if row := strings.TrimSpace(r.row("here")); !strings.HasSuffix(row, " 3.0") {
			t.Errorf("1 and 2 MB/s are shown as %q", row)
		}
		for r.screen.measure != net {
			r.Press("v")
		}
		if list := r.screen.Selected(); len(list) != 1 || list[0].PathOf() != `\Network Interface(eth1)\Bytes Total/sec` {
			t.Errorf("the target is %+v", list)
		}
	})
}

// Two hosts are compared with four keys: the tab's, space twice, enter.
func TestCompare(t *testing.T) {
	onFleet(t, few(), 120, 34, func(r *rig) {
		r.Begin(20)
		r.Press("space", "space")
		if row := r.row("gone"); !strings.Contains(row, "•gone") {
			t.Errorf("a marked host shows no mark: %q", row)
		}
		r.Shows("2 marked")
		r.Press("enter")
		open, ok := r.Last().(pane.OpenHosts)
		if !ok || len(open.Hosts) != 2 || open.Hosts[0].Name != "gone" || open.Hosts[1].Name != "locked" {
			t.Fatalf("enter sends %#v", r.Last())
		}
		if list := r.screen.Selected(); len(list) != 3 || list[1].Host.Name != "gone" || list[2].Host.Name != "locked" {
			t.Errorf("%v are selected", list)
		}
		r.Press("k", "space", "k", "enter") // locked is marked no more
		if one, ok := r.Last().(pane.OpenHost); !ok || one.Host.Name != "gone" {
			t.Errorf("with one mark enter sends %#v", r.Last())
		}
		r.Press("esc", "enter")
		if one, ok := r.Last().(pane.OpenHost); !ok || one.Host.Name != "locked" {
			t.Errorf("without marks enter sends %#v", r.Last())
		}
		r.Press("esc")
		if _, ok := r.Last().(pane.Back); !ok {
			t.Errorf("esc sends %#v", r.Last())
		}
	})
}

// The selected targets name a value that can be charted, of marked hosts too.
func TestTargetsAreValues(t *testing.T) {
	onFleet(t, few(), 120, 34, func(r *rig) {
		r.Begin(5)
		r.Press("G", "k")
		want := map[int]string{cpu: `\Processor Information(_Total)\% Processor Time`, mem: `\Memory\% Committed Bytes In Use`,
			disk: `\PhysicalDisk(_Total)\Avg. Disk sec/Transfer`, net: `\Network Interface(eth1)\Bytes Total/sec`}
		for m := range services {
			list := r.screen.Selected()
			if len(list) != 1 || !list[0].IsValue() || list[0].PathOf() != want[m] {
				t.Errorf("%s: the target is %+v, want %s", measures[m].name, list, want[m])
			}
			r.Press("v")
		}
		r.Press("g")
		if list := r.screen.Selected(); len(list) != 1 || list[0].IsValue() || list[0].Host.Name != "gone" {
			t.Errorf("of a host without values the target is %+v", list)
		}
	})
}

// The mouse selects, opens what is selected, and filters by a group.
func TestMouse(t *testing.T) {
	onFleet(t, few(), 120, 34, func(r *rig) {
		r.Begin(15)
		r.Click("calm")
		if r.screen.host().Name != "calm" {
			t.Fatalf("a click selects %s", r.screen.host().Name)
		}
		r.Click("calm")
		if open, ok := r.Last().(pane.OpenHost); !ok || open.Host.Name != "calm" {
			t.Errorf("a click on the selected host sends %#v", r.Last())
		}
		r.Click("ams")
		if got := r.listed(); !slices.Equal(got, []string{"gone", "locked", "slow"}) {
			t.Errorf("a click on a group shows %v", got)
		}
		r.Click("fra") // its first cell is that of calm
		r.Click("fra")
		if len(r.listed()) != 6 {
			t.Errorf("a second click on a group shows %v", r.listed())
		}
		for cell := range r.screen.lines {
			r.Run(func() { r.screen.Click(pane.Hit{Kind: hitCell, A: cell}, tea.MouseLeft) })
			if r.screen.host() != r.screen.lines[cell].host {
				t.Errorf("cell %d selects %s", cell, r.screen.host().Name)
			}
		}
		r.screen.Filter.Set("calm")
		r.Draw()
		r.Run(func() { r.screen.Click(pane.Hit{Kind: hitCell, A: 1}, tea.MouseLeft) })
		if say, ok := r.Last().(pane.Say); !ok || !strings.Contains(say.Text, "filter") || r.screen.host().Name != "calm" {
			t.Errorf("a click on a hidden host sends %#v", r.Last())
		}
		r.screen.Wheel(pane.Hit{}, 3)
		r.screen.Wheel(pane.Hit{}, -3)
		r.screen.Click(pane.Hit{Kind: pane.HitRow, B: 99}, tea.MouseLeft)
		r.screen.Click(pane.Hit{Kind: hitCell, A: 99}, tea.MouseLeft)
		r.screen.Click(pane.Hit{Kind: hitGroup, A: 99}, tea.MouseLeft)
		r.screen.Click(pane.Hit{Kind: hitHead, A: 99}, tea.MouseLeft)
		r.Draw()
	})
}

// Every zone of the map stands over its host.
func TestMapZones(t *testing.T) {
	onFleet(t, fleetOf(200), 120, 34, func(r *rig) {
		r.Begin(3)
		seen := map[int]bool{}
		for y := 1; y < r.screen.places.chart.H; y++ {
			for x := range 120 {
				if hit, ok := r.Hits.Get(r.Canvas.Hit(x, y)); ok && hit.Kind == hitCell {
					seen[hit.A] = true
				}
			}
		}
		if len(seen) != 200 {
			t.Errorf("the map has %d cells to hit, want 200", len(seen))
		}
	})
}

func TestAddAndRemove(t *testing.T) {
	onFleet(t, few(), 120, 34, func(r *rig) {
		r.Begin(3)
		r.Press("a")
		if err := r.write("  "); err == nil {
			t.Error("no name is accepted")
		}
		r.Press("a")
		if err := r.write(" srv1 tcp://srv2:14500 "); err != nil {
			t.Error(err)
		}
		if add, ok := r.Last().(pane.AddHosts); !ok || add.Names != "srv1 tcp://srv2:14500" {
			t.Errorf("a sends %#v", r.Last())
		}
		r.Press("G", "d")
		if rm, ok := r.Last().(pane.RemoveHost); !ok || rm.Host != r.screen.host() {
			t.Errorf("d sends %#v", r.Last())
		}
	})
}

// The details tell why a host gives nothing and what can be done, or show its
// values with their history.
func TestDetails(t *testing.T) {
	onFleet(t, few(), 120, 34, func(r *rig) {
		r.Begin(5)
		r.Shows("connection refused", "open port 445", "dial")
		r.Press("j")
		r.Shows("Performance Monitor Users")
		r.Press("G", "k")
		if r.screen.host().Name != "calm" {
			t.Fatalf("%s is selected", r.screen.host().Name)
		}
		r.Pass(3)
		r.Shows("% Processor Time _Total", "Avg. Disk sec/Transfer 1 D:", "Bytes Total/sec eth1", "2 logical", "up 41 d")
		r.Shows("Processor Queue Length")
		r.screen.Trouble = judge{"calm": pane.Warning}.worst
		r.Draw()
		r.Shows("▲1")
	})
}

// Only the selected host is asked for more than the columns, and only when the
// selection rests.
func TestAsks(t *testing.T) {
	onFleet(t, fleetOf(20), 120, 34, func(r *rig) {
		r.Begin(3)
		counters := func(h *pane.Host) (n int) {
			for _, a := range r.screen.Asks(h) {
				n += len(a.Counters)
			}
			return n
		}
		for _, h := range r.Desk.Hosts {
			n := counters(h)
			if h != r.screen.host() && n != 4 {
				t.Errorf("%s is asked for %d counters", h.Name, n)
			}
			if h == r.screen.host() && n != 10 {
				t.Errorf("the selected host is asked for %d counters", n)
			}
		}
		r.Press("j", "j", "j")
		if r.screen.AskStale() {
			t.Error("a host that is passed by is asked")
		}
		r.Clock.Advance(askAfter)
		if !r.screen.AskStale() {
			t.Error("the selected host is not asked for its details")
		}
		if stale := r.screen.StaleHosts(); len(stale) != 2 || stale[0] != r.screen.host() {
			t.Errorf("%d hosts are to be asked anew, want the selected one and the one before", len(stale))
		}
		counters(r.screen.host())
		if r.screen.AskStale() || len(r.screen.StaleHosts()) != 1 {
			t.Error("the selected host is asked again and again")
		}
		counters(r.screen.StaleHosts()[0])
		if len(r.screen.StaleHosts()) != 0 {
			t.Error("the host before is asked again and again")
		}
	})
}

// Keys mean one thing each, and those of the root are left to it.
func TestKeys(t *testing.T) {
	s := New(&pane.Desk{Now: time.Now})
	if c := panetest.Conflicts(s.Bindings()); len(c) != 0 {
		t.Errorf("conflicts: %q", c)
	}
	for _, k := range []string{"c", "t", "x", "w", "A", "m", "!", "R", "p", "[", "]", "{", "}", "@", ".", "i", "(", ")", "u", ":", "q", "?"} {
		if b := keys.Match(k, s.Bindings()); b != nil {
			t.Errorf("%s is %s", k, b.Text)
		}
	}
	for _, b := range s.Bindings() {
		if b.Text == "" || b.In() == "" {
			t.Errorf("%v has no text or section", b.Keys)
		}
	}
}
