package report_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// A fact that was recorded by another of its names is judged as by the one that packs ask for.
func TestTwins(t *testing.T) {
	const from, to, all = 200, 300, 400
	busy, slow := during(noise(10, 0.2, 1), noise(99, 0.01, 2), from, to), during(noise(0.004, 0.2, 3), noise(0.3, 0.1, 4), from, to)
	of := func(unit float64) []column {
		return []column{
			{`\\box\Memory\Available %s`, during(noise(4096*unit, 0.01, 5), noise(60*unit, 0.1, 6), from, to)},
		}
	}
	named := func(name string, columns []column) []column {
		columns[0].path = fmt.Sprintf(columns[0].path, name)
		return columns
	}
	for name, c := range map[string]struct {
		columns []column
		want    string // in the sentence
	}{
		"megabytes":           {named("MBytes", of(1)), "Less than 512 MB of memory available"},
		"kilobytes":           {named("KBytes", of(1<<10)), "Less than 512 MB of memory available"},
		"bytes":               {named("Bytes", of(1<<20)), "Less than 512 MB of memory available"},
		"older processors":    {[]column{{`\\box\Processor(_Total)\% Processor Time`, busy}}, "The processors were 99.0 % busy"},
		"cores alone":         {[]column{{`\\box\Processor Information(0,0)\% Processor Time`, busy}, {`\\box\Processor Information(0,1)\% Processor Time`, busy}}, "The processors were 99.0 % busy"},
		"older cores alone":   {[]column{{`\\box\Processor(0)\% Processor Time`, busy}, {`\\box\Processor(1)\% Processor Time`, busy}}, "The processors were 99.0 % busy"},
		"logical disk":        {[]column{{`\\box\LogicalDisk(D:)\Avg. Disk sec/Transfer`, slow}}, "Disk D: took "},
		"reads alone":         {[]column{{`\\box\PhysicalDisk(0 C:)\Avg. Disk sec/Read`, slow}}, "Disk 0 C: took "},
		"logical writes":      {[]column{{`\\box\LogicalDisk(D:)\Avg. Disk sec/Write`, slow}}, "Disk D: took "},
		"reads beside writes": {[]column{{`\\box\PhysicalDisk(0 C:)\Avg. Disk sec/Read`, noise(0.004, 0.2, 3)}, {`\\box\PhysicalDisk(0 C:)\Avg. Disk sec/Write`, slow}}, "Disk 0 C: took "},
		"received and sent":   {[]column{{`\\box\Network Adapter(a)\Bytes Received/sec`, during(always(1e6), always(60e6), from, to)}, {`\\box\Network Adapter(a)\Bytes Sent/sec`, during(always(1e6), always(115e6), from, to)}, {`\\box\Network Adapter(a)\Current Bandwidth`, always(1e9)}}, "a was 92 % full"},
		"utility":             {[]column{{`\\box\Processor Information(_Total)\% Processor Utility`, busy}}, "The processors were 99.0 % busy"},
		"total of disks":      {[]column{{`\\box\PhysicalDisk(_Total)\Avg. Disk sec/Transfer`, slow}}, "Disk took "},
	} {
		r := answered(t, all, c.columns...)
		if len(r.Verdicts) != 1 || !strings.HasPrefix(r.Verdicts[0].Sentence, c.want) {
			t.Errorf("%s: %s %v", name, r.Headline(), r.Verdicts)
			continue
		}
		if len(r.Rules.Blind) != 3 {
			t.Errorf("%s: not judged: %v", name, r.Rules.Blind)
		}
	}
}

// Room on a disk tells nothing of how it answers.
func TestRoomIsNoAnswer(t *testing.T) {
	r := answered(t, 100, column{`\\box\LogicalDisk(C:)\% Free Space`, always(60)}, column{`\\box\Memory\Available MBytes`, always(9000)})
	if got := r.Headline(); !strings.HasSuffix(got, "not judged: processors, disks, network.") {
		t.Error(got)
	}
}

