package deck

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/fake"
	"perfdeck/tui/pane"
)

// machine is what a host of the matrix shows: each value by second, the last one for good.
type machine struct {
	name    string
	isLinux bool
	cpus    int
	// in percent, GB and MB/s
	cpu, queue, available, committed, pages, read, write, transfer, waiting, received, sent, packets fake.Motion
	memory                                                                                           float64 // GB
	processes                                                                                        []fake.Row
}

const mega, giga = 1 << 20, 1 << 30

// quiet is a host on which little happens.
func quiet(name string) machine {
	c := fake.Const
	return machine{
		name: name, cpus: 4, cpu: c(12.5), queue: c(1), available: c(6), committed: c(30), pages: c(5), read: c(1), write: c(2),
		transfer: c(0.001), waiting: c(0), received: c(3), sent: c(4), packets: c(500), memory: 8,
		processes: []fake.Row{{Name: "busy", Number: 7, Is: map[string]fake.Motion{"% Processor Time": c(9)}}, {Name: "less", Number: 8}},
	}
}

func gaugeOf(name string, is fake.Motion) fake.Counter {
	return fake.Counter{Name: name, Type: cooker.CounterLargeRawCount, Is: is}
}

func percentOf(name string, is fake.Motion) fake.Counter {
	return fake.Counter{Name: name, Type: cooker.LargeRawFraction, Is: is}
}

func rateOf(name string, is fake.Motion) fake.Counter {
	return fake.Counter{Name: name, Type: cooker.CounterBulkCount, Is: is}
}

// script is the host with the countersets that Windows or Linux hosts have.
func (m machine) script() fake.Script {
	total := func() []fake.Row { return []fake.Row{{Name: "_Total"}} }
	processors := fake.Set{
		Name: "Processor Information", Instances: session.MultipleInstances,
		Counters: []fake.Counter{percentOf("% Processor Time", m.cpu)}, Rows: []fake.Row{{Name: "_Total", Is: map[string]fake.Motion{"% Processor Time": m.cpu}}},
	}
	for i := range m.cpus {
		processors.Rows = append(processors.Rows, fake.Row{Name: fmt.Sprintf("0,%d", i)})
	}
	sets := []fake.Set{
		processors,
		{Name: "System", Counters: []fake.Counter{gaugeOf("Processor Queue Length", m.queue)}},
		{Name: "Memory", Counters: []fake.Counter{
			gaugeOf("Available Bytes", fake.Times(giga, m.available)), percentOf("% Committed Bytes In Use", m.committed), rateOf("Pages/sec", m.pages),
		}},
		{Name: "PhysicalDisk", Instances: session.MultipleInstances, Rows: total(), Counters: []fake.Counter{
			gaugeOf("Disk Read Bytes/sec", fake.Times(mega, m.read)), gaugeOf("Disk Write Bytes/sec", fake.Times(mega, m.write)),
			{Name: "Avg. Disk sec/Transfer", Type: cooker.AverageTimer, Is: m.transfer}, gaugeOf("Current Disk Queue Length", m.waiting),
		}},
		{Name: "Network Interface", Instances: session.MultipleInstances, Rows: []fake.Row{{Name: "eth0"}}, Counters: []fake.Counter{
			gaugeOf("Bytes Received/sec", fake.Times(mega, m.received)), gaugeOf("Bytes Sent/sec", fake.Times(mega, m.sent)),
			rateOf("Packets Received/sec", m.packets), gaugeOf("Packets Received Errors", fake.Const(0)),
		}},
		{Name: "Process", Instances: session.MultipleInstances, Rows: m.processes, Counters: []fake.Counter{percentOf("% Processor Time", fake.Const(1))}},
	}
	if m.isLinux {
		sets[2].Counters = append(sets[2].Counters, gaugeOf("Physical Bytes", fake.Const(m.memory*giga)))
	} else {
		sets = append(sets, fake.Set{Name: "NUMA Node Memory", Instances: session.MultipleInstances, Rows: total(), Counters: []fake.Counter{
			gaugeOf("Total MBytes", fake.Const(m.memory*1024)),
		}})
	}
	for i := range sets { // totals have values of their own
		for r := range sets[i].Rows {
			if row := &sets[i].Rows[r]; row.Name == "_Total" {
				row.Is = map[string]fake.Motion{}
				for _, c := range sets[i].Counters {
					row.Is[c.Name] = c.Is
				}
			}
		}
	}
	return fake.Script{Name: m.name, Sets: sets}
}

