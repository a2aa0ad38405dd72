package session

import (
	"slices"
	"time"

	"perfdeck/cooker"
)

// Builder makes views of what no sampler read, as of a recording. It re-uses
// the memory of those that were released. One goroutine builds; any may release.
type Builder struct{ pool recycler }

// ViewData is what a view is made of. The builder copies it.
type ViewData struct {
	Set      *Counterset
	Counters []int // columns: indices in Set.Counters, ascending
	FactKeys []string
	Time     time.Time
	Rate     Rate
	// Rows are those of the sample, then those made of them, then those that are
	// gone: Live and Combined are how many there are of the first two kinds.
	Rows           []Row
	Live, Combined int
	Values         []cooker.Value // row by row, len(Rows) x len(Counters)
	// Older and Newer are what the values were cooked from; nil: values alone are
	// known.
	Older, Newer *RawData
	Series       []RowSeries
	// Departed are instances that had ended by then, those of one name one for each time it
	// was there: for who looks at a moment before. See Snapshot.Then.
	Departed []Departed
}

// Departed is an instance that ended, with its history.
type Departed struct {
	Row    Row
	Series []RowSeries // by Col
}

// RawData is the raw readings of a view at one moment: row by row, a column for
// each counter, of the live rows. What is not known has the state Pending.
type RawData struct {
	Readings []cooker.Reading
	Clocks   cooker.Clocks
}

// RowSeries is the history of a row and column of a view.
type RowSeries struct {
	Row, Col int
	Series   Series
}

// View makes a view, to be put into one snapshot.
func (b *Builder) View(d *ViewData) *SetView {
	v := b.pool.view()
	v.Set, v.Counters, v.FactKeys = d.Set, d.Counters, d.FactKeys
	v.Time, v.Rate, v.live, v.combined = d.Time, d.Rate, d.Live, d.Combined
	v.Rows = append(v.Rows, d.Rows...)
	v.Values = append(v.Values, d.Values...)
	v.older, v.newer = b.raw(d, d.Older), b.raw(d, d.Newer)
	for i := range d.Live {
		v.olderRow = append(v.olderRow, int32(i))
	}
	for _, s := range d.Series {
		v.kept = append(v.kept, keptSeries{int32(s.Row), int32(s.Col), s.Series})
	}
	sortKept(v.kept)
	v.departed = v.departures.of(d)
	return v
}

// departures is memory of those that ended by the time of a view, which is used again.
type departures struct {
	all  []departed
	list []*departed
	kept []keptSeries
}

// of are those of a view in the making.
func (m *departures) of(d *ViewData) []*departed {
	n := 0
	for i := range d.Departed {
		n += len(d.Departed[i].Series)
	}
	m.all, m.list, m.kept = slices.Grow(m.all, len(d.Departed)), m.list[:0], slices.Grow(m.kept, n)
	for i := range d.Departed {
		from := &d.Departed[i]
		first := len(m.kept)
		for _, s := range from.Series {
			m.kept = append(m.kept, keptSeries{col: int32(d.Counters[s.Col]), Series: s.Series})
		}
		m.all = append(m.all, departed{ghost: ghost{row: from.Row}, kept: m.kept[first:len(m.kept):len(m.kept)]})
		m.list = append(m.list, &m.all[i])
	}
	return m.list
}

func (m *departures) forget() {
	clear(m.all)
	clear(m.list)
	clear(m.kept) // they hold on to old rings
	m.all, m.list, m.kept = m.all[:0], m.list[:0], m.kept[:0]
}

func (b *Builder) raw(d *ViewData, data *RawData) *rawSample {
	if data == nil {
		return nil
	}
	s := b.pool.raw()
	s.counters, s.clocks = d.Counters, data.Clocks
	for i := range d.Live {
		s.keys = append(s.keys, d.Rows[i].Key)
	}
	s.readings = append(s.readings, data.Readings...)
	return s
}

// NewSnapshot makes a snapshot of views, which it takes over.
func NewSnapshot(host string, at time.Time, state HostState, line Timeline, views []*SetView) *Snapshot {
	return &Snapshot{Host: host, Time: at, State: state, Timeline: line, Sets: slices.Clone(views)}
}

// MergeAsks joins asks of the same counterset into one.
func MergeAsks(asks []Ask) []Ask { return mergeAsks(asks) }

// Instance is the instance that is made.
func (c *Combine) Instance() Instance {
	return Instance{Key: InstanceKey{Name: c.Name}, Flags: FlagTotal | FlagCombined}
}

// Aggregator is what makes the value of a counter of those of the instances.
func (c *Combine) Aggregator(counter *Counter) cooker.Aggregator {
	if c.Func != nil {
		return cooker.Aggregator{Func: *c.Func}
	}
	return cooker.Aggregator{Func: counter.Aggregate}
}

// History is the newest values of one counter of one instance. A Series of it
// stays as it is while values are added.
type History struct{ numbers numbers }

// NewHistory keeps so many samples, of counters that are shown so and whose samples count as w
// has it; nil: all alike.
func NewHistory(samples int, f cooker.Format, w *Weights) *History {
	return &History{numbers{values: ring[float32]{n: samples}, fine: f.IsOneNumber(), weights: w}}
}

// Add adds the value of the sample that comes next. Who gave it weights adds the interval there.
func (h *History) Add(v cooker.Value) { h.numbers.add(v) }

// Series is the history before the absolute sample number next.
func (h *History) Series(next uint64) Series { return h.numbers.before(next, next) }

// Times is the moments of the newest samples.
type Times struct{ nanos ring[int64] }

// NewTimes keeps so many samples.
func NewTimes(samples int) *Times { return &Times{ring[int64]{n: samples}} }

// Add adds the time of the sample that comes next.
func (t *Times) Add(at time.Time) { t.nanos.add(at.UnixNano()) }

// Timeline is the times before the absolute sample number next.
func (t *Times) Timeline(next uint64) Timeline {
	nanos := t.nanos.last()
	return Timeline{First: next - uint64(len(nanos)), Nanos: nanos}
}
