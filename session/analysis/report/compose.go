package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session/files/note"
	"perfdeck/session/text/english"
)

// The bounds of what is told: reports stay small whatever the recording.
const (
	mostRowsTold  = 3000 // counters
	mostSparks    = 1200 // of them with courses and averages by hour
	mostQuiet     = 200
	mostGapsTold  = 60
	mostNotesTold = 200
	mostSide      = 6 // hosts side by side
)

// medium is what a document is made for: there is not room for the same in all of them.
type medium uint8

const (
	onScreen   medium = iota // pages: pictures, and what opens
	inProse                  // Markdown: tables
	onTerminal               // lines, and pictures of blocks
)

// composer makes a document of a report.
type composer struct {
	*Report
	document

	to medium
}

// compose is the report as a document.
func (r *Report) compose(to medium) *document {
	c := &composer{Report: r, to: to, document: document{
		of: r.Title, span: r.whole(r.Begin) + " to " + r.whole(r.End) + ", " + zoneText(r.Begin),
		headline: r.Headline(), opening: r.Lead, skip: Run{Text: "To the verdicts", to: "verdicts", look: "skip"},
		foot: words("perfdeck "+r.Version+", ", code(r.Command)),
	}}
	switch {
	case len(r.Verdicts) == 0:
		c.opening = []Text{r.quietWords()}
		c.skip.Text, c.skip.to = "To the counters", "all"
	case to == onTerminal:
		c.opening = nil // the verdicts follow
	}
	c.verdicts()
	c.oneAxis()
	c.measures()
	c.changes()
	c.counters()
	c.recorded()
	c.method()
	return &c.document
}

func (c *composer) add(blocks ...block) { c.blocks = append(c.blocks, blocks...) }

func (c *composer) title(id, text string) { c.add(heading{2, id, words(text)}) }

// pick is a text of the medium.
func (c *composer) pick(onScreen, inProse, onTerminal string) string {
	return [...]string{onScreen, inProse, onTerminal}[c.to]
}

// quietWords is what there is to be said without a verdict.
func (r *Report) quietWords() Text {
	switch n := r.Rules.Judged; {
	case n > 0:
		return words(plural(n, "rule was", "rules were")+" judged and stayed quiet. ", r.Rules.Nearest)
	case len(r.Rules.Fits) > 0:
		return words("Whether anything was wrong is not known: no rule that was given finds its counters here. Packs that would: " + strings.Join(r.Rules.Fits, ", ") + " (--pack).")
	}
	return words("Whether anything was wrong is not known: no rule finds its counters here, of no pack either. --alert and --rules give rules of one's own.")
}

// verdicts are a row each, and what is missing, then whole, and briefly where there are many.
func (c *composer) verdicts() {
	x := index{ticks: [...]string{c.minute(c.Begin), c.minute(c.Begin.Add(c.End.Sub(c.Begin) / 2)), c.minute(c.End)}}
	if n := len(c.Rules.Quiet); n > 0 {
		x.note = words(plural(n, "other rule was", "other rules were")+" judged and stayed quiet: ", Run{Text: "which", to: "method"}, ".")
	}
	var whole, brief []block
	for i, v := range c.Verdicts {
		x.items = append(x.items, c.item(v))
		if i < mostWhole {
			whole = append(whole, c.verdict(v, x.items[i]))
		} else {
			brief = append(brief, article{x.items[i], true, []block{facts{facts: v.Facts, why: v.Why}}})
		}
	}
	if c.to == onScreen {
		c.add(x)
	}
	for _, m := range c.Missing {
		c.add(warning(capital(m) + "."))
	}
	c.add(contents{&c.document})
	if x.items != nil && c.to != onTerminal {
		c.title("verdicts", "Verdicts")
	}
	if c.to != onScreen {
		c.add(x)
	}
	c.add(whole...)
	if brief != nil && c.to == onScreen {
		c.add(heading{level: 3, text: words(plural(len(brief), "more verdict", "more verdicts"), ", in brief")})
		c.add(brief...)
	}
}

