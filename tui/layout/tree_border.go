package layout

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
