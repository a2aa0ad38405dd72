package layout

import (
	"math/rand/v2"
	"testing"
)

// A pane that is opened has room for rows as long as every other keeps its title,
// and a tree in which it has room is as it was.
func TestOpened(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	opened := 0
	for range 500 {
		tree, n := Leaf(0), 1
		for range 2 + rnd.IntN(6) {
			tree = tree.SplitPane(rnd.IntN(n), n, Split(1+rnd.IntN(2)))
			n++
		}
		body := Rect{0, 0, 40 + rnd.IntN(160), 10 + rnd.IntN(40)}
		pane := rnd.IntN(n)
		before := tree.placed(body, n)
		text := tree.String()
		with := tree.Opened(body, pane)
		if tree.String() != text {
			t.Fatalf("%s became %s", text, tree)
		}
		after := with.placed(body, n)
		if was := before[pane]; was.W >= MinPaneWidth && was.H >= MinPaneHeight {
			for i := range after {
				if after[i] != before[i] {
					t.Fatalf("%s in %v: pane %d was at %v, is at %v though %d had room", tree, body, i, before[i], after[i], pane)
				}
			}
			continue
		}
		opened++
		r := after[pane]
		if r.H < MinPaneHeight && tree.need(pane, Above) <= body.H || r.W < MinPaneWidth && tree.need(pane, Beside) <= body.W {
			t.Errorf("%s in %v: pane %d is at %v", tree, body, pane, r)
		}
		for i, o := range after {
			if !body.holds(o) || before[i].H > 0 && before[i].W > 0 && (o.H < 1 || o.W < 1) {
				t.Errorf("%s in %v: pane %d was at %v, is at %v", tree, body, i, before[i], o)
			}
		}
	}
	if opened < 50 {
		t.Errorf("only %d panes had to be opened", opened)
	}
}
