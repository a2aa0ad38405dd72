package local

import (
	"perfdeck/cooker"
)

// process is one process, or the Idle process, which stands for the CPUs'
// unused time.
type process struct {
	scale   *processScale
	why     cooker.Status // not OK: stat could not be read, so that nothing is known
	pid     uint32
	stat    procStat
	ended   uint64 // CPU time of children that ended, but for what was seen of them, 100 ns
	ranNS   uint64 // CPU time of all its threads by its clock; 0: it has none
	status  procStatus
	statWhy cooker.Status // of status
	io      procIO
	ioWhy   cooker.Status
	private cooker.Reading // unshared memory in bytes
	handles cooker.Reading
	idle    *idleProcess // only of Idle
}

// idleProcess is what is known of Idle.
type idleProcess struct {
	cpus      uint64
	time100ns uint64
}

// processScale is what turns the kernel's units into ours.
type processScale struct {
	tick100ns uint64 // one USER_HZ
	pageBytes uint64
	boot      uint64 // FILETIME
}

// pidBits is the width of a pid: PID_MAX_LIMIT is 2^22.
const pidBits = 22

// processID is the identity of a process or thread: its start time in USER_HZ
// since boot, and its number.
func processID(start uint64, pid uint32) uint64 { return start<<pidBits | uint64(pid) }

// pidOf is the number in a processID.
func pidOf(id uint64) uint32 { return uint32(id & (1<<pidBits - 1)) }

const (
	needStatus = 1 << iota
	needStatm
	needIO
	needHandles
	needResident // in stat, but it may change while the process rests
	needPriority // the same
)

// Text facts of processes.
const (
	factUser       = "user"
	factCommand    = "command line"
	factState      = "state"
	factNice       = "nice"
	factCgroup     = "cgroup"
	factContainer  = "container"
	factExecutable = "executable"
)

var processCounters = []counter[process]{
	{"% Processor Time", 0, processorTime},
	{"% User Time", 0, ticks(func(s *procStat) uint64 { return s.user })},
	{"% Privileged Time", 0, ticks(func(s *procStat) uint64 { return s.system })},
	{"Virtual Bytes Peak", needStatus, statusValue(statusPeak)},
	{"Virtual Bytes", 0, fromStat(func(s *procStat) uint64 { return s.virtual })},
	{"Page Faults/sec", 0, fromStat(func(s *procStat) uint64 { return s.minorFaults + s.majorFaults })},
	{"Working Set Peak", needStatus, statusValue(statusHighWater)},
	{"Working Set", needResident, workingSet},
	{"Page File Bytes", needStatus, statusValue(statusSwap)},
	{"Private Bytes", needStatus, statusValue(statusAnonymous, statusSwap)},
	{"Thread Count", 0, threadCount},
	{"Priority Base", needPriority, fromStat(priorityBase)},
	{"Elapsed Time", 0, startTime},
	{"ID Process", 0, func(p *process) cooker.Reading { return raw(uint64(p.pid)) }},
	{"Creating Process ID", 0, fromStat(func(s *procStat) uint64 { return s.parent })},
	{"Handle Count", needHandles, func(p *process) cooker.Reading { return p.known(p.handles) }},
	{"IO Read Operations/sec", needIO, ioCount(ioReadCalls)},
	{"IO Write Operations/sec", needIO, ioCount(ioWriteCalls)},
	{"IO Data Operations/sec", needIO, ioCount(ioReadCalls, ioWriteCalls)},
	{"IO Read Bytes/sec", needIO, ioCount(ioReadChars)},
	{"IO Write Bytes/sec", needIO, ioCount(ioWriteChars)},
	{"IO Data Bytes/sec", needIO, ioCount(ioReadChars, ioWriteChars)},
	{"Working Set - Private", needStatm, func(p *process) cooker.Reading { return p.known(p.private) }},
	{"Disk Read Bytes/sec", needIO, ioCount(ioReadBytes)},
	{"Disk Write Bytes/sec", needIO, ioCount(ioWriteBytes)},
	{"Disk Bytes/sec", needIO, ioCount(ioReadBytes, ioWriteBytes)},
	{"Major Faults/sec", 0, fromStat(func(s *procStat) uint64 { return s.majorFaults })},
	{"% Ended Children Time", 0, endedTime},
}

type processRead = func(*process) cooker.Reading

// known is r, unless the process itself is unknown or is Idle.
func (p *process) known(r cooker.Reading) cooker.Reading {
	switch {
	case p.idle != nil:
		return missing(cooker.Unavailable)
	case p.why != cooker.OK:
		return missing(p.why)
	}
	return r
}

func fromStat(f func(*procStat) uint64) processRead {
	return func(p *process) cooker.Reading { return p.known(raw(f(&p.stat))) }
}

func ticks(f func(*procStat) uint64) processRead {
	return func(p *process) cooker.Reading { return p.known(raw(f(&p.stat) * p.scale.tick100ns)) }
}

// processorTime is the larger of two counts of the same time: that of stat is
// cut to whole ticks, that of the clock is read a little earlier. Neither is above
// the truth and neither falls, so the larger one is the better.
func processorTime(p *process) cooker.Reading {
	if p.idle != nil {
		return raw(p.idle.time100ns)
	}
	return p.known(raw(max((p.stat.user+p.stat.system)*p.scale.tick100ns, p.ranNS/ns100)))
}

func endedTime(p *process) cooker.Reading { return p.known(raw(p.ended)) }

func threadCount(p *process) cooker.Reading {
	if p.idle != nil {
		return raw(p.idle.cpus)
	}
	return p.known(raw(p.stat.threads))
}

// startTime is when the process began, as ObjTime. Idle runs since boot.
func startTime(p *process) cooker.Reading {
	if p.idle != nil {
		return raw(p.scale.boot)
	}
	return p.known(raw(p.scale.boot + p.stat.start*p.scale.tick100ns))
}

func workingSet(p *process) cooker.Reading {
	return p.known(raw(p.stat.residentPages * p.scale.pageBytes))
}

// priorityBase is 1..40 for the usual policies by their nice value, 42..140
// for real time ones.
func priorityBase(s *procStat) uint64 {
	if s.realTime > 0 {
		return 41 + s.realTime
	}
	return uint64(max(0, 20-s.nice))
}

func statusValue(keys ...int) processRead {
	return func(p *process) cooker.Reading { return p.sum(p.statWhy, p.status.have, p.status.bytes[:], keys) }
}

func ioCount(keys ...int) processRead {
	return func(p *process) cooker.Reading { return p.sum(p.ioWhy, p.io.have, p.io.n[:], keys) }
}

// sum is that of keys of a file of the process, of which have tells those that are there.
func (p *process) sum(why cooker.Status, have uint8, values []uint64, keys []int) cooker.Reading {
	if why != cooker.OK {
		return p.known(missing(why))
	}
	var n uint64
	for _, k := range keys {
		if have&(1<<k) == 0 {
			return p.known(missing(cooker.Unavailable))
		}
		n += values[k]
	}
	return p.known(raw(n))
}
