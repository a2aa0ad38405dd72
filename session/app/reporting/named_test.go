package reporting

import (
	"strings"
	"sync/atomic"
	"testing"
)

// What is proposed can be run as it is: with the name of the archive, once for all of its
// recordings, and not at all for what came by a pipe.
func TestProposedCommands(t *testing.T) {
	first, second := recording(t, "web.csv", "WEB", 40), recording(t, "sql.csv", "SQL", 40)
	for named, want := range map[string]string{
		"n.perfdeck": "perfdeck replay n.perfdeck --at", "my logs.zip": "perfdeck replay 'my logs.zip' --at", "night.db!SET": "perfdeck replay 'night.db!SET' --at", "-n.zip": "perfdeck replay ./-n.zip --at", "-": "",
	} {
		var open atomic.Int32
		var left []string
		o := options(t, &open, &left)
		o.Named = func(string) (string, bool) { return named, named != "-" }
		r, _, err := Report(t.Context(), []string{first, second}, o)
		if err != nil || len(r.Verdicts) == 0 {
			t.Fatalf("%s: %v", named, err)
		}
		var text strings.Builder
		for _, next := range r.Verdicts[0].Next {
			for _, run := range next {
				text.WriteString(run.Text)
			}
		}
		if got := text.String(); want != "" && !strings.Contains(got, want) || want == "" && strings.Contains(got, " --at ") || strings.Contains(got, "web.csv") {
			t.Errorf("%s: %s", named, got)
		}
	}
}
