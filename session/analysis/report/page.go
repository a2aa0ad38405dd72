package report

import (
	"bytes"
	"cmp"
	_ "embed" // the looks
	"fmt"
	"html"
	"strconv"
	"strings"

	"perfdeck/session"
	"perfdeck/session/alert"
)

//go:embed report.css
var looks string

// markup is written as it is; all other texts are made printable and escaped.
type markup string

// page is a document as HTML while it is written.
type page struct{ b bytes.Buffer }

func (p *page) raw(m markup) { p.b.WriteString(string(m)) }

// f writes markup with texts in it.
func (p *page) f(format string, args ...any) {
	for i, a := range args {
		switch a := a.(type) {
		case string:
			args[i] = escaped(a)
		case look:
			args[i] = class(a)
		case Text:
			args[i] = a.markup()
		case alert.Severity:
			args[i] = markup(a.String())
		}
	}
	fmt.Fprintf(&p.b, format, args...)
}

// escaped is a text as markup.
func escaped(s string) markup { return markup(html.EscapeString(session.Printable(s))) }

// class is the attribute of a look.
func class(l look) markup { return attribute("class", strings.Join(strings.Fields(string(l)), " ")) }

// attribute is one of an element, none where it is empty.
func attribute(name, value string) markup {
	if value == "" {
		return ""
	}
	return markup(" " + name + `="` + html.EscapeString(session.Printable(value)) + `"`)
}

func (t Text) markup() markup {
	var p page
	p.text(t)
	return markup(p.b.String())
}

func (p *page) text(t Text) {
	for i := range t {
		switch r := &t[i]; {
		case r.draw != nil:
			r.draw(p)
		case r.to != "":
			p.f(`<a%s href="#%s"%s>%s</a>`, r.look, r.to, attribute("aria-label", r.label), r.Text)
		case r.look == "":
			p.raw(escaped(r.Text))
		case r.look == bold || r.look == codeLook:
			p.f("<%[1]s>%[2]s</%[1]s>", markup(r.look), r.Text)
		case r.look == lineBreak:
			p.raw("<br>")
		case r.look == object:
			p.f("<span%s>%s</span><wbr> ", r.look, r.Text)
		default:
			p.f("<span%s>%s</span>", r.look, r.Text)
		}
	}
}

func (p *page) write(blocks []block) {
	for _, b := range blocks {
		b.onPage(p)
	}
}

