package table

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/columns"
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

func (f *feed) next(procs ...proc) Frame {
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
	return Frame{View: f.view}
}

func (f *feed) names() string {
	var out []string
	for _, r := range f.table.Rows() {
		out = append(out, f.view.Rows[r.At].Key.Name)
	}
	return strings.Join(out, " ")
}

// With each sample rows are sorted by what is shown, equal ones by memory; while keys are
// pressed they stand still, new ones last, and the head says that the order is an old one.
func TestOrder(t *testing.T) {
	f := feed{table: New(processes(), nil)}
	now := start
	step := func(d time.Duration, hold bool, want, head string, procs ...proc) {
		t.Helper()
		now = now.Add(d)
		f.table.Arrange(f.next(procs...), Arranging{Now: now, Hold: hold})
		if got := f.names(); got != want {
			t.Errorf("after %v: %s, want %s", now.Sub(start), got, want)
		}
		f.table.Fit(3, 117, 117)
		cells := canvas.New(120, 1, canvas.Full)
		f.table.DrawHeads(cells.Root(), 0, -1)
		if got := cells.Rows()[0]; !strings.Contains(got, head) {
			t.Errorf("after %v: %q is not in %s", now.Sub(start), head, got)
		}
	}
	a, b, c, d := proc{name: "a", pid: 1, cpu: 5, mem: 10}, proc{name: "b", pid: 2, cpu: 9}, proc{name: "c", pid: 3, cpu: 5, mem: 20}, proc{name: "d", pid: 4, cpu: 50}
	step(0, false, "b c a", "% CPU ▼", a, b, c)
	b.cpu = 8
	step(time.Second, true, "b c a", "% CPU ▼", a, b, c)
	b.cpu = 1
	step(time.Second, true, "b c a d", "% CPU ~", a, b, c, d)
	step(0, false, "d c a b", "% CPU ▼", a, b, c, d)
	step(time.Second, false, "d c b", "% CPU ▼", b, c, d)
	step(time.Second, false, "d c a b", "% CPU ▼", d, a, c, b)
	f.table.Reverse = true
	step(time.Second, true, "d c a b", "% CPU ~", d, a, c, b)
	f.table.Forget()
	step(time.Second, true, "b c a d", "% CPU ▲", d, a, c, b)
	step(-time.Hour, false, "b c a d", "% CPU ▲", a, b, c, d) // the clock was set back
}

// Over a slow line rows trade places each 10 s, and at once when somebody asks. In between
// the head says that the order is an old one.
func TestOrderOverASlowLine(t *testing.T) {
	f := feed{table: New(processes(), nil)}
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
		if isOld := (want == "a b") != (a.cpu > b.cpu); f.table.order.isOld != isOld {
			t.Errorf("after %d s: old is %v", at, !isOld)
		}
	}
}

// An instance that ended says so in its place for two samples; who is chosen as long as the
// view shows it, in its place too. Where living ones have no other room it says nothing.
func TestGone(t *testing.T) {
	for _, kept := range []bool{false, true} {
		f := feed{table: New(processes(), nil)}
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
		if want := map[bool]int{false: 2, true: 9}[kept]; shown != want {
			t.Errorf("kept %v: shown as gone in %d samples, want %d", kept, shown, want)
		}
	}
	for room, want := range map[int]string{0: "a b c", 3: "a b c", 2: "a c", 1: "a c"} {
		f := feed{table: New(processes(), nil)}
		a, b, c := proc{name: "a", pid: 1, cpu: 9}, proc{name: "b", pid: 2, cpu: 5}, proc{name: "c", pid: 3, cpu: 1}
		f.table.Arrange(f.next(a, b, c), Arranging{Now: start})
		b.gone = start.Add(2 * time.Second)
		f.table.Arrange(f.next(a, b, c), Arranging{Now: start.Add(time.Second), Room: room})
		if got := f.names(); got != want {
			t.Errorf("%d rows: %s, want %s", room, got, want)
		}
	}
}

