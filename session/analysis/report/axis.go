package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"perfdeck/session"
)

// oneAxis draws the hosts on one axis.
func (p *page) oneAxis(r *Report) {
	x := func(t time.Time) float64 { return place(t, r.Begin, r.End) }
	hosts := r.drawn(mostAxisHosts)
	y := 22
	var b page
	for _, h := range hosts {
		b.f(`<text class="hn" x="0" dx="-78" y="%d">%s</text>`, y+13, short(r.Hosts[h].Name, 24))
		lanes := b.marks(r, h, y, x)
		y += max(1, lanes)*17 + 4
		for i := range r.Strips {
			b.f(`<text class="yl" x="0" dx="-6" y="%d" text-anchor="end">%s</text>`, y+10, short(r.Strips[i].Title, 12))
			b.strip(&r.Strips[i], h, y)
			y += 14
		}
		height := 14*len(r.Strips) - 2
		for _, gap := range r.Gaps {
			if gap.Host != "" && slices.Contains(gap.hosts, h) && height > 0 && len(gap.hosts) < len(r.Hosts) && x(gap.To)-x(gap.From) > .004 {
				b.f(`<rect class="gap" x="%s" width="%s" y="%d" height="%d"/>`, percent(x(gap.From)), percent(x(gap.To)-x(gap.From)), y-height-2, height)
			}
		}
		y += 12
	}
	height := y
	p.f(`<svg class="tl" width="100%%" height="%d" role="group" aria-label="%s">`, height+14, fmt.Sprintf("Timeline of %s, %s to %s. Each mark of a verdict is a link.", plural(int64(len(hosts)), "host", "hosts"), r.clock.minute(r.Begin), r.clock.minute(r.End)))
	r.clock.ticks(r.Begin, r.End, func(x, class, anchor markup, label string) {
		p.f(`<line class="hl" x1="%s" x2="%s" y1="18" y2="%d"/><text class="%s" x="%s" y="12" text-anchor="%s">%s</text>`, x, x, height-8, class, x, anchor, label)
	})
	p.raw(markup(b.b.String()))
	p.axisNotes(r, x, height)
	p.raw(`</svg>`)
}

// mostAxisHosts bounds the hosts of the axis.
const mostAxisHosts = 24

// drawn are the hosts of a picture: with verdicts first, if there are too many.
func (r *Report) drawn(most int) (out []int) {
	if len(r.Hosts) > most {
		return r.firstHosts(most)
	}
	for i := range r.Hosts {
		out = append(out, i)
	}
	return out
}

// firstHosts are n hosts: those with the gravest verdicts, then the others.
func (r *Report) firstHosts(n int) (out []int) {
	for i := range r.Verdicts {
		if h := r.Verdicts[i].host; !slices.Contains(out, h) && len(out) < n {
			out = append(out, h)
		}
	}
	for i := range r.Hosts {
		if !slices.Contains(out, i) && len(out) < n {
			out = append(out, i)
		}
	}
	return out
}

// marks draws the verdicts of a host in as many lanes as labels need.
func (p *page) marks(r *Report, host, y int, x func(time.Time) float64) (lanes int) {
	var taken [][][2]float64
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		if v.host != host || v.Number > 3*mostWhole {
			continue
		}
		a, b := x(v.Begin), x(v.End)
		isLeft := b > .74
		from, to := a, b
		isInside := b-a > .3
		switch {
		case isInside:
		case isLeft:
			from -= .29
		default:
			to += .29
		}
		lane := 0
		for ; lane < len(taken); lane++ {
			free := true
			for _, e := range taken[lane] {
				free = free && (from >= e[1] || to <= e[0])
			}
			if free {
				break
			}
		}
		if lane == len(taken) {
			taken = append(taken, nil)
		}
		taken[lane] = append(taken[lane], [2]float64{from, to})
		top := y + 2 + lane*17
		severity := markup(v.Severity.String())
		p.f(`<a href="#v%d" aria-label="%s"><rect class="b-%s" x="%s" y="%d" width="%s" height="14"/>`, v.Number,
			fmt.Sprintf("verdict %d, %s: %s, %s to %s", v.Number, v.Severity, v.Short, r.clock.minute(v.Begin), r.clock.minute(v.End)), severity, percent(a), top, percent(math.Max(.005, b-a)))
		label := fmt.Sprintf("%s %d %s", sign(v.Severity), v.Number, short(v.Short, 26))
		switch {
		case isInside:
			p.f(`<text class="vm in-%s" x="%s" dx="5" y="%d">%s</text></a>`, severity, percent(a), top+11, label)
		case isLeft:
			p.f(`<text class="vm f-%s" x="%s" dx="-5" y="%d" text-anchor="end">%s</text></a>`, severity, percent(a), top+11, label)
		default:
			p.f(`<text class="vm f-%s" x="%s" dx="5" y="%d" text-anchor="start">%s</text></a>`, severity, percent(b), top+11, label)
		}
	}
	return len(taken)
}

