package pcq

import (
	"perfdeck/session"
	"perfdeck/session/kept"
	"perfdeck/session/perflib"
)

// file is where the catalogue is kept between runs.
func (s *Source) file() *kept.File {
	return &kept.File{Dir: s.options.CacheDir, Kind: "pcq", Host: s.options.Host, LCID: s.options.LCID}
}

// sound is a kept catalogue whose sets this source can read; nil else.
func (s *Source) sound(cat *session.Catalogue) *session.Catalogue {
	if cat == nil {
		return nil
	}
	for i, set := range cat.Sets {
		g, err := perflib.ParseGUID(set.GUID)
		if err != nil {
			return nil
		}
		set.GUID, set.Protocol = g.String(), Protocol
		cat.Sets[i] = s.options.Shared.One(set)
	}
	return cat
}

// Kept is the catalogue kept of an earlier run; nil if there is none.
func (s *Source) Kept() *session.Catalogue {
	if s.refresh.kept == nil {
		s.refresh.kept = s.sound(s.file().Load())
	}
	return s.refresh.kept
}

// Forget removes the catalogue kept of an earlier run, so that Catalogue reads
// that of the host.
func (s *Source) Forget() {
	s.refresh.stop()
	s.refresh.kept = nil
	s.file().Remove()
}
