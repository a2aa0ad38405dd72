package report

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"perfdeck/cooker/compare"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/files/note"
	"perfdeck/session/text/english"
	"perfdeck/session/text/printable"
)

// The bounds of what is told.
const (
	mostWhole = 12  // verdicts that are told whole
	mostTold  = 200 // verdicts at all
	mostNext  = 4
	mostAlso  = 6
	// mostEvidence bounds the points of a chart that are samples.
	mostEvidence = 1000
	evidenceBars = 240
)

// Report makes the report. Sum has been called.
func (g *Gatherer) Report(ctx context.Context, j Judgement, tick func()) (*Report, error) {
	r := &Report{
		Title: cmp.Or(g.Title, g.Name), Command: g.Command, Version: g.Version, Begin: g.begin, End: g.end,
		Parts: g.fitting(courseParts), HourLength: g.hour, Notes: note.Within(g.Notes, g.begin, g.end),
		Values: g.values, Line: g.player.Line(), clock: g.clock,
	}
	r.Lost, r.isPart = g.faults.Rows, !g.Of.IsZero()
	for _, t := range g.tapes {
		r.Rows += t.rows
	}
	for at := g.hours; !at.After(g.end); at = at.Add(r.HourLength) {
		r.Hours = append(r.Hours, at)
	}
	order := map[string]int{}
	for i, o := range j.own() {
		order[o.Rule.Name] = i
	}
	var episodes []alert.Episode
	if j.Timeline != nil {
		episodes = alert.GoingOn(j.Timeline.Episodes())
	}
	told, folded := g.drafts(episodes, order)
	told = slices.DeleteFunc(told, func(d *draft) bool { return d.End.Before(g.Of) })
	over := max(0, len(told)-mostTold)
	told = told[:min(len(told), mostTold)]
	for i, d := range told {
		g.plan(d, i < mostWhole)
	}
	used := g.usage()
	if err := g.readWindows(ctx, slices.Concat(told, used), tick); err != nil {
		return nil, err
	}
	for _, d := range used {
		r.used = append(r.used, d.used(len(g.hosts) > 1)...)
	}
	for _, d := range told {
		d.derive(&j.Judged)
		d.settleEnd()
		d.addUnseen()
		d.raise()
	}
	sortTold(told, order)
	for i, d := range told {
		d.Number = i + 1
		g.tell(r, d)
		r.Verdicts = append(r.Verdicts, new(d.Verdict)) // without what it was made of
	}
	found := g.findings(r)
	over += max(0, len(told)+len(found)-mostTold)
	r.insert(found[:min(len(found), mostTold-len(told))])
	for _, v := range r.Verdicts {
		v.Along = g.happened.along(v.Host, v.Begin, v.End)
	}
	if over > 0 {
		r.Missing = append(r.Missing, grouped(over)+" more verdicts than are told here")
	}
	g.tellRules(r, &j, len(r.Verdicts)+over, folded)
	var limits []*alert.Rule
	for _, h := range g.hosts {
		limits = append(limits, j.limits(h)...)
	}
	g.tellMeasures(r, limits)
	g.tellHosts(r)
	g.tellChanges(r)
	r.Gaps = g.allGaps()
	g.tellClocks(r)
	g.tellMissing(r)
	r.Lead = r.lead()
	return r, nil
}

// derive takes the values of what is no column.
func (d *draft) derive(j *Judged) {
	if d.column >= 0 || !d.hasLimit() {
		return
	}
	kept := j.of(d.first().ID)
	for i, at := range kept.Times {
		if !at.Before(d.since()) && !at.After(d.to) {
			d.addOwn(at, kept.Values[i])
			d.weigh(kept.Values[i], evidence{at: at})
		}
	}
}

// scaleOf is how the numbers of a verdict are written.
func (d *draft) scaleOf() Scale {
	of := []float64{d.lead().When.Limit}
	if d.Peak != nil {
		of = append(of, *d.Peak)
	}
	s := scaleFor(d.chartScale, of...)
	s.Per = d.lead().UnitSuffix()
	return s
}

