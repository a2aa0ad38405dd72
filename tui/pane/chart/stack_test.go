package chart

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/fake"
	"perfdeck/tui/canvas"
	"perfdeck/tui/chart"
	"perfdeck/tui/pane"
)

// wave is a percentage of one host, with a time of its own for each sample.
type wave struct {
	nanos  []int64
	values []float32
}

// waves are series that swing between 0 and 100 against each other each second,
// the samples of each so much later than those of the first: at no time is their
// sum more than 100.
func waves(n int, later ...time.Duration) []wave {
	out := make([]wave, len(later))
	for i, by := range later {
		for k := range n {
			out[i].nanos = append(out[i].nanos, start.Add(by+time.Duration(k)*time.Second).UnixNano())
			out[i].values = append(out[i].values, float32((k+i)%2*100))
		}
	}
	return out
}

// waving charts waves, each of a host of its own.
func waving(t testing.TB, set canvas.GlyphSet, w, h int, list ...wave) *rig {
	r := still(set, w, h, seconds(1), plainNames, make([][]float32, len(list))...)
	r.TB = t
	for i, s := range r.chart.series {
		s.target.Set.Counters[0] = session.Counter{Name: "% Busy", Type: cooker.CounterRawCount, Quantity: cooker.Quantity{Kind: cooker.Percent}}
		s.target.Host.Snap = &session.Snapshot{Timeline: session.Timeline{First: 7, Nanos: list[i].nanos}}
		s.history = session.Series{First: 7, Values: list[i].values}
		s.value = cooker.FloatValue(float64(list[i].values[len(list[i].values)-1]))
	}
	return r
}

// show lets the window be of so many samples a cell, and end at sample n.
func (r *rig) show(perCell, n int) {
	r.Desk.Span = 5 * time.Minute // so that the width of the plot is known
	r.Draw()
	r.Desk.Span = time.Duration(r.chart.place.plot.W*perCell) * time.Second
	r.chart.zoom = zoom{end: start.Add(time.Duration(n) * time.Second), span: r.Desk.Span, deskSpan: r.Desk.Span}
	r.Draw()
}

// isDrawn tells whether more than the grid is drawn in a cell of the plot.
func (r *rig) isDrawn(x, y int) bool { return !r.chart.picture.isFree(x, y) }

// Two counters that swing between 0 and 100 against each other are 100 together
// at each moment: no column of the stack is higher, however many samples it has,
// whatever the width, and wherever it is scrolled to.
func TestStackIsOfOneMoment(t *testing.T) {
	const n = 2600
	offsets := map[string][]time.Duration{
		"one host's times": {0, 0}, "0.3 s later": {0, 300 * time.Millisecond}, "0.3 s earlier": {0, -300 * time.Millisecond},
		"0.7 s later": {0, 1700*time.Millisecond - 2*time.Second}, "three": {0, 2100 * time.Millisecond},
	}
	sets, widths, scrolls := []canvas.GlyphSet{canvas.Full, canvas.Console, canvas.ASCII}, []int{45, 80, 120, 200}, 4
	if testing.Short() {
		sets, widths, scrolls = sets[:1], widths[:2], 2
	}
	for name, later := range offsets {
		for _, set := range sets {
			for _, w := range widths {
				r := waving(t, set, w, 34, waves(n, later...)...)
				r.chart.view, r.chart.rule = stackedView, rule{mode: ruleFixed, lo: 0, hi: 200}
				for _, perCell := range []int{2, 3, 5, 10, 17, 50} {
					for scroll := range scrolls {
						r.show(perCell, 2400+scroll)
						p := &r.chart.picture
						half := chart.Row(100, 0, 200, p.key.h)
						most := 0.0
						for x := 1; x < p.key.win.w-1; x++ {
							for y := range half {
								if r.isDrawn(x, y) {
									t.Fatalf("%s, %d wide, %d samples a cell, scrolled by %d: column %d passes 100\n%s",
										name, w, perCell, scroll, x, p.cells)
								}
							}
							if start.Before(p.key.win.start(x)) && !r.isDrawn(x, half+1) {
								t.Fatalf("%s, %d wide, %d samples a cell: column %d does not reach 100\n%s", name, w, perCell, x, p.cells)
							}
						}
						for _, v := range p.stack.areas(r.chart)[1].Values {
							if cooker.IsFinite(v) {
								most = max(most, v)
							}
						}
						if most != 100 {
							t.Fatalf("%s: the stack is %v high", name, most)
						}
					}
				}
			}
		}
	}
}

