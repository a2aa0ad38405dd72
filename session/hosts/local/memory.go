package local

import (
	"perfdeck/cooker"
	"perfdeck/session"
)

// memory is the machine's memory in bytes and events, by the mem* constants.
type memory struct {
	values
	overcommitStrict bool // /proc/sys/vm/overcommit_memory is 2
	vm               values
	why              cooker.Status // of what is not in values
	vmWhy            cooker.Status // of what is not in vm
}

// Keys of /proc/meminfo, in KiB.
const (
	memTotal = iota
	memFree
	memAvailable
	memBuffers
	memCached
	memActiveFile
	memInactiveFile
	memSwapTotal
	memSwapFree
	memDirty
	memWriteback
	memShmem
	memSReclaimable
	memSUnreclaim
	memKernelStack
	memPageTables
	memCommitLimit
	memCommitted
	memAnonPages
	memMapped
	memPercpu  // since 4.18
	memHugetlb // since 4.16
)

var memKeys = []string{
	"MemTotal", "MemFree", "MemAvailable", "Buffers", "Cached", "Active(file)", "Inactive(file)",
	"SwapTotal", "SwapFree", "Dirty", "Writeback", "Shmem", "SReclaimable", "SUnreclaim",
	"KernelStack", "PageTables", "CommitLimit", "Committed_AS",
	"AnonPages", "Mapped", "Percpu", "Hugetlb",
}

// Keys of /proc/vmstat, events.
const (
	vmPageIn = iota // KiB
	vmPageOut
	vmSwapIn // pages
	vmSwapOut
	vmFault
	vmMajorFault
	vmRefaultFile
	vmRefault // before 5.9
	vmOOMKill
	vmScanAnon // pages looked at to be taken from their processes, since 5.8
	vmScanFile
	vmCollapse // pages of processes made into one large one
)

var vmKeys = []string{
	"pgpgin", "pgpgout", "pswpin", "pswpout", "pgfault", "pgmajfault",
	"workingset_refault_file", "workingset_refault", "oom_kill",
	"pgscan_anon", "pgscan_file", "thp_collapse_alloc",
}

const (
	needMeminfo = 1 << iota
	needVmstat
	needOvercommit
)

func memorySet() *session.Counterset {
	return describe(&session.Counterset{
		V1Index: 4, Name: "Memory", Instances: session.SingleInstance,
		Description: "Physical memory, its use by kinds, and the traffic between memory and disks.",
	}, memoryCounters)
}

var memoryCounters = []counter[memory]{
	{1, "Page Faults/sec", cooker.CounterCounter, -1, "Faults, with or without disk", 0, needVmstat, events(vmFault)},
	{2, "Available Bytes", cooker.CounterLargeRawCount, -6, "Memory to be had without swapping", 0, needMeminfo, available(0)},
	{3, "Committed Bytes", cooker.CounterLargeRawCount, -6, "Memory promised to programs", 0, needMeminfo, sizes(memCommitted)},
	{4, "Commit Limit", cooker.CounterLargeRawCount, -6, "Most that can be promised", 0, needMeminfo | needOvercommit, commitLimit},
	{5, "Pages/sec", cooker.CounterCounter, 0, "Pages swapped in and out", 0, needVmstat, events(vmSwapIn, vmSwapOut)},
	{6, "Pages Input/sec", cooker.CounterCounter, 0, "Pages swapped in", 0, needVmstat, events(vmSwapIn)},
	{7, "Page Reads/sec", cooker.CounterCounter, 0, "Faults that read the disk", 0, needVmstat, events(vmMajorFault)},
	{8, "Pages Output/sec", cooker.CounterCounter, 0, "Pages swapped out", 0, needVmstat, events(vmSwapOut)},
	{9, "Pool Paged Bytes", cooker.CounterLargeRawCount, -5, "Kernel memory that can be freed", 0, needMeminfo, sizes(memSReclaimable)},
	{10, "Pool Nonpaged Bytes", cooker.CounterLargeRawCount, -5, "Unfreeable kernel memory", 0, needMeminfo, sizes(memSUnreclaim, memKernelStack, memPageTables)},
	{11, "Cache Bytes", cooker.CounterLargeRawCount, -5, "File cache, with shared memory", 0, needMeminfo, sizes(memBuffers, memCached, memSReclaimable)},
	{12, "% Committed Bytes In Use", cooker.RawFraction, 0, "Share of the commit limit that is promised", 0, needMeminfo | needOvercommit, committedShare},
	{13, "Available KBytes", cooker.CounterLargeRawCount, 0, "Memory to be had without swapping, in KiB", 0, needMeminfo, available(10)},
	{14, "Available MBytes", cooker.CounterLargeRawCount, 0, "Memory to be had without swapping, in MiB", 0, needMeminfo, available(20)},
	{15, "Free & Zero Page List Bytes", cooker.CounterLargeRawCount, 0, "Unused memory", 0, needMeminfo, sizes(memFree)},
	{16, "Modified Page List Bytes", cooker.CounterLargeRawCount, 0, "Waiting to be written", 0, needMeminfo, sizes(memDirty, memWriteback)},
	{17, "Standby Cache Normal Priority Bytes", cooker.CounterLargeRawCount, 0, "File cache, cold", 0, needMeminfo, sizes(memInactiveFile)},
	{18, "Standby Cache Core Bytes", cooker.CounterLargeRawCount, 0, "File cache, hot", 0, needMeminfo, sizes(memActiveFile)},
	{1001, "Block Bytes In/sec", cooker.CounterBulkCount, -4, "Bytes read from block devices, by anybody", 0, needVmstat, blockBytes(vmPageIn)},
	{1002, "Block Bytes Out/sec", cooker.CounterBulkCount, -4, "Bytes written to block devices, by anybody", 0, needVmstat, blockBytes(vmPageOut)},
	{1003, "File Refaults/sec", cooker.CounterCounter, 0, "Dropped pages read again", 0, needVmstat, refaults},
	{1004, "Physical Bytes", cooker.CounterLargeRawCount, -6, "Memory of the machine", 0, needMeminfo, sizes(memTotal)},
	{1005, "Swap Used Bytes", cooker.CounterLargeRawCount, -6, "Swap in use", 0, needMeminfo, swapUsed},
	{1006, "OOM Kills", cooker.CounterLargeRawCount, 0, "Programs killed for lack of memory since boot", 0, needVmstat, events(vmOOMKill)},
}