// tell tells of a draft.
func (g *Gatherer) tell(r *Report, d *draft) {
	rule := d.lead()
	d.Host, d.index, d.Short, d.Why, d.Path = d.host.Name, d.host.index, printable.Text(rule.Name), printable.Text(rule.Why), d.first().Path
	for _, ep := range slices.Concat(d.episodes, d.others, d.also) {
		if !slices.Contains(d.Paths, ep.Path) {
			d.Paths = append(d.Paths, ep.Path)
		}
	}
	for _, ep := range ofRules(slices.Concat(d.episodes, d.also)) {
		d.Rules = append(d.Rules, ep.Rule.Name)
	}
	if d.IsOpen && d.Spells == 1 {
		d.Lasted = d.End.Sub(d.Begin)
	}
	if d.column >= 0 {
		d.columnPath = d.own().Path
	}
	d.Lasted -= d.unseen
	s := d.scaleOf()
	if d.account = d.accountOf(); d.store != nil {
		d.Culprits = d.who()
	}
	d.fact("When", d.when())
	if len(d.Culprits) > 0 {
		d.fact("Who", d.whoText())
	}
	if rule.Kind == alert.Threshold {
		d.measured(s)
	} else {
		d.absent()
	}
	d.fact("Rule", d.ruleText(s))
	if also := d.alsoText(); also != "" {
		d.fact("Also", also)
	}
	if !d.gapEnds.IsZero() {
		d.fact("Not over", "at the end of what is known: the next sample, "+english.Span(d.gapEnds.Sub(d.End))+" later, was well")
	}
	d.Sentence = printable.Text(d.sentence(s))
	d.Chart = d.chart(r.Notes, s)
	if d.Number <= mostWhole {
		d.Instances, d.Moved = d.instances(), d.moved()
	}
	d.Next, d.Fold = g.next(d), d.made(s)
}

func (v *Verdict) fact(name string, parts ...any) {
	v.Facts = append(v.Facts, Fact{name, words(parts...)})
}

// side is one of two words, by which side of its limit is bad.
func (d *draft) side(above, below string) string {
	if d.lead().When.Op == paths.Below {
		return below
	}
	return above
}

// measured are the facts of what went beyond a limit.
func (d *draft) measured(s Scale) {
	rule := d.lead()
	limit := rule.When.Limit
	d.Limit = &limit
	d.Worst, d.WorstWord = s.limit(limit), "limit"
	if d.Peak != nil {
		d.Worst, d.WorstWord = s.With(*d.Peak), "worst"
		d.fact("Worst", strong(d.Worst), " at "+d.second(d.PeakAt), d.ratio(*d.Peak))
	}
	during, before := d.typical()
	if during == during {
		d.Median = &during
		text := s.With(during) + " (median)"
		if ago := d.Begin.Sub(d.before); before == before && ago >= time.Minute {
			d.Before = &before
			text += fmt.Sprintf(", %s in the %s before", scaleFor(s.Format, before, during).With(before), english.Span(ago))
		}
		d.fact("Typical", text)
	}
	for _, p := range d.points {
		if p.Value == p.Value && d.holds(p.At) {
			d.Of++
			if rule.When.Holds(p.Value) {
				d.Over++
			}
		}
	}
	if d.Of == 0 {
		return
	}
	text := fmt.Sprintf("%s of %s", grouped(d.Over), plural(d.Of, "sample", "samples"))
	if d.samples.Stride > 1 {
		text += fmt.Sprintf(", looked at every %d", d.samples.Stride)
	}
	d.fact(d.side("Over", "Under"), text)
}

// absent are the facts of what gave no value.
func (d *draft) absent() {
	d.Worst, d.WorstWord = english.Span(d.Lasted), "lost"
	switch d.lead().Kind {
	case alert.NoValue:
		d.WorstWord = "without"
	case alert.EventCount:
		n, _ := d.first().Peak.Float()
		d.Worst, d.WorstWord = grouped(int64(n)), "events"
		d.fact("Last", d.first().Counted)
		return
	case alert.HostLost, alert.Threshold:
	}
	if every := d.pace(d.Begin); every > 0 {
		d.fact("Missing", "about "+plural(d.Lasted/every, "sample", "samples"))
	}
	if !d.IsOpen {
		d.fact("Back", "at "+d.second(d.End))
	}
}

// when is from when to when it was.
func (d *draft) when() Text {
	text := words(d.second(d.Begin)+" to ", d.second(d.End)+", ", strong(english.Span(d.End.Sub(d.Begin))))
	if d.IsOpen {
		text = words(d.second(d.Begin)+" to the end of the recording, ", strong(english.Span(d.End.Sub(d.Begin))))
	}
	if d.Spells > 1 {
		text = append(text, words(fmt.Sprintf(", %s%s, %s in all", plural(d.Spells, "time", "times"), d.eachText(), english.Span(d.Lasted)))...)
	}
	if 20*d.unseen > d.End.Sub(d.Begin) {
		text = append(text, words(", "+english.Span(d.unseen)+" of it without a value")...)
	}
	if !d.gapEnds.IsZero() {
		text = append(text, words("; then nothing is known of it")...)
	}
	return text
}

// eachText says how regularly it comes; empty: it does not.
func (d *draft) eachText() string {
	if d.every == 0 {
		return ""
	}
	return ", each " + english.Span(d.every.Round(max(d.pace(d.Begin), time.Second)))
}

