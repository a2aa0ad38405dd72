package browser

import (
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/text/english"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/graph"
	"perfdeck/tui/kit/kind"
	"perfdeck/tui/kit/names"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
	"perfdeck/tui/search"
)

// shown is a value as it is shown: with its history, if that is kept.
type shown struct {
	pane.Recent

	stale bool
}

// word is why there is no number.
func (s *shown) word(f pane.Frame) string {
	if text, ok := s.Value.Text(); ok {
		return text
	}
	return f.Glyphs().Word(s.Value.Status().Word())
}

// sparkW is how many cells the history takes at most, recentSamples what its
// statistics are of.
const (
	sparkW        = 20
	recentSamples = 60
)

// valueOf is a value at the moment that is shown.
func (b *Browser) valueOf(o *counterOffer, key session.InstanceKey, now time.Time) shown {
	s := shown{Recent: pane.Recent{Value: cooker.Absent(cooker.FirstSample)}}
	if o.is().Absent != "" {
		s.Value = cooker.Absent(cooker.Unavailable)
		return s
	}
	view := o.view()
	row, col := view.Find(key, -1), view.Column(o.counter)
	if row < 0 || col < 0 {
		return s
	}
	s.Recent = b.desk.Recent(o.place.host.Snap, view, row, col, recentSamples)
	s.Scale = kind.RuleOf(o.set, o.counter)
	if _, ok := s.Value.Float(); !ok && s.Window.Count == 0 {
		return s
	}
	s.Unit, s.Look = b.units.Choose(pane.UnitKey{Set: o.set, Counter: o.counter, Key: key}, s.Window.Largest(s.Value), now)
	s.stale = o.place.phaseOf() != session.Live
	return s
}

// fact is a part of the details: a muted label and its text.
type fact struct{ label, text string }

// drawDetails draws what is known of what the mark is on.
func (b *Browser) drawDetails(f pane.Frame) {
	r := b.counters.Row()
	switch {
	case b.place == nil:
	case b.focus == hostColumn || r == nil:
		b.drawPlaceDetails(f)
	case b.focus == setColumn:
		b.drawSetDetails(f)
	default:
		b.drawCounterDetails(f, r)
	}
}

// drawHeadline draws the rule above a block.
func drawHeadline(f pane.Frame, name, subtitle string) {
	pane.DrawTitle(f, pane.Title{Name: name, Subtitle: subtitle})
}

func (b *Browser) drawPlaceDetails(f pane.Frame) {
	p := b.place
	var facts [][]fact
	subtitle := ""
	switch {
	case p.isAll:
		for _, h := range b.hosts() {
			facts = append(facts, []fact{{"", h.name + "  " + h.host.Standing(f.Now).Text(f.Now)}})
		}
		subtitle = "a path for each host that has the counter"
	case p.host == nil:
		subtitle = "a manifest: no values"
		facts = append(facts, []fact{{"offers", english.Count(len(p.cat.Sets), "counterset", "countersets")}})
	default:
		for _, one := range p.host.Facts(f.Now) {
			facts = append(facts, []fact{{one.Label, one.Text}})
		}
	}
	drawHeadline(f, p.name, subtitle)
	b.drawFacts(f, facts)
}

func (b *Browser) drawSetDetails(f pane.Frame) {
	s := b.sets.Row()
	o := &s.offers[0]
	drawHeadline(f, s.name, o.place.name)
	kind := "no instances"
	if o.set.Instances.Multiple() {
		kind = "several instances"
		if view := o.view(); view != nil {
			kind = english.Count(len(b.instances.Rows)-1-len(b.wildcards()), "instance", "instances") + " now"
		}
	}
	facts := [][]fact{
		{{"about", o.set.Description}},
		{{"has", english.Count(len(b.counters.Rows), "counter", "counters")}, {"and", kind}},
		{{"source", sourceOf(o.place.host, o.set, nil)}},
	}
	if o.set.Label != "" {
		facts = append(facts, []fact{{"there", o.set.Label}})
	}
	facts = append(facts, b.having(o)...)
	if b.place.isAll {
		facts = append(facts, []fact{{"on", english.Count(len(s.offers), "host", "hosts")}})
	}
	b.drawFacts(f, facts)
}

