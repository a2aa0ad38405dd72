package deck

import (
	"maps"
	"slices"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/tui/pane"
)

// Load fills the deck with panes, from the first row on and without a past.
// Paths that mean nothing on the host are left out; the errors are returned.
func (d *Deck) Load(spec []session.DeckPane) []error {
	d.panes, d.focus, d.selected, d.divided.tree, d.divided.aim = nil, 0, rowID{}, nil, nil
	clear(d.marks)
	return d.load(spec)
}

// Reload looks the paths of the deck up in the newest catalogues. What a host
// has no more leaves the deck, or says so on a lasting one.
func (d *Deck) Reload() []error { return d.load(d.Spec()) }

func (d *Deck) load(spec []session.DeckPane) []error {
	var errs []error
	old := d.panes
	d.panes = nil
	for i, p := range spec {
		b := &block{host: d.hostOf(p.Host), spec: p}
		b.spec.Paths, b.spec.Also, b.spec.Busiest = nil, nil, max(0, min(p.Busiest, busiestKept))
		var chosen []string
		chosen, b.spec.Or = p.Chosen(b.host.Offered())
		for n, text := range slices.Concat(chosen, p.Also) {
			items, err := d.resolve(b.catalogue(), text, d.isLasting())
			if err != nil {
				errs = append(errs, err)
				continue
			}
			for _, it := range items {
				it.also = n >= len(chosen)
			}
			b.add(text, items)
		}
		if len(b.items) == 0 {
			continue
		}
		if d.compact && b.spec.Busiest == 0 && ranks(b.items) { // as one that is added
			b.spec.Busiest = busiestShown
		}
		at := i
		if len(old) != len(spec) { // panes came or left
			at = slices.IndexFunc(old, func(o *block) bool { // which has a path of this one
				return o != nil && o.spec.Host == b.spec.Host && slices.ContainsFunc(b.spec.Paths, func(p string) bool { return slices.Contains(o.spec.Paths, p) })
			})
		}
		if at >= 0 && old[at] != nil && old[at].spec.Host == b.spec.Host {
			b.goOn(old[at])
			old[at] = nil
		}
		d.panes = append(d.panes, b)
	}
	d.settleKinds()
	d.loaded, d.late = true, nil
	d.focus = min(d.focus, max(0, len(d.panes)-1))
	if len(d.panes) != len(spec) { // a pane is missing
		d.divided.tree, d.divided.aim = nil, nil
	}
	d.refresh()
	d.dropMarks()
	return errs
}

// goOn lets a pane have what it had before its paths were looked up again: its items, of which
// the selection and the marks are, how many instances there were at the start, as places
// depend on it, its table, its scale, and how it was before its kind was changed.
func (b *block) goOn(was *block) {
	for i, it := range b.items {
		at := slices.IndexFunc(was.items, func(had *item) bool { return had.text == it.text && had.name() == it.name() })
		if at >= 0 {
			b.items[i] = was.items[at]
			was.items = slices.Delete(was.items, at, at+1)
			*b.items[i] = *it
		}
	}
	if was.set.Name == b.set.Name && was.spec.Kind == b.spec.Kind && slices.Equal(was.spec.Paths, b.spec.Paths) {
		b.cells = was.cells
	}
	if h := was.kinds.home; h != nil && h.variants[h.at].Kind == b.spec.Kind && slices.Equal(h.variants[h.at].Paths, b.spec.Paths) {
		b.kinds.home = h
	}
	if was.set == b.set && was.spec.Busiest == b.spec.Busiest && slices.Equal(was.spec.Paths, b.spec.Paths) {
		b.scale, b.scaled = was.scale, was.scaled
		if b.tab = was.tab; b.tab.table != nil {
			b.tab.table.Coming = b.isComing
		}
	}
}

// settleKinds finds out what the panes are drawn as.
func (d *Deck) settleKinds() {
	d.looks = d.desk.Numbers.Generation()
	for _, b := range d.panes {
		b.derive(d.desk.Numbers)
	}
}

// dropMarks forgets the marks of items that left the deck.
func (d *Deck) dropMarks() {
	maps.DeleteFunc(d.marks, func(id rowID, _ bool) bool {
		return !slices.ContainsFunc(d.panes, func(b *block) bool { return slices.Contains(b.items, id.item) })
	})
}

// Spec is the deck as it could be written to a file.
func (d *Deck) Spec() []session.DeckPane {
	out := make([]session.DeckPane, 0, len(d.panes))
	for _, b := range d.panes {
		spec := b.spec
		spec.Paths, spec.Also = slices.Clone(b.spec.Paths), slices.Clone(b.spec.Also)
		out = append(out, spec)
	}
	return out
}

