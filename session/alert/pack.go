package alert

import (
	"slices"

	"perfdeck/paths"
	"perfdeck/session"
)

// Pack is rules on one subject, and the decks for hosts that are what it is about.
type Pack struct {
	Name, About string
	Rules       []Rule
	Decks       []session.Deck
}

// Role is the deck for a host, which is called what the host is; nil: it is none of that.
func (p *Pack) Role(cat *session.Catalogue) *session.Deck {
	if i := slices.IndexFunc(p.Decks, func(d session.Deck) bool { return d.Fits(cat) }); i >= 0 {
		return &p.Decks[i]
	}
	return nil
}

// Fits tells whether a pack is for a host: by its decks, without any if a rule judges something there.
func (p *Pack) Fits(cat *session.Catalogue) bool {
	return p.Role(cat) != nil || len(p.Decks) == 0 && p.Judges(cat)
}

// Judges tells whether a rule finds its counters on a host.
func (p *Pack) Judges(cat *session.Catalogue) bool {
	return cat != nil && slices.ContainsFunc(p.Rules, func(r Rule) bool {
		found, err := r.Meanings(cat)
		return err == nil && len(found) > 0
	})
}

// Lacks are the counters for want of which rules judge nothing on a host.
func (p *Pack) Lacks(cat *session.Catalogue) (out []string) {
	for i := range p.Rules {
		r := &p.Rules[i]
		if _, err := r.Meanings(cat); err == nil {
			continue
		}
		for _, path := range r.Paths() {
			text := path.String()
			if _, err := cat.Resolve(text, paths.Options{}); err != nil && !slices.Contains(out, text) {
				out = append(out, text)
			}
		}
	}
	return out
}
