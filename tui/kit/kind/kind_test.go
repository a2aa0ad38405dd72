package kind

import (
	"math"
	"slices"
	"testing"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
)

// counter is a counter as a catalogue has it.
func counter(name string, t cooker.CounterType) session.Counter {
	return session.Counter{Name: name, Type: t, Quantity: cooker.QuantityIn(t, "", name)}
}

const (
	raw   = cooker.CounterLargeRawCount
	rate  = cooker.CounterBulkCount
	timer = cooker.Timer100ns
	share = cooker.RawFraction
)

func set(name string, counters ...session.Counter) *session.Counterset {
	return &session.Counterset{Name: name, Counters: counters}
}

func many(name string, counters ...session.Counter) *session.Counterset {
	s := set(name, counters...)
	s.Instances = session.MultipleInstances
	return s
}

// linux is what this program tells of Linux, as far as kinds go by it.
func linux() *session.Catalogue {
	hex := counter("Flags", raw)
	hex.Attributes = cooker.DisplayHex
	id := counter("% Code", raw)
	id.Attributes = cooker.NoGrouping
	return &session.Catalogue{Sets: []*session.Counterset{
		many("Processor Information", counter("% Processor Time", cooker.Timer100nsInv), counter("% Idle Time", timer), counter("Processor Frequency", raw)),
		set("Memory", counter("Available Bytes", raw), counter("Cache Bytes", raw), counter("Committed Bytes", raw),
			counter("Commit Limit", raw), counter("Physical Bytes", raw), counter("Swap Used Bytes", raw), counter("Pages/sec", rate),
			counter("Available MBytes", raw), counter("% Committed Bytes In Use", share)),
		many("Paging File", counter("% Usage", share)),
		many("PhysicalDisk", counter("Disk Read Bytes/sec", rate), counter("Disk Write Bytes/sec", rate), counter("Avg. Disk sec/Transfer", cooker.AverageTimer),
			counter("% Idle Time", cooker.Precision100nsTimer), counter("Current Disk Queue Length", cooker.CounterRawCount)),
		many("LogicalDisk", counter("% Free Space", share), counter("Free Megabytes", cooker.CounterRawCount)),
		many("Network Interface", counter("Bytes Received/sec", rate), counter("Bytes Sent/sec", rate), counter("Bytes Total/sec", rate), counter("Current Bandwidth", raw)),
		many("Process", counter("% Processor Time", timer), counter("Working Set", raw)),
		many("Control Group", counter("% Processor Time", timer), counter("Memory Bytes", raw), counter("% Memory Limit", share), counter("% IO Some Stall Time", timer)),
		many("Coded", hex, id, counter("Note", cooker.CounterText)),
	}}
}

func windows(numa bool) *session.Catalogue {
	cat := &session.Catalogue{Sets: []*session.Counterset{
		set("Memory", counter("Available Bytes", raw), counter("Cache Bytes", raw), counter("Committed Bytes", raw), counter("Commit Limit", raw)),
	}}
	if numa {
		cat.Sets = append(cat.Sets, many("NUMA Node Memory", counter("Total MBytes", raw)))
	}
	return cat
}

