package local

import "perfdeck/session"

// origins of a counterset: counters and the kernel's files that they come from.
// Names of values are the kernel's; fields count from 1. What stands after "else"
// is read where the first is not there.
type origins []struct {
	from     string
	counters []string
}

// from writes the origin of each counter behind its description.
func (o origins) from(set func() *session.Counterset) func() *session.Counterset {
	return func() *session.Counterset {
		s := set()
		for _, origin := range o {
			for _, name := range origin.counters {
				if i, ok := s.Counter(name); ok {
					s.Counters[i].Description += ". From " + origin.from
				}
			}
		}
		return s
	}
}

const scaled = ", scaled so that all columns fill the clock"

var processorOrigins = origins{
	{"/proc/stat cpuN: all but idle (field 5) and iowait (field 6)" + scaled, []string{"% Processor Time"}},
	{"/proc/stat cpuN: user (field 2) + nice (field 3)" + scaled, []string{"% User Time"}},
	{"/proc/stat cpuN: system (field 4) + irq (field 7) + softirq (field 8)" + scaled, []string{"% Privileged Time"}},
	{"/proc/interrupts: the CPU's column without TLB, ERR and MIS; _Total: intr of /proc/stat", []string{"Interrupts/sec"}},
	{"/proc/stat cpuN: softirq (field 8)" + scaled, []string{"% DPC Time"}},
	{"/proc/stat cpuN: irq (field 7)" + scaled, []string{"% Interrupt Time"}},
	{"/proc/softirqs: the CPU's column; _Total: softirq of /proc/stat", []string{"DPCs Queued/sec"}},
	{"/proc/stat cpuN: idle (field 5) + iowait (field 6)" + scaled, []string{"% Idle Time"}},
	{"/sys/devices/system/cpu/cpuN/cpuidle/stateK/time of the states whose name begins with C1", []string{"% C1 Time"}},
	{"/sys/devices/system/cpu/cpuN/cpuidle/stateK/time of the states whose name begins with C2", []string{"% C2 Time"}},
	{"/sys/devices/system/cpu/cpuN/cpuidle/stateK/time of all states but C1, C2 and POLL", []string{"% C3 Time"}},
	{"/sys/devices/system/cpu/cpuN/cpuidle/stateK/usage of the states whose name begins with C1", []string{"C1 Transitions/sec"}},
	{"/sys/devices/system/cpu/cpuN/cpuidle/stateK/usage of the states whose name begins with C2", []string{"C2 Transitions/sec"}},
	{"/sys/devices/system/cpu/cpuN/cpuidle/stateK/usage of all states but C1, C2 and POLL", []string{"C3 Transitions/sec"}},
	{"/sys/devices/system/cpu/cpuN/cpufreq/scaling_cur_freq, else cpu MHz of /proc/cpuinfo", []string{"Processor Frequency"}},
	{"/sys/devices/system/cpu/cpuN/cpufreq/scaling_cur_freq by /sys/devices/system/cpu/cpuN/cpufreq/cpuinfo_max_freq", []string{"% of Maximum Frequency"}},
	{"/proc/stat cpuN: iowait (field 6)" + scaled, []string{"% I/O Wait"}},
	{"/proc/stat cpuN: steal (field 9)" + scaled, []string{"% Steal"}},
	{"/proc/stat cpuN: guest (field 10) + guest_nice (field 11)" + scaled, []string{"% Guest Time"}},
	{"/proc/stat cpuN: nice (field 3)" + scaled, []string{"% Nice Time"}},
}

var memoryOrigins = origins{
	{"/proc/vmstat pgfault", []string{"Page Faults/sec"}},
	{"/proc/meminfo MemAvailable, else MemFree + Buffers + Cached + SReclaimable - Shmem", []string{"Available Bytes", "Available KBytes", "Available MBytes"}},
	{"/proc/meminfo Committed_AS", []string{"Committed Bytes"}},
	{"/proc/meminfo MemTotal + SwapTotal; CommitLimit where vm.overcommit_memory is 2", []string{"Commit Limit"}},
	{"/proc/meminfo Committed_AS by MemTotal + SwapTotal; by CommitLimit where vm.overcommit_memory is 2", []string{"% Committed Bytes In Use"}},
	{"/proc/vmstat pswpin + pswpout", []string{"Pages/sec"}},
	{"/proc/vmstat pswpin", []string{"Pages Input/sec"}},
	{"/proc/vmstat pswpout", []string{"Pages Output/sec"}},
	{"/proc/vmstat pgmajfault", []string{"Page Reads/sec"}},
	{"/proc/meminfo SReclaimable", []string{"Pool Paged Bytes"}},
	{"/proc/meminfo SUnreclaim + KernelStack + PageTables", []string{"Pool Nonpaged Bytes"}},
	{"/proc/meminfo Buffers + Cached + SReclaimable", []string{"Cache Bytes"}},
	{"/proc/meminfo MemFree", []string{"Free & Zero Page List Bytes"}},
	{"/proc/meminfo Dirty + Writeback", []string{"Modified Page List Bytes"}},
	{"/proc/meminfo Inactive(file)", []string{"Standby Cache Normal Priority Bytes"}},
	{"/proc/meminfo Active(file)", []string{"Standby Cache Core Bytes"}},
	{"/proc/vmstat pgpgin", []string{"Block Bytes In/sec"}},
	{"/proc/vmstat pgpgout", []string{"Block Bytes Out/sec"}},
	{"/proc/vmstat workingset_refault_file, else workingset_refault", []string{"File Refaults/sec"}},
	{"/proc/meminfo MemTotal", []string{"Physical Bytes"}},
	{"/proc/meminfo SwapTotal - SwapFree", []string{"Swap Used Bytes"}},
	{"/proc/vmstat oom_kill", []string{"OOM Kills"}},
}

