package tui

import (
	"slices"
	"testing"
	"time"

	"perfdeck/tui/pane"
)

// The key table has a part for every tab, of the bindings that it obeys.
func TestKeyTableHasEveryScreen(t *testing.T) {
	table := KeyTable()
	for _, tab := range newRoot(Options{Now: time.Now, Hosts: []*pane.Host{{}}}).tabs {
		name := tab.screen.Title()
		if !slices.ContainsFunc(table, func(k Key) bool { return k.Screen == name && k.Keys != "" && k.Text != "" }) {
			t.Errorf("the table has nothing of %s", name)
		}
	}
	for i := 1; i < len(table); i++ {
		first := slices.IndexFunc(table, func(k Key) bool { return k.Screen == table[i].Screen })
		if table[i-1].Screen != table[i].Screen && first < i {
			t.Errorf("%s comes twice", table[i].Screen)
		}
	}
}
