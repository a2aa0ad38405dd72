package tui

import (
	"slices"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/tui/pane"
	"perfdeck/tui/pane/deck"
)

// views are what can be shown: the screens of each host and, with several, the
// deck of all of them.
type views struct {
	hosts []*pane.Host
	sets  []*screens    // of each host
	all   *deck.Abreast // nil with one host

	host    int  // whose screens are shown
	showAll bool // all is shown instead
	fromAll bool // Back leads to all
}

// screen is the one that is shown.
func (v *views) screen() pane.Screen {
	if v.showAll {
		return v.all
	}
	return v.sets[v.host].screen()
}

// focused is the host that keys mean.
func (v *views) focused() *pane.Host {
	if v.showAll {
		return v.all.Host()
	}
	return v.hosts[v.host]
}

// showHost shows the screens of a host.
func (v *views) showHost(h *pane.Host) *screens {
	v.fromAll = v.showAll
	v.host, v.showAll = slices.Index(v.hosts, h), false
	v.catchUp()
	return v.sets[v.host]
}

// catchUp tells the screen that comes to the front what it missed: only what is
// shown gets every snapshot.
func (v *views) catchUp() { v.sets[v.host].snapshot(v.hosts[v.host]) }

// show shows the screen of a tab; the first one is the deck of all hosts, where
// there are several.
func (v *views) show(tab int) {
	if tab == 0 && v.all != nil {
		v.sets[v.host].sub = nil
		v.showAll = true
		return
	}
	if v.showAll {
		v.showHost(v.all.Host())
	}
	v.sets[v.host].show(tab)
	v.catchUp()
}

// back leaves a screen that was opened from another.
func (v *views) back() {
	set := v.sets[v.host]
	wasDeck := set.sub == nil && set.current == 0
	set.sub = nil
	if v.all != nil && (v.fromAll || wasDeck) {
		v.showAll, v.fromAll = true, false
	}
	v.catchUp()
}

// visible tells whether something of a host is on the screen.
func (v *views) visible(i int) bool { return v.showAll || i == v.host }

// snapshot tells the screens that show a host of its new snapshot.
func (v *views) snapshot(i int) {
	if v.all != nil {
		v.all.Snapshot(v.hosts[i])
	}
	if v.all == nil || !v.showAll && i == v.host {
		v.sets[i].snapshot(v.hosts[i])
	}
}

// load fills the decks of a host, when its counters are known.
func (v *views) load(i int, list []string) []error {
	errs := v.sets[i].load(list)
	if v.all == nil {
		return errs
	}
	spec := session.DefaultAbreast()
	if len(list) > 0 {
		spec = bySet(list)
	}
	v.all.Load(v.hosts[i], spec)
	return nil // what a host lacks says so in its row
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
			spec = append(spec, session.DeckPane{})
		}
		spec[i].Paths = append(spec[i].Paths, text)
	}
	return spec
}

// asks are what the screens want to know of a host.
func (v *views) asks(i int) []session.Ask {
	h := v.hosts[i]
	if v.all == nil {
		return v.sets[i].asks(h)
	}
	asks := v.all.Asks(h)
	if !v.showAll && i == v.host {
		asks = append(asks, v.sets[i].asks(h)...)
	}
	return asks
}

func (v *views) askStale() bool {
	a, ok := v.screen().(interface{ AskStale() bool })
	return ok && a.AskStale()
}

// add puts a counter on the deck that is shown.
func (v *views) add(path string) error {
	if v.showAll {
		return v.all.Add(path)
	}
	return v.sets[v.host].deck.Add(path)
}
