package hosts

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"perfdeck/session"
	"perfdeck/tui/pane"
	"perfdeck/tui/panetest"
)

// Hosts that are all down are told apart by names that are not cut, and it is
// told how often they were tried.
func TestNamesOfHostsThatAreDown(t *testing.T) {
	var hosts []*pane.Host
	for i := range 30 {
		state := session.HostState{Phase: session.Retrying, Tries: 5, Err: errors.New("connection refused"), NextTry: now}
		hosts = append(hosts, &pane.Host{Name: fmt.Sprintf("127.0.0.1:%d", 14601+i), Sampler: &panetest.Stand{Is: state}})
	}
	for _, size := range [][2]int{{120, 36}, {100, 30}, {80, 24}, {60, 15}} {
		r := newRig(t, size[0], size[1], hosts...)
		row := r.row("127.0.0.1:14602") // not the one whose details are shown
		if row == "" {
			t.Fatalf("%v: a name is cut:\n%s", size, r.Canvas.String())
		}
		if size[0] >= 120 && !strings.Contains(row, " 5 ") {
			t.Errorf("%v: the tries are not told: %q", size, row)
		}
	}
}
