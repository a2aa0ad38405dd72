package layout

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
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

// Place gives every pane of the tree its rectangle; out is indexed by pane. No part is
// smaller than what it holds at the least takes. It is false where the body is.
func (t *Tree) Place(body Rect, out []Rect) bool {
	if t == nil || body.W < t.least(Beside) || body.H < t.least(Above) {
		return false
	}
	if t.Split == None {
		if t.Pane < len(out) {
			out[t.Pane] = body
		}
		return true
	}
	a, b := t.parts(body)
	return t.A.Place(a, out) && t.B.Place(b, out)
}

// parts divides a rectangle between the two parts of a node.
func (t *Tree) parts(r Rect) (a, b Rect) {
	a, b = r, r
	share := func(n int) int {
		return max(t.A.least(t.Split), min(int(math.Round(float64(n)*t.Ratio)), n-t.B.least(t.Split)))
	}
	if t.Split == Beside {
		a.W = share(r.W - columnGap)
		b.X, b.W = r.X+a.W+columnGap, r.W-columnGap-a.W
		return a, b
	}
	a.H = share(r.H)
	b.Y, b.H = r.Y+a.H, r.H-a.H
	return a, b
}

// leastHeight is the fewest lines of a pane in a tree: its title and a value.
const leastHeight = 2

// least is how many cells along a split a part takes at the least.
func (t *Tree) least(s Split) int {
	switch {
	case t.Split == None && s == Beside:
		return MinPaneWidth
	case t.Split == None:
		return leastHeight
	case t.Split != s:
		return max(t.A.least(s), t.B.least(s))
	case s == Beside:
		return t.A.least(s) + columnGap + t.B.least(s)
	}
	return t.A.least(s) + t.B.least(s)
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

// Resize moves the border of a pane that lies in the direction, or else the
// opposite one, by cells towards the direction. It reports whether there is one.
func (t *Tree) Resize(body Rect, pane int, d Direction, cells int) bool {
	s, sign := Beside, 1
	if d == Up || d == Down {
		s = Above
	}
	if d == Left || d == Up {
		sign = -1
	}
	var best *Tree
	var size int
	for node, r := t, body; node != nil && node.Split != None; {
		a, b := node.parts(r)
		inA := node.A.Has(pane)
		if node.Split == s && (best == nil || inA == (sign > 0)) {
			best, size = node, r.W
			if s == Above {
				size = r.H
			}
		}
		if inA {
			node, r = node.A, a
		} else {
			node, r = node.B, b
		}
	}
	if best == nil || size < 2 {
		return false
	}
	best.Ratio = bound(best.Ratio + float64(sign*cells)/float64(size))
	return true
}

// Border finds the node whose border runs through a cell, and the rectangle that
// it divides.
func (t *Tree) Border(body Rect, x, y int) (node *Tree, of Rect, ok bool) {
	for node, r := t, body; node != nil && node.Split != None; {
		a, b := node.parts(r)
		switch {
		case node.Split == Beside && x >= a.X+a.W && x < b.X, node.Split == Above && y == b.Y && x >= b.X && x < b.X+b.W:
			return node, r, true
		case a.has(x, y):
			node, r = node.A, a
		default:
			node, r = node.B, b
		}
	}
	return nil, Rect{}, false
}

// MoveBorder puts the border of a node at a cell of the rectangle it divides.
func (t *Tree) MoveBorder(of Rect, x, y int) {
	if t.Split == Beside {
		t.Ratio = bound(float64(x-of.X) / float64(max(1, of.W)))
		return
	}
	t.Ratio = bound(float64(y-of.Y) / float64(max(1, of.H)))
}

// String writes the tree as ParseTree reads it: "1", "|0.5(0,1)" for side by
// side, "-0.3(0,1)" for one above the other.
func (t *Tree) String() string {
	if t == nil {
		return ""
	}
	if t.Split == None {
		return strconv.Itoa(t.Pane)
	}
	sign := "|"
	if t.Split == Above {
		sign = "-"
	}
	return fmt.Sprintf("%s%.4g(%s,%s)", sign, t.Ratio, t.A, t.B)
}

// mostDepth bounds what ParseTree takes: more than a deck has panes.
const mostDepth = 4096

// ParseTree reads a tree of n panes: each of them once.
func ParseTree(text string, n int) (*Tree, error) {
	p := treeParser{text: text, seen: make([]bool, n)}
	t, ok := p.node(0)
	if !ok || p.text != "" || slices.Contains(p.seen, false) {
		return nil, fmt.Errorf("layout %q: not one of %d panes", text, n)
	}
	return t, nil
}

type treeParser struct {
	text string
	seen []bool
}

func (p *treeParser) node(depth int) (*Tree, bool) {
	if depth > mostDepth || p.text == "" {
		return nil, false
	}
	s := None
	switch p.text[0] {
	case '|':
		s = Beside
	case '-':
		s = Above
	}
	if s == None {
		digits := p.until(",)")
		i, err := strconv.Atoi(digits)
		if err != nil || i < 0 || i >= len(p.seen) || p.seen[i] {
			return nil, false
		}
		p.seen[i] = true
		return Leaf(i), true
	}
	p.text = p.text[1:]
	ratio, err := strconv.ParseFloat(p.until("("), 64)
	if err != nil || !(ratio >= leastRatio && ratio <= mostRatio) || !p.accept("(") {
		return nil, false
	}
	a, ok := p.node(depth + 1)
	if !ok || !p.accept(",") {
		return nil, false
	}
	b, ok := p.node(depth + 1)
	if !ok || !p.accept(")") {
		return nil, false
	}
	return &Tree{Split: s, Ratio: ratio, A: a, B: b}, true
}

// until takes the text before any of the signs.
func (p *treeParser) until(signs string) string {
	i := strings.IndexAny(p.text, signs)
	if i < 0 {
		i = len(p.text)
	}
	out := p.text[:i]
	p.text = p.text[i:]
	return out
}

func (p *treeParser) accept(sign string) bool {
	rest, ok := strings.CutPrefix(p.text, sign)
	p.text = rest
	return ok
}
