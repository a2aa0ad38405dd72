package alert

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/text/english"
	"perfdeck/session/text/field"
	"perfdeck/session/text/printable"
)

// State is how things stand with one rule on one instance of one host. The order
// is that of urgency.
type State uint8

// The states.
const (
	OK           State = iota
	Pending            // beyond the limit, but not often enough yet
	Acknowledged       // it fires, and somebody has seen it
	Firing
)

var stateWords = [...]string{"ok", "pending", "acknowledged", "firing"}

// String is the word of the state.
func (s State) String() string { return wordOf(stateWords[:], s, "state") }

// wordOf is the nth of some words; one that has none is a number of what it is.
func wordOf[T ~uint8](words []string, n T, what string) string {
	if int(n) < len(words) {
		return words[n]
	}
	return fmt.Sprintf("%s %d", what, n)
}

// ID names one rule on one instance of one host. It is the same after a restart
// of the program.
type ID struct {
	Rule    string `json:"rule"`
	Host    string `json:"host"`
	Set     string `json:"set,omitempty"`
	Counter string `json:"counter,omitempty"`
	Parent  string `json:"parent,omitempty"`
	Name    string `json:"name,omitempty"`
	Number  uint64 `json:"number,omitempty"` // session.InstanceKey.ID, for NoValue the n of name#n
}

// Path is the path of the value, as far as the ID tells it; empty for a host.
func (id ID) Path() string {
	switch {
	case id.Set == "":
		return ""
	case id.Name == "":
		return paths.Path{Computer: id.Host, Object: id.Set, Counter: id.Counter}.String()
	}
	return paths.Of(id.Host, id.Set, id.Parent, id.Name, 0, id.Counter).String()
}

// Key is the instance of a rule with a limit.
func (id ID) Key() session.InstanceKey {
	return session.InstanceKey{Parent: id.Parent, Name: id.Name, ID: id.Number}
}

// EventKind is what happened.
type EventKind uint8

// The kinds of events.
const (
	Fired       EventKind = iota
	Released              // it still fires, now that it is not quiet or muted any more: somebody is told late
	Cleared               // it is well again, or gone
	Acked                 // acknowledged by a user
	Muted                 // by a user, until Until
	Unmuted               // by a user
	RuleEnabled           // by a user
	RuleDisabled
	RulePut // added or changed by a user
	RuleRemoved
)

var eventWords = [...]string{"fired", "still firing", "cleared", "acknowledged", "muted", "unmuted", "enabled", "disabled", "changed", "removed"}

// String is the word of the event.
func (k EventKind) String() string { return wordOf(eventWords[:], k, "event") }

