package main

import (
	"slices"

	"perfdeck/session"
	"perfdeck/session/replay"
)

const (
	mostDeckPanes = 12 // of the deck of a recording
	mostDeckRows  = 8  // of one of its panes
	enoughPanes   = 3  // of the default deck
)

// recordingDeck is a deck of what a recording has, for one that has little of
// what the default deck shows.
func recordingDeck(player *replay.Player) (deck session.Deck, needed bool) {
	deck.Name = player.About().Files[0]
	hosts := player.Hosts()
	if len(session.DefaultDeck("", hosts[0].Catalogue()).Panes) >= enoughPanes {
		return deck, false
	}
	for i := 0; len(deck.Panes) < mostDeckPanes; i++ { // set by set, so that each host has its first ones
		some := false
		for _, h := range hosts {
			if sets := h.Catalogue().Sets; i < len(sets) && len(deck.Panes) < mostDeckPanes {
				some = true
				deck.Panes = append(deck.Panes, deckPane(h, sets[i]))
			}
		}
		if !some {
			break
		}
	}
	return deck, len(deck.Panes) > 0
}

// deckPane shows the first counters of a counterset; of many instances those that
// are busiest by the first counter.
func deckPane(h *replay.Host, set *session.Counterset) session.DeckPane {
	out := session.DeckPane{Host: h.Name()}
	instances := h.Instances(set)
	if len(instances) > mostDeckRows {
		every := session.Instance{Key: session.InstanceKey{Name: "*"}}
		return session.DeckPane{Host: h.Name(), Busiest: mostDeckRows, Paths: []string{session.PathOf("", set, 0, &every).String()}}
	}
	for c := range set.Counters {
		for _, in := range instances {
			path := session.PathOf("", set, c, &in).String()
			if h.Has(set, c, in.Key) && len(out.Paths) < mostDeckRows && !slices.Contains(out.Paths, path) {
				out.Paths = append(out.Paths, path)
			}
		}
	}
	return out
}
