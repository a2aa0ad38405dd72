package report

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/cooker/compare"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/hosts/replay"
)

// draft is a verdict while it is made: alerts that are one thing.
type draft struct {
	Verdict
	clock

	episodes []alert.Episode // of its own series, in order of time
	others   []alert.Episode // of the same rules on other instances
	also     []alert.Episode // of other rules, folded in

	host    *host
	column  int           // of the host's tape; -1: none
	gapEnds time.Time     // of the gap that ends it; zero: none does
	spans   []spanOf      // of what comes again and again, each time; nil: it is one
	every   time.Duration // from one beginning to the next; 0: it does not come regularly
	unseen  time.Duration // for how long of its time it had no value, of what came once

	growth  *growth  // what grows; nil: it is something else
	account *account // nil: nothing tells who did it

	// What is read of its time: its own counter, and samples of all others of the host.
	before     time.Time // where the time before begins
	from, to   time.Time // of the chart
	samples    compare.Rows[float64]
	points     []Point  // these, once all is read
	store      *store   // nil: it is told briefly
	stores     []*store // this, or those of other hosts, where this one is lost
	chartPath  string
	chartScale cooker.Format
	peak       evidence // of the worst value
	prev       evidence
}

// lead is the rule that it is about: the one with the widest limit, which fired first.
func (d *draft) lead() *alert.Rule { return d.episodes[0].Rule }

// hasLimit tells that it is about values beyond a limit.
func (d *draft) hasLimit() bool { return d.lead().Kind == alert.Threshold }

// own is the column that it is about, which has to be one.
func (d *draft) own() *series { return &d.host.tape.series[d.column] }

func (d *draft) first() *alert.Episode { return &d.episodes[0] }

// isGoingOn tells that it began too late for its rule.
func (d *draft) isGoingOn() bool { return d.first().IsGoingOn() }

// spanOf is from when to when.
type spanOf struct{ from, to time.Time }

// holds tells whether a moment is in the time of the verdict.
func (d *draft) holds(at time.Time) bool {
	if at.Before(d.Begin) || at.After(d.End) {
		return false
	}
	return d.spans == nil || slices.ContainsFunc(d.spans, func(s spanOf) bool { return !at.Before(s.from) && !at.After(s.to) })
}

// of are the values of a column in the time of the verdict, in order of size.
func (d *draft) of(values iter.Seq2[time.Time, float64]) []float64 {
	var out []float64
	for at, v := range values {
		if d.holds(at) {
			out = append(out, v)
		}
	}
	slices.Sort(out)
	return out
}

// calm is how long it has to be well between two spells that are two things.
const calm = 10 * time.Minute

// drafts makes verdicts of alerts.
func (g *Gatherer) drafts(all []alert.Episode, order map[string]int) (told []*draft, folded int) {
	var list []*draft
	gaps := g.allGaps()
	for _, ep := range all {
		// What all of several hosts lack was not recorded, which says nothing about them.
		isPause := ep.Rule.Kind == alert.HostLost && len(g.hosts) > 1 && slices.ContainsFunc(gaps, func(gap Gap) bool {
			return len(gap.hosts) == len(g.hosts) && !ep.Since.Before(gap.From) && !ep.Since.After(gap.To)
		})
		if h := g.hostNamed(ep.ID.Host); h != nil && !isPause && !ep.Since.Before(g.begin) && !ep.Since.After(g.end) {
			list = append(list, g.draftOf(ep, h))
		}
	}
	list = joinedBy(joinedBy(joinAgain(joinSpells(list)), (*draft).takesRule), (*draft).takesInstance)
	grown := g.grown()
	for _, d := range grown {
		if _, ok := order[d.lead().Name]; !ok {
			order[d.lead().Name] = len(order)
		}
	}
	return foldIn(append(list, grown...), order)
}

func (g *Gatherer) hostNamed(name string) *host {
	for _, h := range g.hosts {
		if paths.EqualFold(h.Name, name) {
			return h
		}
	}
	return nil
}