// MarshalText writes the word.
func (k EventKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads it.
func (k *EventKind) UnmarshalText(word []byte) error {
	i := slices.Index(eventWords[:], string(word))
	return take(k, EventKind(i), i >= 0)
}

// IsAct tells what users do from what values do.
func (k EventKind) IsAct() bool { return k >= Acked }

// Event is one thing that happened. Its JSON is a contract with files of earlier versions; the actions
// are those of its time, and stay out.
type Event struct {
	Seq      uint64    `json:"seq"` // grows from event to event of one program
	Time     time.Time `json:"time"`
	Kind     EventKind `json:"event"`
	ID       ID        `json:"id"` // of an act on a rule or a host only that is set
	Severity Severity  `json:"severity"`
	Path     string    `json:"path,omitempty"`     // with the host; of HostLost empty
	Instance string    `json:"instance,omitempty"` // as paths write it; may be empty
	Index    uint32    `json:"index,omitempty"`    // n of name#n
	Number   uint64    `json:"number,omitempty"`   // by which people know it, a process: its pid; 0: none

	Op          paths.Op      `json:"op,omitzero"` // 0: there is no limit
	Limit       float64       `json:"limit,omitempty"`
	Value       *float64      `json:"value,omitempty"` // at that moment; nil: there is none
	Shown       string        `json:"shown,omitempty"` // the value with its unit, or why there is none
	ShownLimit  string        `json:"shownLimit,omitempty"`
	Peak        string        `json:"peak,omitempty"`          // of Cleared: the worst value, with its unit
	Lasted      field.Seconds `json:"lastedSeconds,omitempty"` // of Cleared
	Since       time.Time     `json:"since,omitzero"`          // of alerts: when it fired, or of others when their state began; the same as long as it lasts
	Hits        int           `json:"hits,omitempty"`          // of Fired: so many of the last samples
	Of          int           `json:"of,omitempty"`
	Why         string        `json:"why,omitempty"`  // of Cleared and of absence
	Held        string        `json:"held,omitempty"` // why nobody is told now; empty: everybody is
	UserText    string        `json:"text,omitempty"`
	RuleWhy     string        `json:"ruleWhy,omitempty"` // Rule.Why
	Next        []string      `json:"next,omitempty"`    // Rule.Next
	Open        string        `json:"open,omitempty"`    // how a command line names the host; empty: it is not watched live
	Actions     []Action      `json:"-"`                 // to be done now
	Until       time.Time     `json:"until,omitzero"`
	By          string        `json:"by,omitempty"`       // who, of acts
	Rule        *Rule         `json:"rule,omitempty"`     // of RulePut
	Group       uint64        `json:"group,omitempty"`    // Seq of the first of the events that belong together
	Replacement bool          `json:"replaced,omitempty"` // of RulePut: the rule was there
	Foreign     bool          `json:"-"`                  // an act in another process, which keeps it
}

// Key names the event among all that ever happened here: it is the same after a restart
// of the program.
func (e *Event) Key() string { return fmt.Sprintf("%x-%x", e.Time.UnixNano(), e.Seq) }

// Text is the event in one line, without its time.
func (e *Event) Text() string {
	var b strings.Builder
	quoted := quoted(e.ID.Rule)
	switch e.Kind {
	case Fired, Released, Cleared:
		fmt.Fprintf(&b, "%s %s %s: %s", e.Severity, e.Kind, quoted, e.where())
		e.writeValue(&b)
	case Acked:
		fmt.Fprintf(&b, "acknowledged %s: %s", quoted, e.where())
	case Muted, Unmuted:
		fmt.Fprintf(&b, "%s %s", e.Kind, e.scope())
		switch {
		case e.Kind == Unmuted:
		case isForever(e.Until):
			b.WriteString(" until unmuted")
		default:
			fmt.Fprintf(&b, " until %s", e.Until.Format(time.RFC3339))
		}
	case RuleEnabled, RuleDisabled, RulePut, RuleRemoved:
		fmt.Fprintf(&b, "rule %s %s", quoted, e.Kind)
	}
	if e.By != "" {
		b.WriteString(" by " + e.By)
	}
	if e.Held != "" {
		b.WriteString(" (" + e.Held + ")")
	}
	return printable.Text(b.String())
}

// isForever tells of the end of a mute that somebody has to end: a year that
// nobody will see.
func isForever(until time.Time) bool { return until.Year() >= 9000 }

// where is what the event is about: the path, or the host.
func (e *Event) where() string {
	switch {
	case e.Path != "":
		return e.Path
	case e.ID.Set != "":
		return e.ID.Path()
	case e.saysHost():
		return e.Why
	}
	return e.ID.Host
}

// saysHost tells that the reason of what is about a host names it by itself.
func (e *Event) saysHost() bool {
	if e.Path != "" || e.ID.Set != "" || e.ID.Host == "" {
		return false
	}
	return slices.ContainsFunc(strings.FieldsFunc(e.Why, func(r rune) bool { return strings.ContainsRune(" ,:;()/", r) }), func(word string) bool {
		return paths.EqualFold(word, e.ID.Host)
	})
}

// Relation is how the value stands to the limit at that moment: > or <, of one that is not
// beyond it <= or >=. Empty: there is no limit.
func (e *Event) Relation() string {
	switch {
	case e.Op == 0:
		return ""
	case e.Value != nil && !(paths.Alert{Op: e.Op, Limit: e.Limit}).Holds(*e.Value):
		return opposite(e.Op).String() + "="
	}
	return e.Op.String()
}

func (e *Event) writeValue(b *strings.Builder) {
	if e.Shown != "" {
		b.WriteString(": " + e.Shown)
	}
	if e.Op != 0 && e.Kind != Cleared {
		fmt.Fprintf(b, " %s %s", e.Relation(), e.ShownLimit)
	}
	if e.Of > 1 {
		fmt.Fprintf(b, ", %d of %d samples", e.Hits, e.Of)
	}
	if e.Why != "" && !e.saysHost() {
		b.WriteString(", " + e.Why)
	}
	if e.Kind == Cleared && e.Lasted > 0 {
		fmt.Fprintf(b, ", after %s", english.Span(time.Duration(e.Lasted)))
	}
	if e.Peak != "" {
		b.WriteString(", peak " + e.Peak)
	}
}

// scope is what was muted.
func (e *Event) scope() string {
	switch {
	case e.ID.Name != "" || e.ID.Set != "":
		return quoted(e.ID.Rule) + ": " + e.where()
	case e.ID.Rule != "" && e.ID.Host != "":
		return quoted(e.ID.Rule) + " on " + e.ID.Host
	case e.ID.Rule != "":
		return quoted(e.ID.Rule)
	case e.ID.Host != "":
		return "all of " + e.ID.Host
	}
	return "all"
}

// quoted sets off the name of a rule, which may be a condition with backslashes.
func quoted(name string) string { return `"` + name + `"` }

// shownNumber is shown of a limit, or of a peak of which only the number is known:
// what is counted has no decimals where it is whole.
func shownNumber(f float64, look session.Look) string {
	if look.Quantity.Kind == cooker.Count {
		return shown(cooker.NumberValue(f), look)
	}
	return shown(cooker.FloatValue(f), look)
}

// shown writes a value with its unit, as "41.2 ms".
func shown(v cooker.Value, look session.Look) string {
	return printable.Text(string(cooker.AppendValue(nil, v, look.Format)))
}
