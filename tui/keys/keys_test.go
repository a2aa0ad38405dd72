package keys

import (
	"testing"
)

func TestMatchTakesTheFirstMap(t *testing.T) {
	screen := []Binding{{Keys: "a b", Text: "screen"}}
	root := []Binding{{Keys: "b c", Text: "root"}}
	for key, want := range map[string]string{"a": "screen", "b": "screen", "c": "root"} {
		if b := Match(key, screen, root); b == nil || b.Text != want {
			t.Errorf("%s is %v, want %s", key, b, want)
		}
	}
	for _, key := range []string{"", "A", "ab"} {
		if b := Match(key, screen, root); b != nil {
			t.Errorf("%q is %s", key, b.Text)
		}
	}
}

func TestApplies(t *testing.T) {
	why := ""
	b := Binding{Keys: "a", Why: func() string { return why }}
	if ok, _ := b.Applies(); !ok {
		t.Error("does not apply without a reason")
	}
	why = "because"
	if ok, got := b.Applies(); ok || got != why {
		t.Errorf("applies %v, %q", ok, got)
	}
	if ok, _ := (&Binding{}).Applies(); !ok {
		t.Error("a binding that needs nothing does not apply")
	}
}

// The help names every text once, under its section.
func TestHelp(t *testing.T) {
	bindings := []Binding{
		{Keys: "up", Show: "j k", Text: "select", Section: Move},
		{Keys: "down", Show: "j k", Text: "select", Section: Move},
		{Keys: "|", Text: "split", Section: View},
	}
	if h := (*Map)(nil).HelpOf(Move, bindings, bindings); len(h) != 1 || h[0].Keys != "j k" || h[0].Text != "select" || h[0].Of != &bindings[0] {
		t.Errorf("help %v", h)
	}
	if h := (*Map)(nil).HelpOf(Go, bindings); len(h) != 0 {
		t.Errorf("help %v", h)
	}
}

// A key of a screen hides what the key does elsewhere, in help too.
func TestHelpOfHidden(t *testing.T) {
	screen := []Binding{{Keys: "y", Text: "copy the entry", Section: Selected}}
	rest := []Binding{{Keys: "y", Text: "copy the path", Section: Selected}, {Keys: "y f9", Text: "send a signal", Section: Selected}}
	h := (*Map)(nil).HelpOf(Selected, screen, rest)
	if len(h) != 2 || h[0].Text != "copy the entry" || h[1].Text != "send a signal" {
		t.Errorf("%+v", h)
	}
}
