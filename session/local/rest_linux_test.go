package local

import (
	"strings"
	"testing"
	"time"

	"perfdeck/session"
)

// alone is a stat line of a process with one thread.
func alone(pid, user, start int) string {
	return strings.Replace(statLine(pid, "a", user, start), " -5 4 0 ", " 0 1 0 ", 1)
}

// resting is a machine with one process whose schedstat says when it ran.
func resting(t *testing.T) *machine {
	t.Helper()
	m := newMachine(t, map[string]string{
		"proc/stat": twoCPUs, "proc/self/schedstat": "1 1 1\n", "proc/10/stat": alone(10, 10, 1), "proc/10/schedstat": "300000000 5 6\n",
		"proc/10/status": processStatus, "proc/10/statm": "2000 25 10 1 0 1 0\n", "proc/10/io": processIO,
	})
	m.kept = 100
	m.open()
	m.sel(allOf(m.catalogue.Set("Process"))) // no facts: a state may change at any moment
	m.read()
	return m
}

func TestTimeOfOneThreadIsPrecise(t *testing.T) {
	m := resting(t)
	m.wantRaw("Process", "a", raws{"% Processor Time": 3_000_000, "% User Time": 1_000_000})
	// It ran 1.234567 ms, of which stat shows nothing yet.
	m.after(time.Second, map[string]string{"proc/10/schedstat": "301234567 5 7\n"})
	m.wantRaw("Process", "a", raws{"% Processor Time": 3_012_345})
	// Threads of it worked 2 s and ended: schedstat never hears of them.
	m.after(time.Second, map[string]string{"proc/10/schedstat": "301234567 5 8\n", "proc/10/stat": alone(10, 210, 1)})
	m.wantRaw("Process", "a", raws{"% Processor Time": 23_000_000})
}

func TestProcessThatRestsIsNotReadAgain(t *testing.T) {
	m := resting(t)
	m.after(time.Second, nil)
	// Nothing of this can be while it rests, so that it shows what is read.
	other := map[string]string{
		"proc/10/stat": alone(10, 50, 1), "proc/10/io": strings.Replace(processIO, "1000", "9999", 1),
		"proc/10/status": strings.Replace(processStatus, "9000", "9999", 1),
	}
	m.after(time.Second, other)
	m.wantRaw("Process", "a", raws{"% User Time": 1_000_000, "IO Read Bytes/sec": 1000, "Virtual Bytes Peak": 9000 << 10})
	m.after(time.Second, map[string]string{"proc/10/schedstat": "300000001 5 7\n"})
	m.wantRaw("Process", "a", raws{"% User Time": 5_000_000, "IO Read Bytes/sec": 9999, "Virtual Bytes Peak": 9999 << 10})
}

func TestProcessThatRestsIsReadWhen(t *testing.T) {
	changed := map[string]string{"proc/10/stat": strings.Replace(alone(10, 10, 1), "S 1 1", "S 99 1", 1)}
	parent := func(m *machine) uint64 { return m.reading("Process", "a", "Creating Process ID").Raw }
	for name, cause := range map[string]func(*machine){
		"memory was taken from it": func(m *machine) {
			m.after(time.Second, map[string]string{"proc/10/statm": "2000 20 10 1 0 1 0\n"})
		},
		"10 s went by": func(m *machine) { m.after(recheck, nil) },
		"more is wanted": func(m *machine) {
			m.sel(allOf(m.catalogue.Set("Process")))
			m.after(time.Second, nil)
		},
	} {
		m := resting(t)
		if name == "more is wanted" {
			set := m.catalogue.Set("Process")
			i, _ := set.Counter("Creating Process ID")
			m.sel(session.Want{Set: set, Counters: []int{i}})
			m.after(recheck, nil)
		}
		m.after(time.Second, nil)
		m.after(time.Second, changed)
		if got := parent(m); got != 1 {
			t.Errorf("%s: the parent was %d before", name, got)
		}
		cause(m)
		if got := parent(m); got != 99 {
			t.Errorf("%s: the parent is %d", name, got)
		}
	}
}

func TestStateOfProcessThatRests(t *testing.T) {
	m := resting(t)
	m.watch("Process") // with all facts
	m.after(time.Second, nil)
	m.after(time.Second, map[string]string{"proc/10/stat": strings.Replace(alone(10, 10, 1), ") S", ") R", 1)})
	if got := m.fact("Process", "a", factState); got != "running" {
		t.Errorf("state %q", got)
	}
}

func TestOnlyWhatIsDueIsRead(t *testing.T) {
	m := newMachine(t, map[string]string{"proc/stat": twoCPUs, "proc/10/stat": statLine(10, "a", 0, 1)})
	m.watch("System", "Process")
	m.batch.Due = []bool{true, false}
	m.after(time.Second, nil)
	if n := len(m.set("Process").Instances); n != 0 || len(m.set("System").Instances) != 1 {
		t.Errorf("%d processes were read", n)
	}
	m.batch.Due = []bool{false, true}
	m.after(time.Second, nil)
	if n := len(m.set("System").Instances); n != 0 || len(m.set("Process").Instances) != 3 {
		t.Errorf("%d rows of System were read", n)
	}
}
