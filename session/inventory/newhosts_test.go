package inventory

import (
	"slices"
	"testing"

	"perfdeck/session/source/engine"
)

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
