package local

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
)

// ledger accounts for the time of the processors: what processes that have a row used, those that ended,
// and Idle; what is left is unattributed. It belongs to a scan of the processes, and all sums of processor
// time are made here.
type ledger struct {
	wanted  bool
	records exitRecords // nil: nobody tells who ended
	why     string      // why nobody does
	silent  int         // scans in a row in which tasks ended and no record came
	outside bool        // processes of another PID namespace use the processors, too
	hidden  bool        // some may not be looked at

	unwaited bool // nobody waited for some that ended in this scan: what their ends took nobody told

	begun     bool
	own       bool    // threads of the kernel have no rows
	before    account // at the last scan
	owed      int64   // 100 ns that rows had beyond what there was, at most mostOwed
	ended     uint64  // 100 ns of those that ended, in this scan
	living    uint64
	all       exitGroup
	rest      exitGroup
	causes    causes // of rest, as explained has them
	explained string
	groups    map[string]*nameGroup
	order     []*nameGroup
	deaths    []death
	threads   []death           // that ended before the last one of their process
	vanished  map[uint32]uint64 // CPU time that rows had which are gone, 100 ns
	older     map[uint32]uint64 // the same, of the scan before
	lost      uint64            // records so far
	scan      uint64
	scratch   []byte
}

// account is what is known of the processors at a scan, in 100 ns and tasks.
type account struct{ whole, idle, steal, interrupts, forks, tasks, cpus uint64 }

// nameGroup is the processes of one name that ended.
type nameGroup struct {
	exitGroup
	name  string
	used  time.Duration // when one ended last
	given uint64        // round in which it was given first
	of    string        // whose children they are
	many  bool          // of others, too
	scan  uint64        // for which of and many hold
}

// death is a record until the scan is through.
type death struct {
	pid, parent uint32 // of the process
	time        uint64 // 100 ns, of it and then what no row had
	group       *nameGroup
	heir        *processRow // who gets its time when it was waited for; nil: nobody
	io          [ioCounts]uint64
}

const (
	mostGroups   = 256 // names that are kept
	groupKept    = time.Minute
	mostOwed     = units100ns / 20
	mostSilent   = 3  // scans after which nobody is thought to tell who ended,
	fewestSilent = 16 // in each of which so many tasks did
)

// open asks for the records of those that end.
func (l *ledger) open(t *tick, every time.Duration) {
	of, err := os.Readlink(filepath.Join(t.options.Proc, "self/ns/pid"))
	l.wanted, l.outside = true, err == nil && !isInitial("pid", of)
	switch {
	case t.options.exitRecords != nil:
		l.records, err = t.options.exitRecords()
	case t.options.Proc != "/proc" || t.options.processClock != nil:
		return
	default:
		l.records, err = openTaskstats(t.options, every)
	}
	if err == nil {
		return
	}
	l.records = nil
	switch l.why = "names of ended processes: " + err.Error(); {
	case errors.Is(err, unix.EPERM):
		l.why = "names of ended processes need CAP_NET_ADMIN"
	case errors.Is(err, unix.EINVAL):
		l.why = "names of ended processes are told in the initial PID namespace alone"
	case errors.Is(err, unix.ENOENT):
		l.why = "names of ended processes need a kernel with CONFIG_TASKSTATS"
	}
}

func (l *ledger) close() {
	if l.records != nil {
		l.records.close()
	}
	*l = ledger{}
}

// begin takes the records that wait, before the processes are looked at.
func (l *ledger) begin(p *processes) {
	l.deaths, l.threads = l.deaths[:0], l.threads[:0]
	l.vanished, l.older = l.older, l.vanished
	clear(l.vanished)
	l.ended, l.hidden, l.unwaited = 0, false, false
	l.scan++
	if l.records == nil {
		return
	}
	l.records.drain(func(r *taskRecord) {
		l.silent = -1 // it is told
		if l.begun {
			l.take(p, r)
		}
	})
	lost := l.records.lost()
	l.all.lost += grown(l.lost, lost)
	l.lost = lost
}

