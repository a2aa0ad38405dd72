package tui

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/fake"
)

// mockupHost is the host of the mock-ups of one host, with the numbers of one of them
// and the histories that it draws; what it does not show is taken from another one,
// which shows more.
type mockupHost struct {
	*mockup

	more   *mockup
	ends   time.Duration // time of the script of the newest sample
	newest uint64        // its number
	cores  int           // that are busy all the time; 0: those of the mock-up
	series map[string][]float64
}

// samples are a history that ends with a number. The numbers before are such that of
// as many as count the mean is another one, and one of them the highest.
func samples(now, peak, mean float64, count int) []float64 {
	rest := (mean*float64(count) - peak - now) / float64(count-2)
	out := slices.Repeat([]float64{rest}, count)
	out[count/2], out[count-1] = peak, now
	return out
}

// motion feeds samples, the last of which is the newest one; before them is their first
// one that is known.
func (h *mockupHost) motion(values []float64) fake.Motion {
	first := 0.
	if i := slices.IndexFunc(values, func(v float64) bool { return v == v }); i >= 0 {
		first = values[i]
	}
	return func(at time.Duration, _ uint64) float64 {
		i := len(values) - 1 - int((h.ends-at+time.Second/2)/time.Second)
		if i < 0 || i >= len(values) || values[i] != values[i] {
			return first
		}
		return values[i]
	}
}

// of is how the counter moves that is shown by a name.
func (h *mockupHost) of(name string) fake.Motion { return h.motion(h.samplesOf(name)) }

func (h *mockupHost) samplesOf(name string) []float64 {
	if v, ok := h.series[name]; ok {
		return v
	}
	row := regexp.MustCompile(`(?:  |[█▀▄▲] )` + regexp.QuoteMeta(name) + ` +([0-9.]+) {0,2}([a-zA-Z/%]*) {0,6}([0-9.]*) {0,6}([0-9.]*)`)
	for _, m := range []*mockup{h.mockup, h.more} {
		for _, line := range m.rows {
			found := row.FindStringSubmatch(string(line))
			if found == nil {
				continue
			}
			unit := unitOf(found[2])
			now := h.parse(found[1]) * unit
			if found[3] == "" || found[4] == "" {
				return []float64{now}
			}
			const span = 101 * 2 * 2 // samples of the graph beside the numbers
			return samples(now, h.parse(found[3])*unit, h.parse(found[4])*unit, span)
		}
	}
	h.Fatalf("no mock-up shows %s", name)
	return nil
}

// now is the number that is shown by a name.
func (h *mockupHost) now(name string) float64 {
	s := h.samplesOf(name)
	return s[len(s)-1]
}

// drawn makes the history of a counter that of a graph, or of a sparkline, which ends
// with its number.
func (h *mockupHost) drawn(name string, values []float64) {
	values[len(values)-1] = h.now(name)
	h.series[name] = values
}

// sparked makes the history of a counter that of the sparkline of its row, the top of
// which stands for hi. Numbers before it made it so high.
func (h *mockupHost) sparked(name, cells string, hi float64) {
	per := 60 / len([]rune(cells))
	values := h.spark(cells, per, int(h.newest%uint64(per))+1, hi)
	h.drawn(name, append([]float64{.95 * hi, .95 * hi}, values...))
}

// sparkOf is the sparkline of w cells in the row of a name.
func (h *mockupHost) sparkOf(name string, w int) string {
	row := regexp.MustCompile(regexp.QuoteMeta(name) + ` +[0-9.]+ .*?[▁-▇]+`)
	for _, line := range h.rows {
		if found := row.FindString(string(line)); found != "" {
			cells := []rune(found)
			return string(cells[len(cells)-w:])
		}
	}
	return ""
}

const (
	gauge   = cooker.CounterRawCount
	large   = cooker.CounterLargeRawCount
	rate    = cooker.CounterCounter
	bulk    = cooker.CounterBulkCount
	share   = cooker.RawFraction
	percent = cooker.Timer100ns
)

// counterOf is a counter that is shown by a name.
func (h *mockupHost) counterOf(name string, is cooker.CounterType, shown string) fake.Counter {
	values := slices.Clone(h.samplesOf(shown))
	for i := range values {
		if is == rate { // of which there is a whole number in a second
			values[i] = math.Floor(values[i])
		}
	}
	return fake.Counter{Name: name, Type: is, Is: h.motion(values)}
}

func (h *mockupHost) fixed(name string, is cooker.CounterType, v float64) fake.Counter {
	return fake.Counter{Name: name, Type: is, Is: fake.Const(v)}
}

