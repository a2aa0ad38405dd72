package local

import (
	"cmp"
	"slices"

	"perfdeck/cooker"
)

// Columns of /proc/diskstats after the name (Documentation/admin-guide/iostats.rst).
const (
	diskReads = iota
	diskReadMerges
	diskReadSectors
	diskReadMS
	diskWrites
	diskWriteMerges
	diskWriteSectors
	diskWriteMS
	diskInFlight
	diskBusyMS
	diskWeightedMS
	diskDiscards // 4.18+
	diskDiscardMerges
	diskDiscardSectors
	diskDiscardMS
	diskFlushes // 5.5+
	diskFlushMS
	diskColumns
)

// disk is one disk or volume.
type disk struct {
	n, before [diskColumns]uint64 // now, and when last read
	columns   int                 // that the kernel has
	time100ns uint64
	idle      diskRest
	again     bool // it is on the device of another
	space     space
	spaceWhy  cooker.Status
}

// diskRest is the clock less the time with requests, in 100 ns.
type diskRest struct{ sum, shift uint64 }

// space is what statfs(2) told, in bytes.
type space struct{ available, usable uint64 }

// diskLine is a line of /proc/diskstats.
type diskLine struct {
	major, minor uint64
	name         []byte
	n            [diskColumns]uint64
	columns      int
}

func (d *diskLine) parse(b []byte) bool {
	*d = diskLine{}
	var ok bool
	if d.major, b, ok = number(b); !ok {
		return false
	}
	if d.minor, b, ok = number(b); !ok {
		return false
	}
	if d.name, b = field(b); len(d.name) == 0 {
		return false
	}
	for d.columns < diskColumns {
		if d.n[d.columns], b, ok = number(b); !ok {
			break
		}
		d.columns++
	}
	// Partitions of kernels before 2.6.25 have four columns of another meaning.
	return d.columns > diskWeightedMS
}

// device is the identity of a block device.
func (d *diskLine) device() uint64 { return deviceNumber(d.major, d.minor) }

func deviceNumber(major, minor uint64) uint64 { return major<<32 | minor&(1<<32-1) }

const (
	needRequests = 1 << iota // /proc/diskstats
	needSpace                // statfs(2)
)

// sector is the unit of /proc/diskstats whatever the disk has.
const sector = 512

var diskCounters = []counter[disk]{
	{"Current Disk Queue Length", needRequests, diskSum(1, diskInFlight)},
	{"% Disk Time", needRequests, diskTime(diskReadMS, diskWriteMS)},
	{"Avg. Disk Queue Length", needRequests, diskSum(millisecond, diskReadMS, diskWriteMS)},
	{"% Disk Read Time", needRequests, diskTime(diskReadMS)},
	{"Avg. Disk Read Queue Length", needRequests, diskSum(millisecond, diskReadMS)},
	{"% Disk Write Time", needRequests, diskTime(diskWriteMS)},
	{"Avg. Disk Write Queue Length", needRequests, diskSum(millisecond, diskWriteMS)},
	{"Avg. Disk sec/Transfer", needRequests, diskMeanTime(diskReads, diskReadMS, diskWrites, diskWriteMS)},
	{"Avg. Disk sec/Read", needRequests, diskMeanTime(diskReads, diskReadMS)},
	{"Avg. Disk sec/Write", needRequests, diskMeanTime(diskWrites, diskWriteMS)},
	{"Disk Transfers/sec", needRequests, diskSum(1, diskReads, diskWrites)},
	{"Disk Reads/sec", needRequests, diskSum(1, diskReads)},
	{"Disk Writes/sec", needRequests, diskSum(1, diskWrites)},
	{"Disk Bytes/sec", needRequests, diskSum(sector, diskReadSectors, diskWriteSectors)},
	{"Disk Read Bytes/sec", needRequests, diskSum(sector, diskReadSectors)},
	{"Disk Write Bytes/sec", needRequests, diskSum(sector, diskWriteSectors)},
	{"Avg. Disk Bytes/Transfer", needRequests, diskMeanSize(diskReads, diskReadSectors, diskWrites, diskWriteSectors)},
	{"Avg. Disk Bytes/Read", needRequests, diskMeanSize(diskReads, diskReadSectors)},
	{"Avg. Disk Bytes/Write", needRequests, diskMeanSize(diskWrites, diskWriteSectors)},
	{"% Idle Time", needRequests, diskIdle},
	{"Disk Merges/sec", needRequests, diskSum(1, diskReadMerges, diskWriteMerges)},
	{"Discards/sec", needRequests, diskSum(1, diskDiscards)},
	{"Discard Bytes/sec", needRequests, diskSum(sector, diskDiscardSectors)},
	{"Flushes/sec", needRequests, diskSum(1, diskFlushes)},
	{"Avg. Disk sec/Flush", needRequests, diskMeanTime(diskFlushes, diskFlushMS)},
}

