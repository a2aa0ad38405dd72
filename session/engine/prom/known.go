package prom

import (
	"slices"
	"strings"

	"perfdeck/paths"
)

// known is the name that windows_exporter has for a number that a counter gives: for its
// raw value where it grows, for the value as it is else.
//
// Source: windows_exporter v0.25.1 (MIT), pkg/collector: cpu, logical_disk, physical_disk,
// net, memory, system, tcp and process, their metrics and the counters that they read.
// Left out is what it reads in other units than it says (processor_performance and
// utility without their meaning, averages of queues), and system_up_time and start_time,
// which are moments there and durations here.
type known struct {
	name     string // empty: labels alone are known
	grows    bool
	scale    float64 // 0 means 1
	instance string  // label of the instance's name; empty: it has none
	labels   []Label
	byNumber bool
}

// knownSet are the counters of a counterset whose metrics begin alike.
type knownSet struct {
	sets     []string // names of the counterset
	prefix   string
	instance string
	labels   []Label
	byNumber bool
	alike    []string // counters whose metrics are called as they are
	counters []knownCounter
}

type knownCounter struct {
	counter, name string // name ends in _total where it grows
	scale         float64
	label         Label // without a name: none
}

const mebi = 1 << 20

var disks = []knownCounter{
	{counter: "Current Disk Queue Length", name: "requests_queued"},
	{counter: "Disk Read Bytes/sec", name: "read_bytes_total"},
	{counter: "Disk Reads/sec", name: "reads_total"},
	{counter: "Disk Write Bytes/sec", name: "write_bytes_total"},
	{counter: "Disk Writes/sec", name: "writes_total"},
	{counter: "% Disk Read Time", name: "read_seconds_total"},
	{counter: "% Disk Write Time", name: "write_seconds_total"},
	{counter: "% Idle Time", name: "idle_seconds_total"},
	{counter: "Split IO/Sec", name: "split_ios_total"},
	{counter: "Avg. Disk sec/Read", name: "read_latency_seconds_total"},
	{counter: "Avg. Disk sec/Write", name: "write_latency_seconds_total"},
	{counter: "Avg. Disk sec/Transfer", name: "read_write_latency_seconds_total"},
}

var segments = []knownCounter{
	{counter: "Connection Failures", name: "connection_failures_total"},
	{counter: "Connections Active", name: "connections_active_total"},
	{counter: "Connections Passive", name: "connections_passive_total"},
	{counter: "Connections Reset", name: "connections_reset_total"},
}

var segmentsAlike = []string{
	"Connections Established", "Segments/sec", "Segments Received/sec", "Segments Retransmitted/sec",
	"Segments Sent/sec",
}

