package local

import (
	"bytes"
	"cmp"
	"errors"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
)

// processes is the scan of all processes that collectors of a query have in common: the counterset Process for
// each who wants it, and Process Exits.
type processes struct {
	tick  *tick
	stat  kernelFile // for Idle: read with the clocks of the scan
	files procFiles
	scale processScale
	sized bool // the size of PID/fd is the number of descriptors

	needs uint32 // of all views
	cpus  uint64
	pages pageMoves // as they were at the last scan
	moved bool      // the kernel may have taken memory from processes since, or given it
	own   bool      // only processes of users are wanted: neither the kernel's threads nor Idle nor _Total
	born  births
	views []*processView
	exits int // collectors of Process Exits

	list, spare []*processRow // by pid, of this and of the last scan
	unused      []*processRow // rows of processes that ended
	slots       int
	order       []*processRow // by start time, when numbers of names are made
	names       numberedNames
	scratch     []byte
	changed     bool              // somebody came, left or took another name
	left        []uint32          // processes that ended in this scan, zombies too: their children have other parents now
	reaped      map[uint32]legacy // what was seen of those that are gone, by their parents
	parents     map[uint32]uint32 // of those that are gone
	begun       bool              // there was a scan before

	idle   idleRow
	ledger ledger // where Process Exits is wanted
	round  uint64 // of the tick, in which it was made last
	clocks cooker.Clocks
	failed error

	stamp stamp
	most  uint64 // time, 100 ns, that must have passed since the last scan
}

// processRow is a process from one scan to the next.
type processRow struct {
	process
	id    uint64
	slot  int // in totals
	comm  []byte
	name  *nameEntry
	index uint32
	fds   descriptors
	facts processFacts

	ran            bool             // it did since facts were read, or nobody knows
	rested         bool             // none of its threads did since the last scan
	have           uint32           // what was read of it, in the bits of needs
	cpu            uint64           // CPU time in 100 ns, plus 1; 0: not known
	keptCPU        uint64           // the same of the scan before
	resident       uint64           // pages by statm since it rests, plus 1: those of stat are not as exact; 0: not known
	checked        time.Duration    // when all was read
	sized          time.Duration    // when its memory was last looked at
	denied         time.Duration    // when io was read last, which may stay forbidden
	children       uint64           // what stat had of its children at the last scan, plus 1; 0: it is new
	debt           uint64           // 100 ns that rows of children had, and that it did not get so far
	ownIO          procIO           // as the kernel has it, with that of children that it waited for
	heirIO, owedIO [ioCounts]uint64 // what of that is theirs, and what is to come

	came uint64 // round in which it was found

	// Of the ledger, times in 100 ns.
	counted    uint64     // its CPU time
	scans      uint64     // that it was in
	endedKnown uint64     // of ended
	awaited    uint64     // of children that records told of and that it did not wait for
	waited     uint64     // scan in which it waited for children last; 0: in none
	heir       *nameGroup // of the child that ended last
}

// idleSlot is the slot of Idle in totals.
const idleSlot = 0

// processView is what one asks of Process.
type processView struct {
	*processes

	cols   []column[process]
	needs  uint32
	own    bool // as of the scan
	facts  factReader
	total  totals
	births newcomers
	before uint64 // round of the reading before this one; 0: there was none
	seen   uint64 // round of this reading
}

func newProcessCollector(t *tick) collector {
	p := t.processScan()
	v := &processView{processes: p, total: totals{countNew: true}, facts: factReader{files: &p.files, options: t.options}}
	p.views = append(p.views, v)
	return v
}

// processScan is the scan that Process and Process Exits of a query have in common.
func (t *tick) processScan() *processes {
	if t.processes == nil {
		t.processes = newProcesses(t)
	}
	return t.processes
}

func newProcesses(t *tick) *processes {
	p := &processes{
		tick: t, stat: t.proc("stat"), slots: idleSlot + 1, changed: true,
		scale: processScale{
			tick100ns: units100ns / uint64(t.options.TicksPerSecond),
			pageBytes: uint64(t.options.PageBytes),
			boot:      t.clock.boot(),
		},
		reaped: map[uint32]legacy{}, parents: map[uint32]uint32{},
	}
	p.files = procFiles{dir: &t.pids, shares: t.options.open, before: t.options.beforeRead}
	p.idle.process = process{scale: &p.scale, idle: &p.idle.now}
	p.sized = sizedDirectories(t.options.Proc)
	return p
}

