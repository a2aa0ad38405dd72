package alerts

import (
	"slices"
	"strconv"

	"perfdeck/session/alert"
	"perfdeck/themes"
	"perfdeck/tui/kit/columns"
	"perfdeck/tui/pane"
)

// eventHost is the place of hosts among the columns of the history.
const eventHost = 3

func (s *Screen) eventColumns() []pane.ListColumn[*eventRow] {
	muted := themes.Muted
	name := func(text func(r *eventRow) string) func(pane.Frame, *eventRow) (string, themes.Style) {
		return func(f pane.Frame, r *eventRow) (string, themes.Style) {
			if s.isToCome(f, r.event) {
				return text(r), muted
			}
			return text(r), themes.Text
		}
	}
	return []pane.ListColumn[*eventRow]{
		{Min: 8, Rank: columns.Stays, Most: 12, Cell: func(f pane.Frame, r *eventRow) (string, themes.Style) { return clock(r.event.Time, f.Now), muted }},
		{Min: leastName, Rank: 8, Align: columns.Name, Most: mostName, Bold: true, Cell: name(func(r *eventRow) string { return r.event.ID.Rule }),
			Tight: func(w int) int {
				if w < 80 { // a long name leaves room for what happened
					return 12
				}
				return mostName
			},
			Cut: func(f pane.Frame, r *eventRow, _ int) string {
				if r.member {
					return string(f.Glyphs().Middot) + " " + r.event.ID.Rule
				}
				return r.event.ID.Rule
			}},
		{Min: 5, Rank: 7, Most: 10, Cell: func(f pane.Frame, r *eventRow) (string, themes.Style) {
			if s.isToCome(f, r.event) {
				return kindWord(r.event), muted
			}
			_, st := signOfEvent(f, r)
			return kindWord(r.event), st
		}},
		eventHost: {Align: columns.Name, Most: 20, Bold: true, Cell: name(hostCell)},
		{Rank: 4, Align: columns.Name, Most: 20, Bold: true, Cell: name(func(r *eventRow) string {
			if r.group != nil {
				return ""
			}
			return r.event.Instance
		})},
		{Min: 12, Want: columns.All, Rank: 6, Cell: func(f pane.Frame, r *eventRow) (string, themes.Style) {
			if r.group != nil {
				return saidTogether(r.group, s.opened[r.event.Group]), muted
			}
			return said(r.event, s.acks[r.event.Seq], f.Now), muted
		}},
	}
}

// isToCome tells whether an event is after the moment that is shown.
func (s *Screen) isToCome(f pane.Frame, ev *alert.Event) bool {
	return s.desk.Past() && ev.Time.After(s.desk.At) || recordedOf(s.desk) != nil && ev.Time.After(f.Now)
}

// oneHost tells that the rows are of the only host there is: it need not be named.
func (s *Screen) oneHost(shown []*eventRow) bool {
	return len(s.desk.Hosts) == 1 && !slices.ContainsFunc(shown, func(r *eventRow) bool {
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

// signOfEvent is the sign of an event that asks for attention, and the style of its kind.
func signOfEvent(f pane.Frame, r *eventRow) (rune, themes.Style) {
	if ev := r.event; ev.Kind == alert.Fired || ev.Kind == alert.Released {
		return pane.SignOf(pane.LevelOf(ev.Severity), f.Glyphs())
	}
	return 0, themes.OK
}
