package moved

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/fake"
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/list"
	"perfdeck/tui/pane"
	"perfdeck/tui/panetest"
)

var update = flag.Bool("update", false, "write the golden screens anew")

var begin = time.Date(2026, 3, 2, 2, 0, 0, 0, time.UTC)

const (
	every = 5 * time.Second
	whole = 2 * time.Hour
)

// The span that is looked at.
var from, to = begin.Add(90 * time.Minute), begin.Add(100 * time.Minute)

// tape is a recording of one host.
type tape struct {
	host   *pane.Host
	list   []pane.Recorded
	course []func(at time.Duration, in bool) float64
	fails  error
	read   chan struct{} // one is taken for each row; nil: it is read at once
}

func newTape(host *pane.Host) *tape {
	t := &tape{host: host}
	random := rand.New(rand.NewPCG(3, 14))
	noise := random.NormFloat64
	disk := &session.Counterset{Name: "PhysicalDisk", Instances: session.MultipleInstances, Counters: []session.Counter{
		{Name: "Avg. Disk sec/Transfer", Type: cooker.AverageTimer, Quantity: cooker.Quantity{Kind: cooker.Seconds}},
		{Name: "Disk Bytes/sec", Type: cooker.CounterBulkCount, Quantity: cooker.Quantity{Kind: cooker.BytesPerSecond}},
	}}
	process := &session.Counterset{Name: "Process", Instances: session.MultipleInstances, Counters: []session.Counter{
		{Name: "Private Bytes", Type: cooker.CounterLargeRawCount, Quantity: cooker.Quantity{Kind: cooker.Bytes}},
		{Name: "% Processor Time", Type: cooker.Timer100ns, Quantity: cooker.Quantity{Kind: cooker.Percent}},
	}}
	pick := func(in bool, a, b float64) float64 {
		if in {
			return b
		}
		return a
	}
	t.add(disk, 0, "0 C:", func(_ time.Duration, in bool) float64 { return pick(in, 0.005, 0.04) * (1 + 0.1*noise()) })
	t.add(disk, 1, "0 C:", func(_ time.Duration, in bool) float64 { return pick(in, 8e6, 2e6) * (1 + 0.1*noise()) })
	t.add(process, 0, "w3wp", func(at time.Duration, in bool) float64 {
		return 8e8 + 2e6*noise() + pick(in, 0, 6e8*float64(at-90*time.Minute)/float64(10*time.Minute))
	})
	t.add(process, 1, "backup", func(_ time.Duration, in bool) float64 { return pick(in, math.NaN(), 30+noise()) })
	for i := range 40 {
		level := 5 + float64(i)/4
		t.add(process, 1, fmt.Sprintf("p%02d", i), func(time.Duration, bool) float64 { return level + noise() })
	}
	return t
}

func (t *tape) add(set *session.Counterset, counter int, instance string, course func(time.Duration, bool) float64) {
	key := session.InstanceKey{Name: instance}
	t.list = append(t.list, pane.Recorded{
		Target:   pane.Target{Host: t.host, Set: set, Counter: counter, Key: key},
		Instance: session.Instance{Key: key}, Every: every,
	})
	t.course = append(t.course, course)
}

func (t *tape) Bounds() (first, last time.Time) { return begin, begin.Add(whole) }
func (t *tape) Recorded() []pane.Recorded       { return t.list }

func (t *tape) Read(ctx context.Context, a, b time.Time, each func(at time.Time, values []float64), came func(share float64)) error {
	values := make([]float64, len(t.list))
	for at := begin; at.Before(b); at = at.Add(every) {
		for i, course := range t.course {
			values[i] = course(at.Sub(begin), !at.Before(from) && at.Before(to))
		}
		if at.Before(a) {
			continue
		}
		if t.read != nil {
			select {
			case <-ctx.Done():
				return context.Cause(ctx)
			case <-t.read:
			}
		}
		each(at, values)
		came(float64(at.Sub(a)) / float64(b.Sub(a)))
	}
	return t.fails
}

// rig is the screen over a recording.
type rig struct {
	*panetest.Rig

	tape   *tape
	screen *Screen
	waited int // how many of what was sent was waited for
}

func newRig(t testing.TB, of Of) *rig {
	r := &rig{Rig: panetest.New(t, panetest.Options{Start: begin.Add(whole)})}
	host := &pane.Host{Name: "web01", Snap: &session.Snapshot{}}
	r.Desk.Hosts = []*pane.Host{host}
	r.tape = newTape(host)
	r.Desk.Archive = r.tape
	r.open(of)
	return r
}

