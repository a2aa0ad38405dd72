package replay

import (
	"cmp"
	"math"
	"slices"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
)

// goneShown is how long a vanished instance of which history is kept stays in
// view, as with live hosts.
const goneShown = 10 * time.Second

// rowFrom is what a row of a view shows: a row of the plan or, if that is nil,
// something combined.
type rowFrom struct {
	row      *planRow
	combined *combined
	kept     bool // its history is part of the view
}

// snapshot is what the window shows of the host.
func (t *track) snapshot(host string, w *window, usual time.Duration, state session.HostState) *session.Snapshot {
	if w.taken == 0 {
		return session.NewSnapshot(host, time.Time{}, state, session.Timeline{First: w.next}, nil)
	}
	line := w.times.Timeline(w.next)
	rate := session.Rate{}
	if !w.before.IsZero() {
		rate.Interval = max(w.newest.Sub(w.before), 0)
		rate.Missed = missed(rate.Interval, usual)
	}
	var views []*session.SetView
	for _, p := range t.plans {
		views = append(views, t.view(p, w, line, rate))
	}
	return session.NewSnapshot(host, w.newest, state, line, views)
}

// missed is how many beats an interval lacks.
func missed(interval, usual time.Duration) int {
	if usual <= 0 {
		return 0
	}
	const most = 1 << 30 // so that it fits any int
	return int(min(max(math.Round(float64(interval)/float64(usual))-1, 0), most))
}

func (t *track) view(p *plan, w *window, line session.Timeline, rate session.Rate) *session.SetView {
	d := &t.data
	*d = session.ViewData{
		Set: p.cols.set, Counters: p.ask.Counters, FactKeys: p.ask.Facts.Keys, Time: w.newest, Rate: rate,
		Rows: d.Rows[:0], Values: d.Values[:0], Series: d.Series[:0], Departed: d.Departed[:0],
	}
	t.listRows(p, w)
	began := line.At(line.First)
	for _, from := range t.from {
		switch {
		case from.combined != nil:
			d.Combined++
			d.Rows = append(d.Rows, session.Row{Instance: from.combined.Instance, Since: began})
			d.Values = append(d.Values, from.combined.values...)
			continue
		case from.row.there:
			d.Live++
		}
		r := from.row
		row := session.Row{Instance: r.Instance, Gone: !r.there, Since: r.since}
		if row.Since.Before(began) {
			row.Since = began
		}
		d.Rows = append(d.Rows, row)
		for _, slots := range r.slots {
			d.Values = append(d.Values, r.shown(slots, w.taken == 1))
		}
	}
	t.addRaw(d)
	t.addSeries(p, w)
	t.addDeparted(p, w, began)
	return t.builder.View(d)
}

// shown is a value as a row shows it. Before the first sample there is none from
// which a rate could be made.
func (r *planRow) shown(slots []*slot, first bool) cooker.Value {
	if !r.there {
		return cooker.Absent(cooker.Gone)
	}
	v := valueOf(slots)
	if first && v.Status() == cooker.Gap {
		return cooker.Absent(cooker.FirstSample)
	}
	return v
}

// listRows lists the rows of a view in their order.
func (t *track) listRows(p *plan, w *window) {
	t.from = t.from[:0]
	for i := range p.rows {
		if p.rows[i].there {
			t.from = append(t.from, rowFrom{row: &p.rows[i]})
		}
	}
	for i := range p.combined {
		t.from = append(t.from, rowFrom{combined: &p.combined[i]})
	}
	live := len(t.from)
	for i := range p.rows {
		r := &p.rows[i]
		if !r.there && !r.since.IsZero() && !w.newest.After(r.since.Add(goneShown)) && !w.newest.Before(r.since) {
			t.from = append(t.from, rowFrom{row: r})
		}
	}
	for i := range t.from {
		t.from[i].kept = p.keepsRow(&t.from[i])
	}
	t.keepBusiest(p)
	for i := range t.from[:live] { // of a recording more than the last minute is there
		t.from[i].kept = t.from[i].kept || slices.ContainsFunc(p.ask.Keep, func(k session.Keep) bool { return k.Recent })
	}
	gone := slices.DeleteFunc(t.from[live:], func(f rowFrom) bool { return !f.kept })
	t.from = t.from[:live+len(gone)]
}

// keepsRow tells whether the history of a row is asked for whatever its values.
func (p *plan) keepsRow(f *rowFrom) bool {
	in := f.instance()
	return slices.ContainsFunc(p.ask.Keep, func(k session.Keep) bool {
		return k.Match != nil && k.Match(in) || slices.Contains(k.Rows, in.Key)
	})
}

