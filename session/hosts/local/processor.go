package local

import (
	"math"

	"perfdeck/cooker"
)

// processor is one CPU.
type processor struct {
	times      cpuClock
	interrupts cooker.Reading
	softIRQs   cooker.Reading
	idle       [idleClasses]idleState
	mhz        cooker.Reading
	ofMaximum  cooker.Reading
}

// idleClasses are C1, C2, C3 and deeper, and the one that saves no power. As
// columns of a cpuClock the last takes what rounding leaves over.
const (
	idlePolls   = colIdle
	idleClasses = idlePolls + 1
)

// idleState sums up the cpuidle states of one class.
type idleState struct {
	time100ns, entries cooker.Reading
}

// cpuClock turns a CPU's columns of /proc/stat into times that fill the wall
// clock exactly. The kernel accounts them in ticks, so that those of a second
// add up to 98 to 105 % of it.
type cpuClock struct {
	acc     [cpuColumns]uint64   // 100 ns
	last    [cpuColumns]uint64   // USER_HZ
	part    [cpuColumns]uint64   // shares of the last interval in which anything was counted
	whole   uint64               // sum of the partitioned columns of part
	left    [partitioned]float64 // ticks counted and not given; below 0 given and not counted
	time    uint64               // 100 ns
	started bool
	stays   bool // columns grow at the end of a stay, by as much as that was long
}

// advance takes the columns read at time100ns; tick100ns is one USER_HZ.
func (c *cpuClock) advance(cols *[cpuColumns]uint64, time100ns, tick100ns uint64) {
	if !c.started {
		c.start(cols, time100ns, tick100ns)
		return
	}
	d, elapsed, ok := c.growth(cols, time100ns, tick100ns)
	c.last, c.time = *cols, time100ns
	if !ok {
		c.beginAnew()
		return
	}
	few := elapsed < fewTicks*tick100ns
	c.weigh(&d, few)
	if c.whole == 0 {
		return
	}
	var given uint64
	for i := range c.acc {
		n := share(elapsed, min(c.part[i], c.whole), c.whole)
		c.acc[i] += n
		if i < partitioned {
			given += n
			c.left[i] += float64(d[i]) - float64(n)/float64(tick100ns)
		}
	}
	c.acc[colIdle] += elapsed - given // what rounding left over
	c.limitLeft(few)
}

const (
	longestTick  = units100ns / 64 // the longest unit in which systems count: that of Windows
	unsteadyBack = 5               // ticks that iowait and steal may fall by in however short a time
	longestStall = 30 * units100ns // by which columns are read later than the clock
)

// growth is what the columns counted since they were read last. iowait and steal step back at
// times, the others by a tick at most. If they fell by more, or grew by far more than time did,
// the interval cannot be told: the columns are of another count.
func (c *cpuClock) growth(cols *[cpuColumns]uint64, time100ns, tick100ns uint64) (d [cpuColumns]uint64, elapsed uint64, ok bool) {
	elapsed = grown(c.time, time100ns)
	ticks := elapsed / tick100ns
	most := 2 * (elapsed + longestStall) / tick100ns
	back := [...]uint64{longestTick / tick100ns, longestTick / tick100ns, max(unsteadyBack, ticks/10)}
	ok = time100ns >= c.time
	var fell [3]uint64 // of the partitioned columns, of those within them, and of unsteady ones
	var rose [2]uint64
	for i := range cols {
		d[i] = grown(c.last[i], cols[i])
		part, kind := min(i/partitioned, 1), min(i/partitioned, 1)
		if i == colIOWait || i == colSteal {
			kind = 2
		}
		fell[kind] += min(grown(cols[i], c.last[i]), most+1)
		rose[part] += min(d[i], most+1)
		ok = ok && (rose[part] <= most || c.stays)
	}
	// The kernel takes a wait for one as long as its program is to run on this CPU, and for
	// idle time from its beginning on when that goes elsewhere.
	if n := grown(cols[colIOWait], c.last[colIOWait]); n > back[2] && n <= d[colIdle] && rose[0]-n >= ticks-ticks/10 {
		d[colIdle] -= n
		fell[2] -= n
	}
	for kind, n := range fell {
		ok = ok && n <= back[kind]
	}
	return d, elapsed, ok
}

// beginAnew lets all times fall, so that nobody makes a value of the interval.
func (c *cpuClock) beginAnew() {
	for i := range c.acc {
		c.acc[i] = below(c.acc[i])
	}
	c.left = [partitioned]float64{}
}