// column is the first of a host that fits; -1: none.
func (h *host) column(fits func(*replay.Column) bool) int {
	for _, s := range h.series {
		if fits(s.Column) {
			return s.at
		}
	}
	return -1
}

func (g *Gatherer) draftOf(ep alert.Episode, h *host) *draft {
	d := &draft{
		Verdict:  Verdict{Severity: ep.Rule.Severity, Begin: session.Later(ep.Began, g.begin), End: ep.Until, Spells: 1},
		episodes: []alert.Episode{ep}, clock: g.clock, host: h, column: -1,
	}
	if d.End.IsZero() || d.End.After(h.newest) && ep.Rule.Kind == alert.Threshold {
		d.IsOpen = ep.Until.IsZero()
		if d.End = h.newest; d.End.IsZero() || ep.Rule.Kind != alert.Threshold {
			d.End = g.end
		}
	}
	d.End = session.Later(d.End, d.Begin)
	d.Lasted = d.End.Sub(d.Begin)
	if !ep.Rule.IsDerived() { // what a formula or a trend gives is no column
		d.column = h.column(func(c *replay.Column) bool {
			return ep.Set == c.Set && ep.Counter == c.Counter && (ep.Key == c.Instance.Key || !c.Set.Instances.Multiple())
		})
	}
	if d.column < 0 && ep.Set == nil && ep.Rule.Kind == alert.NoValue { // it was there once, perhaps
		d.column = h.column(func(c *replay.Column) bool {
			return c.Set.Name == ep.ID.Set && counterOf(c).Name == ep.ID.Counter && paths.EqualFold(c.Instance.Key.Name, ep.ID.Name)
		})
	}
	return d
}

// overlap is how long two are at the same time; below 0: so far apart. What comes again and again
// is there in its times.
func overlap(a, b *draft) time.Duration {
	if a.spans == nil {
		a, b = b, a
	}
	if a.spans == nil || b.spans != nil {
		return overlapOf(a.Begin, a.End, b.Begin, b.End)
	}
	most := overlapOf(a.spans[0].from, a.spans[0].to, b.Begin, b.End)
	for _, s := range a.spans[1:] {
		most = max(most, overlapOf(s.from, s.to, b.Begin, b.End))
	}
	return most
}

// merge takes the time of another one in.
func (d *draft) merge(o *draft) {
	d.Begin, d.End = session.Earlier(d.Begin, o.Begin), session.Later(d.End, o.End)
	d.IsOpen = d.IsOpen || o.IsOpen
	d.Severity = max(d.Severity, o.Severity)
}

// again takes in what comes again.
func (d *draft) again(o *draft) {
	d.merge(o)
	d.episodes = append(d.episodes, o.episodes...)
	d.Lasted, d.Spells = d.Lasted+o.Lasted, d.Spells+o.Spells
}

// joinSpells joins alerts of one series that soon come again.
func joinSpells(list []*draft) []*draft {
	last := map[alert.ID]*draft{}
	var out []*draft
	for _, d := range list {
		id := d.first().ID
		if before := last[id]; before != nil && -overlap(before, d) <= calm {
			before.again(d)
			continue
		}
		last[id] = d
		out = append(out, d)
	}
	return out
}

// leastAgain is how often something comes at least to come again and again.
const leastAgain = 4

// joinAgain joins what comes again and again on one series, as a task each quarter of an hour
// makes it: at regular times, or very often.
func joinAgain(list []*draft) []*draft {
	const often, alike = 8, 4 // the gaps differ by at most a quarter of them
	byID := map[alert.ID][]*draft{}
	for _, d := range list {
		byID[d.first().ID] = append(byID[d.first().ID], d)
	}
	gone := map[*draft]bool{}
	for _, all := range byID {
		if len(all) < leastAgain {
			continue
		}
		gaps := make([]time.Duration, len(all)-1)
		for i := range gaps {
			gaps[i] = all[i+1].Begin.Sub(all[i].Begin)
		}
		slices.Sort(gaps)
		usual := gaps[len(gaps)/2]
		chain := regularOf(all, usual, usual/alike)
		regular := len(chain) >= leastAgain && 2*len(chain) > len(all)
		if regular {
			all = chain
		} else if len(all) < often {
			continue
		}
		first := all[0]
		first.spans = []spanOf{{first.Begin, first.End}}
		for _, d := range all[1:] {
			first.spans = append(first.spans, spanOf{d.Begin, d.End})
			first.again(d)
			gone[d] = true
		}
		if regular {
			first.every = usual
		}
	}
	return slices.DeleteFunc(list, func(d *draft) bool { return gone[d] })
}

