package explain

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/engine/prom"
	"perfdeck/session/text/english"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/kind"
	"perfdeck/tui/kit/names"
	"perfdeck/tui/pane"
)

// explain makes the lines for the moment that the desk shows, to fit w cells.
func (s *Screen) explain(now time.Time, w int) []line {
	p := &page{w: w}
	counter := s.target.Of()
	if path := s.path(); canvas.Full.TextWidth(path) > w-titleRoom {
		p.add("path", path)
		p.blank()
	}
	s.addHost(p, now)
	s.addWhy(p)
	view, row, col, ok := s.target.Cell()
	switch {
	case !ok:
		p.add("", "no sample of it so far")
		p.blank()
		addType(p, cooker.Explain(evidenceOf(counter)))
	case s.isPast():
		s.addMoment(p, view, row, col, now)
	default:
		s.addNow(p, view, row, col)
	}
	p.add("source", s.target.Host.Origin(s.target.Set)+s.latency())
	if beside := s.target.Host.Beside; beside != "" && s.target.Set.From == "" {
		p.add("", "before its first sample here: "+beside)
	}
	for _, note := range s.target.Host.Sampler.State().Notes {
		if text := note.Error(); strings.Contains(text, s.target.Set.Name) {
			p.add("note", text)
		}
	}
	if row >= 0 {
		if runs := s.target.Services(&view.Rows[row].Instance); runs != "" {
			p.add("runs", runs)
		}
		label := "told"
		for _, text := range s.desk.EventFacts(s.target, &view.Rows[row].Instance) {
			p.add(label, text)
			label = ""
		}
	}
	if row >= 0 && col >= 0 {
		s.addHistory(p, view, row, col)
		if s.isTraced() {
			s.addTrace(p, view.Value(row, col))
		} else {
			s.addRecipe(p, view, row, col)
		}
	}
	return p.lines
}

// path is the full path of the value, with the host where there are several.
func (s *Screen) path() string {
	return s.target.Text(len(s.desk.Hosts) > 1)
}

// latency is how long the host took for its last answer, as a part of a line.
func (s *Screen) latency() string {
	state := s.target.Host.Sampler.State()
	if state.LastAnswer.IsZero() || s.target.Host.Local || s.isTraced() { // that is how soon what came before was found
		return ""
	}
	return ", answered in " + english.Span(state.Latency)
}

// addHost tells what is wrong with the host, if anything is.
func (s *Screen) addHost(p *page, now time.Time) {
	standing := s.target.Host.Standing(now)
	if standing.Condition > pane.Expected {
		p.fold("host", standing.Text(now), styleOf(standing.Condition))
		p.blank()
	}
}

// styleOf is the colour of what is wrong.
func styleOf(is pane.Condition) themes.Style {
	_, st := is.Sign(canvas.Full.Glyphs())
	return st
}

// isPast tells whether a moment is shown of which there is no raw sample: only
// the newest is kept raw.
func (s *Screen) isPast() bool {
	snap := s.target.Host.Snap
	return snap != nil && !s.desk.IsNewest(snap)
}

// addMoment explains a value of the past: there is nothing but the value.
func (s *Screen) addMoment(p *page, view *session.SetView, row, col int, now time.Time) {
	counter := s.target.Of()
	series := view.Series(row, col)
	v := s.desk.Shown(s.target.Host.Snap, series, view.Value(row, col))
	when := "at " + pane.Clock(s.desk.At, now)
	if v.Valid() {
		s.addValue(p, v, when)
	} else {
		p.strong("no value is kept of " + pane.Clock(s.desk.At, now))
		s.addAbout(p)
	}
	s.addDrawn(p, v)
	p.add("samples", "raw samples are not kept: only the newest value can be worked out from them")
	p.blank()
	addType(p, cooker.Explain(evidenceOf(counter)))
}

