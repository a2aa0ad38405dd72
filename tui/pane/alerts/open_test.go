package alerts

import (
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/session/alert"
	"perfdeck/session/fake"
	"perfdeck/tui/pane"
)

// Enter shows an alert, or an event, in the chart at its time on all screens.
func TestOpen(t *testing.T) {
	onAlerts(t, theHosts(), theRules(t), func(r *rig) {
		r.pass(120)
		r.screen.Opened()
		r.draw()
		opened := func() (at time.Time, list []pane.Target, host *pane.Host) {
			for _, msg := range r.sent {
				switch m := msg.(type) {
				case pane.MoveTo:
					at = m.At
				case pane.OpenChart:
					list = m.Targets
				case pane.OpenHost:
					host = m.Host
				}
			}
			r.sent, r.desk.At = nil, time.Time{}
			return at, list, host
		}
		r.press("enter")
		at, list, _ := opened()
		if !at.Equal(start.Add(64*second)) || len(list) != 1 || list[0].FullPath() != `\\sql01\PhysicalDisk(1 D:)\Avg. Disk sec/Transfer` {
			t.Errorf("an alert opens %v at %v", list, at)
		}
		r.press("tab", "g")
		r.pass(2) // its values come
		r.press("enter")
		at, list, _ = opened()
		if !at.IsZero() || len(list) != 6 || list[0].FullPath() != `\\sql01\PhysicalDisk(1 D:)\Avg. Disk sec/Transfer` {
			t.Errorf("a rule opens %v at %v: want its six disks, the one that alerts first", list, at)
		}
		r.press("j", "j", "j", "j", "enter")
		if got := r.said(); !strings.Contains(got, "LogicalDisk") {
			t.Errorf("a rule with a problem says %q", got)
		}
		r.sent = nil
		r.press("tab", "g", "enter")
		at, list, _ = opened()
		if !at.Equal(start.Add(72*second)) || len(list) != 1 || list[0].Set.Name != "SQLServer:Buffer Manager" {
			t.Errorf("an event opens %v at %v", list, at)
		}
		r.click("host lost  fired")
		r.click("host lost  fired")
		at, _, host := opened()
		if !at.Equal(start.Add(35*second)) || host != r.desk.Hosts[2] {
			t.Errorf("a lost host opens %v at %v", host, at)
		}
		r.press("O") // of the rule of the event
		r.press("g", "enter")
		if r.screen.focus != rulesPart || !strings.Contains(r.selected(), "host lost") {
			t.Errorf("an act on a rule opens %q", r.selected())
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
		r.pass(20)
		r.press("shift+tab", "g")
		r.size(100, 60)
		if len(r.screen.events) != 1 {
			t.Fatalf("%d rows of events:\n%s", len(r.screen.events), r.canvas)
		}
		if row := r.selected(); !strings.Contains(row, "9 hosts") || !strings.Contains(row, "18 within 1 min, enter shows") {
			t.Errorf("the group is %q", row)
		}
		r.press("enter")
		if len(r.screen.events) != 19 || strings.Count(r.canvas.String(), "· cpu") != 18 || !strings.Contains(r.selected(), "enter folds") {
			t.Errorf("opened:\n%s", r.canvas)
		}
		r.press("j", "j", "h")
		if len(r.screen.events) != 1 || !strings.Contains(r.selected(), "9 hosts") {
			t.Errorf("folded from within:\n%s", r.canvas)
		}
		r.press("l", "j", "enter")
		if _, ok := r.last().(pane.OpenChart); !ok {
			t.Errorf("enter on a member sends %#v", r.last())
		}
		r.press("g", "A")
		if got := r.said(); got != "acknowledged 18" {
			t.Errorf("A on a group says %q", got)
		}
		r.draw()
		if len(r.screen.events) != 19 {
			t.Errorf("the acknowledgements of 18 alerts take lines of their own:\n%s", r.canvas)
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
		r.pass(9)
		r.press("j")
		if !strings.Contains(r.selected(), "low") {
			t.Fatalf("%q is selected", r.selected())
		}
		names := func() (out []string) {
			for _, a := range r.screen.alerts {
				out = append(out, a.ID.Rule)
			}
			return out
		}
		for range 3 { // a key each second
			r.pass(1)
			r.press("j")
		}
		if got := names(); !slices.Equal(got, []string{"low", "high"}) || !strings.Contains(r.selected(), "high") {
			t.Errorf("while keys are pressed the order is %v and %q is selected", got, r.selected())
		}
		r.press("k")
		r.pass(3)
		if got := names(); !slices.Equal(got, []string{"high", "low"}) || !strings.Contains(r.selected(), "low") {
			t.Errorf("after a while the order is %v and %q is selected", got, r.selected())
		}
	})
}
