package local

import (
	"bytes"
	"io"
	"io/fs"
	"math"
	"path"
	"strings"
)

// limits is what a process tree may use of its computer: what the affinity of the process that
// reads and its control groups leave it.
type limits struct {
	processors map[int]bool // that it may run on, by number; nil: not known
	quota      bound        // CPU time in hundredths of a processor
	memory     bound        // bytes; of memory.max and memory.high the lower one

	// group is the one whose CPU time counts against what may be used. Without directories
	// it is whatever runs on the processors.
	group groupDirs
	leaf  string // own group of the controller of the processors, "" without

	isContainer bool
	isPrivate   bool   // what is above the own groups cannot be seen
	why         string // no limit of control groups can be told, or is kept to; "" without a reason
}

// bound is the tightest limit of one kind, and the directories of its group.
type bound struct {
	most uint64 // 0: there is none
	dirs []string
}

// groupDirs is where a group's CPU time is told: the files of its directories, or, where version 1
// does not count it by the same groups, the processes in it.
type groupDirs struct{ dirs, members []string }

// hierarchy is where one or several controllers have the groups of a process. The directories
// are paths of an fs.FS whose root is that of the computer.
type hierarchy struct {
	controllers string // of version 1, with commas between; "" is version 2
	top, dir    string // of the mount, and of the own group in it
}

func (h *hierarchy) has(controller string) bool {
	return h.controllers == "" || hasWord(h.controllers, controller)
}

// hasWord tells whether a word is among those between commas.
func hasWord(words, word string) bool {
	for w := range strings.SplitSeq(words, ",") {
		if w == word {
			return true
		}
	}
	return false
}

// Reasons why control groups tell nothing.
const (
	whyForeign   = "the control groups that are mounted here are of another namespace: limits cannot be told"
	whyOutside   = "this program is outside of the control groups of its namespace: no limit of them applies"
	whyUnmounted = "the control groups of this program are not mounted here: limits cannot be told"
)

// mostMounts bounds what a file of mounts can ask for.
const mostMounts = 1024

// hierarchies finds the own groups of a process by its /proc/PID/cgroup (cgroups(7)) and its
// /proc/PID/mountinfo, those of the processors and the memory; why is a reason for what was not found.
func hierarchies(cgroup, mountinfo []byte) (found []hierarchy, why string) {
	var mounts []mount
	for l := range lines(mountinfo) {
		if len(mounts) == mostMounts {
			break
		}
		var m mount
		if m.parse(l) && strings.HasPrefix(m.fileSystem, "cgroup") {
			mounts = append(mounts, m)
		}
	}
	for l := range lines(cgroup) {
		if len(found) == mostMounts {
			break
		}
		id, rest, _ := bytes.Cut(l, []byte(":"))
		names, own, ok := bytes.Cut(rest, []byte(":"))
		h := hierarchy{controllers: string(names)}
		if isV2 := string(id) == "0" && h.controllers == ""; !ok || !isV2 && !h.has("cpu") && !h.has("cpuacct") && !h.has("memory") || !isV2 && h.controllers == "" {
			continue
		}
		lacks := whyUnmounted
		for i := range mounts {
			if !mounts[i].carries(h.controllers) {
				continue
			}
			if lacks = h.place(&mounts[i], string(own)); lacks == "" {
				found = append(found, h)
				break
			}
		}
		if why == "" {
			why = lacks
		}
	}
	return found, why
}

// carries tells whether a mount is of version 2, or of one of the controllers.
func (m *mount) carries(controllers string) bool {
	if controllers == "" {
		return m.fileSystem == "cgroup2"
	}
	for c := range strings.SplitSeq(controllers, ",") {
		if m.fileSystem == "cgroup" && hasWord(m.options, c) {
			return true
		}
	}
	return false
}

