package layout

// Opened is the tree with room for the rows of a pane: where a part is too small
// for it, the parts beside it give cells away, down to their titles. What has room
// keeps its ratios.
func (t *Tree) Opened(body Rect, pane int) *Tree {
	if t == nil || t.Split == None || !t.Has(pane) {
		return t
	}
	n := *t
	size := body.H
	if t.Split == Beside {
		gap := min(columnGap, max(0, body.W-2))
		size = body.W - gap
	}
	first := share(size, t.Ratio)
	inA := t.A.Has(pane)
	if inA {
		first = max(first, min(t.A.need(pane, t.Split), size-t.B.least(t.Split)))
	} else {
		first = min(first, max(size-t.B.need(pane, t.Split), t.A.least(t.Split)))
	}
	if size > 0 && first != share(size, t.Ratio) {
		n.Ratio = float64(max(0, first)) / float64(size)
	}
	a, b := n.parts(body)
	if inA {
		n.A = t.A.Opened(a, pane)
	} else {
		n.B = t.B.Opened(b, pane)
	}
	return &n
}

// need is how many cells along a split a part takes in which a pane is open.
func (t *Tree) need(pane int, s Split) int {
	switch {
	case t.Split == None && s == Beside:
		return MinPaneWidth
	case t.Split == None:
		return MinPaneHeight
	}
	with, other := t.A, t.B
	if t.B.Has(pane) {
		with, other = t.B, t.A
	}
	if t.Split != s {
		return max(with.need(pane, s), other.least(s))
	}
	return with.need(pane, s) + other.least(s) + t.gap()
}

// least is how many cells along a split a part takes at the least: those of its
// titles.
func (t *Tree) least(s Split) int {
	switch t.Split {
	case None:
		return 1
	case s:
		return t.A.least(s) + t.B.least(s) + t.gap()
	}
	return max(t.A.least(s), t.B.least(s))
}

// gap is how many blank cells are between the parts.
func (t *Tree) gap() int {
	if t.Split == Beside {
		return columnGap
	}
	return 0
}
