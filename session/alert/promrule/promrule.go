// Package promrule writes alert rules as a rule file of Prometheus: expressions over the
// metrics that package prom names, cooked or raw, that fire when the rules do. What PromQL
// cannot say is listed with the reason.
package promrule

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/engine/prom"
	"perfdeck/session/text/printable"
)

// Options say how rules are written.
type Options struct {
	// Catalogues are where counters are looked up, the first that has one counts.
	Catalogues []*session.Catalogue
	Every      time.Duration // interval of rules without one; 0: alert.DefaultInterval
	Raw        bool          // the engine has raw values
}

// File is a rule file.
type File struct {
	Groups []Group // by interval, the shortest first
	Left   []Left
}

// Group are rules that are evaluated together.
type Group struct {
	Every time.Duration
	Rules []Rule
}

// Rule is an alerting rule.
type Rule struct {
	Name        string
	Expr        string
	For         time.Duration // 0: at once
	Labels      [][2]string
	Annotations [][2]string
	Notes       []string // what it does not say
}

// Left is what a rule says and the file does not, and why.
type Left struct {
	Rule   string
	Whole  bool // nothing of the rule is in the file
	Reason string
}

// Make writes rules. Those that are switched off are left out.
func Make(rules []alert.Rule, o Options) *File {
	m := &export{File: &File{}, Options: o}
	for i := range rules {
		if !rules[i].Disabled {
			m.add(&rules[i])
		}
	}
	slices.SortStableFunc(m.Groups, func(a, b Group) int { return int((a.Every - b.Every) / time.Millisecond) })
	return m.File
}

type export struct {
	*File
	Options
}

// one is a rule about one counter.
type one struct {
	*alert.Rule
	*export

	every   time.Duration
	set     *session.Counterset
	counter int
	names   *prom.Names
	labels  [][2]string // of its alerts, besides those of their values
	hosts   string      // matchers of the host's labels
	scale   float64
	notes   []string
}

// say notes what the file does not say of a rule.
func (w *one) say(reason string) {
	w.notes = append(w.notes, reason)
	w.leave(w.Rule, false, reason)
}

func (m *export) leave(r *alert.Rule, whole bool, reason string) {
	left := Left{r.Name, whole, printable.Text(reason)}
	if !slices.Contains(m.Left, left) {
		m.Left = append(m.Left, left)
	}
}

const (
	whyEvents = "it counts what hosts write down, which is in no metric"
	whyOnce   = "it is judged once, and PromQL goes on"
	whyQuiet  = "quiet hours are not in it: mute_time_intervals of Alertmanager know the local clock"
	whyTrend  = "deriv has a trend from two samples on, and goes on over gaps: here it takes a quarter of the time, and begins anew"
)

// add writes one rule: an alerting rule for each counter that it means.
func (m *export) add(r *alert.Rule) {
	switch {
	case r.Kind == alert.EventCount:
		m.leave(r, true, whyEvents)
		return
	case r.Interval == alert.Once:
		m.leave(r, true, whyOnce)
		return
	}
	w := &one{Rule: r, export: m, every: cmp.Or(r.Interval, m.Every, alert.DefaultInterval), hosts: hostMatchers(r)}
	if len(r.Quiet) > 0 {
		w.say(whyQuiet)
	}
	if r.Where != nil {
		w.say("its condition is not in it: where " + r.Where.String())
	}
	if r.Grows > 0 {
		m.leave(r, true, "a leak is no expression: it bends, and goes on for most of what is known")
		return
	}
	if r.Value != nil {
		m.leave(r, true, "a value that is worked out of several counters is not written")
		return
	}
	if r.Kind == alert.HostLost {
		up, _ := prom.HostMetrics()
		w.add("max by (host) ("+up.Name+braced(w.hosts)+") == 0", r.AfterTime())
		return
	}
	means, err := m.lookUp(r)
	if err != nil {
		m.leave(r, true, err.Error())
		return
	}
	for _, meaning := range means {
		names := prom.NamesOf(meaning.Set)
		for _, counter := range meaning.Counters {
			next := *w
			next.Rule, next.set, next.counter, next.names = meaning.Rule, meaning.Set, counter, &names[counter]
			next.write(&meaning)
		}
	}
}

// lookUp finds what a rule means. The error is that of the first catalogue.
func (m *export) lookUp(r *alert.Rule) (found []alert.Meaning, err error) {
	for _, cat := range m.Catalogues {
		means, wrong := r.Meanings(cat)
		if wrong == nil && len(means) > 0 {
			return means, nil
		}
		if err == nil {
			err = wrong
		}
	}
	if err == nil {
		err = fmt.Errorf("no host knows %s", r.When.Path)
	}
	return nil, err
}

