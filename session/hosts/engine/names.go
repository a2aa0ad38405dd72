package engine

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"sync"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/engine/prom"
	"perfdeck/session/engine/query"
	"perfdeck/session/hosts/local"
)

// form is what the value of a series is to a counter.
type form uint8

const (
	cookedForm form = iota // its value
	rawForm                // its raw number
	momentForm             // the moment that it counts from, as its raw number
	baseForm               // its companion
)

// meaning is what a series says of a counter.
type meaning struct {
	set      string
	counter  int
	form     form
	scale    float64      // what a 1 of the counter is in the series
	offset   uint64       // is added after that
	timer    cooker.Clock // whose ticks the seconds of the series are; ClockNone: they are none
	labels   []prom.Label
	instance string // label with the name of the instance
	named    func(string) string
	adds     bool        // to other series of the counter
	names    *prom.Names // perfdeck's own; nil: they are an exporter's
	kinds    kinds       // whose series they are; 0: anybody's
	stand    bool        // it stands in for what says it better
}

// isOf tells whether it is about series of some kinds; 0: nobody knows of which.
func (m *meaning) isOf(of kinds) bool { return of == 0 || m.kinds == 0 || m.kinds&of != 0 }

// rank is how near what it says is to the counter: of several, the least is taken.
func (m *meaning) rank(of kinds) uint8 {
	k := m.kinds
	if of != 0 {
		k &= of
	}
	rank := uint8(2 * bits.TrailingZeros8(uint8(k))) // the order of kinds
	if k == 0 {
		rank = 0
	}
	if m.stand {
		rank++
	}
	return rank
}

func (m *meaning) matches(l query.Labels) bool {
	for _, want := range m.labels {
		if l.Get(want.Name) != want.Value {
			return false
		}
	}
	return true
}

// instanceOf is the name of a series' instance.
func (m *meaning) instanceOf(l query.Labels) string {
	if m.instance == allLabels {
		return labelsText(l)
	}
	name := l.Get(m.instance)
	if m.named != nil {
		name = m.named(name)
	}
	return name
}

// allLabels stands for the label of instances whose name is all their labels.
const allLabels = "*"

// labelsText is the labels of a series that tell it apart on its host.
func labelsText(l query.Labels) string {
	var parts []string
	for _, one := range l {
		if !isOfAll(one.Name) {
			parts = append(parts, one.Name+"="+one.Value)
		}
	}
	slices.Sort(parts)
	return strings.Join(parts, " ")
}

// isOfAll tells a label that all series of a metric on a host have alike.
func isOfAll(label string) bool {
	switch label {
	case query.NameLabel, prom.HostLabel, "instance", "job":
		return true
	}
	return false
}

// index finds what series mean, and which say something of a counter.
type index struct {
	byMetric  map[string][]*meaning
	byCounter map[place][]series // what says something of a counter itself
	bases     map[place][]series // and of its companion
	ownBase   bool               // perfdeck is among what gives them: it gives bases that are time stamps
}

// place is a counter of a counterset.
type place struct {
	set     string
	counter int
}

func (ix *index) add(metric string, m meaning) {
	ix.byMetric[metric] = append(ix.byMetric[metric], &m)
	at, of := place{m.set, m.counter}, ix.byCounter
	if m.form == baseForm {
		of = ix.bases
	}
	of[at] = append(of[at], series{metric, &m})
}

