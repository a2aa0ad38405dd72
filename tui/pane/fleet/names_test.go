package fleet

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"perfdeck/session/hosts/fake"
)

// Names of hosts that are all down are not cut beside empty cells, and a strip
// without samples claims no time.
func TestNamesOfHostsThatAreDown(t *testing.T) {
	var hosts []scripted
	for i := range 30 {
		hosts = append(hosts, scripted{name: fmt.Sprintf("127.0.0.1:%d", 14601+i), faults: []fake.Fault{{Err: errors.New("connection refused")}}})
	}
	for _, size := range [][2]int{{120, 36}, {100, 30}, {80, 24}, {60, 15}} {
		onFleet(t, hosts, size[0], size[1], func(r *rig) {
			r.Begin(3)
			text := r.Canvas.String()
			if !strings.Contains(text, "127.0.0.1:14601") {
				t.Errorf("%v: a name is cut:\n%s", size, text)
			}
			if strings.Contains(text, "last 1") {
				t.Errorf("%v: the head tells a number without a unit:\n%s", size, text)
			}
		})
	}
}
