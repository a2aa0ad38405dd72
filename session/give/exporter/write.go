package exporter

import (
	"slices"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/engine/prom"
)

// write adds the values of a snapshot that are meant: cooked, or raw with the clocks that
// they go by. What two samples are cooked for is that of rates.
func (p *probe) write(e *prom.Exposition, host string, s, rates *session.Snapshot, raw bool) {
	for _, view := range s.Sets {
		if view.Err != nil {
			continue // what was read before is no value of now
		}
		w := writer{e: e, host: host, view: view, rates: rates.Set(view.Set), names: p.names.Of(view.Set)}
		for _, m := range p.means {
			if m.Set == view.Set {
				w.means = append(w.means, m)
			}
		}
		for row := range view.Rows {
			w.row(row, raw)
		}
		for which, needed := range w.clocks {
			if needed && w.read != nil {
				e.AddClock(host, view.Set, w.read, cooker.Clock(which))
			}
		}
	}
}

// writer writes one counterset.
type writer struct {
	e      *prom.Exposition
	host   string
	view   *session.SetView
	rates  *session.SetView      // nil: there are none
	places map[session.Owner]int // rows of rates; nil: not made yet
	names  []prom.Names
	means  []session.Target
	clocks [cooker.ClockObject + 1]bool // that are needed
	read   *cooker.Clocks
	buf    []byte
	labels []byte
	of     *prom.Names // whose labels are in labels
}

// row writes what is meant of an instance.
func (w *writer) row(row int, raw bool) {
	in := &w.view.Rows[row]
	if in.Gone {
		return
	}
	w.of = nil
	for _, m := range w.means {
		if !m.Matches(&in.Instance) {
			continue
		}
		for _, counter := range m.Counters {
			col := w.view.Column(counter)
			if col < 0 {
				continue
			}
			w.label(&w.names[counter], &in.Instance)
			w.value(row, col, counter, raw)
		}
	}
}

// label makes the labels, which many counters have in common.
func (w *writer) label(n *prom.Names, in *session.Instance) {
	if w.of != nil && w.of.Instance == n.Instance && w.of.ByNumber == n.ByNumber && slices.Equal(w.of.Labels, n.Labels) {
		return
	}
	if !w.view.Set.Instances.Multiple() {
		in = nil
	}
	w.of, w.labels = n, n.AppendLabels(w.labels[:0], w.host, in)
}

// value writes one, as it was cooked or as it was read.
func (w *writer) value(row, col, counter int, raw bool) {
	n := &w.names[counter]
	if !raw || !n.HasRaw() {
		v := w.view.Value(row, col)
		if info, _ := w.view.Set.Counters[counter].Type.Info(); info.Samples == 2 {
			v = w.rate(row, counter)
		}
		w.e.AddCooked(n, w.labels, v, 0)
		return
	}
	r, clocks, ok := w.view.Reading(row, col)
	if !ok {
		return // one that is made of others
	}
	if w.read == nil || clocks.PerfTime > w.read.PerfTime { // the newest stand for all
		w.read = clocks
	}
	w.buf = w.e.AddRaw(n, w.labels, r, clocks, w.buf)
	switch n.Shape.Clock {
	case cooker.ClockNone, cooker.ClockFreq:
	default:
		w.clocks[n.Shape.Clock] = true
	}
}

// rate is the value of a counter over the newest interval, of the same instance.
func (w *writer) rate(row, counter int) cooker.Value {
	col := w.rates.Column(counter)
	if col < 0 || w.rates.Err != nil {
		return cooker.Absent(cooker.FirstSample)
	}
	if w.places == nil {
		w.places = make(map[session.Owner]int, len(w.rates.Rows))
		for i := range w.rates.Rows {
			if in := &w.rates.Rows[i]; !in.Gone {
				w.places[session.OwnerOf(&in.Instance)] = i
			}
		}
	}
	at, ok := w.places[session.OwnerOf(&w.view.Rows[row].Instance)]
	if !ok {
		return cooker.Absent(cooker.FirstSample)
	}
	return w.rates.Value(at, col)
}
