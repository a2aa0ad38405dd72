package fake

import (
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
)

// The countersets of the machine: names, types and default scales as Windows
// has them.

// busy is one processor's time: all of them work near the host's average.
func (p *profile) busy() Motion {
	return Within(0, 100, Plus(p.cpu, Walk(-7, 7, 5*time.Second)))
}

func (p *profile) processorInformation() Set {
	s := p.processor()
	s.Name, s.V1Index, s.GUID = "Processor Information", 0, "{b4fc721a-0378-476f-89ba-a5a79f810b36}"
	s.Description = "Processor activity, also by group or node."
	s.Rows = p.processors("0,%d", "0,_Total", "_Total")
	s.Counters = append(s.Counters,
		Counter{Name: "Processor Frequency", Type: cooker.CounterRawCount, Is: Const(2594), Mean: true, Description: "The clock of the processor in MHz."},
		Counter{Name: "% Processor Performance", Type: cooker.SampleFraction, Is: Walk(104, 121, 10*time.Second), Per: Const(1e4), Mean: true, Description: "How fast the processor ran, as a share of its nominal speed."},
	)
	return s
}

func (p *profile) processor() Set {
	busy := p.busy()
	return Set{
		Name: "Processor", V1Index: 238, Instances: session.MultipleAggregate, Description: "What the processors do.",
		Rows: p.processors("%d", "_Total"),
		Counters: []Counter{
			{Name: "% Processor Time", Type: cooker.Timer100nsInv, Is: busy, Mean: true, Description: "The share of time that the processor was not idle."},
			{Name: "% User Time", Type: cooker.Timer100ns, Is: Times(0.86, busy), Mean: true, Description: "The share of time in programs."},
			{Name: "% Privileged Time", Type: cooker.Timer100ns, Is: Times(0.14, busy), Mean: true, Description: "The share of time in the system."},
			{Name: "Interrupts/sec", Type: cooker.CounterCounter, Scale: -2, Is: Plus(Walk(300, 700, 6*time.Second), Times(6, busy)), Description: "Hardware interrupts."},
			{Name: "% DPC Time", Type: cooker.Timer100ns, Is: Times(0.008, busy), Mean: true, Description: "The share of time in deferred procedure calls."},
			{Name: "% Interrupt Time", Type: cooker.Timer100ns, Is: Times(0.004, busy), Mean: true, Description: "The share of time in hardware interrupts."},
			{Name: "% Idle Time", Type: cooker.Timer100ns, Is: Rest(100, busy), Mean: true, Description: "The share of time with nothing to do."},
		},
	}
}

func (p *profile) memory() Set {
	limit := p.memoryMB * 1.25 * (1 << 20)
	bytes := Times(limit/100, p.committed)
	available := Times(0.4, Rest(limit, bytes))
	return Set{
		Name: "Memory", V1Index: 4, Description: "Physical and virtual memory.",
		Counters: []Counter{
			{Name: "Available Bytes", Type: cooker.CounterLargeRawCount, Scale: -6, Is: available, Description: "Memory to be had at once."},
			{Name: "Available MBytes", Type: cooker.CounterLargeRawCount, Is: Times(1.0/(1<<20), available), Description: "Memory to be had at once."},
			{Name: "Committed Bytes", Type: cooker.CounterLargeRawCount, Scale: -6, Is: bytes, Description: "Memory promised to programs."},
			{Name: "Commit Limit", Type: cooker.CounterLargeRawCount, Scale: -6, Is: Const(limit), Description: "The most that can be promised."},
			{Name: "% Committed Bytes In Use", Type: cooker.LargeRawFraction, Is: p.committed, Per: Const(limit), Description: "How much of the limit is promised."},
			{Name: "Cache Bytes", Type: cooker.CounterLargeRawCount, Scale: -5, Is: Walk(1.8e9, 2.1e9, time.Minute), Description: "The system's file cache."},
			{Name: "Pages/sec", Type: cooker.CounterCounter, Is: Within(0, 1e6, Walk(-40, 220, 7*time.Second)), Description: "Pages read from and written to disk for lack of memory, or as cached files."},
			{Name: "Page Faults/sec", Type: cooker.CounterCounter, Scale: -1, Is: Plus(Walk(2000, 6000, 9*time.Second), Times(200, p.cpu)), Description: "Page faults of all kinds."},
			{Name: "Pool Nonpaged Bytes", Type: cooker.CounterLargeRawCount, Scale: -5, Is: Walk(1.05e9, 1.1e9, 5*time.Minute), Description: "Memory of the system that never leaves RAM."},
			{Name: "Pool Paged Bytes", Type: cooker.CounterLargeRawCount, Scale: -5, Is: Walk(0.7e9, 0.8e9, 5*time.Minute), Description: "Memory of the system that may be paged out."},
		},
	}
}

