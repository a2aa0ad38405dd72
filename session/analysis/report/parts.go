package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"perfdeck/cooker/compare"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/hosts/replay"
	"perfdeck/session/text/english"
	"perfdeck/session/text/printable"
)

// tellRules tells which rules were judged.
func (g *Gatherer) tellRules(r *Report, j *Judgement, told, folded int) {
	r.Rules.Stopped = j.Stopped
	r.Rules.Folded = folded
	for _, o := range j.own() {
		name := printable.Text(o.Rule.Name)
		switch {
		case o.Problem != "":
			r.Rules.Unjudged = append(r.Rules.Unjudged, Unjudged{name, lackOf(&o)})
			continue
		case o.Fired > 0:
			r.Rules.Fired++
		default:
			r.Rules.Quiet = append(r.Rules.Quiet, name)
		}
		r.Rules.Judged++
	}
	r.Rules.Blind = g.blind(j)
	if r.Rules.Judged == 0 {
		r.Rules.Fits = g.fits()
	} else if told == 0 {
		r.Rules.Nearest = g.nearest(j)
	}
}

// areas are what a computer is asked for first, by the group of causes.
var areas = [...]struct{ cause, word string }{{"processor", "processors"}, {"memory", "memory"}, {"disk", "disks"}, {"network", "network"}}

// blind are the areas that no rule judged, with the hosts where it is so, unless it is so on all.
func (g *Gatherer) blind(j *Judgement) (out []string) {
	for _, area := range areas {
		var hosts []string
		for _, h := range g.hosts {
			if !slices.ContainsFunc(j.Outcomes, func(o alert.Outcome) bool {
				return o.Problem == "" && o.Rule.Kind == alert.Threshold && !isAside(o.Rule.When.Path.Counter) && causeOfPath(&o.Rule.When.Path) == area.cause && h.judgedBy(&o.Rule) && o.Rule.IsJudged(h.Samples, h.newest.Sub(h.First))
			}) {
				hosts = append(hosts, h.Name)
			}
		}
		switch n := len(hosts); {
		case n == 0:
		case n == len(g.hosts):
			out = append(out, area.word)
		case n == 1:
			out = append(out, area.word+" of "+hosts[0])
		default:
			out = append(out, area.word+" of "+inWords(n)+" hosts")
		}
	}
	return out
}

// isAside tells counters that say nothing of how an area does: a disk with room may be slow, and a
// full link damage no packet.
func isAside(counter string) bool {
	counter = paths.Fold(counter)
	return strings.Contains(counter, "free") || strings.HasPrefix(counter, "packets received")
}

// judgedBy tells whether a rule had a value of a host, or one to make its own of.
func (h *host) judgedBy(rule *alert.Rule) bool {
	rule = rule.On(h.of.Catalogue(), alert.Size{})
	return slices.ContainsFunc(h.series, func(s *series) bool { return s.sum.Count > 0 && isWith(rule, s.Column) })
}

// lackOf is why a rule was not judged. Those of packs are for many kinds of hosts: which
// name could not be looked up is of no use to anybody.
func lackOf(o *alert.Outcome) string {
	if o.Rule.IsOfPack() && strings.Contains(o.Problem, "look up ") {
		return "their counters are not recorded"
	}
	return printable.Text(o.Problem)
}

// fits are the packs with counters of the hosts.
func (g *Gatherer) fits() (out []string) {
	for _, p := range g.Packs {
		if slices.ContainsFunc(g.hosts, func(h *host) bool { return p.Judges(h.of.Catalogue()) }) {
			out = append(out, p.Name)
		}
	}
	slices.Sort(out)
	return out
}

// nearest is the rule that came nearest to its limit.
func (g *Gatherer) nearest(j *Judgement) Text {
	best := math.Inf(-1)
	var text Text
	for _, h := range g.hosts {
		for _, rule := range j.limits(h) {
			if rule.When.Limit <= 0 {
				continue
			}
			for _, s := range h.series {
				if s.sum.Count == 0 || !means(rule, s.Column) {
					continue
				}
				least, most := s.extremes()
				word, extreme, at := "reached", most, s.sum.MaxAt
				near := beyond(rule, most)
				if rule.When.Op == paths.Below {
					word, extreme, at = "fell to", least, s.sum.MinAt
					near = beyond(rule, max(least, 1e-9))
				}
				if near > best { // it is reached at 1
					best = near
					scale := scaleFor(s.format, extreme, rule.When.Limit)
					text = words("Nearest to its limit: ", strong(rule.Name), " on ", s.Host.Name(), ", where ", code(s.Path),
						fmt.Sprintf(" %s %s at %s; it fires at %v %s for %s.", word, scale.With(extreme), g.second(at), rule.When.Op, scale.limit(rule.When.Limit), rule.ForText()))
				}
			}
		}
	}
	return text
}

