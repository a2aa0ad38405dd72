// Package moved is the screen that answers what else happened: it lists all counters that
// are recorded, or kept by the screens, by how much they changed in a span of time against
// before, or by how they went along with one of them. job.go reads and compares beside the
// screens, gather.go is where numbers are from, draw.go the table.
package moved

import (
	"cmp"
	"math"
	"slices"
	"time"

	"perfdeck/cooker"
	"perfdeck/cooker/compare"
	"perfdeck/session"
	"perfdeck/tui/kit/filter"
	"perfdeck/tui/kit/names"
	"perfdeck/tui/pane"
)

// Of is what is looked at.
type Of struct {
	From, To time.Time
	What     string      // what the span is, in words, as "lately"; empty: it was selected
	With     pane.Target // the value that was selected; without a set: none
}

// Screen is the screen.
type Screen struct {
	pane.ListScreen[int, *row]

	of Of

	series []pane.Recorded
	window *compare.Window // nil before it was read
	before time.Duration   // how much of it is before the span
	job    *job            // that is under way, or was the last
	err    error           // why there is nothing
	why    pane.Findings   // what was wrong in the span
	asked  *job            // that finds it; nil: nobody does

	moved  []*row // by how much they changed
	judged int
	few    int
	along  []*row // that went along with one
	with   int    // place of that one among the series; -1: what moved is listed
	grown  []*row // by how much they grew in the span
	grew   bool   // these are listed

	spark []float32 // spare
}

// row is a counter in the list.
type row struct {
	series    int
	change    *compare.Change // nil: it went along
	companion compare.Companion
	grew      bool
	from, to  float64 // medians; of what grew at both ends of the span
	names     [partCount]string
	lag       string // how far it was behind
	look      session.Look
	unit      cooker.Unit
}

// The parts of a counter's path.
const (
	counterPart = iota
	instancePart
	objectPart
	hostPart
	partCount
)

// New makes the screen of a span, and begins to look at it.
func New(desk *pane.Desk, of Of) *Screen {
	s := &Screen{ListScreen: pane.ListScreen[int, *row]{
		Desk: desk, List: pane.List[int, *row]{KeyOf: func(r *row) int { return r.series }, Sign: sign, Margin: 1},
	}, of: of, with: -1}
	s.Filter = pane.Filter[*row]{Desk: desk, Title: "Filter counters", Fields: fields, Changed: s.Refresh}
	s.All, s.Discard = s.listed, s.giveUp
	s.bind()
	s.begin()
	return s
}

// Is tells whether the screen is about a span.
func (s *Screen) Is(of Of) bool {
	return s.of.From.Equal(of.From) && s.of.To.Equal(of.To) && s.of.With == of.With
}

// Opened looks anew at what was given up.
func (s *Screen) Opened() {
	if s.job.isCancelled() {
		s.begin()
	}
}

// Selected are the selected counter and those that are marked.
func (s *Screen) Selected() []pane.Target {
	var out []pane.Target
	for _, at := range s.SelectedFirst() {
		out = append(out, s.series[at].Target)
	}
	return s.watched(out)
}

// watched are the targets whose hosts are on the desk still.
func (s *Screen) watched(list []pane.Target) []pane.Target {
	return slices.DeleteFunc(list, func(t pane.Target) bool { return !slices.Contains(s.Desk.Hosts, t.Host) })
}

// rowOf makes a row of a series.
func (s *Screen) rowOf(at int) *row {
	of := &s.series[at]
	r := &row{series: at, look: s.Desk.NumbersOf(of.Host).Look(of.Set, of.Counter)}
	r.names = [partCount]string{
		counterPart: of.Name(), instancePart: names.Instance(&of.Instance),
		objectPart: of.Set.Name, hostPart: of.Host.Name,
	}
	r.from, r.to = s.window.Before.Median(at), s.window.During.Median(at)
	r.settle()
	return r
}

