package local

import (
	"os"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
)

// limited is a computer of four processors whose container may use one and a half of three, and
// 1 GiB of four.
func limited() map[string]string {
	files := map[string]string{
		"proc/stat":                 "cpu0 0 0 0 100\ncpu1 0 0 0 100\ncpu2 0 0 0 100\ncpu3 0 0 0 100\n",
		"proc/meminfo":              "MemTotal: 4194304 kB\nMemAvailable: 4000000 kB\n",
		"proc/self/status":          "Cpus_allowed_list:\t0-2\n",
		"proc/self/cgroup":          "0::/own\n",
		"proc/self/mountinfo":       mountV2,
		"sys/fs/cgroup/own/cpu.max": "150000 100000\n", "sys/fs/cgroup/own/cpu.stat": "usage_usec 1000000\nuser_usec 600000\nsystem_usec 400000\nnr_throttled 1\nthrottled_usec 100000\n",
		"sys/fs/cgroup/own/memory.max": "1073741824\n", "sys/fs/cgroup/own/memory.current": "536870912\n", "sys/fs/cgroup/own/memory.stat": "anon 1\nfile 300000000\ninactive_file 268435456\n",
		"sys/fs/cgroup/own/memory.events": "low 0\nhigh 0\nmax 7\noom 1\noom_kill 2\n", "sys/fs/cgroup/own/memory.swap.current": "4096\n", "sys/fs/cgroup/own/cgroup.procs": "1\n",
	}
	return files
}

// rate is what a share of time was between the readings in a and now.
func (m *machine) share(counter string, before cooker.Reading, clock uint64) float64 {
	m.t.Helper()
	now := m.reading(session.ProcessorLimit, "", counter)
	if now.State != cooker.OK || before.State != cooker.OK {
		m.t.Fatalf("%s: %v after %v", counter, now.State, before.State)
	}
	return 100 * float64(now.Raw-before.Raw) / float64(m.set(session.ProcessorLimit).Clocks.Time100ns-clock)
}

func TestProcessorLimit(t *testing.T) {
	m := newMachine(t, limited())
	m.watch(session.ProcessorLimit, session.MemoryLimit)
	m.wantRaw(session.ProcessorLimit, "", raws{"Computer Processors": 4, "Processors Allowed": 3, "Processor Quota x100": 150, "Processors Usable x100": 150})
	m.wantRaw(session.MemoryLimit, "", raws{"Limit Bytes": 1 << 30, "Available Bytes": 768 << 20, "Cache Bytes": 300_000_000, "Limit Hits": 7, "OOM Kills": 2, "Swap Used Bytes": 4096})
	if r := m.reading(session.MemoryLimit, "", "% Available"); r.Raw != 768<<20 || r.Base != 1<<30 {
		t.Errorf("%% Available is %d of %d", r.Raw, r.Base)
	}
	names := []string{"% Processor Time", "% User Time", "% Privileged Time", "% Throttled Time", "% Computer"}
	before, clock := map[string]cooker.Reading{}, m.set(session.ProcessorLimit).Clocks.Time100ns
	for _, name := range names {
		before[name] = m.reading(session.ProcessorLimit, "", name)
	}
	// 3 s of CPU time in 2 s are all of one and a half processors.
	m.after(2*time.Second, map[string]string{
		"proc/stat":                  "cpu0 200 0 0 100\ncpu1 100 0 0 200\ncpu2 0 0 0 300\ncpu3 100 0 0 200\n",
		"sys/fs/cgroup/own/cpu.stat": "usage_usec 4000000\nuser_usec 2100000\nsystem_usec 1900000\nnr_throttled 9\nthrottled_usec 1600000\n",
	})
	for i, want := range []float64{100, 50, 50, 25, 50} {
		if got := m.share(names[i], before[names[i]], clock); got < want-0.1 || got > want+0.1 {
			t.Errorf("%s is %.2f, want %v", names[i], got, want)
		}
	}
}

// The limits are read anew each ten seconds, and no more often; a limit that went leaves the set as it is.
func TestLimitsAreReadNowAndThen(t *testing.T) {
	m := newMachine(t, limited())
	m.watch(session.ProcessorLimit, session.MemoryLimit)
	m.after(3*time.Second, map[string]string{"sys/fs/cgroup/own/cpu.max": "50000 100000\n"})
	m.wantRaw(session.ProcessorLimit, "", raws{"Processors Usable x100": 150})
	m.after(8*time.Second, nil)
	m.wantRaw(session.ProcessorLimit, "", raws{"Processors Usable x100": 50})
	m.after(11*time.Second, map[string]string{"sys/fs/cgroup/own/cpu.max": "max 100000\n", "sys/fs/cgroup/own/memory.max": "max\n", "proc/self/status": "Cpus_allowed_list:\t0-3\n"})
	m.wantRaw(session.ProcessorLimit, "", raws{"Processors Usable x100": 400, "Processor Quota x100": 0})
	m.wantRaw(session.MemoryLimit, "", raws{"Limit Bytes": 4 << 30})
}

