package table

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/tui/canvas"
)

var start = time.Date(2026, 3, 2, 14, 7, 0, 0, time.UTC)

func counterOf(name string, t cooker.CounterType, k cooker.QuantityKind) session.Counter {
	return session.Counter{Name: name, Type: t, Quantity: cooker.Quantity{Kind: k}}
}

func processes() *session.Counterset {
	return &session.Counterset{Name: "Process", Instances: session.MultipleInstances, Facts: []string{"user", commandLine}, Counters: []session.Counter{
		counterOf("% Processor Time", cooker.Timer100ns, cooker.Percent), counterOf("% Privileged Time", cooker.Timer100ns, cooker.Percent),
		counterOf("Working Set", cooker.CounterLargeRawCount, cooker.Bytes), counterOf("IO Data Bytes/sec", cooker.CounterBulkCount, cooker.BytesPerSecond),
		counterOf("Thread Count", cooker.CounterRawCount, cooker.Count), counterOf("Page Faults/sec", cooker.CounterCounter, cooker.PerSecond),
	}}
}

// feed makes the views of a table, one a second.
type feed struct {
	table *Table
	view  *session.SetView
	tick  int
}

// proc is a process in a view.
type proc struct {
	name string
	pid  uint64
	cpu  float64
	mem  float64
	gone time.Time
}

func (f *feed) next(procs ...proc) Moment {
	f.tick++
	f.view = &session.SetView{Set: f.table.Set, Counters: []int{0, 2}, Time: start.Add(time.Duration(f.tick) * time.Second)}
	for _, p := range procs {
		f.view.Rows = append(f.view.Rows, session.Row{
			Instance: session.Instance{Key: session.InstanceKey{Name: p.name, ID: p.pid}, Number: p.pid}, Gone: !p.gone.IsZero(), Since: p.gone,
		})
		cpu, mem := cooker.FloatValue(p.cpu), cooker.FloatValue(p.mem)
		if !p.gone.IsZero() {
			cpu, mem = cooker.Absent(cooker.Gone), cooker.Absent(cooker.Gone)
		}
		f.view.Values = append(f.view.Values, cpu, mem)
	}
	return Moment{View: f.view}
}

func (f *feed) names() string {
	var out []string
	for _, r := range f.table.Rows() {
		out = append(out, f.view.Rows[r.At].Key.Name)
	}
	return strings.Join(out, " ")
}

// Each 2 s rows are sorted by what is shown, equal ones by memory; in between, and
// while keys are pressed, they stand still. New ones come last until they have a number:
// with that they go where it belongs at once, but not while keys are pressed.
func TestOrder(t *testing.T) {
	f := feed{table: New(processes(), nil, Screen)}
	now := start
	step := func(d time.Duration, hold bool, want string, procs ...proc) {
		t.Helper()
		now = now.Add(d)
		f.table.Arrange(f.next(procs...), Arranging{Now: now, Hold: hold})
		if got := f.names(); got != want {
			t.Errorf("after %v: %s, want %s", now.Sub(start), got, want)
		}
	}
	a, b, c, d := proc{name: "a", pid: 1, cpu: 5, mem: 10}, proc{name: "b", pid: 2, cpu: 9}, proc{name: "c", pid: 3, cpu: 5, mem: 20}, proc{name: "d", pid: 4, cpu: 50}
	step(0, false, "b c a", a, b, c)
	b.cpu = 1
	step(time.Second, true, "b c a d", a, b, c, d)
	step(0, false, "d b c a", a, b, c, d)
	step(time.Second, true, "d b c a", a, b, c, d)
	step(time.Second, true, "d b c", b, c, d)
	step(time.Second, false, "d c b", d, c, b)
	step(time.Second, false, "d c a b", d, a, c, b)
	f.table.Reverse = true
	f.table.Forget()
	step(time.Second, true, "b c a d", d, a, c, b)
	step(-time.Hour, false, "b c a d", a, b, c, d) // the clock was set back
	step(2*time.Second, false, "b c a d", a, b, c, d)
}

