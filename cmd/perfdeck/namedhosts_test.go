package main

import (
	"testing"

	"perfdeck/session/analysis/difference"
)

// What is compared is named above its values, and the two names differ.
func TestCompareHeads(t *testing.T) {
	one := &difference.Side{Name: "night.db"}
	for _, c := range []struct {
		sides    []*difference.Side
		from, to string
	}{
		{[]*difference.Side{one}, "BEFORE", "DURING"},
		{[]*difference.Side{{Name: "n.db", Host: "sql01"}, {Name: "n.db", Host: "web02"}}, "sql01", "web02"},
		{[]*difference.Side{{Name: "a/monday.db"}, {Name: "b/tuesday.db"}}, "monday.db", "tuesday.db"},
		{[]*difference.Side{{Name: "a/n.db"}, {Name: "b/n.db"}}, "FIRST", "SECOND"},
		{[]*difference.Side{{Name: "n.db", Host: "a-very-long-name.example"}, {Name: "n.db", Host: "web\x1b[2J"}}, "a-very-….example", "web?[2J"},
	} {
		a := &comparedPrint{Difference: &difference.Difference{Was: c.sides[0], Now: c.sides[len(c.sides)-1]}}
		if from, to := a.heads(); from != c.from || to != c.to {
			t.Errorf("%q and %q, want %q and %q", from, to, c.from, c.to)
		}
	}
}
