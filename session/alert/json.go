package alert

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session/text/printable"
)

// ruleJSON is a rule as it is written down. Its names are a contract with files
// of earlier versions.
type ruleJSON struct {
	Name      string   `json:"name"`
	When      string   `json:"when"` // as ParseRule reads it
	Severity  string   `json:"severity"`
	Interval  string   `json:"interval,omitempty"` // as a time.Duration, or "once"
	Need      int      `json:"need,omitempty"`
	Of        int      `json:"of,omitempty"`
	Clear     *float64 `json:"clear,omitempty"`
	After     string   `json:"after,omitempty"`
	Cooldown  string   `json:"cooldown,omitempty"`
	Quiet     []string `json:"quiet,omitempty"`
	Hosts     []string `json:"hosts,omitempty"`
	Except    []string `json:"except,omitempty"`
	Totals    bool     `json:"totals,omitempty"`
	Value     string   `json:"value,omitempty"`
	Where     string   `json:"where,omitempty"`
	Trend     string   `json:"trend,omitempty"`
	Grows     float64  `json:"grows,omitempty"`
	Aggregate string   `json:"aggregate,omitempty"`
	Then      []string `json:"then,omitempty"`
	OnClear   []string `json:"cleared,omitempty"`
	Text      string   `json:"text,omitempty"`
	Why       string   `json:"why,omitempty"`
	Next      []string `json:"next,omitempty"`
	Disabled  bool     `json:"disabled,omitempty"`
	Origin    string   `json:"origin,omitempty"`
}

// onceWord is the interval Once.
const onceWord = "once"

// MarshalJSON writes the rule with its condition as ParseRule reads it.
func (r Rule) MarshalJSON() ([]byte, error) {
	out := ruleJSON{
		Name: r.Name, When: r.Expression(), Severity: r.Severity.String(), Interval: durationText(r.Interval),
		Need: r.Need, Of: r.Of, Clear: r.Clear, Trend: durationText(r.Trend), Grows: r.Grows, After: durationText(r.After), Cooldown: durationText(r.Cooldown),
		Hosts: r.Hosts, Except: r.Except, Totals: r.Totals, Text: r.Text, Why: r.Why, Next: r.Next, Disabled: r.Disabled, Origin: r.Origin,
		Then: actionTexts(r.Actions), OnClear: actionTexts(r.OnClear),
	}
	for _, q := range r.Quiet {
		out.Quiet = append(out.Quiet, q.String())
	}
	if r.Aggregate != nil {
		out.Aggregate = r.Aggregate.String()
	}
	if r.Value != nil {
		out.Value = r.Value.String()
	}
	if r.Where != nil {
		out.Where = r.Where.String()
	}
	return printable.JSON(out)
}

// UnmarshalJSON reads what MarshalJSON wrote. A rule that Check refuses is an
// error.
func (r *Rule) UnmarshalJSON(data []byte) error {
	var in ruleJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	out, err := ParseRule(in.When)
	if err != nil {
		return err
	}
	out.Name, out.Need, out.Of, out.Clear = in.Name, in.Need, in.Of, in.Clear
	out.Hosts, out.Except, out.Totals = in.Hosts, in.Except, in.Totals
	out.Next, out.Grows = in.Next, in.Grows
	out.Text, out.Why, out.Disabled, out.Origin = in.Text, in.Why, in.Disabled, in.Origin
	var ok [5]bool
	out.Severity, ok[0] = ParseSeverity(in.Severity)
	out.Interval, ok[1] = parseDuration(in.Interval)
	out.After, ok[2] = parseDuration(in.After)
	out.Cooldown, ok[3] = parseDuration(in.Cooldown)
	out.Trend, ok[4] = parseDuration(in.Trend)
	for _, text := range in.Quiet {
		q, fine := ParseQuiet(text)
		out.Quiet, ok[0] = append(out.Quiet, q), ok[0] && fine
	}
	for _, f := range []struct {
		text string
		to   **Formula
	}{{in.Value, &out.Value}, {in.Where, &out.Where}} {
		if f.text == "" {
			continue
		}
		if *f.to, err = ParseFormula(f.text); err != nil {
			return err
		}
	}
	if in.Aggregate != "" {
		f, fine := cooker.ParseAggregate(in.Aggregate)
		out.Aggregate, ok[0] = &f, ok[0] && fine
	}
	var fine [2]bool
	out.Actions, fine[0] = parseActions(in.Then)
	out.OnClear, fine[1] = parseActions(in.OnClear)
	if slices.Contains(append(ok[:], fine[:]...), false) {
		return &RuleError{Rule: in.Name, Field: "rule", Reason: "written by another version"}
	}
	if err := out.Check(); err != nil {
		return err
	}
	*r = out
	return nil
}

func durationText(d time.Duration) string {
	switch d {
	case 0:
		return ""
	case Once:
		return onceWord
	}
	return d.String()
}

func parseDuration(text string) (time.Duration, bool) {
	switch text {
	case "":
		return 0, true
	case onceWord:
		return Once, true
	}
	d, err := time.ParseDuration(text)
	return d, err == nil
}

func actionTexts(actions []Action) (out []string) {
	for _, a := range actions {
		out = append(out, a.String())
	}
	return out
}

func parseActions(texts []string) (out []Action, ok bool) {
	for _, text := range texts {
		a, ok := ParseAction(text)
		if !ok {
			return nil, false
		}
		out = append(out, a)
	}
	return out, true
}

