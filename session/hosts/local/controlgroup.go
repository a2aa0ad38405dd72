package local

import (
	"bytes"
	"strings"

	"perfdeck/cooker"
)

// controlGroup is one control group; values that its files do not have are
// not in have.
type controlGroup struct {
	values
	why      cooker.Status
	pressure [3]pressure // cpu, io, memory
}

// Values of a control group.
const (
	cgUsage = iota // µs, as the next three
	cgUser
	cgSystem
	cgThrottledTime
	cgThrottled // times
	cgMemory    // bytes, as the next two
	cgMemoryMax
	cgMemoryAndSwap // version 1 has the sum
	cgSwap
	cgProcesses
	cgReadBytes
	cgWriteBytes
	cgCPUs   // hundredths of a CPU allowed
	cgQuota  // µs of CPU time in a period, as the next
	cgPeriod // µs
	cgMemoryHigh
	cgMemoryAbove  // bytes: the lowest limit of it and of all groups above it, in version 1
	cgInactiveFile // bytes of file cache, as the next, with the groups below it
	cgFile
	cgLimitHits // times, as the next
	cgKilled
)

// cpuStatKeys are in the order of the values above.
var cpuStatKeys = []string{"usage_usec", "user_usec", "system_usec", "throttled_usec", "nr_throttled"}

// parseCPUStat reads both versions: version 1 has the throttled time in ns.
func (c *controlGroup) parseCPUStat(b []byte) {
	for l := range lines(b) {
		key, value := field(l)
		if string(key) == "throttled_time" {
			c.parseTime(cgThrottledTime, value)
			continue
		}
		c.setNamed(cpuStatKeys, key, value)
	}
}

// parseMemoryStat reads memory.stat of both versions.
func (c *controlGroup) parseMemoryStat(b []byte) {
	for l := range lines(b) {
		key, value := field(l)
		n, _, ok := number(value)
		if !ok {
			continue
		}
		switch string(key) {
		case "hierarchical_memory_limit":
			c.parseNumber(cgMemoryAbove, value)
		case "inactive_file", "total_inactive_file": // version 1 has the group alone before
			c.set(cgInactiveFile, n)
		case "file", "total_cache":
			c.set(cgFile, n)
		}
	}
}

// parseMemoryEvents reads memory.events, and memory.oom_control of version 1.
func (c *controlGroup) parseMemoryEvents(b []byte) {
	for l := range lines(b) {
		switch key, value := field(l); string(key) {
		case "max":
			c.parseNumber(cgLimitHits, value)
		case "oom_kill":
			c.parseNumber(cgKilled, value)
		}
	}
}

// parseTime reads nanoseconds.
func (c *controlGroup) parseTime(key int, b []byte) {
	const nanoseconds = 1000 // of a microsecond
	if n, _, ok := number(b); ok && !c.has(key) {
		c.set(key, n/nanoseconds)
	}
}

// parseNumber reads a file of one number. Limits that are not set read `max`
// or -1, and in version 1 nearly 2^63.
func (c *controlGroup) parseNumber(key int, b []byte) {
	const noLimit = 1 << 50
	if n, _, ok := number(b); ok && n < noLimit && !c.has(key) {
		c.set(key, n)
	}
}

// parseCPUMax reads `quota period`; without a limit the quota is `max`.
func (c *controlGroup) parseCPUMax(b []byte) {
	quota, period := field(b)
	c.parseNumber(cgQuota, quota)
	c.parseNumber(cgPeriod, period)
}

// finish makes values that two files tell together.
func (c *controlGroup) finish() {
	if c.has(cgQuota, cgPeriod) && c.n[cgPeriod] > 0 {
		c.set(cgCPUs, c.n[cgQuota]*100/c.n[cgPeriod])
	}
	if c.has(cgMemory, cgMemoryAndSwap) && !c.has(cgSwap) {
		c.set(cgSwap, grown(c.n[cgMemory], c.n[cgMemoryAndSwap]))
	}
}

// parseServiceBytes adds up `device Read n`, `device Write n` of version 1.
func (c *controlGroup) parseServiceBytes(b []byte) {
	if c.has(cgReadBytes) {
		return
	}
	var read, written uint64
	for l := range lines(b) {
		_, l = field(l)
		operation, value := field(l)
		n, _, _ := number(value)
		switch string(operation) {
		case "Read":
			read += n
		case "Write":
			written += n
		}
	}
	c.set(cgReadBytes, read)
	c.set(cgWriteBytes, written)
}

// parseIOStat adds up `device rbytes=n wbytes=n ...` over devices.
func (c *controlGroup) parseIOStat(b []byte) {
	var read, written uint64
	for l := range lines(b) {
		for {
			var word []byte
			if word, l = field(l); len(word) == 0 {
				break
			}
			key, value, _ := bytes.Cut(word, []byte("="))
			n, _, _ := number(value)
			switch string(key) {
			case "rbytes":
				read += n
			case "wbytes":
				written += n
			}
		}
	}
	c.set(cgReadBytes, read)
	c.set(cgWriteBytes, written)
}

