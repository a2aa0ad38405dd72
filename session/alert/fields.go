package alert

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session/text/english"
	"perfdeck/session/text/field"
)

// Fields is what can be said of a rule, in the order in which it is written. A new one is a row here
// and a field of Rule.
func Fields() field.Rows[*Rule] { return fields }

type row = field.Field[*Rule]

// formula is what a formula is, for messages.
const formula = "a formula of counters of the counterset, as '{Bytes Total/sec} * 800 / {Current Bandwidth}'"

var fields = field.Rows[*Rule]{
	text("Name", row{
		Name: "name", Help: "As screens and logs call it, unlike every other; absent: the condition.", Takes: "a name that can be seen", Sample: "slow disk", Rank: 2,
		Label: "name", Hint: "under which it is told and listed; empty: that of the counter",
		Check: func(r *Rule) error {
			if strings.TrimSpace(r.Name) != r.Name {
				return errUnreadable
			}
			return checkText(r.Name)
		},
	}),
	{
		Name: "when", Help: "A counter path, > or <, and a limit in the counter's own unit. A wildcard gives an alert for each instance and host.",
		Sample: `\PhysicalDisk(*)\Avg. Disk sec/Transfer > 0.025`, Rank: 1,
		Label: "when", Hint: `\Set(instance or *)\Counter>limit or <limit, the limit unscaled: 25 ms is 0.025. Or absent \Path, absent host, event SOURCE/ID>3 in 10m, event KEY>0 in 10m`,
		Set: func(r *Rule, v field.Values) error {
			read, err := ParseRule(v.Text())
			r.Kind, r.When, r.Events = read.Kind, read.When, read.Events
			return err
		},
		Text: (*Rule).Expression,
		Check: func(r *Rule) error {
			const outside = paths.WildComputer | paths.WildObject
			if r.Kind == HostLost || r.Kind == EventCount {
				return nil
			} else if err := r.When.Path.Check(); err != nil {
				return err
			} else if w := r.When.Path.Wildcard() & outside; w != 0 {
				return errors.New("the " + w.String() + " must not be a wildcard")
			}
			return nil
		},
	},
	pattern("source", "Instead of when: who writes the events of the host that are counted, a program or a provider.", "disk", "Events.Source"),
	pattern("id", "Which of them: a number, a MESSAGE_ID.", "153", "Events.ID"),
	pattern("log", "And where: journal, kernel, System, Application.", "System", "Events.Log"),
	pattern("key", "Or instead of when and these: the key of perfdeck's own sentence on such events.", "unit-failed", "Events.Key"),
	decimal[int]("Events.MoreThan", row{
		Name: "more_than", Unwritten: true, Help: "So many events are not too many yet; absent: none.", Sample: "3",
	}),
	span(MinInterval, MaxInterval, false, "Events.Within", row{
		Name: "within", Unwritten: true, Help: "In which time they are counted.", Sample: "10m",
		Check: func(r *Rule) error {
			switch {
			case r.Kind == EventCount && (r.Of > 1 || r.Interval != 0):
				return errors.New("events are counted as they come: it goes without for and interval")
			case r.Kind == EventCount:
				return r.Events.check()
			case r.Events != Count{}:
				return errors.New("it goes with events, without when and absent")
			}
			return nil
		},
	}),
	{Name: "absent", Help: "Instead of when: a path that gives no value, or \"host\" for a host that is lost.", Sample: `\Process(sqlservr)\ID Process`, Unwritten: true, Text: func(r *Rule) string {
		if !r.Kind.isAbsence() {
			return ""
		}
		return strings.TrimPrefix(r.Expression(), absentWord)
	}},
	{
		Name: "severity", Help: "careful, warning (the default) or critical.", Sample: "critical", Rank: 3,
		Label: "severity", Choices: severityWords[:],
		Set: func(r *Rule, v field.Values) error {
			severity, ok := ParseSeverity(v.Text())
			return take(&r.Severity, severity, ok)
		},
		Text: func(r *Rule) string { return r.Severity.String() },
		Check: func(r *Rule) error {
			if r.Kind > EventCount || r.Severity > Critical {
				return errors.New("unknown")
			}
			return nil
		},
	},
	span(MinInterval, MaxInterval, true, "Interval", row{
		Name: "interval", Help: "Time between samples, from 1s; \"once\" for a single one.", Sample: "15s", Rank: 6,
		Label: "interval", Hint: "between samples, as 5s or 1m; empty: that of all rules; once",
		Topic: "judged", Says: func(r *Rule) string { return unlessEmpty("every ", spanText(r.Interval)) },
	}),
	decimal[int]("Need", row{Name: "need"}), // files write them with another
	decimal[int]("Of", row{Name: "of"}),
	{
		Name: "for", Kind: field.Amount, Help: "So many of the last samples have to be beyond the limit.", Takes: "samples, as %s, of 64 at most", Sample: "5 of 6", Rank: 4, Unwritten: true,
		Label: "for", Empty: "1 of 1",
		Set: func(r *Rule, v field.Values) (err error) {
			if r.Need, r.Of = 0, 0; v.Text() != "" {
				r.Need, r.Of, err = ParseCounts(v.Text())
			}
			return err
		},
		Text: func(r *Rule) string {
			if r.Need == 0 && r.Of == 0 {
				return ""
			}
			return fmt.Sprintf("%d of %d", r.Need, r.Of)
		},
		Check: func(r *Rule) error {
			if need, of := r.Counts(); need < 1 || need > of || of > MaxOf {
				return fmt.Errorf("%d of %d is not 1 of 1 to %d of %d samples", r.Need, r.Of, MaxOf, MaxOf)
			}
			return nil
		},
		Topic: "judged", Says: func(r *Rule) string { return unlessEmpty("for ", r.ForText()) },
	},
	pointed(readNumber, numberText, "Clear", row{
		Name: "clear", Kind: field.Number, Help: "It is well again below (or, with <, above) this level.", Sample: "0.015", Rank: 5,
		Label: "well again at", Hint: "the level that ends the alert, unscaled; empty: the limit itself",
		Check: func(r *Rule) error {
			switch {
			case r.Clear == nil:
			case r.Kind != Threshold:
				return errors.New("a rule without a limit has no clear level")
			case *r.Clear-*r.Clear != 0 || r.When.Holds(*r.Clear):
				return errors.New(cooker.Machine(*r.Clear) + " is beyond the limit itself")
			}
			return nil
		},
		Topic: "judged", Says: func(r *Rule) string { return unlessEmpty("well again ", r.ClearText()) },
	}),
	span(0, MaxInterval, false, "After", row{
		Name: "after", Help: "With absent: how long it has to last.", Sample: "30s",
		Label: "absent for", Empty: english.Exact(DefaultAfter),
	}),
	span(0, MaxInterval, false, "Cooldown", row{
		Name: "cooldown", Help: "How long after the end of one alert no other begins.", Sample: "10m",
		Label: "cool-down",
		Topic: "judged", Says: func(r *Rule) string { return unlessEmpty("then rests ", spanText(r.Cooldown)) },
	}),
	list(ParseQuiet, QuietHours.String, "Quiet", row{
		Name: "quiet", Help: "When nobody is told, by the local clock. What still fires at the end is told then.", Takes: "times, as %s", Sample: "22:00-06:00; sat,sun 00:00-24:00",
		Label: "quiet hours", Joint: ";", Topic: "quiet",
	}),
	list(whole, own, "Hosts", row{
		Name: "hosts", Help: "Only on these hosts.", Takes: "names of hosts, with *, as %s", Sample: "sql*", Rank: 7,
		Label: "hosts", Hint: "names, with *, between blanks; empty: all", Joint: ", \t",
	}),
	list(whole, own, "Except", row{
		Name: "except", Help: "Instances that a wildcard leaves out.", Takes: "names of instances, with *, as %s", Sample: "D:",
		Label: "except", Hint: "instances that a wildcard leaves out, with *, between semicolons", Joint: ";",
		Topic: "judged", Says: func(r *Rule) string { return unlessEmpty("except ", strings.Join(r.Except, " ")) },
	}),
	toggle("Totals", row{
		Name: "totals", Help: "A wildcard takes _Total and its like, too.", Sample: "yes",
		Label: "totals too", Choices: []string{"yes"}, Empty: "no",
	}),
	pointed(ParseFormula, (*Formula).String, "Value", row{
		Name: "value", Takes: formula, Help: "Judged instead of the counter: worked out of counters of the same instance, by + - * /, comparisons (1 or 0), min, max, abs, round, and rate(x): how much x grew a second.",
		Sample: "{Disk Read Bytes/sec} / {Disk Bytes/sec}",
		Label:  "value", Hint: "judged instead of the counter, as {Disk Read Bytes/sec} / {Disk Bytes/sec}; + - * / > < min max abs round rate",
		Check: func(r *Rule) error {
			if r.Value != nil && (r.Kind != Threshold || r.When.Path.Wildcard()&paths.WildCounter != 0) {
				return errors.New("it goes with a limit on one counter")
			}
			return nil
		},
	}),
	pointed(ParseFormula, (*Formula).String, "Where", row{
		Name: "where", Takes: formula, Help: "Where this is 0 there is nothing to judge. Counters are those of the same instance; of packs it is left out where a host lacks them.",
		Sample: "{Disk Transfers/sec} > 10",
		Label:  "where", Hint: "where this is 0 there is nothing to judge, as {Disk Transfers/sec} > 10",
		Check: func(r *Rule) error { return needsLimit(r, r.Where != nil) },
	}),
	span(MinTrend, MaxTrend, false, "Trend", row{
		Name: "trend", Help: "Judged instead of the value: how much it grows in an hour, as the slope of a line through the samples of at most this time, once a quarter of it was seen.",
		Sample: "1h",
		Label:  "trend", Hint: "judged instead of the value: how much it grows in an hour, over at most this time, as 1h",
		Check: func(r *Rule) error {
			switch {
			case r.Trend == 0:
			case r.Interval == Once:
				return errors.New("one sample has no trend")
			case r.Interval > r.Trend/(trendLeast+1):
				return fmt.Errorf("%s holds fewer than %d samples, one every %s", spanText(r.Trend), trendLeast+1, spanText(r.Interval))
			}
			return needsLimit(r, r.Trend != 0)
		},
	}),
	decimal[float64]("Grows", row{
		Name: "grows", Help: "Judged instead of the value: by how much it leaks, growing by so many times of what it was, for most of a day or of what is known, and not come to rest.",
		Sample: "0.5",
		Label:  "grows", Hint: "judged instead of the value: by how much it leaks, growing steadily by so many times of what it was, as 0.5",
		Check: func(r *Rule) error {
			if r.Grows != 0 && (!(r.Grows > 0) || r.Kind != Threshold || (r.When.Op == paths.Below) != (r.When.Limit < 0) || r.Trend > 0 || r.Interval == Once) {
				return errors.New("it goes with how much something grows at least, or falls: below a limit that is below 0; and without a trend")
			}
			return nil
		},
	}),
	pointed(readAggregate, (*cooker.AggregateFunc).String, "Aggregate", row{
		Name: "aggregate", Help: "Judge the instances as one: total, average, minimum or maximum.", Sample: "average",
		Label: "combined", Choices: aggregates, Empty: none,
		Check: func(r *Rule) error {
			if r.Aggregate != nil && !r.When.Path.HasInstance {
				return errors.New("the path names no instances to combine")
			}
			return nil
		},
	}),
	list(ParseAction, Action.String, "Actions", row{
		Name: "then", Help: "What is done: " + actions + ".", Takes: "actions: " + actions, Sample: "bell, webhook:ops, task:page", Rank: 8,
		Label: "then", Hint: actions, Joint: ",", Empty: none, Topic: "then",
	}),
	list(ParseAction, Action.String, "OnClear", row{
		Name: "cleared", Help: "What is done when it is well again.", Takes: "actions: " + actions, Sample: "webhook:ops",
		Label: "when it is over", Joint: ",", Empty: none, Topic: "over",
	}),
	text("Text", row{
		Name: "text", Help: "{usertext} of tasks.", Sample: "see the runbook, page 12",
		Label: "text", Hint: "goes along to programs and webhooks, as {usertext}", Topic: "text",
		Check: func(r *Rule) error {
			if r.Text == "" {
				return nil
			}
			return checkText(r.Text)
		},
	}),
	text("Why", row{
		Name: "why", Help: "A sentence for those who read the rule.", Sample: "Above 25 ms users wait.", Label: "why", Topic: "why",
	}),
	list(whole, own, "Next", row{
		Name: "next", Help: "What reports tell to look at next, at most four sentences.", Takes: "sentences, as %s", Sample: "Who writes to it?",
		Label: "next", Joint: ";", Topic: "next", Says: func(r *Rule) string { return strings.Join(r.Next, " ") },
	}),
	toggle("Disabled", row{Name: "disabled"}),
	{
		Name: "enabled", Kind: field.Switch, Help: "Whether it is judged.", Sample: "yes", Unwritten: true,
		Label: "enabled", Choices: []string{"no"}, Empty: "yes",
		Set: func(r *Rule, v field.Values) error { r.Disabled = v.Text() == "false"; return nil },
		Text: func(r *Rule) string {
			if r.Disabled {
				return "false"
			}
			return ""
		},
	},
	text("Origin", row{Name: "origin"}),
}

