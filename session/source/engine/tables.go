package engine

import (
	"slices"
	"strings"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/engine/prom"
)

// tables are what exporters' metrics are in names of Windows. A new exporter is a table here,
// and what its hosts are known by is a row of markers.
//
// Sources: the metrics of windows_exporter v0.25.1 and v0.31, node_exporter v0.15 and v1.8, and
// telegraf v1.30 as their documentation lists them. Where a metric was renamed the older name
// stands in for the newer, so that of both at once one counts. What windows_exporter has for just one counter is in
// prom's own table.
var tables = []table{
	{kind: ofWindowsExporter, entries: windowsExporter()},
	{kind: ofNodeExporter, entries: nodeExporter()},
	{kind: ofTelegraf, entries: telegraf(), any: telegrafWindows},
}

const (
	kibi    = 1 << 10
	mebi    = 1 << 20
	ofTimer = 1. / system100ns // in seconds
)

func is(name, value string) []prom.Label { return []prom.Label{{Name: name, Value: value}} }

// entries are those of a counterset, in the usual form where they have none of their own.
func entries(set, instance string, usual form, list []entry) []entry {
	for i := range list {
		e := &list[i]
		e.set, e.instance = set, instance
		if e.form == cookedForm {
			e.form = usual
		}
	}
	return list
}

// windowsExporter is what it has of several counters, or in other units.
func windowsExporter() []entry {
	idle := is("mode", "idle")
	out := slices.Concat(
		entries("Processor Information", "core", rawForm, []entry{
			{metric: "windows_cpu_time_total", counter: "% Processor Time", scale: ofTimer, labels: idle},
		}),
		entries("Memory", "", rawForm, []entry{
			{metric: "windows_memory_available_bytes", counter: "Available MBytes", scale: mebi},
			{metric: "windows_memory_available_bytes", counter: "Available KBytes", scale: kibi},
			{metric: "windows_memory_committed_bytes", counter: "% Committed Bytes In Use"},
			{metric: "windows_memory_commit_limit", counter: "% Committed Bytes In Use", form: baseForm},
			{metric: "windows_memory_physical_total_bytes", counter: "Physical Bytes"},
			{metric: "windows_cs_physical_memory_bytes", counter: "Physical Bytes", stand: true},
		}),
		entries("System", "", rawForm, []entry{
			{metric: "windows_system_boot_time_timestamp", counter: "System Up Time", form: momentForm},
			{metric: "windows_system_boot_time_timestamp_seconds", counter: "System Up Time", form: momentForm, stand: true},
			{metric: "windows_system_system_up_time", counter: "System Up Time", form: momentForm, stand: true},
			{metric: "windows_system_processes", counter: "Processes"},
			{metric: "windows_os_processes", counter: "Processes", stand: true},
		}),
		entries("LogicalDisk", "volume", rawForm, []entry{
			{metric: "windows_logical_disk_free_bytes", counter: "% Free Space"},
			{metric: "windows_logical_disk_size_bytes", counter: "% Free Space", form: baseForm},
		}),
	)
	for _, mode := range []string{"user", "privileged"} {
		out = append(out, entry{metric: "windows_process_cpu_time_total", set: "Process", counter: "% Processor Time", form: rawForm, scale: ofTimer, labels: is("mode", mode), instance: "process", adds: true})
	}
	for set, of := range map[string]struct{ prefix, label string }{"PhysicalDisk": {"windows_physical_disk_", "disk"}, "LogicalDisk": {"windows_logical_disk_", "volume"}} {
		for _, e := range entries(set, of.label, rawForm, []entry{
			{metric: "reads_total", counter: "Disk Transfers/sec"},
			{metric: "writes_total", counter: "Disk Transfers/sec"},
			{metric: "read_bytes_total", counter: "Disk Bytes/sec"},
			{metric: "write_bytes_total", counter: "Disk Bytes/sec"},
			{metric: "read_seconds_total", counter: "% Disk Time", scale: ofTimer},
			{metric: "write_seconds_total", counter: "% Disk Time", scale: ofTimer},
			{metric: "reads_total", counter: "Avg. Disk sec/Transfer", form: baseForm},
			{metric: "writes_total", counter: "Avg. Disk sec/Transfer", form: baseForm},
			{metric: "reads_total", counter: "Avg. Disk sec/Read", form: baseForm},
			{metric: "writes_total", counter: "Avg. Disk sec/Write", form: baseForm},
		}) {
			e.metric, e.adds = of.prefix+e.metric, true
			out = append(out, e)
		}
	}
	return out
}

