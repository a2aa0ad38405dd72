package local

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
)

// statLine is /proc/PID/stat: user and system time in ticks, nice -5, start in
// ticks since boot.
func statLine(pid int, comm string, user, start int) string {
	return fmt.Sprintf("%d (%s) S 1 1 1 0 -1 4194560 100 7 3 7 %d 20 7 7 15 -5 4 0 %d 8192000 25 18446744073709551615 1 1 1 1 1 0 0 0 0 0 0 0 17 1 0 0 0 0\n",
		pid, comm, user, start)
}

func kernelThread(pid int, comm string) string {
	return fmt.Sprintf("%d (%s) I 2 0 0 0 -1 69238880 0 0 0 0 0 0 0 0 20 0 1 0 5 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0\n", pid, comm)
}

const processStatus = "Name:\tx\nUid:\t1000\t1000\t1000\t1000\nVmPeak:\t    9000 kB\nVmSize:\t    8000 kB\nVmHWM:\t  300 kB\nVmRSS:\t  200 kB\nRssAnon:\t  60 kB\nRssFile:\t 140 kB\nVmSwap:\t  5 kB\nThreads:\t4\n"

const processIO = "rchar: 1000\nwchar: 200\nsyscr: 30\nsyscw: 4\nread_bytes: 4096\nwrite_bytes: 8192\ncancelled_write_bytes: 1\n"

