package fleet

import (
	"math"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/tui/kit/kind"
	"perfdeck/tui/pane"
)

// measure is one number that a host is judged by: a column of the list, and
// what map and strips may show.
type measure struct {
	name  string // in filters and messages
	head  string // of its column; behind it stands the unit
	title string // of the map
	cells int    // of its column
	// unit is how many of the counter's own make one of the column's smallest
	// unit: 0.001 seconds are a millisecond.
	unit     float64
	kind     cooker.QuantityKind // of the counter
	exponent int8                // of the smallest unit, as in cooker.Quantity
	percent  bool                // 0 to 100 for all; else heat has a top as other pictures
	decimals int
	seldom   bool     // a host is not asked for it each time
	from     []origin // the first one that a host has
}

// origin is a counter that gives a measure.
type origin struct {
	set, counter string
	rows         rows
	ofLimit      bool // the measure is how much of its limit is used, in percent
}

// rows says which instance of a counterset is meant.
type rows uint8

const (
	soleRow  rows = iota // the only one
	totalRow             // _Total
	sumRow               // all of them that carry what no other does, together
)

// The measures, by their place in measures.
const (
	cpu = iota
	mem
	disk
	net
	services // asked for, and shown, only while lines are sorted by it
	measureCount
)

// measures are the columns in the order of the screen. The names are those of
// Windows, which the source of this computer uses as well.
var measures = [measureCount]measure{
	cpu: {name: "cpu", head: "cpu%", title: "% Processor Time", cells: 4, unit: 1, kind: cooker.Percent, percent: true, from: []origin{
		{set: session.ProcessorLimit, counter: "% Processor Time"},
		{set: "Processor Information", counter: "% Processor Time", rows: totalRow},
		{set: "Processor", counter: "% Processor Time", rows: totalRow},
	}},
	mem: {name: "mem", head: "mem%", title: "Memory Used", cells: 4, unit: 1, kind: cooker.Percent, percent: true, from: []origin{
		{set: session.MemoryLimit, counter: "Available Bytes", ofLimit: true},
		{set: "Memory", counter: "Available Bytes", ofLimit: true}, // Used, as on decks
		{set: "Memory", counter: "Available MBytes", ofLimit: true},
		{set: "Memory", counter: "% Committed Bytes In Use"},
	}},
	disk: {name: "disk", head: "disk", title: "time of a disk transfer", cells: 7, unit: 1e-3, kind: cooker.Seconds, exponent: -1, decimals: 1, from: []origin{
		{set: "PhysicalDisk", counter: "Avg. Disk sec/Transfer", rows: totalRow},
		{set: "LogicalDisk", counter: "Avg. Disk sec/Transfer", rows: totalRow},
	}},
	net: {name: "net", head: "net", title: "network traffic", cells: 8, unit: 1 << 20, kind: cooker.BytesPerSecond, exponent: 2, decimals: 1, from: []origin{
		{set: "Network Interface", counter: "Bytes Total/sec", rows: sumRow},
	}},
	services: {name: "failed services", head: "failed", title: "failed services", cells: 6, unit: 1, kind: cooker.Count, seldom: true, from: []origin{
		{set: "Service", counter: "Failed", rows: totalRow},
	}},
}

// quantity is what the numbers of the column count, in its smallest unit.
func (m *measure) quantity() cooker.Quantity {
	return cooker.Quantity{Kind: m.kind, Exponent: m.exponent}
}

// sum is the instance that stands for all interfaces of a host, as on decks.
var sum, _ = session.CombineNamed(session.TotalOfAll)

// source is where a host has a measure. The zero source has none.
type source struct {
	set     *session.Counterset
	counter int         // index in set.Counters
	drawn   *kind.Drawn // the measure is its share of the limit; nil: its value
	rows    rows
	hint    int // row where the instance was last
	seldom  bool
}

// sourceOf looks a measure up in a catalogue.
func sourceOf(m *measure, cat *session.Catalogue) source {
	for _, o := range m.from {
		set, counter := cat.Given(o.set, o.counter)
		if set == nil {
			continue
		}
		s := source{set: set, counter: counter, rows: o.rows, seldom: m.seldom}
		if o.ofLimit {
			drawn := kind.Of(cat, set, counter, set.Counters[counter].Look())
			if s.drawn = &drawn; !drawn.Limit.Is() {
				continue
			}
		}
		if !set.Instances.Multiple() {
			s.rows = soleRow
		}
		return s
	}
	return source{}
}