// silentFrom is a host that does not answer from a time on; 0: never.
func silentFrom(name string, from time.Duration) fake.Script {
	s := quiet(name).script()
	s.Faults = []fake.Fault{{Window: fake.Window{From: from}, Err: fake.Denied(name)}}
	if from > 0 {
		s.Faults[0].Err = errors.New("read: connection reset by peer")
	}
	return s
}

// lines are those of the canvas that hold a text.
func (r *rig) lines(text string) (at []int) {
	for y, row := range r.Canvas.Rows() {
		if strings.Contains(row, text) {
			at = append(at, y)
		}
	}
	return at
}

// TestMatrix holds at every size for any number of hosts: a band for each that answers as
// long as they have room, all with the same rows and columns; those that never answered
// take two lines at the end.
func TestMatrix(t *testing.T) {
	columns := func(w int) []string {
		switch {
		case w >= 134:
			return []string{"Memory", "PhysicalDisk", "Network", "Process"}
		case w >= 107:
			return []string{"Memory", "PhysicalDisk", "Network"}
		case w >= 80:
			return []string{"Memory", "Network"}
		}
		return nil // rows of one column tell more than two
	}
	for _, hosts := range []int{2, 3, 4, 5, 7, 9} {
		var scripts []fake.Script
		for i := range hosts {
			m := quiet(fmt.Sprint("host", i))
			m.isLinux = i%2 == 1
			scripts = append(scripts, m.script())
		}
		for _, never := range []int{0, 1, 2} {
			for i := range min(never, hosts-1) {
				scripts[hosts-1-i] = silentFrom(fmt.Sprint("host", hosts-1-i), 0)
			}
			onDeck(t, 60, 13, scripts, func(r *rig) {
				r.pass(4)
				for _, w := range []int{60, 79, 80, 106, 107, 120, 133, 134, 160, 200, 250} {
					for _, h := range []int{11, 13, 22, 34, 46, 58, 68} {
						r.Resize(w, h)
						r.checkMatrix(t, hosts-min(never, hosts-1), min(never, hosts-1), columns(w))
					}
				}
			})
		}
	}
}

func (r *rig) checkMatrix(t *testing.T, answer, never int, columns []string) {
	t.Helper()
	w, h := r.Canvas.Size()
	fail := func(format string, args ...any) {
		t.Helper()
		t.Fatalf("%dx%d, %d hosts and %d silent: %s\n%s", w, h, answer, never, fmt.Sprintf(format, args...), r.Text())
	}
	quietRows := 2 * min(never, max(0, min(h/2, h-3)/2))
	bands := min(answer, max(1, (h-quietRows)/3))
	lead, second := r.lines("Proc Time"), r.lines("▀ Received")
	if len(lead) != bands || w >= 80 && w < 134 && bands > 1 && !slices.Equal(lead, second) {
		fail("%d bands, want %d; columns in lines %v and %v", len(lead), bands, lead, second)
	}
	var titles []int
	for y, row := range r.Canvas.Rows() {
		if strings.Contains(row, " host") && strings.ContainsAny(row[:3], "─━") && !strings.Contains(row, "access denied") {
			titles = append(titles, y)
			if at := titles[len(titles)-1]; strings.Contains(row, "100 %") && (at+1 >= h || strings.Contains(r.Canvas.Rows()[at+1], "Proc Time")) {
				fail("a scale without a graph")
			}
			for _, c := range columns {
				// It may stand in place of the last, or in a tier below.
				if !strings.Contains(row, c) && !strings.Contains(row, "2 Fleet") && (bands > 1 || len(r.lines(" "+c+" ")) == 0) {
					fail("no column %s in %q", c, row)
				}
			}
		}
	}
	if len(titles) != bands || titles[0] != 0 {
		fail("titles in lines %v", titles)
	}
	if bands < answer && (len(r.lines("of "+fmt.Sprint(answer)+", 2 Fleet")) != 1 || answer < 3) {
		fail("nothing tells of the others")
	}
	if quietRows > 0 {
		if at := r.lines("access denied "); len(at) == 0 || at[0] != h-quietRows {
			fail("silent hosts in lines %v", at)
		}
	}
	if rows := r.Canvas.Rows(); h >= 3*bands+quietRows && strings.TrimSpace(rows[h-1]) == "" {
		fail("the last line is blank")
	}
	per := (h - quietRows) / bands // rows of the lowest band
	for _, c := range []struct {
		least int
		text  string
	}{{7, "Queue Len"}, {6, "busy"}, {3, "Proc Time"}, {7, "less"}} {
		if c.text != "Queue Len" && (w >= 134 || w < 107) && c.text != "Proc Time" || w < 80 { // they have a column, or others come first
			continue
		}
		if per >= c.least && len(r.lines(c.text)) < bands {
			fail("%q is not shown of each of %d rows", c.text, per)
		}
	}
}

