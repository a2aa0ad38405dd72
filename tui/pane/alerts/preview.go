package alerts

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/tui/pane"
)

// past is the history of one value that a rule can be tried on.
type past struct {
	alert.Past

	host    *pane.Host
	counter watched
}

// mostPasts bounds what one preview tries: it is made with every key.
const mostPasts = 256

// pastsOf are the histories at hand of what a rule follows.
func pastsOf(desk *pane.Desk, r *alert.Rule) (out []past, err error) {
	for _, h := range desk.Hosts {
		found, fault := meaningsOf(h, r)
		if fault != nil {
			err = fault
		}
		for i := range found {
			if len(out) >= mostPasts {
				return out, nil
			}
			if r.Aggregate != nil {
				out = append(out, found[i].combinedPasts()...)
			} else {
				out = append(out, found[i].pasts()...)
			}
		}
	}
	if len(out) > 0 {
		err = nil // one host has it
	}
	return out, err
}

func (m *meaning) pasts() (out []past) {
	view := m.host.Snap.Set(m.Set)
	if view == nil {
		return nil
	}
	for _, c := range m.Counters {
		col, counter := view.Column(c), &m.Set.Counters[c]
		for i := range view.Rows {
			if col < 0 || len(out) >= mostPasts || !m.Includes(&view.Rows[i].Instance) {
				continue
			}
			if s := view.Series(i, col); len(s.Values) > 0 {
				out = append(out, past{alert.PastOf(m.host.Snap.Timeline, s, counter), m.host, watchedOf(m.host.Numbers, m.Set, c)})
			}
		}
	}
	return out
}

// combinedPasts is the history of an aggregate, where that of all its instances
// is kept.
func (m *meaning) combinedPasts() (out []past) {
	view := m.host.Snap.Set(m.Set)
	if view == nil {
		return nil
	}
	line, made := m.host.Snap.Timeline, m.Combination()
	for _, c := range m.Counters {
		var parts []session.Series
		col, counter := view.Column(c), &m.Set.Counters[c]
		if col < 0 {
			continue
		}
		for _, row := range view.Combined(*made.Func, made.Members(view, nil), col) {
			parts = append(parts, view.Series(row, col))
		}
		p := alert.PastOf(line, combine(parts, line, *m.Rule.Aggregate), counter)
		if len(p.Nanos) > 0 {
			out = append(out, past{p, m.host, watchedOf(m.host.Numbers, m.Set, c)})
		}
	}
	return out
}

// combine makes one series of several, where all are kept.
func combine(parts []session.Series, line session.Timeline, f cooker.AggregateFunc) session.Series {
	first := line.First
	for i := range parts {
		if len(parts[i].Values) == 0 {
			return session.Series{First: line.Next()}
		}
		first = max(first, parts[i].First)
	}
	out := session.Series{First: first}
	for at := first; len(parts) > 0 && at < line.Next(); at++ {
		sum := cooker.Aggregator{Func: f}
		for i := range parts {
			if v := pane.ValueAt(parts[i], at+1); v.Valid() {
				sum.Add(v)
			}
		}
		v, ok := sum.Value().Float()
		if !ok {
			v = math.NaN()
		}
		out.Values = append(out.Values, float32(v))
	}
	return out
}

// verdict is what trying a rule on all history at hand came to.
type verdict struct {
	values, hosts int // that were tried
	fired, where  int // how often, and on how many of them
	held          int // of them, in quiet hours
	still         int // fire at the end
	longest, span time.Duration
	extreme       float64 // nearest to the limit, or farthest beyond
	samples       int     // of the value with the most
	counter       watched
}

// everyOf is the interval of rules without one; 0: the default.
func everyOf(desk *pane.Desk) time.Duration {
	if a, ok := desk.Alerts.(pane.Paced); ok {
		return a.Every()
	}
	return 0
}

// try runs a rule over all history at hand. every is the interval of a rule
// without one.
func try(r *alert.Rule, pasts []past, every time.Duration) verdict {
	v := verdict{extreme: math.NaN()}
	hosts := map[*pane.Host]bool{}
	for i := range pasts {
		p := &pasts[i]
		n := len(p.Nanos)
		if n == 0 {
			continue
		}
		v.values++
		v.counter = p.counter
		hosts[p.host] = true
		v.span = max(v.span, time.Duration(p.Nanos[n-1]-p.Nanos[0]))
		trial := alert.Try(*r, p.Past, every, nil)
		v.samples = max(v.samples, trial.Samples)
		v.add(trial, time.Unix(0, p.Nanos[n-1]))
		for _, f := range p.Values {
			v.near(float64(f), r.When.Op)
		}
	}
	v.hosts = len(hosts)
	return v
}