// take notes a record.
func (l *ledger) take(p *processes, r *taskRecord) {
	d := death{pid: cmp.Or(r.tgid, r.pid), parent: r.parent, time: r.cpuNS / ns100, io: r.io}
	last := r.last
	if r.old && !last { // it ended a process if its number is that of one
		last = p.find(r.pid) != nil
	}
	name := workerName(r.comm)
	if len(name) == 0 {
		name = decimalBytes(&p.scratch, d.pid)
	}
	l.scratch = paths.AppendInstance(l.scratch[:0], name)
	g := l.group(l.scratch, p.tick.now)
	g.known, d.group = exitsRecorded, g
	g.threads, l.all.threads = g.threads+1, l.all.threads+1
	if !last {
		l.threads = append(l.threads, d)
		return
	}
	for _, to := range []*exitGroup{&g.exitGroup, &l.all} {
		to.exits++
		to.lived += r.lived
		to.peak = max(to.peak, r.peakKiB<<10)
		if r.code != 0 {
			to.failed++
		}
	}
	l.deaths = append(l.deaths, d)
}

// group is that of a name.
func (l *ledger) group(name []byte, now time.Duration) *nameGroup {
	g := l.groups[string(name)]
	if g == nil {
		if len(l.groups) >= mostGroups && string(name) != otherExits {
			return l.group([]byte(otherExits), now)
		}
		if l.groups == nil {
			l.groups = map[string]*nameGroup{}
		}
		g = &nameGroup{name: string(name)}
		l.groups[g.name], l.order = g, append(l.order, g)
	}
	g.used = now
	return g
}

// gone notes the time that a row had, which is no more.
func (l *ledger) gone(r *processRow) {
	if l.begun && r.why == cooker.OK {
		if l.vanished == nil {
			l.vanished = map[uint32]uint64{}
		}
		l.vanished[r.pid] = r.counted
	}
}

// match finds out what of the processes' time is in rows, those of the living and of the dead.
func (l *ledger) match(p *processes) {
	l.living = 0
	for _, r := range p.list {
		l.hidden = l.hidden || r.why != cooker.OK
		if r.why != cooker.OK || p.own && r.stat.kernelThread() {
			continue
		}
		now := processorTime(&r.process).Raw
		l.living += grown(r.counted, now)
		r.counted = now
	}
	byProcess := func(a, b death) int { return cmp.Compare(a.pid, b.pid) }
	slices.SortFunc(l.threads, byProcess)
	var parents map[uint32]uint32 // of those that ended, made where one of them was a parent
	for i := range l.deaths {
		d := &l.deaths[i]
		seen, hadRow := l.seen(p, d.pid)
		d.time -= min(d.time, seen)
		if d.heir = p.find(d.parent); d.heir == nil {
			if parents == nil {
				parents = make(map[uint32]uint32, len(l.deaths))
				for _, o := range l.deaths {
					parents[o.pid] = o.parent
				}
			}
			const generations = 64
			d.heir = p.heir(d.parent, parents, generations)
		}
		if hadRow {
			continue
		}
		for at, _ := slices.BinarySearchFunc(l.threads, *d, byProcess); at < len(l.threads) && l.threads[at].pid == d.pid; at++ {
			for k, n := range l.threads[at].io {
				d.io[k] += n
			}
		}
		for k, n := range d.io {
			d.group.io[k] += n
			l.all.io[k] += n
		}
		if d.heir != nil { // the kernel adds it to the row of whom waits for it
			p.reaped[d.heir.pid] = p.reaped[d.heir.pid].plus(legacy{io: d.io})
		}
	}
}

// heir is the row of whoever waited for a process that is gone: it got what that had waited for. At
// most so many that are gone, too, lie between.
func (p *processes) heir(at uint32, parents map[uint32]uint32, most int) *processRow {
	for range most {
		next, ok := parents[at]
		if !ok || next == at {
			break
		}
		if row := p.find(next); row != nil {
			return row
		}
		at = next
	}
	return nil
}

// seen is what of the time of a process that ended its row had.
func (l *ledger) seen(p *processes, pid uint32) (time uint64, hadRow bool) {
	if r := p.find(pid); r != nil && (r.stat.ended() || r.scans > 1) { // else its number is another's by now
		return r.counted, true
	}
	for _, m := range []map[uint32]uint64{l.vanished, l.older} {
		if time, hadRow = m[pid]; hadRow {
			delete(m, pid)
			return time, true
		}
	}
	return 0, false
}

// charge adds time of some that ended.
func (l *ledger) charge(g *nameGroup, time uint64) {
	g.time += time
	l.all.time += time
	l.ended += time
}

// reckon settles the account of the time since the last scan.
func (l *ledger) reckon(p *processes) {
	now, was := l.accountOf(p), l.before
	first := !l.begun || l.own != p.own || now.whole < was.whole || now.idle < was.idle
	l.before, l.begun, l.own = now, true, p.own
	if first {
		for _, r := range p.list {
			r.awaited, r.endedKnown = 0, r.ended
		}
		return
	}
	l.settle(p)
	if tasks := grown(was.forks+now.tasks, now.forks+was.tasks); l.isTold() {
		if l.silent >= 0 && l.records != nil {
			l.listen(tasks)
		}
	} else {
		l.all.exits += tasks
	}
	l.settleRest(was, now)
}

