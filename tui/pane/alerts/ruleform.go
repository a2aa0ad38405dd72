package alerts

import (
	"errors"
	"fmt"
	"strings"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/tui/pane"
)

// The fields of the form of any rule, besides those of a warning.
const (
	fieldWhen     = "when"
	fieldCooldown = "cooldown"
	fieldQuiet    = "quiet"
	fieldExcept   = "except"
	fieldTotals   = "totals"
	fieldCombine  = "aggregate"
	fieldOnClear  = "cleared"
	fieldText     = "text"
	fieldWhy      = "why"
	fieldEnabled  = "enabled"
)

// ruleForm is the form that adds or changes any rule.
type ruleForm struct {
	fields []pane.FormField

	desk *pane.Desk
	was  alert.Rule // without a name: a new one is made
	did  pane.Did
	name string // of the rule that was kept
}

// RuleForm asks for all of a rule. One without a name is new.
func RuleForm(desk *pane.Desk, rule alert.Rule) pane.AskForm { return newRuleForm(desk, rule).ask() }

func newRuleForm(desk *pane.Desk, rule alert.Rule) *ruleForm {
	f := &ruleForm{desk: desk, was: rule}
	r := &f.was
	if r.Name == "" && r.Kind == alert.Threshold && r.When.Path.Object == "" {
		r.Severity = alert.Warning
	}
	combined := noActions
	if r.Aggregate != nil {
		combined = r.Aggregate.String()
	}
	f.fields = []pane.FormField{
		{Name: fieldWhen, Label: "when", Value: f.condition(), Check: checked(f.readWhen),
			Help: `\Set(instance or *)\Counter>limit or <limit, the limit unscaled: 25 ms is 0.025. Or absent \Path, absent host`},
		{Name: fieldName, Label: "name", Value: r.Name, Help: "under which it is told and listed; empty: that of the counter"},
		{Name: fieldSeverity, Label: "severity", Value: r.Severity.String(), Choices: alert.Severities(), Help: "careful, warning, critical"},
		{Name: fieldFor, Label: "for", Value: f.forText(), Check: f.checkFor,
			Help: "so many of the last samples, as 5 of 6; of what is absent: how long, as 30s"},
		{Name: fieldClear, Label: "well again at", Value: clearValue(r), Check: checked(readClear),
			Help: "the level that ends the alert, unscaled; empty: the limit itself"},
		intervalField(desk, r.Interval),
		{Name: fieldCooldown, Label: "cool-down", Value: typed(r.Cooldown), Check: checked(readSpan),
			Help: "how long after the end of one alert no other begins, as 10m"},
		{Name: fieldQuiet, Label: "quiet hours", Value: quietText(r.Quiet), Check: checked(readQuiet),
			Help: "when nobody is told, as 22:00-06:00; sat,sun 00:00-24:00"},
		{Name: fieldHosts, Label: "hosts", Value: strings.Join(r.Hosts, " "), Help: "names, with *, between blanks; empty: all"},
		{Name: fieldExcept, Label: "except", Value: strings.Join(r.Except, "; "), Help: "instances that a wildcard leaves out, with *, between semicolons"},
		{Name: fieldTotals, Label: "totals too", Value: yesNo(r.Totals), Choices: []string{no, yes}, Help: "whether a wildcard means _Total and its like, too"},
		{Name: fieldCombine, Label: "combined", Value: combined, Choices: aggregates, Help: "judge the instances together, not one by one"},
		{Name: fieldThen, Label: "then", Value: actionsText(r.Actions), Check: checked(readActions),
			Help: "between commas: " + strings.Join(alert.Actions(), ", ")},
		{Name: fieldOnClear, Label: "when it is over", Value: actionsText(r.OnClear), Check: checked(readActions), Help: "the same, for its end"},
		{Name: fieldText, Label: "text", Value: r.Text, Help: "goes along to programs and webhooks, as {usertext}"},
		{Name: fieldWhy, Label: "why", Value: r.Why, Help: "a sentence for people: why this limit"},
		{Name: fieldEnabled, Label: "enabled", Value: yesNo(!r.Disabled), Choices: []string{yes, no}, Help: "whether it is judged"},
	}
	return f
}

func (f *ruleForm) ask() pane.AskForm {
	title := "New alert rule"
	if f.was.Name != "" {
		title = session.Printable("Edit alert rule " + f.was.Name)
	}
	return pane.AskForm{Title: title, Fields: f.fields, Each: f.preview, Done: f.done, Then: func() { f.desk.Send(f.did) }}
}

// condition is the condition of the rule, empty for a new one.
func (f *ruleForm) condition() string {
	if f.was.Kind != alert.HostLost && f.was.When.Path.Object == "" {
		return ""
	}
	return f.was.Expression()
}

// forText is how long the condition has to hold.
func (f *ruleForm) forText() string {
	if f.was.Kind != alert.Threshold {
		return typed(f.was.After)
	}
	return countsText(&f.was)
}

