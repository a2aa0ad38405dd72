package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/alert/ruleset"
	"perfdeck/session/config"
	"perfdeck/session/record/bundle"
	"perfdeck/session/record/daybook"
	"perfdeck/session/record/note"
	"perfdeck/session/record/note/notebook"
	"perfdeck/session/source/replay"
	"perfdeck/session/system/osfile"
	"perfdeck/tui"
	"perfdeck/tui/pane"
)

// What stands beside the recordings of a bundle, where one is opened: none of it comes
// from the settings of whoever made it, and nothing of it acts.

// isBundle tells a bundle from an archive of recordings. One that is damaged is told by its
// name.
func isBundle(name string) bool {
	return strings.EqualFold(filepath.Ext(name), bundle.Extension) || bundle.Is(name)
}

// openBundle unpacks a bundle into a folder. Its notes lie beside its first recording, as
// those of any other.
func (p *program) openBundle(name, folder string) ([]string, error) {
	b, err := bundle.Open(p.context(), name, folder)
	if err != nil {
		return nil, err
	}
	if len(b.Notes) > 0 {
		if err := osfile.Write(notebook.Beside(b.Files[0]), note.Lines(b.Notes), 0o600, false); err != nil {
			return nil, fmt.Errorf("open %s: %w", session.Printable(name), err)
		}
	}
	if b.Damaged > 0 {
		p.report(fmt.Errorf("open %s: %s beside its recordings could not be read and %s left out", session.Printable(name), count(b.Damaged, "line", "lines"), wasWere(b.Damaged)))
	}
	p.bundles = append(p.bundles, b)
	return b.Files, nil
}

func wasWere(n int) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

// rulesOver are the rules that recordings are judged by: those of the bundles among them
// where there are some, else those in force here. With both come the ones of the command
// line.
func (p *program) rulesOver(packs, texts []string, report func(error)) ([]alert.Rule, error) {
	if len(p.bundles) == 0 {
		return ruleset.InForce(p.config, packs, texts, report)
	}
	rules, err := ruleset.Of(new(config.Config), packs, texts)
	if err != nil {
		return nil, err
	}
	for _, b := range p.bundles {
		for _, r := range b.Rules {
			if !slices.ContainsFunc(rules, func(o alert.Rule) bool { return o.Name == r.Name }) {
				r.Origin = session.Printable(filepath.Base(b.File))
				rules = append(rules, r)
			}
		}
	}
	return rules, nil
}

// bundleOptions fills in what bundles have for the screens beside their recordings.
func (p *program) bundleOptions(o *tui.Options) {
	decks := 0
	var first string
	for _, b := range p.bundles {
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
		for _, e := range b.Log {
			level := pane.Level(slices.Index(daybook.Levels, e.Level))
			o.Logged = append(o.Logged, pane.Entry{Time: e.Time, Level: level, Host: e.Host, Text: e.Text})
		}
		told := map[string]bool{}
		for _, e := range b.Log {
			told[e.Text] = true
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

// actsIn are what users did to alerts and rules, as bundles tell of it.
func (p *program) actsIn() (acts []alert.Event) {
	for _, b := range p.bundles {
		for _, e := range b.Events {
			if e.Kind.IsAct() {
				acts = append(acts, e)
			}
		}
	}
	slices.SortStableFunc(acts, func(a, b alert.Event) int { return a.Time.Compare(b.Time) })
	return acts
}

// played are the bundles that are played, where nothing else is; nil: there are others.
func (p *program) played(player *replay.Player) (names []string) {
	packed := 0
	for _, b := range p.bundles {
		packed += len(b.Files)
		names = append(names, filepath.Base(b.File))
	}
	if packed != len(player.About().Files) {
		return nil
	}
	return names
}