// Verdicts that no counter is the number of have words, too.
func TestSentencesOfKills(t *testing.T) {
	kills := column{`\\box\Memory\OOM Kills`, func(i int) float64 { return float64(i / 200) }}
	r := answered(t, 400, kills)
	if len(r.Verdicts) != 1 || r.Verdicts[0].Sentence != "Programs were killed for lack of memory" || r.Verdicts[0].IsOpen {
		t.Errorf("%+v", r.Verdicts)
	}
	until := func(at float64, of func(int) float64) func(int) float64 { // who is gone has no value
		return func(i int) float64 {
			if float64(i) >= at {
				return math.NaN()
			}
			return of(i)
		}
	}
	large, grew := always(5e9), func(i int) float64 { return 1e8 + 1e7*float64(i) }
	r = answered(t, 400, kills, process("db", "Private Bytes", large), process("leaky", "Private Bytes", until(200, grew)), process("next", "Private Bytes", func(i int) float64 { return 1e8 + 1e6*math.Max(0, float64(i-200)) }))
	if len(r.Verdicts) == 0 || len(r.Verdicts[0].Culprits) == 0 || r.Verdicts[0].Culprits[0].Name != "leaky" {
		t.Errorf("%+v", r.Verdicts)
	}
}

// As many threads wait for 64 processors as would be much for four.
func TestQueueOfManyProcessors(t *testing.T) {
	queue := column{`\\box\System\Processor Queue Length`, noise(40, 0.1, 1)}
	for processors, want := range map[int]int{4: 1, 64: 0} {
		columns := []column{queue}
		for core := range processors {
			columns = append(columns, column{fmt.Sprintf(`\\box\Processor Information(0,%d)\%% Processor Time`, core), noise(60, 0.1, core)})
		}
		if r := answered(t, 400, columns...); len(r.Verdicts) != want {
			t.Errorf("%d processors: %s %v", processors, r.Headline(), r.Verdicts)
		}
	}
}

// Of what may be used of the processors who used it is named by the share of that, as far as the rows
// are of the same processes: where they have more than the limit lets anybody have, nobody is.
func TestVerdictsOnLimits(t *testing.T) {
	fixed := func(v float64) func(int) float64 { return func(int) float64 { return v } }
	limit := []column{
		{`\\box\Processor Limit\% Processor Time`, fixed(99)}, {`\\box\Processor Limit\Processors Usable x100`, fixed(150)},
		{`\\box\Processor Information(_Total)\% Processor Time`, fixed(12)},
		{`\\box\Process(java)\% Processor Time`, fixed(120)}, {`\\box\Process(sh)\% Processor Time`, fixed(20)},
	}
	r := answered(t, 400, limit...)
	if len(r.Verdicts) != 1 || !strings.HasPrefix(r.Verdicts[0].Sentence, "99 % of the processors that may be used was used") {
		t.Fatal(r.Headline(), r.Verdicts)
	}
	if c := r.Verdicts[0].Culprits; len(c) < 2 || c[0].Name != "java" || c[0].Share < 0.79 || c[0].Share > 0.82 {
		t.Errorf("who did it: %+v", c)
	}
	r = answered(t, 400, append(limit, column{`\\box\Process(other)\% Processor Time`, fixed(700)})...)
	if len(r.Verdicts) != 1 || len(r.Verdicts[0].Culprits) > 1 || strings.Contains(fmt.Sprint(r.Verdicts[0].Culprits), "other ") {
		t.Errorf("among others: %+v", r.Verdicts)
	}
	r = answered(t, 400, column{`\\box\Memory Limit\% Available`, fixed(4)}, column{`\\box\Memory\Available MBytes`, fixed(90000)})
	if len(r.Verdicts) != 1 || r.Verdicts[0].Sentence != "Less than 5 % of the memory that may be used is left" {
		t.Error(r.Headline(), r.Verdicts)
	}
}

