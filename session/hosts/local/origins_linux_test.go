package local

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"perfdeck/cooker"
)

// originWorld has a value of its own for each thing that is read.
func originWorld() map[string]string {
	files := map[string]string{
		"proc/stat":       "cpu0 101 102 103 104 105 106 107 108 59 60\ncpu1 1 2 3 4 5 6 7 8 9 10\nintr 5000\nctxt 777\nprocesses 321\nprocs_running 5\nprocs_blocked 2\nsoftirq 4000\n",
		"proc/interrupts": "           CPU0\n  0:   41   x\nTLB:  9   y\n",
		"proc/softirqs":   "                    CPU0\n          HI:          17\n",
		"proc/loadavg":    "1.01 2.02 3.03 4/55 66\n", "proc/sys/fs/file-nr": "77 0 99\n", "proc/sys/vm/overcommit_memory": "0\n",
		"proc/swaps":     "Filename Type Size Used Priority\n/swap file 500 20 -2\n",
		"proc/diskstats": "   8 0 sda 4004 4005 4006 4007 4008 4009 4010 4011 4012 4013 4014 4015 4016 4017 4018 4019 4020\n",
		"proc/net/dev":   "Inter-\n face\n eth0: 2002 2003 2004 2005 2006 2007 2008 1009 2010 2011 2012 2013 2014 2015 2016 2017\n",
		"proc/net/tcp6":  "  sl  local_address remote_address st\n   1: A B 01 C\n",
		"proc/10/stat":   "10 (one) S 4 1 1 0 -1 4194560 110 7 312 7 514 515 7 15 25 3 1 0 622 8192000 25 18446744073709551615 1 1 1 1 1 0 0 0 0 0 0 0 17 1 0 0 0 0\n",
		"proc/10/status": "VmPeak:\t 9001 kB\nVmSize:\t 1 kB\nVmHWM:\t 802 kB\nRssAnon:\t 703 kB\nVmSwap:\t 604 kB\n",
		"proc/10/statm":  "2000 25 10 1 0 1 0\n", "proc/10/clock": "5\n",
		"proc/10/io":                  "rchar: 1001\nwchar: 2002\nsyscr: 303\nsyscw: 404\nread_bytes: 50005\nwrite_bytes: 60006\ncancelled_write_bytes: 7\n",
		"proc/10/fd/0":                "x",
		"proc/10/task/10/schedstat":   "987654321 5 6\n",
		"proc/10/task/10/status":      "voluntary_ctxt_switches:\t7\nnonvoluntary_ctxt_switches:\t20\n",
		"sys/block/sda/device/vendor": "x\n", "sys/block/sda/size": "1000\n",
		"sys/class/net/eth0/speed": "1000\n", "sys/class/net/eth0/statistics/rx_nohandler": "8\n",
		"sys/class/thermal/thermal_zone0/type": "zone\n", "sys/class/thermal/thermal_zone0/temp": "27850\n",
		"sys/class/thermal/thermal_zone0/cdev0/cur_state": "2\n", "sys/class/thermal/thermal_zone0/cdev0/max_state": "8\n",
		"sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq": "1500000\n", "sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq": "3000000\n",
		"sys/fs/cgroup/cgroup.procs": "1\n", "sys/fs/cgroup/app/cgroup.procs": "1\n",
		"sys/fs/cgroup/app/cpu.stat": "usage_usec 100\nuser_usec 70\nsystem_usec 30\nnr_throttled 4\nthrottled_usec 9\n",
		"sys/fs/cgroup/app/cpu.max":  "50000 100000\n", "sys/fs/cgroup/app/memory.current": "4096\n", "sys/fs/cgroup/app/memory.max": "8192\n",
		"sys/fs/cgroup/app/cpu.stat.local": "throttled_usec 5009\n", "sys/fs/cgroup/app/memory.stat": "anon 5\nfile 1024\ninactive_file 512\n", "sys/fs/cgroup/app/memory.events": "max 41\noom_kill 42\n",
		"proc/self/status": "Cpus_allowed_list:\t0\n", "proc/self/cgroup": "0::/app\n", "proc/self/mountinfo": mountV2,
		"sys/fs/cgroup/app/memory.swap.current": "77\n", "sys/fs/cgroup/app/pids.current": "3\n", "sys/fs/cgroup/app/io.stat": "8:0 rbytes=10 wbytes=20 rios=1\n",
	}
	files["proc/10/task/10/stat"] = files["proc/10/stat"]
	for i, name := range []string{"cpu", "io", "memory"} {
		text := strings.ReplaceAll("some avg10=1.0N avg60=2.0N avg300=3.0N total=40N\nfull avg10=5.0N avg60=6.0N avg300=7.0N total=80N\n", "N", strconv.Itoa(i+1))
		files["proc/pressure/"+name], files["sys/fs/cgroup/app/"+name+".pressure"] = text, text
	}
	for i, name := range []string{"C1", "C2", "C6"} {
		dir := "sys/devices/system/cpu/cpu0/cpuidle/state" + strconv.Itoa(i) + "/"
		files[dir+"name"], files[dir+"time"], files[dir+"usage"] = name+"\n", strconv.Itoa(1000+i)+"\n", strconv.Itoa(10+i)+"\n"
	}
	for i, key := range memKeys {
		files["proc/meminfo"] += key + ": " + strconv.Itoa(100_000+9999*i) + " kB\n"
	}
	for i, key := range vmKeys {
		files["proc/vmstat"] += key + " " + strconv.Itoa(100_000+9999*i) + "\n"
	}
	names := map[string]bool{}
	for _, p := range protocolSets() {
		for _, origin := range p.origins {
			if _, list, ok := strings.Cut(origin, "/proc/net/snmp"); ok {
				for _, name := range strings.Fields(strings.NewReplacer("6 ", " ", " + ", " ").Replace(strings.Replace(list, "6 ", " ", 1))) {
					names[name] = true
				}
			}
		}
	}
	heads, values, n := map[string]string{}, map[string]string{}, 1000
	for _, name := range slices.Sorted(maps.Keys(names)) {
		n += 3
		group, key, ok := strings.Cut(name, ".")
		if !ok {
			files["proc/net/snmp6"] += name + " " + strconv.Itoa(n) + "\n"
			continue
		}
		heads[group] += " " + key
		values[group] += " " + strconv.Itoa(n)
	}
	for _, group := range slices.Sorted(maps.Keys(heads)) {
		files["proc/net/snmp"] += group + ":" + heads[group] + "\n" + group + ":" + values[group] + "\n"
	}
	return files
}

