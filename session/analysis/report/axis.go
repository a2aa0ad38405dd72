package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"perfdeck/session/text/printable"
)

// axis is the hosts on one axis while it is drawn.
type axis struct {
	page
	*Report
}

func (a *axis) x(t time.Time) across { return place(t, a.Begin, a.End) }

// oneAxis draws the hosts on one axis.
func (p *page) oneAxis(r *Report) {
	a := &axis{Report: r}
	hosts := r.drawn(mostAxisHosts)
	y := 22
	for _, h := range hosts {
		a.f(`<text class="hn" x="0" dx="-78" y="%d">%s</text>`, y+13, short(r.Hosts[h].Name, 24))
		y += max(1, a.marks(h, y))*17 + 4
		for _, s := range r.Strips {
			a.f(`<text class="yl" x="0" dx="-6" y="%d" text-anchor="end">%s</text>`, y+10, short(s.Title, 12))
			a.strip(&s, h, y)
			y += 14
		}
		height := 14*len(r.Strips) - 2
		for _, gap := range r.Gaps {
			if from, to := a.x(gap.From), a.x(gap.To); gap.Host != "" && slices.Contains(gap.hosts, h) && height > 0 && len(gap.hosts) < len(r.Hosts) && to-from > .004 {
				a.f(`<rect class="gap" x="%s" width="%s" y="%d" height="%d"/>`, from, to-from, y-height-2, height)
			}
		}
		y += 12
	}
	p.f(`<div class="tlw"><svg class="tl" width="100%%" height="%d" role="group" aria-label="Timeline of %s, %s to %s. Each mark of a verdict is a link.">`, y+14, plural(len(hosts), "host", "hosts"), r.minute(r.Begin), r.minute(r.End))
	r.ticks(r.Begin, r.End, func(x across, class, anchor markup, label string) {
		p.f(`<line class="hl" x1="%[1]s" x2="%[1]s" y1="18" y2="%d"/><text class="%s" x="%[1]s" y="12" text-anchor="%[4]s">%s</text>`, x, y-8, class, anchor, label)
	})
	a.shared(y)
	p.b.Write(a.b.Bytes())
	p.raw(`</svg></div>`)
	p.axisKey(r)
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
	for _, v := range r.Verdicts {
		if h := v.index; !slices.Contains(out, h) && len(out) < n {
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
func (a *axis) marks(host, y int) (lanes int) {
	var taken [][][2]across
	for _, v := range a.Verdicts {
		if v.index != host || v.Number > 3*mostWhole {
			continue
		}
		begin, end := a.x(v.Begin), a.x(v.End)
		from, to := begin, end
		look, at, dx, anchor := "f", end, 5, markup(` text-anchor="start"`)
		switch {
		case end-begin > .3:
			look, at, anchor = "in", begin, ""
		case end > .74:
			from, at, dx, anchor = from-.29, begin, -5, ` text-anchor="end"`
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
		taken[lane] = append(taken[lane], [2]across{from, to})
		top := y + 2 + lane*17
		a.f(`<a href="#v%[1]d" aria-label="verdict %[1]d, %[2]s: %[3]s, %[4]s to %[5]s"><rect class="b-%[2]s" x="%[6]s" y="%[7]d" width="%[8]s" height="14"/>`,
			v.Number, v.Severity, v.Short, a.minute(v.Begin), a.minute(v.End), begin, top, max(.005, end-begin))
		a.f(`<text class="vm %s-%s" x="%s" dx="%d" y="%d"%s>%s %d %s</text></a>`, look, v.Severity, at, dx, top+11, anchor, sign(v.Severity), v.Number, short(v.Short, 26))
	}
	return len(taken)
}

// levels is how many strengths a cell has.
const levels = 7

// strip draws the cells of a host: neighbours of one strength are one.
func (p *page) strip(s *Strip, host, y int) {
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
	p.f(`<svg y="%d" width="100%%" height="12" viewBox="0 0 %d 1" preserveAspectRatio="none" shape-rendering="crispEdges">`, y, len(cells))
	for l := 1; l <= levels; l++ {
		if paths[l].Len() > 0 {
			p.f(`<path class="l%d" d="%s"/>`, l, markup(paths[l].String()))
		}
	}
	p.raw(`</svg>`)
}

// mostAxisNotes bounds the notes at the axis.
const mostAxisNotes = 12

// shared draws notes and gaps that all hosts share.
func (a *axis) shared(height int) {
	busy := across(-1) // labels end there
	for _, n := range a.Notes[:min(len(a.Notes), mostAxisNotes)] {
		x, dx, anchor := a.x(n.Time), 5, markup("start")
		a.f(`<line class="nt" x1="%[1]s" x2="%[1]s" y1="18" y2="%d"/>`, x, height)
		switch {
		case x < busy:
			continue
		case x > .7:
			dx, anchor = -5, "end"
		default:
			busy = x + .28
		}
		a.f(`<text class="ntl" x="%s" dx="%d" y="%d" text-anchor="%s">note %s %s</text>`, x, dx, height+8, anchor, a.minute(n.Time), short(n.Text, mostNoteCells))
	}
	for _, gap := range a.Gaps {
		if len(gap.hosts) < len(a.Hosts) {
			continue
		}
		from, to := a.x(gap.From), a.x(gap.To)
		middle := (from + to) / 2
		if to-from > .004 {
			a.f(`<rect class="gap" x="%s" width="%s" y="18" height="%d"/>`, from, to-from, max(height-26, 1))
		} else {
			a.f(`<line class="gl" x1="%[1]s" x2="%[1]s" y1="18" y2="%d"/>`, middle, height)
		}
		if middle > .16 && (len(a.Notes) == 0 || len(a.Gaps) < 3) {
			a.f(`<text class="gp" x="%s" dx="-4" y="%d" text-anchor="end">~ no data %s</text>`, middle, height+8, gap.length())
			return // one label says what they are
		}
	}
}

// short cuts a text to so many characters.
func short(s string, most int) string { return printable.Shorten(printable.Text(s), most) }

func (p *page) axisKey(r *Report) {
	p.raw(`<p class="key">`)
	if len(r.Strips) > 0 {
		p.raw(`<span>low `)
		for l := 1; l <= levels; l++ {
			p.f(`<i style="background:var(--l%d)"></i>`, l)
		}
		p.raw(` high, which is not bad by itself</span>`)
	}
	if len(r.Gaps) > 0 {
		p.raw(`<span>dashed outline or ~: no data</span>`)
	}
	if len(r.Notes) > 0 {
		p.raw(`<span>upright line: note</span>`)
	}
	p.raw("</p>\n")
}