// sizedDirectories tells, by our own descriptors, whether the size of PID/fd
// is their number: since Linux 6.2.
func sizedDirectories(proc string) bool {
	var fs unix.Statfs_t
	var st unix.Stat_t
	path := filepath.Join(proc, "self/fd")
	return unix.Statfs(path, &fs) == nil && fs.Type == unix.PROC_SUPER_MAGIC &&
		unix.Stat(path, &st) == nil && st.Size > 0
}

func (v *processView) choose(w *session.Want) {
	v.cols = columns(processCounters, w)
	v.needs = needsOf(v.cols)
	v.own = len(v.cols) > 0 && !slices.ContainsFunc(v.cols, func(c column[process]) bool { return c.of != session.Members })
	chooseTotals(&v.total, v.cols)
	v.facts.choose(&w.Facts)
	v.settle()
}

// settle settles what the scan reads for all views.
func (p *processes) settle() {
	p.needs, p.own = 0, len(p.views) > 0
	for _, v := range p.views {
		p.needs |= v.needs
		p.own = p.own && v.own
	}
	if p.needs&needStatus != 0 {
		p.needs &^= needStatm // status has it too
	}
	for _, r := range p.list {
		p.closeUnwanted(r)
	}
}

// closeUnwanted closes the files of a process that are not read any more.
func (p *processes) closeUnwanted(r *processRow) {
	for which, need := range [processFiles]uint32{fileIO: needIO, fileStatus: needStatus, fileStatm: needStatm | needStatus | needResident, fileHandles: needHandles} {
		if need != 0 && p.needs&need == 0 {
			p.files.dropOne(which, &r.fds, false)
		}
	}
}

func (v *processView) collect(b *session.SetBatch, clocks cooker.Clocks) {
	if err := v.scan(clocks); err != nil {
		failed(b, clocks, err)
		return
	}
	if v.changed {
		v.number()
	}
	b.Clocks = v.clocks
	v.births.begin(b, v.tick.again)
	if !v.tick.again {
		v.before = v.seen
	}
	if v.seen = v.round; v.own {
		v.fillOwn(b)
		return
	}
	v.fill(b)
}

// newcomers gives what is new since the reading before readings of then: nothing. So it has rates in its
// first interval, too.
type newcomers struct {
	round     uint64
	now, last cooker.Clocks // of this reading and of the one before
	then      session.SetBatch
}

// begin begins a reading, anew if that was held up.
func (n *newcomers) begin(b *session.SetBatch, again bool) {
	if !again {
		n.round++
		n.last = n.now
	}
	n.now = b.Clocks
	n.then = session.SetBatch{
		Set: b.Set, Counters: b.Counters, Clocks: n.last, FactKeys: b.FactKeys,
		Instances: n.then.Instances[:0], Readings: n.then.Readings[:0],
	}
}

// isNew tells whether one was not given before; first is where that is kept.
func (n *newcomers) isNew(first *uint64) bool {
	if *first == 0 {
		*first = n.round
	}
	return *first == n.round && n.round > 1
}

// addNewcomer gives one such readings.
func addNewcomer[T any](n *newcomers, b *session.SetBatch, in session.Instance, cols []column[T], nothing *T) {
	n.then.Instances = append(n.then.Instances, in)
	appendRow(&n.then, cols, nothing)
	b.Before = &n.then
}

// add adds the row of a process.
func (v *processView) add(b *session.SetBatch, r *processRow) {
	in := r.instance()
	b.Instances = append(b.Instances, in)
	appendRow(b, v.cols, &r.process)
	v.facts.add(b, r)
	// One that is new here may be older, as where its kind was left out before.
	if v.before > 0 && r.came > v.before && r.why == cooker.OK && v.scale.boot+(r.stat.start+1)*v.scale.tick100ns >= v.births.last.ObjTime {
		addNewcomer(&v.births, b, in, v.cols, &process{scale: &v.scale, pid: r.pid, io: procIO{have: r.io.have}, ioWhy: r.ioWhy, statWhy: r.statWhy})
	}
}

