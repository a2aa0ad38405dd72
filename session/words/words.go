// Package words knows what people call what a computer suffers from, and which counters answer
// to it: of Windows, of Linux and of both.
package words

import (
	"strings"

	"perfdeck/paths"
)

// Counter is a counter that answers to a word.
type Counter struct{ Set, Name string }

// Answers are the counters that answer to what people call something, the best first; nil for
// words that nobody has explained. Case and blanks do not matter.
func Answers(text string) []Counter {
	return known[strings.Join(strings.Fields(paths.Fold(text)), " ")]
}

// known are the words, folded.
var known = func() map[string][]Counter {
	out := map[string][]Counter{}
	for _, row := range table {
		var all []Counter
		for _, text := range row.counters {
			set, name, _ := strings.Cut(text, `\`)
			all = append(all, Counter{set, name})
		}
		for word := range strings.SplitSeq(row.words, ", ") {
			out[paths.Fold(word)] = append(out[paths.Fold(word)], all...)
		}
	}
	return out
}()

// table has a row for what is called by several words. A new word is a word more here.
var table = []struct {
	words    string
	counters []string
}{
	{"latency, slow disk, disk latency, response time, await, disk slow, slow", []string{`PhysicalDisk\Avg. Disk sec/Transfer`, `LogicalDisk\Avg. Disk sec/Transfer`, `PhysicalDisk\Avg. Disk sec/Read`}},
	{"disk busy, busy disk, disk utilization, disk utilisation, util", []string{`PhysicalDisk\% Disk Time`, `PhysicalDisk\% Idle Time`, `LogicalDisk\% Disk Time`}},
	{"iops, io operations, tps", []string{`PhysicalDisk\Disk Transfers/sec`, `LogicalDisk\Disk Transfers/sec`}},
	{"throughput, disk throughput, disk bandwidth", []string{`PhysicalDisk\Disk Bytes/sec`, `LogicalDisk\Disk Bytes/sec`}},
	{"disk queue, waiting for disk", []string{`PhysicalDisk\Current Disk Queue Length`, `PhysicalDisk\Avg. Disk Queue Length`}},
	{"iowait, io wait, wait for disk", []string{`Processor Information\% I/O Wait`, `Processor\% I/O Wait`, `PhysicalDisk\Avg. Disk sec/Transfer`}},
	{"disk full, full disk, disk space, free space, no space, inodes", []string{`LogicalDisk\% Free Space`, `LogicalDisk\Free Megabytes`, `LogicalDisk\% Free Inodes`}},
	{"leak, memory leak, leaking, growing", []string{`Process\Private Bytes`, `Process\Handle Count`, `Process\Working Set - Private`}},
	{"drops, dropped, packet loss, dropped packets, lost packets, packet drops, discards", []string{`Network Interface\Packets Received Discarded`, `Network Interface\Packets Outbound Discarded`, `Network Interface\Packets Received Errors`}},
	{"network errors, packet errors, crc", []string{`Network Interface\Packets Received Errors`, `Network Interface\Packets Outbound Errors`}},
	{"retransmits, retransmissions, retransmit, resends", []string{`TCPv4\Segments Retransmitted/sec`, `TCPv6\Segments Retransmitted/sec`}},
	{"connections, open connections, sockets", []string{`TCPv4\Connections Established`, `TCPv6\Connections Established`}},
	{"resets, refused, connection failures", []string{`TCPv4\Connection Failures`, `TCPv4\Connections Reset`, `TCPv6\Connection Failures`}},
	{"paging, page faults from disk, hard faults, major faults", []string{`Memory\Pages/sec`, `Memory\Pages Input/sec`, `Memory\Page Reads/sec`}},
	{"thrashing", []string{`Memory\Pages Input/sec`, `Memory\Pages/sec`, `Memory\Page Reads/sec`}},
	{"swap, swapping, swap used, page file, pagefile", []string{`Memory\Swap Used Bytes`, `Paging File\% Usage`, `Control Group\Swap Bytes`}},
	{"saturated, saturation, cpu usage, cpu busy, busy, overload, overloaded", []string{`Processor Information\% Processor Time`, `System\Processor Queue Length`, `Processor\% Processor Time`}},
	{"run queue, runqueue, ready queue, waiting threads, cpu queue, load average", []string{`System\Processor Queue Length`, `System\Load Average 1 Minutes x100`}},
	{"queue, queues", []string{`System\Processor Queue Length`, `PhysicalDisk\Current Disk Queue Length`, `Network Interface\Output Queue Length`}},
	{"throttled, throttling, quota, cpu limit, container limit", []string{`Control Group\% Throttled Time`, `Control Group\Throttled/sec`, `Processor Information\% Performance Limit`}},
	{"steal, stolen, noisy neighbour, noisy neighbor, hypervisor", []string{`Processor Information\% Steal`, `Processor\% Steal`}},
	{"frequency, clock speed, turbo, ghz, mhz", []string{`Processor Information\% of Maximum Frequency`, `Processor Information\Processor Frequency`, `Processor Information\% Processor Performance`}},
	{"handles, handle leak, file descriptors, descriptors, open files, fds", []string{`Process\Handle Count`, `System\File Descriptors`}},
	{"threads, thread leak", []string{`Process\Thread Count`, `System\Threads`}},
	{"forks, spawn, new processes", []string{`System\Forks/sec`, `System\Processes`}},
	{"temperature, temp, hot, overheating, heat, thermal", []string{`Thermal Zone Information\Temperature`, `Thermal Zone Information\High Precision Temperature`, `Thermal Zone Information\% Passive Limit`}},
	{"out of memory, oom, oom killer, oom kill, killed", []string{`Memory\OOM Kills`, `Memory\Available MBytes`, `Memory\Available Bytes`}},
	{"free memory, available memory, memory free, low memory, memory left", []string{`Memory\Available MBytes`, `Memory\Available Bytes`}},
	{"committed, commit, overcommit", []string{`Memory\% Committed Bytes In Use`, `Memory\Committed Bytes`, `Memory\Commit Limit`}},
	{"cache, page cache, file cache, buffers", []string{`Memory\Cache Bytes`, `Memory\Standby Cache Normal Priority Bytes`}},
	{"rss, resident, resident memory, memory usage of processes", []string{`Process\Working Set`, `Process\Working Set - Private`, `Process\Private Bytes`}},
	{"pool, kernel memory, nonpaged pool", []string{`Memory\Pool Nonpaged Bytes`, `Memory\Pool Paged Bytes`}},
	{"bandwidth, network usage, network traffic, link, link full", []string{`Network Interface\Bytes Total/sec`, `Network Interface\Current Bandwidth`}},
	{"pressure, psi, stall, stalls", []string{`Pressure Stall Information\% Some Stall Time`, `Pressure Stall Information\% Full Stall Time`}},
	{"context switches, csw, switches", []string{`System\Context Switches/sec`}},
	{"interrupts, irq, irqs, interrupt storm", []string{`Processor Information\% Interrupt Time`, `Processor Information\Interrupts/sec`, `Processor\% Interrupt Time`}},
	{"softirq, dpc, dpcs, deferred calls", []string{`Processor Information\% DPC Time`, `Processor Information\DPCs Queued/sec`, `Processor\% DPC Time`}},
	{"kernel time, system time, sys time, privileged", []string{`Processor Information\% Privileged Time`, `Process\% Privileged Time`}},
	{"who writes, writes, writer, writing", []string{`Process\IO Write Bytes/sec`, `Process\Disk Write Bytes/sec`, `PhysicalDisk\Disk Write Bytes/sec`}},
	{"who reads, reads, reader, reading", []string{`Process\IO Read Bytes/sec`, `Process\Disk Read Bytes/sec`, `PhysicalDisk\Disk Read Bytes/sec`}},
	{"who uses cpu, top processes, cpu hog, hog", []string{`Process\% Processor Time`}},
	{"uptime, reboot, rebooted, restarted", []string{`System\System Up Time`, `Process\Elapsed Time`}},
	{"page life, buffer pool", []string{`SQLServer:Buffer Manager\Page life expectancy`, `SQLServer:Buffer Manager\Buffer cache hit ratio`}},
	{"deadlock, deadlocks, blocking, blocked, lock waits", []string{`SQLServer:Locks\Number of Deadlocks/sec`, `SQLServer:General Statistics\Processes blocked`, `System\Blocked Threads`}},
	{"gc, garbage collection", []string{`.NET CLR Memory\% Time in GC`}},
	{"requests, requests queued, slow website", []string{`HTTP Service Request Queues\CurrentQueueSize`, `ASP.NET\Requests Queued`}},
}