func TestProcess(t *testing.T) {
	m := newMachine(t, map[string]string{
		"proc/stat": twoCPUs, "proc/42/stat": statLine(42, "sh", 10, 500), "proc/42/status": processStatus, "proc/42/io": processIO,
		"proc/42/fd/0": "x", "proc/42/fd/17": "x", "proc/42/cmdline": "/bin/sh\x00-c\x00true\x00",
		"proc/42/cgroup": "12:cpu:/x\n0::/system.slice/docker-" + strings.Repeat("ab", 32) + ".scope\n",
	})
	if err := os.Symlink("/bin/dash", filepath.Join(m.proc, "42/exe")); err != nil {
		t.Fatal(err)
	}
	m.watch("Process")
	boot := cooker.FileTime(bootTime)
	m.wantRaw("Process", "sh", raws{
		"% Processor Time": 3_000_000, "% User Time": 1_000_000, "% Privileged Time": 2_000_000, "Elapsed Time": boot + 5*units100ns,
		"ID Process": 42, "Creating Process ID": 1, "Thread Count": 4, "Priority Base": 25, "Virtual Bytes": 8192000, "Virtual Bytes Peak": 9000 << 10,
		"Working Set": 25 * 4096, "Working Set Peak": 300 << 10, "Working Set - Private": 60 << 10, "Private Bytes": 65 << 10,
		"Page File Bytes": 5 << 10, "Page Faults/sec": 103, "Handle Count": 2, "IO Read Operations/sec": 30, "IO Write Operations/sec": 4,
		"IO Data Operations/sec": 34, "IO Read Bytes/sec": 1000, "IO Write Bytes/sec": 200, "IO Data Bytes/sec": 1200,
		"Disk Read Bytes/sec": 4096, "Disk Write Bytes/sec": 8192,
	})
	m.wantRaw("Process", "Idle", raws{"Thread Count": 2, "% Processor Time": 145_000_000, "ID Process": 0})
	m.wantRaw("Process", "_Total", raws{"% Processor Time": 200_000_000, "Thread Count": 6, "Working Set": 25 * 4096})
	for key, want := range map[string]string{
		"user": "ada", "command line": "/bin/sh -c true", "state": "sleeping", "nice": "-5", "container": "abababababab", "executable": "/bin/dash",
	} {
		if got := m.fact("Process", "sh", key); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
	row, _ := m.instance("Process", "sh")
	if i := m.set("Process").Instances[row]; i.Number != 42 || i.Owner != 1 || i.Key.ID != 500<<22|42 || i.Flags != 0 {
		t.Errorf("instance %+v", i)
	}
}

func TestProcessesComeAndGo(t *testing.T) {
	for _, kept := range []int{-1, 1000} {
		m := newMachine(t, map[string]string{"proc/stat": twoCPUs, "proc/10/stat": statLine(10, "a", 0, 300), "proc/20/stat": statLine(20, "a", 1000, 200)})
		m.kept = kept
		m.watch("Process")
		if got, want := m.names("Process"), "Idle a#1 a _Total"; got != want { // 20 is older
			t.Fatalf("instances %q, want %q", got, want)
		}
		files := map[string]string{"proc/20": ""}
		for pid := 100; pid < 600; pid++ {
			files[fmt.Sprintf("proc/%d/stat", pid)] = statLine(pid, "a", 5, 400)
		}
		before := m.reading("Process", "_Total", "% User Time").Raw
		m.after(time.Second, files)
		if n := len(m.set("Process").Instances); n != 503 {
			t.Fatalf("%d instances", n)
		}
		if got := m.reading("Process", "a", "ID Process").Raw; got != 10 {
			t.Errorf("the oldest is now %d", got)
		}
		if got := m.reading("Process", "a#500", "ID Process").Raw; got != 599 {
			t.Errorf("the youngest is %d", got)
		}
		if grew := m.reading("Process", "_Total", "% User Time").Raw - before; grew != 500*5*100_000 {
			t.Errorf("_Total grew by %d", grew)
		}
	}
}

func TestProcessNumberUsedAgain(t *testing.T) {
	m := newMachine(t, map[string]string{"proc/stat": twoCPUs, "proc/10/stat": statLine(10, "a", 1000, 300)})
	m.watch("Process")
	first := m.set("Process").Instances[1].Key
	before := m.reading("Process", "_Total", "% User Time").Raw
	m.after(time.Second, map[string]string{"proc/10/stat": statLine(10, "a", 7, 90000)})
	second := m.set("Process").Instances[1].Key
	if first == second || first.Name != second.Name {
		t.Errorf("identities %v and %v", first, second)
	}
	if grew := m.reading("Process", "_Total", "% User Time").Raw - before; grew != 700_000 {
		t.Errorf("_Total grew by %d", grew)
	}
}

func TestProcessNames(t *testing.T) {
	m := newMachine(t, map[string]string{
		"proc/stat":       twoCPUs,
		"proc/10/stat":    statLine(10, "a) R 1 (b\n\x1b[31m", 0, 1),
		"proc/11/stat":    statLine(11, "x/y\\z*#1", 0, 1),
		"proc/12/stat":    statLine(12, "systemd-journal", 0, 1),
		"proc/12/cmdline": "/usr/lib/systemd/systemd-journald\x00--x\x00",
		"proc/13/stat":    kernelThread(13, "kworker/u8:3-events_unbound"),
		"proc/14/stat":    statLine(14, "\xff\xfe", 0, 1),
		"proc/15/stat":    statLine(15, "", 0, 1),
		"proc/16/stat":    statLine(16, "_Total", 0, 1),
		"proc/17/stat":    statLine(17, "fifteen-bytes-x", 0, 1),
		"proc/17/cmdline": "something else",
	})
	m.watch("Process")
	want := "Idle a] R 1 [b\n\x1b[31m x_y_z__1 systemd-journald kworker/u8:3 \uFFFD 15 _Total#1 fifteen-bytes-x _Total"
	want = strings.Replace(want, "kworker/", "kworker_", 1)
	if got := m.names("Process"); got != want {
		t.Errorf("instances %q, want %q", got, want)
	}
	if row, ok := m.instance("Process", "kworker_u8:3"); ok && m.set("Process").Instances[row].Flags != session.FlagBackground {
		t.Error("a kernel thread is not marked")
	}
	key := m.set("Process").Instances[5].Key
	m.after(time.Second, map[string]string{"proc/13/stat": kernelThread(13, "kworker/u8:3+flush-8:0")})
	if got := m.set("Process").Instances[5].Key; got != key {
		t.Errorf("a worker with another job was %v, is %v", key, got)
	}
}

func TestProcessFactsFollowTheProgram(t *testing.T) {
	m := newMachine(t, map[string]string{"proc/10/stat": statLine(10, "sh", 0, 1), "proc/10/status": processStatus, "proc/10/cmdline": "sh\x00", "proc/11/stat": statLine(11, "b", 0, 1)})
	m.open()
	w := allOf(m.catalogue.Set("Process"))
	w.Facts = session.FactWant{Keys: []string{"command line", "state"}, Rows: []session.InstanceKey{{Name: "sh", ID: processID(1, 10)}}}
	m.sel(w)
	m.read()
	if got := m.fact("Process", "sh", "command line"); got != "sh" {
		t.Errorf("command line %q", got)
	}
	if got := m.fact("Process", "b", "command line"); got != "" {
		t.Errorf("a fact that was not asked for: %q", got)
	}
	m.after(time.Second, map[string]string{"proc/10/cmdline": "vi\x00x\x00", "proc/10/stat": statLine(10, "vi", 0, 1)})
	if got := m.fact("Process", "vi", "command line"); got != "vi x" {
		t.Errorf("after exec the command line is %q", got)
	}
	if got := m.fact("Process", "vi", "state"); got != "sleeping" {
		t.Errorf("state %q", got)
	}
}

func TestProcessesDenied(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read every file")
	}
	m := newMachine(t, map[string]string{"proc/10/stat": statLine(10, "a", 0, 1), "proc/10/io": processIO, "proc/11/stat": statLine(11, "b", 0, 1)})
	for _, name := range []string{"10/io", "11/stat"} {
		if err := os.Chmod(filepath.Join(m.proc, name), 0); err != nil {
			t.Fatal(err)
		}
	}
	m.watch("Process")
	m.wantState("Process", "a", cooker.Denied, "IO Data Bytes/sec")
	m.wantState("Process", "a", cooker.OK, "% Processor Time")
	m.wantState("Process", "11", cooker.Denied, "% Processor Time", "IO Data Bytes/sec", "Working Set")
}

