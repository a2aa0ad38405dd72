package deck

import (
	"slices"
	"strings"

	"perfdeck/paths"
	"perfdeck/session/text/printable"
	"perfdeck/tui/pane"
	"perfdeck/tui/search"
)

// askFilter filters the rows of all panes while it is typed.
func (b *Book) askFilter() {
	b.desk.Send(pane.AskText{
		Title: "Filter", Text: strings.Join(b.words, " "), Help: "words of counters and instances, in all panes",
		Each: b.setFilter, Done: b.setFilter,
	})
}

// setFilter shows on all decks only what has the words of a text.
func (b *Book) setFilter(text string) error {
	b.words = strings.Fields(paths.Fold(text))
	b.filter(b.words)
	return nil
}

// filter shows what has all of some words.
func (d *Deck) filter(words []string) {
	if !slices.Equal(d.words, words) {
		d.stale = d.stale || (len(d.words) == 0) != (len(words) == 0) // a filter wants all instances
		d.words = words
		d.refresh()
	}
}

// passes tells whether a line has all words of the filter: in its names, in that of its
// counterset, or by what these are called elsewhere.
func (d *Deck) passes(l *line) bool {
	text := paths.Fold(strings.Join([]string{l.name, l.inst, printable.Text(l.key.Name), l.item.sel.Set.Name}, " "))
	return !slices.ContainsFunc(d.words, func(word string) bool {
		also := search.Synonyms(word)
		return !strings.Contains(text, word) && !slices.ContainsFunc(also, func(o string) bool { return strings.Contains(text, o) })
	})
}