func (p *profile) numaMemory() Set {
	return Set{
		Name: "NUMA Node Memory", Instances: session.MultipleInstances, Description: "The memory of each node of processors.",
		Rows: []Row{{Name: "0"}, {Name: "_Total", Flags: session.FlagTotal}},
		Counters: []Counter{
			{Name: "Total MBytes", Type: cooker.CounterLargeRawCount, Scale: -1, Is: Const(p.memoryMB), Description: "The memory that there is."},
		},
	}
}

func (p *profile) pagingFile() Set {
	return Set{
		Name: "Paging File", V1Index: 700, Instances: session.MultipleInstances, Description: "Files to which memory is paged out.",
		Rows: []Row{{Name: `\??\C:\pagefile.sys`}, {Name: "_Total", Flags: session.FlagTotal}},
		Counters: []Counter{
			{Name: "% Usage", Type: cooker.RawFraction, Is: Walk(3, 7, 3*time.Minute), Per: Const(p.memoryMB / 4 * 256), Mean: true, Description: "How much of the file is used."},
			{Name: "% Usage Peak", Type: cooker.RawFraction, Is: Const(11.2), Per: Const(p.memoryMB / 4 * 256), Mean: true, Description: "How much of it was used at most."},
		},
	}
}

func (p *profile) system() Set {
	processes := Const(float64(len(basePrograms) + len(p.programs) + 2*p.services))
	return Set{
		Name: "System", V1Index: 2, Description: "The computer as a whole.",
		Counters: []Counter{
			{Name: "Processor Queue Length", Type: cooker.CounterRawCount, Scale: 1, Is: Within(0, 99, Plus(Times(0.22, p.cpu), Walk(-9, 3, 4*time.Second))), Description: "Threads that wait for a processor."},
			{Name: "Context Switches/sec", Type: cooker.CounterCounter, Scale: -2, Is: Plus(Walk(4000, 9000, 6*time.Second), Times(820, p.cpu)), Description: "Switches from thread to thread."},
			{Name: "System Calls/sec", Type: cooker.CounterCounter, Scale: -1, Is: Plus(Walk(20e3, 40e3, 6*time.Second), Times(2100, p.cpu)), Description: "Calls into the system."},
			{Name: "Processes", Type: cooker.CounterRawCount, Scale: 1, Is: processes, Description: "Processes now."},
			{Name: "Threads", Type: cooker.CounterRawCount, Is: Walk(4290, 4331, 30*time.Second), Description: "Threads now."},
			{Name: "System Up Time", Type: cooker.ElapsedTime, Scale: -5, Description: "The time since the start of the computer."},
		},
	}
}

// disk is a physical disk with one volume.
type disk struct {
	name, volume string
	freePercent  float64
	latency      Motion // seconds per transfer
	transfers    Motion // per second
}

func (p *profile) physicalDisk() Set {
	s := Set{Name: "PhysicalDisk", V1Index: 234, Instances: session.MultipleAggregate, Description: "Disks, whatever is on them.", Counters: diskCounters()}
	for _, d := range p.disks {
		s.Rows = append(s.Rows, d.row(d.name))
	}
	s.Rows = append(s.Rows, Row{Name: "_Total", Flags: session.FlagTotal})
	return s
}

func (p *profile) logicalDisk() Set {
	s := Set{Name: "LogicalDisk", V1Index: 236, Instances: session.MultipleAggregate, Description: "Volumes.", Counters: diskCounters()}
	s.Counters = append(s.Counters,
		Counter{Name: "% Free Space", Type: cooker.RawFraction, Per: Const(262144), Mean: true, Description: "The share of the volume that is free."},
		Counter{Name: "Free Megabytes", Type: cooker.CounterRawCount, Description: "What is free on the volume."},
	)
	for _, d := range p.disks {
		row := d.row(d.volume)
		row.Is["% Free Space"] = Const(d.freePercent)
		row.Is["Free Megabytes"] = Const(d.freePercent / 100 * 262144)
		s.Rows = append(s.Rows, row)
	}
	s.Rows = append(s.Rows, Row{Name: "_Total", Flags: session.FlagTotal})
	return s
}