const (
	needCPUStat = 1 << iota
	needCPUMax
	needGroupMemory
	needGroupSwap
	needGroupPids
	needIOStat
	needGroupPressure
	needMemoryStat
	needMemoryEvents
	needStatLocal
)

var controlGroupCounters = []counter[controlGroup]{
	{"% Processor Time", needCPUStat, groupValue(cgUsage, microsecond)},
	{"% User Time", needCPUStat, groupValue(cgUser, microsecond)},
	{"% Privileged Time", needCPUStat, groupValue(cgSystem, microsecond)},
	{"% Throttled Time", needCPUStat, groupValue(cgThrottledTime, microsecond)},
	{"Throttled/sec", needCPUStat, groupValue(cgThrottled, 1)},
	{"Memory Bytes", needGroupMemory, groupValue(cgMemory, 1)},
	{"% Memory Limit", needGroupMemory, memoryLimit},
	{"Swap Bytes", needGroupSwap, groupValue(cgSwap, 1)},
	{"Processes", needGroupPids, groupValue(cgProcesses, 1)},
	{"Read Bytes/sec", needIOStat, groupValue(cgReadBytes, 1)},
	{"Write Bytes/sec", needIOStat, groupValue(cgWriteBytes, 1)},
	{"CPUs Allowed x100", needCPUMax, groupValue(cgCPUs, 1)},
	{"% CPU Some Stall Time", needGroupPressure, groupStall(0, someOf)},
	{"% CPU Full Stall Time", needGroupPressure, groupStall(0, fullOf)},
	{"% IO Some Stall Time", needGroupPressure, groupStall(1, someOf)},
	{"% IO Full Stall Time", needGroupPressure, groupStall(1, fullOf)},
	{"% Memory Some Stall Time", needGroupPressure, groupStall(2, someOf)},
	{"% Memory Full Stall Time", needGroupPressure, groupStall(2, fullOf)},
}

func groupValue(key int, unit uint64) func(*controlGroup) cooker.Reading {
	return func(c *controlGroup) cooker.Reading { return c.sum(c.why, unit, key) }
}

func memoryLimit(c *controlGroup) cooker.Reading {
	if !c.has(cgMemory, cgMemoryMax) {
		return missing(c.why)
	}
	return ratio(c.n[cgMemory], c.n[cgMemoryMax])
}

// stalledGroup are the counts of a group that grow no faster than time.
func stalledGroup(c *controlGroup) [mostPaced]uint64 {
	return [mostPaced]uint64{c.pressure[0].time(), c.pressure[1].time(), c.pressure[2].time()}
}

func groupStall(file int, of func(*pressure) *stall) func(*controlGroup) cooker.Reading {
	read := stallTime(of)
	return func(c *controlGroup) cooker.Reading {
		c.pressure[file].why = c.why
		return read(&c.pressure[file])
	}
}

// cgroupPath is the control group in /proc/PID/cgroup: of version 2 if there
// is one, else of the first hierarchy that is not the root.
func cgroupPath(b []byte) string {
	var first string
	for l := range lines(b) {
		id, rest, ok := bytes.Cut(l, []byte(":"))
		_, path, ok2 := bytes.Cut(rest, []byte(":"))
		if !ok || !ok2 || len(path) == 0 {
			continue
		}
		if string(id) == "0" && string(path) != "/" {
			return strings.ToValidUTF8(string(path), "\uFFFD")
		}
		if first == "" || first == "/" {
			first = strings.ToValidUTF8(string(path), "\uFFFD")
		}
	}
	return first
}

// containerIDBytes is how much of an id people use.
const containerIDBytes = 12

// containerName finds the container in a cgroup path as Docker, Podman,
// containerd, CRI-O, LXC and systemd-nspawn name their groups; empty if none.
func containerName(path string) string {
	for part := range strings.SplitSeq(path, "/") {
		switch {
		case strings.HasPrefix(part, "lxc.payload."):
			return part[len("lxc.payload."):]
		case strings.HasPrefix(part, "machine-") && strings.HasSuffix(part, ".scope"):
			return strings.TrimSuffix(part[len("machine-"):], ".scope")
		}
	}
	last := strings.TrimSuffix(path[strings.LastIndexByte(path, '/')+1:], ".scope")
	id := last[strings.LastIndexByte(last, '-')+1:]
	id = id[strings.LastIndexByte(id, ':')+1:]
	if len(id) == 64 && strings.Trim(id, "0123456789abcdef") == "" {
		return id[:containerIDBytes]
	}
	if _, after, ok := strings.Cut(path, "/lxc/"); ok {
		name, _, _ := strings.Cut(after, "/")
		return name
	}
	return ""
}

func groupNumber(key int) func(*controlGroup, []byte) {
	return func(c *controlGroup, b []byte) { c.parseNumber(key, b) }
}
