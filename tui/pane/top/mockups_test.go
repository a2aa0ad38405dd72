package top

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/fake"
	"perfdeck/tui/canvas"
)

// The mock-ups of the screen (testdata), whose first and last lines are the frame's. The
// host that is shown has the numbers that they print. Left out of the comparison is what
// they invent or draw by an older rule:
//   - sparklines and graphs: their histories are not told;
//   - "7 run": Linux and Windows tell how many wait, which the summary says;
//   - "leaves at the next sort" of a process that ended: it left the words to the help;
//   - the share of the bandwidth, whose MB are 1000 KB there: 24.68 MB/s of 1024 KB are
//     2.07 % of 10 Gb/s;
//   - "Recv Errors", which is "Errors" in the mock-ups of the deck: one name.
func mockup(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "golden", name))
	if err != nil {
		t.Fatal(err)
	}
	known := strings.NewReplacer("1.97 %", "2.07 %", "Recv Errors   0", "Errors        0").Replace(string(text))
	return strings.Split(strings.TrimRight(known, "\n"), "\n")
}

// invented are the cells of histories.
var invented = regexp.MustCompile(`[▁-█⠁-⣿]`)

func compared(row string) string {
	return strings.TrimRight(invented.ReplaceAllString(row, " "), " ")
}

// written is a number with its prefix.
func written(t *testing.T, text string) float64 {
	t.Helper()
	digits := strings.TrimRight(text, "kKMG")
	f, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		t.Fatal(err)
	}
	return f * map[string]float64{"": 1, "k": 1000, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}[text[len(digits):]]
}

var processLine = regexp.MustCompile(`^.  (\S+) +(\d+)  (\S+) +([\d.]+)  .{12} +([\d.]+) +([\d.]+[KMG]?) +([\d.]+[KMG]?) +(\d+)  (.*)$`)

// processesOf is a host with the processes that a mock-up prints, and idle ones besides.
func processesOf(t *testing.T, rows []string, n int) fake.Script {
	t.Helper()
	number := func(text string) float64 { return written(t, text) }
	set := fake.Set{
		Name: "Process", Instances: session.MultipleInstances, Facts: []string{"user", "command line"},
		Counters: []fake.Counter{
			{Name: "% Processor Time", Type: cooker.Timer100ns}, {Name: "% Privileged Time", Type: cooker.Timer100ns},
			{Name: "Working Set", Type: cooker.CounterLargeRawCount}, {Name: "IO Data Bytes/sec", Type: cooker.CounterBulkCount},
			{Name: "Thread Count", Type: cooker.CounterRawCount},
		},
	}
	for _, row := range rows {
		m := processLine.FindStringSubmatch(row)
		if m == nil {
			continue
		}
		pid, _ := strconv.ParseUint(m[2], 10, 64)
		set.Rows = append(set.Rows, fake.Row{Name: m[1], Number: pid, Facts: []string{m[3], strings.TrimRight(strings.TrimRight(m[9], " "), "…") + strings.Repeat("x", 9*strings.Count(m[9], "…"))},
			Is: map[string]fake.Motion{
				"% Processor Time": fake.Const(number(m[4])), "% Privileged Time": fake.Const(number(m[5])),
				"Working Set": fake.Const(number(m[6])), "IO Data Bytes/sec": fake.Const(number(m[7])), "Thread Count": fake.Const(number(m[8])),
			}})
	}
	for i := len(set.Rows); i < n; i++ {
		set.Rows = append(set.Rows, fake.Row{Name: "idle", Number: uint64(90000 + i), Facts: []string{"root", "idle"}})
	}
	return fake.Script{Name: "db07", Sets: []fake.Set{set}}
}

