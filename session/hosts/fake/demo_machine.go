package fake

import (
	_ "embed" // the countersets
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/text/sheet"
)

// demoText are the countersets of the demo.
//
//go:embed demo.txt
var demoText string

// demoSets are those, by name, without what moves.
var demoSets = sync.OnceValue(func() map[string]*Set {
	kinds := map[string]session.InstanceType{"one": session.SingleInstance, "instances": session.MultipleInstances, "aggregate": session.MultipleAggregate}
	out := map[string]*Set{}
	for r := range sheet.Rows(demoText) {
		s := out[r.Part]
		if s == nil {
			index, _ := strconv.Atoi(r.Of[0])
			s = &Set{Name: r.Part, V1Index: uint32(index), Instances: kinds[r.Of[1]], Description: strings.Join(r.Of[2:], " ")}
			out[r.Part] = s
		}
		t, _ := cooker.LookupType(r.Words[0])
		scale, _ := strconv.Atoi(r.Words[1])
		s.Counters = append(s.Counters, Counter{Name: r.Name, Type: t, Scale: scale, Mean: r.Words[2] == "mean", Description: r.After(3)})
	}
	return out
})

// demoSet is a counterset whose counters show and are divided by what stands for them here.
func demoSet(name string, is, per map[string]Motion) Set {
	s := *demoSets()[name]
	s.Counters = slices.Clone(s.Counters)
	for i := range s.Counters {
		c := &s.Counters[i]
		c.Is, c.Per = is[c.Name], per[c.Name]
	}
	return s
}

// busy is one processor's time: all of them work near the host's average.
func (p *profile) busy() Motion {
	return Within(0, 100, Plus(p.cpu, Walk(-7, 7, 5*time.Second)))
}

func (p *profile) processorInformation() Set {
	s := p.processor("Processor Information")
	s.GUID, s.Rows = "{b4fc721a-0378-476f-89ba-a5a79f810b36}", p.processors("0,%d", "0,_Total", "_Total")
	return s
}

func (p *profile) processor(name string) Set {
	busy := p.busy()
	s := demoSet(name, map[string]Motion{
		"% Processor Time":        busy,
		"% User Time":             Times(0.86, busy),
		"% Privileged Time":       Times(0.14, busy),
		"Interrupts/sec":          Plus(Walk(300, 700, 6*time.Second), Times(6, busy)),
		"% DPC Time":              Times(0.008, busy),
		"% Interrupt Time":        Times(0.004, busy),
		"% Idle Time":             Rest(100, busy),
		"Processor Frequency":     Const(2594),
		"% Processor Performance": Walk(104, 121, 10*time.Second),
	}, map[string]Motion{"% Processor Performance": Const(1e4)})
	s.Rows = p.processors("%d", "_Total")
	return s
}

func (p *profile) memory() Set {
	limit := p.memoryMB * 1.25 * (1 << 20)
	bytes := Times(limit/100, p.committed)
	available := Times(0.4, Rest(limit, bytes))
	return demoSet("Memory", map[string]Motion{
		"Available Bytes":          available,
		"Available MBytes":         Times(1.0/(1<<20), available),
		"Committed Bytes":          bytes,
		"Commit Limit":             Const(limit),
		"% Committed Bytes In Use": p.committed,
		"Cache Bytes":              Walk(1.8e9, 2.1e9, time.Minute),
		"Pages/sec":                Within(0, 1e6, Walk(-40, 220, 7*time.Second)),
		"Page Faults/sec":          Plus(Walk(2000, 6000, 9*time.Second), Times(200, p.cpu)),
		"Pool Nonpaged Bytes":      Walk(1.05e9, 1.1e9, 5*time.Minute),
		"Pool Paged Bytes":         Walk(0.7e9, 0.8e9, 5*time.Minute),
	}, map[string]Motion{"% Committed Bytes In Use": Const(limit)})
}

func (p *profile) numaMemory() Set {
	s := demoSet("NUMA Node Memory", map[string]Motion{"Total MBytes": Const(p.memoryMB)}, nil)
	s.Rows = []Row{{Name: "0"}, {Name: "_Total", Flags: session.FlagTotal}}
	return s
}

