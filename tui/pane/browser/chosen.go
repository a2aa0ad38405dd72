package browser

import (
	"fmt"

	"perfdeck/session/text/english"
	"perfdeck/themes"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// drawChosen draws the paths that enter adds, who lacks them, and what * would
// do.
func (b *Browser) drawChosen(f pane.Frame) {
	list, without := b.results()
	switch n := len(list); {
	case n == 0:
		drawHeadline(f, "no path chosen", "")
	case b.hasChosen():
		drawHeadline(f, english.Count(n, "path", "paths")+" chosen", "")
	default:
		drawHeadline(f, english.Count(n, "path", "paths")+" highlighted", "enter adds it, space chooses it and more")
	}
	notes := b.notes(f, without)
	last := f.Height() - len(notes)
	if len(notes) > 0 && last > 3 {
		last-- // a blank line
	}
	y := b.drawPaths(f, 1, last, list)
	if last < f.Height()-len(notes) {
		y++
	}
	for _, n := range notes {
		n(y)
		y++
	}
}

// drawPaths draws paths from line y on, up to line last.
func (b *Browser) drawPaths(f pane.Frame, y, last int, list []path) int {
	for i := range list {
		if y >= last-1 && i < len(list)-1 {
			f.Rest(layout.SignW, y, fmt.Sprintf("+ %d more", len(list)-i), themes.Muted)
			return y + 1
		}
		f.Middle(layout.SignW, y, f.Width()-layout.SignW-1, list[i].full(), themes.Strong)
		y++
	}
	return y
}

// notes are lines below the paths, each to be drawn in a line.
func (b *Browser) notes(f pane.Frame, without []lack) (notes []func(y int)) {
	muted, x := themes.Muted, layout.SignW
	if len(without) > 0 {
		notes = append(notes, func(y int) {
			f.Rest(x, y, lacking(without), themes.Careful)
		})
	}
	if text, ok := b.widened(); ok && b.split.chosen > 4 {
		notes = append(notes, func(y int) {
			at := x + f.Text(x, y, "*", themes.Accent.Bold()) + 1
			f.Middle(at, y, f.Width()-at, "makes the highlighted part a wildcard: "+text, muted)
		})
	}
	if len(b.desk.Hosts) > 1 && b.split.chosen > 6 {
		notes = append(notes, func(y int) {
			at := x + f.Text(x, y, "With ", muted)
			at += f.Text(at, y, "all hosts", themes.Accent)
			f.Rest(at, y, " chosen, a path is added for each host that has it; those without are named before you confirm.", muted)
		})
	}
	return notes
}
