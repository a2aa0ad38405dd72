// Package layout is the geometry of the screens: sizes in, rectangles and
// columns out. It is pure, so that every size can be swept in a test.
package layout

// The smallest terminal that shows more than a line saying that it is too
// small.
const (
	MinWidth  = 40
	MinHeight = 12
)

// Rect is a rectangle of cells.
type Rect struct{ X, Y, W, H int }

// Frame is how a terminal is divided: one header row, the body, one hint row.
type Frame struct {
	Header, Body, Hints Rect
	TooSmall            bool
}

// NewFrame divides a terminal of w x h cells.
func NewFrame(w, h int) Frame {
	if w < MinWidth || h < MinHeight {
		return Frame{TooSmall: true, Body: Rect{0, 0, max(w, 0), max(h, 0)}}
	}
	return Frame{
		Header: Rect{0, 0, w, 1},
		Body:   Rect{0, 1, w, h - 2},
		Hints:  Rect{0, h - 1, w, 1},
	}
}

// columnPitch is the narrowest useful pane with its gap: a column of panes for
// each of them that fits.
const (
	columnPitch = 58
	columnGap   = 2
)

// Columns is how many columns of panes fit into w cells: 1 to 113, 2 from 114,
// 3 from 172 and so on.
func Columns(w int) int { return max(1, (w+columnGap)/columnPitch) }

// Row is the columns of a row with one value: offsets and widths in cells, from
// the left edge of the pane. A width of 0 leaves the column out.
type Row struct {
	NameX, NameW   int
	ValueX, ValueW int
	UnitX, UnitW   int
	SparkX, SparkW int
	// Stats are the right-aligned columns of minimum, average and maximum,
	// 7 cells each; Min and Avg leave before Max.
	MinX, AvgX, MaxX int // 0: left out
	// Full tells that statistics have the field of values, and that a number which never
	// changed has none: it is them.
	Full bool
}

// The widths of a row's fixed parts.
const (
	SignW  = 3 // selection mark, sign, blank
	ValueW = 7 // 4 digits, point, 2 decimals
	UnitW  = 4
	StatW  = 7
	sparkM = 6 // a sparkline under this width is left out

	narrowPane = 39 // half of 80: short names
)

// NewRow lays a row out in w cells (screens.md 5).
func NewRow(w int) Row { return rowIn(w, w) }

// mostRow is as far as rows reach: in a wider pane a number would be too far from its name for
// the eye to find it.
const mostRow = 120

// rowIn is the row of a pane of w cells that ends before one of them.
func rowIn(w, end int) Row {
	spark, stats := 0, 0
	end = min(end, mostRow)
	switch {
	case w >= 96:
		spark, stats = 20, 3
	case w >= 79:
		spark, stats = min(15, w-64), 3
	case w >= 56:
		spark, stats = 10, 1
	case w >= 40:
		spark = min(10, w-33)
	case w == narrowPane:
		return build(w-Edge, 10, 0)
	case w >= 37:
		spark = sparkM
	}
	if spark < 10 { // of whole seconds
		spark = min(spark, sparkM)
	}
	if spark < sparkM {
		spark = 0
	}
	return build(end, spark, stats)
}

// Edge is the cells behind the last number of a row of a pane: there the rule closes behind
// its head.
const Edge = 2

// HostRow lays a row of a pane of the deck of one host out in w cells. One without a title
// has no statistics, which nothing would name.
func HostRow(w int, bare bool) Row {
	if l := rowIn(w, w-Edge); !bare || l.MaxX == 0 {
		return l
	}
	return build(min(w-Edge, mostRow), 20, 0)
}

// InstanceRow lays a row of an instance out in w cells, with a unit of so many: the name
// has what is left.
func InstanceRow(w, unit int) Row {
	l := NewRow(w)
	l.MinX, l.AvgX, l.MaxX = 0, 0, 0
	end := w
	if l.SparkW > 0 {
		end -= l.SparkW
		l.SparkX = end
		end--
	}
	l.UnitW, l.UnitX = unit, end-unit
	l.ValueX = l.UnitX - 1 - ValueW
	l.NameW = max(0, l.ValueX-1-SignW)
	return l
}

func build(w, spark, stats int) Row {
	r := Row{NameX: SignW, ValueW: ValueW, UnitW: UnitW, SparkW: spark}
	x := w
	place := func(width, gap int) int {
		x -= width
		at := x
		x -= gap
		return at
	}
	if stats > 0 {
		r.MaxX = place(StatW, 0)
	}
	if stats > 1 {
		r.AvgX = place(StatW, 0)
		r.MinX = place(StatW, 0)
	}
	if spark > 0 {
		r.SparkX = place(spark, 1)
	}
	r.UnitX = place(UnitW, 1)
	r.ValueX = place(ValueW, 1)
	r.NameW = max(0, x-SignW)
	return r
}