func (p *profile) pagingFile() Set {
	s := demoSet("Paging File", map[string]Motion{
		"% Usage":      Walk(3, 7, 3*time.Minute),
		"% Usage Peak": Const(11.2),
	}, map[string]Motion{
		"% Usage":      Const(p.memoryMB / 4 * 256),
		"% Usage Peak": Const(p.memoryMB / 4 * 256),
	})
	s.Rows = []Row{{Name: `\??\C:\pagefile.sys`}, {Name: "_Total", Flags: session.FlagTotal}}
	return s
}

func (p *profile) system() Set {
	processes := Const(float64(len(programsOf(p.programs)) + 2*p.services))
	return demoSet("System", map[string]Motion{
		"Processor Queue Length": Within(0, 99, Plus(Times(0.22, p.cpu), Walk(-9, 3, 4*time.Second))),
		"Context Switches/sec":   Plus(Walk(4000, 9000, 6*time.Second), Times(820, p.cpu)),
		"System Calls/sec":       Plus(Walk(20e3, 40e3, 6*time.Second), Times(2100, p.cpu)),
		"Processes":              processes,
		"Threads":                Walk(4290, 4331, 30*time.Second),
	}, nil)
}

// disk is a physical disk with one volume.
type disk struct {
	name, volume string
	freePercent  float64
	latency      Motion // seconds per transfer
	transfers    Motion // per second
}

func (p *profile) physicalDisk() Set {
	s := demoSet("PhysicalDisk", diskSizes, nil)
	for _, d := range p.disks {
		s.Rows = append(s.Rows, d.row(d.name))
	}
	s.Rows = append(s.Rows, Row{Name: "_Total", Flags: session.FlagTotal})
	return s
}

func (p *profile) logicalDisk() Set {
	s := demoSet("LogicalDisk", diskSizes, map[string]Motion{"% Free Space": Const(262144)})
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

// diskSizes is what all disks have alike.
var diskSizes = map[string]Motion{"Avg. Disk Bytes/Transfer": Walk(20e3, 32e3, 20*time.Second)}

func (p *profile) networkInterface() Set {
	s := demoSet("Network Interface", map[string]Motion{
		"Bytes Total/sec":      p.network,
		"Bytes Received/sec":   Times(0.34, p.network),
		"Bytes Sent/sec":       Times(0.66, p.network),
		"Packets/sec":          Times(1.0/1600, p.network),
		"Packets Received/sec": Times(0.4/1600, p.network),
		"Packets Sent/sec":     Times(0.6/1600, p.network),
		"Current Bandwidth":    Const(10e9),
	}, nil)
	s.Rows = []Row{{Name: p.adapter}}
	return s
}

func (p *profile) tcp4() Set {
	return demoSet("TCPv4", map[string]Motion{
		"Connections Established":    p.tcp,
		"Connection Failures":        Ramp(318, 0.02),
		"Connections Reset":          Ramp(9120, 0.3),
		"Segments/sec":               Times(1.0/1800, p.network),
		"Segments Retransmitted/sec": Within(0, 99, Walk(-2, 2.4, 8*time.Second)),
	}, nil)
}

func (p *profile) bufferManager() Set {
	pressure := Burst(Within(0, 99, Walk(-6, 4, 10*time.Second)), Walk(25, 61, 6*time.Second), incident)
	return demoSet("SQLServer:Buffer Manager", map[string]Motion{
		"Page life expectancy":   Burst(Saw(400, 2900, 5*time.Minute), Walk(190, 240, 20*time.Second), incident),
		"Buffer cache hit ratio": Rest(99.9, Times(0.02, pressure)),
		"Lazy writes/sec":        pressure,
		"Page reads/sec":         Plus(Walk(600, 1400, 9*time.Second), Times(45, pressure)),
		"Checkpoint pages/sec":   Burst(Const(0), Walk(300, 900, 3*time.Second), Window{To: 8 * time.Second, Every: time.Minute}),
	}, nil)
}

func (p *profile) sqlStatistics() Set {
	return demoSet("SQLServer:SQL Statistics", map[string]Motion{
		"Batch Requests/sec":   Plus(Walk(900, 1600, 8*time.Second), Times(14, p.cpu)),
		"SQL Compilations/sec": Walk(30, 120, 10*time.Second),
	}, nil)
}
