package report

import (
	"fmt"
	"math"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session/record/note"
)

// The bounds of what tables hold: reports stay small whatever the recording.
const (
	mostRowsHTML  = 3000 // counters
	mostSparks    = 1200 // of them with courses and averages by hour
	mostQuiet     = 200
	mostGapsTold  = 60
	mostNotesTold = 200
)

func (r *Report) total() (n int) {
	for i := range r.Hosts {
		n += len(r.Hosts[i].Counters)
	}
	return n
}

func (r *Report) countersTitle() string {
	n := r.total()
	if n == 1 {
		return "The counter"
	}
	return "All " + grouped(int64(n)) + " counters"
}

// isFew tells recordings so short that percentiles say nothing.
func (c *Counter) isFew() bool { return c.Count < fewSamples }

// unit is that of a row.
func (c *Counter) unit() string {
	label := c.Scale.Unit.Label
	object := paths.Fold(c.Object)
	if label == "%" && (object == "process" || object == "process v2" || object == "thread" || object == "job object") {
		return "% of one"
	}
	return label
}

// counters lists all counters, host by host.
func (p *page) counters(r *Report) {
	p.f(`<h2 id="all">%s</h2><p>A row has one unit, chosen by its largest value. p95: 95 of 100 samples were at or below it, within 1&nbsp;%%. The picture is the average of %s, from 0 to its own maximum. A sample count in <span class="lo">this colour</span> misses more than 1&nbsp;%%.</p><div class="tabs">`,
		r.countersTitle(), span(r.End.Sub(r.Begin)/time.Duration(max(r.Parts, 1))))
	rows, sparks := 0, 0
	for i := range r.Hosts {
		h := &r.Hosts[i]
		shown := h.Counters
		if left := mostRowsHTML - rows; len(shown) > left {
			shown = shown[:max(left, 0)]
		}
		p.f(`<h3 id="t-%d">%s <span class="mu">%s</span></h3>`, i, h.Name, h.Facts)
		caption := fmt.Sprintf("%s of %s, %s to %s", plural(int64(len(h.Counters)), "counter", "counters"), h.Name, r.clock.minute(r.Begin), r.clock.minute(r.End))
		p.f(`<div class="sc" role="region" tabindex="0" aria-label="%s"><table class="st"><caption>%s</caption><thead><tr><th scope="col">Counter</th><th scope="col">Unit</th><th scope="col" class="n">min</th><th scope="col" class="n">%s</th><th scope="col" class="n">p95</th><th scope="col" class="n">max</th><th scope="col" class="n">max at</th><th scope="col">%s</th><th scope="col" class="n">samples</th></tr></thead><tbody>`,
			"counters of "+h.Name, caption, h.averageHead(), span(r.End.Sub(r.Begin)))
		for k := range shown {
			p.counter(r, &shown[k], sparks < mostSparks)
			sparks++
		}
		rows += len(shown)
		p.raw("</tbody></table></div>\n")
		if left := len(h.Counters) - len(shown); left > 0 {
			p.f(`<p class="q">%s more are not listed: perfdeck relog --summary tells them.</p>`, grouped(int64(left)))
		}
		if len(r.Hours) > 1 && sparks <= mostSparks {
			p.hours(r, h, shown)
		}
	}
	p.raw("</div>\n")
}

func (p *page) counter(r *Report, c *Counter, isDrawn bool) {
	p.raw(`<tr><th scope="row">`)
	p.counterName(&c.Named)
	for _, n := range c.Verdicts {
		v := &r.Verdicts[n-1]
		p.f(` <a class="f-%s" href="#v%d" aria-label="%s, verdict %d">%s&nbsp;%d</a>`, markup(v.Severity.String()), n, markup(v.Severity.String()), n, sign(v.Severity), n)
	}
	if c.Word != "" {
		p.f(`</th><td class="u"></td><td class="n mu" colspan="4">%s</td><td></td><td></td><td class="n lo">0</td></tr>`, c.Word)
		return
	}
	p.f(`</th><td class="u">%s</td>`, c.unit())
	number := func(v float64) {
		text := c.Scale.Number(v)
		zero := markup("")
		if text == "0" {
			zero = " z"
		}
		p.f(`<td class="n%s">%s</td>`, zero, text)
	}
	number(c.Min)
	number(c.Average)
	if c.isFew() {
		p.raw(`<td></td>`)
	} else {
		number(c.P95)
	}
	low := markup("mu")
	if c.IsLow {
		low = "lo"
	}
	p.f(`<td class="n"><b>%s</b></td><td class="n mu">%s</td><td class="c">`, c.Scale.Number(c.Max), r.clock.second(c.MaxAt))
	if isDrawn {
		p.spark(c.Course, 130, 18, 0, 0)
	}
	p.f(`</td><td class="n %s">%s</td></tr>`, low, grouped(c.Count))
}