// sets are the countersets of the host, as the one of this machine's own host is
// called.
func (h *mockupHost) sets() []fake.Set {
	return []fake.Set{
		h.processors(), h.memory(), h.system(), h.disks(), h.volumes(), h.adapters(), h.tcp(), h.pressure(), h.processes(),
		{Name: "UDPv4", Counters: []fake.Counter{h.counterOf("Datagrams Received/sec", rate, "UDP Recv")}},
		{
			Name: "Paging File", Instances: session.MultipleInstances,
			Counters: []fake.Counter{{Name: "% Usage", Type: share, Per: fake.Const(1 << 23)}},
			Rows: []fake.Row{
				{Name: "_swapfile", Is: map[string]fake.Motion{"% Usage": fake.Const(100 * h.now("Swap Used") / (8 << 30))}},
				{Name: "_Total", Flags: session.FlagTotal},
			},
		},
	}
}

func (h *mockupHost) processors() fake.Set {
	s := fake.Set{Name: "Processor Information", Instances: session.MultipleInstances, Counters: []fake.Counter{
		{Name: "% Processor Time", Type: cooker.Timer100nsInv, Mean: true}, h.fixed("% User Time", percent, 0), h.fixed("% Privileged Time", percent, 0),
		h.fixed("Interrupts/sec", rate, 0), h.fixed("Processor Frequency", gauge, 0), h.fixed("% I/O Wait", percent, 0), h.fixed("% Steal", percent, 0),
	}}
	core := regexp.MustCompile(`(\d+) ■+·* ([▁-▇]* )? *([0-9.]+)`)
	for n := range h.cores {
		s.Rows = append(s.Rows, fake.Row{Name: fmt.Sprintf("0,%d", n), Is: map[string]fake.Motion{"% Processor Time": fake.Const(100)}})
	}
	for n := range 16 {
		if h.cores > 0 {
			break
		}
		row := fake.Row{Name: fmt.Sprintf("0,%d", n)}
		for _, m := range []*mockup{h.mockup, h.more} {
			for _, line := range m.rows {
				for _, found := range core.FindAllStringSubmatch(string(line), -1) {
					if found[1] == fmt.Sprint(n) && row.Is == nil {
						row.Is = map[string]fake.Motion{"% Processor Time": h.core(h.parse(found[3]), strings.TrimSpace(found[2]))}
					}
				}
			}
		}
		s.Rows = append(s.Rows, row)
	}
	s.Rows = append(s.Rows, fake.Row{Name: "_Total", Flags: session.FlagTotal, Is: map[string]fake.Motion{
		"% Processor Time": h.of("Proc Time"), "% User Time": h.of("User Time"), "% Privileged Time": h.of("Priv Time"),
		"% I/O Wait": h.of("I/O Wait"), "Interrupts/sec": h.of("Interrupts"), "Processor Frequency": h.of("Frequency"), "% Steal": h.of("Steal"),
	}})
	return s
}

// core is how the time of one processor moves.
func (h *mockupHost) core(now float64, cells string) fake.Motion {
	if cells == "" {
		return fake.Const(now)
	}
	values := h.spark(cells, 3, 3, 100)
	values[len(values)-1] = now
	return h.motion(values)
}

func (h *mockupHost) memory() fake.Set {
	const physical, limit = 31.27 * (1 << 30), 38.2 * (1 << 30)
	used := h.samplesOf("Used")
	left := make([]float64, len(used))
	for i, v := range used {
		left[i] = physical - v
	}
	return fake.Set{Name: "Memory", Counters: []fake.Counter{
		{Name: "Available Bytes", Type: large, Is: h.motion(left)}, h.fixed("Physical Bytes", large, physical),
		h.fixed("Cache Bytes", large, .1975*physical), h.counterOf("Committed Bytes", large, "Committed"), h.fixed("Commit Limit", large, limit),
		h.counterOf("Swap Used Bytes", large, "Swap Used"), h.counterOf("Pages/sec", rate, "Pages/sec"), h.counterOf("Page Faults/sec", rate, "Faults/sec"),
	}}
}

