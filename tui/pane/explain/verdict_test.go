package explain

import (
	"context"
	"testing"
	"time"

	"perfdeck/tui/pane"
)

// What is wrong with the value is told, and not what is wrong with others; it is asked for again
// while it is shown, and one at a time.
func TestVerdict(t *testing.T) {
	explained(t, demo, `\Processor Information(_Total)\% Processor Time`, 100, 40, 3, func(r *rig) {
		asked := 0
		r.Desk.Why = func(hosts []*pane.Host, _, from, to time.Time) func(context.Context) (pane.Findings, error) {
			if asked++; len(hosts) != 1 || !from.Equal(to) {
				t.Errorf("asked of %d hosts, from %v to %v", len(hosts), from, to)
			}
			return func(context.Context) (pane.Findings, error) {
				return pane.Findings{Wrong: []pane.Finding{
					{Level: pane.Warning, Paths: []string{`\Memory\Available MBytes`}, Lines: [][2]string{{"", "of another"}}},
					{Level: pane.Warning, Paths: []string{`\x\y`, `\processor information(_total)\% processor time`}, Lines: [][2]string{{"", "the processors are busy"}, {"who", "hog (7) 90 % of 60 CPU-seconds"}}},
				}}, nil
			}
		}
		answer := func() {
			r.Run(func() { r.screen.askWhy(r.Clock.Now().Wall) })
			if w, ok := r.Last().(pane.Wait); ok {
				r.Sent = nil
				r.Run(func() { w.Work()(true) })
			}
			r.Draw()
		}
		r.Run(func() { r.screen.askWhy(r.Clock.Now().Wall) })
		r.Draw()
		r.Hides("the processors are busy")
		answer()
		r.Shows("verdict", "the processors are busy", "who", "hog (7) 90 %")
		r.Hides("of another")
		r.pass(2)
		if answer(); asked != 1 {
			t.Errorf("asked %d times within seconds", asked)
		}
		r.pass(5)
		if answer(); asked != 2 {
			t.Errorf("asked %d times", asked)
		}
	})
}