var actions = strings.Join(Actions(), ", ")

// none stands for no action, and no way to combine.
const none = "none"

// aggregates are the words of how instances become one value.
var aggregates = []string{"total", "average", "minimum", "maximum"}

// take takes a value that could be read.
func take[T any](to *T, v T, ok bool) error {
	if !ok {
		return field.ErrNot
	}
	*to = v
	return nil
}

func needsLimit(r *Rule, said bool) error {
	if said && r.Kind != Threshold {
		return errors.New("it goes with a limit on a counter")
	}
	return nil
}

func unlessEmpty(before, text string) string {
	if text == "" {
		return ""
	}
	return before + text
}

// at finds a field of rules by its name.
func at[T any](name string) func(*Rule) *T {
	kind, index := reflect.TypeFor[Rule](), []int(nil)
	for part := range strings.SplitSeq(name, ".") {
		f, _ := kind.FieldByName(part)
		kind, index = f.Type, append(index, f.Index...)
	}
	if kind != reflect.TypeFor[T]() {
		panic("no such field of rules: " + name)
	}
	return func(r *Rule) *T {
		p, _ := reflect.TypeAssert[*T](reflect.ValueOf(r).Elem().FieldByIndex(index).Addr())
		return p
	}
}

// decimal is a number that is not said where it is 0.
func decimal[T int | float64](name string, f row) row {
	at := at[T](name)
	f.Kind = field.Number
	f.Set = func(r *Rule, v field.Values) error {
		n, err := readNumber(cmp.Or(v.Text(), "0"))
		if err == nil {
			*at(r) = T(*n)
		}
		return err
	}
	f.Text = func(r *Rule) string {
		if n := *at(r); n != 0 {
			return cooker.Machine(float64(n))
		}
		return ""
	}
	return f
}