// Where nothing limits the counters are absent, with the reason; where a limit of the computer
// shows as the computer itself, as lxcfs has it, nothing is cut again.
func TestNoLimit(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"nothing": {"sys/fs/cgroup/own/cpu.max": "max 100000\n", "sys/fs/cgroup/own/memory.max": "max\n", "proc/self/status": "Cpus_allowed_list:\t0-63\n"},
		"lxcfs": {
			"proc/stat": "cpu0 0 0 0 100\ncpu1 0 0 0 100\n", "proc/meminfo": "MemTotal: 1048576 kB\n", "proc/self/status": "Cpus_allowed_list:\t4,5\n",
			"sys/fs/cgroup/own/cpu.max": "200000 100000\n", "proc/self/mountinfo": mountV2 + "90 1 0:55 /proc/stat /proc/stat rw - fuse.lxcfs lxcfs rw\n",
		},
	} {
		m := newMachine(t, limited())
		m.write(files)
		m.open()
		for _, set := range []string{session.ProcessorLimit, session.MemoryLimit} {
			for i := range m.catalogue.Set(set).Counters {
				if c := &m.catalogue.Set(set).Counters[i]; !c.Hidden() && c.Absent == "" {
					t.Errorf("%s: %s has %s", name, set, c.Name)
				}
			}
		}
		if m.catalogue.IsLimited() {
			t.Errorf("%s: it is limited", name)
		}
	}
	m := newMachine(t, limited())
	m.write(map[string]string{"sys/fs/cgroup/own/cpu.max": "", "sys/fs/cgroup/own/memory.max": "", "proc/self/status": "", "proc/self/cgroup": "0::/../x\n"})
	m.open()
	if set := m.catalogue.Set(session.ProcessorLimit); set.Counters[0].Absent != whyOutside {
		t.Errorf("the reason is %q", set.Counters[0].Absent)
	}
}

// Under affinity alone it is the processors allowed that are used, by whomever.
func TestAffinity(t *testing.T) {
	m := newMachine(t, map[string]string{"proc/stat": "cpu0 0 0 0 100\ncpu1 0 0 0 100\ncpu2 0 0 0 100\n", "proc/self/status": "Cpus_allowed_list:\t1\n"})
	m.watch(session.ProcessorLimit)
	before, clock := m.reading(session.ProcessorLimit, "", "% Processor Time"), m.set(session.ProcessorLimit).Clocks.Time100ns
	m.after(time.Second, map[string]string{"proc/stat": "cpu0 0 0 0 200\ncpu1 60 0 30 110\ncpu2 100 0 0 100\n"})
	if got := m.share("% Processor Time", before, clock); got < 89.9 || got > 90.1 {
		t.Errorf("%.2f %% of one processor of three, want 90", got)
	}
	m.wantState(session.ProcessorLimit, "", cooker.Unavailable, "% Throttled Time", "% Throttled Above Time")
}

// A limit above the container cannot be seen; what it does can.
func TestLimitAbove(t *testing.T) {
	files := limited()
	files["sys/fs/cgroup/own/cpu.max"], files["sys/fs/cgroup/own/memory.max"] = "max 100000\n", "max\n"
	files["proc/self/status"] = "Cpus_allowed_list:\t0-3\n"
	files["proc/self/ns/cgroup"] = "link"
	files["sys/fs/cgroup/own/cpu.stat"] = "usage_usec 1000000\n"
	files["sys/fs/cgroup/own/cpu.stat.local"] = "throttled_usec 1000000\n"
	m := newMachine(t, files)
	m.link("proc/self/ns/cgroup", "cgroup:[4026532302]")
	m.watch(session.ProcessorLimit)
	if c, _ := m.catalogue.Set(session.ProcessorLimit).Counter("% Throttled Above Time"); m.catalogue.Set(session.ProcessorLimit).Counters[c].Absent != "" || m.catalogue.IsLimited() {
		t.Errorf("absent: %q; limited: %v", m.catalogue.Set(session.ProcessorLimit).Counters[c].Absent, m.catalogue.IsLimited())
	}
	before, clock := m.reading(session.ProcessorLimit, "", "% Throttled Above Time"), m.set(session.ProcessorLimit).Clocks.Time100ns
	m.after(time.Second, map[string]string{"sys/fs/cgroup/own/cpu.stat.local": "throttled_usec 2200000\n"})
	if got := m.share("% Throttled Above Time", before, clock); got < 29.9 || got > 30.1 {
		t.Errorf("held back %.2f %%, want 30", got)
	}
}

// Where version 1 counts CPU time by other groups than it limits, the processes of the group are asked.
func TestMembers(t *testing.T) {
	m := newMachine(t, map[string]string{
		"proc/stat": "cpu0 0 0 0 100\ncpu1 0 0 0 100\n", "proc/self/status": "Cpus_allowed_list:\t0-1\n",
		"proc/self/cgroup": "2:cpuacct:/\n1:cpu:/x\n", "proc/self/mountinfo": mountOnly + mountOwn,
		"sys/fs/cgroup/cpu/x/cpu.cfs_quota_us": "50000\n", "sys/fs/cgroup/cpu/x/cpu.cfs_period_us": "100000\n",
		"sys/fs/cgroup/cpu/x/cgroup.procs": "7\n8\n", "sys/fs/cgroup/cpuacct/cpuacct.usage": "5\n",
		"proc/7/clock": "1000000000\n", "proc/8/clock": "7000000000\n",
	})
	m.watch(session.ProcessorLimit)
	before, clock := m.reading(session.ProcessorLimit, "", "% Processor Time"), m.set(session.ProcessorLimit).Clocks.Time100ns
	m.after(time.Second, map[string]string{"sys/fs/cgroup/cpu/x/cgroup.procs": "7\n9\n", "proc/7/clock": "1300000000\n", "proc/9/clock": "100000000\n"})
	if got := m.share("% Processor Time", before, clock); got < 79.9 || got > 80.1 {
		t.Errorf("%.2f %% of half a processor, want 80", got)
	}
	m.wantState(session.ProcessorLimit, "", cooker.Unavailable, "% User Time")
}

// What the limits of this computer cost to read, each ten seconds where somebody looks at them.
func BenchmarkReadLimits(b *testing.B) {
	root := os.DirFS("/")
	for b.Loop() {
		readLimits(root)
	}
}