// A line over many samples a cell is a band from the lowest to the highest, and
// so is the edge of an area: solid to the lowest, hatched to the highest.
func TestLineIsABand(t *testing.T) {
	const n = 2600
	for _, set := range []canvas.GlyphSet{canvas.Full, canvas.Console, canvas.ASCII} {
		for _, w := range []int{45, 120, 200} {
			list := waves(n, 0)
			for i, v := range list[0].values {
				list[0].values[i] = 20 + v*6/10 // 20 to 80
			}
			r := waving(t, set, w, 34, list...)
			for _, perCell := range []int{2, 5, 17, 50} {
				for scroll := range 3 {
					r.chart.view = lineView
					r.show(perCell, 2400+scroll)
					p := &r.chart.picture
					top, bottom := chart.Row(80, 0, 100, p.key.h), chart.Row(20, 0, 100, p.key.h)
					for x := 1; x < p.key.win.w-1; x++ {
						if !start.Before(p.key.win.start(x)) {
							continue
						}
						for y := range p.key.h {
							if want := y >= top && y <= bottom; r.isDrawn(x, y) != want {
								t.Fatalf("glyph set %d, %d wide, %d samples a cell: row %d of column %d of the line is drawn: %v\n%s",
									set, w, perCell, y, x, !want, p.cells)
							}
						}
					}
					if perCell < 5 {
						continue
					}
					r.chart.view = areaView
					r.Draw()
					a := r.chart.areas(r.chart.shown(), p.key.win.w)[0]
					for d := 2; d < len(a.Values)-4; d++ {
						if start.Before(p.key.win.start(d/2)) && (a.Values[d] != 80 || a.Low[d] != 20) {
							t.Fatalf("%d samples a cell: column %d of the area is %v, solid to %v", perCell, d, a.Values[d], a.Low[d])
						}
					}
				}
			}
		}
	}
}

// What was drawn stays: as time goes on, a column shows the same as before until
// it leaves, in every view.
func TestPictureDoesNotTremble(t *testing.T) {
	const n = 1200
	list := waves(n, 0, 300*time.Millisecond, -400*time.Millisecond)
	for i := range list {
		for k := range list[i].values { // neither regular in time nor in height
			list[i].nanos[k] += int64(k*7919%90) * int64(time.Millisecond)
			list[i].values[k] = float32((k*k*31 + i*17 + k) % 101)
		}
	}
	r := waving(t, canvas.Full, 90, 30, list...)
	r.chart.rule = rule{mode: ruleFixed, lo: 0, hi: 300}
	for _, v := range []view{lineView, areaView, stackedView} {
		r.chart.view = v
		for _, perCell := range []int{2, 3, 7} {
			before := map[int64]string{}
			for scroll := range 25 {
				r.show(perCell, 900+scroll)
				p := &r.chart.picture
				for x := 1; x < p.key.win.w-2; x++ {
					var column strings.Builder
					for y := range p.key.h {
						if r.isDrawn(x, y) {
							column.WriteRune(p.cells.At(x, y).Rune)
						} else {
							column.WriteByte(' ')
						}
					}
					at := p.key.win.start(x).UnixNano()
					if was, ok := before[at]; ok && was != column.String() {
						t.Fatalf("%s, %d samples a cell: the column of %v was %q and is %q", viewNames[v], perCell, p.key.win.start(x), was, column.String())
					}
					before[at] = column.String()
				}
			}
		}
	}
}

// The cursor goes to the moments that the columns show, and the values that it
// reads are those that are drawn: where it stands the letters are on the sums.
func TestCursorReadsTheStack(t *testing.T) {
	list := waves(1500, 0, 300*time.Millisecond)
	for k := range list[0].values {
		list[0].values[k], list[1].values[k] = float32(k*37%60), float32(k*53%40)
	}
	r := waving(t, canvas.Full, 100, 34, list...)
	r.chart.view, r.chart.rule = stackedView, rule{mode: ruleFixed, lo: 0, hi: 100}
	r.show(9, 1400)
	sum := func() (total float64, values []float64) {
		for _, s := range r.chart.series {
			f, ok := s.at(r.Desk.At).Float()
			if !ok {
				t.Fatalf("at %v %c has no value", r.Desk.At, s.letter())
			}
			total += f
			values = append(values, total)
		}
		return total, values
	}
	check := func(how string) {
		t.Helper()
		p := &r.chart.picture
		x := p.key.win.column(r.Desk.At.UnixNano())
		tops := p.stack.areas(r.chart)[1].Values
		high := tops[2*x]
		if right := tops[2*x+1]; !(high >= right) {
			high = right
		}
		total, values := sum()
		if total != high {
			t.Fatalf("%s: the cursor at %v reads %v, column %d shows %v", how, r.Desk.At, total, x, high)
		}
		for i, v := range values {
			y := chart.Row(v, 0, 100, p.key.h)
			if i == 0 && y == chart.Row(total, 0, 100, p.key.h) {
				continue // below the other letter
			}
			if got := r.Canvas.At(r.chart.place.plot.X+x, r.chart.place.plot.Y+y).Rune; got != r.chart.series[i].letter() {
				t.Fatalf("%s: at %v row %d of the cursor shows %q, not %c", how, v, y, got, r.chart.series[i].letter())
			}
		}
	}
	for x := 20; x < 60; x++ {
		r.ClickAt(r.chart.place.plot.X+x, 5)
		if got := r.chart.picture.key.win.column(r.Desk.At.UnixNano()); got != x {
			t.Fatalf("a click on column %d goes to column %d", x, got)
		}
		check("a click")
	}
	for range 30 {
		r.Press("h")
		check("h")
	}
	for range 20 {
		r.Press("l")
		check("l")
	}
}

