package rows

import (
	"context"
	"slices"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
)

// joining is a host that answers for the first time, while others are watched.
type joining struct {
	host       Host
	picker     int // its place
	selections []selection
	lacking    []error
}

// expect keeps a place for a host that does not answer yet. It joins when it
// does. Until then paths without wildcards, which mean the same on every host,
// have cells without a value.
func (w *Watcher) expect(ctx context.Context, h Host, queries []Query) {
	n := len(w.pickers)
	k := newPicker(h.Name, nil)
	why := failureOf(&session.Snapshot{State: h.Sampler.State()}, nil)
	if why.Status().Good() {
		why = cooker.Absent(cooker.Pending)
	}
	w.add(k, &Sample{Host: h.Name, Cells: k.expected(queries, why)})
	w.Go(func() {
		select {
		case <-h.Sampler.Known():
		case <-ctx.Done():
			return
		}
		found, lacking := resolveAll([]Host{h}, queries, w.LookUp)
		select {
		case w.joins <- joining{h, n, found, lacking}:
		case <-ctx.Done():
		}
	})
}

// join watches a host that answers for the first time.
func (w *Watcher) join(ctx context.Context, j joining) {
	for _, err := range j.lacking {
		w.Report(err)
	}
	if len(j.selections) == 0 {
		return
	}
	for _, s := range j.selections {
		if w.Fixed && w.settled && s.Path.Wildcard() != 0 {
			w.leave(j.host.Name, s.query)
		}
	}
	k := newPicker(j.host.Name, j.selections)
	k.evidence = w.Evidence
	for _, u := range w.pickers[j.picker].unmet {
		if !slices.ContainsFunc(j.selections, func(s selection) bool { return s.query.Text == u.Path }) {
			k.unmet = append(k.unmet, u)
		}
	}
	w.pickers[j.picker] = k
	w.heard[j.picker] = w.settled // its columns are waited for
	w.follow(ctx, j.host, j.picker)
}

// expected are cells for paths of a host that is not known yet.
func (k *picker) expected(queries []Query, why cooker.Value) (cells []Cell) {
	for _, q := range queries {
		k.unmet = append(k.unmet, Silence{k.host, q.Text, why.Status()})
		path, err := paths.Parse(q.Text)
		if err != nil || path.Wildcard() != 0 || q.Combine != nil {
			continue
		}
		path.Computer = ""
		s := &Series{
			Host: k.host, Path: path, Text: path.String(),
			Set: &session.Counterset{Name: path.Object}, Counter: &session.Counter{Name: path.Counter},
		}
		cells = append(cells, Cell{Series: s, Value: why})
	}
	return cells
}
