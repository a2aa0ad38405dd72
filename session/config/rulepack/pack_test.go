package rulepack

import (
	"os"
	"slices"
	"strings"
	"testing"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session/config"
	"perfdeck/session/hosts/local"
	"perfdeck/session/system/failure"
)

// Every pack reads without a warning, and every rule says why.
func TestPacks(t *testing.T) {
	taken := map[string]string{}
	for _, name := range Names() {
		text, err := Text(name)
		if err != nil {
			t.Fatal(err)
		}
		c, warnings, err := config.Parse(name, []byte(text))
		if err != nil || len(warnings) > 0 {
			t.Fatal(err, warnings)
		}
		if About(name) == "" {
			t.Errorf("%s does not say what it is about", name)
		}
		rules, err := Rules(name)
		if err != nil || len(rules) != len(c.Alerts.Rules) || len(rules) < 4 {
			t.Errorf("%s: %d rules, %v", name, len(rules), err)
		}
		for _, r := range rules {
			if n := len(r.Next); n < 1 || n > 4 {
				t.Errorf("%s: %q says %d times what to look at next", name, r.Name, n)
			}
			if r.Why == "" || taken[r.Name] != "" {
				t.Errorf("%s: %q without a reason, or also in pack %q", name, r.Name, taken[r.Name])
			}
			taken[r.Name] = name
			if _, of := r.Need, r.Of; r.Clear == nil && of < 2 && r.Cooldown == 0 && r.When.Limit != 0 {
				t.Errorf("%s: %q would flutter around its limit", name, r.Name)
			}
		}
	}
	entries, err := packs.ReadDir("packs")
	if err != nil || len(entries) != len(All()) {
		t.Errorf("%d files, %d are read", len(entries), len(All()))
	}
	if _, err := Rules("../packs/disk"); failure.Hint(err) == "" {
		t.Errorf("error %v", err)
	}
}

// Every deck is for hosts that have something of it, a pack of a role judges by five counters at least, and
// each counter that a rule judges is known with its type.
func TestDecks(t *testing.T) {
	known, taken := Catalogue(), map[string]bool{}
	for _, p := range All() {
		for _, d := range p.Decks {
			var objects []string
			for _, pane := range d.Panes {
				for _, text := range slices.Concat(pane.Paths, pane.Also) {
					if path, err := paths.Parse(text); err == nil {
						objects = append(objects, path.Object)
					}
				}
			}
			for _, set := range d.Sets {
				if !slices.ContainsFunc(objects, func(object string) bool { return strings.HasSuffix(set, "*") || paths.EqualFold(set, object) }) {
					t.Errorf("%s is for hosts with %s, and shows nothing of it", d.Name, set)
				}
			}
			if taken[d.Name] || len(d.Sets) == 0 || len(d.Panes) < 4 {
				t.Errorf("%s: taken %v, for %v, %d panes", d.Name, taken[d.Name], d.Sets, len(d.Panes))
			}
			taken[d.Name] = true
		}
		if lacks := p.Lacks(known); len(p.Decks) > 0 && len(lacks) > 0 {
			t.Errorf("%s: no types of %q", p.Name, lacks)
		}
		judged := map[string]bool{}
		for i := range p.Rules {
			for _, path := range p.Rules[i].Paths() {
				judged[path.String()] = true
			}
		}
		if n := len(judged); len(p.Decks) > 0 && n > 0 && n < 5 {
			t.Errorf("%s has a pack that judges by %d counters", p.Name, n)
		}
	}
}

// The role that the page shows as an example reads without a warning.
func TestExampleOfARole(t *testing.T) {
	text, err := os.ReadFile("../../alert/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "<!-- role -->\n```toml\n")
	example, _, ok := strings.Cut(rest, "```\n<!-- /role -->")
	c, warnings, err := config.Parse("role", []byte(example))
	if !ok || err != nil || len(warnings) > 0 || len(c.Decks) != 1 || len(c.Decks[0].Sets) != 1 || len(c.Alerts.Rules) != 1 {
		t.Errorf("%v, %v, %+v", warnings, err, c)
	}
}

// windowsOnly are paths of packs that this computer has no counters for.
var windowsOnly = []string{`\Network Interface(*)\Output Queue Length`, `\Processor Information(_Total)\% Performance Limit`, `\Service(*)\Missing`}

// The rules about any computer find their counters on this one, and their limits
// have the unit of the counter.
func TestPacksOnThisComputer(t *testing.T) {
	source, err := local.Open(local.Options{Go: func(f func()) { go f() }})
	if err != nil {
		t.Skip(err)
	}
	defer source.Close()
	cat, err := source.Catalogue(t.Context())
	if err != nil {
		t.Skip(err)
	}
	found := 0
	for _, name := range []string{"processor", "memory", "disk", "network", "containers", "services"} {
		rules, err := Rules(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rules {
			sel, err := cat.Resolve(r.When.Path.String(), paths.Options{})
			if err != nil {
				if !slices.Contains(windowsOnly, r.When.Path.String()) && cat.Set(r.When.Path.Object) != nil {
					t.Error(err)
				}
				continue
			}
			found++
			q := sel[0].Set.Counters[sel[0].Counters[0]].Quantity
			if q.Kind == cooker.Percent && (r.When.Limit < 1 || r.When.Limit > 100) {
				t.Errorf("%s: a limit of %v %%", r.Name, r.When.Limit)
			}
			if q.Kind == cooker.Seconds && r.When.Limit > 1 {
				t.Errorf("%s: a limit of %v s", r.Name, r.When.Limit)
			}
		}
	}
	if found < 10 {
		t.Errorf("only %d rules find their counter here", found)
	}
}
