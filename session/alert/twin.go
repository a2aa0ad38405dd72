package alert

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
)

// PackOrigin begins the origin of the rules of packs.
const PackOrigin = "pack "

// IsOfPack tells rules of packs: they are for many kinds of hosts, lack something on most, and find
// another spelling of a fact on some.
func (r *Rule) IsOfPack() bool { return strings.HasPrefix(r.Origin, PackOrigin) }

// twin is another spelling of a fact.
type twin struct {
	object, counter string
	otherObject     string  // empty: the same
	otherCounter    string  // * stands for anything
	term            string  // in a formula, between its braces; empty: otherCounter
	times           float64 // how many of the new unit the old one is
}

// twins are other spellings of facts that rules of packs ask for, which a host or a recording may
// have alone. Without a counter it is any of the counterset.
var twins = []twin{
	{"Memory", "Available MBytes", "", "Available KBytes", "", 1 << 10},
	{"Memory", "Available MBytes", "", "Available Bytes", "", 1 << 20},
	{"PhysicalDisk", "Avg. Disk sec/Transfer", "", "Avg. Disk sec/*", "Avg. Disk sec/Read} + {Avg. Disk sec/Write", 1},
	{"PhysicalDisk", "Disk Transfers/sec", "", "Disk Reads/sec", "Disk Reads/sec} + {Disk Writes/sec", 1},
	{"Network Interface", "Bytes Received/sec", "", "Bytes Total/sec", "", 1},
	{"Network Interface", "Bytes Sent/sec", "", "Bytes Total/sec", "", 1},
	{"Network Interface", "Packets Received/sec", "", "Packets/sec", "", 1},
	{"Processor Information", "% Processor Time", "", "% Processor Utility", "", 1},
	{"Processor Information", "", "Processor", "", "", 1},
	{"PhysicalDisk", "", "LogicalDisk", "", "", 1},
	{"Network Interface", "", "Network Adapter", "", "", 1},
}

// limits are the twins that count before the counters themselves where a host has them: what may be
// used, of which a rule is about a total, before what there is. Of memory the share that is left
// counts: 512 MB of 10 GB are a twentieth.
var limits = []twin{
	{"Processor Information", "", session.ProcessorLimit, "", "", 1},
	{"Memory", "Available MBytes", session.MemoryLimit, "% Available", "", 100. * (1 << 20) / packMemory},
}

// Size is what limits of packs are in proportion to; 0: not known.
type Size struct {
	Processors int
	Memory     float64 // bytes

	left float64 // of it, bytes
}

// On is the rule as it is judged on a host of a catalogue and of a size: itself, or of a pack's rule
// whose counters the host lacks the same on twins that it has, with limits that fit the host.
func (r *Rule) On(cat *session.Catalogue, of Size) *Rule {
	return r.onTwin(cat).forProcessors(of.Processors).forMemory(of.Memory)
}

func (r *Rule) onTwin(cat *session.Catalogue) *Rule {
	if !r.IsOfPack() || r.Kind != Threshold || cat == nil {
		return r
	}
	for k := range limits {
		if other := r.twin(&limits[k]); other != nil && r.When.Path.Instance != "*" && other.isIn(cat) {
			other.When.Path.HasInstance, other.When.Path.Instance = false, ""
			return other
		}
	}
	all := []*Rule{r}
	for i := 0; i < len(all); i++ { // the table leads from nothing back to where it began
		if all[i].isIn(cat) {
			return all[i]
		}
		for k := range twins {
			if other := all[i].twin(&twins[k]); other != nil {
				all = append(all, other)
			}
		}
	}
	if r.Where != nil {
		bare := *r
		bare.Where = nil
		return bare.onTwin(cat)
	}
	return r
}

// isIn tells whether a catalogue has what the rule asks for.
func (r *Rule) isIn(cat *session.Catalogue) bool {
	return !slices.ContainsFunc(r.Paths(), func(p paths.Path) bool {
		named := p.Object
		if instance, kind, ok := paths.OfServer(named); ok && instance == "" {
			named = paths.ServerObject("*", kind) // its named instances, as paths find them
		}
		return !slices.ContainsFunc(cat.Sets, func(set *session.Counterset) bool {
			return (paths.EqualFold(set.InEnglish(), p.Object) || paths.Match(named, set.InEnglish())) &&
				slices.ContainsFunc(set.Counters, func(c session.Counter) bool { return c.Absent == "" && paths.Match(p.Counter, c.InEnglish()) })
		})
	})
}

