package session

import (
	_ "embed" // the default decks
	"slices"
	"strconv"
	"strings"

	"perfdeck/paths"
	"perfdeck/session/text/sheet"
)

// Deck is what the start screen shows: panes of counters. TOML is how it is kept, JSON what others are
// given of it.
type Deck struct {
	Name string `toml:"name" json:"name"`
	// Sets are countersets, with *, of which a host has one that the deck is for: there it is
	// offered, of what that host has.
	Sets []string `toml:"sets,omitempty" json:"-"`
	// Layout is how the user divided the screen among the panes; empty:
	// automatic.
	Layout string     `toml:"layout,omitempty" json:"layout,omitempty"`
	Panes  []DeckPane `toml:"panes,omitempty" json:"panes"`
}

// PaneKinds are the words for what a pane is drawn as, see package kind of the screens.
var PaneKinds = []string{"rows", "graph", "meters", "cells", "table"}

// DeckPane is one pane of a deck: counters of one counterset of one host, and rows of
// others. A pane with Busiest shows so many instances with the highest value of its
// only path.
type DeckPane struct {
	Host    string   `toml:"host,omitempty" json:"host,omitempty"`
	Paths   []string `toml:"paths" json:"paths"`
	Or      []string `toml:"or,omitempty" json:"or,omitempty"`       // the paths of a host that lacks the first of them
	Also    []string `toml:"also,omitempty" json:"also,omitempty"`   // of any countersets: rows behind those of the paths
	Kind    string   `toml:"kind,omitempty" json:"kind,omitempty"`   // one of PaneKinds; empty: by the paths
	Limit   string   `toml:"limit,omitempty" json:"limit,omitempty"` // of paths that have none themselves: a number, or the path of a counter
	Busiest int      `toml:"busiest,omitempty" json:"busiest,omitempty"`
	Spare   bool     `toml:"spare,omitempty" json:"spare,omitempty"` // it is shown where there is room for it after the others
	// AsNamed shows what the paths name also where others show what is used: of a user's own
	// paths.
	AsNamed bool `toml:"as_named,omitempty" json:"as_named,omitempty"`
}

// offer is a pane of a default deck, as far as a host offers it.
type offer struct {
	sets     []string // the first that has the first row; they have the same counters
	instance string   // of the rows of rows, in parentheses; "" of a counterset without
	rows     []row
	also     []row  // behind them
	kind     string // where it is not that of the rows
	busiest  int
	spare    bool
	limit    *offer // what is shown in place of the rows where a host tells how much of it may be used
}

// row is a counter of the pane's counterset, or the path of another one.
type row struct {
	text   string
	unless string // the host has this one, which says more
}

// defaults are the panes of the deck of one host, abreast those of several hosts.
var (
	//go:embed deck.txt
	deckSheet string
	//go:embed abreast.txt
	abreastSheet string

	defaults, abreast = offersOf(deckSheet), offersOf(abreastSheet)
)

func offersOf(text string) (out []offer) {
	var before sheet.Row
	for r := range sheet.Rows(text) {
		if r.Part != before.Part || !slices.Equal(r.Of, before.Of) {
			out, before = append(out, newOffer(r.Part, r.Of)), r
		}
		o := &out[len(out)-1]
		how, unless, _ := strings.Cut(r.After(0), "unless ")
		rows := &o.rows
		if strings.HasPrefix(how, "also") {
			rows = &o.also
		}
		*rows = append(*rows, row{r.Name, unless})
	}
	return out
}

// What may be used of the processors and of the memory, where that is less than there is.
var (
	ownProcessors = &offer{sets: []string{ProcessorLimit}, rows: []row{
		{text: "% Processor Time"}, {text: "% User Time"}, {text: "% Privileged Time"}, {text: "% Computer"},
		{text: "% Throttled Time"}, {text: "% Throttled Above Time"},
	}}
	ownMemory = &offer{sets: []string{MemoryLimit}, rows: []row{{text: "Available Bytes"}, {text: "Cache Bytes"}, {text: "Swap Used Bytes"}}}
)

func newOffer(sets string, words []string) offer {
	o := offer{sets: strings.Split(sets, ", ")}
	for _, word := range words {
		most, isMost := strings.CutPrefix(word, "busiest=")
		switch {
		case isMost:
			o.busiest, _ = strconv.Atoi(most)
		case word == "spare":
			o.spare = true
		case word == "sum":
			o.instance = "(" + TotalOfAll + ")"
		case strings.HasPrefix(word, "("):
			o.instance = word
		default:
			o.kind = word
		}
	}
	switch o.sets[0] + o.instance {
	case "Processor Information(_Total)":
		o.limit = ownProcessors
	case "Memory":
		o.limit = ownMemory
	}
	return o
}

