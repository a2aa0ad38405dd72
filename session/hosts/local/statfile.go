package local

import (
	"bytes"

	"perfdeck/cooker"
)

// Columns of a cpu line in /proc/stat, in USER_HZ (proc_stat(5)).
const (
	colUser = iota
	colNice
	colSystem
	colIdle
	colIOWait
	colIRQ
	colSoftIRQ
	colSteal
	colGuest     // inside user
	colGuestNice // inside nice
	cpuColumns
)

// partitioned columns do not overlap: together they are all of a CPU's time.
const partitioned = colSteal + 1

// cpuTimes is one cpuN line. Old kernels have fewer columns: theirs are 0.
type cpuTimes struct {
	number int
	cols   [cpuColumns]uint64
}

// statFile is /proc/stat. What the kernel did not write is not in have.
type statFile struct {
	cpus []cpuTimes
	values
}

// Keys of /proc/stat after the cpu lines.
const (
	statIntr = iota // all interrupts
	statContextSwitches
	statProcesses // forks, threads included
	statRunning
	statBlocked
	statSoftIRQ // all soft interrupts
)

var statKeys = []string{"intr", "ctxt", "processes", "procs_running", "procs_blocked", "softirq"}

func (s *statFile) parse(b []byte) {
	s.cpus, s.values = s.cpus[:0], values{}
	for l := range lines(b) {
		key, rest := field(l)
		if n, ok := numberedName(key, "cpu"); ok && n < maxCPUs {
			s.cpus = append(s.cpus, parseCPU(n, rest))
			continue
		}
		s.setNamed(statKeys, key, rest)
	}
}

func parseCPU(n int, b []byte) cpuTimes {
	t := cpuTimes{number: n}
	for i := range t.cols {
		var ok bool
		if t.cols[i], b, ok = number(b); !ok {
			break
		}
	}
	return t
}

// maxKeys is the number of keys that values can hold.
const maxKeys = 32

// values are the numbers of a file of keys, by the position of the key in a
// list of names.
type values struct {
	have uint32
	n    [maxKeys]uint64
}

// setNamed stores the number of a key that is in names.
func (v *values) setNamed(names []string, key, value []byte) {
	for i, name := range names {
		if string(key) != name {
			continue
		}
		if n, _, ok := number(value); ok {
			v.set(i, n)
		}
		return
	}
}

func (v *values) set(i int, n uint64) {
	v.n[i] = n
	v.have |= 1 << i
}

// has reports whether all these keys were there.
func (v *values) has(keys ...int) bool {
	for _, k := range keys {
		if v.have&(1<<k) == 0 {
			return false
		}
	}
	return true
}

// sum is that of keys in a unit; why one of them is not there.
func (v *values) sum(why cooker.Status, unit uint64, keys ...int) cooker.Reading {
	if !v.has(keys...) {
		return missing(why)
	}
	var n uint64
	for _, k := range keys {
		n += v.n[k]
	}
	return raw(n * unit)
}

// bytes is the sum of keys that are in KiB; those that are not there are 0.
func (v *values) bytes(keys ...int) (n uint64) {
	for _, k := range keys {
		n += v.n[k] << 10
	}
	return n
}

// parse reads lines of `key: value` or `key value`.
func (v *values) parse(names []string, b []byte) {
	*v = values{}
	left := len(names)
	for l := range lines(b) {
		if left == 0 {
			return
		}
		key, rest := keyed(l)
		before := v.have
		v.setNamed(names, key, rest)
		if v.have != before {
			left--
		}
	}
}

// perCPU adds up the columns of a table whose header names CPUs and whose rows
// begin with `name:`, as /proc/interrupts and /proc/softirqs. Rows that are
// not of CPUs, and rows with fewer numbers than CPUs, are left out. It
// returns sums, by CPU number, using its memory.
func perCPU(b []byte, sums []uint64) []uint64 {
	sums = sums[:0]
	head, b := line(b)
	columns := 0
	var numbers [maxCPUs]int32
	for {
		var word []byte
		if word, head = field(head); len(word) == 0 || columns == maxCPUs {
			break
		}
		n, ok := numberedName(word, "CPU")
		if !ok || n >= maxCPUs {
			break
		}
		numbers[columns] = int32(n)
		columns++
		for len(sums) <= n {
			sums = append(sums, 0)
		}
	}
	for l := range lines(b) {
		name, rest := keyed(bytes.TrimLeft(l, " "))
		if columns == 0 || len(name) == 0 || notPerCPU(name) || countNumbers(rest, columns) < columns {
			continue
		}
		for i := range columns {
			var n uint64
			n, rest, _ = number(rest)
			sums[numbers[i]] += n
		}
	}
	return sums
}

// maxCPUs bounds what a broken header can ask for; kernels have at most 8192.
const maxCPUs = 8192

func countNumbers(b []byte, limit int) (n int) {
	for n < limit {
		var ok bool
		if _, b, ok = number(b); !ok {
			break
		}
		n++
	}
	return n
}

// notPerCPU are the rows of /proc/interrupts that are no interrupts of a CPU:
// errors, and TLB, which CAL counts already. /proc/softirqs has none of these names.
func notPerCPU(name []byte) bool {
	switch string(name) {
	case "ERR", "MIS", "Err", "TLB":
		return true
	}
	return false
}
