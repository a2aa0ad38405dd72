package layout

import (
	"cmp"
	"slices"
)

// How the panes of several hosts share their bands.
const (
	LeastBand   = 3  // title, a row of graph, a value
	leastColumn = 25 // cells of a graph
	bandRows    = 4  // values below a graph
	soleRows    = 8  // where there is one column
	leadRows    = 2  // of the first column at least, before others
	busiestRows = 2  // of what comes and goes below it, where that has no column
	tierGraph   = 7  // lines of a graph, from which on there is another tier
)

// Elastic is how many instances a pane may have of what comes and goes.
const Elastic = 1000

// band places panes in the band of a host: as many columns as have room, one tier of them below the other where
// graphs would be higher than they tell more; few instances below others, those that are spare after the others,
// and what has no column in the last rows of the first one. A cell of the left margin is before each.
func (p *plan) band(r Rect) {
	most := max(bandRows, r.H-1-mostGraph)
	tiers, n := p.tiers(r.H, most), max(1, (r.W+ColumnGap-1)/(leastColumn+ColumnGap))
	stacks := p.stacked(r.H/tiers - 1)
	if n == 2 && len(stacks) > n*tiers { // one column has rows of more of them
		n = 1
	}
	if n == 1 {
		most = max(most, soleRows)
	}
	stacks = p.merged(stacks, n, min(most, r.H/tiers-LeastBand), r.H/tiers)
	tiers = min(tiers, len(stacks))
	last := min(n*tiers, len(stacks)) - 1
	columns, others := stacks[:last+1], slices.Concat(stacks[last+1:]...)
	slices.SortFunc(columns, func(a, b []int) int { return cmp.Compare(a[0], b[0]) })
	if of := (last+tiers-1)/max(1, tiers) + 1; tiers > 1 && of <= n && p.panes[columns[last][0]].Instances == Elastic { // it fills the height
		w := r.W / of
		p.tier(Rect{r.X + r.W - w, r.Y, w, r.H}, columns[last:], nil, most)
		columns, r.W, tiers = columns[:last], r.W-w-ColumnGap+1, min(tiers, last)
	}
	for t := range tiers {
		of, h := (len(columns)+tiers-t-1)/(tiers-t), r.H/(tiers-t)
		p.tier(Rect{r.X, r.Y, r.W, h}, columns[:of], others, most)
		columns, others = columns[of:], nil
		r.Y, r.H = r.Y+h, r.H-h
	}
}

// tiers is in how many parts a band of h lines is divided, in which panes have so many values at most.
func (p *plan) tiers(h, most int) int {
	rows, n := 0, 1
	for i := range p.panes {
		if o := &p.panes[i]; !o.isOfInstances() {
			rows = max(rows, min(o.Rows, most))
		}
	}
	for rows > 0 && h/n-1-rows > mostGraph && h/(n+1)-1-rows >= tierGraph {
		n++
	}
	return n
}

// tier places columns of panes beside each other, and others below the first of them.
func (p *plan) tier(r Rect, columns [][]int, others []int, most int) {
	first := &p.panes[columns[0][0]]
	least, lead := LeastBand, max(1, min(leadRows, max(first.Rows, first.Instances)))
	if len(columns) == 1 {
		least, lead = 1, 1
	}
	widths, rows := p.bandWidths(r.W-1, columns), min(most, max(1, r.H-least))
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
		case len(columns) == 1 && !o.Spare && o.Pair:
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
	longest = min(rows, longest)
	if len(columns) > 1 { // else there is nothing beside them
		rows = longest
	}
	for _, i := range columns[0][1:] { // those that have more have lines that the first one leaves
		o := &p.panes[i]
		more := max(0, min(max(o.Rows, o.Instances)-p.out[i].Rows, rows-max(first.Rows, lead)-below[0]))
		p.out[i].Rows, below[0], longest = p.out[i].Rows+more, below[0]+more, longest+more
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

// merged puts lists that would leave most of a column of h lines empty below values, in one of the first n
// columns that has room for them among rows: the first one, besides those of what has no column.
func (p *plan) merged(stacks [][]int, n, rows, h int) [][]int {
	lines := func(s []int) int { return p.lines(s, func(o *Pane) int { return max(o.Rows, o.Instances) }) }
	for k, list := range slices.Backward(stacks) {
		at, least := -1, rows-lines(list)+1
		for c, s := range stacks[:min(n, len(stacks))] {
			taken := lines(s)
			if c == 0 {
				taken += 2 * max(0, len(stacks)-n)
			}
			if !p.panes[s[0]].isOfInstances() && taken < least {
				at, least = c, taken
			}
		}
		if at >= 0 && p.panes[list[0]].Instances > 0 && 2*lines(list) < h {
			stacks[at] = append(stacks[at], list...)
			stacks = slices.Delete(stacks, k, k+1)
		}
	}
	return stacks
}

// stacked puts few instances below others, as far as all of them have room in h lines, and panes that are spare last.
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

// bandWidths shares a width among columns: names of many instances are long.
func (p *plan) bandWidths(w int, columns [][]int) []int {
	out, left, shares, wide := make([]int, len(columns)), w+ColumnGap, len(columns), -1
	if (shares+1)*(leastColumn+ColumnGap) < left {
		wide = slices.IndexFunc(columns, func(s []int) bool { return p.panes[s[0]].Wide })
	}
	if wide >= 0 {
		shares++
	}
	for c := range columns {
		each := left / shares
		if c == wide {
			each = 2 * left / shares
			shares--
		}
		out[c] = each - ColumnGap
		left, shares = left-each, shares-1
	}
	return out
}
