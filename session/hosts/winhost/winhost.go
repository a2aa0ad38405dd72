// Package winhost is a Windows host as perfmon sees one: its V2 countersets, by
// MS-PCQ, and the objects of the V1 model, by MS-RRP, as one source. As PDH has
// it, what the host offers both ways is read the V2 way. Its services stand beside
// them.
//
// Each way works without the others. Why one of the first two is missing is a
// warning; why services are not told stands where they would.
package winhost

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/hosts/service"
	"perfdeck/session/system/failure"
	"perfdeck/session/wire/rpc"
)

// Half is one of the two ways: a *pcq.Source or a *hkpd.Source.
type Half interface {
	session.Source
	session.Warner
	// Connect connects and logs on, if that is not done.
	Connect(ctx context.Context) error
	// Kept is the catalogue of an earlier run, nil for none; Forget drops it.
	Kept() *session.Catalogue
	Forget()
}

// Options say how the halves are made and what is known of the host.
type Options struct {
	Host string
	// V2 and V1 make the halves. They are to hand a catalogue that takes the
	// place of a kept one to refreshed.
	V2, V1 func(refreshed func(*session.Catalogue)) Half
	// Hold connects, so that the halves can share what they connect to; it is let
	// go of when both have. nil: they share nothing.
	Hold func(ctx context.Context) (io.Closer, error)
	// Services are those of the host, which are not asked for before they are read; nil: none.
	Services *service.Source
	// Events begins to read the host's event logs, whose clock is ahead of ours by so much, where
	// that is known; nil: they are not read.
	Events func(ctx context.Context, from session.EventsFrom, ahead func() (time.Duration, bool)) (session.EventReader, error)
	// Traffic is how many bytes went over the lines of both; nil: not counted.
	Traffic func() uint64
	Now     func() time.Time // wall clock; nil: time.Now
}

// Source is a Windows host. It is a session.Source, a Warner, a Meter and an EventSource.
type Source struct {
	o      Options
	halves [2]*half                      // V2, V1
	ahead  session.Latest[time.Duration] // by how much the host's clock is, as of the newest answer

	mu    sync.Mutex // guards the catalogues, their merge and renew
	cat   *session.Catalogue
	renew func(*session.Catalogue)
}

// half is one of the ways and how it stands with it.
type half struct {
	Half
	title string // as warnings call it

	cat *session.Catalogue // under Source.mu; nil: not read yet
	err error              // under Source.mu; why it is missing
}

// New makes the source of a host. Nothing is dialled before it is asked.
func New(o Options) *Source {
	s := &Source{o: o}
	if o.Now == nil {
		s.o.Now = time.Now
	}
	for i, makeHalf := range [...]func(func(*session.Catalogue)) Half{o.V2, o.V1} {
		h := &half{title: titles[i]}
		h.Half = makeHalf(func(cat *session.Catalogue) { s.refreshed(h, cat) })
		s.halves[i] = h
	}
	return s
}

var titles = [...]string{"V2 countersets (MS-PCQ)", "V1 objects (HKEY_PERFORMANCE_DATA)"}

// RenewTo names who hears of a newer catalogue.
func (s *Source) RenewTo(renew func(*session.Catalogue)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.renew = renew
}

// Kept is the catalogue of an earlier run, nil if there is none.
func (s *Source) Kept() *session.Catalogue {
	cats := [2]*session.Catalogue{s.halves[0].Kept(), s.halves[1].Kept()}
	if cats[0] == nil && cats[1] == nil {
		return nil
	}
	return s.merge(cats)
}

// Forget drops the catalogue of an earlier run.
func (s *Source) Forget() {
	for _, h := range s.halves {
		h.Forget()
	}
}

