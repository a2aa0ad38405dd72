package prom

import (
	"slices"

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
	{counter: "Connections Established", name: "connections_established"},
	{counter: "Connections Passive", name: "connections_passive_total"},
	{counter: "Connections Reset", name: "connections_reset_total"},
	{counter: "Segments/sec", name: "segments_total"},
	{counter: "Segments Received/sec", name: "segments_received_total"},
	{counter: "Segments Retransmitted/sec", name: "segments_retransmitted_total"},
	{counter: "Segments Sent/sec", name: "segments_sent_total"},
}

// knownSets is the table.
var knownSets = []knownSet{
	{sets: []string{"Processor Information"}, prefix: "windows_cpu_", instance: "core", counters: []knownCounter{
		{counter: "% C1 Time", name: "cstate_seconds_total", label: Label{"state", "c1"}},
		{counter: "% C2 Time", name: "cstate_seconds_total", label: Label{"state", "c2"}},
		{counter: "% C3 Time", name: "cstate_seconds_total", label: Label{"state", "c3"}},
		{counter: "% Idle Time", name: "time_total", label: Label{"mode", "idle"}},
		{counter: "% Interrupt Time", name: "time_total", label: Label{"mode", "interrupt"}},
		{counter: "% DPC Time", name: "time_total", label: Label{"mode", "dpc"}},
		{counter: "% Privileged Time", name: "time_total", label: Label{"mode", "privileged"}},
		{counter: "% User Time", name: "time_total", label: Label{"mode", "user"}},
		{counter: "Interrupts/sec", name: "interrupts_total"},
		{counter: "DPCs Queued/sec", name: "dpcs_total"},
		{counter: "Clock Interrupts/sec", name: "clock_interrupts_total"},
		{counter: "Idle Break Events/sec", name: "idle_break_events_total"},
		{counter: "Parking Status", name: "parking_status"},
		{counter: "Processor Frequency", name: "core_frequency_mhz"},
	}},
	{sets: []string{"LogicalDisk"}, prefix: "windows_logical_disk_", instance: "volume", counters: append([]knownCounter{
		{counter: "Free Megabytes", name: "free_bytes", scale: mebi},
	}, disks...)},
	{sets: []string{"PhysicalDisk"}, prefix: "windows_physical_disk_", instance: "disk", counters: disks},
	{sets: []string{"Network Interface"}, prefix: "windows_net_", instance: "nic", counters: []knownCounter{
		{counter: "Bytes Received/sec", name: "bytes_received_total"},
		{counter: "Bytes Sent/sec", name: "bytes_sent_total"},
		{counter: "Bytes Total/sec", name: "bytes_total"},
		{counter: "Output Queue Length", name: "output_queue_length_packets"},
		{counter: "Packets Outbound Discarded", name: "packets_outbound_discarded_total"},
		{counter: "Packets Outbound Errors", name: "packets_outbound_errors_total"},
		{counter: "Packets/sec", name: "packets_total"},
		{counter: "Packets Received Discarded", name: "packets_received_discarded_total"},
		{counter: "Packets Received Errors", name: "packets_received_errors_total"},
		{counter: "Packets Received/sec", name: "packets_received_total"},
		{counter: "Packets Received Unknown", name: "packets_received_unknown_total"},
		{counter: "Packets Sent/sec", name: "packets_sent_total"},
		{counter: "Current Bandwidth", name: "current_bandwidth_bytes", scale: 1. / 8},
	}},
	{sets: []string{"Memory"}, prefix: "windows_memory_", counters: []knownCounter{
		{counter: "Available Bytes", name: "available_bytes"},
		{counter: "Cache Bytes", name: "cache_bytes"},
		{counter: "Cache Bytes Peak", name: "cache_bytes_peak"},
		{counter: "Cache Faults/sec", name: "cache_faults_total"},
		{counter: "Commit Limit", name: "commit_limit"},
		{counter: "Committed Bytes", name: "committed_bytes"},
		{counter: "Demand Zero Faults/sec", name: "demand_zero_faults_total"},
		{counter: "Free & Zero Page List Bytes", name: "free_and_zero_page_list_bytes"},
		{counter: "Free System Page Table Entries", name: "free_system_page_table_entries"},
		{counter: "Modified Page List Bytes", name: "modified_page_list_bytes"},
		{counter: "Page Faults/sec", name: "page_faults_total"},
		{counter: "Page Reads/sec", name: "swap_page_reads_total"},
		{counter: "Pages Input/sec", name: "swap_pages_read_total"},
		{counter: "Pages Output/sec", name: "swap_pages_written_total"},
		{counter: "Pages/sec", name: "swap_page_operations_total"},
		{counter: "Page Writes/sec", name: "swap_page_writes_total"},
		{counter: "Pool Nonpaged Allocs", name: "pool_nonpaged_allocs_total"},
		{counter: "Pool Nonpaged Bytes", name: "pool_nonpaged_bytes"},
		{counter: "Pool Paged Allocs", name: "pool_paged_allocs_total"},
		{counter: "Pool Paged Bytes", name: "pool_paged_bytes"},
		{counter: "Pool Paged Resident Bytes", name: "pool_paged_resident_bytes"},
		{counter: "Standby Cache Core Bytes", name: "standby_cache_core_bytes"},
		{counter: "Standby Cache Normal Priority Bytes", name: "standby_cache_normal_priority_bytes"},
		{counter: "Standby Cache Reserve Bytes", name: "standby_cache_reserve_bytes"},
		{counter: "System Cache Resident Bytes", name: "system_cache_resident_bytes"},
		{counter: "System Code Resident Bytes", name: "system_code_resident_bytes"},
		{counter: "System Code Total Bytes", name: "system_code_total_bytes"},
		{counter: "System Driver Resident Bytes", name: "system_driver_resident_bytes"},
		{counter: "System Driver Total Bytes", name: "system_driver_total_bytes"},
		{counter: "Transition Faults/sec", name: "transition_faults_total"},
		{counter: "Transition Pages RePurposed/sec", name: "transition_pages_repurposed_total"},
		{counter: "Write Copies/sec", name: "write_copies_total"},
	}},
	{sets: []string{"System"}, prefix: "windows_system_", counters: []knownCounter{
		{counter: "Context Switches/sec", name: "context_switches_total"},
		{counter: "Exception Dispatches/sec", name: "exception_dispatches_total"},
		{counter: "Processor Queue Length", name: "processor_queue_length"},
		{counter: "System Calls/sec", name: "system_calls_total"},
		{counter: "Threads", name: "threads"},
	}},
	{sets: []string{"TCPv4"}, prefix: "windows_tcp_", labels: []Label{{"af", "ipv4"}}, counters: segments},
	{sets: []string{"TCPv6"}, prefix: "windows_tcp_", labels: []Label{{"af", "ipv6"}}, counters: segments},
	{sets: []string{"Process", "Process V2"}, prefix: "windows_process_", instance: "process", byNumber: true, counters: []knownCounter{
		{counter: "Handle Count", name: "handles"},
		{counter: "% Privileged Time", name: "cpu_time_total", label: Label{"mode", "privileged"}},
		{counter: "% User Time", name: "cpu_time_total", label: Label{"mode", "user"}},
		{counter: "IO Other Bytes/sec", name: "io_bytes_total", label: Label{"mode", "other"}},
		{counter: "IO Other Operations/sec", name: "io_operations_total", label: Label{"mode", "other"}},
		{counter: "IO Read Bytes/sec", name: "io_bytes_total", label: Label{"mode", "read"}},
		{counter: "IO Read Operations/sec", name: "io_operations_total", label: Label{"mode", "read"}},
		{counter: "IO Write Bytes/sec", name: "io_bytes_total", label: Label{"mode", "write"}},
		{counter: "IO Write Operations/sec", name: "io_operations_total", label: Label{"mode", "write"}},
		{counter: "Page Faults/sec", name: "page_faults_total"},
		{counter: "Page File Bytes", name: "page_file_bytes"},
		{counter: "Pool Nonpaged Bytes", name: "pool_bytes", label: Label{"pool", "nonpaged"}},
		{counter: "Pool Paged Bytes", name: "pool_bytes", label: Label{"pool", "paged"}},
		{counter: "Priority Base", name: "priority_base"},
		{counter: "Private Bytes", name: "private_bytes"},
		{counter: "Thread Count", name: "threads"},
		{counter: "Virtual Bytes", name: "virtual_bytes"},
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
	for i := range s.counters {
		c := &s.counters[i]
		if !paths.EqualFold(c.counter, name) {
			continue
		}
		k.name, k.scale, k.grows = s.prefix+c.name, c.scale, hasTotal(c.name)
		if c.label.Name != "" {
			k.labels = append(slices.Clip(k.labels), c.label)
		}
	}
	return k
}

// hasTotal tells a metric that grows by its name.
func hasTotal(name string) bool {
	const end = "_total"
	return len(name) > len(end) && name[len(name)-len(end):] == end
}