// averageHead is the head of the averages.
func (h *Host) averageHead() string {
	return cooker.AverageHead("average", h.Counters, func(c *Counter) string { return c.Weighted })
}

func (p *page) hours(r *Report, h *Host, shown []Counter) {
	title := fmt.Sprintf("Averages of %s by %s", h.Name, partWord(r))
	p.f(`<details><summary>%s</summary><div class="sc" role="region" tabindex="0" aria-label="%s"><table class="st"><caption>%s</caption><thead><tr><th scope="col">Counter</th><th scope="col">Unit</th>`, title, title, title)
	for _, at := range r.Hours {
		p.f(`<th scope="col" class="n">%s</th>`, r.clock.tick(at, r.HourLength))
	}
	p.raw("</tr></thead><tbody>")
	for i := range shown {
		c := &shown[i]
		if c.Word != "" {
			continue
		}
		p.raw(`<tr><th scope="row">`)
		p.counterName(&c.Named)
		p.f(`</th><td class="u">%s</td>`, c.unit())
		for _, f := range c.Hours {
			if f != f {
				p.raw(`<td class="n mu">none</td>`)
				continue
			}
			p.f(`<td class="n">%s</td>`, c.Scale.Number(f))
		}
		p.raw("</tr>")
	}
	p.raw("</tbody></table></div></details>\n")
}

func partWord(r *Report) string {
	switch text := span(r.HourLength); text {
	case "1 h":
		return "hour"
	case "1 d":
		return "day"
	default:
		return text
	}
}

// changes tells what is different at the end.
func (p *page) changes(r *Report) {
	c := &r.Changes
	p.f(`<h2 id="changed">What changed</h2><p>%s</p>`, c.intro(r))
	if c.Why != "" {
		return
	}
	if len(c.Rows) > 0 {
		p.raw(`<div class="sc" role="region" tabindex="0" aria-label="what changed"><table><caption class="vh">Counters that changed, the strongest first</caption><thead><tr><th scope="col">Counter</th><th scope="col">change</th><th scope="col" class="n">before</th><th scope="col" class="n">at the end</th><th scope="col" class="n">spreads</th></tr></thead><tbody>`)
		for i := range c.Rows {
			row := &c.Rows[i]
			p.raw(`<tr><th scope="row">`)
			if len(r.Hosts) > 1 {
				p.f("%s ", row.Host)
			}
			p.counterName(&row.Named)
			p.f(`</th><td>%s</td><td class="n">%s</td><td class="n"><b>%s</b></td><td class="n mu">%s</td></tr>`, row.Words, row.Scale.Number(row.Before), row.Scale.With(row.Now), fmt.Sprintf("%+.1f", row.Times))
		}
		p.raw("</tbody></table></div>")
	}
	for _, line := range c.lines() {
		p.f(`<p class="q">%s</p>`, line)
	}
}

// intro says what is compared with what, and whether anything changed.
func (c *Changes) intro(r *Report) string {
	if c.Why != "" {
		return c.Why
	}
	text := fmt.Sprintf("The last quarter, from %s on, compared with the first half, up to %s.", r.clock.minute(c.From), r.clock.minute(c.Before))
	if len(c.Rows) == 0 {
		return text + fmt.Sprintf(" Nothing changed: %s moved as before.", plural(int64(c.Judged), "counter", "counters"))
	}
	return text + fmt.Sprintf(" %s of %s changed, by more than they move by themselves.", grouped(int64(len(c.Rows)+c.More)), plural(int64(c.Judged), "counter", "counters"))
}

