package graph

import (
	"math"
	"slices"
	"time"

	"perfdeck/session"
	"perfdeck/session/text/english"
)

// wideCells is from which width on a dot shows the largest of two samples.
const wideCells = 60

// PerDot is how many samples share a dot of a graph of w cells, as long as nobody asks
// for another span.
func PerDot(w int) int {
	if w >= wideCells {
		return 2
	}
	return 1
}

// PerDotFor is how many samples have to share a dot, so that w cells show a span of
// samples that are every apart.
func PerDotFor(w int, span, every time.Duration) int {
	if w < 1 || every <= 0 || span <= 0 {
		return 1
	}
	return max(1, int(math.Ceil(span.Seconds()/every.Seconds()/float64(dotsAcross*w))))
}

// Samples is how many samples a graph of w cells shows.
func Samples(w, perDot int) int { return max(0, w) * dotsAcross * max(1, perDot) }

// Span is how much time a graph of w cells shows.
func Span(w, perDot int, every time.Duration) time.Duration {
	return time.Duration(Samples(w, perDot)) * every
}

// SpanSince tells how far back a graph of w cells reaches that has samples from number
// first on, and whether it is full: "98 s", "since 12 s".
func SpanSince(first, end uint64, w, perDot int, every time.Duration) (text string, full bool) {
	samples := uint64(Samples(w, perDot))
	if end > samples {
		first = max(first, end-samples)
	}
	if end-first >= samples {
		return english.Short(Span(w, perDot, every)), true
	}
	span := time.Duration(end-first) * every
	return "since " + english.Short(max(time.Second, span.Round(time.Second))), false
}

// CellSamples is which samples a cell of a graph of w cells shows, from one number to
// before another; ok is false of a cell that shows none.
func CellSamples(w, perDot int, end uint64, wipe bool, x int) (from, to uint64, ok bool) {
	t := timesOf(w, dotsAcross*max(1, perDot), end, wipe)
	n, ok := t.cell(x)
	if !ok || n < 0 {
		return 0, 0, false
	}
	return uint64(n * t.perCell), uint64((n + 1) * t.perCell), true
}

// Column is the column of a graph of w cells, which shifts with time, that shows the sample
// before number at; ok is false where none does.
func Column(w, perDot int, end, at uint64) (x int, ok bool) {
	t := timesOf(w, dotsAcross*max(1, perDot), end, false)
	if at == 0 {
		return 0, false
	}
	return t.column(int64(at-1) / t.perCell)
}

// Dot is the column of dots of a graph of w cells, which shifts with time, that shows a sample.
func Dot(w, perDot int, end, sample uint64) int {
	t := timesOf(w, dotsAcross*max(1, perDot), end, false)
	return int(int64(sample)/int64(max(1, perDot)) - (t.last-(t.w-1))*dotsAcross)
}

// times says which samples the cells of a row of cells show.
type times struct {
	w, perCell int64
	last       int64 // number of the newest cell
	end        int64 // number of the sample that comes next
	wipe       bool
}

func timesOf(w, perCell int, end uint64, wipe bool) times {
	t := times{w: int64(w), perCell: int64(perCell), end: int64(end), wipe: wipe && w > 1}
	t.last = (t.end - 1) / t.perCell
	return t
}

// cell is the number of the cell in column x; ok is false where there is none.
func (t *times) cell(x int) (n int64, ok bool) {
	at := int64(x)
	switch {
	case !t.wipe:
		return t.last - (t.w - 1 - at), true
	case at == (t.last+1)%t.w: // the blank before the newest one
		return 0, false
	}
	return t.last - (t.last-at+t.w)%t.w, true
}

// column is where cell n stands; ok is false of one that is not shown.
func (t *times) column(n int64) (x int, ok bool) {
	shown := t.w
	if t.wipe {
		shown--
	}
	switch {
	case n < 0 || n > t.last || n <= t.last-shown:
		return 0, false
	case t.wipe:
		return int(n % t.w), true
	}
	return int(t.w - 1 - (t.last - n)), true
}

// Scrolled is where a window that shows a span up to an end has to end so that a moment is
// in it: where it does if the moment is, else so that the moment stands near the edge it
// went over, or in the middle after a leap. It ends at the edge of time at most.
func Scrolled(end, at, edge, span int64) int64 {
	margin := span / 20
	switch before, after := end-span-at, at-end; {
	case before > span/2 || after > span/2:
		end = at + span/2
	case before > 0:
		end = at + span - margin
	case after > 0:
		end = at + margin
	}
	return min(end, edge)
}

// EndFor is the absolute number of the sample behind the newest one of a graph of w cells,
// which ended with end, so that it shows the sample before at; there are samples up to
// before edge.
func EndFor(w, perDot int, end, at, edge uint64, wipe bool) uint64 {
	t := timesOf(w, dotsAcross*max(1, perDot), end, wipe)
	if _, shown := t.column((int64(at) - 1) / t.perCell); shown || at == 0 {
		return min(end, edge)
	}
	most := (int64(edge) - 1) / t.perCell
	last := Scrolled(t.last, (int64(at)-1)/t.perCell, most, t.w-2)
	return min(uint64(max(0, last)+1)*uint64(t.perCell), edge)
}

// largest is the largest of the n samples from number first on, NaN where none has a value.
func (t *times) largest(s *session.Series, first, n int64) float32 {
	most := float32(math.NaN())
	begin := int64(s.First)
	from, to := max(first-begin, 0), min(first+n-begin, t.end-begin, int64(len(s.Values)))
	if from >= to {
		return most
	}
	for _, v := range s.Values[from:to] {
		if !(most >= v) && v == v {
			most = v
		}
	}
	return most
}

// The paper: marks so many cells apart, so that an empty graph is not black. Where two
// samples share a dot they are a minute apart at one sample a second.
const (
	paperCells     = 10
	widePaperCells = 15
)

// isMarked tells whether the paper has its marks in a cell. They are bound to time as
// the dots are.
func (g *Graph) isMarked(cell int64) bool {
	if g.PerDot > 1 && g.PerDot%2 == 0 {
		return cell%widePaperCells == 0
	}
	return cell%paperCells == 0
}

// tallPaper is from how many rows on a scale has marks at its quarters, under that
// there are some at its half.
const tallPaper = 8

// paper sets the rows of marks of a graph that stands on the ground.
func (g *Graph) paper(p *seriesPart, h int) {
	for _, quarter := range quarters(h) {
		p.addPaper(h - 1 - quarter*h/4)
	}
}

// pairPaper sets the rows of marks of a pair.
func (g *Graph) pairPaper(upper, lower *seriesPart, h int) {
	if h < tallPaper {
		return
	}
	for _, quarter := range quarters(h / 2) {
		upper.addPaper((4 - quarter) * h / 8)
		lower.addPaper((4 + quarter) * h / 8)
	}
}

// quarters are the quarters of a scale at which marks stand.
func quarters(rows int) []int {
	switch {
	case rows >= tallPaper:
		return []int{1, 2, 3}
	case rows > 1:
		return []int{2}
	}
	return nil
}

func (p *seriesPart) addPaper(row int) {
	p.paper[p.papers] = row
	p.papers++
}

func (p *seriesPart) hasPaper(row int) bool {
	return slices.Contains(p.paper[:p.papers], row)
}
