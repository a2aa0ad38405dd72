package replay

import (
	"math"
	"time"

	tea "charm.land/bubbletea/v2"

	"perfdeck/session"
	"perfdeck/tui/keys"
	"perfdeck/tui/pane"
)

// Height is the rows that the bar takes where there is room: its title alone is
// one.
const Height = 3

// What can be hit on the bar: kinds that no screen and no frame has.
const (
	HitFirst pane.HitKind = 240 + iota
	hitCell               // A: its number
	hitTitle
)

// Bar is the time bar.
type Bar struct {
	desk   *pane.Desk
	player Controller
	keys   []keys.Binding

	target pane.Target // of which the overview is; without a Set: none
	cells  int         // as it was drawn last
	drag   pane.Dragged
	kept   time.Duration // how much of the span of the screens there can be
}

// NewBar makes the bar of a player.
func NewBar(desk *pane.Desk, c Controller) *Bar {
	b := &Bar{desk: desk, player: c}
	b.keys = b.bindings()
	return b
}

// Bindings are the keys of time in a replay: they come before those of the root.
// Hints say what the keys do now. At the end there is none at the key to it; it
// looks whether the recording grew there.
func (b *Bar) Bindings() []keys.Binding {
	for i := range b.keys {
		switch key := &b.keys[i]; key.Keys.First() {
		case ".":
			key.Hint = b.endHint()
		case "p":
			key.Hint = "play"
			if b.player.Playing() {
				key.Hint = "pause"
			}
		}
	}
	return b.keys
}

// Select says what is selected on the screen: the overview is that of the first
// value among it, and stays when no value is selected.
func (b *Bar) Select(targets []pane.Target) {
	for _, t := range targets {
		if t.IsValue() {
			b.target = t
			return
		}
	}
}

// chooseTarget chooses a value while none was selected: the first that has one, so
// that there is something to see of the recording.
func (b *Bar) chooseTarget() {
	if b.target.Set != nil {
		return
	}
	for _, h := range b.desk.Hosts {
		if h.Snap == nil || h.Sampler.Catalogue() == nil {
			continue
		}
		for _, set := range h.Sampler.Catalogue().Sets {
			if b.target = firstValue(h, h.Snap.Set(set)); b.target.Set != nil {
				return
			}
		}
	}
}

// firstValue is the first value of a view; without one there is no set.
func firstValue(h *pane.Host, view *session.SetView) (t pane.Target) {
	if view == nil {
		return t
	}
	for row := range view.Rows {
		for col, counter := range view.Counters {
			if view.Value(row, col).Valid() {
				return pane.Target{Host: h, Set: view.Set, Counter: counter, Key: view.Rows[row].Key}
			}
		}
	}
	return t
}

// part is the cell of a moment, out of n over the whole recording.
func (b *Bar) part(at time.Time, n int) int {
	first, last := b.player.Bounds()
	length := last.Sub(first)
	if length <= 0 || n <= 0 {
		return 0
	}
	return int(max(0, min(float64(at.Sub(first))/float64(length)*float64(n), float64(n-1))))
}

// moment is when a cell begins.
func (b *Bar) moment(cell, n int) time.Time {
	first, last := b.player.Bounds()
	if cell >= n {
		return last
	}
	return first.Add(time.Duration(math.Ceil(float64(last.Sub(first)) * float64(cell) / float64(max(n, 1)))))
}

// Click goes to the moment of a cell, or plays and pauses on the title.
func (b *Bar) Click(hit pane.Hit, button tea.MouseButton) {
	b.drag = pane.Dragged{}
	if button != tea.MouseLeft {
		return
	}
	switch hit.Kind {
	case hitTitle:
		b.player.Play(!b.player.Playing())
	case hitCell:
		at := b.moment(hit.A, b.cells)
		if hit.A == b.cells-1 {
			at = b.moment(b.cells, b.cells)
		}
		b.seek(at)
	}
}

// Drag draws a range of time across the bar, x in cells from its left edge. When
// the button is released it is selected, and the screens show it.
func (b *Bar) Drag(from pane.Hit, x, _ int, released bool) {
	if from.Kind != hitCell || b.cells == 0 {
		return
	}
	b.drag = pane.Dragged{Active: true, From: from.A, To: x - 1}
	if !released {
		return
	}
	first, last, ok := b.drag.Within(b.cells)
	if b.drag = (pane.Dragged{}); !ok {
		return
	}
	begin, end := b.moment(first, b.cells), b.moment(last+1, b.cells)
	b.desk.Send(pane.SelectSpan{Span: pane.SpanOf(begin, end)})
	b.Show(begin, end)
}

// Show shows a stretch of the recording on all screens.
func (b *Bar) Show(from, to time.Time) {
	const shortest = 10 * time.Second
	span := max(to.Sub(from).Round(time.Second), shortest)
	b.player.SetSpan(span)
	b.desk.Span = span
	b.seek(to)
}

// seek goes to a moment; the screens show it and no earlier one.
func (b *Bar) seek(at time.Time) {
	b.player.Seek(at)
	b.toPosition()
}
