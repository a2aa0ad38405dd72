package alerts

import (
	"fmt"
	"slices"
	"strings"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/tui/pane"
)

// The fields of the form that warns of one value.
const (
	fieldLimit    = "limit"
	fieldOp       = "side"
	fieldSeverity = "severity"
	fieldFor      = "for"
	fieldClear    = "clear"
	fieldEvery    = "interval"
	fieldInstance = "instance"
	fieldHosts    = "hosts"
	fieldThen     = "then"
	fieldName     = "name"
)

// The choices of the side of the limit on which there is trouble.
const (
	sideAbove = "above"
	sideBelow = "below"
)

// everyInstance and everyHost are the wider one of two choices.
const (
	everyInstance = "all (*)"
	everyHost     = "all"
)

// warning is the form that makes a rule of one value.
type warning struct {
	desk    *pane.Desk
	target  pane.Target
	measure measure
	path    paths.Path // without the host
	did     pane.Did
}

// WarnForm asks for an alert on a value: its limit first, proposed from what was
// seen of it, in the unit of its row; enter takes it.
func WarnForm(desk *pane.Desk, target pane.Target) pane.AskForm {
	if !target.IsValue() {
		return RuleForm(desk, alert.Rule{})
	}
	window := windowOf(target)
	w := &warning{desk: desk, target: target, measure: measureOf(desk, target, window.Largest(window.Max))}
	w.path = pathOf(target)
	c := &target.Set.Counters[target.Counter]
	op := direction(c)
	unit := w.measure.label()
	fields := []pane.FormField{
		{
			Name: fieldLimit, Label: "limit", Value: propose(w.measure, window, op), Unit: unit, Check: checked(w.measure.parse),
			Help: "beyond it there is an alert. Another unit may stand behind the number.",
		},
		{Name: fieldOp, Label: "when it is", Value: sideOf(op), Choices: []string{sideAbove, sideBelow}, Help: "on which side of the limit there is trouble"},
		{Name: fieldSeverity, Label: "severity", Value: alert.Warning.String(), Choices: alert.Severities(), Help: "careful, warning, critical"},
		{Name: fieldFor, Label: "for", Value: "1 of 1", Check: checked(readCounts), Unit: "samples",
			Help: "so many of the last samples have to be beyond the limit, as 5 of 6"},
		{Name: fieldClear, Label: "well again at", Unit: unit, Check: w.checkClear,
			Help: "the level that ends the alert; empty: the limit itself"},
		{Name: fieldEvery, Label: "interval", Check: checked(readInterval), Help: "between samples, as 5s or 1m; empty: that of all rules, usually 15 s; once"},
	}
	if target.Set.Instances.Multiple() {
		this := instanceChoice(w.path)
		fields = append(fields, pane.FormField{Name: fieldInstance, Label: "instance", Value: this, Choices: []string{this, everyInstance},
			Help: "this one, or every one by itself"})
	}
	this := session.Printable(target.Host.Name)
	fields = append(fields, pane.FormField{Name: fieldHosts, Label: "hosts", Value: this, Choices: []string{this, everyHost}, Help: "this one, or all that have the counter"})
	then := thenChoices(desk)
	fields = append(fields, pane.FormField{Name: fieldThen, Label: "then", Value: then[0], Choices: then, Help: "what is done besides the line in the log; e on the rule offers more"})
	fields = append(fields, pane.FormField{Name: fieldName, Label: "name", Value: freeName(desk, c.Name), Help: "under which the alert is told and listed"})
	return pane.AskForm{
		Title: session.Printable("Warn of " + target.FullPath()), Fields: fields,
		Each: w.preview, Done: w.done, Then: func() { desk.Send(w.did) },
	}
}

func sideOf(op paths.Op) string {
	if op == paths.Below {
		return sideBelow
	}
	return sideAbove
}

// instanceChoice names one instance; a name that looks like the other choice is
// told apart.
func instanceChoice(p paths.Path) string {
	name := session.Printable(p.InstanceText())
	if name == everyInstance || name == "" {
		name = "this: " + name
	}
	return name
}

