package panetest

import (
	"slices"
	"strings"
	"testing"

	"perfdeck/tui/keys"
)

func TestConflicts(t *testing.T) {
	clean := []keys.Binding{{Keys: "a b", Text: "one"}, {Keys: "c", Text: "two"}}
	if c := Conflicts(clean); len(c) != 0 {
		t.Errorf("conflicts %q", c)
	}
	c := Conflicts(append(clean, keys.Binding{Keys: "b", Text: "three"}))
	if len(c) != 1 || !strings.Contains(c[0], "one") || !strings.Contains(c[0], "three") {
		t.Errorf("conflicts %q", c)
	}
}

func TestForeign(t *testing.T) {
	got := Foreign([]keys.Binding{{Keys: "c | ctrl+c ctrl+l"}, {Keys: "J"}, {Keys: "_", Fixed: true}})
	if !slices.Equal(got, []string{"|", "J"}) {
		t.Errorf("%q", got)
	}
}