func (r *rig) open(of Of) {
	r.Run(func() { r.screen = New(r.Desk, of) })
	r.Show(r.screen)
}

// wait does what the screen wants to be done beside it, until nothing is left.
func (r *rig) wait() {
	for r.waited < len(r.Sent) {
		w, ok := r.Sent[r.waited].(pane.Wait)
		r.waited++
		if ok {
			done := w.Work()
			r.Run(func() { done(false) })
		}
	}
	r.Draw()
}

func (r *rig) press(names ...string) {
	r.Helper()
	for _, n := range names {
		r.Press(n)
		r.wait()
	}
}

// last is the newest intent of a type.
func last[T pane.Intent](r *rig) (out T) {
	r.Helper()
	for _, i := range slices.Backward(r.Sent) {
		if found, ok := i.(T); ok {
			return found
		}
	}
	r.Fatalf("no %T was sent", out)
	return out
}

// What was planted stands first, with its direction and both values; what did not change
// is not there; what is marked is charted in lanes over the time of the sparklines.
func TestWhatMoved(t *testing.T) {
	r := newRig(t, Of{From: from, To: to})
	r.Draw()
	r.Shows("Reading 44 counters: 0 %", "esc leaves it")
	r.wait()
	if got := len(r.screen.moved); got != 4 {
		t.Errorf("%d counters moved, want 4", got)
	}
	r.Shows("4 counters of 44 moved", "Avg. Disk sec/Transfer", "Private Bytes", "new", "against 1 h 30 min before")
	r.Hides("p07")
	for text, want := range map[string][]string{
		"Avg. Disk":  {"8.1 times", "↑", " 4.98 ", " 40.3 ms"},
		"Disk Bytes": {"-7", "↓", "MB/s"},
		"backup":     {"new", "+", " 29.9 %"},
	} {
		row := r.Row(text)
		for _, w := range want {
			if !strings.Contains(row, w) {
				t.Errorf("the row lacks %q: %s", w, row)
			}
		}
	}
	r.press("space", "j", "space", "enter")
	chart := last[pane.OpenChart](r)
	if len(chart.Targets) != 2 || !chart.Lanes || !chart.Replace {
		t.Errorf("charted %+v", chart)
	}
	first, second := r.screen.moved[0].series, r.screen.moved[2].series
	if want := []pane.Target{r.tape.list[first].Target, r.tape.list[second].Target}; !slices.Equal(chart.Targets, want) {
		t.Errorf("charted %v, want %v", chart.Targets, want)
	}
	if show := last[pane.ShowTime](r); !show.To.Equal(to) || !show.From.Equal(from.Add(-30*time.Minute)) {
		t.Errorf("shown is %v to %v", show.From, show.To)
	}
}

// In a time without anything that changed that is said.
func TestNothingMoved(t *testing.T) {
	r := newRig(t, Of{From: begin.Add(80 * time.Minute), To: begin.Add(85 * time.Minute)})
	r.wait()
	r.Shows("Nothing moved: 4", "went on as before")
	if ok, why := panetestApplies(r, "enter"); ok {
		t.Errorf("enter applies: %s", why)
	}
}

func panetestApplies(r *rig, key string) (ok bool, why string) {
	for _, b := range r.screen.Bindings() {
		if b.Keys.Has(key) {
			return b.Applies()
		}
	}
	return true, ""
}

// What went along with the value that was selected is listed by how alike it is, with its
// direction, and v leads back; without a value it is what is selected in the list.
func TestAlong(t *testing.T) {
	r := newRig(t, Of{From: from, To: to})
	disk := r.tape.list[0].Target
	r.wait()
	r.open(Of{From: from, To: to, With: disk})
	r.wait()
	r.press("v")
	r.Shows("What went along with Avg. Disk sec/Transfer 0 C:", "at once")
	if row := r.Row("Disk Bytes"); !strings.Contains(row, "against 0.") {
		t.Errorf("what fell: %s", row)
	}
	r.Hides("p03")
	r.press("enter")
	if chart := last[pane.OpenChart](r); len(chart.Targets) != 2 || chart.Targets[0] != disk {
		t.Errorf("charted %+v, want it with %v", chart.Targets, disk)
	}
	r.press("v")
	r.Shows("What moved")
	r.open(Of{From: from, To: to})
	r.wait()
	r.press("j", "v")
	if want := r.screen.series[r.screen.with].Target; want != r.tape.list[r.screen.moved[1].series].Target {
		t.Errorf("along with %v", want)
	}
}