// place says where below a mount the group of a path is, or why not.
func (h *hierarchy) place(m *mount, own string) (why string) {
	switch below, isBelow := strings.CutPrefix(own, strings.TrimSuffix(m.root, "/")); {
	case own == "/.." || strings.HasPrefix(own, "/../"):
		return whyOutside
	case m.root == "/.." || strings.HasPrefix(m.root, "/../"):
		return whyForeign
	case !isBelow || below != "" && below[0] != '/':
		return whyUnmounted
	default:
		h.top, h.dir = ofRoot(m.point), ofRoot(m.point+"/"+below)
	}
	if !fs.ValidPath(h.dir) || h.dir != h.top && h.top != "." && !strings.HasPrefix(h.dir, h.top+"/") {
		return whyUnmounted
	}
	return ""
}

// ofRoot is an absolute path as one of an fs.FS.
func ofRoot(name string) string {
	if name = strings.Trim(path.Clean("/"+name), "/"); name == "" {
		return "."
	}
	return name
}

// levels are the own group and those above it, up to the mount.
func (h *hierarchy) levels() (dirs []string) {
	for dir := h.dir; ; dir = path.Dir(dir) {
		dirs = append(dirs, dir)
		if dir == h.top || dir == "." {
			return dirs
		}
	}
}

// mostLimitFile bounds what is read of one file: thousands of mounts fit.
const mostLimitFile = 4 << 20

func readBounded(root fs.FS, name string) ([]byte, bool) {
	f, err := root.Open(name)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, mostLimitFile))
	return data, err == nil
}

// limitFiles are what sets a limit, of both versions.
var limitFiles = []struct {
	name  string
	parse func(*controlGroup, []byte)
}{
	{"cpu.max", (*controlGroup).parseCPUMax},
	{"cpu.cfs_quota_us", groupNumber(cgQuota)},
	{"cpu.cfs_period_us", groupNumber(cgPeriod)},
	{"memory.max", groupNumber(cgMemoryMax)},
	{"memory.high", groupNumber(cgMemoryHigh)},
	{"memory.limit_in_bytes", groupNumber(cgMemoryMax)},
}

// readLimits reads what the process tree of /proc/self may use, of a tree of files whose root is
// that of the computer.
func readLimits(root fs.FS) (l limits) {
	status, _ := readBounded(root, "proc/self/status")
	l.processors = allowedProcessors(status)
	for name := range initialNamespaces {
		if link, err := fs.ReadLink(root, "proc/self/ns/"+name); err == nil && !isInitial(name, link) {
			l.isContainer = true
			l.isPrivate = l.isPrivate || name == "cgroup"
		}
	}
	cgroup, _ := readBounded(root, "proc/self/cgroup")
	mountinfo, _ := readBounded(root, "proc/self/mountinfo")
	var all []hierarchy
	all, l.why = hierarchies(cgroup, mountinfo)
	for i := range all {
		h := &all[i]
		for _, dir := range h.levels() {
			l.tighten(root, all, h, dir)
		}
		if h.has("cpu") && (l.leaf == "" || h.controllers != "") {
			l.leaf = h.dir
		}
	}
	l.tightenUnseen(root, all)
	if l.quota.most > 0 || !l.isContainer {
		return l
	}
	for i := range all { // a container without a quota: all that runs in it
		if h := &all[i]; h.has("cpu") && len(l.group.dirs) == 0 {
			dir := h.dir
			if l.isPrivate || h.dir == h.top {
				dir = h.top
			}
			l.group = usageOf(root, all, h, dir)
		}
	}
	return l
}

// initialNamespaces are the numbers of those that a computer starts with (proc_ns.h of the kernel).
var initialNamespaces = map[string]string{"pid": "4026531836", "cgroup": "4026531835", "user": "4026531837"}

// isInitial tells the link of a namespace that the computer started with.
func isInitial(name, link string) bool { return link == name+":["+initialNamespaces[name]+"]" }

