package local

import (
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
)

const meminfo = `MemTotal:        1000 kB
MemFree:          100 kB
MemAvailable:     600 kB
Buffers:           10 kB
Cached:           300 kB
Active(file):      90 kB
Inactive(file):    80 kB
SwapTotal:        500 kB
SwapFree:         400 kB
Dirty:              7 kB
Writeback:          1 kB
Shmem:             20 kB
SReclaimable:      40 kB
SUnreclaim:        30 kB
KernelStack:        4 kB
PageTables:         6 kB
CommitLimit:      900 kB
Committed_AS:    1800 kB
`

const vmstat = "nr_free_pages 1\npgpgin 5\npgpgout 6\npswpin 2\npswpout 3\npgfault 1000\npgmajfault 9\nworkingset_refault_file 8\noom_kill 1\n"

func TestMemory(t *testing.T) {
	m := newMachine(t, map[string]string{"proc/meminfo": meminfo, "proc/vmstat": vmstat, "proc/sys/vm/overcommit_memory": "0\n"})
	m.watch("Memory")
	const kib = 1024
	m.wantRaw("Memory", "", raws{
		"Available Bytes": 600 * kib, "Available KBytes": 600, "Available MBytes": 0,
		"Committed Bytes": 1800 * kib, "Commit Limit": 1500 * kib, "% Committed Bytes In Use": 1800 * kib,
		"% Committed Bytes In Use_Base": 1500 * kib,
		"Cache Bytes":                   350 * kib, "Free & Zero Page List Bytes": 100 * kib, "Modified Page List Bytes": 8 * kib,
		"Standby Cache Normal Priority Bytes": 80 * kib, "Standby Cache Core Bytes": 90 * kib,
		"Pool Nonpaged Bytes": 40 * kib, "Pool Paged Bytes": 40 * kib, "Page Faults/sec": 1000, "Page Reads/sec": 9,
		"Pages Input/sec": 2, "Pages Output/sec": 3, "Pages/sec": 5, "Block Bytes In/sec": 5 * kib, "Block Bytes Out/sec": 6 * kib,
		"File Refaults/sec": 8, "Physical Bytes": 1000 * kib, "Swap Used Bytes": 100 * kib, "OOM Kills": 1,
	})
	if b := m.reading("Memory", "", "% Committed Bytes In Use").Base; b != 1500*kib {
		t.Errorf("base %d", b)
	}
	m.after(recheck, map[string]string{"proc/sys/vm/overcommit_memory": "2\n"})
	m.wantRaw("Memory", "", raws{"Commit Limit": 900 * kib})
}

func TestMemoryOfOldKernels(t *testing.T) {
	old := strings.NewReplacer("MemAvailable", "MemWhatever", "Shmem:", "Other:").Replace(meminfo)
	m := newMachine(t, map[string]string{"proc/meminfo": old, "proc/vmstat": "pgpgin 5\nworkingset_refault 4\n"})
	m.watch("Memory")
	m.wantRaw("Memory", "", raws{"File Refaults/sec": 4, "Block Bytes In/sec": 5120})
	m.wantState("Memory", "", cooker.Unavailable, "Available Bytes", "OOM Kills", "Pages/sec")
	m.after(time.Second, map[string]string{"proc/meminfo": strings.Replace(old, "Other:", "Shmem:", 1)})
	m.wantRaw("Memory", "", raws{"Available KBytes": 430})
	if i, _ := m.catalogue.Set("Memory").Counter("OOM Kills"); m.catalogue.Set("Memory").Counters[i].Absent == "" {
		t.Error("the catalogue does not say that OOM Kills is absent")
	}
}

func TestSystem(t *testing.T) {
	m := newMachine(t, map[string]string{
		"proc/stat": twoCPUs, "proc/loadavg": "0.52 12.05 100.00 5/789 4242\n", "proc/sys/fs/file-nr": "1056\t0\t9223\n",
		"proc/1/stat": "", "proc/17/x": "x", "proc/9/x": "x", "proc/sys/x": "x", "proc/0x/x": "x",
	})
	m.slept = time.Hour
	m.watch("System")
	boot := cooker.FileTime(bootTime)
	m.wantRaw("System", "", raws{
		"Context Switches/sec": 777, "Processor Queue Length": 3, "Processes": 2, "Threads": 789, "System Up Time": boot,
		"File Descriptors": 1056, "Blocked Threads": 2, "Forks/sec": 321,
		"Load Average 1 Minutes x100": 52, "Load Average 5 Minutes x100": 1205, "Load Average 15 Minutes x100": 10000,
	})
	m.slept += time.Hour // suspend
	m.after(time.Second, nil)
	c := m.set("System").Clocks
	if up := (c.ObjTime - boot) / c.ObjFreqHz; up != 1001+7200 {
		t.Errorf("up time %d s with sleep", up)
	}
	if c.PerfTime != uint64(1001*time.Second) || c.Time100ns != boot+(3600+1001)*units100ns {
		t.Errorf("clocks %+v count sleep", c)
	}
}

func TestBrokenFiles(t *testing.T) {
	for _, text := range []string{"\n", "cpu", "cpu0", "MemTotal:\npgfault\n", "1.5.6 / /", "\x00\xff(", strings.Repeat("9", 5000)} {
		m := newMachine(t, map[string]string{
			"proc/stat": text, "proc/meminfo": text, "proc/vmstat": text, "proc/loadavg": text, "proc/interrupts": text,
			"proc/softirqs": text, "proc/sys/fs/file-nr": text, "proc/5/stat": text, "proc/5/status": text, "proc/5/io": text,
		})
		m.watch(informationSet, "Memory", "System", "Process")
		m.after(time.Second, nil)
		m.wantState("Memory", "", cooker.Unavailable, "Available Bytes", "Pages/sec")
		m.wantState("Process", "5", cooker.Unavailable, "% Processor Time", "Private Bytes", "IO Data Bytes/sec")
		m.wantRaw("Process", "5", raws{"ID Process": 5})
	}
}

// The file that several countersets are made of is read once in a beat.
func TestMemoryIsReadOnce(t *testing.T) {
	m := newMachine(t, map[string]string{"proc/meminfo": meminfo + "AnonPages: 100 kB\nMapped: 10 kB\n", "proc/vmstat": vmstat})
	reads := 0
	m.reads = func() { reads++ }
	readsOf := func(sets ...string) int {
		m.watch(sets...)
		reads = 0
		m.after(time.Second, nil)
		return reads
	}
	alone, all := readsOf("Memory"), readsOf("Memory", "Memory Use")
	m.wantRaw("Memory Use", "Shared Memory", raws{"Working Set - Private": 20 * 1024})
	if alone != all {
		t.Errorf("%d files are read for one, %d for both", alone, all)
	}
}
