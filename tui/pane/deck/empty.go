package deck

import (
	"errors"
	"slices"
	"strconv"

	"perfdeck/session"
	"perfdeck/themes"
	"perfdeck/tui/pane"
)

// drawEmpty tells what can be done with a deck without panes.
func (d *Deck) drawEmpty(f pane.Frame) {
	y := max(0, f.Height()/2-2)
	muted := themes.Muted.Style()
	if !d.loaded {
		drawWaiting(f, y, (&block{host: d.hostOf("")}).state())
		return
	}
	f.Text(6, y, "No counters on this deck.", themes.Text.Style())
	f.Text(6, y+2, "a", themes.Accent.Style().Bold())
	f.Text(9, y+2, "add a counter: its path, or words of its name", muted)
	f.Text(6, y+3, "u", themes.Accent.Style().Bold())
	f.Text(9, y+3, "bring back what was removed", muted)
}

// drawWaiting says why nothing is shown yet: what was tried, why it failed, what
// can be done, what comes next.
func drawWaiting(f pane.Frame, y int, state session.HostState) {
	muted := themes.Muted.Style()
	if state.Err == nil {
		f.Left(6, y, f.Width()-6, state.Phase.String()+f.Glyphs().Ellipsis, muted)
		return
	}
	sign := string(f.Glyphs().Critical) + " "
	why := pane.Fold(sign+session.Printable(state.Err.Error()), f.Width()-8)
	tried := "since " + state.Since.Format("15:04:05")
	if state.Tries > 1 {
		tried += ", tried " + strconv.Itoa(state.Tries) + " times"
	}
	if wait := state.NextTry.Sub(f.Now); wait > 0 {
		tried += ", next try in " + pane.Age(wait)
	}
	lines := append(slices.Clone(why), tried)
	if h, ok := errors.AsType[interface {
		error
		Hint() string
	}](state.Err); ok && h.Hint() != "" {
		lines = append(lines, pane.Fold("hint: "+session.Printable(h.Hint()), f.Width()-8)...)
	}
	for i, text := range lines {
		x, st := 6, muted
		if i < len(why) {
			x, st = 4+2*min(i, 1), themes.Critical.Style()
		}
		if y == f.Height()-1 && i+1 < len(lines) { // there is more than has room
			text += f.Glyphs().Ellipsis
		}
		f.Left(x, y, f.Width()-6, text, st)
		y++
	}
	f.Text(6, y+1, "R", themes.Accent.Style().Bold())
	f.Text(9, y+1, "try again now", muted)
}