// A host that had values keeps its place and them, old, and says so in its title.
func TestStaleHostInMatrix(t *testing.T) {
	onDeck(t, 120, 34, []fake.Script{quiet("one").script(), silentFrom("two", 6*time.Second), quiet("three").script()}, func(r *rig) {
		r.pass(4)
		before := r.lines("two ")
		r.pass(12)
		if at := r.lines("two "); !slices.Equal(at, before) || len(r.lines("Proc Time")) != 3 {
			t.Errorf("lines %v were %v:\n%s", at, before, r.Text())
		}
		if row := r.Canvas.Rows()[before[0]]; !strings.Contains(row, "~ two stale") && !strings.Contains(row, "~ two retrying") {
			t.Errorf("its title is %q", row)
		}
		if rows := r.Canvas.Rows(); !strings.Contains(rows[before[0]+7], "~12.5") {
			t.Errorf("its value is not marked as old:\n%s", r.Text())
		}
	})
}

// One scale for a column, unless each host is to have its own; units stay those of all.
func TestMatrixScales(t *testing.T) {
	small, large := quiet("small"), quiet("large")
	small.read, large.read = fake.Const(0.6), fake.Const(95.9)
	onDeck(t, 120, 34, []fake.Script{small.script(), large.script()}, func(r *rig) {
		r.pass(4)
		r.Shows("0.60 MB/s", "95.9  MB/s")
		if n := len(r.lines("PhysicalDisk ")); n != 2 || len(r.lines("─ 100 MB/s")) != 1 || len(r.lines("━ 100 MB/s")) != 1 {
			t.Errorf("not one scale:\n%s", r.Text())
		}
		r.Press("=")
		r.pass(1)
		r.Shows("own 2 MB/s", "own 100 MB/s")
		r.Press("=")
		r.pass(1)
		r.Hides("own")
	})
}

// Keys go down a column from host to host, and across columns, and never to a value that
// is not to be seen.
func TestMatrixKeys(t *testing.T) {
	scripts := []fake.Script{quiet("one").script(), quiet("two").script()}
	for _, c := range []struct {
		w, h int
		keys []string
		want string // in the selected line behind the mark
	}{
		{120, 34, []string{"down"}, "Queue Len"},
		{120, 34, []string{"down", "down"}, "busy"},
		{120, 34, []string{"down", "down", "down", "down"}, "█ Proc Time"},
		{120, 34, []string{"l"}, "█ Used"},
		{120, 34, []string{"l", "l", "j"}, "▄ Write"},
		{120, 34, []string{"l", "l", "l", "l", "l"}, "▀ Received"},
		{120, 34, []string{"l", "tab"}, "█ Used"},
		{120, 34, []string{"l", "G"}, "Faults/sec"},
		{120, 34, []string{"l", "G", "g"}, "█ Used"},
		{80, 22, []string{"l", "l", "j", "j"}, "Pkts Recv"},
		{80, 22, []string{"l", "h", "j"}, "Queue Len"},
		{200, 58, []string{"l", "l", "l", "l"}, "busy"},
	} {
		onDeck(t, c.w, c.h, scripts, func(r *rig) {
			r.pass(4)
			r.Press(c.keys...)
			r.Draw()
			if got := r.Row("►"); !strings.HasPrefix(strings.TrimSpace(got[strings.Index(got, "►")+len("►"):]), c.want) {
				t.Errorf("%dx%d %v selects %q, want %q:\n%s", c.w, c.h, c.keys, got, c.want, r.Text())
			}
		})
	}
}

