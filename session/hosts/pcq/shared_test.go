package pcq

import (
	"testing"

	"perfdeck/session"
	"perfdeck/session/hosts/cache"
)

// Hosts share what they describe alike, however it was read, and nothing else.
func TestSharedSets(t *testing.T) {
	dir, shared := t.TempDir(), &cache.Shared{}
	read := func(name string, sets ...*hostSet) *session.Catalogue {
		t.Helper()
		h := &host{sets: sets}
		s := New(Options{Reach: Reach{Host: name, Dial: h.dial, CacheDir: dir, Shared: shared}})
		t.Cleanup(func() { _ = s.Close() })
		cat, err := s.Catalogue(t.Context())
		if err != nil || len(cat.Sets) != 2 {
			t.Fatal(cat, err)
		}
		return cat
	}
	other := diskSet()
	other.counters[10] = "Another name"
	a, b, kept := read("a", memorySet(), diskSet()), read("b", memorySet(), other), read("a", memorySet(), diskSet())
	if a.Set("Memory") != b.Set("Memory") || a.Set("Memory") != kept.Set("Memory") || a.Set("Disk") != kept.Set("Disk") {
		t.Error("the same sets are there twice")
	}
	if a.Set("Disk") == b.Set("Disk") {
		t.Error("different sets are one")
	}
}
