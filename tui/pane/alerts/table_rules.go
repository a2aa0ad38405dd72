package alerts

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/themes"
	"perfdeck/tui/kit/columns"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// The columns of the table of rules.
const (
	ruleName = iota
	ruleWhen
	ruleFor
	ruleClear
	ruleHosts
	ruleThen
	ruleState
)

var ruleHeads = [...]string{"rule", "when", "for", "clear", "hosts", "then", ""}

func (s *Screen) drawRules(f pane.Frame, from, end int) {
	shown := s.status[from:end]
	texts := make([][len(ruleHeads)]string, len(shown))
	var list [len(ruleHeads)]columns.Column
	for c, head := range ruleHeads {
		list[c].Want = len(head)
	}
	for i, r := range shown {
		texts[i] = s.ruleTexts(r, f)
		for c := range texts[i] {
			list[c].Want = max(list[c].Want, cells(texts[i][c]))
		}
	}
	for c, bound := range [...]struct{ least, most, rank int }{
		ruleName: {leastName, max(leastName, min(mostName, f.Width()/4)), columns.Stays}, ruleWhen: {16, 0, 8}, ruleFor: {3, 12, 5}, ruleClear: {5, mostLimit, 3},
		ruleHosts: {5, 16, 4}, ruleThen: {4, 20, 2}, ruleState: {3, len(notJudged), columns.Stays},
	} {
		col := &list[c]
		col.Rank = bound.rank
		if c == ruleWhen {
			col.Min, col.Want = max(bound.least, min(f.Width()*2/5, 40)), mostPath+12
			continue
		}
		col.Min = min(max(col.Want, bound.least), bound.most)
	}
	list[ruleName].Align, list[ruleState].Align = columns.Name, columns.Right
	cols := columns.Fit(layout.SignW, f.Width()-layout.SignW-gapW, gapW, list[:])
	for c, head := range ruleHeads {
		cols.DrawHead(f.Region, 0, c, columns.Head{Text: head, Style: themes.Muted.Style()})
	}
	for i, r := range shown {
		s.drawRule(f, 1+i, from+i, r, &cols, &texts[i])
	}
}

// ruleTexts are the cells of a rule but for its condition, which is made to fit.
func (s *Screen) ruleTexts(r *alert.RuleStatus, f pane.Frame) (out [len(ruleHeads)]string) {
	out[ruleName], out[ruleThen] = session.Printable(r.Name), session.Printable(r.ThenText())
	out[ruleFor] = r.ForText()
	if r.Kind != alert.Threshold {
		out[ruleFor] = spanText(cmp.Or(r.After, alert.DefaultAfter))
	}
	if r.Clear != nil {
		sign := "< "
		if r.When.Op == '<' {
			sign = "> "
		}
		out[ruleClear] = sign + s.clearText(&r.Rule)
	}
	out[ruleHosts] = hostsText(&r.Rule)
	out[ruleState], _ = stateOf(r, f.Now, f.Glyphs())
	if s.waitsFor(r, f.Now) > 0 {
		out[ruleState] = notJudged
	}
	return out
}

func hostsText(r *alert.Rule) string {
	switch {
	case r.When.Path.Computer != "":
		return session.Printable(r.When.Path.Computer)
	case len(r.Hosts) == 0:
		return "all"
	}
	return session.Printable(strings.Join(r.Hosts, " "))
}

// limitText is the limit of a rule with its unit, as soon as a host has its
// counter.
func (s *Screen) limitText(r *alert.Rule) string {
	key := r.Condition()
	if text, ok := s.texts[key]; ok {
		return text
	}
	c := counterOf(s.desk, r)
	text := limitText(r.When.Limit, c)
	if c.Counter == nil {
		return text
	}
	if len(s.texts) > 10_000 {
		clear(s.texts)
	}
	s.texts[key] = text
	return text
}

// notJudged is the state of a rule that waits for its second sample.
const notJudged = "not judged yet"

// waitsFor is the interval of a rule that was made or changed within it, and whose
// counter has a value from its second sample on; 0 if that was awaited.
func (s *Screen) waitsFor(r *alert.RuleStatus, now time.Time) time.Duration {
	every := cmp.Or(r.Interval, everyOf(s.desk), alert.DefaultInterval)
	if r.Disabled || r.Problem != "" || r.Kind != alert.Threshold || r.Firing+r.Acknowledged+r.Pending > 0 || every < 0 {
		return 0
	}
	for _, ev := range slices.Backward(s.board.History) {
		switch {
		case now.Sub(ev.Time) >= every:
			return 0
		case ev.Kind != alert.RulePut || ev.ID.Rule != r.Name:
			continue
		}
		if c := counterOf(s.desk, &r.Rule); c.Counter != nil && isInstant(c.Counter) {
			return 0
		}
		return every
	}
	return 0
}

// isInstant tells whether one sample of a counter is enough for its value.
func isInstant(c *session.Counter) bool {
	info, _ := c.Type.Info()
	return info.Samples < 2
}

// clearText is the clear level of a rule in the unit of its limit.
func (s *Screen) clearText(r *alert.Rule) string {
	c := counterOf(s.desk, r)
	if c.Counter == nil || c.look.IsHex() {
		return limitText(*r.Clear, c)
	}
	return inUnit(*r.Clear, limitUnit(r.When.Limit, c), limitDigits)
}

func (s *Screen) drawRule(f pane.Frame, y, row int, r *alert.RuleStatus, cols *columns.Layout, texts *[len(ruleHeads)]string) {
	selected := s.drawCells(f, y, rulesPart, row, 0, 0, s.rules.IsMarked(r.Name))
	name, muted := textStyle(selected), themes.Muted.Style()
	text := themes.Text.Style()
	if r.Disabled {
		name, text = muted, muted
	}
	cols.Draw(f.Region, y, ruleName, texts[ruleName], name)
	cols.Draw(f.Region, y, ruleWhen, condition(f.Region, &r.Rule, s.limitText(&r.Rule), cols.Places[ruleWhen].W), text)
	for c := ruleFor; c < ruleState; c++ {
		cols.Draw(f.Region, y, c, texts[c], muted)
	}
	_, st := stateOf(r, f.Now, f.Glyphs())
	cols.Draw(f.Region, y, ruleState, texts[ruleState], st)
	f.Highlight(y, selected)
}
