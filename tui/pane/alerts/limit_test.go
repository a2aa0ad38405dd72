package alerts

import (
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
)

// The limit stands with its unit wherever it is shown, as in the rules: 5 MB
// beside a value of gigabytes are no 0.004883.
func TestLimitHasItsUnit(t *testing.T) {
	rule, err := alert.ParseRule(`\Memory\Available MBytes>5`)
	if err != nil {
		t.Fatal(err)
	}
	rule.Name, rule.Interval = "memory", second
	onAlerts(t, theHosts()[:1], []alert.Rule{rule}, func(r *rig) {
		r.Pass(5)
		r.Resize(120, 40)
		for p, name := range partNames {
			if row := r.row(part(p), "memory"); !strings.Contains(row, "> 5 MB") {
				t.Errorf("%s: %q lacks the limit with its unit\n%s", name, row, r.Canvas)
			}
		}
	})
}

// The dialog of a rule tells when it can fire at the earliest, what it is for and what to look at.
func TestEarliestInTheDialog(t *testing.T) {
	for text, want := range map[string]func(*alert.Rule) string{
		`\Memory\Available MBytes<5`: func(r *alert.Rule) string { r.Need, r.Of = 5, 6; return "1 min to 1 min 15 s" },
		`\Memory\Pages/sec>5`:        func(r *alert.Rule) string { r.Trend = time.Hour; return "sooner than 15 min" },
		`\Memory\Pages/sec>6`:        func(r *alert.Rule) string { r.Grows = 0.5; return "sooner than 30 min" },
		`absent host`:                func(*alert.Rule) string { return "fires 30 s after" },
	} {
		rule, err := alert.ParseRule(text)
		if err != nil {
			t.Fatal(err)
		}
		rule.Why, rule.Next = "it is little", []string{"Who has it?"}
		if told := want(&rule); rule.Check() == nil {
			onAlerts(t, theHosts()[:1], []alert.Rule{rule}, func(r *rig) {
				r.Pass(5)
				r.Resize(120, 40)
				r.Press("tab")
				r.Shows(told, "it is little", "Who has it?")
			})
		}
	}
}

// A rule that was just made says why nothing is told of it yet.
func TestRuleNotJudgedYet(t *testing.T) {
	onAlerts(t, theHosts(), nil, func(r *rig) {
		r.Pass(5)
		r.Resize(120, 40)
		r.Press("a")
		f := r.form().set("when", `\Memory\Pages/sec>0`).set("name", "memory")
		if err := f.accept(); err != nil {
			t.Fatal(err)
		}
		if row := r.row(rulesPart, "memory"); !strings.Contains(row, "not judged yet") {
			t.Errorf("the rule says %q\n%s", row, r.Canvas)
		}
		if row := r.row(activePart, "each 15s"); !strings.Contains(row, "not judged yet") {
			t.Errorf("what is active says nothing of it:\n%s", r.Canvas)
		}
		r.Pass(40)
		if slices.ContainsFunc(r.Canvas.Rows(), func(row string) bool { return strings.Contains(row, "not judged") }) {
			t.Errorf("it was judged:\n%s", r.Canvas)
		}
	})
}

// What is typed into the form of a limit is judged in a line that fits it.
func TestWarnLines(t *testing.T) {
	onAlerts(t, theHosts(), theRules(t), func(r *rig) {
		r.Pass(90)
		v := trial{Outcome: alert.Outcome{Fired: 1, Firing: 1, Values: 1, Longest: 12 * second}, values: map[alert.ID]*alert.Past{{}: {Timeline: session.Timeline{Nanos: []int64{0}}}}, end: time.Unix(300, 0)}
		if got := v.text(watched{}); len(got) > 54 || !strings.Contains(got, "still") {
			t.Errorf("%d cells: %s", len(got), got)
		}
		below := alert.Rule{Kind: alert.Threshold, When: paths.Alert{Op: paths.Above, Limit: -5}}
		if !isBelowAll(&below, &session.Counter{Quantity: cooker.Quantity{Kind: cooker.Percent}}) || isBelowAll(&below, &session.Counter{}) {
			t.Error("-5 % can be passed, or a count cannot be negative")
		}
		_, err := measure{}.parse("abc")
		if err == nil || len(err.Error()) > 46 {
			t.Errorf("what is wrong with abc: %v", err)
		}
	})
}
