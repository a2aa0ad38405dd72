package browser

import (
	"testing"

	"perfdeck/session"
	"perfdeck/tui/pane"
)

// A counterset that is made of what this computer tells is not one of its
// registry, whatever number it has.
func TestSource(t *testing.T) {
	own := &session.Counterset{Name: "Process", V1Index: 230, Provider: "local", Instances: session.MultipleInstances}
	other := &session.Counterset{Name: "Process", V1Index: 230, Provider: "PerfProc", Instances: session.MultipleInstances}
	served := &session.Counterset{Name: "Process", GUID: "{1}", Provider: "local", Instances: session.MultipleInstances}
	here, there := &pane.Host{Local: true}, &pane.Host{}
	for _, row := range []struct {
		host *pane.Host
		set  *session.Counterset
		want string
	}{
		{here, own, "this computer, counter 7, multi instance"},
		{here, other, "V1 object 230 (HKEY_PERFORMANCE_DATA), counter 7, of PerfProc, multi instance"},
		{there, served, "V2 counterset {1}, counter 7, of local, multi instance"},
		{nil, other, "V1 object 230 (HKEY_PERFORMANCE_DATA), counter 7, of PerfProc, multi instance"},
	} {
		if got := sourceOf(row.host, row.set, &session.Counter{ID: 7}); got != row.want {
			t.Errorf("%q, want %q", got, row.want)
		}
	}
}
