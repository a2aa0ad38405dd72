package layout

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// Form is what a pane is drawn as where it has room for that; where it has not, it is rows.
type Form uint8

// The forms.
const (
	FormRows Form = iota
	FormGraph
	FormMeters
	FormTable
	FormCells
)

// Pane is what a pane can show, by which it gets its place: no values.
type Pane struct {
	Form      Form
	Rows      int  // values one below the other; of cells and tables 0
	Instances int  // of cells and tables, as they were at the start
	Cell      int  // of cells: the fewest cells that one takes
	Pair      bool // its first two values are one picture
	Draws     bool // it has a curve: lines that are left are that of a graph
	Wide      bool // above all others, over the whole width
	Beside    bool // at the right of the wide one
	Spare     bool // it is shown where there is room
}

// Placed is a pane with its place.
type Placed struct {
	Rect

	Rows   int  // values that it shows at most
	Heads  int  // cells that the heads of a table may take, so that none of them leaves on a wider screen
	Graph  int  // lines of a graph above its rows
	Bare   bool // it has no title
	Hidden bool // it has no place
}

// A pane smaller than these shows rows; the least of all is a line of MinPaneWidth cells.
const (
	MinPaneWidth   = 38
	MinGraphWidth  = 50
	MinGraphHeight = 4
	MinMetersWidth = 46

	mostGraph   = 18 // lines of a graph: higher ones tell no more
	leastCurve  = 3  // lines of one above rows
	tableWeight = 25 // lines that a table is worth when panes are shared among columns
)

// Widths from which on the body has more columns: of panes alone, and where there are tables, which have the last
// one. Under the first of them all stand one below the other, under the second tables stand below the others.
const (
	abreastFrom = 2*MinPaneWidth + ColumnGap
	tableFrom   = 118
	thirdFrom   = 230
	leastLeft   = 54
	mostLeft    = 88
)

// Division is how a body is shared besides by what panes can show. Without anything in it one host
// has the body, and its panes are placed automatically.
type Division struct {
	Bands int   // of hosts, one below the other, each with all panes in the same places
	Alone int   // the pane that has all the room, counted from 1; 0: none
	Tree  *Tree // of which part each pane has so much, where all of them have room in it; nil: none
}

// Place gives panes their places in a body, in their order, which is that of their worth. Of bands it
// is those in the first one, from the lines of the lowest; a body that is divided by hand gives each
// pane what it would have alone in its part.
func Place(body Rect, by Division, panes []Pane) []Placed {
	if by.Bands > 0 {
		p := plan{panes: panes, out: hide(make([]Placed, len(panes)))}
		p.band(Rect{body.X, body.Y, body.W, body.H / by.Bands})
		return p.out
	}
	rects := make([]Rect, len(panes))
	byHand := by.Tree.Place(body, rects)
	for i := range panes { // what was spare, when it was divided, may have none
		byHand = byHand && (rects[i].W > 0 || panes[i].Spare)
	}
	if by.Alone > 0 {
		clear(rects)
		rects[by.Alone-1] = body
	} else if !byHand {
		return automatic(body, panes)
	}
	out := hide(make([]Placed, len(panes)))
	for i, r := range rects {
		if r.W > 0 {
			o := panes[i]
			o.Wide, o.Beside, o.Spare, o.Draws = false, false, false, o.Draws || by.Alone > 0
			out[i] = automatic(r, []Pane{o})[0]
		}
	}
	return out
}

// hide takes panes their places.
func hide(out []Placed) []Placed {
	for i := range out {
		out[i] = Placed{Hidden: true}
	}
	return out
}

// automatic places panes by what they can show alone. What a pane shows only grows with the width and
// with the height of the body: in places that are narrower because a further column begins it has
// kept what it had, so that before it may show less than has room. Panes without a place are those of
// least worth, and only where the body has fewer lines than there are panes.
func automatic(body Rect, panes []Pane) []Placed {
	third, fourth := 3*columnPitch-ColumnGap, 4*columnPitch-ColumnGap
	if slices.ContainsFunc(panes, func(o Pane) bool { return o.Form == FormTable && !o.Wide && !o.Beside && !o.Spare }) {
		third, fourth = tableFrom, thirdFrom
	}
	starts := []int{abreastFrom, third, fourth, 5*columnPitch - ColumnGap} // widths from which on the body is shared otherwise
	p := plan{panes: panes, out: make([]Placed, len(panes)), columns: sort.SearchInts(starts, body.W+1)}
	if p.columns < len(starts) {
		wider := body
		wider.W = starts[p.columns]
		p.wider = automatic(wider, panes)
	}
	p.place(body)
	return p.out
}