// twin is the rule on a twin of its counters; nil: the twin is of others.
func (r *Rule) twin(t *twin) *Rule {
	other := *r
	renamed := func(name, as string) string {
		if t.counter != "" && paths.EqualFold(name, t.counter) {
			return as
		}
		return name
	}
	path := &other.When.Path
	if t.times != 1 {
		other.Where = nil // its numbers would be of another unit
	}
	if !paths.EqualFold(path.Object, t.object) || t.counter != "" && !slices.ContainsFunc(other.Paths(), func(p paths.Path) bool { return paths.EqualFold(p.Counter, t.counter) }) {
		return nil
	}
	if t.otherObject != "" {
		path.Object = t.otherObject
	}
	path.Counter = renamed(path.Counter, t.otherCounter)
	for _, f := range []**Formula{&other.Value, &other.Where} {
		if *f == nil {
			continue
		}
		var err error
		if *f, err = (*f).Renamed(func(name string) string { return renamed(name, cmp.Or(t.term, t.otherCounter)) }); err != nil {
			return nil
		}
	}
	return other.times(t.times)
}

// times is the rule with limits that are so many times as high.
func (r Rule) times(by float64) *Rule {
	r.When.Limit *= by
	if r.Clear != nil {
		r.Clear = new(*r.Clear * by)
	}
	return &r
}

// perProcessors is for how many processors packs limit the queue in front of them.
const perProcessors = 4

// forProcessors is a pack's rule on a host of so many processors; 0: it is not known.
func (r *Rule) forProcessors(n int) *Rule {
	if p := &r.When.Path; n <= perProcessors || !r.IsOfPack() || !paths.EqualFold(p.Object, "System") || !paths.EqualFold(p.Counter, "Processor Queue Length") {
		return r
	}
	return r.times(float64(n) / perProcessors)
}

// Of so many samples a rule judges at least that asks for more: of values over the time since the sample
// before, and of those of a moment.
const leastSpans, leastMoments = 2, 3

// forPace is a pack's rule where samples come more slowly than it asks for: of as long a time, not of
// as many.
func (r *Rule) forPace(cat *session.Catalogue, asked, pace time.Duration) *Rule {
	need, of := r.Counts()
	if !r.IsOfPack() || r.Kind != Threshold || pace <= asked || cat == nil {
		return r
	}
	least := leastMoments
	if set := cat.Set(r.When.Path.Object); set != nil {
		if c, ok := set.Counter(r.When.Path.Counter); ok {
			switch set.Counters[c].Quantity.Kind { // no recording but ours has types
			case cooker.Percent, cooker.PerSecond, cooker.BytesPerSecond, cooker.Seconds:
				least = leastSpans
			default:
			}
		}
	}
	if need <= least {
		return r
	}
	in := func(n int) int { return max(int((time.Duration(n)*asked+pace-1)/pace), least) }
	other := *r
	other.Need, other.Of = in(need), in(of)
	return &other
}

// packMemory is for how many bytes of memory packs limit what is available of it.
const packMemory = 10 << 30

// isOnMemory tells a pack's rule on available memory.
func (r *Rule) isOnMemory() bool {
	p := &r.When.Path
	_, isLeft, ok := MemoryUnit(p.Object, p.Counter)
	return ok && isLeft && r.IsOfPack() && !r.IsDerived()
}

// forMemory is a pack's rule on a host of so much memory.
func (r *Rule) forMemory(bytes float64) *Rule {
	if !(bytes > 0) || !r.isOnMemory() {
		return r
	}
	return r.times(bytes / packMemory)
}

