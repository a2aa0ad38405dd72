package local

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
)

// Independent tools watch the same seconds as we do. When exactly they read is
// not known, only that it was between their start and their end; we read all
// the time, and a value agrees if it is ours in a window of that length.
const (
	watched  = 4 * time.Second
	readings = 20 * time.Millisecond
)

// counterPath names one of our counters.
type counterPath struct{ set, instance, counter string }

// expectation is one value of a tool, and the counters of ours whose values,
// times a factor, add up to it.
type expectation struct {
	what   string
	theirs float64
	ours   []counterPath
	factor float64
	share  float64 // tolerated, of their value
	room   float64 // tolerated besides
}

// window holds what we read, and what the tools wrote.
type window struct {
	t      *testing.T
	paths  []counterPath
	moment []time.Duration
	rows   [][]moment
	tools  map[string]*watchingTool
	began  time.Time
}

type moment struct {
	cooker.Reading
	clocks cooker.Clocks
	kind   cooker.CounterType
}

type watchingTool struct {
	lines    [][]string
	from, to time.Duration
	err      error
}

// tools are run side by side. All write in the way of the C locale.
func tools(pids []int) map[string][]string {
	seconds := strconv.Itoa(int(watched / time.Second))
	numbers := make([]string, len(pids))
	for i, pid := range pids {
		numbers[i] = strconv.Itoa(pid)
	}
	return map[string][]string{
		"mpstat":  {"-P", "ALL", seconds, "1"},
		"iostat":  {"-x", "-y", "-d", "-k", seconds, "1"},
		"sar":     {"-w", "-B", "-n", "DEV", "-n", "IP", "-n", "TCP", "-n", "UDP", seconds, "1"},
		"pidstat": {"-h", "-u", "-r", "-d", "-p", strings.Join(numbers, ","), seconds, "1"},
		"vmstat":  {"-n", seconds, "2"},
	}
}

func TestAsSysstat(t *testing.T) {
	pids := []int{os.Getpid(), makeLoad(t)}
	windows := []*window{watch(t, pids)}
	for _, check := range []struct {
		tool string
		by   func(*window, [][]string) []expectation
	}{
		{"mpstat", (*window).mpstat},
		{"iostat", (*window).iostat},
		{"sar", (*window).sar},
		{"pidstat", (*window).pidstat},
		{"vmstat", (*window).vmstat},
	} {
		t.Run(check.tool, func(t *testing.T) {
			const most = 4 // a busy machine lets a tool read long after it woke
			var bad []string
			isFair := false
			for n := range most {
				if n == len(windows) {
					t.Logf("again, for %s", strings.Join(bad, "; "))
					windows = append(windows, watch(t, pids))
				}
				if bad = windows[n].compare(t, check.tool, check.by); len(bad) == 0 {
					return
				}
				isFair = isFair || !windows[n].isHeldUp(check.tool)
			}
			if !isFair {
				t.Skipf("the machine is too busy to compare: %s", strings.Join(bad, "; "))
			}
			for _, b := range bad {
				t.Error(b)
			}
		})
	}
}

// watch runs the tools and reads all the while.
func watch(t *testing.T, pids []int) *window {
	t.Helper()
	w := &window{t: t, tools: make(map[string]*watchingTool), began: time.Now()}
	m := thisComputer(t, informationSet, "System", "Memory", "PhysicalDisk", "Network Interface", "IPv4", "TCPv4", "UDPv4", "Process")
	m.read()
	w.add(m) // the tools begin after this
	done := make(chan struct{})
	left := 0
	for name, args := range tools(pids) {
		tool := &watchingTool{from: time.Since(w.began)}
		w.tools[name] = tool
		left++
		go func() {
			tool.run(name, args)
			tool.to = time.Since(w.began)
			done <- struct{}{}
		}()
	}
	for left > 0 {
		m.read()
		w.add(m)
		select {
		case <-done:
			left--
		case <-time.After(readings):
		}
	}
	m.read()
	w.add(m)
	return w
}

func (w *watchingTool) run(name string, args []string) {
	program, err := exec.LookPath(name)
	if err != nil {
		w.err = err
		return
	}
	cmd := exec.Command(program, args...)
	cmd.Env = append(cmd.Environ(), "LC_ALL=C")
	out, err := cmd.Output()
	w.err = err
	for l := range strings.Lines(string(out)) {
		w.lines = append(w.lines, strings.Fields(l))
	}
}