// scan looks at all processes, once in each reading of the tick.
func (p *processes) scan(clocks cooker.Clocks) error {
	if p.round == p.tick.gen {
		return p.failed
	}
	p.round = p.tick.gen
	pids, err := p.tick.listPids()
	if p.failed = nil; err != nil {
		p.failed = readError("", err)
		return p.failed
	}
	if p.ledger.wanted {
		p.ledger.begin(p)
	}
	p.follow(pids)
	p.clocks = p.stamp.settleWalk(&p.tick.pace, clocks, p.most)
	if !p.own {
		p.idle.read(&p.stat, p.clocks, p.scale.tick100ns)
	} else if p.ledger.wanted { // Idle has no row: what was read for the list is as good
		p.idle.stat.cpus = append(p.idle.stat.cpus[:0], p.tick.stat.made.cpus...)
		p.idle.advance(p.tick.statClocks.Time100ns, p.scale.tick100ns)
	}
	if p.ledger.wanted {
		p.ledger.reckon(p)
	}
	return nil
}

// find is the row of a process, nil without.
func (p *processes) find(pid uint32) *processRow {
	i, ok := slices.BinarySearchFunc(p.list, pid, func(r *processRow, pid uint32) int { return cmp.Compare(r.pid, pid) })
	if !ok {
		return nil
	}
	return p.list[i]
}

// follow reads all processes and matches them with those of the last scan:
// both lists are in order of pid.
func (p *processes) follow(pids []uint32) {
	old := p.list
	p.list, p.spare = p.spare[:0], old
	p.most, p.cpus = 0, uint64(len(p.tick.stat.made.cpus))
	now, known := p.tick.pageMoves()
	p.moved = !known || now != p.pages
	p.pages = now
	if p.own {
		p.born.since(p.tick)
	}
	const stride = 16 // rows of a step: a clock costs a part of a row
	for n, pid := range pids {
		if n%stride == 0 {
			p.tick.step()
		}
		for len(old) > 0 && old[0].pid < pid {
			p.release(old[0])
			old = old[1:]
		}
		var r *processRow
		if len(old) > 0 && old[0].pid == pid {
			r, old = old[0], old[1:]
		} else {
			r = p.newRow(pid)
		}
		if p.read(r) {
			r.scans++
			p.list = append(p.list, r)
		} else {
			p.release(r)
		}
	}
	for _, r := range old {
		p.release(r)
	}
	p.findParents()
	if p.ledger.wanted {
		p.ledger.match(p)
	}
	p.addEnded()
}

// legacy is what was seen of processes that are gone: their CPU time and that of what they waited
// for, and their I/O.
type legacy struct {
	time uint64 // 100 ns
	io   [ioCounts]uint64
}

// addEnded takes apart what the kernel adds to a process when it waits for a child that ended:
// the child's CPU time, of which it is told what no row had (CPU times are conserved: those of a
// process and of what it waited for go to its parent, proc(5) cutime and cstime), and the child's
// I/O, which it did not do itself.
func (p *processes) addEnded() {
	p.bequeath()
	for _, r := range p.list {
		if r.why != cooker.OK {
			continue
		}
		seen := p.reaped[r.pid]
		before := r.children
		if r.children = r.stat.children + 1; before == 0 {
			if before = 1; !p.begun {
				before = r.children
			}
		}
		got := (r.children - min(before, r.children)) * p.scale.tick100ns
		got -= min(got, r.debt) // a scan sees a child gone before its parent has its time
		r.ended, r.debt = r.ended+got-min(got, seen.time), seen.time-min(got, seen.time)
		r.inherit(&seen.io)
	}
	clear(p.reaped)
	clear(p.parents)
	p.begun = true
}

// bequeath passes on what was seen of children whose parent is gone, too: who waited for that got theirs.
func (p *processes) bequeath() {
	for pid, l := range p.reaped {
		if p.find(pid) != nil {
			continue
		}
		if heir := p.heir(pid, p.parents, len(p.parents)); heir != nil {
			delete(p.reaped, pid)
			p.reaped[heir.pid] = p.reaped[heir.pid].plus(l)
		}
	}
}

func (l legacy) plus(o legacy) legacy {
	l.time += o.time
	for k, n := range o.io {
		l.io[k] += n
	}
	return l
}

