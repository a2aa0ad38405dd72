package chart

import (
	"math"
	"slices"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/chart"
	"perfdeck/tui/kit/names"
	"perfdeck/tui/pane"
)

// reportLine is a line of the report: a host, a counterset, or a value.
type reportLine struct {
	series *series // nil: a heading
	text   string
	indent int
}

// report lists the values by host and counterset, in the order of the desk.
func (c *Chart) report() (out []reportLine) {
	var host *pane.Host
	var set *session.Counterset
	several := len(c.hosts()) > 1
	for _, s := range c.ordered() {
		if s.target.Host != host {
			host, set = s.target.Host, nil
			if several {
				out = append(out, reportLine{text: `\\` + host.Name})
			}
		}
		indent := 0
		if several {
			indent = 2
		}
		if s.target.Set != set {
			set = s.target.Set
			out = append(out, reportLine{text: set.Name, indent: indent})
		}
		out = append(out, reportLine{series: s, indent: indent})
	}
	return out
}

// ordered are the series by host and counterset.
func (c *Chart) ordered() []*series {
	out := slices.Clone(c.series)
	set := func(s *series) int { // where its counterset was charted first
		return slices.IndexFunc(c.series, func(o *series) bool {
			return o.target.Host == s.target.Host && o.target.Set == s.target.Set
		})
	}
	slices.SortStableFunc(out, func(a, b *series) int {
		if n := slices.Index(c.desk.Hosts, a.target.Host) - slices.Index(c.desk.Hosts, b.target.Host); n != 0 {
			return n
		}
		return set(a) - set(b)
	})
	return out
}

// listed are the series in the order in which they are listed now.
func (c *Chart) listed() []*series {
	if c.place.report {
		return c.ordered()
	}
	return c.series
}

// reportUnit is the room for the unit behind the values of a report.
const reportUnit = 1 + 4

// reportValue is how many cells the widest value of a report takes.
func (c *Chart) reportValue() int {
	w := cooker.FieldWidthCells
	for _, s := range c.series {
		if _, ok := c.valueOf(s).Float(); ok {
			w = max(w, len(s.number(c.valueOf(s))))
		}
	}
	return w
}

// drawReport draws the report: values near their names, whatever the width.
func (c *Chart) drawReport(f pane.Frame) {
	const widest = 90
	lines := c.report()
	c.reported.Resize(len(lines))
	c.reported.Select(slices.IndexFunc(lines, func(l reportLine) bool { return l.series == c.selected() }))
	from, end := c.reported.ShowBelow(len(lines), f.Height(), func(row int) bool { return lines[row].series == nil })
	c.nameInstances()
	called := pane.Longest(0, mostName, c.series, (*series).called)
	instances := pane.Longest(0, mostName, c.series, func(s *series) string { return s.name })
	indent := letterCells
	if len(c.hosts()) > 1 {
		indent += 2
	}
	value := c.reportValue()
	room := min(f.Width(), widest) - indent - 2 - value - reportUnit
	called = min(called, max(room*2/3, room-2-instances))
	instances = max(0, min(instances, room-2-called))
	for i := from; i < end; i++ {
		l, y := &lines[i], i-from
		if l.series == nil {
			f.Left(letterCells-2+l.indent, y, f.Width(), l.text, themes.Muted)
			continue
		}
		c.drawReported(f, y, l, indent, called, instances, value)
	}
}

func (c *Chart) drawReported(f pane.Frame, y int, l *reportLine, x, called, instances, value int) {
	s := l.series
	st, number := themes.Text, themes.Strong.Bold()
	if s.isStale() {
		st = themes.Stale
		number = st
	}
	c.drawLead(f, y, s, s == c.selected())
	f.Middle(x, y, called, names.Counter(s.called(), s.target.Set.Name, called), st)
	x += called
	if instances > 0 {
		f.Text(x+2, y, c.cutInstance(f, s, instances), quiet(st))
		x += 2 + instances
	}
	if s.hidden {
		f.Right(x+2, y, value, "hidden", quiet(st))
	} else {
		drawNumber(f, x+2, y, value, s, c.valueOf(s), number)
		f.Left(x+2+value+1, y, reportUnit-1, s.unit.Label, quiet(st))
	}
	f.Highlight(y, s == c.selected())
	f.ZoneLine(y, pane.HitRow, 0, slices.Index(c.series, s))
}

// drawBars draws a bar for each series, in the order of the legend.
func (c *Chart) drawBars(plot canvas.Region) {
	p := &c.picture
	var bars []chart.Bar
	for _, s := range c.series {
		if s.hidden {
			continue
		}
		bar := chart.Bar{Value: math.NaN(), Style: c.styleOf(s)}
		if v, ok := c.valueOf(s).Float(); ok {
			bar.Value = v * pane.Power(s.scale)
		}
		bars = append(bars, bar)
	}
	width, gap := chart.BarWidth(plot.Width(), len(bars))
	p.bars, p.bar = p.bars[:0], width
	for i := range bars {
		if x := i * (width + gap); x+width <= plot.Width() {
			p.bars = append(p.bars, x)
		}
	}
	chart.DrawBars(plot, chart.Bars{Bars: bars, Lo: p.axis.lo, Hi: p.axis.hi, Width: width, Gap: gap})
}

// drawBarAxis writes letters below the bars, and their values above them where
// they are wide enough.
func (c *Chart) drawBarAxis(f pane.Frame) {
	r, p := c.place.plot, &c.picture
	bar := 0
	for _, s := range c.series {
		if s.hidden {
			continue
		}
		if bar == len(p.bars) {
			break
		}
		x := p.bars[bar]
		bar++
		f.Put(r.X+x+p.bar/2, r.Y+r.H+1, s.letter(), c.styleOf(s).Bold())
		v := c.valueOf(s)
		number, ok := v.Float()
		text := f.Glyphs().Word(s.number(v))
		n := f.GlyphSet().TextWidth(text)
		y, st := p.key.h-1, themes.Muted // of the word that says why there is none
		if ok {
			y, st = max(0, chart.Row(number*pane.Power(s.scale), p.axis.lo, p.axis.hi, p.key.h)-1), themes.Text
		}
		if n <= p.bar+1 && p.isFreeRun(x, y, min(n, p.bar)) {
			f.Text(r.X+x+max(0, (p.bar-n)/2), r.Y+y, text, st)
		}
	}
}