// plan is a layout in the making.
type plan struct {
	panes   []Pane
	out     []Placed
	columns int      // 0: one; 1: two, above tables; else so many
	spare   []int    // those of them that are shown where there is room
	wider   []Placed // their places on a body with a further column; nil: it would have none
}

// rows is how many values a pane may show: what it would not on a wider body it leaves out.
func (p *plan) rows(i int) int {
	n := max(1, p.panes[i].Rows)
	if p.wider != nil {
		n = min(n, max(1, p.wider[i].Rows))
	}
	return n
}

// place places as many of the panes as have room.
func (p *plan) place(body Rect) {
	var flow, spare []int
	for i := range p.panes {
		switch o := &p.panes[i]; {
		case o.Spare && (o.Instances > 0 || o.Form != FormCells && o.Form != FormTable):
			if p.spare = append(p.spare, i); o.Form == FormCells || p.wider == nil || !p.wider[i].Hidden {
				spare = append(spare, i)
			}
		case !o.Spare:
			flow = append(flow, i)
		}
	}
	if len(flow) == 0 {
		flow, spare = spare, nil
	}
	const mostColumns = 5
	if len(flow) <= mostColumns*body.H && p.all(body, flow, spare) {
		return
	}
	p.columns = 0 // a line each, and one for the count of those that have none
	body.H--
	p.all(body, flow[:max(1, min(len(flow), body.H))], nil)
}

// all places panes, and those that are spare; it is false where not all of the first have a place.
func (p *plan) all(body Rect, flow, spare []int) bool {
	hide(p.out)
	if len(flow) == 0 {
		return true
	}
	rest, below, left := body, flow, spare
	if len(flow) > 1 && p.panes[flow[0]].Wide {
		rest, below, left = p.lead(body, flow, spare)
	}
	p.below(rest, below, left)
	return !slices.ContainsFunc(flow, func(i int) bool { return p.out[i].Hidden })
}

// leadHeight is the lines of the wide pane: about a quarter of the body, and never so many
// that others have no line. It and what is left only grow with the body.
func leadHeight(h, others int) int {
	n := 1
	switch {
	case h >= 18:
		n = max(min(8, h-13), min(20, int(math.Round(0.26*float64(h)))))
	case h >= 10:
		n = min(4, h-9)
	}
	return max(1, min(n, h-others))
}

// lead places the wide pane, the cells beside it, and below these what is spare.
func (p *plan) lead(body Rect, flow, spare []int) (rest Rect, others, left []int) {
	others = flow[1:]
	isBeside := p.panes[others[0]].Beside && p.columns > 0
	full := p.lines(others, (*Pane).filled) + p.lines(spare, (*Pane).filled)
	if isBeside {
		full -= p.panes[others[0]].filled()
	}
	height := max(leadHeight(body.H, len(others)), body.H-full)
	r := Rect{body.X, body.Y, body.W, height}
	rest = Rect{body.X, body.Y + height, body.W, body.H - height}
	w, under := 0, max(1, height-1) // the titles
	if isBeside {
		w = eachWidth(r.W, under, p.panes[others[0]].Instances, 2, MinGraphWidth)
	}
	if w == 0 {
		p.column(r, flow[:1], nil)
		return rest, others, spare
	}
	p.put(flow[0], Rect{r.X, r.Y, r.W - w - ColumnGap, height}, height, 0)
	side := Rect{r.X + r.W - w, r.Y, w, height}
	each, cells := others[0], EachCells(w, under, p.panes[others[0]].Instances, 2)
	p.put(each, side, side.H, 0)
	if others = others[1:]; cells.Columns == 0 || height == 1 {
		return rest, others, spare
	}
	last, h := each, 1+cells.Rows // the last one has what is left
	for _, i := range spare {     // values have other places: here they would come and go
		if p.panes[i].Form != FormCells || side.H-h < 2 {
			left = append(left, i)
			continue
		}
		p.put(last, Rect{side.X, side.Y, side.W, h}, h, 0)
		side.Y, side.H = side.Y+h, side.H-h
		p.put(i, side, side.H, 0)
		columns := max(1, (side.W-1)/max(p.panes[i].Cell, cellSign+leastCell)) // as many as there is room for before the edge
		last, h = i, min(1+max(1, (p.panes[i].Instances+columns-1)/columns), side.H)
	}
	return rest, others, left
}

