package alerts

import (
	"strings"
	"testing"

	"perfdeck/session"
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
		packs := []alert.Pack{{Name: "disk", About: "Disks.", Rules: []alert.Rule{
			rule(`\Disk(*)\Queue>5`, "disk queue", "pack disk"), rule(`\Disk(*)\Wait>5`, "slow disk", "pack disk"), rule(`\Disk(*)\Free<5`, "full disk", "pack disk"),
		}}, {Name: "mine", Rules: []alert.Rule{mine}}}
		r.Desk.Packs = func() []alert.Pack { return packs }
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

// What fits a host comes first: packs by their decks, those without by what they judge; those that have
// decks alone are none.
func TestPacksThatFitComeFirst(t *testing.T) {
	rules := []alert.Rule{rule(t, "r", `\Disk(*)\Queue>5`, alert.Warning, func(*alert.Rule) {})}
	lacking := []alert.Rule{rule(t, "l", `\Tape(*)\Queue>5`, alert.Warning, func(*alert.Rule) {})}
	deck := func(set string) []session.Deck { return []session.Deck{{Name: set, Sets: []string{set}}} }
	onAlerts(t, []fake.Script{{Name: "db", Sets: []fake.Set{{Name: "Disk", Instances: session.MultipleInstances, Counters: []fake.Counter{{Name: "Queue"}}}}}}, nil, func(r *rig) {
		r.Desk.Packs = func() []alert.Pack {
			return []alert.Pack{
				{Name: "a", Rules: lacking}, {Name: "b", Rules: rules, Decks: deck("Tape")}, {Name: "c", Rules: rules},
				{Name: "d", Rules: lacking, Decks: deck("Disk")}, {Name: "e", Decks: deck("Disk")},
			}
		}
		r.Press("P")
		m, _ := r.Last().(pane.OpenMenu)
		var names []string
		for _, item := range m.Items {
			names = append(names, strings.Fields(item.Text)[1])
		}
		if got := strings.Join(names, " "); got != "c d a b" {
			t.Errorf("offered %s", got)
		}
	})
}