// means tells whether a rule judges a column, as far as its path tells.
func means(rule *alert.Rule, c *replay.Column) bool {
	path := &rule.When.Path
	return isWith(rule, c) && (path.Instance == "" || path.Instance == "*" || paths.EqualFold(path.Instance, c.Instance.Key.Name))
}

// isWith tells whether a rule judges the counter of a column.
func isWith(rule *alert.Rule, c *replay.Column) bool {
	return paths.EqualFold(c.Set.InEnglish(), rule.When.Path.Object) && paths.Match(rule.When.Path.Counter, counterOf(c).InEnglish())
}

// extremes are the smallest and the largest value.
func (s *series) extremes() (low, high float64) {
	low, _ = s.sum.Min.Float()
	high, _ = s.sum.Max.Float()
	return low, high
}

// tellHosts tells all counters.
func (g *Gatherer) tellHosts(r *Report) {
	about := map[string][]int{}
	for _, v := range r.Verdicts {
		about[v.columnPath] = append(about[v.columnPath], v.Number)
	}
	for _, h := range g.hosts {
		h.Facts, h.Roles = h.facts(), g.roles(h)
		for _, s := range h.series {
			h.Counters = append(h.Counters, s.counter(h, about))
		}
		slices.SortStableFunc(h.Counters, func(a, b *Counter) int {
			return cmp.Or(compareFold(a.english.Object, b.english.Object), compareFold(a.english.Counter, b.english.Counter), rank(paths.IsTotal(a.Instance))-rank(paths.IsTotal(b.Instance)), compareFold(a.Instance, b.Instance))
		})
		r.Hosts = append(r.Hosts, new(h.Host)) // without its samples
	}
}

func compareFold(a, b string) int { return cmp.Compare(paths.Fold(a), paths.Fold(b)) }

// counter is the summary of it.
func (s *series) counter(h *host, about map[string][]int) *Counter {
	out := &Counter{
		Named: named(s.Column), Count: s.sum.Count, Missing: s.sum.Missing, Verdicts: about[s.Path],
	}
	if s.sum.Count == 0 {
		switch {
		case s.sum.Texts > 0:
			out.Word = "text"
		case s.denied > 0:
			out.Word = "denied"
		case s.idle > 0:
			out.Word = "idle"
		default:
			out.Word = "none"
		}
		return out
	}
	out.Min, out.Max = s.extremes()
	out.MaxAt, out.Weighted = s.sum.MaxAt, s.sum.Weighted()
	out.Average, _ = s.sum.Average().Float()
	out.P95, _ = s.sum.Quantile(0.95).Float()
	out.Scale = scaleFor(s.format, out.Max, out.Min)
	out.IsLow = h.Expected >= fewSamples && float64(s.sum.Count+s.idle) < 0.99*float64(h.Expected)-1
	out.Course, out.Hours = each(s.course, valueOf), s.hours
	return out
}

// processors are those that a recording has one by one, 0 without.
func (h *host) processors() int {
	cores := map[string]bool{}
	for _, s := range h.series {
		name := s.Instance.Key.Name
		if object := paths.Fold(s.Set.InEnglish()); (object == "processor" || object == "processor information") && !paths.IsTotal(name) {
			cores[paths.Fold(name)] = true
		}
	}
	return len(cores)
}

// facts are what a recording says of the computer.
func (h *host) facts() string {
	var out []string
	if n := h.processors(); n > 1 {
		out = append(out, fmt.Sprintf("%d processors", n))
	}
	for _, name := range [][2]string{{"Memory", "Physical Bytes"}, {"NUMA Node Memory", "Total MBytes"}} {
		if i := slices.IndexFunc(h.series, func(s *series) bool {
			return isOf(s.Column, name[0], name[1]) && s.sum.Count > 0 && (!s.Set.Instances.Multiple() || paths.IsTotal(s.Instance.Key.Name))
		}); i >= 0 {
			_, v := h.series[i].extremes()
			out = append(out, scaleFor(h.series[i].format, v).With(v)+" of memory")
			break
		}
	}
	return strings.Join(out, ", ")
}

// mostChanges bounds the rows of what changed.
const mostChanges = 8

// tellChanges compares the end with the beginning.
func (g *Gatherer) tellChanges(r *Report) {
	c := &r.Changes
	c.Before, c.From = g.begin.Add(g.length()/2), g.end.Add(-g.length()/4)
	all := g.rankChanges(c)
	if c.Judged == 0 {
		c.Why = "There are too few samples to compare the end with the beginning."
		return
	}
	named := map[string]bool{}
	for _, one := range all {
		switch {
		case one.Kind == compare.New || one.Kind == compare.Gone:
			list, name := &c.Gone, one.instanceName(len(g.hosts) > 1)
			if one.Kind == compare.New {
				list = &c.New
			}
			if key := fmt.Sprint(one.Kind, name); !named[key] {
				named[key] = true
				*list = append(*list, name)
			}
		case len(c.Rows) == mostChanges:
			c.More++
		default:
			c.Rows = append(c.Rows, one.row())
		}
	}
}

