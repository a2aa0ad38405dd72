package alert

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"perfdeck/session/system/failure"
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
		return &RuleError{out.Name, "rule", failure.Worded("written by another version", err)}
	}
	if err := out.Check(); err != nil {
		return err
	}
	*r = out
	return nil
}

// UnmarshalJSON reads an event, which has a kind and a severity that are known.
func (e *Event) UnmarshalJSON(data []byte) error {
	type plain Event
	const unknown = EventKind(len(eventWords))
	in := plain{Kind: unknown, Severity: severities}
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	if in.Kind == unknown || in.Severity == severities {
		return errors.New("an event without its kind or severity")
	}
	*e = Event(in)
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
	out := memoryJSON{
		Alerts:   slices.SortedFunc(maps.Values(m.Alerts), func(a, b Saved) int { return a.ID.compare(b.ID) }),
		Rules:    slices.SortedFunc(maps.Values(m.Rules), func(a, b Rule) int { return strings.Compare(a.Name, b.Name) }),
		Disabled: m.Disabled,
	}
	for scope, until := range m.Mutes {
		out.Mutes = append(out.Mutes, muteJSON{scope, until})
	}
	slices.SortFunc(out.Mutes, func(a, b muteJSON) int { return a.Scope.id().compare(b.Scope.id()) })
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