// pageMoves counts what the kernel did to the memory of processes that do not run: pages
// that it looked at to take them, brought back from swap, or made into a large one. While
// none grows, a process that rests has as much memory as before, but for a file that
// another one cuts short.
type pageMoves struct{ scannedAnon, scannedFile, swappedIn, collapsed uint64 }

// pageMovesOf is not known of kernels before 5.8.
func pageMovesOf(vm *values) (m pageMoves, known bool) {
	return pageMoves{vm.n[vmScanAnon], vm.n[vmScanFile], vm.n[vmSwapIn], vm.n[vmCollapse]}, vm.has(vmScanAnon, vmScanFile)
}

type memoryRead = func(*memory) cooker.Reading

// sizes is the sum of keys of /proc/meminfo in bytes.
func sizes(keys ...int) memoryRead {
	return func(m *memory) cooker.Reading { return m.sum(m.why, 1<<10, keys...) }
}

// events is the sum of keys of /proc/vmstat.
func events(keys ...int) memoryRead {
	return func(m *memory) cooker.Reading { return m.vm.sum(m.vmWhy, 1, keys...) }
}

func blockBytes(key int) memoryRead {
	return func(m *memory) cooker.Reading { return m.vm.sum(m.vmWhy, 1<<10, key) }
}

func (m *memory) bytes(keys ...int) (n uint64) {
	for _, k := range keys {
		n += m.n[k] << 10
	}
	return n
}

// available is MemAvailable in units of 2^shift bytes; before Linux 3.14, what
// it is made of.
func available(shift uint) memoryRead {
	return func(m *memory) cooker.Reading {
		switch {
		case m.has(memAvailable):
			return raw(m.bytes(memAvailable) >> shift)
		case m.has(memFree, memBuffers, memCached, memSReclaimable, memShmem):
			return raw(grown(m.bytes(memShmem), m.bytes(memFree, memBuffers, memCached, memSReclaimable)) >> shift)
		}
		return missing(m.why)
	}
}

// commitLimit is CommitLimit where the kernel enforces it.
func commitLimit(m *memory) cooker.Reading {
	switch {
	case m.overcommitStrict && m.has(memCommitLimit):
		return raw(m.bytes(memCommitLimit))
	case !m.overcommitStrict && m.has(memTotal, memSwapTotal):
		return raw(m.bytes(memTotal, memSwapTotal))
	}
	return missing(m.why)
}

func committedShare(m *memory) cooker.Reading {
	limit := commitLimit(m)
	if limit.State != cooker.OK || !m.has(memCommitted) {
		return missing(m.why)
	}
	return ratio(m.bytes(memCommitted), limit.Raw)
}

func swapUsed(m *memory) cooker.Reading {
	if !m.has(memSwapTotal, memSwapFree) {
		return missing(m.why)
	}
	return raw(grown(m.bytes(memSwapFree), m.bytes(memSwapTotal)))
}

func refaults(m *memory) cooker.Reading {
	if m.vm.has(vmRefaultFile) {
		return raw(m.vm.n[vmRefaultFile])
	}
	return events(vmRefault)(m)
}
