package session

import (
	"slices"
	"strings"

	"perfdeck/paths"
)

// Deck is what the start screen shows: panes of counters.
type Deck struct {
	Name string `toml:"name"`
	// Layout is how the user divided the screen among the panes; empty:
	// automatic.
	Layout string     `toml:"layout,omitempty"`
	Panes  []DeckPane `toml:"panes,omitempty"`
}

// PaneKinds are the words for what a pane is drawn as, see package kind of the screens.
var PaneKinds = []string{"rows", "graph", "meters", "cells", "table"}

// DeckPane is one pane of a deck: counters of one counterset of one host, and rows of
// others. A pane with Busiest shows so many instances with the highest value of its
// only path.
type DeckPane struct {
	Host    string   `toml:"host,omitempty"`
	Paths   []string `toml:"paths"`
	Also    []string `toml:"also,omitempty"`  // of any countersets: rows behind those of the paths
	Kind    string   `toml:"kind,omitempty"`  // one of PaneKinds; empty: by the paths
	Limit   string   `toml:"limit,omitempty"` // of paths that have none themselves: a number, or the path of a counter
	Busiest int      `toml:"busiest,omitempty"`
	Spare   bool     `toml:"spare,omitempty"` // it is shown where the deck of a host has room for it
}

// defaultPaths are the counters of the start screen, pane by pane: those that
// tell first whether a computer is well. What a host lacks is left out.
var defaultPaths = []DeckPane{
	{Paths: []string{
		`\Processor Information(_Total)\% Processor Time`,
		`\Processor Information(_Total)\% User Time`,
		`\Processor Information(_Total)\% Privileged Time`,
		`\Processor Information(_Total)\% I/O Wait`,
		`\Processor Information(_Total)\% Steal`,
	}},
	{Paths: []string{
		`\Memory\Available MBytes`,
		`\Memory\% Committed Bytes In Use`,
		`\Memory\Cache Bytes`,
		`\Memory\Pages/sec`,
		`\Memory\Page Faults/sec`,
	}},
	{Paths: []string{
		`\System\Processor Queue Length`,
		`\System\Context Switches/sec`,
		`\System\Processes`,
		`\System\Threads`,
		`\System\System Up Time`,
	}},
	{Paths: []string{
		`\PhysicalDisk(_Total)\Disk Read Bytes/sec`,
		`\PhysicalDisk(_Total)\Disk Write Bytes/sec`,
		`\PhysicalDisk(_Total)\Avg. Disk sec/Transfer`,
		`\PhysicalDisk(_Total)\Current Disk Queue Length`,
		`\PhysicalDisk(_Total)\% Idle Time`,
	}},
	{Paths: []string{`\Network Interface(*)\Bytes Total/sec`}, Busiest: 4},
	{Paths: []string{`\Process(*)\% Processor Time`}, Busiest: 12},
}

// DefaultSets are the names of the countersets that default decks show.
func DefaultSets() []string {
	names := []string{"Process V2"}
	for _, p := range slices.Concat(defaultPaths, abreastPaths) {
		for _, text := range p.Paths {
			if parsed, err := paths.Parse(text); err == nil && !slices.Contains(names, parsed.Object) {
				names = append(names, parsed.Object)
			}
		}
	}
	return names
}

// DefaultDeck is the deck of a host for which none was written.
func DefaultDeck(host string, cat *Catalogue) Deck {
	d := Deck{Name: host}
	for _, p := range defaultPaths {
		pane := DeckPane{Host: host, Busiest: p.Busiest}
		for _, text := range p.Paths {
			if text = cat.preferred(text); cat.offers(text) {
				pane.Paths = append(pane.Paths, text)
			}
		}
		if len(pane.Paths) > 0 {
			d.Panes = append(d.Panes, pane)
		}
	}
	return d
}

// preferred is a path of a default deck on this host: processes are those of
// Process V2 where it has them, which tells those of one name apart.
func (c *Catalogue) preferred(text string) string {
	if newer := strings.Replace(text, `\Process(`, `\Process V2(`, 1); c != nil && c.offers(newer) {
		return newer
	}
	return text
}

// abreastPaths are the counters of the deck of several hosts.
var abreastPaths = []DeckPane{
	{Paths: []string{`\Processor Information(_Total)\% Processor Time`}},
	{Paths: []string{`\System\Processor Queue Length`}},
	{Paths: []string{`\Memory\Available MBytes`, `\Memory\% Committed Bytes In Use`, `\Memory\Pages/sec`}},
	{Paths: []string{
		`\PhysicalDisk(_Total)\Avg. Disk sec/Transfer`,
		`\PhysicalDisk(_Total)\Disk Bytes/sec`,
		`\PhysicalDisk(_Total)\Current Disk Queue Length`,
	}},
	{Paths: []string{`\Network Interface(*)\Bytes Total/sec`}, Busiest: 2},
	{Paths: []string{`\Process(*)\% Processor Time`}, Busiest: 3},
}

// DefaultAbreast is what the deck of several hosts shows of a host.
func DefaultAbreast(cat *Catalogue) []DeckPane {
	out := make([]DeckPane, len(abreastPaths))
	for i, p := range abreastPaths {
		out[i] = p
		out[i].Paths = make([]string, len(p.Paths))
		for k, text := range p.Paths {
			out[i].Paths[k] = cat.preferred(text)
		}
	}
	return out
}

// offers tells whether the host has the counter of a path and can read it.
func (c *Catalogue) offers(text string) bool {
	p, err := paths.Parse(text)
	if err != nil {
		return false
	}
	set := c.Set(p.Object)
	if set == nil {
		return false
	}
	i, ok := set.Counter(p.Counter)
	return ok && set.Counters[i].Absent == ""
}