var logicalDiskCounters = append([]counter[disk]{
	{"% Free Space", needSpace, freeShare},
	{"Free Megabytes", needSpace, freeMegabytes},
}, diskCounters...)

// millisecond is 1 ms in units of 100 ns.
const millisecond = 10_000

type diskRead = func(*disk) cooker.Reading

// diskSum is the sum of columns times a unit.
func diskSum(unit uint64, columns ...int) diskRead {
	return func(d *disk) cooker.Reading {
		if slices.Max(columns) >= d.columns {
			return missing(cooker.Unavailable)
		}
		return sumOf(d.n[:], d.before[:], unit, columns)
	}
}

func diskTime(columns ...int) diskRead {
	sum := diskSum(millisecond, columns...)
	return func(d *disk) cooker.Reading {
		r := sum(d)
		r.Base, r.BaseSize = d.time100ns, 8
		return r
	}
}

// add takes what was counted by a moment.
func (d *disk) add(n *[diskColumns]uint64, columns int, time100ns uint64) {
	d.before, d.n, d.columns, d.time100ns = d.n, *n, columns, time100ns
	busy := n[diskBusyMS] * millisecond
	if n[diskBusyMS] < d.before[diskBusyMS] {
		d.idle.sum = below(d.idle.sum)
		d.idle.shift = time100ns - busy - d.idle.sum
	}
	// The kernel counts busy time in ticks, so that it may grow by a little more than
	// the clock: then the disk was not idle.
	d.idle.sum = max(d.idle.sum, grown(busy+d.idle.shift, time100ns))
}

func diskIdle(d *disk) cooker.Reading {
	r := diskTime(diskBusyMS)(d)
	if r.State == cooker.OK {
		r.Raw = d.idle.sum
	}
	return r
}

// diskMeanTime is time over number, of pairs of columns of number and ms.
func diskMeanTime(pairs ...int) diskRead {
	const nanoseconds = 1_000_000 // of a millisecond, the tick of PerfTime
	return diskMean(nanoseconds, pairs)
}

func diskMeanSize(pairs ...int) diskRead { return diskMean(sector, pairs) }

func diskMean(unit uint64, pairs []int) diskRead {
	var counts, amounts []int
	for i := 0; i < len(pairs); i += 2 {
		counts, amounts = append(counts, pairs[i]), append(amounts, pairs[i+1])
	}
	count, amount := diskSum(1, counts...), diskSum(unit, amounts...)
	return func(d *disk) cooker.Reading {
		n, sum := count(d), amount(d)
		r := ratio(sum.Raw, n.Raw)
		r.State = cmp.Or(n.State, sum.State)
		return r
	}
}

const (
	kibibyteShift = 10
	mebibyteShift = 20
)

func freeShare(d *disk) cooker.Reading {
	if d.spaceWhy != cooker.OK {
		return missing(d.spaceWhy)
	}
	return ratio(d.space.available>>kibibyteShift, d.space.usable>>kibibyteShift) // volumes may be small
}

func freeMegabytes(d *disk) cooker.Reading {
	if d.spaceWhy != cooker.OK {
		return missing(d.spaceWhy)
	}
	return raw(d.space.available >> mebibyteShift)
}