// In a band of tiers keys go to the column beside in the same tier, and down to the tier below before the next host.
func TestMatrixKeysInTiers(t *testing.T) {
	for keys, want := range map[string]string{ // in the selected line behind the mark
		"l": "█ Used", "ll": "busy", "lll": "busy", "llh": "█ Used", "llhh": "█ Proc Time",
		"jjjjjjj": "Up Time", "jjjjjjjj": "▀ Read", "jjjjjjjjj": "▄ Write", "jjjjjjjjk": "Up Time",
		"jjjjjjjjl": "▀ Received", "jjjjjjjjll": "busy", "jjjjjjjjlh": "▀ Read", "jjjjjjjjg": "█ Proc Time",
		"ljjjjjj": "▀ Received", "Gk": "sec/Write", "GGg": "█ Proc Time", "lGk": "sec/Write",
	} {
		onDeck(t, 200, 58, []fake.Script{quiet("one").script(), silentFrom("two", 0)}, func(r *rig) {
			r.pass(4)
			for _, key := range keys {
				r.Press(string(key))
				r.Draw()
			}
			if got := r.Row("►"); !strings.HasPrefix(strings.TrimSpace(got[strings.Index(got, "►")+len("►"):]), want) {
				t.Errorf("%s selects %q, want %q:\n%s", keys, got, want, r.Text())
			}
		})
	}
}

// More values than have room scroll with the selection, on all hosts alike.
func TestMatrixScrolls(t *testing.T) {
	onDeck(t, 120, 10, []fake.Script{quiet("one").script(), quiet("two").script()}, func(r *rig) {
		r.pass(4)
		r.Press("l", "l", "j", "j", "j")
		r.pass(1)
		if n := len(r.lines("Queue Len")); n != 2 {
			t.Errorf("the last value is shown of %d hosts:\n%s", n, r.Text())
		}
	})
}

// clickOn clicks on the n-th place that shows a text, and lets go there.
func (r *rig) clickOn(text string, n int) {
	r.Helper()
	for y, row := range r.Canvas.Rows() {
		for from := 0; ; {
			i := strings.Index(row[from:], text)
			if i < 0 {
				break
			}
			if n == 0 {
				r.clickAt(len([]rune(row[:from+i])), y)
				return
			}
			n, from = n-1, from+i+len(text)
		}
	}
	r.Fatalf("%q is not shown:\n%s", text, r.Text())
}

func (r *rig) clickAt(x, y int) {
	r.Helper()
	hit, ok := r.HitAt(x, y)
	if !ok {
		r.Fatalf("nothing lies at %d,%d:\n%s", x, y, r.Text())
	}
	r.Run(func() { r.book.Click(hit, tea.MouseLeft) })
	r.Run(func() { r.book.Grip(hit, x, y) })
	r.Run(func() { r.book.Drag(hit, x, y, true) })
	r.Draw()
}

// Clicks on the matrix.
func TestMatrixClicks(t *testing.T) {
	scripts := []fake.Script{quiet("one").script(), quiet("two").script(), silentFrom("mute", 0)}
	onDeck(t, 120, 34, scripts, func(r *rig) {
		r.pass(6)
		r.clickOn("Write", 1)
		if got := r.Row("►"); !strings.Contains(got, "► ▄ Write") || r.book.all.focus != 1 {
			t.Errorf("a click selects %q", got)
		}
		r.clickOn("Write", 1)
		if e, ok := r.Last().(pane.OpenExplain); !ok || e.Target.Host.Name != "two" {
			t.Errorf("again: %+v", r.Last())
		}
		r.clickOn("busy", 0)
		r.clickOn("busy", 0)
		if e, ok := r.Last().(pane.OpenTop); !ok || e.Key.Name != "busy" {
			t.Errorf("a process: %+v", r.Last())
		}
		r.clickOn("two since", 0)
		r.clickOn("two since", 0)
		if e, ok := r.Last().(pane.OpenHost); !ok || e.Host.Name != "two" {
			t.Errorf("its title: %T of %s", r.Last(), e.Host.Name)
		}
		r.clickOn("since", 0)
		if r.Desk.DeckSpan != 5*time.Minute {
			t.Errorf("the span is %v", r.Desk.DeckSpan)
		}
		r.clickOn("4 MB/s", 0)
		r.pass(1)
		r.Shows("=4 MB/s")
		r.clickOn("=4 MB/s", 0)
		r.pass(1)
		r.Hides("=4 MB/s")
		r.clickOn("R retry", 0)
		if e, ok := r.Last().(pane.RetryHost); !ok || e.Host.Name != "mute" {
			t.Errorf("R: %+v", r.Last())
		}
		r.Desk.DeckSpan = 0
		r.pass(10)
		x, y := 1+28-4, 2 // of the first graph: 4 cells before its end
		r.clickAt(x, y)
		if e, ok := r.Last().(pane.MoveTo); !ok || e.At.IsZero() || r.Desk.Now().Sub(e.At) < 5*time.Second || r.Desk.Now().Sub(e.At) > 9*time.Second {
			t.Errorf("a graph: %+v at %v", r.Last(), r.Desk.Now())
		}
	})
}

