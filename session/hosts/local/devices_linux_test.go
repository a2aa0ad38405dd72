package local

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"perfdeck/cooker"
	"perfdeck/session"
)

const diskstats = `   7       0 loop0 5 0 10 1 0 0 0 0 0 1 1 0 0 0 0 0 0
 259       0 nvme0n1 100 5 2000 40 50 6 800 60 3 70 100 9 0 16 2 7 14
 259       1 nvme0n1p1 90 5 1900 40 50 6 800 60 0 70 100 9 0 16 2 7 14
 259       9 nvme0c1n1 100 5 2000 40 50 6 800 60 3 70 100 9 0 16 2 7 14
   8       0 sda 10 0 20 30 40 0 50 60 0 70 90
 253       0 dm-0 1 0 8 1 1 0 8 1 0 2 2 0 0 0 0 0 0
  11       0 sr0 1 0 8 1 1 0 8 1 0 2 2 0 0 0 0 0 0
`

func diskTree() map[string]string {
	return map[string]string{
		"proc/diskstats":             diskstats,
		"sys/block/nvme0n1/device/x": "x", "sys/block/nvme0n1/size": "1000\n", "sys/block/nvme0n1/diskseq": "5\n",
		"sys/block/nvme0c1n1/device/x": "x", "sys/block/nvme0c1n1/size": "1000\n", "sys/block/nvme0c1n1/hidden": "1\n",
		"sys/block/sda/device/x": "x", "sys/block/sda/size": "7\n", "sys/block/sr0/device/x": "x", "sys/block/sr0/size": "7\n",
		"sys/block/dm-0/size": "7\n", "sys/block/loop0/size": "7\n",
	}
}

func TestPhysicalDisk(t *testing.T) {
	m := newMachine(t, diskTree())
	m.watch("PhysicalDisk")
	if got, want := m.names("PhysicalDisk"), "nvme0n1 sda _Total"; got != want {
		t.Fatalf("disks %q, want %q", got, want)
	}
	clock := m.set("PhysicalDisk").Clocks.Time100ns
	m.wantRaw("PhysicalDisk", "nvme0n1", raws{
		"Disk Reads/sec": 100, "Disk Writes/sec": 50, "Disk Transfers/sec": 150, "Disk Read Bytes/sec": 2000 * 512, "Disk Bytes/sec": 2800 * 512,
		"% Disk Time": 100 * millisecond, "% Disk Read Time": 40 * millisecond, "% Idle Time": clock - 70*millisecond,
		"Avg. Disk Queue Length": 100 * millisecond, "Current Disk Queue Length": 3, "Avg. Disk sec/Transfer": 100_000_000,
		"Avg. Disk sec/Transfer_Base": 150, "Avg. Disk Bytes/Read": 2000 * 512, "Disk Merges/sec": 11, "Discards/sec": 9,
		"Discard Bytes/sec": 16 * 512, "Flushes/sec": 7, "Avg. Disk sec/Flush": 14_000_000,
	})
	if r := m.reading("PhysicalDisk", "nvme0n1", "% Disk Time"); r.Base != clock {
		t.Errorf("base %d, clock %d", r.Base, clock)
	}
	m.wantState("PhysicalDisk", "sda", cooker.Unavailable, "Discards/sec", "Flushes/sec")
	m.wantRaw("PhysicalDisk", "_Total", raws{"Disk Reads/sec": 110, "% Disk Time": 95 * millisecond})
	// sda leaves, nvme0n1 reads ten more: _Total grows by ten.
	m.after(time.Second, map[string]string{"proc/diskstats": "259 0 nvme0n1 110 5 2000 60 50 6 800 60 3 70 100\n"})
	m.wantRaw("PhysicalDisk", "_Total", raws{"Disk Reads/sec": 120, "% Disk Time": 115 * millisecond})
	// Another disk takes its place under the name: its own history, no fall.
	m.after(11*time.Second, map[string]string{"proc/diskstats": "259 0 nvme0n1 1 0 0 0 0 0 0 0 0 0 0\n", "sys/block/nvme0n1/diskseq": "6\n"})
	m.wantRaw("PhysicalDisk", "nvme0n1", raws{"Disk Reads/sec": 1})
	m.wantRaw("PhysicalDisk", "_Total", raws{"Disk Reads/sec": 120})
}

