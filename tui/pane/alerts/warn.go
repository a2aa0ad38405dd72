package alerts

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/text/field"
	"perfdeck/session/text/printable"
	"perfdeck/tui/pane"
)

// The fields of the form that warns of one value, besides those of any rule.
const (
	fieldLimit    = "limit"
	fieldOp       = "side"
	fieldInstance = "instance"
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
	base    alert.Rule // what is not asked
	lines   []field.Line
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
	w.base = alert.Rule{Severity: alert.Warning, Origin: origin}
	w.lines = linesOf(desk, &w.base)
	of := func(name string) field.Line {
		return w.lines[slices.IndexFunc(w.lines, func(l field.Line) bool { return l.Name == name })]
	}
	wellAgain, hosts, then, name := of("clear"), of("hosts"), of("then"), of("name")
	wellAgain.Unit, wellAgain.Help, wellAgain.Check = unit, "the level that ends the alert; empty: the limit itself", w.checkClear
	fields := []field.Line{
		{
			Name: fieldLimit, Label: "limit", Value: limit, Unit: unit, Check: w.checkLimit,
			Help: "an alert fires beyond it. A unit may stand behind the number.",
		},
		{Name: fieldOp, Label: "when it is", Value: sideOf(op), Choices: []string{sideAbove, sideBelow}, Help: "on which side of the limit there is trouble"},
		of("severity"), of("for"), wellAgain, of("interval"),
	}
	if target.Set.Instances.Multiple() {
		this := instanceChoice(w.path)
		fields = append(fields, field.Line{Name: fieldInstance, Label: "instance", Value: this, Choices: []string{this, everyInstance},
			Help: "this one, or every one by itself"})
	}
	hosts.Value, hosts.Check = printable.Text(target.Host.Name), nil
	hosts.Choices, hosts.Help = []string{hosts.Value, everyHost}, "this one, or all that have the counter"
	if d := target.Drawn(); w.of.whole > 0 && d.Limit.Set != nil {
		hosts.Choices, hosts.Help = hosts.Choices[:1], "this one: of others that is another amount"
	}
	then.Choices, then.Help = thenChoices(desk), "what is done besides the line in the log; e on the rule offers more"
	then.Value = then.Choices[0]
	if name.Help = "under which the alert is told and listed; empty: what it says, as Memory Used > 90 %"; w.of.whole == 0 {
		name.Value = freeName(desk, w.of.Name)
	}
	return pane.AskForm{
		Title: "Warn of " + target.Text(true), Fields: append(fields, hosts, then, name),
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
	view, row, col, ok := t.Cell()
	if !ok {
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
	out := []string{"bell, title", "bell", "title", "desktop", "none"}
	for i := range desk.Board().Rules {
		text := strings.Join(alert.Fields().Say(&desk.Board().Rules[i].Rule, "then"), ", ")
		if text != "" && printable.Text(text) == text && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

func (w *warning) checkLimit(text string) error {
	_, err := w.measure.parse(text)
	return err
}

func (w *warning) checkClear(text string) error {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	return w.checkLimit(text)
}

// rule makes the rule of what was filled in.
func (w *warning) rule(in field.Answers) (alert.Rule, error) {
	r := w.base
	common := maps.Clone(in)
	maps.DeleteFunc(common, func(name, _ string) bool { return name == "clear" || name == "hosts" })
	if err := answer(&r, w.lines, common); err != nil {
		return r, err
	}
	var err error
	if r.When.Limit, err = w.measure.parse(in.Get(fieldLimit)); err != nil {
		return r, &field.Error{Field: fieldLimit, Why: err.Error()}
	}
	r.When.Op = paths.Above
	if in.Get(fieldOp) == sideBelow {
		r.When.Op = paths.Below
	}
	if r.Name == "" {
		r.Name = freeName(w.desk, w.name(&r))
	}
	r.When.Op, r.When.Limit = w.of.side(r.When.Op), w.of.stored(r.When.Limit)
	if text := in.Get("clear"); text != "" {
		v, err := w.measure.parse(text)
		if err != nil {
			return r, &field.Error{Field: "clear", Why: err.Error()}
		}
		v = w.of.stored(v)
		r.Clear = &v
	}
	path := w.path
	if in.Get(fieldInstance) == everyInstance {
		path = paths.Path{Object: path.Object, HasInstance: true, Instance: "*", Counter: path.Counter}
	}
	// As it is read back from where it is kept.
	if r.When.Path, err = paths.Parse(path.String()); err != nil {
		return r, err
	}
	if in.Get("hosts") != everyHost {
		r.Hosts = []string{w.target.Host.Name}
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
func (w *warning) preview(in field.Answers) []string {
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
	view, row, col, ok := w.target.Cell()
	if !ok {
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
func (w *warning) done(in field.Answers) error {
	r, err := w.rule(in)
	if err != nil {
		return err
	}
	w.did, err = put(w.desk, r, "")
	return err
}
