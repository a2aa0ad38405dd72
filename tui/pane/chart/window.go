package chart

import (
	"cmp"
	"time"

	"perfdeck/session"
	"perfdeck/tui/chart"
	"perfdeck/tui/kit/graph"
	"perfdeck/tui/pane"
)

// window is the time that the plot shows, in cells of equal length. Cells begin
// at multiples of that length since 1970: the picture moves by whole cells, and
// what was drawn never trembles.
type window struct {
	from int64 // Unix nanoseconds of the left edge
	cell int64 // nanoseconds of a cell
	w    int   // cells
}

// newWindow is a window of w cells for a span, with its end in the last cell.
func newWindow(end time.Time, span time.Duration, w int) window {
	cell := max(int64(span)/int64(max(w, 1)), chart.DotsAcross)
	return window{from: (floorDiv(end.UnixNano(), cell) + 1 - int64(w)) * cell, cell: cell, w: w}
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// to is the right edge: the first moment that is not shown.
func (w window) to() int64 { return w.from + int64(w.w)*w.cell }

// far bounds the columns of moments years away, so that their dots fit any int.
const far = 1 << 29

// column is the cell of a moment; outside it is below 0, or w and more.
func (w window) column(nanos int64) int {
	return int(min(max(floorDiv(nanos-w.from, w.cell), -far), far))
}

// dot is the column of dots of a moment.
func (w window) dot(nanos int64) int {
	c := floorDiv(nanos-w.from, w.cell)
	if c < -far || c > far {
		return w.column(nanos) * chart.DotsAcross
	}
	within := nanos - w.from - c*w.cell
	return int(c)*chart.DotsAcross + int(within*chart.DotsAcross/w.cell)
}

// start is when a cell begins.
func (w window) start(column int) time.Time {
	return time.Unix(0, w.from+int64(column)*w.cell)
}

// zoom is the part of the past that is shown. The zero zoom is live: the span
// up to the newest sample.
type zoom struct {
	end  time.Time     // zero: now
	span time.Duration // zero: the desk's
	// deskSpan is the desk's span as it was: when it changes, that is meant.
	deskSpan time.Duration
	into     pane.Span // the selected span that it is, or was before it was changed
}

// window brings the moment that is looked at into the window and returns it, w
// cells wide. A window that does not end now stands still until the moment is
// now again.
func (c *Chart) window(w int, now time.Time) window {
	z, edge := &c.zoom, c.edge(now)
	if z.deskSpan != c.desk.Span {
		if z.deskSpan != 0 {
			c.proposal.fits = false
		}
		z.span, z.deskSpan = 0, c.desk.Span
	}
	span := cmp.Or(z.span, c.span())
	if !c.desk.Past() {
		if z.span == 0 {
			z.end = time.Time{}
		}
	} else {
		z.follow(c.desk.At, c.first(), edge, span)
	}
	if z.end.After(edge) {
		z.end = edge
	}
	return newWindow(cmp.Or(z.end, edge), span, w)
}

// follow scrolls as far as it takes to show a moment: it comes to stand near
// the edge it went over, or in the middle after a leap; no time before the first sample is shown
// for that.
func (z *zoom) follow(at, first, edge time.Time, span time.Duration) {
	end := cmp.Or(z.end, edge)
	to := time.Unix(0, graph.Scrolled(end.UnixNano(), at.UnixNano(), edge.UnixNano(), int64(span)))
	if least := first.Add(span); !first.IsZero() && to.Before(least) && to.Before(end) {
		to = least
		if least.After(edge) {
			to = edge
		}
	}
	if to.Equal(end) {
		return
	}
	z.end = to
	if z.span == 0 && !to.Before(edge) {
		z.end = time.Time{}
	}
}

// first is the first moment of which anything is known; zero: none is.
func (c *Chart) first() time.Time {
	first, _ := c.desk.Sampled()
	if c.desk.Archive != nil {
		first, _ = c.desk.Archive.Bounds()
	}
	if before := c.Earliest(); !before.IsZero() && before.Before(first) {
		first = before
	}
	return first
}

// edge is where time ends: at the newest sample, or now when no host answers.
func (c *Chart) edge(now time.Time) (newest time.Time) {
	lost := true
	for _, h := range c.hosts() {
		lost = lost && isLost(h)
		t := h.Timeline()
		newest = session.Later(t.At(t.Next()-1), newest)
	}
	if newest.IsZero() || lost && now.After(newest) {
		return now
	}
	return newest
}

// sampleBefore is the newest sample of any charted host before a moment, the
// zero time if there is none.
func (c *Chart) sampleBefore(t time.Time) time.Time {
	return c.sample(t, -1, func(at, found int64) bool { return at > found })
}

// sampleFrom is the oldest sample of any charted host at a moment or after it.
func (c *Chart) sampleFrom(t time.Time) time.Time {
	return c.sample(t, 0, func(at, found int64) bool { return at < found })
}

// sample is, of the samples that charted hosts have so many behind the first one
// at a moment or after it, the one that comes before all others.
func (c *Chart) sample(t time.Time, behind int, before func(at, found int64) bool) (found time.Time) {
	for _, h := range c.hosts() {
		nanos := h.Timeline().Nanos
		i := behind + session.Behind(nanos, t.UnixNano()-1)
		if i >= 0 && i < len(nanos) && (found.IsZero() || before(nanos[i], found.UnixNano())) {
			found = time.Unix(0, nanos[i])
		}
	}
	for _, s := range c.series {
		if at, ok := s.nearestBand(t, behind < 0); ok && (found.IsZero() || before(at.UnixNano(), found.UnixNano())) {
			found = at
		}
	}
	return found
}

// beside is the moment of the cursor one column on (or back): the last sample
// in the next column that has any, in the stacked view the one that it shows. The zero time is now; ok is false where
// there is nothing before.
func (c *Chart) beside(back bool) (at time.Time, ok bool) {
	win := c.picture.key.win
	if win.w == 0 {
		return at, false
	}
	from := c.desk.At
	if !c.desk.Past() {
		from = c.sampleBefore(time.Unix(0, win.to()))
	}
	begin := floorDiv(from.UnixNano(), win.cell) * win.cell
	if back {
		at = c.sampleBefore(time.Unix(0, begin))
		return c.stacked(at), !at.IsZero()
	}
	next := c.sampleFrom(time.Unix(0, begin+win.cell))
	if next.IsZero() {
		return next, true
	}
	end := floorDiv(next.UnixNano(), win.cell)*win.cell + win.cell
	at = c.sampleBefore(time.Unix(0, end))
	if !at.Before(c.edge(at)) {
		at = time.Time{}
	}
	return c.stacked(at), true
}

// track is the samples of one host in the window.
type track struct {
	host     *pane.Host
	win      window
	in       [2]uint64 // the samples, as samples.lo and hi
	timeline session.Timeline
	lo, hi   int // indices in Timeline.Nanos
	gaps     []bool
}

// follow takes the samples of the host that the window shows, with one more at
// each side, to which lines lead.
func (t *track) follow(win window) {
	line := t.host.Timeline()
	t.win, t.timeline = win, line
	t.lo, t.hi = max(0, session.Behind(line.Nanos, win.from-1)-1), min(len(line.Nanos), session.Behind(line.Nanos, win.to()-1)+1)
	t.hi = max(t.lo, t.hi)
	t.gaps = t.gaps[:0]
	for i := t.lo; i < t.hi; i++ {
		t.gaps = append(t.gaps, session.IsBroken(line.Nanos, i))
	}
}