func (c *composer) item(v *Verdict) item {
	end := c.minute(v.End)
	if v.IsOpen {
		end = "the end"
	}
	return item{
		v.Number, v.Severity, v.Host, v.Sentence, c.minute(v.Begin), end, english.Span(v.End.Sub(v.Begin)), v.Worst, v.WorstWord,
		place(v.Begin, c.Begin, c.End), place(v.End, c.Begin, c.End),
	}
}

// verdict tells one whole.
func (c *composer) verdict(v *Verdict, of item) article {
	told, pictures := facts{facts: v.Facts, why: v.Why}, in("")
	if v.Chart != nil {
		told.path = v.Chart.Path
		pictures.blocks = []block{drawing(func(p *page) { p.evidence(v, c.clock) }), strokes(func(l *lines) { l.course(v, c.clock) })}
	} else if c.to == onScreen {
		pictures = in("mu", says("There are no values to be drawn."))
	}
	told.facts = slices.Concat(told.facts, c.along(v))
	next := section{c.pick("What to check next", "What to check next:", "Look at"), list{look: "nx", isOrdered: true, items: v.Next}}
	sections := in("three duo", c.moved(v), next)
	if v.Instances != nil {
		sections = in("three", section{v.Instances.Title, v.Instances.block()}, c.moved(v), next)
	}
	return article{of, false, []block{in("two", append([]block{in("tx", told)}, pictures.blocks...)...), sections, v.Fold.block()}}
}

// along is what went along: a line each, of which the first has a name.
func (r *Report) along(v *Verdict) (out []Fact) {
	for i, a := range v.Along {
		name := "Along"
		if i > 0 {
			name = "and"
		}
		out = append(out, Fact{name, a.text(r.clock)})
	}
	return out
}

// moved is what else moved.
func (c *composer) moved(v *Verdict) block {
	m := &v.Moved
	title := "What else moved on " + v.Host
	if m.IsOtherHosts {
		title = "What moved on the other hosts"
	}
	stayed := fmt.Sprintf("%s stayed within %d spreads of before.", plural(m.Of, "other counter", "other counters"), leastSpreads)
	switch {
	case m.Why != "" && c.to == onTerminal:
		return section{"", list{mark: "What else moved: ", items: []Text{words(m.Why)}}}
	case m.Why != "":
		return section{c.pick(title, "", ""), inSmall(m.Why)}
	case len(m.Rows) == 0 && c.to == onScreen:
		return section{title, inSmall("Nothing else moved. All of " + stayed)}
	case len(m.Rows) == 0:
		return section{"", says("Nothing else moved.")}
	}
	t := &table{title: title, look: "mv", note: "Medians, strongest first."}
	t.columns = columns(c.pick("Counter", "Counter", ""), "before", "then", tableColumn{head: Text{{Text: "course", look: "vh", onPage: true}}, look: "c"})
	if m.More > 0 {
		t.note = fmt.Sprintf("Medians; %d of %d that moved, strongest first.", len(m.Rows), len(m.Rows)+m.More)
	}
	t.note += " " + grouped(m.Still) + " of " + stayed
	for _, row := range m.Rows {
		before, arrow := row.went()
		t.row(row.text(row.Host), before, words(strong(row.Scale.With(row.Then)), beside(arrow, "dir")),
			Run{Text: arrow, draw: func(p *page) { p.spark(row.Course, 84, 18, m.ShadeA, m.ShadeB) }})
	}
	return section{title, t}
}

// beside are words that pages have behind others.
func beside(text string, l look) Text {
	return Text{{Text: " ", onPage: true}, {Text: text, look: l, onPage: true}}
}

// text is a counter in a table, behind its host, where that is given.
func (n *Named) text(host string) Text {
	if host != "" {
		host += " "
	}
	return Text{{Text: host}, {Text: n.object(), look: object}, strong(n.Name)}
}