func TestUnwantedFilesAreNotRead(t *testing.T) {
	m := newMachine(t, map[string]string{"proc/10/stat": statLine(10, "a", 3, 1)})
	for _, name := range []string{"io", "status", "statm", "cmdline"} { // opening them would wait for ever
		if out, err := exec.Command("mkfifo", filepath.Join(m.proc, "10", name)).CombinedOutput(); err != nil {
			t.Skipf("no mkfifo: %v %s", err, out)
		}
	}
	m.open()
	set := m.catalogue.Set("Process")
	i, _ := set.Counter("% User Time")
	m.sel(session.Want{Set: set, Counters: []int{i}})
	m.read()
	m.wantRaw("Process", "a", raws{"% User Time": 300_000})
}

func TestColumnsThatStayKeepTheirState(t *testing.T) {
	m := newMachine(t, map[string]string{"proc/10/stat": statLine(10, "a", 50, 1), "proc/20/stat": statLine(20, "b", 50, 1)})
	m.watch("Process")
	m.after(time.Second, map[string]string{"proc/20": ""})
	set := m.catalogue.Set("Process")
	user, _ := set.Counter("% User Time")
	system, _ := set.Counter("% Privileged Time")
	m.sel(session.Want{Set: set, Counters: []int{system, user}})
	m.after(time.Second, map[string]string{"proc/10/stat": statLine(10, "a", 60, 1)})
	m.wantRaw("Process", "_Total", raws{"% User Time": 11_000_000, "% Privileged Time": 4_000_000})
}

func TestDescriptorsAreClosed(t *testing.T) {
	open := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip(err)
		}
		return len(entries)
	}
	before := open()
	m := newMachine(t, map[string]string{"proc/stat": twoCPUs, "proc/10/stat": statLine(10, "a", 0, 1), "proc/11/stat": statLine(11, "b", 0, 1), "proc/10/io": processIO})
	m.kept = 100
	m.watch("Process", "System", "Memory", "Process")
	m.after(time.Second, nil) // what is read twice is kept
	whole := open()
	m.after(time.Second, map[string]string{"proc/10": ""})
	if now := open(); now >= whole {
		t.Errorf("%d descriptors after a process ended, %d before", now, whole)
	}
	m.sel()
	if err := m.query.Close(); err != nil {
		t.Fatal(err)
	}
	if now := open(); now != before {
		t.Errorf("%d descriptors at the end, %d at the start", now, before)
	}
}

// TestThisComputer reads the machine the test runs on, where kernel files are
// as they really are.
func TestThisComputer(t *testing.T) {
	m := &machine{t: t, proc: "/proc", sys: "/sys"}
	var err error
	if m.source, err = Open(Options{}); err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	if m.catalogue, err = m.source.Catalogue(ctx); err != nil {
		t.Fatal(err)
	}
	if m.query, err = m.source.Open(ctx); err != nil {
		t.Fatal(err)
	}
	defer m.query.Close()
	var names []string
	for _, set := range m.catalogue.Sets {
		names = append(names, set.Name)
	}
	m.watch(names...)
	child := exec.Command("sleep", "60")
	if err := child.Start(); err != nil {
		t.Skip(err)
	}
	m.read()
	found := func() bool {
		for _, i := range m.set("Process").Instances {
			if i.Number == uint64(child.Process.Pid) && i.Owner == uint64(os.Getpid()) {
				return true
			}
		}
		return false
	}
	if !found() {
		t.Error("a new process is not there")
	}
	_ = child.Process.Kill()
	_ = child.Wait()
	m.read()
	if found() {
		t.Error("a process that ended is still there")
	}
	for _, i := range m.set("Process").Instances {
		if i.Number == uint64(os.Getpid()) {
			return
		}
	}
	t.Error("we are not there")
}

