package tui

import (
	"time"

	"perfdeck/session"
	"perfdeck/tui/keys"
	"perfdeck/tui/pane"
	"perfdeck/tui/pane/deck"
	"perfdeck/tui/pane/explain"
)

// Key is one line of the key table: what keys do on a screen.
type Key struct {
	Screen  string // "everywhere" for those of the root
	Section string
	Keys    string
	Text    string
}

// KeyTable lists every key of every screen, from the same bindings that the
// screens obey.
func KeyTable() []Key {
	host := &pane.Host{}
	r := newRoot(Options{Now: time.Now, Hosts: []*pane.Host{host}})
	type part struct {
		name     string
		bindings []keys.Binding
	}
	table := []part{{"everywhere", r.bindings()}}
	for _, t := range r.tabs {
		table = append(table, part{t.screen.Title(), t.screen.Bindings()})
		if t.tab == pane.TabDeck {
			table = append(table, part{"Deck of several hosts", deck.NewAbreast(r.desk, r.desk.Hosts).Bindings()})
		}
	}
	table = append(table, part{"Explain", explain.New(r.desk, pane.Target{Host: host, Set: &session.Counterset{}}).Bindings()})
	var out []Key
	for _, t := range table {
		for _, s := range keys.Sections {
			for _, h := range keys.HelpOf(s, t.bindings) {
				out = append(out, Key{Screen: t.name, Section: string(s), Keys: h.Keys, Text: h.Text})
			}
		}
	}
	return out
}