// nodeExporter is that of hosts of Linux.
func nodeExporter() []entry {
	core := func(cpu string) string { return "0," + cpu }
	var out []entry
	for counter, mode := range map[string]string{
		"% Processor Time": "idle", "% Idle Time": "idle", "% User Time": "user", "% Privileged Time": "system", "% Interrupt Time": "irq",
		"% DPC Time": "softirq", "% I/O Wait": "iowait", "% Steal": "steal", "% Nice Time": "nice",
	} {
		out = append(out,
			entry{metric: "node_cpu_seconds_total", set: "Processor Information", counter: counter, form: rawForm, scale: ofTimer, labels: is("mode", mode), instance: "cpu", named: core},
			entry{metric: "node_cpu_seconds_total", set: "Processor", counter: counter, form: rawForm, scale: ofTimer, labels: is("mode", mode), instance: "cpu"})
	}
	out = append(out, entries("Memory", "", rawForm, []entry{
		{metric: "node_memory_MemAvailable_bytes", counter: "Available Bytes"},
		{metric: "node_memory_MemAvailable_bytes", counter: "Available MBytes", scale: mebi},
		{metric: "node_memory_MemAvailable_bytes", counter: "Available KBytes", scale: kibi},
		{metric: "node_memory_MemTotal_bytes", counter: "Physical Bytes"},
		{metric: "node_memory_Committed_AS_bytes", counter: "Committed Bytes"},
		{metric: "node_memory_CommitLimit_bytes", counter: "Commit Limit"},
		{metric: "node_memory_Committed_AS_bytes", counter: "% Committed Bytes In Use"},
		{metric: "node_memory_CommitLimit_bytes", counter: "% Committed Bytes In Use", form: baseForm},
		{metric: "node_memory_Cached_bytes", counter: "Cache Bytes"},
		{metric: "node_vmstat_pgfault", counter: "Page Faults/sec"},
		{metric: "node_vmstat_oom_kill", counter: "OOM Kills"},
	})...)
	out = append(out, entries("System", "", cookedForm, []entry{
		{metric: "node_context_switches_total", counter: "Context Switches/sec", form: rawForm},
		{metric: "node_forks_total", counter: "Forks/sec", form: rawForm},
		{metric: "node_procs_running", counter: "Processor Queue Length"},
		{metric: "node_load1", counter: "Load Average 1 Minutes x100", scale: 1. / 100},
		{metric: "node_load5", counter: "Load Average 5 Minutes x100", scale: 1. / 100},
		{metric: "node_load15", counter: "Load Average 15 Minutes x100", scale: 1. / 100},
		{metric: "node_boot_time_seconds", counter: "System Up Time", form: momentForm},
		{metric: "node_filefd_allocated", counter: "File Descriptors"},
	})...)
	out = append(out, entries("PhysicalDisk", "device", rawForm, []entry{
		{metric: "node_disk_reads_completed_total", counter: "Disk Reads/sec"},
		{metric: "node_disk_writes_completed_total", counter: "Disk Writes/sec"},
		{metric: "node_disk_reads_completed_total", counter: "Disk Transfers/sec", adds: true},
		{metric: "node_disk_writes_completed_total", counter: "Disk Transfers/sec", adds: true},
		{metric: "node_disk_read_bytes_total", counter: "Disk Read Bytes/sec"},
		{metric: "node_disk_written_bytes_total", counter: "Disk Write Bytes/sec"},
		{metric: "node_disk_read_bytes_total", counter: "Disk Bytes/sec", adds: true},
		{metric: "node_disk_written_bytes_total", counter: "Disk Bytes/sec", adds: true},
		{metric: "node_disk_io_time_seconds_total", counter: "% Disk Time", scale: ofTimer},
		{metric: "node_disk_read_time_seconds_total", counter: "Avg. Disk sec/Read", scale: ofTimer},
		{metric: "node_disk_reads_completed_total", counter: "Avg. Disk sec/Read", form: baseForm},
		{metric: "node_disk_write_time_seconds_total", counter: "Avg. Disk sec/Write", scale: ofTimer},
		{metric: "node_disk_writes_completed_total", counter: "Avg. Disk sec/Write", form: baseForm},
		{metric: "node_disk_read_time_seconds_total", counter: "Avg. Disk sec/Transfer", scale: ofTimer, adds: true},
		{metric: "node_disk_write_time_seconds_total", counter: "Avg. Disk sec/Transfer", scale: ofTimer, adds: true},
		{metric: "node_disk_reads_completed_total", counter: "Avg. Disk sec/Transfer", form: baseForm, adds: true},
		{metric: "node_disk_writes_completed_total", counter: "Avg. Disk sec/Transfer", form: baseForm, adds: true},
		{metric: "node_disk_io_now", counter: "Current Disk Queue Length"},
	})...)
	out = append(out, entries("LogicalDisk", "mountpoint", rawForm, []entry{
		{metric: "node_filesystem_avail_bytes", counter: "Free Megabytes", scale: mebi},
		{metric: "node_filesystem_avail_bytes", counter: "% Free Space"},
		{metric: "node_filesystem_size_bytes", counter: "% Free Space", form: baseForm},
	})...)
	out = append(out, entries("Network Interface", "device", rawForm, []entry{
		{metric: "node_network_receive_bytes_total", counter: "Bytes Received/sec"},
		{metric: "node_network_transmit_bytes_total", counter: "Bytes Sent/sec"},
		{metric: "node_network_receive_bytes_total", counter: "Bytes Total/sec", adds: true},
		{metric: "node_network_transmit_bytes_total", counter: "Bytes Total/sec", adds: true},
		{metric: "node_network_receive_packets_total", counter: "Packets Received/sec"},
		{metric: "node_network_transmit_packets_total", counter: "Packets Sent/sec"},
		{metric: "node_network_receive_packets_total", counter: "Packets/sec", adds: true},
		{metric: "node_network_transmit_packets_total", counter: "Packets/sec", adds: true},
		{metric: "node_network_receive_errs_total", counter: "Packets Received Errors"},
		{metric: "node_network_receive_drop_total", counter: "Packets Received Discarded"},
		{metric: "node_network_transmit_errs_total", counter: "Packets Outbound Errors"},
		{metric: "node_network_transmit_drop_total", counter: "Packets Outbound Discarded"},
		{metric: "node_network_speed_bytes", counter: "Current Bandwidth", scale: 1. / 8},
	})...)
	for metric, counter := range map[string]string{
		"node_netstat_Tcp_CurrEstab": "Connections Established", "node_netstat_Tcp_ActiveOpens": "Connections Active", "node_netstat_Tcp_PassiveOpens": "Connections Passive",
		"node_netstat_Tcp_InSegs": "Segments Received/sec", "node_netstat_Tcp_OutSegs": "Segments Sent/sec", "node_netstat_Tcp_RetransSegs": "Segments Retransmitted/sec",
	} {
		out = append(out, entry{metric: metric, set: "TCPv4", counter: counter, form: rawForm})
	}
	for _, e := range out {
		if older, ok := olderNode(e.metric); ok {
			e.metric, e.stand = older, true
			switch {
			case older == "node_cpu": // its processors are called cpu0
				named := e.named
				e.named = func(cpu string) string {
					if cpu = strings.TrimPrefix(cpu, "cpu"); named != nil {
						cpu = named(cpu)
					}
					return cpu
				}
			case strings.HasSuffix(older, "_ms"):
				e.scale *= 1000
			}
			out = append(out, e)
		}
	}
	return out
}

