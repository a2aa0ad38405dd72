package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"perfdeck/session/text/printable"
)

// blocks are the heights of a course.
var blocks = []rune("▁▂▃▄▅▆▇")

// course draws values as one line of blocks, and where the verdict is in it.
func (l *lines) course(v *Verdict, k clock) {
	c := v.Chart
	n := min(l.cells-factCells, 80)
	parts := buckets(c.Points, c.From, c.To, max(min(n, len(c.Points)*4/5), 1))
	a, b := int(place(v.Begin, c.From, c.To)*across(n)), int(math.Ceil(float64(place(v.End, c.From, c.To)*across(n))))
	left, right := k.second(c.From), k.second(c.To)
	middle := "to " + c.Scale.limit(c.Top)
	if c.LimitText != "" {
		middle += ", " + c.LimitText
	}
	gap := n - ansi.StringWidth(left+right+middle)
	l.b.WriteByte('\n')
	for _, line := range [...]string{
		blockLine(each(parts, func(p Point) float64 { return p.Value }), n, c.Top),
		strings.Repeat(" ", min(a, n-1)) + strings.Repeat("▀", max(min(b, n)-min(a, n-1), 1)),
		left + strings.Repeat(" ", max(gap/2, 1)) + middle + strings.Repeat(" ", max(gap-gap/2, 1)) + right,
	} {
		l.line(strings.Repeat(" ", factCells) + line)
	}
}

// glance is the measures of the hosts.
func (l *lines) glance(r *Report) {
	name := 4
	for _, h := range r.Hosts {
		name = max(name, min(ansi.StringWidth(printable.Text(h.Name)), 16))
	}
	const numbers = 22
	n := min(max(l.cells-name-numbers-4, 10), 60)
	for _, m := range r.Measures {
		l.line(m.Title + ", " + m.scaleWords())
		for h, of := range m.Hosts {
			if h == mostAxisHosts {
				l.line(fmt.Sprintf("  %d more hosts", len(m.Hosts)-h))
				break
			}
			label := ansi.Truncate(printable.Text(r.Hosts[h].Name), name, "…")
			label += strings.Repeat(" ", name-ansi.StringWidth(label))
			if !of.Has {
				l.line("  " + label + " none")
				continue
			}
			l.line(fmt.Sprintf("  %s %s avg %7s  max %s", label, blockLine(of.Mean, n, m.Top), m.Scale.Number(of.Average), m.Scale.With(of.Max)))
		}
	}
}

// blockLine draws a course in n cells.
func blockLine(v []float64, n int, top float64) string {
	line := make([]rune, n)
	for i := range line {
		var p mean
		for _, f := range v[min(i*len(v)/n, len(v)):min(max((i+1)*len(v)/n, i*len(v)/n+1), len(v))] {
			if f == f {
				p.add(f)
			}
		}
		line[i] = ' '
		if p.n > 0 && top > 0 {
			line[i] = blocks[min(max(int(valueOf(p)/top*float64(len(blocks))), 0), len(blocks)-1)]
		}
	}
	return string(line)
}
