package lifetime

import (
	"runtime"
	"testing"
)

// A process of one host keeps to one processor, until there are more hosts.
func TestProcessors(t *testing.T) {
	t.Setenv("GOMAXPROCS", "")
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	runtime.SetDefaultGOMAXPROCS()
	all := runtime.GOMAXPROCS(0)
	if all == 1 {
		t.Skip("this computer has one processor")
	}
	for _, c := range []struct{ hosts, want int }{{1, 1}, {2, all}, {1, 1}, {9, all}} {
		if Processors(c.hosts); runtime.GOMAXPROCS(0) != c.want {
			t.Errorf("%d hosts: %d processors, want %d", c.hosts, runtime.GOMAXPROCS(0), c.want)
		}
	}
	t.Setenv("GOMAXPROCS", "1")
	runtime.GOMAXPROCS(1)
	if Processors(2); runtime.GOMAXPROCS(0) != 1 {
		t.Error("what the environment says is not kept")
	}
}