// originInstances are the instances that are looked at.
var originInstances = map[string]string{
	"Processor Information": "0,0", "Processor": "0", "Process": "one", "Thread": "one/0", "PhysicalDisk": "sda", "Network Interface": "eth0",
	"Paging File": "_swap", "Thermal Zone Information": "thermal_zone0_zone", "Pressure Stall Information": "cpu", "Control Group": "app",
}

// finders are files by which the instances of a set are found.
var finders = map[string]string{
	"Processor Information": `^proc/stat$|/name$`, "Processor": `^proc/stat$|/name$`, "Process": `^proc/10/stat$`, "Thread": `^proc/10/(task/10/)?stat$`,
	"PhysicalDisk": `^sys/block/|^proc/diskstats$`, "Network Interface": `^proc/net/dev$`, "Paging File": `^proc/swaps$`, "Thermal Zone Information": `/type$`,
	"Pressure Stall Information": `^proc/pressure/cpu$`, "Control Group": `/cgroup\.procs$`,
	"Processor Limit": `^proc/self/|^proc/stat$|/cpu\.max$`, "Memory Limit": `^proc/self/|^proc/meminfo$|/memory\.max$`,
}

// places are where the files of originWorld stand in what origins say.
var places = strings.NewReplacer("/PID", "/10", "/TID", "/10", "/cpuN", "/cpu0", "thermal_zoneN", "thermal_zone0", "/net/NAME", "/net/eth0", "pressure/NAME", "pressure/cpu", "/GROUP", "/app")

type originCounter struct{ set, counter string }

// originReadings reads all counters of the instances, those of which files are
// chosen by what else is wanted alone.
func originReadings(m *machine) map[originCounter]cooker.Reading {
	m.t.Helper()
	out := map[originCounter]cooker.Reading{}
	q, err := m.source.Open(m.t.Context())
	if err != nil {
		m.t.Fatal(err)
	}
	defer q.Close()
	m.query = q
	for _, set := range m.catalogue.Sets {
		if set.Name == "LogicalDisk" {
			continue // of the machine it runs on
		}
		all := allOf(set)
		few := allOf(set)
		few.Counters = slices.DeleteFunc(few.Counters, func(i int) bool { return set.Counters[i].Name != "Working Set - Private" })
		for _, w := range [][]int{all.Counters, few.Counters} {
			all.Counters = w
			m.sel(all)
			m.read()
			b := m.set(set.Name)
			row, ok := m.instance(set.Name, originInstances[set.Name])
			for col, index := range b.Counters {
				r := cooker.Reading{State: cooker.Gone}
				if ok && b.Err == nil {
					r = b.Row(row)[col]
				}
				out[originCounter{set.Name, set.Counters[index].Name}] = r
			}
		}
	}
	return out
}

var (
	originFile  = regexp.MustCompile(`/(?:proc|sys)/[a-zA-Z0-9_./]*`)
	originField = regexp.MustCompile(`\(field (\d+)\)`)
	originCut   = regexp.MustCompile(`;|, else |, or |, scaled`)
	originWord  = regexp.MustCompile(`[A-Za-z_0-9.()]+`)
)