// block is how a number was made, to be opened.
func (f *Fold) block() disclosure {
	var inner []block
	for _, t := range f.Text {
		inner = append(inner, says(t))
	}
	if f.Raw != nil {
		inner = append(inner, f.Raw.block())
	}
	var worked Text
	for i, line := range f.Worked {
		if i > 0 {
			worked = append(worked, Run{look: lineBreak})
		}
		head, shown, last := strings.Cut(line, ", shown as ")
		if worked = append(worked, Run{Text: head}); last {
			worked = append(worked, Run{Text: ", shown as "}, strong(shown))
		}
	}
	if worked != nil {
		inner = append(inner, paragraph{"work", worked})
	}
	for _, n := range f.Notes {
		inner = append(inner, inSmall(n))
	}
	if f.Judged != nil {
		inner = append(inner, f.Judged.block())
	}
	return disclosure{"How the number was made", []block{in("fold", inner...)}, f.lines()}
}

// oneAxis draws the hosts on one axis.
func (c *composer) oneAxis() {
	if c.to == onScreen && len(c.Strips)+len(c.Verdicts) > 0 {
		c.title("night", "On one axis")
		c.add(says(c.axisWords()), drawing(func(p *page) { p.oneAxis(c.Report) }))
	}
}

// axisWords says what the one axis shows.
func (r *Report) axisWords() string {
	text := ""
	if len(r.Strips) > 0 {
		text = fmt.Sprintf("A cell is %s; its strength is its highest value: %s, the same on each host.", english.Span(r.End.Sub(r.Begin)/time.Duration(len(r.Strips[0].Cells[0]))),
			strings.Join(each(r.Strips, func(s Strip) string { return s.Title + " to " + s.Word }), ", "))
	}
	if n := len(r.Hosts); n > mostAxisHosts {
		text += fmt.Sprintf(" %d of %d hosts are drawn, those with verdicts first.", mostAxisHosts, n)
	}
	if len(r.Verdicts) > 0 {
		text += " The marks lead to their verdicts."
	}
	return strings.TrimSpace(text)
}

// measures are the hosts side by side.
func (c *composer) measures() {
	if len(c.Measures) == 0 {
		return
	}
	title := "Hosts side by side"
	if len(c.Hosts) == 1 {
		title = "At a glance"
	}
	switch c.title("side", title); c.to {
	case inProse:
		c.averages()
	case onTerminal:
		c.add(strokes(func(l *lines) { l.glance(c.Report) }))
	case onScreen:
		shaded := ""
		if len(c.Verdicts) > 0 {
			shaded = " Shaded: its verdicts."
		}
		c.add(says(fmt.Sprintf("%s to %s, a point is %s: the line is the average, the band reaches from the lowest to the highest sample. One scale a row.%s Dotted: limit.",
			c.minute(c.Begin), c.minute(c.End), english.Span(c.MeasurePart), shaded)))
		c.sideBySide()
	}
}

// averages are the measures as numbers.
func (c *composer) averages() {
	hosts := c.firstHosts(mostSide)
	t := &table{columns: columns("Average, maximum")}
	for _, h := range hosts {
		t.columns = append(t.columns, left(c.Hosts[h].Name))
	}
	for _, one := range c.Measures {
		row := []any{one.Title + ", " + one.Scale.Unit.Label}
		for _, h := range hosts {
			text := "none"
			if of := &one.Hosts[h]; of.Has {
				text = one.Scale.Number(of.Average) + ", " + one.Scale.Number(of.Max)
			}
			row = append(row, text)
		}
		t.row(row...)
	}
	c.add(t)
}

// sideBySide draws the measures of hosts, of more than fit those in what opens.
func (c *composer) sideBySide() {
	if len(c.Hosts) == 1 {
		c.add(in("pair", drawing(func(p *page) { p.measures(c.Report, "", []int{0}) })))
		return
	}
	hosts := c.drawn(mostSide)
	var rest []int
	for i := range c.Hosts {
		if !slices.Contains(hosts, i) {
			rest = append(rest, i)
		}
	}
	draw := func(hosts []int) block { return drawing(func(p *page) { p.multiples(c.Report, hosts) }) }
	c.add(draw(hosts))
	if len(rest) == 0 {
		return
	}
	more := disclosure{summary: plural(len(rest), "more host", "more hosts")}
	for part := range slices.Chunk(rest[:min(len(rest), 3*mostSide)], mostSide) {
		more.blocks = append(more.blocks, draw(part))
	}
	if n := len(rest) - 3*mostSide; n > 0 {
		more.blocks = append(more.blocks, inSmall(n, " hosts are not drawn; their counters stand below."))
	}
	c.add(more)
}