func (c *Changes) lines() (out []string) {
	if c.More > 0 {
		out = append(out, grouped(int64(c.More))+" more changed less: perfdeck compare tells them.")
	}
	list := func(word string, names []string, more int) {
		if len(names) == 0 {
			return
		}
		text := word + strings.Join(names, ", ")
		if more > 0 {
			text += fmt.Sprintf(" and %s more", grouped(int64(more)))
		}
		out = append(out, text+".")
	}
	list("New: ", c.New, c.MoreNew)
	list("Gone: ", c.Gone, c.MoreOff)
	if c.Few > 0 {
		out = append(out, plural(int64(c.Few), "counter has", "counters have")+" too few samples to tell.")
	}
	return out
}

// recorded tells what there is, and what is missing.
func (p *page) recorded(r *Report) {
	p.f(`<h2 id="recorded">What was recorded, and what is missing</h2><div class="cols rec"><div><div class="sc" role="region" tabindex="0" aria-label="hosts recorded"><table><caption>%s</caption><thead><tr><th scope="col">Host</th><th scope="col">What it is</th><th scope="col" class="n">every</th><th scope="col" class="n">counters</th><th scope="col" class="n">values</th><th scope="col" class="n">complete</th></tr></thead><tbody>`, r.recordedWords())
	for i := range r.Hosts {
		h := &r.Hosts[i]
		p.f(`<tr><th scope="row"><a href="#t-%d">%s</a></th><td>%s</td><td class="n">%s</td><td class="n">%s</td><td class="n">%s</td><td class="n">%s</td></tr>`,
			i, h.Name, h.Facts, h.every(), grouped(int64(len(h.Counters))), grouped(h.Values), h.complete())
	}
	p.raw(`</tbody></table></div></div><div>`)
	if len(r.Gaps) == 0 {
		p.raw(`<p>No gap is longer than 3 samples.</p>`)
	} else {
		p.raw(`<div class="sc" role="region" tabindex="0" aria-label="gaps"><table><caption>Gaps longer than 3 samples</caption><thead><tr><th scope="col">Host</th><th scope="col">when</th><th scope="col" class="n">how long</th><th scope="col">what</th><th scope="col">what is known</th></tr></thead><tbody>`)
		for i, gap := range r.Gaps {
			if i == mostGapsTold {
				break
			}
			p.f(`<tr><th scope="row">%s</th><td>%s</td><td class="n">%s</td><td>%s</td><td>%s</td></tr>`, gap.hostWord(), gap.when(r.clock), span(gap.To.Sub(gap.From)), gap.Cause, gap.Known)
		}
		p.raw("</tbody></table></div>")
		if n := len(r.Gaps) - mostGapsTold; n > 0 {
			p.f(`<p class="q">%s more are not listed.</p>`, grouped(int64(n)))
		}
	}
	p.raw(`</div></div><div class="cols"><div><h3>Notes</h3>`)
	if len(r.Notes) == 0 {
		p.raw(`<p class="mu">None.</p>`)
	}
	for i, n := range r.Notes {
		if i == mostNotesTold {
			p.f(`<p class="q">%s more are not listed.</p>`, grouped(int64(len(r.Notes)-mostNotesTold)))
			break
		}
		p.f(`<p>%s <b>%s</b>`, r.clock.second(n.Time), n.Text)
		if n.By != "" {
			p.f(", by %s", n.By)
		}
		p.raw("</p>")
	}
	p.raw(`</div><div><h3>Clocks</h3><p>`)
	for i, t := range r.Clocks {
		if i > 0 {
			p.raw(" ")
		}
		p.f("%s", t)
	}
	p.raw("</p></div></div>\n")
}

func (r *Report) recordedWords() string {
	return fmt.Sprintf("%s, %s, %s", plural(int64(len(r.Hosts)), "host", "hosts"), plural(int64(r.total()), "counter", "counters"), plural(r.Values, "value", "values"))
}