// A filter leaves the counters that fit; esc clears it first, then the marks, then it goes
// back.
func TestFilterAndEscape(t *testing.T) {
	r := newRig(t, Of{From: from, To: to})
	r.wait()
	r.press("/")
	ask := last[pane.AskText](r)
	if err := ask.Each("object:physicaldisk"); err != nil {
		t.Fatal(err)
	}
	r.Draw()
	r.Shows("Avg. Disk", "filter object:physicaldisk")
	r.Hides("backup")
	if err := ask.Each("no:such"); err == nil {
		t.Error("a field that there is not was taken")
	}
	r.press("space", "esc")
	r.Shows("backup")
	if r.screen.Marks() != 1 {
		t.Errorf("%d are marked", r.screen.Marks())
	}
	r.press("esc")
	if r.screen.Marks() != 0 {
		t.Error("esc did not clear the marks")
	}
	r.press("esc")
	if _, ok := r.Last().(pane.Back); !ok {
		t.Errorf("the last esc sent %T", r.Last())
	}
}

// A click selects, a click again charts; the wheel scrolls.
func TestMouse(t *testing.T) {
	r := newRig(t, Of{From: from, To: to})
	r.Resize(60, 6)
	r.wait()
	if r.ClickAt(20, 4); r.screen.Line() != 1 {
		t.Fatalf("a click on the second row selects row %d", r.screen.Line())
	}
	r.Draw()
	r.ClickAt(20, 4)
	if chart := last[pane.OpenChart](r); len(chart.Targets) != 1 {
		t.Errorf("charted %+v", chart.Targets)
	}
	top := r.screen.Top()
	r.Run(func() { r.screen.Wheel(pane.Hit{}, 3) })
	r.Draw()
	if r.screen.Top() <= top {
		t.Error("the wheel does not scroll")
	}
	r.Run(func() { r.screen.Click(pane.Hit{Kind: pane.HitRow, B: 99}, tea.MouseLeft) })
}

// Reading goes on beside the screen, which tells how far it is; esc gives it up, and who
// comes back reads anew.
func TestReadingIsGivenUp(t *testing.T) {
	r := newRig(t, Of{From: from, To: to})
	r.tape.read = make(chan struct{})
	r.open(Of{From: from, To: to})
	ended := make(chan func(bool))
	work := last2(r)
	go func() { ended <- work.Work() }()
	rows := int(100 * time.Minute / every)
	for range rows / 2 {
		r.tape.read <- struct{}{}
	}
	for r.screen.job.share() < 0.49 {
		time.Sleep(time.Millisecond)
	}
	r.Draw()
	if text := r.Text(); !strings.Contains(text, "49 %") && !strings.Contains(text, "50 %") {
		t.Errorf("half of it was read:\n%s", text)
	}
	r.Press("esc")
	done := <-ended
	r.Run(func() { done(false) })
	if r.screen.window != nil || r.screen.err != nil {
		t.Errorf("what was given up is taken: %v, %v", r.screen.window, r.screen.err)
	}
	r.tape.read = nil
	r.Run(r.screen.Opened)
	r.waited = len(r.Sent) - 2
	r.wait()
	r.Shows("4 counters of 44 moved")
}

// last2 is the work that reads: that which watches it was sent after it.
func last2(r *rig) pane.Wait { return r.Sent[len(r.Sent)-2].(pane.Wait) }

// What cannot be read, and a span of which there is nothing, is said.
func TestFailures(t *testing.T) {
	for _, c := range []struct {
		name string
		of   Of
		err  error
		want string
	}{
		{"a failure", Of{From: from, To: to}, errors.New("bad \x1b sector"), "bad"},
		{"before it", Of{From: begin.Add(-time.Hour), To: begin.Add(-time.Minute)}, nil, "begins at 2026-03-02 02:00:00"},
		{"behind it", Of{From: begin.Add(3 * time.Hour), To: begin.Add(4 * time.Hour)}, nil, "ends at 2026-03-02 04:00:00"},
		{"from the first sample on", Of{From: begin, To: begin.Add(time.Hour)}, nil, "nothing is kept of the time before"},
		{"between two samples", Of{From: from.Add(time.Second), To: from.Add(3 * time.Second)}, nil, "no samples"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, Of{From: from, To: to})
			r.tape.fails = c.err
			r.open(c.of)
			r.wait()
			r.Shows(c.want)
			r.Clean()
			for _, key := range []string{"enter", "space", "v"} {
				if ok, _ := panetestApplies(r, key); ok {
					t.Errorf("%s applies", key)
				}
			}
		})
	}
}

