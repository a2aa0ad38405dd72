package compare_test

import (
	"slices"
	"time"

	"perfdeck/session"
	"perfdeck/session/hosts/fake"
)

// incident is something that goes wrong on one host of the demo for a while, beside what is its
// ordinary day: values are multiplied. The zero value is none.
type incident struct {
	name, host   string
	cpu, network float64 // so many times as much; 0: as it is
	what         []multiple
	first        []string // the beginnings of what may be ranked first
}

// multiple is what counters of the first instance of a name are multiplied by.
type multiple struct {
	set, row string
	counters []string
	by       func(fake.Window) fake.Motion
}

// slowed are the counters that tell how long a disk takes.
var slowed = []string{"Avg. Disk sec/Transfer", "Avg. Disk sec/Read", "Avg. Disk sec/Write", "Avg. Disk Queue Length", "Current Disk Queue Length", "% Disk Time"}

var incidents = []incident{
	{name: "a leak", host: "web02", first: []string{`web02\Process(w3wp#0)\`}, what: []multiple{
		{"Process", "w3wp", []string{"Private Bytes", "Working Set"}, growing(2)},
	}},
	{name: "a slow disk", host: "web02", first: []string{`web02\PhysicalDisk(`, `web02\LogicalDisk(`}, what: []multiple{
		{"PhysicalDisk", "0 C:", slowed, times(8)}, {"LogicalDisk", "C:", slowed, times(8)},
	}},
	{name: "a noisy neighbour", host: "dc01", first: []string{`dc01\Process(MsMpEng#0)\`}, what: []multiple{
		{"Process", "MsMpEng", []string{"% Processor Time", "% Privileged Time", "% User Time", "IO Data Bytes/sec", "Page Faults/sec"}, times(20)},
	}},
	{name: "a step in traffic", host: "web02", network: 3, first: []string{`web02\Network Interface(`, `web02\TCPv4(`}},
	{name: "one host of four", host: "dc01", cpu: 6, first: []string{`dc01\`}},
}

// times is so many times as much in the window.
func times(n float64) func(fake.Window) fake.Motion {
	return func(w fake.Window) fake.Motion { return fake.Burst(fake.Const(1), fake.Const(n), w) }
}

// growing grows from once to so many times as much in the window, and stays there.
func growing(n float64) func(fake.Window) fake.Motion {
	return func(w fake.Window) fake.Motion {
		return func(at time.Duration, _ uint64) float64 {
			return 1 + (n-1)*min(max(float64(at-w.From)/float64(w.To-w.From), 0), 1)
		}
	}
}

func multiplied(m, by fake.Motion) fake.Motion {
	return func(at time.Duration, seed uint64) float64 { return m(at, seed) * by(at, seed) }
}

// hosts are those of the demo, to one of which the incident happens in a window.
func (one *incident) hosts(clock session.Clock, w fake.Window) []fake.Host {
	return fake.DemoWith(clock, func(host string, cpu, network *fake.Motion) {
		if host == one.host && one.cpu > 0 {
			*cpu = multiplied(*cpu, times(one.cpu)(w))
		}
		if host == one.host && one.network > 0 {
			*network = multiplied(*network, times(one.network)(w))
		}
	}, func(s *fake.Script) {
		for _, m := range one.what {
			if at := slices.IndexFunc(s.Sets, func(of fake.Set) bool { return of.Name == m.set }); s.Name == one.host {
				rows := s.Sets[at].Rows
				row := &rows[slices.IndexFunc(rows, func(r fake.Row) bool { return r.Name == m.row })]
				for _, name := range m.counters {
					row.Is[name] = multiplied(row.Is[name], m.by(w))
				}
			}
		}
	})
}
