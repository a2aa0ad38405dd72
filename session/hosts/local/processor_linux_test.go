package local

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
)

const informationSet = "Processor Information"

// twoCPUs have columns user nice system idle iowait irq softirq steal guest guest_nice.
const twoCPUs = `cpu  0 0 0 0 0 0 0 0 0 0
cpu0 100 20 30 700 50 5 5 90 40 10
cpu1 200 0 100 600 100 0 0 0 0 0
intr 5000 1 2 3
ctxt 777
btime 1
processes 321
procs_running 5
procs_blocked 2
softirq 4000 1 2
`

func TestProcessorTimesFillTheWallClock(t *testing.T) {
	m := newMachine(t, map[string]string{"proc/stat": twoCPUs})
	m.watch(informationSet)
	if got, want := m.names(informationSet), "0,0 0,1 0,_Total _Total"; got != want {
		t.Fatalf("instances %q, want %q", got, want)
	}
	const tick = 100_000
	m.wantRaw(informationSet, "0,0", raws{
		"% Processor Time": 750 * tick, "% Idle Time": 750 * tick, "% User Time": 120 * tick,
		"% Privileged Time": 40 * tick, "% I/O Wait": 50 * tick, "% Steal": 90 * tick,
		"% Guest Time": 50 * tick, "% Nice Time": 20 * tick, "% DPC Time": 5 * tick, "% Interrupt Time": 5 * tick,
	})
	before := m.set(informationSet).Clocks.Time100ns

	// CPU 0 counts 104 ticks in a second of 100, CPU 1 none at all.
	m.after(time.Second, map[string]string{
		"proc/stat": strings.Replace(twoCPUs, "cpu0 100 20 30 700 50 5 5 90 40 10", "cpu0 126 20 30 726 76 5 31 90 40 10", 1)})
	if d := m.set(informationSet).Clocks.Time100ns - before; d != units100ns {
		t.Fatalf("the clock moved by %d", d)
	}
	const quarter = units100ns / 4
	m.wantRaw(informationSet, "0,0", raws{
		"% Processor Time": 750*tick + 2*quarter, "% User Time": 120*tick + quarter,
		"% Privileged Time": 40*tick + quarter, "% I/O Wait": 50*tick + quarter, "% Steal": 90 * tick,
	})
	m.wantRaw(informationSet, "0,1", raws{ // its last ratio again
		"% Processor Time": 700*tick + 7_000_000, "% User Time": 200*tick + 2_000_000, "% Privileged Time": 100*tick + 1_000_000,
	})
	m.wantRaw(informationSet, "_Total", raws{"% Processor Time": 725*tick + 6_000_000, "% User Time": 160*tick + 2_250_000})
}

func TestProcessorColumnsMayBeAbsent(t *testing.T) {
	m := newMachine(t, map[string]string{"proc/stat": "cpu0 100 0 100 800\nintr 9\n"}) // Linux 2.4
	m.watch(informationSet)
	m.wantRaw(informationSet, "0,0", raws{"% User Time": 10_000_000, "% Processor Time": 80_000_000, "% Steal": 0})
}

// statOf is a /proc/stat of CPUs with these columns.
func statOf(cpus ...[cpuColumns]uint64) string {
	var b strings.Builder
	for i, cols := range cpus {
		fmt.Fprintf(&b, "cpu%d %s\n", i, strings.Trim(fmt.Sprint(cols), "[]"))
	}
	return b.String() + "intr 1\n"
}

// beats cooks what a set shows from one reading to the next.
type beats map[string]sampled

func (b beats) cook(m *machine, set, instance, counter string) cooker.Value {
	m.t.Helper()
	batch := m.set(set)
	col, _ := batch.Set.Counter(counter)
	path := set + "(" + instance + ")" + counter
	last, known := b[path]
	now := sampled{m.reading(set, instance, counter), batch.Clocks}
	b[path] = now
	if !known {
		return cooker.Absent(cooker.FirstSample)
	}
	return cooker.Cook(batch.Set.Counters[col].Type, &last.reading, &now.reading, &last.clocks, &now.clocks, nil)
}