// olderNode is the name that a metric of node_exporter had before v0.16.
func olderNode(metric string) (string, bool) {
	switch metric {
	case "node_cpu_seconds_total":
		return "node_cpu", true
	case "node_disk_read_bytes_total":
		return "node_disk_bytes_read", true
	case "node_disk_written_bytes_total":
		return "node_disk_bytes_written", true
	}
	for _, was := range [][2]string{{"_time_seconds_total", "_time_ms"}, {"_time_seconds", "_time"}, {"_total", ""}, {"_bytes", ""}} {
		if stem, ok := strings.CutSuffix(metric, was[0]); ok && metric != "node_network_speed_bytes" {
			return stem + was[1], true
		}
	}
	return "", false
}

// telegraf is that of hosts of Linux, by its inputs cpu, mem, system, disk, diskio, net.
func telegraf() []entry {
	total := func(cpu string) string {
		if cpu == "cpu-total" {
			return totalName
		}
		return "0," + strings.TrimPrefix(cpu, "cpu")
	}
	out := slices.Concat(
		entries("Processor Information", "cpu", cookedForm, []entry{
			{metric: "cpu_usage_user", counter: "% User Time", named: total},
			{metric: "cpu_usage_system", counter: "% Privileged Time", named: total},
			{metric: "cpu_usage_idle", counter: "% Idle Time", named: total},
			{metric: "cpu_usage_iowait", counter: "% I/O Wait", named: total},
			{metric: "cpu_usage_steal", counter: "% Steal", named: total},
			{metric: "cpu_usage_active", counter: "% Processor Time", named: total},
		}),
		entries("Memory", "", rawForm, []entry{
			{metric: "mem_available", counter: "Available Bytes"},
			{metric: "mem_available", counter: "Available MBytes", scale: mebi},
			{metric: "mem_total", counter: "Physical Bytes"},
			{metric: "mem_committed_as", counter: "Committed Bytes"},
			{metric: "mem_commit_limit", counter: "Commit Limit"},
		}),
		entries("System", "", cookedForm, []entry{
			{metric: "system_load1", counter: "Load Average 1 Minutes x100", scale: 1. / 100},
			{metric: "system_load5", counter: "Load Average 5 Minutes x100", scale: 1. / 100},
			{metric: "system_load15", counter: "Load Average 15 Minutes x100", scale: 1. / 100},
			{metric: "system_uptime", counter: "System Up Time"},
			{metric: "processes_total", counter: "Processes", form: rawForm},
		}),
		entries("LogicalDisk", "path", rawForm, []entry{
			{metric: "disk_free", counter: "Free Megabytes", scale: mebi},
			{metric: "disk_free", counter: "% Free Space"},
			{metric: "disk_total", counter: "% Free Space", form: baseForm},
		}),
	)
	out = append(out, entries("PhysicalDisk", "name", rawForm, []entry{
		{metric: "diskio_reads", counter: "Disk Reads/sec"}, {metric: "diskio_writes", counter: "Disk Writes/sec"},
		{metric: "diskio_read_bytes", counter: "Disk Read Bytes/sec"}, {metric: "diskio_write_bytes", counter: "Disk Write Bytes/sec"},
		{metric: "diskio_read_bytes", counter: "Disk Bytes/sec", adds: true}, {metric: "diskio_write_bytes", counter: "Disk Bytes/sec", adds: true},
	})...)
	out = append(out, entries("Network Interface", "interface", rawForm, []entry{
		{metric: "net_bytes_recv", counter: "Bytes Received/sec"}, {metric: "net_bytes_sent", counter: "Bytes Sent/sec"},
		{metric: "net_bytes_recv", counter: "Bytes Total/sec", adds: true}, {metric: "net_bytes_sent", counter: "Bytes Total/sec", adds: true},
		{metric: "net_packets_recv", counter: "Packets Received/sec"}, {metric: "net_packets_sent", counter: "Packets Sent/sec"},
		{metric: "net_err_in", counter: "Packets Received Errors"}, {metric: "net_err_out", counter: "Packets Outbound Errors"},
	})...)
	return out
}

