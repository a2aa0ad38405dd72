package alerts

import (
	"fmt"
	"slices"
	"strings"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/text/printable"
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
	of      watched
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
	w := &warning{desk: desk, target: target, of: watchedBy(desk, target), path: target.Path()}
	window := windowOf(target)
	op := direction(w.of.Counter)
	if w.of.whole > 0 {
		op = paths.Above
		window.Min, window.Max = w.of.seen(window.Max), w.of.seen(window.Min)
	}
	w.measure = measureOf(desk, target, w.of, window.Largest(window.Max))
	limit, unit := propose(w.measure, window, op), w.measure.label()
	if v, err := w.measure.parse(limit); w.of.whole > 0 && (err != nil || v < usuallyFull) {
		limit = plain(usuallyFull)
	}
	fields := []pane.FormField{
		{
			Name: fieldLimit, Label: "limit", Value: limit, Unit: unit, Check: checked(w.measure.parse),
			Help: "beyond it there is an alert. Another unit may stand behind the number.",
		},
		{Name: fieldOp, Label: "when it is", Value: sideOf(op), Choices: []string{sideAbove, sideBelow}, Help: "on which side of the limit there is trouble"},
		{Name: fieldSeverity, Label: "severity", Value: alert.Warning.String(), Choices: alert.Severities(), Help: "careful, warning, critical"},
		{Name: fieldFor, Label: "for", Value: "1 of 1", Check: checked(readCounts), Unit: "samples",
			Help: "so many of the last samples have to be beyond the limit, as 5 of 6"},
		{Name: fieldClear, Label: "well again at", Unit: unit, Check: w.checkClear,
			Help: "the level that ends the alert; empty: the limit itself"},
		intervalField(desk, 0),
	}
	if target.Set.Instances.Multiple() {
		this := instanceChoice(w.path)
		fields = append(fields, pane.FormField{Name: fieldInstance, Label: "instance", Value: this, Choices: []string{this, everyInstance},
			Help: "this one, or every one by itself"})
	}
	this := printable.Text(target.Host.Name)
	hosts, help := []string{this, everyHost}, "this one, or all that have the counter"
	if d := target.Drawn(); w.of.whole > 0 && d.Limit.Set != nil {
		hosts, help = hosts[:1], "this one: of others that is another amount"
	}
	fields = append(fields, pane.FormField{Name: fieldHosts, Label: "hosts", Value: this, Choices: hosts, Help: help})
	then := thenChoices(desk)
	fields = append(fields, pane.FormField{Name: fieldThen, Label: "then", Value: then[0], Choices: then, Help: "what is done besides the line in the log; e on the rule offers more"})
	name := ""
	if w.of.whole == 0 {
		name = freeName(desk, w.of.Name)
	}
	fields = append(fields, pane.FormField{Name: fieldName, Label: "name", Value: name, Help: "under which the alert is told and listed; empty: what it says, as Memory Used > 90 %"})
	return pane.AskForm{
		Title: "Warn of " + target.Text(true), Fields: fields,
		Each: w.preview, Done: w.done, Then: func() { desk.Send(w.did) },
	}
}

// usuallyFull is from how many percent on one is warned of what is used, if it was not more.
const usuallyFull = 90

func sideOf(op paths.Op) string {
	if op == paths.Below {
		return sideBelow
	}
	return sideAbove
}

// instanceChoice names one instance; a name that looks like the other choice is
// told apart.
func instanceChoice(p paths.Path) string {
	name := printable.Text(p.InstanceText())
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

// thenChoices are what can be done, as far as one can guess: what rules do
// already, and what every terminal can.
func thenChoices(desk *pane.Desk) []string {
	out := []string{"bell, title", "bell", "title", "desktop", noActions}
	for i := range desk.Board().Rules {
		text := actionsText(desk.Board().Rules[i].Actions)
		if text != "" && printable.Text(text) == text && !slices.Contains(out, text) {
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
	if r.Name == "" {
		r.Name = freeName(w.desk, w.name(&r))
	}
	r.When.Op, r.When.Limit = w.of.side(r.When.Op), w.of.stored(r.When.Limit)
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
		v = w.of.stored(v)
		r.Clear = &v
	}
	if r.Interval, err = intervalOf(w.desk, in.Get(fieldEvery), 0); err != nil {
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

// name is what a rule is called that got no name: where it holds what is left, what is meant.
func (w *warning) name(r *alert.Rule) string {
	if w.of.whole == 0 {
		return w.of.Name
	}
	return fmt.Sprintf("%s %s %v %s %s", w.target.Set.Name, w.target.Name(), r.When.Op, plain(r.When.Limit), w.measure.label())
}

// preview tells what would have come of the rule.
func (w *warning) preview(in pane.Answers) []string {
	r, err := w.rule(in)
	if err != nil {
		return []string{err.Error()}
	}
	lines := previewLines(w.desk, r, w.of)
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
	text := "now " + w.of.withUnit(value)
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
	w.did, err = put(w.desk, r, "")
	return err
}