func TestLogicalDisk(t *testing.T) {
	files := diskTree()
	space := filepath.Join(t.TempDir(), "a disk")
	if err := os.Mkdir(space, 0o700); err != nil {
		t.Fatal(err)
	}
	files["proc/self/mountinfo"] = `22 1 259:1 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p1 rw
23 22 0:21 / /proc rw - proc proc rw
24 22 259:1 /var/x /bind rw - ext4 /dev/nvme0n1p1 rw
25 22 0:40 / /net rw - nfs4 host:/x rw
26 22 253:0 / ` + strings.ReplaceAll(space, " ", `\040`) + ` rw - xfs /dev/mapper/a rw
27 22 253:0 / /a/much/longer/path/than/the/other/one/which/is/quite/short/in/comparison/I/should/think/or/hope/so rw - xfs /dev/mapper/a rw
broken
`
	m := newMachine(t, files)
	m.watch("LogicalDisk")
	m.after(time.Second, nil)
	name := strings.ReplaceAll(strings.TrimPrefix(space, "/"), "/", "_")
	if got, want := m.names("LogicalDisk"), "/ "+name+" _Total"; got != want {
		t.Fatalf("volumes %q, want %q", got, want)
	}
	m.wantRaw("LogicalDisk", "/", raws{"Disk Reads/sec": 90})
	m.wantRaw("LogicalDisk", name, raws{"Disk Reads/sec": 1})
	r := m.reading("LogicalDisk", name, "% Free Space")
	if r.State != cooker.OK || r.Raw > r.Base || r.Base == 0 {
		t.Errorf("space %+v", r)
	}
}

