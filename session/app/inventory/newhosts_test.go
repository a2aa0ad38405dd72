package inventory

import (
	"slices"
	"testing"

	"perfdeck/session/config"
	"perfdeck/session/hosts/engine"
)

// A moment behind hosts of an engine is told from a name with that mark, a user and a password.
func TestPastIsToldFromHosts(t *testing.T) {
	v := New(Options{Config: &config.Config{Engines: []config.Engine{{Name: "m", URL: "prom+http://127.0.0.1:9090"}}}})
	for name, want := range map[string]bool{
		"m": false, "m#a": false, "m@-1h": true, "m@2h": true, "m#a@-1h/5m": true, "M#a@yesterday 03:12": true, "prom+http://h:9090@03:12": true,
		"prom+https://h/x#a@2026-03-02T03:12/1h": true, "m#a@b": false, "prom+http://h#a@b": false, "prom+http://ana:word@h": false, "ssh://ana@db02": false,
		"n@-1h": false, "": false, "@-1h": false,
	} {
		if got := v.IsPast(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
		if _, err := v.Target(name); (err != nil) != want {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// A host that comes to an engine is told once.
func TestNewHostsAreToldOnce(t *testing.T) {
	h := new(hub)
	if h.isShown() {
		t.Error("nobody asked for its hosts")
	}
	first := []engine.Host{{Name: "a"}, {Name: "B"}}
	if got := h.news(first); !slices.Equal(got, []string{"a", "B"}) || !h.isShown() {
		t.Errorf("%q", got)
	}
	if got := h.news(append(first, engine.Host{Name: "c"}, engine.Host{Name: "b"})); !slices.Equal(got, []string{"c"}) {
		t.Errorf("%q", got)
	}
	if got := h.news(first); len(got) != 0 {
		t.Errorf("%q", got)
	}
}
