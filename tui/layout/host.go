package layout

import (
	"math"
	"slices"
)

// Role is what a pane is on the deck of one host (deck.md 2).
type Role uint8

// The roles. All but Added are those of the default deck.
const (
	Added   Role = iota // what somebody put on the deck: it has to be seen
	Lead                // the graph at the top
	Each                // the cells beside it
	Store               // the meters
	Flow                // a graph of a pair
	Busiest             // the table
	Spare               // what is shown where there is room
)

// Part is a pane as the layout of one host sees it. Places depend on no values.
type Part struct {
	Role      Role
	Rows      int  // values that it can show; of cells 0
	Instances int  // of cells, at the start
	CellWidth int  // fewest cells that an instance of them takes; 0: the usual
	Grows     bool // it is a graph: it may have more rows than it has values
	Empty     bool // there is nothing to show of it
	Again     int  // so many values of the graph at the top say its first one again; 0: none does
}

// Sizes at which the deck of one host changes its shape.
const (
	WideFrom   = 100 // the panes in two columns
	pairedFrom = 70  // the panes in pairs
	thirdFrom  = 230 // a third column
	thirdWidth = 70
	LowUnder   = 18 // rows of the body: one column
	flatUnder  = 13 // rows of the body: no titles
)

// The smallest panes: a smaller one shows rows.
const (
	MinGraphWidth   = 50
	MinGraphHeight  = 5 // a row less in a low body
	MinMetersWidth  = 40
	MinMetersHeight = 4
	MinCellsWidth   = 18
	MinCellsHeight  = 3
	MinTableWidth   = 40
	MinTableHeight  = 4
	MinRowsWidth    = 30
	MinRowsHeight   = 2
)

// ValueColumn is how wide the column of values at the right of a graph is.
func ValueColumn(w int) int {
	if w >= 114 {
		return 43
	}
	return 27
}

// ValueRow is the columns of the values beside a graph, w cells wide.
func ValueRow(w int) Row {
	r := Row{NameX: 4, NameW: 11, ValueX: 15, ValueW: 7, UnitX: 23, UnitW: 4}
	if w >= 43 {
		r.MaxX, r.AvgX, r.Full = 27, 35, true
	}
	return r
}

// Host places the panes of one host's deck (deck.md 3), in the order of parts.
// It is false where the parts are not those of such a deck, or do not all fit:
// then Deck places them.
func Host(body Rect, parts []Part) ([]Placed, bool) {
	h := hostPlan{body: body, parts: parts, out: make([]Placed, len(parts))}
	for i := range h.out {
		h.out[i].Hidden = true
	}
	if h.first(Lead) < 0 || !h.hasTable() && (h.first(Store) < 0 || h.first(Flow) < 0 || h.first(Spare) < 0) {
		return nil, false
	}
	switch {
	case body.W < pairedFrom || body.H < LowUnder:
		return h.out, h.single()
	case body.W < WideFrom:
		return h.out, h.paired()
	case !h.hasTable(): // two columns of all
		return nil, false
	}
	return h.out, h.wide()
}

// hostPlan is a layout in the making.
type hostPlan struct {
	body  Rect
	parts []Part
	out   []Placed
}

// hasTable tells whether there is one, as a host without processes has none: what is spare
// has its place.
func (h *hostPlan) hasTable() bool { return h.first(Busiest) >= 0 }

func (h *hostPlan) first(r Role) int {
	return slices.IndexFunc(h.parts, func(p Part) bool { return p.Role == r })
}

// all are the panes of a role that have no place yet, and something to show.
func (h *hostPlan) all(r Role) (out []int) {
	for i, p := range h.parts {
		if p.Role == r && h.out[i].Hidden && !p.Empty {
			out = append(out, i)
		}
	}
	return out
}

// put gives a pane its place: its title, and rows below it.
func (h *hostPlan) put(i int, r Rect) {
	h.out[i] = Placed{Rect: r, Rows: r.H - 1}
}

// putBare gives a pane rows without a title.
func (h *hostPlan) putBare(i int, r Rect) {
	h.out[i] = Placed{Rect: r, Rows: r.H, Bare: true}
}

