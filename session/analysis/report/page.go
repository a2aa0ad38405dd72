package report

import (
	"bytes"
	"cmp"
	_ "embed" // the looks
	"fmt"
	"html"
	"strings"

	"perfdeck/session/alert"
	"perfdeck/session/text/printable"
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
			args[i] = attribute("class", string(a))
		case Text:
			args[i] = nested(func(p *page) { p.text(a) })
		case []block:
			args[i] = nested(func(p *page) { p.write(a...) })
		case alert.Severity:
			args[i] = markup(a.String())
		}
	}
	fmt.Fprintf(&p.b, format, args...)
}

// escaped is a text as markup.
func escaped(s string) markup { return markup(html.EscapeString(printable.Text(s))) }

// attribute is one of an element, none where it is empty.
func attribute(name, value string) markup {
	if value == "" {
		return ""
	}
	return markup(" " + name + `="` + html.EscapeString(printable.Text(value)) + `"`)
}

// nested is what is written, as markup.
func nested(write func(*page)) markup {
	var p page
	write(&p)
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
		case r.look == bold, r.look == codeLook:
			p.around("<"+markup(r.look)+">", r.Text, "</"+markup(r.look)+">")
		case r.look == lineBreak:
			p.raw("<br>")
		case r.look == object:
			p.around(`<span class="ob">`, r.Text, "</span><wbr> ")
		default:
			p.f("<span%s>%s</span>", r.look, r.Text)
		}
	}
}

// around writes a text between markup.
func (p *page) around(begin markup, text string, end markup) {
	p.raw(begin)
	p.raw(escaped(text))
	p.raw(end)
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
	p.write(d.blocks...)
	p.f("</main><footer>%s. This file holds everything: it loads nothing, runs no script and sends nothing.</footer></body></html>\n", d.foot)
	return p.b.Bytes()
}

func (p *page) write(blocks ...block) {
	for _, b := range blocks {
		switch b := b.(type) {
		case heading:
			p.f("\n<h%[1]d%[2]s>%[3]s</h%[1]d>", b.level, attribute("id", b.id), b.text)
		case paragraph:
			p.f("<p%s>%s</p>", b.look, b.text)
		case warning:
			p.f(`<p class="q"><b class="f-warning">▲</b> %s</p>`, string(b))
		case list:
			p.list(b)
		case facts:
			p.facts(b)
		case *table:
			p.table(b)
		case disclosure:
			p.around("<details><summary>", b.summary, "</summary>")
			p.write(b.blocks...)
			p.raw("</details>\n")
		case section:
			p.f("<section><h4>%s</h4>%s</section>", b.title, []block{b.block})
		case group:
			p.group(b)
		case index:
			p.index(b)
		case article:
			p.article(b)
		case contents:
			p.contents(b)
		case drawing:
			b(p)
		}
	}
}

