package alert

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"perfdeck/paths"
	"perfdeck/session/text/printable"
)

// MarshalJSON writes the rule by its fields: their names are a contract with files of earlier versions.
func (r Rule) MarshalJSON() ([]byte, error) { return fields.JSON(&r) }

// UnmarshalJSON reads what MarshalJSON wrote. A rule that Check refuses is an
// error.
func (r *Rule) UnmarshalJSON(data []byte) error {
	var written map[string]any
	if err := json.Unmarshal(data, &written); err != nil {
		return err
	}
	var out Rule
	if err := fields.Read(written, &out); err != nil {
		return &RuleError{Rule: out.Name, Field: "rule", Reason: "written by another version", Err: err}
	}
	if err := out.Check(); err != nil {
		return err
	}
	*r = out
	return nil
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