var systemOrigins = origins{
	{"/proc/stat ctxt", []string{"Context Switches/sec"}},
	{"CLOCK_BOOTTIME", []string{"System Up Time"}},
	{"/proc/stat procs_running less the number of CPUs", []string{"Processor Queue Length"}},
	{"the numbers in /proc that may be seen", []string{"Processes"}},
	{"/proc/loadavg (field 4), after the slash", []string{"Threads"}},
	{"/proc/sys/fs/file-nr (field 1)", []string{"File Descriptors"}},
	{"/proc/stat procs_blocked", []string{"Blocked Threads"}},
	{"/proc/stat processes", []string{"Forks/sec"}},
	{"/proc/loadavg (field 1)", []string{"Load Average 1 Minutes x100"}},
	{"/proc/loadavg (field 2)", []string{"Load Average 5 Minutes x100"}},
	{"/proc/loadavg (field 3)", []string{"Load Average 15 Minutes x100"}},
}

// unseen is whom /proc/PID/io leaves out.
const unseen = "; refused for processes of other users unless perfdeck may trace them, so that _Total lacks them"

var processOrigins = origins{
	{"/proc/PID/stat utime (field 14) + stime (field 15), or run time of the first thread in /proc/PID/schedstat where that is more", []string{"% Processor Time"}},
	{"/proc/PID/stat utime (field 14)", []string{"% User Time"}},
	{"/proc/PID/stat stime (field 15)", []string{"% Privileged Time"}},
	{"/proc/PID/status VmPeak", []string{"Virtual Bytes Peak"}},
	{"/proc/PID/stat vsize (field 23)", []string{"Virtual Bytes"}},
	{"/proc/PID/stat minflt (field 10) + majflt (field 12)", []string{"Page Faults/sec"}},
	{"/proc/PID/status VmHWM", []string{"Working Set Peak"}},
	{"/proc/PID/stat rss (field 24)", []string{"Working Set"}},
	{"/proc/PID/status VmSwap", []string{"Page File Bytes"}},
	{"/proc/PID/status RssAnon + VmSwap", []string{"Private Bytes"}},
	{"/proc/PID/statm resident (field 2) less shared (field 3), or RssAnon of /proc/PID/status where that is read", []string{"Working Set - Private"}},
	{"/proc/PID/stat num_threads (field 20)", []string{"Thread Count"}},
	{"/proc/PID/stat: 20 less nice (field 19), or 41 and rt_priority (field 40) above 0", []string{"Priority Base"}},
	{"/proc/PID/stat starttime (field 22)", []string{"Elapsed Time"}},
	{"the name of /proc/PID", []string{"ID Process"}},
	{"/proc/PID/stat ppid (field 4)", []string{"Creating Process ID"}},
	{"the size of /proc/PID/fd, else its entries", []string{"Handle Count"}},
	{"/proc/PID/io syscr" + unseen, []string{"IO Read Operations/sec"}},
	{"/proc/PID/io syscw" + unseen, []string{"IO Write Operations/sec"}},
	{"/proc/PID/io syscr + syscw" + unseen, []string{"IO Data Operations/sec"}},
	{"/proc/PID/io rchar" + unseen, []string{"IO Read Bytes/sec"}},
	{"/proc/PID/io wchar" + unseen, []string{"IO Write Bytes/sec"}},
	{"/proc/PID/io rchar + wchar" + unseen, []string{"IO Data Bytes/sec"}},
	{"/proc/PID/io read_bytes" + unseen, []string{"Disk Read Bytes/sec"}},
	{"/proc/PID/io write_bytes, which counts when a page becomes dirty" + unseen, []string{"Disk Write Bytes/sec"}},
}

