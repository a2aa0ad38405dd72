package local

import (
	"bytes"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"perfdeck/cooker"
)

// frequencies has the clocks of all CPUs. Reading one may wake its CPU and
// take milliseconds, so it is done aside.
type frequencies struct {
	options *Options
	latest  latest[rates]
	clocks  clocks        // of the read under way, and of one alone
	every   time.Duration // between two reads
}

// rates are the frequencies of CPUs, by number.
type rates struct {
	of     map[int]frequency
	steady bool // they do not change
}

type frequency struct{ kHz, maxKHz uint64 }

// read fills mhz and ofMaximum of all rows with what was read last.
func (f *frequencies) read(rows []cpuRow) {
	numbers := make([]int, len(rows))
	for i := range rows {
		numbers[i] = rows[i].number
	}
	o, at := f.options, f.options.Monotonic()
	answer, ok := f.latest.get(o, f.every, func() rates { return f.clocks.read(o, at, numbers) })
	if f.every = 0; answer.steady && len(answer.of) == len(rows) {
		f.every = recheck
	}
	for i := range rows {
		r := &rows[i].processor
		now := answer.of[rows[i].number]
		r.mhz, r.ofMaximum = missing(cooker.Unavailable), missing(cooker.Unavailable)
		switch {
		case !ok:
			r.mhz, r.ofMaximum = missing(cooker.Pending), missing(cooker.Pending)
		case now.kHz > 0:
			r.mhz = raw(now.kHz / 1000)
			if now.maxKHz > 0 {
				r.ofMaximum = raw(100 * now.kHz / now.maxKHz)
			}
		}
	}
}

// clocks knows which CPUs have files of their frequency, so that what is not
// there is not looked for in each tick.
type clocks struct {
	looked  time.Duration
	current map[int]string // the files of those that have one; nil: not looked yet
	maxKHz  map[int]uint64
	info    kernelFile // open only while it is read: nobody knows when the last read ends
}

func (c *clocks) look(o *Options, now time.Duration, cpus []int) {
	c.looked, c.current, c.maxKHz = now, make(map[int]string), make(map[int]uint64)
	for _, cpu := range cpus {
		dir := filepath.Join(o.Sys, "devices/system/cpu/cpu"+decimal(cpu), "cpufreq")
		path := filepath.Join(dir, "scaling_cur_freq")
		if fileNumber(path) > 0 {
			c.current[cpu] = path
		}
		c.maxKHz[cpu] = fileNumber(filepath.Join(dir, "cpuinfo_max_freq"))
	}
}

func (c *clocks) read(o *Options, now time.Duration, cpus []int) rates {
	if c.current == nil || now-c.looked >= recheck {
		c.look(o, now, cpus)
	}
	out := rates{of: make(map[int]frequency, len(cpus))}
	var info map[int]uint64
	for _, cpu := range cpus {
		f := frequency{maxKHz: c.maxKHz[cpu]}
		if path, ok := c.current[cpu]; ok {
			f.kHz = fileNumber(path)
		}
		if f.kHz == 0 {
			if info == nil {
				info, out.steady = c.readInfo(o)
			}
			f.kHz = info[cpu] * 1000
		}
		out.of[cpu] = f
	}
	return out
}

// readInfo is the frequencies of /proc/cpuinfo. Without a driver and without counters of
// cycles, as in most virtual machines, these are the one that was measured at boot
// (arch_freq_get_on_cpu in arch/x86/kernel/cpu/aperfmperf.c).
func (c *clocks) readInfo(o *Options) (mhz map[int]uint64, steady bool) {
	c.info.path, c.info.record = filepath.Join(o.Proc, "cpuinfo"), anySize
	data, err := c.info.read()
	mhz = cpuMHz(data)
	steady = err == nil && len(c.current) == 0 && hasFlags(data) && !bytes.Contains(data, []byte(" aperfmperf"))
	c.info.close()
	return mhz, steady
}

// hasFlags tells that this is a file as x86 has it.
func hasFlags(cpuinfo []byte) bool { return bytes.Contains(cpuinfo, []byte("\nflags\t")) }

// fileNumber is the number in a file, 0 if there is none. Such a file is read
// in one go, past the poller, which cannot wait for it anyway.
func fileNumber(path string) uint64 {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0
	}
	defer func() { _ = unix.Close(fd) }()
	var data [32]byte
	got, err := unix.Read(fd, data[:])
	if err != nil {
		return 0
	}
	n, _, _ := number(data[:got])
	return n
}