// asks are what has to be asked for the measure and its history.
func (s *source) asks() []session.Ask {
	counters := []int{s.counter}
	ask := session.Ask{Set: s.set, Counters: counters, Keep: []session.Keep{{Counters: counters, Match: s.rows.match}}, Seldom: s.seldom}
	if s.rows == sumRow {
		ask.Combine = []session.Combine{sum}
	}
	if s.drawn != nil {
		if limit, ok := s.drawn.Limit.Ask(); ok {
			return []session.Ask{ask, limit}
		}
	}
	return session.AskExtent([]session.Ask{ask}, s.set)
}

// match tells whether an instance is meant. The sampler asks too, in its own
// goroutine.
func (r rows) match(in *session.Instance) bool {
	switch r {
	case totalRow:
		return paths.EqualFold(in.Key.Name, "_Total") // and not that of a part, as "0,_Total" of Processor Information
	case sumRow:
		return sum.Makes(in)
	}
	return true
}

// row is the row of the measure in a view, -1 without.
func (s *source) row(view *session.SetView) int {
	if view == nil {
		return -1
	}
	if s.hint < len(view.Rows) && s.rows.match(&view.Rows[s.hint].Instance) {
		return s.hint
	}
	for i := range view.Rows {
		if s.rows.match(&view.Rows[i].Instance) {
			s.hint = i
			return i
		}
	}
	return -1
}

// cell is where the measure stands in a snapshot, if it has it.
func (s *source) cell(snap *session.Snapshot) (view *session.SetView, row, col int, ok bool) {
	view = snap.Set(s.set)
	row, col = s.row(view), view.Column(s.counter)
	return view, row, col, row >= 0 && col >= 0
}

// value is the measure in the newest sample, in the counter's own unit.
func (s *source) value(snap *session.Snapshot) cooker.Value {
	view, row, col, ok := s.cell(snap)
	if !ok {
		return s.missing(view)
	}
	v := view.Value(row, col)
	if s.drawn != nil {
		return s.drawn.Share(v, s.drawn.Limit.Value(snap, view.Rows[row].Key))
	}
	return v
}

// missing says why a view has no row for the measure.
func (s *source) missing(view *session.SetView) cooker.Value {
	switch {
	case s.set == nil:
		return cooker.Absent(cooker.Unavailable)
	case view == nil:
		return cooker.Absent(cooker.FirstSample)
	case view.Err != nil:
		return cooker.Absent(view.Lack())
	case view.Rate.Interval == 0, s.rows == sumRow && len(view.Rows) > 0: // the sum is made with the next sample
		return cooker.Absent(cooker.FirstSample)
	}
	return cooker.Absent(cooker.Unavailable)
}

// history is the last n samples before sample number end, in memory where it is made.
func (s *source) history(buf *[]float32, snap *session.Snapshot, end uint64, n int) (out session.Series) {
	view, row, col, ok := s.cell(snap)
	if !ok {
		return out
	}
	if out = view.Series(row, col).Cut(end, n); s.drawn != nil {
		out = s.drawn.History((*buf)[:0], out, s.drawn.Limit.Series(snap, view.Rows[row].Key), true)
		*buf = out.Values
	}
	return out
}

// at is the measure before sample number end, as its history has it.
func (s *source) at(snap *session.Snapshot, end uint64) cooker.Value {
	view, row, col, ok := s.cell(snap)
	if !ok {
		return cooker.Absent(cooker.Unavailable)
	}
	v := pane.ValueAt(view.Series(row, col), end)
	if s.drawn == nil {
		return v
	}
	limit := cooker.FloatValue(s.drawn.Limit.Number)
	if s.drawn.Limit.Set != nil {
		limit = pane.ValueAt(s.drawn.Limit.Series(snap, view.Rows[row].Key), end)
	}
	return s.drawn.Share(v, limit)
}

// number is a value as heat is drawn of it, NaN without.
func number(v cooker.Value) float32 {
	if f, ok := v.Float(); ok {
		return float32(f)
	}
	return float32(math.NaN())
}