func (l *ledger) accountOf(p *processes) (a account) {
	a.whole, a.idle, a.cpus = p.idle.whole, p.idle.now.time100ns, p.idle.now.cpus
	for i := range p.idle.stat.cpus {
		acc := &p.idle.cpus[p.idle.stat.cpus[i].number].clock.acc
		a.steal += acc[colSteal]
		a.interrupts += acc[colIRQ] + acc[colSoftIRQ]
	}
	a.forks = p.tick.stat.made.n[statProcesses]
	if load, err := p.tick.loadavg.of(p.tick.gen); err == nil {
		a.tasks = load.threads
	}
	return a
}

// isTold tells whether records come of those that end.
func (l *ledger) isTold() bool { return l.records != nil && l.silent < mostSilent }

// listen finds out that no records come though tasks ended: those are told in the initial network namespace.
func (l *ledger) listen(ended uint64) {
	if l.silent++; ended < fewestSilent {
		l.silent = 0
	}
	if l.silent >= mostSilent {
		l.why = "names of ended processes are told in the initial network namespace alone"
	}
}

// settle gives those that ended the time that no row had. Parents that wait for their children get it exactly,
// with the work of their ends; what records tell is counted in ticks, without that. So records say whose it
// was, and how much only of children that nobody waits for.
func (l *ledger) settle(p *processes) {
	slices.SortStableFunc(l.deaths, func(a, b death) int { return cmp.Compare(heirOf(&a), heirOf(&b)) })
	left := l.deaths
	for len(left) > 0 && left[0].heir == nil {
		l.charge(left[0].group, left[0].time)
		left = left[1:]
	}
	for _, r := range p.list {
		n, named := 0, uint64(0)
		for n < len(left) && left[n].heir == r {
			named += left[n].time
			left[n].group.childOf(r.name.text, l.scan)
			r.heir = left[n].group
			n++
		}
		got := grown(r.endedKnown, r.ended)
		r.endedKnown = r.ended
		if got > 0 {
			r.waited = l.scan
		}
		if got > 0 || n > 0 {
			l.settleParent(p, r, left[:n], named, got)
		}
		left = left[n:]
	}
}

// settleParent takes what a parent got from children that it waited for.
func (l *ledger) settleParent(p *processes, r *processRow, dead []death, named, got uint64) {
	const waits = 3 // scans for which one that waited is taken for one that does
	already := min(r.awaited, got)
	r.awaited -= already
	got -= already
	n := uint64(len(dead))
	switch {
	case n == 0 && r.heir != nil && l.isTold(): // it waited later
		l.charge(r.heir, got)
	case n == 0:
		l.scratch = append(append(l.scratch[:0], childrenOf...), r.name.text...)
		g := l.group(l.scratch, p.tick.now)
		g.childOf(r.name.text, l.scan)
		l.charge(g, got)
	case r.waited == 0 || l.scan-r.waited > waits:
		for i := range dead {
			l.charge(dead[i].group, dead[i].time)
		}
		r.awaited += named
		l.unwaited = true
	case got >= named:
		each, more := (got-named)/n, (got-named)%n
		for i := range dead {
			l.charge(dead[i].group, dead[i].time+each)
		}
		l.charge(dead[0].group, more)
	default:
		over := got
		for i := range dead {
			part := share(got, dead[i].time, named)
			l.charge(dead[i].group, part)
			over -= part
		}
		l.charge(dead[0].group, over)
	}
}

// childOf notes the parent of one that ended in a scan.
func (g *nameGroup) childOf(parent string, scan uint64) {
	if g.scan != scan {
		g.of, g.many, g.scan = parent, false, scan
	} else if g.of != parent {
		g.many = true
	}
}

// childrenOf begins the names of those that ended of which only the parent is known.
const childrenOf = "children of "

// heirOf is the number of the process that waits for one, or waited; 0: of none.
func heirOf(d *death) uint32 {
	if d.heir == nil {
		return 0
	}
	return d.heir.pid
}