// raise makes one severity more of what stands far beyond its limit for long.
func (d *draft) raise() {
	const far, farthest, long = 2.5, 4, 30 * time.Minute
	during, _ := d.typical()
	isFar := d.hasLimit() && d.growth == nil && beyond(d.lead(), during) >= far && (d.Lasted-d.unseen)/time.Duration(max(d.Spells, 1)) >= long && !d.isGoingOn()
	for _, ep := range d.also { // of what was folded in the worst value alone is known
		worst, ok := ep.Peak.Float()
		isFar = isFar || ok && ep.Rule.Severity == d.Severity && ep.Rule.Trend == 0 && beyond(ep.Rule, worst) >= farthest && cmp.Or(ep.Until, d.host.newest).Sub(ep.Began) >= long && !ep.IsGoingOn()
	}
	if isFar {
		d.Severity = min(d.Severity+1, alert.Critical)
	}
}

// beyond is how many times its limit a value is; 0: its limit is no measure of that.
func beyond(r *alert.Rule, v float64) float64 {
	switch {
	case r.When.Limit <= 0:
		return 0
	case r.When.Op == paths.Below:
		return r.When.Limit / v
	}
	return v / r.When.Limit
}

// ratio is how far beyond its limit a value is.
func (d *draft) ratio(worst float64) string {
	times := beyond(d.lead(), worst)
	if d.lead().When.Op == paths.Below || times < 1.1 {
		return ""
	}
	return ", " + factor(times) + " times the limit"
}