// row is the disk as an instance: requests wait as long as they take, so the
// queue is their rate times their time.
func (d *disk) row(name string) Row {
	seed := seedOf(1, d.name) // the disk and its volume show the same
	latency, transfers := Alike(seed, d.latency), Alike(seed+1, d.transfers)
	queue := func(at time.Duration, seed uint64) float64 { return latency(at, seed) * transfers(at, seed) }
	return Row{Name: name, Is: map[string]Motion{
		"Disk Transfers/sec":        transfers,
		"Disk Reads/sec":            Times(0.7, transfers),
		"Disk Writes/sec":           Times(0.3, transfers),
		"Disk Bytes/sec":            Times(24e3, transfers),
		"Disk Read Bytes/sec":       Times(15e3, transfers),
		"Disk Write Bytes/sec":      Times(9e3, transfers),
		"Avg. Disk sec/Transfer":    latency,
		"Avg. Disk sec/Read":        Times(1.05, latency),
		"Avg. Disk sec/Write":       Times(0.6, latency),
		"Avg. Disk Queue Length":    queue,
		"Current Disk Queue Length": queue,
		"% Disk Time":               Times(100, queue),
		"% Idle Time":               Rest(100, Times(30, queue)),
	}}
}

func diskCounters() []Counter {
	return []Counter{
		{Name: "% Disk Time", Type: cooker.Precision100nsTimer, Mean: true, Description: "The time of all requests, overlaps added."},
		{Name: "% Idle Time", Type: cooker.Precision100nsTimer, Mean: true, Description: "The share of time without requests."},
		{Name: "Current Disk Queue Length", Type: cooker.CounterRawCount, Scale: 1, Description: "Requests that wait or run now."},
		{Name: "Avg. Disk Queue Length", Type: cooker.Counter100nsQueueLen, Scale: 2, Description: "Requests that waited or ran on average."},
		{Name: "Avg. Disk sec/Transfer", Type: cooker.AverageTimer, Scale: 3, Mean: true, Description: "The time of an average disk transfer, in seconds."},
		{Name: "Avg. Disk sec/Read", Type: cooker.AverageTimer, Scale: 3, Mean: true, Description: "The time of an average read, in seconds."},
		{Name: "Avg. Disk sec/Write", Type: cooker.AverageTimer, Scale: 3, Mean: true, Description: "The time of an average write, in seconds."},
		{Name: "Disk Transfers/sec", Type: cooker.CounterCounter, Description: "Reads and writes."},
		{Name: "Disk Reads/sec", Type: cooker.CounterCounter, Description: "Reads."},
		{Name: "Disk Writes/sec", Type: cooker.CounterCounter, Description: "Writes."},
		{Name: "Disk Bytes/sec", Type: cooker.CounterBulkCount, Scale: -4, Description: "Bytes read and written."},
		{Name: "Disk Read Bytes/sec", Type: cooker.CounterBulkCount, Scale: -4, Description: "Bytes read."},
		{Name: "Disk Write Bytes/sec", Type: cooker.CounterBulkCount, Scale: -4, Description: "Bytes written."},
		{Name: "Avg. Disk Bytes/Transfer", Type: cooker.AverageBulk, Scale: -2, Is: Walk(20e3, 32e3, 20*time.Second), Mean: true, Description: "The size of an average disk transfer."},
	}
}

