package deck

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/hosts/fake"
	"perfdeck/themes"
	"perfdeck/tui/pane"
	"perfdeck/tui/panetest"
)

// mockup is the picture of four hosts, the data of which is read out of it.
type mockup [][]rune

func readMockup(t *testing.T, name string) mockup {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var m mockup
	for _, line := range strings.Split(strings.TrimRight(string(text), "\n"), "\n") {
		m = append(m, []rune(line))
	}
	return m
}

// dotsOf is how many dots of a column of dots of a cell are drawn.
func dotsOf(cell rune, right bool) (n int) {
	bits := [...]rune{0x01, 0x02, 0x04, 0x40}
	if right {
		bits = [...]rune{0x08, 0x10, 0x20, 0x80}
	}
	for _, bit := range bits {
		if cell >= 0x2800 && cell < 0x2900 && (cell-0x2800)&bit != 0 {
			n++
		}
	}
	return n
}

// heights are how high the dots of some rows of cells reach, oldest first.
func (m mockup) heights(x, w, y, rows int) (out []int) {
	for i := range 2 * w {
		n := 0
		for row := range rows {
			n += dotsOf(m[y+row][x+i/2], i%2 == 1)
		}
		out = append(out, n)
	}
	return out
}

// The picture ends with this sample: it stands in the left half of its cell, and the
// paper has its marks where they are drawn.
const mockupSamples = 73

// history is a motion of which the last samples are heights of dots, top at unit dots,
// and the very last one, the second half of whose cell is still empty, is what the row
// says. Before what is to be seen it was before.
func history(dots []int, unit int, top, last, before float64) fake.Motion {
	dots = dots[:len(dots)-1]
	return func(at time.Duration, _ uint64) float64 {
		second := int(at.Round(time.Second) / time.Second)
		i := second - (mockupSamples - len(dots)) - 1 // the last one is of the second before
		switch {
		case i < 0:
			return before
		case i >= len(dots)-1:
			return last
		}
		return float64(dots[i]) / float64(unit) * top
	}
}

