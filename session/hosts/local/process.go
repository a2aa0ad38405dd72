package local

import (
	"perfdeck/cooker"
	"perfdeck/session"
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

func processSet() *session.Counterset {
	return describe(&session.Counterset{
		V1Index: 230, Name: "Process", Instances: session.MultipleInstances,
		Description: "Processes, with what each takes of processors, memory and disks.",
		Facts:       []string{factUser, factCommand, factState, factNice, factCgroup, factContainer, factExecutable},
	}, processCounters)
}

var processCounters = []counter[process]{
	{1, "% Processor Time", cooker.Timer100ns, 0, "CPU time; one full CPU is 100", totalSum, 0, processorTime},
	{2, "% User Time", cooker.Timer100ns, 0, "CPU time in the program", totalSum, 0, ticks(func(s *procStat) uint64 { return s.user })},
	{3, "% Privileged Time", cooker.Timer100ns, 0, "CPU time in the kernel", totalSum, 0, ticks(func(s *procStat) uint64 { return s.system })},
	{4, "Virtual Bytes Peak", cooker.CounterLargeRawCount, -6, "Most address space ever reserved", totalSum, needStatus, statusValue(statusPeak)},
	{5, "Virtual Bytes", cooker.CounterLargeRawCount, -6, "Address space reserved", totalSum, 0, fromStat(func(s *procStat) uint64 { return s.virtual })},
	{6, "Page Faults/sec", cooker.CounterCounter, -1, "Page faults, soft and hard", totalSum, 0, fromStat(func(s *procStat) uint64 { return s.minorFaults + s.majorFaults })},
	{7, "Working Set Peak", cooker.CounterLargeRawCount, -5, "Most memory ever in RAM", totalSum, needStatus, statusValue(statusHighWater)},
	{8, "Working Set", cooker.CounterLargeRawCount, -5, "Memory in RAM, shared included", totalSum, needResident, workingSet},
	{9, "Page File Bytes", cooker.CounterLargeRawCount, -6, "Memory moved to swap", totalSum, needStatus, statusValue(statusSwap)},
	{10, "Private Bytes", cooker.CounterLargeRawCount, -5, "Private memory in RAM and swap", totalSum, needStatus, statusValue(statusAnonymous, statusSwap)},
	{11, "Thread Count", cooker.CounterRawCount, 0, "Threads", totalSum, 0, threadCount},
	{12, "Priority Base", cooker.CounterRawCount, 0, "Priority: 20 is normal, more is higher, above 40 real time", totalNone, needPriority, fromStat(priorityBase)},
	{13, "Elapsed Time", cooker.ElapsedTime, -4, "Age in seconds", totalNone, 0, startTime},
	{14, "ID Process", cooker.CounterRawCount, -1, "Process number", totalNone, 0, func(p *process) cooker.Reading { return raw(uint64(p.pid)) }},
	{15, "Creating Process ID", cooker.CounterRawCount, -1, "Process number of the parent", totalNone, 0, fromStat(func(s *procStat) uint64 { return s.parent })},
	{16, "Handle Count", cooker.CounterRawCount, 0, "Open file descriptors", totalSum, needHandles, func(p *process) cooker.Reading { return p.known(p.handles) }},
	{17, "IO Read Operations/sec", cooker.CounterBulkCount, 0, "Read calls", totalSum, needIO, ioCount(ioReadCalls)},
	{18, "IO Write Operations/sec", cooker.CounterBulkCount, 0, "Write calls", totalSum, needIO, ioCount(ioWriteCalls)},
	{19, "IO Data Operations/sec", cooker.CounterBulkCount, 0, "Read and write calls", totalSum, needIO, ioCount(ioReadCalls, ioWriteCalls)},
	{20, "IO Read Bytes/sec", cooker.CounterBulkCount, 0, "Bytes read by calls: files, pipes, cache; no send or recv", totalSum, needIO, ioCount(ioReadChars)},
	{21, "IO Write Bytes/sec", cooker.CounterBulkCount, 0, "Bytes written by calls: files, pipes, cache; no send or recv", totalSum, needIO, ioCount(ioWriteChars)},
	{22, "IO Data Bytes/sec", cooker.CounterBulkCount, 0, "Bytes read and written by calls: files, pipes, cache; no send or recv", totalSum, needIO, ioCount(ioReadChars, ioWriteChars)},
	{23, "Working Set - Private", cooker.CounterLargeRawCount, -5, "Memory in RAM that is not shared", totalSum, needStatm, func(p *process) cooker.Reading { return p.known(p.private) }},
	{1001, "Disk Read Bytes/sec", cooker.CounterBulkCount, -4, "Bytes read from disks", totalSum, needIO, ioCount(ioReadBytes)},
	{1002, "Disk Write Bytes/sec", cooker.CounterBulkCount, -4, "Bytes written to disks", totalSum, needIO, ioCount(ioWriteBytes)},
	{1003, "Disk Bytes/sec", cooker.CounterBulkCount, -4, "Bytes read from and written to disks", totalSum, needIO, ioCount(ioReadBytes, ioWriteBytes)},
	{1004, "Major Faults/sec", cooker.CounterCounter, 0, "Page faults that read the disk", totalSum, 0, fromStat(func(s *procStat) uint64 { return s.majorFaults })},
	{1005, "% Ended Children Time", cooker.Timer100ns, 0, "CPU time of children that ended, as far as no row of theirs had it", totalSum, 0, endedTime},
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