// windowOf is what was seen of a value so far.
func windowOf(t pane.Target) session.Window {
	view := t.Host.Snap.Set(t.Set)
	row, col := view.Find(t.Key, -1), view.Column(t.Counter)
	if row < 0 || col < 0 {
		return session.Window{}
	}
	s := view.Series(row, col)
	if w := s.Window(s.End(), len(s.Values)); w.Count > 0 {
		return w
	}
	if v := view.Value(row, col); v.Valid() && !v.IsText() {
		return session.Window{Min: v, Max: v, Mean: v, Count: 1}
	}
	return session.Window{}
}

// pathOf is the path of a value without its host.
func pathOf(t pane.Target) paths.Path {
	if !t.Set.Instances.Multiple() {
		return session.PathOf("", t.Set, t.Counter, nil)
	}
	in := session.Instance{Key: t.Key}
	if view := t.Host.Snap.Set(t.Set); view != nil {
		if row := view.Find(t.Key, -1); row >= 0 {
			in = view.Rows[row].Instance
		}
	}
	return session.PathOf("", t.Set, t.Counter, &in)
}

// thenChoices are what can be done, as far as one can guess: what rules do
// already, and what every terminal can.
func thenChoices(desk *pane.Desk) []string {
	out := []string{"bell, title", "bell", "title", "desktop", noActions}
	for i := range desk.Board().Rules {
		text := actionsText(desk.Board().Rules[i].Actions)
		if text != "" && session.Printable(text) == text && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

func (w *warning) checkClear(text string) error {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	_, err := w.measure.parse(text)
	return err
}

// rule makes the rule of what was filled in.
func (w *warning) rule(in pane.Answers) (alert.Rule, error) {
	r := alert.Rule{Name: in.Get(fieldName), Origin: origin}
	var err error
	if r.When.Limit, err = w.measure.parse(in.Get(fieldLimit)); err != nil {
		return r, fmt.Errorf("limit: %w", err)
	}
	r.When.Op = paths.Above
	if in.Get(fieldOp) == sideBelow {
		r.When.Op = paths.Below
	}
	r.Severity, _ = alert.ParseSeverity(in.Get(fieldSeverity))
	c, err := readCounts(in.Get(fieldFor))
	if err != nil {
		return r, fmt.Errorf("for: %w", err)
	}
	r.Need, r.Of = c[0], c[1]
	if text := in.Get(fieldClear); text != "" {
		v, err := w.measure.parse(text)
		if err != nil {
			return r, fmt.Errorf("well again at: %w", err)
		}
		r.Clear = &v
	}
	if r.Interval, err = readInterval(in.Get(fieldEvery)); err != nil {
		return r, fmt.Errorf("interval: %w", err)
	}
	path := w.path
	if in.Get(fieldInstance) == everyInstance {
		path = paths.Path{Object: path.Object, HasInstance: true, Instance: "*", Counter: path.Counter}
	}
	// As it is read back from where it is kept.
	if r.When.Path, err = paths.Parse(path.String()); err != nil {
		return r, err
	}
	if in.Get(fieldHosts) != everyHost {
		r.Hosts = []string{w.target.Host.Name}
	}
	if r.Actions, err = readActions(in.Get(fieldThen)); err != nil {
		return r, err
	}
	return r, nil
}

// preview tells what would have come of the rule.
func (w *warning) preview(in pane.Answers) []string {
	r, err := w.rule(in)
	if err != nil {
		return []string{err.Error()}
	}
	lines := previewLines(w.desk, r)
	if now := w.now(&r); now != "" {
		lines = append(lines, now)
	}
	return lines
}

// now tells how the value stands to the limit.
func (w *warning) now(r *alert.Rule) string {
	view := w.target.Host.Snap.Set(w.target.Set)
	row, col := view.Find(w.target.Key, -1), view.Column(w.target.Counter)
	if row < 0 || col < 0 {
		return ""
	}
	value := view.Value(row, col)
	v, ok := value.Float()
	if !ok {
		return ""
	}
	text := "now " + watchedBy(w.desk, w.target).withUnit(value)
	if r.When.Holds(v) {
		return text + ": beyond the limit"
	}
	return text
}

// done keeps the rule.
func (w *warning) done(in pane.Answers) error {
	r, err := w.rule(in)
	if err != nil {
		return err
	}
	if r.Name == "" {
		r.Name = freeName(w.desk, w.target.Set.Counters[w.target.Counter].Name)
	}
	w.did, err = put(w.desk, r, "")
	return err
}