// inherit leaves out of the I/O of a process what children had done that are gone now.
func (r *processRow) inherit(seen *[ioCounts]uint64) {
	for k, now := range r.ownIO.n {
		owed := r.owedIO[k] + seen[k]
		take := min(owed, now-min(now, r.io.n[k]+r.heirIO[k])) // as far as it has it by now
		r.heirIO[k] += take
		r.owedIO[k] = min(owed-take, seen[k])
		r.io.n[k] = now - min(now, r.heirIO[k])
	}
	r.io.have = r.ownIO.have
}

// gone notes what was seen of a process that is no more.
func (p *processes) gone(r *processRow) {
	if r.id == 0 || r.why != cooker.OK || r.stat.parent == 0 {
		return
	}
	p.ledger.gone(r)
	parent := uint32(r.stat.parent)
	p.parents[r.pid] = parent
	p.reaped[parent] = p.reaped[parent].plus(legacy{processorTime(&r.process).Raw + r.stat.children*p.scale.tick100ns, r.ownIO.n})
}

// findParents reads the processes anew whose parent ended: they were given to
// another one, of which they know nothing while they rest.
func (p *processes) findParents() {
	if len(p.left) == 0 {
		return
	}
	slices.Sort(p.left)
	for _, r := range p.list {
		if _, orphan := slices.BinarySearch(p.left, uint32(r.stat.parent)); orphan && r.why == cooker.OK {
			p.readStat(r) // should it have ended by now, the next scan tells
		}
	}
	p.left = p.left[:0]
}

// newRow is a row for a process that is new.
func (p *processes) newRow(pid uint32) *processRow {
	var r *processRow
	if n := len(p.unused); n > 0 {
		r, p.unused = p.unused[n-1], p.unused[:n-1]
	} else {
		r = &processRow{slot: p.slots}
		p.slots++
	}
	p.renew(r)
	r.pid = pid
	return r
}

// renew makes a row one of a process of which nothing is known yet.
func (p *processes) renew(r *processRow) {
	for _, v := range p.views {
		v.total.forget(r.slot)
	}
	p.changed = true
	*r = processRow{
		came:    p.round,
		process: process{scale: &p.scale, pid: r.pid},
		slot:    r.slot, comm: r.comm[:0], fds: r.fds,
	}
}

func (p *processes) release(r *processRow) {
	p.gone(r)
	p.files.drop(&r.fds, true)
	p.changed = true
	p.left = append(p.left, r.pid)
	p.unused = append(p.unused, r)
}

// read reads what is wanted of a process; it is false when the process ended.
//
// Most processes rest at any moment. One whose threads did not run has used no time,
// caused no fault, made no call and opened nothing: its CPU clock tells that, at a
// tenth of the cost of stat. What others may do to it is seen in time too: statm shows
// memory that the system took from it at once, and what others took within 10 s, a parent
// that ends leaves it to another, and stat alone is read where its priority or state is
// wanted. All is read every minute.
func (p *processes) read(r *processRow) bool {
	if !p.tick.again {
		r.keptCPU = r.cpu
	}
	threads := r.stat.threads
	hidden := p.own && r.why == cooker.OK && r.stat.kernelThread()
	if hidden {
		r.cpu, r.ranNS, r.have = 0, 0, 0 // what is known of it grows old
		// That its number went to a process is known at once, by what was born.
		if p.tick.now-r.checked < seldom && !p.born.maybe(r.pid) {
			return true
		}
	}
	same := false
	if !hidden {
		p.readClock(r)
		same = r.rested && p.asBefore(r)
	}
	if same && p.needs&needPriority == 0 && !p.isCurrent(r.id) {
		return true
	}
	if !p.readStat(r) {
		return false
	}
	if p.own && r.stat.kernelThread() {
		p.noteChecked(r)
		return true
	}
	if r.why == cooker.OK && !same {
		p.readMore(r)
		p.passed(r, threads)
	}
	return true
}

// passed takes the CPU time of a process that had so many threads before: none
// takes more time than passes, nor do more than there are CPUs.
func (p *processes) passed(r *processRow, threads uint64) {
	r.cpu = processorTime(&r.process).Raw + 1
	if r.keptCPU == 0 || grown(r.keptCPU, r.cpu) <= p.most {
		return
	}
	threads = max(threads, r.stat.threads, 1)
	if p.cpus > 0 {
		threads = min(threads, p.cpus)
	}
	p.most = max(p.most, (r.cpu-r.keptCPU+threads-1)/threads)
}

