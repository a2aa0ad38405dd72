package alerts

import (
	"slices"
	"strconv"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/themes"
	"perfdeck/tui/kit/columns"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// The columns of the history.
const (
	eventTime = iota
	eventRule
	eventKind
	eventHost
	eventInstance
	eventText
)

func (s *Screen) drawHistory(f pane.Frame, from, end int) {
	shown := s.events[from:end]
	list := []columns.Column{
		eventTime: {Min: pane.Longest(8, 12, shown, func(r eventRow) string { return clock(r.event.Time, f.Now) }), Rank: columns.Stays},
		eventRule: {Min: pane.Longest(leastName, mostName, shown, func(r eventRow) string { return r.event.ID.Rule }), Rank: 8, Align: columns.Name},
		eventKind: {Min: pane.Longest(5, 10, shown, func(r eventRow) string { return kindWord(r.event) }), Rank: 7},
		eventHost: {Min: pane.Longest(0, 20, shown, func(r eventRow) string { return hostCell(&r) }), Rank: 5, Align: columns.Name},
		eventInstance: {Min: pane.Longest(0, 20, shown, func(r eventRow) string { return instanceCell(&r) }), Rank: 4,
			Align: columns.Name},
		eventText: {Min: 12, Want: columns.All, Rank: 6},
	}
	if rule := &list[eventRule]; rule.Min > 12 && f.Width() < 80 { // a long name leaves room for what happened
		rule.Min, rule.Want = 12, rule.Min
	}
	if s.oneHost(shown) {
		list[eventHost].Rank = 0
	}
	cols := columns.Fit(layout.SignW, f.Width()-layout.SignW, gapW, list)
	for i := range shown {
		s.drawEvent(f, i, from+i, &shown[i], &cols)
	}
}

// oneHost tells that the rows are of the only host there is: it need not be named.
func (s *Screen) oneHost(shown []eventRow) bool {
	return len(s.desk.Hosts) == 1 && !slices.ContainsFunc(shown, func(r eventRow) bool {
		return r.event.ID.Host != "" && r.event.ID.Host != s.desk.Hosts[0].Name
	})
}

// hostCell names the host of a row, or says how many there are.
func hostCell(r *eventRow) string {
	if n := hostsOf(r.group); n > 1 {
		return strconv.Itoa(n) + " hosts"
	}
	return r.event.ID.Host
}

func instanceCell(r *eventRow) string {
	if r.group != nil {
		return ""
	}
	return r.event.Instance
}

func (s *Screen) drawEvent(f pane.Frame, y, row int, r *eventRow, cols *columns.Layout) {
	ev := r.event
	sign, st := rune(0), themes.OK.Style()
	if ev.Kind == alert.Fired || ev.Kind == alert.Released {
		sign, st = pane.SignOf(pane.LevelOf(ev.Severity), f.Glyphs())
	}
	selected := s.drawCells(f, y, historyPart, row, sign, st, s.history.IsMarked(s.history.Keys()[row]))
	name, muted := textStyle(selected), themes.Muted.Style()
	if s.desk.Past() && ev.Time.After(s.desk.At) || recordedOf(s.desk) != nil && ev.Time.After(f.Now) { // it was yet to come
		name, st = muted, muted
	}
	cols.Draw(f.Region, y, eventTime, clock(ev.Time, f.Now), muted)
	rule := session.Printable(ev.ID.Rule)
	if r.member {
		rule = string(f.Glyphs().Middot) + " " + rule
	}
	cols.Draw(f.Region, y, eventRule, rule, name)
	cols.Draw(f.Region, y, eventKind, kindWord(ev), st)
	cols.Draw(f.Region, y, eventHost, session.Printable(hostCell(r)), name)
	cols.Draw(f.Region, y, eventInstance, session.Printable(instanceCell(r)), name)
	text := said(ev, s.acks[ev.Seq], f.Now)
	if r.group != nil {
		text = saidTogether(r.group, s.opened[ev.Group])
	}
	cols.Draw(f.Region, y, eventText, text, muted)
	f.Highlight(y, selected)
}