// allowedProcessors are those of Cpus_allowed_list (proc_pid_status(5)), nil without: what
// sched_getaffinity(2) tells, with all cpusets above it.
func allowedProcessors(status []byte) (allowed map[int]bool) {
	for l := range lines(status) {
		if key, rest := keyed(l); string(key) == "Cpus_allowed_list" {
			list, _ := field(rest)
			allowed = map[int]bool{}
			cpuList(list, func(cpu int) {
				if cpu < maxCPUs {
					allowed[cpu] = true
				}
			})
		}
	}
	return allowed
}

// tighten takes the limits of one of the groups that a process is in, where they are below those so far.
func (l *limits) tighten(root fs.FS, all []hierarchy, h *hierarchy, dir string) {
	var c controlGroup
	for _, f := range limitFiles {
		if data, ok := readBounded(root, path.Join(dir, f.name)); ok {
			f.parse(&c, data)
		}
	}
	c.finish()
	memory := uint64(math.MaxUint64)
	for _, key := range []int{cgMemoryMax, cgMemoryHigh} {
		if c.has(key) {
			memory = min(memory, c.n[key])
		}
	}
	hasMemory, hasQuota := memory < math.MaxUint64 && memory > 0, c.has(cgCPUs) && c.n[cgCPUs] > 0
	if (hasMemory || hasQuota) && !l.isContainer && isOfHost(path.Base(dir)) {
		l.why = path.Base(dir) + " has a limit, which is one of a log-on or of a service of this computer, not of this program alone: it is left out"
		return
	}
	if hasQuota && (l.quota.most == 0 || c.n[cgCPUs] < l.quota.most) {
		l.quota = bound{c.n[cgCPUs], []string{dir}}
		l.group = usageOf(root, all, h, dir)
	}
	if hasMemory && (l.memory.most == 0 || memory < l.memory.most) {
		l.memory = bound{memory, []string{dir}}
	}
}

// isOfHost tells the units that systemd makes for log-ons and services: who looks after a
// computer is put into them, and looks at the computer.
func isOfHost(unit string) bool {
	return strings.HasSuffix(unit, ".slice") || strings.HasSuffix(unit, ".service") ||
		strings.HasPrefix(unit, "session-") && strings.HasSuffix(unit, ".scope")
}

// tightenUnseen takes the memory limit of groups above the namespace, of which version 1 tells
// (hierarchical_memory_limit of memory.stat); on a host there are none.
func (l *limits) tightenUnseen(root fs.FS, all []hierarchy) {
	for i := range all {
		h := &all[i]
		if !l.isContainer || !h.has("memory") {
			continue
		}
		data, _ := readBounded(root, path.Join(h.dir, "memory.stat"))
		var c controlGroup
		c.parseMemoryStat(data)
		if n := c.n[cgMemoryAbove]; c.has(cgMemoryAbove) && n > 0 && (l.memory.most == 0 || n < l.memory.most) {
			l.memory = bound{n, []string{h.top}}
		}
	}
}

// mostMembers bounds the groups below one whose processes are asked one by one.
const mostMembers = 256

// usageOf is where the CPU time of a group is told. Version 1 counts it by a hierarchy that may be
// another one than that of the quota, with other groups.
func usageOf(root fs.FS, all []hierarchy, h *hierarchy, dir string) (g groupDirs) {
	if h.has("cpuacct") {
		return groupDirs{dirs: []string{dir}}
	}
	for i := range all {
		if a := &all[i]; a.controllers != "" && a.has("cpuacct") {
			at := path.Join(a.top, strings.TrimPrefix(dir, h.top))
			if a.dir == at || strings.HasPrefix(a.dir, at+"/") {
				return groupDirs{dirs: []string{dir, at}}
			}
		}
	}
	g.dirs = []string{dir} // of how long it was held back
	_ = fs.WalkDir(root, dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case len(g.members) == mostMembers:
			return fs.SkipAll
		case err == nil && d.IsDir(): // else it went meanwhile
			g.members = append(g.members, path.Join(name, "cgroup.procs"))
		}
		return nil
	})
	return g
}