// asBefore says that all that is wanted of a process that rested is known.
func (p *processes) asBefore(r *processRow) bool {
	const memory = needResident | needStatus | needStatm
	if p.needs&^r.have != 0 || p.tick.now-r.checked >= seldom {
		return false
	}
	if p.needs&memory == 0 || r.stat.kernelThread() || !p.moved && p.tick.now-r.sized < recheck {
		return true
	}
	r.sized = p.tick.now
	data, err := p.files.read(r.pid, fileStatm, &r.fds)
	resident, _, ok := memoryPages(data)
	same := r.resident == resident+1
	r.resident = resident + 1
	return err == nil && ok && same
}

// readClock takes the CPU time of a process, and finds out whether it rested.
func (p *processes) readClock(r *processRow) {
	var now uint64
	known := false
	if p.tick.clockOf != nil {
		now, known = p.tick.clockOf(r.pid)
	}
	r.rested = known && now == r.ranNS && r.id != 0 && r.why == cooker.OK
	if !r.rested {
		r.ran, r.resident = true, 0
	}
	if known {
		r.ranNS = now
	}
}

// readStat reads what identifies a process; it is false when it ended.
func (p *processes) readStat(r *processRow) bool {
	data, err := p.files.read(r.pid, fileStat, &r.fds)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ESRCH) {
		return false
	}
	var stat procStat
	comm, ok := stat.parse(data)
	if !ok {
		p.unknown(r, absent(err))
		return true
	}
	if id := processID(stat.start, r.pid); r.id != id || r.why != cooker.OK {
		ran := r.ranNS
		if r.id != 0 { // its number is that of another now
			p.gone(r)
			p.left = append(p.left, r.pid)
		}
		p.renew(r)
		r.id, r.ranNS = id, ran
	}
	if (stat.flags^r.stat.flags)&flagForkNoExec != 0 {
		r.facts = processFacts{} // it runs another program now
	}
	if stat.ended() && !r.stat.ended() {
		p.left = append(p.left, r.pid)
	}
	r.stat = stat
	if r.name == nil || !bytes.Equal(comm, r.comm) {
		p.rename(r, comm)
	}
	return true
}

// unknown is a process that may not be looked at (hidepid=1), or whose kernel
// file makes no sense. It is listed by its number.
func (p *processes) unknown(r *processRow, why cooker.Status) {
	if r.why == why && r.name != nil {
		return
	}
	p.renew(r)
	r.why, r.id = why, processID(0, r.pid)
	r.name = p.names.entry(decimalBytes(&p.scratch, r.pid))
}

// isCurrent says that a fact of a process is wanted that may change at any moment.
func (p *processes) isCurrent(id uint64) bool {
	return slices.ContainsFunc(p.views, func(v *processView) bool { return v.facts.current(id) })
}

// rename takes the name of a process, which programs may change.
func (p *processes) rename(r *processRow, comm []byte) {
	r.comm = append(r.comm[:0], comm...)
	r.facts = processFacts{}
	name := r.comm
	switch {
	case r.stat.kernelThread():
		name = workerName(name)
	case len(name) == commBytes:
		if line, err := p.files.once(r.pid, "cmdline"); err == nil {
			name = fullName(name, line)
		}
	case len(name) == 0:
		name = decimalBytes(&p.scratch, r.pid)
	}
	p.scratch = paths.AppendInstance(p.scratch[:0], name)
	if e := p.names.entry(p.scratch); e != r.name {
		r.name = e
		p.changed = true
	}
}