// addNow explains the newest value.
func (s *Screen) addNow(p *page, view *session.SetView, row, col int) {
	counter := s.target.Of()
	v, in := view.Value(row, col), &view.Rows[row]
	if view.Err != nil {
		p.fold("stale", "could not be read now: "+view.Err.Error(), themes.Stale)
		p.blank()
	}
	older, newer, olderClocks, newerClocks, ok := view.Raw(row, col)
	switch {
	case in.Flags&session.FlagCombined != 0:
		s.addValue(p, v, "")
		s.addDrawn(p, v)
		s.addMembers(p, view, in, col)
		return
	case !ok && !in.Gone:
		s.addValue(p, v, "")
		s.addDrawn(p, v)
		p.add("samples", "the recording keeps values, not the raw samples that they were worked out from")
		return
	case !ok:
		p.strong("gone since " + in.Since.Local().Format(time.TimeOnly))
		s.addAbout(p)
		addType(p, cooker.Explain(evidenceOf(counter)))
		return
	}
	if in.Flags&session.FlagTogether != 0 {
		p.add("made of", "all instances, as the host gives them together: not aggregated by perfdeck")
	}
	e := evidenceOf(counter)
	e.Prev, e.Cur, e.PrevClocks, e.CurClocks = older, newer, olderClocks, newerClocks
	e.PrevText, e.CurText = view.Texts(row, col)
	x := cooker.Explain(e)
	unit, look := s.addValue(p, v, "")
	addType(p, x)
	before, at := samplesAt(view)
	if s.isTraced() { // read at other times than when the samples were taken
		before, at = clockAt(olderClocks), clockAt(newerClocks)
	}
	addSamples(p, x, before, at)
	s.addResult(p, x, v, unit, look)
	s.addDrawn(p, v)
	s.addState(p, x, view)
}

// recipeWindow is the window of recipes.
const recipeWindow = "5m"

// addRecipe tells how Prometheus makes the value of the raw series of the exporter.
func (s *Screen) addRecipe(p *page, view *session.SetView, row, col int) {
	_, newer, _, clocks, ok := view.Raw(row, col)
	if !ok {
		return
	}
	set, counter := s.target.Set, s.target.Counter
	n := &prom.NamesOf(set)[counter]
	exact, over, ok := n.Recipe(s.target.Host.Name, set, counter, &view.Rows[row].Instance, newer, clocks, recipeWindow)
	if !ok {
		return
	}
	p.blank()
	p.add("promql", exact)
	if over != exact {
		p.add("over "+recipeWindow, over)
	}
}

// mostMembers is of how many instances the values are told that a row is made of.
const mostMembers = 20

// addMembers tells what a row is made of: by which function, and of which values.
func (s *Screen) addMembers(p *page, view *session.SetView, row *session.Row, col int) {
	made, ok := session.CombineNamed(row.Key.Name)
	if !ok {
		made = session.Combine{Name: row.Key.Name}
	}
	counter := s.target.Of()
	function, rule := made.Aggregator(counter).Func, "MS-PCQ 2.2.4.2, AggregateFunc"
	if made.Func != nil && *made.Func != counter.Aggregate {
		rule = "as it was chosen; the counter itself says " + counter.Aggregate.String()
	}
	members := view.Combined(function, made.Members(view, nil), col)
	what := fmt.Sprintf("%s of the cooked values of %d instances", function, len(members))
	if len(members) == 1 {
		what = function.String() + " of the cooked value of 1 instance"
	}
	p.add("made of", what)
	if function == cooker.AggregateNone {
		p.add("", "neither the counter nor the row says by which function: there is no value")
	}
	if row.Vanished > 0 {
		p.add("", fmt.Sprintf("and of %d that ended: their last counts, which make no rates", row.Vanished))
	}
	p.add("rule", rule)
	p.blank()
	label := "values"
	for _, i := range members[:min(len(members), mostMembers)] {
		v := view.Value(i, col)
		text := v.Status().Word()
		if v.Valid() {
			text = string(cooker.AppendMachine(nil, v))
		}
		p.add(label, names.Beside(&view.Rows[i].Instance)+"   "+text)
		label = ""
	}
	if n := len(members) - mostMembers; n > 0 {
		p.add("", fmt.Sprintf("and %d more", n))
	}
}

// evidenceOf is what the catalogue knows of a counter.
func evidenceOf(c *session.Counter) cooker.Evidence {
	return cooker.Evidence{Type: c.Type, Attributes: c.Attributes, Scale: c.DefaultScale}
}