func readNumber(text string) (*float64, error) {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !cooker.IsFinite(n) {
		return nil, field.ErrNot
	}
	n += 0 // -0 becomes 0
	return &n, nil
}

func numberText(n *float64) string { return cooker.Machine(*n) }

// pattern says something of the events that are counted; forms and JSON have it in the condition.
func pattern(name, help, sample, at string) row {
	return text(at, row{Name: name, Help: help, Sample: sample, Unwritten: true})
}

func text(name string, f row) row {
	at := at[string](name)
	f.Set = func(r *Rule, v field.Values) error { *at(r) = v.Text(); return nil }
	f.Text = func(r *Rule) string { return *at(r) }
	return f
}

func toggle(name string, f row) row {
	at := at[bool](name)
	f.Kind = field.Switch
	f.Set = func(r *Rule, v field.Values) error { *at(r) = v.Is(); return nil }
	f.Text = func(r *Rule) string {
		if *at(r) {
			return "true"
		}
		return ""
	}
	return f
}

// onceWord is the interval Once, onceSeconds that of MS-PLA.
const (
	onceWord    = "once"
	onceSeconds = "4294967295"
)

func spanText(d time.Duration) string {
	switch d {
	case 0:
		return ""
	case Once:
		return onceWord
	}
	return english.Exact(d)
}