// knownSets is the table.
var knownSets = []knownSet{
	{sets: []string{"Processor Information"}, prefix: "windows_cpu_", instance: "core", alike: []string{
		"Interrupts/sec", "Clock Interrupts/sec", "Idle Break Events/sec", "Parking Status",
	}, counters: []knownCounter{
		{counter: "% C1 Time", name: "cstate_seconds_total", label: Label{"state", "c1"}},
		{counter: "% C2 Time", name: "cstate_seconds_total", label: Label{"state", "c2"}},
		{counter: "% C3 Time", name: "cstate_seconds_total", label: Label{"state", "c3"}},
		{counter: "% Idle Time", name: "time_total", label: Label{"mode", "idle"}},
		{counter: "% Interrupt Time", name: "time_total", label: Label{"mode", "interrupt"}},
		{counter: "% DPC Time", name: "time_total", label: Label{"mode", "dpc"}},
		{counter: "% Privileged Time", name: "time_total", label: Label{"mode", "privileged"}},
		{counter: "% User Time", name: "time_total", label: Label{"mode", "user"}},
		{counter: "DPCs Queued/sec", name: "dpcs_total"},
		{counter: "Processor Frequency", name: "core_frequency_mhz"},
	}},
	{sets: []string{"LogicalDisk"}, prefix: "windows_logical_disk_", instance: "volume", counters: append([]knownCounter{
		{counter: "Free Megabytes", name: "free_bytes", scale: mebi},
	}, disks...)},
	{sets: []string{"PhysicalDisk"}, prefix: "windows_physical_disk_", instance: "disk", counters: disks},
	{sets: []string{"Network Interface"}, prefix: "windows_net_", instance: "nic", alike: []string{
		"Bytes Received/sec", "Bytes Sent/sec", "Packets/sec", "Packets Received/sec", "Packets Sent/sec",
	}, counters: []knownCounter{
		{counter: "Bytes Total/sec", name: "bytes_total"},
		{counter: "Output Queue Length", name: "output_queue_length_packets"},
		{counter: "Packets Outbound Discarded", name: "packets_outbound_discarded_total"},
		{counter: "Packets Outbound Errors", name: "packets_outbound_errors_total"},
		{counter: "Packets Received Discarded", name: "packets_received_discarded_total"},
		{counter: "Packets Received Errors", name: "packets_received_errors_total"},
		{counter: "Packets Received Unknown", name: "packets_received_unknown_total"},
		{counter: "Current Bandwidth", name: "current_bandwidth_bytes", scale: 1. / 8},
	}},
	{sets: []string{"Memory"}, prefix: "windows_memory_", alike: []string{
		"Available Bytes", "Cache Bytes", "Cache Bytes Peak", "Cache Faults/sec", "Commit Limit", "Committed Bytes",
		"Demand Zero Faults/sec", "Free & Zero Page List Bytes", "Free System Page Table Entries",
		"Modified Page List Bytes", "Page Faults/sec", "Pool Nonpaged Bytes", "Pool Paged Bytes",
		"Pool Paged Resident Bytes", "Standby Cache Core Bytes", "Standby Cache Normal Priority Bytes",
		"Standby Cache Reserve Bytes", "System Cache Resident Bytes", "System Code Resident Bytes",
		"System Code Total Bytes", "System Driver Resident Bytes", "System Driver Total Bytes", "Transition Faults/sec",
		"Transition Pages RePurposed/sec", "Write Copies/sec",
	}, counters: []knownCounter{
		{counter: "Page Reads/sec", name: "swap_page_reads_total"},
		{counter: "Pages Input/sec", name: "swap_pages_read_total"},
		{counter: "Pages Output/sec", name: "swap_pages_written_total"},
		{counter: "Pages/sec", name: "swap_page_operations_total"},
		{counter: "Page Writes/sec", name: "swap_page_writes_total"},
		{counter: "Pool Nonpaged Allocs", name: "pool_nonpaged_allocs_total"},
		{counter: "Pool Paged Allocs", name: "pool_paged_allocs_total"},
	}},
	{sets: []string{"System"}, prefix: "windows_system_", alike: []string{
		"Context Switches/sec", "Exception Dispatches/sec", "Processor Queue Length", "System Calls/sec", "Threads",
	}},
	{sets: []string{"TCPv4"}, prefix: "windows_tcp_", labels: []Label{{"af", "ipv4"}}, alike: segmentsAlike, counters: segments},
	{sets: []string{"TCPv6"}, prefix: "windows_tcp_", labels: []Label{{"af", "ipv6"}}, alike: segmentsAlike, counters: segments},
	{sets: []string{"Process", "Process V2"}, prefix: "windows_process_", instance: "process", byNumber: true, alike: []string{
		"Page Faults/sec", "Page File Bytes", "Priority Base", "Private Bytes", "Virtual Bytes",
	}, counters: []knownCounter{
		{counter: "Handle Count", name: "handles"},
		{counter: "% Privileged Time", name: "cpu_time_total", label: Label{"mode", "privileged"}},
		{counter: "% User Time", name: "cpu_time_total", label: Label{"mode", "user"}},
		{counter: "IO Other Bytes/sec", name: "io_bytes_total", label: Label{"mode", "other"}},
		{counter: "IO Other Operations/sec", name: "io_operations_total", label: Label{"mode", "other"}},
		{counter: "IO Read Bytes/sec", name: "io_bytes_total", label: Label{"mode", "read"}},
		{counter: "IO Read Operations/sec", name: "io_operations_total", label: Label{"mode", "read"}},
		{counter: "IO Write Bytes/sec", name: "io_bytes_total", label: Label{"mode", "write"}},
		{counter: "IO Write Operations/sec", name: "io_operations_total", label: Label{"mode", "write"}},
		{counter: "Pool Nonpaged Bytes", name: "pool_bytes", label: Label{"pool", "nonpaged"}},
		{counter: "Pool Paged Bytes", name: "pool_bytes", label: Label{"pool", "paged"}},
		{counter: "Thread Count", name: "threads"},
		{counter: "Working Set - Private", name: "working_set_private_bytes"},
		{counter: "Working Set Peak", name: "working_set_peak_bytes"},
		{counter: "Working Set", name: "working_set_bytes"},
	}},
}

// knownAs is what is known of a counter; nil: nothing, nor of its counterset.
func knownAs(set, counter string) *known {
	for i := range knownSets {
		s := &knownSets[i]
		for _, name := range s.sets {
			if paths.EqualFold(name, set) {
				return s.counter(counter)
			}
		}
	}
	return nil
}

// counter is what is known of one, at least how its instances are called.
func (s *knownSet) counter(name string) *known {
	k := &known{instance: s.instance, labels: s.labels, byNumber: s.byNumber}
	same := func(other string) bool { return paths.EqualFold(other, name) }
	var c knownCounter
	if i := slices.IndexFunc(s.alike, same); i >= 0 {
		c.name = alike(s.alike[i])
	} else if i := slices.IndexFunc(s.counters, func(c knownCounter) bool { return same(c.counter) }); i >= 0 {
		c = s.counters[i]
	} else {
		return k
	}
	k.name, k.scale, k.grows = s.prefix+c.name, c.scale, hasTotal(c.name)
	if c.label.Name != "" {
		k.labels = append(slices.Clip(k.labels), c.label)
	}
	return k
}

// alike is a counter's own name as a metric has it; that of a rate grows.
func alike(counter string) string {
	stem, isRate := strings.CutSuffix(counter, "/sec")
	name := words(stem)[1:]
	if isRate {
		name += "_total"
	}
	return name
}

// hasTotal tells a metric that grows by its name.
func hasTotal(name string) bool { return strings.HasSuffix(name, "_total") }