func (p *profile) networkInterface() Set {
	return Set{
		Name: "Network Interface", V1Index: 510, Instances: session.MultipleInstances, Description: "Network adapters.",
		Rows: []Row{{Name: p.adapter}},
		Counters: []Counter{
			{Name: "Bytes Total/sec", Type: cooker.CounterBulkCount, Scale: -4, Is: p.network, Description: "Bytes in and out."},
			{Name: "Bytes Received/sec", Type: cooker.CounterBulkCount, Scale: -4, Is: Times(0.34, p.network), Description: "Bytes in."},
			{Name: "Bytes Sent/sec", Type: cooker.CounterBulkCount, Scale: -4, Is: Times(0.66, p.network), Description: "Bytes out."},
			{Name: "Packets/sec", Type: cooker.CounterCounter, Scale: -1, Is: Times(1.0/1600, p.network), Description: "Packets in and out."},
			{Name: "Packets Received/sec", Type: cooker.CounterCounter, Scale: -1, Is: Times(0.4/1600, p.network), Description: "Packets in."},
			{Name: "Packets Sent/sec", Type: cooker.CounterCounter, Scale: -1, Is: Times(0.6/1600, p.network), Description: "Packets out."},
			{Name: "Packets Received Discarded", Type: cooker.CounterLargeRawCount, Description: "Packets that were thrown away for lack of room."},
			{Name: "Packets Received Errors", Type: cooker.CounterLargeRawCount, Description: "Packets that could not be received."},
			{Name: "Current Bandwidth", Type: cooker.CounterLargeRawCount, Scale: -6, Is: Const(10e9), Description: "The speed of the link in bits per second."},
			{Name: "Output Queue Length", Type: cooker.CounterLargeRawCount, Description: "Packets that wait to be sent."},
			{Name: "Packets Outbound Discarded", Type: cooker.CounterLargeRawCount, Description: "Packets that were thrown away before they were sent."},
			{Name: "Packets Outbound Errors", Type: cooker.CounterLargeRawCount, Description: "Packets that could not be sent."},
		},
	}
}

func (p *profile) tcp4() Set {
	return Set{
		Name: "TCPv4", V1Index: 638, Description: "TCP over IPv4.",
		Counters: []Counter{
			{Name: "Connections Established", Type: cooker.CounterRawCount, Is: p.tcp, Description: "Connections open now."},
			{Name: "Connection Failures", Type: cooker.CounterRawCount, Is: Ramp(318, 0.02), Description: "Attempts that failed since the start."},
			{Name: "Connections Reset", Type: cooker.CounterRawCount, Is: Ramp(9120, 0.3), Description: "Connections broken off since the start."},
			{Name: "Segments/sec", Type: cooker.CounterCounter, Scale: -1, Is: Times(1.0/1800, p.network), Description: "Segments in and out."},
			{Name: "Segments Retransmitted/sec", Type: cooker.CounterCounter, Scale: -1, Is: Within(0, 99, Walk(-2, 2.4, 8*time.Second)), Description: "Segments sent again."},
		},
	}
}

func (p *profile) bufferManager() Set {
	pressure := Burst(Within(0, 99, Walk(-6, 4, 10*time.Second)), Walk(25, 61, 6*time.Second), incident)
	return Set{
		Name: "SQLServer:Buffer Manager", V1Index: 9420, Description: "The memory in which SQL Server keeps pages.",
		Counters: []Counter{
			{Name: "Page life expectancy", Type: cooker.CounterLargeRawCount, Is: Burst(Saw(400, 2900, 5*time.Minute), Walk(190, 240, 20*time.Second), incident), Description: "How many seconds a page stays without being used."},
			{Name: "Buffer cache hit ratio", Type: cooker.LargeRawFraction, Is: Rest(99.9, Times(0.02, pressure)), Description: "The share of pages found in memory."},
			{Name: "Lazy writes/sec", Type: cooker.CounterBulkCount, Is: pressure, Description: "Pages written to make room."},
			{Name: "Page reads/sec", Type: cooker.CounterBulkCount, Is: Plus(Walk(600, 1400, 9*time.Second), Times(45, pressure)), Description: "Pages read from disk."},
			{Name: "Checkpoint pages/sec", Type: cooker.CounterBulkCount, Is: Burst(Const(0), Walk(300, 900, 3*time.Second), Window{To: 8 * time.Second, Every: time.Minute}), Description: "Pages written by checkpoints."},
		},
	}
}

func (p *profile) sqlStatistics() Set {
	return Set{
		Name: "SQLServer:SQL Statistics", V1Index: 9570, Description: "Requests to SQL Server.",
		Counters: []Counter{
			{Name: "Batch Requests/sec", Type: cooker.CounterBulkCount, Is: Plus(Walk(900, 1600, 8*time.Second), Times(14, p.cpu)), Description: "Batches of statements."},
			{Name: "SQL Compilations/sec", Type: cooker.CounterBulkCount, Is: Walk(30, 120, 10*time.Second), Description: "Statements compiled."},
		},
	}
}