// settleRest is what nothing explains. Rows are exact and what processors do is counted in ticks: what they
// have too much in one interval they lack in others.
func (l *ledger) settleRest(was, now account) {
	busy := int64(now.whole-was.whole) - int64(now.idle-was.idle)
	rest := busy - int64(l.living+l.ended) + l.owed
	l.owed = min(0, max(rest, -mostOwed))
	l.rest.time += uint64(max(0, rest))
	if l.rest.about = ""; rest <= 0 {
		return
	}
	of := float64(now.whole-was.whole) / float64(now.cpus) / 100
	percent := func(was, now uint64) float64 {
		n := float64(min(grown(was, now), uint64(rest))) / of
		if n < 1 {
			return 0
		}
		return math.RoundToEven(n)
	}
	is := causes{
		steal: percent(was.steal, now.steal), interrupts: percent(was.interrupts, now.interrupts),
		own: l.own, outside: l.outside, hidden: l.hidden, untold: !l.isTold(), unwaited: l.unwaited,
	}
	if is != l.causes || l.explained == "" {
		l.causes, l.explained = is, is.text()
	}
	l.rest.about = l.explained
}

// causes are what may have used what nothing explains.
type causes struct {
	steal, interrupts                      float64 // percent
	own, outside, hidden, untold, unwaited bool
}

func (c *causes) text() string {
	var parts []string
	for _, p := range []struct {
		percent float64
		name    string
	}{{c.steal, "steal"}, {c.interrupts, "interrupts"}} {
		if p.percent > 0 {
			parts = append(parts, fmt.Sprintf("%s %.0f %%", p.name, p.percent))
		}
	}
	for _, p := range []struct {
		is   bool
		text string
	}{
		{c.own, "threads of the kernel"}, {c.outside, "what runs outside this container"}, {c.hidden, "processes that may not be looked at"},
		{c.untold, "children nobody waits for"}, {c.unwaited, "the ends of children nobody waits for"},
	} {
		if p.is {
			parts = append(parts, p.text)
		}
	}
	return cmp.Or(strings.Join(parts, ", "), "the kernel's own work between ticks")
}

// exitScan is the collector of Process Exits, of the scan that Process has too.
type exitScan struct {
	*processes
	cols []column[exitGroup]
	news newcomers
}

func newProcessExits(t *tick) collector {
	x := &exitScan{processes: t.processScan()}
	x.exits++
	return x
}

func (x *exitScan) choose(w *session.Want) {
	x.cols = columns(processExitCounters, w)
	if !x.ledger.wanted {
		x.ledger.open(x.tick, w.Every)
	}
}

func (x *exitScan) collect(b *session.SetBatch, clocks cooker.Clocks) {
	l := &x.ledger
	if !x.tick.again {
		l.forget(x.tick.now)
	}
	if err := x.scan(clocks); err != nil {
		failed(b, clocks, err)
		return
	}
	b.Clocks = x.clocks
	x.news.begin(b, x.tick.again)
	b.Facts = b.Facts[:0]
	l.all.known = exitsCounted
	if l.isTold() {
		l.all.known = exitsRecorded
	}
	for _, g := range l.order {
		in := session.Instance{Key: session.InstanceKey{Name: g.name}}
		if x.news.isNew(&g.given) {
			addNewcomer(&x.news, b, in, x.cols, &exitGroup{known: g.known})
		}
		g.about = ""
		if g.of != "" {
			if g.about = childrenOf + g.of; g.many {
				g.about += " and of others"
			}
		}
		x.add(b, in, &g.exitGroup)
	}
	l.all.about = l.why
	x.add(b, session.Instance{Key: session.InstanceKey{Name: totalName}, Flags: session.FlagTotal}, &l.all)
	x.add(b, session.Instance{Key: session.InstanceKey{Name: unattributedName}, Flags: session.FlagIdle}, &l.rest)
}

func (x *exitScan) add(b *session.SetBatch, in session.Instance, g *exitGroup) {
	b.Instances = append(b.Instances, in)
	appendRow(b, x.cols, g)
	for _, key := range b.FactKeys {
		if key != factCommand {
			b.Facts = append(b.Facts, "")
			continue
		}
		b.Facts = append(b.Facts, g.about)
	}
}

// forget begins an interval: names of which none ended for long are let go.
func (l *ledger) forget(now time.Duration) {
	l.all.peak = 0
	l.order = slices.DeleteFunc(l.order, func(g *nameGroup) bool {
		g.peak = 0
		if now-g.used < groupKept {
			return false
		}
		delete(l.groups, g.name)
		return true
	})
}

func (x *exitScan) close() {
	if x.exits--; x.exits == 0 {
		x.ledger.close()
	}
	x.leave()
}