// Live, what the screens keep is compared, of all hosts at once; a host that began later
// has fewer samples, and nothing of it is new.
func TestLive(t *testing.T) { synctest.Test(t, testLive) }

func testLive(t *testing.T) {
	scripts := []fake.Script{}
	for i, name := range []string{"a", "b"} {
		scripts = append(scripts, fake.Script{Name: name, Sets: []fake.Set{{Name: "Disk", Instances: session.MultipleInstances,
			Rows: []fake.Row{{Name: "0"}, {Name: "1"}},
			Counters: []fake.Counter{{Name: "Latency", Type: cooker.CounterRawCount,
				Is: fake.Burst(fake.Walk(90, 110, 7*time.Second), fake.Walk(900, 1100, 7*time.Second), fake.Window{From: time.Duration(1-i)*time.Hour + 20*time.Minute, To: 3 * time.Hour})}},
		}, {Name: "Task", Instances: session.MultipleInstances,
			Rows:     []fake.Row{{Name: "old"}, {Name: "born", Alive: fake.Window{From: 22 * time.Minute, To: 3 * time.Hour}}},
			Counters: []fake.Counter{{Name: "Load", Type: cooker.CounterRawCount, Is: fake.Walk(90, 110, 7*time.Second)}},
		}, {Name: "Late", Instances: session.MultipleInstances, Rows: []fake.Row{{Name: "x"}},
			Counters: []fake.Counter{{Name: "Load", Type: cooker.CounterRawCount, Is: fake.Walk(90, 110, 7*time.Second)}},
		}}})
	}
	r := &rig{Rig: panetest.New(t, panetest.Options{Settle: synctest.Wait})}
	for _, h := range panetest.Scripts(scripts...)(r.Clock) {
		r.Watch(h, time.Hour)
	}
	asker := &asker{}
	r.Show(asker)
	r.Clock.Advance(0)
	for second := range 25 * 60 {
		asker.late = second > 23*60
		r.Clock.Advance(time.Second)
		r.Take()
		r.AskAgain()
	}
	_, newest := r.Desk.Sampled()
	r.open(Of{From: newest.Add(-5 * time.Minute), To: newest, What: "lately"})
	r.wait()
	r.Shows("lately", "5 min", "of what the screens keep", "9.9 times")
	var moved []string
	for i := range r.screen.moved {
		m := r.screen.moved[i]
		moved = append(moved, m.names[hostPart]+" "+m.names[objectPart]+" "+m.names[instancePart]+" "+m.change.Kind.String())
	}
	slices.Sort(moved)
	// What is asked for since lately is not new, as an instance is that came.
	if want := []string{"a Task born new", "b Disk 0 level", "b Disk 1 level", "b Task born new"}; !slices.Equal(moved, want) {
		t.Errorf("moved %q, want %q", moved, want)
	}
}

// asker is a screen that wants all there is, with its history.
type asker struct {
	pane.Screen

	late bool // the sets of that name, too
}

func (*asker) Snapshot(*pane.Host) {}
func (*asker) Draw(pane.Frame)     {}

func (a *asker) Asks(h *pane.Host) (out []session.Ask) {
	cat := h.Sampler.Catalogue()
	if cat == nil {
		return nil
	}
	for _, set := range cat.Sets {
		if set.Name == "Late" && !a.late {
			continue
		}
		out = append(out, session.Ask{Set: set, Counters: []int{0}, Keep: []session.Keep{{Counters: []int{0}, Match: func(*session.Instance) bool { return true }}}})
	}
	return out
}

func (*asker) AskStale() bool { return true }

// Every size, in every glyph set: nothing panics, and all is printable.
func TestSweep(t *testing.T) {
	r := newRig(t, Of{From: from, To: to})
	reading := r.screen
	r.wait()
	moved := r.screen
	r.open(Of{From: from, To: to, With: r.tape.list[0].Target})
	r.wait()
	r.press("v")
	along := r.screen
	r.open(Of{From: begin, To: from})
	failed := r.screen
	for _, s := range []*Screen{reading, moved, along, failed} {
		r.Show(s)
		for i, size := range (panetest.Sizes{W: 60, H: 24, StepW: 7, StepH: 3, Widths: []int{60, 80, 120, 200, 300}, Heights: []int{1, 2, 3, 13, 34, 58}}).All() {
			r.Sound(size[0], size[1], []canvas.GlyphSet{canvas.Full, canvas.Console, canvas.ASCII}[i%3])
		}
		s.Move(s.Lines(list.Last))
	}
}

