package winhost

import (
	"context"
	"errors"
	"time"

	"perfdeck/session"
	"perfdeck/session/hosts/merged"
	"perfdeck/session/hosts/service"
	"perfdeck/session/system/backoff"
	"perfdeck/session/wire/rpc"
)

// query is a session.Query of both halves, and of services.
type query struct {
	source   *Source
	wanted   []session.Want
	parts    [2]*part
	services merged.Part
	closed   bool
}

var errClosed = errors.New("the query is closed")

// part is the query of one half.
type part struct {
	*half
	merged.Part                // without a query: the half is missing
	fresh       bool           // the newest call succeeded
	pauses      backoff.Pauses // before it is tried again while the other goes on
	refused     backoff.Pauses
	tryAt       time.Time // zero: not before the host is opened anew
}

// Open makes a query of both halves, of which one, or services, is enough.
func (s *Source) Open(ctx context.Context) (session.Query, error) {
	q := &query{source: s}
	errs := s.connect(ctx, func(*half) bool { return true })
	for i, h := range s.halves {
		p := &part{half: h, pauses: backoff.Pauses{First: 5 * time.Second, Most: 2 * time.Minute}, refused: session.RefusedPauses()}
		q.parts[i] = p
		if errs[i] == nil {
			p.Query, errs[i] = again(func() (session.Query, error) { return h.Open(ctx) })
		}
	}
	if errs[0] != nil && errs[1] != nil && !s.hasServices(ctx, errs) {
		return nil, s.both(errs)
	}
	if s.o.Services != nil {
		q.services.Query, _ = s.o.Services.Open(ctx) // it asks nothing yet
	}
	for i, p := range q.parts {
		if errs[i] != nil {
			q.lose(p, errs[i])
			continue
		}
		s.read(p.half, nil, nil)
		if err := q.complete(ctx, p); err != nil {
			q.lose(p, err)
		}
	}
	return q, nil
}

// complete reads the catalogue of a half that had none when the host was opened.
func (q *query) complete(ctx context.Context, p *part) error {
	s := q.source
	s.mu.Lock()
	known, merged := p.cat, s.cat
	s.mu.Unlock()
	if known != nil || merged == nil {
		return nil
	}
	cat, err := p.Catalogue(ctx)
	if err != nil {
		return err
	}
	s.refreshed(p.half, cat)
	return nil
}

// lose notes that a half is missing, and when it is tried again.
func (q *query) lose(p *part, err error) {
	_ = p.Close() // of the query; the half goes on
	q.source.read(p.half, nil, err)
	switch {
	case errors.Is(err, rpc.ErrNotServed):
		p.tryAt = time.Time{}
	case errors.Is(err, session.ErrDenied):
		p.tryAt = q.source.o.Now().Add(p.refused.Next())
	default:
		p.tryAt = q.source.o.Now().Add(p.pauses.Next())
	}
}

// Select deals the wants out to the halves.
func (q *query) Select(ctx context.Context, wants []session.Want) error {
	q.wanted = append([]session.Want(nil), wants...)
	merged.Deal(q.wanted, []*merged.Part{&q.parts[0].Part, &q.parts[1].Part, &q.services}, q.partOf)
	if q.closed {
		return q.failure("select counters")
	}
	if q.services.Query != nil {
		if err := q.services.Query.Select(ctx, q.services.Wants); err != nil {
			return err
		}
	}
	var errs [2]error
	for i, p := range q.parts {
		if p.Query != nil {
			errs[i] = p.Query.Select(ctx, p.Wants)
			p.fresh = errs[i] == nil
		}
	}
	return q.judge(errs)
}

func (q *query) failure(op string) error {
	return &session.HostError{Host: q.source.o.Host, Op: op, Err: errClosed}
}

// partOf is what reads a set: of the halves, V2 countersets have a GUID.
func (q *query) partOf(w *session.Want) *merged.Part {
	if q.services.Query != nil && w.Set == q.source.o.Services.Set() {
		return &q.services
	}
	if w.Set != nil && w.Set.GUID == "" {
		return &q.parts[1].Part
	}
	return &q.parts[0].Part
}

// judge draws the consequences of failures: a half whose call failed while the
// other's was answered is missing for a while; else the host gave no answer.
func (q *query) judge(errs [2]error) error {
	for i, p := range q.parts {
		other := q.parts[1-i]
		if errs[i] == nil || p.Query == nil {
			continue
		}
		if errs[1-i] != nil || other.Query == nil || !other.fresh {
			return errs[i]
		}
		q.lose(p, errs[i])
	}
	return nil
}

// Collect reads both halves.
func (q *query) Collect(ctx context.Context, b *session.Batch) error {
	if q.closed {
		return q.failure("collect")
	}
	now := q.source.o.Now()
	b.Time = now
	b.Fit(q.wanted)
	var errs [2]error
	for i, p := range q.parts {
		q.retry(ctx, p, now)
		errs[i] = q.collect(ctx, p, b)
	}
	if err := q.judge(errs); err != nil {
		return err
	}
	q.source.told(b, now, q.source.o.Now())
	if _, err := q.services.Collect(ctx, b); err != nil {
		return err
	}
	if q.parts[0].Query == nil && q.parts[1].Query == nil {
		if err := q.silence(b); err != nil {
			return err
		}
	}
	for _, p := range q.parts {
		if p.Query == nil {
			q.explain(p, b)
		}
	}
	return nil
}

// silence is why a host of which services alone are read does not tell them any more.
func (q *query) silence(b *session.Batch) error {
	for i := range q.wanted {
		if err := b.Sets[i].Err; q.partOf(&q.wanted[i]) == &q.services && b.IsDue(i) && !errors.Is(err, service.ErrPending) && !errors.Is(err, session.ErrDenied) {
			return err
		}
	}
	return nil
}

// collect reads a half, if anything of it is due.
func (q *query) collect(ctx context.Context, p *part, b *session.Batch) (err error) {
	p.fresh, err = p.Collect(ctx, b)
	if p.fresh {
		p.pauses.Reset()
		p.refused.Reset()
	}
	return err
}

// retry opens a missing half when its time has come.
func (q *query) retry(ctx context.Context, p *part, now time.Time) {
	if p.Query != nil || p.tryAt.IsZero() || now.Before(p.tryAt) {
		return
	}
	err := p.Connect(ctx)
	if err == nil {
		p.Query, err = p.Open(ctx)
	}
	if err == nil {
		err = p.Query.Select(ctx, p.Wants)
	}
	if err == nil {
		err = q.complete(ctx, p)
	}
	if err != nil {
		q.lose(p, err)
		return
	}
	q.source.read(p.half, nil, nil)
}

// explain says of the sets of a missing half why they are not read.
func (q *query) explain(p *part, b *session.Batch) {
	q.source.mu.Lock()
	err := p.err
	q.source.mu.Unlock()
	p.Fail(b, missing(p.title, err))
}

// Close closes the queries of both halves.
func (q *query) Close() error {
	q.closed = true
	_ = q.services.Close()
	for _, p := range q.parts {
		_ = p.Close()
	}
	return nil
}