// write writes the rule about one counter.
func (w *one) write(m *alert.Meaning) {
	matchers, combined, reason := w.matchers(m)
	if reason != "" {
		w.leave(w.Rule, true, reason)
		return
	}
	w.labels = [][2]string{{prom.SetLabel, prom.LabelValue(w.set.InEnglish())}, {prom.CounterLabel, prom.LabelValue(w.set.Counters[w.counter].InEnglish())}}
	value, ok := w.value(matchers)
	if !ok {
		w.leave(w.Rule, true, "its raw values have no recipe")
		return
	}
	if w.Kind == alert.NoValue {
		w.add(w.absence(m, matchers), w.AfterTime())
		return
	}
	if combined != nil {
		by, known := map[cooker.AggregateFunc]string{cooker.AggregateTotal: "sum", cooker.AggregateAverage: "avg", cooker.AggregateMin: "min", cooker.AggregateMax: "max"}[*combined]
		if !known {
			w.leave(w.Rule, true, "the counter does not say how its instances are combined")
			return
		}
		value = by + " by (job, instance, host) (" + value + ")"
	}
	if w.Trend > 0 {
		if w.Raw && w.names.HasRaw() {
			w.leave(w.Rule, true, "the trend of raw values is not written; over cooked ones it is")
			return
		}
		w.say(whyTrend)
		value = w.trendOf(value, combined != nil)
	}
	w.add(w.condition(value))
}

// absence is that what a path means is not there: of a path without a wildcard on a host
// that is known, of one with it what was there within a day.
func (w *one) absence(m *alert.Meaning, matchers string) string {
	metric := w.names.Cooked.Name
	if w.Raw && w.names.HasRaw() {
		metric = w.names.Raw.Name
	}
	value := metric + braced(matchers)
	if m.Wild && m.Combine == nil {
		return "last_over_time(" + value + "[1d]) unless " + value
	}
	up, _ := prom.HostMetrics()
	return "max by (host) (" + up.Name + braced(w.hosts) + ") unless on (host) " + value
}

// value is the value that is judged, in what w.scale says.
func (w *one) value(matchers string) (expr string, ok bool) {
	w.scale = w.names.Cooked.Scale
	if !w.Raw || !w.names.HasRaw() {
		return w.names.Cooked.Name + braced(matchers), true
	}
	w.scale = 1 // recipes are in the unit of the cooked value
	expr, _, ok = w.names.RecipeOf(w.set, w.counter, matchers, w.hosts, w.window())
	return "(" + expr + ")", ok
}

// trendOf is how much a value grows in an hour; what is combined has a trend of samples
// that are made of it.
func (w *one) trendOf(value string, combined bool) string {
	over := "[" + Duration(w.Trend) + "]"
	if combined {
		value, over = "("+value+")", "["+Duration(w.Trend)+":"+Duration(w.every)+"]"
	}
	return "deriv(" + value + over + ") * " + number(time.Hour.Seconds())
}

// window holds the newest two samples, and not those from before a gap: a range knows
// nothing of hosts that are gone.
func (w *one) window() string { return Duration(5 * w.every / 2) }

// sameAlert is what the labels of a value and of its alert have not in common.
const sameAlert = "ignoring (alertname, alertstate, severity, " + prom.SetLabel + ", " + prom.CounterLabel + ")"