// An interval of few ticks is seldom as long as its columns say: the tick that
// finds a program running is its own whole, and the idle time around it counted,
// too. By shares of each interval alone such ticks would count for less than
// others. So what an interval could not give is given in the next.
const (
	fewTicks = 25
	mostLeft = 2 // ticks
)

// weigh makes the shares of an interval in which d was counted.
func (c *cpuClock) weigh(d *[cpuColumns]uint64, few bool) {
	shares := *d
	if few {
		const fine = 1 << 10
		for i := range shares {
			left := 0.0
			if i < partitioned {
				left = c.left[i]
			}
			shares[i] = uint64(max(0, (left+float64(d[i]))*fine))
		}
	}
	var whole uint64
	for _, n := range shares[:partitioned] {
		whole += n
	}
	if whole > 0 {
		c.part, c.whole = shares, whole
	}
}

// limitLeft forgets what is more than ticks can be wrong by.
func (c *cpuClock) limitLeft(few bool) {
	if !few {
		c.left = [partitioned]float64{}
		return
	}
	var sum float64
	for _, n := range c.left {
		sum += math.Abs(n)
	}
	if sum > mostLeft {
		for i := range c.left {
			c.left[i] *= mostLeft / sum
		}
	}
}

func (c *cpuClock) start(cols *[cpuColumns]uint64, time100ns, tick100ns uint64) {
	*c = cpuClock{last: *cols, part: *cols, time: time100ns, started: true, stays: c.stays}
	for i, n := range cols {
		c.acc[i] = n * tick100ns
		if i < partitioned {
			c.whole += n
		}
	}
}

// idle is the time without anything to run; Linux sets apart the part of it
// in which I/O was pending.
func (c *cpuClock) idle() uint64 { return c.acc[colIdle] + c.acc[colIOWait] }

const (
	needInterrupts = 1 << iota
	needSoftIRQs
	needIdleStates
	needFrequency
)

var processorCounters = []counter[processor]{
	{"% Processor Time", 0, cpuTime(colIdle, colIOWait)},
	{"% User Time", 0, cpuTime(colUser, colNice)},
	{"% Privileged Time", 0, cpuTime(colSystem, colIRQ, colSoftIRQ)},
	{"Interrupts/sec", needInterrupts, func(p *processor) cooker.Reading { return p.interrupts }},
	{"% DPC Time", 0, cpuTime(colSoftIRQ)},
	{"% Interrupt Time", 0, cpuTime(colIRQ)},
	{"DPCs Queued/sec", needSoftIRQs, func(p *processor) cooker.Reading { return p.softIRQs }},
	{"% Idle Time", 0, cpuTime(colIdle, colIOWait)},
	{"% C1 Time", needIdleStates, idleTime(0)},
	{"% C2 Time", needIdleStates, idleTime(1)},
	{"% C3 Time", needIdleStates, idleTime(2)},
	{"C1 Transitions/sec", needIdleStates, idleEntries(0)},
	{"C2 Transitions/sec", needIdleStates, idleEntries(1)},
	{"C3 Transitions/sec", needIdleStates, idleEntries(2)},
	{"Processor Frequency", needFrequency, func(p *processor) cooker.Reading { return p.mhz }},
	{"% of Maximum Frequency", needFrequency, func(p *processor) cooker.Reading { return p.ofMaximum }},
	{"% I/O Wait", 0, cpuTime(colIOWait)},
	{"% Steal", 0, cpuTime(colSteal)},
	{"% Guest Time", 0, cpuTime(colGuest, colGuestNice)},
	{"% Nice Time", 0, cpuTime(colNice)},
}

func cpuTime(cols ...int) func(*processor) cooker.Reading {
	return func(p *processor) cooker.Reading {
		var n uint64
		for _, c := range cols {
			n += p.times.acc[c]
		}
		return raw(n)
	}
}

func idleTime(class int) func(*processor) cooker.Reading {
	return func(p *processor) cooker.Reading { return p.idle[class].time100ns }
}

func idleEntries(class int) func(*processor) cooker.Reading {
	return func(p *processor) cooker.Reading { return p.idle[class].entries }
}

// idleClass is the class of a cpuidle state by its name: 0 for C1 and its
// kinds, 1 for C2, 2 for all that are deeper.
func idleClass(name string) (int, bool) {
	switch {
	case name == "POLL":
		return idlePolls, true
	case len(name) >= 2 && name[:2] == "C1" && (len(name) == 2 || name[2] < '0' || name[2] > '9'):
		return 0, true
	case len(name) >= 2 && name[:2] == "C2" && (len(name) == 2 || name[2] < '0' || name[2] > '9'):
		return 1, true
	}
	return 2, name != ""
}