// Each counter comes from the files, keys and fields that its description names,
// and from no others.
func TestOrigins(t *testing.T) {
	world := originWorld()
	m := newMachine(t, world)
	m.link("proc/self/ns/cgroup", "cgroup:[7]") // groups above it cannot be seen
	m.open()
	base := originReadings(m)
	about := map[originCounter]string{}
	for _, set := range m.catalogue.Sets {
		for i := range set.Counters {
			c := &set.Counters[i]
			_, origin, ok := strings.Cut(c.Description, ". From ")
			if !c.Hidden() && !ok && (c.Absent == "" || base[originCounter{set.Name, c.Name}].State == cooker.OK) && set.Name != "TCPv6" {
				t.Errorf(`\%s\%s does not tell where it comes from: %q`, set.Name, c.Name, c.Description)
			}
			if ok && !c.Hidden() && set.Name != "LogicalDisk" {
				about[originCounter{set.Name, c.Name}] = places.Replace(origin)
			}
		}
	}
	maps.DeleteFunc(about, func(c originCounter, _ string) bool { // they begin with the first scan
		return c.set == "Process Exits" || c.set == "Memory Use" || c == originCounter{"Process", "% Ended Children Time"}
	})
	changes := func(file, text string) map[originCounter]bool {
		t.Helper()
		m.write(map[string]string{file: text})
		now := originReadings(m)
		m.write(map[string]string{file: world[file]})
		out := map[originCounter]bool{}
		for c, r := range now {
			if r != base[c] {
				out[c] = true
			}
		}
		return out
	}
	for c, r := range base {
		if _, ok := about[c]; ok && r.State != cooker.OK {
			t.Errorf("%v is %v", c, r.State)
		}
	}
	for file := range world {
		changed := changes(file, "")
		for c, origin := range about {
			named := func(text string) bool {
				return slices.ContainsFunc(originFile.FindAllString(text, -1), func(p string) bool {
					p = strings.TrimSuffix(strings.TrimSuffix(p, "."), "/")[1:]
					return p == file || strings.Contains(p, "stateK") && strings.HasPrefix(file, strings.Split(p, "stateK")[0]) && strings.HasSuffix(file, p[strings.LastIndexByte(p, '/'):]) || strings.HasSuffix(p, "/fd") && strings.HasPrefix(file, p)
				})
			}
			main := originCut.Split(origin, 2)[0]
			switch {
			case changed[c] && !named(origin) && !regexp.MustCompile(finders[c.set]+`|^$`).MatchString(file) && !strings.Contains(origin, "overcommit"):
				t.Errorf("%v comes from %s too: %q", c, file, origin)
			case !changed[c] && named(main) && !strings.Contains(main, "stateK") && !strings.Contains(main, "the name of"):
				t.Errorf("%v does not come from %s: %q", c, file, origin)
			}
		}
	}
	for c, origin := range about {
		main := originCut.Split(origin, 2)[0]
		file := strings.TrimSuffix(originFile.FindString(main), "/")
		if file == "" || world[file[1:]] == "" {
			continue
		}
		rest := main[strings.Index(main, file)+len(file):]
		for _, f := range originField.FindAllStringSubmatch(rest, -1) {
			n, _ := strconv.Atoi(f[1])
			if text := withField(world[file[1:]], n); !changes(file[1:], text)[c] {
				t.Errorf("%v does not come from field %d of %s: %q", c, n, file, origin)
			}
		}
		for _, word := range originWord.FindAllString(rest, -1) {
			_, key, ok := strings.Cut(word, ".")
			if !ok {
				key = word
			}
			at := regexp.MustCompile(`(^|[\s])` + regexp.QuoteMeta(key) + `([\s:=]|$)`)
			if text := world[file[1:]]; at.MatchString(text) && !originField.MatchString(rest) {
				if !changes(file[1:], at.ReplaceAllString(text, "${1}other$2"))[c] {
					t.Errorf("%v does not come from %s of %s: %q", c, key, file, origin)
				}
			}
		}
	}
}

// withField is a file with another number in a field of its last line.
func withField(text string, n int) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	at := len(lines) - 1
	if strings.HasPrefix(lines[0], "cpu0") {
		at = 0
	}
	fields := strings.Fields(lines[at])
	old := fields[n-1]
	number, err := strconv.ParseFloat(old, 64)
	switch {
	case strings.Contains(old, "/"):
		fields[n-1] = "7/99"
	case err != nil:
		fields[n-1] = "Z"
	default:
		fields[n-1] = strconv.FormatFloat(number+7000, 'f', -1, 64)
	}
	lines[at] = strings.Join(fields, " ")
	return strings.Join(lines, "\n") + "\n"
}

// What is told of other computers goes by the names of all countersets that there are here.
func TestCountersetsAreAll(t *testing.T) {
	names := map[string]bool{}
	for _, set := range Countersets() {
		names[set.Name] = true
	}
	for _, g := range groups() {
		if name := g.counterset.Name; !names[name] {
			t.Errorf("%s is not among Countersets", name)
		}
	}
}
