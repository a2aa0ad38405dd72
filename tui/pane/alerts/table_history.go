package alerts

import (
	"slices"
	"strconv"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/themes"
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

func (s *Screen) drawHistory(f pane.Frame) {
	from, end := s.history.show(f.Height())
	shown := s.events[from:end]
	columns := []column{
		eventTime:     {min: longest(8, 11, shown, func(r eventRow) string { return clock(r.event.Time, f.Now) }), rank: topRank},
		eventRule:     {min: longest(leastName, mostName, shown, func(r eventRow) string { return r.event.ID.Rule }), rank: 8},
		eventKind:     {min: longest(5, 10, shown, func(r eventRow) string { return kindWord(r.event) }), rank: 7},
		eventHost:     {min: longest(0, 20, shown, func(r eventRow) string { return hostCell(&r) }), rank: 5},
		eventInstance: {min: longest(0, 20, shown, func(r eventRow) string { return instanceCell(&r) }), rank: 4},
		eventText:     {min: 12, want: anyWidth, rank: 6},
	}
	if columns[eventRule].min > 12 && f.Width() < 80 { // a long name leaves room for what happened
		columns[eventRule].min, columns[eventRule].want = 12, columns[eventRule].min
	}
	if s.oneHost(shown) {
		columns[eventHost].rank = 0
	}
	widths := fit(f.Width()-layout.SignW, columns)
	at := starts(layout.SignW, widths)
	for i := range shown {
		s.drawEvent(f, i, from+i, &shown[i], at, widths)
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

func (s *Screen) drawEvent(f pane.Frame, y, row int, r *eventRow, at, widths []int) {
	ev := r.event
	sign, st := rune(0), themes.OK.Style()
	if ev.Kind == alert.Fired || ev.Kind == alert.Released {
		sign, st = pane.SignOf(pane.LevelOf(ev.Severity), f.Glyphs())
	}
	selected := s.drawCells(f, y, historyPart, row, sign, st, s.history.marks[s.history.keys[row]])
	name, muted := textStyle(selected), themes.Muted.Style()
	if s.desk.Past() && ev.Time.After(s.desk.At) || recordedOf(s.desk) != nil && ev.Time.After(f.Now) { // it was yet to come
		name, st = muted, muted
	}
	f.Left(at[eventTime], y, widths[eventTime], clock(ev.Time, f.Now), muted)
	rule := session.Printable(ev.ID.Rule)
	if r.member {
		rule = string(f.Glyphs().Middot) + " " + rule
	}
	f.Middle(at[eventRule], y, widths[eventRule], rule, name)
	f.Left(at[eventKind], y, widths[eventKind], kindWord(ev), st)
	f.Middle(at[eventHost], y, widths[eventHost], session.Printable(hostCell(r)), name)
	f.Middle(at[eventInstance], y, widths[eventInstance], session.Printable(instanceCell(r)), name)
	text := said(ev, s.acks[ev.Seq], f.Now)
	if r.group != nil {
		text = saidTogether(r.group, s.opened[ev.Group])
	}
	f.Left(at[eventText], y, widths[eventText], text, muted)
	drawSelection(f, y, selected)
}
