package local

import (
	"slices"

	"perfdeck/cooker"
	"perfdeck/session"
)

// processors reads the counterset Processor Information, or Processor, which
// names CPUs by their number alone.
type processors struct {
	tick       *tick
	byNode     bool
	tick100ns  uint64
	stat       *statFile // of this collection
	interrupts kernelFile
	softIRQs   kernelFile
	sums       []uint64 // of perCPU
	idle       idleFiles
	frequency  frequencies

	cols   []column[processor]
	needs  uint32
	rows   []cpuRow // online CPUs in order of display
	online []int    // numbers, ascending, of which rows were made
	nodes  numaNodes
	total  totals
	parts  []totals // by node
}

// cpuRow is an online CPU.
type cpuRow struct {
	key    session.InstanceKey
	number int
	node   int // position in processors.parts
	last   bool
	processor
	slept cpuClock // by idle class
}

// sleep turns the times of the idle states into shares of the CPU's idle time.
// The kernel adds a stay to its state when it ends: read as they are, a stay of
// ten intervals would be none in nine of them and ten times the whole in the last.
func (r *cpuRow) sleep() {
	var cols [cpuColumns]uint64
	for class := range r.idle {
		cols[class] = r.idle[class].time100ns.Raw
	}
	r.slept.advance(&cols, r.times.idle(), 1)
	for class := range r.idle {
		if t := &r.idle[class].time100ns; t.State == cooker.OK {
			t.Raw = r.slept.acc[class]
		}
	}
}

func newProcessorInformation(t *tick) collector {
	c := newProcessors(t)
	c.byNode = true
	return c
}

func newProcessorByNumber(t *tick) collector { return newProcessors(t) }

func newProcessors(t *tick) *processors {
	return &processors{
		tick:       t,
		tick100ns:  units100ns / uint64(t.options.TicksPerSecond),
		interrupts: t.records("interrupts", anySize),
		softIRQs:   t.records("softirqs", anySize),
		idle:       idleFiles{options: t.options},
		frequency:  frequencies{options: t.options},
		nodes:      numaNodes{root: t.options.Sys},
	}
}

func (c *processors) choose(w *session.Want) {
	c.cols = columns(processorCounters, w)
	c.needs = 0
	for i := range c.cols {
		if c.cols[i].of != session.TotalInstance || totalKey(c.cols[i].name) < 0 {
			c.needs |= c.cols[i].needs
		}
	}
	if c.needs&needInterrupts == 0 {
		c.interrupts.close()
	}
	if c.needs&needSoftIRQs == 0 {
		c.softIRQs.close()
	}
	chooseTotals(&c.total, c.cols)
	for i := range c.parts {
		chooseTotals(&c.parts[i], c.cols)
	}
	if c.needs&needIdleStates == 0 {
		c.idle.close()
	}
}

func (c *processors) collect(b *session.SetBatch, clocks cooker.Clocks) {
	stat, err := c.tick.readStat()
	c.stat = stat
	if len(c.stat.cpus) == 0 {
		failed(b, clocks, readError("stat", err))
		return
	}
	c.follow()
	c.readOptional()
	b.Clocks = c.tick.statClocks
	for i := range c.rows {
		r := &c.rows[i]
		if t := c.timesOf(r.number); t != nil {
			r.times.advance(&t.cols, b.Clocks.Time100ns, c.tick100ns)
		}
		if c.needs&needIdleStates != 0 {
			r.sleep()
		}
	}
	c.fill(b)
}

// timesOf finds the line of a CPU; lines are few and in order.
func (c *processors) timesOf(number int) *cpuTimes {
	i, ok := slices.BinarySearchFunc(c.stat.cpus, number, func(t cpuTimes, n int) int { return t.number - n })
	if !ok {
		return nil
	}
	return &c.stat.cpus[i]
}

// follow makes the rows anew when CPUs came or went. A CPU that was away
// begins again.
func (c *processors) follow() {
	if slices.EqualFunc(c.stat.cpus, c.online, func(t cpuTimes, n int) bool { return t.number == n }) {
		return
	}
	slices.SortStableFunc(c.stat.cpus, func(a, b cpuTimes) int { return a.number - b.number })
	c.stat.cpus = slices.CompactFunc(c.stat.cpus, func(a, b cpuTimes) bool { return a.number == b.number })
	c.online = c.online[:0]
	for _, t := range c.stat.cpus {
		c.online = append(c.online, t.number)
	}
	old := c.rows
	c.nodes.read(c.online)
	c.rows = c.layOut()
	for i := range c.rows {
		r := &c.rows[i]
		j := slices.IndexFunc(old, func(o cpuRow) bool { return o.number == r.number })
		if j >= 0 {
			r.processor, r.slept = old[j].processor, old[j].slept
			continue
		}
		c.total.forget(r.number)
		c.parts[r.node].forget(r.number)
	}
}

