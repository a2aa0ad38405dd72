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