// In the matrix graphs of a band are of one height, whether processes have a column of
// their own or not; the name of a host is whole where it has room, else it leaves some for the span.
func TestMatrixBands(t *testing.T) {
	const long = "sql-reporting-03.frankfurt.example.com"
	for _, w := range []int{114, 120, 149, 150, 160, 200, 250} {
		onDeck(t, w, 34, []fake.Script{quiet(long).script(), quiet("127.0.0.1:14601").script()}, func(r *rig) {
			r.pass(5)
			rows := strings.Split(r.Text(), "\n")
			at := func(text string) int {
				return slices.IndexFunc(rows, func(row string) bool { return strings.Contains(row, text) })
			}
			if cpu, memory := at("Proc Time"), at("Used"); cpu != memory || cpu < 2 {
				t.Errorf("%d cells wide: the values begin in rows %d and %d:\n%s", w, cpu, memory, r.Text())
			}
			if w >= 120 && strings.Contains(rows[0], "since") == strings.Contains(rows[0], long) || !strings.Contains(rows[0], "sql") || !strings.Contains(rows[0], "com") {
				t.Errorf("%d cells wide: the title is %q", w, rows[0])
			}
			for _, want := range []string{" 127.0.0.1:14601 ", "Proc Time", "Queue Len", "Used", "Read", "Write", "Received", "Sent"} {
				if at(want) < 0 {
					t.Errorf("%d cells wide: no %s", w, want)
				}
			}
		})
	}
}

// A host whose memory has no limit that it gives has no graph among shares of limits: its amount
// would be measured by 100.
func TestMatrixOfSharesAndAmounts(t *testing.T) {
	with, without := quiet("with").script(), quiet("without").script()
	memory := slices.IndexFunc(without.Sets, func(s fake.Set) bool { return s.Name == "NUMA Node Memory" })
	without.Sets[memory].Counters = slices.Clone(without.Sets[memory].Counters)
	for i := range without.Sets[memory].Counters {
		without.Sets[memory].Counters[i].Absent = "not there"
	}
	onDeck(t, 120, 34, []fake.Script{with, without}, func(r *rig) {
		r.pass(4)
		r.Shows("100 %")
		r.Hides(" 0 GB", " 0 MB ", " 0 B ")
	})
}

// The histories of the processes of all hosts have one scale: what is nothing beside the
// busiest stands low. With = each host has its own.
func TestProcessesOfHostsShareAScale(t *testing.T) {
	busy, calm := quiet("busy"), quiet("calm")
	of := func(name string, percent float64) []fake.Row {
		return []fake.Row{{Name: name, Number: 7, Is: map[string]fake.Motion{"% Processor Time": fake.Const(percent)}}}
	}
	busy.processes, calm.processes = of("first", 900), of("second", 12)
	for _, w := range []int{190, 200} {
		onDeck(t, w, 40, []fake.Script{busy.script(), calm.script()}, func(r *rig) {
			r.pass(25)
			row := func(name string) string {
				_, rest, _ := strings.Cut(r.Row(name), name)
				return rest[:min(len(rest), 60)]
			}
			if first, second := row("first"), row("second"); !strings.Contains(first, "▇▇") || !strings.Contains(second, "▁▁") || strings.Contains(second, "▇") {
				t.Errorf("%d cells:\n%q\n%q", w, first, second)
			}
			r.Press("=")
			r.pass(1)
			if second := row("second"); !strings.Contains(second, "▆▆") && !strings.Contains(second, "▇▇") {
				t.Errorf("%d cells, of its own: %q", w, second)
			}
		})
	}
}

