package browser

import (
	"slices"
	"strings"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/text/english"
	"perfdeck/tui/pane"
	"perfdeck/tui/search"
)

// place is a row of the first column: a host, a manifest, or all hosts.
type place struct {
	name  string
	host  *pane.Host // nil for a manifest and for all hosts
	isAll bool

	cat     *session.Catalogue
	src     *search.Source
	refs    []ref    // what the entries of src are
	folded  []string // names of cat.Sets
	tallies []tally  // of cat.Sets
	found   int      // counters of it that are shown
}

// ref is a counter of a catalogue.
type ref struct {
	set, counter int32
	detail       session.DetailLevel
}

// tally is how many counters of a set are shown, how well the best of them fits
// the search, and where its counters begin in the refs.
type tally struct{ count, rank, first int }

func fold(name string) string { return paths.Fold(name) }

// sync takes over hosts that came or went and catalogues that were renewed.
// What did not change is not indexed again.
func (b *Browser) sync() {
	changed := b.syncPlaces()
	for _, p := range b.places {
		cat := p.cat
		if p.host != nil {
			cat = p.host.Sampler.Catalogue()
		}
		if p.src == nil || cat != p.cat {
			b.reindex(p, cat)
			changed = true
		}
	}
	if changed {
		b.search()
	}
}

// syncPlaces makes the places those of the desk. It reports whether they
// changed.
func (b *Browser) syncPlaces() bool {
	same := len(b.places) == len(b.desk.Hosts)+len(b.manifests)
	for i := 0; same && i < len(b.places); i++ {
		if i < len(b.desk.Hosts) {
			same = b.places[i].host == b.desk.Hosts[i]
		} else {
			m := b.manifests[i-len(b.desk.Hosts)]
			same = b.places[i].name == m.Name && b.places[i].host == nil && b.places[i].cat == m.Catalogue
		}
	}
	if same && b.place != nil {
		return false
	}
	before := b.places
	b.places = nil
	add := func(fresh *place) { // or the one there was
		i := slices.IndexFunc(before, func(p *place) bool {
			return p.host == fresh.host && (p.host != nil || p.name == fresh.name && p.cat == fresh.cat)
		})
		if i >= 0 {
			fresh = before[i]
		}
		b.places = append(b.places, fresh)
	}
	for _, h := range b.desk.Hosts {
		add(&place{name: h.Name, host: h})
	}
	for _, m := range b.manifests {
		add(&place{name: m.Name, cat: m.Catalogue})
	}
	for _, p := range before {
		if !slices.Contains(b.places, p) {
			b.drop(p)
		}
	}
	rows := b.places
	if len(b.desk.Hosts) > 1 {
		rows = append([]*place{b.all}, rows...)
	}
	b.hostRows.Put(rows)
	if !slices.Contains(rows, b.place) {
		b.place = b.all
		if len(b.places) > 0 {
			b.place = b.places[0]
		}
	}
	return true
}

// drop forgets a place that left.
func (b *Browser) drop(p *place) {
	if p.src != nil {
		b.index.Remove(p.src)
	}
	b.picks = slices.DeleteFunc(b.picks, func(c *picks) bool { return c.place == p })
}

// reindex takes over the catalogue of a place; nil: it is not known yet.
func (b *Browser) reindex(p *place, cat *session.Catalogue) {
	b.forgetUnits()
	p.cat, p.refs, p.folded, p.tallies = cat, nil, nil, nil
	var entries []search.Entry
	if cat != nil {
		p.folded, p.tallies = make([]string, len(cat.Sets)), make([]tally, len(cat.Sets))
		for i, set := range cat.Sets {
			p.folded[i], p.tallies[i].first = fold(set.Name), len(p.refs)
			for c := range set.Counters {
				if counter := &set.Counters[c]; !counter.Hidden() {
					p.refs = append(p.refs, ref{int32(i), int32(c), counter.Detail})
					entries = append(entries, entryOf(set, counter))
				}
			}
		}
	}
	if p.src == nil {
		p.src = b.index.Add(p.name, entries)
	} else {
		b.index.Renew(p.src, entries)
	}
}

// entryOf is what can be found of a counter: by its English name, and by the
// one in the host's language.
func entryOf(set *session.Counterset, c *session.Counter) search.Entry {
	e := search.Entry{Name: c.Name, Of: set.Name, Text: c.Description}
	for _, also := range []string{c.English, c.Label} {
		if also != "" {
			e.Text = also + "\n" + e.Text
		}
	}
	for _, also := range []string{set.English, set.Label} {
		if also != "" {
			e.Of += "\n" + also
		}
	}
	return e
}

// scope is the places whose countersets are listed.
func (b *Browser) scope() []*place {
	if !b.place.isAll {
		return []*place{b.place}
	}
	return b.hosts()
}

// hosts is the places that are hosts.
func (b *Browser) hosts() []*place {
	i := slices.IndexFunc(b.places, func(p *place) bool { return p.host == nil })
	if i < 0 {
		return b.places
	}
	return b.places[:i]
}

// shows tells whether counters of a level are shown. A level of 0 was not told.
func (b *Browser) shows(l session.DetailLevel) bool { return l <= b.level }

// phaseOf is how things stand with the host of a place.
func (p *place) phaseOf() session.Phase {
	if p.host == nil {
		return session.Live
	}
	return p.host.Sampler.State().Phase
}

// set is the counterset of a folded name, nil if the place lacks it.
func (p *place) set(key string) *session.Counterset {
	if i := slices.Index(p.folded, key); i >= 0 {
		return p.cat.Sets[i]
	}
	return nil
}

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
