package local

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"perfdeck/cooker"
)

// controlGroups reads Control Group. A controller sits in version 2 or in a
// hierarchy of version 1.
type controlGroups struct {
	tick    *tick
	options *Options
	groups  []*controlGroupDir
	walk    latest[*[]groupDir]
	last    *[]groupDir // that groups are made of
	walks   int
	budget  int    // descriptors that may still be opened to stay open
	buf     []byte // of all files
}

// maxGroupFiles bounds the descriptors kept.
const maxGroupFiles = 4096

func newControlGroups(t *tick) collector {
	m := newMany(controlGroupCounters, &controlGroups{tick: t, options: t.options, budget: min(maxGroupFiles, keptFiles(t.options))}, false)
	m.found.named = volumeName
	return m.holdTo(&t.pace, stalledGroup)
}

// read walks the groups at the first time; later walks are made aside.
func (c *controlGroups) read(f *found[controlGroup]) error {
	root := filepath.Join(c.options.Sys, "fs/cgroup")
	if c.last == nil {
		c.follow(findGroups(root))
	} else if now, ok := c.walk.get(c.options, recheck, func() *[]groupDir { return findGroups(root) }); ok && now != c.last {
		c.follow(now)
	}
	f.clocks = c.tick.clocks()
	for _, g := range c.groups {
		c.tick.step()
		g.find(f.needs, c.options)
		state := &g.state
		*state = controlGroup{why: cooker.Unavailable}
		if c.readGroup(g, state, f.needs) {
			*f.instance("", g.path, g.id) = *state
		}
	}
	return nil
}

// follow takes the groups of a walk and keeps the files of those that stay.
func (c *controlGroups) follow(now *[]groupDir) {
	c.last = now
	old := make(map[string]*controlGroupDir, len(c.groups))
	for _, g := range c.groups {
		old[g.path] = g
	}
	c.groups = make([]*controlGroupDir, 0, len(*now))
	c.walks++
	for i, dir := range *now {
		g := old[dir.path]
		if g == nil || g.id != dir.id || !slices.Equal(g.dirs, dir.dirs) {
			g = &controlGroupDir{groupDir: dir}
		} else {
			delete(old, dir.path)
			if i == c.walks%len(*now) {
				g.known = 0 // controllers may have been switched on: look for files anew, in turns
			}
		}
		c.groups = append(c.groups, g)
	}
	for _, g := range old {
		c.drop(g)
	}
}

func (c *controlGroups) drop(g *controlGroupDir) {
	for i := range g.files {
		if g.files[i].file != nil {
			g.files[i].close()
			c.budget++
		}
	}
}

func (c *controlGroups) close() {
	for _, g := range c.groups {
		c.drop(g)
	}
}

// controlGroupDir is a group and its files.
type controlGroupDir struct {
	groupDir
	known uint32 // needs whose files were looked for
	files []groupFile
	state controlGroup
}

type groupFile struct {
	source *groupSource
	kernelFile
}

// find looks for the files that are needed.
func (g *controlGroupDir) find(needs uint32, o *Options) {
	unknown := needs &^ g.known
	if unknown == 0 {
		return
	}
	g.known |= needs
	for i := range groupSources {
		s := &groupSources[i]
		if s.need&unknown == 0 {
			continue
		}
		for _, dir := range g.dirs {
			path := filepath.Join(dir, s.name)
			if unix.Access(path, unix.F_OK) == nil && !slices.ContainsFunc(g.files, func(f groupFile) bool { return f.path == path }) {
				g.files = append(g.files, groupFile{s, newKernelFile(o, path)})
			}
		}
	}
}

// readGroup reads the files of a group; it is false when the group is gone.
func (c *controlGroups) readGroup(g *controlGroupDir, state *controlGroup, needs uint32) bool {
	for i := range g.files {
		f := &g.files[i]
		if f.source.need&needs == 0 {
			continue
		}
		data, err := c.readFile(&f.kernelFile)
		switch {
		case err == nil:
			f.source.parse(state, data)
		case errors.Is(err, unix.ENODEV) || errors.Is(err, unix.ENOENT) && !g.exists():
			return false
		case statusOf(err) == cooker.Denied:
			state.why = cooker.Denied
		}
	}
	state.finish()
	return true
}

// readFile reads into the buffer that all files share.
func (c *controlGroups) readFile(k *kernelFile) ([]byte, error) {
	before := k.file != nil
	k.buf = c.buf
	data, err := k.read()
	c.buf, k.buf = k.buf, nil
	if k.file != nil && !before && c.budget <= 0 {
		k.close()
	}
	switch {
	case k.file != nil && !before:
		c.budget--
	case before && k.file == nil:
		c.budget++
	}
	return data, err
}

// groupSource is a file of a group, in one version or both.
type groupSource struct {
	need  uint32
	name  string
	parse func(*controlGroup, []byte)
}

