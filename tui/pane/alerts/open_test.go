package alerts

import (
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/session/alert"
	"perfdeck/session/hosts/fake"
	"perfdeck/tui/pane"
)

// Enter shows an alert, or an event, in the chart at its time on all screens.
func TestOpen(t *testing.T) {
	onAlerts(t, theHosts(), theRules(t), func(r *rig) {
		r.Pass(120)
		r.screen.Opened()
		r.Draw()
		opened := func() (at time.Time, list []pane.Target, host *pane.Host) {
			for _, msg := range r.Sent {
				switch m := msg.(type) {
				case pane.MoveTo:
					at = m.At
				case pane.OpenChart:
					list = m.Targets
				case pane.OpenHost:
					host = m.Host
				}
			}
			r.Sent, r.Desk.At = nil, time.Time{}
			return at, list, host
		}
		r.Press("enter")
		at, list, _ := opened()
		if !at.Equal(start.Add(64*second)) || len(list) != 1 || list[0].FullPath() != `\\sql01\PhysicalDisk(1 D:)\Avg. Disk sec/Transfer` {
			t.Errorf("an alert opens %v at %v", list, at)
		}
		r.Press("tab", "g")
		r.Pass(2) // its values come
		r.Press("enter")
		at, list, _ = opened()
		if !at.IsZero() || len(list) != 6 || list[0].FullPath() != `\\sql01\PhysicalDisk(1 D:)\Avg. Disk sec/Transfer` {
			t.Errorf("a rule opens %v at %v: want its six disks, the one that alerts first", list, at)
		}
		r.Press("j", "j", "j", "j", "enter")
		if got := r.Said(); !strings.Contains(got, "LogicalDisk") {
			t.Errorf("a rule with a problem says %q", got)
		}
		r.Sent = nil
		r.Press("tab", "g", "enter")
		at, list, _ = opened()
		if !at.Equal(start.Add(72*second)) || len(list) != 1 || list[0].Set.Name != "SQLServer:Buffer Manager" {
			t.Errorf("an event opens %v at %v", list, at)
		}
		r.Click("host lost  fired")
		r.Click("host lost  fired")
		at, _, host := opened()
		if !at.Equal(start.Add(35*second)) || host != r.Desk.Hosts[2] {
			t.Errorf("a lost host opens %v at %v", host, at)
		}
		r.Press("O") // of the rule of the event
		r.Press("g", "enter")
		if r.screen.focus != rulesPart || !strings.Contains(r.Selected(), "host lost") {
			t.Errorf("an act on a rule opens %q", r.Selected())
		}
	})
}

// What fires at once is one line of the history until it is opened.
func TestGroups(t *testing.T) {
	var hosts []fake.Script
	for _, name := range []string{"a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9"} {
		hosts = append(hosts, server(name, fake.Const(0.001), until(5*second, 10, 97), fake.Const(9000)))
	}
	rules := []alert.Rule{rule(t, "cpu", `\Processor Information(*)\% Processor Time>85`, alert.Warning, func(r *alert.Rule) { r.Totals = true })}
	onAlerts(t, hosts, rules, func(r *rig) {
		r.Pass(20)
		r.Press("shift+tab", "g")
		r.Resize(100, 60)
		if len(r.screen.history.Rows) != 1 {
			t.Fatalf("%d rows of events:\n%s", len(r.screen.history.Rows), r.Canvas)
		}
		if row := r.Selected(); !strings.Contains(row, "9 hosts") || !strings.Contains(row, "18 within 1 min, enter shows") {
			t.Errorf("the group is %q", row)
		}
		r.Press("enter")
		if len(r.screen.history.Rows) != 19 || strings.Count(r.Canvas.String(), "· cpu") != 18 || !strings.Contains(r.Selected(), "enter folds") {
			t.Errorf("opened:\n%s", r.Canvas)
		}
		r.Press("j", "j", "h")
		if len(r.screen.history.Rows) != 1 || !strings.Contains(r.Selected(), "9 hosts") {
			t.Errorf("folded from within:\n%s", r.Canvas)
		}
		r.Press("l", "j", "enter")
		if _, ok := r.Last().(pane.OpenChart); !ok {
			t.Errorf("enter on a member sends %#v", r.Last())
		}
		r.Press("g", "A")
		if got := r.Said(); got != "acknowledged 18" {
			t.Errorf("A on a group says %q", got)
		}
		r.Draw()
		if len(r.screen.history.Rows) != 19 {
			t.Errorf("the acknowledgements of 18 alerts take lines of their own:\n%s", r.Canvas)
		}
	})
}

// Rows keep their places for a while after a key; what is selected stays so,
// whatever comes and goes.
func TestRowsStand(t *testing.T) {
	rules := []alert.Rule{
		rule(t, "low", `\Memory\% Committed Bytes In Use>80`, alert.Careful),
		rule(t, "high", `\Processor Information(_Total)\% Processor Time>85`, alert.Critical),
	}
	onAlerts(t, []fake.Script{server("sql01", fake.Const(0.001), until(10*second, 10, 97), fake.Const(9000))}, rules, func(r *rig) {
		r.Pass(9)
		r.Press("j")
		if !strings.Contains(r.Selected(), "low") {
			t.Fatalf("%q is selected", r.Selected())
		}
		names := func() (out []string) {
			for _, a := range r.screen.active.Rows {
				out = append(out, a.ID.Rule)
			}
			return out
		}
		for range 3 { // a key each second
			r.Pass(1)
			r.Press("j")
		}
		if got := names(); !slices.Equal(got, []string{"low", "high"}) || !strings.Contains(r.Selected(), "high") {
			t.Errorf("while keys are pressed the order is %v and %q is selected", got, r.Selected())
		}
		r.Press("k")
		r.Pass(3)
		if got := names(); !slices.Equal(got, []string{"high", "low"}) || !strings.Contains(r.Selected(), "low") {
			t.Errorf("after a while the order is %v and %q is selected", got, r.Selected())
		}
	})
}

// What happened on another day is told with its day and its minute, whatever
// the day.
func TestEventOfAnotherDay(t *testing.T) {
	onAlerts(t, theHosts(), theRules(t), func(r *rig) {
		r.Pass(120)
		r.Desk.Now = func() time.Time { return start.Add(24 * time.Hour) }
		r.Draw()
		if text := r.Text(); !strings.Contains(text, " 16 Mar 14:03 ") {
			t.Errorf("the history is\n%s", text)
		}
	})
}