func (p *page) list(l list) {
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

func (p *page) facts(f facts) {
	p.raw("<dl>")
	for _, one := range f.facts {
		p.f("<div><dt>%s</dt><dd>%s</dd></div>", one.Name, one.Text)
	}
	if p.raw("</dl>"); f.why != "" {
		p.f(`<p class="why">%s</p>`, f.why)
	}
}

// table writes one in a region that scrolls.
func (p *page) table(t *table) {
	p.f(`<div class="sc" role="region" tabindex="0" aria-label="%s"><table%s><caption%s>%s</caption><thead><tr>`, cmp.Or(t.label, t.title), t.look, t.titleLook, t.title)
	for _, c := range t.columns {
		p.f(`<th scope="col"%s>%s</th>`, c.look, c.head)
	}
	p.raw("</tr></thead><tbody>")
	for _, row := range t.rows {
		p.raw(`<tr><th scope="row">`)
		p.text(row[0].text)
		p.raw("</th>")
		at := 1
		for _, c := range row[1:] {
			looks := string(t.columns[at].look)
			if c.look != "" {
				looks += " " + string(c.look)
			}
			if p.raw("<td"); looks != "" {
				p.around(` class="`, looks, `"`)
			}
			if c.across > 0 {
				p.f(` colspan="%d"`, c.across)
			}
			p.raw(">")
			p.text(c.text)
			p.raw("</td>")
			at += max(c.across, 1)
		}
		p.raw("</tr>")
	}
	if p.raw("</tbody></table></div>\n"); t.note != "" {
		p.write(inSmall(t.note))
	}
}

func (p *page) group(g group) {
	if len(g.blocks) == 0 {
		return
	}
	if p.f("<div%s>", g.look); g.title != "" {
		p.around("<h3>", g.title, "</h3>")
	}
	p.write(g.blocks...)
	p.raw("</div>")
}

func (p *page) index(x index) {
	if len(x.items) == 0 {
		return
	}
	p.f(`<div class="sumx" aria-hidden="true"><span></span><span><span>%s</span><span>%s</span><span>%s</span></span><span></span><span></span></div>
<ol class="sum">`, x.ticks[0], x.ticks[1], x.ticks[2])
	for _, one := range x.items {
		p.item(&one)
	}
	p.f(`</ol>
<p class="q"><span class="f-critical">■</span> critical, <span class="f-warning">▲</span> warning, <span class="f-careful">○</span> careful; in this order, then by time. %s</p>
`, x.note)
}

// item is a row of the index, with its place in the time of all.
func (p *page) item(i *item) {
	p.f(`<li><a href="#v%[1]d"><span class="s1"><span class="sg f-%[2]s" aria-hidden="true">%[3]s</span><span class="num">%[1]d</span></span><span class="s2"><b>%[4]s</b> %[5]s<span class="vh">, %[2]s.</span></span></a>`,
		i.number, i.severity, sign(i.severity), i.host, i.text)
	p.raw(`<span class="s3"><svg class="mini" width="100%" height="16" aria-hidden="true"><line x1="0" x2="100%" y1="8" y2="8" class="ax"/>`)
	const marks = 8
	for k := range marks + 1 {
		p.f(`<line class="ax" x1="%[1]s" x2="%[1]s" y1="5" y2="11"/>`, across(k)/marks)
	}
	p.f(`<rect class="b-%s" x="%s" y="2" width="%s" height="12"/></svg></span><span class="s4">%s to %s<br><span class="mu">%s</span></span><span class="s5">%s<br><span class="mu">%s</span></span></li>
`, i.severity, min(i.from, .991), max(.009, i.to-i.from), i.begin, i.end, i.length, i.worst, i.word)
}

func (p *page) article(a article) {
	form := `<article class="v" id="v%[1]d" aria-labelledby="h%[1]d"><h3 id="h%[1]d"><span class="k f-%[2]s"><span aria-hidden="true">%[3]s</span> %[2]s</span> <span class="ho">%[4]s</span> %[5]s</h3>%[8]s</article>`
	if a.isBrief {
		form = `<details class="brief" id="v%[1]d"><summary><span class="sg f-%[2]s" aria-hidden="true">%[3]s</span><span class="vh">%[2]s: </span><span class="num">%[1]d</span> <b>%[4]s</b> %[5]s <span class="mu">%[6]s, %[7]s</span></summary>%[8]s</details>`
	}
	p.f(form+"\n", a.number, a.severity, sign(a.severity), a.host, a.text, a.begin, a.length, a.blocks)
}

// contents leads to all headings of the second level.
func (p *page) contents(c contents) {
	p.raw(`<nav aria-label="Parts of this report">`)
	for _, b := range c.of.blocks {
		if h, ok := b.(heading); ok && h.level == 2 {
			short, _, _ := strings.Cut(h.text.String(), ",")
			p.text(Text{{Text: short, to: h.id}})
		}
	}
	p.raw("</nav>\n")
}
