package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
)

// joining is a host that answers for the first time, while others are watched.
type joining struct {
	host       host
	picker     int // its place
	selections []selection
	lacking    []error
}

// expect keeps a place for a host that does not answer yet. It joins when it
// does. Until then paths without wildcards, which mean the same on every host,
// have cells without a value.
func (w *watcher) expect(ctx context.Context, h host, queries []query, start func(func())) {
	n := len(w.pickers)
	k := newPicker(h.name, nil)
	why := failureOf(&session.Snapshot{State: h.sampler.State()}, nil)
	if why.Status().Good() {
		why = cooker.Absent(cooker.Pending)
	}
	w.add(k, &sampled{host: h.name, cells: k.expected(queries, why)})
	start(func() {
		select {
		case <-h.sampler.Known():
		case <-ctx.Done():
			return
		}
		found, lacking := resolveAll([]host{h}, queries, w.lookUp)
		select {
		case w.joins <- joining{h, n, found, lacking}:
		case <-ctx.Done():
		}
	})
}

var errFixed = errors.New("the columns were fixed before the host answered: left out")

// join watches a host that answers for the first time.
func (w *watcher) join(ctx context.Context, j joining) {
	for _, err := range j.lacking {
		w.report(err)
	}
	if len(j.selections) == 0 {
		return
	}
	if w.fixed {
		for _, s := range j.selections {
			if s.Path.Wildcard() != 0 {
				w.report(fmt.Errorf("%s: %s: %w", j.host.name, s.query.text, errFixed))
			}
		}
	}
	k := newPicker(j.host.name, j.selections)
	k.evidence = w.evidence
	for _, u := range w.pickers[j.picker].unmet {
		if !slices.ContainsFunc(j.selections, func(s selection) bool { return s.query.text == u.path }) {
			k.unmet = append(k.unmet, u)
		}
	}
	w.pickers[j.picker] = k
	w.follow(ctx, j.host, j.picker)
}

// expected are cells for paths of a host that is not known yet.
func (k *picker) expected(queries []query, why cooker.Value) (cells []cell) {
	for _, q := range queries {
		k.unmet = append(k.unmet, silence{q.text, why.Status()})
		path, err := paths.Parse(q.text)
		if err != nil || path.Wildcard() != 0 || q.combine != nil {
			continue
		}
		path.Computer = ""
		s := &series{
			host: k.host, path: path, text: path.String(),
			set: &session.Counterset{Name: path.Object}, counter: &session.Counter{Name: path.Counter},
		}
		cells = append(cells, cell{series: s, value: why})
	}
	return cells
}

// meantFor are the queries that are meant for a host.
func meantFor(h host, queries []query) []query {
	return slices.DeleteFunc(slices.Clone(queries), func(q query) bool { return q.computer != "" && !isHost(q.computer, h.name) })
}