// levels is how many strengths a cell has.
const levels = 7

// strip draws the cells of a host: neighbours of one strength are one.
func (p *page) strip(s *Strip, host, y int) {
	if host >= len(s.Cells) {
		return
	}
	cells := s.Cells[host]
	level := make([]int, len(cells))
	for i, v := range cells {
		if v == v {
			level[i] = min(max(int(math.Ceil(v/s.Top*levels)), 1), levels)
		}
	}
	var paths [levels + 1]strings.Builder
	for i := 0; i < len(level); {
		e := i + 1
		for e < len(level) && level[e] == level[i] {
			e++
		}
		fmt.Fprintf(&paths[level[i]], "M%d 0h%dv1h-%dz", i, e-i, e-i)
		i = e
	}
	p.f(`<svg y="%d" width="100%%" height="12" viewBox="0 0 %d 1" preserveAspectRatio="none" shape-rendering="crispEdges">`, y, max(len(cells), 1))
	for l := 1; l <= levels; l++ {
		if paths[l].Len() > 0 {
			p.f(`<path class="l%d" d="%s"/>`, l, markup(paths[l].String()))
		}
	}
	p.raw(`</svg>`)
}

// mostAxisNotes bounds the notes at the axis.
const mostAxisNotes = 12

// axisNotes draws notes and gaps that all hosts share.
func (p *page) axisNotes(r *Report, x func(time.Time) float64, height int) {
	busy := -1.0 // labels end there
	for i, n := range r.Notes {
		if i == mostAxisNotes {
			break
		}
		f := x(n.Time)
		p.f(`<line class="nt" x1="%s" x2="%s" y1="18" y2="%d"/>`, percent(f), percent(f), height)
		if f < busy {
			continue
		}
		dx, anchor := 5, markup("start")
		if f > .7 {
			dx, anchor = -5, "end"
		} else {
			busy = f + .28
		}
		p.f(`<text class="ntl" x="%s" dx="%d" y="%d" text-anchor="%s">%s</text>`, percent(f), dx, height+8, anchor, "note "+r.clock.minute(n.Time)+" "+short(n.Text, mostNoteCells))
	}
	for _, gap := range r.Gaps {
		if len(gap.hosts) < len(r.Hosts) {
			continue
		}
		a, b := x(gap.From), x(gap.To)
		if b-a > .004 {
			p.f(`<rect class="gap" x="%s" width="%s" y="18" height="%d"/>`, percent(a), percent(b-a), max(height-26, 1))
		} else {
			p.f(`<line class="gl" x1="%s" x2="%s" y1="18" y2="%d"/>`, percent((a+b)/2), percent((a+b)/2), height)
		}
		if m := (a + b) / 2; m > .16 && (len(r.Notes) == 0 || len(r.Gaps) < 3) {
			p.f(`<text class="gp" x="%s" dx="-4" y="%d" text-anchor="end">~ no data %s</text>`, percent(m), height+8, span(gap.To.Sub(gap.From)))
			return // one label says what they are
		}
	}
}

// short cuts a text to so many characters.
func short(s string, most int) string { return session.Shorten(session.Printable(s), most) }
