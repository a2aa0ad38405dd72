package rows

import (
	"errors"
	"fmt"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
)

var errFixed = errors.New("the columns were fixed before the host answered: left out")

// settling tells that rows wait until it is known what their columns are.
func (w *Watcher) settling() bool { return w.Fixed && !w.settled }

// patience is how long columns wait for hosts when one has answered.
func (w *Watcher) patience() time.Duration { return max(patience, 2*w.Every) }

// hear notes an answer for the columns.
func (w *Watcher) hear(a answer) {
	if w.settled {
		return
	}
	w.heard[a.host] = true
	if !a.failed || w.newest[a.host] == nil {
		w.newest[a.host] = &a.sample
	}
}

// settle lets rows begin. What was answered before counts for nothing but the
// columns.
func (w *Watcher) settle(b *beat) {
	w.settled = true
	clear(w.late)
	for i, k := range w.pickers {
		if b.samples[i] == nil && (b.next == nil || b.next.host != i) {
			k.begin()
		}
	}
}

// leaveOut gives hosts that did not answer in time the columns that can be told,
// and lets rows begin.
func (w *Watcher) leaveOut(b *beat) {
	for i, heard := range w.heard {
		if heard {
			continue
		}
		for _, s := range w.pickers[i].selections {
			if isWild(s.Path) {
				w.leave(w.pickers[i].host, s.query)
			}
		}
	}
	w.settle(b)
}

// isWild tells whether a path may mean several instances.
func isWild(p paths.Path) bool { return p.Wildcard()&^paths.WildCounter != 0 }

// leave says that a path of a host has no columns.
func (w *Watcher) leave(host string, q Query) {
	w.left = true
	w.Report(fmt.Errorf("%s: %s: %w", host, q.Text, errFixed))
}

// LeftOut tells that hosts which answered late have no columns.
func (w *Watcher) LeftOut() bool { return w.left }

// fix gives a row what columns are made of: the values of every host, those that
// are not in the row included.
func (w *Watcher) fix(r *Row) {
	r.Columns = nil
	next := 0
	for i, k := range w.pickers {
		switch {
		case next < len(r.Samples) && r.Samples[next].Host == k.host:
			r.Columns = append(r.Columns, r.Samples[next])
			next++
		case w.newest[i] != nil:
			r.Columns = append(r.Columns, *w.newest[i])
		case w.waiting[i] != nil:
			r.Columns = append(r.Columns, *w.waiting[i])
		default:
			r.Columns = append(r.Columns, Sample{Host: k.host, Cells: k.pick(&session.Snapshot{})})
		}
	}
}
