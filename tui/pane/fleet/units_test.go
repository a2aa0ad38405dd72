package fleet

import (
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/fake"
)

// A column has one unit, that of its largest number, named in its head: nothing
// goes beyond the field, and the hosts can be compared.
func TestUnitsOfColumns(t *testing.T) {
	for _, test := range []struct {
		disk, net float64 // of the busy one
		head, row string
	}{
		{0.0412, 8 << 20, "disk ms net MB/s", "41.2     32.0"},
		{12.3456, 5000 << 20, "disk s net GB/s", "12.3     19.5"},
		{9999, 1e16, "disk s net PB/s", "9999       35.5"},
	} {
		hosts := []scripted{
			{name: "busy", cpu: fake.Const(97), mem: 77, disk: test.disk, net: test.net},
			{name: "calm", cpu: fake.Const(12), mem: 33, disk: 0.0021, net: 1 << 20},
		}
		for _, w := range []int{100, 120, 200} {
			onFleet(t, hosts, w, 34, func(r *rig) {
				r.Begin(5)
				if head := strings.Join(strings.Fields(r.row("cpu%")), " "); !strings.Contains(head, test.head) {
					t.Errorf("the heads are %q, want %q", head, test.head)
				}
				if row := r.row("busy"); !strings.Contains(row, test.row) {
					t.Errorf("%q, want %q", row, test.row)
				}
			})
		}
	}
}

// Heat is measured against one top for all hosts, which follows the busiest of them as
// all other pictures do: a calm second does not let the others flare up.
func TestCheck7OneScaleOfHosts(t *testing.T) {
	hosts := []scripted{
		{name: "busy", cpu: fake.Const(97), mem: 77, disk: 0.0412, net: 8 << 20},
		{name: "calm", cpu: fake.Const(12), mem: 33, disk: 0.0021, net: 1 << 20},
	}
	onFleet(t, hosts, 120, 34, func(r *rig) {
		r.Begin(5)
		for r.screen.measure != net {
			r.Press("v")
			r.Draw()
		}
		if want := "the most is 32.0 MB/s, drawn to 40 MB/s"; !strings.Contains(r.Text(), want) {
			t.Errorf("no %q in\n%s", want, r.Text())
		}
		s, now := r.screen, time.Unix(0, 0)
		for i, want := range []float64{40, 150, 150, 150, 150, 150, 150, 150, 150, 150, 150, 150, 100, 80, 60, 60, 60, 60} { // 32 is over 60 % of 50
			largest := 32.
			if i == 1 {
				largest = 140
			}
			now = now.Add(time.Second)
			s.tops[net].settle(net, largest, s.shown[net], now)
			if got := s.tops[net].At / measures[net].unit; got != want {
				t.Errorf("after %d s with %v MB/s heat is drawn to %v, want %v", i, largest, got, want)
			}
		}
		if share := s.share(net, 30<<20); share != 0.5 {
			t.Errorf("30 of 60 MB/s are %v of the height", share)
		}
	})
}

// Memory in use is what decks call Used: of a Windows host by what its NUMA nodes have,
// of a Linux host by its physical memory; where nobody tells that, what is committed.
func TestCheck13MemoryIsThatOfDecks(t *testing.T) {
	memory := func(counters ...fake.Counter) []fake.Set {
		return []fake.Set{{Name: "Memory", Counters: append(counters,
			fake.Counter{Name: "Available Bytes", Type: cooker.CounterLargeRawCount, Is: fake.Const(8 << 30)},
			fake.Counter{Name: "% Committed Bytes In Use", Type: cooker.LargeRawFraction, Is: fake.Const(31)})}}
	}
	numa := fake.Set{Name: "NUMA Node Memory", Instances: session.MultipleAggregate,
		Counters: []fake.Counter{{Name: "Total MBytes", Type: cooker.CounterLargeRawCount, Is: fake.Const(32 << 10)}},
		Rows:     []fake.Row{{Name: "0"}, {Name: "_Total", Flags: session.FlagTotal}}}
	hosts := []scripted{
		{name: "windows", sets: append(memory(), numa)},
		{name: "linux", sets: memory(fake.Counter{Name: "Physical Bytes", Type: cooker.CounterLargeRawCount, Is: fake.Const(16 << 30)})},
		{name: "neither", sets: memory()},
	}
	onFleet(t, hosts, 120, 34, func(r *rig) {
		r.Begin(5)
		for name, want := range map[string]string{"windows": " 75", "linux": " 50", "neither": " 31"} {
			if row := r.row(name); !strings.Contains(row, want) {
				t.Errorf("%s: %q, want%s", name, row, want)
			}
		}
		s := r.screen
		for _, l := range s.lines {
			h := l.sources[mem].history(&s.buf, l.snap, s.Desk.End(l.snap), 3).Values
			if len(h) != 3 || h[0] != number(l.values[mem]) {
				t.Errorf("%s: the history is %v, the value %v", l.name, h, l.values[mem])
			}
		}
	})
}
