package layout

import (
	"math/rand/v2"
	"strings"
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
				tree = tree.resized(body, pane, Split(1+rnd.IntN(2)), rnd.IntN(40)-20)
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
		placed := Place(body, Division{}, []Pane{{Rows: 3}, {Rows: 5}, {Rows: 5}, {Form: FormTable, Instances: 12}, {Rows: 2}})
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
	after := tree.resized(body, 0, Beside, 10).placed(body, 3)
	if after[0].W != before[0].W+10 || after[1].W != before[1].W-10 {
		t.Errorf("%v became %v", before, after)
	}
	if Leaf(0).Resize(body, 0, Beside, 3) != nil {
		t.Error("a single pane has no border")
	}
	for _, c := range []struct {
		from    int
		s       Split
		towards int
		want    int
	}{{0, Beside, 1, 1}, {1, Above, 1, 2}, {2, Above, -1, 1}, {2, Beside, -1, 0}, {0, Beside, -1, -1}, {1, Above, -1, -1}} {
		if got := Beyond(after, c.from, c.s, c.towards); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
	for _, x := range []int{before[0].W, before[0].W + 1} {
		moved := tree.MoveBorder(body, x, 3, 51-x, 9)
		if w := moved.placed(body, 3)[0].W; w != before[0].W+51-x {
			t.Errorf("the border is at %d", w)
		}
	}
	if tree.placed(body, 3)[0] != before[0] {
		t.Error("the tree itself was changed")
	}
	for _, at := range [][2]int{{3, 3}, {before[1].X, 0}, {-1, 3}, {9, body.H}, {before[0].W, -1}} {
		if moved := tree.MoveBorder(body, at[0], at[1], 5, 5); moved != nil {
			t.Errorf("there is a border at %v: %s", at, moved)
		}
	}
}

// A border of a pane is moved on the side to which it goes, where there is one: that of the pane
// itself, not one farther away.
func TestResizeMovesTheNearestBorder(t *testing.T) {
	body := Rect{0, 0, 200, 40}
	tree := Leaf(0).SplitPane(0, 1, Beside).SplitPane(1, 2, Beside).SplitPane(2, 3, Above)
	for _, c := range []struct {
		pane  int
		s     Split
		cells int
		moved int // the pane right of the border, or below it
	}{
		{0, Beside, -4, 1}, {0, Beside, 4, 1}, {1, Beside, -4, 1}, {1, Beside, 4, 2}, {2, Beside, -4, 2},
		{2, Beside, 4, 2}, {3, Beside, 4, 2}, {2, Above, -3, 3}, {2, Above, 3, 3}, {3, Above, 3, 3}, {3, Above, -3, 3},
	} {
		before, after := tree.placed(body, 4), tree.resized(body, c.pane, c.s, c.cells).placed(body, 4)
		if got := after[c.moved].begin(c.s) - before[c.moved].begin(c.s); abs(got-c.cells) > 0 {
			t.Errorf("%+v: the border moved by %d, from %v to %v", c, got, before, after)
		}
	}
	if tree.Resize(body, 0, Above, 1) != nil {
		t.Error("a pane of full height has a border below it")
	}
}

// resized is the tree after Resize, where there is a border.
func (t *Tree) resized(body Rect, pane int, s Split, cells int) *Tree {
	if moved := t.Resize(body, pane, s, cells); moved != nil {
		return moved
	}
	return t
}

// What is no tree of the panes is refused, at any length.
func TestParseTreeRefuses(t *testing.T) {
	for _, text := range []string{
		"|0.5(0", "|0.5(0,1,1)", "|0.5(0,0)", "|0.5(0,2)", "|0.5(0,-1)", "|0(0,1)", "|1e9(0,1)", "|NaN(0,1)", "|0.5(0 1)",
		"|0.5(0,1)x", "0.5(0,1)", "h(0.5,1,2)", "|0.5(0,-0.5(1,2))", "(", "()", "\x1b[2J", strings.Repeat("|0.5(", 1<<20),
	} {
		if tree, err := ParseTree(text, 2); err == nil || len(err.Error()) > 200 {
			t.Errorf("%.20q is read as %s, %v", text, tree, err)
		}
	}
	if tree, err := ParseTree("", 2); tree != nil || err != nil {
		t.Errorf("no layout is read as %s, %v", tree, err)
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
			tree = tree.resized(body, rnd.IntN(n), Split(1+rnd.IntN(2)), rnd.IntN(160)-80)
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