func (h *Host) every() string {
	if h.Interval <= 0 {
		return "not known"
	}
	return span(h.Interval)
}

func (h *Host) complete() string {
	if h.Expected <= 0 {
		return ""
	}
	f := 100 * float64(h.Samples) / float64(h.Expected)
	if h.Samples < h.Expected {
		f = math.Min(f, 99.9)
	}
	return percentScale.With(math.Min(f, 100))
}

// percentScale writes shares.
var percentScale = Scale{
	Format: cooker.Format{Digits: cooker.DefaultDigits, Style: cooker.UnitWindows, Quantity: cooker.Quantity{Kind: cooker.Percent}},
	Unit:   cooker.Unit{Factor: 1, Label: "%"},
}

// until is when a verdict ends.
func (r *Report) until(v *Verdict) string {
	if v.IsOpen {
		return "the end"
	}
	return r.clock.minute(v.End)
}

// words are what a gap is, and what is known of it.
func (g *Gap) words() string { return strings.TrimSuffix(g.Cause+". "+g.Known, ". ") }

func noteWords(n *note.Note) string { return strings.TrimSuffix(n.Text+", by "+n.By, ", by ") }

func (g *Gap) hostWord() string {
	if g.Host == "" {
		return "all"
	}
	return g.Host
}

func (g *Gap) when(c clock) string {
	if g.IsOpen {
		return c.second(g.From) + " to the end"
	}
	return c.second(g.From) + " to " + c.second(g.To)
}

// method tells what was judged, and how to read it.
func (p *page) method(r *Report) {
	p.f(`<h2 id="method">Method</h2><div class="cols"><div><h3>Rules judged</h3><p>%s</p><ul>`, r.Rules.words())
	if len(r.Rules.Quiet) > 0 {
		p.f("<li>Quiet: %s.</li>", listed(r.Rules.Quiet, mostQuiet))
	}
	for _, why := range r.Rules.lacking() {
		p.f("<li>Not judged, %s.</li>", why)
	}
	p.raw(`</ul></div><div><h3>How to read it</h3><ul>`)
	for _, line := range method {
		p.f("<li>%s</li>", line)
	}
	p.raw("</ul></div></div>\n")
}

var method = []string{
	"A verdict begins with the first of the samples that fired the rule and ends with the first that is well again. A gap ends it, unless it is as bad behind it. What comes again within 10 minutes is one.",
	"A rule that fires on the same host in the time of a graver one of the same cause is told there.",
	"“Before” is as long as the verdict, at least 15 minutes, before it. Medians, so that one wild sample does not decide.",
	"“What else moved”: (median then - median before) / (1.4826 x median distance before + 1 % of the median; of counts at least 1, of percentages 0.5). It tells what went along, not what caused it.",
	"“What changed”: medians of parts of the time, compared with how far they move by themselves. Rules are not needed for it.",
	"No value is ever made up: gaps stay gaps in pictures and are left out of averages. A rate has no value after a gap: it needs two samples.",
	"At most 4 places are shown; verdicts are judged on all digits. 1 KB is 1024 bytes.",
}

func (r *Rules) words() string {
	if r.Judged == 0 {
		return "No rule had anything to judge."
	}
	fired := inWords(r.Fired)
	if r.Fired == 0 {
		fired = "none"
	}
	text := plural(int64(r.Judged), "rule", "rules") + " with data; " + fired + " fired."
	if r.Folded > 0 {
		text += " " + plural(int64(r.Folded), "alert fell", "alerts fell") + " into the time and host of a graver one and are told there."
	}
	return text
}

// lacking are the rules that had no data, by why.
func (r *Rules) lacking() (out []string) {
	var order []string
	by := map[string][]string{}
	for _, u := range r.Unjudged {
		if by[u.Why] == nil {
			order = append(order, u.Why)
		}
		by[u.Why] = append(by[u.Why], u.Rule)
	}
	for _, why := range order {
		out = append(out, why+": "+listed(by[why], mostQuiet))
	}
	return out
}

func listed(names []string, most int) string {
	if n := len(names) - most; n > 0 {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %s more", grouped(int64(n)))
	}
	return strings.Join(names, ", ")
}
