package fake

import (
	"fmt"
	"slices"
	"time"

	"perfdeck/session"
)

// The demo shows four hosts on an ordinary day: a database server with an
// incident every few minutes, one that refuses access, a web server whose
// answers fail to come now and then, and a quiet domain controller.

// incident is when sql01 is in trouble.
var incident = Window{From: 90 * time.Second, To: 150 * time.Second, Every: 5 * time.Minute}

// Demo makes the hosts of the demo. Their scripts begin now.
func Demo(clock session.Clock) []Host {
	return DemoWith(clock, func(string, *Motion, *Motion) {}, func(*Script) {})
}

// DemoWith makes them as they are changed before: how busy the processors of a host are, what goes
// through its adapter, and then all of its script.
func DemoWith(clock session.Clock, load func(host string, cpu, network *Motion), change func(*Script)) []Host {
	var hosts []Host
	for _, p := range demoHosts {
		load(p.name, &p.cpu, &p.network)
		script := p.script()
		change(&script)
		hosts = append(hosts, Host{Name: p.name, Source: New(script, clock)})
	}
	return hosts
}

// DemoWithPast makes the hosts of the demo on clocks of their own, which are so far
// behind, at a moment when there is something to see: sql01 is in its incident when
// the past has gone by.
func DemoWithPast(clock session.Clock, behind time.Duration) []Host {
	var hosts []Host
	for _, p := range demoHosts {
		past := NewPast(clock, behind+p.before)
		hosts = append(hosts, Host{Name: p.name, Source: New(p.script(), past), Past: past})
		past.Skip(p.before)
		if p.denies() {
			past.Go() // nobody waits for its values
		}
	}
	return hosts
}

func (p *profile) script() Script {
	return Script{Name: p.name, Seed: seedOf(1, p.name), Up: p.up, Sets: p.sets(), Faults: p.faults, Events: eventsOf(p.name)}
}

// denies tells whether the host never answers.
func (p *profile) denies() bool {
	return slices.ContainsFunc(p.faults, func(f Fault) bool { return f.Err != nil && f.Window == Window{} })
}

// profile is what tells the hosts of the demo from each other.
type profile struct {
	name      string
	before    time.Duration // of its script that is over when its past begins
	up        time.Duration
	cpus      int
	memoryMB  float64
	cpu       Motion // % of all processors
	committed Motion // % of the commit limit
	disks     []disk
	adapter   string
	network   Motion // bytes per second, both ways
	tcp       Motion // connections
	database  bool
	programs  string // of which kind of hosts
	services  int    // svchost processes
	faults    []Fault
}

const day = 24 * time.Hour

var demoHosts = []profile{
	{
		name: "sql01", before: 55 * time.Second, up: 41*day + 2*time.Hour, cpus: 16, memoryMB: 65536,
		cpu:       Alike(11, Burst(Walk(18, 52, 40*time.Second), Walk(84, 97, 12*time.Second), incident)),
		committed: Alike(12, Walk(78, 83, 3*time.Minute)),
		disks: []disk{
			{"0 C:", "C:", 40, Walk(0.0004, 0.0018, 20*time.Second), Walk(20, 60, 15*time.Second)},
			{"1 D:", "D:", 18, Burst(Walk(0.003, 0.009, 20*time.Second), Walk(0.035, 0.060, 8*time.Second), incident), Walk(300, 800, 25*time.Second)},
		},
		adapter: "vmxnet3 Ethernet Adapter", network: Alike(13, Walk(50e6, 150e6, 30*time.Second)),
		tcp: Walk(1150, 1260, time.Minute), database: true,
		programs: "sql", services: 97,
	},
	{
		name: "sql04", up: 3 * day, cpus: 8, memoryMB: 32768,
		cpu: Alike(21, Walk(10, 30, time.Minute)), committed: Alike(22, Walk(60, 64, 3*time.Minute)),
		disks:   []disk{{"0 C:", "C:", 55, Walk(0.0004, 0.002, 20*time.Second), Walk(10, 40, 20*time.Second)}},
		adapter: "vmxnet3 Ethernet Adapter", network: Alike(23, Walk(1e6, 9e6, 30*time.Second)),
		tcp: Walk(200, 240, time.Minute), database: true,
		programs: "sql", services: 60,
		faults: []Fault{{Err: Denied("sql04")}},
	},
	{
		name: "web02", up: 12*day + 7*time.Hour, cpus: 8, memoryMB: 16384,
		cpu:       Alike(31, Plus(Sine(30, 14, 4*time.Minute), Walk(0, 12, 9*time.Second))),
		committed: Alike(32, Walk(52, 61, 2*time.Minute)),
		disks: []disk{
			{"0 C:", "C:", 31, Walk(0.0003, 0.0012, 20*time.Second), Walk(15, 70, 12*time.Second)},
		},
		adapter: "vmxnet3 Ethernet Adapter", network: Alike(33, Plus(Sine(40e6, 22e6, 4*time.Minute), Walk(0, 30e6, 11*time.Second))),
		tcp:      Walk(2400, 3100, 45*time.Second),
		programs: "web", services: 70,
		faults: []Fault{
			{Window: Window{From: 100 * time.Second, To: 105 * time.Second, Every: 7 * time.Minute}, Latency: 34 * time.Second},
			{Latency: 3 * time.Millisecond},
		},
	},
	{
		name: "dc01", up: 190 * day, cpus: 4, memoryMB: 8192,
		cpu:       Alike(41, Walk(2, 11, 20*time.Second)),
		committed: Alike(42, Walk(38, 40, 5*time.Minute)),
		disks:     []disk{{"0 C:", "C:", 62, Walk(0.0004, 0.0011, 30*time.Second), Walk(4, 18, 20*time.Second)}},
		adapter:   "Microsoft Hyper-V Network Adapter", network: Alike(43, Walk(0.1e6, 1.4e6, 25*time.Second)),
		tcp:      Walk(310, 350, time.Minute),
		programs: "directory", services: 52,
		faults: []Fault{{Latency: 2 * time.Millisecond}},
	},
}

// sets are the countersets of a host.
func (p *profile) sets() []Set {
	sets := []Set{
		p.processorInformation(), p.processor("Processor"), p.memory(), p.system(), p.process(),
		p.physicalDisk(), p.logicalDisk(), p.networkInterface(), p.tcp4(), p.numaMemory(), p.pagingFile(),
	}
	if p.database {
		sets = append(sets, p.bufferManager(), p.sqlStatistics())
	}
	return sets
}

// processors are rows of one processor each, named by format, and their totals.
func (p *profile) processors(format string, totals ...string) []Row {
	var rows []Row
	for i := range p.cpus {
		rows = append(rows, Row{Name: fmt.Sprintf(format, i)})
	}
	for _, name := range totals {
		rows = append(rows, Row{Name: name, Flags: session.FlagTotal})
	}
	return rows
}
