// Package decks makes the decks of recordings: what somebody chose to record needs a row each,
// a whole host the usual deck.
package decks

import (
	"cmp"
	"slices"
	"strings"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/hosts/replay"
)

const (
	mostDeckPanes = 60 // of the deck of a recording: about what a person pages through
	enoughPanes   = 3  // of the default deck, to begin with
	mostDeckRows  = 8  // instances of a counter that have a row each
	mostSetRows   = 40 // of a counterset that have a row each
	mostChosen    = 60 // rows that somebody chose one by one
)

// Decks are the decks of recordings.
type Decks struct {
	First session.Deck // that is shown at first; without panes it is the usual one
	All   session.Deck // of all that was recorded; without panes the first one is that
	Left  int          // panes more that all of it would take
}

// Named are those that there are, by the first name of what is played; without any by their own.
// first is the name of the one that is shown at first; empty: the usual one is.
func (d Decks) Named(files ...string) (all []session.Deck, first string) {
	name := ""
	if len(files) > 0 {
		name = files[0]
	}
	if len(d.First.Panes) > 0 {
		d.First.Name = cmp.Or(name, d.First.Name)
		all, first = append(all, d.First), d.First.Name
	}
	if len(d.All.Panes) > 0 {
		d.All.Name = "all of " + cmp.Or(name, d.All.Name)
		all = append(all, d.All)
	}
	return all, first
}

// Of are the decks of what is played. One of a whole host begins with the usual deck of a
// host, and what else it has behind that, several of them with the hosts beside each other;
// one of what somebody chose has all of it. Where the usual deck shows all there is no other.
func Of(player *replay.Player) (d Decks) {
	hosts := player.Hosts()
	var usual []session.DeckPane
	if len(hosts) == 1 {
		usual = session.DefaultDeck(hosts[0].Name(), hosts[0].Catalogue()).Panes
		if showsAll(usual, hosts[0]) {
			return d
		}
	}
	if areWholeHosts(hosts) {
		d.All, d.Left = recordingDeck(player, nil)
		return d
	}
	d.First, d.Left = recordingDeck(player, usual)
	if hasShape(usual) && isWhole(hosts[0]) && rowsOf(d.First.Panes)+d.Left > mostChosen {
		d.All = d.First
		has := slices.DeleteFunc(slices.Clone(usual), func(p session.DeckPane) bool { return lacksParts(hosts[0], p.Paths[0]) })
		d.First.Panes = append(has, further(hosts[0], usual)...)
	}
	return d
}

// lacksParts tells that a path means each instance of a counterset, of which a recording has the
// total alone.
func lacksParts(h *replay.Host, text string) bool {
	list, err := h.Catalogue().Resolve(text, paths.Options{})
	if err != nil || len(list) == 0 || list[0].Path.Instance != "*" {
		return false
	}
	s := &list[0]
	return !slices.ContainsFunc(h.Recorded(s.Set)[s.Counters[0]], func(in session.Instance) bool {
		return in.Flags&session.FlagTotal == 0 && s.Matches(&in)
	})
}

// areWholeHosts tells whether all of several hosts are whole: what was not recorded has a row
// that says so.
func areWholeHosts(hosts []*replay.Host) bool {
	return len(hosts) > 1 && !slices.ContainsFunc(hosts, func(h *replay.Host) bool { return !isWhole(h) })
}

// isWhole tells whether a recording has most of what the screens compare of hosts: of its
// processors, memory, disks and networks.
func isWhole(h *replay.Host) bool {
	const columns, most = 4, 3
	n := 0
	for _, pane := range session.DefaultAbreast(h.Catalogue())[:columns] {
		if h.Catalogue().Offers(pane.Paths[0]) {
			n++
		}
	}
	return n >= most
}

// hasShape tells whether the usual deck has its shape: a graph of the processors at the top.
func hasShape(usual []session.DeckPane) bool {
	return slices.ContainsFunc(usual[:min(1, len(usual))], func(p session.DeckPane) bool {
		return strings.HasSuffix(p.Paths[0], `(_Total)\% Processor Time`)
	})
}

// rowsOf is how many rows panes have at least.
func rowsOf(panes []session.DeckPane) (n int) {
	for _, p := range panes {
		n += max(len(p.Paths), p.Busiest)
	}
	return n
}

// further are panes of the countersets that others do not show, one each, for where
// the screen has room.
func further(h *replay.Host, than []session.DeckPane) (out []session.DeckPane) {
	shown := map[string]bool{}
	for _, p := range than {
		if path, err := paths.Parse(p.Paths[0]); err == nil {
			if set := h.Catalogue().Set(path.Object); set != nil {
				shown[paths.Fold(set.InEnglish())] = true
			}
		}
	}
	for _, set := range h.Catalogue().Sets {
		if panes, _ := deckPanes(h, set); len(panes) > 0 && !shown[paths.Fold(set.InEnglish())] {
			panes[0].Spare = true
			out = append(out, panes[0])
		}
	}
	return out
}