// bandHeight is the rows of the first band: 0.26 of the body, 6 to 20, and up to 3
// more if then all instances of the cells fit in one column.
func (h *hostPlan) bandHeight() int {
	n := max(6, min(20, int(math.Round(0.26*float64(h.body.H)))))
	if i := h.first(Each); i >= 0 {
		if need := 1 + h.parts[i].Instances; need > n && need <= n+3 {
			return need
		}
	}
	return n
}

// band places the graph and its cells over the whole width.
func (h *hostPlan) band(height int) {
	lead, each := h.first(Lead), h.first(Each)
	r := Rect{h.body.X, h.body.Y, h.body.W, height}
	if each < 0 {
		h.put(lead, r)
		return
	}
	n := h.parts[each].Instances
	w := eachWidth(r.W, height-1, n, 2, MinGraphWidth)
	cells := EachCells(w, height-1, n, 2)
	if w > 0 && (r.W >= WideFrom || cells.Columns > 0) {
		h.put(lead, Rect{r.X, r.Y, r.W - w - columnGap, height})
		side := Rect{r.X + r.W - w, r.Y, w, height}
		if cells.Columns == 0 {
			h.put(each, side)
			return
		}
		used := side
		used.H = 1 + cells.Rows
		rest := Rect{side.X, side.Y + used.H, side.W, side.H - used.H}
		if rest.H < 3 || !h.fillSpares(rest, height-1) {
			used.H = height
		}
		h.put(each, used)
		return
	}
	// Bars between the graph and its values.
	h.put(lead, r)
	bars := NewCells(min(r.W*42/100, r.W-MinGraphWidth-1), height-1, n, r.W+1, 2)
	x := r.X + r.W - ValueColumn(r.W) - 1 - bars.PerRow
	h.put(each, Rect{x, r.Y, bars.PerRow, height})
	h.out[lead].Inset = bars.PerRow + 1
}

// height is the rows that a pane wants in a width, its title with them.
func (h *hostPlan) height(i, w int) int {
	p := h.parts[i]
	if p.Instances == 0 {
		return 1 + max(1, p.Rows)
	}
	columns := max(1, w/max(p.CellWidth, cellSign+leastCell))
	return 1 + (p.Instances+columns-1)/columns
}

// fits tells whether a pane can be shown in some cells at all.
func (h *hostPlan) fits(i int, r Rect) bool {
	if h.parts[i].Instances > 0 {
		return r.W >= MinCellsWidth && r.H >= MinCellsHeight
	}
	return r.W >= MinRowsWidth && r.H >= MinRowsHeight
}

// fillSpares gives a rectangle to the panes that are shown where there is room,
// one below the other. The last one gets what is left. It tells whether there was one.
// Beside are the values of the graph at the top that stand beside them: what these say is
// not said again.
func (h *hostPlan) fillSpares(r Rect, beside int) bool {
	last, top := -1, r.Y
	for _, i := range h.all(Spare) {
		if again := h.parts[i].Again; !h.fits(i, r) || again > 0 && again <= beside {
			continue
		}
		part := r
		part.H = min(h.height(i, r.W), r.H)
		h.put(i, part)
		r.Y, r.H = r.Y+part.H, r.H-part.H
		last = i
		if r.H < 3 {
			break
		}
	}
	if last < 0 {
		return false
	}
	more := h.grow(r.X, top, r.H)
	h.put(last, Rect{r.X, h.out[last].Y, r.W, h.out[last].H + r.H - more})
	return true
}

// grow gives rows that are left below spare panes, from a line on, to the first of them that
// is a graph, as many as make it a good one.
func (h *hostPlan) grow(x, top, left int) (taken int) {
	const good = 18
	for i, p := range h.parts {
		o := h.out[i]
		if p.Role != Spare || !p.Grows || o.Hidden || o.X != x || o.Y < top || o.H >= good {
			continue
		}
		taken = min(left, good-o.H)
		h.put(i, Rect{o.X, o.Y, o.W, o.H + taken})
		for k, below := range h.out {
			if !below.Hidden && h.parts[k].Role == Spare && below.X == o.X && below.Y > o.Y {
				h.put(k, Rect{below.X, below.Y + taken, below.W, below.H})
			}
		}
		return taken
	}
	return 0
}

// isWorthColumn tells whether the panes that are shown where there is room fill some of a
// column of their own.
func (h *hostPlan) isWorthColumn(height int) bool {
	const least = 4 // a quarter
	rows := 0
	for _, i := range h.all(Spare) {
		rows += h.height(i, thirdWidth)
	}
	return rows*least >= height
}

