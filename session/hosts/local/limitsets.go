package local

import (
	"perfdeck/cooker"
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

var processorLimitCounters = []counter[processorLimit]{
	{"% Processor Time", 0, limitTime(limitBusy)},
	{"% User Time", 0, limitTime(limitUser)},
	{"% Privileged Time", 0, limitTime(limitPrivileged)},
	{"% Throttled Time", 0, limitTime(limitThrottled)},
	{"% Throttled Above Time", 0, heldAbove},
	{"% Computer", 0, limitTime(limitComputer)},
	{"Computer Processors", 0, processorCount(func(p *processorLimit) uint64 { return uint64(p.online) })},
	{"Processors Allowed", 0, processorCount(func(p *processorLimit) uint64 { return uint64(p.allowed) })},
	{"Processor Quota x100", 0, processorCount(func(p *processorLimit) uint64 { return p.quota })},
	{"Processors Usable x100", 0, processorCount((*processorLimit).usable)},
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

var memoryLimitCounters = []counter[memoryGroup]{
	{"Available Bytes", needGroupMemory | needMemoryStat, leftOfLimit},
	{"Cache Bytes", needMemoryStat, ofMemoryGroup(cgFile)},
	{"Swap Used Bytes", needGroupMemory | needGroupSwap, ofMemoryGroup(cgSwap)},
	{"Limit Bytes", 0, func(m *memoryGroup) cooker.Reading {
		if !m.isCut {
			return missing(m.why)
		}
		return raw(m.most)
	}},
	{"% Available", needGroupMemory | needMemoryStat, func(m *memoryGroup) cooker.Reading {
		left := leftOfLimit(m)
		if left.State != cooker.OK {
			return left
		}
		return ratio(left.Raw, m.most)
	}},
	{"Limit Hits", needMemoryEvents, ofMemoryGroup(cgLimitHits)},
	{"OOM Kills", needMemoryEvents, ofMemoryGroup(cgKilled)},
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