// changes tells what is different at the end.
func (c *composer) changes() {
	of := &c.Changes
	c.title("changed", "What changed")
	if c.add(says(of.intro(c.clock))); len(of.Rows) > 0 {
		t := &table{label: "what changed", title: "Counters that changed, the strongest first", titleLook: "vh"}
		t.columns = columns(c.pick("Counter", "Counter", ""), left("change"), "before", "at the end", tableColumn{words("spreads"), "n mu", true})
		for _, row := range of.Rows {
			host := row.Host
			if len(c.Hosts) == 1 {
				host = ""
			}
			t.row(row.text(host), row.Words, row.Scale.Number(row.Before), strong(row.Scale.With(row.Then)), fmt.Sprintf("%+.1f", row.Times))
		}
		if c.to == onTerminal {
			c.add(section{"", t})
		} else {
			c.add(t)
		}
	}
	if of.Why == "" || c.to != onScreen {
		for _, line := range of.lines() {
			c.add(inSmall(line))
		}
	}
}

// intro says what is compared with what, and whether anything changed.
func (c *Changes) intro(k clock) string {
	if c.Why != "" {
		return c.Why
	}
	text := fmt.Sprintf("The last quarter, from %s on, compared with the first half, up to %s.", k.minute(c.From), k.minute(c.Before))
	judged := plural(c.Judged, "counter", "counters")
	if len(c.Rows) == 0 {
		return text + fmt.Sprintf(" Nothing changed: %s moved as before.", judged)
	}
	return text + fmt.Sprintf(" %s of %s changed, by more than they move by themselves.", grouped(len(c.Rows)+c.More), judged)
}

func (c *Changes) lines() (out []string) {
	if c.More > 0 {
		out = append(out, grouped(c.More)+" more changed less: perfdeck compare tells them.")
	}
	list := func(word string, names []string) {
		if len(names) > 0 {
			out = append(out, word+listed(names, mostChanges)+".")
		}
	}
	list("New: ", c.New)
	list("Gone: ", c.Gone)
	if c.Few > 0 {
		out = append(out, plural(c.Few, "counter has", "counters have")+" too few samples to tell.")
	}
	return out
}

// unit is that of a row.
func (c *Counter) unit() string {
	label := c.Scale.Unit.Label
	object := paths.Fold(c.english.Object)
	if label == "%" && (object == "process" || object == "process v2" || object == "thread" || object == "job object") {
		return "% of one"
	}
	return label
}

// counters lists all counters, host by host.
func (c *composer) counters() {
	if c.to == onTerminal {
		return
	}
	total, shown := c.total(), 0
	title := "All " + grouped(total) + " counters"
	if total == 1 {
		title = "The counter"
	}
	if c.title("all", title); c.to == onScreen {
		c.add(says("A row has one unit, chosen by its largest value. p95: 95 of 100 samples were at or below it, within 1\u00a0%. The picture is the average of ",
			english.Span(c.End.Sub(c.Begin)/time.Duration(c.Parts)), ", from 0 to its own maximum. A sample count in ", Run{Text: "this colour", look: "lo"}, " misses more than 1\u00a0%."))
	}
	tabs := in("tabs")
	for i, h := range c.Hosts {
		rows := h.Counters[:min(len(h.Counters), mostRowsTold-shown)]
		name := words(h.Name, beside(h.Facts, muted))
		if c.to == inProse && h.Facts != "" {
			name = words(h.Name, ", ", h.Facts)
		}
		tabs.blocks = append(tabs.blocks, heading{3, fmt.Sprintf("t-%d", i), name}, c.countersOf(h, rows, mostSparks-shown))
		shown += len(rows)
		if left := len(h.Counters) - len(rows); left > 0 {
			tabs.blocks = append(tabs.blocks, inSmall(grouped(left), " more are not listed", c.pick(": perfdeck relog --summary tells them.", ".", "")))
		}
		if c.to == onScreen && len(c.Hours) > 1 && shown <= mostSparks {
			tabs.blocks = append(tabs.blocks, c.hours(h, rows))
		}
	}
	c.add(tabs)
}