// Over a slow line rows trade places each 10 s, and at once when somebody asks.
func TestOrderOverASlowLine(t *testing.T) {
	f := feed{table: New(processes(), nil, Screen)}
	a, b := proc{name: "a", pid: 1, cpu: 5}, proc{name: "b", pid: 2, cpu: 9}
	for at := range 25 {
		if a.cpu = 5; at%2 == 1 {
			a.cpu = 50
		}
		if at == 13 {
			f.table.Forget()
		}
		m := f.next(a, b)
		m.Wipe = true
		f.table.Arrange(m, Arranging{Now: start.Add(time.Duration(at) * time.Second)})
		want := "b a" // as at 0 and 10 s
		if at >= 13 {
			want = "a b" // as at 13 and 23 s
		}
		if got := f.names(); got != want {
			t.Errorf("after %d s: %s, want %s", at, got, want)
		}
	}
}

// Rows are sorted with each second sample, though samples come some milliseconds early
// or late.
func TestOrderOfSamplesThatComeEarly(t *testing.T) {
	f := feed{table: New(processes(), nil, Screen)}
	a, b := proc{name: "a", pid: 1}, proc{name: "b", pid: 2, cpu: 9}
	for at := range 40 {
		a.cpu = 5
		if at/2%2 == 1 {
			a.cpu = 50
		}
		late := time.Duration(at*7%5) * 20 * time.Millisecond
		f.table.Arrange(f.next(a, b), Arranging{Now: start.Add(time.Duration(at)*time.Second + late)})
		want := "b a"
		if at/2%2 == 1 {
			want = "a b"
		}
		if got := f.names(); got != want {
			t.Errorf("sample %d: %s, want %s", at, got, want)
		}
	}
}

// An instance that ended says so in its place until the next sorting; who is chosen
// as long as the view shows it, in its place too.
func TestGone(t *testing.T) {
	for _, kept := range []bool{false, true} {
		f := feed{table: New(processes(), nil, Screen)}
		now, ended := start, time.Time{}
		shown := 0
		for tick := range 12 {
			a, b, c := proc{name: "a", pid: 1, cpu: 9}, proc{name: "b", pid: 2, cpu: 5}, proc{name: "c", pid: 3, cpu: 1}
			if tick >= 3 {
				if ended.IsZero() {
					ended = start.Add(time.Duration(f.tick+1) * time.Second) // of this sample
				}
				b.gone = ended
			}
			m := f.next(a, c, b)
			f.table.Arrange(m, Arranging{Now: now, Keeps: func(in *session.Row) bool { return kept && in.Key.Name == "b" }})
			now = now.Add(time.Second)
			switch got := f.names(); {
			case tick >= 3 && got == "a b c":
				shown++
			case tick < 3 && got != "a b c", tick >= 3 && got != "a c":
				t.Errorf("tick %d: %s", tick, got)
			}
		}
		if want := map[bool]int{false: 1, true: 9}[kept]; shown != want {
			t.Errorf("kept %v: shown as gone in %d samples, want %d", kept, shown, want)
		}
	}
}

// Whatever comes, goes and is filtered: each row that is listed has one line, in the
// order of its numbers after a sorting.
func TestOrderSwept(t *testing.T) {
	rng := rand.New(rand.NewPCG(18, 8))
	f := feed{table: New(processes(), nil, Screen)}
	alive := map[uint64]float64{}
	next := uint64(1)
	for tick := range 400 {
		for range rng.IntN(6) {
			alive[next], next = float64(rng.IntN(9)), next+1
		}
		var procs []proc
		for pid := range alive {
			if rng.IntN(9) == 0 {
				delete(alive, pid)
				continue
			}
			procs = append(procs, proc{name: fmt.Sprint("p", pid), pid: pid, cpu: alive[pid], mem: float64(pid)})
		}
		odd := tick%50 > 25
		lists := func(row int) bool { return !odd || f.view.Rows[row].Number%2 == 1 }
		f.table.Tree = tick%7 == 0
		f.table.Arrange(f.next(procs...), Arranging{Now: start.Add(time.Duration(tick) * time.Second), Anew: tick%3 == 0, Lists: lists})
		seen := map[int]bool{}
		var sorted []float64
		for _, r := range f.table.Rows() {
			if seen[r.At] || !lists(r.At) {
				t.Fatalf("tick %d: row %d has two lines or none to have", tick, r.At)
			}
			seen[r.At] = true
			n, _ := f.view.Values[2*r.At].Float()
			sorted = append(sorted, -n)
		}
		want := 0
		for i := range procs {
			if lists(i) {
				want++
			}
		}
		if len(seen) != want {
			t.Fatalf("tick %d: %d lines of %d rows", tick, len(seen), want)
		}
		if tick%3 == 0 && !slices.IsSorted(sorted) {
			t.Fatalf("tick %d: %v", tick, sorted)
		}
	}
}

