package local

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
)

// ownLimits are the limits of this process, read anew now and then.
type ownLimits struct {
	limits

	read bool
	at   time.Duration // when
}

// limits are those of this process tree.
func (t *tick) limits() *limits {
	if o := &t.own; !o.read || t.now-o.at >= recheck {
		o.limits, o.read, o.at = readLimits(os.DirFS(t.root())), true, t.now
	}
	return &t.own.limits
}

// root is where the paths of mounts and groups begin: beside procfs.
func (t *tick) root() string { return filepath.Dir(filepath.Clean(t.options.Proc)) }

// whyNoLimit is the reason of counters of limits without a value.
func whyNoLimit(t *tick) string {
	return cmp.Or(t.limits().why, "nothing limits this program to less than the computer has")
}

// ownGroup reads the files of one group, which may have several directories.
type ownGroup struct {
	reader controlGroups
	dir    controlGroupDir
}

// follow takes the directories of the group; it reports whether they are others than before.
func (g *ownGroup) follow(t *tick, dirs []string) bool {
	full := make([]string, len(dirs))
	for i, dir := range dirs {
		full[i] = filepath.Join(t.root(), dir)
	}
	if slices.Equal(full, g.dir.dirs) {
		return false
	}
	g.close()
	g.reader = controlGroups{options: t.options, budget: len(groupSources)}
	g.dir = controlGroupDir{groupDir: groupDir{dirs: full}}
	return true
}

// collect reads what is needed of the group.
func (g *ownGroup) collect(o *Options, state *controlGroup, needs uint32) {
	*state = controlGroup{why: cooker.Unavailable}
	g.dir.find(needs, o)
	if !g.reader.readGroup(&g.dir, state, needs) {
		*state = controlGroup{why: cooker.Gone}
	}
}

func (g *ownGroup) close() {
	g.reader.drop(&g.dir)
	g.dir = controlGroupDir{}
}

type processorLimits struct {
	single[processorLimit]

	tick      *tick
	tick100ns uint64
	group     ownGroup
	leaf      ownGroup // of the own group
	members   membersClock
	clocks    map[int]*cpuClock
	state     processorLimit
	last      [limitTimes]uint64 // as it was read
	was       [limitTimes]bool
}

func newProcessorLimits(t *tick) collector {
	return &processorLimits{
		single: single[processorLimit]{rows: processorLimitCounters}, tick: t,
		tick100ns: units100ns / uint64(t.options.TicksPerSecond), clocks: map[int]*cpuClock{},
	}
}

func (c *processorLimits) collect(b *session.SetBatch, clocks cooker.Clocks) {
	stat, err := c.tick.readStat()
	if len(stat.cpus) == 0 {
		failed(b, clocks, readError("stat", err))
		return
	}
	l := c.tick.limits()
	isOther := c.group.follow(c.tick, l.group.dirs)
	if l.leaf != "" {
		c.leaf.follow(c.tick, []string{l.leaf})
	}
	p := &c.state
	p.why, p.quota, p.isUnseen = cooker.Unavailable, l.quota.most, l.isPrivate
	p.online, p.allowed = len(stat.cpus), 0
	for i := range stat.cpus {
		if l.processors == nil || l.processors[stat.cpus[i].number] {
			p.allowed++
		}
	}
	if p.allowed == 0 { // as behind what shows a container processors of its own
		p.allowed = p.online
	}
	p.isCut = p.isCut || p.usable() < uint64(p.online)*100
	if !p.isCut && !p.isUnseen {
		b.Clocks = clocks
		c.fill(b, p)
		return
	}
	now, has := c.readTimes(l, stat)
	b.Clocks = c.tick.clocks()
	if len(l.group.dirs) == 0 {
		b.Clocks = c.tick.statClocks
	}
	whole := [limitTimes]uint64{limitComputer: uint64(p.online) * 100, limitThrottled: uint64(p.allowed) * 100, limitThrottledAbove: uint64(p.allowed) * 100}
	for i := range now {
		p.known[i] = has[i]
		switch {
		case isOther && i != limitComputer && i != limitThrottledAbove || now[i] < c.last[i]:
			p.acc[i] = below(p.acc[i]) // so that nobody makes a value of the interval
		case has[i] && (c.was[i] || p.acc[i] == 0):
			p.acc[i] += grown(c.last[i], now[i]) * 100 / max(cmp.Or(whole[i], p.usable()), 1)
		}
	}
	c.last, c.was = now, has
	c.fill(b, p)
}

