package alerts

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/text/english"
	"perfdeck/tui/pane"
)

// trial is what trying a rule on all history at hand came to.
type trial struct {
	alert.Outcome

	values  map[alert.ID]*alert.Past // that were judged
	end     time.Time                // of what is kept
	extreme float64                  // nearest to the limit, or farthest beyond; NaN: none
}

// try judges a rule over the history at hand of what it follows. every is the interval of a rule
// without one. The error is why no host has it.
func try(desk *pane.Desk, r *alert.Rule, every time.Duration) (t trial, err error) {
	t.Rule, t.values, t.extreme = *r, map[alert.ID]*alert.Past{}, math.NaN()
	var hosts []alert.History
	for _, h := range desk.Hosts {
		found, fault := meaningsOf(h, r)
		if fault != nil {
			err = fault
		}
		for i := range found {
			t.look(&found[i])
		}
		if len(found) > 0 && h.Snap != nil {
			hosts = append(hosts, alert.History{Snapshot: h.Snap, Catalogue: h.Sampler.Catalogue()})
			t.end = session.Later(h.Snap.Timeline.At(h.Snap.Timeline.Next()-1), t.end)
		}
	}
	if len(hosts) == 0 {
		return t, err
	}
	t.Outcome = alert.Try(*r, alert.BacktestOptions{Every: every, Judged: t.hear}, hosts)
	return t, nil
}

func (t *trial) hear(id alert.ID, at time.Time, value float64) {
	p := t.values[id]
	if p == nil {
		p = new(alert.Past)
		t.values[id] = p
	}
	p.Nanos, p.Values = append(p.Nanos, at.UnixNano()), append(p.Values, float32(value))
	t.near(value)
}

// everyOf is the interval of rules without one; 0: the default.
func everyOf(desk *pane.Desk) time.Duration {
	if a, ok := desk.Alerts.(pane.Paced); ok {
		return a.Every()
	}
	return 0
}

// extent tells how many hosts were tried, over what time, and how many samples were
// judged of the value with the most.
func (t *trial) extent() (hosts int, span time.Duration, samples int) {
	named := map[string]bool{}
	for id, p := range t.values {
		named[id.Host] = true
		span = max(span, t.end.Sub(p.Timeline.At(0)))
		samples = max(samples, len(p.Nanos))
	}
	return len(named), span, samples
}

// look takes what lies between the samples that are judged into account for the extreme.
func (t *trial) look(m *meaning) {
	if t.Rule.Aggregate != nil || t.Rule.IsDerived() {
		return
	}
	for _, target := range m.values() {
		w := windowOf(target)
		v := w.Max
		if t.Rule.When.Op == paths.Below {
			v = w.Min
		}
		if f, ok := v.Float(); ok {
			t.near(f)
		}
	}
}

// near takes a value into account for the extreme.
func (t *trial) near(f float64) {
	if f == f && (t.extreme != t.extreme || t.Rule.When.Op.Farther(f, t.extreme)) {
		t.extreme = f
	}
}

// lineCells are those of a line of a form.
const lineCells = 56

// text says in a line how often the rule would have fired.
func (t *trial) text(c watched) string {
	hosts, span, _ := t.extent()
	switch {
	case span <= 0:
		return "nothing of it is kept here to try it on"
	case t.Fired == 0:
		text := "would not have fired in the last " + english.Age(span)
		if t.extreme == t.extreme && t.Rule.Kind == alert.Threshold {
			word := ", highest "
			if c.side(t.Rule.When.Op) == paths.Below {
				word = ", lowest "
			}
			if extreme := word + c.withUnit(cooker.FloatValue(t.extreme)); cells(text+extreme) <= lineCells {
				text += extreme
			}
		}
		return text + t.among(hosts)
	}
	text := "would have fired " + english.Times(t.Fired) + " in the last " + english.Age(span)
	switch {
	case t.Fired == 1 && t.Firing == 1 && t.Longest < time.Second:
		text = "would fire at once"
	case t.Fired == 1 && t.Firing == 1:
		text = "would have fired once in " + english.Age(span) + ", " + english.Age(t.Longest) + " ago, and still"
	case t.Fired == 1:
		text += ", for " + english.Age(t.Longest)
	default:
		text += ", longest " + english.Age(t.Longest)
		if t.Firing > 0 {
			text += ", " + strconv.Itoa(t.Firing) + " still"
		}
	}
	if t.Held > 0 {
		text += ", " + strconv.Itoa(t.Held) + " in quiet hours"
	}
	return text + t.among(hosts)
}

// among says how many values were tried, if it was more than one.
func (t *trial) among(hosts int) string {
	if len(t.values) < 2 {
		return ""
	}
	text := strconv.Itoa(len(t.values)) + " values"
	if hosts > 1 {
		text += " of " + strconv.Itoa(hosts) + " hosts"
	}
	if t.Fired > 0 {
		return ", on " + strconv.Itoa(t.Values) + " of " + text
	}
	return ", " + text
}

// previewLines are what a form tells of a rule: what would have come of it, and
// what is kept. c is what it is about.
func previewLines(desk *pane.Desk, r alert.Rule, c watched) []string {
	kept := "keeps " + r.Expression()
	if r.Kind == alert.Threshold { // the limit first: a long path is cut
		kept = "keeps " + r.When.Op.String() + " " + plain(r.When.Limit) + " of " + r.When.Path.String()
	}
	if r.Kind == alert.HostLost || r.Kind == alert.EventCount {
		return []string{"what hosts did cannot be tried: only values are kept", kept}
	}
	t, err := try(desk, &r, everyOf(desk))
	if err != nil {
		return []string{err.Error(), kept}
	}
	out := []string{t.text(c), kept}
	if !r.IsDerived() && isBelowAll(&r, c.Counter) {
		out = slices.Insert(out, 0, "its values are never below 0, and the limit is")
	}
	out = append(out, firesText(r, everyOf(desk)))
	_, _, samples := t.extent()
	if _, of := r.Counts(); samples > 0 && r.Kind == alert.Threshold && samples < of {
		out = append(out, fmt.Sprintf("%d samples are kept, and the rule looks at %d", samples, of))
	}
	return out
}

// firesText tells how long after a value passed its limit, or was there last, a rule fires: it
// looks at each interval.
func firesText(r alert.Rule, every time.Duration) string {
	r.Interval = cmp.Or(r.Interval, every, alert.DefaultInterval)
	switch first := r.Delay(); {
	case r.Kind != alert.Threshold:
		return "fires " + english.Span(first) + " after it was there last"
	case r.Interval == alert.Once:
		return "fires with the first sample or never"
	case r.Settles() > 0:
		return "fires no sooner than " + english.Span(first+r.Settles()) + " after its first sample"
	case first == 0:
		return "fires within " + english.Span(r.Interval) + " of passing the limit"
	default:
		return "fires " + english.Span(first) + " to " + english.Span(first+r.Interval) + " after passing the limit"
	}
}

// isBelowAll tells whether a limit is below all that a counter counts: only raw
// counts can be negative.
func isBelowAll(r *alert.Rule, c *session.Counter) bool {
	return r.Kind == alert.Threshold && c != nil && c.Quantity.Kind != cooker.Count && r.When.Limit < 0
}