// eventJSON is an event as it is written down.
type eventJSON struct {
	Seq      uint64    `json:"seq"`
	Time     time.Time `json:"time"`
	Kind     string    `json:"event"`
	ID       ID        `json:"id"`
	Severity string    `json:"severity"`
	Path     string    `json:"path,omitempty"`
	Instance string    `json:"instance,omitempty"`
	Index    uint32    `json:"index,omitempty"`
	Number   uint64    `json:"number,omitempty"`
	Op       string    `json:"op,omitempty"`
	Limit    float64   `json:"limit,omitempty"`
	Value    *float64  `json:"value,omitempty"`
	Shown    string    `json:"shown,omitempty"`
	ShownTo  string    `json:"shownLimit,omitempty"`
	Peak     string    `json:"peak,omitempty"`
	Lasted   float64   `json:"lastedSeconds,omitempty"`
	Since    time.Time `json:"since,omitzero"`
	Hits     int       `json:"hits,omitempty"`
	Of       int       `json:"of,omitempty"`
	Why      string    `json:"why,omitempty"`
	Held     string    `json:"held,omitempty"`
	Text     string    `json:"text,omitempty"`
	RuleWhy  string    `json:"ruleWhy,omitempty"`
	Next     []string  `json:"next,omitempty"`
	Open     string    `json:"open,omitempty"`
	Until    time.Time `json:"until,omitzero"`
	By       string    `json:"by,omitempty"`
	Rule     *Rule     `json:"rule,omitempty"`
	Group    uint64    `json:"group,omitempty"`
	Replaced bool      `json:"replaced,omitempty"`
}

// MarshalJSON writes the event but for the actions, which are those of its time.
func (e Event) MarshalJSON() ([]byte, error) {
	out := eventJSON{
		Seq: e.Seq, Time: e.Time, Kind: e.Kind.String(), ID: e.ID, Severity: e.Severity.String(), Path: e.Path, Instance: e.Instance, Index: e.Index, Number: e.Number,
		Limit: e.Limit, Shown: e.Shown, ShownTo: e.ShownLimit, Peak: e.Peak, Lasted: e.Lasted.Seconds(), Since: e.Since, Hits: e.Hits, Of: e.Of,
		Why: e.Why, Held: e.Held, Text: e.UserText, RuleWhy: e.RuleWhy, Next: e.Next, Open: e.Open, Until: e.Until, By: e.By, Rule: e.Rule, Group: e.Group, Replaced: e.Replacement,
	}
	if e.Op != 0 {
		out.Op = e.Op.String()
	}
	if e.HasValue {
		out.Value = &e.Value
	}
	return printable.JSON(out)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (e *Event) UnmarshalJSON(data []byte) error {
	var in eventJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	kind := slices.Index(eventWords[:], in.Kind)
	severity, ok := ParseSeverity(in.Severity)
	if kind < 0 || !ok || len(in.Op) > 1 || in.Op != "" && in.Op != ">" && in.Op != "<" {
		return fmt.Errorf("event %q: written by another version", in.Kind)
	}
	*e = Event{
		Seq: in.Seq, Time: in.Time, Kind: EventKind(kind), ID: in.ID, Severity: severity, Path: in.Path, Instance: in.Instance, Index: in.Index, Number: in.Number,
		Limit: in.Limit, Shown: in.Shown, ShownLimit: in.ShownTo, Peak: in.Peak, Lasted: time.Duration(in.Lasted * float64(time.Second)), Since: in.Since,
		Hits: in.Hits, Of: in.Of, Why: in.Why, Held: in.Held, UserText: in.Text, RuleWhy: in.RuleWhy, Next: in.Next, Open: in.Open, Until: in.Until, By: in.By, Rule: in.Rule,
		Group: in.Group, Replacement: in.Replaced,
	}
	if in.Op != "" {
		e.Op = paths.Op(in.Op[0])
	}
	if in.Value != nil {
		e.Value, e.HasValue = *in.Value, true
	}
	return nil
}

// memoryJSON is a memory as it is written down, but for the history.
type memoryJSON struct {
	Alerts   []Saved         `json:"alerts,omitempty"`
	Mutes    []muteJSON      `json:"mutes,omitempty"`
	Rules    []Rule          `json:"rules,omitempty"`
	Disabled map[string]bool `json:"disabled,omitempty"`
}

type muteJSON struct {
	Scope Scope     `json:"scope"`
	Until time.Time `json:"until"`
}

// MarshalJSON writes all but the history.
func (m *Memory) MarshalJSON() ([]byte, error) {
	var out memoryJSON
	for _, s := range m.Alerts {
		out.Alerts = append(out.Alerts, s)
	}
	slices.SortFunc(out.Alerts, func(a, b Saved) int { return a.ID.compare(b.ID) })
	for scope, until := range m.Mutes {
		out.Mutes = append(out.Mutes, muteJSON{scope, until})
	}
	slices.SortFunc(out.Mutes, func(a, b muteJSON) int { return a.Scope.id().compare(b.Scope.id()) })
	for _, r := range m.Rules {
		out.Rules = append(out.Rules, r)
	}
	slices.SortFunc(out.Rules, func(a, b Rule) int { return ID{Rule: a.Name}.compare(ID{Rule: b.Name}) })
	out.Disabled = m.Disabled
	return printable.JSON(out)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (m *Memory) UnmarshalJSON(data []byte) error {
	var in memoryJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	out := NewMemory()
	for _, s := range in.Alerts {
		out.Alerts[s.ID] = s
	}
	for _, mute := range in.Mutes {
		out.Mutes[mute.Scope] = mute.Until
	}
	for _, r := range in.Rules {
		out.Rules[r.Name] = r
	}
	maps.Copy(out.Disabled, in.Disabled)
	*m = *out
	return nil
}
