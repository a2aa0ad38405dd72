package chart

import (
	"slices"
	"time"

	"perfdeck/cooker"
	"perfdeck/session/text/printable"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/chart"
	"perfdeck/tui/pane"
)

// Notes is what the chart marks besides the values: what alerts and recordings
// know. It is asked whenever the chart is drawn.
type Notes interface {
	// Marks are what happened in a time, on the hosts that are charted.
	Marks(hosts []*pane.Host, from, to time.Time) []Mark
	// Thresholds are the limits that are watched of a value.
	Thresholds(t pane.Target) []pane.Threshold
}

// Mark is a sign on the time axis.
type Mark struct {
	Time time.Time
	Sign Sign
	Text string // made printable here
}

// Sign is what a mark tells.
type Sign uint8

// The signs, in the order in which one hides another in the same cell.
const (
	Bookmark Sign = iota
	Written       // a note
	Lost          // the host stopped answering
	Back          // it answers again
	Told          // an event of the host; those below are of worse levels
	ToldCareful
	ToldWarning
	ToldCritical
	Careful
	Warning
	Critical
	signCount
)

// draw is how a sign looks.
func (s Sign) draw(g *canvas.Glyphs) (rune, themes.Style) {
	switch s {
	case Lost:
		return g.Stale, themes.Stale
	case Back:
		return g.Recording, themes.Muted
	case Careful, Warning, Critical:
		return pane.SignOf(pane.Careful+pane.Level(s-Careful), g)
	case Told, ToldCareful, ToldWarning, ToldCritical:
		return 'e', (pane.Info + pane.Level(s-Told)).Style().Bold()
	case Written:
		return 'n', themes.Accent
	}
	return 'b', themes.Accent
}

// gap is a part of the plot in which no series has a value.
type gap struct {
	x, w     int
	host     string // that was lost; empty: it answered
	from, to time.Time
	open     bool // it lasts
}

// The smallest gaps that are labelled ("to 14:05:12") and marked, in cells.
const (
	labelledGap = 12
	markedGap   = 2
)

// findGaps finds the stretches without any value, and when hosts were lost.
func (c *Chart) findGaps(shown []*series, win window) {
	p := &c.picture
	var lost []gap
	for i := range c.tracks {
		t := &c.tracks[i]
		for k, broken := range t.gaps {
			at := t.lo + k
			if !broken || at == 0 {
				continue
			}
			from, to := t.timeline.Nanos[at-1], t.timeline.Nanos[at]
			if win.column(to)-win.column(from) < markedGap {
				continue
			}
			lost = append(lost, gap{host: t.host.Name, from: time.Unix(0, from), to: time.Unix(0, to)})
			name := printable.Text(t.host.Name)
			p.marks = append(p.marks, Mark{time.Unix(0, from), Lost, name + " lost"}, Mark{time.Unix(0, to), Back, name + " back"})
		}
	}
	used := occupied(shown, win)
	for x := 0; x < win.w; {
		end := x
		for end < win.w && !used[end] {
			end++
		}
		if end-x >= labelledGap && x > 0 {
			p.gaps = append(p.gaps, describe(gap{x: x, w: end - x, open: end == win.w}, lost, win, len(c.tracks)))
		}
		x = end + 1
	}
}

// occupied tells in which cells of the plot a series is drawn.
func occupied(shown []*series, win window) []bool {
	used := make([]bool, win.w)
	for _, s := range shown {
		before := -1
		for _, p := range s.points {
			if !cooker.IsFinite(p.Value) {
				before = -1
				continue
			}
			at := p.Dot / chart.DotsAcross
			if p.Dot < 0 {
				at = -1
			}
			if before < 0 && at >= 0 {
				before = at
			}
			for x := max(0, before); x <= min(at, win.w-1); x++ {
				used[x] = true
			}
			before = max(0, at)
		}
	}
	return used
}

// describe tells when a gap was, and whether it was a host's fault.
func describe(g gap, lost []gap, win window, hosts int) gap {
	g.from, g.to = win.start(g.x), win.start(g.x+g.w)
	for _, l := range lost {
		if hosts == 1 && win.column(l.from.UnixNano()) <= g.x && win.column(l.to.UnixNano()) >= g.x+g.w-1 {
			g.host, g.from, g.to = l.host, l.from, l.to
		}
	}
	return g
}

// marksIn are all marks of the window, in the order of time.
func (c *Chart) marksIn(win window) []Mark {
	marks := slices.Clone(c.picture.marks)
	for _, h := range c.hosts() {
		if t := h.Timeline(); len(t.Nanos) > 0 && isLost(h) {
			marks = append(marks, Mark{t.At(t.Next() - 1), Lost, printable.Text(h.Name) + " lost"})
		}
	}
	if c.Notes != nil && len(c.series) > 0 {
		marks = append(marks, c.Notes.Marks(c.hosts(), time.Unix(0, win.from), time.Unix(0, win.to()))...)
	}
	for _, n := range c.writtenIn(win) {
		marks = append(marks, Mark{n.Time, Written, n.Text})
	}
	marks = slices.DeleteFunc(marks, func(m Mark) bool {
		x := win.column(m.Time.UnixNano())
		return x < 0 || x >= win.w
	})
	slices.SortStableFunc(marks, func(a, b Mark) int { return a.Time.Compare(b.Time) })
	return marks
}
