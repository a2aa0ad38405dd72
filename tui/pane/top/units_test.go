package top

import (
	"fmt"
	"strings"
	"testing"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/fake"
)

// A column has the smallest unit in which its largest number has 4 places, and is
// as wide as that: no number is cut off.
func TestUnitsOfColumns(t *testing.T) {
	for _, test := range []struct {
		mem, cpu   float64
		head, want string
	}{
		{1_349_204 << 10, 212.4, "Mem MB", "1,318"}, {9999 << 20, 12800, "Mem MB", "9,999"}, {10_000 << 20, 25600, "Mem GB", "9.77"},
		{500 << 10, 1, "Mem KB", "500"}, {400 << 30, 3, "Mem GB", "400.00"},
	} {
		set := fake.Set{Name: "Process", Instances: session.MultipleInstances, Counters: []fake.Counter{
			{Name: "% Processor Time", Type: cooker.Timer100ns, Is: fake.Const(test.cpu)},
			{Name: "Working Set", Type: cooker.CounterLargeRawCount, Is: fake.Const(test.mem)},
			{Name: "IO Data Bytes/sec", Type: cooker.CounterBulkCount, Is: fake.Const(test.mem)},
		}, Rows: []fake.Row{{Name: "large", Number: 1}, {Name: "small", Number: 2, Times: 0.01}}}
		onTop(t, fake.Script{Name: "one", Sets: []fake.Set{set}}, func(r *rig) {
			r.draw()
			screen := r.canvas.String()
			cpu := fmt.Sprintf("%.1f", test.cpu)
			if n := len(cpu); n > 5 {
				cpu = cpu[:n-5] + "," + cpu[n-5:]
			}
			for _, want := range []string{test.head, " " + test.want + " ", " " + cpu + " "} {
				if !strings.Contains(screen, want) {
					t.Errorf("%v bytes: no %q in\n%s", test.mem, want, screen)
				}
			}
			for _, row := range strings.Split(screen, "\n") {
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