// unitColumn is the unit of a row.
var unitColumn = tableColumn{head: words("Unit"), look: "u"}

// countersOf is a table of counters, the first of them with their courses.
func (c *composer) countersOf(h *Host, rows []*Counter, sparks int) *table {
	t := &table{
		label: "counters of " + h.Name, look: "st",
		title: fmt.Sprintf("%s of %s, %s to %s", plural(len(h.Counters), "counter", "counters"), h.Name, c.minute(c.Begin), c.minute(c.End)),
		columns: columns("Counter", unitColumn, "min", cooker.AverageHead("average", h.Counters, func(c **Counter) string { return (*c).Weighted }), "p95", "max",
			tableColumn{head: words("max at"), look: "n mu"}, tableColumn{words(english.Span(c.End.Sub(c.Begin))), "c", true}, "samples"),
	}
	for k, one := range rows {
		c.counter(t, one, k < sparks)
	}
	return t
}

func (c *composer) counter(t *table, of *Counter, isDrawn bool) {
	name, samples := of.text(""), cell{text: Text{{Text: grouped(of.Count)}}, look: muted}
	for _, n := range of.Verdicts {
		s := c.Verdicts[n-1].Severity
		link := beside(fmt.Sprintf("%s\u00a0%d", sign(s), n), look("f-"+s.String()))
		link[1].to, link[1].label = fmt.Sprintf("v%d", n), fmt.Sprintf("%v, verdict %d", s, n)
		name = append(name, link...)
	}
	if of.IsLow || of.Word != "" {
		samples.look = "lo"
	}
	if of.Word != "" {
		t.row(name, "", cell{words(of.Word), muted, 4}, "", "", samples)
		return
	}
	var picture any = ""
	if isDrawn && c.to == onScreen {
		picture = Run{draw: func(p *page) { p.spark(of.Course, 130, 18, 0, 0) }}
	}
	number := func(v float64) cell {
		one := cell{text: Text{{Text: of.Scale.Number(v)}}}
		if one.text[0].Text == "0" {
			one.look = "z"
		}
		return one
	}
	p95 := number(of.P95)
	if of.isFew() {
		p95.text[0].Text = ""
	}
	t.row(name, of.unit(), number(of.Min), number(of.Average), p95, strong(of.Scale.Number(of.Max)), c.second(of.MaxAt), picture, samples)
}

// hours are the averages by hour, to be opened.
func (c *composer) hours(h *Host, shown []*Counter) disclosure {
	part := english.Span(c.HourLength)
	part = cmp.Or(map[string]string{"1 h": "hour", "1 d": "day"}[part], part)
	t := &table{title: "Averages of " + h.Name + " by " + part, look: "st", columns: columns("Counter", unitColumn)}
	for _, at := range c.Hours {
		t.columns = append(t.columns, tableColumn{head: words(c.tick(at, c.HourLength)), look: numbers})
	}
	for _, of := range shown {
		if of.Word != "" {
			continue
		}
		row := []any{of.text(""), of.unit()}
		for _, f := range of.Hours {
			if f == f {
				row = append(row, of.Scale.Number(f))
			} else {
				row = append(row, cell{text: words("none"), look: muted})
			}
		}
		t.row(row...)
	}
	return disclosure{summary: t.title, blocks: []block{t}}
}

