package report

import (
	"fmt"
)

// measures draws those of hosts, a row each.
func (p *page) measures(r *Report, l look, hosts []int) {
	for _, m := range r.Measures {
		p.f(`<div%s><h3>%s<span>%s</span></h3>`, l, m.Title, m.scaleWords())
		for _, h := range hosts {
			p.multiple(r, m, h)
		}
		p.raw("</div>")
	}
}

// multiples draws hosts side by side, below their names.
func (p *page) multiples(r *Report, hosts []int) {
	p.f(`<div class="mm" style="--n:%d"><div class="mh" aria-hidden="true"><span></span>`, len(hosts))
	for _, h := range hosts {
		p.f("<b>%s</b>", r.Hosts[h].Name)
	}
	p.raw("</div>")
	p.measures(r, "mr", hosts)
	p.raw("</div>\n")
}

func (m *Measure) scaleWords() string {
	words := "0 to " + m.Scale.limit(m.Top)
	if m.Note != "" {
		words += " " + m.Note
	}
	if m.Limit != nil {
		words += ", limit " + bare(m.Scale, *m.Limit)
	}
	return words
}

func (p *page) multiple(r *Report, m *Measure, host int) {
	of, name := &m.Hosts[host], r.Hosts[host].Name
	if !of.Has {
		p.f(`<figure><figcaption><b>%s</b> <span class="mu">none</span></figcaption></figure>`, name)
		return
	}
	const height = 64 // pixels
	f := frame{height, 0, m.Top}
	for _, v := range of.Low {
		if v < f.low {
			f.low = v
		}
	}
	y := func(v float64) pixels { return 2 + pixels(f.y(v))/2 }
	numbers := fmt.Sprintf("avg %s, max %s", m.Scale.Number(of.Average), m.Scale.With(of.Max))
	p.f(`<figure><svg width="100%%" height="%d" role="img" aria-label="%s of %s: %s"><line class="ax" x1="0" x2="100%%" y1="%[5]s" y2="%[5]s"/>`, height+4, m.Title, name, numbers, y(max(0, f.low)))
	for _, x := range []across{.25, .5, .75} {
		p.f(`<line class="hl" x1="%[1]s" x2="%[1]s" y1="0" y2="%d"/>`, x, height+2)
	}
	for i, v := range r.Verdicts {
		a, b := place(v.Begin, r.Begin, r.End), place(v.End, r.Begin, r.End)
		if v.index == host && b-a < .6 && i < 3*mostWhole {
			p.f(`<rect class="iv" x="%s" width="%s" y="0" height="%d"/>`, a, max(b-a, .004), height+2)
		}
	}
	if m.Limit != nil && *m.Limit < m.Top {
		p.f(`<line class="lim st-warning" x1="0" x2="100%%" y1="%[1]s" y2="%[1]s"/>`, y(*m.Limit))
	}
	p.f(`<svg y="2" width="100%%" height="%d" viewBox="0 0 %d %d" preserveAspectRatio="none"><path class="bd" d="%s"/><path class="ln" d="%s"/></svg></svg><figcaption><b>%s</b> %s</figcaption></figure>`,
		height, len(of.Mean)-1, 2*height, f.band(of.Low, of.High), f.line(dotsOf(of.Mean)), name, numbers)
}
