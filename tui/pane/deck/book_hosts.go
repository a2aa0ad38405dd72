package deck

import (
	"maps"
	"slices"

	"perfdeck/session"
	"perfdeck/session/text/printable"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// HostsChanged makes the decks fit the hosts there are.
func (b *Book) HostsChanged() {
	hosts := b.desk.Hosts
	for _, h := range hosts {
		if b.own[h] == nil {
			b.own[h] = New(b.desk, h)
		}
	}
	left := func(h *pane.Host) bool { return !slices.Contains(hosts, h) }
	maps.DeleteFunc(b.own, func(h *pane.Host, d *Deck) bool {
		if left(h) && d.loaded {
			b.left[h.Name] = d.Kept()
		}
		return left(h)
	})
	b.all.setHosts(hosts)
	b.put(slices.DeleteFunc(b.above, func(o opened) bool {
		if a, is := o.sheet.(*Abreast); is {
			var stay []*pane.Host
			for _, d := range a.decks {
				if !left(d.host) {
					stay = append(stay, d.host)
				}
			}
			a.setHosts(stay)
			return len(a.decks) < 2
		}
		return o.sheet == b.base() || rank(o.sheet) == rankHost && left(o.focused().host)
	}))
	for _, d := range b.named {
		d.Reload()
	}
}

// Load fills the decks of a host, when its counters are known, with the given paths, or the default ones.
func (b *Book) Load(h *pane.Host, list []string) (errs []error) {
	own := b.own[h]
	if own == nil {
		return nil // it left meanwhile
	}
	b.asked = list
	alone := len(b.desk.Hosts) == 1
	begin := func() []error { return own.begin(pathsFor(b.desk, h, list), len(list) > 0) }
	was, left := b.left[h.Name]
	delete(b.left, h.Name)
	switch {
	case own.loaded:
		errs = own.Reload()
	case left:
		own.restore(was)
	case alone, b.sheet == sheet(own):
		errs = begin()
	default:
		own.late = func() { begin() }
	}
	for _, d := range b.named {
		if d.Shows(h) {
			d.Reload()
		}
	}
	spec := func() []session.DeckPane { // while no other host tells: the paths that were asked for, or the default
		if len(b.asked) > 0 {
			return session.PanesOf(h.Sampler.Catalogue(), pathsFor(b.desk, nil, b.asked))
		}
		return session.DefaultAbreast(h.Sampler.Catalogue())
	}
	b.all.Load(h, spec)
	for _, o := range b.above {
		if a, is := o.sheet.(*Abreast); is && a.of(h) != nil {
			a.Load(h, spec)
		}
	}
	if !alone {
		return nil // what a host lacks says so in its row
	}
	return errs
}

// fill fills a deck that waits to be looked at. It reports whether it did.
func (d *Deck) fill() bool {
	waits := d.late != nil
	if waits {
		d.late()
	}
	return waits
}

// arrive fills decks that are looked at.
func arrive(desk *pane.Desk, decks ...*Deck) {
	came := false
	for _, d := range decks {
		came = d.fill() || came
	}
	if came {
		desk.Reask()
	}
}

// restore fills the deck with what it was. A layout that cannot be read is left out, which
// is said, and stands in the log: there may be several.
func (d *Deck) restore(was session.Deck) {
	d.Load(was.Panes)
	var err error
	if d.divided.tree, err = layout.ParseTree(was.Layout, len(d.panes)); err != nil {
		text := "deck " + printable.Text(d.name) + ": " + err.Error() + "; its panes are placed automatically"
		d.desk.Journal.Add(pane.Entry{Time: d.desk.Now(), Level: pane.Careful, Text: text})
		d.desk.Say(text)
	}
}

// begin fills the deck with the given paths, or the default one if none was asked for on any host.
func (d *Deck) begin(list []string, asked bool) []error {
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
