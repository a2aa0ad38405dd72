package config

import (
	"maps"
	"reflect"
	"strings"
	"testing"
)

// uncommented is the example with its settings in effect.
func uncommented() string {
	var b strings.Builder
	for l := range strings.Lines(Example()) {
		if strings.HasPrefix(l, "#") && !strings.HasPrefix(l, "# ") {
			l = l[1:]
		}
		b.WriteString(l)
	}
	return b.String()
}

func TestExampleSaysNothing(t *testing.T) {
	c, warnings, err := Parse("f", []byte(Example()))
	if err != nil || len(warnings) > 0 || len(c.Settings) > 0 || c.Counters.Len() > 0 || len(c.Decks) > 0 || len(c.Hosts) > 0 {
		t.Errorf("the commented example: %+v, %v, %v", c, warnings, err)
	}
}

func TestExampleUncommentedIsTheDefault(t *testing.T) {
	c, warnings, err := Parse("f", []byte(uncommented()))
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	if got := Merge(c.Settings); got != Merge() {
		t.Errorf("settings %+v, want %+v", got, Merge())
	}
	for _, key := range allSettings() {
		if !c.Settings.Has(key) {
			t.Errorf("the example has no %s", key)
		}
	}
	if n := reflect.TypeFor[Settings]().NumField(); n != len(settings) {
		t.Errorf("%d settings have %d fields", len(settings), n)
	}
	for i, h := range c.Hosts {
		if h.Password.IsZero() || i == 0 && (h.User == "" || !h.Watch) {
			t.Errorf("host %+v", h)
		}
	}
	if len(c.Hosts) != len(passwordKeys) {
		t.Errorf("%d hosts", len(c.Hosts))
	}
	if c.Counters.Len() != 1 || len(c.Decks) != 1 || len(c.Decks[0].Panes) != 2 {
		t.Errorf("samples: %d counters, decks %+v", c.Counters.Len(), c.Decks)
	}
}

func TestExampleHasEveryKey(t *testing.T) {
	values, err := parseTOML("f", []byte(uncommented()))
	if err != nil {
		t.Fatal(err)
	}
	deck := values["deck"].([]any)[0].(map[string]any)
	panes := map[string]any{}
	for _, p := range deck["panes"].([]any) {
		maps.Copy(panes, p.(map[string]any))
	}
	hosts := map[string]any{}
	for _, h := range values["host"].([]any) {
		maps.Copy(hosts, h.(map[string]any))
	}
	for _, c := range []struct {
		values map[string]any
		keys   []string
	}{
		{hosts, append(sampleKeys(hostKeys), sampleKeys(passwordKeys)...)},
		{values, topKeys()},
		{values["numbers"].(map[string]any), settingKeys("numbers")},
		{values["counter"].([]any)[0].(map[string]any), sampleKeys(counterKeys)},
		{deck, sampleKeys(deckKeys)},
		{panes, sampleKeys(paneKeys)},
	} {
		for _, k := range c.keys {
			if _, ok := c.values[k]; !ok {
				t.Errorf("the example has no %s", k)
			}
		}
	}
}

func TestExampleFitsAScreen(t *testing.T) {
	for l := range strings.Lines(Example()) {
		if len(l) > 100 {
			t.Errorf("a line of %d bytes: %s", len(l), l)
		}
	}
}