// memories are the counters that tell how much memory there is, and how much is left.
var memories = []struct {
	object, counter string
	unit            float64 // bytes
	isLeft          bool
}{
	{"Memory", "Available Bytes", 1, true}, {"Memory", "Available KBytes", 1 << 10, true}, {"Memory", "Available MBytes", 1 << 20, true},
	{"Memory", "Physical Bytes", 1, false}, {"Memory", "Physical MBytes", 1 << 20, false},
	{"NUMA Node Memory", "Total MBytes", 1 << 20, false},
}

// MemoryUnit is in how many bytes a counter tells how much memory a host has, or has left.
func MemoryUnit(object, counter string) (bytes float64, isLeft, ok bool) {
	for i := range memories {
		if m := &memories[i]; paths.EqualFold(m.object, object) && paths.EqualFold(m.counter, counter) {
			return m.unit, m.isLeft, true
		}
	}
	return 0, false, false
}

// askSize asks for the memory that a host has, where a rule is in proportion to it.
func (h *host) askSize(every time.Duration) (asks []session.Ask) {
	for i := range memories {
		m := &memories[i]
		set := h.cat.Set(m.object)
		if set == nil || m.isLeft {
			continue
		}
		if c, ok := set.Counter(m.counter); ok {
			h.targets.In(set, every)
			asks = append(asks, session.Ask{Set: set, Counters: []int{c}})
		}
	}
	return asks
}

// lookAtMemory learns how much memory a host has, where limits that hang on it are looked up anew,
// and how much is left.
func (h *host) lookAtMemory(v *session.SetView) {
	for col, counter := range v.Counters {
		unit, isLeft, ok := MemoryUnit(v.Set.InEnglish(), v.Set.Counters[counter].InEnglish())
		if !ok {
			continue
		}
		most := 0.0
		for row := range v.Rows { // of nodes _Total has most
			if f, ok := v.Value(row, col).Float(); ok && f > most {
				most = f
			}
		}
		const alike = 0.01
		switch bytes := most * unit; {
		case isLeft:
			h.size.left = bytes
		case bytes > 0 && math.Abs(bytes-h.size.Memory) > alike*bytes:
			h.size.Memory, h.round = bytes, 0
		}
	}
}

// on is the rule as it is judged on a host.
func (e *evaluator) on(h *host, r *rule) *rule {
	as := r.On(h.cat, h.size).forPace(h.cat, e.interval(r), e.paces[h.name])
	if as == &r.Rule {
		return r
	}
	key := as.Condition() + as.ForText()
	if r.twins[key] == nil {
		if r.twins == nil {
			r.twins = map[string]*rule{}
		}
		r.twins[key] = &rule{Rule: *as}
		if len(r.Quiet) > 0 {
			e.quiet = append(e.quiet, r.twins[key])
		}
	}
	return r.twins[key]
}

// countProcessors looks how many a host has: limits that hang on it are looked up anew.
func (h *host) countProcessors(v *session.SetView) {
	if !paths.EqualFold(v.Set.InEnglish(), "Processor Information") && !paths.EqualFold(v.Set.InEnglish(), "Processor") {
		return
	}
	n := v.Parts()
	if n <= h.size.Processors { // of two countersets the one that has more
		return
	}
	if h.size.Processors = n; n > perProcessors {
		h.round = 0
	}
}

// sumOfAll makes the instance for all of them where a host or a recording has none: of
// percentages the mean.
func (m *Meaning) sumOfAll() *session.Combine {
	if !m.Rule.IsOfPack() || !m.Set.Instances.Multiple() || !paths.EqualFold(m.Path.Instance, "_Total") || m.Path.Parent != "" {
		return nil
	}
	f := cooker.AggregateTotal
	if m.Set.Counters[m.Counters[0]].Quantity.Kind == cooker.Percent {
		f = cooker.AggregateAverage
	}
	return session.InsteadOf("_Total", f)
}

// isAlone tells that a view has none of the instances that a pack's rule is about, but one for
// all of them with a mean.
func (k *binding) isAlone(v *session.SetView) bool {
	switch k.Set.Counters[k.Counters[0]].Quantity.Kind {
	case cooker.Percent, cooker.Seconds:
	default:
		return false
	}
	return k.rule.IsOfPack() && k.Path.Instance == "*" && !slices.ContainsFunc(v.Rows, func(r session.Row) bool { return !r.Gone && k.means(&r.Instance) })
}