func (h *mockupHost) system() fake.Set {
	hundred := func(shown string) fake.Motion { return fake.Times(100, h.of(shown)) }
	return fake.Set{Name: "System", Counters: []fake.Counter{
		h.counterOf("Context Switches/sec", rate, "Ctx Sw/sec"), h.counterOf("System Up Time", cooker.ElapsedTime, "Up Time"),
		h.counterOf("Processor Queue Length", gauge, "Queue Len"), h.counterOf("Processes", gauge, "Processes"), h.counterOf("Threads", gauge, "Threads"),
		h.counterOf("Blocked Threads", gauge, "Blocked"),
		{Name: "Load Average 1 Minutes x100", Type: gauge, Is: hundred("Load 1 min")},
		{Name: "Load Average 5 Minutes x100", Type: gauge, Is: hundred("Load 5 min")},
		{Name: "Load Average 15 Minutes x100", Type: gauge, Is: hundred("Load 15 min")},
	}}
}

func (h *mockupHost) disks() fake.Set {
	names := map[string]string{
		"Disk Read Bytes/sec": "Read", "Disk Write Bytes/sec": "Write", "Avg. Disk sec/Transfer": "sec/Xfer", "Disk Transfers/sec": "Xfers/sec",
		"% Idle Time": "Idle Time", "Disk Reads/sec": "Reads/sec", "Disk Writes/sec": "Writes/sec", "Avg. Disk sec/Read": "sec/Read",
		"Avg. Disk sec/Write": "sec/Write", "Flushes/sec": "Flushes/s", "Disk Merges/sec": "Merges/sec", "Discards/sec": "Discards",
	}
	s := fake.Set{Name: "PhysicalDisk", Instances: session.MultipleInstances, Counters: []fake.Counter{
		h.fixed("Current Disk Queue Length", gauge, 0), h.fixed("Avg. Disk sec/Transfer", cooker.AverageTimer, 0), h.fixed("Avg. Disk sec/Read", cooker.AverageTimer, 0),
		h.fixed("Avg. Disk sec/Write", cooker.AverageTimer, 0), h.fixed("Disk Transfers/sec", rate, 0), h.fixed("Disk Reads/sec", rate, 0), h.fixed("Disk Writes/sec", rate, 0),
		h.fixed("Disk Read Bytes/sec", bulk, 0), h.fixed("Disk Write Bytes/sec", bulk, 0), h.fixed("% Idle Time", cooker.Precision100nsTimer, 0),
		h.fixed("Flushes/sec", rate, 0), h.fixed("Disk Merges/sec", rate, 0), h.fixed("Discards/sec", rate, 0),
	}}
	for i := range s.Counters {
		s.Counters[i].Per = fake.Const(752)
	}
	total := map[string]fake.Motion{"Current Disk Queue Length": h.motion([]float64{22})}
	for counter, shown := range names {
		total[counter] = h.of(shown)
	}
	s.Rows = []fake.Row{{Name: "0 nvme0n1"}, {Name: "_Total", Flags: session.FlagTotal, Is: total}}
	return s
}

func (h *mockupHost) volumes() fake.Set {
	s := fake.Set{Name: "LogicalDisk", Instances: session.MultipleInstances, Counters: []fake.Counter{
		{Name: "% Free Space", Type: share, Per: fake.Const(1e6)}, h.fixed("Free Megabytes", gauge, 0),
	}}
	place := map[string]int{"/var/lib/pg": 1, "/boot": 2, "/srv/backup": 3}
	of := regexp.MustCompile(`(/\S*) +■+·+ +([0-9.]+) % +([0-9.]+) (..)`)
	for _, line := range h.more.rows {
		for _, found := range of.FindAllStringSubmatch(string(line), -1) {
			s.Rows = append(s.Rows, fake.Row{Name: found[1], Is: map[string]fake.Motion{
				"% Free Space":   fake.Const(100 - h.parse(found[2])),
				"Free Megabytes": fake.Const(math.Round(h.parse(found[3]) * unitOf(found[4]) / (1 << 20))),
			}})
		}
	}
	slices.SortFunc(s.Rows, func(a, b fake.Row) int { return cmp.Compare(place[a.Name], place[b.Name]) })
	if len(s.Rows) != 4 {
		h.Fatalf("%d volumes", len(s.Rows))
	}
	return s
}

func (h *mockupHost) adapters() fake.Set {
	return fake.Set{
		Name: "Network Interface", Instances: session.MultipleInstances, Rows: []fake.Row{{Name: "eno1"}},
		Counters: []fake.Counter{
			h.counterOf("Packets Received/sec", bulk, "Pkts Recv"), h.counterOf("Packets Sent/sec", bulk, "Pkts Sent"),
			h.fixed("Current Bandwidth", large, 1e10), h.counterOf("Bytes Received/sec", bulk, "Received"), h.counterOf("Bytes Sent/sec", bulk, "Sent"),
			h.counterOf("Packets Received Discarded", large, "Discarded"), h.counterOf("Packets Received Errors", large, "Errors"),
			h.fixed("Packets Outbound Discarded", large, 0), h.fixed("Packets Outbound Errors", large, 0),
		},
	}
}

