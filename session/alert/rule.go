// Package alert judges values by rules: whether they are beyond a limit, for how
// many samples, and whether somebody is to be told. It does no I/O of its own and
// takes every time from outside, so that it runs over live samples and over past
// ones alike.
//
// A Rule says what is judged. An Engine follows each rule on each instance of
// each host and turns crossings into Events; Board is what screens show of it. A
// Watch feeds an Engine from live hosts, a Backtest from a recording, Try from the
// histories that are kept of hosts.
package alert

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/cooker/compare"
	"perfdeck/paths"
	"perfdeck/session/text/english"
	"perfdeck/session/text/printable"
)

// Severity says how bad it is. The order is that of urgency.
type Severity uint8

// The severities.
const (
	Careful Severity = iota
	Warning
	Critical
)

const severities = 3

var severityWords = [severities]string{"careful", "warning", "critical"}

// String is the word of the severity.
func (s Severity) String() string { return wordOf(severityWords[:], s, "severity") }

// ParseSeverity finds a severity by its word.
func ParseSeverity(word string) (s Severity, ok bool) {
	i := slices.Index(severityWords[:], word)
	return Severity(max(i, 0)), i >= 0
}

// MarshalText writes the word.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads it.
func (s *Severity) UnmarshalText(word []byte) error {
	read, ok := ParseSeverity(string(word))
	return take(s, read, ok)
}

// Kind is what a rule judges.
type Kind uint8

// The kinds of rules.
const (
	Threshold  Kind = iota // a value beyond a limit (MS-PLA 3.2.4.8)
	NoValue                // a path that gives no value: the instance went, the host is lost, access is denied
	HostLost               // a host that does not answer
	EventCount             // too many events that a host writes down
)

// isAbsence tells rules about what is not there.
func (k Kind) isAbsence() bool { return k == NoValue || k == HostLost }

// HasLimit tells rules about too much, or too little.
func (k Kind) HasLimit() bool { return !k.isAbsence() }

// The limits and defaults of rules. The interval is that of MS-PLA 3.2.4.8
// (SampleInterval).
const (
	DefaultInterval = 15 * time.Second
	MinInterval     = time.Second
	MaxInterval     = 7 * 24 * time.Hour
	// Once is the interval 0xFFFFFFFF of MS-PLA: one sample only.
	Once         = 0xFFFFFFFF * time.Second
	DefaultAfter = 30 * time.Second
	MaxOf        = 64
	maxText      = 1024 // bytes of a name or a text
)

// Rule says what is judged, when it counts as a crossing, and what is done then.
type Rule struct { //nolint:recvcheck // it is written as a value, too
	Name     string // unlike that of every other rule
	Kind     Kind
	When     paths.Alert // of NoValue only the path, of HostLost and EventCount nothing
	Events   Count       // of EventCount
	Severity Severity
	Interval time.Duration // between samples; 0: the default; Once

	// Need of the last Of samples have to be beyond the limit; 0 of 0 is 1 of 1.
	Need, Of int
	// Clear is the level a value has to pass to be well again; nil: it is well as
	// soon as it is not beyond the limit.
	Clear    *float64
	After    time.Duration // NoValue, HostLost: how long it has to last; 0: DefaultAfter
	Cooldown time.Duration // how long after the end of one alert no other begins
	Quiet    []QuietHours  // when nobody is told

	Hosts  []string // names with *; empty: all
	Except []string // instances, with *, that a wildcard leaves out
	Totals bool     // wildcards take _Total and its like, too
	// Value is what is judged instead of the counter: worked out of counters of the same
	// instance. nil: the counter is.
	Value *Formula
	// Where is worked out of counters of the same instance, too: where it is 0 there is nothing to
	// judge, as of no operations. nil: all is judged. A pack's is left out where a host lacks them.
	Where *Formula
	// Trend judges, instead of the value, how much it grows in an hour: its least-squares
	// slope over at most this time. 0: the value is judged. It is known once a quarter of
	// the time was seen, and begins anew with gaps and with new instances.
	Trend time.Duration
	// Grows judges, instead of the value, by how much it leaks: by which it grew, by so many times of
	// what it was and more, for most of what is known of it, which is about a day at most, and without having
	// come to rest (compare.GrowthOf). A limit below 0 is for what falls and will not last for a day. 0: the
	// value is judged.
	Grows float64
	// Aggregate combines the instances that the path means into one value.
	Aggregate *cooker.AggregateFunc

	Actions []Action // what is done when it fires
	OnClear []Action // what is done when it is well again
	Text    string   // {usertext} of MS-PLA
	Why     string   // a sentence for people: why this limit
	Next    []string // sentences for reports: what to look at next

	Disabled bool
	Origin   string // where it stands: a file, a pack, the command line
}