// settle chooses the unit for both numbers.
func (r *row) settle() {
	largest := 0.
	for _, v := range [...]float64{r.from, r.to} {
		if cooker.IsFinite(v) {
			largest = max(largest, v, -v)
		}
	}
	r.unit = r.look.Unit(largest)
}

// changed makes the row of a change.
func (s *Screen) changed(c *compare.Change) *row {
	r := s.rowOf(c.Series)
	if r.change = c; c.Kind == compare.Often {
		const hundred = 100
		r.from, r.to = hundred*c.From, hundred*c.To
		r.look.Format = cooker.Format{Quantity: cooker.Quantity{Kind: cooker.Percent}, Style: r.look.Style}
		r.settle()
	}
	return r
}

// growth are rows of what there is more of at the end of the span than at its beginning, bytes
// first: what came in it grew from nothing.
func (s *Screen) growth(changes []compare.Change) (out []*row) {
	for i := range s.series {
		of := &s.series[i]
		counter := of.Of()
		if counter.IsFlow() || counter.IsCode(counter.Look()) {
			continue
		}
		from, to, means := math.NaN(), 0., s.window.Means(i)
		if slices.ContainsFunc(changes, func(c compare.Change) bool { return c.Series == i && c.Kind == compare.New }) {
			from = 0
		}
		for _, v := range means[min(int(s.window.Share(s.of.From)*float64(len(means))), len(means)):] {
			if f := float64(v); f == f {
				if to = f; from != from {
					from = f
				}
			}
		}
		if to-from > compare.Least(counter.Quantity) {
			r := s.rowOf(i)
			r.grew, r.from, r.to = true, from, to
			r.settle()
			out = append(out, r)
		}
	}
	others := func(r *row) int {
		if r.look.Quantity.Kind == cooker.Bytes {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(out, func(a, b *row) int {
		return cmp.Or(cmp.Compare(others(a), others(b)), cmp.Compare(b.to-b.from, a.to-a.from))
	})
	return out
}

// listed are the rows that are to be shown now, as far as the filter takes them.
func (s *Screen) listed() []*row {
	rows := s.moved
	switch {
	case s.with >= 0:
		rows = s.along
	case s.grew:
		rows = s.grown
	}
	return slices.Clone(rows)
}

// fields are what a filter can name.
func fields() *filter.Fields[*row] {
	part := func(i int) filter.Texts[*row] { return filter.One(func(r *row) string { return r.names[i] }) }
	return &filter.Fields[*row]{
		List: []filter.Field[*row]{
			{Name: "host", Texts: part(hostPart), Example: "host:srv1"},
			{Name: "object", Texts: part(objectPart), Example: "object:process"},
			{Name: "counter", Texts: part(counterPart)},
			{Name: "instance", Texts: part(instancePart)},
		},
		Plain: func(r *row, fits func(string) bool) bool { return slices.ContainsFunc(r.names[:], fits) },
	}
}

// chart charts the marked counters, else the selected one, in lanes, over the time that is
// looked at. With them goes the one that they went along with.
func (s *Screen) chart() {
	var targets []pane.Target
	if s.with >= 0 {
		targets = append(targets, s.series[s.with].Target)
	}
	for _, at := range s.Chosen() {
		targets = append(targets, s.series[at].Target)
	}
	if targets = s.watched(targets); len(targets) == 0 {
		return
	}
	from, to := s.shownTime()
	s.Desk.Send(pane.OpenChart{Targets: targets, Replace: true, Lanes: true})
	s.Desk.Send(pane.ShowTime{From: from, To: to})
}

// nearBefore is how many times as long as the span the time before it is that is drawn.
const nearBefore = 3

// shownTime is the time of the sparklines, and of the chart: the span with the time near
// before it.
func (s *Screen) shownTime() (from, to time.Time) {
	before := min(s.before, max(nearBefore*s.of.To.Sub(s.of.From), time.Minute))
	return s.of.From.Add(-before), s.of.To
}
