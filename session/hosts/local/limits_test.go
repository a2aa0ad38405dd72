package local

import (
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// tree is a computer as readLimits sees it: texts by path, links with -> before what they lead to.
type tree map[string]string

func (t tree) with(more tree) tree {
	out := maps.Clone(t)
	maps.Copy(out, more)
	return out
}

func (t tree) fs() fs.FS {
	out := fstest.MapFS{}
	for name, text := range t {
		if to, ok := strings.CutPrefix(text, "->"); ok {
			out[name] = &fstest.MapFile{Data: []byte(to), Mode: fs.ModeSymlink}
			continue
		}
		out[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return out
}

// What kernels write, shortened.
const (
	mountV2   = "31 23 0:28 / /sys/fs/cgroup rw,relatime shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
	mountCPU  = "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw shared:5 - cgroup cgroup rw,cpu,cpuacct\n"
	mountMem  = "35 31 0:32 / /sys/fs/cgroup/memory rw shared:8 - cgroup cgroup rw,memory\n"
	mountOwn  = "33 31 0:30 / /sys/fs/cgroup/cpuacct rw - cgroup cgroup rw,cpuacct\n"
	mountOnly = "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
	noLimitV1 = "9223372036854771712\n"
)

var (
	hostNamespaces = tree{
		"proc/self/ns/pid": "->pid:[4026531836]", "proc/self/ns/cgroup": "->cgroup:[4026531835]", "proc/self/ns/user": "->user:[4026531837]",
		"proc/self/status": "Name:\tx\nCpus_allowed:\tffff\nCpus_allowed_list:\t0-15\n",
	}
	container = hostNamespaces.with(tree{"proc/self/ns/pid": "->pid:[4026532301]"})
	private   = container.with(tree{"proc/self/ns/cgroup": "->cgroup:[4026532302]"})
)

// Each case of what was measured of kernels, runtimes and mounts.
func TestReadLimits(t *testing.T) {
	const id = "0123456789abcdef"
	for name, c := range map[string]struct {
		tree   tree
		quota  uint64 // hundredths
		memory uint64
		use    string // where the CPU time of the group is told; "" nowhere
		atMem  string // the group of the memory limit
		why    string // is part of the reason
		leaf   string
	}{
		"a host without limits": {tree: hostNamespaces.with(tree{
			"proc/self/cgroup": "0::/user.slice/session-1.scope\n", "proc/self/mountinfo": mountV2,
			"sys/fs/cgroup/user.slice/cpu.max": "max 100000\n", "sys/fs/cgroup/user.slice/memory.max": "max\n",
		}), leaf: "sys/fs/cgroup/user.slice/session-1.scope"},
		"v2, private namespace": {tree: private.with(tree{
			"proc/self/cgroup": "0::/\n", "proc/self/mountinfo": mountV2,
			"sys/fs/cgroup/cpu.max": "150000 100000\n", "sys/fs/cgroup/memory.max": "4294967296\n", "sys/fs/cgroup/cpu.stat": "usage_usec 5\n",
		}), quota: 150, memory: 4 << 30, use: "sys/fs/cgroup", atMem: "sys/fs/cgroup", leaf: "sys/fs/cgroup"},
		"v2, the host's namespace: the whole tree is seen": {tree: container.with(tree{
			"proc/self/cgroup": "0::/system.slice/docker-" + id + ".scope\n", "proc/self/mountinfo": mountV2,
			"sys/fs/cgroup/system.slice/docker-" + id + ".scope/cpu.max": "50000 100000\n",
		}), quota: 50, use: "sys/fs/cgroup/system.slice/docker-" + id + ".scope", leaf: "sys/fs/cgroup/system.slice/docker-" + id + ".scope"},
		"v1, the host's namespace: the mount begins at the container": {tree: container.with(tree{
			"proc/self/cgroup": "4:memory:/docker/" + id + "\n2:cpu,cpuacct:/docker/" + id + "\n1:name=systemd:/docker/" + id + "\n",
			"proc/self/mountinfo": "40 31 0:29 /docker/" + id + " /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n" +
				"41 31 0:32 /docker/" + id + " /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n",
			"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "200000\n", "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "1073741824\n",
		}), quota: 200, memory: 1 << 30, use: "sys/fs/cgroup/cpu,cpuacct", atMem: "sys/fs/cgroup/memory", leaf: "sys/fs/cgroup/cpu,cpuacct"},
		"v1, private namespace, hierarchical limit of what cannot be seen": {tree: private.with(tree{
			"proc/self/cgroup": "4:memory:/\n2:cpu,cpuacct:/\n0::/\n", "proc/self/mountinfo": mountCPU + mountMem,
			"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "-1\n", "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": noLimitV1, "sys/fs/cgroup/memory/memory.stat": "cache 1\nhierarchical_memory_limit 536870912\n",
		}), memory: 512 << 20, use: "sys/fs/cgroup/cpu,cpuacct", atMem: "sys/fs/cgroup/memory", leaf: "sys/fs/cgroup/cpu,cpuacct", why: "not mounted"},
		"hybrid": {tree: private.with(tree{
			"proc/self/cgroup":                      "4:memory:/a\n2:cpu,cpuacct:/a\n0::/a\n",
			"proc/self/mountinfo":                   mountCPU + mountMem + strings.Replace(mountV2, "/sys/fs/cgroup", "/sys/fs/cgroup/unified", 1),
			"sys/fs/cgroup/unified/a/cgroup.procs":  "1\n",
			"sys/fs/cgroup/cpu,cpuacct/a/cgroup.x":  "1\n",
			"sys/fs/cgroup/memory/a/memory.max":     "max\n",
			"sys/fs/cgroup/memory/a/memory.limit_x": "1\n", "sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us": "25000\n", "sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us": "50000\n",
		}), quota: 50, use: "sys/fs/cgroup/cpu,cpuacct/a", leaf: "sys/fs/cgroup/cpu,cpuacct/a"},
		"the tightest ancestor, high before max": {tree: container.with(tree{
			"proc/self/cgroup": "0::/outer.slice/inner.slice/x.scope\n", "proc/self/mountinfo": mountV2,
			"sys/fs/cgroup/outer.slice/cpu.max": "100000 100000\n", "sys/fs/cgroup/outer.slice/memory.max": "209715200\n", "sys/fs/cgroup/outer.slice/memory.high": "157286400\n",
			"sys/fs/cgroup/outer.slice/inner.slice/cpu.max": "200000 100000\n", "sys/fs/cgroup/outer.slice/inner.slice/memory.max": "419430400\n",
			"sys/fs/cgroup/outer.slice/inner.slice/x.scope/cpu.max": "max 100000\n",
		}), quota: 100, memory: 150 << 20, use: "sys/fs/cgroup/outer.slice", atMem: "sys/fs/cgroup/outer.slice", leaf: "sys/fs/cgroup/outer.slice/inner.slice/x.scope"},
		"unshare -C without a new mount": {tree: private.with(tree{
			"proc/self/cgroup": "0::/\n", "proc/self/mountinfo": strings.Replace(mountV2, " / ", " /../../.. ", 1),
			"sys/fs/cgroup/cpu.max": "10000 100000\n",
		}), why: "another namespace"},
		"put into the namespace from outside": {tree: private.with(tree{
			"proc/self/cgroup": "0::/../../..\n", "proc/self/mountinfo": mountV2, "sys/fs/cgroup/cpu.max": "10000 100000\n",
		}), why: "outside of the control groups"},
		"mounts of blanks and backslashes": {tree: private.with(tree{
			"proc/self/cgroup": "0::/\n", "proc/self/mountinfo": strings.Replace(mountV2, "/sys/fs/cgroup", `/mnt/a\040b\134c`, 1),
			`mnt/a b\c/cpu.max`: "30000 100000\n",
		}), quota: 30, use: `mnt/a b\c`, leaf: `mnt/a b\c`},
		"control groups that are not mounted": {tree: private.with(tree{"proc/self/cgroup": "0::/\n", "proc/self/mountinfo": "1 1 0:1 / / rw - ext4 /dev/sda1 rw\n"}), why: "not mounted"},
		"a slice of log-ons on a host is a remark": {tree: hostNamespaces.with(tree{
			"proc/self/cgroup": "0::/user.slice/user-1000.slice/session-3.scope\n", "proc/self/mountinfo": mountV2,
			"sys/fs/cgroup/user.slice/user-1000.slice/memory.max": "1073741824\n", "sys/fs/cgroup/user.slice/user-1000.slice/session-3.scope/cpu.max": "1000 100000\n",
		}), why: "user-1000.slice has a limit", leaf: "sys/fs/cgroup/user.slice/user-1000.slice/session-3.scope"},
		"a service of a host, too": {tree: hostNamespaces.with(tree{
			"proc/self/cgroup": "0::/system.slice/perfdeck.service\n", "proc/self/mountinfo": mountV2, "sys/fs/cgroup/system.slice/perfdeck.service/cpu.max": "10000 100000\n",
		}), why: "perfdeck.service has a limit", leaf: "sys/fs/cgroup/system.slice/perfdeck.service"},
		"but not what a program was put into": {tree: hostNamespaces.with(tree{
			"proc/self/cgroup": "0::/user.slice/user-0.slice/run-r1.scope\n", "proc/self/mountinfo": mountV2, "sys/fs/cgroup/user.slice/user-0.slice/run-r1.scope/cpu.max": "150000 100000\n",
		}), quota: 150, use: "sys/fs/cgroup/user.slice/user-0.slice/run-r1.scope", leaf: "sys/fs/cgroup/user.slice/user-0.slice/run-r1.scope"},
		"v1, CPU time counted by another hierarchy, same groups": {tree: hostNamespaces.with(tree{
			"proc/self/cgroup": "2:cpuacct:/x/y\n1:cpu:/x\n", "proc/self/mountinfo": mountOnly + mountOwn,
			"sys/fs/cgroup/cpu/x/cpu.cfs_quota_us": "40000\n", "sys/fs/cgroup/cpu/x/cpu.cfs_period_us": "100000\n",
		}), quota: 40, use: "sys/fs/cgroup/cpu/x sys/fs/cgroup/cpuacct/x", leaf: "sys/fs/cgroup/cpu/x"},
		"v1, CPU time counted by other groups": {tree: hostNamespaces.with(tree{
			"proc/self/cgroup": "2:cpuacct:/\n1:cpu:/x\n", "proc/self/mountinfo": mountOnly + mountOwn,
			"sys/fs/cgroup/cpu/x/cpu.cfs_quota_us": "40000\n", "sys/fs/cgroup/cpu/x/cpu.cfs_period_us": "100000\n", "sys/fs/cgroup/cpu/x/sub/cgroup.procs": "7\n",
		}), quota: 40, use: "sys/fs/cgroup/cpu/x members sys/fs/cgroup/cpu/x/cgroup.procs sys/fs/cgroup/cpu/x/sub/cgroup.procs", leaf: "sys/fs/cgroup/cpu/x"},
	} {
		l := readLimits(c.tree.fs())
		use := strings.Join(l.group.dirs, " ")
		if len(l.group.members) > 0 {
			use += " members " + strings.Join(l.group.members, " ")
		}
		if l.quota.most != c.quota || l.memory.most != c.memory || use != c.use || l.leaf != c.leaf || strings.Join(l.memory.dirs, " ") != c.atMem {
			t.Errorf("%s: quota %d, memory %d at %s, CPU time of %q, own group %q; want %d, %d at %s, %q, %q",
				name, l.quota.most, l.memory.most, l.memory.dirs, use, l.leaf, c.quota, c.memory, c.atMem, c.use, c.leaf)
		}
		if !strings.Contains(l.why, c.why) || (c.why == "") != (l.why == "") {
			t.Errorf("%s: the reason is %q, want %q", name, l.why, c.why)
		}
		if len(l.processors) != 16 || !l.processors[15] {
			t.Errorf("%s: processors %v", name, slices.Sorted(maps.Keys(l.processors)))
		}
	}
}

func FuzzLimits(f *testing.F) {
	f.Add([]byte("4:memory:/a\n2:cpu,cpuacct:/a/b\n0::/x:y\n"), []byte(mountCPU+mountMem+mountV2), []byte("Cpus_allowed_list:\t0-3,9\n"))
	f.Add([]byte("0::/../.."), []byte("1 2 3:4 /../x /a\\134b - cgroup2 x rw"), []byte("Cpus_allowed_list: 0-99999999"))
	f.Add([]byte("0::/a/../../b"), []byte("1 2 3:4 / / - cgroup2 x rw"), []byte("usage_usec 1\ntotal_cache 5\nmax 3"))
	f.Fuzz(func(t *testing.T, cgroup, mountinfo, status []byte) {
		found, _ := hierarchies(cgroup, mountinfo)
		for i := range found {
			h := &found[i]
			for _, dir := range h.levels() {
				if !fs.ValidPath(dir) || dir != h.top && h.top != "." && !strings.HasPrefix(dir, h.top+"/") {
					t.Errorf("%q is not below %q", dir, h.top)
				}
			}
		}
		for cpu := range allowedProcessors(status) {
			if cpu < 0 || cpu >= maxCPUs {
				t.Errorf("CPU %d", cpu)
			}
		}
		var c controlGroup
		c.parseMemoryStat(status)
		c.parseMemoryEvents(status)
	})
}