// Processes fill the height of their column, and names the cells beside their numbers.
func TestProcessesFillTheirColumn(t *testing.T) {
	m := quiet("one")
	m.processes = nil
	for i := range 80 {
		m.processes = append(m.processes, fake.Row{Name: "tmux: server", Number: uint64(22900 + i), Is: map[string]fake.Motion{"% Processor Time": fake.Const(float64(i))}})
	}
	onDeck(t, 200, 60, []fake.Script{m.script(), silentFrom("two", 0)}, func(r *rig) {
		r.pass(5)
		if n := strings.Count(r.Text(), "tmux: server 229"); n < 50 {
			t.Errorf("%d processes:\n%s", n, r.Text())
		}
	})
}

// A host of which nothing tells how much memory it has shows what is left of it once; beside
// one that draws what is used its rows stand level with those of that.
func TestMatrixWithoutLimit(t *testing.T) {
	unlimited := func(name string) fake.Script {
		s := quiet(name).script()
		s.Sets = s.Sets[:len(s.Sets)-1] // the one that has the limit
		return s
	}
	rows := func(r *rig, x int) (out []string) {
		for _, row := range r.Canvas.Rows() {
			if name := strings.Fields(string([]rune(row)[x:]) + " -"); slices.Contains([]string{"Used", "Available", "Committed", "Pages/sec"}, name[0]) {
				out = append(out, name[0])
			}
		}
		return out
	}
	const memory = 34 // the second column
	for name, c := range map[string]struct {
		hosts []fake.Script
		want  string
	}{
		"none has": {[]fake.Script{unlimited("a"), unlimited("b")}, "Available Committed Pages/sec Available Committed Pages/sec"},
		"one has":  {[]fake.Script{quiet("a").script(), unlimited("b")}, "Used Available Committed Pages/sec Used Available Committed Pages/sec"},
		"all have": {[]fake.Script{quiet("a").script(), quiet("b").script()}, "Used Available Committed Pages/sec Used Available Committed Pages/sec"},
	} {
		onDeck(t, 120, 34, c.hosts, func(r *rig) {
			r.pass(5)
			if got := strings.Join(rows(r, memory), " "); got != c.want {
				t.Errorf("%s: %s, want %s\n%s", name, got, c.want, r.Text())
			}
			if name != "one has" {
				return
			}
			said, drawn := r.lines("Used          none"), r.lines("25.0  %")
			if len(said) != 1 || len(drawn) != 1 || drawn[0]+17 != said[0] {
				t.Errorf("what it lacks stands in lines %v, what the other has in %v:\n%s", said, drawn, r.Text())
			}
		})
	}
	onDeck(t, 59, 34, []fake.Script{unlimited("a"), unlimited("b")}, func(r *rig) { // rows
		r.pass(5)
		if got := r.lines("Available"); len(got) != 2 {
			t.Errorf("hosts in lines %v tell what is left:\n%s", got, r.Text())
		}
	})
}

// Rows of instances say which they are, and what has no room is counted.
func TestMatrixOfInstances(t *testing.T) {
	for _, size := range [][2]int{{60, 15}, {100, 30}, {120, 36}, {200, 60}} {
		onDeck(t, size[0], size[1], nil, func(r *rig) {
			for _, name := range []string{"one", "two"} {
				m := quiet(name)
				m.cpus = 24
				r.comes(m.script(), `\Processor Information(*)\% Processor Time`, `\Memory\*`)
			}
			r.pass(4)
			text, shown, hidden := r.Text(), 0, 0
			for i := range 24 {
				shown += strings.Count(text, fmt.Sprintf("0,%d ", i))
			}
			for _, row := range r.lines("+") {
				_, count, _ := strings.Cut(r.Canvas.Rows()[row], "+")
				n := 0
				fmt.Sscanf(count, "%d more", &n)
				hidden += n
			}
			if shown < 4 || shown+hidden < 2*24 {
				t.Errorf("%v: %d instances are named and %d counted, want all of 48:\n%s", size, shown, hidden, text)
			}
		})
	}
}

