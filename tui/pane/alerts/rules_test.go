package alerts

import (
	"strings"
	"testing"
)

// A rule is switched off and on; what it fired ends. One of a file is not
// removed, one of the screens is, and comes back with undo.
func TestRules(t *testing.T) {
	onAlerts(t, theHosts(), theRules(t), func(r *rig) {
		r.pass(90)
		r.size(120, 40)
		r.press("tab", "g", "O")
		if row := r.row(rulesPart, "slow disk"); !strings.HasSuffix(strings.TrimSpace(row), "off") || r.row(activePart, "slow disk") != "" {
			t.Errorf("after O:\n%s", r.canvas)
		}
		r.undo()
		r.pass(8)
		if row := r.row(rulesPart, "slow disk"); strings.HasSuffix(strings.TrimSpace(row), "off") || r.row(activePart, "slow disk") == "" {
			t.Errorf("after undo:\n%s", r.canvas)
		}
		r.press("d")
		if got := r.said(); !strings.Contains(got, "stands in a file") {
			t.Errorf("d on a rule of a file says %q", got)
		}

		r.press("a")
		f := r.form().set("when", `\Memory\Available MBytes<200`).set("interval", "1s")
		if err := f.accept(); err != nil {
			t.Fatal(err)
		}
		if row := r.selected(); !strings.Contains(row, "Available MBytes") {
			t.Errorf("%q is selected, not the new rule:\n%s", row, r.canvas)
		}
		r.press("e")
		f = r.form().set("name", "memory").set("when", `\Memory\Available MBytes<9500`).set("severity", "critical")
		if err := f.accept(); err != nil {
			t.Fatal(err)
		}
		r.pass(3)
		if row := r.row(activePart, "memory"); !strings.Contains(row, "critical") || !strings.Contains(row, "9418") {
			t.Errorf("the rule does not fire: %q\n%s", row, r.canvas)
		}
		if statusOf(r.desk, "Available MBytes") != nil {
			t.Error("the old name is there still")
		}
		r.undo()
		if st := statusOf(r.desk, "Available MBytes"); st == nil || st.When.Limit != 200 || statusOf(r.desk, "memory") != nil {
			t.Errorf("after undo there is %v", st)
		}
		r.screen.showRule("Available MBytes")
		r.press("d")
		if statusOf(r.desk, "Available MBytes") != nil {
			t.Errorf("d did not remove it; it says %q", r.said())
		}
		r.undo()
		if statusOf(r.desk, "Available MBytes") == nil {
			t.Error("undo did not bring it back")
		}
		r.undo()
		if statusOf(r.desk, "Available MBytes") != nil {
			t.Error("undo of the addition left it")
		}
	})
}

// A change of a rule of a file is kept beside the file: it can be taken back,
// and its name stays.
func TestChangesOfFiles(t *testing.T) {
	onAlerts(t, theHosts(), theRules(t), func(r *rig) {
		r.pass(5)
		r.screen.showRule("cpu")
		r.draw()
		r.press("e")
		f := r.form()
		if got := f.get("when"); got != `\Processor Information(_Total)\% Processor Time>85` {
			t.Errorf("the condition is %q", got)
		}
		f.set("name", "processor")
		if err := f.accept(); err == nil || !strings.Contains(err.Error(), "its name stays") {
			t.Errorf("another name is %v", err)
		}
		f.set("name", "cpu").set("when", `\Processor Information(_Total)\% Processor Time>95`)
		if err := f.accept(); err != nil {
			t.Fatal(err)
		}
		st := statusOf(r.desk, "cpu")
		if st.When.Limit != 95 || !st.Edited || st.Origin != "config" || *st.Clear != 75 || st.Need != 3 || st.Interval != second {
			t.Errorf("the rule is %+v", st)
		}
		r.press("O", "d")
		if st := statusOf(r.desk, "cpu"); st.Edited || st.When.Limit != 85 {
			t.Errorf("d left %+v", st)
		}
		r.undo()
		if st := statusOf(r.desk, "cpu"); !st.Edited || st.When.Limit != 95 || !st.Disabled {
			t.Errorf("undo made %+v", st)
		}
		r.undo()
		r.undo()
		if st := statusOf(r.desk, "cpu"); st.Edited || st.Disabled || st.When.Limit != 85 {
			t.Errorf("all undone is %+v", st)
		}
	})
}