// condition is when the rule fires: N of the last M samples are beyond the limit, the
// newest among them. It ends when the newest is calm, and fewer than N of the last M are
// not known to be so.
func (w *one) condition(value string) (expr string, hold time.Duration) {
	need, of := w.Counts()
	over, calm := " "+w.When.Op.String()+" ", " <= "
	level := w.When.Limit
	if w.When.Op == paths.Below {
		calm = " >= "
	}
	if w.Clear != nil { // strictly beyond it
		level = *w.Clear
		calm = strings.TrimSuffix(calm, "= ") + " "
	}
	limit, wellAt := number(w.When.Limit*w.scale), number(level*w.scale)
	beyond := value + over + limit
	if need == of && w.Cooldown == 0 {
		hold = time.Duration(need-1) * w.every
		if w.Clear == nil {
			return beyond, hold
		}
		return beyond + "\n  or " + value + notCalm(calm) + wellAt + w.andFires(), hold
	}
	window := "[" + Duration(time.Duration(of)*w.every-time.Millisecond) + ":" + Duration(w.every) + "]"
	begins, stays := beyond, value+notCalm(calm)+wellAt
	if of > 1 {
		begins += fmt.Sprintf("\n    and sum_over_time((%s%sbool %s)%s) >= %d", value, over, limit, window, need)
		stays = fmt.Sprintf("(%s\n    or sum_over_time((%s%sbool %s)%s) <= %d)", stays, value, calm, wellAt, window, of-need)
	}
	if w.Cooldown > 0 { // no sample of an alert before, but for one that fires
		rest := w.every/2 + w.Cooldown
		if part := w.Cooldown % w.every; part > 0 { // up to the next sample
			rest += w.every - part
		}
		begins += "\n    unless " + sameAlert + " last_over_time(" + w.firing() + "[" + Duration(rest) + "])"
	}
	return value + "\n  and (\n    (" + begins + ")\n    or " + stays + w.andFires() + "\n  )", 0
}

// notCalm is the opposite of the comparison that tells a calm value.
func notCalm(calm string) string {
	return map[string]string{" <= ": " > ", " >= ": " < ", " < ": " >= ", " > ": " <= "}[calm]
}

// firing are the alerts of the rule that fire, as the engine keeps them.
func (w *one) firing() string {
	matchers := []string{"alertname=" + quote(w.Name), `alertstate="firing"`}
	for _, l := range w.labels {
		matchers = append(matchers, l[0]+"="+quote(l[1]))
	}
	return "ALERTS{" + strings.Join(matchers, ",") + "}"
}

// andFires is that the alert fired when the rule was evaluated before. What an engine finds
// at a moment is not older than 5 minutes.
func (w *one) andFires() string {
	fires := w.firing()
	if w.every > 2*time.Minute {
		fires = "last_over_time(" + fires + "[" + Duration(3*w.every/2) + "])"
	}
	return " and " + sameAlert + " " + fires
}

// add puts a rule into its group.
func (w *one) add(expr string, hold time.Duration) {
	r := Rule{Name: w.Name, Expr: expr, For: hold, Notes: w.notes, Labels: append([][2]string{{"severity", w.Severity.String()}}, w.labels...)}
	where := "{{ $labels.host }}"
	if w.names != nil {
		where += fmt.Sprintf("{{ with $labels.%s }} {{ . }}{{ end }}", w.names.Instance)
	}
	value, threshold := "", ""
	if w.Kind == alert.Threshold {
		value, threshold = "{{ $value }}", w.When.Op.String()+" "+number(w.When.Limit*w.scale)+w.UnitSuffix()
	}
	for _, a := range [][2]string{
		{"summary", escape(w.Name) + " on " + where}, {"value", value}, {"threshold", threshold}, {"rule", escape(w.Condition())},
		{"description", escape(w.Why)}, {"next", escape(strings.Join(w.Next, " "))}, {"text", escape(w.Text)},
	} {
		if a[1] != "" {
			r.Annotations = append(r.Annotations, a)
		}
	}
	i := slices.IndexFunc(w.Groups, func(g Group) bool { return g.Every == w.every })
	if i < 0 {
		i = len(w.Groups)
		w.Groups = append(w.Groups, Group{Every: w.every})
	}
	w.Groups[i].Rules = append(w.Groups[i].Rules, r)
}

// escape makes a text what templates show as it is.
func escape(text string) string { return strings.ReplaceAll(text, "{{", `{{ "{{" }}`) }

// number is a number of PromQL.
func number(f float64) string {
	if size := math.Abs(f); size == 0 || size >= 1e-6 && size < 1e15 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// quote is a string of PromQL.
func quote(text string) string { return strconv.Quote(text) }

func braced(matchers string) string {
	if matchers == "" {
		return ""
	}
	return "{" + matchers + "}"
}

// Duration is a time as Prometheus writes it, to the millisecond.
func Duration(d time.Duration) string {
	if d <= 0 {
		return "0s"
	}
	var b strings.Builder
	for _, unit := range []struct {
		name string
		d    time.Duration
	}{{"d", 24 * time.Hour}, {"h", time.Hour}, {"m", time.Minute}, {"s", time.Second}, {"ms", time.Millisecond}} {
		if n := d / unit.d; n > 0 {
			fmt.Fprintf(&b, "%d%s", n, unit.name)
			d %= unit.d
		}
	}
	return b.String()
}