// metrics are those that say something of counters of a counterset.
func (ix *index) metrics(of *session.Counterset, counters []int) (out []string) {
	for _, counter := range counters {
		at := place{of.Name, counter}
		for _, s := range slices.Concat(ix.byCounter[at], ix.bases[at]) {
			out = append(out, s.metric)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// series are those of a metric, and what they mean.
type series struct {
	metric string
	*meaning
}

// metricsOf are those of counters of a counterset, and the clocks that their host was read with.
func (l *list) metricsOf(set *session.Counterset, counters []int) []string {
	out := l.index.metrics(set, counters)
	if l.hasClocks && len(out) > 0 {
		out = append(out, clockTicks, clockHertz)
	}
	return out
}

// notThere is why a counter has no value.
const notThere = "the engine has no series of it"

// machine are the countersets of every computer: lists are made of many hosts.
var machine = sync.OnceValue(local.Countersets)

// newList is what hosts of some kinds have, of the metrics that an engine has. own are
// countersets of perfdeck's hosts besides those of every computer.
func newList(from string, names []string, of kinds, own ...*session.Counterset) *list {
	l := &list{catalogue: &session.Catalogue{}, asks: map[string]*ask{}, index: index{map[string][]*meaning{}, map[place][]series{}, map[place][]series{}, of&ofPerfdeck != 0}}
	there := func(name string) bool { _, ok := slices.BinarySearch(names, name); return ok }
	used := map[string]bool{}
	take := func(metric string, m meaning) {
		if there(metric) {
			l.index.add(metric, m)
			used[metric] = true
		}
	}
	for _, definition := range slices.Concat(machine(), own) {
		set := &session.Counterset{
			GUID: definition.GUID, Name: definition.Name, Description: definition.Description, Provider: "engine", Protocol: "Prometheus", From: from,
			Instances: definition.Instances, Counters: slices.Clone(definition.Counters),
		}
		if of&(ofPerfdeck|ofWindowsExporter) != 0 || of == 0 {
			ruled(set, take)
		}
		for _, t := range tables() {
			if of&t.kind != 0 || of == 0 {
				t.apply(set, take)
			}
		}
		has := false
		for i := range set.Counters {
			set.Counters[i].Absent = notThere
			if len(l.index.byCounter[place{set.Name, i}]) > 0 {
				set.Counters[i].Absent, has = "", true
			}
		}
		if has {
			l.catalogue.Sets = append(l.catalogue.Sets, set)
		}
	}
	l.hasClocks = of&ofPerfdeck != 0 && there(clockTicks)
	l.others(from, names, used)
	return l
}

// ruled adds what perfdeck's own names mean: those that it pushes and exposes.
func ruled(set *session.Counterset, take func(string, meaning)) {
	for i, n := range prom.NamesOf(set) {
		of := meaning{set: set.Name, counter: i, labels: n.Labels, instance: n.Instance, scale: 1, names: &n, kinds: ofPerfdeck | ofWindowsExporter}
		if n.Cooked.Name != n.Raw.Name || !n.Cooked.Grows {
			m := of
			m.form, m.scale = cookedForm, n.Cooked.Scale
			take(n.Cooked.Name, m)
		}
		if !n.HasRaw() && !n.Raw.Grows {
			continue
		}
		m := of
		m.form, m.scale = rawForm, n.Raw.Scale
		switch {
		case n.Shape.Clock == cooker.ClockObject && !n.Shape.Grows:
			m.form, m.scale, m.offset = momentForm, 1, prom.ClockOffset
		case n.Shape.Time != cooker.ClockNone:
			m.scale, m.timer = 1, n.Shape.Time
		}
		if n.Raw.Name != "" {
			take(n.Raw.Name, m)
		}
		if n.Base.Name != "" {
			b := of
			b.form = baseForm
			if n.Shape.Base == cooker.BaseClock && n.Shape.Time != cooker.ClockPerf {
				b.offset = prom.ClockOffset
			}
			take(n.Base.Name, b)
		}
	}
}

// others are the metrics that no table knows: each is a counterset of its name.
func (l *list) others(from string, names []string, used map[string]bool) {
	left := 0
	for _, name := range names {
		if used[name] || strings.HasPrefix(name, "perfdeck_clock_") || strings.HasSuffix(name, "_bucket") {
			continue
		}
		if left++; left > mostOthers {
			continue
		}
		set := &session.Counterset{Name: name, Description: "A metric that no table of perfdeck's knows: its labels are its instances.", Provider: "engine", Protocol: "Prometheus", From: from, Instances: session.MultipleInstances}
		counter := func(id uint32, name, about string, of cooker.CounterType) {
			c := session.Counter{ID: id, Name: name, Description: about, Type: of, Companions: session.NoCompanions, Detail: session.DetailNovice}
			c.Quantity = cooker.QuantityIn(of, set.Name, name)
			set.Counters = append(set.Counters, c)
		}
		m := meaning{set: name, instance: allLabels, scale: 1}
		counter(1, "Value", "The newest sample.", cooker.CounterLargeRawCount)
		l.index.add(name, m)
		if grows(name) {
			m.counter, m.form = 1, rawForm
			if strings.Contains(name, "_seconds") {
				m.scale = 1. / system100ns
				counter(2, "% Time", "What the seconds grow by in a second.", cooker.Timer100ns)
			} else {
				counter(2, "Value/sec", "What it grows by in a second.", cooker.CounterBulkCount)
			}
			l.index.add(name, m)
		}
		l.catalogue.Sets = append(l.catalogue.Sets, set)
	}
	if left > mostOthers {
		l.warnings = append(l.warnings, fmt.Errorf("%d metrics that no table knows are left out: %d are listed", left-mostOthers, mostOthers))
	}
}

// grows tells a counter of Prometheus by its name.
func grows(name string) bool {
	return strings.HasSuffix(name, "_total") || strings.HasSuffix(name, "_count") || strings.HasSuffix(name, "_sum")
}

// entry is a row of a table: a metric and the counter that it says something of.
type entry struct {
	meaning

	metric, name string // of the counter
}

// table is what an exporter's metrics are in names of Windows.
type table struct {
	kind    kinds
	entries []entry
	any     func(set *session.Counterset, take func(string, meaning)) // what goes by a rule; nil: nothing
}

func (t *table) apply(set *session.Counterset, take func(string, meaning)) {
	for i := range t.entries {
		e := &t.entries[i]
		if !paths.EqualFold(e.set, set.Name) {
			continue
		}
		counter, ok := set.Counter(e.name)
		if !ok {
			continue
		}
		m := e.meaning
		m.set, m.counter, m.kinds = set.Name, counter, t.kind
		if e.form == momentForm { // seconds since 1970
			m.scale, m.offset = 1./system100ns, cooker.Unix100ns
		}
		take(e.metric, m)
	}
	if t.any != nil {
		t.any(set, func(metric string, m meaning) {
			m.kinds = t.kind
			take(metric, m)
		})
	}
}