// The table of processes is that of the mock-up, cell by cell.
func TestProcessesAsInTheMockup(t *testing.T) {
	want := mockup(t, "top-process-120x36.txt")
	want = want[1 : len(want)-1]
	onTop(t, processesOf(t, want, 411), func(r *rig) {
		r.canvas = canvas.New(120, len(want), canvas.Full)
		r.pass(2)
		got := r.canvas.Rows()
		heads := 1 // of this host, which has no processor, memory and load: no summary
		at := map[string]string{}
		for _, row := range got {
			if m := processLine.FindStringSubmatch(row); m != nil {
				at[m[2]] = row
			}
		}
		if compared(got[heads]) != compared(want[2]) {
			t.Errorf("the heads are\n%s\nwant\n%s", got[heads], want[2])
		}
		rows := 0
		for _, row := range want {
			m := processLine.FindStringSubmatch(row)
			if m == nil {
				continue
			}
			rows++
			if got := at[m[2]]; compared(strings.TrimLeft(got, "►> ")) != compared(strings.TrimLeft(row, "►> ")) {
				t.Errorf("process %s is\n%s\nwant\n%s", m[2], got, row)
			}
		}
		if rows != 30 {
			t.Errorf("%d rows are compared", rows)
		}
	})
}

var interfaceLine = regexp.MustCompile(`^.  (\S+) +([\d.]+[KM]?)  .{6} +([\d.]+[KM]?) +([\d.]+[KM]?) +([\d.]+k?) +([\d.]+k?) +(\d+) +(\d+) +(\d+)  (.{8}) +(\S+)`)

// interfacesOf is a host with the interfaces that a mock-up prints, the first of 10 Gb/s, the
// others of 10, 1 or none.
func interfacesOf(t *testing.T, rows []string) fake.Script {
	t.Helper()
	names := []string{"Bytes Total/sec", "Bytes Received/sec", "Bytes Sent/sec", "Packets Received/sec", "Packets Sent/sec",
		"Packets Received Errors", "Packets Outbound Errors", "Packets Received Discarded"}
	set := fake.Set{Name: "Network Interface", Instances: session.MultipleInstances}
	for i, name := range names {
		c := fake.Counter{Name: name, Type: cooker.CounterBulkCount}
		if i > 4 {
			c.Type = cooker.CounterRawCount
		}
		set.Counters = append(set.Counters, c)
	}
	set.Counters = append(set.Counters, fake.Counter{Name: "Current Bandwidth", Type: cooker.CounterLargeRawCount},
		fake.Counter{Name: "Packets Received Unknown", Type: cooker.CounterRawCount, Is: fake.Const(0)})
	for _, row := range rows {
		m := interfaceLine.FindStringSubmatch(row)
		if m == nil {
			continue
		}
		in := fake.Row{Name: m[1], Is: map[string]fake.Motion{}}
		for i, name := range names {
			in.Is[name] = fake.Const(written(t, m[2+i]))
		}
		in.Is["Current Bandwidth"] = fake.Const(map[string]float64{"eth0": 10e9, "eth1": 10e9, "veth31c": 10e9}[m[1]])
		set.Rows = append(set.Rows, in)
	}
	script := workers(2, 0, 0)
	script.Sets = append(script.Sets, set)
	return script
}

// The table of interfaces with its meters, and what stands beside the graphs, are those of
// the mock-up; peak and mean are of a history that nobody tells.
func TestInterfacesAsInTheMockup(t *testing.T) {
	want := mockup(t, "top-network-120x36.txt")
	want = want[1 : len(want)-1]
	onTop(t, interfacesOf(t, want), func(r *rig) {
		r.canvas = canvas.New(120, len(want), canvas.Full)
		r.show("Network Interface")
		r.askAgain()
		r.pass(3)
		got := r.canvas.Rows()
		for y := range 10 { // title, summary, heads, interfaces
			if a, b := compared(got[y]), compared(want[y]); a != b {
				t.Errorf("line %d is\n%s\nwant\n%s", y+1, a, b)
			}
		}
		beside := func(row string) string { // the values now
			cells := []rune(row)
			return strings.TrimRight(string(cells[77:103]), " ")
		}
		for y := 11; y < len(want); y++ {
			if y == 22 { // the title of the second graph
				continue
			}
			b := strings.Replace(beside(want[y]), "Recv Errors   0", "Errors        0", 1) // as the decks of the mock-ups call them
			if a := beside(got[y]); a != b {
				t.Errorf("beside the graph line %d is %q, want %q", y+1, a, b)
			}
		}
		for _, title := range []string{"─ eth0 Bytes Received/sec ▀ Bytes Sent/sec ▄ ", "─ eth0 Packets Received/sec ▀ Packets Sent/sec ▄ "} {
			r.line(title, " now ────── peak ── mean ─")
		}
	})
}
