package local

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
)

// netDev is /proc/net/dev with as many bytes for each interface as its position.
func netDev(names ...string) string {
	var b strings.Builder
	b.WriteString("Inter-|   Receive  |  Transmit\n face |bytes    packets errs drop fifo frame compressed multicast|bytes\n")
	for i, name := range names {
		fmt.Fprintf(&b, "%6s: %d 10 0 0 0 0 0 0 %d 10 0 0 0 0 0 0\n", name, 1000*(i+1), 500*(i+1))
	}
	return b.String()
}

func TestInterfacesThatCountWhatOthersCarry(t *testing.T) {
	const set = "Network Interface"
	names := []string{"lo", "eth0", "eth1", "bond0", "bond0.10", "br0", "veth12ab", "ifb0", "docker0"}
	files := map[string]string{"proc/net/dev": netDev(names...)}
	for i, name := range names {
		files["sys/class/net/"+name+"/ifindex"] = decimal(i+1) + "\n"
		files["sys/class/net/"+name+"/speed"] = "-1\n"
	}
	// Members of a bond have a device; the bond has the sum of their speeds.
	for _, name := range []string{"eth0", "eth1"} {
		files["sys/class/net/"+name+"/device/vendor"] = "0x8086\n"
		files["sys/class/net/"+name+"/speed"] = "10000\n"
	}
	files["sys/class/net/bond0/speed"] = "20000\n"
	files["sys/class/net/eth1/statistics/rx_nohandler"] = "5\n"
	m := newMachine(t, files)
	m.watch(set)
	m.after(time.Second, nil)
	if got := m.names(set); got != strings.Join(names, " ") {
		t.Fatalf("interfaces %q", got)
	}
	for _, i := range m.set(set).Instances {
		if carries := strings.HasPrefix(i.Key.Name, "eth"); carries == (i.Flags&session.FlagBackground != 0) {
			t.Errorf("%s has the flags %d", i.Key.Name, i.Flags)
		}
	}
	m.wantRaw(set, "bond0", raws{"Bytes Received/sec": 4000, "Current Bandwidth": 20_000_000_000})
	m.wantRaw(set, "bond0.10", raws{"Bytes Sent/sec": 2500})
	m.wantRaw(set, "eth1", raws{"Packets Received Unknown": 5})
	m.wantState(set, "bond0.10", cooker.Unavailable, "Current Bandwidth")

	// eth1 leaves the bond and the machine; a module brings it back, counting anew.
	m.after(time.Second, map[string]string{"proc/net/dev": netDev("lo", "eth0"), "sys/class/net/eth1": ""})
	if got := m.names(set); got != "lo eth0" {
		t.Errorf("interfaces %q", got)
	}
	m.after(time.Second, map[string]string{"proc/net/dev": netDev("eth1", "eth0"), "sys/class/net/eth1/ifindex": "77\n"})
	if i := m.set(set).Instances[0]; i.Key.ID != 77 || i.Flags != session.FlagBackground {
		t.Errorf("eth1 is %+v", i)
	}
	m.after(time.Second, map[string]string{"proc/net/dev": netDev("eth1", "eth0"), "sys/class/net/eth1/device/vendor": "0x8086\n"})
	for range 2 { // looked at again one by one
		m.after(recheckOf(false), nil)
	}
	if i := m.set(set).Instances[0]; i.Flags != 0 {
		t.Errorf("eth1 is %+v", i)
	}
}