// layOut is a row for each online CPU, by node.
func (c *processors) layOut() []cpuRow {
	rows := make([]cpuRow, 0, len(c.online))
	for _, n := range c.online {
		node, index := c.nodes.place(n)
		for len(c.parts) <= node {
			var t totals
			chooseTotals(&t, c.cols)
			c.parts = append(c.parts, t)
		}
		key := session.InstanceKey{Name: decimal(n), ID: uint64(n) + 1}
		if c.byNode {
			key.Name = decimal(node) + "," + decimal(index)
		}
		rows = append(rows, cpuRow{key: key, number: n, node: node, slept: cpuClock{stays: true}})
	}
	if c.byNode {
		slices.SortStableFunc(rows, func(a, b cpuRow) int { return a.node - b.node })
	}
	for i := range rows {
		rows[i].last = i+1 == len(rows) || rows[i+1].node != rows[i].node
	}
	return rows
}

func (c *processors) readOptional() {
	for i := range c.rows {
		r := &c.rows[i]
		r.interrupts, r.softIRQs = missing(cooker.Pending), missing(cooker.Pending)
	}
	if c.needs&needInterrupts != 0 {
		data, err := c.interrupts.read()
		c.sums = perCPU(data, c.sums)
		c.spread(err, func(p *processor) *cooker.Reading { return &p.interrupts })
	}
	if c.needs&needSoftIRQs != 0 {
		data, err := c.softIRQs.read()
		c.sums = perCPU(data, c.sums)
		c.spread(err, func(p *processor) *cooker.Reading { return &p.softIRQs })
	}
	for i := range c.rows {
		r := &c.rows[i]
		if c.needs&needIdleStates != 0 {
			c.idle.read(r.number, &r.idle)
		}
	}
	if c.needs&needFrequency != 0 {
		c.frequency.read(c.rows)
	}
}

// spread hands the sums of perCPU to the CPUs.
func (c *processors) spread(err error, of func(*processor) *cooker.Reading) {
	for i := range c.rows {
		r := &c.rows[i]
		if r.number < len(c.sums) {
			*of(&r.processor) = raw(c.sums[r.number])
		} else {
			*of(&r.processor) = missing(absent(err))
		}
	}
}

func (c *processors) fill(b *session.SetBatch) {
	slots := c.online[len(c.online)-1] + 1
	c.total.begin(slots)
	for i := range c.parts {
		c.parts[i].begin(slots)
	}
	for i := range c.rows {
		r := &c.rows[i]
		b.Instances = append(b.Instances, session.Instance{Key: r.key})
		appendRow(b, c.cols, &r.processor)
		row := b.Row(len(b.Instances) - 1)
		c.total.add(r.number, row)
		if !c.byNode {
			continue
		}
		c.parts[r.node].add(r.number, row)
		if r.last {
			c.addTotal(b, &c.parts[r.node], c.nodes.totals[r.node])
		}
	}
	c.addTotal(b, &c.total, "_Total")
	c.exactTotals(b.Row(len(b.Instances) - 1))
}

func (c *processors) addTotal(b *session.SetBatch, t *totals, name string) {
	b.Instances = append(b.Instances, session.Instance{Key: session.InstanceKey{Name: name}, Flags: session.FlagTotal})
	b.Readings = t.appendTo(b.Readings)
}

// exactTotals puts the kernel's own sums into the row of _Total: they hold
// what no CPU's column has.
func (c *processors) exactTotals(row []cooker.Reading) {
	for i := range c.cols {
		if key := totalKey(c.cols[i].name); key >= 0 && c.stat.has(key) {
			row[i] = raw(c.stat.n[key])
		}
	}
}

// totalKey is what has the sum of a counter in /proc/stat, -1 without.
func totalKey(name string) int {
	switch name {
	case "Interrupts/sec":
		return statIntr
	case "DPCs Queued/sec":
		return statSoftIRQ
	}
	return -1
}

func (c *processors) close() {
	c.interrupts.close()
	c.softIRQs.close()
	c.idle.close()
}
