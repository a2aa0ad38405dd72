package tui

import (
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/fake"
	"perfdeck/tui/pane"
)

const gib = 1 << 30

// ofSpace is a host with what is left of memory and disks, and what that is of: 3 of 4 GB of
// memory are used, of / 70 %, of /var 20 %.
func ofSpace(name string) fake.Script {
	free := func(name string, share, left float64) fake.Row {
		return fake.Row{Name: name, Is: map[string]fake.Motion{"% Free Space": fake.Const(share), "Free Megabytes": fake.Const(left)}}
	}
	busy := func(name string) fake.Row {
		return fake.Row{Name: name, Is: map[string]fake.Motion{"% Idle Time": fake.Const(25), "Disk Read Bytes/sec": fake.Const(1e6), "Avg. Disk sec/Transfer": fake.Const(0.025)}}
	}
	return fake.Script{Name: name, Sets: []fake.Set{
		{Name: "Memory", Counters: []fake.Counter{
			{Name: "Available Bytes", Type: cooker.CounterLargeRawCount, Is: fake.Const(gib)},
			{Name: "Physical Bytes", Type: cooker.CounterLargeRawCount, Is: fake.Const(4 * gib)},
			{Name: "Cache Bytes", Type: cooker.CounterLargeRawCount, Is: fake.Const(gib / 2)},
		}},
		{
			Name: "LogicalDisk", Instances: session.MultipleInstances, Rows: []fake.Row{free("/", 30, 3072), free("/var", 80, 8192)},
			Counters: []fake.Counter{{Name: "% Free Space", Type: cooker.RawFraction}, {Name: "Free Megabytes", Type: cooker.CounterRawCount}},
		},
		{
			Name: "PhysicalDisk", Instances: session.MultipleAggregate, Rows: []fake.Row{busy("_Total"), busy("sda")},
			Counters: []fake.Counter{
				{Name: "Disk Read Bytes/sec", Type: cooker.CounterBulkCount}, {Name: "% Idle Time", Type: cooker.Precision100nsTimer},
				{Name: "Avg. Disk sec/Transfer", Type: cooker.AverageTimer},
			},
		},
	}}
}

// What a user names is shown under its name, in its own unit, and first; what is used is
// shown by the deck that a host has of itself.
func TestPathsAreShownAsNamed(t *testing.T) {
	for _, c := range []struct {
		path, head, row, value, hides string
	}{
		{`\LogicalDisk(*)\Free Megabytes`, "━ Free ▼ B", "/var", " 8192M", "= 100"},
		{`\LogicalDisk(*)\% Free Space`, "LogicalDisk % Free Space", "/var", " 80.0", "sed"},
		{`\LogicalDisk(/)\% Free Space`, "LogicalDisk / % Free Space", "█ Free Space", " 30.0", "sed"},
		{`\Memory\Available Bytes`, "Memory", "Available Bytes", " 1.00 GB", "sed"},
		{`\PhysicalDisk(*)\% Idle Time`, "PhysicalDisk % Idle Time", "sda", " 25.0", "usy"},
		{`\PhysicalDisk(*)\Avg. Disk sec/Transfer`, "━ Avg. sec/Xfer ▼", "sda", " 25.0ms", "= 100"},
	} {
		t.Run(c.path, func(t *testing.T) {
			onScreens(t, rigOptions{hosts: script(ofSpace("db")), paths: []string{c.path}}, func(r *rig) {
				r.begin(5)
				r.shows(c.head)
				r.hides(c.hides)
				if row := r.row(c.row); !strings.Contains(row, c.value) {
					t.Errorf("the row is %q in\n%s", row, r.text())
				}
			})
		})
	}
	onSpace(t, rigOptions{}, func(r *rig) { r.shows("Used", "3.00 GB", "LogicalDisk used", "70.0") })
}

// onSpace runs a test on the deck that such a host has of itself, with a value that tells what
// is used selected.
func onSpace(t *testing.T, o rigOptions, test func(r *rig)) {
	t.Helper()
	o.hosts = script(ofSpace("db"))
	onScreens(t, o, func(r *rig) {
		host := r.root.desk.Hosts[0]
		r.begin(0)
		r.root.book.Own(host).Load(session.DefaultDeck(host.Name, host.Sampler.Catalogue()).Panes)
		r.root.ask(host)
		r.pass(5 * time.Second)
		test(r)
	})
}

// What a deck calls used is used everywhere: on charts, explained, on Fleet, in what went
// along, in what one is warned of.
func TestUsedIsUsedEverywhere(t *testing.T) {
	onSpace(t, rigOptions{}, func(r *rig) {
		host := r.root.desk.Hosts[0]
		set := host.Sampler.Catalogue().Set("Memory")
		at, _ := set.Counter("Available Bytes")
		if !r.root.book.Focus(pane.Target{Host: host, Set: set, Counter: at}) {
			t.Fatal(r.text())
		}
		r.root.draw()
		r.shows("►  Used")
		r.press("w")
		r.shows(`Warn of \\db\Memory\Used`, "limit          90 ", "< above >")
		r.press("esc")
		r.press("x")
		r.shows(`Explain \Memory\Used`, "3.00 GB   Used", `used = \Memory\Physical Bytes - Available Bytes`)
		r.press("esc", "m")
		r.shows(`\\db\Memory\Used`)
		r.press("esc", "c")
		r.pass(3 * time.Second)
		r.shows("A Used ", "3.00 GB")
		r.hides("Available")
		r.press("d")
		r.shows(`removed \\db\Memory\Used`)
		r.press("u", "v", "v", "v") // lanes
		r.shows("Used")
		r.hides("Available")
		r.press("2")
		r.pass(3 * time.Second)
		r.shows("Used", "3.00 GB")
		r.hides("Available")
	})
}
