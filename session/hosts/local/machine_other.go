//go:build !linux

package local

import (
	"fmt"
	"math"
	"runtime"
	"slices"

	"github.com/shirou/gopsutil/v4/cpu"
	hostload "github.com/shirou/gopsutil/v4/load"
	"github.com/shirou/gopsutil/v4/mem"
	gops "github.com/shirou/gopsutil/v4/process"

	"perfdeck/cooker"
	"perfdeck/session"
)

var processorHere = here{
	{nil, []string{"% Processor Time", "% User Time", "% Privileged Time", "% Idle Time"}},
	{[]string{"darwin", "freebsd"}, []string{"% Nice Time"}},
	{[]string{"windows", "freebsd"}, []string{"% Interrupt Time"}},
}

// processors reads the counterset Processor Information.
type processors struct {
	cols  []column[processor]
	rows  []processor
	total totals
}

func newProcessors(*tick) collector { return &processors{} }

func (c *processors) choose(w *session.Want) {
	c.cols = columnsHere(processorCounters, w)
	chooseTotals(&c.total, c.cols)
}

func (c *processors) collect(b *session.SetBatch, clocks cooker.Clocks) {
	times, err := cpu.Times(true)
	if err != nil || len(times) == 0 {
		failed(b, clocks, fmt.Errorf("read processor times: %w", err))
		return
	}
	b.Clocks = clocks
	for len(c.rows) < len(times) {
		c.rows = append(c.rows, processor{})
	}
	c.total.begin(len(times))
	for i := range times {
		cols := cpuColumns100ns(&times[i])
		c.rows[i].times.advance(&cols, clocks.Time100ns, 1)
		key := session.InstanceKey{Name: "0," + decimal(i), ID: uint64(i) + 1}
		b.Instances = append(b.Instances, session.Instance{Key: key})
		appendRow(b, c.cols, &c.rows[i])
		c.total.add(i, b.Row(i))
	}
	for _, name := range []string{"0," + totalName, totalName} {
		b.Instances = append(b.Instances, session.Instance{Key: session.InstanceKey{Name: name}, Flags: session.FlagTotal})
	}
	b.Readings = c.total.appendTo(b.Readings)
	b.Readings = append(b.Readings, b.Row(len(times))...)
}

// cpuColumns100ns are the times of a CPU in units of 100 ns. On Windows the
// time in interrupts is a part of that in the system.
func cpuColumns100ns(t *cpu.TimesStat) (cols [cpuColumns]uint64) {
	cols[colUser], cols[colNice], cols[colSystem] = time100ns(t.User), time100ns(t.Nice), time100ns(t.System)
	cols[colIdle], cols[colIRQ] = time100ns(t.Idle), time100ns(t.Irq)
	if runtime.GOOS == "windows" {
		cols[colSystem] = grown(cols[colIRQ], cols[colSystem])
	}
	return cols
}

func time100ns(seconds float64) uint64 { return uint64(max(0, seconds) * units100ns) }

func (c *processors) close() {}

var memoryHere = here{
	{nil, []string{"Available Bytes", "Available KBytes", "Available MBytes", "Physical Bytes", "Swap Used Bytes"}},
	{[]string{"darwin", "freebsd"}, []string{"Free & Zero Page List Bytes"}},
}

type memoryCollector struct {
	single[memory]

	swap   bool // is wanted
	memory memory
}

func newMemoryCollector(*tick) collector {
	return &memoryCollector{single: single[memory]{rows: memoryCounters}}
}

func (c *memoryCollector) choose(w *session.Want) {
	c.single.choose(w)
	c.swap = slices.ContainsFunc(c.cols, func(c column[memory]) bool { return c.name == "Swap Used Bytes" })
}

func (c *memoryCollector) collect(b *session.SetBatch, clocks cooker.Clocks) {
	b.Clocks = clocks
	c.memory = memory{why: cooker.Unavailable, vmWhy: cooker.Unavailable}
	if m, err := mem.VirtualMemory(); err == nil {
		c.memory.set(memTotal, m.Total>>10)
		c.memory.set(memAvailable, m.Available>>10)
		c.memory.set(memFree, m.Free>>10)
	}
	if c.swap { // it takes long on some systems
		c.readSwap()
	}
	c.fill(b, &c.memory)
}

func (c *memoryCollector) readSwap() {
	if s, err := mem.SwapMemory(); err == nil {
		c.memory.set(memSwapTotal, s.Total>>10)
		c.memory.set(memSwapFree, s.Free>>10)
	}
}

func (c *memoryCollector) close() {}

// systemHere leaves out the load of Windows, which has none: it would be made
// up here, by a goroutine that never ends.
var systemHere = here{
	{nil, []string{"System Up Time", "Processes"}},
	{[]string{"darwin", "freebsd"}, []string{"Load Average 1 Minutes x100", "Load Average 5 Minutes x100", "Load Average 15 Minutes x100"}},
}

type systemCollector struct {
	single[system]

	tick   *tick
	system system
}

func newSystemCollector(t *tick) collector {
	return &systemCollector{single: single[system]{rows: systemCounters}, tick: t}
}

func (c *systemCollector) collect(b *session.SetBatch, clocks cooker.Clocks) {
	b.Clocks = clocks
	s := &c.system
	*s = system{boot: c.tick.clock.boot(), loadWhy: cooker.Unavailable, statWhy: cooker.Unavailable}
	if c.needs&needLoad != 0 && runtime.GOOS != "windows" {
		if l, err := hostload.Avg(); err == nil {
			s.load = loadavg{means: true, hundredths: [3]uint64{hundredfold(l.Load1), hundredfold(l.Load5), hundredfold(l.Load15)}}
		}
	}
	if c.needs&needPids != 0 {
		s.processes = missing(cooker.Unavailable)
		if pids, err := gops.Pids(); err == nil {
			s.processes = raw(uint64(len(pids)))
		}
	}
	c.fill(b, s)
}

func hundredfold(f float64) uint64 { return uint64(max(0, math.Round(f*100))) }

func (c *systemCollector) close() {}