// A column that steps back by a tick, or iowait and steal by few, is as good as steady. One that falls by more, or rises by
// far more than there was time, says that the interval cannot be told: of its CPU, of all, and
// of what is idle; the next one can.
func TestProcessorColumnsThatFall(t *testing.T) {
	ticks := [cpuColumns]uint64{colUser: 20, colSystem: 15, colIdle: 40, colIOWait: 10, colSoftIRQ: 5, colSteal: 10, colGuest: 10}
	shares := map[string]float64{"% Processor Time": 50, "% Idle Time": 50, "% User Time": 20, "% Privileged Time": 20, "% I/O Wait": 10, "% Steal": 10, "% Guest Time": 10}
	for col := range cpuColumns {
		isUnsteady := col == colIOWait || col == colSteal
		for _, by := range []int64{-1, -2, -5, -20, -700, -1 << 40, 1 << 40} {
			cpus := make([][cpuColumns]uint64, 2)
			for c := range cpuColumns {
				cpus[0][c], cpus[1][c] = 4<<40, 4<<40
			}
			files := func() map[string]string { return map[string]string{"proc/stat": statOf(cpus...)} }
			m := newMachine(t, files())
			m.watch(informationSet, "Processor", "Process")
			b := beats{}
			for beat := range 6 {
				before := cpus[1][col]
				for c, n := range ticks {
					cpus[0][c], cpus[1][c] = cpus[0][c]+n, cpus[1][c]+n
				}
				falls := beat == 2 || beat == 3
				if falls {
					cpus[1][col] = before + uint64(by)
				}
				m.after(time.Second, files())
				check := func(set, instance, counter string, want float64, right, has bool) {
					v := b.cook(m, set, instance, counter)
					f, ok := v.Float()
					if beat > 0 && (ok != has || has && (f < 0 || f > 200 || right && math.Abs(f-want) > 0.1)) {
						t.Errorf("column %d by %d, beat %d: %s(%s) %s is %v (%v), want %v", col, by, beat, set, instance, counter, f, v.Status(), want)
					}
				}
				told := !falls || by == -1 || isUnsteady && (by == -2 || by == -5)
				for counter, want := range shares {
					check(informationSet, "0,0", counter, want, true, true)
					check(informationSet, "0,1", counter, want, !falls, told)
					check(informationSet, "0,_Total", counter, want, !falls, told)
					check("Processor", "1", counter, want, !falls, told)
					check("Processor", "_Total", counter, want, !falls, told)
				}
				check("Process", "Idle", "% Processor Time", 100, !falls, told)
				check("Process", "_Total", "% Processor Time", 200, !falls, told)
			}
		}
	}
}

// What was a wait becomes idle time, from its beginning on, when the program that waits is to
// run on another CPU.
func TestWaitThatBecomesIdle(t *testing.T) {
	cols := [cpuColumns]uint64{colUser: 1000, colIdle: 1000, colIOWait: 1000}
	m := newMachine(t, map[string]string{"proc/stat": statOf(cols)})
	m.watch(informationSet)
	b := beats{}
	for beat, d := range [][3]int64{{20, 40, 40}, {20, 0, 80}, {20, 150, -70}, {20, 80, 0}, {20, 60, -70}} {
		for i, col := range []int{colUser, colIdle, colIOWait} {
			cols[col] += uint64(d[i])
		}
		m.after(time.Second, map[string]string{"proc/stat": statOf(cols)})
		f, ok := b.cook(m, informationSet, "0,0", "% Processor Time").Float()
		if want := beat > 0 && beat < 4; ok != want || ok && math.Abs(f-20) > 0.1 {
			t.Errorf("beat %d: %v, %v", beat, f, ok)
		}
	}
}

func TestProcessorsComeAndGo(t *testing.T) {
	m := newMachine(t, map[string]string{"proc/stat": twoCPUs})
	m.watch(informationSet, "Process")
	total := m.reading(informationSet, "_Total", "% User Time").Raw
	idle := m.reading("Process", "Idle", "% Processor Time").Raw
	one := strings.Join(strings.Split(twoCPUs, "\n")[:2], "\n")
	m.after(time.Second, map[string]string{"proc/stat": one})
	if got, want := m.names(informationSet), "0,0 0,_Total _Total"; got != want {
		t.Fatalf("instances %q, want %q", got, want)
	}
	for range 2 {
		now, nowIdle := m.reading(informationSet, "_Total", "% User Time").Raw, m.reading("Process", "Idle", "% Processor Time").Raw
		if now < total || now-total > units100ns || nowIdle < idle || nowIdle-idle > 2*units100ns {
			t.Errorf("_Total went from %d to %d, Idle from %d to %d", total, now, idle, nowIdle)
		}
		total, idle = now, nowIdle
		m.after(time.Second, map[string]string{"proc/stat": strings.Replace(twoCPUs, "cpu1 200", "cpu1 1", 1)})
	}
	if got, want := m.names(informationSet), "0,0 0,1 0,_Total _Total"; got != want {
		t.Fatalf("instances %q, want %q", got, want)
	}
}