// Screens as they are.
func TestGolden(t *testing.T) {
	for _, g := range []struct {
		name   string
		w, h   int
		glyphs canvas.GlyphSet
		keys   []string
	}{
		{"moved-120x34", 120, 34, canvas.Full, []string{"space", "j"}},
		{"moved-60x13", 60, 13, canvas.Full, nil},
		{"moved-200x58", 200, 58, canvas.Full, nil},
		{"moved-80x22-ascii", 80, 22, canvas.ASCII, []string{"space"}},
		{"along-120x34", 120, 34, canvas.Full, []string{"v"}},
	} {
		t.Run(g.name, func(t *testing.T) {
			r := newRig(t, Of{From: from, To: to})
			r.Canvas.SetGlyphs(g.glyphs)
			r.Canvas.Resize(g.w, g.h)
			r.wait()
			r.press(g.keys...)
			r.Golden(filepath.Join("testdata", g.name+".txt"), *update)
		})
	}
}

// BenchmarkWhatMoved reads and compares 5,000 series of 600 rows, and finds what went along
// with one.
func BenchmarkWhatMoved(b *testing.B) {
	r := newRig(b, Of{From: from, To: to})
	random := rand.New(rand.NewPCG(1, 2))
	for len(r.tape.list) < 5000 {
		level := random.Float64() * 100
		r.tape.add(r.tape.list[3].Set, 1, fmt.Sprintf("q%d", len(r.tape.list)), func(time.Duration, bool) float64 { return level + random.NormFloat64() })
	}
	rows := [][]float64{}
	times := []time.Time{}
	_ = r.tape.Read(b.Context(), to.Add(-600*every), to, func(at time.Time, values []float64) {
		times, rows = append(times, at), append(rows, slices.Clone(values))
	}, func(float64) {})
	src := &played{tape: r.tape, times: times, rows: rows}
	r.Desk.Archive = src
	b.Run("changed", func(b *testing.B) {
		for b.Loop() {
			r.waited = len(r.Sent)
			r.open(Of{From: from, To: to, With: r.tape.list[0].Target})
			r.wait()
		}
	})
	b.Run("along", func(b *testing.B) {
		r.open(Of{From: from, To: to})
		r.wait()
		for b.Loop() {
			r.waited = len(r.Sent)
			r.Run(func() { r.screen.seek(0) })
			r.wait()
		}
	})
}

// played is a tape that was read before.
type played struct {
	*tape

	times []time.Time
	rows  [][]float64
}

func (p *played) Bounds() (first, last time.Time) { return p.times[0], p.times[len(p.times)-1] }

func (p *played) Read(_ context.Context, _, _ time.Time, each func(at time.Time, values []float64), _ func(share float64)) error {
	for i, at := range p.times {
		each(at, p.rows[i])
	}
	return nil
}

// What is used is looked at in place of what is left, where what that is of is told, too: it
// rises with what takes it. The value that was selected is what it was selected as.
func TestUsedIsLookedAt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		raw := func(name string) fake.Counter {
			return fake.Counter{Name: name, Type: cooker.CounterLargeRawCount, Is: fake.Const(1)}
		}
		rg := panetest.New(t, panetest.Options{Start: begin.Add(whole), Settle: synctest.Wait})
		host, _ := rg.Watch(panetest.Scripts(fake.Script{Name: "db", Sets: []fake.Set{{Name: "Memory", Counters: []fake.Counter{
			raw("Available Bytes"), raw("Physical Bytes"), raw("Cache Bytes"),
		}}}})(rg.Clock)[0], time.Minute)
		rg.Clock.Advance(0)
		set := host.Sampler.Catalogue().Set("Memory")
		left := pane.Target{Host: host, Set: set}
		for _, c := range []struct {
			physical, selected bool
			want               string
			first              float64
		}{{true, false, "Used", 3}, {false, false, "Available Bytes", 1}, {true, true, "Available Bytes", 1}} {
			tp := &tape{host: host}
			tp.add(set, 0, "", func(time.Duration, bool) float64 { return 1 })
			tp.add(set, 2, "", func(time.Duration, bool) float64 { return 2 })
			if c.physical {
				tp.add(set, 1, "", func(time.Duration, bool) float64 { return 4 })
			}
			var selected pane.Target
			if c.selected {
				selected = left
			}
			d := newDrawn(tp, selected)
			var got []float64
			if err := d.Read(t.Context(), begin, begin.Add(every), func(_ time.Time, values []float64) { got = slices.Clone(values) }, func(float64) {}); err != nil {
				t.Fatal(err)
			}
			if name := d.Recorded()[0].Name(); name != c.want || got[0] != c.first || got[1] != 2 || tp.list[0].Used {
				t.Errorf("%+v: %s %v", c, name, got)
			}
		}
	})
}

