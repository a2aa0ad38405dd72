package fleet

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/fake"
	"perfdeck/tui/pane"
	"perfdeck/tui/panetest"
)

var start = panetest.Start

// rig is the screen on scripted hosts.
type rig struct {
	*panetest.Rig

	screen *Screen
}

// scripted is a host of a rig.
type scripted struct {
	name   string
	groups []string
	cpu    fake.Motion
	mem    float64
	disk   float64 // seconds
	net    float64 // bytes per second, of each of two interfaces
	faults []fake.Fault
	sets   []fake.Set // instead of all that
}

func (h scripted) script() fake.Script {
	if h.sets != nil {
		return fake.Script{Name: h.name, Sets: h.sets, Faults: h.faults}
	}
	if h.cpu == nil {
		h.cpu = fake.Const(10)
	}
	return fake.Script{Name: h.name, Faults: h.faults, Up: 41 * 24 * time.Hour, Sets: []fake.Set{
		{Name: "Processor Information", GUID: "{b4fc721a-0378-476f-89ba-a5a79f810b36}", Instances: session.MultipleAggregate,
			Counters: []fake.Counter{{Name: "% Processor Time", Type: cooker.Timer100ns, Is: h.cpu, Mean: true}},
			Rows:     []fake.Row{{Name: "0,0"}, {Name: "0,1"}, {Name: "0,_Total", Flags: session.FlagTotal}, {Name: "_Total", Flags: session.FlagTotal}}},
		{Name: "Memory", V1Index: 4, Counters: []fake.Counter{
			{Name: "Available MBytes", Type: cooker.CounterLargeRawCount, Is: fake.Const(2048)},
			{Name: "% Committed Bytes In Use", Type: cooker.LargeRawFraction, Is: fake.Const(h.mem)},
			{Name: "Pages/sec", Type: cooker.CounterCounter, Is: fake.Const(7)},
		}},
		{Name: "PhysicalDisk", V1Index: 234, Instances: session.MultipleAggregate,
			Counters: []fake.Counter{{Name: "Avg. Disk sec/Transfer", Type: cooker.AverageTimer, Is: fake.Const(h.disk), Mean: true}},
			Rows:     []fake.Row{{Name: "0 C:", Times: 0.5}, {Name: "1 D:", Times: 1.5}, {Name: "_Total", Flags: session.FlagTotal}}},
		{Name: "Network Interface", V1Index: 510, Instances: session.MultipleInstances,
			Counters: []fake.Counter{{Name: "Bytes Total/sec", Type: cooker.CounterBulkCount, Is: fake.Const(h.net)}},
			Rows:     []fake.Row{{Name: "eth0"}, {Name: "eth1", Times: 3}}},
		{Name: "System", V1Index: 2, Counters: []fake.Counter{
			{Name: "Processor Queue Length", Type: cooker.CounterRawCount, Is: fake.Const(3)},
			{Name: "System Up Time", Type: cooker.ElapsedTime},
		}},
	}}
}

// onFleet runs a test on a rig in a bubble, which fails the test if a goroutine
// is left behind.
func onFleet(t *testing.T, hosts []scripted, w, h int, test func(r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(newRig(t, hosts, w, h, synctest.Wait)) })
}

func newRig(t testing.TB, hosts []scripted, w, h int, settle func()) *rig {
	r := &rig{Rig: panetest.New(t, panetest.Options{W: w, H: h, Settle: settle})}
	for _, h := range hosts {
		host, _ := r.Watch(fake.Host{Name: h.name, Source: fake.New(h.script(), r.Clock)}, 2*time.Minute)
		host.Groups = h.groups
	}
	r.screen = New(r.Desk)
	r.Show(r.screen)
	return r
}

// write types into the dialog that was asked for, letter by letter, and accepts
// it. It returns the last complaint.
func (r *rig) write(text string) (complaint error) {
	ask, ok := r.Last().(pane.AskText)
	if !ok {
		r.Fatalf("no dialog was asked for, but %#v", r.Last())
	}
	for i := range text {
		if ask.Each != nil {
			complaint = ask.Each(text[:i+1])
		}
		r.Draw()
	}
	if ask.Done != nil {
		if complaint = ask.Done(text); complaint != nil {
			return complaint
		}
	}
	if ask.Then != nil {
		r.Run(ask.Then)
	}
	r.Draw()
	return complaint
}

// row is the first line of the list that holds the text.
func (r *rig) row(text string) string {
	_, h := r.Canvas.Size()
	return r.RowWithin(r.screen.places.list.Y, h, text)
}

// listed are the names of the hosts in the order of the list.
func (r *rig) listed() []string {
	var out []string
	for _, l := range r.screen.Rows {
		out = append(out, l.host.Name)
	}
	return out
}

// fleetOf is n hosts in five sites, with loads that differ.
func fleetOf(n int) []scripted {
	sites := []string{"ams", "dub", "fra", "nyc", "sgp"}
	kinds := []string{"sql", "web", "app", "ad", "fs"}
	var out []scripted
	for i := range n {
		site := sites[i%len(sites)]
		at := i / len(sites)
		h := scripted{
			name:   fmt.Sprintf("%s-%s-%02d", site, kinds[at%len(kinds)], at/len(kinds)+1),
			groups: []string{site, kinds[at%len(kinds)]},
			cpu:    fake.Walk(2+float64(i*37%60), 8+float64(i*41%90), 20*time.Second),
			mem:    20 + float64(i*13%75), disk: 0.0003 + float64(i*7%40)*0.0001, net: float64(1+i*11%90) * 1e5,
		}
		switch i {
		case 37:
			h.faults = []fake.Fault{{Window: fake.Window{From: 20 * time.Second}, Err: &session.HostError{
				Host: h.name, Op: "collect counters", Err: fmt.Errorf("dial tcp 10.0.2.7:445: connect: connection refused"),
				Advice: "start the service Remote Registry on " + h.name}}}
		case 82:
			h.faults = []fake.Fault{{Err: fake.Denied(h.name)}}
		case 62:
			h.faults = []fake.Fault{{Window: fake.Window{From: 75 * time.Second}, Latency: time.Hour}}
		}
		out = append(out, h)
	}
	return out
}

// judge tells of trouble by the names of hosts.
type judge map[string]pane.Level

func (j judge) worst(h *pane.Host) (level pane.Level, counts [3]int) {
	level = j[h.Name]
	if level > pane.Info {
		counts[level-1] = 1
	}
	return level, counts
}

// sizes at which the screen is swept: the small ones, and those at which its
// layout changes.
func sizes(step int) [][2]int {
	return panetest.Sizes{
		W: 70, H: 36, StepW: step, StepH: 1 + step/2,
		Widths:  []int{79, 80, 100, 117, 118, 119, 120, 160, 177, 178, 200, 237, 238, 300},
		Heights: []int{1, 2, 3, 6, 10, 17, 18, 19, 24, 27, 28, 29, 34, 60, 100},
	}.All()
}
