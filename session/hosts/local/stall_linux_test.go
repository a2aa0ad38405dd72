package local

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
)

// stalling is a machine whose counts go on while a read of it stalls.
type stalling struct {
	*machine
	world   func(up time.Duration) map[string]string
	written time.Duration
	files   map[string]string                 // as written
	points  int                               // since the beat began, at which it could have stalled
	stall   func(point int) (d time.Duration) // how long it stalls there
	last    map[string]sampled
	kinds   map[string]cooker.CounterType
}

type sampled struct {
	reading cooker.Reading
	clocks  cooker.Clocks
}

// busyWorld is a computer of two CPUs of which the first is busy without end,
// with one process of one thread and one of two, and where all tasks wait for
// everything and the disk is never idle.
func busyWorld(up time.Duration) map[string]string {
	us, ms, jiffies, s := up.Microseconds(), up.Milliseconds(), int(up/(10*time.Millisecond)), int64(up/time.Millisecond)
	waiting := fmt.Sprintf("some avg10=0.00 avg60=0.00 avg300=0.00 total=%d\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=%d\n", us, us)
	one := strings.Replace(statLine(10, "one", jiffies-20, 1), " -5 4 0 ", " 0 1 0 ", 1)
	two := strings.Replace(statLine(20, "two", 2*jiffies-20, 1), " -5 4 0 ", " 0 2 0 ", 1)
	schedstat, clock := fmt.Sprintf("%d 0 %d\n", up.Nanoseconds(), ms), fmt.Sprintf("%d\n", up.Nanoseconds())
	return map[string]string{
		"proc/stat":            fmt.Sprintf("cpu  0\ncpu0 %d 0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 %d 0 0 0 0 0 0\nintr 1\nctxt %d\nprocesses 9\nprocs_running 1\nprocs_blocked 0\nsoftirq 1\n", jiffies, jiffies, 5*s),
		"proc/vmstat":          fmt.Sprintf("pgfault %d\n", 3*s),
		"proc/meminfo":         "MemTotal: 100 kB\n",
		"proc/loadavg":         "1 1 1 1/5 20\n",
		"proc/net/snmp":        fmt.Sprintf("Tcp: InSegs OutSegs\nTcp: %d %d\n", 2*s, 2*s),
		"proc/net/dev":         fmt.Sprintf("x\ny\n eth0: %d 1 0 0 0 0 0 0 %d 1 0 0 0 0 0 0\n", 7*s, 0),
		"proc/diskstats":       fmt.Sprintf(" 8 0 sda %d 0 %d %d 0 0 0 0 1 %d %d\n", s, 8*s, ms, ms, ms),
		"proc/pressure/cpu":    waiting,
		"proc/pressure/io":     waiting,
		"proc/pressure/memory": waiting,
		"proc/10/stat":         one, "proc/10/clock": clock, "proc/10/task/10/stat": one, "proc/10/task/10/schedstat": schedstat,
		"proc/20/stat": two, "proc/20/clock": clock, "proc/20/task/20/stat": two, "proc/20/task/20/schedstat": schedstat,
		"sys/block/sda/device/vendor": "x\n", "sys/block/sda/size": "1000\n",
		"sys/fs/cgroup/cgroup.procs": "1\n", "sys/fs/cgroup/cpu.pressure": waiting, "sys/fs/cgroup/io.pressure": waiting, "sys/fs/cgroup/memory.pressure": waiting,
		"sys/fs/cgroup/a/cgroup.procs": "1\n", "sys/fs/cgroup/a/memory.pressure": waiting,
		"sys/fs/cgroup/a/cpu.stat":                         fmt.Sprintf("usage_usec %d\nuser_usec %d\nsystem_usec 0\n", us, us),
		"sys/devices/system/cpu/cpu0/cpuidle/state0/name":  "C1\n",
		"sys/devices/system/cpu/cpu0/cpuidle/state0/usage": "1\n",
		"sys/devices/system/cpu/cpu0/cpuidle/state0/time":  fmt.Sprintf("%d\n", us),
		"sys/devices/system/cpu/cpu1/cpuidle/state0/name":  "C1\n",
		"sys/devices/system/cpu/cpu1/cpuidle/state0/usage": "1\n",
		"sys/devices/system/cpu/cpu1/cpuidle/state0/time":  fmt.Sprintf("%d\n", us),
	}
}

// busyRates are what busyWorld shows, whenever it is read.
var busyRates = map[string]float64{
	`Processor Information(0,0)\% Processor Time`: 100, `Processor Information(0,0)\% User Time`: 100,
	`Processor Information(0,1)\% Idle Time`: 100, `Processor Information(_Total)\% Processor Time`: 50,
	`Processor Information(0,1)\% C1 Time`: 100,
	`System()\Context Switches/sec`:        5000, `Memory()\Page Faults/sec`: 3000, `TCPv4()\Segments/sec`: 4000,
	`Network Interface(eth0)\Bytes Received/sec`: 7000,
	`PhysicalDisk(sda)\Disk Reads/sec`:           1000, `PhysicalDisk(sda)\% Disk Time`: 100, `PhysicalDisk(sda)\% Idle Time`: 0,
	`PhysicalDisk(sda)\Avg. Disk Queue Length`:             1,
	`Pressure Stall Information(cpu)\% Some Stall Time`:    100,
	`Pressure Stall Information(memory)\% Some Stall Time`: 100, `Pressure Stall Information(memory)\% Full Stall Time`: 100,
	`Process(one)\% Processor Time`: 100, `Process(two)\% Processor Time`: 200, `Process(one)\% User Time`: 100,
	`Process(Idle)\% Processor Time`: 100,
	`Thread(one/0)\% Processor Time`: 100, `Thread(two/0)\% Processor Time`: 100,
	`Control Group(a)\% Processor Time`: 100, `Control Group(a)\% Memory Some Stall Time`: 100, `Control Group(/)\% IO Full Stall Time`: 100,
}

