package tui

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/fake"
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
		r.shows("Send SIGTERM to worker-8 (pid 108, ana: work --part 8)?")
		r.pass(20 * time.Second) // worker-0 is the busiest now
		r.press("enter")
		if len(*sent) != 0 {
			r.Errorf("enter, which is the safe answer, sent %q", *sent)
		}
		r.press("g", "ctrl+k", "n")
		r.hides("Send SIGTERM")
		r.press("ctrl+k", "s", "down", "enter")
		r.shows("Send SIGKILL to worker-0 (pid 100")
		if r.press("y"); strings.Join(*sent, ", ") != "SIGKILL worker-0" {
			r.Errorf("sent %q", *sent)
		}
		r.shows("sent SIGKILL to worker-0 (pid 100)")
	})
}

// In one step, the marked ones, which are those of the moment at which the question
// opened; who ended meanwhile, may not be signalled or is another by now gets none, and
// is told by its number.
func TestSignalMarked(t *testing.T) {
	onProcesses(t, 10*time.Second, func(r *rig, sent *[]string) {
		gone, denied := errors.New("the process is gone"), errors.New("operation not permitted")
		send := r.root.options.Signal
		r.root.options.Signal = func(key session.InstanceKey, name string) error {
			switch key.Name {
			case "worker-7", "worker-5":
				return fmt.Errorf("send %s to %s: %w", name, key.Name, denied)
			case "worker-6":
				return fmt.Errorf("send %s to %s: %w", name, key.Name, gone)
			}
			return send(key, name)
		}
		r.press("space", "space", "space", "space") // worker-8 to worker-5
		r.press("ctrl+k")
		r.shows("Send SIGTERM to 4 processes?", "worker-8 (pid 108, ana", "worker-5 (pid 105")
		r.pass(20 * time.Second)
		r.press("y")
		if got := strings.Join(*sent, ", "); got != "SIGTERM worker-8" {
			r.Errorf("sent %q", got)
		}
		r.shows("sent SIGTERM to 1 of 4 processes", "not to 107, 105: operation not permitted", "not to 106: the process is gone")
	})
}

// A number that another process has by the time of the answer is not signalled: the one
// that was asked about is named by number and start, and nobody else is.
func TestSignalReusedNumber(t *testing.T) {
	script1 := turning(3, time.Hour)
	rows := script1.Sets[0].Rows
	rows[2].Number, rows[2].Alive = 4711, during(0, 6*time.Second)
	again := rows[2]
	again.Alive = during(8*time.Second, 0)
	script1.Sets[0].Rows = append(rows, again)
	onScreens(t, rigOptions{hosts: script(script1)}, func(r *rig) {
		var keys []session.InstanceKey
		r.root.desk.Hosts[0].Local = true
		r.root.options.Signals = []string{"SIGTERM"}
		r.root.options.Signal = func(key session.InstanceKey, _ string) error {
			keys = append(keys, key)
			return nil
		}
		r.begin(1)
		r.press("3")
		r.pass(2 * time.Second)
		list, _ := r.root.top.Processes()
		r.press("ctrl+k")
		r.shows("pid 4711")
		r.pass(20 * time.Second)
		now, _ := r.root.top.Processes()
		if r.press("y"); len(keys) != 1 || keys[0] != list[0].Key {
			r.Errorf("sent to %v, asked about %v, now there is %v", keys, list, now)
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
		r.shows("Send SIGTERM to worker-6 (pid 106")
	})
}

func TestNoSignal(t *testing.T) {
	onProcesses(t, time.Hour, func(r *rig, sent *[]string) {
		for why, do := range map[string]func(){
			"only to processes of this computer": func() { r.root.desk.Hosts[0].Local = false },
			"no safe way to signal":              func() { r.root.options.Signal = nil },
			"no process that lives is selected":  func() { r.press("1") },
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
