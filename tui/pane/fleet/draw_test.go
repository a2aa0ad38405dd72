package fleet

import (
	"errors"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/hosts/fake/faketest"
	"perfdeck/tui/canvas"
	"perfdeck/tui/pane"
	"perfdeck/tui/panetest"
)

// Another moment shows the values of then, those of a host that is down now
// too.
func TestPast(t *testing.T) {
	hosts := []scripted{
		{name: "a", cpu: fake.Burst(fake.Const(20), fake.Const(80), fake.Window{From: 30 * time.Second})},
		{name: "b", cpu: fake.Const(33), faults: []fake.Fault{{Window: fake.Window{From: 35 * time.Second}, Err: errors.New("gone")}}},
	}
	onFleet(t, hosts, 100, 30, func(r *rig) {
		r.Begin(150)
		if row := r.row(" a "); !strings.Contains(row, "80") {
			t.Errorf("now: %q", row)
		}
		if row := r.row(" b "); !strings.Contains(row, "down") {
			t.Errorf("now: %q", row)
		}
		r.Desk.At = start.Add(32 * time.Second).Add(-5 * time.Second)
		r.Pass(1)
		if row := r.row(" a "); strings.Contains(row, "80") && !strings.Contains(row, "20") {
			t.Errorf("then: %q", row)
		}
		if row := r.row(" b "); !strings.Contains(row, "33") {
			t.Errorf("then: %q", row)
		}
		r.Hides("now ─")
		r.Desk.At = time.Time{}
		r.Pass(1)
		if row := r.row(" a "); !strings.Contains(row, "80") {
			t.Errorf("now again: %q", row)
		}
	})
}

// With Wipe a cell of a strip keeps its place until it is overwritten.
func TestWipe(t *testing.T) {
	onFleet(t, []scripted{{name: "a", cpu: fake.Walk(0, 100, 2*time.Second)}}, 60, 14, func(r *rig) {
		r.Desk.Wipe = true
		r.Begin(60)
		before := []rune(r.row(" a "))
		r.Pass(1)
		after := []rune(r.row(" a "))
		changed := 0
		strip := r.screen.places.line.Places[stripColumn]
		for x := strip.X; x < strip.X+strip.W; x++ {
			if before[x] != after[x] {
				changed++
			}
		}
		if changed > 2 {
			t.Errorf("%d cells of the strip changed with one sample:\n%s\n%s", changed, string(before), string(after))
		}
	})
}

// In ASCII strips and map are digits.
func TestHeatInASCII(t *testing.T) {
	onFleet(t, few(), 80, 24, func(r *rig) {
		r.Canvas.SetGlyphs(canvas.ASCII)
		r.Begin(12)
		if row := r.row("busy"); !strings.Contains(row, "99999") {
			t.Errorf("the strip of 97 %% is %q", row)
		}
		if row := r.row("calm"); !strings.Contains(row, "11111") {
			t.Errorf("the strip of 12 %% is %q", row)
		}
	})
}

// A host that has none of the names, or only some, says so and harms nobody.
func TestOtherHosts(t *testing.T) {
	hosts := []scripted{
		{name: "nothing", sets: []fake.Set{{Name: "Other", Counters: []fake.Counter{{Name: "n", Type: cooker.CounterRawCount}}}}},
		{name: "mac", sets: []fake.Set{
			{Name: "Memory", Counters: []fake.Counter{
				{Name: "% Committed Bytes In Use", Type: cooker.LargeRawFraction, Absent: "not on this system"},
				{Name: "Available Bytes", Type: cooker.CounterLargeRawCount, Is: fake.Const(1e9)},
				{Name: "Physical Bytes", Type: cooker.CounterLargeRawCount, Is: fake.Const(4e9)}}},
			{Name: "Processor", Instances: session.MultipleInstances, Rows: []fake.Row{{Name: "0"}, {Name: "_Total", Flags: session.FlagTotal}},
				Counters: []fake.Counter{{Name: "% Processor Time", Type: cooker.Timer100ns, Is: fake.Const(44), Mean: true}}},
		}},
	}
	onFleet(t, hosts, 100, 30, func(r *rig) {
		r.Begin(6)
		if row := r.row("nothing"); strings.Count(row, "none") != 4 {
			t.Errorf("a host without the counters shows %q", row)
		}
		if row := r.row("mac"); !strings.Contains(row, "44") || !strings.Contains(row, "75") {
			t.Errorf("another system shows %q", row)
		}
		r.Press("v")
		r.Press("G")
		r.Pass(2)
		if row := r.row("mac"); !strings.Contains(row, "▆▆") {
			t.Errorf("the used share has no history: %q", row)
		}
	})
}

