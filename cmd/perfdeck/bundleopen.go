package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/app/ruleset"
	"perfdeck/session/files/screenlog"
	"perfdeck/session/hosts/replay"
	"perfdeck/tui"
	"perfdeck/tui/pane"
)

// What stands beside the recordings of a bundle, where one is opened: none of it comes
// from the settings of whoever made it, and nothing of it acts.

// rulesOver are the rules that recordings are judged by: those of the bundles among them
// where there are some, else those in force here, and those of the command line.
func (p *program) rulesOver(packs, texts []string, report func(error)) ([]alert.Rule, error) {
	return ruleset.Over(p.spooled().Bundles(), p.config, packs, texts, report)
}

// bundleOptions fills in what bundles have for the screens beside their recordings.
func (p *program) bundleOptions(o *tui.Options) {
	decks := 0
	var first string
	for _, b := range p.spooled().Bundles() {
		for _, d := range b.Decks {
			name := d.Name
			for n := 2; slices.ContainsFunc(o.Decks, func(o session.Deck) bool { return strings.EqualFold(o.Name, d.Name) }); n++ {
				d.Name = fmt.Sprintf("%s (%d)", name, n)
			}
			if decks++; decks == 1 {
				first = d.Name
			}
			o.Decks = append(o.Decks, d)
		}
		told := map[string]bool{}
		for _, e := range b.Log {
			told[e.Text] = true
			level := pane.Level(slices.Index(screenlog.Levels, e.Level))
			o.Logged = append(o.Logged, pane.Entry{Time: e.Time, Level: level, Host: e.Host, Text: e.Text})
		}
		for i := range b.Events {
			e := &b.Events[i]
			if text := e.Text(); !told[text] {
				level := pane.Info
				if e.Kind == alert.Fired {
					level = pane.LevelOf(e.Severity)
				}
				o.Logged = append(o.Logged, pane.Entry{Time: e.Time, Level: level, Host: e.ID.Host, Text: text})
			}
		}
	}
	if decks == 1 {
		o.Deck = first
	}
	slices.SortStableFunc(o.Logged, func(a, b pane.Entry) int { return a.Time.Compare(b.Time) })
}

// played are the bundles that are played, where nothing else is; nil: there are others.
func (p *program) played(player *replay.Player) (names []string) {
	packed := 0
	for _, b := range p.spooled().Bundles() {
		packed += len(b.Files)
		names = append(names, filepath.Base(b.File))
	}
	if packed != len(player.About().Files) {
		return nil
	}
	return names
}