// wide places the panes below the band in columns.
func (h *hostPlan) wide() bool {
	height := h.bandHeight()
	h.band(height)
	b := Rect{h.body.X, h.body.Y + height, h.body.W, h.body.H - height}
	left := Rect{b.X, b.Y, leftWidth(b.W), b.H}
	right := Rect{b.X + left.W + columnGap, b.Y, b.W - left.W - columnGap, b.H}
	switch {
	case h.first(Store) >= 0 || h.first(Flow) >= 0:
		h.left(left)
	case h.added(left): // there is nothing else at the left
	default:
		right = b
	}
	if b.W >= thirdFrom && h.isWorthColumn(b.H) {
		h.fillSpares(Rect{b.X + b.W - thirdWidth, b.Y, thirdWidth, b.H}, 0)
		right.W -= thirdWidth + columnGap
	}
	return h.right(right)
}

// leftWidth is 0.47 of the width, to the nearest even number, 54 to 88.
func leftWidth(w int) int { return max(54, min(88, 2*int(math.Round(0.47*float64(w)/2)))) }

// left stacks the meters and the graphs of pairs.
func (h *hostPlan) left(r Rect) {
	store, flows := h.first(Store), h.all(Flow)
	memory := 0
	if store >= 0 {
		height, graph := storeHeight(r.H, len(flows))
		memory = height
		h.put(store, Rect{r.X, r.Y, r.W, memory})
		h.out[store].Graph = graph
		h.out[store].Rows -= graph
	}
	y, rest := r.Y+memory, r.H-memory
	for k, i := range flows {
		n := rest / len(flows)
		if k < rest%len(flows) {
			n++
		}
		h.put(i, Rect{r.X, y, r.W, n})
		y += n
	}
}

// added stacks what was put on the deck, the last one with what is left. It reports
// whether there is anything, and room for it.
func (h *hostPlan) added(r Rect) bool {
	list, need := h.all(Added), 0
	for _, i := range list {
		need += h.height(i, r.W)
	}
	if len(list) == 0 || need > r.H {
		return false
	}
	for k, i := range list {
		n := h.height(i, r.W)
		if k == len(list)-1 {
			n = r.H
		}
		h.put(i, Rect{r.X, r.Y, r.W, n})
		r.Y, r.H = r.Y+n, r.H-n
	}
	return true
}

// storeHeight is the rows of the meters above some graphs, and how many of them
// are for a graph of their own.
func storeHeight(height, flows int) (rows, graph int) {
	const usual, ownGraph, most = 7, 6, 16
	least := flows * MinGraphHeight
	switch {
	case flows == 0:
		return height, max(0, min(ownGraph, height-usual))
	case height < MinMetersHeight+least: // graphs become rows
		return max(1, height/(1+flows)), 0
	case (height-usual+flows-1)/flows > most:
		return usual + ownGraph, ownGraph
	}
	return min(usual, height-least), 0
}

// right places the table, and above it what was added and what has room.
func (h *hostPlan) right(r Rect) bool {
	const keeps = 36 // rows of the table with its head, while panes that are spare are above it
	for _, i := range h.all(Added) {
		n := min(h.height(i, r.W), 8)
		if r.H-n < MinTableHeight {
			return false
		}
		h.put(i, Rect{r.X, r.Y, r.W, n})
		r.Y, r.H = r.Y+n, r.H-n
	}
	for _, i := range h.all(Spare) {
		n := h.height(i, r.W)
		if r.H-n < keeps || !h.fits(i, Rect{W: r.W, H: 3}) {
			continue
		}
		h.put(i, Rect{r.X, r.Y, r.W, n})
		r.Y, r.H = r.Y+n, r.H-n
	}
	return h.table(r)
}

// table gives the first table the place, and shares it with the others. Without one it is that
// of spare panes, or of what stands above.
func (h *hostPlan) table(r Rect) bool {
	tables := h.all(Busiest)
	if len(tables) == 0 {
		if !h.fillSpares(r, 0) {
			h.stretch(r)
		}
		return true
	}
	each := r.H / len(tables)
	for k, i := range tables {
		n := each
		if k == 0 { // with what is left over
			n = r.H - (len(tables)-1)*each
		}
		if n < MinTableHeight {
			return false
		}
		h.put(i, Rect{r.X, r.Y, r.W, n})
		r.Y, r.H = r.Y+n, r.H-n
	}
	return true
}

