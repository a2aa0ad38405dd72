package layout

import (
	"cmp"
	"slices"
)

// How panes share a band (deck.md 7).
const (
	LeastBand   = 3  // title, a row of graph, a value
	leastColumn = 25 // cells of a graph
	listColumn  = 34 // cells of few instances, below no graph
	bandRows    = 4  // values below a graph
	SoleRows    = 8  // where there is one column
	leadRows    = 2  // of the first column at least, before others
	BusiestRows = 2  // of what comes and goes below it, where that has no column
)

// Elastic is how many instances a pane may have of what comes and goes.
const Elastic = 1000

// Column is where panes stand in the bands of all hosts: a pane, and in its last rows values of
// those that have no column of their own. A cell of the left margin is before its graph.
type Column struct {
	Pane, X, W int
	Below      []Value
}

// Value is a value of a pane, of which there may be more than have room.
type Value struct{ Pane, Line int }

// Band shares a band of the body, one for each host, among the panes that they all have: as many
// columns as have room, few instances below others, those that are spare after the others, and what
// has no column in the last rows of the first one. Rows are the values below a graph.
func Band(w, h int, panes []Pane) (columns []Column, rows int) {
	stacks := stacked(h-1, panes)
	n := min(len(stacks), max(1, (w+ColumnGap-1)/(leastColumn+ColumnGap)))
	if n == 2 && len(stacks) > n { // one column has rows of more of them
		n = 1
	}
	if n == 0 {
		return nil, 0
	}
	own, others := stacks[:n], slices.Concat(stacks[n:]...)
	slices.SortFunc(own, func(a, b []int) int { return cmp.Compare(a[0], b[0]) })
	columns = columnsOf(w-1, h, panes, own)
	first, most, least := &columns[0], bandRows, LeastBand
	lead := max(1, min(leadRows, max(panes[first.Pane].Rows, panes[first.Pane].Instances)))
	if n == 1 {
		most, least, lead = SoleRows, 1, 1
	}
	rows = min(most, max(1, h-least))
	stack := len(first.Below)
	for _, p := range others {
		lines := 1
		switch o := &panes[p]; {
		case o.Instances == Elastic:
			lines = BusiestRows
		case n == 1 && !o.Spare && o.Pair:
			lines = 2
		}
		for line := range lines {
			first.Below = append(first.Below, Value{p, line})
		}
	}
	first.Below = first.Below[:max(stack, min(len(first.Below), rows-lead))]
	longest := 1
	for _, c := range columns {
		if o := &panes[c.Pane]; !o.isOfInstances() {
			longest = max(longest, min(o.Rows, SoleRows)+len(c.Below))
		}
	}
	return columns, min(rows, longest)
}

// stacked puts few instances below others, as far as all of them have room in h lines, and panes
// that are spare last.
func stacked(h int, panes []Pane) (stacks [][]int) {
	for p, o := range panes {
		at := slices.IndexFunc(stacks, func(s []int) bool {
			first, lines := &panes[s[0]], o.Instances
			for _, other := range s {
				lines += panes[other].Instances
			}
			return o.Instances > 0 && first.Instances > 0 && first.Spare == o.Spare && lines <= h
		})
		if at < 0 {
			at, stacks = len(stacks), append(stacks, nil)
		}
		stacks[at] = append(stacks[at], p)
	}
	isSpare := func(s []int) bool { return panes[s[0]].Spare }
	return append(slices.DeleteFunc(slices.Clone(stacks), isSpare), slices.DeleteFunc(stacks, func(s []int) bool { return !isSpare(s) })...)
}

// columnsOf shares a width among stacks of panes: names of many instances are long, those of few have
// what they need.
func columnsOf(w, h int, panes []Pane, stacks [][]int) []Column {
	out, left, shares := make([]Column, len(stacks)), w+ColumnGap, len(stacks)
	isFew := func(o *Pane) bool { return o.Instances > 0 && 2*o.Instances < h }
	wide := -1
	if (shares+1)*(leastColumn+ColumnGap) < left {
		wide = slices.IndexFunc(stacks, func(s []int) bool { return panes[s[0]].Wide && !isFew(&panes[s[0]]) })
	}
	if wide >= 0 {
		shares++
	}
	for c, s := range stacks {
		each := left / shares
		switch shares--; {
		case c == len(stacks)-1:
			each = left
		case c == wide:
			each *= 2
			shares--
		case isFew(&panes[s[0]]):
			each = min(each, listColumn+ColumnGap)
		}
		out[c] = Column{Pane: s[0], X: w + ColumnGap - left, W: each - ColumnGap}
		for _, p := range s[1:] {
			for line := range panes[p].Instances {
				out[c].Below = append(out[c].Below, Value{p, line})
			}
		}
		left -= each
	}
	return out
}