// recordingDeck is a deck of all that was recorded: of one host where that is too much it
// begins with the usual one. Left is how many panes more all of it would take.
func recordingDeck(player *replay.Player, usual []session.DeckPane) (deck session.Deck, left int) {
	deck.Name = player.About().Files[0]
	hosts := player.Hosts()
	for i, some := 0, true; some; i++ { // set by set, so that hosts stand beside each other
		some = false
		for _, h := range hosts {
			sets := h.Catalogue().Sets
			if i >= len(sets) {
				continue
			}
			some = true
			panes, none := deckPanes(h, sets[i])
			deck.Panes = append(deck.Panes, panes...)
			left += none
		}
	}
	over := max(len(deck.Panes)-mostDeckPanes, 0)
	if over == 0 {
		return deck, left
	}
	var first []session.DeckPane // what tells most comes first where there is too much
	if len(usual) >= enoughPanes {
		first = slices.Clone(usual)
	}
	deck.Panes = append(first, deck.Panes...)[:mostDeckPanes]
	return deck, left + over + len(first)
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
		for _, text := range slices.Concat(p.Paths, p.Also) {
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
// instance. Where they are too many the busiest instances have a pane, by the
// counter that tells most of them, and the others have a row for the total. Left
// is how many counters have no row then.
func deckPanes(h *replay.Host, set *session.Counterset) (panes []session.DeckPane, left int) {
	rows := session.DeckPane{Host: h.Name()}
	recorded := h.Recorded(set)
	crowded := isCrowded(set, recorded)
	leader := -1
	if crowded {
		leader = leaderOf(set, recorded)
	}
	if leader >= 0 {
		every := session.Instance{Key: session.InstanceKey{Name: "*"}}
		panes = append(panes, session.DeckPane{Host: h.Name(), Busiest: mostDeckRows, Paths: []string{session.PathOf("", set, leader, &every).String()}})
	}
	for counter, instances := range recorded {
		if isTwice(set, recorded, counter) {
			continue
		}
		if crowded {
			n := len(instances)
			instances = slices.DeleteFunc(instances, func(in session.Instance) bool { return !isOfAll(&in, n) })
			if isName(set.Counters[counter].InEnglish()) {
				instances = nil // a sum of names tells nothing
			}
			if len(instances) == 0 && n > 0 && counter != leader {
				left++
			}
		}
		for i := range instances {
			rows.Paths = append(rows.Paths, session.PathOf("", set, counter, &instances[i]).String())
		}
	}
	if len(rows.Paths) > 0 {
		panes = append(panes, rows)
	}
	return panes, left
}

// isTwice tells whether a counter is one of those that were recorded in a larger unit, as
// Available KBytes and MBytes are Available Bytes: they would have rows that read alike.
func isTwice(set *session.Counterset, recorded [][]session.Instance, counter int) bool {
	name := set.Counters[counter].InEnglish()
	for _, unit := range []string{" KBytes", " MBytes"} {
		if stem, ok := strings.CutSuffix(name, unit); ok {
			i, known := set.Counter(stem + " Bytes")
			return known && len(recorded[i]) >= len(recorded[counter])
		}
	}
	return false
}

// isOfAll tells whether an instance stands for all n of its counter: the total of
// all, not that of a part as `0,_Total`, or the only one.
func isOfAll(in *session.Instance, n int) bool {
	return n == 1 || in.Flags&session.FlagTotal != 0 && paths.EqualFold(in.Key.Name, "_Total") && in.Key.Parent == ""
}

// isCrowded tells whether a counterset has too much for a row each.
func isCrowded(set *session.Counterset, recorded [][]session.Instance) bool {
	rows, several := 0, false
	for counter, instances := range recorded {
		if !set.Counters[counter].Type.IsText() && isRanked(set, instances) {
			return true
		}
		rows += len(instances)
		several = several || len(instances) > 2 // more than one and the total
	}
	return several && rows > mostSetRows
}

// leaderOf is the counter by which the instances of a set are ranked: the time of
// processors, as everywhere, else the first rate or share, else the first that is
// no name; -1 if there is none.
func leaderOf(set *session.Counterset, recorded [][]session.Instance) int {
	leader, best := -1, 0
	for counter, instances := range recorded {
		c, rank := &set.Counters[counter], 0
		switch {
		case len(instances) < 2 || isName(c.InEnglish()) || c.Type.IsText():
		case paths.EqualFold(c.InEnglish(), "% Processor Time"):
			rank = 3
		case isFlow(c.Quantity.Kind):
			rank = 2
		default:
			rank = 1
		}
		if rank > best {
			leader, best = counter, rank
		}
	}
	return leader
}

// isFlow tells what happens just now from what is there.
func isFlow(kind cooker.QuantityKind) bool {
	switch kind {
	case cooker.PerSecond, cooker.Percent, cooker.BytesPerSecond, cooker.BitsPerSecond:
		return true
	case cooker.Count, cooker.Bytes, cooker.Seconds, cooker.Hertz, cooker.ServiceState, cooker.ServiceStart:
	}
	return false
}

// isName tells counters whose numbers are names, places or dates: the highest of
// them is no busier than others. They are those of Process, Process V2 and Thread.
func isName(counter string) bool {
	counter = paths.Fold(counter)
	return slices.ContainsFunc([]string{
		"ID Process", "Process ID", "Creating Process ID", "ID Thread", "Thread ID", "Priority Base", "Priority Current",
		"Thread State", "Thread Wait Reason", "Start Address", "Start Time", "Elapsed Time",
	}, func(name string) bool { return counter == paths.Fold(name) })
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
