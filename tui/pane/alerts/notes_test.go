package alerts

import (
	"strings"
	"testing"
	"time"

	"perfdeck/session/alert"
	"perfdeck/session/hosts/fake"
	"perfdeck/tui/pane"
)

// Charts know when something fired and what limits are watched.
func TestMarksAndLines(t *testing.T) {
	onAlerts(t, theHosts(), theRules(t), func(r *rig) {
		r.Pass(120)
		marks := Marks(r.Desk, r.Desk.Hosts[:1], start.Add(30*second), start.Add(100*second))
		want := []pane.Entry{{Time: start.Add(42 * second), Level: pane.Warning, Text: "cpu _Total 93.1 %"},
			{Time: start.Add(64 * second), Level: pane.Critical, Text: "slow disk 1 D: 41.2 ms"},
			{Time: start.Add(72 * second), Level: pane.Warning, Text: "page life 212 s"}}
		if len(marks) != len(want) {
			t.Fatalf("marks %+v", marks)
		}
		for i := range want {
			if !marks[i].Time.Equal(want[i].Time) || marks[i].Level != want[i].Level || marks[i].Text != want[i].Text {
				t.Errorf("mark %+v, want %+v", marks[i], want[i])
			}
		}
		if all := Marks(r.Desk, r.Desk.Hosts, start, start.Add(time.Hour)); len(all) != 8 {
			t.Errorf("%d marks of all hosts", len(all))
		}

		r.record(2)
		disk := r.Value(r.Desk.Hosts[1], "PhysicalDisk", "0 C:", "Avg. Disk sec/Transfer")
		if lines := Thresholds(r.Desk, disk); len(lines) != 1 || lines[0] != (pane.Threshold{Value: 0.025, Level: pane.Critical, Below: false, Text: "> 25 ms critical"}) {
			t.Errorf("lines %+v", lines)
		}
		cpu := r.Value(r.Desk.Hosts[1], "Processor Information", "_Total", "% Processor Time")
		if lines := Thresholds(r.Desk, cpu); len(lines) != 1 || lines[0] != (pane.Threshold{Value: 85, Level: pane.Warning, Below: false, Text: "> 85 warning"}) {
			t.Errorf("lines %+v", lines)
		}
		if lines := Thresholds(r.Desk, pane.Target{Host: r.Desk.Hosts[0]}); lines != nil {
			t.Errorf("a host has the lines %+v", lines)
		}
	})
}

// The fleet knows of each host how bad it is, without what is known or muted.
func TestTrouble(t *testing.T) {
	onAlerts(t, theHosts(), theRules(t), func(r *rig) {
		r.Pass(120)
		trouble := Trouble(r.Desk)
		check := func(host int, level pane.Level, counts [3]int) {
			t.Helper()
			if l, c := trouble(r.Desk.Hosts[host]); l != level || c != counts {
				t.Errorf("%s: %v %v, want %v %v", r.Desk.Hosts[host].Name, l, c, level, counts)
			}
		}
		check(0, pane.Critical, [3]int{1, 2, 1})
		check(1, pane.Careful, [3]int{1, 0, 0})
		board := r.watch.Board()
		r.watch.Acknowledge("ana", board.Active[0].ID)
		r.watch.Mute("ana", alert.Scope{Host: "sql02"}, start.Add(time.Hour))
		check(0, pane.Warning, [3]int{1, 2, 0})
		check(1, pane.Info, [3]int{})
	})
}

// The next alert goes round, worst first; from anywhere else it begins there.
func TestNextAlert(t *testing.T) {
	onAlerts(t, theHosts(), theRules(t), func(r *rig) {
		r.Pass(120)
		var seen []string
		from := pane.Target{Host: r.Desk.Hosts[2]}
		for range 7 {
			next, ok := NextAlert(r.Desk, from)
			if !ok {
				t.Fatal("nothing alerts")
			}
			seen = append(seen, next.Host.Name+" "+next.Set.Counters[next.Counter].Name)
			from = next
		}
		for i, want := range []string{"sql01 Avg. Disk sec/Transfer", "sql01 Page life expectancy", "sql01 % Processor Time"} {
			if seen[i] != want || seen[6] != seen[0] {
				t.Errorf("goes through %q", seen)
			}
		}
		for _, a := range r.watch.Board().Active {
			r.watch.Acknowledge("ana", a.ID)
		}
		if next, ok := NextAlert(r.Desk, pane.Target{}); !ok || next.Set.Name != "PhysicalDisk" {
			t.Errorf("when all are known it goes to %v, %v", next, ok)
		}
	})
}

// An alert on a host alone is no value to go to.
func TestNextAlertOfHost(t *testing.T) {
	hosts := []fake.Script{{Name: "web01", Faults: []fake.Fault{{Err: fake.Denied("web01")}}}}
	onAlerts(t, hosts, []alert.Rule{rule(t, "host lost", "absent host", alert.Critical, func(r *alert.Rule) { r.After = second })}, func(r *rig) {
		r.Pass(10)
		if !fires(r, "host lost") {
			t.Fatal("the host is not lost")
		}
		if next, ok := NextAlert(r.Desk, pane.Target{}); ok {
			t.Errorf("it goes to %v", next)
		}
		r.Press("enter")
		if m, ok := r.Last().(pane.OpenHost); !ok || m.Host != r.Desk.Hosts[0] {
			t.Errorf("enter sends %#v", r.Last())
		}
	})
}

// The screen shows the next alert itself.
func TestFocus(t *testing.T) {
	onAlerts(t, theHosts(), theRules(t), func(r *rig) {
		r.Pass(120)
		r.screen.Opened()
		r.Press("tab")
		var from pane.Target
		for _, want := range []string{"slow disk", "page life", "cpu", "commit"} {
			next, _ := NextAlert(r.Desk, from)
			if !r.screen.Focus(next) {
				t.Fatalf("%v is not shown", next)
			}
			r.Draw()
			if row := r.Selected(); !strings.Contains(row, want) {
				t.Errorf("%q is selected, want %s", row, want)
			}
			from = r.screen.Selected()[0]
		}
		if r.screen.Focus(pane.Target{Host: r.Desk.Hosts[0]}) {
			t.Error("a host is an alert")
		}
	})
}