// Volumes on one device, as subvolumes are, count once in _Total.
func TestTotalOfVolumesOnOneDevice(t *testing.T) {
	var st unix.Stat_t
	all, _ := filepath.Glob("/dev/*")
	i := slices.IndexFunc(all, func(path string) bool { return unix.Stat(path, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFBLK })
	if i < 0 {
		t.Skip("no block device is here, as in most containers")
	}
	m := newMachine(t, map[string]string{
		"proc/diskstats":      fmt.Sprintf("%d %d x 100 0 0 0 0 0 0 0 0 0 0\n", unix.Major(st.Rdev), unix.Minor(st.Rdev)),
		"proc/self/mountinfo": "22 1 0:41 /a /a rw - btrfs " + all[i] + " rw\n23 1 0:42 /b /b rw - btrfs " + all[i] + " rw\n",
	})
	m.watch("LogicalDisk")
	for _, one := range []string{"a", "b", "_Total"} {
		m.wantRaw("LogicalDisk", one, raws{"Disk Reads/sec": 100})
	}
}

// A volume of a few megabytes has a share too, and a large one is no 32 bits of them.
func TestShareOfSpace(t *testing.T) {
	for _, c := range []struct {
		space
		want float64
	}{{space{900 << 10, 45 << 20}, 100. * 900 / 46080}, {space{1 << 50, 1 << 52}, 25}, {space{0, 1 << 20}, 0}} {
		r := freeShare(&disk{space: c.space})
		if got, ok := cooker.Cook(cooker.RawFraction, nil, &r, nil, nil, nil).Float(); !ok || got != c.want {
			t.Errorf("%+v: %v, want %v", c.space, got, c.want)
		}
	}
}

// The requests of volumes are not read where only their space is wanted.
func TestSpaceAloneOfLogicalDisk(t *testing.T) {
	files := diskTree()
	files["proc/self/mountinfo"] = "22 1 259:1 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p1 rw\n"
	m := newMachine(t, files)
	reads := 0
	m.reads = func() { reads++ }
	m.open()
	set := m.catalogue.Set("LogicalDisk")
	for _, c := range []struct {
		counters []string
		reads    int
	}{
		{[]string{"% Free Space", "Free Megabytes"}, 0},
		{[]string{"% Free Space", "Disk Reads/sec"}, 1},
		{[]string{"% Idle Time"}, 1},
	} {
		w := session.Want{Set: set}
		for _, name := range c.counters {
			i, _ := set.Counter(name)
			w.Counters = append(w.Counters, i)
		}
		m.sel(w)
		m.after(time.Second, nil)
		reads = 0
		m.after(time.Second, nil)
		if reads != c.reads {
			t.Errorf("%q: %d files read, want %d", c.counters, reads, c.reads)
		}
		for _, name := range c.counters {
			if r := m.reading("LogicalDisk", "/", name); r.State != cooker.OK {
				t.Errorf("%q: %s is %v", c.counters, name, r.State)
			}
		}
	}
}

// Files that stand in for those of the kernel, as in containers, may take their time: they
// are read so that the rest of the program goes on.
func TestQuickFilesAreTheKernels(t *testing.T) {
	other := filepath.Join(t.TempDir(), "stat")
	if err := os.WriteFile(other, []byte("cpu  1 2 3 4\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, raw := range map[string]bool{other: false, "/proc/stat": true} {
		k := kernelFile{path: path, quick: true}
		if data, err := k.read(); err != nil || !strings.HasPrefix(string(data), "cpu  ") {
			t.Errorf("%s: %v, %q", path, err, data)
		}
		if k.raw != raw {
			t.Errorf("%s is read behind the runtime's back: %v", path, k.raw)
		}
		k.close()
	}
}

func TestNetworkInterface(t *testing.T) {
	dev := `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:     100       2    0    0    0     0          0         0      100       2    0    0    0     0       0          0
eth0.5:    1000      20    3    4    0     0          0         5     2000      30    6    7    0     0       0          0
`
	m := newMachine(t, map[string]string{
		"proc/net/dev": dev, "sys/class/net/eth0.5/ifindex": "7\n", "sys/class/net/eth0.5/speed": "1000\n",
		"sys/class/net/eth0.5/statistics/rx_nohandler": "8\n", "sys/class/net/lo/speed": "-1\n", "sys/class/net/lo/ifindex": "1\n",
	})
	const set = "Network Interface"
	m.watch(set)
	m.after(time.Second, nil)
	if got, want := m.names(set), "lo eth0.5"; got != want {
		t.Fatalf("interfaces %q, want %q", got, want)
	}
	m.wantRaw(set, "eth0.5", raws{
		"Bytes Total/sec": 3000, "Bytes Received/sec": 1000, "Bytes Sent/sec": 2000, "Packets/sec": 50, "Packets Received Unicast/sec": 15,
		"Packets Received Non-Unicast/sec": 5, "Packets Received Discarded": 4, "Packets Received Errors": 3, "Packets Received Unknown": 8,
		"Packets Outbound Discarded": 7, "Packets Outbound Errors": 6, "Current Bandwidth": 1_000_000_000,
	})
	m.wantState(set, "lo", cooker.Unavailable, "Current Bandwidth", "Packets Received Unknown")
	key := m.set(set).Instances[1].Key
	m.after(time.Second, map[string]string{"proc/net/dev": strings.Replace(dev, "1000 ", "   9 ", 1), "sys/class/net/eth0.5/ifindex": "9\n"})
	if now := m.set(set).Instances[1].Key; now == key || now.Name != key.Name {
		t.Errorf("a new interface of the same name is %v, was %v", now, key)
	}
}

func TestProtocols(t *testing.T) {
	m := newMachine(t, map[string]string{
		"proc/net/snmp": "Ip: Forwarding InReceives Novelty OutRequests\nIp: 1 50 9 60\n" +
			"Tcp: MaxConn ActiveOpens CurrEstab InSegs OutSegs RetransSegs\nTcp: -1 5 3 100 200 7\nUdp: InDatagrams\n",
		"proc/net/snmp6": "Ip6InReceives                   \t11\nIp6OutRequests 12\nUdp6InDatagrams 4\nIcmp6InEchos 2\n",
		"proc/net/tcp6":  "  sl  local_address remote_address st\n   0: A B 0A C\n   1: A B 01 C\n   2: A B 01 C\n",
	})
	m.watch("TCPv4", "TCPv6", "UDPv4", "UDPv6", "IPv4", "IPv6", "ICMPv6")
	m.after(time.Second, nil)
	m.wantRaw("TCPv4", "", raws{"Segments/sec": 300, "Connections Established": 3, "Segments Retransmitted/sec": 7, "Connections Active": 5})
	m.wantRaw("TCPv6", "", raws{"Connections Established": 2})
	m.wantRaw("IPv4", "", raws{"Datagrams/sec": 110, "Datagrams Sent/sec": 60})
	m.wantRaw("IPv6", "", raws{"Datagrams/sec": 23})
	m.wantRaw("UDPv6", "", raws{"Datagrams Received/sec": 4})
	m.wantRaw("ICMPv6", "", raws{"Received Echo/sec": 2})
	m.wantState("TCPv6", "", cooker.Unavailable, "Segments/sec")
	m.wantState("UDPv4", "", cooker.Unavailable, "Datagrams/sec")
	m.after(time.Second, map[string]string{"proc/net/snmp6": "Ip6InReceives 11\n"})
	m.wantState("UDPv6", "", cooker.Unavailable, "Datagrams Received/sec")
}

func TestPressureSwapAndThermal(t *testing.T) {
	m := newMachine(t, map[string]string{
		"proc/pressure/cpu":                               "some avg10=1.50 avg60=0.25 avg300=100.00 total=1234\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n",
		"proc/pressure/irq":                               "full avg10=0.00 avg60=0.00 avg300=0.00 total=9\n",
		"proc/swaps":                                      "Filename\tType\tSize\tUsed\tPriority\n/dev/zram0 partition\t1000\t300\t100\n/swap\\040file file 500 0 -2\n",
		"sys/class/thermal/thermal_zone0/type":            "acpitz\n",
		"sys/class/thermal/thermal_zone0/temp":            "27850\n",
		"sys/class/thermal/thermal_zone0/cdev0/cur_state": "2\n",
		"sys/class/thermal/thermal_zone0/cdev0/max_state": "8\n",
		"sys/class/hwmon/hwmon0/name":                     "k10temp\n",
		"sys/class/hwmon/hwmon0/temp1_input":              "-1500\n",
		"sys/class/hwmon/hwmon0/temp2_input":              "garbage\n",
	})
	const psi, zones = "Pressure Stall Information", "Thermal Zone Information"
	m.watch(psi, "Paging File", zones)
	m.after(time.Second, map[string]string{"proc/swaps": "Filename\tType\tSize\tUsed\tPriority\n/dev/zram0 partition\t1000\t200\t100\n/swap\\040file file 500 0 -2\n"})
	m.wantRaw(psi, "cpu", raws{"% Some Stall Time": 12340, "Some Average 10": 150, "Some Average 60": 25, "Some Average 300": 10000, "% Full Stall Time": 0})
	m.wantState(psi, "irq", cooker.Unavailable, "% Some Stall Time")
	m.wantRaw("Paging File", "_dev_zram0", raws{"% Usage": 200, "% Usage Peak": 300, "% Usage_Base": 1000})
	m.wantRaw("Paging File", "_Total", raws{"% Usage": 200, "% Usage_Base": 1500})
	m.wantRaw(zones, "thermal_zone0_acpitz", raws{"Temperature": 301, "High Precision Temperature": 3010, "% Passive Limit": 75})
	m.wantRaw(zones, "k10temp 1", raws{"Temperature": 272, "High Precision Temperature": 2717})
	m.wantState(zones, "k10temp 2", cooker.Unavailable, "Temperature")
	m.after(time.Second, map[string]string{"proc/swaps": "Filename Type Size Used Priority\n"})
	if got := m.names("Paging File"); got != "_Total" {
		t.Errorf("paging files %q", got)
	}
}

func TestControlGroupsOfBothVersions(t *testing.T) {
	const set = "Control Group"
	two := newMachine(t, map[string]string{
		"sys/fs/cgroup/cgroup.procs": "1\n", "sys/fs/cgroup/web.slice/app.service/cgroup.procs": "1\n",
		"sys/fs/cgroup/web.slice/app.service/cpu.stat":       "usage_usec 100\nuser_usec 70\nsystem_usec 30\nnr_throttled 4\nthrottled_usec 9\n",
		"sys/fs/cgroup/web.slice/app.service/cpu.max":        "150000 100000\n",
		"sys/fs/cgroup/web.slice/app.service/memory.current": "4096\n",
		"sys/fs/cgroup/web.slice/app.service/memory.max":     "max\n",
		"sys/fs/cgroup/web.slice/app.service/pids.current":   "3\n",
		"sys/fs/cgroup/web.slice/app.service/io.stat":        "8:0 rbytes=10 wbytes=20 rios=1\n8:16 rbytes=1 wbytes=2\n",
		"sys/fs/cgroup/a/b/c/d/cgroup.procs":                 "1\n",
	})
	two.watch(set)
	if got, want := two.names(set), "/ a a_b a_b_c web.slice web.slice_app.service"; got != want {
		t.Fatalf("groups %q, want %q", got, want)
	}
	two.wantRaw(set, "web.slice_app.service", raws{
		"% Processor Time": 1000, "% User Time": 700, "% Privileged Time": 300, "% Throttled Time": 90, "Throttled/sec": 4, "CPUs Allowed x100": 150,
		"Memory Bytes": 4096, "Processes": 3, "Read Bytes/sec": 11, "Write Bytes/sec": 22,
	})
	two.wantState(set, "web.slice_app.service", cooker.Unavailable, "% Memory Limit", "Swap Bytes", "% CPU Some Stall Time")

	one := newMachine(t, map[string]string{
		"sys/fs/cgroup/cpu,cpuacct/cgroup.procs": "1\n", "sys/fs/cgroup/memory/cgroup.procs": "1\n",
		"sys/fs/cgroup/cpu,cpuacct/docker/cpuacct.usage":     "5000\n",
		"sys/fs/cgroup/cpu,cpuacct/docker/cpu.cfs_quota_us":  "-1\n",
		"sys/fs/cgroup/cpu,cpuacct/docker/cpu.cfs_period_us": "100000\n",
		"sys/fs/cgroup/memory/docker/memory.usage_in_bytes":  "100\n",
		"sys/fs/cgroup/memory/docker/memory.limit_in_bytes":  "9223372036854771712\n",
	})
	one.watch(set)
	one.wantRaw(set, "docker", raws{"% Processor Time": 50, "Memory Bytes": 100})
	one.wantState(set, "docker", cooker.Unavailable, "CPUs Allowed x100", "% Memory Limit")
}

func TestThreads(t *testing.T) {
	m := newMachine(t, map[string]string{
		"proc/10/stat": statLine(10, "web", 0, 5), "proc/20/stat": statLine(20, "web", 0, 6), "proc/30/stat": statLine(30, "other", 0, 7),
		"proc/10/task/10/stat": statLine(10, "web", 3, 5), "proc/10/task/11/stat": statLine(11, "worker", 4, 8),
		"proc/10/task/11/schedstat": "12345600 5 6\n", "proc/10/task/11/status": "voluntary_ctxt_switches:\t7\nnonvoluntary_ctxt_switches:\t2\n",
		"proc/20/task/20/stat": statLine(20, "web", 3, 6), "proc/30/task/30/stat": statLine(30, "other", 3, 7),
	})
	m.watch("Thread")
	if got, want := m.names("Thread"), "web/0 web/1 web/0#1 other/0 _Total/_Total"; got != want {
		t.Fatalf("threads %q, want %q", got, want)
	}
	m.wantRaw("Thread", "web/1", raws{
		"% Processor Time": 123456, "% User Time": 400_000, "Context Switches/sec": 9, "ID Process": 10, "ID Thread": 11,
		"Thread State": 5, "Thread Wait Reason": 6, "Priority Base": 25, "Priority Current": 25,
	})
	m.wantState("Thread", "web/0", cooker.Unavailable, "Context Switches/sec")
	w := allOf(m.catalogue.Set("Thread"))
	w.Instances = []session.InstanceKey{{Parent: "other"}}
	m.sel(w)
	m.read()
	if got, want := m.names("Thread"), "other/0 _Total/_Total"; got != want {
		t.Errorf("threads %q, want %q", got, want)
	}
}

func TestDevicesWithoutFiles(t *testing.T) {
	m := newMachine(t, nil)
	m.watch("PhysicalDisk", "LogicalDisk", "Network Interface", "Paging File", "Pressure Stall Information", "Thread", "Control Group", "Thermal Zone Information", "TCPv4")
	for _, name := range []string{"PhysicalDisk", "LogicalDisk", "Network Interface", "Paging File", "Pressure Stall Information"} {
		if m.set(name).Err == nil {
			t.Errorf("%s has no error", name)
		}
	}
	m.wantState("TCPv4", "", cooker.Unavailable, "Segments/sec")
	if err := os.Mkdir(filepath.Join(m.proc, "net"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"x", ":::\n1 2\n", "Tcp: a\n", strings.Repeat("9 ", 3000), "\x00\xff\n"} {
		m.after(time.Second, map[string]string{"proc/diskstats": text, "proc/net/dev": text, "proc/swaps": text, "proc/net/snmp": text, "proc/self/mountinfo": text})
	}
}

// The runtime is told of files for which the kernel waits for others.
func TestFilesThatWait(t *testing.T) {
	s, err := Open(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	tick := s.(*source).open().tick
	files := map[string]*kernelFile{
		"mounts": &newLogicalDisks(tick).(*many[disk]).reader.(*logicalDisks).mounts,
		"swaps":  &newPagingFiles(tick).(*pagingFiles).reader.(*swaps).file,
	}
	pressures := newPressures(tick).(*many[pressure]).reader.(*pressures)
	for i := range pressures.files {
		files[pressures.files[i].name] = &pressures.files[i].kernelFile
	}
	for name, k := range files {
		if k.quick {
			t.Errorf("%s is read behind the runtime's back", name)
		}
	}
}
