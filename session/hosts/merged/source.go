package merged

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"perfdeck/session"
	"perfdeck/session/system/backoff"
)

// Options are the two sources of a host.
type Options struct {
	// Host is the host itself: what it has is read there.
	Host session.Source
	// Other is what knows of the host, too. It is never waited for: where it is slow, its
	// values come later, and where it fails, the host is there without it.
	Other session.Source
	Name  string // of the other, for messages
	Go    func(func())
}

// Source is a host with what another source knows of it: the countersets that the host has
// not, and, as a session.Historian, what was before.
type Source struct {
	o     Options
	ctx   context.Context
	end   context.CancelFunc
	right chan struct{} // holding it is the right to call the other

	mu     sync.Mutex
	known  [2]*session.Catalogue // of the host, of the other
	merged *session.Catalogue
	asked  chan struct{} // nil: the other was not asked yet; closed: it answered once
	err    error         // why the other's is not known
	renew  func(*session.Catalogue)
}

// New stands what another source knows of a host beside it. Both are closed with it.
func New(o Options) *Source {
	s := &Source{o: o, right: make(chan struct{}, 1)}
	s.ctx, s.end = context.WithCancel(context.Background())
	return s
}

// patience is how long a first catalogue waits for the other's.
const patience = 500 * time.Millisecond

// Catalogue implements session.Source: the host's, with what is known of the other's.
func (s *Source) Catalogue(ctx context.Context) (*session.Catalogue, error) {
	s.mu.Lock()
	first := s.asked == nil
	if first {
		s.asked = make(chan struct{})
		s.o.Go(s.ask)
	}
	asked := s.asked
	s.mu.Unlock()
	cat, err := s.o.Host.Catalogue(ctx)
	if err != nil {
		return nil, err
	}
	if first {
		select {
		case <-asked:
		case <-ctx.Done():
		case <-time.After(patience):
		}
	}
	merged, _ := s.know(0, cat)
	return merged, nil
}

// otherWithin is for how long the other is asked for its catalogue.
const otherWithin = 40 * time.Second

// ask asks the other for its catalogue until it gives one.
func (s *Source) ask() {
	for pauses := (backoff.Pauses{First: 5 * time.Second, Most: 2 * time.Minute}); s.ctx.Err() == nil; {
		cat, err := s.askOnce()
		var merged *session.Catalogue
		var renew func(*session.Catalogue)
		if err == nil {
			merged, renew = s.know(1, cat)
		}
		s.mu.Lock()
		s.err = err
		if !session.IsClosed(s.asked) {
			close(s.asked) // whoever waits for it finds what is known by now
		}
		s.mu.Unlock()
		if err == nil {
			if merged != nil && renew != nil {
				renew(merged)
			}
			return
		}
		_ = session.Sleep(s.ctx, pauses.Next())
	}
}

func (s *Source) askOnce() (*session.Catalogue, error) {
	ctx, cancel := context.WithTimeout(s.ctx, otherWithin)
	defer cancel()
	if !s.acquire(ctx) {
		return nil, context.Cause(ctx)
	}
	defer func() { <-s.right }()
	return s.o.Other.Catalogue(ctx)
}

