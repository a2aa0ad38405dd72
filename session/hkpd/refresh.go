package hkpd

import (
	"bytes"
	"context"
	"sync/atomic"

	"perfdeck/session"
	"perfdeck/session/kept"
)

// refresh reads the catalogue anew while a kept one is in use.
type refresh struct {
	kept   *session.Catalogue // what Catalogue gave
	cancel context.CancelFunc
	done   chan struct{} // closed when the attempt ended; nil before the first
	over   atomic.Bool   // it succeeded
}

// stop ends an attempt and waits for it.
func (r *refresh) stop() {
	if r.cancel != nil {
		r.cancel()
		<-r.done
	}
}

func (r *refresh) running() bool {
	if r.done == nil {
		return false
	}
	select {
	case <-r.done:
		return false
	default:
		return true
	}
}

// file is where the catalogue is kept between runs. One with the costly objects
// is another.
func (s *Source) file() *kept.File {
	kind := "hkpd"
	if s.options.Costly {
		kind = "hkpd-costly"
	}
	return &kept.File{Dir: s.options.CacheDir, Kind: kind, Host: s.options.Host, LCID: s.options.LCID}
}

// Kept is the catalogue kept of an earlier run; nil if there is none.
func (s *Source) Kept() *session.Catalogue {
	if s.refresh.kept == nil {
		s.refresh.kept = s.sound(s.file().Load())
	}
	return s.refresh.kept
}

// sound is a kept catalogue whose sets this source can read; nil else.
func (s *Source) sound(cat *session.Catalogue) *session.Catalogue {
	if cat == nil {
		return nil
	}
	for i, set := range cat.Sets {
		if set.GUID != "" || set.Protocol != Protocol {
			return nil
		}
		cat.Sets[i] = s.options.Shared.One(set)
	}
	return cat
}

// Forget removes the catalogue kept of an earlier run, so that Catalogue reads
// that of the host.
func (s *Source) Forget() {
	s.refresh.stop()
	s.refresh.kept = nil
	s.file().Remove()
}

// startRefresh reads the catalogue in the background, over a connection of its
// own: so that no sample waits for it. It comes after a query was opened, so a
// refused log-on is not tried twice.
func (s *Source) startRefresh(ctx context.Context) {
	r := &s.refresh
	if r.kept == nil || r.over.Load() || r.running() {
		return
	}
	if r.cancel != nil {
		r.cancel()
	}
	ctx, r.cancel = context.WithCancel(context.WithoutCancel(ctx)) // until Close
	done, kept := make(chan struct{}), r.kept
	r.done = done
	s.options.Go(func() {
		defer close(done)
		s.renew(ctx, kept)
	})
}

// renew reads the catalogue and tells what changed. A failure is left to the
// next attempt, which comes with the next query.
func (s *Source) renew(ctx context.Context, kept *session.Catalogue) {
	conn, err := s.options.Aside(ctx)
	if err != nil {
		return
	}
	l := newLink(conn, s.options.Host, &s.traffic)
	defer l.close()
	r := &catalogueReader{o: &s.options, link: l}
	fresh, err := r.read(ctx)
	if err != nil {
		return
	}
	s.refresh.over.Store(true)
	s.warn(r.warnings)
	before, err1 := s.file().Text(kept)
	after, err2 := s.file().Text(fresh)
	if err1 != nil || err2 != nil || bytes.Equal(before, after) {
		return
	}
	s.file().Save(fresh)
	if s.options.Refreshed != nil {
		s.options.Refreshed(fresh)
	}
}
