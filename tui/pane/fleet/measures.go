package fleet

import (
	"math"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
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
	percent  bool                // 0 to 100 for all; else heat is relative to the largest
	decimals int
	from     []origin // the first one that a host has
}

// origin is a counter that gives a measure.
type origin struct {
	set, counter string
	rows         rows
	// whole is another counter of the set, of which the first is what is left:
	// the measure is the used share in percent.
	whole string
}

// rows says which instance of a counterset is meant.
type rows uint8

const (
	soleRow  rows = iota // the only one
	totalRow             // _Total
	sumRow               // all of them together, made by the sampler
)

// The measures, by their place in measures.
const (
	cpu = iota
	mem
	disk
	net
	measureCount
)

// measures are the columns in the order of the screen. The names are those of
// Windows, which the source of this computer uses as well.
var measures = [measureCount]measure{
	cpu: {name: "cpu", head: "cpu%", title: "% Processor Time", cells: 4, unit: 1, kind: cooker.Percent, percent: true, from: []origin{
		{set: "Processor Information", counter: "% Processor Time", rows: totalRow},
		{set: "Processor", counter: "% Processor Time", rows: totalRow},
	}},
	mem: {name: "mem", head: "mem%", title: "memory in use", cells: 4, unit: 1, kind: cooker.Percent, percent: true, from: []origin{
		{set: "Memory", counter: "% Committed Bytes In Use"},
		{set: "Memory", counter: "Available Bytes", whole: "Physical Bytes"},
	}},
	disk: {name: "disk", head: "disk", title: "time of a disk transfer", cells: 7, unit: 1e-3, kind: cooker.Seconds, exponent: -1, decimals: 1, from: []origin{
		{set: "PhysicalDisk", counter: "Avg. Disk sec/Transfer", rows: totalRow},
		{set: "LogicalDisk", counter: "Avg. Disk sec/Transfer", rows: totalRow},
	}},
	net: {name: "net", head: "net", title: "network traffic", cells: 8, unit: 1 << 20, kind: cooker.BytesPerSecond, exponent: 2, decimals: 1, from: []origin{
		{set: "Network Interface", counter: "Bytes Total/sec", rows: sumRow},
	}},
}

// chooser chooses the unit of the column by its numbers in its smallest unit.
func (m *measure) chooser() cooker.UnitChooser {
	return cooker.NewUnitChooser(cooker.Quantity{Kind: m.kind, Exponent: m.exponent}, cooker.UnitWindows)
}

// sum is the instance that stands for all interfaces of a host.
var sum = session.Combine{Name: "_Sum", Func: new(cooker.AggregateTotal)}

// source is where a host has a measure. The zero source has none.
type source struct {
	set            *session.Counterset
	counter, whole int // indices in set.Counters; whole -1: none
	rows           rows
	hint           int // row where the instance was last
}

// sourceOf looks a measure up in a catalogue.
func sourceOf(m *measure, cat *session.Catalogue) source {
	for _, o := range m.from {
		set := cat.Set(o.set)
		counter := counterOf(set, o.counter)
		if counter < 0 {
			continue
		}
		s := source{set: set, counter: counter, whole: -1, rows: o.rows}
		if o.whole != "" {
			if s.whole = counterOf(set, o.whole); s.whole < 0 {
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

// counterOf is the index of a counter that a host can give, -1 without.
func counterOf(set *session.Counterset, name string) int {
	if set == nil {
		return -1
	}
	if i, ok := set.Counter(name); ok && set.Counters[i].Absent == "" {
		return i
	}
	return -1
}

// ask is what has to be asked for the measure and its history.
func (s *source) ask() session.Ask {
	counters := []int{s.counter}
	if s.whole >= 0 {
		counters = append(counters, s.whole)
	}
	ask := session.Ask{Set: s.set, Counters: counters, Keep: []session.Keep{{Counters: counters, Match: s.rows.match}}}
	if s.rows == sumRow {
		ask.Combine = []session.Combine{sum}
	}
	return ask
}

// match tells whether an instance is meant. The sampler asks too, in its own
// goroutine.
func (r rows) match(in *session.Instance) bool {
	switch r {
	case totalRow:
		return isTotal(in)
	case sumRow:
		return sum.Makes(in)
	case soleRow:
	}
	return true
}

// isTotal tells the row of all instances from those of a part of them, as
// "0,_Total" of Processor Information.
func isTotal(in *session.Instance) bool { return paths.EqualFold(in.Key.Name, "_Total") }

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

// value is the measure in the newest sample, in the counter's own unit.
func (s *source) value(snap *session.Snapshot) cooker.Value {
	view := snap.Set(s.set)
	row, col := s.row(view), view.Column(s.counter)
	if row < 0 || col < 0 {
		return s.missing(view)
	}
	v := view.Value(row, col)
	if s.rows == sumRow && !v.Valid() {
		return firstAbsent(view, col, v)
	}
	if whole := view.Column(s.whole); s.whole >= 0 {
		if whole < 0 {
			return cooker.Absent(cooker.Pending)
		}
		return used(v, view.Value(row, whole))
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

// firstAbsent is why a sum has no value: as its first part has none.
func firstAbsent(view *session.SetView, col int, sum cooker.Value) cooker.Value {
	for i := range view.Rows {
		if view.Rows[i].Flags&session.FlagCombined == 0 {
			return view.Value(i, col)
		}
	}
	return sum
}

// used is the used share of a whole in percent.
func used(left, whole cooker.Value) cooker.Value {
	l, ok := left.Float()
	w, both := whole.Float()
	if !ok || !both {
		return left
	}
	if w <= 0 {
		return cooker.Absent(cooker.ZeroBase)
	}
	return cooker.FloatValue(100 * (1 - l/w))
}

// history appends the last n samples before sample number end to buf.
func (s *source) history(buf []float32, snap *session.Snapshot, end uint64, n int) []float32 {
	view := snap.Set(s.set)
	row, col := s.row(view), view.Column(s.counter)
	if row < 0 || col < 0 {
		return buf
	}
	values := view.Series(row, col).Slice(end, n)
	if s.whole < 0 {
		return append(buf, values...)
	}
	whole := view.Series(row, view.Column(s.whole)).Slice(end, n)
	both := min(len(values), len(whole)) // they end together
	values, whole = values[len(values)-both:], whole[len(whole)-both:]
	for i := range values {
		v := cooker.Absent(cooker.Gap)
		if w := whole[i]; w > 0 {
			v = cooker.FloatValue(100 * (1 - float64(values[i])/float64(w)))
		}
		buf = append(buf, number(v))
	}
	return buf
}

// at is the measure before sample number end, as its history has it.
func (s *source) at(snap *session.Snapshot, end uint64) cooker.Value {
	view := snap.Set(s.set)
	row, col := s.row(view), view.Column(s.counter)
	if row < 0 || col < 0 {
		return cooker.Absent(cooker.Unavailable)
	}
	v := pane.ValueAt(view.Series(row, col), end)
	if s.whole >= 0 {
		return used(v, pane.ValueAt(view.Series(row, view.Column(s.whole)), end))
	}
	return v
}

// number is a value as heat is drawn of it, NaN without.
func number(v cooker.Value) float32 {
	if f, ok := v.Float(); ok {
		return float32(f)
	}
	return float32(math.NaN())
}