// put gives a pane its place. Of its lines so many are for what it tells: with the others it does
// not tell more, which it would not keep.
func (p *plan) put(i int, r Rect, lines, graph int) {
	o := &p.panes[i]
	out := Placed{Rect: r, Rows: lines, Heads: r.W, Graph: graph, Bare: o.isBare(lines)}
	if o.isOfInstances() {
		out.Rows, out.Bare = r.H, out.Bare && r.H <= 2
	}
	if o.Spare { // its column may change
		out.Heads = min(out.Heads, MinPaneWidth)
	}
	if p.wider != nil {
		out.Heads = min(out.Heads, p.wider[i].Heads)
	}
	if !out.Bare {
		out.Rows--
	} else if o.isOfInstances() {
		out.Heads = 0
	}
	if !o.isOfInstances() {
		out.Rows = min(out.Rows, p.rows(i))
	}
	p.out[i] = out
}

// isBare tells that a pane has no line for a title.
func (o *Pane) isBare(lines int) bool { return lines < 2 || lines == 2 && o.most() > 2 }

// isPicture tells that a pane is a graph with its values beside it, in which all lines are of both.
func (o *Pane) isPicture(w, h int) bool {
	return o.Form == FormGraph && w >= MinGraphWidth && h >= MinGraphHeight
}

// isOfInstances tells that the lines of a pane are instances, not values.
func (o *Pane) isOfInstances() bool { return o.Form == FormTable || o.Form == FormCells }

// most is the lines in which a pane shows all that it has, its title with them.
func (o *Pane) most() int {
	if o.isOfInstances() {
		return 1 + max(1, o.Instances)
	}
	return 1 + max(1, o.Rows)
}

// filled is the lines that a pane fills at most.
func (o *Pane) filled() int {
	switch {
	case o.isOfInstances() || !o.Draws:
		return o.most()
	case o.Form == FormGraph:
		return max(o.most(), 1+mostGraph)
	}
	return o.most() + mostGraph
}

// stages are up to how many lines panes grow one after the other, line by line in the order of
// their worth: a word each, both values of a pair, a title, what is useful, the most.
const stages = 6

func (o *Pane) target(stage int) int {
	most := o.most()
	rows := [stages]int{1, 1, 3, 4, 9, most}
	if o.Pair {
		rows[1] = 2
	}
	switch o.Form {
	case FormTable:
		rows = [stages]int{1, 3, 3, 8, 13, tableWeight}
	case FormCells:
		rows = [stages]int{1, 1, 2, 4, 9, 9}
	case FormMeters:
		rows[4] = most
	case FormRows, FormGraph:
	}
	return min(rows[stage], most)
}

// column shares the lines of a column among panes, then among those that are shown where
// there is room, one after the other, and places them.
func (p *plan) column(r Rect, list, spare []int) {
	height, rest := make([]int, len(list)), r.H
	for stage := range stages {
		for again := true; again && rest > 0; {
			again = false
			for k, i := range list {
				if rest > 0 && height[k] < p.panes[i].target(stage) {
					height[k]++
					rest--
					again = true
				}
			}
		}
	}
	all := slices.Clone(list)
	for _, i := range spare {
		most := p.panes[i].target(stages - 1)
		h := min(rest, most)
		if h < min(4, most) {
			break
		}
		at := max(0, len(all)-1) // above a table
		if len(all) == 0 || p.panes[all[at]].Form != FormTable {
			at = len(all)
		}
		all, height = slices.Insert(all, at, i), slices.Insert(height, at, h)
		if rest -= h; h < most {
			break
		}
	}
	for k, i := range all { // what it would not keep on a wider body leaves its lines to pictures
		if o, rows := p.panes[i], p.rows(i); !o.isOfInstances() && rows < o.Rows {
			o.Rows = rows
			less := max(0, height[k]-max(o.most(), min(height[k], 3)))
			height[k], rest = height[k]-less, rest+less
		}
	}
	graph, told := make([]int, len(all)), slices.Clone(height)
	p.fill(r, rest, all, height, graph)
	for k, i := range all {
		if height[k] == 0 {
			continue
		}
		p.put(i, Rect{r.X, r.Y, r.W, height[k]}, told[k], graph[k])
		r.Y += height[k]
	}
}

