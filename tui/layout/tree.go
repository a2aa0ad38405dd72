package layout

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Tree is how a user divided the body among panes: a leaf is a pane by its number, every other node
// two parts side by side or one above the other. Ratios stay when the terminal changes its size. A
// tree is not changed by its methods: they make another one.
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

// signs are how Beside and Above are written.
const signs = "|-"

const leastRatio, mostRatio = 0.05, 0.95

// ratio is the share of the first of two parts of so many cells.
func ratio(a, b int) float64 {
	return max(leastRatio, min(mostRatio, float64(a)/float64(max(1, a+b))))
}

// Leaf is a tree of one pane.
func Leaf(pane int) *Tree { return &Tree{Pane: pane} }

// NewTree is the tree of panes as Place gave them places; nil if none has one.
func NewTree(places []Rect) *Tree {
	var panes []int
	for i, r := range places {
		if r.W > 0 {
			panes = append(panes, i)
		}
	}
	if len(panes) == 0 {
		return nil
	}
	return cut(places, panes)
}

// cut divides panes by lines that cross none of them. Of those of one place each leaves half of it
// to the ones behind it.
func cut(places []Rect, panes []int) *Tree {
	if len(panes) == 1 {
		return Leaf(panes[0])
	}
	for _, s := range []Split{Beside, Above} {
		slices.SortStableFunc(panes, func(a, b int) int { return places[a].begin(s) - places[b].begin(s) })
		reach := make([]int, len(panes)) // of those up to each
		for n, p := range panes {
			reach[n] = max(places[p].end(s), reach[max(0, n-1)])
		}
		for n := 1; n < len(panes); n++ {
			if at := places[panes[n]].begin(s); at >= reach[n-1] { // the gap is nobody's
				share := ratio(reach[n-1]-places[panes[0]].begin(s), reach[len(reach)-1]-at)
				return &Tree{Split: s, Ratio: share, A: cut(places, panes[:n]), B: cut(places, panes[n:])}
			}
		}
	}
	return &Tree{Split: Above, Ratio: 0.5, A: Leaf(panes[0]), B: cut(places, panes[1:])}
}

// begin is where a rectangle begins in the direction of a split.
func (r Rect) begin(s Split) int {
	if s == Beside {
		return r.X
	}
	return r.Y
}

// end is the cell behind it.
func (r Rect) end(s Split) int { return Rect{X: r.X + r.W, Y: r.Y + r.H}.begin(s) }

// Has tells whether a cell lies in the rectangle.
func (r Rect) Has(x, y int) bool { return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H }

