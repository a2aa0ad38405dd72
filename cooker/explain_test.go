package cooker

import (
	"strings"
	"testing"
)

func TestExplainTexts(t *testing.T) {
	text := &Reading{Raw: 7, Size: SizeText} // of a sample that is not there any more
	x := Explain(Evidence{Type: CounterText, Prev: text, Cur: text, PrevText: MakeText("idle"), CurText: MakeText("busy")})
	if got, ok := x.Result.Text(); !ok || got != "busy" || x.Status != OK {
		t.Errorf("%v", x.Result)
	}
	lines := ""
	for _, l := range x.Lines() {
		lines += l.Text + "\n"
	}
	if !strings.Contains(lines, `"idle", then "busy"`) || strings.Contains(lines, "difference") {
		t.Error(lines)
	}
	x = Explain(Evidence{Type: CounterText, Cur: &Reading{State: Denied}})
	if x.Status != Denied || x.Operands[0].Texts != [2]string{} {
		t.Errorf("not read: %+v", x)
	}
}

// Each type whose sources disagree says so once, names what is used, and types
// that stand in no dispute say nothing.
func TestDisputes(t *testing.T) {
	seen := map[CounterType]bool{}
	for _, d := range disputes {
		if !strings.Contains(d.text, "Used is") && !strings.Contains(d.text, "Used are") && !strings.Contains(d.text, "It is shown") {
			t.Errorf("%q does not say what is used", d.text)
		}
		for _, one := range d.types {
			if seen[one] || !one.Known() || one.Dispute() != d.text {
				t.Errorf("%v: %q", one, one.Dispute())
			}
			seen[one] = true
		}
	}
	for _, one := range []CounterType{CounterRawCount, Timer100ns, AverageTimer, 0} {
		if text := one.Dispute(); text != "" {
			t.Errorf("%v: %s", one, text)
		}
	}
	x := Explain(Evidence{Type: CounterMultiTimerInv})
	found := false
	for _, l := range x.Lines() {
		found = found || l.Label == "disputed" && strings.Contains(l.Text, "100 %")
	}
	if !found {
		t.Errorf("not told: %v", x.Lines())
	}
}