// fill gives lines of a column that are left to instances, then to graphs, evenly, and what
// is still left to what has a curve, or to the last pane.
func (p *plan) fill(r Rect, rest int, list, height, graph []int) {
	want := func(k int) int {
		o := &p.panes[list[k]]
		switch {
		case o.isOfInstances() || !o.Draws:
			return max(0, o.most()-height[k])
		case o.isPicture(r.W, max(height[k], MinGraphHeight)):
			return max(0, 1+mostGraph-height[k])
		}
		return mostGraph - graph[k]
	}
	give := func(k, n int) {
		o := &p.panes[list[k]]
		if o.Draws && !o.isOfInstances() && !o.isPicture(r.W, height[k]+n) {
			if graph[k]+n < leastCurve || o.isBare(height[k]) {
				return
			}
			graph[k] += n
		}
		height[k] += n
		rest -= n
	}
	of := func(is func(*Pane) bool) {
		var some []int
		for k := range list {
			if is(&p.panes[list[k]]) && height[k] > 0 && want(k) > 0 {
				some = append(some, k)
			}
		}
		for n, k := range some {
			give(k, min(want(k), (rest+len(some)-n-1)/(len(some)-n)))
		}
		for _, k := range some {
			give(k, min(want(k), rest))
		}
	}
	of(func(o *Pane) bool { return o.Form == FormTable })
	of(func(o *Pane) bool { return o.Form == FormCells })
	of(func(o *Pane) bool { return !o.isOfInstances() })
	var curves []int
	for k, i := range list {
		if p.panes[i].Draws && height[k] > 0 {
			curves = append(curves, k)
		}
	}
	for n, k := range curves {
		give(k, rest/(len(curves)-n))
	}
	if len(list) > 0 {
		height[len(list)-1] += rest
	}
}

// below places the panes that are not above all others.
func (p *plan) below(r Rect, flow, spare []int) {
	if len(flow) == 0 || r.H < 1 {
		return
	}
	if p.columns == 0 {
		p.column(r, flow, spare)
		return
	}
	var tables, others []int
	for _, i := range flow {
		if p.panes[i].Form == FormTable {
			tables = append(tables, i)
		} else {
			others = append(others, i)
		}
	}
	columns := max(2, p.columns)
	if len(tables) == 0 && p.columns > 1 {
		columns++
	}
	groups := p.grouped(r.H, append(slices.Clone(others), tables...), columns)
	if len(tables) > 0 && len(others) > 0 && (p.columns == 1 || len(groups) == 1) {
		p.aboveTables(r, flow, others, tables, spare)
		return
	}
	p.beside(r, groups, spare)
}

// aboveTables places panes in two columns, and tables below them.
func (p *plan) aboveTables(r Rect, flow, others, tables, spare []int) {
	groups := p.grouped(0, others, 2)
	if len(groups) == 1 {
		p.column(r, flow, spare)
		return
	}
	h, low := 0, 0 // of the columns, which grow with the tables
	for stage := range stages {
		h = min(r.H-low, max(h, p.longest(groups, wantAt(stage))))
		low = min(r.H-h, max(low, p.lines(tables, wantAt(stage))))
	}
	h = min(r.H-low, h+p.lines(p.spare, (*Pane).most))
	low = min(r.H-h, p.lines(tables, (*Pane).filled))
	h = r.H - low
	p.beside(Rect{r.X, r.Y, r.W, h}, groups, spare)
	p.column(Rect{r.X, r.Y + h, r.W, low}, tables, nil)
}

// wantAt is what a pane wants at a stage.
func wantAt(stage int) func(*Pane) int { return func(o *Pane) int { return o.target(stage) } }

// lines is what panes one below the other take of something.
func (p *plan) lines(list []int, of func(*Pane) int) (n int) {
	for _, i := range list {
		n += of(&p.panes[i])
	}
	return n
}