// Place gives every pane of the tree its rectangle; out is indexed by pane. No part is
// smaller than what it holds at the least takes. It is false where the body is.
func (t *Tree) Place(body Rect, out []Rect) bool {
	if t == nil {
		return false
	}
	w, h := t.least()
	if body.W < w || body.H < h {
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
	aw, ah := t.A.least()
	bw, bh := t.B.least()
	share := func(n, leastA, leastB int) int {
		return max(leastA, min(int(math.Round(float64(n)*t.Ratio)), n-leastB))
	}
	if a, b = r, r; t.Split == Beside {
		a.W = share(r.W-ColumnGap, aw, bw)
		b.X, b.W = r.X+a.W+ColumnGap, r.W-ColumnGap-a.W
	} else {
		a.H = share(r.H, ah, bh)
		b.Y, b.H = r.Y+a.H, r.H-a.H
	}
	return a, b
}

// leastHeight is the fewest lines of a pane in a tree: its title and a value.
const leastHeight = 2

// least is how many cells and lines a part takes at the least.
func (t *Tree) least() (w, h int) {
	if t.Split == None {
		return MinPaneWidth, leastHeight
	}
	aw, ah := t.A.least()
	bw, bh := t.B.least()
	if t.Split == Beside {
		return aw + ColumnGap + bw, max(ah, bh)
	}
	return max(aw, bw), ah + bh
}

// with is the tree in which each leaf is what is made of its pane. Where that is nothing, the neighbour gets the room.
func (t *Tree) with(made func(pane int) *Tree) *Tree {
	if t == nil {
		return nil
	}
	if t.Split == None {
		return made(t.Pane)
	}
	a, b := t.A.with(made), t.B.with(made)
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return &Tree{Split: t.Split, Ratio: t.Ratio, A: a, B: b}
}

// SplitPane puts another pane right of a pane, or below it.
func (t *Tree) SplitPane(pane, other int, s Split) *Tree {
	return t.with(func(p int) *Tree {
		if p != pane {
			return Leaf(p)
		}
		return &Tree{Split: s, Ratio: 0.5, A: Leaf(pane), B: Leaf(other)}
	})
}

// Remove takes a pane out. The panes behind it get the number before theirs, as in a list from which it is deleted.
func (t *Tree) Remove(pane int) *Tree {
	return t.with(func(p int) *Tree {
		switch {
		case p == pane:
			return nil
		case p > pane:
			p--
		}
		return Leaf(p)
	})
}

// Swap lets two panes change places.
func (t *Tree) Swap(a, b int) *Tree {
	return t.with(func(p int) *Tree {
		switch p {
		case a:
			p = b
		case b:
			p = a
		}
		return Leaf(p)
	})
}

// Beyond is the nearest pane in the direction of a split, towards its end or, with less than 0,
// its beginning; -1 if there is none.
func Beyond(places []Rect, from int, s Split, towards int) int {
	best, least := -1, math.MaxInt
	for i, o := range places {
		a, b := places[from], o
		if towards < 0 {
			a, b = b, a
		}
		gap, across := b.begin(s)-a.end(s), Beside+Above-s
		apart := max(0, b.begin(across)-a.end(across)+1, a.begin(across)-b.end(across)+1)
		if cost := gap + 4*apart; o.W > 0 && gap >= 0 && cost < least {
			best, least = i, cost
		}
	}
	return best
}

// Resize moves a border of a pane by cells in the direction of a split: the one on the side to
// which it goes, or else the opposite one. It is nil where there is none.
func (t *Tree) Resize(body Rect, pane int, s Split, cells int) *Tree {
	out := make([]Rect, pane+1)
	if !t.Place(body, out) {
		return nil
	}
	r := out[pane]
	before, behind := t.MoveBorder(body, r.X-1, r.Y+1, cells, 0), t.MoveBorder(body, r.X+r.W, r.Y+1, cells, 0)
	if s == Above {
		before, behind = t.MoveBorder(body, r.X, r.Y, 0, cells), t.MoveBorder(body, r.X, r.Y+r.H, 0, cells)
	}
	if behind == nil || cells < 0 && before != nil {
		return before
	}
	return behind
}

// MoveBorder moves the border that runs through a cell by so many cells; the lines of titles
// are borders of what is above them. It is nil where there is none.
func (t *Tree) MoveBorder(body Rect, x, y, dx, dy int) *Tree {
	if t == nil || t.Split == None || !body.Has(x, y) {
		return nil
	}
	a, b := t.parts(body)
	moved := *t
	switch {
	case a.Has(x, y):
		moved.A = t.A.MoveBorder(a, x, y, dx, dy)
	case t.Split == Beside && x < b.X:
		moved.Ratio = ratio(a.W+dx, b.W-dx)
	case t.Split == Above && y == b.Y:
		moved.Ratio = ratio(a.H+dy, b.H-dy)
	default:
		moved.B = t.B.MoveBorder(b, x, y, dx, dy)
	}
	if moved.A == nil || moved.B == nil {
		return nil
	}
	return &moved
}

// String writes the tree as ParseTree reads it: "1", "|0.5(0,1)" for side by
// side, "-0.3(0,1)" for one above the other, "" for none.
func (t *Tree) String() string {
	switch {
	case t == nil:
		return ""
	case t.Split == None:
		return strconv.Itoa(t.Pane)
	}
	return fmt.Sprintf("%c%.4g(%s,%s)", signs[t.Split-1], t.Ratio, t.A, t.B)
}

// ParseTree reads a tree of n panes, each of them once, or none.
func ParseTree(text string, n int) (*Tree, error) {
	if text == "" {
		return nil, nil
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("(,)", r) })
	if len(words)%2 == 1 && len(words) < 2*n { // which bounds the depth, and makes n leaves of them
		if t := parse(&words, make([]bool, n)); t != nil && len(words) == 0 {
			return t, nil
		}
	}
	return nil, fmt.Errorf("layout %.40q: not one of %d panes", text, n)
}

// parse reads a node and behind it its two parts, nil if it cannot.
func parse(words *[]string, seen []bool) *Tree {
	if len(*words) == 0 {
		return nil
	}
	word := (*words)[0]
	*words = (*words)[1:]
	if s := Split(strings.IndexByte(signs, word[0]) + 1); s != None {
		share, err := strconv.ParseFloat(word[1:], 64)
		a, b := parse(words, seen), parse(words, seen)
		if err != nil || !(share >= leastRatio && share <= mostRatio) || a == nil || b == nil {
			return nil
		}
		return &Tree{Split: s, Ratio: share, A: a, B: b}
	}
	pane, err := strconv.Atoi(word)
	if err != nil || pane < 0 || pane >= len(seen) || seen[pane] {
		return nil
	}
	seen[pane] = true
	return Leaf(pane)
}