func TestProcessorsOfTwoNodes(t *testing.T) {
	var stat strings.Builder
	for i := range 128 {
		stat.WriteString("cpu" + decimal(i) + " 10 0 10 80 0 0 0 0 0 0\n")
	}
	m := newMachine(t, map[string]string{
		"proc/stat":                             stat.String(),
		"sys/devices/system/node/node0/cpulist": "0-31,64-95\n",
		"sys/devices/system/node/node1/cpulist": "32-63,96-127\n",
	})
	m.watch(informationSet)
	b := m.set(informationSet)
	if n := len(b.Instances); n != 128+3 {
		t.Fatalf("%d instances", n)
	}
	for row, want := range map[int]string{0: "0,0", 32: "0,32", 63: "0,63", 64: "0,_Total", 65: "1,0", 128: "1,63", 129: "1,_Total", 130: "_Total"} {
		if got := b.Instances[row].Key.Name; got != want {
			t.Errorf("row %d is %q, want %q", row, got, want)
		}
	}
	if id := b.Instances[32].Key.ID; id != 64+1 {
		t.Errorf("0,32 has the identity %d", id)
	}
	if id := b.Instances[65].Key.ID; id != 32+1 {
		t.Errorf("1,0 has the identity %d", id)
	}
}

func TestProcessorInterruptsAndIdleStates(t *testing.T) {
	m := newMachine(t, map[string]string{
		"proc/stat": twoCPUs,
		"proc/interrupts": "            CPU0       CPU1       \n" +
			"  1:          9        100   IO-APIC   1-edge      i8042\n" +
			"NMI:          1          2   Non-maskable interrupts\n" +
			"TLB:       1000       1000   TLB shootdowns\n" +
			"ERR:       7777\nMIS:          8\n",
		"proc/softirqs": "                    CPU0       CPU1       CPU2\n      HI:  1 2 0\n   TIMER:  10 20 0\n",
		"sys/devices/system/cpu/cpu0/cpuidle/state0/name":      "POLL\n",
		"sys/devices/system/cpu/cpu0/cpuidle/state0/time":      "5\n",
		"sys/devices/system/cpu/cpu0/cpuidle/state0/usage":     "5\n",
		"sys/devices/system/cpu/cpu0/cpuidle/state1/name":      "C1\n",
		"sys/devices/system/cpu/cpu0/cpuidle/state1/time":      "7\n",
		"sys/devices/system/cpu/cpu0/cpuidle/state1/usage":     "3\n",
		"sys/devices/system/cpu/cpu0/cpuidle/state2/name":      "C1E\n",
		"sys/devices/system/cpu/cpu0/cpuidle/state2/time":      "1\n",
		"sys/devices/system/cpu/cpu0/cpuidle/state2/usage":     "1\n",
		"sys/devices/system/cpu/cpu0/cpuidle/state3/name":      "C10\n",
		"sys/devices/system/cpu/cpu0/cpuidle/state3/time":      "100\n",
		"sys/devices/system/cpu/cpu0/cpuidle/state3/usage":     "2\n",
		"sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq": "2400000\n",
		"sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq": "3200000\n",
		"proc/cpuinfo": "processor\t: 1\nmodel name\t: X: y\ncpu MHz\t\t: 1996.250\n",
	})
	m.watch(informationSet)
	m.wantRaw(informationSet, "0,0", raws{"% C1 Time": 80, "% C3 Time": 1000})
	m.after(time.Second, nil) // frequencies are read aside
	m.wantRaw(informationSet, "0,0", raws{
		"Interrupts/sec": 10, "DPCs Queued/sec": 11, "C1 Transitions/sec": 4,
		"C3 Transitions/sec": 2, "Processor Frequency": 2400, "% of Maximum Frequency": 75,
	})
	m.wantRaw(informationSet, "0,1", raws{"Interrupts/sec": 102, "DPCs Queued/sec": 22, "Processor Frequency": 1996})
	m.wantRaw(informationSet, "_Total", raws{"Interrupts/sec": 5000, "DPCs Queued/sec": 4000, "C1 Transitions/sec": 4, "Processor Frequency": 2198})
	m.wantState(informationSet, "0,1", cooker.Unavailable, "% C1 Time", "% of Maximum Frequency")
	m.wantState(informationSet, "_Total", cooker.Unavailable, "% C2 Time")
	set := m.catalogue.Set(informationSet)
	for name, want := range map[string]string{"% C1 Time": "", "% C2 Time": notHere} {
		if i, _ := set.Counter(name); set.Counters[i].Absent != want {
			t.Errorf("%s is absent for %q, want %q", name, set.Counters[i].Absent, want)
		}
	}
}