// A set that cannot be read keeps its last value, marked as old.
func TestUnreadSet(t *testing.T) {
	hosts := few()[:1]
	hosts[0].faults = []fake.Fault{{Window: fake.Window{From: 10 * time.Second}, Set: "Memory", Err: errors.New("broken")}}
	onFleet(t, hosts, 100, 30, func(r *rig) {
		r.Begin(12)
		if row := r.row("calm"); !strings.Contains(row, "~33") {
			t.Errorf("the line is %q", row)
		}
	})
}

// hostile are hosts whose names and errors attack the screen.
func hostile() []scripted {
	var out []scripted
	for i, name := range faketest.HostileNames() {
		h := scripted{name: name, groups: []string{name, "x"}, cpu: fake.Const(float64(i * 4)), mem: 1e9, disk: 1e12, net: 1e18}
		switch i % 3 {
		case 0:
			h.faults = []fake.Fault{{Err: &session.HostError{Host: name, Op: name, Err: errors.New(name + ": " + name), Advice: name}}}
		case 1:
			h.sets = []fake.Set{{Name: "Memory", Counters: []fake.Counter{{Name: "% Committed Bytes In Use", Type: cooker.CounterText}}}}
		}
		out = append(out, h)
	}
	return out
}

// At every size, in every glyph set, whatever the data: nothing is drawn
// outside, nothing steers the terminal, the selected line is in view.
func TestSweep(t *testing.T) {
	for _, c := range []struct {
		name  string
		hosts []scripted
		n     int
		step  int
	}{
		{"none", nil, 1, 3},
		{"one", few()[:1], 5, 3},
		{"before the first answer", few(), -1, 5},
		{"six", few(), 20, 3},
		{"200", fleetOf(200), 6, 7},
		{"hostile", hostile(), 4, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			onFleet(t, c.hosts, 120, 34, func(r *rig) {
				r.screen.Trouble = judge{"calm": pane.Warning, "fra-web-02": pane.Critical}.worst
				if c.n >= 0 {
					r.Begin(c.n)
				}
				for _, keys := range [][]string{nil, {"G", "space"}, {"v", "v", "s"}} {
					r.Press(keys...)
					for _, glyphs := range []canvas.GlyphSet{canvas.Full, canvas.ASCII} {
						for _, size := range sizes(c.step) {
							r.Sound(size[0], size[1], glyphs)
							if p := r.screen.places; p.rows > 0 && len(r.screen.Rows) > 0 {
								if l := r.screen.Line(); l < r.screen.Top() || l >= r.screen.Top()+p.rows*p.columns {
									t.Fatalf("%v: line %d is not in view: %d of %dx%d", size, l, r.screen.Top(), p.columns, p.rows)
								}
							}
						}
					}
				}
			})
		})
	}
}

// The layout by width: two columns from 118 cells; net, disk and
// mem leave in this order, then the strip shrinks to 8; for longer names it does
// so before.
func TestLayout(t *testing.T) {
	for w, want := range map[int]int{40: 1, 80: 1, 117: 1, 118: 2, 177: 2, 178: 3, 300: 5} {
		if got := listColumns(w, 1000, 20); got != want {
			t.Errorf("%d cells have %d columns, want %d", w, got, want)
		}
	}
	if got := listColumns(200, 4, 20); got != 1 {
		t.Errorf("4 hosts take %d columns", got)
	}
	last := services
	for w := 120; w >= 1; w-- {
		c := lineCells(w, 20, false)
		shown := 1
		for m := mem; m < services; m++ {
			has := func(m int) bool { return c.Has(stripColumn + m - cpu) }
			if has(m) {
				shown++
			}
			if has(m) && !has(m-1) {
				t.Errorf("%d cells: %s is there without %s", w, measures[m].name, measures[m-1].name)
			}
		}
		if shown > last {
			t.Errorf("%d cells: a column comes back", w)
		}
		last = shown
		if short := lineCells(w, minName, false); shown > 1 && short.Places[stripColumn].W < fullHeat {
			t.Errorf("%d cells: the strip has %d cells beside %d columns", w, short.Places[stripColumn].W, shown)
		}
		if strip := c.Places[stripColumn].W; strip > 0 && strip < minHeat || c.End() > w && w > 10 {
			t.Errorf("%d cells: %+v", w, c)
		}
	}
	if c := lineCells(58, 13, false); !c.Has(stripColumn+net-cpu) || c.Places[stripColumn].W != 14 || c.End() != 58 {
		t.Errorf("half of 118 cells: %+v", c)
	}
	for _, at := range []struct {
		h           int
		chart, more bool
	}{{17, false, false}, {18, true, false}, {27, true, false}, {28, true, true}} {
		p := place(120, at.h, 200, 5, 7, 13, false)
		if p.chart.H > 0 != at.chart || p.detail.H > 0 != at.more {
			t.Errorf("%d rows: map %v, details %v", at.h, p.chart, p.detail)
		}
		if p.chart.H+p.list.H+p.detail.H != at.h {
			t.Errorf("%d rows: %+v", at.h, p)
		}
	}
}