// regularOf are those that come at regular times, but for one that lacks; what comes between is
// left out.
func regularOf(all []*draft, usual, alike time.Duration) (best []*draft) {
	for from := range all[:min(len(all), leastAgain)] {
		chain := all[from : from+1 : from+1]
		for _, d := range all[from+1:] {
			since := d.Begin.Sub(chain[len(chain)-1].Begin)
			if (since-usual).Abs() < alike || (since-2*usual).Abs() < alike {
				chain = append(chain, d)
			}
		}
		if len(chain) > len(best) {
			best = chain
		}
	}
	return best
}

// joinedBy are those that no one before them takes in.
func joinedBy(list []*draft, takes func(o, d *draft) bool) (out []*draft) {
	for _, d := range list {
		if !slices.ContainsFunc(out, func(o *draft) bool { return takes(o, d) }) {
			out = append(out, d)
		}
	}
	return out
}

// takesRule takes in a rule that judges the same series, as slow and very slow.
func (d *draft) takesRule(o *draft) bool {
	x, y := d.first(), o.first()
	if x.Path != y.Path || x.ID.Host != y.ID.Host || x.Rule.When.Op != y.Rule.When.Op || x.Rule.Kind != y.Rule.Kind || overlap(d, o) < 0 {
		return false
	}
	if o.Begin.Before(d.Begin) || o.Begin.Equal(d.Begin) && y.Rule.When.Op.Farther(x.Rule.When.Limit, y.Rule.When.Limit) { // the wider limit leads
		d.Lasted, d.Spells, d.spans, d.every = o.Lasted, o.Spells, o.spans, o.every
		d.episodes = slices.Concat(o.episodes, d.episodes)
	} else {
		d.episodes = append(d.episodes, o.episodes...)
	}
	d.merge(o)
	return true
}

// takesInstance takes in an instance of the host on which the same rule fires at the same time.
func (d *draft) takesInstance(o *draft) bool {
	if d.host != o.host || !sharesRule(d, o) || overlap(d, o) < 0 {
		return false
	}
	if o.Severity > d.Severity || o.Severity == d.Severity && worseThan(o, d) {
		o.others = slices.Concat(o.others, d.episodes, d.others)
		o.merge(d)
		*d = *o
	} else {
		d.others = slices.Concat(d.others, o.episodes, o.others)
		d.merge(o)
	}
	return true
}

func sharesRule(a, b *draft) bool {
	return slices.ContainsFunc(a.episodes, func(x alert.Episode) bool {
		return slices.ContainsFunc(b.episodes, func(y alert.Episode) bool { return x.ID.Rule == y.ID.Rule })
	})
}

// worseThan tells whether the worst value of one is farther beyond the limit.
func worseThan(a, b *draft) bool {
	x, okX := a.worst()
	y, okY := b.worst()
	if !okX || !okY {
		return okX
	}
	return a.lead().When.Op.Farther(x, y)
}

func (d *draft) worst() (worst float64, ok bool) {
	for _, ep := range d.episodes {
		f, has := ep.Peak.Float()
		if has && (!ok || d.lead().When.Op.Farther(f, worst)) {
			worst, ok = f, true
		}
	}
	return worst, ok
}

// ofRules are the first alerts of each rule.
func ofRules(all []alert.Episode) (out []alert.Episode) {
	for _, ep := range all {
		if !slices.ContainsFunc(out, func(o alert.Episode) bool { return o.Rule.Name == ep.Rule.Name }) {
			out = append(out, ep)
		}
	}
	return out
}