// recorded tells what there is, and what is missing.
func (c *composer) recorded() {
	const title = "What was recorded, and what is missing"
	c.title("recorded", c.pick(title, title, "Recorded"))
	if c.hasTexts() {
		c.add(says(textsWords))
	}
	gaps, notes := c.Gaps[:min(len(c.Gaps), mostGapsTold)], c.Notes[:min(len(c.Notes), mostNotesTold)]
	moreGaps, moreNotes := len(c.Gaps)-len(gaps), len(c.Notes)-len(notes)
	hosts := c.hosts()
	if c.to == onScreen {
		c.add(in("cols rec", in("", hosts), in("", c.gaps(gaps), leftOut(moreGaps))),
			in("cols", group{title: "Notes", blocks: append(c.notes(notes), leftOut(moreNotes))}, group{title: "Clocks", blocks: []block{says(joined(c.Clocks))}}))
		return
	}
	if c.to == inProse {
		c.add(hosts)
	}
	for _, g := range gaps {
		c.add(list{mark: "~ ", items: []Text{words(fmt.Sprintf(c.pick("", "No data of %s, %s, %s: %s", "%s %s, %s: %s"), g.where(), g.when(c.clock), g.length(), g.words()))}})
	}
	if c.to == onTerminal && moreGaps > 0 {
		c.add(says(moreGaps, " more gaps"))
	}
	for _, n := range notes {
		c.add(list{mark: "note ", items: []Text{words(c.pick("", "Note, ", ""), c.second(n.Time), c.pick("", ": ", " "), strings.TrimSuffix(n.Text+", by "+n.By, ", by "))}})
	}
	c.add(list{items: c.Clocks})
}

// hosts is a row each, on terminals a line.
func (c *composer) hosts() *table {
	t := &table{
		label: "hosts recorded", columns: columns("Host", left("What it is"), "every", "counters", "values", "complete"),
		title: fmt.Sprintf("%s, %s, %s", plural(len(c.Hosts), "host", "hosts"), plural(c.total(), "counter", "counters"), plural(c.Values, "value", "values")),
	}
	for i, h := range c.Hosts {
		n := int64(len(h.Counters))
		t.row(Run{Text: h.Name, to: fmt.Sprintf("t-%d", i)}, h.Facts, h.every(), grouped(n), grouped(h.Values), h.complete())
		if c.to == onTerminal {
			c.add(list{items: []Text{words(strings.TrimSuffix(fmt.Sprintf("%s: %s, every %s, %s complete; %s", h.Name, plural(n, "counter", "counters"), h.every(), h.complete(), h.Facts), "; "))}})
		}
	}
	return t
}

// leftOut says how many are.
func leftOut(n int) block {
	if n == 0 {
		return in("")
	}
	return inSmall(grouped(n), " more are not listed.")
}

// gaps is a table of them.
func (r *Report) gaps(all []Gap) block {
	if len(all) == 0 {
		return says("No gap is longer than 3 samples.")
	}
	t := &table{label: "gaps", title: "Gaps longer than 3 samples", columns: columns("Host", left("when"), "how long", left("what"), left("what is known"))}
	for _, g := range all {
		t.row(g.where(), g.when(r.clock), g.length(), g.Cause, g.Known)
	}
	return t
}

// notes is a paragraph each.
func (r *Report) notes(all []note.Note) (out []block) {
	if len(all) == 0 {
		return []block{paragraph{muted, words("None.")}}
	}
	for _, n := range all {
		by := ""
		if n.By != "" {
			by = ", by " + n.By
		}
		out = append(out, says(r.second(n.Time), " ", strong(n.Text), by))
	}
	return out
}

// method tells what was judged, and how to read it.
func (c *composer) method() {
	roles := c.roleWords()
	if c.to == onTerminal {
		for _, role := range roles {
			c.add(says(role))
		}
		c.add(says(c.Rules.words(), " -o night.html has all counters and pictures."))
		return
	}
	c.title("method", "Method")
	var judged, read list
	if len(c.Rules.Quiet) > 0 {
		judged.items = []Text{words("Quiet: ", listed(c.Rules.Quiet, mostQuiet), ".")}
	}
	for _, why := range c.Rules.lacking() {
		judged.items = append(judged.items, words("Not judged, ", why, "."))
	}
	judged.items = append(judged.items, roles...)
	for _, line := range method {
		read.items = append(read.items, words(line))
	}
	c.add(in("cols", group{title: "Rules judged", blocks: []block{says(c.Rules.words()), judged}}, group{title: "How to read it", blocks: []block{read}}))
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
	text := plural(r.Judged, "rule", "rules") + " with data; " + fired + " fired."
	if r.Folded > 0 {
		text += " " + plural(r.Folded, "alert fell", "alerts fell") + " into the time and host of a graver one and are told there."
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
		return strings.Join(names[:most], ", ") + " and " + grouped(n) + " more"
	}
	return strings.Join(names, ", ")
}