func TestCatalogueIsSound(t *testing.T) {
	s, err := Open(Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.Catalogue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range c.Sets {
		ids, names := map[uint32]bool{}, map[string]bool{}
		for _, counter := range set.Counters {
			if ids[counter.ID] || names[counter.Name] {
				t.Errorf(`\%s\%s is there twice`, set.Name, counter.Name)
			}
			ids[counter.ID], names[counter.Name] = true, true
			if !counter.Type.Known() || counter.Description == "" || set.Description == "" {
				t.Errorf(`\%s\%s has no type or description`, set.Name, counter.Name)
			}
			info, _ := counter.Type.Info()
			if (info.Base != cooker.BaseNone) != (counter.BaseID != session.NoID) {
				t.Errorf(`\%s\%s has the base %d`, set.Name, counter.Name, counter.BaseID)
			}
		}
	}
}

func TestWrongWants(t *testing.T) {
	m := newMachine(t, nil)
	m.open()
	for _, w := range []session.Want{{}, {Set: &session.Counterset{Name: "X"}}, {Set: m.catalogue.Sets[0], Counters: []int{-1}}, {Set: m.catalogue.Sets[0], Counters: []int{9999}}} {
		if err := m.query.Select(t.Context(), []session.Want{w}); err == nil {
			t.Errorf("%+v was accepted", w.Counters)
		}
	}
}

// familyStat is the line of a process of a parent, with its CPU time and that of the children that it
// waited for, in ticks.
func familyStat(pid, parent, own, children, start int) string {
	return fmt.Sprintf("%d (p%d) S %d 1 1 0 -1 4194560 100 7 3 7 %d 0 %d 0 15 -5 4 0 %d 8192000 25 18446744073709551615 1 1 1 1 1 0 0 0 0 0 0 0 17 1 0 0 0 0\n",
		pid, pid, parent, own, children, start)
}

// What children used that ended between two scans is told of their parent, but for what rows of
// theirs had: over any time all of it adds up.
func TestEndedChildren(t *testing.T) {
	const tick = units100ns / 100
	m := newMachine(t, map[string]string{
		"proc/stat": twoCPUs, "proc/10/stat": familyStat(10, 1, 5, 700, 100), "proc/11/stat": familyStat(11, 10, 40, 0, 200),
	})
	m.watch("Process")
	want := func(when string, ticks uint64) {
		t.Helper()
		if got := m.reading("Process", "p10", "% Ended Children Time").Raw; got != ticks*tick {
			t.Errorf("%s: %d ticks, want %d", when, got/tick, ticks)
		}
	}
	want("what was before the first scan", 0)
	m.after(time.Second, map[string]string{"proc/10/stat": familyStat(10, 1, 6, 730, 100)})
	want("a child that no scan saw", 30)
	m.after(time.Second, map[string]string{"proc/10/stat": familyStat(10, 1, 7, 775, 100), "proc/11": ""})
	want("a child that had 40 of 45 ticks in its row", 35)
	m.after(time.Second, map[string]string{"proc/12/stat": familyStat(12, 10, 0, 20, 400)})
	if got := m.reading("Process", "p12", "% Ended Children Time").Raw; got != 20*tick {
		t.Errorf("children of one that is new: %d ticks", got/tick)
	}
	m.after(time.Second, map[string]string{"proc/12": ""})
	want("one is gone before its parent has its time", 35)
	m.after(time.Second, map[string]string{"proc/10/stat": familyStat(10, 1, 8, 800, 100)})
	want("with 20 ticks of its own children and 5 that no row had", 40)
}

// What a child did that ended is not done by the parent that waits for it, whose row gets it all
// at once from the kernel.
func TestReapedIO(t *testing.T) {
	io := func(read int) string {
		return fmt.Sprintf("rchar: %d\nwchar: 0\nsyscr: 1\nsyscw: 0\nread_bytes: %d\nwrite_bytes: 0\ncancelled_write_bytes: 0\n", read, read)
	}
	m := newMachine(t, map[string]string{
		"proc/stat": twoCPUs, "proc/10/stat": familyStat(10, 1, 5, 0, 100), "proc/10/io": io(100),
		"proc/11/stat": familyStat(11, 10, 40, 0, 200), "proc/11/io": io(5000),
	})
	m.watch("Process")
	want := func(when, name string, bytes uint64) {
		t.Helper()
		if got := m.reading("Process", name, "IO Read Bytes/sec").Raw; got != bytes {
			t.Errorf("%s: %s has %d, want %d", when, name, got, bytes)
		}
	}
	want("both live", "p10", 100)
	want("both live", "p11", 5000)
	m.after(time.Second, map[string]string{"proc/11": "", "proc/10/stat": familyStat(10, 1, 6, 40, 100), "proc/10/io": io(100 + 5000 + 30 + 7)})
	want("30 of the child that no row had, and 7 of its own", "p10", 137)
	m.after(time.Second, map[string]string{"proc/12/stat": familyStat(12, 10, 0, 0, 400), "proc/12/io": io(800)})
	m.after(time.Second, map[string]string{"proc/12": ""})
	want("one is gone before its parent has it", "p10", 137)
	m.after(time.Second, map[string]string{"proc/10/stat": familyStat(10, 1, 8, 50, 100), "proc/10/io": io(100 + 5000 + 37 + 800 + 3)})
	want("and then", "p10", 140)
}