// readMore reads the files besides stat.
func (p *processes) readMore(r *processRow) {
	r.have = p.needs
	p.noteChecked(r)
	if p.needs&needIO != 0 && (r.ioWhy != cooker.Denied || p.tick.now-r.denied >= recheck) {
		data, err := p.files.read(r.pid, fileIO, &r.fds)
		r.ioWhy, r.denied = statusOf(err), p.tick.now
		r.ownIO.parse(data)
	}
	if r.stat.kernelThread() { // they have no memory of their own
		r.statWhy, r.private = cooker.OK, raw(0)
		r.status.parse(nil)
		p.readHandles(r)
		return
	}
	if p.needs&needStatus != 0 {
		data, err := p.files.read(r.pid, fileStatus, &r.fds)
		r.statWhy = statusOf(err)
		r.status.parse(data)
		r.private = cooker.Reading{Raw: r.status.bytes[statusAnonymous], Size: 8, State: r.statWhy}
		if r.statWhy == cooker.OK && r.status.have&(1<<statusAnonymous) == 0 {
			r.private = missing(cooker.Unavailable)
		}
	}
	if p.needs&needStatm != 0 {
		data, err := p.files.read(r.pid, fileStatm, &r.fds)
		_, pages, ok := memoryPages(data)
		r.private = raw(pages * p.scale.pageBytes)
		if !ok {
			r.private = missing(absent(err))
		}
	}
	p.readHandles(r)
}

// noteChecked lets not all that rests be read again in the same scan.
func (p *processes) noteChecked(r *processRow) {
	of := r.slot % 32
	r.checked = p.tick.now - time.Duration(of)*seldom/64
	r.sized = p.tick.now - time.Duration(of)*recheck/64
}

func (p *processes) readHandles(r *processRow) {
	if p.needs&needHandles != 0 {
		n, err := p.files.handles(r.pid, p.sized, &r.fds)
		r.handles = cooker.Reading{Raw: n, Size: 8, State: statusOf(err)}
	}
}

// number gives the names their n of name#n: by start time, then by pid.
func (p *processes) number() {
	p.changed = false
	p.order = append(p.order[:0], p.list...)
	slices.SortFunc(p.order, func(a, b *processRow) int { return cmp.Compare(a.id, b.id) })
	p.names.begin()
	p.names.next(p.names.entry([]byte(idleName)))
	p.names.next(p.names.entry([]byte(totalName)))
	for _, r := range p.order {
		r.index = p.names.next(r.name)
	}
	p.names.end()
	clear(p.order)
}

func (v *processView) fill(b *session.SetBatch) {
	p := v.processes
	v.total.begin(p.slots)
	v.facts.begin(b, p.tick.now)
	idle := len(p.idle.stat.cpus) > 0
	if idle {
		b.Instances = append(b.Instances, session.Instance{Key: session.InstanceKey{Name: idleName}, Flags: session.FlagIdle})
		appendRow(b, v.cols, &p.idle.process)
		v.total.add(idleSlot, b.Row(0))
		v.facts.none(b)
	}
	for _, r := range p.list {
		v.add(b, r)
		v.total.add(r.slot, b.Row(len(b.Instances)-1))
	}
	b.Instances = append(b.Instances, session.Instance{Key: session.InstanceKey{Name: totalName}, Flags: session.FlagTotal})
	b.Readings = v.total.appendTo(b.Readings)
	v.facts.none(b)
	for i, c := range v.cols { // the living, Idle, those that ended, and what nothing explains
		if c.name == "% Processor Time" && idle {
			b.Row(len(b.Instances) - 1)[i] = raw(p.idle.whole)
		}
	}
}

// fillOwn fills in what users run.
func (v *processView) fillOwn(b *session.SetBatch) {
	v.facts.begin(b, v.tick.now)
	for _, r := range v.list {
		if r.stat.kernelThread() {
			continue
		}
		v.add(b, r)
	}
}

func (r *processRow) instance() session.Instance {
	i := session.Instance{
		Key:    session.InstanceKey{Name: r.name.text, ID: r.id},
		Index:  r.index,
		Number: uint64(r.pid),
		Owner:  r.stat.parent,
	}
	if r.stat.kernelThread() {
		i.Flags = session.FlagBackground
	}
	return i
}

func (v *processView) close() {
	v.views = slices.DeleteFunc(v.views, func(o *processView) bool { return o == v })
	v.settle()
	v.leave()
}

// leave ends the scan where it was the last collector's.
func (p *processes) leave() {
	if len(p.views)+p.exits > 0 {
		return
	}
	if p.tick.processes == p {
		p.tick.processes = nil
	}
	for _, r := range p.list {
		p.files.drop(&r.fds, false)
	}
	p.list = nil
	p.stat.close()
}
