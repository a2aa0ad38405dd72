package alerts

import (
	"cmp"
	"errors"

	"perfdeck/session/alert"
	"perfdeck/session/text/english"
	"perfdeck/session/text/field"
	"perfdeck/tui/pane"
)

// ruleForm is the form that adds or changes any rule.
type ruleForm struct {
	fields []field.Line

	desk *pane.Desk
	was  alert.Rule // without a name: a new one is made
	did  pane.Did
	name string // of the rule that was kept
}

// RuleForm asks for all of a rule. One without a name is new.
func RuleForm(desk *pane.Desk, rule alert.Rule) pane.AskForm { return newRuleForm(desk, rule).ask() }

func newRuleForm(desk *pane.Desk, rule alert.Rule) *ruleForm {
	f := &ruleForm{desk: desk, was: rule}
	if r := &f.was; r.Name == "" && r.Kind == alert.Threshold && r.When.Path.Object == "" {
		r.Severity = alert.Warning
	}
	f.fields = linesOf(desk, &f.was)
	return f
}

// linesOf are the lines of a form about a rule.
func linesOf(desk *pane.Desk, r *alert.Rule) []field.Line {
	lines := alert.Fields().Form(r)
	for i := range lines {
		line := &lines[i]
		switch {
		case line.Name == "when" && r.Kind == alert.Threshold && r.When.Path.Object == "":
			line.Value = ""
		case line.Name == "interval" && r.Interval == 0: // that of all rules
			line.Value = english.Exact(cmp.Or(everyOf(desk), alert.DefaultInterval))
		}
		line.Check = func(text string) error {
			return answer(new(alert.Rule), []field.Line{*line}, field.Answers{line.Name: text})
		}
	}
	return lines
}

// answer does to a rule what answers say that are others than what the lines held.
func answer(r *alert.Rule, lines []field.Line, in field.Answers) error {
	rows := alert.Fields()
	return rows.Apply(r, rows.Answered(lines, in))
}

func (f *ruleForm) ask() pane.AskForm {
	title := "New alert rule"
	if f.was.Name != "" {
		title = "Edit alert rule " + f.was.Name
	}
	return pane.AskForm{Title: title, Fields: f.fields, Each: f.preview, Done: f.done, Then: func() { f.desk.Send(f.did) }}
}

var errNoCondition = &field.Error{Field: "when", Why: `a condition is missing, as \Memory\Available MBytes<200`}

// rule makes the rule of what was filled in. What was not changed stays.
func (f *ruleForm) rule(in field.Answers) (alert.Rule, error) {
	r := f.was
	if in.Get("when") == "" {
		return r, errNoCondition
	}
	if err := answer(&r, f.fields, in); err != nil {
		return r, err
	}
	if r.Name == "" {
		r.Name = freeName(f.desk, nameFor(&r))
	}
	if f.was.Name == "" {
		r.Origin = origin
	}
	return r, reason(r.Check())
}

// nameFor is what a rule is called that got no name.
func nameFor(r *alert.Rule) string {
	switch {
	case r.Kind == alert.HostLost:
		return "host lost"
	case r.Kind == alert.EventCount:
		return r.Expression()
	case r.Kind == alert.NoValue && r.When.Path.Instance != "":
		return r.When.Path.InstanceText() + " absent"
	}
	return r.When.Path.Counter
}

func (f *ruleForm) preview(in field.Answers) []string {
	r, err := f.rule(in)
	if errors.Is(err, errNoCondition) {
		return []string{"nothing to try yet"}
	}
	if err != nil {
		return []string{err.Error()}
	}
	c := counterOf(f.desk, &r)
	lines := previewLines(f.desk, r, c)
	if c.Counter != nil && r.Kind == alert.Threshold {
		lines = append(lines, "limit "+r.When.Op.String()+" "+limitText(r.When.Limit, c))
	}
	return lines
}

func (f *ruleForm) done(in field.Answers) error {
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