// Catalogue gives all that the host offers, either way. The error is that of
// both: one way is enough.
func (s *Source) Catalogue(ctx context.Context) (*session.Catalogue, error) {
	errs := s.connect(ctx, func(h *half) bool { return h.Kept() == nil })
	for i, h := range s.halves {
		if errs[i] != nil {
			continue
		}
		var cat *session.Catalogue
		cat, errs[i] = again(func() (*session.Catalogue, error) { return h.Catalogue(ctx) })
		s.read(h, cat, errs[i])
	}
	if errs[0] != nil && errs[1] != nil && !s.hasServices(ctx, errs) {
		return nil, s.both(errs)
	}
	for i, h := range s.halves {
		if errs[i] != nil {
			s.read(h, nil, errs[i])
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cat = s.merge([2]*session.Catalogue{s.halves[0].cat, s.halves[1].cat})
	return s.cat, nil
}

// connect connects the halves for which it is needed, before any of them calls:
// so they share a connection, and a log-on that is refused is not tried twice.
func (s *Source) connect(ctx context.Context, needed func(*half) bool) (errs [2]error) {
	if s.o.Hold != nil && (needed(s.halves[0]) || needed(s.halves[1])) {
		held, err := s.o.Hold(ctx)
		if err != nil {
			err = rpc.HostError(s.o.Host, "connect", err)
			return [2]error{err, err}
		}
		defer held.Close() //nolint:errcheck // the halves hold it now, or nobody needs it
	}
	for i, h := range s.halves {
		if !needed(h) {
			continue
		}
		if errs[i] = h.Connect(ctx); errors.Is(errs[i], session.ErrDenied) {
			return [2]error{errs[i], errs[i]}
		}
	}
	return errs
}

// again repeats what failed because the other half's failure broke the
// connection that they share.
func again[T any](do func() (T, error)) (T, error) {
	v, err := do()
	if errors.Is(err, rpc.ErrBroken) && !errors.Is(err, session.ErrDenied) {
		v, err = do()
	}
	return v, err
}

// both is the error that tells more, of a host that can be read in neither way.
func (s *Source) both(errs [2]error) error {
	if errors.Is(errs[0], rpc.ErrNotServed) && !errors.Is(errs[1], rpc.ErrNotServed) {
		return errs[1]
	}
	return errs[0]
}

// read notes the catalogue of a half, or why there is none.
func (s *Source) read(h *half, cat *session.Catalogue, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h.err = err
	if cat != nil {
		h.cat = cat
	}
}

// refreshed takes a catalogue over that takes the place of a kept one.
func (s *Source) refreshed(h *half, cat *session.Catalogue) {
	s.mu.Lock()
	h.cat = cat
	merged, renew := s.merge([2]*session.Catalogue{s.halves[0].cat, s.halves[1].cat}), s.renew
	s.cat = merged
	s.mu.Unlock()
	if renew != nil {
		renew(merged)
	}
}

// Warnings are those of both halves, and why one is missing. They may be asked
// for at any time.
func (s *Source) Warnings() []error {
	var out []error
	s.mu.Lock()
	for _, h := range s.halves {
		if h.err != nil {
			out = append(out, missing(h.title, h.err))
		}
	}
	s.mu.Unlock()
	for _, h := range s.halves {
		out = append(out, h.Warnings()...)
	}
	return out
}

// Traffic is how many bytes went over the lines of both halves.
func (s *Source) Traffic() uint64 {
	if s.o.Traffic == nil {
		return 0
	}
	return s.o.Traffic()
}

// Events implements session.EventSource.
func (s *Source) Events(ctx context.Context, from session.EventsFrom) (session.EventReader, error) {
	if s.o.Events == nil {
		return nil, session.ErrNoEvents
	}
	return s.o.Events(ctx, from, s.ahead.Get)
}

// told notes how the host's clock stands to ours, of answers that came between two moments.
func (s *Source) told(b *session.Batch, from, until time.Time) {
	for i := range b.Sets {
		if set := &b.Sets[i]; len(set.Readings) > 0 && set.Clocks.Time100ns != 0 {
			s.ahead.Set(cooker.TimeOf(set.Clocks.Time100ns).Sub(from) - until.Sub(from)/2)
			return
		}
	}
}

// Close ends both halves.
func (s *Source) Close() error {
	for _, h := range s.halves {
		_ = h.Close()
	}
	if s.o.Services != nil {
		_ = s.o.Services.Close()
	}
	return nil
}

// hasServices tells of a host that gives its counters in neither way whether it gives its services.
// One that is not reached, or does not take the account, is not asked for them.
func (s *Source) hasServices(ctx context.Context, errs [2]error) bool {
	for _, err := range errs {
		if !errors.Is(err, rpc.ErrNotServed) && !isRefused(err) {
			return false
		}
	}
	return s.o.Services != nil && s.o.Services.Try(ctx) == nil
}

// isRefused tells whether a host took the account, and refuses it what it asks for.
func isRefused(err error) bool {
	e, ok := errors.AsType[*rpc.Error](err)
	return ok && e.Code.IsDenied() && !e.IsLogOn()
}

// merge makes one catalogue of those of the V2 and the V1 half, either of which
// may be nil: all of V2, and of V1 what V2 has not. Providers of V2 countersets
// are offered as V1 objects of the same name too.
func (s *Source) merge(cats [2]*session.Catalogue) *session.Catalogue {
	out := &session.Catalogue{Host: s.o.Host}
	taken := map[string]bool{}
	for i, cat := range cats {
		if cat == nil {
			continue
		}
		names := make([]string, 0, len(cat.Sets))
		for _, set := range cat.Sets {
			name := paths.Fold(set.Name)
			if i > 0 && taken[name] {
				continue
			}
			names = append(names, name)
			out.Sets = append(out.Sets, set)
		}
		for _, name := range names { // of two V1 objects of one name both are there
			taken[name] = true
		}
		if cat.Names != nil {
			out.Names = cat.Names
		}
	}
	if s.o.Services != nil {
		out.Sets = append(out.Sets, s.o.Services.Set())
	}
	out.Sort()
	return out
}

// missing tells that one of the two ways to read a host is missing with what it reads, and why,
// while the other works. What a host does not serve it need not have.
func missing(what string, err error) error {
	if errors.Is(err, rpc.ErrNotServed) {
		return failure.WithHint(failure.Worded(what+" are missing: the host does not serve them", err),
			"a Samba has none, nor has a Windows before Vista; of another one start the Remote Registry service anew")
	}
	return fmt.Errorf("%s are missing: %w", what, err)
}