func (b *Browser) drawCounterDetails(f pane.Frame, r *counterRow) {
	o := &b.seen
	if o.set == nil {
		return
	}
	c := o.is()
	list, i := path{place: o.place}, (*instance)(nil)
	if at, has := b.instanceAt(); has {
		i = &at
	}
	list.text = pathOf(o.set, "", i)
	drawHeadline(f, r.name, strings.TrimSuffix(list.full(), `\`))
	live := b.valueOf(&o.counterOffer, o.key, f.Now)
	facts := [][]fact{{{"about", c.Description}}, typeFacts(c), {{"scale", scaleText(c, live.Unit)}, {"detail", levelName(c.Detail)}, {"unit", unitName(c.Quantity)}}}
	if c.Type.IsText() {
		facts[2] = []fact{{"detail", levelName(c.Detail)}, {"unit", "none, a text"}}
	}
	if c.Aggregate != cooker.AggregateNone && o.set.Instances.Multiple() {
		facts[2] = append(facts[2], fact{"combined", c.Aggregate.String()})
	}
	facts = append(facts, []fact{{"source", sourceOf(o.place.host, o.set, c)}, {"there", c.Label}})
	facts = append(facts, b.having(&o.offer)...)
	y := b.drawFacts(f, facts)
	f.Text(layout.SignW, y, "live", themes.Muted)
	line := f.Sub(factX, y, f.Width()-factX, 1)
	switch {
	case c.Absent != "":
		line.Rest(0, 0, "none: "+c.Absent, themes.Muted)
	case o.place.host == nil:
		line.Rest(0, 0, "none: a manifest describes counters, it has no values", themes.Muted)
	default:
		b.drawLive(line, live, whose(o.key, i), o.ok)
	}
}

// whose names the instance that a wildcard shows the value of.
func whose(key session.InstanceKey, i *instance) string {
	if i == nil || i.wild == "" {
		return ""
	}
	if name := names.Parented(key); strings.TrimSpace(name) != "" {
		return "of " + name
	}
	return "of the first"
}

// liveW is the room of the value and its unit before its history.
const liveW = 9

// drawLive draws the value, its history and what that sums up to.
func (b *Browser) drawLive(f pane.Frame, s shown, whose string, ok bool) {
	muted := themes.Muted
	if _, number := s.Value.Float(); !number || !ok {
		st := muted
		if s.Value.IsText() {
			st = themes.Strong.Bold()
		}
		x := f.Rest(0, 0, s.word(f), st)
		f.Left(x+1, 0, f.Width()-x-1, whose, muted)
		return
	}
	strong, spark := themes.Strong.Bold(), themes.Style(0) // shades
	if s.stale {
		strong, spark = themes.Stale, themes.Stale
	}
	x := f.Text(0, 0, s.Look.Field(s.Value, s.Unit), strong) + 1
	x += f.Text(x, 0, s.Unit.Label, muted) + 2
	x = max(x, liveW)
	stats := s.stats(f.Width() - x)
	if w := min(sparkW, f.Width()-x-len(stats)-2); w >= 6 && s.Window.Count > 0 {
		w = graph.SparkWidth(w)
		s.Plain = spark
		f.DrawRecent(x, 0, w, &s.Recent)
		x += w + 2
	}
	x += f.Rest(x, 0, stats, muted) + 2
	f.Rest(x, 0, whose, muted)
}

// stats are what the history sums up to: as much of it as has w cells.
func (s *shown) stats(w int) string {
	if s.Window.Count == 0 {
		return ""
	}
	text := ""
	stat := func(v cooker.Value) string { return s.Look.StatField(v, s.Unit) }
	for _, one := range [...]string{"  max " + stat(s.Window.Max), "min " + stat(s.Window.Min) + "  avg " + stat(s.Window.Mean)} {
		if len(text)+len(one) <= w {
			text = one + text
		}
	}
	return strings.TrimSpace(text)
}

// factX is where the texts of facts begin.
const factX = layout.SignW + 9

// drawFacts draws lists of facts, each in a line of its own below the headline, and
// returns the line behind them. What does not fit into a line goes to the next;
// the last line of the frame stays free.
func (b *Browser) drawFacts(f pane.Frame, lines [][]fact) int {
	y, last := 1, f.Height()-1
	for i, line := range lines {
		x := layout.SignW
		for _, one := range line {
			if one.text == "" {
				continue
			}
			room := f.Width() - factAt(x, one.label)
			if width := canvas.Full.TextWidth(one.text); width > room && x > layout.SignW {
				x, y = layout.SignW, y+1
				room = f.Width() - factAt(x, one.label)
			} else if spare := last - y - (len(lines) - i); width > room && spare > 0 {
				y += b.drawWrapped(f, y, spare, one)
				x = layout.SignW
				continue
			}
			if y >= last {
				return last
			}
			f.Text(x, y, one.label, themes.Muted)
			x = factAt(x, one.label)
			text := f.CutEnd(room, one.text)
			b.drawFact(f, x, y, one.label, text)
			x = nextTab(x + canvas.Full.TextWidth(text) + 2)
		}
		if x > layout.SignW {
			y++
		}
	}
	return min(y, last)
}

// factAt is where the text of a fact begins whose label stands at x.
func factAt(x int, label string) int { return max(x+canvas.Full.TextWidth(label)+2, factX) }

// drawFact draws the text of a fact; in descriptions what was searched is set
// off.
func (b *Browser) drawFact(f pane.Frame, x, y int, label, text string) {
	var found []search.Span
	if label == "about" {
		found = b.finder.TextMarks(text)
	}
	f.Marked(x, y, text, found, themes.Text)
}

// nextTab is the next of the places where a further fact in a line begins.
func nextTab(x int) int {
	const first, step = 49, 24
	if x <= first {
		return first
	}
	return first + (x-first+step-1)/step*step
}

// drawWrapped draws a long text in up to 1+spare lines and returns how many it
// took.
func (b *Browser) drawWrapped(f pane.Frame, y, spare int, one fact) int {
	f.Text(layout.SignW, y, one.label, themes.Muted)
	lines := canvas.Fold(one.text, max(1, f.Width()-factX))
	n := min(len(lines), 1+spare)
	for i := range n {
		text := lines[i]
		if i == n-1 {
			text = strings.Join(lines[i:], " ")
		}
		b.drawFact(f, factX, y+i, one.label, f.CutEnd(f.Width()-factX, text))
	}
	return n
}
