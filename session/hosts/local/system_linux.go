package local

import (
	"perfdeck/cooker"
	"perfdeck/session"
)

type systemCollector struct {
	single[system]

	tick   *tick
	fileNr kernelFile
	system system
}

func newSystemCollector(t *tick) collector {
	return &systemCollector{single: single[system]{rows: systemCounters}, tick: t, fileNr: t.proc("sys/fs/file-nr")}
}

func (c *systemCollector) collect(b *session.SetBatch, clocks cooker.Clocks) {
	b.Clocks = clocks
	s := &c.system
	s.boot = c.tick.clock.boot()
	if c.needs&needStat != 0 {
		stat, err := c.tick.readStat()
		s.stat, s.statWhy = stat, absent(err)
		b.Clocks = c.tick.statClocks
	}
	if c.needs&needLoad != 0 {
		load, err := c.tick.loadavg.of(c.tick.gen)
		s.load, s.loadWhy = *load, absent(err)
	}
	if c.needs&needPids != 0 {
		pids, err := c.tick.listPids()
		s.processes = cooker.Reading{Raw: uint64(len(pids)), Size: 8, State: statusOf(err)}
	}
	if c.needs&needFiles != 0 {
		s.files = c.openFiles()
	}
	c.fill(b, s)
}

// openFiles is the first field of /proc/sys/fs/file-nr.
func (c *systemCollector) openFiles() cooker.Reading {
	data, err := c.fileNr.read()
	n, _, ok := number(data)
	if !ok {
		return missing(absent(err))
	}
	return raw(n)
}

func (c *systemCollector) close() { c.fileNr.close() }