// Of a host that is asked each 10 seconds the newest value counts until the next
// one; where one is lost, the other is drawn alone.
func TestStackOfOtherBeats(t *testing.T) {
	fast := wave{}
	slow := wave{}
	for k := range 600 {
		at := start.Add(time.Duration(k) * time.Second)
		fast.nanos, fast.values = append(fast.nanos, at.UnixNano()), append(fast.values, 10)
		if k%10 == 0 && (k < 200 || k >= 300) {
			slow.nanos, slow.values = append(slow.nanos, at.Add(400*time.Millisecond).UnixNano()), append(slow.values, 30)
		}
	}
	for _, list := range [][]wave{{fast, slow}, {slow, fast}} {
		r := waving(t, canvas.Full, 100, 34, list...)
		r.chart.view, r.chart.rule = stackedView, rule{mode: ruleFixed, lo: 0, hi: 100}
		for _, perCell := range []int{1, 5, 7} {
			r.show(perCell, 560)
			p := &r.chart.picture
			tops := p.stack.areas(r.chart)[1].Values
			own := p.stack.areas(r.chart)[0].Values
			for d := 2; d < len(tops)-2; d++ {
				at := p.key.win.from + int64(d)*p.key.win.cell/2
				s := float64(at-start.UnixNano()) / 1e9
				low := own[d]
				isLost := s > 190+25+float64(perCell) && s < 299-float64(perCell)
				isThere := s > 12 && s < 190 || s > 312 && s < 550
				switch {
				case isThere && tops[d] != 40 && !(math.IsNaN(tops[d]) && low == 40):
					t.Fatalf("%d samples a cell: at %.1f s the stack is %v", perCell, s, tops[d])
				case isLost && max(nothing(low), nothing(tops[d])) != 10:
					t.Fatalf("%d samples a cell: in the gap, at %.1f s, the stack is %v and %v", perCell, s, low, tops[d])
				}
			}
		}
	}
}

func nothing(v float64) float64 {
	if v != v {
		return 0
	}
	return v
}

// Where every host is lost nothing is drawn, and no sum leads across.
func TestStackKeepsGaps(t *testing.T) {
	list := waves(400, 0, 300*time.Millisecond)
	for i := range list {
		for k := range list[i].nanos {
			if k >= 200 {
				list[i].nanos[k] += int64(100 * time.Second)
			}
		}
	}
	r := waving(t, canvas.Full, 100, 34, list...)
	r.chart.view = stackedView
	for _, perCell := range []int{1, 3, 5} {
		r.show(perCell, 499)
		p := &r.chart.picture
		from, to := p.key.win.column(start.Add(201*time.Second).UnixNano()), p.key.win.column(start.Add(299*time.Second).UnixNano())
		for x := max(0, from+1); x < to; x++ {
			for y := range p.key.h {
				if r.isDrawn(x, y) {
					t.Fatalf("%d samples a cell: %q is drawn in the gap", perCell, p.cells.At(x, y).Rune)
				}
			}
		}
	}
}