// parts looks paths up as a deck does.
func parts(t testing.TB, cat *session.Catalogue, texts ...string) (out []Part) {
	t.Helper()
	for _, text := range texts {
		found, err := session.Question{Text: text}.Resolve(cat, paths.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, sel := range found {
			for _, c := range sel.Counters {
				one := sel
				one.Counters = []int{c}
				out = append(out, PartOf(&one, sel.Set.Counters[c].Look()))
			}
		}
	}
	return out
}

func TestDerive(t *testing.T) {
	cat := linux()
	for _, c := range []struct {
		paths   []string
		fixed   string
		limit   string
		busiest bool
		want    Kind
		choices []Kind
	}{
		{paths: nil, want: Rows, choices: []Kind{Rows}},
		{paths: []string{`\Processor Information(_Total)\% Processor Time`}, want: Graph, choices: []Kind{Graph, Meters, Cells, Table, Rows}},
		{paths: []string{`\Processor Information(0)\% Processor Time`}, want: Graph, choices: []Kind{Graph, Meters, Rows}},
		{paths: []string{`\Processor Information(*)\% Processor Time`}, want: Cells, choices: []Kind{Cells, Graph, Meters, Table, Rows}},
		{paths: []string{`\Processor Information(*)\% Processor Time`}, fixed: "graph", want: Graph},
		{paths: []string{`\Processor Information(_Total)\Processor Frequency`}, want: Rows, choices: []Kind{Rows, Graph, Table}},
		{paths: []string{`\Memory\Available Bytes`, `\Memory\Cache Bytes`, `\Memory\Pages/sec`}, want: Meters, choices: []Kind{Meters, Graph, Rows}},
		{paths: []string{`\Memory\Available Bytes`, `\Memory\Pages/sec`}, want: Rows},
		{paths: []string{`\Memory\Pages/sec`}, want: Rows, choices: []Kind{Rows, Graph}},
		{paths: []string{`\Memory\Pages/sec`}, fixed: "cells", want: Rows}, // it cannot
		{paths: []string{`\Memory\Pages/sec`}, fixed: "graph", want: Graph},
		{paths: []string{`\Memory\Pages/sec`, `\Memory\Available Bytes`}, limit: "1000", want: Meters},
		{paths: []string{`\PhysicalDisk(_Total)\Disk Read Bytes/sec`, `\PhysicalDisk(_Total)\Disk Write Bytes/sec`}, want: Graph},
		{paths: []string{`\PhysicalDisk(0 C:)\Disk Read Bytes/sec`, `\PhysicalDisk(1 D:)\Disk Write Bytes/sec`}, want: Rows},
		{paths: []string{`\PhysicalDisk(_Total)\Avg. Disk sec/Transfer`, `\PhysicalDisk(_Total)\Disk Read Bytes/sec`}, want: Rows},
		{paths: []string{`\PhysicalDisk(*)\Current Disk Queue Length`}, want: Table},
		{paths: []string{`\Network Interface(*)\Bytes Received/sec`, `\Network Interface(*)\Bytes Sent/sec`}, want: Table, choices: []Kind{Table, Graph, Rows}},
		{paths: []string{`\Network Interface(total of *)\Bytes Received/sec`, `\Network Interface(total of *)\Bytes Sent/sec`}, want: Graph, choices: []Kind{Graph, Table, Rows}},
		{paths: []string{`\Network Interface(*)\Bytes Total/sec`}, want: Table}, // a share is not what is named
		{paths: []string{`\Network Interface(*)\Bytes Total/sec`}, busiest: true, want: Table},
		{paths: []string{`\LogicalDisk(*)\% Free Space`}, want: Cells},
		{paths: []string{`\LogicalDisk(*)\Free Megabytes`}, want: Table},
		{paths: []string{`\PhysicalDisk(*)\Current Disk Queue Length`}, limit: "32", want: Cells},
		{paths: []string{`\Process(*)\% Processor Time`}, want: Table},
		{paths: []string{`\Process(_Total)\% Processor Time`}, want: Graph},
		// Of several instances rows have room for the names.
		{paths: []string{`\LogicalDisk(C:)\% Free Space`, `\LogicalDisk(D:)\% Free Space`}, want: Rows},
		{paths: []string{`\LogicalDisk(C:)\Free Megabytes`, `\LogicalDisk(D:)\Free Megabytes`}, want: Rows},
		{paths: []string{`\Control Group(*)\% Processor Time`}, want: Table},
		{paths: []string{`\Control Group(*)\% IO Some Stall Time`}, want: Cells},
		{paths: []string{`\Control Group(*)\Memory Bytes`}, want: Table},
		// Codes and texts are rows, or cells of a table, whatever is fixed.
		{paths: []string{`\Coded(a)\Flags`, `\Coded(a)\% Code`, `\Coded(a)\Note`}, want: Rows, choices: []Kind{Rows}},
		{paths: []string{`\Coded(a)\% Code`}, limit: "100", fixed: "graph", want: Rows, choices: []Kind{Rows}},
		{paths: []string{`\Coded(*)\% Code`}, limit: "100", want: Table, choices: []Kind{Table, Rows}},
	} {
		p := Derive(cat, parts(t, cat, c.paths...), c.fixed, c.limit, c.busiest)
		if p.Kind != c.want || c.choices != nil && !slices.Equal(p.Choices(), c.choices) {
			t.Errorf("%q fixed %q limit %q: %v of %v, want %v of %v", c.paths, c.fixed, c.limit, p.Kind, p.Choices(), c.want, c.choices)
		}
	}
}

func TestMissingPart(t *testing.T) {
	missing := Part{Set: set("No such set", counter("x", raw)), Missing: true}
	p := Derive(linux(), []Part{missing, missing}, "graph", "100", false)
	if p.Kind != Rows || p.Paired || p.Drawn[0].Limit.Is() {
		t.Errorf("%+v", p)
	}
}

// What is used is drawn where the host says of how much, and only there.
func TestComplements(t *testing.T) {
	for _, c := range []struct {
		cat          *session.Catalogue
		set, counter string
		value, given float64
		name         string
		used, share  float64 // NaN: none
	}{
		{linux(), "Memory", "Available Bytes", 1 << 30, 4 << 30, "Used", 3 << 30, 75},
		{linux(), "Memory", "Available MBytes", 1024, 4 << 30, "Used", 3072, 75},
		{linux(), "Memory", "Cache Bytes", 1 << 30, 4 << 30, "Cache Bytes", 1 << 30, 25},
		{linux(), "Memory", "Committed Bytes", 3 << 30, 4 << 30, "Committed Bytes", 3 << 30, 75},
		{linux(), "Memory", "Swap Used Bytes", 1 << 30, 25, "Swap Used Bytes", 1 << 30, 25},
		{linux(), "Memory", "Swap Used Bytes", 0, 0, "Swap Used Bytes", 0, 0},
		{linux(), "LogicalDisk", "% Free Space", 12.5, 0, "Used", 87.5, 87.5},
		{linux(), "LogicalDisk", "Free Megabytes", 100, 25, "Free Megabytes", 100, 25},
		{linux(), "PhysicalDisk", "% Idle Time", 2.5, 0, "Busy", 97.5, 97.5},
		{linux(), "Network Interface", "Bytes Total/sec", 125e3, 10e6, "Bytes Total/sec", 125e3, 10},
		{linux(), "Network Interface", "Bytes Total/sec", 125e3, 0, "Bytes Total/sec", 125e3, math.NaN()}, // no bandwidth
		{linux(), "Control Group", "Memory Bytes", 1 << 20, 50, "Memory Bytes", 1 << 20, 50},
		{linux(), "Processor Information", "% Processor Time", 30, 0, "% Processor Time", 30, 30},
		{linux(), "Process", "% Processor Time", 230, 0, "% Processor Time", 230, math.NaN()},
		{windows(true), "Memory", "Available Bytes", 1 << 30, 4 << 10, "Used", 3 << 30, 75},
		{windows(true), "Memory", "Cache Bytes", 1 << 30, 4 << 10, "Cache Bytes", 1 << 30, 25},
		{windows(false), "Memory", "Available Bytes", 1 << 30, 0, "Available Bytes", 1 << 30, math.NaN()},
		{windows(false), "Memory", "Committed Bytes", 3 << 30, 4 << 30, "Committed Bytes", 3 << 30, 75},
	} {
		s := c.cat.Set(c.set)
		i, _ := s.Counter(c.counter)
		d := Of(c.cat, s, i, s.Counters[i].Look())
		r := d.Read(cooker.FloatValue(c.value), cooker.FloatValue(c.given))
		got, ok := r.Value.Float()
		if name := d.Name(c.counter); !ok || got != c.used || name != c.name || math.Abs(r.Share-c.share) > 1e-9 || (r.Share == r.Share) != (c.share == c.share) {
			t.Errorf("%s\\%s: %q %v %v %%, want %q %v %v %%", c.set, c.counter, name, got, r.Share, c.name, c.used, c.share)
		}
		drawn := d.History(nil, session.Series{Values: []float32{float32(c.value)}}, session.Series{Values: []float32{float32(c.given)}}, false).Values
		if len(drawn) != 1 || math.Abs(float64(drawn[0])-c.used) > 1e-6*c.used {
			t.Errorf("%s\\%s: drawn %v, want %v", c.set, c.counter, drawn, c.used)
		}
		if d.Used != "" && d.Level(c.value, r.Limit) != c.used {
			t.Errorf("%s\\%s: an alert at %v is drawn at %v, want %v", c.set, c.counter, c.value, d.Level(c.value, r.Limit), c.used)
		}
	}
}

// Until the limit is known there is no number of what is used, and none is invented
// for samples before the limit's first.
func TestUnknownLimit(t *testing.T) {
	cat := linux()
	d := Of(cat, cat.Set("Memory"), 0, session.Look{})
	r := d.Read(cooker.FloatValue(5), cooker.Absent(cooker.FirstSample))
	if _, ok := r.Value.Float(); ok || r.Value.Status() != cooker.FirstSample || r.Limit == r.Limit || r.Share == r.Share {
		t.Errorf("%+v", r)
	}
	if r = d.Read(cooker.Absent(cooker.Gone), cooker.FloatValue(5)); r.Value.Status() != cooker.Gone || r.Limit != 5 {
		t.Errorf("%+v", r)
	}
	got := d.History(nil, session.Series{First: 7, Values: []float32{1, 2, 3}}, session.Series{First: 8, Values: []float32{10, 20}}, false).Values
	if got[0] == got[0] || got[1] != 8 || got[2] != 17 {
		t.Errorf("%v", got)
	}
}

func TestLimitNamed(t *testing.T) {
	cat := linux()
	pages := counter("Pages/sec", rate)
	for _, c := range []struct {
		text string
		of   session.Counter
		want Limit
		bad  bool
	}{
		{text: "", of: pages, bad: true},
		{text: "0", of: pages, bad: true},
		{text: "-5", of: pages, bad: true},
		{text: "NaN", of: pages, bad: true},
		{text: "inf", of: pages, bad: true},
		{text: "many", of: pages, bad: true},
		{text: `\No such set\x`, of: pages, bad: true},
		{text: `\Memory\*`, of: pages, bad: true},
		{text: `\Coded(a)\Flags`, of: pages, bad: true},
		{text: `\Coded(a)\Note`, of: pages, bad: true},
		{text: "2.5e3", of: pages, want: Limit{Number: 2500}},
		{text: `\Memory\Available MBytes`, of: counter("Free Bytes", raw), want: Limit{Set: cat.Sets[1], Counter: 7, Factor: 1 << 20}},
		{text: `\Process(_Total)\Working Set`, of: counter("x", raw), want: Limit{Set: cat.Sets[6], Counter: 1, Factor: 1, Instance: "_Total"}},
		{text: `\Process(*)\Working Set`, of: counter("x", raw), want: Limit{Set: cat.Sets[6], Counter: 1, Factor: 1}},
	} {
		got, err := LimitNamed(cat, c.text, &c.of)
		if (err != nil) != c.bad || got != c.want {
			t.Errorf("%q: %+v %v, want %+v", c.text, got, err, c.want)
		}
	}
}

func TestPairName(t *testing.T) {
	for _, pair := range [][2]string{
		{"Disk Read Bytes/sec", "Disk Write Bytes/sec"}, {"Disk Reads/sec", "Disk Writes/sec"},
		{"Avg. Disk sec/Read", "Avg. Disk sec/Write"}, {"Bytes Received/sec", "Bytes Sent/sec"},
		{"Pages Input/sec", "Pages Output/sec"}, {"IO Read Bytes/sec", "IO Write Bytes/sec"},
		{"% Disk Read Time", "% Disk Write Time"}, {"Messages In", "Messages Out"}, {"Sent", "Received"},
		{"Page reads/sec", "Page writes/sec"},
	} {
		if !IsPair(pair[0], pair[1]) || !IsPair(pair[1], pair[0]) || PairName(pair[0]) == pair[0] {
			t.Errorf("%q and %q are %q and %q", pair[0], pair[1], PairName(pair[0]), PairName(pair[1]))
		}
	}
	for _, name := range []string{"", "Disk Bytes/sec", "Ready", "Outbound", "% Processor Time", "Reading", "/", " "} {
		if got := PairName(name); got != name || IsPair(name, name) {
			t.Errorf("%q is %q", name, got)
		}
	}
	if IsPair("Disk Reads/sec", "Disk Read/sec") || IsPair("Disk Reads/sec", "Disk Reads/sec") {
		t.Error("counts and bytes are one pair, or one counter is a pair")
	}
}

func TestWhole(t *testing.T) {
	cat := linux()
	for _, c := range []struct {
		set, counter string
		want         Whole
	}{
		{"Network Interface", "Bytes Received/sec", Sum},
		{"Network Interface", "Current Bandwidth", Busiest},
		{"Process", "Working Set", Sum},
		{"Process", "% Processor Time", Busiest},
		{"PhysicalDisk", "Avg. Disk sec/Transfer", Busiest},
		{"PhysicalDisk", "Current Disk Queue Length", Sum},
		{"Processor Information", "Processor Frequency", Busiest},
		{"Coded", "Flags", Busiest},
		{"Coded", "% Code", Busiest},
		{"Coded", "Note", Busiest},
	} {
		s := cat.Set(c.set)
		i, _ := s.Counter(c.counter)
		if d := Of(cat, s, i, s.Counters[i].Look()); d.Whole != c.want {
			t.Errorf("%s\\%s: %v, want %v", c.set, c.counter, d.Whole, c.want)
		}
	}
	said := counter("Bytes/sec", rate)
	said.Aggregate = cooker.AggregateMax
	if wholeOf(&said, &Drawn{}) != Busiest {
		t.Error("what the counter says does not count")
	}
	said.Aggregate = cooker.AggregateTotal
	if wholeOf(&said, &Drawn{}) != Sum || wholeOf(&said, &Drawn{IsPercent: true, OfOneCPU: true}) != Sum {
		t.Error("what it says to be a sum is none")
	}
	if wholeOf(&said, &Drawn{IsPercent: true}) != Busiest {
		t.Error("shares of different things make a sum")
	}
	for _, name := range []string{"Thread State", "Thread Wait Reason", "Link Status"} {
		if c := counter(name, rate); wholeOf(&c, &Drawn{}) != Busiest {
			t.Errorf("%s makes a sum", name)
		}
	}
	if name, ok := Sum.Instance(false); !ok || !IsSum(name) || !session.StandsForAll(name) {
		t.Errorf("sum: %q %v", name, ok)
	}
	if name, ok := Busiest.Instance(true); !ok || name != "_Total" {
		t.Errorf("with a total: %q %v", name, ok)
	}
	if _, ok := Busiest.Instance(false); ok {
		t.Error("the busiest has a name")
	}
}

func TestNames(t *testing.T) {
	if len(session.PaneKinds) != int(kinds) {
		t.Fatalf("%d names", len(session.PaneKinds))
	}
	for i, name := range session.PaneKinds {
		if k, ok := Named(name); !ok || k != Kind(i) || k.String() != name {
			t.Errorf("%q is %v %v", name, k, ok)
		}
	}
	if _, ok := Named(""); ok {
		t.Error("no name is a kind")
	}
}