func TestArraysAndMappedDisks(t *testing.T) {
	mount := t.TempDir()
	m := newMachine(t, map[string]string{
		"proc/diskstats": `   8       0 sda 10 0 80 1 0 0 0 0 0 1 1 0 0 0 0 0 0
   8       1 sda1 10 0 80 1 0 0 0 0 0 1 1 0 0 0 0 0 0
   8      16 sdb 20 0 160 1 0 0 0 0 0 1 1 0 0 0 0 0 0
   9       0 md0 30 0 240 0 0 0 0 0 0 0 0 0 0 0 0 0 0
 253       0 dm-0 29 0 232 7 0 0 0 0 2 3 7 0 0 0 0 0 0
 252       0 zram0 40 0 320 1 9 0 72 1 0 2 2 0 0 0 0 0 0
`,
		"proc/self/mountinfo": "22 1 9:0 / / rw - ext4 /dev/md0 rw\n23 22 253:0 / " + mount + " rw - xfs /dev/mapper/vg-lv rw\n",
		"proc/swaps":          "Filename\tType\tSize\tUsed\tPriority\n/dev/zram0                              partition\t4194300\t1024\t100\n",
		"sys/block/sda/size":  "100\n", "sys/block/sda/device/x": "x", "sys/block/sdb/size": "100\n", "sys/block/sdb/device/x": "x",
		"sys/block/md0/size": "200\n", "sys/block/md0/md/level": "raid0\n", "sys/block/dm-0/size": "200\n", "sys/block/zram0/size": "8388600\n",
	})
	m.watch("PhysicalDisk", "LogicalDisk", "Paging File")
	if got, want := m.names("PhysicalDisk"), "sda sdb _Total"; got != want {
		t.Errorf("disks %q, want %q", got, want)
	}
	m.wantRaw("PhysicalDisk", "_Total", raws{"Disk Reads/sec": 30})
	m.wantRaw("LogicalDisk", "/", raws{"Disk Reads/sec": 30, "Disk Read Bytes/sec": 240 * sector})
	name := strings.ReplaceAll(strings.TrimPrefix(filepath.ToSlash(mount), "/"), "/", "_")
	m.wantRaw("LogicalDisk", name, raws{"Disk Reads/sec": 29, "Current Disk Queue Length": 2})
	m.wantRaw("Paging File", "_dev_zram0", raws{"% Usage": 1024, "% Usage_Base": 4194300})
}

