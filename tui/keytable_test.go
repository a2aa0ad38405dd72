package tui

import (
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/tui/keys"
	"perfdeck/tui/pane"
	"perfdeck/tui/pane/deck"
	"perfdeck/tui/pane/details"
	"perfdeck/tui/pane/explain"
)

// The table of keys in the README. `go test ./tui -run KeyTable -update` accepts a
// change, and then the README's own test writes it into it.
func TestKeyTable(t *testing.T) {
	var b strings.Builder
	screen := ""
	for _, k := range keyTable() {
		if k.Screen != screen {
			screen = k.Screen
			b.WriteString("\n| " + screen + " | |\n|---|---|\n")
		}
		b.WriteString("| `" + strings.ReplaceAll(k.Keys, "|", `\|`) + "` | " + k.Text + " |\n")
	}
	golden(t, "keys.md", strings.TrimPrefix(b.String(), "\n"))
}

// The key table has a part for every tab, of the bindings that it obeys.
func TestKeyTableHasEveryScreen(t *testing.T) {
	table := keyTable()
	for _, tab := range newRoot(Options{Runtime: Runtime{Now: time.Now}, Subject: Subject{Hosts: []*pane.Host{{}}}}).tabs {
		name := tab.screen.Title()
		if !slices.ContainsFunc(table, func(k tableKey) bool { return k.Screen == name && k.Keys != "" && k.Text != "" }) {
			t.Errorf("the table has nothing of %s", name)
		}
	}
	for i := 1; i < len(table); i++ {
		first := slices.IndexFunc(table, func(k tableKey) bool { return k.Screen == table[i].Screen })
		if table[i-1].Screen != table[i].Screen && first < i {
			t.Errorf("%s comes twice", table[i].Screen)
		}
	}
}

// tableKey is one line of the key table: what keys do on a screen.
type tableKey struct {
	Screen  string // "everywhere" for those of the root
	Section string
	Keys    string
	Text    string
}

// keyTable lists every key of every screen, from the same bindings that the
// screens obey.
func keyTable() []tableKey {
	host := &pane.Host{}
	r := newRoot(Options{Runtime: Runtime{Now: time.Now}, Subject: Subject{Hosts: []*pane.Host{host}}})
	type part struct {
		name     string
		bindings []keys.Binding
	}
	table := []part{{"everywhere", r.bindings()}}
	for _, t := range r.tabs {
		table = append(table, part{t.screen.Title(), t.screen.Bindings()})
		if t.tab == pane.TabDeck {
			table = append(table, part{"Deck of several hosts", deck.NewAbreast(r.desk, r.desk.Hosts).Bindings()})
		}
	}
	table = append(table, part{"Details", details.New(r.desk, pane.Target{Host: host, Set: &session.Counterset{}}).Bindings()})
	table = append(table, part{"Explain", explain.New(r.desk, pane.Target{Host: host, Set: &session.Counterset{}}).Bindings()})
	var out []tableKey
	for _, t := range table {
		for _, s := range keys.Sections {
			for _, h := range (*keys.Map)(nil).HelpOf(s, t.bindings) {
				out = append(out, tableKey{Screen: t.name, Section: string(s), Keys: h.Keys, Text: h.Text})
			}
		}
	}
	return out
}
