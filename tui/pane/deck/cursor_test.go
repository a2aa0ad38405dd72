package deck

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/fake"
)

// graphCells are the cells of the graph of the first pane.
func graphCells(r *rig, d *Deck) []string {
	p, s := d.laid.places[0], &d.panes[0].picture.of
	var out []string
	for y := range p.H - 1 {
		row := strings.Split(r.Text(), "\n")[p.Y+1+y]
		out = append(out, string([]rune(row)[p.X+1:p.X+1+graphWidth(s)]))
	}
	return out
}

// cursorColumn is where an upright line goes through all rows, -1 if there is none.
func cursorColumn(rows []string) int {
	for x, c := range []rune(rows[0]) {
		all := c == '│'
		for _, row := range rows {
			all = all && []rune(row)[x] == '│'
		}
		if all {
			return x
		}
	}
	return -1
}

// The digits that a deck shows of a moment, and of the largest before it, were told.
func TestDigitsOfThePast(t *testing.T) {
	of := func(name string, kind cooker.CounterType, how cooker.Attributes, from float64) fake.Counter {
		return fake.Counter{Name: name, Type: kind, Attributes: how, Is: fake.Ramp(from, 1)}
	}
	set := fake.Set{Name: "Known", Instances: session.MultipleInstances, Rows: []fake.Row{{Name: "a"}, {Name: "b", Times: 3}}, Counters: []fake.Counter{
		of("Hex", cooker.CounterRawCountHex, 0, 0x3EAD0000), of("LargeHex", cooker.CounterLargeRawCountHex, 0, 0xABEBABE000059),
		of("Real", cooker.CounterLargeRawCount, cooker.DisplayReal, 123456789), of("NoGroup", cooker.CounterLargeRawCount, cooker.NoGrouping, 987654321),
	}}
	for _, paths := range [][]string{{`\Known(*)\Hex`, `\Known(*)\LargeHex`, `\Known(*)\Real`, `\Known(*)\NoGroup`}, {`\Known(a)\Hex`, `\Known(a)\LargeHex`, `\Known(a)\Real`, `\Known(a)\NoGroup`}} {
		onDeck(t, 200, 40, nil, func(r *rig) {
			h := r.comes(fake.Script{Name: "one", Sets: []fake.Set{set}}, paths...)
			told := map[string]bool{}
			for range 30 {
				r.pass(1)
				view := h.Snap.Set(h.Sampler.Catalogue().Set("Known"))
				for i, v := range view.Values {
					c := &view.Set.Counters[view.Counters[i%len(view.Counters)]]
					told[string(c.Look().AppendIn(nil, v, cooker.Unit{}))] = true
				}
			}
			r.Desk.At = h.Snap.Time.Add(-6 * time.Second)
			r.pass(1)
			numbers := regexp.MustCompile(`0x[0-9A-F]{8,16}|\d[\d,]{8,}(\.000)?`).FindAllString(r.Text(), -1)
			if len(numbers) < 4 {
				t.Fatalf("%d numbers:\n%s", len(numbers), r.Text())
			}
			for _, text := range numbers {
				if !told[text] && !strings.HasSuffix(text, "0000000") { // as the top of an axis
					t.Errorf("%s was never told:\n%s", text, r.Text())
				}
			}
		})
	}
}