func (f *rowFrom) instance() *session.Instance {
	if f.combined != nil {
		return &f.combined.Instance
	}
	return &f.row.Instance
}

// keepBusiest marks the rows with the highest values. What has just gone is
// ranked by its last.
func (t *track) keepBusiest(p *plan) {
	for i := range p.ask.Keep {
		k := &p.ask.Keep[i]
		if k.Busiest <= 0 {
			continue
		}
		var order []int
		for i := range t.from {
			if r := t.from[i].row; r != nil && r.ranked && r.Flags&(session.FlagTotal|session.FlagIdle) == 0 {
				order = append(order, i)
			}
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(t.from[b].row.last, t.from[a].row.last) })
		for _, i := range order[:min(k.Busiest, len(order))] {
			t.from[i].kept = true
		}
	}
}

// addSeries adds the histories of the rows that are kept.
func (t *track) addSeries(p *plan, w *window) {
	for row := range t.from {
		f := &t.from[row]
		if !f.kept {
			continue
		}
		t.data.Series = p.appendSeries(t.data.Series, f, row, w)
	}
}

// appendSeries adds the histories of a row.
func (p *plan) appendSeries(to []session.RowSeries, f *rowFrom, row int, w *window) []session.RowSeries {
	for col, counter := range p.ask.Counters {
		if !slices.ContainsFunc(p.ask.Keep, func(k session.Keep) bool { return slices.Contains(k.Counters, counter) }) {
			continue
		}
		if h := f.history(col); h != nil {
			to = append(to, session.RowSeries{Row: row, Col: col, Series: h.Series(w.next)})
		}
	}
	return to
}

// mostDeparted bounds the lives of instances that a view tells of besides those that are
// there, of a counterset.
const mostDeparted = 4096

// addDeparted adds the instances that ended in the window, of which a history is asked for,
// whoever has their names by now.
func (t *track) addDeparted(p *plan, w *window, began time.Time) {
	ended := 0
	for ended < len(p.lives) && (len(p.lives)-ended > mostDeparted || !p.lives[ended].Since.After(began)) {
		ended++
	}
	p.lives = p.lives[ended:]
	for i := range p.lives {
		p.rows[p.lives[i].row].series = nil
	}
	t.departed = t.departed[:0]
	for i := range p.lives {
		r := &p.rows[p.lives[i].row]
		if r.series == nil {
			from := len(t.departed)
			t.departed = p.appendSeries(t.departed, &rowFrom{row: r}, 0, w)
			r.series = t.departed[from:len(t.departed):len(t.departed)]
		}
		if len(r.series) > 0 {
			t.data.Departed = append(t.data.Departed, session.Departed{Row: p.lives[i].Row, Series: r.series})
		}
	}
}

// history is the history of a column of a row, nil if none is kept.
func (f *rowFrom) history(col int) *session.History {
	if f.combined != nil {
		return f.combined.kept[col]
	}
	for _, s := range f.row.slots[col] {
		if s.kept != nil {
			return s.kept
		}
	}
	return nil
}

// addRaw adds the raw samples of the live rows, if any are known.
func (t *track) addRaw(d *session.ViewData) {
	t.older = session.RawData{Readings: t.older.Readings[:0]}
	t.newer = session.RawData{Readings: t.newer.Readings[:0]}
	known := false
	unread := cooker.Reading{State: cooker.Pending}
	for _, f := range t.from[:d.Live] {
		for _, slots := range f.row.slots {
			older, newer := unread, unread
			if len(slots) > 0 && slots[0].typed && slots[0].newer.Known {
				s := slots[0]
				known, newer = true, s.newer.Reading
				addClocks(&t.newer.Clocks, &s.newer.Clocks)
				if s.older.Known {
					older = s.older.Reading
					addClocks(&t.older.Clocks, &s.older.Clocks)
				}
			}
			t.older.Readings, t.newer.Readings = append(t.older.Readings, older), append(t.newer.Readings, newer)
		}
	}
	if known {
		d.Older, d.Newer = &t.older, &t.newer
	}
}

// addClocks takes over clocks that are not known yet: of each counter a recording
// keeps those that its type needs. All counters of a set are of one reply.
func addClocks(to, from *cooker.Clocks) {
	to.PerfTime = cmp.Or(to.PerfTime, from.PerfTime)
	to.PerfFreqHz = cmp.Or(to.PerfFreqHz, from.PerfFreqHz)
	to.Time100ns = cmp.Or(to.Time100ns, from.Time100ns)
	to.ObjTime = cmp.Or(to.ObjTime, from.ObjTime)
	to.ObjFreqHz = cmp.Or(to.ObjFreqHz, from.ObjFreqHz)
}
