package report

import (
	"bytes"
	_ "embed" // the looks
	"fmt"
	"html"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"perfdeck/session"
)

//go:embed report.css
var looks string

// markup is written as it is; all other texts are made printable and escaped.
type markup string

// page is HTML while it is written.
type page struct{ b bytes.Buffer }

func (p *page) raw(m markup) { p.b.WriteString(string(m)) }

// f writes markup with texts in it.
func (p *page) f(format string, args ...any) {
	for i, a := range args {
		switch a := a.(type) {
		case markup:
		case string:
			args[i] = escaped(a)
		case Text:
			args[i] = a.markup()
		}
	}
	fmt.Fprintf(&p.b, format, args...)
}

// escaped is a text as markup.
func escaped(s string) markup { return markup(html.EscapeString(session.Printable(s))) }

func (t Text) markup() markup {
	var b strings.Builder
	for _, r := range t {
		text := string(escaped(r.Text))
		switch r.Kind {
		case Strong:
			text = "<b>" + text + "</b>"
		case Code:
			text = "<code>" + text + "</code>"
		case Ref:
			text = fmt.Sprintf(`<a href="#v%d">%s</a>`, r.To, text)
		case Plain:
		}
		b.WriteString(text)
	}
	return markup(b.String())
}

// WriteHTML writes the report as one file that needs nothing else.
func (r *Report) WriteHTML(w io.Writer) error {
	var p page
	title := r.Headline() + " - perfdeck report of " + r.Title
	p.f(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"><meta name="color-scheme" content="light dark">
<title>%s</title><style>%s</style></head><body>
`, title, markup(looks))
	p.head(r)
	p.raw("<main>")
	p.summary(r)
	p.verdicts(r)
	if len(r.Strips) > 0 || len(r.Verdicts) > 0 {
		p.f(`<h2 id="night">On one axis</h2><p>%s</p><div class="tlw">`, r.axisWords())
		p.oneAxis(r)
		p.raw(`</div>`)
		p.axisKey(r)
	}
	p.sideBySide(r)
	p.changes(r)
	p.counters(r)
	p.recorded(r)
	p.method(r)
	p.f("</main><footer>perfdeck %s, <code>%s</code>. This file holds everything: it loads nothing, runs no script and sends nothing.</footer></body></html>\n", r.Version, r.Command)
	_, err := w.Write(p.b.Bytes())
	return err
}

// head is what stands above all.
func (p *page) head(r *Report) {
	to := "#verdicts"
	if len(r.Verdicts) == 0 {
		to = "#all"
	}
	p.f(`<a class="skip" href="%s">%s</a>
<header><div class="top"><span><b>perfdeck report</b> of %s</span><span>%s to %s, %s</span>
<fieldset class="mode"><legend class="vh">Colours</legend><label><input type="radio" name="c" checked>system</label><label><input type="radio" name="c" id="cl">light</label><label><input type="radio" name="c" id="cd">dark</label></fieldset></div>
<h1>%s</h1>
`, to, map[bool]string{true: "To the verdicts", false: "To the counters"}[len(r.Verdicts) > 0], r.Title, r.clock.whole(r.Begin), r.clock.whole(r.End), zoneText(r.Begin), r.Headline())
	if len(r.Lead) > 0 {
		p.raw(`<p class="lead">`)
		for i, t := range r.Lead {
			if i > 0 {
				p.raw(" ")
			}
			p.f("%s", t)
		}
		p.raw("</p>")
	} else {
		p.f(`<p class="lead">%s</p>`, r.quietWords())
	}
	p.raw("</header>\n")
}

// quietWords is what there is to be said without a verdict.
func (r *Report) quietWords() Text {
	var t Text
	switch n := r.Rules.Judged; {
	case n > 0:
		t = words(capital(plural(int64(n), "rule was", "rules were")) + " judged and stayed quiet. ")
		t = append(t, r.Rules.Nearest...)
	case len(r.Rules.Fits) > 0:
		t = words("Whether anything was wrong is not known: no rule that was given finds its counters here. Packs that would: " + strings.Join(r.Rules.Fits, ", ") + " (--pack).")
	default:
		t = words("Whether anything was wrong is not known: no rule finds its counters here, of no pack either. --alert and --rules give rules of one's own.")
	}
	return t
}

// summary is a row a verdict.
func (p *page) summary(r *Report) {
	if len(r.Verdicts) > 0 {
		middle := r.Begin.Add(r.End.Sub(r.Begin) / 2)
		p.f(`<div class="sumx" aria-hidden="true"><span></span><span><span>%s</span><span>%s</span><span>%s</span></span><span></span><span></span></div>
<ol class="sum">`, r.clock.minute(r.Begin), r.clock.minute(middle), r.clock.minute(r.End))
		for i := range r.Verdicts {
			p.summaryRow(r, &r.Verdicts[i])
		}
		p.raw("</ol>\n")
		p.raw(`<p class="q"><span class="f-critical">■</span> critical, <span class="f-warning">▲</span> warning, <span class="f-careful">○</span> careful; in this order, then by time. `)
		if n := len(r.Rules.Quiet); n > 0 {
			p.f(`%s judged and stayed quiet: <a href="#method">which</a>.`, capital(plural(int64(n), "other rule was", "other rules were")))
		}
		p.raw("</p>\n")
	}
	for _, m := range r.Missing {
		p.f(`<p class="q"><b class="f-warning">▲</b> %s.</p>`, capital(m))
	}
	p.raw(`<nav aria-label="Parts of this report">`)
	if len(r.Verdicts) > 0 {
		p.raw(`<a href="#verdicts">Verdicts</a>`)
	}
	if len(r.Strips) > 0 || len(r.Verdicts) > 0 {
		p.raw(`<a href="#night">On one axis</a>`)
	}
	if len(r.Measures) > 0 {
		p.f(`<a href="#side">%s</a>`, r.sideTitle())
	}
	p.f(`<a href="#changed">What changed</a><a href="#all">%s</a><a href="#recorded">What was recorded</a><a href="#method">Method</a></nav>
`, r.countersTitle())
}

func (p *page) summaryRow(r *Report, v *Verdict) {
	a, b := place(v.Begin, r.Begin, r.End), place(v.End, r.Begin, r.End)
	p.f(`<li><a href="#v%d"><span class="s1"><span class="sg f-%s" aria-hidden="true">%s</span><span class="num">%d</span></span><span class="s2"><b>%s</b> %s<span class="vh">, %s.</span></span></a>`,
		v.Number, markup(v.Severity.String()), sign(v.Severity), v.Number, v.Host, v.Sentence, markup(v.Severity.String()))
	p.raw(`<span class="s3"><svg class="mini" width="100%" height="16" aria-hidden="true"><line x1="0" x2="100%" y1="8" y2="8" class="ax"/>`)
	const marks = 8
	for k := range marks + 1 {
		x := percent(float64(k) / marks)
		p.f(`<line class="ax" x1="%s" x2="%s" y1="5" y2="11"/>`, x, x)
	}
	p.f(`<rect class="b-%s" x="%s" y="2" width="%s" height="12"/></svg></span>`, markup(v.Severity.String()), percent(math.Min(a, .991)), percent(math.Max(.009, b-a)))
	p.f(`<span class="s4">%s to %s<br><span class="mu">%s</span></span><span class="s5">%s<br><span class="mu">%s</span></span></li>`,
		r.clock.minute(v.Begin), r.until(v), span(v.End.Sub(v.Begin)), v.Worst, v.WorstWord)
	p.raw("\n")
}

// verdicts tells them whole, and briefly where there are many.
func (p *page) verdicts(r *Report) {
	if len(r.Verdicts) == 0 {
		return
	}
	p.raw(`<h2 id="verdicts">Verdicts</h2>`)
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		if i == mostWhole {
			p.f(`<h3>%s, in brief</h3>`, capital(plural(int64(len(r.Verdicts)-mostWhole), "more verdict", "more verdicts")))
		}
		if i >= mostWhole {
			p.brief(r, v)
			continue
		}
		p.verdict(r, v)
	}
}

func (p *page) brief(r *Report, v *Verdict) {
	severity := markup(v.Severity.String())
	p.f(`<details class="brief" id="v%d"><summary><span class="sg f-%s" aria-hidden="true">%s</span><span class="vh">%s: </span><span class="num">%d</span> <b>%s</b> %s <span class="mu">%s, %s</span></summary><dl>`,
		v.Number, severity, sign(v.Severity), severity, v.Number, v.Host, v.Sentence, r.clock.minute(v.Begin), span(v.End.Sub(v.Begin)))
	p.facts(v)
	p.raw("</details>\n")
}

func (p *page) facts(v *Verdict) {
	for _, f := range v.Facts {
		p.f(`<div><dt>%s</dt><dd>%s</dd></div>`, f.Name, f.Text)
	}
	p.raw("</dl>")
	if v.Why != "" {
		p.f(`<p class="why">%s</p>`, v.Why)
	}
}

func (p *page) verdict(r *Report, v *Verdict) {
	severity, n := markup(v.Severity.String()), v.Number
	p.f(`<article class="v" id="v%d" aria-labelledby="h%d"><h3 id="h%d"><span class="k f-%s"><span aria-hidden="true">%s</span> %s</span> <span class="ho">%s</span> %s</h3>
<div class="two"><div class="tx"><dl>`, n, n, n, severity, sign(v.Severity), severity, v.Host, v.Sentence)
	p.facts(v)
	p.raw("</div>")
	if c := v.Chart; c != nil {
		p.raw("<figure>")
		p.evidence(c, fmt.Sprintf("c%d", n), r.clock)
		p.f(`<figcaption><code>%s</code><span>%s to %s, a point is %s</span></figcaption></figure>`, c.Path, r.clock.minute(c.From), r.clock.minute(c.To), c.Point)
	} else {
		p.raw(`<p class="mu">There are no values to be drawn.</p>`)
	}
	if v.Instances == nil {
		p.raw(`</div><div class="three duo">`)
	} else {
		p.raw(`</div><div class="three">`)
		p.f(`<section><h4>%s</h4>`, v.Instances.Title)
		p.table(v.Instances, "")
		p.raw("</section>")
	}
	p.moved(v)
	p.raw(`<section><h4>What to check next</h4><ol class="nx">`)
	for _, t := range v.Next {
		p.f("<li>%s</li>", t)
	}
	p.raw("</ol></section></div>")
	p.fold(v)
	p.raw("</article>\n")
}

// table writes one in a region that scrolls.
func (p *page) table(t *Table, class markup) {
	p.f(`<div class="sc" role="region" tabindex="0" aria-label="%s"><table%s><caption>%s</caption><thead><tr>`, t.Title, class, t.Title)
	for i, h := range t.Head {
		n := markup("")
		if i > 0 {
			n = ` class="n"`
		}
		p.f(`<th scope="col"%s>%s</th>`, n, h)
	}
	p.raw("</tr></thead><tbody>")
	for _, row := range t.Rows {
		p.raw("<tr>")
		for i, c := range row {
			if i == 0 {
				p.f(`<th scope="row">%s</th>`, c)
			} else {
				p.f(`<td class="n">%s</td>`, c)
			}
		}
		p.raw("</tr>")
	}
	p.raw("</tbody></table></div>")
	if t.Note != "" {
		p.f(`<p class="q">%s</p>`, t.Note)
	}
}

// counterName is a counter in a table.
func (p *page) counterName(n *Named) {
	p.f(`<span class="ob">%s</span><wbr> <b>%s</b>`, n.object(), n.Name)
}

func (p *page) moved(v *Verdict) {
	m := &v.Moved
	title := m.title(v)
	p.f(`<section><h4>%s</h4>`, title)
	switch {
	case m.Why != "":
		p.f(`<p class="q">%s</p></section>`, m.Why)
		return
	case len(m.Rows) == 0:
		p.f(`<p class="q">Nothing else moved. All of %s stayed within %d spreads of before.</p></section>`, plural(int64(m.Of), "other counter", "other counters"), leastSpreads)
		return
	}
	p.f(`<div class="sc" role="region" tabindex="0" aria-label="%s"><table class="mv"><caption>%s</caption><thead><tr><th scope="col">Counter</th><th scope="col" class="n">before</th><th scope="col" class="n">then</th><th scope="col"><span class="vh">course</span></th></tr></thead><tbody>`, title, title)
	for i := range m.Rows {
		row := &m.Rows[i]
		before, arrow := row.went()
		p.raw(`<tr><th scope="row">`)
		if row.Host != "" {
			p.f("%s ", row.Host)
		}
		p.counterName(&row.Named)
		p.f(`</th><td class="n">%s</td><td class="n"><b>%s</b> <span class="dir">%s</span></td><td class="c">`, before, row.Scale.With(row.Then), arrow)
		p.spark(row.Course, 84, 18, m.ShadeA, m.ShadeB)
		p.raw("</td></tr>")
	}
	p.f(`</tbody></table></div><p class="q">%s</p></section>`, m.words())
}

// words is what stands below the counters that moved.
func (m *Moved) words() string {
	text := "Medians, strongest first."
	if m.More > 0 {
		text = fmt.Sprintf("Medians; %d of %d that moved, strongest first.", len(m.Rows), len(m.Rows)+m.More)
	}
	return text + fmt.Sprintf(" %s of %s stayed within %d spreads of before.", grouped(int64(m.Still)), plural(int64(m.Of), "other counter", "other counters"), leastSpreads)
}

func (p *page) fold(v *Verdict) {
	f := &v.Fold
	p.raw(`<details><summary>How the number was made</summary><div class="fold">`)
	for _, t := range f.Text {
		p.f("<p>%s</p>", t)
	}
	if f.Raw != nil {
		p.table(f.Raw, "")
	}
	if len(f.Worked) > 0 {
		p.raw(`<p class="work">`)
		for i, line := range f.Worked {
			if i > 0 {
				p.raw("<br>")
			}
			head, shown, last := strings.Cut(line, ", shown as ")
			p.f("%s", head)
			if last {
				p.f(", shown as <b>%s</b>", shown)
			}
		}
		p.raw("</p>")
	}
	for _, n := range f.Notes {
		p.f(`<p class="q">%s</p>`, n)
	}
	if f.Judged != nil {
		p.table(f.Judged, "")
	}
	p.raw("</div></details>")
}

// axisWords says what the one axis shows.
func (r *Report) axisWords() string {
	var parts []string
	for _, s := range r.Strips {
		parts = append(parts, s.Title+" to "+s.Word)
	}
	text := ""
	if len(parts) > 0 && len(r.Strips[0].Cells) > 0 {
		text = fmt.Sprintf("A cell is %s; its strength is its highest value: %s, the same on each host.", span(r.End.Sub(r.Begin)/time.Duration(max(len(r.Strips[0].Cells[0]), 1))), strings.Join(parts, ", "))
	}
	if n := len(r.Hosts); n > mostAxisHosts {
		text += fmt.Sprintf(" %d of %d hosts are drawn, those with verdicts first.", mostAxisHosts, n)
	}
	if len(r.Verdicts) > 0 {
		text += " The marks lead to their verdicts."
	}
	return strings.TrimSpace(text)
}

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

func (r *Report) sideTitle() string {
	if len(r.Hosts) == 1 {
		return "At a glance"
	}
	return "Hosts side by side"
}

// mostSide is how many hosts stand side by side.
const mostSide = 6

// sideBySide draws the measures of hosts.
func (p *page) sideBySide(r *Report) {
	if len(r.Measures) == 0 {
		return
	}
	shaded := ""
	if len(r.Verdicts) > 0 {
		shaded = " Shaded: its verdicts."
	}
	p.f(`<h2 id="side">%s</h2><p>%s to %s, a point is %s: the line is the average, the band reaches from the lowest to the highest sample. One scale a row.%s Dotted: limit.</p>`,
		r.sideTitle(), r.clock.minute(r.Begin), r.clock.minute(r.End), span(r.MeasurePart), shaded)
	if len(r.Hosts) == 1 {
		p.raw(`<div class="pair">`)
		for i := range r.Measures {
			m := &r.Measures[i]
			p.f(`<div><h3>%s<span>%s</span></h3>`, m.Title, m.scaleWords())
			p.multiple(r, m, 0)
			p.raw("</div>")
		}
		p.raw("</div>\n")
		return
	}
	hosts := r.drawn(mostSide)
	var others []int
	for i := range r.Hosts {
		if !slices.Contains(hosts, i) && len(others) < 3*mostSide {
			others = append(others, i)
		}
	}
	p.multiples(r, hosts)
	if left := len(r.Hosts) - len(hosts); left > 0 {
		p.f(`<details><summary>%s</summary>`, capital(plural(int64(left), "more host", "more hosts")))
		for len(others) > 0 {
			n := min(len(others), mostSide)
			p.multiples(r, others[:n])
			others = others[n:]
		}
		if left > 3*mostSide {
			p.f(`<p class="q">%d hosts are not drawn; their counters stand below.</p>`, left-3*mostSide)
		}
		p.raw("</details>")
	}
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

func (p *page) multiples(r *Report, hosts []int) {
	p.f(`<div class="mm" style="--n:%d"><div class="mh" aria-hidden="true"><span></span>`, len(hosts))
	for _, h := range hosts {
		p.f("<b>%s</b>", r.Hosts[h].Name)
	}
	p.raw("</div>")
	for i := range r.Measures {
		m := &r.Measures[i]
		p.f(`<div class="mr"><h3>%s<span>%s</span></h3>`, m.Title, m.scaleWords())
		for _, h := range hosts {
			p.multiple(r, m, h)
		}
		p.raw("</div>")
	}
	p.raw("</div>\n")
}

// multipleHeight is that of a small chart, in pixels.
const multipleHeight = 64

func (p *page) multiple(r *Report, m *Measure, host int) {
	of := &m.Hosts[host]
	if !of.Has {
		p.f(`<figure><figcaption><b>%s</b> <span class="mu">none</span></figcaption></figure>`, r.Hosts[host].Name)
		return
	}
	const height = multipleHeight
	low := 0.0
	for _, f := range of.Low {
		if f < low {
			low = f
		}
	}
	f := frame{height, low, m.Top}
	numbers := fmt.Sprintf("avg %s, max %s", m.Scale.Number(of.Average), m.Scale.With(of.Max))
	p.f(`<figure><svg width="100%%" height="%d" role="img" aria-label="%s">`, height+4, fmt.Sprintf("%s of %s: %s", m.Title, r.Hosts[host].Name, numbers))
	base := pixel(2 + float64(f.y(math.Max(0, low)))/2)
	p.f(`<line class="ax" x1="0" x2="100%%" y1="%s" y2="%s"/>`, base, base)
	for _, x := range []markup{"25%", "50%", "75%"} {
		p.f(`<line class="hl" x1="%s" x2="%s" y1="0" y2="%d"/>`, x, x, height+2)
	}
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		a, b := place(v.Begin, r.Begin, r.End), place(v.End, r.Begin, r.End)
		if v.host == host && b-a < .6 && i < 3*mostWhole {
			p.f(`<rect class="iv" x="%s" width="%s" y="0" height="%d"/>`, percent(a), percent(math.Max(b-a, .004)), height+2)
		}
	}
	if m.Limit != nil && *m.Limit < m.Top {
		y := pixel(2 + float64(f.y(*m.Limit))/2)
		p.f(`<line class="lim st-warning" x1="0" x2="100%%" y1="%s" y2="%s"/>`, y, y)
	}
	p.f(`<svg y="2" width="100%%" height="%d" viewBox="0 0 %d %d" preserveAspectRatio="none"><path class="bd" d="%s"/><path class="ln" d="%s"/></svg></svg>`,
		height, max(len(of.Mean)-1, 1), 2*height, f.band(of.Low, of.High), f.line(dotsOf(of.Mean)))
	p.f(`<figcaption><b>%s</b> %s</figcaption></figure>`, r.Hosts[host].Name, numbers)
}
