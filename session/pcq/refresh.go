package pcq

import (
	"bytes"
	"context"
	"slices"
	"sync/atomic"

	"perfdeck/session"
)

// refresher reads the catalogue anew while a kept one is in use.
type refresher struct {
	kept   *session.Catalogue // what Catalogue gave
	cancel context.CancelFunc
	done   chan struct{} // closed when the attempt ended; nil before the first
	over   atomic.Bool   // it succeeded

	// changed are the sets that the host describes otherwise than the kept
	// catalogue; their values would be cooked by wrong types.
	changed atomic.Pointer[map[*session.Counterset]bool]
}

// stop ends an attempt and waits for it.
func (r *refresher) stop() {
	if r.cancel != nil {
		r.cancel()
		<-r.done
	}
}

func (r *refresher) running() bool {
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

// stale tells whether the kept description of a set proved wrong.
func (r *refresher) stale(set *session.Counterset) bool {
	changed := r.changed.Load()
	return changed != nil && (*changed)[set]
}

// startRefresh reads the catalogue in the background, over a connection of its
// own: so that no sample waits for it, and none is lost by its failures. It
// comes after a query was opened, so a refused log-on is not tried twice.
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
	aside := s.options
	aside.Dial = aside.Aside
	r := newCatalogueReader(&aside, conn, kept.Sets)
	fresh, err := r.read(ctx)
	_ = r.conn.Close()
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
	changed := changedSets(kept, fresh)
	s.refresh.changed.Store(&changed)
	if s.options.Refreshed != nil {
		s.options.Refreshed(fresh)
	}
}

// changedSets are the sets of kept that fresh describes in another way where
// values depend on it.
func changedSets(kept, fresh *session.Catalogue) map[*session.Counterset]bool {
	now := make(map[string]*session.Counterset, len(fresh.Sets))
	for _, set := range fresh.Sets {
		now[set.GUID] = set
	}
	changed := map[*session.Counterset]bool{}
	for _, set := range kept.Sets {
		if other := now[set.GUID]; other != nil && !sameValues(set, other) {
			changed[set] = true
		}
	}
	return changed
}

func sameValues(a, b *session.Counterset) bool {
	return a.Instances == b.Instances && slices.EqualFunc(a.Counters, b.Counters, func(a, b session.Counter) bool {
		return a.ID == b.ID && a.Type == b.Type && a.BaseID == b.BaseID &&
			a.MultiID == b.MultiID && a.PerfTimeID == b.PerfTimeID && a.PerfFreqID == b.PerfFreqID
	})
}
