package local

import (
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
)

type memoryCollector struct {
	tick       *tick
	meminfo    kernelFile
	overcommit kernelFile
	checked    time.Duration // overcommit
	looked     bool
	cols       []column[memory]
	needs      uint32
	memory     memory
}

func newMemoryCollector(t *tick) collector {
	return &memoryCollector{
		tick: t, meminfo: quick(t.proc("meminfo")), overcommit: t.proc("sys/vm/overcommit_memory"),
	}
}

func (m *memoryCollector) choose(w *session.Want) {
	m.cols = columns(memoryCounters, w)
	m.needs = needsOf(m.cols)
}

func (m *memoryCollector) collect(b *session.SetBatch, clocks cooker.Clocks) {
	b.Clocks = clocks
	if m.needs&needMeminfo != 0 {
		data, err := m.meminfo.read()
		m.memory.parse(memKeys, data)
		m.memory.why = absent(err)
	}
	if m.needs&needVmstat != 0 {
		vm, err := m.tick.readVMStat()
		m.memory.vm = *vm
		m.memory.vmWhy = absent(err)
	}
	if m.needs&needOvercommit != 0 {
		m.readOvercommit()
	}
	b.Instances = append(b.Instances, session.Instance{})
	appendRow(b, m.cols, &m.memory)
}

// readOvercommit looks now and then: administrators set it, and sysctl files
// are slow for what they hold.
func (m *memoryCollector) readOvercommit() {
	if m.looked && m.tick.now-m.checked < recheck {
		return
	}
	m.looked, m.checked = true, m.tick.now
	data, _ := m.overcommit.read()
	m.memory.overcommitStrict = len(data) > 0 && data[0] == '2'
}

func (m *memoryCollector) close() {
	m.meminfo.close()
	m.overcommit.close()
}

// absent is the status of what was not found in a file that was read, or why
// the file could not be read.
func absent(err error) cooker.Status {
	if err == nil {
		return cooker.Unavailable
	}
	return statusOf(err)
}

var memoryOrigins = origins{
	{"/proc/vmstat pgfault", []string{"Page Faults/sec"}},
	{"/proc/meminfo MemAvailable, else MemFree + Buffers + Cached + SReclaimable - Shmem", []string{"Available Bytes", "Available KBytes", "Available MBytes"}},
	{"/proc/meminfo Committed_AS", []string{"Committed Bytes"}},
	{"/proc/meminfo MemTotal + SwapTotal; CommitLimit where vm.overcommit_memory is 2", []string{"Commit Limit"}},
	{"/proc/meminfo Committed_AS by MemTotal + SwapTotal; by CommitLimit where vm.overcommit_memory is 2", []string{"% Committed Bytes In Use"}},
	{"/proc/vmstat pswpin + pswpout", []string{"Pages/sec"}},
	{"/proc/vmstat pswpin", []string{"Pages Input/sec"}},
	{"/proc/vmstat pswpout", []string{"Pages Output/sec"}},
	{"/proc/vmstat pgmajfault", []string{"Page Reads/sec"}},
	{"/proc/meminfo SReclaimable", []string{"Pool Paged Bytes"}},
	{"/proc/meminfo SUnreclaim + KernelStack + PageTables", []string{"Pool Nonpaged Bytes"}},
	{"/proc/meminfo Buffers + Cached + SReclaimable", []string{"Cache Bytes"}},
	{"/proc/meminfo MemFree", []string{"Free & Zero Page List Bytes"}},
	{"/proc/meminfo Dirty + Writeback", []string{"Modified Page List Bytes"}},
	{"/proc/meminfo Inactive(file)", []string{"Standby Cache Normal Priority Bytes"}},
	{"/proc/meminfo Active(file)", []string{"Standby Cache Core Bytes"}},
	{"/proc/vmstat pgpgin", []string{"Block Bytes In/sec"}},
	{"/proc/vmstat pgpgout", []string{"Block Bytes Out/sec"}},
	{"/proc/vmstat workingset_refault_file, else workingset_refault", []string{"File Refaults/sec"}},
	{"/proc/meminfo MemTotal", []string{"Physical Bytes"}},
	{"/proc/meminfo SwapTotal - SwapFree", []string{"Swap Used Bytes"}},
	{"/proc/vmstat oom_kill", []string{"OOM Kills"}},
}