func TestControlGroupsAgainstTheirLimits(t *testing.T) {
	const set = "Control Group"
	two := newMachine(t, map[string]string{
		"sys/fs/cgroup/cgroup.procs":                   "1\n",
		"sys/fs/cgroup/docker/abc/cgroup.procs":        "1\n",
		"sys/fs/cgroup/docker/abc/cpu.stat":            "usage_usec 5000\nuser_usec 4000\nsystem_usec 1000\nnr_periods 100\nnr_throttled 40\nthrottled_usec 250000\n",
		"sys/fs/cgroup/docker/abc/cpu.max":             "50000 100000\n",
		"sys/fs/cgroup/docker/abc/memory.current":      "1048576\n",
		"sys/fs/cgroup/docker/abc/memory.max":          "4194304\n",
		"sys/fs/cgroup/docker/abc/memory.swap.current": "8192\n",
		"sys/fs/cgroup/docker/abc/memory.pressure":     "some avg10=0.00 avg60=0.00 avg300=0.00 total=12\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=3\n",
		"sys/fs/cgroup/docker/no-limit/cpu.max":        "max 100000\n",
		"sys/fs/cgroup/docker/no-limit/memory.current": "7\n",
		"sys/fs/cgroup/docker/no-limit/memory.max":     "max\n",
		"sys/fs/cgroup/docker/no-limit/cgroup.procs":   "\n",
	})
	two.watch(set)
	two.wantRaw(set, "docker_abc", raws{
		"Throttled/sec": 40, "% Throttled Time": 2_500_000, "CPUs Allowed x100": 50, "% Memory Limit": 1 << 20, "% Memory Limit_Base": 4 << 20,
		"Swap Bytes": 8192, "% Memory Some Stall Time": 120, "% Memory Full Stall Time": 30,
	})
	two.wantState(set, "docker_no-limit", cooker.Unavailable, "CPUs Allowed x100", "% Memory Limit", "Throttled/sec")
	two.after(time.Second, map[string]string{
		"sys/fs/cgroup/docker/abc/cpu.stat": "usage_usec 5001\nnr_throttled 41\nthrottled_usec 260000\n",
		"sys/fs/cgroup/docker/no-limit":     "",
	})
	two.wantRaw(set, "docker_abc", raws{"Throttled/sec": 41, "% Throttled Time": 2_600_000})
	two.after(recheck, nil)
	if got, want := two.names(set), "/ docker docker_abc"; got != want {
		t.Errorf("groups %q, want %q", got, want)
	}

	one := newMachine(t, map[string]string{
		"sys/fs/cgroup/cpu,cpuacct/cgroup.procs": "1\n", "sys/fs/cgroup/memory/cgroup.procs": "1\n", "sys/fs/cgroup/blkio/cgroup.procs": "1\n",
		"sys/fs/cgroup/unified/cgroup.procs":                         "1\n",
		"sys/fs/cgroup/unified/docker/cpu.stat":                      "usage_usec 6000\nuser_usec 4000\nsystem_usec 2000\n",
		"sys/fs/cgroup/cpu,cpuacct/docker/cpu.stat":                  "nr_periods 9\nnr_throttled 3\nthrottled_time 7000000\n",
		"sys/fs/cgroup/cpu,cpuacct/docker/cpuacct.usage":             "6000999\n",
		"sys/fs/cgroup/cpu,cpuacct/docker/cpu.cfs_quota_us":          "25000\n",
		"sys/fs/cgroup/cpu,cpuacct/docker/cpu.cfs_period_us":         "100000\n",
		"sys/fs/cgroup/memory/docker/memory.usage_in_bytes":          "1000\n",
		"sys/fs/cgroup/memory/docker/memory.memsw.usage_in_bytes":    "1500\n",
		"sys/fs/cgroup/memory/docker/memory.limit_in_bytes":          "4000\n",
		"sys/fs/cgroup/blkio/docker/blkio.throttle.io_service_bytes": "8:0 Read 100\n8:0 Write 20\n8:0 Sync 120\n8:0 Async 0\n8:0 Total 120\n8:16 Read 1\n8:16 Write 2\nTotal 123\n",
		"sys/fs/cgroup/blkio/docker/blkio.throttle.io_serviced":      "8:0 Read 7\n",
		"sys/fs/cgroup/unified/docker/cgroup.procs":                  "1\n",
	})
	one.watch(set)
	one.wantRaw(set, "docker", raws{
		"% Processor Time": 60_000, "% User Time": 40_000, "Throttled/sec": 3, "% Throttled Time": 70_000, "CPUs Allowed x100": 25,
		"Memory Bytes": 1000, "% Memory Limit": 1000, "% Memory Limit_Base": 4000, "Swap Bytes": 500, "Read Bytes/sec": 101, "Write Bytes/sec": 22,
	})
}