// factor is a ratio in few digits.
func factor(f float64) string {
	if f >= 10 {
		return grouped(int64(math.Round(f)))
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", f), ".0")
}

var signs = [...]string{alert.Careful: "○", alert.Warning: "▲", alert.Critical: "■"}

// sign is the sign of a severity.
func sign(s alert.Severity) string { return signs[min(int(s), len(signs)-1)] }

// ruleText is the rules with when they fired.
func (d *draft) ruleText(s Scale) string {
	var parts []string
	rules := ofRules(d.episodes) // by when they fired
	for i, one := range rules {
		r := one.Rule
		text := r.Name + ": "
		switch r.Kind {
		case alert.Threshold:
			if d.growth != nil {
				text += "steady growth for most of what is known"
				break
			}
			text += fmt.Sprintf("%v %s for %s", r.When.Op, s.limit(r.When.Limit), r.ForText())
			if d.isGoingOn() {
				text += " of every sample to the end; it began too late for the rule itself"
			}
			if r.Clear != nil && len(rules) == 1 {
				text += ", clears at " + s.limit(*r.Clear)
			}
		case alert.EventCount:
			text += fmt.Sprintf("more than %d events within %s", r.Events.MoreThan, english.Span(r.Events.Span()))
		case alert.HostLost:
			text += "no answer for " + r.ForText()
		case alert.NoValue:
			text += "no value for " + r.ForText()
		}
		if len(rules) > 1 {
			text += fmt.Sprintf(", %s from %s", sign(r.Severity), d.second(one.Began))
		}
		if i == len(rules)-1 && r.Origin != "" {
			text += " (" + r.Origin + ")"
		}
		parts = append(parts, text)
	}
	text := strings.Join(parts, "; ")
	if every, of := d.first().Every, d.pace(d.Begin); every > 0 && d.hasLimit() && of > 0 && every > of*3/2 {
		text += ", judged each " + english.Span(every)
	}
	return text
}

// alsoText is what was folded into it.
func (d *draft) alsoText() string {
	var parts []string
	for _, ep := range ofRules(d.also) {
		parts = append(parts, fmt.Sprintf("%s %s from %s", sign(ep.Rule.Severity), ep.Rule.Name, d.second(ep.Began)))
	}
	if len(parts) == 0 {
		return ""
	}
	if n := len(parts) - mostAlso; n > 0 {
		parts = append(parts[:mostAlso], plural(n, "more rule", "more rules"))
	}
	return "folded into this: " + strings.Join(parts, ", ")
}

// chart is the picture of a verdict.
func (d *draft) chart(notes []note.Note, s Scale) *Chart {
	from, to := d.from, session.Later(d.to, d.End)
	var points []Point
	lowest, largest := math.Inf(1), math.Inf(-1)
	for _, p := range d.points {
		if p.At.Before(from) || p.At.After(to) {
			continue
		}
		points = append(points, p)
		if p.Value == p.Value {
			largest, lowest = max(largest, p.Value), min(lowest, p.Value)
		}
	}
	if math.IsInf(largest, 0) {
		return nil
	}
	ch := &Chart{
		Path: printable.Text(d.chartPath), From: from, To: to, Point: "a sample",
	}
	if every := d.ownPace(d.Begin); every > 0 {
		ch.Point = english.Span(every * time.Duration(d.samples.Stride))
	}
	if d.Limit != nil {
		ch.IsBelow = d.lead().When.Op == paths.Below
		largest = max(largest, *d.Limit)
	}
	s = scaleFor(s.Format, largest, lowest)
	ch.Scale = s
	ch.Top = s.top(largest)
	if d.Limit != nil {
		ch.LimitText = "limit " + s.limit(*d.Limit)
	}
	ch.Points = d.breakGaps(points)
	if len(points) > mostEvidence {
		ch.Points = buckets(ch.Points, from, to, evidenceBars)
		ch.Point = english.Span(to.Sub(from)/evidenceBars) + ", median"
	}
	if d.Peak != nil {
		ch.PeakText = s.With(*d.Peak) + ", " + d.second(d.PeakAt)
	}
	ch.GapFrom, ch.GapTo = d.gapWithin(from, to)
	ch.Notes = note.Within(notes, from, to)
	ch.Title = fmt.Sprintf("%s, %s to %s", ch.Path, d.second(from), d.second(to))
	ch.Story = d.story(s)
	return ch
}

// gapWithin is the gap of the host in a span: the first that the verdict overlaps, else
// the last.
func (d *draft) gapWithin(from, to time.Time) (begin, end time.Time) {
	for _, gap := range d.host.gaps {
		if overlapOf(gap.From, gap.To, from, to) > 0 {
			begin, end = session.Later(gap.From, from), session.Earlier(gap.To, to)
			if overlapOf(gap.From, gap.To, d.Begin, d.End) > 0 || d.lead().Kind == alert.HostLost {
				break
			}
		}
	}
	return begin, end
}

func overlapOf(a, b, c, d time.Time) time.Duration {
	return session.Earlier(b, d).Sub(session.Later(a, c))
}

// story tells what a picture shows.
func (d *draft) story(s Scale) string {
	if !d.hasLimit() {
		return fmt.Sprintf("From %s to %s there is no value.", d.second(d.Begin), d.second(d.End))
	}
	text := fmt.Sprintf("From %s to %s the line lies %s the limit of %s", d.second(d.Begin), d.second(d.End), d.side("over", "under"), s.limit(*d.Limit))
	if d.Peak != nil {
		text += fmt.Sprintf(", farthest with %s at %s", s.With(*d.Peak), d.second(d.PeakAt))
	}
	if d.Before != nil {
		text += "; before it lies near " + s.With(*d.Before)
	}
	return text + "."
}

// breakGaps puts a point without value into times longer than a gap.
func (d *draft) breakGaps(points []Point) []Point {
	var out []Point
	for i, p := range points {
		if i > 0 && d.isGap(points[i-1].At, p.At) {
			out = append(out, Point{points[i-1].At.Add(1), math.NaN()})
		}
		out = append(out, p)
	}
	return out
}

// buckets are the medians of equal parts of the time.
func buckets(points []Point, from, to time.Time, n int) []Point {
	in, out := make([][]float64, n), make([]Point, n)
	for _, p := range points {
		if i := cellOf(p.At, from, to, n); p.Value == p.Value {
			in[i] = append(in[i], p.Value)
		}
	}
	for i := range out {
		slices.Sort(in[i])
		out[i] = Point{from.Add(time.Duration(float64(to.Sub(from)) * (float64(i) + 0.5) / float64(n))), compare.Median(in[i])}
	}
	return out
}

// next is what to look at.
func (g *Gatherer) next(d *draft) []Text {
	var out []Text
	var own []string
	for _, ep := range d.episodes {
		for _, s := range ep.Rule.Next {
			if !slices.Contains(own, s) {
				own = append(own, s)
			}
		}
	}
	for _, m := range d.Moved.Rows {
		if m.IsNew && m.Instance != "" {
			out = append(out, words(strong(m.Instance), " was not there before: ", m.Name, " was ", m.Scale.With(m.Then), " then. What is it, and who starts it?"))
			break
		}
	}
	for _, s := range own {
		if len(out) == mostNext-1 {
			break
		}
		out = append(out, words(s))
	}
	at := d.Begin
	if d.Peak != nil {
		at = d.PeakAt
	}
	return append(out, g.nextAt(at))
}

// nextAt leads to a moment.
func (g *Gatherer) nextAt(at time.Time) Text {
	if g.Name == "" {
		return words("Which processes ran at " + at.In(g.zone).Format(time.TimeOnly) + "? What was reported came by a pipe: write it to a file, which perfdeck replay opens at that moment.")
	}
	command := "perfdeck replay " + g.Name + " --at " + g.atText(at)
	return words(code(command), ", then ", code("t"), ": the processes of that moment.")
}

// atText is a moment as --at takes it.
func (g *Gatherer) atText(at time.Time) string {
	at = at.In(g.zone)
	if g.length() < 24*time.Hour && at.Second() == 0 {
		return at.Format("15:04")
	} else if g.length() < 24*time.Hour {
		return at.Format("15:04:05")
	}
	return at.Format("'2006-01-02 15:04:05'")
}