// RuleError says what is wrong with a rule.
type RuleError struct {
	Rule, Field string
	Err         error // the reason
}

func (e *RuleError) Error() string {
	return printable.Text(fmt.Sprintf("rule %s: %s: %v", e.Rule, e.Field, e.Err))
}

func (e *RuleError) Unwrap() error { return e.Err }

// absentWord begins the rules that MS-PLA does not know.
const absentWord = "absent "

// ParseRule reads a rule in one line: MS-PLA's `\Memory\Available MBytes<200`, or
// `absent \Process(sqlservr)\ID Process`, or `absent host`, or what SetEvents reads behind
// `event `. It is a warning, and its name is the text.
func ParseRule(text string) (r Rule, err error) {
	text = strings.TrimSpace(text)
	r = Rule{Name: text, Severity: Warning}
	for word, set := range map[string]func(string) error{absentWord: r.SetAbsent, eventWord: r.SetEvents} {
		if len(text) >= len(word) && strings.EqualFold(text[:len(word)], word) {
			err = set(strings.TrimSpace(text[len(word):]))
			return r, err
		}
	}
	r.When, err = paths.ParseAlert(text)
	return r, err
}

// SetAbsent makes it a rule about what is not there: a path, or "host". Errors
// are *paths.ParseError.
func (r *Rule) SetAbsent(what string) error {
	if strings.EqualFold(what, "host") {
		r.Kind, r.When = HostLost, paths.Alert{}
		return nil
	}
	path, err := paths.Parse(what)
	r.Kind, r.When = NoValue, paths.Alert{Path: path}
	return err
}

// Expression is the rule's condition as ParseRule reads it.
func (r *Rule) Expression() string {
	switch r.Kind {
	case NoValue:
		return absentWord + r.When.Path.String()
	case HostLost:
		return absentWord + "host"
	case EventCount:
		return eventWord + r.Events.String()
	case Threshold:
	}
	return r.When.String()
}

// Condition is the condition for people: a formula in the place of the counter, and the
// time of a trend.
func (r *Rule) Condition() string {
	text := r.Expression()
	if r.Value != nil {
		path := r.When.Path
		path.Counter = r.Value.String()
		text = path.String() + r.When.Op.String() + cooker.Machine(r.When.Limit)
	}
	if r.Trend > 0 {
		text += PerHour + " over " + english.Exact(r.Trend)
	}
	if r.Grows > 0 {
		text += " of steady growth"
	}
	if r.Where != nil {
		text += " where " + r.Where.String()
	}
	return text
}

// PerHour stands behind the unit of what trends give.
const PerHour = "/h"

// UnitSuffix stands behind the values and limits of the rule.
func (r *Rule) UnitSuffix() string {
	if r.Trend > 0 {
		return PerHour
	}
	return ""
}

// IsDerived tells that values of the counter are not what the rule judges.
func (r *Rule) IsDerived() bool { return r.Value != nil || r.Trend > 0 || r.Grows > 0 }

var (
	errNoName     = errors.New("empty")
	errLong       = fmt.Errorf("longer than %d bytes", maxText)
	errUnreadable = errors.New("holds characters that cannot be shown")
)

// Check says what is wrong with a rule first; the error is a *RuleError.
func (r *Rule) Check() error {
	if all := r.Faults(); len(all) > 0 {
		return all[0]
	}
	return nil
}

func checkText(s string) error {
	switch {
	case s == "":
		return errNoName
	case len(s) > maxText:
		return errLong
	case printable.Text(s) != s:
		return errUnreadable
	}
	return nil
}