// TestOldKernel is one of the 2.6.32 kind: fewer columns, fewer files.
func TestOldKernel(t *testing.T) {
	m := newMachine(t, map[string]string{
		"proc/stat":      "cpu  1 0 1 8 0 0 0\ncpu0 10 0 10 80 0 0 0\nintr 50 1\nctxt 7\nbtime 1\nprocesses 3\nprocs_running 1\nprocs_blocked 0\n",
		"proc/loadavg":   "0.10 0.20 0.30 1/70 99\n",
		"proc/meminfo":   "MemTotal: 1000 kB\nMemFree: 100 kB\nBuffers: 10 kB\nCached: 90 kB\nSwapCached: 0 kB\nShmem: 5 kB\nSReclaimable: 4 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n",
		"proc/vmstat":    "pgpgin 5\npgpgout 6\npswpin 0\npswpout 0\npgfault 7\npgmajfault 1\n",
		"proc/diskstats": "   8       0 sda 10 1 20 30 40 2 50 60 0 70 90\n   8       1 sda1 10 1 20 30 40 2 50 60 0 70 90\n",
		"proc/net/dev":   netDev("lo", "eth0"),
		"proc/net/snmp":  "Tcp: RtoAlgorithm InSegs OutSegs\nTcp: 1 5 6\n",
		"proc/10/stat":   statLine(10, "init", 1, 1), "proc/10/status": "Name:\tinit\nVmPeak:\t 90 kB\nVmSize:\t 80 kB\nVmHWM:\t 30 kB\nVmRSS:\t 20 kB\n",
		"sys/block/sda/size": "100\n", "sys/block/sda/device/x": "x",
	})
	m.watch(informationSet, "System", "Memory", "PhysicalDisk", "Network Interface", "TCPv4", "Process", "Pressure Stall Information")
	m.wantRaw(informationSet, "0,0", raws{"% Idle Time": 8_000_000, "% Steal": 0})
	m.wantState(informationSet, "0,0", cooker.Unavailable, "Interrupts/sec", "DPCs Queued/sec", "% C1 Time")
	m.wantRaw("System", "", raws{"Context Switches/sec": 7, "Threads": 70, "Load Average 1 Minutes x100": 10})
	m.wantRaw("Memory", "", raws{"Available Bytes": (100 + 10 + 90 + 4 - 5) << 10, "Page Faults/sec": 7})
	m.wantState("Memory", "", cooker.Unavailable, "OOM Kills", "File Refaults/sec", "Committed Bytes")
	m.wantRaw("PhysicalDisk", "sda", raws{"Disk Reads/sec": 10, "Disk Writes/sec": 40})
	m.wantState("PhysicalDisk", "sda", cooker.Unavailable, "Discards/sec", "Flushes/sec", "Avg. Disk sec/Flush")
	m.wantState("Network Interface", "eth0", cooker.Unavailable, "Packets Received Unknown")
	m.wantState("TCPv4", "", cooker.Unavailable, "Connections Reset")
	m.wantRaw("Process", "init", raws{"Virtual Bytes Peak": 90 << 10, "Working Set Peak": 30 << 10})
	m.wantState("Process", "init", cooker.Unavailable, "Private Bytes", "Page File Bytes", "Working Set - Private")
	if m.set("Pressure Stall Information").Err == nil {
		t.Error("there is pressure stall information")
	}
	for set, counters := range map[string][]string{"Memory": {"OOM Kills"}, "PhysicalDisk": {"Flushes/sec"}, "TCPv4": {"Connections Reset"}} {
		for _, name := range counters {
			i, _ := m.catalogue.Set(set).Counter(name)
			if m.catalogue.Set(set).Counters[i].Absent == "" {
				t.Errorf(`\%s\%s is not marked as absent`, set, name)
			}
		}
	}
}

// TestSuspend: the machine sleeps for an hour between two reads a second apart.
func TestSuspend(t *testing.T) {
	m := newMachine(t, map[string]string{"proc/stat": twoCPUs, "proc/10/stat": statLine(10, "a", 10, 500), "proc/diskstats": diskstats, "sys/block/sda/device/x": "x", "sys/block/sda/size": "7\n"})
	m.watch(informationSet, "System", "Process", "PhysicalDisk")
	before := m.set(informationSet).Clocks
	busy, idle := m.reading(informationSet, "_Total", "% Processor Time").Raw, m.reading("PhysicalDisk", "sda", "% Idle Time")
	start, boot := m.reading("Process", "a", "Elapsed Time").Raw, m.reading("System", "", "System Up Time").Raw
	m.slept = time.Hour
	m.after(time.Second, nil)
	now := m.set(informationSet).Clocks
	if d := now.Time100ns - before.Time100ns; d != units100ns {
		t.Errorf("the clock of rates moved by %d", d)
	}
	if d := now.ObjTime - before.ObjTime; d != 3601*units100ns {
		t.Errorf("the clock of ages moved by %d", d)
	}
	if grew := m.reading(informationSet, "_Total", "% Processor Time").Raw - busy; grew > units100ns {
		t.Errorf("processors were idle for %d of one second", grew)
	}
	if r := m.reading("PhysicalDisk", "sda", "% Idle Time"); r.Raw-idle.Raw != units100ns || r.Base-idle.Base != units100ns {
		t.Errorf("the disk was idle for %d of %d", r.Raw-idle.Raw, r.Base-idle.Base)
	}
	if m.reading("Process", "a", "Elapsed Time").Raw != start || m.reading("System", "", "System Up Time").Raw != boot {
		t.Error("start times moved")
	}
}

