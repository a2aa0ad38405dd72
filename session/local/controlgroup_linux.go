package local

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"perfdeck/cooker"
)

// controlGroups reads Control Group. A controller sits in version 2 or in a
// hierarchy of version 1.
type controlGroups struct {
	options *Options
	checked time.Duration
	groups  []groupDir
	looked  bool
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

func newControlGroups(t *tick) collector {
	m := newMany(controlGroupCounters, &controlGroups{options: t.options}, false)
	m.found.named = volumeName
	return m
}

func (c *controlGroups) read(f *found[controlGroup], _ cooker.Clocks) error {
	if now := c.options.Monotonic(); !c.looked || now-c.checked >= recheck {
		c.looked, c.checked = true, now
		c.groups = findGroups(filepath.Join(c.options.Sys, "fs/cgroup"))
	}
	for i := range c.groups {
		g := &c.groups[i]
		if !g.exists() {
			continue
		}
		state := f.instance("", g.path, g.id)
		*state = controlGroup{why: cooker.Unavailable}
		g.read(state, f.needs)
	}
	return nil
}

func (c *controlGroups) close() {}

// findGroups walks all hierarchies and puts together what has the same path.
func findGroups(root string) []groupDir {
	var out []groupDir
	at := make(map[string]int)
	for _, top := range []string{"", "unified", "cpu,cpuacct", "cpuacct", "cpu", "memory", "pids"} {
		base := filepath.Join(root, top)
		if _, err := os.Stat(filepath.Join(base, "cgroup.procs")); err != nil {
			continue
		}
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
	return out
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

// file is the first of these files that one of the directories has.
func (g *groupDir) file(c *controlGroup, names ...string) []byte {
	for _, dir := range g.dirs {
		for _, name := range names {
			data, err := os.ReadFile(filepath.Join(dir, name))
			if err == nil {
				return data
			}
			if statusOf(err) == cooker.Denied {
				c.why = cooker.Denied
			}
		}
	}
	return nil
}

// number reads a file of one number. Limits that are not set read `max`, and
// in version 1 nearly 2^63.
func (g *groupDir) number(c *controlGroup, key int, names ...string) {
	const noLimit = 1 << 62
	if n, _, ok := number(g.file(c, names...)); ok && n < noLimit {
		c.set(key, n)
	}
}

func (g *groupDir) read(c *controlGroup, needs uint32) {
	if needs&needCPUStat != 0 {
		g.readCPU(c)
	}
	if needs&needCPUMax != 0 {
		g.readCPUMax(c)
	}
	if needs&needGroupMemory != 0 {
		g.number(c, cgMemory, "memory.current", "memory.usage_in_bytes")
		g.number(c, cgMemoryMax, "memory.max", "memory.limit_in_bytes")
	}
	if needs&needGroupSwap != 0 {
		g.number(c, cgSwap, "memory.swap.current")
	}
	if needs&needGroupPids != 0 {
		g.number(c, cgProcesses, "pids.current")
	}
	if needs&needIOStat != 0 {
		if data := g.file(c, "io.stat"); data != nil {
			c.parseIOStat(data)
		}
	}
	if needs&needGroupPressure != 0 {
		for i, name := range []string{"cpu.pressure", "io.pressure", "memory.pressure"} {
			c.pressure[i].parse(g.file(c, name))
		}
	}
}

func (g *groupDir) readCPU(c *controlGroup) {
	for _, dir := range g.dirs { // version 1 has cpu.stat too, with other keys
		data, _ := os.ReadFile(filepath.Join(dir, "cpu.stat"))
		c.parseCPUStat(data)
	}
	const nanoseconds = 1000 // of a microsecond
	for key, name := range map[int]string{cgUsage: "cpuacct.usage", cgUser: "cpuacct.usage_user", cgSystem: "cpuacct.usage_sys"} {
		if c.has(key) {
			continue
		}
		if n, _, ok := number(g.file(c, name)); ok {
			c.set(key, n/nanoseconds)
		}
	}
}

func (g *groupDir) readCPUMax(c *controlGroup) {
	if data := g.file(c, "cpu.max"); data != nil {
		c.parseCPUMax(data)
		return
	}
	quota := strings.TrimSpace(string(g.file(c, "cpu.cfs_quota_us"))) // -1 without a limit
	c.parseCPUMax([]byte(quota + " " + string(g.file(c, "cpu.cfs_period_us"))))
}