// What there is little of, or enough beside it, is well: a disk that rests, a small volume that is empty,
// files that are read, cache that is given back. More of the same is not.
func TestWhereThereIsSomethingToJudge(t *testing.T) {
	const from, to = 100, 300
	of := func(path string, v float64) column {
		return column{`\\box\` + path, during(always(v/1000), always(v), from, to)}
	}
	is := func(path string, v float64) column { return column{`\\box\` + path, always(v)} }
	for name, c := range map[string]struct {
		columns []column
		want    int
	}{
		"a disk that rests":           {[]column{of(`PhysicalDisk(0)\Avg. Disk sec/Transfer`, 0.06), is(`PhysicalDisk(0)\Disk Transfers/sec`, 0.7)}, 0},
		"a disk that is asked":        {[]column{of(`PhysicalDisk(0)\Avg. Disk sec/Transfer`, 0.06), is(`PhysicalDisk(0)\Disk Transfers/sec`, 70)}, 1},
		"a disk that hangs":           {[]column{of(`PhysicalDisk(0)\Avg. Disk sec/Transfer`, 2), is(`PhysicalDisk(0)\Disk Transfers/sec`, 0.5)}, 1},
		"reads and writes alone":      {[]column{of(`PhysicalDisk(0)\Avg. Disk sec/Read`, 0.06), is(`PhysicalDisk(0)\Avg. Disk sec/Write`, 0.001), is(`PhysicalDisk(0)\Disk Reads/sec`, 0.2), is(`PhysicalDisk(0)\Disk Writes/sec`, 0.5)}, 0},
		"a small volume":              {[]column{is(`LogicalDisk(boot_efi)\Free Megabytes`, 490), is(`LogicalDisk(boot_efi)\% Free Space`, 97)}, 0},
		"a small volume that is full": {[]column{is(`LogicalDisk(boot_efi)\Free Megabytes`, 20), is(`LogicalDisk(boot_efi)\% Free Space`, 4)}, 1},
		"a large volume":              {[]column{is(`LogicalDisk(D:)\Free Megabytes`, 1.3e6), is(`LogicalDisk(D:)\% Free Space`, 8)}, 0},
		"files that are read":         {[]column{of(`Memory\Pages Input/sec`, 1800), of(`Memory\Pages/sec`, 1805), is(`Memory\Available MBytes`, 9000)}, 0},
		"paging":                      {[]column{of(`Memory\Pages Input/sec`, 1800), of(`Memory\Pages/sec`, 3000), is(`Memory\Available MBytes`, 9000)}, 1},
		"promised on Linux":           {[]column{is(`Memory\% Committed Bytes In Use`, 130), is(`Memory\Commit Limit`, 12e9), is(`Memory\Physical Bytes`, 8e9), is(`Memory\Available MBytes`, 5000)}, 0},
		"as much as may be promised":  {[]column{is(`Memory\% Committed Bytes In Use`, 99), is(`Memory\Commit Limit`, 6e9), is(`Memory\Physical Bytes`, 8e9), is(`Memory\Available MBytes`, 5000)}, 1},
		"cache of a group":            {[]column{is(`Control Group(a)\% Memory Limit`, 99.9), is(`Control Group(a)\% Memory Some Stall Time`, 0.1)}, 0},
		"a group that waits":          {[]column{is(`Control Group(a)\% Memory Limit`, 99.9), is(`Control Group(a)\% Memory Some Stall Time`, 20)}, 1},
		"few segments":                {[]column{of(`TCPv4\Segments Retransmitted/sec`, 14), is(`TCPv4\Segments Sent/sec`, 60)}, 0},
		"a tunnel":                    {[]column{is(`Network Interface(tun0)\Bytes Total/sec`, 70e6), is(`Network Interface(tun0)\Current Bandwidth`, 10e6)}, 0},
		"both directions":             {[]column{of(`Network Interface(a)\Bytes Received/sec`, 60e6), of(`Network Interface(a)\Bytes Sent/sec`, 60e6), of(`Network Interface(a)\Bytes Total/sec`, 120e6), is(`Network Interface(a)\Current Bandwidth`, 1e9)}, 0},
	} {
		if r := answered(t, 400, c.columns...); len(r.Verdicts) != c.want {
			t.Errorf("%s: %s %v", name, r.Headline(), r.Verdicts)
		}
	}
}

// Waiting for disks is one thing by whatever tells of it, and none of who uses processors; the pressure
// on a resource names who it is of and not the resource.
func TestWaitingIsOfDisks(t *testing.T) {
	const from, to = 100, 300
	wait, pressure := during(always(1), always(60), from, to), during(always(0), always(70), from, to)
	r := answered(t, 400, column{`\\box\Processor Information(_Total)\% I/O Wait`, wait}, column{`\\box\Pressure Stall Information(io)\% Full Stall Time`, pressure},
		process("idler", "% Processor Time", always(3)), process("dd", "IO Data Bytes/sec", during(always(0), always(9e7), from, to)))
	if len(r.Verdicts) != 1 || len(r.Verdicts[0].Culprits) != 1 || r.Verdicts[0].Culprits[0].Name != "dd" {
		t.Errorf("%+v", r.Verdicts)
	}
}
