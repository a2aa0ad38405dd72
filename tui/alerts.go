package tui

import (
	"cmp"
	"strconv"
	"sync"
	"time"

	"perfdeck/session/alert"
	"perfdeck/tui/keys"
	"perfdeck/tui/pane"
	"perfdeck/tui/pane/alerts"
	"perfdeck/tui/pane/chart"
)

// What the root does with alerts: it counts them in the header, writes them into
// the journal, shows them to chart and fleet, and takes the keys that concern
// them on every screen.

func (r *root) whyNoAlerts() string {
	switch {
	case r.desk.Alerts == nil:
		return "there are no alert rules"
	case len(r.desk.Board().Active) == 0:
		return "nothing is alerting"
	}
	return ""
}

func (r *root) whyNoWarning() string {
	if r.desk.Alerts == nil {
		return "alerts are off here"
	}
	if why := alerts.WhyFixed(r.desk); why != "" {
		return why
	}
	if t, ok := r.value(); ok && t.IsText() {
		return "a text has no number to set a limit to"
	}
	return r.whyNoValue()
}

// warn asks for an alert on the selected value.
func (r *root) warn() {
	t, ok := r.value()
	if !ok {
		return
	}
	r.desk.Send(alerts.WarnForm(r.desk, t))
}

// nextAlert shows the next value that alerts.
func (r *root) nextAlert() {
	var from pane.Target
	if list := r.selected(); len(list) > 0 {
		from = list[0]
	}
	t, ok := alerts.NextAlert(r.desk, from)
	if !ok {
		r.desk.Say("no value alerts that could be shown")
		return
	}
	if f, ok := r.screen().(pane.Focuser); ok && f.Focus(t) {
		return
	}
	r.desk.Send(pane.OpenChart{Targets: []pane.Target{t}})
}

func (r *root) whyNoAlert() string {
	return cmp.Or(alerts.WhyFixed(r.desk), keys.When(len(r.alertsOfSelected()) == 0, "no alert fires on it"))
}

// alertsOfSelected are the alerts on what is selected and marked.
func (r *root) alertsOfSelected() (out []alert.ID) {
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

func (r *root) acknowledge() {
	n := r.desk.Alerts.Acknowledge(r.desk.User, r.alertsOfSelected()...)
	r.desk.Say("acknowledged " + strconv.Itoa(n))
}

// alertCounts are the alerts that fire, for the header, the least urgent first.
func (r *root) alertCounts() (parts []headerPart) {
	g := r.canvas.Glyphs().Glyphs()
	for s, n := range r.desk.Board().Count {
		if n > 0 {
			sign, st := pane.SignOf(pane.LevelOf(alert.Severity(s)), g)
			parts = append(parts, headerPart{
				text: string(sign) + strconv.Itoa(n), st: st.Bold(), hit: pane.Hit{Kind: hitTab, A: int(pane.TabAlerts)},
			})
		}
	}
	return parts
}

// noteAlerts writes what the rules told since the last time into the journal. Those
// of a recording are told by its time bar and the Alerts screen: they did not
// happen while somebody watched.
func (r *root) noteAlerts() {
	if r.bar != nil {
		return
	}
	history := r.desk.Board().History
	for i := range history {
		e := &history[i]
		if e.Seq <= r.news.alertSeq || e.Time.Before(r.began) {
			continue // it is known, or of an earlier run
		}
		r.news.alertSeq = e.Seq
		level := pane.Info
		if e.Kind == alert.Fired {
			level = pane.LevelOf(e.Severity)
		}
		r.desk.Journal.Add(pane.Entry{Time: e.Time, Level: level, Host: e.ID.Host, Text: e.Text()})
	}
}

// notes is what the chart marks of alerts and events of hosts.
type notes struct{ desk *pane.Desk }

// Marks are the events of alert rules and of the hosts that are charted in a time.
func (n notes) Marks(hosts []*pane.Host, from, to time.Time) (out []chart.Mark) {
	for _, m := range alerts.Marks(n.desk, hosts, from, to) {
		out = append(out, chart.Mark{Time: m.Time, Sign: chart.Careful + chart.Sign(m.Level-pane.Careful), Text: m.Text})
	}
	for _, e := range n.desk.Notable(hosts, from, to) {
		out = append(out, chart.Mark{Time: e.Time, Sign: chart.Told + chart.Sign(pane.LevelOfEvent(e.Level)), Text: e.Title()})
	}
	return out
}

// Thresholds are the limits that are watched of a value.
func (n notes) Thresholds(t pane.Target) []pane.Threshold { return alerts.Thresholds(n.desk, t) }

// told is what went wrong outside the screens and is not in the Log yet, in order:
// the messages that tell of it may overtake each other.
type told struct {
	mu   sync.Mutex
	errs []error
}

func (t *told) add(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.errs = append(t.errs, err)
}

// noteTold tells of what went wrong outside.
func (r *root) noteTold() {
	for _, err := range r.news.told.take() {
		r.fail(err)
	}
}

func (t *told) take() []error {
	t.mu.Lock()
	defer t.mu.Unlock()
	errs := t.errs
	t.errs = nil
	return errs
}