// The same through hosts that are sampled: all views of counters in antiphase, at
// several spans, live and with the cursor.
func TestAntiphaseOfHosts(t *testing.T) {
	swing := func(odd bool) fake.Motion {
		return func(at time.Duration, _ uint64) float64 {
			if (int(at.Round(time.Second)/time.Second)%2 == 1) == odd {
				return 100
			}
			return 0
		}
	}
	script := func(name string, odd bool) fake.Script {
		return fake.Script{Name: name, Sets: []fake.Set{{Name: "Processor", Counters: []fake.Counter{
			{Name: "% Up", Type: cooker.CounterRawCount, Is: swing(odd)}, {Name: "% Down", Type: cooker.CounterRawCount, Is: swing(!odd)},
		}}}}
	}
	lost := fake.Fault{Window: fake.Window{From: 400 * time.Second, To: 460 * time.Second}, Err: errors.New("lost")}
	a, b := script("a", true), script("b", false)
	b.Faults = []fake.Fault{lost}
	for name, paths := range map[string][2]string{"one host": {`\Processor\% Up`, `\Processor\% Down`}, "two hosts": {`\Processor\% Up`, `\Processor\% Up`}} {
		onChart(t, []fake.Script{a, b}, func(r *rig) {
			second := r.Desk.Hosts[0]
			if name == "two hosts" {
				second = r.Desk.Hosts[1]
			}
			r.add(r.Desk.Hosts[0], paths[0])
			r.add(second, paths[1])
			r.pass(1000 * time.Second)
			for _, span := range []time.Duration{4 * time.Minute, 8 * time.Minute, 15 * time.Minute} {
				r.Desk.Span = span
				r.chart.view, r.chart.rule = stackedView, rule{mode: ruleFixed, lo: 0, hi: 200}
				for range 5 {
					r.pass(time.Second)
					r.Draw()
					p := &r.chart.picture
					for x := range p.key.win.w {
						if r.isDrawn(x, chart.Row(100, 0, 200, p.key.h)-1) {
							t.Fatalf("%s, %v: column %d passes 100\n%s", name, span, x, r.Text())
						}
					}
				}
				for range 5 {
					r.press("h")
					up, _ := r.chart.series[0].at(r.Desk.At).Float()
					down, _ := r.chart.series[1].at(r.Desk.At).Float()
					if up+down != 100 {
						t.Fatalf("%s: at %v %v and %v are read", name, r.Desk.At, up, down)
					}
				}
				r.Desk.At = time.Time{}
			}
		})
	}
}

// Counters that are asked more seldom than others have no sample yet for the
// newest ones: their last value counts until it comes.
func TestStackWaits(t *testing.T) {
	list := waves(300, 0, 0)
	r := waving(t, canvas.Full, 100, 34, list...)
	one := r.chart.series[0]
	for _, s := range r.chart.series {
		s.target.Host = one.target.Host
		for i := range s.history.Values {
			s.history.Values[i] = 20
		}
	}
	one.history.Values, one.every = one.history.Values[:292], 8*time.Second
	r.chart.view, r.chart.rule = stackedView, rule{mode: ruleFixed, lo: 0, hi: 100}
	r.Desk.Span = 2 * time.Minute
	r.Draw()
	tops := r.chart.picture.stack.areas(r.chart)[1].Values
	last := slices.IndexFunc(tops, func(v float64) bool { return v == 40 })
	if last < 0 {
		t.Fatal("nothing is stacked")
	}
	for d, v := range tops[last : len(tops)-2] {
		if v != 40 && v == v {
			t.Fatalf("column %d of the stack is %v", last+d, v)
		}
	}
}

func BenchmarkStackLong(b *testing.B) {
	for _, hosts := range []int{1, 12} {
		b.Run(fmt.Sprintf("%d hosts", hosts), func(b *testing.B) {
			list := waves(100_000, make([]time.Duration, 12)...)
			r := waving(b, canvas.Full, 120, 34, list...)
			if hosts == 1 {
				for _, s := range r.chart.series {
					s.target.Host = r.chart.series[0].target.Host
				}
			}
			r.chart.view = stackedView
			r.Desk.Span = 27 * time.Hour
			for b.Loop() {
				r.chart.tracks = nil // as after a sample
				for _, s := range r.chart.series {
					s.collected = samples{}
				}
				r.chart.version++
				r.chart.picture.stack = stack{}
				r.Draw()
			}
		})
	}
}

// What another of the series counts already is not put on top of it.
func TestStackAddsNothingTwice(t *testing.T) {
	host := &pane.Host{}
	for set, names := range map[string]map[string]string{
		"Control Group":         {"/ a a_b": "/", "a a_b b": "a b", "a_b -a b": "a_b b"},
		"Processor Information": {"_Total 0,0 0,1": "0,0 0,1", "_Total": "_Total", "_Total -0,0": "_Total"},
		"PhysicalDisk":          {"sda sda1 dm-0 total of *": "sda"},
	} {
		of := &session.Counterset{Name: set, Counters: []session.Counter{{Name: "C"}}}
		for given, want := range names {
			c := &Chart{}
			for name := range strings.FieldsSeq(strings.ReplaceAll(given, "total of *", "total_of_*")) {
				bare, hidden := strings.CutPrefix(name, "-")
				bare = strings.ReplaceAll(bare, "total_of_*", "total of *")
				c.series = append(c.series, &series{hidden: hidden, target: pane.Target{Host: host, Set: of, Key: session.InstanceKey{Name: bare}}})
			}
			var got []string
			for _, s := range c.stacks() {
				got = append(got, s.target.Key.Name)
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%s: of %s are stacked %v, want %s", set, given, got, want)
			}
		}
	}
}