var threadOrigins = origins{
	{"/proc/PID/task/TID/schedstat run time (field 1), else utime + stime of its stat", []string{"% Processor Time"}},
	{"/proc/PID/task/TID/stat utime (field 14)", []string{"% User Time"}},
	{"/proc/PID/task/TID/stat stime (field 15)", []string{"% Privileged Time"}},
	{"/proc/PID/task/TID/status voluntary_ctxt_switches + nonvoluntary_ctxt_switches", []string{"Context Switches/sec"}},
	{"/proc/PID/task/TID/stat starttime (field 22)", []string{"Elapsed Time"}},
	{"/proc/PID/task/TID/stat: 40 less priority (field 18)", []string{"Priority Current"}},
	{"/proc/PID/task/TID/stat: 20 less nice (field 19), or 41 and rt_priority (field 40) above 0", []string{"Priority Base"}},
	{"/proc/PID/task/TID/stat state (field 3)", []string{"Thread State", "Thread Wait Reason"}},
	{"the name of /proc/PID", []string{"ID Process"}},
	{"the name of /proc/PID/task/TID", []string{"ID Thread"}},
}

var diskOrigins = origins{
	{"/proc/diskstats requests in flight (field 12)", []string{"Current Disk Queue Length"}},
	{"/proc/diskstats ms of reads (field 7) + ms of writes (field 11)", []string{"% Disk Time", "Avg. Disk Queue Length"}},
	{"/proc/diskstats ms of reads (field 7)", []string{"% Disk Read Time", "Avg. Disk Read Queue Length"}},
	{"/proc/diskstats ms of writes (field 11)", []string{"% Disk Write Time", "Avg. Disk Write Queue Length"}},
	{"/proc/diskstats ms of reads (field 7) + ms of writes (field 11), by reads (field 4) + writes (field 8)", []string{"Avg. Disk sec/Transfer"}},
	{"/proc/diskstats ms of reads (field 7) by reads (field 4)", []string{"Avg. Disk sec/Read"}},
	{"/proc/diskstats ms of writes (field 11) by writes (field 8)", []string{"Avg. Disk sec/Write"}},
	{"/proc/diskstats reads (field 4) + writes (field 8)", []string{"Disk Transfers/sec"}},
	{"/proc/diskstats reads (field 4)", []string{"Disk Reads/sec"}},
	{"/proc/diskstats writes (field 8)", []string{"Disk Writes/sec"}},
	{"/proc/diskstats sectors read (field 6) + written (field 10)", []string{"Disk Bytes/sec"}},
	{"/proc/diskstats sectors read (field 6)", []string{"Disk Read Bytes/sec"}},
	{"/proc/diskstats sectors written (field 10)", []string{"Disk Write Bytes/sec"}},
	{"/proc/diskstats sectors read (field 6) + written (field 10), by reads (field 4) + writes (field 8)", []string{"Avg. Disk Bytes/Transfer"}},
	{"/proc/diskstats sectors read (field 6) by reads (field 4)", []string{"Avg. Disk Bytes/Read"}},
	{"/proc/diskstats sectors written (field 10) by writes (field 8)", []string{"Avg. Disk Bytes/Write"}},
	{"/proc/diskstats: the clock less ms with requests (field 13)", []string{"% Idle Time"}},
	{"/proc/diskstats read merges (field 5) + write merges (field 9)", []string{"Disk Merges/sec"}},
	{"/proc/diskstats discards (field 15)", []string{"Discards/sec"}},
	{"/proc/diskstats sectors discarded (field 17)", []string{"Discard Bytes/sec"}},
	{"/proc/diskstats flushes (field 19)", []string{"Flushes/sec"}},
	{"/proc/diskstats ms of flushes (field 20) by flushes (field 19)", []string{"Avg. Disk sec/Flush"}},
	{"statvfs: f_bavail by f_blocks - f_bfree + f_bavail", []string{"% Free Space"}},
	{"statvfs: f_bavail", []string{"Free Megabytes"}},
}

var networkOrigins = origins{
	{"/proc/net/dev bytes received (field 2) + sent (field 10)", []string{"Bytes Total/sec"}},
	{"/proc/net/dev packets received (field 3) + sent (field 11)", []string{"Packets/sec"}},
	{"/proc/net/dev packets received (field 3)", []string{"Packets Received/sec"}},
	{"/proc/net/dev packets sent (field 11)", []string{"Packets Sent/sec"}},
	{"/sys/class/net/NAME/speed", []string{"Current Bandwidth"}},
	{"/proc/net/dev bytes received (field 2)", []string{"Bytes Received/sec"}},
	{"/proc/net/dev packets received (field 3) less multicast (field 9)", []string{"Packets Received Unicast/sec"}},
	{"/proc/net/dev multicast (field 9)", []string{"Packets Received Non-Unicast/sec"}},
	{"/proc/net/dev drop received (field 5)", []string{"Packets Received Discarded"}},
	{"/proc/net/dev errs received (field 4)", []string{"Packets Received Errors"}},
	{"/sys/class/net/NAME/statistics/rx_nohandler", []string{"Packets Received Unknown"}},
	{"/proc/net/dev bytes sent (field 10)", []string{"Bytes Sent/sec"}},
	{"/proc/net/dev drop sent (field 13)", []string{"Packets Outbound Discarded"}},
	{"/proc/net/dev errs sent (field 12)", []string{"Packets Outbound Errors"}},
}