// The heads of a table stand in one line, or in two where one is long, and name the
// unit apart from the name.
func TestHeads(t *testing.T) {
	set := &session.Counterset{Name: "Things", Instances: session.MultipleInstances, Counters: []session.Counter{
		counterOf("Rate /sec one", cooker.CounterCounter, cooker.PerSecond), counterOf("Bytes Received/sec", cooker.CounterBulkCount, cooker.BytesPerSecond),
		counterOf("Other", cooker.CounterRawCount, cooker.Count), counterOf("Bytes Sent/sec", cooker.CounterBulkCount, cooker.BytesPerSecond),
	}}
	for _, c := range []struct {
		set  *session.Counterset
		want []string
	}{
		{processes(), []string{"   instance     pid  user      % CPU ▼  last 60 s     % Priv   Mem B   IO B/s   Thr  command"}},
		{set, []string{
			"   instance   Rate /sec  last            Bytes      Bytes",
			"                  one ▼  60 s         Recv B/s   Sent B/s   Other",
		}},
	} {
		table := New(c.set, nil, Screen)
		view := &session.SetView{Set: c.set, Rows: []session.Row{{Instance: session.Instance{Key: session.InstanceKey{Name: "x"}, Number: 1}}}}
		table.Arrange(Moment{View: view}, Arranging{Now: start})
		table.Fit(3, 117)
		cells := canvas.New(120, 2, canvas.Full)
		table.DrawHeads(cells.Root(), 0, -1)
		for i, want := range c.want {
			if got := strings.TrimRight(cells.Rows()[i], " "); got != strings.TrimRight(want, " ") {
				t.Errorf("line %d of the heads of %s:\n%s, want\n%s", i, c.set.Name, got, want)
			}
		}
	}
}

func TestCommand(t *testing.T) {
	for line, want := range map[string]string{
		"":                             "",
		"/usr/bin/java -Xmx4g kafka":   "java -Xmx4g kafka",
		"postgres: app orders 10.2/32": "postgres: app orders 10.2/32",
		"nginx: worker /x":             "nginx: worker /x",
		"/":                            "/",
		"/usr/bin/":                    "/usr/bin/",
		"./a.out -x":                   "a.out -x",
		"[kworker/0:1]":                "[kworker/0:1]",
		`C:\Windows\system32\svchost.exe -k netsvcs`: "svchost.exe -k netsvcs",
		`"C:\Program Files\A B\a.exe" --x "y z"`:     `a.exe --x "y z"`,
		`"unclosed\a.exe --x`:                        `"unclosed\a.exe --x`,
		`\\server\share\run.exe`:                     "run.exe",
	} {
		if got := Command(line); got != want {
			t.Errorf("%q is %q, want %q", line, got, want)
		}
	}
}

// Whatever rows are sorted by, columns keep their places, and the history that stands there
// says whose it is where the sorted column has none.
func TestColumnsKeepTheirPlaces(t *testing.T) {
	for _, shape := range []Shape{Screen, Pane, Strip} {
		for w := 40; w < 180; w++ {
			f := feed{table: New(processes(), nil, shape)}
			m := f.next(proc{name: "a", pid: 123, cpu: 5, mem: 4 << 30}, proc{name: "b", pid: 21000, cpu: 9, mem: 1 << 20})
			fit := func() (out []int) {
				f.table.Arrange(m, Arranging{Now: start, Anew: true})
				f.table.Fit(3, w)
				for i := range f.table.Columns {
					out = append(out, f.table.Place(i).X*f.table.Place(i).W)
				}
				return out
			}
			fit()
			want := fit()
			cells := canvas.New(w+3, 1, canvas.Full)
			for i := range f.table.Columns {
				if f.table.Place(i).W == 0 || f.table.Columns[i].Kind == Spark {
					continue
				}
				f.table.Choose(i)
				if got := fit(); !slices.Equal(got, want) {
					t.Fatalf("shape %d, %d cells, sorted by %s: %v, want %v", shape, w, f.table.Columns[i].Head, got, want)
				}
				cells.Root().Fill(0, 0, w+3, 1, ' ', 0)
				f.table.DrawHeads(cells.Root(), 0, -1)
				head := cells.Rows()[0]
				if own := f.table.Columns[i].Kind == Counter; strings.Contains(head, "60 s") && own != strings.Contains(head, "last 60 s") {
					t.Errorf("sorted by %s: %s", f.table.Columns[i].Head, head)
				}
				if !strings.ContainsAny(head, "▼▲") {
					t.Errorf("%d cells, sorted by %s: %s", w, f.table.Columns[i].Head, head)
				}
			}
		}
	}
}

