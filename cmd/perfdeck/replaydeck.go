package main

import (
	"slices"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/replay"
)

const (
	mostDeckPanes = 60 // of the deck of a recording: about what a person pages through
	enoughPanes   = 3  // of the default deck, to begin with
	mostDeckRows  = 8  // instances of a counter that have a row each
)

// recordingDeck is a deck of all that was recorded. It is not needed where the
// usual deck of a host shows all of it; that of several hosts has rows for what was
// not recorded. Left is how many of its panes were too many.
func recordingDeck(player *replay.Player) (deck session.Deck, needed bool, left int) {
	deck.Name = player.About().Files[0]
	hosts := player.Hosts()
	if len(hosts) == 1 && showsAll(session.DefaultDeck(hosts[0].Name(), hosts[0].Catalogue()).Panes, hosts[0]) {
		return deck, false, 0
	}
	for i, some := 0, true; some; i++ { // set by set, so that hosts stand beside each other
		some = false
		for _, h := range hosts {
			sets := h.Catalogue().Sets
			if i >= len(sets) {
				continue
			}
			some = true
			deck.Panes = append(deck.Panes, deckPanes(h, sets[i])...)
		}
	}
	if left = max(len(deck.Panes)-mostDeckPanes, 0); left == 0 {
		return deck, true, 0
	}
	var first []session.DeckPane // what tells most comes first where there is too much
	if start := session.DefaultDeck(hosts[0].Name(), hosts[0].Catalogue()).Panes; len(hosts) == 1 && len(start) >= enoughPanes {
		first = start
	}
	deck.Panes = append(first, deck.Panes...)[:mostDeckPanes]
	return deck, true, left + len(first)
}

// showsAll tells whether panes have a row for all that a recording has of a host:
// of the instances that are ranked, those that are busiest.
func showsAll(panes []session.DeckPane, h *replay.Host) bool {
	type shown struct {
		session.Selection
		ranked bool
	}
	var all []shown
	for _, p := range panes {
		for _, text := range p.Paths {
			list, err := h.Catalogue().Resolve(text, paths.Options{})
			if err != nil {
				continue // it was not recorded
			}
			for _, s := range list {
				all = append(all, shown{s, p.Busiest > 0})
			}
		}
	}
	for _, set := range h.Catalogue().Sets {
		for counter, instances := range h.Recorded(set) {
			for i := range instances {
				in := &instances[i]
				if !slices.ContainsFunc(all, func(s shown) bool {
					return s.Set == set && slices.Contains(s.Counters, counter) && s.Matches(in) && (!s.ranked || in.Flags&session.FlagTotal == 0)
				}) {
					return false
				}
			}
		}
	}
	return true
}

// deckPanes are the panes of a counterset: one with a row for each counter and
// instance; counters of many instances have one each, of the busiest.
func deckPanes(h *replay.Host, set *session.Counterset) []session.DeckPane {
	rows := session.DeckPane{Host: h.Name()}
	var ranked []session.DeckPane
	every := session.Instance{Key: session.InstanceKey{Name: "*"}}
	for counter, instances := range h.Recorded(set) {
		if isRanked(set, instances) {
			ranked = append(ranked, session.DeckPane{Host: h.Name(), Busiest: mostDeckRows, Paths: []string{session.PathOf("", set, counter, &every).String()}})
			instances = slices.DeleteFunc(instances, func(in session.Instance) bool { return in.Flags&session.FlagTotal == 0 })
		}
		for i := range instances {
			rows.Paths = append(rows.Paths, session.PathOf("", set, counter, &instances[i]).String())
		}
	}
	if len(rows.Paths) == 0 {
		return ranked
	}
	return append([]session.DeckPane{rows}, ranked...)
}

// isRanked tells whether the instances of a counter are shown by rank: if they are
// many or, for then the counter needs to be named but once, if it is the only one.
func isRanked(set *session.Counterset, instances []session.Instance) bool {
	const some = 3
	least := mostDeckRows + 1
	if len(set.Counters) == 1 {
		least = some
	}
	n := 0
	for i := range instances {
		switch flags := instances[i].Flags; {
		case flags&session.FlagIdle != 0 && len(instances) <= mostDeckRows:
			return false // the ranking leaves it out
		case flags&session.FlagTotal == 0:
			n++
		}
	}
	return n >= least
}
