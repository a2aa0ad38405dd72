package pcq

import (
	"context"
	"errors"
	"time"

	"perfdeck/session"
	"perfdeck/session/hosts/cache"
	"perfdeck/session/system/backoff"
	"perfdeck/session/wire/perflib"
)

// newCopy is where the catalogue is kept between runs.
func (s *Source) newCopy() *cache.Copy {
	o := &s.options
	return cache.NewCopy(cache.CopyOptions{
		File:    cache.File{Dir: o.CacheDir, Kind: "pcq", Host: o.Host, LCID: o.LCID},
		Usable:  usable,
		Shared:  o.Shared,
		Read:    s.readAside,
		Renewed: s.renewed,
		Go:      o.Go,
	})
}

// usable tells whether a kept set is one that can be asked for.
func usable(set *session.Counterset) bool {
	g, err := perflib.ParseGUID(set.GUID)
	if err != nil {
		return false
	}
	set.GUID, set.Protocol, set.Told = g.String(), Protocol, hasMoment(set)
	return true
}

// Kept is the catalogue kept of an earlier run; nil if there is none.
func (s *Source) Kept() *session.Catalogue { return s.copy.Catalogue() }

// Forget removes the catalogue kept of an earlier run, so that Catalogue reads
// that of the host.
func (s *Source) Forget() { s.copy.Forget() }

// readAside reads the catalogue over connections of its own.
func (s *Source) readAside(ctx context.Context, kept *session.Catalogue) (*session.Catalogue, error) {
	if s.rest != nil {
		return s.readRest(ctx, kept)
	}
	conn, err := s.options.Aside(ctx)
	if err != nil {
		return nil, err
	}
	aside := s.options
	aside.Dial = aside.Aside
	aside.Extra, aside.First = nil, First{} // nobody waits for it
	r := newCatalogueReader(&aside, conn, kept.Sets)
	defer r.lines.end()
	cat, err := r.read(ctx)
	if err == nil {
		s.warn(r.warned())
	}
	return cat, err
}

// readRest completes the catalogue that was begun: all sets first, which is told, and
// then their texts. What fails is tried again: nobody else would.
func (s *Source) readRest(ctx context.Context, begun *session.Catalogue) (*session.Catalogue, error) {
	r := s.rest
	aside := s.options
	aside.Dial = aside.Aside
	r.o = &aside
	told := len(begun.Sets) == len(r.sets)
	for pauses := (backoff.Pauses{First: time.Second, Most: time.Minute}); ; {
		err := r.goOn(ctx, named)
		if err == nil && !told {
			told = true
			s.renewed(begun, r.catalogue())
		}
		if err == nil {
			err = r.goOn(ctx, worded)
		}
		if err == nil || ctx.Err() != nil || errors.Is(err, session.ErrDenied) {
			r.lines.end()
			s.warn(r.warned())
			return r.catalogue(), err
		}
		session.Sleep(ctx, pauses.Next())
	}
}

// goOn describes the sets that are left, over a new connection where there is none.
func (r *catalogueReader) goOn(ctx context.Context, to stage) error {
	if r.lines.len() == 0 {
		conn, err := r.o.Dial(ctx)
		if err != nil {
			return err
		}
		r.lines.add(conn)
	}
	return r.describe(ctx, all, to)
}

// renewed takes a catalogue over that differs from the kept one. Sets that the
// host describes otherwise are read no more by their kept description: their
// values would be cooked by wrong types.
func (s *Source) renewed(kept, fresh *session.Catalogue) {
	changed := changedSets(kept, fresh)
	s.changed.Store(&changed)
	s.options.Refreshed(fresh)
}

// stale tells whether the kept description of a set proved wrong.
func (s *Source) stale(set *session.Counterset) bool {
	changed := s.changed.Load()
	return changed != nil && (*changed)[set]
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
		if other := now[set.GUID]; other != nil && !set.ReadsLike(other) {
			changed[set] = true
		}
	}
	return changed
}
