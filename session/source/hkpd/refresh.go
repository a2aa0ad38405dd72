package hkpd

import (
	"context"

	"perfdeck/session"
	"perfdeck/session/source/cache"
)

// newCopy is where the catalogue is kept between runs. One with the costly
// objects is another.
func (s *Source) newCopy() *cache.Copy {
	o := &s.options
	kind := "hkpd"
	if o.Costly {
		kind = "hkpd-costly"
	}
	return cache.NewCopy(cache.CopyOptions{
		File:   cache.File{Dir: o.CacheDir, Kind: kind, Host: o.Host, LCID: o.LCID},
		Usable: func(set *session.Counterset) bool { return set.GUID == "" && set.Protocol == Protocol },
		Shared: o.Shared,
		Read:   s.readAside,
		Renewed: func(_, fresh *session.Catalogue) {
			if o.Refreshed != nil {
				o.Refreshed(fresh)
			}
		},
		Go: o.Go,
	})
}

// Kept is the catalogue kept of an earlier run; nil if there is none.
func (s *Source) Kept() *session.Catalogue { return s.copy.Catalogue() }

// Forget removes the catalogue kept of an earlier run, so that Catalogue reads
// that of the host.
func (s *Source) Forget() { s.copy.Forget() }

// readAside reads the catalogue over a connection of its own.
func (s *Source) readAside(ctx context.Context, _ *session.Catalogue) (*session.Catalogue, error) {
	conn, err := s.options.Aside(ctx)
	if err != nil {
		return nil, err
	}
	l := newLink(conn, s.options.Host, &s.traffic)
	defer l.close()
	r := &catalogueReader{o: &s.options, link: l}
	cat, err := r.read(ctx)
	if err == nil {
		s.warn(r.warnings)
	}
	return cat, err
}