// path is the path of a row of a pane of a counterset.
func (o *offer) path(set string, text string) string {
	if strings.HasPrefix(text, `\`) {
		return text
	}
	return `\` + set + o.instance + `\` + text
}

// set is the first counterset that has the first row on a host, the first of all where
// none has; nil knows of no host.
func (o *offer) set(cat *Catalogue) string {
	for _, name := range o.sets {
		if cat.Offers(o.path(name, o.rows[0].text)) {
			return name
		}
	}
	return o.sets[0]
}

// choose are the paths of the rows that a host offers; with all every row, of those that
// stand for each other one.
func (o *offer) choose(cat *Catalogue, rows []row, all bool) (out []string) {
	set := o.set(cat)
	has := func(text string) bool { return text != "" && cat.Offers(o.path(set, text)) }
	for _, r := range rows {
		stoodFor := func(other row) bool { return other.unless == r.text && has(other.text) }
		if has(r.text) && !has(r.unless) || all && r.unless == "" && !slices.ContainsFunc(rows, stoodFor) {
			out = append(out, o.path(set, r.text))
		}
	}
	return out
}

// pane is the pane of a host, with what it offers alone or with all.
func (o *offer) pane(cat *Catalogue, all bool) DeckPane {
	p := DeckPane{Paths: o.choose(cat, o.rows, all), Also: o.choose(cat, o.also, all), Kind: o.kind, Busiest: o.busiest, Spare: o.spare}
	if o.limit != nil {
		if own := o.limit.choose(cat, o.limit.rows, false); len(own) > 0 && own[0] == o.limit.path(o.limit.sets[0], o.limit.rows[0].text) {
			p.Paths, p.Or = own, p.Paths
		}
	}
	return p
}

// DefaultSets are the names of the countersets that default decks show.
func DefaultSets() (names []string) {
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, o := range slices.Concat(defaults, abreast) {
		for _, set := range o.sets {
			add(set)
		}
		if o.limit != nil {
			add(o.limit.sets[0])
		}
		for _, r := range o.also {
			if p, err := paths.Parse(o.path(o.sets[0], r.text)); err == nil {
				add(p.Object)
			}
		}
	}
	return names
}

// DefaultDeck is the deck of a host for which none was written.
func DefaultDeck(host string, cat *Catalogue) Deck {
	d := Deck{Name: host}
	for i := range defaults {
		if pane := defaults[i].pane(cat, false); len(pane.Paths) > 0 {
			pane.Host = host
			d.Panes = append(d.Panes, pane)
		}
	}
	return d
}

// DefaultAbreast is what the deck of several hosts shows of a host: what it lacks
// keeps its row. Without a catalogue it is that of a host that has all.
func DefaultAbreast(cat *Catalogue) []DeckPane {
	out := make([]DeckPane, len(abreast))
	for i := range abreast {
		out[i] = abreast[i].pane(cat, true)
	}
	return out
}

// PanesOf are panes of what a user named of a host: one for each counterset of the paths, in
// their order; of one that is shown by its busiest instances for each counter.
func PanesOf(cat *Catalogue, list []string) (out []DeckPane) {
	at := map[string]int{}
	for _, text := range list {
		p, err := paths.Parse(text)
		if err != nil {
			continue
		}
		set := paths.Fold(p.Object)
		if s := cat.Set(p.Object); s != nil && len(s.Facts) > 0 && p.InstanceText() == "*" {
			set += paths.Fold(p.Counter)
		}
		i, ok := at[set]
		if !ok {
			i = len(out)
			at[set] = i
			out = append(out, DeckPane{AsNamed: true})
		}
		out[i].Paths = append(out[i].Paths, text)
	}
	return out
}

// Chosen are the paths of a pane on a host, nil is one that is not known yet, and those in place of
// which they stand: of what may be used before what there is.
func (p *DeckPane) Chosen(cat *Catalogue) (chosen, or []string) {
	if len(p.Or) > 0 && cat.Offers(p.Or[0]) && (IsOfLimit(p.Or[0]) || !cat.Offers(p.Paths[0])) {
		return p.Or, p.Paths
	}
	return p.Paths, p.Or
}

// Fits tells whether a host has one of the countersets that the deck is for; nil is no host.
func (d *Deck) Fits(cat *Catalogue) bool {
	return cat != nil && slices.ContainsFunc(cat.Sets, d.IsFor)
}

// IsFor tells whether a counterset is one of those that the deck is for.
func (d *Deck) IsFor(set *Counterset) bool {
	return paths.MatchesAny(d.Sets, set.InEnglish())
}

// On is the deck of a host: of what it has, or of all while that is not known.
func (d *Deck) On(host string, cat *Catalogue) Deck {
	lacks := func(text string) bool {
		if cat == nil {
			return false
		}
		_, err := cat.Resolve(text, paths.Options{})
		return err != nil
	}
	out := Deck{Name: d.Name, Layout: d.Layout}
	for _, p := range d.Panes {
		p.Host = host
		p.Paths, p.Or = p.Chosen(cat)
		p.Paths, p.Also = slices.DeleteFunc(slices.Clone(p.Paths), lacks), slices.DeleteFunc(slices.Clone(p.Also), lacks)
		if len(p.Paths) > 0 {
			out.Panes = append(out.Panes, p)
		}
	}
	return out
}

// Offers tells whether the host has the counter of a path and can read it; nil is no
// host.
func (c *Catalogue) Offers(text string) bool {
	p, err := paths.Parse(text)
	if err != nil {
		return false
	}
	_, i := c.Given(p.Object, p.Counter)
	return i >= 0
}
