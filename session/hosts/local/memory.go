package local

import (
	"perfdeck/cooker"
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

var memoryCounters = []counter[memory]{
	{"Page Faults/sec", needVmstat, events(vmFault)},
	{"Available Bytes", needMeminfo, available(0)},
	{"Committed Bytes", needMeminfo, sizes(memCommitted)},
	{"Commit Limit", needMeminfo | needOvercommit, commitLimit},
	{"Pages/sec", needVmstat, events(vmSwapIn, vmSwapOut)},
	{"Pages Input/sec", needVmstat, events(vmSwapIn)},
	{"Page Reads/sec", needVmstat, events(vmMajorFault)},
	{"Pages Output/sec", needVmstat, events(vmSwapOut)},
	{"Pool Paged Bytes", needMeminfo, sizes(memSReclaimable)},
	{"Pool Nonpaged Bytes", needMeminfo, sizes(memSUnreclaim, memKernelStack, memPageTables)},
	{"Cache Bytes", needMeminfo, sizes(memBuffers, memCached, memSReclaimable)},
	{"% Committed Bytes In Use", needMeminfo | needOvercommit, committedShare},
	{"Available KBytes", needMeminfo, available(10)},
	{"Available MBytes", needMeminfo, available(20)},
	{"Free & Zero Page List Bytes", needMeminfo, sizes(memFree)},
	{"Modified Page List Bytes", needMeminfo, sizes(memDirty, memWriteback)},
	{"Standby Cache Normal Priority Bytes", needMeminfo, sizes(memInactiveFile)},
	{"Standby Cache Core Bytes", needMeminfo, sizes(memActiveFile)},
	{"Block Bytes In/sec", needVmstat, blockBytes(vmPageIn)},
	{"Block Bytes Out/sec", needVmstat, blockBytes(vmPageOut)},
	{"File Refaults/sec", needVmstat, refaults},
	{"Physical Bytes", needMeminfo, sizes(memTotal)},
	{"Swap Used Bytes", needMeminfo, swapUsed},
	{"OOM Kills", needVmstat, events(vmOOMKill)},
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