// readTimes are the times as they are counted, in 100 ns of one processor.
func (c *processorLimits) readTimes(l *limits, stat *statFile) (now [limitTimes]uint64, has [limitTimes]bool) {
	ofGroup := len(l.group.dirs) > 0
	c.advance(l, stat, !ofGroup, &now, &has)
	var g, leaf controlGroup
	if ofGroup {
		c.group.collect(c.tick.options, &g, needCPUStat)
		for i, key := range [...]int{limitBusy: cgUsage, limitUser: cgUser, limitPrivileged: cgSystem, limitThrottled: cgThrottledTime} {
			now[i], has[i] = g.n[key]*microsecond, g.has(key)
		}
		if l.quota.most == 0 {
			has[limitThrottled] = false
		}
		if len(l.group.members) > 0 && !has[limitBusy] {
			now[limitBusy], has[limitBusy] = c.members.read(c.tick, l.group.members)
		}
	}
	if l.isPrivate && l.leaf != "" {
		c.leaf.collect(c.tick.options, &leaf, needStatLocal)
		now[limitThrottledAbove], has[limitThrottledAbove] = grown(g.n[cgThrottledTime], leaf.n[cgThrottledTime])*microsecond, leaf.has(cgThrottledTime)
	}
	return now, has
}

// advance takes the times of the processors: of all of the computer, and of those that may be used
// where no group has them.
func (c *processorLimits) advance(l *limits, stat *statFile, ofAllowed bool, now *[limitTimes]uint64, has *[limitTimes]bool) {
	has[limitComputer] = true
	now[limitComputer] = c.last[limitComputer]
	if ofAllowed {
		for i := limitBusy; i <= limitPrivileged; i++ {
			now[i], has[i] = c.last[i], true
		}
	}
	for i := range stat.cpus {
		cpu := &stat.cpus[i]
		k := c.clocks[cpu.number]
		if k == nil {
			k = &cpuClock{}
			c.clocks[cpu.number] = k
		}
		was, isNew := *k, !k.started
		k.advance(&cpu.cols, c.tick.statClocks.Time100ns, c.tick100ns)
		if isNew && c.was[limitComputer] { // it came since
			continue
		}
		d := func(cols ...int) (n uint64) {
			for _, col := range cols {
				n += grown(was.acc[col], k.acc[col])
			}
			return n
		}
		user, kernel := d(colUser, colNice), d(colSystem, colIRQ, colSoftIRQ)
		busy := user + kernel + d(colSteal)
		now[limitComputer] += busy
		if ofAllowed && (l.processors == nil || l.processors[cpu.number]) {
			now[limitBusy] += busy
			now[limitUser] += user
			now[limitPrivileged] += kernel
		}
	}
}

func (c *processorLimits) close() {
	c.group.close()
	c.leaf.close()
}

// membersClock adds up the CPU clocks of the processes of groups, where nothing counts the time of
// the groups themselves. Of a process that ends, what it took since the reading before is lost.
type membersClock struct {
	last map[uint32]uint64 // ns
	sum  uint64
	at   time.Duration
}

func (m *membersClock) read(t *tick, files []string) (time100ns uint64, ok bool) {
	if t.clockOf == nil {
		return 0, false
	}
	now := make(map[uint32]uint64, len(m.last))
	since := uint64(t.now - m.at)
	for _, name := range files {
		list, _ := os.ReadFile(filepath.Join(t.root(), name))
		for word := range bytes.FieldsSeq(list) {
			pid, _, isPid := number(word)
			ns, lives := t.clockOf(uint32(pid))
			if !isPid || !lives {
				continue
			}
			now[uint32(pid)] = ns
			if was, known := m.last[uint32(pid)]; known {
				m.sum += grown(was, ns)
			} else if m.last != nil {
				m.sum += min(ns, since) // it was born, or came
			}
		}
	}
	m.last, m.at = now, t.now
	return m.sum / ns100, true
}

type memoryLimits struct {
	single[memoryGroup]

	tick  *tick
	group ownGroup
	total uint64 // bytes that the computer has; 0: nobody knows yet
	state memoryGroup
}

func newMemoryLimits(t *tick) collector {
	return &memoryLimits{single: single[memoryGroup]{rows: memoryLimitCounters}, tick: t}
}

func (c *memoryLimits) collect(b *session.SetBatch, clocks cooker.Clocks) {
	b.Clocks = clocks
	l, m := c.tick.limits(), &c.state
	if c.total == 0 {
		if info, _ := c.tick.meminfo.of(c.tick.gen); info.has(memTotal) {
			c.total = info.n[memTotal] << 10
		}
	}
	has := l.memory.most > 0 && (c.total == 0 || l.memory.most < c.total)
	m.isCut = m.isCut || has
	m.most = c.total
	if has {
		m.most = l.memory.most
	}
	c.group.follow(c.tick, l.memory.dirs)
	m.controlGroup = controlGroup{why: cooker.Unavailable}
	if m.isCut {
		c.group.collect(c.tick.options, &m.controlGroup, c.needs)
	}
	c.fill(b, m)
}

func (c *memoryLimits) close() { c.group.close() }