// addValue is the value as the deck shows it, and in full, and what it means.
func (s *Screen) addValue(p *page, v cooker.Value, when string) (cooker.Unit, session.Look) {
	if s.target.Used {
		s.tellDrawn(p, v)
	}
	f, _ := v.Float()
	u, look := s.units.Choose(s.target.UnitKey(), f, s.target.Host.Snap.Time)
	parts := []string{strings.TrimSpace(look.Field(v, u) + " " + u.Label)}
	if full := string(cooker.AppendMachine(nil, v)); v.Valid() && full != parts[0] {
		parts = append(parts, full)
	}
	if s.target.Used {
		parts = append(parts, s.target.Of().Name)
	}
	if when != "" {
		parts = append(parts, when)
	}
	p.strong(parts...)
	s.addAbout(p)
	return u, look
}

// addAbout is what the counter means.
func (s *Screen) addAbout(p *page) {
	p.text(s.target.Of().Description)
	p.blank()
}

// addType tells what kind of counter it is, and how such are worked out.
func addType(p *page, x cooker.Explanation) {
	p.add("type", x.Info.Name+"  "+x.Code, x.Info.Meaning)
	if x.Info.Base != cooker.BaseNone {
		p.add("base", fmt.Sprintf("%v  0x%08X", x.Info.BaseType, uint32(x.Info.BaseType)), baseText[x.Info.Base])
	}
	if len(x.Bits) > 0 {
		p.add("bits", strings.Join(x.Bits, " "))
	}
	p.blank()
	p.fold("formula", x.Info.Formula, themes.Strong.Bold())
	p.blank()
}

var baseText = map[cooker.BaseKind]string{
	cooker.BaseDivisor: "what the value is divided by",
	cooker.BaseClock:   "a clock of its own",
	cooker.BaseMulti:   "counts the components",
}

// addSamples is the table of the raw samples: a line each, or where that is too
// wide a heading each with the samples below.
func addSamples(p *page, x cooker.Explanation, before, at string) {
	if x.Cooked {
		p.table([][4]string{{"sample", "", at, ""}, {"it came cooked: the source had no raw values", "", "", ""}})
		p.blank()
		return
	}
	table := [][4]string{{"sample", before, at, "difference"}}
	for _, o := range x.Operands {
		diff := "constant"
		switch {
		case o.Changes:
			diff = english.GroupDigits(strconv.FormatInt(o.Difference, 10), blank)
		case !o.Older.Set: // no older sample, or a text
			diff = ""
		}
		table = append(table, [4]string{o.Symbol + " " + o.Meaning, cmp.Or(o.Texts[0], cell(o.Older)), cmp.Or(o.Texts[1], cell(o.Newer)), diff})
	}
	p.table(table)
	p.blank()
}

// samplesAt is when the two newest samples were read.
func samplesAt(view *session.SetView) (before, at string) {
	if view.Rate.Interval > 0 {
		before = view.Time.Add(-view.Rate.Interval).Local().Format(clockFormat)
	}
	return before, view.Time.Local().Format(clockFormat)
}

// clockAt is when a sample was taken, by the clock that came with it; empty: by none.
func clockAt(c *cooker.Clocks) string {
	if c == nil || c.Time100ns <= cooker.Unix100ns {
		return ""
	}
	return cooker.TimeOf(c.Time100ns).Local().Format(clockFormat)
}

const clockFormat = "15:04:05.000"

func cell(c cooker.Cell) string {
	if !c.Set {
		return ""
	}
	return english.GroupDigits(strconv.FormatUint(c.N, 10), blank)
}

// addResult works the value out.
func (s *Screen) addResult(p *page, x cooker.Explanation, v cooker.Value, u cooker.Unit, look session.Look) {
	if x.Differences != "" {
		p.worked("worked", x.Differences)
		result := "= " + string(cooker.AppendMachine(nil, x.Result))
		p.worked("", strings.TrimSpace(result+" "+x.Info.Suffix))
	}
	if f, ok := v.Float(); ok && u.Factor != 0 && u.Factor != 1 {
		plain := cooker.Format{Digits: cooker.DefaultDigits, Grouping: ","}
		p.add("perfmon", "shows "+string(cooker.AppendValue(nil, cooker.FloatValue(f), plain))+", the same value in the counter's own unit")
	}
	if look.ChartScale != 0 {
		p.add("scale", fmt.Sprintf("10^%d in charts; numbers are not scaled", look.ChartScale))
	}
	p.blank()
}