// Fleet and decks colour by the same rules: without one nothing is coloured, however
// large; with one the value that fires is, and what was acknowledged or is muted is not.
func TestColoursOfRules(t *testing.T) {
	onFleet(t, []scripted{{name: "a", cpu: fake.Const(97), mem: 99}, {name: "b", cpu: fake.Const(30), mem: 99}}, 120, 30, func(r *rig) {
		watch := alert.NewWatch(alert.Options{Clock: r.Clock, Report: func(err error) { t.Error(err) }})
		r.Desk.Alerts = watch
		for _, h := range r.Desk.Hosts {
			watch.Add(h.Name, h.Sampler.(*session.Sampler))
		}
		r.Go(watch.Run)
		r.Begin(3)
		coloured := func() (out string) {
			t.Helper()
			r.Pass(3)
			r.Draw()
			for _, l := range r.screen.lines {
				for m := range services {
					src := &l.sources[m]
					view := l.snap.Set(src.set)
					mark := r.Desk.Mark(l.host, src.set, src.counter, view.Rows[src.row(view)].Key)
					_, deck, _ := pane.SignOfMark(mark, canvas.Full.Glyphs())
					if st, ok := r.screen.alarm(l, m, canvas.Full.Glyphs()); ok {
						out += l.name + " " + measures[m].name + " "
						if st != deck {
							t.Errorf("%s %s is %v, on a deck %v", l.name, measures[m].name, st, deck)
						}
					}
				}
			}
			return out
		}
		if got := coloured(); got != "" {
			t.Errorf("without a rule: %s", got)
		}
		rule, err := alert.ParseRule(`\Processor Information(_Total)\% Processor Time>20`)
		if err != nil {
			t.Fatal(err)
		}
		rule.Hosts, rule.Interval = []string{"b"}, time.Second
		if err := watch.Put("ana", rule); err != nil {
			t.Fatal(err)
		}
		if got := coloured(); got != "b cpu " {
			t.Errorf("by the rule: %q", got)
		}
		watch.Mute("ana", alert.Scope{Host: "b"}, r.Desk.Now().Add(time.Hour))
		if got := coloured(); got != "" {
			t.Errorf("muted: %s", got)
		}
	})
}

func BenchmarkDraw200(b *testing.B) {
	r := newRig(b, fleetOf(200), 200, 58, func() { time.Sleep(500 * time.Microsecond) })
	r.screen.Trouble = judge{"fra-sql-01": pane.Critical, "fra-web-01": pane.Warning}.worst
	r.Begin(2)
	r.Clock.Advance(time.Second)
	r.Deliver()
	b.Run("again", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r.Draw()
		}
	})
	b.Run("sorted and read anew", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for _, l := range r.screen.lines {
				l.isRead = false
			}
			r.screen.sorted = time.Time{}
			r.Draw()
		}
	})
}

// Hosts with a set that runs are marked, in any width.
func TestRunningSets(t *testing.T) {
	for _, w := range []int{60, 120, 200} {
		onFleet(t, []scripted{{name: "a"}, {name: "a-host-with-a-name-that-is-long"}, {name: "b"}}, w, 30, func(r *rig) {
			r.Desk.HostSets = &panetest.HostSets{Runs: map[string][]string{"a": {"x"}, "a-host-with-a-name-that-is-long": {"x"}}}
			r.Begin(3)
			if row := r.row(" a "); !strings.Contains(row, "a ●") {
				t.Errorf("%q", row)
			}
			if row := r.row("a-host"); !strings.Contains(row, "●") {
				t.Errorf("%q", row)
			}
			if row := r.row(" b "); strings.Contains(row, "●") {
				t.Errorf("%q", row)
			}
		})
	}
}
