package local

import (
	"time"

	"perfdeck/cooker"
)

// units100ns is one second in units of 100 ns.
const units100ns = 10_000_000

// clock gives the clocks of a reply. Wall time is fixed once, at the start:
// later steps of the wall clock move no counter.
type clock struct {
	monotonic, boottime func() time.Duration
	startTime100ns      uint64 // FILETIME of the moment at which monotonic was 0
	bootTime100ns       uint64 // FILETIME of boot, by the clock that counts sleep
}

func newClock(o *Options) clock {
	now := cooker.FileTime(o.Now())
	return clock{
		monotonic:      o.Monotonic,
		boottime:       o.Boottime,
		startTime100ns: now - uint64(o.Monotonic()/100),
		bootTime100ns:  now - uint64(o.Boottime()/100),
	}
}

// read takes all clocks at one moment. CPU idle time stops in suspend as the
// monotonic clock does; start times count it as the boot clock does.
func (c *clock) read() cooker.Clocks {
	mono := uint64(c.monotonic())
	return cooker.Clocks{
		PerfTime:   mono,
		PerfFreqHz: uint64(time.Second),
		Time100ns:  c.startTime100ns + mono/100,
		ObjTime:    c.bootTime100ns + uint64(c.boottime()/100),
		ObjFreqHz:  units100ns,
	}
}

// boot is the moment of boot as ObjTime, which it never leaves.
func (c *clock) boot() uint64 { return c.bootTime100ns }