// That an instance is gone is said once.
func TestGoneIsSaidOnce(t *testing.T) {
	f := feed{table: New(processes(), nil, Screen)}
	f.table.SortBy(2)
	m := f.next(proc{name: "a", pid: 1, cpu: 9}, proc{name: "b", pid: 2, gone: start.Add(time.Hour)})
	f.table.Arrange(m, Arranging{Now: start})
	f.table.Fit(3, 117)
	cells := canvas.New(120, 1, canvas.Full)
	f.table.DrawRow(cells.Root(), 0, 1, &m)
	if row := cells.Rows()[0]; strings.Count(row, "gone") != 1 || !strings.Contains(row, "ended") {
		t.Errorf("%q", row)
	}
}

// A pair and its sum have one unit, that of the largest; other columns have their own.
func TestUnitsOfPairs(t *testing.T) {
	set := &session.Counterset{Name: "PhysicalDisk", Instances: session.MultipleInstances, Counters: []session.Counter{
		counterOf("Disk Bytes/sec", cooker.CounterBulkCount, cooker.BytesPerSecond), counterOf("Disk Read Bytes/sec", cooker.CounterBulkCount, cooker.BytesPerSecond),
		counterOf("Disk Write Bytes/sec", cooker.CounterBulkCount, cooker.BytesPerSecond), counterOf("Split Bytes/sec", cooker.CounterBulkCount, cooker.BytesPerSecond),
	}}
	table := New(set, nil, Screen)
	view := &session.SetView{Set: set, Counters: []int{0, 1, 2, 3}, Time: start, Rows: []session.Row{{Instance: session.Instance{Key: session.InstanceKey{Name: "sda"}}}}}
	for _, n := range []float64{900, 800, 3 << 20, 700} {
		view.Values = append(view.Values, cooker.FloatValue(n))
	}
	m := Moment{View: view}
	table.Arrange(m, Arranging{Now: start})
	for i, want := range []string{"MB/s", "MB/s", "MB/s", "B/s"} {
		if got := table.Columns[table.ColumnOf(i)].label(); got != want {
			t.Errorf("%s is in %s, want %s", set.Counters[i].Name, got, want)
		}
	}
	for _, total := range table.Totals(&m, []int{0}) {
		if total.Unit != "MB/s" {
			t.Errorf("%+v", total)
		}
	}
}

// A storm of new rows waits for the next sorting; a few find their places at once, each above
// those with less.
func TestNewRowsFindTheirPlaces(t *testing.T) {
	for n, want := range map[int]string{3: "c n2 n1 n0 b a", mostPlaced + 1: "c b a n0 n1"} {
		f := feed{table: New(processes(), nil, Screen)}
		procs := []proc{{name: "a", pid: 1, cpu: 1}, {name: "b", pid: 2, cpu: 5}, {name: "c", pid: 3, cpu: 90}}
		f.table.Arrange(f.next(procs...), Arranging{Now: start})
		for i := range n {
			procs = append(procs, proc{name: fmt.Sprint("n", i), pid: uint64(10 + i), cpu: float64(10 + i)})
		}
		f.table.Arrange(f.next(procs...), Arranging{Now: start.Add(time.Second)})
		if got := f.names(); !strings.HasPrefix(got, want) {
			t.Errorf("%d: %s, want %s ...", n, got, want)
		}
		if got := strings.Fields(f.names()); len(got) != n+3 || len(slices.Compact(slices.Sorted(slices.Values(got)))) != n+3 {
			t.Errorf("%d: %s: rows are lost, or twice there", n, got)
		}
	}
}
