package deck

import (
	"slices"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// HostsChanged makes the decks fit the hosts there are.
func (b *Book) HostsChanged() {
	for _, h := range b.desk.Hosts {
		if b.own[h] == nil {
			b.own[h] = New(b.desk, h)
		}
	}
	for h, d := range b.own {
		if slices.Contains(b.desk.Hosts, h) {
			continue
		}
		if d.loaded {
			b.left[h.Name] = d.Kept()
		}
		delete(b.own, h)
		delete(b.late, h)
	}
	switch {
	case len(b.desk.Hosts) < 2:
		if b.all != nil {
			b.shared = b.all.spec()
		}
		b.all = nil
	case b.all == nil:
		b.all, b.host = NewAbreast(b.desk, b.desk.Hosts), nil
		for _, h := range b.desk.Hosts { // those that were there before
			if b.own[h].loaded {
				b.all.Load(h, b.sharedSpec(h))
			}
		}
	default:
		b.all.setHosts(b.desk.Hosts)
	}
	if b.some != nil {
		left := slices.DeleteFunc(b.some.hosts(), func(h *pane.Host) bool { return !slices.Contains(b.desk.Hosts, h) })
		if b.some.setHosts(left); len(left) < 2 {
			b.some = nil
		}
	}
	for _, d := range b.named {
		d.Reload()
	}
	if b.own[b.host] == nil {
		b.host = nil
	}
	if b.all == nil && len(b.desk.Hosts) > 0 {
		b.host = b.desk.Hosts[0]
	}
}

// mine is the own deck of a host, filled by now.
func (b *Book) mine(h *pane.Host) *Deck {
	own := b.own[h]
	if list, late := b.late[h]; late && own != nil {
		delete(b.late, h)
		own.fill(pathsFor(b.desk, h, list), len(list) > 0)
		b.desk.Send(pane.Reask{})
	}
	return own
}

// Load fills the decks of a host, when its counters are known, with the given
// paths, or the default ones.
func (b *Book) Load(h *pane.Host, list []string) []error {
	own := b.own[h]
	if own == nil {
		return nil // it left meanwhile
	}
	b.asked = list
	var errs []error
	if was, ok := b.left[h.Name]; ok && !own.loaded {
		own.restore(was)
		delete(b.left, h.Name)
	} else if !own.loaded && len(b.desk.Hosts) > mostReady {
		b.late[h] = list
	} else {
		errs = own.fill(pathsFor(b.desk, h, list), len(list) > 0)
	}
	for _, d := range b.named {
		if d.Shows(h) {
			d.Reload()
		}
	}
	if b.all == nil {
		return errs
	}
	spec := b.sharedSpec(h)
	b.all.Load(h, spec)
	if b.some != nil && b.some.of(h) != nil {
		b.some.Load(h, spec)
	}
	return nil // what a host lacks says so in its row
}

// sharedSpec is what the deck of all hosts shows of a host while no other tells:
// what it showed when there were several hosts before, the paths that were asked
// for, or the default.
func (b *Book) sharedSpec(h *pane.Host) shows {
	return func() []session.DeckPane {
		switch {
		case b.shared != nil:
			return b.shared
		case len(b.asked) > 0:
			return bySet(pathsForAll(b.desk, b.asked))
		}
		return session.DefaultAbreast(h.Sampler.Catalogue())
	}
}

// restore fills the deck with what it was.
func (d *Deck) restore(was session.Deck) {
	d.Load(was.Panes)
	if t, err := layout.ParseTree(was.Layout, len(d.panes)); err == nil && was.Layout != "" {
		d.divided.tree = t
	}
}

// fill fills the deck with the given paths, or the default one if none was asked
// for on any host.
func (d *Deck) fill(list []string, asked bool) []error {
	if d.loaded {
		return d.Reload()
	}
	if !asked {
		return d.Load(session.DefaultDeck(d.host.Name, d.host.Sampler.Catalogue()).Panes)
	}
	d.Load(nil)
	var errs []error
	for _, p := range list {
		if err := d.Add(d.host, p); err != nil {
			errs = append(errs, err)
		}
	}
	d.Load(d.Spec())
	return errs
}

// bySet makes a pane for each counterset of the paths, in their order.
func bySet(list []string) []session.DeckPane {
	var spec []session.DeckPane
	at := map[string]int{}
	for _, text := range list {
		p, err := paths.Parse(text)
		if err != nil {
			continue
		}
		set := paths.Fold(p.Object)
		i, ok := at[set]
		if !ok {
			i = len(spec)
			at[set] = i
			spec = append(spec, session.DeckPane{AsNamed: true})
		}
		spec[i].Paths = append(spec[i].Paths, text)
	}
	return spec
}
