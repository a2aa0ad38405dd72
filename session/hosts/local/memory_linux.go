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
