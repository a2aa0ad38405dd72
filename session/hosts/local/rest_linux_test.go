package local

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"os/user"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"perfdeck/session"
)

// alone is a stat line of a process with one thread.
func alone(pid, user, start int) string {
	return strings.Replace(statLine(pid, "a", user, start), " -5 4 0 ", " 0 1 0 ", 1)
}

// resting is a machine with one process whose clock says when it ran.
func resting(t *testing.T) *machine {
	t.Helper()
	m := newMachine(t, map[string]string{
		"proc/stat": twoCPUs, "proc/10/stat": alone(10, 10, 1), "proc/10/clock": "300000000\n",
		"proc/10/status": processStatus, "proc/10/statm": "2000 25 10 1 0 1 0\n", "proc/10/io": processIO, "proc/vmstat": pagesTaken(0),
	})
	m.kept = 100
	m.open()
	m.sel(restful(m)) // no facts: a state may change at any moment
	m.read()
	return m
}

// pagesTaken is a machine on which the kernel looked for so many pages to take.
func pagesTaken(n int) string {
	return fmt.Sprintf("pswpin 0\npgscan_anon %d\npgscan_file 0\nthp_collapse_alloc 0\n", n)
}

// restful is all of Process but the priority, which others may change.
func restful(m *machine) session.Want {
	w := allOf(m.catalogue.Set("Process"))
	w.Counters = slices.DeleteFunc(w.Counters, func(i int) bool { return w.Set.Counters[i].Name == "Priority Base" })
	return w
}

func TestTimeOfProcessIsPrecise(t *testing.T) {
	m := resting(t)
	m.wantRaw("Process", "a", raws{"% Processor Time": 3_000_000, "% User Time": 1_000_000})
	// It ran 1.234567 ms, of which stat shows nothing yet.
	m.after(time.Second, map[string]string{"proc/10/clock": "301234567\n"})
	m.wantRaw("Process", "a", raws{"% Processor Time": 3_012_345})
	// It ran on between the reading of its clock and that of stat.
	m.after(time.Second, map[string]string{"proc/10/clock": "301234568\n", "proc/10/stat": alone(10, 210, 1)})
	m.wantRaw("Process", "a", raws{"% Processor Time": 23_000_000})
}

func TestProcessThatRestsIsNotReadAgain(t *testing.T) {
	m := resting(t)
	m.after(time.Second, nil)
	// Nothing of this can be while it rests, so that it shows what is read.
	other := map[string]string{
		"proc/10/stat": alone(10, 50, 1), "proc/10/io": strings.Replace(processIO, "1000", "9999", 1),
		"proc/10/status": strings.Replace(processStatus, "9000", "9999", 1),
	}
	m.after(time.Second, other)
	m.wantRaw("Process", "a", raws{"% User Time": 1_000_000, "IO Read Bytes/sec": 1000, "Virtual Bytes Peak": 9000 << 10})
	m.after(time.Second, map[string]string{"proc/10/clock": "300000001\n"})
	m.wantRaw("Process", "a", raws{"% User Time": 5_000_000, "IO Read Bytes/sec": 9999, "Virtual Bytes Peak": 9999 << 10})
}

func TestHowManyFilesOfAProcessAreRead(t *testing.T) {
	taken := map[string]string{"proc/vmstat": pagesTaken(1)}
	for name, c := range map[string]struct {
		before, now string            // its clock
		files       map[string]string // what else changes
		reads       int
	}{
		"rests":             {"300000000\n", "300000000\n", nil, 0},
		"never ran":         {"0\n", "0\n", nil, 0},
		"pages were taken":  {"300000000\n", "300000000\n", taken, 4}, // statm, which is not known yet: stat, io, status
		"nobody says":       {"300000000\n", "300000000\n", map[string]string{"proc/vmstat": "pswpin 0\n"}, 4},
		"without a clock":   {"300000000\n", "300000000\n", map[string]string{"proc/10/clock": ""}, 3}, // stat, io, status
		"ran":               {"300000000\n", "300000001\n", nil, 3},
		"ran, pages taken":  {"300000000\n", "300000001\n", taken, 3},
		"several, of which": {"300000000\n", "300000001\n", map[string]string{"proc/10/stat": statLine(10, "a", 10, 1)}, 3},
	} {
		m := resting(t)
		reads := 0
		m.reads = func() { reads++ }
		m.open()
		m.sel(restful(m))
		for range 3 {
			m.after(time.Second, map[string]string{"proc/10/clock": c.before})
		}
		reads = 0
		files := map[string]string{"proc/10/clock": c.now}
		maps.Copy(files, c.files)
		m.after(time.Second, files)
		if reads -= 3; reads != c.reads { // besides /proc/stat, of processes and of Idle, and vmstat
			t.Errorf("%s: %d files read, want %d", name, reads, c.reads)
		}
	}
}

