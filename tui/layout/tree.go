package layout

import (
	"math"
	"slices"
)

// Tree is how a user divided the body among panes: a leaf is a pane by its
// number, every other node two parts side by side or one above the other.
// Ratios stay when the terminal changes its size. A tree is not changed by its
// methods, but for Resize.
type Tree struct {
	Pane  int     // of a leaf
	Split Split   // None: a leaf
	Ratio float64 // share of A, 0.05 to 0.95
	A, B  *Tree
}

// Split is how a node is divided.
type Split uint8

// The splits.
const (
	None   Split = iota
	Beside       // A left of B
	Above        // A above B
)

// The smallest pane that shows rows; a smaller one collapses to its title.
const (
	MinPaneWidth  = 40
	MinPaneHeight = 4
)

// Direction is where to go from a pane.
type Direction uint8

// The directions.
const (
	Left Direction = iota
	Right
	Up
	Down
)

const leastRatio, mostRatio = 0.05, 0.95

// Leaf is a tree of one pane.
func Leaf(pane int) *Tree { return &Tree{Pane: pane} }

// NewTree is the tree of panes that are placed without gaps but columnGap, as
// Deck places them. Panes without a place are put below the last.
func NewTree(places []Rect) *Tree {
	var seen, rest []int
	for i, r := range places {
		if r.W > 0 && r.H > 0 {
			seen = append(seen, i)
		} else {
			rest = append(rest, i)
		}
	}
	if len(seen) == 0 {
		if len(rest) == 0 {
			return nil
		}
		seen, rest = rest[:1], rest[1:]
	}
	t := cut(places, seen)
	for _, i := range rest {
		t = t.SplitPane(t.lastPane(), i, Above)
	}
	return t
}

// cut divides panes by lines that cross none of them.
func cut(places []Rect, panes []int) *Tree {
	if len(panes) == 1 {
		return Leaf(panes[0])
	}
	for _, s := range []Split{Beside, Above} {
		begin, end := edges(s)
		slices.SortStableFunc(panes, func(a, b int) int { return begin(places[a]) - begin(places[b]) })
		reach := end(places[panes[0]])
		for n := 1; n < len(panes); n++ {
			if at := begin(places[panes[n]]); at >= reach {
				from := begin(places[panes[0]])
				last := 0
				for _, p := range panes {
					last = max(last, end(places[p]))
				}
				whole, first := last-from, at-from
				if s == Beside { // the gap is nobody's
					whole, first = whole-(at-reach), reach-from
				}
				ratio := float64(first) / float64(max(1, whole))
				return &Tree{Split: s, Ratio: bound(ratio), A: cut(places, slices.Clone(panes[:n])), B: cut(places, slices.Clone(panes[n:]))}
			}
			reach = max(reach, end(places[panes[n]]))
		}
	}
	// Places that overlap are none of Deck's.
	return &Tree{Split: Above, Ratio: 0.5, A: Leaf(panes[0]), B: cut(places, panes[1:])}
}

func edges(s Split) (begin, end func(Rect) int) {
	if s == Beside {
		return func(r Rect) int { return r.X }, func(r Rect) int { return r.X + r.W }
	}
	return func(r Rect) int { return r.Y }, func(r Rect) int { return r.Y + r.H }
}

func bound(ratio float64) float64 { return max(leastRatio, min(mostRatio, ratio)) }

// Place gives every pane of the tree its rectangle; out is indexed by pane.
func (t *Tree) Place(body Rect, out []Rect) {
	if t == nil {
		return
	}
	if t.Split == None {
		if t.Pane < len(out) {
			out[t.Pane] = body
		}
		return
	}
	a, b := t.parts(body)
	t.A.Place(a, out)
	t.B.Place(b, out)
}

// parts divides a rectangle between the two parts of a node.
func (t *Tree) parts(r Rect) (a, b Rect) {
	a, b = r, r
	if t.Split == Beside {
		gap := min(columnGap, max(0, r.W-2))
		a.W = share(r.W-gap, t.Ratio)
		b.X, b.W = r.X+a.W+gap, r.W-gap-a.W
		return a, b
	}
	a.H = share(r.H, t.Ratio)
	b.Y, b.H = r.Y+a.H, r.H-a.H
	return a, b
}

// share is a part of n cells: at least one is left for the other.
func share(n int, ratio float64) int {
	return max(min(1, n), min(int(math.Round(float64(n)*ratio)), n-1))
}

// SplitPane puts another pane right of a pane, or below it.
func (t *Tree) SplitPane(pane, other int, s Split) *Tree {
	if t == nil {
		return Leaf(other)
	}
	if t.Split == None {
		if t.Pane != pane {
			return t
		}
		return &Tree{Split: s, Ratio: 0.5, A: Leaf(pane), B: Leaf(other)}
	}
	return &Tree{Split: t.Split, Ratio: t.Ratio, A: t.A.SplitPane(pane, other, s), B: t.B.SplitPane(pane, other, s)}
}

// Remove takes a pane out; its neighbour gets the room. The panes behind it get
// the number before theirs, as in a list from which it is deleted.
func (t *Tree) Remove(pane int) *Tree {
	if t == nil {
		return nil
	}
	if t.Split == None {
		switch {
		case t.Pane == pane:
			return nil
		case t.Pane > pane:
			return Leaf(t.Pane - 1)
		}
		return t
	}
	a, b := t.A.Remove(pane), t.B.Remove(pane)
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return &Tree{Split: t.Split, Ratio: t.Ratio, A: a, B: b}
}

// Swap lets two panes change places.
func (t *Tree) Swap(a, b int) *Tree {
	if t == nil {
		return nil
	}
	if t.Split == None {
		switch t.Pane {
		case a:
			return Leaf(b)
		case b:
			return Leaf(a)
		}
		return t
	}
	return &Tree{Split: t.Split, Ratio: t.Ratio, A: t.A.Swap(a, b), B: t.B.Swap(a, b)}
}

func (r Rect) has(x, y int) bool { return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H }

// Has tells whether the pane is in the tree.
func (t *Tree) Has(pane int) bool {
	if t == nil {
		return false
	}
	if t.Split == None {
		return t.Pane == pane
	}
	return t.A.Has(pane) || t.B.Has(pane)
}

func (t *Tree) lastPane() int {
	for t.Split != None {
		t = t.B
	}
	return t.Pane
}

// Beyond is the nearest pane in a direction, -1 if there is none.
func Beyond(places []Rect, from int, d Direction) int {
	if from < 0 || from >= len(places) {
		return -1
	}
	best, least := -1, math.MaxInt
	r := places[from]
	for i, o := range places {
		if i == from || o.W <= 0 || o.H <= 0 {
			continue
		}
		var gap, off int
		switch d {
		case Left:
			gap, off = r.X-(o.X+o.W), apart(r.Y, r.H, o.Y, o.H)
		case Right:
			gap, off = o.X-(r.X+r.W), apart(r.Y, r.H, o.Y, o.H)
		case Up:
			gap, off = r.Y-(o.Y+o.H), apart(r.X, r.W, o.X, o.W)
		case Down:
			gap, off = o.Y-(r.Y+r.H), apart(r.X, r.W, o.X, o.W)
		}
		if gap < 0 {
			continue
		}
		if cost := gap + 4*off; cost < least {
			best, least = i, cost
		}
	}
	return best
}

// apart is how far two spans are from one another, 0 where they share cells.
func apart(a, an, b, bn int) int { return max(0, b-(a+an)+1, a-(b+bn)+1) }