// addState tells what the value is worth, and what may be odd about it.
func (s *Screen) addState(p *page, x cooker.Explanation, view *session.SetView) {
	status := x.Status.String()
	if code, ok := x.Status.Code(); ok && !x.Status.Good() {
		status += fmt.Sprintf("  %s 0x%08X", code.Name, code.Code)
	}
	p.add("state", status)
	if view.Rate.Missed > 0 {
		p.add("", fmt.Sprintf("%d beats were missed before this sample", view.Rate.Missed))
	}
	if limit := limitOf(x.Info); limit != "" {
		p.add("limits", limit)
	}
	if len(x.Attributes) > 0 {
		p.add("attributes", strings.Join(x.Attributes, " "))
	}
	for _, c := range x.Conflicts {
		p.add("conflict", c)
	}
	if x.Unknown != 0 {
		p.add("unknown", fmt.Sprintf("attribute bits 0x%X", uint64(x.Unknown)))
	}
	p.add("rule", x.Info.Source)
	if text := x.Info.Type.Dispute(); text != "" {
		p.add("disputed", text)
	}
}

// limitOf tells when a type has no value.
func limitOf(info cooker.TypeInfo) string {
	var limits []string
	if info.Samples == 2 {
		limits = append(limits, "no value at the first sample: it needs two")
	}
	if info.Base == cooker.BaseDivisor {
		limits = append(limits, "no value while B does not move: shown as idle, never as 0")
	}
	if info.Samples == 1 && info.Base == cooker.BaseDivisor {
		limits = []string{"no value while B is 0: shown as idle, never as 0"}
	}
	return strings.Join(limits, "; ")
}

// blank is what stands between groups of three digits.
const blank = " "

// mostHistory is how many samples are drawn.
const mostHistory = 60

// addHistory shows the last samples and their extremes.
func (s *Screen) addHistory(p *page, view *session.SetView, row, col int) {
	if s.target.IsText() {
		return // it has no curve
	}
	snap := s.target.Host.Snap
	end, w := s.desk.End(snap), min(mostHistory, p.w-labelW-1)
	d := s.target.Drawn()
	_, shown := d.As(nil, snap, s.target.Key, view.Value(row, col), view.Series(row, col).Cut(end, w))
	n := len(shown.Values)
	if n == 0 || w < 6 {
		return
	}
	p.blank()
	win := shown.Window(end, w)
	most, _ := win.Max.Float()
	top := max(most, kind.RuleOf(s.target.Set, s.target.Counter).Least)
	p.lines = append(p.lines, line{label: fmt.Sprintf("last %d", n), spark: shown, top: float32(top), sparkW: w})
	from := snap.Timeline.At(shown.First).Local().Format(time.TimeOnly)
	to := snap.Timeline.At(shown.End() - 1).Local().Format(time.TimeOnly)
	if room := w - len(from) - len(to); room > 0 && n > 1 {
		gap := max(1, n-len(from)-len(to))
		p.lines = append(p.lines, line{indent: w - len(from) - gap - len(to), parts: []textPart{{from + strings.Repeat(" ", gap) + to, themes.Muted}}})
	}
	if win.Count > 0 {
		p.add("", s.extremes(snap, win))
	}
}

// extremes are the least and the largest of the last samples, with when it was.
func (s *Screen) extremes(snap *session.Snapshot, win session.Window) string {
	u, look := s.units.Choose(s.target.UnitKey(), win.Largest(win.Max), snap.Time)
	number := func(v cooker.Value) string { return look.Field(v, u) }
	by := ""
	if win.ByTime {
		by = " by time"
	}
	return strings.TrimSpace(fmt.Sprintf("min %s  avg%s %s  max %s %s", number(win.Min), by, number(win.Mean), number(win.Max), u.Label)) +
		" at " + snap.Timeline.At(win.MaxAt).Local().Format(time.TimeOnly)
}
