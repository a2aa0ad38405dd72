package table

import "perfdeck/session"

// mostGuides bounds the levels of which it is known whether they go on.
const mostGuides = 63

// treeOrder puts every row under its parent, keeping the order among those of
// one parent. A row whose parent is not there is a root.
func treeOrder(view *session.SetView, rows []Row) []Row {
	byNumber := make(map[uint64]bool, len(rows))
	for _, r := range rows {
		byNumber[view.Rows[r.At].Number] = true
	}
	children := map[uint64][]Row{}
	var roots []Row
	for _, r := range rows {
		in := &view.Rows[r.At]
		if in.Owner == 0 || in.Owner == in.Number || !byNumber[in.Owner] {
			roots = append(roots, r)
			continue
		}
		children[in.Owner] = append(children[in.Owner], r)
	}
	out := make([]Row, 0, len(rows))
	var walk func(list []Row, depth int, through uint64)
	walk = func(list []Row, depth int, through uint64) {
		for i, r := range list {
			r.Depth, r.last, r.through = depth, i == len(list)-1, through
			out = append(out, r)
			number := view.Rows[r.At].Number
			below := children[number]
			delete(children, number) // a circle ends here
			guides := through
			if !r.last {
				guides |= 1 << min(depth, mostGuides)
			}
			walk(below, depth+1, guides)
		}
	}
	walk(roots, 0, 0)
	for _, r := range rows { // circles without a root
		in := &view.Rows[r.At]
		if below, left := children[in.Owner]; left {
			delete(children, in.Owner)
			walk(below, 0, 0)
		}
	}
	return out
}