func (v *verdict) add(t alert.Trial, end time.Time) {
	v.fired += len(t.Crossings)
	if len(t.Crossings) > 0 {
		v.where++
	}
	for _, c := range t.Crossings {
		to := c.To
		if to.IsZero() {
			to = end
			v.still++
		}
		v.longest = max(v.longest, to.Sub(c.From))
		if c.Held {
			v.held++
		}
	}
}

func (v *verdict) near(f float64, op paths.Op) {
	if f == f && (v.extreme != v.extreme || op == paths.Below && f < v.extreme || op != paths.Below && f > v.extreme) {
		v.extreme = f
	}
}

// lineCells are those of a line of a form.
const lineCells = 56

// text says in a line how often the rule would have fired.
func (v *verdict) text(r *alert.Rule) string {
	switch {
	case v.values == 0 || v.span <= 0:
		return "nothing of it is kept here to try it on"
	case v.fired == 0:
		text := "would not have fired in the last " + pane.Roughly(v.span)
		if v.extreme == v.extreme && r.Kind == alert.Threshold {
			word := ", highest "
			if r.When.Op == paths.Below {
				word = ", lowest "
			}
			if extreme := word + v.counter.withUnit(cooker.FloatValue(v.extreme)); cells(text+extreme) <= lineCells {
				text += extreme
			}
		}
		return text + v.among()
	}
	text := "would have fired " + times(v.fired) + " in the last " + pane.Roughly(v.span)
	switch {
	case v.fired == 1 && v.still == 1 && v.longest < time.Second:
		text = "would fire at once"
	case v.fired == 1 && v.still == 1:
		text = "would have fired once in " + pane.Roughly(v.span) + ", " + pane.Roughly(v.longest) + " ago, and still"
	case v.fired == 1:
		text += ", for " + pane.Roughly(v.longest)
	default:
		text += ", longest " + pane.Roughly(v.longest)
		if v.still > 0 {
			text += ", " + strconv.Itoa(v.still) + " still"
		}
	}
	if v.held > 0 {
		text += ", " + strconv.Itoa(v.held) + " in quiet hours"
	}
	return text + v.among()
}

// among says how many values were tried, if it was more than one.
func (v *verdict) among() string {
	if v.values < 2 {
		return ""
	}
	text := strconv.Itoa(v.values) + " values"
	if v.hosts > 1 {
		text += " of " + strconv.Itoa(v.hosts) + " hosts"
	}
	if v.fired > 0 {
		return ", on " + strconv.Itoa(v.where) + " of " + text
	}
	return ", " + text
}

func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return strconv.Itoa(n) + " times"
}

// previewLines are what a form tells of a rule: what would have come of it, and
// what is kept.
func previewLines(desk *pane.Desk, r alert.Rule) []string {
	kept := "keeps " + r.Expression()
	if r.Kind == alert.Threshold { // the limit first: a long path is cut
		kept = "keeps " + r.When.Op.String() + " " + plain(r.When.Limit) + " of " + r.When.Path.String()
	}
	kept = session.Printable(kept)
	if r.Kind == alert.HostLost {
		return []string{"what hosts did cannot be tried: only values are kept", kept}
	}
	pasts, err := pastsOf(desk, &r)
	if err != nil {
		return []string{session.Printable(err.Error()), kept}
	}
	v := try(&r, pasts, everyOf(desk))
	out := []string{v.text(&r), kept}
	if !r.IsDerived() && isBelowAll(&r, v.counter.Counter) {
		out = slices.Insert(out, 0, "its values are never below 0, and the limit is")
	}
	if _, of := counts(&r); v.values > 0 && r.Kind == alert.Threshold && v.samples < of {
		out = append(out, fmt.Sprintf("%d samples are kept, and the rule looks at %d", v.samples, of))
	}
	return out
}

// isBelowAll tells whether a limit is below all that a counter counts: only raw
// counts can be negative.
func isBelowAll(r *alert.Rule, c *session.Counter) bool {
	return r.Kind == alert.Threshold && c != nil && c.Quantity.Kind != cooker.Count && r.When.Limit < 0
}

// counts is how many of how many samples have to be beyond the limit.
func counts(r *alert.Rule) (need, of int) {
	if r.Need == 0 && r.Of == 0 {
		return 1, 1
	}
	return r.Need, r.Of
}
