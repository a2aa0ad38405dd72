package ruleset

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"perfdeck/session/alert"
	"perfdeck/session/app/inventory"
	"perfdeck/session/config"
	"perfdeck/session/config/rulepack"
	"perfdeck/session/deliver/journal/journaltest"
)

// Rules that were made, changed or switched off on the screens are judged so on
// recordings, too, by which nothing is written.
func TestRulesInForce(t *testing.T) {
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	known := func() (out []string) {
		t.Helper()
		rules, err := InForce(&config.Config{}, nil, []string{`\A\B>3`, `\A\C>3`, `\A\D>3`}, func(err error) { t.Error(err) })
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rules {
			text := r.Name + " is " + r.Expression()
			if r.Disabled {
				text += " off"
			}
			out = append(out, text)
		}
		return out
	}
	if got := known(); len(got) != 3 {
		t.Errorf("%q", got)
	}
	if left, _ := os.ReadDir(state); len(left) != 0 {
		t.Errorf("%v was made", left)
	}
	journaltest.KeepRules(t, state, `\A\C>3`, `\A\B>3`, `\A\B>4`, "mine", `\A\E>5`)
	dir := filepath.Join(state, "perfdeck")
	before, _ := os.ReadDir(dir)
	want := []string{`\A\B>3 is \A\B>4`, `\A\C>3 is \A\C>3 off`, `\A\D>3 is \A\D>3`, `mine is \A\E>5`}
	if got := known(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if after, _ := os.ReadDir(dir); len(after) != len(before) {
		t.Errorf("%v were %v", after, before)
	}
}

func TestAlertRules(t *testing.T) {
	file, _, err := config.Parse("f", []byte("[alerts]\npacks = [\"disk\"]\n[[alert]]\nname = \"slow disk\"\nwhen = '\\A\\B>1'\n[[alert]]\nwhen = '\\\\.\\A\\B>2'\n"))
	if err != nil {
		t.Fatal(err)
	}
	rules, err := Of(file, []string{"memory"}, []string{`\A\B>3`})
	if err != nil || rules[0].Origin != CommandLine || rules[1].Name != "slow disk" || rules[2].When.Path.Computer != inventory.LocalName() {
		t.Fatalf("%v, %+v", err, rules)
	}
	e := alert.NewEngine(rules, 0, nil, nil)
	for _, r := range e.Rules() {
		if r.Name == "slow disk" && r.When.Path.Object != "A" {
			t.Error("a pack wins over the config")
		}
	}
	for _, text := range []string{"", "x", `\A\B`, `\*\A>5`} {
		if _, mistakes := Parse([]string{text}); len(mistakes) != 1 {
			t.Errorf("%q is taken", text)
		}
	}
}

// No pack is on unless it is named.
func TestPacksAreNamed(t *testing.T) {
	if rules, err := Of(&config.Config{}, nil, nil); err != nil || len(rules) != 0 {
		t.Errorf("without a word: %v, %v", rules, err)
	}
	for _, name := range rulepack.Names() {
		if rules, err := Of(&config.Config{}, []string{name}, nil); err != nil || len(rules) == 0 {
			t.Errorf("%s: %d rules, %v", name, len(rules), err)
		}
	}
}

func TestDemoRules(t *testing.T) {
	if rules, err := Demo(); err != nil || len(rules) != len(demoRules) {
		t.Errorf("%d rules, %v", len(rules), err)
	}
}
