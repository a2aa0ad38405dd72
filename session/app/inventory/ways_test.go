package inventory

import (
	"strings"
	"testing"

	"perfdeck/paths"
)

// Each scheme has a way of its own, and what its form says is a host of that way.
func TestSchemesLeadSomewhere(t *testing.T) {
	for _, s := range paths.Schemes() {
		host := strings.NewReplacer("NAME", "web01", "PORT", "14500").Replace(s.String())
		w := wayOf(host)
		if w == nil || w.scheme != s.Prefix || w.written() != s.String() {
			t.Errorf("%s is reached by %+v", host, w)
			continue
		}
		if name := DisplayName(host); strings.Contains(name, "://") || !strings.HasPrefix(name, "web01") {
			t.Errorf("%s is called %q", host, name)
		}
		if cut, rest, ok := paths.SchemeOf(strings.ToUpper(host)); !ok || cut != s || !strings.HasPrefix(rest, "WEB01") {
			t.Errorf("%s is taken apart into %v and %q", host, cut, rest)
		}
	}
	for _, none := range []string{"web01", "ftp://web01", "", "tcp:/web01"} {
		if s, rest, ok := paths.SchemeOf(none); ok || rest != none {
			t.Errorf("%q has the scheme %v", none, s)
		}
	}
}