// causes sorts countersets into groups of what may cause one another's alerts.
var causes = map[string]string{
	"processor": "processor", "processor information": "processor", "processor limit": "processor", "system": "processor", "thermal zone information": "processor", "hyper-v hypervisor logical processor": "processor",
	"memory": "memory", "memory limit": "memory", "paging file": "memory", "numa node memory": "memory",
	"physicaldisk": "disk", "logicaldisk": "disk", "sqlserver:buffer manager": "disk",
	"network interface": "network", "network adapter": "network", "tcpv4": "network", "tcpv6": "network", "ipv4": "network", "ipv6": "network",
}

func causeOf(d *draft) string {
	if d.lead().Kind == alert.HostLost {
		return "host"
	}
	if d.growth != nil && session.IsOfProcesses(d.lead().When.Path.Object) {
		return "memory"
	}
	return causeOfPath(&d.lead().When.Path)
}

// causeOfPath is the group of what a rule judges: of pressure and of groups their instance or
// counter says which.
func causeOfPath(p *paths.Path) string {
	switch object := paths.Fold(p.Object); {
	case object == "pressure stall information" && p.Instance == "memory", object == "control group" && strings.Contains(p.Counter, "Memory"):
		return "memory"
	case object == "pressure stall information" && p.Instance == "io", strings.Contains(p.Counter, "I/O Wait"):
		return "disk"
	case object == "pressure stall information", object == "control group" && strings.Contains(p.Counter, "Throttled"):
		return "processor"
	}
	object := strings.Replace(paths.Fold(p.Object), "mssql$", "sqlserver:", 1)
	return cmp.Or(causes[object], object) // a counterset that is in no group is one
}

// foldIn folds what comes in the time of something graver of the same cause on the same
// host into that. order is that of the rules.
func foldIn(list []*draft, order map[string]int) (told []*draft, folded int) {
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, func(a, b *draft) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), cmp.Compare(order[a.lead().Name], order[b.lead().Name]), a.Begin.Compare(b.Begin))
	})
	for _, d := range sorted {
		i := slices.IndexFunc(told, func(o *draft) bool {
			const soon = 5 * time.Minute
			return o.host == d.host && causeOf(o) == causeOf(d) && d.Begin.After(o.Begin.Add(-soon)) && !d.Begin.After(o.End) && 2*overlap(o, d) >= d.End.Sub(d.Begin)
		})
		if i < 0 {
			told = append(told, d)
			continue
		}
		told[i] = told[i].fold(d)
		folded++
	}
	sortTold(told, order)
	return told, folded
}

// fold takes another verdict of the same cause in. Of two shares of the same instance the larger
// leads; the gravest gives the severity.
func (d *draft) fold(o *draft) *draft {
	if x, y := d.first(), o.first(); x.Set != nil && x.Set == y.Set && x.Key == y.Key && d.isShare() && o.isShare() {
		if a, _ := d.worst(); x.Counter != y.Counter {
			if b, _ := o.worst(); b > a {
				d, o = o, d
			}
		}
	}
	d.also = slices.Concat(d.also, o.episodes, o.also)
	d.Severity, d.Begin = max(d.Severity, o.Severity), session.Earlier(d.Begin, o.Begin) // it began with the first of them
	return d
}

// isShare tells that it is about a percentage that is too high.
func (d *draft) isShare() bool {
	ep := d.first()
	return ep.Rule.Kind == alert.Threshold && !ep.Rule.IsDerived() && ep.Rule.When.Op == paths.Above && d.growth == nil &&
		ep.Set.Counters[ep.Counter].Quantity.Kind == cooker.Percent
}

// sortTold puts the gravest first, then what began first.
func sortTold(told []*draft, order map[string]int) {
	slices.SortStableFunc(told, func(a, b *draft) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), a.Begin.Compare(b.Begin), cmp.Compare(a.host.index, b.host.index), cmp.Compare(order[a.lead().Name], order[b.lead().Name]))
	})
}