// number is the number of the row of a name in a column of cells from x on.
func (m mockup) number(t *testing.T, x, y int, name string) float64 {
	row := m[y][x:min(x+29, len(m[y]))]
	if !strings.HasPrefix(string(row[4:]), name) {
		t.Fatalf("line %d: no %s in %q", y, name, string(row))
	}
	f, err := strconv.ParseFloat(strings.TrimSpace(string(row[15:22])), 64)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// machine reads the host whose band begins in line y out of the picture.
func (m mockup) machine(t *testing.T, name string, cpus, y, rows int, processes []fake.Row) machine {
	x := [...]int{0, 30, 60, 90}
	upper, lower := (rows+1)/2, rows/2
	value := y + 1 + rows
	number := func(c, row int, name string) float64 { return m.number(t, x[c], value+row, name) }
	graph := func(c, w, from, n, unit int, top, last, before float64) fake.Motion {
		return history(m.heights(x[c]+1, w, y+1+from, n), unit, top, last, before)
	}
	used, available := number(1, 0, "Used"), number(1, 1, "Available")
	for i := range processes {
		processes[i].Is = map[string]fake.Motion{"% Processor Time": fake.Const(m.number(t, 0, value+2+i, processes[i].Name))}
	}
	const before = 160 // from when the disks have the scale that they still have
	h := machine{
		name: name, cpus: cpus, memory: available / (1 - used/100), processes: processes,
		cpu:       graph(0, 28, 0, rows, 4*rows, 100, number(0, 0, "Proc Time"), 20),
		queue:     fake.Const(number(0, 1, "Queue Len")),
		available: fake.Const(available), committed: fake.Const(number(1, 2, "Committed")), pages: fake.Const(number(1, 3, "Pages/sec")),
		read:     graph(2, 28, 0, upper, 4*upper, 200, number(2, 0, "Read"), before),
		write:    graph(2, 28, upper, lower, 4*upper, 200, number(2, 1, "Write"), 20),
		transfer: fake.Const(number(2, 2, "sec/Xfer") / 1000), waiting: fake.Const(number(2, 3, "Queue Len")),
		received: graph(3, 29, 0, upper, 4*upper, 100, number(3, 0, "Received"), 20),
		sent:     graph(3, 29, upper, lower, 4*upper, 100, number(3, 1, "Sent"), 20),
		packets:  fake.Const(1000 * number(3, 2, "Pkts Recv")),
	}
	return h
}

// The matrix with the data of the mock-up is the mock-up, cell by cell, but for what is
// listed here.
func TestMatrixMockup(t *testing.T) {
	m := readMockup(t, "testdata/deck-four-120x36.txt")
	want := make([]string, 34)
	for i := range want {
		want[i] = strings.TrimRight(string(m[1+i]), " ")
		for _, differs := range []struct{ drawn, is string }{
			// The counter is Packets Received Errors, and there is room to say so.
			// No source tells the screens which account it used.
			{` for CORP\svc-perf`, ""},
		} {
			want[i] = strings.TrimRight(strings.ReplaceAll(want[i], differs.drawn, differs.is), " ")
		}
	}
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, 120, 34, nil, synctest.Wait)
		watch := alert.NewWatch(alert.Options{Clock: r.Clock, Rules: []alert.Rule{ruleOf(t, `\Processor Information(_Total)\% Processor Time>80`)}})
		r.Desk.Alerts = watch
		for _, host := range []machine{
			m.machine(t, "sql01", 8, 1, 6, []fake.Row{{Name: "sqlservr", Number: 1201}, {Name: "MsMpEng", Number: 88}}),
			m.machine(t, "web02", 4, 12, 6, []fake.Row{{Name: "w3wp 4424"}, {Name: "w3wp 4788"}}),
			m.machine(t, "dc01", 2, 23, 5, []fake.Row{{Name: "dns", Number: 4}, {Name: "MsMpEng", Number: 5}}),
		} {
			for i := range host.processes { // two of one name
				if name, number, ok := strings.Cut(host.processes[i].Name, " "); ok {
					n, _ := strconv.Atoi(number)
					host.processes[i].Name, host.processes[i].Number = name, uint64(n)
				}
			}
			h := r.host(host.script())
			watch.Add(h.Name, h.Sampler.(*session.Sampler))
		}
		r.Go(func(ctx context.Context) { watch.Run(ctx) })
		stand := r.denied("sql04")
		r.book.HostsChanged()
		r.Clock.Advance(0)
		for _, h := range r.Desk.Hosts {
			if h.Sampler.Catalogue() != nil {
				r.book.Load(h, nil)
			}
		}
		for n := 0; n < mockupSamples; n = int(r.Desk.Hosts[0].Snap.Timeline.Next()) {
			r.pass(1)
		}
		stand.Is.NextTry = r.Desk.Now().Add(42 * time.Second)
		r.Draw()
		for y, row := range r.Canvas.Rows() {
			if got := strings.TrimRight(row, " "); got != want[y] {
				t.Errorf("line %d\n got %q\nwant %q", y, got, want[y])
			}
		}
		over := r.Canvas.At(2, 1).Style // above the limit
		if warning := themes.Warning; over != warning || r.Canvas.At(2, 5).Style == warning {
			t.Errorf("cells above the limit are %v, below it %v", over, r.Canvas.At(2, 5).Style)
		}
		if t.Failed() {
			t.Log("\n" + r.Text())
		}
	})
}

// denied is a host that refuses the access, as the mock-up has it.
func (r *rig) denied(name string) *panetest.Stand {
	now := r.Clock.Now().Wall
	s := &panetest.Stand{Is: session.HostState{
		Phase: session.Refused, Tries: 4, Since: time.Date(now.Year(), now.Month(), now.Day(), 14, 5, 12, 0, now.Location()),
		Err: &session.HostError{
			Host: name, Op: "open counters", Err: errors.New("0x00000005 ERROR_ACCESS_DENIED"), Advice: `add it to "Performance Monitor Users"`,
		},
	}}
	r.Desk.Hosts = append(r.Desk.Hosts, &pane.Host{Name: name, Feed: mute{}, Sampler: s})
	return s
}

// mute is a feed that brings nothing.
type mute struct{}

func (mute) Ask([]session.Ask)         {}
func (mute) SetInterval(time.Duration) {}
func (mute) Ready() <-chan struct{}    { return nil }
func (mute) Take() *session.Snapshot   { return nil }
func (mute) Close()                    {}
