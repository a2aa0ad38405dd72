package tui

import (
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	counterpaths "perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/hosts/fake"
)

// eater is a host on which one process reads, one writes, one has the memory, and one does more to
// the disk than another that has what it reads out of the cache.
// Its processes are of a counterset of some name, with some counters of I/O.
func eater(processes string, counters ...string) fake.Script {
	gauge := func(name string, v float64) fake.Counter {
		return fake.Counter{Name: name, Type: cooker.CounterLargeRawCount, Is: fake.Const(v)}
	}
	set := fake.Set{Name: processes, Instances: session.MultipleInstances, Counters: []fake.Counter{
		{Name: "% Processor Time", Type: cooker.Timer100ns, Is: fake.Const(1)}, gauge("Working Set", 1<<20), gauge("Private Bytes", 1<<20),
	}}
	for _, c := range counters {
		set.Counters = append(set.Counters, gauge(c, 1000))
	}
	row := func(name string, number uint64, large string, also ...string) fake.Row {
		is := map[string]fake.Motion{}
		for _, c := range set.Counters {
			if c.Name != "% Processor Time" && strings.Contains(c.Name, large) {
				is[c.Name] = fake.Const(1 << 30)
			}
		}
		return fake.Row{Name: name, Number: number, Is: is}
	}
	set.Rows = []fake.Row{row("reader", 1, "Read"), row("writer", 2, "Write"), row("eater", 3, "Working Set"), row("talker", 4, "Other"), row("direct", 5, "Disk Bytes"), row("cached", 6, "IO Data")}
	return fake.Script{Name: "one", Sets: []fake.Set{
		set,
		{Name: "PhysicalDisk", Instances: session.MultipleAggregate, Counters: []fake.Counter{
			gauge("Disk Read Bytes/sec", 7e6), gauge("Disk Write Bytes/sec", 5e6),
			gauge("Avg. Disk sec/Transfer", 2),
		}, Rows: []fake.Row{{Name: "0 C:"}, {Name: "_Total", Flags: session.FlagTotal}}},
		{Name: "Memory", Counters: []fake.Counter{gauge("Available Bytes", 4<<30), gauge("% Committed Bytes In Use", 40)}},
		{Name: "Network Interface", Instances: session.MultipleInstances, Counters: []fake.Counter{gauge("Bytes Total/sec", 3e6)},
			Rows: []fake.Row{{Name: "eth0"}}},
		{Name: "Processor Information", Instances: session.MultipleAggregate, Counters: []fake.Counter{
			{Name: "% Processor Time", Type: cooker.Timer100ns, Is: fake.Const(9)}}, Rows: []fake.Row{{Name: "_Total", Flags: session.FlagTotal}}},
	}}
}

// t shows the processes sorted by what they do to the selected value: on the deck,
// on the chart, where it is explained and where it alerts; on hosts with the old and
// the new processes of Windows, and with those of Linux.
func TestTopOfTheCause(t *testing.T) {
	windows := []string{"IO Read Bytes/sec", "IO Write Bytes/sec", "IO Data Bytes/sec", "IO Other Bytes/sec"}
	linux := []string{"IO Read Bytes/sec", "IO Write Bytes/sec", "IO Data Bytes/sec", "Disk Read Bytes/sec", "Disk Write Bytes/sec", "Disk Bytes/sec"}
	paths := []string{`\PhysicalDisk(0 C:)\Disk Read Bytes/sec`, `\PhysicalDisk(0 C:)\Disk Write Bytes/sec`, `\Memory\Available Bytes`, `\Network Interface(eth0)\Bytes Total/sec`, `\PhysicalDisk(0 C:)\Avg. Disk sec/Transfer`}
	rows := []struct{ text, windows, linux string }{
		{"▀ Read", "reader", "reader"}, {"▄ Write", "writer", "writer"}, {"Available Bytes", "eater", "eater"}, {"Bytes Total/sec", "talker", ""}, {"sec/Xfer", "cached", "direct"},
	}
	hosts := map[string]fake.Script{"V1": eater("Process", windows...), "V2": eater("Process V2", windows...), "Linux": eater("Process", linux...)}
	first := func(r *rig) string {
		rows := r.rows()
		for i, row := range rows {
			if strings.Contains(row, "pid") && i+1 < len(rows) {
				return strings.TrimLeft(rows[i+1], " ►•")
			}
		}
		return ""
	}
	sorted := func(r *rig) string { // the head with the sign of the sort
		before, _, _ := strings.Cut(r.row("pid"), " ▼")
		words := strings.Fields(before)
		return words[len(words)-1]
	}
	ways := map[string][]string{"deck": {"t"}, "chart": {"c", "5", "t"}, "explain": {"x", "t"}}
	for host, script1 := range hosts {
		for i, row := range rows {
			want := row.windows
			if host == "Linux" {
				want = row.linux
			}
			for way, keys := range ways {
				onScreens(t, rigOptions{hosts: script(script1), paths: paths, w: 120, h: 36}, func(r *rig) {
					r.begin(5)
					r.press("g")
					r.click(row.text)
					r.press(keys...)
					said := r.text()
					r.pass(3 * time.Second)
					r.shows("[3 Top]")
					switch {
					case want == "" && !strings.Contains(said, "do not tell what they send"):
						t.Errorf("%s, %s of the %s: nobody says why it is not sorted\n%s", host, row.text, way, said)
					case !strings.HasPrefix(first(r), want):
						t.Errorf("%s, %s of the %s: %q is first, not %s\n%s", host, row.text, way, first(r), want, r.text())
					}
				})
			}
			when, err := counterpaths.ParseAlert(paths[i] + ">1")
			if err != nil {
				t.Fatal(err)
			}
			rule := alert.Rule{Name: "much", Kind: alert.Threshold, When: when, Severity: alert.Warning}
			onScreens(t, rigOptions{hosts: script(script1), paths: paths, w: 120, h: 36, alerts: []alert.Rule{rule}}, func(r *rig) {
				r.begin(9)
				r.press("6", "g", "t")
				r.pass(3 * time.Second)
				if !strings.HasPrefix(first(r), want) {
					t.Errorf("%s, the alert of %s: %q is first, not %s\n%s", host, row.text, first(r), want, r.text())
				}
			})
		}
		onScreens(t, rigOptions{hosts: script(script1), w: 120, h: 36}, func(r *rig) {
			r.begin(5)
			r.press("2", "v") // what the map shows is selected: memory
			r.pass(2 * time.Second)
			r.press("t")
			r.pass(3 * time.Second)
			if head := sorted(r); !strings.HasPrefix(head, "Private") {
				t.Errorf("%s, the memory of Fleet: sorted by %q\n%s", host, head, r.text())
			}
			r.press("2", "v")
			r.pass(2 * time.Second)
			r.press("t")
			r.pass(3 * time.Second)
			if head, byCalls := sorted(r), strings.Contains(r.text(), "IO by calls, not disks"); strings.HasPrefix(head, "IO") != byCalls || byCalls == (host == "Linux") {
				t.Errorf("%s, the disk of Fleet: sorted by %q\n%s", host, head, r.text())
			}
		})
	}
}
