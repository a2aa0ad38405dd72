package pcq

import (
	"context"
	"errors"
	"slices"
	"time"

	"perfdeck/session"
	"perfdeck/session/wire/rpc"
)

const (
	maxHandles   = 8               // of one query; a server may allow as few as 16 a connection
	closeTimeout = 2 * time.Second // for giving handles back
)

// query is a session.Query. What is read at different times has query handles
// of its own: one for each interval, found out by what is due together.
type query struct {
	source  *Source
	conn    Conn // nil: it failed, or the query is closed
	wanted  []session.Want
	wants   []*want
	handles []*handle // at least one
	full    bool      // the host gives no more handles
}

var (
	errClosed = errors.New("the query is closed")
	errStale  = errors.New("the host describes the counterset otherwise than the kept catalogue: reopen the host")
)

// open makes a query handle.
func (q *query) open(ctx context.Context) (*handle, error) {
	id, code, err := q.conn.OpenQueryHandle(ctx)
	if err != nil {
		return nil, err
	}
	if code != rpc.CodeOK {
		return nil, q.source.refused("open query", code)
	}
	h := &handle{conn: q.conn, id: id, host: q.source.options.Host, now: q.source.options.Now, infoSize: startSize, dataSize: startSize}
	q.handles = append(q.handles, h)
	return h, nil
}

// Select replaces what is collected. A set that stays keeps its handle, unless
// handles have run out: then they are dealt out anew.
func (q *query) Select(ctx context.Context, wants []session.Want) error {
	if q.conn == nil {
		return q.source.failure("select counters", errClosed)
	}
	old := q.wants
	q.wanted = slices.Clone(wants)
	q.wants = make([]*want, len(wants))
	lists := make(map[*handle][]*want, len(q.handles))
	h := q.handles[0]
	for i := range q.wanted {
		w := newWant(i, &q.wanted[i])
		q.wants[i] = w
		o := slices.IndexFunc(old, func(o *want) bool { return o != nil && o.Set == w.Set })
		if o >= 0 && !q.full { // a new want is most likely due with the one before it
			h, old[o] = old[o].handle, nil
		}
		lists[h] = append(lists[h], w)
	}
	for _, h := range q.handles {
		h.choose(lists[h])
	}
	err := q.dropEmpty(ctx)
	for _, h := range q.handles {
		if err == nil {
			err = h.settle(ctx, q.source.options.Now())
		}
	}
	if err != nil {
		return q.fail("select counters", err)
	}
	return nil
}

// dropEmpty closes handles without wants, but for the first.
func (q *query) dropEmpty(ctx context.Context) error {
	kept := q.handles[:1]
	for _, h := range q.handles[1:] {
		if len(h.wants) > 0 {
			kept = append(kept, h)
			continue
		}
		if err := h.close(ctx); err != nil {
			return err
		}
	}
	q.handles, q.full = kept, false
	return nil
}

// Collect reads the handles with something due.
func (q *query) Collect(ctx context.Context, b *session.Batch) error {
	if q.conn == nil {
		return q.source.failure("collect", errClosed)
	}
	b.Time = q.source.options.Now()
	b.Fit(q.wanted)
	if err := q.part(ctx, b); err != nil {
		return q.fail("collect", err)
	}
	for _, h := range q.handles {
		if err := q.collect(ctx, h, b); err != nil {
			return q.fail("collect", err)
		}
	}
	if r := q.source.rest; r != nil { // what is shown first is there
		r.lines.share()
	}
	return nil
}

// collect reads a handle, if anything of it is due.
func (q *query) collect(ctx context.Context, h *handle, b *session.Batch) error {
	if !slices.ContainsFunc(h.wants, func(w *want) bool { return b.IsDue(w.index) }) {
		return nil
	}
	if err := h.retry(ctx, b.Time); err != nil {
		return err
	}
	clocks, err := h.collect(ctx)
	if err != nil {
		return err
	}
	for _, w := range h.wants {
		if !b.IsDue(w.index) {
			continue
		}
		set := &b.Sets[w.index]
		switch {
		case w.err != nil:
			set.Err = w.err
		case q.source.stale(w.Set):
			set.Err = errStale
		default:
			w.fill(set, clocks)
			q.tellTogether(w)
		}
	}
	return h.adapt(ctx, b.Time)
}

// tellTogether says once of a set that its instances came together.
func (q *query) tellTogether(w *want) {
	if a := w.asked; a.table.together && !a.told {
		a.told = true
		q.source.tellTogether(w.Set)
	}
}

// part splits handles of which only a part is due. Wants of one interval are
// always due together, so this ends with a handle for each interval.
func (q *query) part(ctx context.Context, b *session.Batch) error {
	if b.Due == nil {
		return nil
	}
	for _, h := range slices.Clone(q.handles) {
		var due, idle []*want
		for _, w := range h.wants {
			if b.IsDue(w.index) {
				due = append(due, w)
			} else {
				idle = append(idle, w)
			}
		}
		if len(due) == 0 || len(idle) == 0 {
			continue
		}
		other, err := q.another(ctx)
		if err != nil || other == nil {
			return err // without a handle more than necessary is read
		}
		h.choose(due)
		other.choose(idle)
		if err := h.settle(ctx, b.Time); err != nil {
			return err
		}
		if err := other.settle(ctx, b.Time); err != nil {
			return err
		}
	}
	return nil
}

// another gives a new handle, nil if there can be none.
func (q *query) another(ctx context.Context) (*handle, error) {
	if q.full || len(q.handles) >= maxHandles {
		q.full = true
		return nil, nil
	}
	h, err := q.open(ctx)
	if rpc.CodeOf(err) == rpc.CodeNoSystemResources {
		q.full = true
		return nil, nil
	}
	return h, err
}

// fail ends the connection: after a failed call nothing about it is certain.
func (q *query) fail(op string, err error) error {
	q.source.drop(q.conn)
	q.conn = nil
	return q.source.failure(op, err)
}

// Close gives the handles back to the host.
func (q *query) Close() error {
	if q.conn == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	for _, h := range q.handles {
		if h.close(ctx) != nil {
			q.source.drop(q.conn)
			break
		}
	}
	q.conn, q.handles, q.wants = nil, nil, nil
	return nil
}
