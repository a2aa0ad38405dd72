package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/fake"
)

// turning is a host of processes whose order by processor time turns around.
func turning(n int, turn time.Duration) fake.Script {
	set := fake.Set{
		Name: "Process", Instances: session.MultipleInstances, Facts: []string{"user", "command line"},
		Counters: []fake.Counter{{Name: "% Processor Time", Type: cooker.Timer100ns, Is: fake.Const(3)}},
	}
	for i := range n {
		set.Rows = append(set.Rows, fake.Row{
			Name: fmt.Sprintf("worker-%d", i), Number: uint64(100 + i), Facts: []string{"ana", fmt.Sprintf("work --part %d", i)},
			Is: map[string]fake.Motion{"% Processor Time": func(at time.Duration, _ uint64) float64 {
				if at > turn {
					return float64(n - i)
				}
				return float64(i + 1)
			}},
		})
	}
	return fake.Script{Sets: []fake.Set{set}}
}

// onProcesses runs a test on the processes of this computer. sent are the signals
// with the name of who got them.
func onProcesses(t *testing.T, turn time.Duration, test func(r *rig, sent *[]string)) {
	t.Helper()
	onScreens(t, rigOptions{hosts: script(turning(9, turn))}, func(r *rig) {
		var sent []string
		r.root.desk.Hosts[0].Local = true
		r.root.options.Signals = []string{"SIGTERM", "SIGKILL"}
		r.root.options.Signal = func(key session.InstanceKey, name string) error {
			sent = append(sent, name+" "+key.Name)
			return nil
		}
		r.begin(2)
		r.press("3")
		r.pass(3 * time.Second)
		test(r, &sent)
	})
}

// A signal goes to the process that was selected when the key was pressed,
// whatever the table shows by the time of the answer.
func TestSignal(t *testing.T) {
	onProcesses(t, 10*time.Second, func(r *rig, sent *[]string) {
		r.shows("worker-8")
		r.press("ctrl+k")
		r.shows("Send to worker-8 (pid 108, ana: work --part 8)")
		r.pass(20 * time.Second) // worker-0 is the busiest now
		r.press("enter")
		r.shows("Send SIGTERM to worker-8 (pid 108, ana: work --part 8)?")
		r.pass(5 * time.Second)
		r.press("enter")
		if len(*sent) != 0 {
			r.Errorf("enter, which is the safe answer, sent %q", *sent)
		}
		r.press("g", "ctrl+k", "down", "enter")
		r.shows("Send SIGKILL to worker-0 (pid 100")
		r.press("right", "enter")
		if got := strings.Join(*sent, ", "); got != "SIGKILL worker-0" {
			r.Errorf("sent %q", got)
		}
	})
}

// Who looks at a process for a while before the key is pressed means that one.
func TestSignalAfterLooking(t *testing.T) {
	onProcesses(t, 10*time.Second, func(r *rig, _ *[]string) {
		r.press("j", "j")
		if !strings.Contains(r.selected(), "worker-6") {
			r.Fatalf("%q is selected", r.selected())
		}
		r.pass(12 * time.Second)
		if !strings.Contains(r.selected(), "worker-6") {
			r.Errorf("the order turned around and %q is selected", r.selected())
		}
		r.press("ctrl+k")
		r.shows("Send to worker-6 (pid 106")
	})
}

func TestNoSignal(t *testing.T) {
	onProcesses(t, time.Hour, func(r *rig, sent *[]string) {
		for why, do := range map[string]func(){
			"only to processes of this computer": func() { r.root.desk.Hosts[0].Local = false },
			"no safe way to signal":              func() { r.root.options.Signal = nil },
			"no process is selected":             func() { r.press("1") },
		} {
			was, local := r.root.options.Signal, r.root.desk.Hosts[0].Local
			do()
			r.press("ctrl+k")
			r.shows(why)
			r.root.options.Signal, r.root.desk.Hosts[0].Local = was, local
			r.press("3")
		}
		if len(*sent) > 0 {
			r.Errorf("sent %q", *sent)
		}
	})
}
