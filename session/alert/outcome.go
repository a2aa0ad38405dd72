package alert

import (
	"math"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/text/printable"
)

// Outcome is what a rule did over a recording.
type Outcome struct {
	Rule    Rule
	Fired   int           // how often
	Values  int           // on how many values or hosts
	Held    int           // of Fired, in quiet hours: nobody would have been told at once
	Total   time.Duration // of all alerts, one after the other
	Longest time.Duration
	Firing  int // at the end
	// Peak is the worst value, with its unit; empty if it never fired.
	Peak        string
	PeakValue   float64
	First, Last time.Time // when it fired first, and last; zero: never
	Samples     int       // values that were judged
	Problem     string    // why nothing was judged; empty: something was
}

// outcomeJSON is an outcome as watch --replay --json prints it.
type outcomeJSON struct {
	Rule     string     `json:"rule"`
	When     string     `json:"when"`
	Severity Severity   `json:"severity"`
	Fired    int        `json:"fired"`
	Values   int        `json:"values"`
	Quiet    int        `json:"quiet"`
	Firing   int        `json:"firing"`
	Seconds  float64    `json:"seconds"`
	Longest  float64    `json:"longest"`
	Peak     *float64   `json:"peak"`
	First    *time.Time `json:"first"`
	Last     *time.Time `json:"last"`
	Judged   int        `json:"judged"`
	Problem  string     `json:"problem,omitempty"`
}

// MarshalJSON writes the outcome with its rule by name.
func (o *Outcome) MarshalJSON() ([]byte, error) {
	out := outcomeJSON{
		Rule: o.Rule.Name, When: o.Rule.Expression(), Severity: o.Rule.Severity, Fired: o.Fired, Values: o.Values, Quiet: o.Held,
		Firing: o.Firing, Seconds: o.Total.Seconds(), Longest: o.Longest.Seconds(), Judged: o.Samples, Problem: o.Problem,
	}
	if o.Fired > 0 {
		out.First, out.Last = &o.First, &o.Last
	}
	if o.Peak != "" {
		out.Peak = &o.PeakValue
	}
	return printable.JSONLine(out) // "<" stays as it is
}

// outcome is an Outcome while it comes about.
type outcome struct {
	Outcome

	values map[ID]bool
}

// note counts an event.
func (b *Backtest) note(ev *Event) {
	o := b.rules[ev.ID.Rule]
	if o == nil {
		o = &outcome{values: map[ID]bool{}}
		b.rules[ev.ID.Rule] = o
	}
	switch ev.Kind {
	case Fired:
		o.Fired++
		if ev.Held != "" {
			o.Held++
		}
		if len(o.values) < mostDistinct {
			o.values[ev.ID] = true
		}
		if o.First.IsZero() {
			o.First = ev.Time
		}
		o.Last = ev.Time
		b.firing[ev.ID] = b.now
	case Cleared:
		delete(b.firing, ev.ID)
		o.last(time.Duration(ev.Lasted))
	default:
	}
}

// mostDistinct bounds the values of a rule that are told apart.
const mostDistinct = 100_000

// last counts the time of an alert.
func (o *Outcome) last(d time.Duration) {
	o.Total += d
	o.Longest = max(o.Longest, d)
}

// Outcomes are what the rules did so far, in their order. What fires still counts
// up to the newest sample. Rules that are switched off are left out.
func (b *Backtest) Outcomes() []Outcome {
	firing := map[string][]time.Duration{}
	for id, since := range b.firing {
		firing[id.Rule] = append(firing[id.Rule], max(0, b.now.Mono-since.Mono))
	}
	var out []Outcome
	for _, r := range b.engine.Board().Rules {
		if r.Disabled {
			continue
		}
		var one Outcome
		if o := b.rules[r.Name]; o != nil {
			one = o.Outcome
			one.Values = len(o.values)
		}
		one.Rule, one.Samples = r.Rule, b.trace.judged[r.Name]
		for _, d := range firing[r.Name] {
			one.Firing++
			one.last(d)
		}
		if w, ok := b.trace.worst[r.Name]; ok {
			one.Peak, one.PeakValue = shownNumber(w.value, b.engine.own.lookOf(&r.Rule, w.set, w.counter))+r.UnitSuffix(), w.value
		}
		one.Problem = b.problem(&r, one.Samples)
		out = append(out, one)
	}
	return out
}

// problem says why nothing of a rule was judged; empty if something was.
func (b *Backtest) problem(r *RuleStatus, samples int) string {
	switch {
	case samples > 0:
		return ""
	case b.IsLeft(r.Name):
		return r.Problem
	case r.Problem != "":
		return b.nearest(r)
	}
	meant := false
	for _, h := range b.hosts {
		meant = meant || r.AppliesTo(h.Name)
	}
	switch {
	case !meant:
		return "it is meant for other hosts"
	case r.Kind == HostLost:
		return ""
	case r.Kind == NoValue && r.Watched > 0:
		return "" // what it expects was not there
	case r.Watched == 0:
		return "the recording has no instance of it"
	}
	return "the recording has no value of it"
}

// IsLeft tells whether there was no room for a rule.
func (b *Backtest) IsLeft(rule string) bool { return b.engine.own.left[rule] }

// nearest is the problem of the host that comes nearest to having what a rule asks
// for: it has the counterset.
func (b *Backtest) nearest(r *RuleStatus) string {
	for _, h := range b.hosts {
		known := b.engine.own.hosts[h.Name]
		if known == nil || h.Catalogue == nil || h.Catalogue.Set(r.When.Path.Object) == nil {
			continue
		}
		if why := known.problems[r.Name]; why != "" {
			return h.Name + ": " + why
		}
	}
	return r.Problem
}

// trace follows what an engine judges: how much, the worst, and the values around
// events.
type trace struct {
	judged map[string]int // values, by rule
	worst  map[string]worst
	// around are the values around events, by Seq; nil: they are not wanted.
	around       map[uint64]*Past
	order        []uint64 // of around, the oldest first
	trails       int      // series that have one
	withEpisodes bool
	judgedTo     func(id ID, at time.Time, value float64)
	episodes     []*Episode
}

// newTrace follows nothing yet.
func newTrace() *trace { return &trace{judged: map[string]int{}, worst: map[string]worst{}} }

// worst is the value of a rule that is farthest beyond its limit.
type worst struct {
	value   float64
	set     *session.Counterset
	counter int
}

// note notes a value that was judged, if anybody follows that.
func (t *trace) note(s *series, v cooker.Value, now time.Time) {
	if t == nil {
		return
	}
	f, ok := v.Float()
	if t.judgedTo != nil {
		value := f
		if !ok {
			value = math.NaN()
		}
		t.judgedTo(s.id, now, value)
	}
	if !ok && v.Status() != cooker.ZeroBase {
		return
	}
	t.judged[s.id.Rule]++
	if ok && s.state >= Acknowledged && s.rule.Kind.HasLimit() {
		if w, has := t.worst[s.id.Rule]; !has || worse(&s.rule.Rule, f, cooker.FloatValue(w.value)) {
			t.worst[s.id.Rule] = worst{f, s.set, s.counter}
		}
	}
	if t.around != nil {
		t.follow(s, v, now)
	}
}