// add appends the items of one path. A pane holds one counterset.
func (b *block) add(text string, items []*item) {
	if items[0].also {
		b.spec.Also = append(b.spec.Also, text)
	} else {
		b.spec.Paths = append(b.spec.Paths, text)
	}
	if b.set == nil || b.items[0].missing {
		b.set = items[0].sel.Set
	}
	b.items, b.targets, b.kinds.home, b.cells = append(b.items, items...), nil, nil, 0
}

// name is that of the counter.
func (it *item) name() string { return it.sel.Set.Counters[it.counter].Name }

// resolve makes the items of a path: one for each counter that it means. With
// lasting a counter that the host lacks is an item too.
func (d *Deck) resolve(cat *session.Catalogue, text string, lasting bool) ([]*item, error) {
	var found []session.Target
	err := errNoCatalogue
	if cat != nil {
		found, err = session.Question{Text: text}.Resolve(cat, paths.Options{})
	}
	if p, bad := paths.Parse(text); err != nil && lasting && bad == nil {
		set := &session.Counterset{Name: p.Object, Counters: []session.Counter{{Name: p.Counter}}}
		return []*item{{text: text, sel: session.Target{Selection: session.Selection{Path: p, Set: set, Counters: []int{0}}}, missing: true}}, nil
	}
	if err != nil {
		return nil, err
	}
	var out []*item
	for _, sel := range found {
		for _, c := range sel.Counters {
			sel.Counters = []int{c}
			out = append(out, &item{text: text, sel: sel, counter: c, look: pane.LookPath(sel.Set, c)})
		}
	}
	return out, nil
}

// Asks are the counters of all panes, and those that were removed a short while
// ago: their history goes on, for the removal may be undone.
func (d *Deck) Asks(h *pane.Host) []session.Ask {
	var asks []session.Ask
	for _, b := range d.panes {
		switch {
		case b.host != h:
		case d.isTable(b):
			asks = d.asksOfTable(b, asks)
		default:
			asks = b.appendAsks(asks)
		}
	}
	now := d.desk.Now()
	d.removed = slices.DeleteFunc(d.removed, func(r removed) bool { return !now.Before(r.until) })
	for _, r := range d.removed {
		// A set of a catalogue that was renewed meanwhile means nothing.
		if cat := h.Sampler.Catalogue(); r.host == h && cat != nil && slices.Contains(cat.Sets, r.ask.Set) {
			asks = append(asks, r.ask)
		}
	}
	return asks
}

// appendAsks appends what a pane wants to know, and what limits that.
func (b *block) appendAsks(asks []session.Ask) []session.Ask {
	for _, it := range b.items {
		if it.missing {
			continue
		}
		if it.ask.Set == nil {
			it.ask = it.makeAsk(b.spec.Busiest > 0)
		}
		asks = append(asks, it.ask)
	}
	for _, it := range b.items {
		if ask, ok := it.drawn.Limit.Ask(); ok && !it.missing {
			asks = append(asks, ask)
		}
	}
	return session.AskExtent(asks, b.set)
}

// makeAsk is what an item of a pane wants to know, of the busiest instances or of all.
func (it *item) makeAsk(busiest bool) session.Ask {
	ask := it.sel.Ask()
	if p := &it.sel.Path; p.Instance == totalInstance && p.Parent == "" && it.sel.Combine == nil {
		ask.OnlyOf(session.TotalInstance)
	}
	keep := session.Keep{Counters: ask.Counters}
	if busiest {
		keep.Busiest, keep.By, keep.Recent = busiestKept, it.counter, true
		if p := &it.sel.Path; p.Instance == everyInstance && p.Parent == "" {
			ask.Leads = []session.Lead{{By: it.counter, Rows: 2 * busiestKept}}
		}
	} else {
		keep.Match = it.sel.Matches
	}
	ask.Keep = []session.Keep{keep}
	return ask
}

// removed is what left a pane, and until when it is still asked for.
type removed struct {
	host  *pane.Host
	ask   session.Ask
	until time.Time
}

const (
	removedKept = 5 * time.Minute
	mostRemoved = 100
)

// linger keeps asking for what leaves a pane.
func (d *Deck) linger(b *block, items []*item) {
	left := &block{spec: b.spec, items: items}
	for _, ask := range left.appendAsks(nil) {
		d.removed = append(d.removed, removed{b.host, ask, d.desk.Now().Add(removedKept)})
	}
	d.removed = d.removed[max(0, len(d.removed)-mostRemoved):]
}

// busiestKept is of how many rows of a table history is kept.
const busiestKept = 30