func TestIdleThreads(t *testing.T) {
	m := newMachine(t, map[string]string{"proc/stat": twoCPUs, "proc/10/stat": statLine(10, "a", 3, 5), "proc/10/task/10/stat": statLine(10, "a", 3, 5)})
	m.watch("Thread")
	if got, want := m.names("Thread"), "Idle/0 Idle/1 a/0 _Total/_Total"; got != want {
		t.Fatalf("threads %q, want %q", got, want)
	}
	m.wantRaw("Thread", "Idle/0", raws{"% Processor Time": 75_000_000, "ID Process": 0})
	m.wantRaw("Thread", "_Total/_Total", raws{"% Processor Time": 145_000_000 + 2_300_000})
	m.wantState("Thread", "Idle/1", cooker.Unavailable, "Context Switches/sec", "Thread State", "% User Time")
	if f := m.set("Thread").Instances[0].Flags; f != session.FlagIdle {
		t.Errorf("flags %d", f)
	}
}

// A count of a disk or an interface that falls, as where its driver begins anew or 32 bits are
// full, makes no value, also where others of the same sum rose by more, and also not of all.
func TestDeviceCountsThatFall(t *testing.T) {
	m := newMachine(t, map[string]string{"sys/block/sda/device/vendor": "x\n", "sys/block/sda/size": "8\n", "sys/block/sdb/device/vendor": "x\n", "sys/block/sdb/size": "8\n"})
	disk := [11]uint64{5000, 0, 80000, 5000, 7000, 0, 90000, 7000, 0, 4_000_000_000, 9000}
	net := [networkColumns]uint64{0: 5_000_000, 1: 5000, 7: 100, 8: 7_000_000, 9: 7000}
	files := func(disk [11]uint64, net [networkColumns]uint64) map[string]string {
		text := func(n any) string { return strings.Trim(fmt.Sprint(n), "[]") }
		return map[string]string{
			"proc/diskstats": "8 0 sda " + text(disk) + "\n8 16 sdb 1 0 8 1 1 0 8 1 0 1 1\n",
			"proc/net/dev":   "a\nb\neth0: " + text(net) + "\n",
		}
	}
	m.write(files(disk, net))
	m.watch("PhysicalDisk", "Network Interface")
	b := beats{}
	pass := func(disk [11]uint64, net [networkColumns]uint64) func(set, instance, counter string) cooker.Value {
		m.after(time.Second, files(disk, net))
		return func(set, instance, counter string) cooker.Value { return b.cook(m, set, instance, counter) }
	}
	cells := []struct{ set, instance, counter string }{
		{"PhysicalDisk", "sda", "Disk Transfers/sec"}, {"PhysicalDisk", "_Total", "Disk Transfers/sec"},
		{"PhysicalDisk", "sda", "% Idle Time"}, {"PhysicalDisk", "_Total", "% Idle Time"},
		{"Network Interface", "eth0", "Bytes Total/sec"}, {"Network Interface", "eth0", "Packets Received Unicast/sec"},
	}
	for beat := range 6 {
		disk[0], disk[4], disk[9] = disk[0]+100, disk[4]+100, disk[9]+250
		net[0], net[1], net[7], net[8] = net[0]+1000, net[1]+20, net[7]+10, net[8]+2000
		if beat == 3 { // half of each sum falls, and the other half rises by more
			disk[0], disk[4], disk[9] = 10, disk[4]+20_000, 30
			net[0], net[7], net[8] = 10, 5, net[8]+20_000_000
		}
		value := pass(disk, net)
		for i, want := range []float64{200, 200, 75, 87.5, 3000, 10} {
			c := cells[i]
			v := value(c.set, c.instance, c.counter)
			f, ok := v.Float()
			switch {
			case beat == 0 || beat == 4: // a sum of which a part fell is known anew
			case beat == 3 && ok, beat != 3 && (!ok || f != want):
				t.Errorf("beat %d: %s(%s) %s is %v (%v), want %v", beat, c.set, c.instance, c.counter, f, v.Status(), want)
			}
			if beat == 4 && ok && (f < 0 || f > want) {
				t.Errorf("beat %d: %s(%s) %s is %v", beat, c.set, c.instance, c.counter, f)
			}
		}
	}
}
