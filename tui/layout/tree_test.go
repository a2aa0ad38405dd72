package layout

import (
	"math/rand/v2"
	"testing"
)

// placed are the places of n panes.
func (t *Tree) placed(body Rect, n int) []Rect {
	out := make([]Rect, n)
	t.Place(body, out)
	return out
}

// Whatever is done to a tree, its panes lie in the body and beside one another,
// and it reads back as it was written.
func TestTree(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		tree, n := Leaf(0), 1
		body := Rect{0, 1, 40 + rnd.IntN(260), 12 + rnd.IntN(90)}
		for range 30 {
			pane := rnd.IntN(n)
			switch rnd.IntN(5) {
			case 0, 1:
				if n < 8 {
					tree = tree.SplitPane(pane, n, Split(1+rnd.IntN(2)))
					n++
				}
			case 2:
				tree.Resize(body, pane, Direction(rnd.IntN(4)), rnd.IntN(20))
			case 3:
				tree = tree.Swap(pane, rnd.IntN(n))
			case 4:
				if n > 1 {
					tree = tree.Remove(pane)
					n--
				}
			}
			places := make([]Rect, n)
			if !tree.Place(body, places) {
				places = nil
			}
			for i, r := range places {
				if !body.holds(r) {
					t.Fatalf("pane %d of %s is at %v of %v", i, tree, r, body)
				}
				for j := range i {
					if r.H*r.W > 0 && places[j].H*places[j].W > 0 && r.overlaps(places[j]) {
						t.Fatalf("%s: %v over %v", tree, r, places[j])
					}
				}
			}
			back, err := ParseTree(tree.String(), n)
			if err != nil || back.String() != tree.String() {
				t.Fatalf("%s reads back as %s, %v", tree, back, err)
			}
		}
	}
}

// The tree of an automatic deck puts its panes where they were.
func TestTreeOfDeck(t *testing.T) {
	for _, body := range []Rect{{0, 1, 118, 34}, {0, 1, 80, 22}, {0, 1, 200, 58}, {0, 1, 300, 98}} {
		placed := Place(body, []Pane{{Rows: 3}, {Rows: 5}, {Rows: 5}, {Form: FormTable, Instances: 12}, {Rows: 2}})
		rects := make([]Rect, len(placed))
		for i, p := range placed {
			rects[i] = p.Rect
		}
		for i, r := range NewTree(rects).placed(body, len(rects)) {
			if was := rects[i]; was.H > 0 && (abs(r.X-was.X) > 1 || abs(r.W-was.W) > 1) {
				t.Errorf("%v: pane %d was at %v, is at %v", body, i, was, r)
			}
		}
	}
}

func abs(n int) int { return max(n, -n) }

func TestResizeAndBeyond(t *testing.T) {
	body := Rect{0, 0, 142, 20}
	tree := Leaf(0).SplitPane(0, 1, Beside).SplitPane(1, 2, Above)
	before := tree.placed(body, 3)
	if !tree.Resize(body, 0, Right, 10) {
		t.Fatal("no border")
	}
	after := tree.placed(body, 3)
	if after[0].W != before[0].W+10 || after[1].W != before[1].W-10 {
		t.Errorf("%v became %v", before, after)
	}
	if Leaf(0).Resize(body, 0, Right, 3) {
		t.Error("a single pane has no border")
	}
	for _, c := range []struct {
		from int
		d    Direction
		want int
	}{{0, Right, 1}, {1, Down, 2}, {2, Up, 1}, {2, Left, 0}, {0, Left, -1}, {1, Up, -1}} {
		if got := Beyond(after, c.from, c.d); got != c.want {
			t.Errorf("from %d to %d: %d, want %d", c.from, c.d, got, c.want)
		}
	}
	node, of, ok := tree.Border(body, after[0].X+after[0].W, 3)
	if !ok || node.Split != Beside {
		t.Fatalf("no border found: %v", node)
	}
	node.MoveBorder(of, 51, 3)
	if w := tree.placed(body, 3)[0].W; abs(w-50) > 1 {
		t.Errorf("the border is at %d", w)
	}
}

func FuzzParseTree(f *testing.F) {
	f.Add("|0.5(0,-0.25(1,2))", 3)
	f.Add("0", 1)
	f.Fuzz(func(t *testing.T, text string, n int) {
		if n < 0 || n > 100 {
			return
		}
		tree, err := ParseTree(text, n)
		if err == nil && n > 0 {
			tree.placed(Rect{0, 0, 80, 24}, n)
		}
	})
}

// No part of a tree is smaller than what it holds takes, however its borders were moved.
func TestTreeHoldsTheLeast(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	placed := 0
	for range 2000 {
		tree, n := Leaf(0), 1
		for range 2 + rnd.IntN(6) {
			tree = tree.SplitPane(rnd.IntN(n), n, Split(1+rnd.IntN(2)))
			n++
		}
		body := Rect{0, 0, 40 + rnd.IntN(260), 10 + rnd.IntN(90)}
		for range 10 {
			tree.Resize(body, rnd.IntN(n), Direction(rnd.IntN(4)), rnd.IntN(80))
		}
		out := make([]Rect, n)
		if !tree.Place(body, out) {
			continue
		}
		placed++
		for i, r := range out {
			if !body.holds(r) || r.W < MinPaneWidth || r.H < leastHeight {
				t.Fatalf("%s in %v: pane %d is at %v", tree, body, i, r)
			}
		}
	}
	if placed < 500 {
		t.Errorf("only %d trees have room", placed)
	}
}
