package local

import (
	"cmp"
	"slices"

	"perfdeck/cooker"
	"perfdeck/session"
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

func physicalDiskSet() *session.Counterset {
	return describe(&session.Counterset{
		V1Index: 234, Name: "PhysicalDisk", Instances: session.MultipleInstances,
		Description: "Disks as devices, with their requests, bytes and times.",
	}, diskCounters)
}

func logicalDiskSet() *session.Counterset {
	return describe(&session.Counterset{
		V1Index: 236, Name: "LogicalDisk", Instances: session.MultipleInstances,
		Description: "Mounted volumes, with their space and the requests of their devices.",
	}, logicalDiskCounters)
}

// sector is the unit of /proc/diskstats whatever the disk has.
const sector = 512

var diskCounters = []counter[disk]{
	{1, "Current Disk Queue Length", cooker.CounterRawCount, 1, "Requests pending now", 0, needRequests, diskSum(1, diskInFlight)},
	{2, "% Disk Time", cooker.Precision100nsTimer, 0, "All request time, overlaps added", totalMean, needRequests, diskTime(diskReadMS, diskWriteMS)},
	{3, "Avg. Disk Queue Length", cooker.Counter100nsQueueLen, 2, "Mean requests waiting or running", 0, needRequests, diskSum(millisecond, diskReadMS, diskWriteMS)},
	{4, "% Disk Read Time", cooker.Precision100nsTimer, 0, "Read request time, overlaps added", totalMean, needRequests, diskTime(diskReadMS)},
	{5, "Avg. Disk Read Queue Length", cooker.Counter100nsQueueLen, 2, "Mean reads waiting or running", 0, needRequests, diskSum(millisecond, diskReadMS)},
	{6, "% Disk Write Time", cooker.Precision100nsTimer, 0, "Write request time, overlaps added", totalMean, needRequests, diskTime(diskWriteMS)},
	{7, "Avg. Disk Write Queue Length", cooker.Counter100nsQueueLen, 2, "Mean writes waiting or running", 0, needRequests, diskSum(millisecond, diskWriteMS)},
	{8, "Avg. Disk sec/Transfer", cooker.AverageTimer, 3, "Mean time of a request", 0, needRequests, diskMeanTime(diskReads, diskReadMS, diskWrites, diskWriteMS)},
	{9, "Avg. Disk sec/Read", cooker.AverageTimer, 3, "Mean time of a read", 0, needRequests, diskMeanTime(diskReads, diskReadMS)},
	{10, "Avg. Disk sec/Write", cooker.AverageTimer, 3, "Mean time of a write", 0, needRequests, diskMeanTime(diskWrites, diskWriteMS)},
	{11, "Disk Transfers/sec", cooker.CounterCounter, 0, "Reads and writes finished", 0, needRequests, diskSum(1, diskReads, diskWrites)},
	{12, "Disk Reads/sec", cooker.CounterCounter, 0, "Reads finished", 0, needRequests, diskSum(1, diskReads)},
	{13, "Disk Writes/sec", cooker.CounterCounter, 0, "Writes finished", 0, needRequests, diskSum(1, diskWrites)},
	{14, "Disk Bytes/sec", cooker.CounterBulkCount, -4, "Bytes read and written", 0, needRequests, diskSum(sector, diskReadSectors, diskWriteSectors)},
	{15, "Disk Read Bytes/sec", cooker.CounterBulkCount, -4, "Bytes read", 0, needRequests, diskSum(sector, diskReadSectors)},
	{16, "Disk Write Bytes/sec", cooker.CounterBulkCount, -4, "Bytes written", 0, needRequests, diskSum(sector, diskWriteSectors)},
	{17, "Avg. Disk Bytes/Transfer", cooker.AverageBulk, -2, "Mean size of a request", 0, needRequests, diskMeanSize(diskReads, diskReadSectors, diskWrites, diskWriteSectors)},
	{18, "Avg. Disk Bytes/Read", cooker.AverageBulk, -2, "Mean size of a read", 0, needRequests, diskMeanSize(diskReads, diskReadSectors)},
	{19, "Avg. Disk Bytes/Write", cooker.AverageBulk, -2, "Mean size of a write", 0, needRequests, diskMeanSize(diskWrites, diskWriteSectors)},
	{20, "% Idle Time", cooker.Precision100nsTimer, 0, "Time without requests", totalMean, needRequests, diskIdle},
	{1001, "Disk Merges/sec", cooker.CounterCounter, 0, "Requests joined to others", 0, needRequests, diskSum(1, diskReadMerges, diskWriteMerges)},
	{1002, "Discards/sec", cooker.CounterCounter, 0, "Trims finished", 0, needRequests, diskSum(1, diskDiscards)},
	{1003, "Discard Bytes/sec", cooker.CounterBulkCount, -4, "Bytes trimmed", 0, needRequests, diskSum(sector, diskDiscardSectors)},
	{1004, "Flushes/sec", cooker.CounterCounter, 0, "Flushes finished", 0, needRequests, diskSum(1, diskFlushes)},
	{1005, "Avg. Disk sec/Flush", cooker.AverageTimer, 3, "Mean time of a flush", 0, needRequests, diskMeanTime(diskFlushes, diskFlushMS)},
}

var logicalDiskCounters = append([]counter[disk]{
	{31, "% Free Space", cooker.RawFraction, 0, "Space left for users", 0, needSpace, freeShare},
	{32, "Free Megabytes", cooker.CounterRawCount, 0, "Space left for users, in MB", 0, needSpace, freeMegabytes},
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