// stretch gives a place to the panes that end above it.
func (h *hostPlan) stretch(r Rect) {
	for i := range h.out {
		if o := &h.out[i]; !o.Hidden && o.Y+o.H == r.Y && o.X >= r.X && o.X+o.W <= r.X+r.W {
			o.H, o.Rows = o.H+r.H, o.Rows+r.H
		}
	}
}

// paired places the panes below the band two side by side, as rows, and the
// table over the whole width.
func (h *hostPlan) paired() bool {
	height := h.bandHeight()
	h.band(height)
	r := Rect{h.body.X, h.body.Y + height, h.body.W, h.body.H - height}
	list := append(h.all(Store), h.all(Flow)...)
	for _, i := range h.all(Spare) {
		if len(list)%2 == 1 && h.parts[i].Instances == 0 {
			list = append(list, i)
		}
	}
	list = append(list, h.all(Added)...)
	for k := 0; k < len(list); k += 2 {
		n := 1 + max(3, min(6, h.body.H/7)) // the first pair tells the most
		if k > 0 {
			n = 1 + max(2, min(6, h.body.H/11))
		}
		if n = min(n, r.H); n < 2 {
			return false
		}
		a := Rect{r.X, r.Y, (r.W - columnGap) / 2, n}
		if k+1 == len(list) {
			a.W = r.W
		} else {
			x := a.X + a.W + columnGap
			h.put(list[k+1], Rect{x, r.Y, r.X + r.W - x, n})
		}
		h.put(list[k], a)
		r.Y, r.H = r.Y+n, r.H-n
	}
	return h.table(r)
}

// single places all panes in one column: what follows the graph are rows without
// titles.
func (h *hostPlan) single() bool {
	if len(h.all(Added)) > 0 || len(h.all(Busiest)) > 1 {
		return false
	}
	flat := h.body.H < flatUnder
	lead, each := h.first(Lead), h.first(Each)
	band, bars, title := 4, 0, 1
	switch {
	case flat:
		band, title = 1, 0
	case h.body.H >= LowUnder:
		band = h.bandHeight()
	}
	if each >= 0 {
		bars = h.barRows()
	}
	stack := append(h.all(Store), h.all(Flow)...)
	need, fits := h.stackRows(stack, h.body.H-band-bars-title-2)
	if !fits {
		return false
	}
	r := h.body
	put := h.put // with a title where there is room
	if flat {
		put = h.putBare
	}
	take := func(n int) Rect {
		part := Rect{r.X, r.Y, r.W, n}
		r.Y, r.H = r.Y+n, r.H-n
		return part
	}
	put(lead, take(band))
	if each >= 0 {
		h.putBare(each, take(bars))
	}
	for k, i := range stack {
		h.putBare(i, take(need[k]))
	}
	if !h.hasTable() {
		return h.table(r)
	}
	put(h.first(Busiest), r)
	return true
}

// stackRows is how many rows each part of a stack gets of those that are left, of which
// the table under it gets the first four; it is false where they do not suffice.
func (h *hostPlan) stackRows(stack []int, left int) (need []int, fits bool) {
	need = make([]int, len(stack))
	for k, i := range stack {
		need[k] = 2
		if h.parts[i].Role == Store {
			need[k] = 1
		}
		left -= need[k]
	}
	if left < 0 {
		return nil, false
	}
	grow := left - min(left, 4)
	for again := true; again && grow > 0; {
		again = false
		for k, i := range stack {
			if most := min(4, h.parts[i].Rows); need[k] < most && grow > 0 {
				need[k]++
				grow--
				again = true
			}
		}
	}
	return need, true
}

// barRows is the rows of the cells in one column: those of meters that all fit,
// else of bars.
func (h *hostPlan) barRows() int {
	n, most := h.parts[h.first(Each)].Instances, 1
	if h.body.H >= LowUnder {
		most = 2
	}
	per := max(1, (h.body.W-Edge)/(EachSign+leastCell))
	if rows := (n + per - 1) / per; rows <= most {
		return max(1, rows)
	}
	return most
}