// A CPU that is idle half of the time, then all of it: its stays are counted when
// they end, some of them many intervals later.
func TestIdleStatesAreSharesOfIdleTime(t *testing.T) {
	user, idle := 0, 0
	files := func(busyTicks, idleTicks int, micros ...int) map[string]string {
		user, idle = user+busyTicks, idle+idleTicks
		out := map[string]string{"proc/stat": fmt.Sprintf("cpu  0\ncpu0 %d 0 0 %d 0 0 0 0 0 0\n", user, idle)}
		for i, name := range []string{"POLL", "C1_ACPI", "C6"} {
			state := fmt.Sprintf("sys/devices/system/cpu/cpu0/cpuidle/state%d/", i)
			out[state+"name"], out[state+"usage"], out[state+"time"] = name+"\n", "1\n", fmt.Sprintf("%d\n", micros[i])
		}
		return out
	}
	m := newMachine(t, files(50, 50, 0, 0, 500_000))
	m.watch(informationSet)
	for i, beat := range []struct {
		files  map[string]string
		c1, c3 uint64 // ms
	}{
		{files(50, 50, 50_000, 100_000, 850_000), 100, 350},
		{files(0, 100, 50_000, 100_000, 850_000), 200, 700}, // nothing ended: as before
		{files(0, 100, 50_000, 100_000, 5_850_000), 0, 1000},
		{files(100, 0, 50_000, 100_000, 9_850_000), 0, 0},
	} {
		c1, c3 := m.reading(informationSet, "0,0", "% C1 Time").Raw, m.reading(informationSet, "0,0", "% C3 Time").Raw
		m.after(time.Second, beat.files)
		const ms = 10_000 // in 100 ns
		m.wantRaw(informationSet, "0,0", raws{"% C1 Time": c1 + beat.c1*ms, "% C3 Time": c3 + beat.c3*ms})
		if t.Failed() {
			t.Fatal("at beat ", i)
		}
	}
}

// However often a CPU is read, its shares are those that the ticks say over all:
// a program that runs for 3 of 13 ms, and ticks of 10 ms that find it now and then.
func TestProcessorSharesAtAnyInterval(t *testing.T) {
	for _, interval := range []int{20, 50, 100, 240, 1000} { // ms
		var c cpuClock
		var cols, first [cpuColumns]uint64
		var firstIdle uint64
		idleMicros := 0
		const whole = 60_000 // ms
		for ms := range whole + 1 {
			runs := ms%13 < 3
			if !runs {
				idleMicros += 1000
			}
			if ms%10 == 0 && runs {
				cols[colUser]++
			}
			cols[colIdle] = uint64(idleMicros / 10_000)
			if ms%interval == 0 {
				c.advance(&cols, uint64(ms)*10_000, 100_000)
			}
			if ms == 0 {
				first, firstIdle = cols, c.idle()
			}
		}
		user, idle := float64(cols[colUser]-first[colUser]), float64(cols[colIdle]-first[colIdle])
		want := 100 * idle / (user + idle)
		got := 100 * float64(c.idle()-firstIdle) / (whole * 10_000)
		if math.Abs(got-want) > 0.3 {
			t.Errorf("read each %d ms: idle %.2f %%, by its ticks %.2f %%", interval, got, want)
		}
	}
}

func TestProcessorWithoutFiles(t *testing.T) {
	m := newMachine(t, nil)
	m.watch(informationSet, "Memory", "System", "Process")
	if m.set(informationSet).Err == nil {
		t.Error("no error without /proc/stat")
	}
	m.wantState("Memory", "", cooker.Unavailable, "Available Bytes", "Commit Limit", "% Committed Bytes In Use", "Pages/sec")
	m.wantState("System", "", cooker.Unavailable, "Threads", "Context Switches/sec", "Processor Queue Length", "File Descriptors")
	m.wantRaw("System", "", raws{"Processes": 0})
	if got := m.names("Process"); got != "_Total" {
		t.Errorf("processes %q", got)
	}
	m.after(time.Second, map[string]string{"proc/stat": twoCPUs})
	m.wantRaw("System", "", raws{"Context Switches/sec": 777})
}

// Where nothing can change the frequency it is not read each time.
func TestFrequencyThatCannotChange(t *testing.T) {
	info := func(flags string, mhz int) string {
		return fmt.Sprintf("processor\t: 0\nmodel name\t: X\ncpu MHz\t\t: %d.5\nflags\t\t: fpu %s\n\nprocessor\t: 1\ncpu MHz\t\t: %d.5\nflags\t\t: fpu %s\n", mhz, flags, mhz, flags)
	}
	for flags, soon := range map[string]bool{"vme": false, "vme aperfmperf": true} {
		m := newMachine(t, map[string]string{"proc/stat": twoCPUs, "proc/cpuinfo": info(flags, 2000)})
		m.watch(informationSet)
		m.after(time.Second, nil)
		m.wantRaw(informationSet, "0,0", raws{"Processor Frequency": 2000})
		m.after(time.Second, map[string]string{"proc/cpuinfo": info(flags, 2600)})
		m.after(time.Second, nil)
		if got := m.reading(informationSet, "0,1", "Processor Frequency").Raw == 2600; got != soon {
			t.Errorf("flags %s: read again %v, want %v", flags, got, soon)
		}
		m.after(recheck, nil)
		m.after(time.Second, nil)
		m.wantRaw(informationSet, "0,1", raws{"Processor Frequency": 2600})
	}
}