// acquire waits for the right to call the other.
func (s *Source) acquire(ctx context.Context) bool {
	select {
	case s.right <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// know notes a catalogue. What both have is read on the host.
func (s *Source) know(which int, cat *session.Catalogue) (merged *session.Catalogue, renew func(*session.Catalogue)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known[which] == cat && s.merged != nil {
		return s.merged, s.renew
	}
	s.known[which] = cat
	host, other := s.known[0], s.known[1]
	if host == nil {
		return nil, nil
	}
	s.merged = host
	if other != nil {
		s.merged = &session.Catalogue{Host: host.Host, Names: host.Names, Sets: slices.Clone(host.Sets)}
		for _, set := range other.Sets {
			if host.Set(set.Name) == nil {
				s.merged.Sets = append(s.merged.Sets, set)
			}
		}
	}
	return s.merged, s.renew
}

// RenewTo implements session.Renewer.
func (s *Source) RenewTo(renew func(*session.Catalogue)) {
	s.mu.Lock()
	s.renew = renew
	s.mu.Unlock()
	if r, ok := s.o.Host.(session.Renewer); ok {
		r.RenewTo(func(cat *session.Catalogue) {
			merged, _ := s.know(0, cat)
			renew(merged)
		})
	}
}

// Warnings implements session.Warner.
func (s *Source) Warnings() []error {
	s.mu.Lock()
	err := s.err
	s.mu.Unlock()
	if err != nil {
		return append(WarningsOf(s.o.Host), s.missing(err))
	}
	return append(WarningsOf(s.o.Host), WarningsOf(s.o.Other)...)
}

// missing says that the other does not answer.
func (s *Source) missing(err error) error {
	return fmt.Errorf("what %s has of it is missing: %w", s.o.Name, err)
}

// Traffic implements session.Meter: that of the host.
func (s *Source) Traffic() uint64 {
	if m, ok := s.o.Host.(session.Meter); ok {
		return m.Traffic()
	}
	return 0
}

// Retried implements session.Retrier.
func (s *Source) Retried() {
	if r, ok := s.o.Host.(session.Retrier); ok {
		r.Retried()
	}
}

// Events implements session.EventSource: those of the host.
func (s *Source) Events(ctx context.Context, from session.EventsFrom) (session.EventReader, error) {
	return session.EventsOf(ctx, from, s.o.Host, s.o.Other)
}

// Kept implements session.Rememberer.
func (s *Source) Kept() *session.Catalogue {
	if r, ok := s.o.Host.(session.Rememberer); ok {
		return r.Kept()
	}
	return nil
}

// Forget implements session.Rememberer.
func (s *Source) Forget() {
	if r, ok := s.o.Host.(session.Rememberer); ok {
		r.Forget()
	}
}

// Bands implements session.Historian: what the other knows of the values, whoever they are
// read of. Processes are not the same by name, and have none.
func (s *Source) Bands(ctx context.Context, of []session.Valued, from, to time.Time, step time.Duration) ([][]session.Band, error) {
	out := make([][]session.Band, len(of))
	h, ok := s.o.Other.(session.Historian)
	s.mu.Lock()
	known, err := s.known[1], s.err
	s.mu.Unlock()
	if !ok || known == nil {
		return out, err
	}
	var theirs []session.Valued
	var places []int
	for i, v := range of {
		set := known.Set(v.Set.Name)
		if set == nil || v.Set != set && v.Key.ID != 0 {
			continue
		}
		if counter, has := set.Counter(v.Set.Counters[v.Counter].Name); has {
			theirs, places = append(theirs, session.Valued{Set: set, Counter: counter, Key: v.Key}), append(places, i)
		}
	}
	if len(theirs) == 0 {
		return out, nil
	}
	bands, err := h.Bands(ctx, theirs, from, to, step)
	if err != nil {
		return nil, err
	}
	for i, at := range places {
		out[at] = bands[i]
	}
	return out, nil
}

// Close implements session.Source.
func (s *Source) Close() error {
	s.end()
	s.o.Go(func() { // it may be asked still
		s.right <- struct{}{}
		_ = s.o.Other.Close()
		<-s.right
	})
	return s.o.Host.Close()
}

// Open implements session.Source.
func (s *Source) Open(ctx context.Context) (session.Query, error) {
	q, err := s.o.Host.Open(ctx)
	if err != nil {
		return nil, err
	}
	out := &query{source: s, host: &Part{Query: q}}
	out.ctx, out.end = context.WithCancel(s.ctx)
	return out, nil
}

// query is a query of both. The other's part is read beside the host's: what of it is late
// is handed over when it is due again.
type query struct {
	source *Source
	ctx    context.Context //nolint:containedctx // of what is read beside; it ends with Close
	end    context.CancelFunc
	wants  []session.Want
	host   *Part
	other  *reading
}

// reading is the part of the other.
type reading struct {
	Part

	done  chan struct{} // of the reading under way; nil: there is none
	err   error         // of it
	ready []bool        // by want: it was read, and not handed over yet
	kept  []session.SetBatch
}

// Select implements session.Query.
func (q *query) Select(ctx context.Context, wants []session.Want) error {
	q.wants = slices.Clone(wants)
	q.drop()
	r := new(reading)
	Deal(q.wants, []*Part{q.host, &r.Part}, func(w *session.Want) *Part {
		if q.source.otherGives(w.Set) {
			return &r.Part
		}
		return q.host
	})
	if n := len(r.Wants); n > 0 {
		r.ready, r.kept = make([]bool, n), make([]session.SetBatch, n)
		q.other = r
	}
	return q.host.Query.Select(ctx, q.host.Wants)
}

// drop gives the part of the other up, when it is not read any more.
func (q *query) drop() {
	r := q.other
	if r == nil {
		return
	}
	q.other = nil
	if r.done == nil {
		_ = r.Close()
		return
	}
	q.source.o.Go(func() {
		<-r.done
		_ = r.Close()
	})
}

// Collect implements session.Query.
func (q *query) Collect(ctx context.Context, b *session.Batch) error {
	b.Time = time.Now()
	b.Fit(q.wants)
	if q.other != nil {
		q.begin(b)
	}
	read, err := q.host.Collect(ctx, b)
	if err != nil {
		return err
	}
	if read {
		b.Time = q.host.Time()
	}
	if q.other != nil {
		q.finish(ctx, b)
	}
	return nil
}

// begin begins to read what is due of the other and not there, unless it is read already.
func (q *query) begin(b *session.Batch) {
	r := q.other
	if r.done != nil && session.IsClosed(r.done) {
		q.settle()
	}
	if r.done != nil {
		return
	}
	due, some := make([]bool, len(r.from)), false
	for k, at := range r.from {
		due[k] = b.IsDue(at) && !r.ready[k]
		some = some || due[k]
	}
	if !some {
		return
	}
	r.batch.Due = due
	done := make(chan struct{})
	r.done = done
	q.source.o.Go(func() {
		defer close(done)
		r.err = q.read(r)
	})
}

// read reads the part of the other.
func (q *query) read(r *reading) error {
	s := q.source
	ctx, cancel := context.WithTimeout(q.ctx, otherWithin)
	defer cancel()
	if !s.acquire(ctx) {
		return context.Cause(ctx)
	}
	defer func() { <-s.right }()
	if r.Query == nil {
		opened, err := s.o.Other.Open(ctx)
		if err != nil {
			return err
		}
		if err := opened.Select(ctx, r.Wants); err != nil {
			_ = opened.Close()
			return err
		}
		r.Query = opened
	}
	return r.Query.Collect(ctx, &r.batch)
}

// settle keeps what a reading that ended has brought.
func (q *query) settle() {
	r := q.other
	r.done = nil
	for k := range r.from {
		if r.err == nil && r.batch.IsDue(k) {
			r.kept[k], r.batch.Sets[k], r.ready[k] = r.batch.Sets[k], r.kept[k], true
		} else if r.err != nil && r.batch.Due[k] {
			r.kept[k].Reset(&r.Wants[k])
			r.kept[k].Err, r.ready[k] = q.source.missing(r.err), true
		}
	}
}

// soon is how long the host's values wait for those of the other.
const soon = 100 * time.Millisecond

// finish hands over what is there of the other. What is not is not read now.
func (q *query) finish(ctx context.Context, b *session.Batch) {
	r := q.other
	if r.done != nil && q.await(ctx, b) {
		q.settle()
	}
	for k, at := range r.from {
		switch {
		case !b.IsDue(at):
		case r.ready[k]:
			b.Sets[at], r.kept[k], r.ready[k] = r.kept[k], b.Sets[at], false
		case b.Due != nil:
			b.Due[at] = false
		}
	}
}

// await waits for the reading under way, but not long where what is due may be late.
func (q *query) await(ctx context.Context, b *session.Batch) bool {
	if b.Due != nil {
		bound, cancel := context.WithTimeout(ctx, soon)
		defer cancel()
		ctx = bound
	}
	select {
	case <-q.other.done:
		return true
	case <-ctx.Done():
		return false
	}
}

// Close implements session.Query.
func (q *query) Close() error {
	q.end()
	q.drop()
	return q.host.Close()
}

// Trace implements session.Tracer: of countersets that the other gives.
func (s *Source) Trace(ctx context.Context, of session.Valued) (session.Trace, error) {
	if w, ok := s.o.Other.(session.Tracer); ok && s.otherGives(of.Set) {
		return w.Trace(ctx, of)
	}
	return session.Trace{}, nil
}

// Instances implements session.Namer: of countersets that the other gives.
func (s *Source) Instances(ctx context.Context, set *session.Counterset, counter int, text string, most int) ([]session.InstanceKey, bool, error) {
	if n, ok := s.o.Other.(session.Namer); ok && s.otherGives(set) {
		return n.Instances(ctx, set, counter, text, most)
	}
	return nil, false, errors.ErrUnsupported
}

// otherGives tells whether a counterset is the other's.
func (s *Source) otherGives(set *session.Counterset) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known[1] != nil && slices.Contains(s.known[1].Sets, set)
}

var (
	_ session.Source      = (*Source)(nil)
	_ session.EventSource = (*Source)(nil)
	_ session.Namer       = (*Source)(nil)
	_ session.Tracer      = (*Source)(nil)
	_ session.Historian   = (*Source)(nil)
	_ session.Renewer     = (*Source)(nil)
	_ session.Warner      = (*Source)(nil)
	_ session.Meter       = (*Source)(nil)
	_ session.Retrier     = (*Source)(nil)
	_ session.Rememberer  = (*Source)(nil)
)
