package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/cooker/compare"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/hosts/replay"
	"perfdeck/session/text/printable"
)

// Culprit is one of those who used what a verdict is about, in its time.
type Culprit struct {
	Name  string
	PID   uint64  // 0: not known
	Share float64 // of all that was used, 0 to 1; NaN: nobody measures that

	isRest bool // no name: what nobody else has
	isMany bool
	before float64 // the median, NaN: it was not there, or nothing is known of it
	then   float64
}

// String is the culprit with its share.
func (c Culprit) String() string {
	text := c.called()
	if c.Share == c.Share {
		text += " " + percentText(c.Share)
	}
	return text
}

// percentText is a share in whole percents.
func percentText(share float64) string {
	if share > 0 && share < 0.005 {
		return "under 1 %"
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}

// account is who used how much of something in the time of a verdict.
type account struct {
	counter          string // of processes
	rows             []Culprit
	whole            float64
	what             string  // of the whole: "28 700 CPU-seconds"
	named            float64 // how much of the whole rows are
	isGrowth, isTime bool    // rows are by how far they grew, by seconds of processors
	knew             bool    // there are samples of the time before
	isMixed          bool    // rows would be of what a limit is not about, too
	format           cooker.Format
}

// culpritCounters are what processes are known to cause, by the group of causes.
var culpritCounters = map[string][]string{
	"processor": {"% Processor Time"},
	"memory":    {"Private Bytes", "Working Set - Private", "Working Set"},
	"disk":      {"Disk Bytes/sec", "IO Data Bytes/sec", "IO Read Bytes/sec", "IO Write Bytes/sec"},
}

// endedChildren is the CPU time of children that ended between two samples, of their parent.
const (
	endedChildren = "% Ended Children Time"
	endedOf       = "ended children of " // begins the names of those
	ended         = "ended "             // and those of what Process Exits names
)

// isExit tells the CPU time of processes that ended, by the names that they had.
func isExit(c *replay.Column) bool {
	return isOf(c, "Process Exits", "% Processor Time") && c.Instance.Flags&(session.FlagTotal|session.FlagIdle) == 0
}

// besideProcesses are kinds of memory that is no process's own, as Memory Use has them and as they are called:
// what of it is freed at need is none.
var besideProcesses = map[string]string{
	"Kernel": "kernel memory", "Shared Memory": "shared memory", "Huge Pages": "huge pages", "_Unattributed": "unexplained memory",
}

// isProcess tells counters of single processes.
func isProcess(c *replay.Column) bool {
	return session.IsOfProcesses(c.Set.InEnglish()) && c.Instance.Flags&(session.FlagTotal|session.FlagIdle) == 0
}

// taker is a process, or a family of them, while what it used is added up.
type taker struct {
	Culprit

	amount, most float64 // in all, and of one column, by whose name it is called
	part         map[int]float64
	before, in   []float64
}

// accountOf adds up what processes used of what a verdict is about; nil: nothing tells.
func (d *draft) accountOf() *account {
	if d.store == nil || !d.hasLimit() {
		return nil
	}
	cause, path := causeOf(d), &d.lead().When.Path
	switch {
	case cause == "processor" && isInterrupt(path.Counter), isElsewhere(path.Object), d.growth == nil && d.isSlowAlone(), d.growth != nil && cause == "memory":
		return nil // no process of the host has these
	}
	counters := culpritCounters[cause]
	if d.growth != nil && cause == "disk" { // it is full of what was written
		counters = []string{"Disk Write Bytes/sec", "IO Write Bytes/sec", "IO Data Bytes/sec"}
	}
	return d.accountByOne(cause, counters)
}

// accountByOne adds up by the first of the counters that tells anything; nil: none does.
func (d *draft) accountByOne(cause string, counters []string) *account {
	for _, name := range counters {
		if a := d.accountBy(cause, name); a != nil {
			return a
		}
	}
	return nil
}

// usage is a draft of nothing for each host, over the time that was asked about: who used what in it
// is told, whatever was wrong.
func (g *Gatherer) usage() (out []*draft) {
	for _, h := range g.hosts {
		if g.Of.IsZero() || !h.newest.After(g.Of) {
			continue
		}
		d := &draft{
			Verdict: Verdict{Begin: g.Of, End: h.newest, Lasted: h.newest.Sub(g.Of), Spells: 1}, host: h, column: -1,
			before: g.begin, from: g.Of, to: h.newest,
		}
		d.storeOwn()
		out = append(out, d)
	}
	return out
}

// used says who used what, as far as it is worth it: leastUsed a second, or in all of what grows.
func (d *draft) used(withHost bool) (out [][2]string) {
	for _, of := range [...]struct {
		cause     string
		leastUsed float64
	}{{"processor", 0.05}, {"memory", 100 << 20}, {"disk", 1 << 20}} {
		a, least := d.accountByOne(of.cause, culpritCounters[of.cause]), of.leastUsed
		if a == nil || a.isGrowth && !a.knew || !a.stands() {
			continue
		}
		if !a.isGrowth {
			least *= d.Lasted.Seconds()
		}
		if a.whole >= least {
			d.account, d.Culprits = a, a.rows[:min(len(a.rows), mostCulprits)]
			text := d.whoText()
			if withHost {
				text = d.host.Name + ": " + text
			}
			out = append(out, [2]string{of.cause, printable.Text(text)})
		}
	}
	return out
}

// isInterrupt tells times of processors that no process has.
func isInterrupt(counter string) bool {
	return slices.Contains([]string{"% interrupt time", "% dpc time", "% steal"}, paths.Fold(counter))
}

// isElsewhere tells countersets of what other processes do than those of the whole host: of one
// group, of guests.
func isElsewhere(object string) bool {
	return paths.EqualFold(object, "Control Group") || strings.HasPrefix(paths.Fold(object), "hyper-v ")
}

// accountBy adds up by one counter of processes. What is a rate is used up, in the time
// between two samples; what is a size grows.
func (d *draft) accountBy(cause, name string) *account {
	a := &account{counter: name, isGrowth: cause == "memory", isTime: cause == "processor", knew: slices.ContainsFunc(d.store.Times, d.isBefore)}
	takers := d.takers(name, a)
	if len(takers) == 0 && cause != "processor" {
		return nil
	}
	for _, t := range takers {
		slices.Sort(t.before)
		slices.Sort(t.in)
		t.Culprit.before, t.then = compare.Median(t.before), compare.Median(t.in)
		switch {
		case a.isGrowth:
			t.amount = t.grown()
		case a.isTime:
			t.amount /= 100 // a second of one processor is 100 %
		}
		a.named += max(t.amount, 0)
	}
	takers = slices.DeleteFunc(takers, func(t *taker) bool { return t.amount <= 0 })
	takers = foldFamilies(takers, d.store.rows(d.holds))
	slices.SortStableFunc(takers, func(x, y *taker) int { return cmp.Compare(y.amount, x.amount) })
	a.whole = a.named
	if a.isTime {
		d.addProcessors(a)
	}
	if !(a.whole > 0) {
		return nil
	}
	if a.isMixed {
		takers, a.named = nil, 0
	}
	for _, t := range takers {
		t.Share = t.amount / a.whole
		a.rows = append(a.rows, t.Culprit)
	}
	a.say(d, cause)
	return a
}

// grown is how far it grew: from before to the most of its time, what was not there all of it.
func (t *taker) grown() float64 {
	if len(t.in) == 0 {
		return 0
	}
	most := t.in[len(t.in)-1] // they are in order
	if len(t.before) == 0 {
		return most
	}
	return most - t.Culprit.before
}

// takerColumn is a column of a store that tells what somebody used, and what begins the names of those
// that ended.
type takerColumn struct {
	n      int
	prefix string
}

// takerColumns are those that tell what somebody used, and those of the IDs of processes by their names.
func (d *draft) takerColumns(name string, a *account) (columns []takerColumn, ids map[string]int) {
	s, t := d.store, d.host.tape
	ids = map[string]int{}
	named := slices.ContainsFunc(s.columns, func(i int) bool { return isExit(&t.Columns[i]) })
	for n, i := range s.columns {
		c := &t.Columns[i]
		switch counter := counterOf(c).InEnglish(); {
		case a.isGrowth && isOf(c, "Memory Use", "Working Set - Private") && besideProcesses[c.Instance.Key.Name] != "":
			columns = append(columns, takerColumn{n, ""})
		case a.isTime && isExit(c):
			columns = append(columns, takerColumn{n, ended})
		case !isProcess(c):
		case a.isTime && !named && paths.EqualFold(counter, endedChildren):
			columns = append(columns, takerColumn{n, endedOf})
		case paths.EqualFold(counter, "ID Process"):
			ids[instanceName(c.Instance)] = n
		case paths.EqualFold(counter, name):
			columns = append(columns, takerColumn{n, ""})
			a.format = t.series[i].format
		}
	}
	return columns, ids
}

// takers adds up what each process used. With their IDs in the recording these tell them
// apart; without them a name of which some came or went is one family.
func (d *draft) takers(name string, a *account) []*taker {
	s, t := d.store, d.host.tape
	columns, ids := d.takerColumns(name, a)
	byName := map[string]*taker{}
	var out []*taker
	came := s.cameOrWent(columns, d)
	until, holds := d.until(), d.holds
	if a.isGrowth && len(d.episodes) > 0 && isKill(d.lead()) { // who grew until then: who was killed is gone in its time
		const part = 10
		until = d.before.Add(d.Begin.Sub(d.before) / part)
		holds = func(at time.Time) bool { return !at.Before(until) && !at.After(d.Begin) }
	}
	for k, at := range s.Times {
		isIn := holds(at)
		if !isIn && (at.Before(d.before) || !at.Before(until)) {
			continue
		}
		row := s.Values[k*len(s.columns):]
		for _, of := range columns {
			v := float64(row[of.n])
			if v != v {
				continue
			}
			c := &t.Columns[s.columns[of.n]]
			label, pid := instanceName(c.Instance), c.Instance.Number
			if id, ok := ids[label]; ok && of.prefix != ended {
				pid = cmp.Or(idOf(float64(row[id])), pid)
			}
			key := label
			switch {
			case pid != 0:
				key = fmt.Sprintf("%s\x00%d", c.Instance.Key.Name, pid)
			case came[c.Instance.Key.Name]:
				key = c.Instance.Key.Name
				label = key
			}
			// What is no process that lives is told from one of its name: those that ended, kinds of memory.
			switch other := besideProcesses[label]; {
			case other != "" && !isProcess(c):
				key, label = "\x01"+label, other
			case of.prefix != "":
				key, label = "\x00"+key, of.prefix+label
			}
			one := byName[key]
			if one == nil {
				one = &taker{part: map[int]float64{}, Culprit: Culprit{Name: label, PID: pid, isMany: of.prefix != "" || !isProcess(c)}}
				byName[key] = one
				out = append(out, one)
			}
			one.take(of.n, label, v, isIn, s.span(k, d))
		}
	}
	return out
}

// isKill tells the rule on programs that are killed for lack of memory.
func isKill(r *alert.Rule) bool { return paths.EqualFold(r.When.Path.Counter, "OOM Kills") }

// take adds a value that stands for a time.
func (t *taker) take(column int, label string, v float64, isIn bool, span time.Duration) {
	if !isIn {
		t.before = append(t.before, v)
		return
	}
	t.in = append(t.in, v)
	t.amount += v * span.Seconds()
	if t.part[column] += v * span.Seconds(); t.part[column] > t.most {
		t.most, t.Name = t.part[column], label
	}
}

// span is for how long row k stands: since the one before, but for gaps.
func (s *store) span(k int, d *draft) time.Duration {
	usual := max(d.pace(s.Times[max(k-1, 0)]), time.Millisecond) * time.Duration(s.Stride)
	if k == 0 || s.Times[k].Sub(s.Times[k-1]) > session.GapAfter(usual) {
		return usual
	}
	return s.Times[k].Sub(s.Times[k-1])
}

// cameOrWent are the names of which some instances were not there all the time.
func (s *store) cameOrWent(columns []takerColumn, d *draft) map[string]bool {
	out := map[string]bool{}
	for _, of := range columns {
		has, lacks := false, false
		for k, at := range s.Times {
			if !d.holds(at) {
				continue
			}
			v := s.Values[k*len(s.columns)+of.n]
			has, lacks = has || v == v, lacks || v != v
		}
		if has && lacks {
			out[s.t.Columns[s.columns[of.n]].Instance.Key.Name] = true
		}
	}
	return out
}

// foldFamilies folds those of a name of which many lived for less than half of the time, or of
// which none has half of what many have together.
func foldFamilies(all []*taker, rows int) (out []*taker) {
	const many = 3
	type family struct {
		short, count int
		amount, most float64
		first        *taker
	}
	base := func(t *taker) string { name, _, _ := strings.Cut(t.Name, "#"); return name }
	isShort := func(t *taker) bool { return t.PID != 0 && 2*len(t.in) < rows }
	families := map[string]*family{}
	for _, t := range all {
		f := families[base(t)]
		if f == nil {
			f = &family{}
			families[base(t)] = f
		}
		if isShort(t) {
			f.short++
		}
		f.count++
		f.amount, f.most = f.amount+t.amount, max(f.most, t.amount)
	}
	for _, t := range all {
		name := base(t)
		f := families[name]
		isEven := f.count >= many && 2*f.most < f.amount
		switch {
		case !isEven && (f.short < many || !isShort(t)):
			out = append(out, t)
		case f.first == nil:
			n := f.short
			if isEven {
				n = f.count
			}
			t.Name, t.PID, t.isMany = fmt.Sprintf("%s x %d", name, n), 0, true
			f.first, out = t, append(out, t)
		default:
			f.first.amount += t.amount
			if isEven && 2*f.short < f.count { // they were there together
				f.first.then += t.then
				f.first.Culprit.before += t.Culprit.before
			}
		}
	}
	return out
}

// addProcessors takes what the processors did for the whole, in seconds of one processor, and
// what of it no process has.
func (d *draft) addProcessors(a *account) {
	busy := d.processors("% Processor Time")
	if used := d.usedOfLimit(); used > 0 {
		if busy = used; a.named > 1.1*used { // nobody is named
			a.whole, a.isMixed = used, true
			return
		}
	}
	if busy == 0 {
		busy = d.process("_Total") - d.process("Idle")
	}
	if a.whole = max(busy, a.named); !(a.whole > 0) { // NaN: not known
		return
	}
	for _, part := range [...]struct{ counter, name string }{
		{"% Steal", "other computers of the hypervisor (stolen time)"}, {"% Interrupt Time", "interrupts"}, {"% DPC Time", "deferred calls"},
	} {
		if n := d.processors(part.counter); n > a.whole/20 {
			a.rows = append(a.rows, Culprit{Name: part.name, Share: n / a.whole, before: math.NaN(), then: math.NaN(), isMany: true})
			a.named += n
		}
	}
}

// processors is how many seconds of one processor a counter of theirs stands for in the time of
// the verdict, 0 where nothing tells, NaN where it is not known of how many processors that is.
func (d *draft) processors(counter string) float64 {
	cores, sum, total := 0, 0.0, math.NaN()
	for _, object := range []string{"Processor Information", "Processor"} {
		for n, c := range d.stored(object, counter) {
			switch {
			case c.Instance.Key.Name == "_Total" && c.Instance.Key.Parent == "":
				total = d.seconds(n)
			case !paths.IsTotal(c.Instance.Key.Name):
				cores++
				sum += d.seconds(n)
			}
		}
		if cores > 0 {
			return sum
		}
		if total == total { // how many there are the processes tell
			many := math.Round(d.process("_Total") / max(d.Lasted.Seconds(), 1))
			if many < 1 {
				many = math.NaN()
			}
			return total * many
		}
	}
	return 0
}

// usedOfLimit is the same of what was used of the processors that may be, 0 where the verdict is not
// on a limit of them.
func (d *draft) usedOfLimit() (used float64) {
	if len(d.episodes) == 0 || !paths.EqualFold(d.lead().When.Path.Object, session.ProcessorLimit) {
		return 0
	}
	for n := range d.stored(session.ProcessorLimit, "% Processor Time") {
		used = d.seconds(n) * d.typicalOf(session.ProcessorLimit, "Processors Usable x100") / 100
	}
	return used
}

// process is the same of one row among the processes.
func (d *draft) process(name string) float64 {
	for n, c := range d.stored("", "% Processor Time") {
		if session.IsOfProcesses(c.Set.InEnglish()) && paths.EqualFold(c.Instance.Key.Name, name) && c.Instance.Flags != 0 {
			return d.seconds(n)
		}
	}
	return 0
}

// seconds sums a percentage of one processor up over the time of the verdict.
func (d *draft) seconds(n int) (sum float64) {
	s := d.store
	for k, at := range s.Times {
		if v := float64(s.Values[k*len(s.columns)+n]); v == v && d.holds(at) {
			sum += v / 100 * s.span(k, d).Seconds()
		}
	}
	return sum
}

// The bounds of who is named.
const (
	mostCulprits = 5
	leastShare   = 0.01
	leastLead    = 0.2 // of the first: where all have little it is nobody
)

// say puts what is named in order, the largest share first, with what nobody is named for.
func (a *account) say(d *draft, cause string) {
	if rest := 1 - a.named/a.whole; rest > 0.1 {
		name := d.unnamed(cause)
		if a.isMixed {
			name = "processes within the limit, which the recording does not tell from others of the computer"
		}
		a.rows = append(a.rows, Culprit{Name: name, Share: rest, before: math.NaN(), then: math.NaN(), isRest: true, isMany: true})
	}
	switch {
	case a.isTime:
		a.what = grouped(int64(math.Round(a.whole))) + " CPU-seconds"
	case a.isGrowth && a.knew:
		a.what = scaleFor(a.format, a.whole).With(a.whole) + " that processes grew by"
	case a.isGrowth:
		a.what = scaleFor(a.format, a.whole).With(a.whole) + " that processes have"
	default:
		bytes := cooker.Format{Digits: cooker.DefaultDigits, Style: cooker.UnitWindows, Quantity: cooker.Quantity{Kind: cooker.Bytes}}
		a.what = scaleFor(bytes, a.whole).With(a.whole)
	}
	slices.SortStableFunc(a.rows, func(x, y Culprit) int {
		switch unrecorded {
		case x.Name:
			return 1
		case y.Name:
			return -1
		}
		return cmp.Compare(y.Share, x.Share)
	})
	a.rows = slices.DeleteFunc(a.rows, func(c Culprit) bool { return c.Share < leastShare })
}

// unnamed is what no row has, as far as the recording tells.
func (d *draft) unnamed(cause string) string {
	const many = 20 // a second: no computer at rest has so many
	if forks := d.typicalOf("System", "Forks/sec"); cause == "processor" && forks >= many {
		return fmt.Sprintf("processes that ended between two samples (%.0f began each second)", forks)
	}
	if slices.ContainsFunc(d.host.cols, func(i int) bool { return isProcess(&d.host.tape.Columns[i]) }) {
		return "processes that are not recorded, ended between two samples, or the kernel"
	}
	return unrecorded
}

// unrecorded stands in the place of processes of which nothing is known.
const unrecorded = "not known: processes were not recorded"

// typicalOf is the median of a counter in the time of the verdict, NaN without.
func (d *draft) typicalOf(object, counter string) float64 {
	for n := range d.stored(object, counter) {
		return compare.Median(d.in(n))
	}
	return math.NaN()
}

// table is who used how much; nil: nobody is named.
func (a *account) table() *Table {
	if a == nil || !slices.ContainsFunc(a.rows, func(c Culprit) bool { return !c.isRest }) {
		return nil
	}
	largest := 0.0
	for _, c := range a.rows {
		for _, v := range []float64{c.before, c.then} {
			if v == v {
				largest = max(largest, v)
			}
		}
	}
	s := scaleFor(a.format, largest)
	unit := s.Unit.Label
	if unit == "%" {
		unit = "% of one processor"
	}
	t := &Table{Title: fmt.Sprintf("Processes, %s, %s", a.counter, unit), Head: []string{"", "share", "before", "then"}, Note: "Shares are of " + a.what + "; before and then are medians."}
	for _, c := range a.rows[:min(len(a.rows), mostCulprits)] {
		row := []string{c.called(), percentText(c.Share), "", ""}
		if c.then == c.then {
			row[2], row[3] = "not there", s.Number(c.then)
			if c.before == c.before {
				row[2] = s.Number(c.before)
			} else if !a.knew {
				row[2] = "not known"
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// stands tells that somebody stands out.
func (a *account) stands() bool { return a != nil && len(a.rows) > 0 && a.rows[0].Share >= leastLead }

// called is a culprit by its name, with its ID.
func (c Culprit) called() string {
	if c.PID != 0 {
		return fmt.Sprintf("%s (%d)", printable.Text(c.Name), c.PID)
	}
	return printable.Text(c.Name)
}

// who are those that a verdict names: the instance that it is about, and who used most.
func (d *draft) who() (out []Culprit) {
	if d.column >= 0 && d.hasLimit() {
		c := d.own().Column
		if isProcess(c) {
			if d.growth != nil && d.growth.many > 0 {
				return []Culprit{{Name: d.grower(), Share: math.NaN()}}
			}
			return []Culprit{{Name: instanceName(c.Instance), PID: d.pid(c), Share: math.NaN()}}
		}
		if d.isOfOne() {
			out = append(out, Culprit{Name: instanceName(c.Instance), Share: math.NaN()})
		}
	}
	if a := d.account; a.stands() {
		out = append(out, a.rows[:min(len(a.rows), mostCulprits)]...)
	}
	return out
}

// isOfOne tells that it is about one instance of many, and not about all of them or about what the
// pressure on a resource is of.
func (d *draft) isOfOne() bool {
	if d.column < 0 {
		return false
	}
	c := d.own()
	return c.Set.Instances.Multiple() && !paths.IsTotal(c.Instance.Key.Name) && !paths.EqualFold(c.Set.InEnglish(), "Pressure Stall Information")
}

// pid is the ID of the process of a column in the time of the verdict, 0 where it is not known.
func (d *draft) pid(c *replay.Column) uint64 {
	for n, id := range d.stored(c.Set.InEnglish(), "ID Process") {
		if id.Instance.Key == c.Instance.Key && id.Instance.Index == c.Instance.Index {
			return cmp.Or(idOf(compare.Median(d.in(n))), c.Instance.Number)
		}
	}
	return c.Instance.Number
}

// idOf is the ID of a process as a store has it; 0: it is none, or not known to the last digit.
func idOf(v float64) uint64 {
	const exact = 1 << 24 // of float32
	if v >= 1 && v <= exact {
		return uint64(v)
	}
	return 0
}

// isSlowAlone tells of a disk that was slow without being asked for more than before: who asks
// is not to blame.
func (d *draft) isSlowAlone() bool {
	if d.column < 0 || causeOf(d) != "disk" {
		return false
	}
	own := d.own().Column
	for n, c := range d.stored(own.Set.InEnglish(), "Disk Transfers/sec") {
		if c.Instance.Key == own.Instance.Key {
			before, then := d.values(n)
			return compare.Median(before) > 0 && compare.Median(then) < 1.5*compare.Median(before)
		}
	}
	return false
}

// whoText names them in one line, and how much of the whole they are.
func (d *draft) whoText() string {
	text := strings.Join(each(d.Culprits, Culprit.String), ", ")
	if d.account.stands() {
		text += " of " + d.account.what
	}
	return text
}

// bySentence says who did it, behind what was wrong; empty where that is not known.
func (a *account) bySentence() string {
	if !a.stands() || a.rows[0].Name == unrecorded {
		return ""
	}
	first := &a.rows[0]
	of := "what processes read and wrote"
	switch {
	case a.isGrowth && a.knew:
		of = "what processes grew by"
	case a.isGrowth:
		of = "what processes have"
	case a.isTime:
		of = "the CPU-seconds"
	}
	has := "has"
	if first.isMany {
		has = "have"
	}
	return fmt.Sprintf(": %s %s %s of %s", first.called(), has, percentText(first.Share), of)
}
