package tui

import (
	"strings"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/hosts/fake"

	"perfdeck/cooker"
)

// enter in Top shows all that is known of an instance, enter there how a number came about;
// esc leads back to the same row, wherever it went meanwhile.
func TestDetails(t *testing.T) {
	script1 := turning(9, 10*time.Second)
	set := &script1.Sets[0]
	set.Counters = append(set.Counters,
		fake.Counter{Name: "Elapsed Time", Type: cooker.ElapsedTime, Is: fake.Const(90)},
		fake.Counter{Name: "Working Set", Type: cooker.CounterLargeRawCount, Is: fake.Const(5 << 20)})
	for i := range set.Rows {
		set.Rows[i].Owner = 100
	}
	onScreens(t, rigOptions{hosts: script(script1)}, func(r *rig) {
		r.root.desk.Hosts[0].Local = true
		r.root.options.Signals = []string{"SIGTERM"}
		r.root.options.Signal = func(session.InstanceKey, string) error { return nil }
		r.begin(2)
		r.press("3")
		r.pass(3 * time.Second)
		r.press("j", "enter")
		r.pass(12 * time.Second) // the order turns around
		r.shows("Process worker-7 #107 details", "user         ana", "command line work --part 7", "parent       worker-0 (pid 100)", "started      14:0",
			"% Processor Time", "Working Set", "5.00 MB", "Elapsed Time", "min", "avg", "max")
		r.press("ctrl+k")
		r.shows("Send SIGTERM to worker-7 (pid 107, ana: work --part 7)?")
		r.press("n", "enter")
		r.shows("Explain", `\Process(worker-7)\% Processor Time`, "formula")
		r.press("esc")
		r.shows("worker-7 #107 details")
		r.press("esc")
		if !strings.Contains(r.selected(), "worker-7") {
			r.Errorf("esc leads to %q", r.selected())
		}
	})
}

// A long text leaves the counters and what else is told their room, and a question; a key shows
// all of it.
func TestDetailsOfLongTexts(t *testing.T) {
	script1 := turning(1, time.Hour)
	command := "java " + strings.Repeat("-cp a.jar ", 600) + "--last"
	script1.Sets[0].Rows[0].Facts = []string{"ana", command}
	onScreens(t, rigOptions{hosts: script(script1)}, func(r *rig) {
		r.root.desk.Hosts[0].Local = true
		r.root.options.Signals = []string{"SIGTERM"}
		r.root.options.Signal = func(session.InstanceKey, string) error { return nil }
		r.begin(2)
		r.press("3")
		r.pass(3 * time.Second)
		r.press("enter")
		r.pass(2 * time.Second)
		r.shows("command line java -cp a.jar", "--last", "user         ana", "% Processor Time", "min")
		r.press("l")
		r.shows("java -cp a.jar")
		r.hides("Counters ─", "--last")
		r.press("G")
		r.shows("--last")
		r.press("esc")
		r.shows("% Processor Time", "details")
		r.press("ctrl+k")
		r.shows("Send SIGTERM to", "java -cp", "--last")
	})
}

// An instance that ends leaves what is known of it on the screen.
func TestDetailsOfTheEnded(t *testing.T) {
	script1 := turning(3, time.Hour)
	script1.Sets[0].Rows[2].Alive = during(0, 9*time.Second)
	onScreens(t, rigOptions{hosts: script(script1)}, func(r *rig) {
		r.begin(2)
		r.press("3")
		r.pass(2 * time.Second)
		r.press("enter")
		r.pass(2 * time.Second)
		r.shows("worker-2 #102 details", "work --part 2")
		r.pass(4 * time.Second)
		r.shows("details ended 14:07:4", "work --part 2", "gone")
		r.pass(time.Minute)
		r.shows("details ended", "work --part 2", "gone")
		r.press("ctrl+k")
		r.shows("no process that lives is selected")
	})
}
