package fleet

import (
	"strings"
	"testing"

	"perfdeck/session/fake"
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
		{9999, 1e16, "disk s net PB/s", "9999.0     35.5"},
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
