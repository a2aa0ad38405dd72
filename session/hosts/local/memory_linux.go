package local

import (
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
)

type memoryCollector struct {
	single[memory]

	tick       *tick
	overcommit kernelFile
	checked    time.Duration // overcommit
	looked     bool
	memory     memory
}

func newMemoryCollector(t *tick) collector {
	return &memoryCollector{
		single: single[memory]{rows: memoryCounters}, tick: t, overcommit: t.proc("sys/vm/overcommit_memory"),
	}
}

func (m *memoryCollector) collect(b *session.SetBatch, clocks cooker.Clocks) {
	b.Clocks = clocks
	if m.needs&needMeminfo != 0 {
		info, err := m.tick.meminfo.of(m.tick.gen)
		m.memory.values = *info
		m.memory.why = absent(err)
	}
	if m.needs&needVmstat != 0 {
		vm, err := m.tick.vmstat.of(m.tick.gen)
		m.memory.vm = *vm
		m.memory.vmWhy = absent(err)
	}
	if m.needs&needOvercommit != 0 {
		m.readOvercommit()
	}
	m.fill(b, &m.memory)
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

func (m *memoryCollector) close() { m.overcommit.close() }

// absent is the status of what was not found in a file that was read, or why
// the file could not be read.
func absent(err error) cooker.Status {
	if err == nil {
		return cooker.Unavailable
	}
	return statusOf(err)
}

const availableFrom = "/proc/meminfo MemAvailable, else MemFree + Buffers + Cached + SReclaimable - Shmem"

var memoryOrigins = origins{
	"Page Faults/sec":                     "/proc/vmstat pgfault",
	"Available Bytes":                     availableFrom,
	"Available KBytes":                    availableFrom,
	"Available MBytes":                    availableFrom,
	"Committed Bytes":                     "/proc/meminfo Committed_AS",
	"Commit Limit":                        "/proc/meminfo MemTotal + SwapTotal; CommitLimit where vm.overcommit_memory is 2",
	"% Committed Bytes In Use":            "/proc/meminfo Committed_AS by MemTotal + SwapTotal; by CommitLimit where vm.overcommit_memory is 2",
	"Pages/sec":                           "/proc/vmstat pswpin + pswpout",
	"Pages Input/sec":                     "/proc/vmstat pswpin",
	"Pages Output/sec":                    "/proc/vmstat pswpout",
	"Page Reads/sec":                      "/proc/vmstat pgmajfault",
	"Pool Paged Bytes":                    "/proc/meminfo SReclaimable",
	"Pool Nonpaged Bytes":                 "/proc/meminfo SUnreclaim + KernelStack + PageTables",
	"Cache Bytes":                         "/proc/meminfo Buffers + Cached + SReclaimable",
	"Free & Zero Page List Bytes":         "/proc/meminfo MemFree",
	"Modified Page List Bytes":            "/proc/meminfo Dirty + Writeback",
	"Standby Cache Normal Priority Bytes": "/proc/meminfo Inactive(file)",
	"Standby Cache Core Bytes":            "/proc/meminfo Active(file)",
	"Block Bytes In/sec":                  "/proc/vmstat pgpgin",
	"Block Bytes Out/sec":                 "/proc/vmstat pgpgout",
	"File Refaults/sec":                   "/proc/vmstat workingset_refault_file, else workingset_refault",
	"Physical Bytes":                      "/proc/meminfo MemTotal",
	"Swap Used Bytes":                     "/proc/meminfo SwapTotal - SwapFree",
	"OOM Kills":                           "/proc/vmstat oom_kill",
}
