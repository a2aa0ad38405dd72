package local

import (
	"strconv"

	"perfdeck/cooker"
)

// idleRow makes the process Idle of the CPUs' unused time. Its count goes on
// when a CPU goes offline.
type idleRow struct {
	process
	now   idleProcess
	whole uint64 // of all CPUs, busy and idle, 100 ns: as much as time passed
	stat  statFile
	cpus  []idleCPU // by number
	round uint64
}

type idleCPU struct {
	clock cpuClock
	round uint64 // in which it was seen
}

// read advances the CPUs; it is false if there are none.
func (r *idleRow) read(stat *kernelFile, clocks cooker.Clocks, tick100ns uint64) bool {
	data, _ := stat.read()
	r.stat.parse(data)
	return r.advance(clocks.Time100ns, tick100ns)
}

// advance takes the columns that stat has, as of a time.
func (r *idleRow) advance(time100ns, tick100ns uint64) bool {
	r.round++
	was, whole, fell := r.now.time100ns, r.whole, false
	r.now.cpus = uint64(len(r.stat.cpus))
	for i := range r.stat.cpus {
		t := &r.stat.cpus[i]
		for len(r.cpus) <= t.number {
			r.cpus = append(r.cpus, idleCPU{})
		}
		c := &r.cpus[t.number]
		if c.round+1 != r.round {
			c.clock = cpuClock{}
		}
		before, started, at := c.clock.idle(), c.clock.started, c.clock.time
		c.clock.advance(&t.cols, time100ns, tick100ns)
		switch idle := c.clock.idle(); {
		case started && idle < before: // it began anew
			fell = true
		case started:
			r.now.time100ns += idle - before
			r.whole += c.clock.time - at
		case r.round == 1:
			r.now.time100ns += idle
			for _, n := range c.clock.acc[:partitioned] {
				r.whole += n
			}
		}
		c.round = r.round
	}
	if fell {
		r.now.time100ns, r.whole = below(was), below(whole)
	}
	return len(r.stat.cpus) > 0
}

// decimalBytes writes a number into a buffer that is used again.
func decimalBytes(buf *[]byte, n uint32) []byte {
	*buf = strconv.AppendUint((*buf)[:0], uint64(n), 10)
	return *buf
}
