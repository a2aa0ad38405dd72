package alerts

import (
	"time"

	"perfdeck/tui/layout"
)

// places are where the panes are; a height of 0 leaves a pane out.
type places struct {
	parts  [partCount]layout.Rect
	detail layout.Rect
	alone  bool // the focused pane alone is shown
}

// The sizes from which on more is shown, in cells.
const (
	allFrom    = 16 // rows: all three panes
	gapFrom    = 20 // rows: a blank line between them
	detailFrom = 30 // rows: details of the selected row
	aloneFrom  = 14 // rows: details beside one pane
	leastRows  = 2
)

// place divides w x h cells. want is how many rows the panes would like to have,
// without their titles.
func place(w, h int, want [partCount]int, focus part, alone bool) places {
	p := places{alone: alone || h < allFrom}
	if p.alone {
		if h >= aloneFrom && alone {
			p.detail.H = detailRows(h)
		}
		p.parts[focus] = layout.Rect{W: w, H: h - p.detail.H}
		p.detail = layout.Rect{Y: h - p.detail.H, W: w, H: p.detail.H}
		return p
	}
	gap := 0
	if h >= gapFrom {
		gap = 1
	}
	if h >= detailFrom {
		p.detail.H = detailRows(h)
	}
	rest := h - p.detail.H - int(partCount) - 2*gap
	if p.detail.H > 0 {
		rest -= gap
	}
	rows := share(rest, want)
	y := 0
	for i := range rows {
		p.parts[i] = layout.Rect{Y: y, W: w, H: 1 + rows[i]}
		y += 1 + rows[i] + gap
	}
	p.detail = layout.Rect{Y: h - p.detail.H, W: w, H: p.detail.H}
	return p
}

// detailRows is how many rows details take of h.
func detailRows(h int) int { return max(7, min(h/4, 16)) }

// share gives the panes their rows: what alerts and the rules up to a third
// each, the history what is left. What it does not need goes to them.
func share(rest int, want [partCount]int) (rows [partCount]int) {
	rest = max(0, rest)
	rows[activePart] = min(want[activePart], max(leastRows, rest*3/10))
	rows[rulesPart] = min(want[rulesPart], max(leastRows, rest*35/100))
	rows[historyPart] = max(0, rest-rows[activePart]-rows[rulesPart])
	for p := range historyPart {
		spare := rows[historyPart] - max(want[historyPart], leastRows)
		more := max(0, min(spare, want[p]-rows[p]))
		rows[p] += more
		rows[historyPart] -= more
	}
	return rows
}

// room is the height of the pane of active alerts. It grows at once and shrinks
// only after a while, so that the panes below keep their places.
type room struct {
	rows  int
	since time.Time // when fewer rows were enough for the first time
}

// shrinkAfter is how long fewer rows have to be enough.
const shrinkAfter = 10 * time.Second

func (r *room) fit(want int, now time.Time) int {
	switch {
	case want >= r.rows:
		r.rows, r.since = want, time.Time{}
	case r.since.IsZero():
		r.since = now
	case now.Sub(r.since) >= shrinkAfter:
		r.rows, r.since = want, time.Time{}
	}
	return r.rows
}
