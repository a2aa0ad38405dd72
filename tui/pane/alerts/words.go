package alerts

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"perfdeck/session/alert"
	"perfdeck/session/text/english"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/pane"
)

// clock writes a moment in 8 cells if it is of today, else with its day.
func clock(at, now time.Time) string {
	at, now = at.Local(), now.Local()
	switch {
	case pane.IsSameDay(at, now):
		return at.Format(time.TimeOnly)
	case now.Sub(at).Abs() < 300*24*time.Hour:
		return at.Format("2 Jan 15:04")
	}
	return at.Format(time.DateOnly)
}

// forever is the end of a mute that somebody has to end.
var forever = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)

// untilText says when a mute ends: "until 15:07", "until unmuted".
func untilText(until, now time.Time) string {
	if until.Year() >= 9000 { // in nobody's life
		return "until unmuted"
	}
	until, now = until.Local(), now.Local()
	switch {
	case pane.IsSameDay(until, now):
		return "until " + until.Format("15:04")
	case until.Sub(now) < 7*24*time.Hour:
		return "until " + until.Format("Mon 15:04")
	}
	return "until " + until.Format("2 Jan 15:04")
}

// stateOf is the state of a rule in a word, and its style. Signs count what
// fires.
func stateOf(r *alert.RuleStatus, now time.Time, g *canvas.Glyphs) (string, themes.Style) {
	muted := themes.Muted
	sign, st := pane.SignOf(pane.LevelOf(r.Severity), g)
	switch {
	case r.Disabled:
		return "off", muted
	case r.MutedUntil.After(now) && r.Firing > 0:
		return string(sign) + strconv.Itoa(r.Firing) + " muted", muted
	case r.Firing > 0:
		return string(sign) + strconv.Itoa(r.Firing), st.Bold()
	case r.MutedUntil.After(now):
		return "muted", muted
	case r.Problem != "":
		return "problem", themes.Careful
	case r.Acknowledged > 0:
		return string(sign) + strconv.Itoa(r.Acknowledged) + " known", muted
	case r.Pending > 0:
		return "pending", themes.Text
	case r.IsQuiet:
		return "quiet hours", muted
	}
	return "quiet", muted
}

// noteOf is what else is to be said of an alert: who knows of it, that nobody is
// told, why there is no value.
func noteOf(a *alert.Alert, now time.Time) string {
	var parts []string
	if a.State == alert.Acknowledged {
		known := "known"
		if a.By != "" {
			known += " to " + a.By
		}
		parts = append(parts, known)
	}
	if a.State == alert.Pending && a.Of > 1 {
		parts = append(parts, fmt.Sprintf("%d of %d", a.Hits, a.Of))
	}
	switch {
	case a.MutedUntil.After(now):
		parts = append(parts, "muted "+untilText(a.MutedUntil, now))
	case a.Quiet:
		parts = append(parts, "quiet hours")
	}
	if a.Lacking != "" {
		parts = append(parts, a.Lacking)
	}
	return strings.Join(parts, ", ")
}

// stateWord is the first word about an alert: how bad it is, or why it does not
// count.
func stateWord(a *alert.Alert) string {
	switch a.State {
	case alert.Pending:
		return "pending"
	case alert.Acknowledged:
		return "known"
	}
	return a.Rule.Severity.String()
}

// kindWord is what happened, in a word.
func kindWord(ev *alert.Event) string {
	switch {
	case ev.Kind == alert.Released:
		return "told late"
	case ev.Kind == alert.Acked:
		return "known"
	case ev.Kind == alert.RulePut && !ev.Replacement:
		return "added"
	}
	return ev.Kind.String()
}

// said is what an event tells besides rule, kind, host and instance. ack is the
// acknowledgement of its alert, nil if there is none.
func said(ev, ack *alert.Event, now time.Time) string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	text := ev.Shown
	if text != "" && ev.Op != 0 && ev.Kind != alert.Cleared {
		text += " " + ev.Op.String() + " " + shortLimit(ev.ShownLimit)
	}
	if ev.Kind == alert.Cleared && ev.Lasted > 0 {
		text += " after " + english.Span(time.Duration(ev.Lasted))
	}
	parts = append(parts, strings.TrimSpace(text))
	if ev.Of > 1 {
		add("%d of %d samples", ev.Hits, ev.Of)
	}
	parts = append(parts, ev.Why)
	if ev.Peak != "" {
		parts = append(parts, "peak "+ev.Peak)
	}
	switch ev.Kind {
	case alert.Muted:
		parts = append(parts, scopeWords(ev.ID), untilText(ev.Until, now))
	case alert.Unmuted:
		parts = append(parts, scopeWords(ev.ID))
	case alert.RulePut:
		if ev.Rule != nil {
			parts = append(parts, ev.Rule.Expression())
		}
	default:
	}
	if ev.By != "" {
		add("by %s", ev.By)
	}
	if ev.Held != "" {
		add("nobody was told: %s", ev.Held)
	}
	if ack != nil {
		parts = append(parts, strings.TrimSuffix("acknowledged "+ack.Time.Local().Format("15:04")+" by "+ack.By, " by "))
	}
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), ", ")
}

// shortLimit is a limit as it is told, without zeros that say nothing: 5.00 MB
// are 5 MB.
func shortLimit(told string) string {
	number, unit := cutUnit(told)
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || math.IsInf(v, 0) {
		return told
	}
	return strings.TrimSpace(plain(v) + " " + unit)
}

// scopeWords say what was muted, where rule, host and instance do not.
func scopeWords(id alert.ID) string {
	switch {
	case id == alert.ID{}:
		return "everything"
	case id.Rule == "":
		return "all of the host"
	case id == alert.ID{Rule: id.Rule}:
		return "on all hosts"
	}
	return ""
}

// saidTogether is what the line of a group tells.
func saidTogether(group []*alert.Event, open bool) string {
	text := strconv.Itoa(len(group)) + " within 1 min, enter "
	if open {
		return text + "folds"
	}
	return text + "shows"
}

// hostsOf counts the hosts of events.
func hostsOf(group []*alert.Event) int {
	hosts := map[string]bool{}
	for _, ev := range group {
		hosts[ev.ID.Host] = true
	}
	return len(hosts)
}
