package alerts

import (
	"slices"
	"strings"
	"testing"

	"perfdeck/cooker"
	"perfdeck/session/alert"
	"perfdeck/session/hosts/fake"
	"perfdeck/tui/pane"
)

// A filter concerns all panes; n and N go through what it leaves on all of them.
func TestFilter(t *testing.T) {
	onAlerts(t, theHosts(), theRules(t), func(r *rig) {
		r.Pass(120)
		r.screen.Opened()
		r.Resize(120, 40)
		r.Press("/")
		ask := r.Last().(pane.AskText)
		for text, want := range map[string][3]int{
			"":                    {6, 7, 7},
			"slow":                {1, 1, 2},
			"SLOW disk":           {1, 1, 2},
			"host:sql02":          {1, 0, 3},
			"host:sql":            {5, 1, 5},
			"level:careful":       {3, 2, 1},
			"state:firing !sql01": {2, 4, 0},
			"state:off":           {0, 1, 0},
			"state:problem":       {0, 1, 0},
			"rule:host":           {0, 1, 2},
			"nothing like it":     {0, 0, 0},
			"!":                   {0, 0, 0},
		} {
			if err := ask.Each(text); err != nil {
				t.Error(err)
			}
			r.Draw()
			if got := [3]int{len(r.screen.active.Rows), len(r.screen.rules.Rows), len(r.screen.history.Rows)}; got != want {
				t.Errorf("%q leaves %v, want %v", text, got, want)
			}
		}
		_ = ask.Each("slow")
		r.Draw()
		var got []string
		for range 5 {
			r.Press("n")
			at := r.screen.rows().Line()
			got = append(got, partNames[r.screen.focus]+string(rune('0'+at)))
		}
		if want := []string{"Rules0", "History0", "History1", "Active0", "Rules0"}; !slices.Equal(got, want) {
			t.Errorf("n goes to %v, want %v", got, want)
		}
		r.Press("N")
		if r.screen.focus != activePart {
			t.Errorf("N goes to %v", partNames[r.screen.focus])
		}
		r.Press("esc")
		r.Hides("filter slow")
		r.Press("esc")
		if _, ok := r.Last().(pane.Back); !ok {
			t.Errorf("esc sends %#v", r.Last())
		}
	})
}

// The values behind rows are what the root's keys are about.
func TestSelected(t *testing.T) {
	onAlerts(t, theHosts(), theRules(t), func(r *rig) {
		r.Pass(40) // web01 is lost
		r.screen.Opened()
		for i := range r.screen.active.Rows {
			r.screen.active.Select(i)
			list := r.screen.Selected()
			if lost := r.screen.active.Rows[i].ID.Rule == "host lost"; len(list) != 1 || list[0].IsValue() == lost || list[0].Host == nil {
				t.Errorf("%v selects %v", r.screen.active.Rows[i].ID, list)
			}
		}
		r.Pass(80)
		r.screen.Opened()
		r.Press("g", "space", "space", "space")
		if list := r.screen.Selected(); len(list) != 4 || list[1].Set.Name != "PhysicalDisk" {
			t.Errorf("%v are selected", list)
		}
		r.Desk.Hosts = r.Desk.Hosts[1:2]
		r.screen.dirty = true
		for _, key := range []string{"g", "tab", "g", "tab", "g"} {
			r.Press(key)
			for _, target := range r.screen.Selected() {
				if target.Host != r.Desk.Hosts[0] {
					t.Errorf("%v is of a host that was removed", target)
				}
			}
		}
	})
}

// A rule on an aggregate leads to the values that it is made of.
func TestAggregate(t *testing.T) {
	rules := []alert.Rule{rule(t, "disks", `\PhysicalDisk(*)\Disk Bytes/sec>1000`, alert.Warning, func(r *alert.Rule) { r.Aggregate = new(cooker.AggregateTotal) })}
	onAlerts(t, []fake.Script{server("sql01", fake.Const(0.001), fake.Const(5), fake.Const(9000))}, rules, func(r *rig) {
		r.Pass(10)
		r.screen.Opened()
		r.Resize(120, 40)
		if list := r.screen.Selected(); len(list) != 2 || list[0].Key.Name != "0 C:" || list[1].Key.Name != "1 D:" {
			t.Errorf("%v are selected", list)
		}
		r.Pass(5)
		d, ok := r.screen.detailOf(r.Desk.Now(), r.Canvas.Glyphs().Glyphs())
		if !ok || len(d.past.Values) == 0 {
			t.Fatalf("no history of the aggregate: %+v", d)
		}
		if v := d.past.Values[len(d.past.Values)-1]; v < 79<<20 || v > 81<<20 {
			t.Errorf("two disks of 40 MB/s are %v", v)
		}
		if row := r.row(rulesPart, "disks"); !strings.Contains(row, ", total > 1000 B/s") && !strings.Contains(row, ", total > ") {
			t.Errorf("the rule is %q", row)
		}
	})
}
