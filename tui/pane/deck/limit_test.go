package deck

import (
	"strings"
	"testing"

	"perfdeck/session/hosts/fake"
)

// How much memory there is stands on every screen but the narrowest, and more room never takes it away.
func TestLimitIsShown(t *testing.T) {
	m := quiet("one")
	m.isLinux = true
	s := m.script()
	for i := range s.Sets {
		if set := &s.Sets[i]; set.Name == "Memory" {
			set.Counters = append(set.Counters, gaugeOf("Cache Bytes", fake.Const(giga)), gaugeOf("Committed Bytes", fake.Const(giga)), gaugeOf("Commit Limit", fake.Const(9*giga)))
		}
	}
	onDeck(t, 60, 13, []fake.Script{s}, func(r *rig) {
		r.pass(3)
		for h := 10; h <= 98; h += 4 {
			for w := 40; w <= 300; w += 4 {
				r.Resize(w, h)
				r.Draw()
				if text := r.Text(); w >= 52 && !strings.Contains(text, "8.00 GB") && !strings.Contains(text, " 8 GB ") {
					t.Fatalf("%dx%d:\n%s", w, h, text)
				}
			}
		}
	})
}
