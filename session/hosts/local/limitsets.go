package local

import (
	"perfdeck/cooker"
	"perfdeck/session"
)

// processorLimit is what a process tree may use of the processors, and how much of that is used.
type processorLimit struct {
	why      cooker.Status // of what is not known
	acc      [limitTimes]uint64
	known    [limitTimes]bool
	online   int
	allowed  int    // of those online
	quota    uint64 // hundredths of a processor; 0: there is none
	isCut    bool   // what may be used is, or was, less than the computer has
	isUnseen bool   // groups above cannot be seen
}

// Times that are accumulated, in 100 ns of all that may be used.
const (
	limitBusy = iota
	limitUser
	limitPrivileged
	limitThrottled
	limitThrottledAbove
	limitComputer // of all processors of the computer
	limitTimes
)

// usable is how many processors may be used, in hundredths.
func (p *processorLimit) usable() uint64 {
	n := uint64(p.allowed) * 100
	if p.quota > 0 && p.quota < n {
		n = p.quota
	}
	return n
}

func processorLimitSet() *session.Counterset {
	return describe(&session.Counterset{
		Name: session.ProcessorLimit, Instances: session.SingleInstance,
		Description: "What perfdeck and the processes beside it may use of the processors, by affinity, cpusets and quotas of control groups, where that is less than the computer has.",
	}, processorLimitCounters)
}

var processorLimitCounters = []counter[processorLimit]{
	{1, "% Processor Time", cooker.Timer100ns, 0, "CPU time used; 100 is all that may be used", totalNone, 0, limitTime(limitBusy)},
	{2, "% User Time", cooker.Timer100ns, 0, "CPU time in programs; 100 is all that may be used", totalNone, 0, limitTime(limitUser)},
	{3, "% Privileged Time", cooker.Timer100ns, 0, "CPU time in the kernel; 100 is all that may be used", totalNone, 0, limitTime(limitPrivileged)},
	{4, "% Throttled Time", cooker.Timer100ns, 0, "Time held back by the quota, mean of the processors allowed", totalNone, 0, limitTime(limitThrottled)},
	{5, "% Throttled Above Time", cooker.Timer100ns, 0, "Time held back by a limit above this container, mean of the processors allowed", totalNone, 0, heldAbove},
	{6, "% Computer", cooker.Timer100ns, 0, "Time that all processors of the computer were busy", totalNone, 0, limitTime(limitComputer)},
	{7, "Computer Processors", cooker.CounterRawCount, 0, "Processors that the computer has", totalNone, 0, processorCount(func(p *processorLimit) uint64 { return uint64(p.online) })},
	{8, "Processors Allowed", cooker.CounterRawCount, 0, "Processors that this program may run on", totalNone, 0, processorCount(func(p *processorLimit) uint64 { return uint64(p.allowed) })},
	{9, "Processor Quota x100", cooker.CounterRawCount, -2, "CPU time that may be used, in processors, times 100; 0 without a quota", totalNone, 0, processorCount(func(p *processorLimit) uint64 { return p.quota })},
	{10, "Processors Usable x100", cooker.CounterRawCount, -2, "The lower one of both, times 100: what 100 % are", totalNone, 0, processorCount((*processorLimit).usable)},
}

func limitTime(at int) func(*processorLimit) cooker.Reading {
	return func(p *processorLimit) cooker.Reading {
		if !p.isCut || !p.known[at] {
			return missing(p.why)
		}
		return raw(p.acc[at])
	}
}

// heldAbove is known without a limit that is seen, too.
func heldAbove(p *processorLimit) cooker.Reading {
	if !p.isUnseen || !p.known[limitThrottledAbove] {
		return missing(p.why)
	}
	return raw(p.acc[limitThrottledAbove])
}

func processorCount(of func(*processorLimit) uint64) func(*processorLimit) cooker.Reading {
	return func(p *processorLimit) cooker.Reading {
		if !p.isCut {
			return missing(p.why)
		}
		return raw(of(p))
	}
}

// memoryGroup is the group whose memory limit is the tightest one.
type memoryGroup struct {
	controlGroup

	most  uint64 // bytes, never more than the computer has
	isCut bool   // it is, or was, less
}

func memoryLimitSet() *session.Counterset {
	return describe(&session.Counterset{
		Name: session.MemoryLimit, Instances: session.SingleInstance,
		Description: "The memory that perfdeck and the processes beside it may use by the limits of control groups, where that is less than the computer has.",
	}, memoryLimitCounters)
}

var memoryLimitCounters = []counter[memoryGroup]{
	{1, "Available Bytes", cooker.CounterLargeRawCount, -6, "What is left of the limit, file cache that is not in use included", totalNone, needGroupMemory | needMemoryStat, leftOfLimit},
	{2, "Cache Bytes", cooker.CounterLargeRawCount, -6, "File cache within the limit", totalNone, needMemoryStat, ofMemoryGroup(cgFile)},
	{3, "Swap Used Bytes", cooker.CounterLargeRawCount, -6, "Swap in use by the same processes", totalNone, needGroupMemory | needGroupSwap, ofMemoryGroup(cgSwap)},
	{4, "Limit Bytes", cooker.CounterLargeRawCount, -6, "Memory that may be used", totalNone, 0, func(m *memoryGroup) cooker.Reading {
		if !m.isCut {
			return missing(m.why)
		}
		return raw(m.most)
	}},
	{5, "% Available", cooker.RawFraction, 0, "Share of the limit that is left", totalNone, needGroupMemory | needMemoryStat, func(m *memoryGroup) cooker.Reading {
		left := leftOfLimit(m)
		if left.State != cooker.OK {
			return left
		}
		return ratio(left.Raw, m.most)
	}},
	{6, "Limit Hits", cooker.CounterLargeRawCount, 0, "Times that the limit was reached since the group was made", totalNone, needMemoryEvents, ofMemoryGroup(cgLimitHits)},
	{7, "OOM Kills", cooker.CounterLargeRawCount, 0, "Programs killed at the limit since the group was made", totalNone, needMemoryEvents, ofMemoryGroup(cgKilled)},
}

func ofMemoryGroup(key int) func(*memoryGroup) cooker.Reading {
	return func(m *memoryGroup) cooker.Reading {
		if !m.isCut {
			return missing(m.why)
		}
		return m.sum(m.why, 1, key)
	}
}

// leftOfLimit is the limit less what is used: of the file cache only what is not on the inactive
// list counts, as the kernel takes that first.
func leftOfLimit(m *memoryGroup) cooker.Reading {
	if !m.isCut || !m.has(cgMemory, cgInactiveFile) {
		return missing(m.why)
	}
	return raw(grown(grown(m.n[cgInactiveFile], m.n[cgMemory]), m.most))
}