// page is the document as one file that needs nothing else.
func (d *document) page() []byte {
	var p page
	p.f(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"><meta name="color-scheme" content="light dark">
<title>%s</title><style>%s</style></head><body>
%s
<header><div class="top"><span><b>perfdeck report</b> of %s</span><span>%s</span>
<fieldset class="mode"><legend class="vh">Colours</legend><label><input type="radio" name="c" checked>system</label><label><input type="radio" name="c" id="cl">light</label><label><input type="radio" name="c" id="cd">dark</label></fieldset></div>
<h1>%s</h1>
<p class="lead">%s</p></header>
<main>`, d.headline+" - perfdeck report of "+d.of, markup(looks), Text{d.skip}, d.of, d.span, d.headline, joined(d.opening))
	p.write(d.blocks)
	p.f("</main><footer>%s. This file holds everything: it loads nothing, runs no script and sends nothing.</footer></body></html>\n", d.foot)
	return p.b.Bytes()
}

func (h heading) onPage(p *page) {
	p.f("\n<h%[1]d%[2]s>%[3]s</h%[1]d>", h.level, attribute("id", h.id), h.text)
}

func (g paragraph) onPage(p *page) { p.f("<p%s>%s</p>", g.look, g.text) }

func (w warning) onPage(p *page) { p.f(`<p class="q"><b class="f-warning">▲</b> %s</p>`, string(w)) }

func (l list) onPage(p *page) {
	tag := markup("ul")
	if l.isOrdered {
		tag = "ol"
	}
	p.f("<%s%s>", tag, l.look)
	for _, t := range l.items {
		p.f("<li>%s</li>", t)
	}
	p.f("</%s>", tag)
}

func (f facts) onPage(p *page) {
	p.raw("<dl>")
	for _, one := range f.facts {
		p.f("<div><dt>%s</dt><dd>%s</dd></div>", one.Name, one.Text)
	}
	if p.raw("</dl>"); f.why != "" {
		p.f(`<p class="why">%s</p>`, f.why)
	}
}

// onPage writes it in a region that scrolls.
func (t *table) onPage(p *page) {
	p.f(`<div class="sc" role="region" tabindex="0" aria-label="%s"><table%s><caption%s>%s</caption><thead><tr>`, cmp.Or(t.label, t.title), t.look, t.titleLook, t.title)
	for i := range t.columns {
		c := &t.columns[i]
		head := look("")
		if c.isNumber {
			head = "n"
		}
		p.f(`<th scope="col"%s>%s</th>`, head, c.head)
	}
	p.raw("</tr></thead><tbody>")
	for _, row := range t.rows {
		p.raw(`<tr><th scope="row">`)
		p.text(row[0].text)
		p.raw("</th>")
		at := 1
		for _, cell := range row[1:] {
			at += p.cell(cell, &t.columns[at])
		}
		p.raw("</tr>")
	}
	if p.raw("</tbody></table></div>\n"); t.note != "" {
		inSmall(t.note).onPage(p)
	}
}

// cell writes one of a column, and tells how many columns it takes.
func (p *page) cell(c cell, of *tableColumn) int {
	across := max(c.across, 1)
	looks := of.look + " " + c.look
	switch {
	case c.text[0].Text == "" && c.text[0].draw == nil:
		looks = ""
	case of.isNumber:
		looks = "n " + looks
	}
	span := markup("")
	if across > 1 {
		span = attribute("colspan", strconv.Itoa(across))
	}
	p.f("<td%s%s>", looks, span)
	p.text(c.text)
	p.raw("</td>")
	return across
}

func (d disclosure) onPage(p *page) {
	p.f("<details><summary>%s</summary>", d.summary)
	p.write(d.blocks)
	p.raw("</details>\n")
}

func (s section) onPage(p *page) {
	if s.title == "" {
		s.block.onPage(p)
		return
	}
	p.f("<section><h4>%s</h4>", s.title)
	s.block.onPage(p)
	p.raw("</section>")
}

func (g group) onPage(p *page) {
	if len(g.blocks) == 0 {
		return
	}
	if p.f("<div%s>", g.look); g.title != "" {
		p.f("<h3>%s</h3>", g.title)
	}
	p.write(g.blocks)
	p.raw("</div>")
}

func (x index) onPage(p *page) {
	if len(x.items) == 0 {
		return
	}
	p.f(`<div class="sumx" aria-hidden="true"><span></span><span><span>%s</span><span>%s</span><span>%s</span></span><span></span><span></span></div>
<ol class="sum">`, x.ticks[0], x.ticks[1], x.ticks[2])
	for i := range x.items {
		x.items[i].row(p)
	}
	p.f(`</ol>
<p class="q"><span class="f-critical">■</span> critical, <span class="f-warning">▲</span> warning, <span class="f-careful">○</span> careful; in this order, then by time. %s</p>
`, x.note)
}

// row is an item in the index, with its place in the time of all.
func (i *item) row(p *page) {
	p.f(`<li><a href="#v%d"><span class="s1"><span class="sg f-%s" aria-hidden="true">%s</span><span class="num">%d</span></span><span class="s2"><b>%s</b> %s<span class="vh">, %s.</span></span></a>`,
		i.number, i.severity, sign(i.severity), i.number, i.host, i.text, i.severity)
	p.raw(`<span class="s3"><svg class="mini" width="100%" height="16" aria-hidden="true"><line x1="0" x2="100%" y1="8" y2="8" class="ax"/>`)
	const marks = 8
	for k := range marks + 1 {
		p.f(`<line class="ax" x1="%[1]s" x2="%[1]s" y1="5" y2="11"/>`, across(k)/marks)
	}
	p.f(`<rect class="b-%s" x="%s" y="2" width="%s" height="12"/></svg></span>`, i.severity, min(i.from, .991), max(.009, i.to-i.from))
	p.f(`<span class="s4">%s to %s<br><span class="mu">%s</span></span><span class="s5">%s<br><span class="mu">%s</span></span></li>`+"\n", i.begin, i.end, i.length, i.worst, i.word)
}

func (a article) onPage(p *page) {
	end := markup("</article>\n")
	if a.isBrief {
		p.f(`<details class="brief" id="v%d"><summary><span class="sg f-%[2]s" aria-hidden="true">%[3]s</span><span class="vh">%[2]s: </span><span class="num">%[1]d</span> <b>%[4]s</b> %[5]s <span class="mu">%[6]s, %[7]s</span></summary>`,
			a.number, a.severity, sign(a.severity), a.host, a.text, a.begin, a.length)
		end = "</details>\n"
	} else {
		p.f(`<article class="v" id="v%[1]d" aria-labelledby="h%[1]d"><h3 id="h%[1]d"><span class="k f-%[2]s"><span aria-hidden="true">%[3]s</span> %[2]s</span> <span class="ho">%[4]s</span> %[5]s</h3>`,
			a.number, a.severity, sign(a.severity), a.host, a.text)
	}
	p.write(a.blocks)
	p.raw(end)
}

// onPage leads to all headings of the second level.
func (c contents) onPage(p *page) {
	p.raw(`<nav aria-label="Parts of this report">`)
	for _, b := range c.of.blocks {
		if h, ok := b.(heading); ok && h.level == 2 {
			short, _, _ := strings.Cut(h.text.String(), ",")
			p.text(Text{{Text: short, to: h.id}})
		}
	}
	p.raw("</nav>\n")
}

func (g graph) onPage(p *page) {
	if g.draw != nil {
		g.draw(p)
	}
}