// While the kernel takes pages, statm tells whether some of a process that rests went.
func TestProcessThatRestsWhilePagesAreTaken(t *testing.T) {
	m := resting(t)
	m.after(time.Second, nil)
	reads := 0
	m.reads = func() { reads++ }
	m.open()
	m.sel(restful(m))
	for n, want := range []int{3, 4, 1, 1, 4} { // at first; statm is not known; it is as before, twice; it is not
		reads = 0
		files := map[string]string{"proc/vmstat": pagesTaken(n)}
		if n == 4 {
			files["proc/10/statm"] = "2000 20 10 1 0 1 0\n"
			files["proc/10/stat"] = strings.Replace(alone(10, 10, 1), " 25 18446744073709551615", " 20 18446744073709551615", 1)
		}
		m.after(time.Second, files)
		if reads -= 3; reads != want {
			t.Errorf("reading %d: %d files, want %d", n, reads, want)
		}
	}
	m.wantRaw("Process", "a", raws{"Working Set": 20 * 4096})
}

// What another process takes from one that rests is seen in 10 s, though the kernel took no pages.
func TestProcessThatRestsIsShrunk(t *testing.T) {
	m := resting(t)
	m.after(time.Second, nil)
	smaller := map[string]string{
		"proc/10/statm": "2000 20 10 1 0 1 0\n",
		"proc/10/stat":  strings.Replace(alone(10, 10, 1), " 25 18446744073709551615", " 20 18446744073709551615", 1),
	}
	m.after(recheck, smaller)
	m.wantRaw("Process", "a", raws{"Working Set": 20 * 4096})
	m.after(time.Second, nil)
	m.after(recheck, map[string]string{
		"proc/10/statm": "2000 15 10 1 0 1 0\n",
		"proc/10/stat":  strings.Replace(alone(10, 10, 1), " 25 18446744073709551615", " 15 18446744073709551615", 1),
	})
	m.wantRaw("Process", "a", raws{"Working Set": 15 * 4096})
}

func TestProcessThatRestsIsReadWhen(t *testing.T) {
	changed := map[string]string{"proc/10/stat": strings.Replace(alone(10, 10, 1), "S 1 1", "S 99 1", 1)}
	parent := func(m *machine) uint64 { return m.reading("Process", "a", "Creating Process ID").Raw }
	for name, cause := range map[string]func(*machine){
		"memory was taken from it": func(m *machine) {
			m.after(time.Second, map[string]string{"proc/10/statm": "2000 20 10 1 0 1 0\n", "proc/vmstat": pagesTaken(1)})
		},
		"a minute went by": func(m *machine) { m.after(seldom, nil) },
		"more is wanted": func(m *machine) {
			m.sel(restful(m))
			m.after(time.Second, nil)
		},
	} {
		m := resting(t)
		if name == "more is wanted" {
			set := m.catalogue.Set("Process")
			i, _ := set.Counter("Creating Process ID")
			m.sel(session.Want{Set: set, Counters: []int{i}})
			m.after(seldom, nil)
		}
		m.after(time.Second, nil)
		m.after(time.Second, changed)
		if got := parent(m); got != 1 {
			t.Errorf("%s: the parent was %d before", name, got)
		}
		cause(m)
		if got := parent(m); got != 99 {
			t.Errorf("%s: the parent is %d", name, got)
		}
	}
}

func TestStateOfProcessThatRests(t *testing.T) {
	m := resting(t)
	m.watch("Process") // with all facts
	m.after(time.Second, nil)
	m.after(time.Second, map[string]string{"proc/10/stat": strings.Replace(alone(10, 10, 1), ") S", ") R", 1)})
	if got := m.fact("Process", "a", factState); got != "running" {
		t.Errorf("state %q", got)
	}
}

func TestOnlyWhatIsDueIsRead(t *testing.T) {
	m := newMachine(t, map[string]string{"proc/stat": twoCPUs, "proc/10/stat": statLine(10, "a", 0, 1)})
	m.watch("System", "Process")
	m.batch.Due = []bool{true, false}
	m.after(time.Second, nil)
	if n := len(m.set("Process").Instances); n != 0 || len(m.set("System").Instances) != 1 {
		t.Errorf("%d processes were read", n)
	}
	m.batch.Due = []bool{false, true}
	m.after(time.Second, nil)
	if n := len(m.set("System").Instances); n != 0 || len(m.set("Process").Instances) != 3 {
		t.Errorf("%d rows of System were read", n)
	}
}