// Delay is how much time lies at least between the first sample that a rule counts and its
// alert.
func (r *Rule) Delay() time.Duration {
	switch {
	case r.Kind.isAbsence():
		return r.AfterTime()
	case r.Kind == EventCount, r.Interval == Once:
		return 0
	}
	need, _ := r.Counts()
	return time.Duration(need-1) * cmp.Or(r.Interval, DefaultInterval)
}

// Settles is how long samples are looked at before they give a value: 0 but for trends and growth.
func (r *Rule) Settles() time.Duration {
	if r.Grows > 0 {
		return compare.LeastGrowth
	}
	return r.Trend / trendPart
}

// Counts is how many of how many samples have to be beyond the limit.
func (r *Rule) Counts() (need, of int) {
	if r.Need == 0 && r.Of == 0 {
		return 1, 1
	}
	return r.Need, r.Of
}

// ParseCounts reads what Counts gives: "5 of 6", "5/6", or "3" for 3 of 3.
func ParseCounts(text string) (need, of int, err error) {
	text = strings.ToLower(strings.TrimSpace(text))
	first, second, both := strings.Cut(strings.ReplaceAll(text, "of", "/"), "/")
	if !both {
		second = first
	}
	need, err = strconv.Atoi(strings.TrimSpace(first))
	of, wrong := strconv.Atoi(strings.TrimSpace(second))
	switch {
	case err != nil || wrong != nil:
		return 0, 0, fmt.Errorf("%.20q is not as 5 of 6", text)
	case need < 1 || need > of || of > MaxOf:
		return 0, 0, fmt.Errorf("%d of %d is not from 1 of 1 to %d of %d", need, of, MaxOf, MaxOf)
	}
	return need, of, nil
}

// AfterTime is how long something has to be absent.
func (r *Rule) AfterTime() time.Duration { return cmp.Or(r.After, DefaultAfter) }

// Paths are the counters that a rule with a limit judges, or works its value and its condition out of.
func (r *Rule) Paths() (out []paths.Path) {
	out = []paths.Path{r.When.Path}
	for _, f := range []*Formula{r.Value, r.Where} {
		if f == nil {
			continue
		}
		for _, counter := range f.counters {
			path := r.When.Path
			path.Counter = counter
			out = append(out, path)
		}
	}
	return out
}

// sameCondition tells whether two rules judge the same, so that what is known of
// one holds for the other.
func (r *Rule) sameCondition(o *Rule) bool {
	was, is := r.Events, o.Events
	was.MoreThan = is.MoreThan
	return r.Kind == o.Kind && was == is && r.When.Op == o.When.Op && r.When.Path.Equal(o.When.Path) && r.Totals == o.Totals &&
		r.Trend == o.Trend && r.Grows == o.Grows &&
		reflect.DeepEqual(r.Value, o.Value) && reflect.DeepEqual(r.Where, o.Where) && reflect.DeepEqual(r.Aggregate, o.Aggregate)
}

// ForText is how long the condition has to hold, as "5 of 6" or "30s"; empty: it says that itself.
func (r *Rule) ForText() string {
	switch {
	case r.Kind == EventCount:
		return ""
	case r.Kind.isAbsence():
		return english.Exact(r.AfterTime())
	}
	need, of := r.Counts()
	return fmt.Sprintf("%d of %d", need, of)
}

// ClearText is when it is well again, as "< 15"; empty where the limit says it.
func (r *Rule) ClearText() string {
	if r.Clear == nil {
		return ""
	}
	return fmt.Sprintf("%v %s", opposite(r.When.Op), cooker.Machine(*r.Clear))
}

// ThenText names what is done, as "bell, log".
func (r *Rule) ThenText() string {
	words := make([]string, len(r.Actions))
	for i, a := range r.Actions {
		words[i] = a.Short()
	}
	return strings.Join(words, ", ")
}

// Limit is what the rule holds values against.
func (r *Rule) Limit() (op paths.Op, limit float64) {
	if r.Kind == EventCount {
		return paths.Above, float64(r.Events.MoreThan)
	}
	return r.When.Op, r.When.Limit
}

func opposite(op paths.Op) paths.Op {
	if op == paths.Above {
		return paths.Below
	}
	return paths.Above
}
