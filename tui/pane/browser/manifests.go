package browser

import (
	"strings"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/text/english"
)

// isManifest tells whether a place is a manifest.
func (p *place) isManifest() bool { return p != nil && p.host == nil && !p.isAll }

// has tells whether the host of a place offers the counterset of a manifest: that of its
// GUID, or, where it has none, of its name.
func (p *place) has(set *session.Counterset) bool {
	if p.cat == nil {
		return false
	}
	for _, s := range p.cat.Sets {
		if s.GUID != "" && set.GUID != "" && strings.EqualFold(s.GUID, set.GUID) || s.GUID == "" && paths.EqualFold(s.Name, set.Name) {
			return true
		}
	}
	return false
}

// hosting divides the hosts that are known into those that have a manifest's counterset
// and those that have not.
func (b *Browser) hosting(set *session.Counterset) (have, lack []string) {
	for _, p := range b.hosts() {
		switch {
		case p.cat == nil:
		case p.has(set):
			have = append(have, p.name)
		default:
			lack = append(lack, p.name)
		}
	}
	return have, lack
}

// hostsWith is how many hosts have a manifest's counterset, for a row.
func (b *Browser) hostsWith(set *session.Counterset) string {
	have, lack := b.hosting(set)
	switch {
	case len(have)+len(lack) == 0:
		return ""
	case len(lack) == 0:
		return "here"
	case len(have) == 0:
		return "not here"
	}
	return "on " + english.Count(len(have), "host", "hosts")
}

// having tells which hosts have a manifest's counterset.
func (b *Browser) having(o *offer) (facts [][]fact) {
	if !o.place.isManifest() {
		return nil
	}
	have, lack := b.hosting(o.set)
	if len(have) > 0 {
		facts = append(facts, []fact{{"on", strings.Join(have, ", ")}})
	}
	if len(lack) > 0 {
		facts = append(facts, []fact{{"not on", strings.Join(lack, ", ")}})
	}
	return facts
}