var pagingFileOrigins = origins{
	{"/proc/swaps Used (field 4) by Size (field 3)", []string{"% Usage"}},
	{"/proc/swaps: the highest Used (field 4), by Size (field 3)", []string{"% Usage Peak"}},
}

var thermalOrigins = origins{
	{"/sys/class/thermal/thermal_zoneN/temp, or temp*_input of /sys/class/hwmon", []string{"Temperature", "High Precision Temperature"}},
	{"/sys/class/thermal/thermal_zoneN/cdev0/cur_state by /sys/class/thermal/thermal_zoneN/cdev0/max_state", []string{"% Passive Limit"}},
}

var pressureOrigins = origins{
	{"/proc/pressure/NAME: total of some", []string{"% Some Stall Time"}},
	{"/proc/pressure/NAME: total of full", []string{"% Full Stall Time"}},
	{"/proc/pressure/NAME: avg10 of some", []string{"Some Average 10"}},
	{"/proc/pressure/NAME: avg60 of some", []string{"Some Average 60"}},
	{"/proc/pressure/NAME: avg300 of some", []string{"Some Average 300"}},
	{"/proc/pressure/NAME: avg10 of full", []string{"Full Average 10"}},
	{"/proc/pressure/NAME: avg60 of full", []string{"Full Average 60"}},
	{"/proc/pressure/NAME: avg300 of full", []string{"Full Average 300"}},
}

var controlGroupOrigins = origins{
	{"/sys/fs/cgroup/GROUP/cpu.stat usage_usec, else cpuacct.usage", []string{"% Processor Time"}},
	{"/sys/fs/cgroup/GROUP/cpu.stat user_usec, else cpuacct.usage_user", []string{"% User Time"}},
	{"/sys/fs/cgroup/GROUP/cpu.stat system_usec, else cpuacct.usage_sys", []string{"% Privileged Time"}},
	{"/sys/fs/cgroup/GROUP/cpu.stat throttled_usec, else throttled_time", []string{"% Throttled Time"}},
	{"/sys/fs/cgroup/GROUP/cpu.stat nr_throttled", []string{"Throttled/sec"}},
	{"/sys/fs/cgroup/GROUP/memory.current, else memory.usage_in_bytes", []string{"Memory Bytes"}},
	{"/sys/fs/cgroup/GROUP/memory.current by /sys/fs/cgroup/GROUP/memory.max, else memory.usage_in_bytes by memory.limit_in_bytes", []string{"% Memory Limit"}},
	{"/sys/fs/cgroup/GROUP/memory.swap.current, else memory.memsw.usage_in_bytes less memory.usage_in_bytes", []string{"Swap Bytes"}},
	{"/sys/fs/cgroup/GROUP/pids.current", []string{"Processes"}},
	{"/sys/fs/cgroup/GROUP/io.stat rbytes of all devices, else Read of blkio.throttle.io_service_bytes_recursive", []string{"Read Bytes/sec"}},
	{"/sys/fs/cgroup/GROUP/io.stat wbytes of all devices, else Write of blkio.throttle.io_service_bytes_recursive", []string{"Write Bytes/sec"}},
	{"/sys/fs/cgroup/GROUP/cpu.max, else cpu.cfs_quota_us by cpu.cfs_period_us", []string{"CPUs Allowed x100"}},
	{"/sys/fs/cgroup/GROUP/cpu.pressure: total of some", []string{"% CPU Some Stall Time"}},
	{"/sys/fs/cgroup/GROUP/cpu.pressure: total of full", []string{"% CPU Full Stall Time"}},
	{"/sys/fs/cgroup/GROUP/io.pressure: total of some", []string{"% IO Some Stall Time"}},
	{"/sys/fs/cgroup/GROUP/io.pressure: total of full", []string{"% IO Full Stall Time"}},
	{"/sys/fs/cgroup/GROUP/memory.pressure: total of some", []string{"% Memory Some Stall Time"}},
	{"/sys/fs/cgroup/GROUP/memory.pressure: total of full", []string{"% Memory Full Stall Time"}},
}
