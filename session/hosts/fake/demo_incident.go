package fake

import (
	"slices"
	"time"

	"perfdeck/session"
)

// Incident is something that goes wrong on one host of the demo for a while, beside what
// is its ordinary day. The zero value is none.
type Incident struct {
	Kind IncidentKind
	Window
}

// IncidentKind says what goes wrong.
type IncidentKind uint8

// The incidents, and where they are.
const (
	NoIncident     IncidentKind = iota
	Leak                        // a program of web02 takes more and more memory
	SlowDisk                    // the disk of web02 takes eight times as long
	NoisyNeighbour              // MsMpEng of dc01 takes processor and disk
	MoreTraffic                 // three times as much goes through the adapter of web02
	BusyHost                    // one host, dc01, has six times as much to do
)

// incidents tell what becomes of the hosts: values are multiplied.
var incidents = []struct {
	kind  IncidentKind
	host  string
	plant func(p *profile, w Window) // nil: only values of the script
	what  []planted
}{
	{kind: Leak, host: "web02", what: []planted{{"Process", "w3wp", []string{"Private Bytes", "Working Set"}, growing(2)}}},
	{kind: SlowDisk, host: "web02", what: []planted{
		{"PhysicalDisk", "0 C:", slowed, times(8)}, {"LogicalDisk", "C:", slowed, times(8)},
	}},
	{kind: NoisyNeighbour, host: "dc01", what: []planted{
		{"Process", "MsMpEng", []string{"% Processor Time", "% Privileged Time", "% User Time", "IO Data Bytes/sec", "Page Faults/sec"}, times(20)},
	}},
	{kind: MoreTraffic, host: "web02", plant: func(p *profile, w Window) { p.network = multiplied(p.network, times(3)(w)) }},
	{kind: BusyHost, host: "dc01", plant: func(p *profile, w Window) { p.cpu = multiplied(p.cpu, times(6)(w)) }},
}

// slowed are the counters that tell how long a disk takes.
var slowed = []string{"Avg. Disk sec/Transfer", "Avg. Disk sec/Read", "Avg. Disk sec/Write", "Avg. Disk Queue Length", "Current Disk Queue Length", "% Disk Time"}

// planted is what counters of the first instance of a name are multiplied by.
type planted struct {
	set, row string
	counters []string
	by       func(Window) Motion
}

// times is so many times as much in the window.
func times(n float64) func(Window) Motion {
	return func(w Window) Motion { return Burst(Const(1), Const(n), w) }
}

// growing grows from once to so many times as much in the window, and stays there.
func growing(n float64) func(Window) Motion {
	return func(w Window) Motion {
		return func(at time.Duration, _ uint64) float64 {
			return 1 + (n-1)*min(max(float64(at-w.From)/float64(w.To-w.From), 0), 1)
		}
	}
}

func multiplied(m, by Motion) Motion {
	return func(at time.Duration, seed uint64) float64 { return m(at, seed) * by(at, seed) }
}

// DemoWith makes the hosts of the demo, to one of which something happens.
func DemoWith(clock session.Clock, what Incident) []Host {
	var hosts []Host
	for _, p := range demoHosts {
		for _, i := range incidents {
			if i.kind == what.Kind && i.host == p.name && i.plant != nil {
				i.plant(&p, what.Window)
			}
		}
		script := p.script()
		for _, i := range incidents {
			if i.kind == what.Kind && i.host == p.name {
				script.plant(i.what, what.Window)
			}
		}
		hosts = append(hosts, Host{Name: p.name, Source: New(script, clock)})
	}
	return hosts
}

// plant changes what rows show.
func (s *Script) plant(list []planted, w Window) {
	for _, one := range list {
		for i := range s.Sets {
			if s.Sets[i].Name != one.set {
				continue
			}
			at := slices.IndexFunc(s.Sets[i].Rows, func(r Row) bool { return r.Name == one.row })
			for _, name := range one.counters {
				row := &s.Sets[i].Rows[at]
				row.Is[name] = multiplied(row.Is[name], one.by(w))
			}
		}
	}
}