// A click on a graph marks the column that was clicked and leaves the others as they are;
// the values are those of that moment.
func TestCursorStandsWhereItWasClicked(t *testing.T) {
	m := quiet("one")
	m.cpu = fake.Saw(10, 90, 31*time.Second)
	onDeck(t, 120, 34, []fake.Script{m.script()}, func(r *rig) {
		r.pass(110)
		d := r.book.Own(r.Desk.Hosts[0])
		r.Draw()
		r.Shows(" now ", "last 60 s")
		before, p := graphCells(r, d), d.laid.places[0]
		const x = 20
		r.clickAt(p.X+1+x, p.Y+3)
		r.Draw()
		after := graphCells(r, d)
		if at := cursorColumn(after); at != x {
			t.Fatalf("clicked column %d, the cursor is in %d\n%s", x, at, r.Text())
		}
		r.Shows(" "+r.Desk.At.Format(time.TimeOnly)+" ", "60 s then") // heads tell the moment
		r.Hides(" now ", " last ")
		for y := range before {
			was, is := []rune(before[y]), []rune(after[y])
			for i := range was {
				if i != x && was[i] != is[i] {
					t.Fatalf("column %d of row %d was %q and is %q:\n%s", i, y, was[i], is[i], r.Text())
				}
			}
		}
		// Far back the window goes along, and the cursor stays on it.
		r.Desk.At = r.Desk.At.Add(-50 * time.Second)
		r.Draw()
		far := cursorColumn(graphCells(r, d))
		if far < 0 || far > x {
			t.Errorf("a moment before the window is in column %d:\n%s", far, r.Text())
		}
		still := graphCells(r, d)
		r.pass(5) // then it stands still
		r.Draw()
		if got := graphCells(r, d); strings.Join(got, "\n") != strings.Join(still, "\n") {
			t.Errorf("the window of the past moves on:\n%s\nwas\n%s", strings.Join(got, "\n"), strings.Join(still, "\n"))
		}
		r.Desk.At = time.Time{}
		r.Draw()
		if at := cursorColumn(graphCells(r, d)); at >= 0 {
			t.Errorf("now has a cursor in column %d", at)
		}
	})
}

// The wheel moves the selection in the pane under the mouse, wherever in it that is, and
// not beyond its ends.
func TestWheelIsOfThePaneUnderTheMouse(t *testing.T) {
	onDeck(t, 120, 34, []fake.Script{quiet("one").script()}, func(r *rig) {
		r.pass(5)
		d := r.book.Own(r.Desk.Hosts[0])
		r.Draw()
		wheel := func(x, y, lines int) {
			hit, _ := r.HitAt(x, y)
			r.Run(func() { r.book.Wheel(hit, lines) })
			r.Draw()
		}
		for i, p := range d.laid.places {
			if p.Hidden || len(d.panes[i].lines) == 0 {
				continue
			}
			for _, at := range [][2]int{{p.X + p.W/2, p.Y}, {p.X + 3, p.Y + 1}, {p.X + p.W - 2, p.Y + p.H - 1}} {
				d.focusOn((i + 1) % len(d.panes))
				wheel(at[0], at[1], 3)
				if want := min(3, len(d.panes[i].lines)-1); d.focus != i || d.selectedLine() != want {
					t.Errorf("pane %d at %v: line %d of pane %d is selected, want %d", i, at, d.selectedLine(), d.focus, want)
				}
				wheel(at[0], at[1], -30)
				wheel(at[0], at[1], -3)
				if d.focus != i || d.selectedLine() != 0 {
					t.Errorf("pane %d at %v: back at line %d of pane %d", i, at, d.selectedLine(), d.focus)
				}
				wheel(at[0], at[1], 300)
				if d.focus != i || d.selectedLine() != len(d.panes[i].lines)-1 {
					t.Errorf("pane %d at %v: in the end line %d of pane %d", i, at, d.selectedLine(), d.focus)
				}
			}
		}
	})
}

// The table of the past has the rows that there were then, one that ended long since among
// them, with what is known of it; that of now has it no more.
func TestTableOfThePast(t *testing.T) {
	m := quiet("one")
	m.processes = append(m.processes, fake.Row{
		Name: "compile", Number: 9, Alive: fake.Window{From: 30 * time.Second, To: 40 * time.Second}, Is: map[string]fake.Motion{"% Processor Time": fake.Const(77)},
	})
	onDeck(t, 120, 34, []fake.Script{m.script()}, func(r *rig) {
		r.pass(75)
		r.Hides("compile")
		now := r.Clock.Now().Wall
		for ago, there := range map[time.Duration]bool{50 * time.Second: false, 40 * time.Second: true, 37 * time.Second: true, 30 * time.Second: false} {
			r.Desk.At = now.Add(-ago)
			r.Draw()
			if at := r.lines("compile"); (len(at) == 1) != there {
				t.Errorf("%v ago: lines %v\n%s", ago, at, r.Text())
			}
			if there {
				r.Shows("77.0")
				r.Hides("gone", "ended")
			}
		}
		r.Desk.At = now.Add(-40 * time.Second)
		r.pass(3) // while samples come
		r.Shows("compile", "77.0")
		r.Desk.At = time.Time{}
		r.pass(1)
		r.Hides("compile")
	})
}