// What grew is listed by how much, bytes first, whatever it is against before: from nothing where it
// came in the span. Rates and shares are no amounts.
func TestWhatGrew(t *testing.T) {
	r := newRig(t, Of{From: from, To: to})
	r.wait()
	set := r.tape.list[2].Set
	set.Counters = append(set.Counters, session.Counter{Name: "Handle Count", Type: cooker.CounterRawCount, Quantity: cooker.Quantity{Kind: cooker.Count}})
	steady := func(at time.Duration, _ bool) float64 { return 1e6 + 1e5*at.Seconds() } // as it did before
	r.tape.add(set, 0, "steady", steady)
	r.tape.add(set, 0, "came", func(_ time.Duration, in bool) float64 {
		if !in {
			return math.NaN()
		}
		return 9e8
	})
	r.tape.add(set, 0, "shrank", func(at time.Duration, in bool) float64 { return 1e10 - steady(at, in) })
	r.tape.add(set, 2, "steady", steady)
	r.open(Of{From: from, To: to})
	r.wait()
	r.press("s")
	var got []string
	for _, row := range r.screen.Rows {
		got = append(got, fmt.Sprintf("%s %s %.0f", row.names[instancePart], row.names[counterPart], (row.to-row.from)/1e6))
	}
	if len(got) != 4 || got[0] != "came Private Bytes 900" || !strings.HasPrefix(got[1], "w3wp Private Bytes 5") || !strings.HasPrefix(got[2], "steady Private Bytes 5") || !strings.HasPrefix(got[3], "steady Handle Count 5") {
		t.Errorf("grown %q", got)
	}
	r.Shows("What grew", "+ in 10 min", "4 counters grew")
	r.press("s")
	r.Shows("What moved", "in span")
}

// What was wrong heads the list, in a third of the screen at most: what has no room is counted. It
// is asked for over the span, and given up with the screen.
func TestWhatWasWrong(t *testing.T) {
	r := newRig(t, Of{From: from, To: to})
	var asked [3]time.Time
	r.Desk.Why = func(_ []*pane.Host, first, a, b time.Time) func(context.Context) (pane.Findings, error) {
		asked = [3]time.Time{first, a, b}
		return func(ctx context.Context) (pane.Findings, error) {
			return pane.Findings{
				Wrong: []pane.Finding{{Level: pane.Warning, Lines: [][2]string{{"", "web01 warning: \x1bthe disk was slow"}, {"since", "03:30:00"}, {"who", "backup (7) 80 % of 1 GB"}, {"along", "much else"}}}},
				Rest:  []pane.Finding{{Lines: [][2]string{{"not judged", "memory"}}}},
			}, context.Cause(ctx)
		}
	}
	r.open(Of{From: from, To: to})
	r.Draw()
	r.Shows("looking for what was wrong")
	r.wait()
	r.Shows("the disk was slow", "since", "backup (7) 80 %", "not judged", "4 counters of 44 moved")
	r.Hides("much else")
	r.Clean()
	if !asked[1].Equal(from) || !asked[2].Equal(to) || !asked[0].Before(from) {
		t.Errorf("asked for %v", asked)
	}
	r.Resize(60, 10)
	r.Draw()
	r.Shows("the disk was slow", "and 1 line more")
	r.open(Of{From: from, To: to})
	r.press("esc")
	r.wait()
	if len(r.screen.why.Wrong) == 0 || len(r.screen.why.Rest) > 1 {
		t.Errorf("after it was given up: %+v", r.screen.why)
	}
	r.Desk.Why = func([]*pane.Host, time.Time, time.Time, time.Time) func(context.Context) (pane.Findings, error) {
		return func(context.Context) (pane.Findings, error) { return pane.Findings{}, errors.New("bad sector") }
	}
	r.open(Of{From: from, To: to})
	r.wait()
	r.Shows("not known", "bad sector")
}
