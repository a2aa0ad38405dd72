package layout

import (
	"cmp"
	"slices"
)

// How the panes of several hosts share their bands (deck.md 7).
const (
	LeastBand   = 3  // title, a row of graph, a value
	leastColumn = 25 // cells of a graph
	listColumn  = 34 // cells of few instances, below no graph
	bandRows    = 4  // values below a graph
	soleRows    = 8  // where there is one column
	leadRows    = 2  // of the first column at least, before others
	busiestRows = 2  // of what comes and goes below it, where that has no column
)

// Elastic is how many instances a pane may have of what comes and goes.
const Elastic = 1000

// band places panes in the band of a host: as many columns as have room, few instances below others,
// those that are spare after the others, and what has no column in the last rows of the first one. A
// cell of the left margin is before each.
func (p *plan) band(r Rect) {
	stacks := p.stacked(r.H - 1)
	n := min(len(stacks), max(1, (r.W+ColumnGap-1)/(leastColumn+ColumnGap)))
	if n == 2 && len(stacks) > n { // one column has rows of more of them
		n = 1
	}
	if n == 0 {
		return
	}
	columns, others := stacks[:n], slices.Concat(stacks[n:]...)
	slices.SortFunc(columns, func(a, b []int) int { return cmp.Compare(a[0], b[0]) })
	first := &p.panes[columns[0][0]]
	most, least, lead := bandRows, LeastBand, max(1, min(leadRows, max(first.Rows, first.Instances)))
	if n == 1 {
		most, least, lead = soleRows, 1, 1
	}
	most = max(most, r.H-1-mostGraph)
	widths, rows := p.bandWidths(r.W-1, r.H, columns), min(most, max(1, r.H-least))
	below := make([]int, len(columns)) // lines under the first pane of each
	for c, list := range columns {
		for _, i := range list[1:] {
			p.out[i].Rows = p.panes[i].Instances
			below[c] += p.out[i].Rows
		}
	}
	for _, i := range others {
		lines := 1
		switch o := &p.panes[i]; {
		case o.Instances == Elastic:
			lines = busiestRows
		case n == 1 && !o.Spare && o.Pair:
			lines = 2
		}
		if lines = min(lines, rows-lead-below[0]); lines > 0 {
			p.out[i].Rows = lines
			columns[0], below[0] = append(columns[0], i), below[0]+lines
		}
	}
	longest := 1
	for c, list := range columns {
		if o := &p.panes[list[0]]; !o.isOfInstances() {
			longest = max(longest, min(o.Rows, most)+below[c])
		}
	}
	rows = min(rows, longest)
	for c, list := range columns {
		at := Placed{Rect: Rect{r.X, r.Y, widths[c], r.H - below[c]}, Rows: r.H - 1 - below[c]}
		if !p.panes[list[0]].isOfInstances() {
			at.Rows, at.Graph = rows-below[c], r.H-1-rows
		}
		p.out[list[0]] = at
		for _, i := range list[1:] {
			at.Y, at.H = at.Y+at.H, p.out[i].Rows
			p.out[i] = Placed{Rect: at.Rect, Rows: at.H, Bare: true}
		}
		r.X += widths[c] + ColumnGap
	}
}

// stacked puts few instances below others, as far as all of them have room in h lines, and panes
// that are spare last.
func (p *plan) stacked(h int) (stacks [][]int) {
	for _, spare := range []bool{false, true} {
		for i := range p.panes {
			o := &p.panes[i]
			if o.Spare != spare {
				continue
			}
			at := slices.IndexFunc(stacks, func(s []int) bool {
				first, lines := &p.panes[s[0]], o.Instances
				for _, other := range s {
					lines += p.panes[other].Instances
				}
				return o.Instances > 0 && first.Instances > 0 && first.Spare == spare && lines <= h
			})
			if at < 0 {
				at, stacks = len(stacks), append(stacks, nil)
			}
			stacks[at] = append(stacks[at], i)
		}
	}
	return stacks
}

// bandWidths shares a width among columns: names of many instances are long, those of few have what
// they need.
func (p *plan) bandWidths(w, h int, columns [][]int) []int {
	out, left, shares := make([]int, len(columns)), w+ColumnGap, len(columns)
	isFew := func(o *Pane) bool { return o.Instances > 0 && 2*o.Instances < h }
	wide := -1
	if (shares+1)*(leastColumn+ColumnGap) < left {
		wide = slices.IndexFunc(columns, func(s []int) bool { return p.panes[s[0]].Wide && !isFew(&p.panes[s[0]]) })
	}
	if wide >= 0 {
		shares++
	}
	for c, s := range columns {
		each := left / shares
		switch shares--; {
		case c == len(columns)-1:
			each = left
		case c == wide:
			each *= 2
			shares--
		case isFew(&p.panes[s[0]]):
			each = min(each, listColumn+ColumnGap)
		}
		out[c] = each - ColumnGap
		left -= each
	}
	return out
}