// longest is what the highest of some columns takes.
func (p *plan) longest(groups [][]int, of func(*Pane) int) (most int) {
	for _, g := range groups {
		most = max(most, p.lines(g, of))
	}
	return most
}

// share cuts a list of panes into columns of about the same worth of lines.
func (p *plan) share(list []int, columns int) [][]int {
	columns = min(columns, len(list))
	weight := make([]int, len(list))
	heaviest, sum := 0, 0
	for k, i := range list {
		o := &p.panes[i]
		if weight[k] = min(9, o.most()); o.Form == FormTable {
			weight[k] = min(tableWeight, o.most())
		}
		heaviest, sum = max(heaviest, weight[k]), sum+weight[k]
	}
	most := heaviest + sort.Search(sum-heaviest, func(more int) bool { return cutInto(list, weight, columns, heaviest+more) != nil })
	return cutInto(list, weight, columns, most)
}

// cutInto cuts a list into columns of at most so much weight, each of which has something; nil: that needs more columns.
func cutInto(list, weight []int, columns, most int) (out [][]int) {
	begin, sum := 0, 0
	for k := range list {
		full := sum+weight[k] > most || len(list)-k < columns-len(out)
		if k > begin && (full || len(list)-k == columns-len(out)-1) {
			out = append(out, list[begin:k:k])
			begin, sum = k, 0
		}
		sum += weight[k]
	}
	if out = append(out, list[begin:]); len(out) != columns {
		return nil
	}
	return out
}

// beside places panes in columns. What is shown where there is room has its place in the one that
// has the least, values before cells.
func (p *plan) beside(r Rect, groups [][]int, spare []int) {
	widths := p.widths(r.W, groups)
	wanted, spares := make([]int, len(groups)), make([][]int, len(groups))
	for c, g := range groups {
		wanted[c] = p.lines(g, wantAt(stages-1))
	}
	slices.SortStableFunc(spare, func(a, b int) int { return cmp.Compare(p.panes[a].Form, p.panes[b].Form) })
	for _, i := range spare {
		least := len(groups) - 1
		for c := range groups {
			if wanted[c] < wanted[least] {
				least = c
			}
		}
		wanted[least] += p.panes[i].most()
		spares[least] = append(spares[least], i)
	}
	for c, g := range groups {
		p.column(Rect{r.X, r.Y, widths[c], r.H}, g, spares[c])
		r.X += widths[c] + ColumnGap
	}
}

// grouped shares panes among columns: fewer than have room where too much of these would be
// unused. From so many lines on there are fewer, as soon as panes tell in them all that they
// have; where they would not though something of them is left out, there are never more.
func (p *plan) grouped(h int, list []int, columns int) (groups [][]int) {
	spare := p.lines(p.spare, (*Pane).most)
	whole := 0 // lines in which they tell all
	for c := 1; c <= min(columns, len(list)); c++ {
		more := p.share(list, c)
		all := p.longest(more, (*Pane).most) + spare
		from := sort.Search(all, func(h int) bool { return c > 1 && p.isHollow(h, more) })
		if from < all && from < whole {
			continue
		}
		if h < max(from, whole) || c == 1 {
			groups = more
		}
		whole = p.longest(more, wantAt(stages-1)) + spare
	}
	return groups
}

// isHollow tells that panes in columns of some lines would leave more of their cells unused than
// they may, on a body of a usual width.
func (p *plan) isHollow(h int, groups [][]int) bool {
	const usual, most = 160, 14 // of a hundred
	unused := 0
	for c, w := range p.widths(usual, groups) {
		unused += w * max(0, h-p.lines(groups[c], (*Pane).filled))
	}
	unused -= usual / len(groups) * p.lines(p.spare, (*Pane).filled)
	return 100*unused > most*usual*h
}

// widths shares a width among columns, evenly, or so that one of tables has the most.
func (p *plan) widths(w int, groups [][]int) []int {
	n := len(groups)
	out, all := make([]int, n), w-(n-1)*ColumnGap
	for c := range out {
		out[c] = (all + c) / n
	}
	if last := groups[n-1]; p.panes[last[len(last)-1]].Form == FormTable {
		for c := range n - 1 {
			out[c] = min(out[c], max(leastLeft, min(mostLeft, 47*w/100/(n-1))))
			all -= out[c]
		}
		out[n-1] = all
	}
	return out
}