// What others do to a process that rests is seen at the next read.
func TestParentOfProcessThatRests(t *testing.T) {
	orphan := strings.Replace(alone(10, 10, 1), "S 15 1", "S 1 1", 1)
	parent := func(m *machine, want uint64) {
		t.Helper()
		if got, row := m.reading("Process", "a", "Creating Process ID").Raw, m.set("Process").Instances[1]; got != want || row.Key.Name != "a" || row.Owner != want {
			t.Errorf("the parent is %d, in %+v, want %d", got, row, want)
		}
	}
	for name, files := range map[string]map[string]string{
		"ended":  {"proc/15": ""},
		"zombie": {"proc/15/stat": strings.Replace(statLine(15, "p", 0, 1), ") S", ") Z", 1)},
		"other":  {"proc/15/stat": statLine(15, "p", 0, 999)},
	} {
		m := newMachine(t, map[string]string{
			"proc/stat": twoCPUs, "proc/10/stat": strings.Replace(alone(10, 10, 1), "S 1 1", "S 15 1", 1), "proc/10/clock": "300000000\n",
			"proc/15/stat": statLine(15, "p", 0, 1), "proc/15/clock": "5\n", "proc/10/statm": "2000 25 10 1 0 1 0\n", "proc/10/io": processIO, "proc/10/status": processStatus,
		})
		m.kept = 100
		m.open()
		m.sel(restful(m))
		m.read()
		m.after(time.Second, nil)
		parent(m, 15)
		files["proc/10/stat"] = orphan
		m.after(time.Second, files)
		if parent(m, 1); t.Failed() {
			t.Fatalf("its parent: %s", name)
		}
	}
}

func TestPriorityOfProcessThatRests(t *testing.T) {
	m := resting(t)
	m.sel(allOf(m.catalogue.Set("Process")))
	m.after(time.Second, nil)
	m.after(time.Second, map[string]string{"proc/10/stat": strings.Replace(alone(10, 10, 1), " 0 1 0 ", " 7 1 0 ", 1)})
	m.wantRaw("Process", "a", raws{"Priority Base": 13, "IO Read Bytes/sec": 1000})
}

// Facts of shown rows follow within seconds: a program may take another user or title
// when it runs, others may move it to another group at any time.
func TestFactsOfShownRows(t *testing.T) {
	files := map[string]string{
		"proc/stat": twoCPUs, "proc/10/stat": alone(10, 10, 1), "proc/10/clock": "300000000\n",
		"proc/10/status": "Uid:\t0\t0\t0\t0\n", "proc/10/cmdline": "/sbin/a\x00", "proc/10/cgroup": "0::/one\n",
	}
	m := newMachine(t, files)
	m.watch("Process")
	set := m.catalogue.Set("Process")
	row := m.set("Process").Instances[1].Key
	shown := session.Want{Set: set, Counters: []int{0}, Facts: session.FactWant{Keys: []string{factUser, factCommand, factCgroup}, Rows: []session.InstanceKey{row}}}
	facts := func() string {
		return m.fact("Process", "a", factUser) + " " + m.fact("Process", "a", factCommand) + " " + m.fact("Process", "a", factCgroup)
	}
	m.sel(shown)
	m.after(time.Second, nil)
	if got, want := facts(), "root /sbin/a /one"; got != want {
		t.Fatalf("facts %q, want %q", got, want)
	}
	m.after(lookedAt, map[string]string{"proc/10/cgroup": "0::/two\n"})
	if got, want := facts(), "root /sbin/a /two"; got != want {
		t.Errorf("after a move: %q, want %q", got, want)
	}
	hidden := shown
	hidden.Facts.Rows = nil
	m.sel(hidden) // what happens meanwhile is seen when it is shown again
	m.after(time.Second, map[string]string{"proc/10/clock": "300000001\n", "proc/10/status": "Uid:\t0\t1000\t0\t0\n", "proc/10/cmdline": "a: worker\x00"})
	m.sel(shown)
	m.after(lookedAt, nil)
	if got, want := facts(), "ada a: worker /two"; got != want {
		t.Errorf("after it ran: %q, want %q", got, want)
	}
}

// The same of real processes: one that sleeps gets another priority and parent.
func TestRealProcessThatRests(t *testing.T) {
	c := exec.Command("sh", "-c", "sleep 60 & echo $!; read x")
	in, _ := c.StdinPipe()
	out, _ := c.StdoutPipe()
	if err := c.Start(); err != nil {
		t.Skip(err)
	}
	defer in.Close()
	var child int
	if _, err := fmt.Fscan(out, &child); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Kill(child, unix.SIGKILL) }()
	m := &machine{t: t, proc: "/proc", sys: "/sys"}
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
	defer m.query.Close()
	m.sel(allOf(m.catalogue.Set("Process")))
	at := func(counter string) uint64 {
		m.read()
		b := m.set("Process")
		col := slices.IndexFunc(b.Counters, func(i int) bool { return b.Set.Counters[i].Name == counter })
		for row, in := range b.Instances {
			if in.Number == uint64(child) {
				return b.Row(row)[col].Raw
			}
		}
		t.Fatalf("process %d is not there", child)
		return 0
	}
	for range 3 {
		if got := at("Creating Process ID"); got != uint64(c.Process.Pid) {
			t.Fatalf("parent %d, want %d", got, c.Process.Pid)
		}
	}
	before := at("Priority Base")
	if err := unix.Setpriority(unix.PRIO_PROCESS, child, 9); err != nil {
		t.Fatal(err)
	}
	if got := at("Priority Base"); got == before || got != 11 {
		t.Errorf("priority %d, was %d", got, before)
	}
	m.sel(restful(m))
	at("Elapsed Time")
	_ = c.Process.Kill()
	_ = c.Wait()
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(child) + "/stat")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Fields(string(stat))[3]
	if got := at("Creating Process ID"); strconv.FormatUint(got, 10) != want {
		t.Errorf("parent %d, want %s", got, want)
	}
}

