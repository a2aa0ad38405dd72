package local

import (
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
)

// tool runs an independent tool and returns its lines of words.
func tool(t *testing.T, name string, args ...string) [][]string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed", name)
	}
	cmd := exec.Command(path, args...)
	cmd.Env = append(cmd.Environ(), "LC_ALL=C")
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("%s: %v", name, err)
	}
	var lines [][]string
	for l := range strings.Lines(string(out)) {
		lines = append(lines, strings.Fields(l))
	}
	return lines
}

func thisComputer(t *testing.T, sets ...string) *machine {
	t.Helper()
	m := &machine{t: t}
	var err error
	if m.source, err = Open(Options{}); err != nil {
		t.Fatal(err)
	}
	if m.catalogue, err = m.source.Catalogue(t.Context()); err != nil {
		t.Fatal(err)
	}
	if m.query, err = m.source.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.query.Close() })
	m.watch(sets...)
	return m
}

// near is within a share of the larger, and some room for what moved between
// the two reads.
func near(t *testing.T, what string, ours, theirs uint64, share float64, room uint64) {
	t.Helper()
	d := max(ours, theirs) - min(ours, theirs)
	if float64(d) > share*float64(max(ours, theirs))+float64(room) {
		t.Errorf("%s: we say %d, they %d", what, ours, theirs)
	}
}

func TestMemoryAsFree(t *testing.T) {
	lines := tool(t, "free", "-b")
	m := thisComputer(t, "Memory")
	if len(lines) < 3 || len(lines[1]) < 7 {
		t.Skip("free writes something else")
	}
	value := func(row, col int) uint64 {
		n, err := strconv.ParseUint(lines[row][col], 10, 64)
		if err != nil {
			t.Skip(err)
		}
		return n
	}
	ours := func(counter string) uint64 { return m.reading("Memory", "", counter).Raw }
	const room = 64 << 20
	near(t, "total", ours("Physical Bytes"), value(1, 1), 0, 0)
	near(t, "free", ours("Free & Zero Page List Bytes"), value(1, 3), 0.01, room)
	near(t, "buff/cache", ours("Cache Bytes"), value(1, 5), 0.01, room)
	near(t, "available", ours("Available Bytes"), value(1, 6), 0.01, room)
	near(t, "swap used", ours("Swap Used Bytes"), value(2, 2), 0.01, room)
}

func TestProcessesAsPs(t *testing.T) {
	ps := func() map[uint64][]string {
		theirs := make(map[uint64][]string)
		for _, l := range tool(t, "ps", "-eo", "pid,ppid,nlwp,vsz,rss,nice,cls")[1:] {
			if pid, err := strconv.ParseUint(l[0], 10, 64); err == nil && len(l) == 7 {
				theirs[pid] = l
			}
		}
		return theirs
	}
	theirs := ps()
	m := thisComputer(t, "Process")
	after := ps()
	compared := 0
	for i, instance := range m.set("Process").Instances {
		l, ok := theirs[instance.Number]
		if !ok || instance.Number == 0 || l[6] != "TS" {
			continue
		}
		if now := after[instance.Number]; now == nil || now[1] != l[1] || now[3] != l[3] {
			continue // it ended meanwhile, or runs another program
		}
		compared++
		number := func(col int) uint64 { n, _ := strconv.ParseUint(l[col], 10, 64); return n }
		row := m.set("Process").Row(i)
		ours := func(counter string) uint64 { c, _ := m.set("Process").Set.Counter(counter); return row[c].Raw }
		nice, _ := strconv.Atoi(l[5])
		near(t, "parent", ours("Creating Process ID"), number(1), 0, 0)
		near(t, "threads of "+instance.Key.Name, ours("Thread Count"), number(2), 0.5, 2)
		near(t, "priority", ours("Priority Base"), uint64(20-nice), 0, 0)
		near(t, "VSZ of "+instance.Key.Name, ours("Virtual Bytes"), number(3)<<10, 0.2, 256<<20)
		near(t, "RSS of "+instance.Key.Name, ours("Working Set"), number(4)<<10, 0.5, 64<<20)
	}
	if compared < 5 {
		t.Errorf("only %d processes are the same as those of ps", compared)
	}
}

func TestSystemAsVmstat(t *testing.T) {
	before := thisComputer(t, "System", "Memory")
	lines := tool(t, "vmstat", "-s")
	after := thisComputer(t, "System", "Memory")
	for text, where := range map[string][2]string{
		"CPU context switches": {"System", "Context Switches/sec"},
		"forks":                {"System", "Forks/sec"},
		"pages swapped in":     {"Memory", "Pages Input/sec"},
		"pages swapped out":    {"Memory", "Pages Output/sec"},
	} {
		for _, l := range lines {
			if len(l) < 2 || strings.Join(l[1:], " ") != text {
				continue
			}
			n, _ := strconv.ParseUint(l[0], 10, 64)
			low, high := before.reading(where[0], "", where[1]).Raw, after.reading(where[0], "", where[1]).Raw
			if n < low || n > high {
				t.Errorf("%s: vmstat says %d, we %d before and %d after", text, n, low, high)
			}
		}
	}
}

func TestVolumesAsDf(t *testing.T) {
	lines := tool(t, "df", "-k", "--output=target,avail,pcent")
	m := thisComputer(t, "LogicalDisk")
	theirs := make(map[string][]string)
	for _, l := range lines[1:] {
		if len(l) == 3 {
			theirs[volumeName(l[0])] = l
		}
	}
	compared := 0
	for _, i := range m.set("LogicalDisk").Instances {
		l, ok := theirs[i.Key.Name]
		if !ok {
			continue
		}
		for until := time.Now().Add(5 * time.Second); m.reading("LogicalDisk", i.Key.Name, "Free Megabytes").State == cooker.Pending && time.Now().Before(until); {
			time.Sleep(10 * time.Millisecond) // statfs answers aside
			m.read()
		}
		compared++
		available, _ := strconv.ParseUint(l[1], 10, 64)
		used, _ := strconv.ParseUint(strings.TrimSuffix(l[2], "%"), 10, 64)
		near(t, "MB available on "+i.Key.Name, m.reading("LogicalDisk", i.Key.Name, "Free Megabytes").Raw, available>>10, 0.01, 64)
		share := m.reading("LogicalDisk", i.Key.Name, "% Free Space")
		near(t, "% used of "+i.Key.Name, 100-100*share.Raw/max(1, share.Base), used, 0, 1)
	}
	if compared == 0 {
		t.Skipf("df lists none of %s", m.names("LogicalDisk"))
	}
}
