package deck

import (
	"fmt"
	"slices"

	"perfdeck/session"
	"perfdeck/session/text/english"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/pane"
)

// drawEmpty tells what can be done with a deck without panes.
func (d *Deck) drawEmpty(f pane.Frame) {
	b, y := block{host: d.hostOf("")}, max(0, f.Height()/2-2)
	if !d.loaded {
		drawWaiting(f, y, b.host)
		return
	}
	if cat := b.catalogue(); cat != nil && len(session.DefaultDeck(b.host.Name, cat).Panes) == 0 {
		drawOther(f, y, b.host.Name, cat)
		return
	}
	f.Text(6, y, "No counters on this deck.", themes.Text)
	drawKeys(f, y+2, [2]string{"a", "add a counter: its path, or words of its name"}, [2]string{"u", "bring back what was removed"})
}

// drawOther tells of a host that answers and has none of the counters of decks what it has instead.
func drawOther(f pane.Frame, y int, host string, cat *session.Catalogue) {
	text, keys := host+" is reached, and offers no countersets.", [][2]string(nil)
	if len(cat.Sets) > 0 {
		keys = [][2]string{{"4", "browse what it offers"}, {"a", "add a counter: its path, or words of its name"}}
		text = fmt.Sprintf("%s is reached, and has none of the counters that a deck begins with. It offers %s.", host, listed(cat))
	}
	y = max(0, y-2)
	for _, line := range canvas.Fold(text, f.Width()-12) {
		f.Text(6, y, line, themes.Text)
		y++
	}
	drawKeys(f, y+1, keys...)
}

// isForeign tells a deck beside others whose host answers and has none of its counters.
func (d *Deck) isForeign() bool {
	return d.loaded && d.host != nil && d.host.Sampler.Catalogue() != nil && !slices.ContainsFunc(d.panes, func(b *block) bool {
		return slices.ContainsFunc(b.items, func(it *item) bool { return !it.missing })
	})
}

// listed is how many countersets there are, and what the first ones are called.
func listed(cat *session.Catalogue) string {
	const most = 8
	names := make([]string, len(cat.Sets))
	for i, set := range cat.Sets {
		names[i] = set.Name
	}
	if len(names) == 1 {
		return "the counterset " + names[0]
	}
	return fmt.Sprintf("%d countersets: %s", len(names), english.Some(names, most))
}

// drawKeys tells what keys do here, a line each.
func drawKeys(f pane.Frame, y int, rows ...[2]string) {
	for i, row := range rows {
		f.Text(6, y+i, row[0], themes.Accent.Bold())
		f.Text(9, y+i, row[1], themes.Muted)
	}
}

// drawWaiting says why nothing is shown yet of a host, and what can be done.
func drawWaiting(f pane.Frame, y int, h *pane.Host) {
	if state := h.Sampler.State(); state.Err == nil {
		f.Rest(6, y, state.Phase.String()+f.Glyphs().Ellipsis, themes.Muted)
		return
	}
	y += pane.DrawFacts(f.Sub(3, y, f.Width()-6, f.Height()-y), h.Facts(f.Now)) + 1
	drawKeys(f, y, [2]string{retryKey, "try again now"})
	f.Zone(6, y, 16, 1, hitRetry)
}
