package pipeline

import (
	"fmt"
	"slices"
	"time"

	"perfdeck/session/alert"
	"perfdeck/session/deliver/journal"
	"perfdeck/session/text/printable"
)

// Acts are what a user does to alerts in a process that judges none: those that judge take
// it over out of the journal.
type Acts struct {
	journal *journal.Journal
	memory  *alert.Memory
	by      string
	seq     uint64 // of the last event
}

// OpenActs opens those of a state folder; by is the user. What of it is damaged is reported.
func OpenActs(dir, by string, report func(error)) (*Acts, error) {
	j, memory, err := OpenJournal(dir, report)
	if err != nil {
		return nil, err
	}
	a := &Acts{journal: j, memory: memory, by: by}
	for i := range memory.History {
		a.seq = max(a.seq, memory.History[i].Seq)
	}
	return a, nil
}

// Close closes the journal.
func (a *Acts) Close() { a.journal.Close() }

// NoRuleError is that there is no rule of a name.
type NoRuleError struct{ Name string }

func (e *NoRuleError) Error() string {
	return fmt.Sprintf("there is no rule %q", printable.Text(e.Name))
}

// Acknowledge acknowledges what fires, of all rules or of some, and tells how many alerts
// that were. known tells whether there is a rule of a name.
func (a *Acts) Acknowledge(rules []string, known func(*alert.Memory, string) bool) (int, error) {
	for _, rule := range rules {
		if !known(a.memory, rule) {
			return 0, &NoRuleError{rule}
		}
	}
	var events []alert.Event
	for id, s := range a.memory.Alerts {
		if s.State != alert.Firing || len(rules) > 0 && !slices.Contains(rules, id.Rule) {
			continue
		}
		acked := alert.Event{Kind: alert.Acked, ID: id}
		if s.HasPeak {
			acked.Value = &s.Peak
		}
		events = append(events, acked)
	}
	if len(events) == 0 {
		return 0, nil
	}
	return len(events), a.keep(events)
}

// Mute keeps everybody from being told of a rule, of a host, or of anything: both may be
// empty. No time ends that. It returns what was done.
func (a *Acts) Mute(span time.Duration, rule, host string, known func(*alert.Memory, string) bool) (alert.Event, error) {
	if rule != "" && !known(a.memory, rule) {
		return alert.Event{}, &NoRuleError{rule}
	}
	ev := alert.Event{Kind: alert.Muted, ID: alert.ID{Rule: rule, Host: host}, Until: time.Now().Add(span)}
	if span == 0 {
		ev.Kind, ev.Until = alert.Unmuted, time.Time{}
	}
	events := []alert.Event{ev}
	err := a.keep(events)
	return events[0], err
}

// keep completes what the user did, who, when, and numbers that follow those of before, and
// writes it down.
func (a *Acts) keep(events []alert.Event) error {
	now := time.Now()
	for i := range events {
		a.seq++
		events[i].Seq, events[i].Group, events[i].Time, events[i].By = a.seq, a.seq, now, a.by
	}
	return a.journal.Keep(events)
}