// Widen is the row, of w cells in all, where value and unit take need cells: those
// of the sparkline's beginning, or it moves over the statistics; where neither has
// room, those of the name.
func (r Row) Widen(need, w int) Row {
	extra := need - (r.UnitX + r.UnitW - r.ValueX)
	switch {
	case extra <= 0:
		return r
	case r.SparkW >= sparkM+extra:
		r.SparkX, r.SparkW = r.SparkX+extra, r.SparkW-extra
		return r
	case r.SparkW > 0 && r.MaxX > 0 && extra <= StatW:
		r.SparkX += extra
		r.MinX, r.AvgX, r.MaxX = 0, 0, 0
		return r
	}
	r.SparkX, r.SparkW = 0, 0
	end := r.ValueX + need
	for _, x := range []*int{&r.MinX, &r.AvgX, &r.MaxX} {
		if *x < end {
			*x = 0
		}
	}
	if over := min(end-w, r.NameW); over > 0 {
		r.ValueX, r.NameW = r.ValueX-over, r.NameW-over
	}
	return r
}

// Pane is what the deck layout needs to know of a pane.
type Pane struct {
	Rows int // rows it would like to show, without its title
	// Most makes a pane elastic, as the busiest of a table: it gives rows away
	// first when the space is short, and takes up to Most when there is more.
	Most int
}

// Placed is a pane with its place. Rows is how many of its rows fit, Graph how
// many rows above them are spare for a graph.
type Placed struct {
	Rect
	Rows, Graph int
	Hidden      bool // no place at all: the column ended before it
	Bare        bool // it has no title
	Inset       int  // cells between graph and values that are another pane's
}

// The graph of a pane takes 3 to 5 spare rows.
const (
	minGraph = 3
	maxGraph = 5
)

// Deck places the panes of one host: each in deck order goes to the shortest
// column. A column that is too long cuts its longest panes; one with room to
// spare gives it to graphs, first pane first. With one column, what does not
// fit is left to scrolling: the panes keep their order from scroll on.
func Deck(body Rect, panes []Pane) []Placed {
	out := make([]Placed, len(panes))
	n := min(Columns(body.W), max(1, len(panes)))
	numbers := make([]int, n+4*len(panes)) // at once: the deck is placed with each drawing
	take := func(k int) (part []int) { part, numbers = numbers[:k:k], numbers[k:]; return part }
	height, column := take(n), take(len(panes))
	for i, p := range panes {
		column[i] = shortest(height)
		height[column[i]] += 1 + p.Rows
	}
	members, rows, graph := take(len(panes)), take(len(panes)), take(len(panes))
	width := (body.W - (n-1)*columnGap) / n
	for c := range n {
		members = members[:0]
		for i := range panes {
			if column[i] == c {
				members = append(members, i)
			}
		}
		x := body.X + c*(width+columnGap)
		w := width
		if c == n-1 {
			w = body.X + body.W - x
		}
		rows, graph := rows[:len(members)], graph[:len(members)]
		clear(graph)
		fit(body.H, panes, members, n > 1, rows, graph)
		stack(Rect{x, body.Y, w, body.H}, panes, members, rows, graph, out)
	}
	return out
}

func shortest(height []int) int {
	best := 0
	for i, h := range height {
		if h < height[best] {
			best = i
		}
	}
	return best
}

// stack places the panes of one column from top to bottom.
func stack(col Rect, panes []Pane, members, rows, graph []int, out []Placed) {
	y := col.Y
	for k, i := range members {
		h := 1 + graph[k] + rows[k]
		if rows[k] == 0 && panes[i].Rows > 0 || y+h > col.Y+col.H {
			out[i] = Placed{Hidden: true}
			continue
		}
		out[i] = Placed{Rect: Rect{col.X, y, col.W, h}, Rows: rows[k], Graph: graph[k]}
		y += h
	}
}

// fit decides how many rows each pane of a column gets. Elastic panes give rows
// away first; with cut the longest of the others follow, else the panes that do
// not fit leave, the last first, and the first of them shows what there is room
// for. What is left over becomes graphs, then rows of elastic panes.
func fit(height int, panes []Pane, members []int, cut bool, rows, graph []int) {
	need := 0
	for k, i := range members {
		rows[k] = panes[i].Rows
		need += 1 + rows[k]
	}
	for need > height {
		k := gives(rows, panes, members, cut)
		if k < 0 {
			break
		}
		rows[k]--
		need--
	}
	for k := len(members) - 1; k >= 0 && need > height; k-- {
		keep := max(0, rows[k]-(need-height))
		need -= rows[k] - keep
		rows[k] = keep
		if keep == 0 && k > 0 {
			need--
		}
	}
	for k, i := range members {
		spare := height - need
		if spare >= minGraph && rows[k] > 0 && rows[k] == panes[i].Rows {
			graph[k] = min(spare, maxGraph)
			need += graph[k]
		}
	}
	for k, i := range members {
		if more := min(panes[i].Most-rows[k], height-need); more > 0 && rows[k] > 0 {
			rows[k] += more
			need += more
		}
	}
}

// gives finds the pane that gives a row away, -1 when none does: an elastic one
// while it has more than three rows, else, with cut, the one with the most.
func gives(rows []int, panes []Pane, members []int, cut bool) int {
	const elasticKeeps = 3
	longest := -1
	for k, i := range members {
		if panes[i].Most > 0 && rows[k] > elasticKeeps {
			return k
		}
		if cut && rows[k] > 1 && (longest < 0 || rows[k] > rows[longest]) {
			longest = k
		}
	}
	return longest
}
