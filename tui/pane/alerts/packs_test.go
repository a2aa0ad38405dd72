package alerts

import (
	"strings"
	"testing"

	"perfdeck/session/alert"
	"perfdeck/session/hosts/fake"
	"perfdeck/tui/pane"
)

// One key offers the packs, of which none is on; what is added is taken away by the
// same key, and rules of others stay.
func TestPacks(t *testing.T) {
	rule := func(text, name, origin string) alert.Rule {
		return rule(t, name, text, alert.Warning, func(r *alert.Rule) { r.Origin = origin })
	}
	mine := rule(`\Disk(*)\Queue>99`, "disk queue", "config.toml")
	onAlerts(t, []fake.Script{{Name: "db"}}, []alert.Rule{mine}, func(r *rig) {
		packs := []pane.Pack{{Name: "disk", About: "Disks.", Rules: []alert.Rule{
			rule(`\Disk(*)\Queue>5`, "disk queue", "pack disk"), rule(`\Disk(*)\Wait>5`, "slow disk", "pack disk"), rule(`\Disk(*)\Free<5`, "full disk", "pack disk"),
		}}, {Name: "mine", Rules: []alert.Rule{mine}}}
		r.Desk.Packs = func() []pane.Pack { return packs }
		names := func() string {
			var out []string
			for _, s := range r.watch.Board().Rules {
				out = append(out, s.Name+" of "+s.Origin)
			}
			return strings.Join(out, ", ")
		}
		const before = "disk queue of config.toml"
		menu := func() pane.OpenMenu {
			t.Helper()
			r.Press("P")
			m, ok := r.Last().(pane.OpenMenu)
			if !ok || len(m.Items) != 2 || m.Items[1].Why == "" {
				t.Fatalf("%#v", r.Last())
			}
			return m
		}
		if got := names(); got != before {
			t.Fatalf("at first: %s", got)
		}
		menu()
		r.Pick("add disk (2)")
		if got := names(); got != before+", full disk of pack disk, slow disk of pack disk" {
			t.Errorf("added: %s", got)
		}
		r.Undo()
		if got := names(); got != before {
			t.Errorf("undone: %s", got)
		}
		menu()
		r.Pick("add disk (2)")
		menu()
		r.Pick("take away disk (2)")
		if got := names(); got != before {
			t.Errorf("taken away: %s", got)
		}
	})
}
