package main

import (
	"testing"

	"perfdeck/session/alert/rulepack"
)

// All packs are offered on the screens.
func TestPacksAreOffered(t *testing.T) {
	offered := packsOffered()
	if len(offered) != len(rulepack.Names()) {
		t.Errorf("%d packs are offered", len(offered))
	}
	for _, p := range offered {
		if p.About == "" || len(p.Rules) == 0 {
			t.Errorf("%s: %q, %d rules", p.Name, p.About, len(p.Rules))
		}
	}
}