// newStalling opens the machine and reads it once.
func newStalling(t *testing.T) *stalling {
	t.Helper()
	s := &stalling{machine: newMachine(t, nil), world: busyWorld, last: make(map[string]sampled), kinds: make(map[string]cooker.CounterType)}
	s.stall = func(int) time.Duration { return 0 }
	s.reads, s.clockRead = func() { s.point(); s.show() }, s.point
	s.show()
	s.watch(informationSet, "System", "Memory", "TCPv4", "Network Interface", "PhysicalDisk", "Pressure Stall Information", "Process", "Thread", "Control Group")
	s.rates()
	return s
}

// point is a moment at which a program may be stopped.
func (s *stalling) point() {
	s.points++
	s.uptime += s.stall(s.points)
}

// show writes the files as of now.
func (s *stalling) show() {
	if s.written == s.uptime {
		return
	}
	now := s.world(s.uptime)
	changed := maps.Clone(now)
	maps.DeleteFunc(changed, func(name, text string) bool { return s.files[name] == text })
	s.write(changed)
	s.written, s.files = s.uptime, now
}

// beat reads a second later and cooks what busyRates names.
func (s *stalling) beat() map[string]cooker.Value {
	s.t.Helper()
	s.uptime += time.Second
	s.show()
	s.points = 0
	s.read()
	return s.rates()
}

func (s *stalling) rates() map[string]cooker.Value {
	values := make(map[string]cooker.Value)
	for i := range s.batch.Sets {
		b := &s.batch.Sets[i]
		for row, in := range b.Instances {
			for col, index := range b.Counters {
				name := in.Key.Name
				if in.Key.Parent != "" {
					name = in.Key.Parent + "/" + name
				}
				path := b.Set.Name + "(" + name + `)\` + b.Set.Counters[index].Name
				if _, ok := busyRates[path]; !ok {
					continue
				}
				now := sampled{b.Row(row)[col], b.Clocks}
				if last, ok := s.last[path]; ok {
					values[path] = cooker.Cook(b.Set.Counters[index].Type, &last.reading, &now.reading, &last.clocks, &now.clocks, nil)
				}
				s.last[path], s.kinds[path] = now, b.Set.Counters[index].Type
			}
		}
	}
	return values
}

// One stall of seconds, wherever it falls, moves no rate.
func TestStallAnywhere(t *testing.T) {
	s := newStalling(t)
	for at, most := 1, 1; at <= most+1; at++ {
		s.stall = func(point int) time.Duration {
			if point == at {
				return 3 * time.Second
			}
			return 0
		}
		for beat := range 2 {
			values := s.beat()
			if beat == 0 {
				most = max(most, s.points)
			}
			for path, want := range busyRates {
				v, ok := values[path].Float()
				if !ok || math.Abs(v-want) > want/1000 {
					t.Errorf(`stall at point %d, beat %d: \%s is %v (%v), want %v`, at, beat, path, v, values[path].Status(), want)
				}
			}
			s.stall = func(int) time.Duration { return 0 }
		}
		if t.Failed() && at > 40 {
			break
		}
	}
}

// Where every read stalls, no share of time passes the whole, and over time all
// shares are right.
func TestStallsEverywhere(t *testing.T) {
	for _, longest := range []time.Duration{time.Millisecond, 200 * time.Millisecond} {
		s := newStalling(t)
		random := rand.New(rand.NewPCG(1, uint64(longest)))
		s.stall = func(int) time.Duration { return time.Duration(random.Int64N(int64(longest))) }
		first := maps.Clone(s.last)
		for range 6 {
			for path, v := range s.beat() {
				most, capped := busyRates[path], strings.Contains(path, `\% `) && !strings.Contains(path, "Disk")
				f, ok := v.Float()
				if !ok || capped && !ticked(path) && f > most*(1+1e-6) {
					t.Errorf(`stalls of %v: \%s is %v (%v)`, longest, path, f, v.Status())
				}
			}
		}
		for path, want := range busyRates {
			from, to := first[path], s.last[path]
			v, ok := cooker.Cook(s.kinds[path], &from.reading, &to.reading, &from.clocks, &to.clocks, nil).Float()
			if !ok || math.Abs(v-want) > max(want/50, 0.1) {
				t.Errorf(`stalls of %v: \%s is %v over all, want %v`, longest, path, v, want)
			}
		}
	}
}

// ticked says that the kernel counts this in ticks of 10 ms.
func ticked(path string) bool {
	return strings.HasPrefix(path, "Process(two)") || strings.HasPrefix(path, `Process(one)\% User`) || strings.HasPrefix(path, "Control Group(a)\\% Processor")
}

// All sets of a batch are of their own moment, in the order in which they are read.
func TestEachSetHasItsClock(t *testing.T) {
	s := newStalling(t)
	s.stall = func(int) time.Duration { return 100 * time.Microsecond }
	s.beat()
	var clocks []uint64
	for i := range s.batch.Sets {
		clocks = append(clocks, s.batch.Sets[i].Clocks.PerfTime)
	}
	scans := slices.IndexFunc(s.batch.Sets, func(b session.SetBatch) bool { return b.Set.Name == "Process" })
	if clocks[scans-1] <= clocks[0] || clocks[scans] <= clocks[scans-1] {
		t.Errorf("clocks %d", clocks)
	}
}
