package top

import (
	"fmt"
	"strings"
	"testing"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/fake"
)

// A number has three digits in its unit, whatever others are in its column: none is cut off.
func TestUnitsOfColumns(t *testing.T) {
	for _, test := range []struct {
		mem, cpu float64
		want     []string
	}{
		{1_349_204 << 10, 212.4, []string{"1.29G", "13.2M"}}, {9999 << 20, 12800, []string{"9.76G", "100M"}}, {500 << 10, 1, []string{"500K", "5.00K"}},
		{400 << 30, 3, []string{"400G", "4.00G"}},
	} {
		set := fake.Set{Name: "Process", Instances: session.MultipleInstances, Counters: []fake.Counter{
			{Name: "% Processor Time", Type: cooker.Timer100ns, Is: fake.Const(test.cpu)},
			{Name: "Working Set", Type: cooker.CounterLargeRawCount, Is: fake.Const(test.mem)},
			{Name: "IO Data Bytes/sec", Type: cooker.CounterBulkCount, Is: fake.Const(test.mem)},
		}, Rows: []fake.Row{{Name: "large", Number: 1}, {Name: "small", Number: 2, Times: 0.01}}}
		onTop(t, fake.Script{Name: "one", Sets: []fake.Set{set}}, func(r *rig) {
			r.draw()
			r.line("Mem B", "IO B/s")
			cpu := fmt.Sprintf("%.1f", test.cpu)
			if test.cpu >= 1000 { // no more than 4 places for nothing, the points in one column
				cpu = fmt.Sprintf("%d  ", int(test.cpu))
			}
			r.line("large", " "+cpu+" ", test.want[0]+" ")
			r.line("small", test.want[1]+" ")
			for _, row := range strings.Split(r.canvas.String(), "\n") {
				if strings.Contains(row, "…") && (strings.Contains(row, "large") || strings.Contains(row, "small")) {
					t.Errorf("a number is cut off in %q", row)
				}
			}
		})
	}
}

// Numbers that are written in hexadecimal have no unit, those without groups none:
// their columns are as wide as they need.
func TestAttributesOfColumns(t *testing.T) {
	set := fake.Set{Name: "Process", Instances: session.MultipleInstances, Counters: []fake.Counter{
		{Name: "% Processor Time", Type: cooker.Timer100ns, Is: fake.Const(1)},
		{Name: "Flags", Type: cooker.CounterLargeRawCount, Is: fake.Const(0xDEADBEEF)},
		{Name: "Address", Type: cooker.CounterLargeRawCountHex, Is: fake.Const(0x1122334455)},
		{Name: "Serial", Type: cooker.CounterRawCount, Is: fake.Const(9876)},
	}, Rows: []fake.Row{{Name: "one", Number: 1}}}
	onTop(t, fake.Script{Name: "one", Sets: []fake.Set{set}}, func(r *rig) {
		r.top.set.Counters[1].Attributes, r.top.set.Counters[3].Attributes = cooker.DisplayHex, cooker.NoGrouping
		r.top.lay(nil)
		for i := range r.top.table.Columns {
			r.top.table.Columns[i].Hidden = false
		}
		r.draw()
		r.top.stale = true
		r.askAgain()
		r.pass(3)
		r.draw()
		for _, want := range []string{" 0x00000000DEADBEEF ", " 0x0000001122334455", " 9876"} {
			if !strings.Contains(r.canvas.String(), want) {
				t.Errorf("no %q in\n%s", want, r.canvas.String())
			}
		}
	})
}

// At 120 cells a disk shows what it reads and writes, and a queue of less than one
// request is not none.
func TestColumnsOfDisks(t *testing.T) {
	for _, name := range []string{"PhysicalDisk", "LogicalDisk"} {
		bulk, per, mean := cooker.CounterBulkCount, cooker.CounterCounter, cooker.Counter100nsQueueLen
		set := fake.Set{Name: name, Instances: session.MultipleInstances, Rows: []fake.Row{{Name: "sda"}, {Name: "sdb"}}}
		for _, c := range []struct {
			name string
			of   cooker.CounterType
			is   float64
		}{
			{"Current Disk Queue Length", cooker.CounterRawCount, 0}, {"% Disk Time", cooker.Precision100nsTimer, 3},
			{"Avg. Disk Queue Length", mean, 0.02}, {"Avg. Disk Read Queue Length", mean, 0.02}, {"Disk Transfers/sec", per, 8},
			{"Disk Reads/sec", per, 3}, {"Disk Writes/sec", per, 5}, {"Disk Bytes/sec", bulk, 12 << 20},
			{"Disk Read Bytes/sec", bulk, 5 << 20}, {"Disk Write Bytes/sec", bulk, 7 << 20}, {"% Idle Time", cooker.Precision100nsTimer, 90},
		} {
			set.Counters = append(set.Counters, fake.Counter{Name: c.name, Type: c.of, Is: fake.Const(c.is)})
		}
		script := workers(3, 0, 0)
		script.Sets = append(script.Sets, set)
		onTop(t, script, func(r *rig) {
			r.show(name)
			r.line("sda", " 12.0M ", " 5.00M ", " 7.00M ", " 0.02 ")
			r.line("Total ▼ B/s", "Read B/s", "Write B/s", "Len")
		})
	}
}