// What a user names is shown beside other hosts under its name and in its own unit: the busiest of
// processes first, as in a pane that is added, and of lists the title tells which counter it is.
func TestMatrixOfPathsAsNamed(t *testing.T) {
	list := []string{`\Memory\Available Bytes`, `\PhysicalDisk(*)\Disk Read Bytes/sec`, `\System\Processor Queue Length`, `\Process(*)\% Processor Time`}
	for _, c := range []struct {
		w, h  int
		shows []string
	}{
		{40, 10, []string{"  Queue Len ", "Read 0 C: ", "█ Available   921.6  MB "}},
		{120, 34, []string{"    Read 0 C: ", "    Read _Total ", "Process Processor Time", "921.6  MB", "   busy "}},
		{200, 58, []string{"Process Processor Time", "   busy    ", "Available   921.6  MB"}},
	} {
		onDeck(t, c.w, c.h, nil, func(r *rig) {
			for _, name := range []string{"one", "two"} {
				m := quiet(name)
				m.available = fake.Const(0.9)
				m.processes = []fake.Row{{Name: "idler", Number: 3, Facts: []string{"ana"}}, {Name: "busy", Number: 7, Facts: []string{"ana"}, Is: map[string]fake.Motion{"% Processor Time": fake.Const(9)}}}
				s := m.script()
				for i := range s.Sets {
					switch set := &s.Sets[i]; set.Name {
					case "Process":
						set.Facts = []string{"user"}
					case "PhysicalDisk":
						set.Rows = append([]fake.Row{{Name: "0 C:"}}, set.Rows...)
					}
				}
				r.comes(s, list...)
			}
			r.pass(4)
			r.Shows(c.shows...)
			if x, y, ok := r.Find("idler "); ok {
				if _, first := r.MustFind("busy "); first > y {
					t.Errorf("%d cells: who does more stands below, at %d,%d:\n%s", c.w, x, y, r.Text())
				}
			}
		})
	}
}

// Numbers of rows that stand in a column of instances from another pane end where those of the
// instances do.
func TestMatrixColumnsAlign(t *testing.T) {
	for _, size := range [][2]int{{40, 10}, {60, 20}} {
		onDeck(t, size[0], size[1], nil, func(r *rig) {
			for _, name := range []string{"one", "two"} {
				r.comes(quiet(name).script(), `\Processor Information(*)\% Processor Time`, `\Memory\Available Bytes`, `\System\Processor Queue Length`)
			}
			r.pass(4)
			x, _ := r.MustFind("12.5 ")
			if q := []rune(r.Row("Queue Len")); string(q[x:x+2]) != " 1" {
				t.Errorf("%v: %q:\n%s", size, string(q), r.Text())
			}
		})
	}
}

// Each counter of processes that a user names has a column of the busiest by it.
func TestMatrixOfCountersOfProcesses(t *testing.T) {
	onDeck(t, 120, 34, nil, func(r *rig) {
		for _, name := range []string{"one", "two"} {
			r.comes(computer(name, 40, 0), `\Process(*)\Thread Count`, processorTime, available)
		}
		r.pass(4)
		r.Shows("one Thread Count", "Process Processor Time", "Memory ")
		if n := strings.Count(r.Text(), "worker-1 "); n != 4 {
			t.Errorf("a process is shown %d times:\n%s", n, r.Text())
		}
	})
}

// Each kind that a pane goes through beside other hosts is another picture, until it is as it was.
func TestKindsBeside(t *testing.T) {
	onDeck(t, 120, 30, []fake.Script{quiet("one").script(), quiet("two").script()}, func(r *rig) {
		r.pass(5)
		r.Draw()
		was, first := r.book.all.focused().panes[0].kindBeside(), r.Text()
		for range 9 {
			before := r.Text()
			r.Press("v")
			r.pass(3)
			r.Draw()
			now := r.book.all.focused().panes[0].kindBeside()
			if r.Text() == before || !strings.Contains(r.Said(), now.String()) {
				t.Errorf("drawn as %s: %q\n%s", now, r.Said(), r.Text())
			}
			if now == was {
				if got := strings.Count(r.Text(), "Proc Time"); got != strings.Count(first, "Proc Time") {
					t.Errorf("it is not as it was:\n%s", r.Text())
				}
				return
			}
		}
		t.Error("it never is as it was")
	})
}

// Of the few busiest processes that have a row, one that ended takes none of a living one.
func TestBusiestLive(t *testing.T) {
	m := quiet("one")
	for i := range 9 {
		m.processes = append(m.processes, fake.Row{Name: fmt.Sprintf("lives-%d", i), Number: uint64(20 + i), Is: map[string]fake.Motion{"% Processor Time": fake.Const(2)}})
	}
	m.processes[0].Alive = fake.Window{To: 6 * time.Second}
	onDeck(t, 120, 30, []fake.Script{m.script(), quiet("two").script()}, func(r *rig) {
		for range 9 {
			r.pass(1)
			r.Draw()
			r.Hides("gone")
		}
		r.Shows("lives-")
	})
}
