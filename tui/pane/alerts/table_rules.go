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
	"perfdeck/tui/pane"
)

// ruleWhen is the place of the condition among the columns of rules.
const ruleWhen = 1

func (s *Screen) ruleColumns() []pane.ListColumn[*alert.RuleStatus] {
	type status = alert.RuleStatus
	column := func(head string, least, most, rank int, text func(r *status) string) pane.ListColumn[*status] {
		return pane.ListColumn[*status]{
			Min: least, Rank: rank, Head: head, Most: columns.All, Tight: func(int) int { return most },
			Cell: func(_ pane.Frame, r *status) (string, themes.Style) { return text(r), themes.Muted },
		}
	}
	style := func(r *status) themes.Style {
		if r.Disabled {
			return themes.Muted
		}
		return themes.Text
	}
	return []pane.ListColumn[*status]{
		{Min: leastName, Rank: columns.Stays, Align: columns.Name, Head: "rule", Most: columns.All, Bold: true,
			Tight: func(w int) int { return min(mostName, w/4) }, Cell: func(_ pane.Frame, r *status) (string, themes.Style) { return r.Name, style(r) }},
		ruleWhen: {Want: mostPath + 12, Rank: 8, Head: "when", Cell: func(_ pane.Frame, r *status) (string, themes.Style) { return "", style(r) },
			Cut: func(f pane.Frame, r *status, w int) string {
				return condition(f.Region, &r.Rule, limitText(r.When.Limit, counterOf(s.desk, &r.Rule)), w)
			}},
		column("for", 3, 12, 5, func(r *status) string { return r.ForText() }),
		column("clear", 5, mostLimit, 3, s.clearText),
		column("hosts", 5, 16, 4, func(r *status) string { return hostsText(&r.Rule) }),
		column("then", 4, 20, 2, func(r *status) string { return r.ThenText() }),
		{Min: 3, Rank: columns.Stays, Align: columns.Right, Most: columns.All, Tight: func(int) int { return len(notJudged) },
			Cell: func(f pane.Frame, r *status) (string, themes.Style) {
				text, st := stateOf(r, f.Now, f.Glyphs())
				if s.waitsFor(r, f.Now) > 0 {
					text = notJudged
				}
				return text, st
			}},
	}
}

func hostsText(r *alert.Rule) string {
	switch {
	case r.When.Path.Computer != "":
		return r.When.Path.Computer
	case len(r.Hosts) == 0:
		return "all"
	}
	return strings.Join(r.Hosts, " ")
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

// clearText is the clear level of a rule in the unit of its limit, "" without.
func (s *Screen) clearText(r *alert.RuleStatus) string {
	if r.Clear == nil {
		return ""
	}
	sign := "< "
	if r.When.Op == '<' {
		sign = "> "
	}
	c := counterOf(s.desk, &r.Rule)
	if c.Counter == nil || c.look.IsHex() {
		return sign + limitText(*r.Clear, c)
	}
	return sign + inUnit(*r.Clear, limitUnit(r.When.Limit, c), limitDigits)
}
