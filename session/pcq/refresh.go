package pcq

import (
	"context"
	"slices"

	"perfdeck/session"
	"perfdeck/session/kept"
	"perfdeck/session/perflib"
)

// newCopy is where the catalogue is kept between runs.
func (s *Source) newCopy() *kept.Copy {
	o := &s.options
	return kept.NewCopy(kept.CopyOptions{
		File:    kept.File{Dir: o.CacheDir, Kind: "pcq", Host: o.Host, LCID: o.LCID},
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
	set.GUID, set.Protocol = g.String(), Protocol
	return true
}

// Kept is the catalogue kept of an earlier run; nil if there is none.
func (s *Source) Kept() *session.Catalogue { return s.copy.Catalogue() }

// Forget removes the catalogue kept of an earlier run, so that Catalogue reads
// that of the host.
func (s *Source) Forget() { s.copy.Forget() }

// readAside reads the catalogue over a connection of its own.
func (s *Source) readAside(ctx context.Context, kept *session.Catalogue) (*session.Catalogue, error) {
	conn, err := s.options.Aside(ctx)
	if err != nil {
		return nil, err
	}
	aside := s.options
	aside.Dial = aside.Aside
	r := newCatalogueReader(&aside, conn, kept.Sets)
	cat, err := r.read(ctx)
	_ = r.conn.Close()
	if err == nil {
		s.warn(r.warnings)
	}
	return cat, err
}

// renewed takes a catalogue over that differs from the kept one. Sets that the
// host describes otherwise are read no more by their kept description: their
// values would be cooked by wrong types.
func (s *Source) renewed(kept, fresh *session.Catalogue) {
	changed := changedSets(kept, fresh)
	s.changed.Store(&changed)
	if s.options.Refreshed != nil {
		s.options.Refreshed(fresh)
	}
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