// span is a time between bounds; 0 is not said.
func span(least, most time.Duration, once bool, name string, f row) row {
	at := at[time.Duration](name)
	f.Kind, f.Takes = field.Amount, field.Times(least, most)
	if once {
		f.Takes += `, or "` + onceWord + `"`
	}
	f.Set = func(r *Rule, v field.Values) error {
		d, ok := field.ParseTime(v.Text())
		switch ok = ok && least <= d && d <= most; {
		case v.Text() == "":
			d, ok = 0, true
		case once && (strings.EqualFold(v.Text(), onceWord) || v.Text() == onceSeconds):
			d, ok = Once, true
		}
		return take(at(r), d, ok)
	}
	f.Text = func(r *Rule) string { return spanText(*at(r)) }
	beside := f.Check
	f.Check = func(r *Rule) error {
		if d := *at(r); d != 0 && (d < least || d > most) && (!once || d != Once) {
			return fmt.Errorf("%s is not from %s to %s", spanText(d), english.Exact(least), english.Exact(most))
		} else if beside != nil {
			return beside(r)
		}
		return nil
	}
	return f
}

// list is several values, each of which parse reads.
func list[T any](parse func(string) (T, bool), write func(T) string, name string, f row) row {
	at := at[[]T](name)
	f.Kind = field.Words
	f.Set = func(r *Rule, v field.Values) error {
		*at(r) = nil
		for _, s := range v {
			value, ok := parse(s)
			if !ok {
				return field.ErrNot
			}
			*at(r) = append(*at(r), value)
		}
		return nil
	}
	f.List = func(r *Rule) (out []string) {
		for _, value := range *at(r) {
			out = append(out, write(value))
		}
		return out
	}
	return f
}

// whole and own read and write texts as they are.
func whole(s string) (string, bool) { return s, true }
func own(s string) string           { return s }

// pointed is a value that may be lacking.
func pointed[T any](parse func(string) (*T, error), write func(*T) string, name string, f row) row {
	at := at[*T](name)
	f.Set = func(r *Rule, v field.Values) (err error) {
		var read *T
		if v.Text() != "" {
			read, err = parse(v.Text())
		}
		if err == nil {
			*at(r) = read
		}
		return err
	}
	f.Text = func(r *Rule) string {
		if *at(r) == nil {
			return ""
		}
		return write(*at(r))
	}
	return f
}

func readAggregate(text string) (*cooker.AggregateFunc, error) {
	f, ok := cooker.ParseAggregate(text)
	if !ok || f == cooker.AggregateNone {
		return nil, field.ErrNot
	}
	return &f, nil
}

// Faults are all that is wrong with a rule.
func (r *Rule) Faults() (out []*RuleError) {
	for i := range fields {
		if f := &fields[i]; f.Check != nil {
			if err := f.Check(r); err != nil {
				out = append(out, &RuleError{r.Name, f.Name, err})
			}
		}
	}
	return out
}