// groupSources are in such an order that of two files that tell the same the
// better is first.
var groupSources = []groupSource{
	{needCPUStat, "cpu.stat", (*controlGroup).parseCPUStat},
	{needStatLocal, "cpu.stat.local", (*controlGroup).parseCPUStat},
	{needCPUStat, "cpuacct.usage", groupTime(cgUsage)},
	{needCPUStat, "cpuacct.usage_user", groupTime(cgUser)},
	{needCPUStat, "cpuacct.usage_sys", groupTime(cgSystem)},
	{needCPUMax, "cpu.max", (*controlGroup).parseCPUMax},
	{needCPUMax, "cpu.cfs_quota_us", groupNumber(cgQuota)},
	{needCPUMax, "cpu.cfs_period_us", groupNumber(cgPeriod)},
	{needGroupMemory | needGroupSwap, "memory.current", groupNumber(cgMemory)},
	{needGroupMemory | needGroupSwap, "memory.usage_in_bytes", groupNumber(cgMemory)},
	{needGroupMemory, "memory.max", groupNumber(cgMemoryMax)},
	{needGroupMemory, "memory.limit_in_bytes", groupNumber(cgMemoryMax)},
	{needGroupSwap, "memory.swap.current", groupNumber(cgSwap)},
	{needGroupSwap, "memory.memsw.usage_in_bytes", groupNumber(cgMemoryAndSwap)},
	{needGroupPids, "pids.current", groupNumber(cgProcesses)},
	{needIOStat, "io.stat", (*controlGroup).parseIOStat},
	{needIOStat, "blkio.throttle.io_service_bytes_recursive", (*controlGroup).parseServiceBytes},
	{needIOStat, "blkio.throttle.io_service_bytes", (*controlGroup).parseServiceBytes},
	{needMemoryStat, "memory.stat", (*controlGroup).parseMemoryStat},
	{needMemoryEvents, "memory.events", (*controlGroup).parseMemoryEvents},
	{needMemoryEvents, "memory.oom_control", (*controlGroup).parseMemoryEvents},
	{needMemoryEvents, "memory.failcnt", groupNumber(cgLimitHits)},
	{needGroupPressure, "cpu.pressure", groupPressure(0)},
	{needGroupPressure, "io.pressure", groupPressure(1)},
	{needGroupPressure, "memory.pressure", groupPressure(2)},
}

func groupTime(key int) func(*controlGroup, []byte) {
	return func(c *controlGroup, b []byte) { c.parseTime(key, b) }
}

func groupPressure(i int) func(*controlGroup, []byte) {
	return func(c *controlGroup, b []byte) { c.pressure[i].parse(b) }
}

// groupDir is a control group and the directories that hold its files.
type groupDir struct {
	path string // below the root, `/` for the root
	id   uint64 // inode
	dirs []string
}

// groupDepth is how deep groups are shown: containers and services lie there.
const groupDepth = 3

// maxGroups bounds a walk.
const maxGroups = 4096

// groupHierarchies are where control groups are mounted: version 2 alone, then
// beside version 1, then those of version 1.
var groupHierarchies = []string{"", "unified", "cpu,cpuacct", "cpuacct", "cpu", "memory", "pids", "blkio"}

// findGroups walks all hierarchies and puts together what has the same path.
func findGroups(root string) *[]groupDir {
	out := []groupDir{}
	at := make(map[string]int)
	var tops []os.FileInfo
	for _, top := range groupHierarchies {
		base := filepath.Join(root, top)
		if _, err := os.Stat(filepath.Join(base, "cgroup.procs")); err != nil {
			continue
		}
		info, err := os.Stat(base)
		if err != nil || slices.ContainsFunc(tops, func(t os.FileInfo) bool { return os.SameFile(t, info) }) {
			continue // cpu is often a link to cpu,cpuacct
		}
		tops = append(tops, info)
		walkGroups(base, "/", groupDepth, func(path string) {
			dir := filepath.Join(base, path)
			i, known := at[path]
			if !known {
				if len(out) >= maxGroups {
					return
				}
				i = len(out)
				at[path] = i
				out = append(out, groupDir{path: path, id: inode(dir)})
			}
			out[i].dirs = append(out[i].dirs, dir)
		})
	}
	return &out
}

func walkGroups(base, path string, depth int, found func(path string)) {
	found(path)
	if depth == 0 {
		return
	}
	entries, _ := os.ReadDir(filepath.Join(base, path))
	for _, e := range entries {
		if e.IsDir() {
			walkGroups(base, filepath.Join(path, e.Name()), depth-1, found)
		}
	}
}

func inode(path string) uint64 {
	var st unix.Stat_t
	if unix.Stat(path, &st) != nil {
		return 0
	}
	return st.Ino
}

func (g *groupDir) exists() bool { return len(g.dirs) > 0 && inode(g.dirs[0]) == g.id }