func clearValue(r *alert.Rule) string {
	if r.Clear == nil {
		return ""
	}
	return plain(*r.Clear)
}

var errNoCondition = errors.New(`a condition is missing, as \Memory\Available MBytes<200`)

// readWhen reads the condition; what stands behind the limit may not be a unit.
func (f *ruleForm) readWhen(text string) (alert.Rule, error) {
	if strings.TrimSpace(text) == "" {
		return alert.Rule{}, errNoCondition
	}
	return alert.ParseRule(text)
}

// checkFor takes both forms: which one is meant the condition tells.
func (f *ruleForm) checkFor(text string) error {
	if _, err := readCounts(text); err == nil {
		return nil
	}
	_, err := readSpan(text)
	return err
}

// rule makes the rule of what was filled in. What the form does not show stays.
func (f *ruleForm) rule(in pane.Answers) (alert.Rule, error) {
	when, err := f.readWhen(in.Get(fieldWhen))
	if err != nil {
		return when, err
	}
	r := f.was
	r.Kind, r.When = when.Kind, when.When
	if r.Name = in.Get(fieldName); r.Name == "" {
		r.Name = freeName(f.desk, nameFor(&r))
	}
	if f.was.Name == "" {
		r.Origin = origin
	}
	r.Severity, _ = alert.ParseSeverity(in.Get(fieldSeverity))
	r.Hosts, r.Except = hostPatterns(in.Get(fieldHosts)), words(in.Get(fieldExcept), ";")
	r.Totals, r.Disabled = in.Get(fieldTotals) == yes, in.Get(fieldEnabled) == no
	r.Text, r.Why = in.Get(fieldText), in.Get(fieldWhy)
	if err := f.readFor(&r, in.Get(fieldFor)); err != nil {
		return r, fmt.Errorf("for: %w", err)
	}
	if err := f.readRest(&r, in); err != nil {
		return r, err
	}
	return r, reason(r.Check())
}

// readFor reads how long the condition has to hold: in samples or, of what is
// absent, in time. A form that was begun for the other kind gets the default.
func (f *ruleForm) readFor(r *alert.Rule, text string) (err error) {
	r.Need, r.Of, r.After = 0, 0, 0
	c, fault := readCounts(text)
	switch {
	case r.Kind == alert.Threshold:
		r.Need, r.Of, err = c[0], c[1], fault
	case fault != nil:
		r.After, err = readSpan(text)
	case !strings.ContainsAny(text, "o/"): // a bare number is a time here
		r.After, err = readSpan(text)
	}
	return err
}

func (f *ruleForm) readRest(r *alert.Rule, in pane.Answers) (err error) {
	for _, field := range []struct {
		name string
		read func(text string) error
	}{
		{fieldClear, func(text string) error { r.Clear, err = readClear(text); return err }},
		{fieldEvery, func(text string) error { r.Interval, err = intervalOf(f.desk, text, f.was.Interval); return err }},
		{fieldCooldown, func(text string) error { r.Cooldown, err = readSpan(text); return err }},
		{fieldQuiet, func(text string) error { r.Quiet, err = readQuiet(text); return err }},
		{fieldCombine, func(text string) error { r.Aggregate, err = readAggregate(text); return err }},
		{fieldThen, func(text string) error { r.Actions, err = readActions(text); return err }},
		{fieldOnClear, func(text string) error { r.OnClear, err = readActions(text); return err }},
	} {
		if err := field.read(in.Get(field.name)); err != nil {
			return fmt.Errorf("%s: %w", field.name, err)
		}
	}
	return nil
}

// nameFor is what a rule is called that got no name.
func nameFor(r *alert.Rule) string {
	switch {
	case r.Kind == alert.HostLost:
		return "host lost"
	case r.Kind == alert.NoValue && r.When.Path.Instance != "":
		return r.When.Path.InstanceText() + " absent"
	}
	return r.When.Path.Counter
}

func (f *ruleForm) preview(in pane.Answers) []string {
	r, err := f.rule(in)
	if errors.Is(err, errNoCondition) {
		return []string{"nothing to try yet"}
	}
	if err != nil {
		return []string{session.Printable(err.Error())}
	}
	c := counterOf(f.desk, &r)
	lines := previewLines(f.desk, r, c)
	if c.Counter != nil && r.Kind == alert.Threshold {
		lines = append(lines, "limit "+r.When.Op.String()+" "+limitText(r.When.Limit, c))
	}
	return lines
}

func (f *ruleForm) done(in pane.Answers) error {
	r, err := f.rule(in)
	if err != nil {
		return err
	}
	if c := counterOf(f.desk, &r); c.Counter != nil && r.Kind == alert.Threshold && c.Type.IsText() {
		return alert.ErrText
	}
	if f.did, err = put(f.desk, r, f.was.Name); err == nil {
		f.name = r.Name
	}
	return err
}