// changed is a change of a column of a tape.
type changed struct {
	compare.Change
	t *tape
}

// rankChanges are what changed, what changed most first.
func (g *Gatherer) rankChanges(c *Changes) (all []changed) {
	for _, t := range g.tapes {
		if t.before.Rows() < 2*compare.Blocks/3 || t.during.Rows() < 5 {
			continue
		}
		ranking := compare.Rank(t.before, t.during, compare.Options{
			Least: func(i int) float64 { return compare.Least(t.series[t.columns[i]].format.Quantity) },
			Host:  func(i int) any { return t.series[t.columns[i]].host },
			Skip:  func(i int) bool { return session.IsIdentity(counterOf(&t.Columns[t.columns[i]]).InEnglish()) },
		})
		c.Judged, c.Few = c.Judged+ranking.Judged, c.Few+ranking.Few
		for _, one := range ranking.Changes {
			all = append(all, changed{one, t})
		}
	}
	if len(g.tapes) > 1 {
		slices.SortStableFunc(all, func(a, b changed) int { return cmp.Compare(math.Abs(b.Times), math.Abs(a.Times)) })
	}
	return all
}

// instanceName is the instance of a change, with its host where there are others.
func (one *changed) instanceName(others bool) string {
	n := named(&one.t.Columns[one.t.columns[one.Series]])
	if others {
		return printable.Text(n.Host + " " + n.object())
	}
	return printable.Text(n.object())
}

// row is a change of values.
func (one *changed) row() *MovedRow {
	at := one.t.columns[one.Series]
	s := &one.t.series[at]
	row := &MovedRow{
		Named: named(s.Column), Before: one.From, Then: one.To, Times: one.Times, Words: one.Words(),
	}
	row.Scale = scaleFor(s.format, one.From, one.To)
	if one.Kind == compare.Often {
		row.Before, row.Then, row.Scale = 100*one.From, 100*one.To, percentScale
	}
	return row
}

// tellClocks tells what the times are.
func (g *Gatherer) tellClocks(r *Report) {
	say := func(parts ...any) { r.Clocks = append(r.Clocks, words(parts...)) }
	say("Times are ", zoneText(g.begin), ", by the clock of the computer that recorded.")
	intervals := map[time.Duration][]string{}
	for _, t := range g.tapes {
		_, offset := g.begin.Zone()
		if bias := -t.Zone.Bias * 60; !t.Zone.Known {
			say(t.names(), " does not tell its zone: its clocks are taken as those of this computer.")
		} else if bias != offset {
			say(t.names(), " was recorded in ", zoneText(g.begin.In(t.Zone.Location())), ": its times were converted.")
		}
		for _, w := range t.SetBack {
			say(t.names(), ": ", w, ".")
		}
		for _, h := range t.hosts {
			intervals[t.Interval] = append(intervals[t.Interval], h.Name)
		}
		for _, w := range append(t.Inferred.Words(), t.Taken...) {
			say(capital(w), ".")
		}
	}
	if len(intervals) > 1 {
		var parts []string
		for _, every := range slices.Sorted(maps.Keys(intervals)) {
			parts = append(parts, strings.Join(intervals[every], ", ")+" each "+english.Span(every))
		}
		say("The intervals differ: ", strings.Join(parts, "; "), ". Peaks shorter than the longer one do not count alike.")
	}
	if len(g.tapes) > 1 {
		say("The hosts come from several recordings. Whether the clocks of their computers differed is not recorded.")
	}
	for i, t := range g.tapes {
		for _, o := range g.tapes[i+1:] {
			if overlapOf(t.First, t.Last, o.First, o.Last) < 0 {
				say(t.names(), " and ", o.names(), " have no time in common.")
			}
		}
	}
}

// names are those of the files.
func (t *tape) names() string {
	names := each(t.Files, func(f string) string { return f[strings.LastIndexAny(f, `/\`)+1:] })
	return printable.Text(strings.Join(names, ", "))
}

// tellMissing tells what could not be read.
func (g *Gatherer) tellMissing(r *Report) {
	f := g.faults
	lacks := func(is bool, text string) {
		if is {
			r.Missing = append(r.Missing, text)
		}
	}
	lacks(f.Rows > 0, plural(f.Rows, "row", "rows")+" could not be read")
	lacks(f.Cells > 0, plural(f.Cells, "value", "values")+" could not be read")
	lacks(f.Cut || f.Torn, "the end of a recording is torn")
	lacks(r.Rules.Stopped != "", printable.Text(r.Rules.Stopped))
}