func (h *mockupHost) tcp() fake.Set {
	return fake.Set{Name: "TCPv4", Counters: []fake.Counter{
		h.counterOf("Segments Retransmitted/sec", rate, "Retrans"), h.counterOf("Connections Established", gauge, "Conns Est"),
		h.counterOf("Connection Failures", gauge, "Conn Fail"),
	}}
}

func (h *mockupHost) pressure() fake.Set {
	s := fake.Set{Name: "Pressure Stall Information", Instances: session.MultipleInstances, Counters: []fake.Counter{h.fixed("% Some Stall Time", percent, 0)}}
	of := regexp.MustCompile(`(cpu|io|memory) +([0-9.]+) +% ([▁-▇]+)`)
	for _, line := range h.more.rows {
		for _, found := range of.FindAllStringSubmatch(string(line), -1) {
			values := h.spark(found[3], 4, int(h.newest%4)+1, 100)
			values[len(values)-1] = h.parse(found[2])
			s.Rows = append(s.Rows, fake.Row{Name: found[1], Is: map[string]fake.Motion{"% Some Stall Time": h.motion(values)}})
		}
	}
	return s
}

// processes are those of the picture that shows most of them, and as many that rest as
// it says there are.
func (h *mockupHost) processes() fake.Set {
	s := fake.Set{Name: "Process", Instances: session.MultipleInstances, Facts: []string{"user", "command line"}, Counters: []fake.Counter{
		h.fixed("% Processor Time", percent, 0), h.fixed("Working Set", large, 0), h.fixed("Thread Count", gauge, 0), h.fixed("IO Data Bytes/sec", bulk, 0),
	}}
	of := regexp.MustCompile(`(\S+) +(\d+)  (\S+) +([0-9.]+)  ([▁-▇]+) +([0-9.]+)([KMG]?) +([0-9.]+)([KMG]?) +(\d+)  (.*?) *$`)
	for _, line := range h.more.rows {
		found := of.FindStringSubmatch(string(line))
		if found == nil {
			continue
		}
		now, cells := h.parse(found[4]), found[5]
		for _, own := range h.rows {
			if is := regexp.MustCompile(` ` + found[2] + ` .*?([0-9.]+)  ([▁-▇ ]{9,11}[▁-▇]) `).FindStringSubmatch(string(own)); is != nil {
				now, cells = h.parse(is[1]), strings.TrimLeft(is[2], " ")
			}
		}
		per := 6
		if len([]rune(cells)) == 12 {
			per = 5
		}
		values := h.spark(cells, per, int(h.newest%uint64(per))+1, 300)
		if now == 0 || now < 20 {
			values = []float64{now + float64(100-len(s.Rows))/1e4} // of equals the first has more
		}
		now += float64(100-len(s.Rows)) / 1e4 * min(1, now)
		for last := len(values) - 1 - int(h.newest)%per; last < len(values); last++ { // as rows were sorted a moment ago
			if last >= 0 && (last == len(values)-1 || int(values[last]/300*7) == int(now/300*7)) {
				values[last] = now
			}
		}
		s.Rows = append(s.Rows, fake.Row{
			Name: found[1], Number: uint64(h.parse(found[2])), Facts: []string{found[3], strings.ReplaceAll(found[11], "…", "0.0.0.7(50112) and what follows")},
			Is: map[string]fake.Motion{
				"% Processor Time": h.motion(values), "Working Set": fake.Const(h.parse(found[6]) * unitOf(found[7]+"B")), "Thread Count": fake.Const(h.parse(found[10])),
				"IO Data Bytes/sec": fake.Const(h.parse(found[8]) * unitOf(found[9]+"B")),
			},
		})
	}
	if len(s.Rows) != 34 {
		h.Fatalf("%d processes", len(s.Rows))
	}
	for n := len(s.Rows); n < 412; n++ {
		s.Rows = append(s.Rows, fake.Row{Name: "idle", Alive: fake.Window{From: max(0, h.ends-5*time.Second)}, Number: uint64(40000 + n), Facts: []string{"root", "idle"}, Is: map[string]fake.Motion{"Working Set": fake.Const(1 << 20), "Thread Count": fake.Const(1)}})
	}
	return s
}
