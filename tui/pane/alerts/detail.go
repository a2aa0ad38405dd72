package alerts

import (
	"fmt"
	"math"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/text/english"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// detail is what is told of the selected row: facts, and the history of a value
// around a moment.
type detail struct {
	title  pane.Title
	facts  []pane.Fact
	value  pane.Target // of the graph; without a set there is none
	look   session.Look
	past   alert.Past
	moment time.Time   // zero: now
	around bool        // past is what was judged around the moment, and no more
	rule   *alert.Rule // with the limit; may be nil
}

func (d *detail) add(label, format string, args ...any) {
	if text := fmt.Sprintf(format, args...); text != "" {
		d.facts = append(d.facts, pane.Fact{Label: label, Text: text, Style: themes.Text})
	}
}

// detailOf tells of the selected row; ok is false without one.
func (s *Screen) detailOf(now time.Time, g *canvas.Glyphs) (d detail, ok bool) {
	switch a, r, ev := s.alert(), s.rule(), s.event(); {
	case a != nil:
		s.tellAlert(&d, a, now, g)
	case r != nil:
		s.tellRule(&d, r, now)
	case ev != nil:
		s.tellEvent(&d, ev, now, g)
	default:
		return d, false
	}
	d.look = watchedBy(s.desk, d.value).look
	return d, true
}

func (s *Screen) tellAlert(d *detail, a *alert.Alert, now time.Time, g *canvas.Glyphs) {
	sign, st := signAt(a, now, g)
	d.title = pane.Title{Name: a.ID.Rule, Problem: strings.TrimSpace(signText(sign) + " " + stateWord(a)), ProblemStyle: st}
	d.rule, d.moment = a.Rule, a.Since
	d.add("of", "%s", fullPath(a.Path, a.ID))
	since := "since"
	if a.State == alert.Pending {
		since = "began"
	}
	d.add(since, "%s, %s ago", pane.Clock(a.Since, now), english.Age(now.Sub(a.Since)))
	if a.Rule.Kind.HasLimit() {
		c := watchedIn(s.desk.Numbers, a)
		op, limit := a.Rule.Limit()
		text := c.valueText(a.Value) + ", limit " + op.String() + " " + limitText(limit, c)
		if a.Peak.Valid() && a.State >= alert.Acknowledged {
			text += ", worst " + c.withUnit(a.Peak)
		}
		d.add("value", "%s", text)
		if a.Of > 1 {
			d.add("beyond", "%d of the last %d samples; %s needed", a.Hits, a.Of, a.Rule.ForText())
		}
	}
	if a.Counted != "" {
		d.add("last", "%s", a.Counted)
	}
	if note := noteOf(a, now); note != "" {
		d.add("state", "%s", note)
	}
	if a.State == alert.Acknowledged && !a.At.IsZero() {
		d.add("known", "since %s", pane.Clock(a.At, now))
	}
	d.tell(a.Rule, "why", "next", "text")
	if r := recordedOf(s.desk); r != nil && s.findAround(d, r.EventOf(a), a.ID) {
		return
	}
	s.findPast(d, targetsOf(s.desk, a.ID, a.Rule), a.ID)
}

func (s *Screen) tellRule(d *detail, r *alert.RuleStatus, now time.Time) {
	word, st := stateOf(r, now, canvas.Full.Glyphs())
	if r.Firing > 0 && !r.Disabled {
		word = fmt.Sprintf("%d firing", r.Firing)
	}
	d.title = pane.Title{Name: r.Name, Subtitle: r.Severity.String(), Problem: word, ProblemStyle: st}
	d.rule = &r.Rule
	d.add("when", "%s", r.Condition())
	d.tell(&r.Rule, "judged")
	d.add("earliest", "%s", firesText(r.Rule, everyOf(s.desk)))
	d.add("follows", "%s on %s, hosts: %s", english.Count(r.Watched, "value", "values"), english.Count(r.Hosts, "host", "hosts"), hostsText(&r.Rule))
	d.add("problem", "%s", r.Problem)
	d.tell(&r.Rule, "quiet")
	if r.MutedUntil.After(now) {
		d.add("muted", "%s", untilText(r.MutedUntil, now))
	}
	d.tell(&r.Rule, "then", "over", "why", "next", "text")
	from := r.Origin
	if r.Edited && r.Origin != origin {
		from += ", changed here"
	}
	d.add("from", "%s", from)
	d.add("fired", "%s", s.firedText(r.Name, now))
	if list := valuesOf(s.desk, &r.Rule, anyHost); len(list) > 0 {
		s.findPast(d, list[:1], alert.ID{Host: list[0].Host.Name})
	}
}

// firedText says how often a rule fired, as far as the history knows.
func (s *Screen) firedText(rule string, now time.Time) string {
	n, day := 0, 0
	var last time.Time
	for i := range s.board.History {
		if ev := &s.board.History[i]; ev.Kind == alert.Fired && ev.ID.Rule == rule {
			n, last = n+1, ev.Time
			if now.Sub(ev.Time) < 24*time.Hour {
				day++
			}
		}
	}
	switch {
	case n == 0 && recordedOf(s.desk) != nil:
		return "never in this recording"
	case n == 0:
		return "never so far"
	case recordedOf(s.desk) != nil:
		return english.Times(n) + " in this recording, last " + pane.Clock(last, now)
	}
	return fmt.Sprintf("%s, %d in the last 24 h, last %s", english.Times(n), day, pane.Clock(last, now))
}

func (s *Screen) tellEvent(d *detail, ev *alert.Event, now time.Time, g *canvas.Glyphs) {
	d.title = pane.Title{Name: ev.ID.Rule, Subtitle: ev.Time.Local().Format("Mon 2 Jan 2006 15:04:05")}
	if d.title.Name == "" {
		d.title.Name = ev.Kind.String()
	}
	d.title.Problem, d.title.ProblemStyle = ev.Kind.String(), themes.OK
	if ev.Kind == alert.Fired || ev.Kind == alert.Released {
		sign, st := pane.SignOf(pane.LevelOf(ev.Severity), g)
		d.title.Problem, d.title.ProblemStyle = signText(sign)+" "+ev.Severity.String()+", "+ev.Kind.String(), st
	}
	d.rule, d.moment = s.ruleNamed(ev.ID.Rule), ev.Time
	if ev.ID.Host != "" {
		d.add("of", "%s", fullPath(ev.Path, ev.ID))
	}
	d.add("told", "%s", said(ev, s.acks[ev.Seq], now))
	if ev.Op != 0 {
		limit := ev.ShownLimit
		if d.rule != nil {
			limit = limitText(ev.Limit, counterOf(s.desk, d.rule))
		}
		d.add("limit", "%v %s", ev.Op, limit)
	}
	if group := s.row().group; group != nil {
		d.add("group", "%s of %s on %s", saidTogether(group, s.opened[ev.Group]), kindWord(ev), english.Count(hostsOf(group), "host", "hosts"))
	}
	d.add("text", "%s", ev.UserText)
	if d.rule != nil {
		d.add("rule", "%s", d.rule.Condition())
		d.tell(d.rule, "why", "next", "text")
	}
	if ev.ID.Set == "" || recordedOf(s.desk) != nil && s.findAround(d, ev.Seq, ev.ID) {
		return
	}
	s.findPast(d, targetsOf(s.desk, ev.ID, d.rule), ev.ID)
	if !reaches(&d.past, ev.Time) { // the screens were not asked for it then
		s.findAround(d, ev.Seq, ev.ID)
	}
}

// tell tells what fields of a rule say.
func (d *detail) tell(r *alert.Rule, topics ...string) {
	for _, topic := range topics {
		d.add(topic, "%s", strings.Join(alert.Fields().Say(r, topic), ", "))
	}
}

// findPast looks for the history of the value: of an aggregate that of all its
// parts together.
func (s *Screen) findPast(d *detail, list []pane.Target, id alert.ID) {
	if len(list) == 0 || !list[0].IsValue() {
		return
	}
	d.value = list[0]
	if d.rule != nil && d.rule.Aggregate != nil {
		whole := *d.rule // each moment, of this host, without what is made of the value
		whole.Interval, whole.Hosts, whole.Value, whole.Where, whole.Trend, whole.Grows = alert.MinInterval, []string{id.Host}, nil, nil, 0, 0
		t, _ := try(s.desk, &whole, 0)
		for judged, p := range t.values {
			if judged.Counter == d.value.Of().Name {
				d.past = *p
			}
		}
		return
	}
	if view, row, col, ok := d.value.Cell(); ok {
		d.past = alert.Past{Timeline: d.value.Host.Snap.Timeline, Series: view.Series(row, col)}
	}
}

// valueText is a value as its row shows it, or why there is none.
func (c watched) valueText(v cooker.Value) string {
	if _, ok := v.Float(); ok {
		return c.withUnit(v)
	}
	return "no value (" + v.Status().Word() + ")"
}

func signText(sign rune) string {
	if sign == 0 {
		return ""
	}
	return string(sign)
}

// fullPath is what an alert is about: its path, or the host.
func fullPath(path string, id alert.ID) string {
	if path == "" {
		return "host " + id.Host
	}
	return path
}

// The widths of the details, in cells.
const (
	labelW    = 9
	besidesW  = 100 // from which on the graph stands beside the facts
	factsPart = 45  // percent of the width that they take then
)

// drawDetail draws the facts and, beside or below them, the graph.
func (s *Screen) drawDetail(f pane.Frame) {
	d, ok := s.detailOf(f.Now, f.Glyphs())
	if !ok {
		d.title.Name = "nothing selected"
	}
	pane.DrawTitle(f, d.title)
	body := layout.Rect{Y: 1, W: f.Width(), H: max(0, f.Height()-1)}
	facts := body
	if d.value.Set != nil && f.Width() >= besidesW {
		facts.W = f.Width() * factsPart / 100
		graph := body
		graph.X, graph.W = facts.W+gapW, body.W-facts.W-gapW
		d.drawGraph(f.At(graph))
	} else if d.value.Set != nil && body.H > 2 {
		facts.H = max(2, body.H-leastGraph)
		graph := body
		graph.Y, graph.H = body.Y+facts.H, body.H-facts.H
		d.drawGraph(f.At(graph))
	}
	drawFacts(f.At(facts), d.facts)
}

// drawFacts draws facts, a line each and more where there is room.
func drawFacts(f pane.Frame, facts []pane.Fact) {
	y := 0
	for i, fact := range facts {
		lines := f.FoldFacts(facts[i:i+1], labelW, math.MaxInt)
		if spare := f.Height() - y - (len(facts) - i); len(lines) > 1+max(0, spare) { // the other facts need theirs
			lines = lines[:1]
			lines[0].Text = fact.Text
		}
		lines.Draw(f.Sub(0, y, f.Width()-1, len(lines)))
		y += len(lines)
	}
}
