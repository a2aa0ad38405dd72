package alerts

import (
	"strings"
	"testing"
)

// A rule is switched off and on; what it fired ends. One of a file is not
// removed, one of the screens is, and comes back with undo.
func TestRules(t *testing.T) {
	onAlerts(t, theHosts(), theRules(t), func(r *rig) {
		r.Pass(90)
		r.Resize(120, 40)
		r.Press("tab", "g", "O")
		if row := r.row(rulesPart, "slow disk"); !strings.HasSuffix(strings.TrimSpace(row), "off") || r.row(activePart, "slow disk") != "" {
			t.Errorf("after O:\n%s", r.Canvas)
		}
		r.Undo()
		r.Pass(8)
		if row := r.row(rulesPart, "slow disk"); strings.HasSuffix(strings.TrimSpace(row), "off") || r.row(activePart, "slow disk") == "" {
			t.Errorf("after undo:\n%s", r.Canvas)
		}
		r.Press("d")
		if got := r.Said(); !strings.Contains(got, "stands in a file") {
			t.Errorf("d on a rule of a file says %q", got)
		}

		r.Press("a")
		f := r.form().set("when", `\Memory\Available MBytes<200`).set("interval", "1s")
		if err := f.accept(); err != nil {
			t.Fatal(err)
		}
		if row := r.Selected(); !strings.Contains(row, "Available MBytes") {
			t.Errorf("%q is selected, not the new rule:\n%s", row, r.Canvas)
		}
		r.Press("e")
		f = r.form().set("name", "memory").set("when", `\Memory\Available MBytes<9500`).set("severity", "critical")
		if err := f.accept(); err != nil {
			t.Fatal(err)
		}
		r.Pass(3)
		if row := r.row(activePart, "memory"); !strings.Contains(row, "critical") || !strings.Contains(row, "9418") {
			t.Errorf("the rule does not fire: %q\n%s", row, r.Canvas)
		}
		if statusOf(r.Desk, "Available MBytes") != nil {
			t.Error("the old name is there still")
		}
		r.Undo()
		if st := statusOf(r.Desk, "Available MBytes"); st == nil || st.When.Limit != 200 || statusOf(r.Desk, "memory") != nil {
			t.Errorf("after undo there is %v", st)
		}
		r.screen.showRule("Available MBytes")
		r.Press("d")
		if statusOf(r.Desk, "Available MBytes") != nil {
			t.Errorf("d did not remove it; it says %q", r.Said())
		}
		r.Undo()
		if statusOf(r.Desk, "Available MBytes") == nil {
			t.Error("undo did not bring it back")
		}
		r.Undo()
		if statusOf(r.Desk, "Available MBytes") != nil {
			t.Error("undo of the addition left it")
		}
	})
}

// A change of a rule of a file is kept beside the file: it can be taken back,
// and its name stays.
func TestChangesOfFiles(t *testing.T) {
	onAlerts(t, theHosts(), theRules(t), func(r *rig) {
		r.Pass(5)
		r.screen.showRule("cpu")
		r.Draw()
		r.Press("e")
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
		st := statusOf(r.Desk, "cpu")
		if st.When.Limit != 95 || !st.Edited || st.Origin != "config" || *st.Clear != 75 || st.Need != 3 || st.Interval != second {
			t.Errorf("the rule is %+v", st)
		}
		r.Press("O", "d")
		if st := statusOf(r.Desk, "cpu"); st.Edited || st.When.Limit != 85 {
			t.Errorf("d left %+v", st)
		}
		r.Undo()
		if st := statusOf(r.Desk, "cpu"); !st.Edited || st.When.Limit != 95 || !st.Disabled {
			t.Errorf("undo made %+v", st)
		}
		r.Undo()
		r.Undo()
		if st := statusOf(r.Desk, "cpu"); st.Edited || st.Disabled || st.When.Limit != 85 {
			t.Errorf("all undone is %+v", st)
		}
	})
}

// Rules that are gone when a menu asks for something of them are switched by nobody.
func TestNoRulesAreSwitched(t *testing.T) {
	onAlerts(t, nil, nil, func(r *rig) {
		if did, err := switchRules(r.Desk, nil); err != nil || did.Text == "" {
			t.Errorf("%+v, %v", did, err)
		}
	})
}
