package local

import (
	"context"
	"errors"
	"fmt"

	"perfdeck/cooker"
	"perfdeck/session"
)

// query keeps a collector for each Want.
type query struct {
	source   *source
	tick     *tick
	wants    []session.Want
	active   []active // one for each want
	deferred []int    // wants whose collectors scan: read after all others
}

type active struct {
	group int
	collector
	usual usual
}

// Select keeps the collectors of sets that stay, and closes the others.
func (q *query) Select(_ context.Context, wants []session.Want) error {
	next := make([]active, 0, len(wants))
	old := q.active
	q.deferred = q.deferred[:0]
	for i := range wants {
		g, err := q.groupOf(&wants[i])
		if err != nil {
			return err
		}
		next = append(next, q.reuse(old, g))
		if q.source.groups[g].scans {
			q.deferred = append(q.deferred, i)
		}
	}
	for _, a := range old {
		if a.collector != nil {
			a.close()
		}
	}
	q.wants, q.active = append(q.wants[:0], wants...), next
	for i := range next {
		next[i].choose(&q.wants[i])
	}
	return nil
}

// groupOf finds the group of a want and checks its counters.
func (q *query) groupOf(w *session.Want) (int, error) {
	for i, set := range q.source.catalogue.Sets {
		if set != w.Set {
			continue
		}
		for _, c := range w.Counters {
			if c < 0 || c >= len(set.Counters) {
				return 0, fmt.Errorf("select %s: no counter %d", set.Name, c)
			}
		}
		return i, nil
	}
	if w.Set == nil {
		return 0, errors.New("select: no counterset given")
	}
	return 0, fmt.Errorf("select %s: not of this catalogue", w.Set.Name)
}

// reuse removes a collector of group g from old, or makes a new one.
func (q *query) reuse(old []active, g int) active {
	for i := range old {
		if old[i].group == g && old[i].collector != nil {
			a := old[i]
			old[i].collector = nil
			return a
		}
	}
	return active{group: g, collector: q.source.groups[g].open(q.tick)}
}

// Collect reads what is selected and due, each set with clocks of its own. Sets
// that scan processes come last, so that the others lie close together.
func (q *query) Collect(ctx context.Context, b *session.Batch) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("read this computer: %w", err)
	}
	b.Time = q.source.options.Now()
	b.Fit(q.wants)
	q.tick.begin(q.source.clock.read())
	for i := range q.active {
		if b.IsDue(i) && !q.source.groups[q.active[i].group].scans {
			q.read(i, &b.Sets[i])
		}
	}
	for _, i := range q.deferred {
		if !b.IsDue(i) {
			continue
		}
		q.read(i, &b.Sets[i])
		if r, is := q.active[i].collector.(rare); is && b.Due != nil && !r.hasNews() {
			b.Due[i] = false
		}
	}
	return nil
}

// read reads a set, and anew if that was held up.
func (q *query) read(i int, b *session.SetBatch) {
	const most = 3
	a := &q.active[i]
	for reading := 1; ; reading++ {
		clocks := q.tick.start(reading > 1)
		a.collect(b, clocks)
		q.tick.step()
		if !a.usual.held(q.tick.longest) || reading == most {
			return
		}
		b.Reset(&q.wants[i])
	}
}

// Close closes all descriptors.
func (q *query) Close() error {
	for _, a := range q.active {
		a.close()
	}
	q.active, q.wants, q.deferred = nil, nil, nil
	q.tick.close()
	return nil
}

func absentEverywhere(b *session.SetBatch, col int) bool {
	for i := range b.Instances {
		if b.Row(i)[col].State != cooker.Unavailable {
			return false
		}
	}
	return true
}