func TestUserOfRealProcess(t *testing.T) {
	me, err := user.Current()
	if err != nil {
		t.Skip(err)
	}
	files := procFiles{dir: &pidScan{path: "/proc"}}
	if _, err := files.dir.read(nil); err != nil {
		t.Skip(err)
	}
	defer files.dir.close()
	uid, ok := files.owner(uint32(os.Getpid()))
	if !ok || strconv.Itoa(int(uid)) != me.Uid {
		t.Errorf("user %d (%v), want %s", uid, ok, me.Uid)
	}
}

// ofUsers is % Processor Time and IO of the processes that are no threads of the kernel.
func ofUsers(m *machine) session.Want {
	w := restful(m)
	w.Of = slices.Repeat([]session.Part{session.Members}, len(w.Counters))
	return w
}

// Threads of the kernel that nobody wants to see are not read, unless another process
// may have got their number since, or somebody does.
func TestThreadsOfTheKernelThatNobodyWants(t *testing.T) {
	loads := func(last int) string { return fmt.Sprintf("0.00 0.00 0.00 1/200 %d\n", last) }
	m := newMachine(t, map[string]string{
		"proc/stat": twoCPUs, "proc/loadavg": loads(1000), "proc/vmstat": pagesTaken(0),
		"proc/10/stat": alone(10, 10, 1), "proc/10/clock": "300000000\n", "proc/10/statm": "2000 25 10 1 0 1 0\n", "proc/10/io": processIO, "proc/10/status": processStatus,
		"proc/500/stat": kernelThread(500, "k"), "proc/500/clock": "300000000\n", "proc/500/io": processIO,
	})
	m.kept = 100
	reads := 0
	m.reads = func() { reads++ }
	m.open()
	m.sel(ofUsers(m))
	names := func() (names []string) {
		for _, in := range m.set("Process").Instances {
			names = append(names, in.Key.Name+"/"+strconv.Itoa(int(in.Number)))
		}
		return names
	}
	check := func(when string, want ...string) {
		t.Helper()
		if got := names(); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", when, got, want)
		}
	}
	m.after(time.Second, nil)
	check("at first", "a/10")
	m.after(time.Second, nil)
	reads = 0
	m.after(time.Second, map[string]string{"proc/500/clock": "300000001\n"})
	if check("later", "a/10"); reads != 3 { // stat, loadavg, vmstat
		t.Errorf("%d files read", reads)
	}
	reads = 0
	const seconds = 130
	for n := range seconds { // the process runs, which takes stat, io and status
		m.after(time.Second, map[string]string{"proc/10/clock": strconv.Itoa(300000001+n) + "\n"})
	}
	if again := reads - 6*seconds; again < 1 || again > 4 {
		t.Errorf("%d files of a thread of the kernel were read in %d s", again, seconds)
	}
	m.after(time.Second, map[string]string{"proc/500/stat": alone(500, 0, 9), "proc/loadavg": loads(499)})
	check("its number was not given out", "a/10")
	m.after(time.Second, map[string]string{"proc/loadavg": loads(500)})
	check("its number may be that of another", "a/10", "a/500")

	m.write(map[string]string{"proc/500/stat": kernelThread(500, "k"), "proc/500/clock": "300000002\n", "proc/loadavg": loads(501)})
	m.after(time.Second, nil)
	m.sel(restful(m))
	m.after(time.Second, nil)
	check("all are wanted", "Idle/0", "a/10", "k/500", "_Total/0")
	m.wantRaw("Process", "k", raws{"IO Read Bytes/sec": 1000})
	m.sel(ofUsers(m))
	for range 25 { // all is looked at now and then: by then the new counts are known but for those of I/O
		m.after(time.Second, map[string]string{"proc/500/clock": "300000009\n", "proc/500/io": strings.Replace(processIO, "1000", "2000", 1)})
	}
	m.sel(restful(m))
	m.after(time.Second, nil)
	m.wantRaw("Process", "k", raws{"IO Read Bytes/sec": 2000})
}
