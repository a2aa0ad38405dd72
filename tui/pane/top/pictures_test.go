package top

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/clocktest"
	"perfdeck/session/hosts/fake"
	"perfdeck/tui/kit/table"
)

// interfaces is a host with network interfaces: one of 80 Mb/s, one whose bandwidth is not
// known.
func interfaces(n int) fake.Script {
	rate := func(name string, is float64) fake.Counter {
		return fake.Counter{Name: name, Type: cooker.CounterBulkCount, Is: fake.Const(is)}
	}
	set := fake.Set{Name: "Network Interface", Instances: session.MultipleInstances, Counters: []fake.Counter{
		rate("Bytes Total/sec", 3<<20), rate("Packets Received/sec", 2000), rate("Packets Sent/sec", 1000),
		{Name: "Current Bandwidth", Type: cooker.CounterLargeRawCount, Is: fake.Const(80e6)},
		rate("Bytes Received/sec", 2<<20), rate("Bytes Sent/sec", 1<<20),
		{Name: "Packets Received Errors", Type: cooker.CounterRawCount, Is: fake.Const(7)},
	}, Rows: []fake.Row{{Name: "eth0"}, {Name: "tun0", Is: map[string]fake.Motion{"Current Bandwidth": fake.Const(0)}}}}
	for i := range n - 2 {
		set.Rows = append(set.Rows, fake.Row{Name: fmt.Sprintf("veth%d", i)})
	}
	script := workers(3, 0, 0)
	script.Sets = append(script.Sets, set)
	return script
}

// A counter whose limit another one gives has a meter of it, and none where there is no
// limit; sorting by the meter is sorting by the counter.
func TestMeterOfLimit(t *testing.T) {
	onTop(t, interfaces(2), func(r *rig) {
		r.show("Network Interface")
		r.line("use of")
		r.line("eth0", "■■■·····  31.5")
		if row := r.line("tun0", "none"); strings.Contains(row, "·") {
			r.Errorf("a meter of no limit: %q", row)
		}
		for i := range r.top.table.Columns {
			if r.top.table.Columns[i].Head == "use of Bandwidth" {
				r.top.sortByColumn(i)
			}
		}
		r.line("▲ B/s") // the other way round: it was sorted by it
	})
}

// Spare height shows the pairs of the selected instance, with what is told of it; another
// row has other graphs, and where there is no room there are none.
func TestGraphsOfTheSelected(t *testing.T) {
	onTop(t, interfaces(2), func(r *rig) {
		r.show("Network Interface")
		r.askAgain()
		r.pass(5)
		for _, want := range []string{
			"eth0 Bytes Received/sec ▀ Bytes Sent/sec ▄ since 8 s", "eth0 Packets Received/sec ▀ Packets Sent/sec ▄",
			"▀ Received      2.00 MB/s", "▄ Sent          1.00 MB/s", "Total         3.00 MB/s", "of Bandw.    31.5  %", "Bandwidth    80.0  Mb/s",
			"Errors        7", "now ────── peak ── mean", " 2 MB/s ",
		} {
			r.line(want)
		}
		r.press("down")
		r.line("tun0 Bytes Received/sec")
		r.press("v")
		r.draw()
		if text := r.canvas.String(); strings.Contains(text, "▀") {
			r.Errorf("v leaves the graphs:\n%s", text)
		}
		r.press("v")
		r.line("tun0 Bytes Received/sec")
	})
	onTop(t, interfaces(40), func(r *rig) {
		r.show("Network Interface")
		r.draw()
		if text := r.canvas.String(); strings.Contains(text, "▀") {
			r.Errorf("there is no room for graphs:\n%s", text)
		}
		r.press("v")
		r.askAgain()
		r.pass(2)
		r.line("eth0 Bytes Received/sec ▀ Bytes Sent/sec ▄")
	})
}

// What rows are sorted by because the user chose it comes first; processes show it too.
func TestGraphsOfTheSorted(t *testing.T) {
	onTop(t, interfaces(2), func(r *rig) {
		r.show("Network Interface")
		set := r.top.set
		errs, _ := set.Counter("Packets Received Errors")
		r.top.table.SortBy(errs)
		r.askAgain()
		r.pass(2)
		r.line("eth0 Packets Received Errors")
		r.line("eth0 Bytes Received/sec ▀ Bytes Sent/sec ▄")
	})
	onTop(t, workers(6, 0, 0), func(r *rig) {
		r.askAgain()
		r.pass(2)
		r.line("worker-5 #6 % Processor Time")
	})
}

// Rows that come and go do not move the graphs, until there is no room for them or they
// take much of it.
func TestGraphsStay(t *testing.T) {
	top := &Top{}
	top.list.Resize(1)
	for _, step := range []struct{ need, rows, graphs int }{
		{10, 10, 2}, {12, 12, 2}, {9, 12, 2}, {11, 12, 2}, {24, 24, 1}, {27, 30, 0}, {21, 30, 0}, {18, 18, 2},
	} {
		if rows, graphs := top.divide(step.need, 120, 30); rows != step.rows || graphs != step.graphs {
			t.Errorf("%d rows: %d and %d graphs, want %d and %d", step.need, rows, graphs, step.rows, step.graphs)
		}
	}
}

// The tables of all countersets of all hosts have their numbers whole, and what interfaces
// receive and send in view.
func TestNumbersAreWhole(t *testing.T) {
	tables := 0
	for n, h := range fake.Demo(clocktest.New(time.Unix(0, 0), func() {}))[:3] {
		onHost(t, h.Name, func(c *clocktest.Clock) session.Source { return fake.Demo(c)[n].Source }, func(r *rig) {
			cat := r.host.Sampler.Catalogue()
			if cat == nil {
				return // one of them is silent
			}
			for _, set := range cat.Sets {
				r.show(set.Name)
				tables++
				lines := r.top.table.HeadLines()
				for i := range r.top.table.Columns {
					c, p := &r.top.table.Columns[i], r.top.table.Place(i)
					if c.Kind != table.Counter && c.Kind != table.Number && c.Kind != table.Meter || c.IsText || p.W == 0 {
						continue
					}
					for y := 2 + lines; y < 2+lines+len(r.top.rows()) && y < 30; y++ {
						cell := strings.TrimSpace(string([]rune(r.canvas.Rows()[y])[p.X : p.X+p.W]))
						if strings.Contains(cell, "…") && cell != "…" || strings.Contains(cell, "#") {
							r.Errorf("%s of %s: %s is %q", set.Name, h.Name, c.Head, cell)
						}
					}
				}
				if set.Name == "Network Interface" {
					r.line("Recv B/s", "Sent B/s")
				}
			}
		})
	}
	if tables < 20 {
		t.Errorf("%d tables", tables)
	}
}