// add keeps what was read now.
func (w *window) add(m *machine) {
	w.moment = append(w.moment, time.Since(w.began))
	row := make([]moment, 0, len(w.paths))
	index := make(map[counterPath]int, len(w.paths))
	for i, p := range w.paths {
		index[p] = i
		row = append(row, moment{Reading: missing(cooker.Gone)})
	}
	for s := range m.batch.Sets {
		b := &m.batch.Sets[s]
		for i := range b.Instances {
			name := instanceOf(b, i)
			for col, c := range b.Counters {
				p := counterPath{b.Set.Name, name, b.Set.Counters[c].Name}
				at, ok := index[p]
				if !ok {
					if b.Set.Name == "Process" && !strings.HasPrefix(name, "pid ") {
						continue
					}
					at = len(w.paths)
					w.paths, row = append(w.paths, p), append(row, moment{})
				}
				row[at] = moment{b.Row(i)[col], b.Clocks, b.Set.Counters[c].Type}
			}
		}
	}
	w.rows = append(w.rows, row)
}

// instanceOf names processes by their numbers.
func instanceOf(b *session.SetBatch, i int) string {
	if n := b.Instances[i].Number; b.Set.Name == "Process" && n > 0 {
		return "pid " + strconv.FormatUint(n, 10)
	}
	return b.Instances[i].Key.Name
}

// compare lists the values that do not agree in the span that fits best.
func (w *window) compare(t *testing.T, name string, by func(*window, [][]string) []expectation) (bad []string) {
	t.Helper()
	tool := w.tools[name]
	if tool.err != nil {
		t.Skipf("%s: %v", name, tool.err)
	}
	all := by(w, tool.lines)
	if len(all) == 0 {
		t.Skipf("%s writes something else: %v", name, tool.lines)
	}
	spans := w.spans(tool)
	if len(spans) == 0 {
		return []string{fmt.Sprintf("%d readings in %v are too few", len(w.moment), w.moment[len(w.moment)-1])}
	}
	for n, s := range spans {
		if here := w.differences(s, name, all); n == 0 || len(here) < len(bad) {
			bad = here
		}
	}
	return bad
}

// isHeldUp tells that the machine let us or the tool wait for so long that nobody knows
// what the tool saw.
func (w *window) isHeldUp(name string) bool {
	const late = watched / 20
	for i := 1; i < len(w.moment); i++ {
		if w.moment[i]-w.moment[i-1] > late {
			return true
		}
	}
	return w.tools[name].to-w.tools[name].from > watched+late
}

// differences are the values of a tool that do not agree with ours of a span.
func (w *window) differences(span [2]int, name string, all []expectation) (bad []string) {
	for i := range all {
		e := &all[i]
		ours, ok := w.cook(span[0], span[1], e)
		if !ok || math.Abs(ours-e.theirs) > e.share*math.Abs(e.theirs)+e.room {
			bad = append(bad, fmt.Sprintf("%s: %s has %g, we have %g (read: %v)", e.what, name, e.theirs, ours, ok))
		}
	}
	return bad
}

// spans are pairs of our readings that are about as far apart as those of a
// tool, and between its start and its end. On a busy computer we read less
// often, and less exactly when they did.
func (w *window) spans(tool *watchingTool) (out [][2]int) {
	slack := 4 * readings
	for i := 1; i < len(w.moment); i++ {
		slack = max(slack, min(w.moment[i]-w.moment[i-1], watched/20))
	}
	for i, from := range w.moment {
		for j := i + 1; j < len(w.moment) && from >= tool.from-slack && w.moment[j] <= tool.to+slack; j++ {
			if d := w.moment[j] - from - watched; d.Abs() <= slack {
				out = append(out, [2]int{i, j})
			}
		}
	}
	return out
}

func (w *window) cook(i, j int, e *expectation) (sum float64, ok bool) {
	for _, p := range e.ours {
		at := slices.Index(w.paths, p)
		if at < 0 || at >= len(w.rows[i]) {
			return 0, false
		}
		a, b := &w.rows[i][at], &w.rows[j][at]
		v := cooker.Cook(b.kind, &a.Reading, &b.Reading, &a.clocks, &b.clocks, nil)
		n, ok := v.Float()
		if !ok || !v.Status().Good() {
			return 0, false
		}
		sum += n * e.factor
	}
	return sum, len(e.ours) > 0
}