// The moment that values are of stands whole in the heads of all panes, beside how far back
// their graphs reach.
func TestMomentInHeads(t *testing.T) {
	for _, size := range [][2]int{{80, 22}, {120, 34}, {160, 46}, {200, 58}} {
		onDeck(t, size[0], size[1], []fake.Script{quiet("one").script()}, func(r *rig) {
			r.pass(30)
			d := r.book.Own(r.Desk.Hosts[0])
			r.Draw()
			heads := strings.Count(r.Text(), " now ") + strings.Count(r.Text(), " last ") - strings.Count(r.Text(), " last 60 s ")
			r.Desk.At = r.Clock.Now().Wall.Add(-12 * time.Second)
			r.Draw()
			if n := strings.Count(r.Text(), " "+r.Desk.At.Format(time.TimeOnly)+" "); n != heads || n == 0 || len(d.panes) == 0 {
				t.Errorf("%v: %d heads tell the moment, %d told that it was now:\n%s", size, n, heads, r.Text())
			}
		})
	}
}

// Beside other hosts the busiest processes of the past are those of then, whatever is busy now,
// with those that ended since and without those that began later.
func TestBusiestOfThePast(t *testing.T) {
	m, o := quiet("one"), quiet("two")
	cpu := func(is fake.Motion) map[string]fake.Motion { return map[string]fake.Motion{"% Processor Time": is} }
	m.processes = []fake.Row{
		{Name: "early", Number: 5, Is: cpu(fake.Burst(fake.Const(1), fake.Const(60), fake.Window{To: 30 * time.Second}))},
		{Name: "steady", Number: 6, Is: cpu(fake.Const(20))},
		{Name: "ended", Number: 7, Alive: fake.Window{To: 34 * time.Second}, Is: cpu(fake.Const(50))},
		{Name: "late", Number: 8, Is: cpu(fake.Burst(fake.Const(0), fake.Const(90), fake.Window{From: 40 * time.Second}))},
		{Name: "begun", Number: 9, Alive: fake.Window{From: 45 * time.Second}, Is: cpu(fake.Const(80))},
	}
	for _, w := range []int{120, 200} {
		onDeck(t, w, 34, []fake.Script{m.script(), o.script()}, func(r *rig) {
			r.pass(60)
			order := func() (names []string) {
				for line := range strings.Lines(r.Text()) {
					for _, name := range []string{"early", "steady", "ended", "late", "begun"} {
						if strings.Contains(line, " "+name+" ") {
							names = append(names, name)
						}
					}
				}
				return names
			}
			starts := func(want ...string) {
				r.Helper()
				r.Draw()
				if got := order(); len(got) < 2 || got[0] != want[0] || got[1] != want[1] || len(got) == 5 {
					r.Errorf("%d wide: %q, want first %q:\n%s", w, got, want, r.Text())
				}
			}
			starts("late", "begun")
			now := r.Clock.Now().Wall
			r.Desk.At = now.Add(-40 * time.Second)
			starts("early", "ended")
			r.Shows("60.0", "50.0")
			r.Hides("gone", "begun")
			r.pass(5) // while samples come
			starts("early", "ended")
			r.Desk.At = now.Add(-23 * time.Second)
			starts("steady", "early")
			r.Desk.At = time.Time{}
			starts("late", "begun")
		})
	}
}

// Before the first value of a share of a limit stands what stands in place of a number: that
// is no error.
func TestSharesBeforeTheFirst(t *testing.T) {
	onDeck(t, 120, 34, []fake.Script{quiet("one").script(), quiet("two").script()}, func(r *rig) {
		r.pass(5)
		r.Shows("Used")
		r.Desk.At = r.Desk.Hosts[0].Snap.Timeline.At(0).Add(-time.Second)
		r.Draw()
		r.Shows("pending")
		r.Hides("error")
	})
}