// telegrafField is how telegraf's win_perf_counters writes a counter as a field.
var telegrafField = strings.NewReplacer("/sec", "_persec", "/Sec", "_persec", "%", "Percent", " ", "_", "/", "_", `\`, "_", ".", "")

// telegrafWindows is what its input win_perf_counters has, cooked: the measurement is the
// user's, the label objectname the counterset.
func telegrafWindows(set *session.Counterset, take func(string, meaning)) {
	short := map[string]string{
		"Processor Information": "win_cpu", "Processor": "win_cpu", "PhysicalDisk": "win_diskio", "LogicalDisk": "win_disk",
		"Network Interface": "win_net", "System": "win_system", "Memory": "win_mem", "Paging File": "win_swap", "Process": "win_proc",
	}[set.Name]
	if short == "" {
		return
	}
	for i := range set.Counters {
		m := meaning{set: set.Name, counter: i, form: cookedForm, scale: 1, labels: is("objectname", set.Name), instance: "instance"}
		take(short+"_"+telegrafField.Replace(set.Counters[i].Name), m)
		if set.Name == "Processor Information" { // the usual configuration has the older one alone
			m.labels, m.named, m.stand = is("objectname", "Processor"), ofGroup, true
			take(short+"_"+telegrafField.Replace(set.Counters[i].Name), m)
		}
	}
}

// ofGroup is a processor of Processor by its name in Processor Information.
func ofGroup(name string) string {
	if paths.IsTotal(name) {
		return name
	}
	return "0," + name
}
