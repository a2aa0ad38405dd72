package tui

import (
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/tui/pane"
	"perfdeck/tui/pane/chart"
)

// What the root does with alerts: it counts them in the header, writes them into
// the journal, shows them to chart and fleet, and takes the keys that concern
// them on every screen.

func (r *root) whyNoAlert() string {
	if len(r.alertsOfSelected()) == 0 {
		return "no alert fires on it"
	}
	return ""
}

// alertsOfSelected are the alerts on what is selected and marked.
func (r *root) alertsOfSelected() []alert.ID {
	var out []alert.ID
	for _, t := range r.selected() {
		for _, a := range r.desk.Board().Active {
			switch {
			case a.State != alert.Firing || t.Host == nil || a.ID.Host != t.Host.Name:
			case t.IsValue() && (a.Set != t.Set || a.Counter != t.Counter || a.Key != t.Key):
			default:
				out = append(out, a.ID)
			}
		}
	}
	return out
}

func (r *root) acknowledge() tea.Cmd {
	n := r.desk.Alerts.Acknowledge(r.desk.User, r.alertsOfSelected()...)
	return pane.Send(pane.Say{Text: "acknowledged " + strconv.Itoa(n)})
}

// alertCounts are the alerts that fire, for the header, the least urgent first.
func (r *root) alertCounts() []headerPart {
	var parts []headerPart
	g := r.canvas.Glyphs().Glyphs()
	for s, n := range r.desk.Board().Count {
		if n > 0 {
			sign, st := pane.SignOf(pane.LevelOf(alert.Severity(s)), g)
			parts = append(parts, headerPart{string(sign) + strconv.Itoa(n), st.Bold()})
		}
	}
	return parts
}

// noteAlerts writes what the rules told since the last time into the journal.
func (r *root) noteAlerts() {
	history := r.desk.Board().History
	from := len(history)
	for from > 0 && history[from-1].Seq > r.alertSeq {
		from--
	}
	for i := range history[from:] {
		e := &history[from+i]
		level := pane.Info
		if e.Kind == alert.Fired {
			level = pane.LevelOf(e.Severity)
		}
		if !r.began.IsZero() && e.Time.Before(r.began) {
			continue // of an earlier run
		}
		r.desk.Journal.Add(pane.Entry{Time: e.Time, Level: level, Host: e.ID.Host, Text: e.Text()})
	}
	if n := len(history); n > 0 {
		r.alertSeq = history[n-1].Seq
	}
}

// notes is what the chart marks: alerts and lost hosts.
type notes struct{ desk *pane.Desk }

// Marks are the events of alert rules in a time, on the hosts that are charted.
func (n notes) Marks(hosts []*pane.Host, from, to time.Time) []chart.Mark {
	var out []chart.Mark
	history := n.desk.Board().History
	for i := range history {
		e := &history[i]
		if e.Kind != alert.Fired || e.Time.Before(from) || e.Time.After(to) || !among(hosts, e.ID.Host) {
			continue
		}
		out = append(out, chart.Mark{Time: e.Time, Sign: signs[e.Severity], Text: e.ID.Rule + " " + e.Shown})
	}
	return out
}

var signs = map[alert.Severity]chart.Sign{alert.Careful: chart.Careful, alert.Warning: chart.Warning, alert.Critical: chart.Critical}

func among(hosts []*pane.Host, name string) bool {
	for _, h := range hosts {
		if h.Name == name {
			return true
		}
	}
	return false
}

// Thresholds are the limits that are watched of a value.
func (n notes) Thresholds(t pane.Target) []chart.Threshold {
	in := session.Instance{Key: t.Key}
	if view := t.Host.Snap.Set(t.Set); view != nil {
		if row := view.Find(t.Key, -1); row >= 0 {
			in = view.Rows[row].Instance
		}
	}
	var out []chart.Threshold
	for _, l := range n.desk.Board().Limits(t.Host.Name, t.Set, t.Counter, &in) {
		text := l.Op.String() + " " + strconv.FormatFloat(l.Value, 'g', 6, 64) + " " + l.Severity.String()
		out = append(out, chart.Threshold{Value: l.Value, Level: pane.LevelOf(l.Severity), Text: text})
	}
	return out
}

// trouble is what the fleet knows of alerts, counted once for each board.
type trouble struct {
	desk  *pane.Desk
	board *alert.Board
	hosts map[string]*hostTrouble
}

type hostTrouble struct {
	level  pane.Level
	counts [3]int
}

// Worst is the worst alert of a host, and how many of its values are careful,
// warning and critical.
func (t *trouble) Worst(h *pane.Host) (level pane.Level, counts [3]int) {
	if b := t.desk.Board(); b != t.board {
		t.board, t.hosts = b, map[string]*hostTrouble{}
		for _, a := range b.Active {
			if a.State != alert.Firing {
				continue
			}
			of := t.hosts[a.ID.Host]
			if of == nil {
				of = &hostTrouble{}
				t.hosts[a.ID.Host] = of
			}
			of.level = max(of.level, pane.LevelOf(a.Rule.Severity))
			of.counts[a.Rule.Severity]++
		}
	}
	if of := t.hosts[h.Name]; of != nil {
		return of.level, of.counts
	}
	return pane.Info, counts
}
