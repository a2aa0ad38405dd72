package top

import (
	"strings"

	"perfdeck/paths"
	"perfdeck/session"
)

// cause says by which counter of its processes a host tells who causes what a
// counter of another counterset shows.
type cause struct {
	sets []string // as Windows names them; a * at the end stands for anything
	// part is what the counter's name holds, instance whose value it is; empty: any.
	part, instance string
	// by are counters of Process and Process V2, the best first. None: processes
	// do not tell; why says so.
	by  []string
	why string
}

var (
	disks    = []string{"PhysicalDisk", "LogicalDisk", "FileSystem Disk Activity"}
	networks = []string{"Network Interface", "Network Adapter", "Per Processor Network*", "TCPv*", "UDPv*", "IPv*", "ICMP*", "Redirector", "Server"}
	paging   = []string{"Paging File"}
	memory   = []string{"Memory"}
	spaces   = []string{"Memory", "NUMA Node Memory"}
	cpus     = []string{"Processor", "Processor Information", "Processor Performance", "Thermal Zone Information", "System"}
	system   = []string{"System"}
	stalls   = []string{"Pressure Stall Information"}
)

// The counters of a process for what is often meant. Where a process tells what
// reaches the disk, that comes before what it reads and writes by calls.
var (
	ioRead   = []string{"Disk Read Bytes/sec", "IO Read Bytes/sec", "IO Data Bytes/sec"}
	ioWrite  = []string{"Disk Write Bytes/sec", "IO Write Bytes/sec", "IO Data Bytes/sec"}
	ioData   = []string{"Disk Bytes/sec", "IO Data Bytes/sec", "IO Read Bytes/sec"}
	faults   = []string{"Page Faults/sec"}
	hard     = append([]string{"Major Faults/sec"}, faults...)
	swapped  = append([]string{"Page File Bytes"}, private...)
	resident = []string{"Working Set", "Working Set - Private", "Private Bytes"}
	private  = []string{"Private Bytes", "Page File Bytes", "Working Set - Private", "Working Set"}
	busy     = []string{"% Processor Time"}
)

// causes are looked through from the top; the first that fits counts.
var causes = []cause{
	{sets: disks, part: "Reads/sec", by: []string{"Disk Read Bytes/sec", "IO Read Operations/sec", "IO Data Bytes/sec"}},
	{sets: disks, part: "Writes/sec", by: []string{"Disk Write Bytes/sec", "IO Write Operations/sec", "IO Data Bytes/sec"}},
	{sets: disks, part: "Transfers/sec", by: []string{"Disk Bytes/sec", "IO Data Operations/sec", "IO Data Bytes/sec"}},
	{sets: disks, part: "Read", by: ioRead},
	{sets: disks, part: "Write", by: ioWrite},
	{sets: disks, part: "Free", by: ioWrite}, // who fills it
	{sets: disks, by: ioData},

	// Sockets are spoken to by device control, which Windows counts as other I/O;
	// Linux counts neither send nor recv.
	{sets: networks, by: []string{"IO Other Bytes/sec"}, why: "processes of this host do not tell what they send and receive"},

	{sets: paging, by: swapped},
	{sets: memory, part: "Pool Paged", by: append([]string{"Pool Paged Bytes"}, resident...)},
	{sets: memory, part: "Pool Nonpaged", by: append([]string{"Pool Nonpaged Bytes"}, resident...)},
	{sets: memory, part: "Commit", by: private},
	{sets: memory, part: "Swap", by: swapped},
	{sets: memory, part: "Fault", by: faults},
	{sets: memory, part: "Pages", by: hard},
	{sets: memory, part: "Page Reads", by: hard},
	{sets: memory, part: "Page Writes", by: hard},
	{sets: memory, part: "Block Bytes In", by: ioRead},
	{sets: memory, part: "Block Bytes Out", by: ioWrite},
	{sets: spaces, by: resident},

	{sets: system, part: "Blocked", by: ioData},
	{sets: system, part: "Threads", by: []string{"Thread Count"}},
	{sets: system, part: "File Descriptors", by: []string{"Handle Count"}},
	{sets: system, part: "File Read", by: ioRead},
	{sets: system, part: "File Write", by: ioWrite},
	{sets: system, part: "File ", by: ioData},
	{sets: cpus, part: "User", by: append([]string{"% User Time"}, busy...)},
	{sets: cpus, part: "Privileged", by: append([]string{"% Privileged Time"}, busy...)},
	{sets: cpus, part: "I/O Wait", by: ioData},
	{sets: cpus, by: busy},
	{sets: stalls, instance: "io", by: ioData},
	{sets: stalls, instance: "memory", by: resident},
	{sets: stalls, by: busy},
}

// CauseOf is the counter of the processes that tells who causes what a value
// shows, -1 where none does: then why says so, if processes should.
func CauseOf(set *session.Counterset, counter int, key session.InstanceKey, processes *session.Counterset) (sort int, why string) {
	name := set.Counters[counter].InEnglish()
	for i := range causes {
		c := &causes[i]
		if !isOneOf(set.InEnglish(), c.sets) || !strings.Contains(strings.ToLower(name), strings.ToLower(c.part)) || c.instance != "" && !paths.EqualFold(key.Name, c.instance) {
			continue
		}
		if sort = firstOf(processes, c.by); sort < 0 {
			why = c.why
			if why == "" {
				why = processes.Name + " of this host has no " + c.by[0]
			}
		}
		return sort, why
	}
	return firstOf(processes, []string{name}), "" // as of threads
}

// isOneOf tells whether a counterset is one of some.
func isOneOf(set string, names []string) bool {
	for _, n := range names {
		if start, ok := strings.CutSuffix(n, "*"); ok {
			if len(set) >= len(start) && paths.EqualFold(set[:len(start)], start) {
				return true
			}
		} else if paths.EqualFold(set, n) {
			return true
		}
	}
	return false
}

// firstOf is the first counter that a counterset has, -1 if it has none of them.
func firstOf(set *session.Counterset, names []string) int {
	for _, n := range names {
		if i := set.Given(n); i >= 0 {
			return i
		}
	}
	return -1
}