// Whatever comes, goes and is filtered: each row that is listed has one line, in the
// order of its numbers after a sorting.
func TestOrderSwept(t *testing.T) {
	rng := rand.New(rand.NewPCG(18, 8))
	f := feed{table: New(processes(), nil)}
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
		f.table.Arrange(f.next(procs...), Arranging{Now: start.Add(time.Duration(tick) * time.Second), Anew: tick%3 == 0, Hold: true, Lists: lists})
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
		{processes(), []string{"   instance            pid  user      % CPU ▼  last 60 s     % Priv   Mem B   IO B/s     Thr  command"}},
		{set, []string{
			"   instance              Rate  last                     Bytes     Bytes",
			"                   /sec one ▼  60 s                  Recv B/s  Sent B/s   Other",
		}},
	} {
		table := New(c.set, nil)
		view := &session.SetView{Set: c.set, Rows: []session.Row{{Instance: session.Instance{Key: session.InstanceKey{Name: "x"}, Number: 1}}}}
		table.Arrange(Frame{View: view}, Arranging{Now: start})
		table.Fit(3, 117, 117)
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
	for _, inRule := range []bool{false, true} {
		for w := 40; w < 180; w++ {
			f := feed{table: New(processes(), nil)}
			f.table.InRule = inRule
			m := f.next(proc{name: "a", pid: 123, cpu: 5, mem: 4 << 30}, proc{name: "b", pid: 21000, cpu: 9, mem: 1 << 20})
			fit := func() (out []int) {
				f.table.Arrange(m, Arranging{Now: start, Anew: true})
				f.table.Fit(3, w, w)
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
					t.Fatalf("in a rule %v, %d cells, sorted by %s: %v, want %v", inRule, w, f.table.Columns[i].Head, got, want)
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
	f := feed{table: New(processes(), nil)}
	f.table.SortBy(2)
	m := f.next(proc{name: "a", pid: 1, cpu: 9}, proc{name: "b", pid: 2, gone: start.Add(time.Hour)})
	f.table.Arrange(m, Arranging{Now: start})
	f.table.Fit(3, 117, 117)
	cells := canvas.New(120, 1, canvas.Full)
	f.table.Scale(m, 0, 2, start)
	f.table.DrawRow(cells.Root(), 0, 1)
	if row := cells.Rows()[0]; strings.Count(row, "gone") != 1 || !strings.Contains(row, "ended") {
		t.Errorf("%q", row)
	}
}

// A number has three digits in the unit that suits it, whatever others are in its column, of
// which the width stays as it is.
func TestUnitsOfNumbers(t *testing.T) {
	for _, test := range []struct {
		name string
		kind cooker.QuantityKind
		head string
		of   map[float64]string
	}{
		{"Handle Count", cooker.Count, "Handle", map[float64]string{15000: "15.0k", 268: "268", 9: "9", 0: "0", 9999: "9999", 12_345_678: "12.3M"}},
		{"Working Set", cooker.Bytes, "Set B", map[float64]string{3.2 * (1 << 30): "3.20G", 268 << 20: "268M", 12 << 10: "12.0K", 1023 << 20: "1023M", 0: "0"}},
		{"Bytes/sec", cooker.BytesPerSecond, "Bytes B/s", map[float64]string{419598212: "400M", 12 << 10: "12.0K", 9: "9", 0: "0"}},
		{"Xfers/sec", cooker.PerSecond, "Xfers /s", map[float64]string{14700: "14.7k", 9.99: "10.0", 0.42: "0.4", 0: "0.0", 9999.4: "9999"}},
		{"Wait", cooker.Seconds, "Wait", map[float64]string{0.00577: "5.77ms", 0.00000123: "1.23µs", 99.96: "100s", 3 * 3600: "3.00h", 0: "0.0"}},
		{"Share", cooker.Percent, "Share", map[float64]string{12.34: "12.3", 1234.5: "1234", 0: "0.0"}},
	} {
		set := &session.Counterset{Name: "Things", Instances: session.MultipleInstances, Counters: []session.Counter{counterOf(test.name, cooker.CounterLargeRawCount, test.kind)}}
		table := New(set, nil)
		view := &session.SetView{Set: set, Counters: []int{0}, Time: start}
		for n := range test.of {
			view.Rows = append(view.Rows, session.Row{Instance: session.Instance{Key: session.InstanceKey{Name: fmt.Sprint(n)}}})
			view.Values = append(view.Values, cooker.FloatValue(n))
		}
		m := Frame{View: view}
		table.Arrange(m, Arranging{Now: start})
		table.Fit(3, 60, 60)
		cells := canvas.New(63, 2, canvas.Full)
		table.DrawHeads(cells.Root(), 0, -1)
		for _, word := range strings.Fields(test.head) {
			if !strings.Contains(cells.String(), word) {
				t.Errorf("no %q in %s", word, cells)
			}
		}
		table.Scale(m, 0, 0, start)
		place := table.Place(table.ColumnOf(0))
		for i, r := range table.Rows() {
			cells.Root().Fill(0, 1, 63, 1, ' ', 0)
			table.DrawRow(cells.Root(), 1, i)
			got := strings.TrimSpace(string([]rune(cells.Rows()[1])[place.X : place.X+place.W]))
			if n, _ := view.Values[r.At].Float(); got != test.of[n] {
				t.Errorf("%s %v is %q, want %q", test.name, n, got, test.of[n])
			}
		}
		view.Values = view.Values[:1]
		view.Rows, view.Values[0] = view.Rows[:1], cooker.FloatValue(1)
		table.Arrange(m, Arranging{Now: start.Add(time.Second)})
		if table.Fit(3, 60, 60); table.Place(table.ColumnOf(0)) != place {
			t.Errorf("%s stands at %v, and with others at %v", test.name, table.Place(table.ColumnOf(0)), place)
		}
	}
}

// The wider a table, the more of its columns are there, whichever it is, whatever it is sorted
// by and whatever its rows are; which they are does not depend on the rows.
func TestMoreRoomShowsNoLess(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 2))
	kinds := []cooker.QuantityKind{cooker.Count, cooker.PerSecond, cooker.Percent, cooker.Bytes, cooker.BytesPerSecond, cooker.Seconds}
	word := func() string { return strings.Repeat(string(rune('a'+rng.IntN(26))), 1+rng.IntN(12)) }
	sets := []*session.Counterset{processes()}
	for name := range presets {
		set := &session.Counterset{Name: name, Instances: session.MultipleInstances, Facts: []string{userName, commandLine}}
		for _, p := range presets[name] {
			if p.counter != "" {
				set.Counters = append(set.Counters, counterOf(p.counter, cooker.CounterRawCount, kinds[rng.IntN(len(kinds))]))
			}
		}
		sets = append(sets, set)
	}
	for range 6 {
		set := &session.Counterset{Name: word() + " " + word(), Instances: session.MultipleInstances}
		for range 1 + rng.IntN(30) {
			set.Counters = append(set.Counters, counterOf(word()+" "+word()+"/sec", cooker.CounterRawCount, kinds[rng.IntN(len(kinds))]))
		}
		sets = append(sets, set)
	}
	plain := func(_ *session.Counterset, c *session.Counter) session.Look {
		l := c.Look()
		l.Style = cooker.UnitPlain
		return l
	}
	for i, set := range sets {
		table := New(set, []session.Looks{nil, plain}[i%2])
		for inRule := range 2 {
			for sort := 0; sort < len(table.Columns); sort += 1 + len(table.Columns)/8 {
				table.InRule, table.Title, table.Tree = inRule == 1, inRule*len(set.Name), sort%4 == 3
				table.Sort = sort
				had, heads := []bool(nil), []string(nil)
				for w := 30; w <= 300; w++ {
					if w%7 == 0 {
						m := Frame{View: &session.SetView{Set: set, Time: start, Rows: []session.Row{{Instance: session.Instance{Key: session.InstanceKey{Name: word() + word()}, Number: rng.Uint64N(9) * 1e5}}}}}
						for i := range set.Counters {
							m.View.Counters, m.View.Values = append(m.View.Counters, i), append(m.View.Values, cooker.FloatValue(math.Pow10(rng.IntN(18))))
						}
						m.View.Rows[0].Number++
						table.Arrange(m, Arranging{Now: start.Add(time.Duration(w) * time.Minute)})
					}
					table.Fit(3, w, w)
					for i := range had {
						if had[i] && !table.Has(i) {
							t.Fatalf("%s sorted by %s: %s leaves at %d cells", set.Name, table.Columns[sort].Head, table.Columns[i].Head, w)
						}
					}
					had = had[:0]
					for i, p := range table.layout.Places {
						if had = append(had, p.W > 0); p.X+p.W > 3+w {
							t.Fatalf("%s sorted by %s: %s ends behind %d cells", set.Name, table.Columns[sort].Head, table.Columns[i].Head, w)
						}
					}
					now := table.Heads(w)
					for i, head := range heads {
						if i >= len(now) || !slices.Contains(now, head) {
							t.Fatalf("%s: the head %s leaves at %d cells", set.Name, head, w)
						}
					}
					heads = now
				}
			}
		}
	}
}

// What everybody looks for has room first: who, how much, and what it does.
func TestHeadsOfProcesses(t *testing.T) {
	table := New(processes(), nil)
	table.InRule, table.Title = true, len("Process")
	for w, want := range map[int]string{
		35: "pid % CPU Mem", 55: "pid % CPU Mem IO command", 57: "pid % CPU Mem IO command", 77: "pid user % CPU Mem IO Thr command", 101: "pid user % CPU % Priv Mem IO Thr command",
	} {
		if got := strings.Join(table.Heads(w), " "); got != want {
			t.Errorf("%d cells: %s, want %s", w, got, want)
		}
	}
}

// A name that was long makes its column wide for a while only.
func TestNamesThatWereLong(t *testing.T) {
	f := feed{table: New(processes(), nil)}
	width := func(at time.Duration, name string) int {
		f.table.Arrange(f.next(proc{name: name, pid: 1}), Arranging{Now: start.Add(at)})
		f.table.Fit(3, 117, 117)
		return f.table.Place(0).W
	}
	before, wide := width(0, "short"), width(time.Second, "a-name-that-is-long")
	if wide <= before || width(2*time.Second, "short") != wide {
		t.Errorf("%d cells, then %d", before, wide)
	}
	if width(12*time.Second, "short"); width(23*time.Second, "short") != before {
		t.Errorf("%d cells, before %d", f.table.Place(0).W, before)
	}
}

// That an instance ended stands between who it was and the sorted column, or behind that.
func TestWhereGoneStands(t *testing.T) {
	for _, sort := range []string{"% CPU", "command", "Mem"} {
		f := feed{table: New(processes(), nil)}
		f.table.Columns = slices.DeleteFunc(f.table.Columns, func(c Column) bool { return sort == "Mem" && c.Kind == Fact || c.Head == "IO" || c.Head == "Thr" })
		f.table.Sort = slices.IndexFunc(f.table.Columns, func(c Column) bool { return c.Head == sort })
		m := f.next(proc{name: "a", pid: 1, cpu: 9}, proc{name: "b", pid: 4711, gone: start.Add(time.Second)})
		f.table.Arrange(m, Arranging{Now: start})
		f.table.Fit(3, 117, 117)
		cells := canvas.New(120, 1, canvas.Full)
		f.table.Scale(m, 0, 2, start)
		f.table.DrawRow(cells.Root(), 0, 1)
		if row := cells.Rows()[0]; !strings.Contains(row, "4711") || !strings.Contains(row, "ended 14:07:01") {
			t.Errorf("sorted by %s: %q", sort, row)
		}
	}
}

// What is said of a row takes the place of a text, not of the columns that the user put behind it.
func TestRemarkKeepsToItsPlace(t *testing.T) {
	f := feed{table: New(processes(), nil)}
	f.table.Restore(&session.SavedTable{Set: "Process", Columns: []session.SavedColumn{{Name: "instance"}, {Name: "pid"}, {Name: commandLine, Width: 20}}})
	f.table.Remark = func(*session.Instance) (string, themes.Style) {
		return strings.Repeat("ended unexpectedly ", 9), themes.Text
	}
	m := f.next(proc{name: "a", pid: 1, cpu: 87.5})
	f.table.Arrange(m, Arranging{Now: start})
	f.table.Fit(3, 117, 117)
	cells := canvas.New(120, 1, canvas.Full)
	f.table.Scale(m, 0, 1, start)
	f.table.DrawRow(cells.Root(), 0, 0)
	if row := cells.Rows()[0]; !strings.Contains(row, "87.5") || !strings.Contains(row, "ended") {
		t.Errorf("%q", row)
	}
}

// A table keeps to the heads that a narrower one has, however wide it is.
func TestFitKeepsToHeads(t *testing.T) {
	for _, narrow := range []int{35, 57, 77} {
		table := New(processes(), nil)
		table.InRule, table.Title = true, len("Process")
		want := table.Heads(narrow)
		for w := narrow; w <= 200; w++ {
			table.Fit(3, w, narrow)
			var got []string
			for i := range table.Columns {
				if c := &table.Columns[i]; table.Has(i) && c.Kind != Name && c.Kind != Spark {
					got = append(got, c.Head)
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%d cells with the heads of %d: %q, want %q", w, narrow, got, want)
			}
		}
	}
}

// Heads are the heads of the columns that have room in w cells, but those of names and
// histories. Which these are depends on nothing else than columns and sorting, and more
// cells never have less of them.
func (t *Table) Heads(w int) (out []string) {
	l := columns.Fit(0, w, gap, t.fits(w))
	for i := range t.Columns {
		if c := &t.Columns[i]; l.Has(i) && !c.isWide {
			out = append(out, c.Head)
		}
	}
	return out
}
