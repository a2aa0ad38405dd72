package canvas

import (
	"strings"
	"testing"

	"perfdeck/session/hosts/fake/faketest"
	"perfdeck/session/text/printable"
)

// Folded text fits, and nothing but blanks is lost.
func TestFold(t *testing.T) {
	texts := append(faketest.HostileNames(), "", "a b c", "one twothreefour five", "no answer since 14:06:58: read timed out after 5 s",
		"日本語 のプロセス名前 x", strings.Repeat("x", 50)+" "+strings.Repeat("y", 3))
	for _, text := range texts {
		text = printable.Text(text)
		for w := 2; w < 60; w += 3 {
			lines := Fold(text, w)
			for _, line := range lines {
				if n := Full.TextWidth(line); n > w {
					t.Errorf("%d cells: %q takes %d", w, line, n)
				}
			}
			bare := func(s string) string { return strings.Join(strings.Fields(s), "") }
			if got, want := bare(strings.Join(lines, "")), bare(text); got != want {
				t.Errorf("%d cells: %q became %q", w, want, got)
			}
		}
	}
	if got := strings.Join(Fold("to be or not to be", 6), "|"); got != "to be|or not|to be" {
		t.Errorf("folded at blanks: %s", got)
	}
}
