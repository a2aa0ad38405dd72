package chart

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/tui/canvas"
	"perfdeck/tui/pane"
	"perfdeck/tui/panetest"
)

// still is a chart of hosts that stand still, with any values at all.
func still(glyphs canvas.GlyphSet, w, h int, nanos []int64, names []string, values ...[]float32) *rig {
	now := start
	if len(nanos) > 0 {
		now = time.Unix(0, nanos[len(nanos)-1]).UTC()
	}
	r := &rig{Rig: panetest.New(nil, panetest.Options{W: w, H: h, Start: now, Span: 2 * time.Minute})}
	r.Canvas.SetGlyphs(glyphs)
	r.chart = New(r.Desk)
	r.Show(r.chart)
	name := func(i int) string { return names[i%len(names)] }
	for i, v := range values {
		host := &pane.Host{Name: name(i), Snap: &session.Snapshot{Timeline: session.Timeline{First: 7, Nanos: nanos}}}
		r.Desk.Hosts = append(r.Desk.Hosts, host)
		set := &session.Counterset{Name: name(i + 1), Instances: session.MultipleInstances,
			Counters: []session.Counter{{Name: name(i + 2), Type: cooker.CounterRawCount, DefaultScale: i - 3,
				Quantity: cooker.Quantity{Kind: cooker.QuantityKind(i % 7)}}}}
		r.chart.Show([]pane.Target{{Host: host, Set: set, Key: session.InstanceKey{Name: name(i + 3)}}}, false)
		s := r.chart.series[len(r.chart.series)-1]
		s.history = session.Series{First: 7, Values: v}
		if len(v) > 0 {
			s.value = cooker.FloatValue(float64(v[len(v)-1]))
		}
	}
	return r
}

func seconds(n int) []int64 {
	out := make([]int64, n)
	for i := range out {
		out[i] = start.Add(time.Duration(i) * time.Second).UnixNano()
	}
	return out
}

var plainNames = []string{"sql01", "Processor", "% Processor Time", "_Total"}

var hostileNames = []string{"h\x1b[2Jöst\u202e広", "Set \x1b]0;x\x07 of 広い " + strings.Repeat("long ", 60), "広い名前のカウンタ\u2028\x00", "", "\xff\xfe", "e\u0301"}

// sweepData are what the chart is swept with.
func sweepData() map[string]func(canvas.GlyphSet) *rig {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	repeat := func(v ...float32) []float32 {
		var out []float32
		for range 60 {
			out = append(out, v...)
		}
		return out
	}
	backwards := seconds(120)
	for i := range 60 {
		backwards[i], backwards[119-i] = backwards[119-i], backwards[i]
	}
	gappy := seconds(120)
	for i := 60; i < 120; i++ {
		gappy[i] += int64(50 * time.Second)
	}
	return map[string]func(canvas.GlyphSet) *rig{
		"empty": func(g canvas.GlyphSet) *rig { return still(g, 1, 1, nil, plainNames) },
		"no samples": func(g canvas.GlyphSet) *rig {
			return still(g, 1, 1, nil, plainNames, nil, []float32{})
		},
		"one sample": func(g canvas.GlyphSet) *rig { return still(g, 1, 1, seconds(1), plainNames, []float32{5}) },
		"normal": func(g canvas.GlyphSet) *rig {
			return still(g, 1, 1, gappy, plainNames, repeat(10, 90), repeat(0.001, 0.05), repeat(2e9, 7e9), repeat(50, nan))
		},
		"hostile values": func(g canvas.GlyphSet) *rig {
			return still(g, 1, 1, seconds(120), hostileNames, repeat(nan, inf), repeat(-inf, 1), repeat(math.MaxFloat32, -math.MaxFloat32),
				repeat(nan), repeat(0), repeat(math.SmallestNonzeroFloat32, 0), repeat(-5, 3), repeat(1e-30), repeat(1, 2, 3))
		},
		"hostile times": func(g canvas.GlyphSet) *rig {
			return still(g, 1, 1, backwards, plainNames, repeat(1, 2), repeat(7))
		},
		"the ends of time": func(g canvas.GlyphSet) *rig {
			return still(g, 1, 1, []int64{math.MinInt64 / 2, -1, 0, 1, start.UnixNano(), math.MaxInt64 / 2}, plainNames, []float32{1, 2, 3, 4, 5, 6})
		},
		"many": func(g canvas.GlyphSet) *rig {
			var all [][]float32
			for i := range 80 {
				all = append(all, repeat(float32(i), float32(2*i)))
			}
			return still(g, 1, 1, seconds(120), hostileNames, all...)
		},
	}
}

func sweepSizes() [][2]int {
	return panetest.Sizes{
		W: 44, H: 22, StepW: 3, StepH: 1,
		Widths:  []int{45, 60, 79, 80, 95, 120, 171, 300},
		Heights: []int{1, 5, 10, 15, 16, 23, 24, 34, 58, 100},
	}.All()
}

// Every view at every size with every kind of data: nothing panics, every cell
// is printable and of the glyph set, and what the screen is made of does not
// overlap.
func TestSweep(t *testing.T) {
	for _, set := range []canvas.GlyphSet{canvas.Full, canvas.Console, canvas.ASCII} {
		for name, data := range sweepData() {
			t.Run(fmt.Sprintf("%d/%s", set, name), func(t *testing.T) {
				r := data(set)
				r.TB = t
				step := 1 // odd, so that every size comes with other settings
				switch {
				case name == "many" || testing.Short():
					step = 23
				case set != canvas.Full || name != "normal":
					step = 5
				}
				for i, size := range sweepSizes() {
					if i%step != 0 {
						continue
					}
					r.size(size[0], size[1])
					for v := range viewCount {
						r.chart.view = v
						r.chart.rule = rule{mode: ruleMode(i % int(ruleModes)), lo: -5, hi: 5000}
						r.chart.bare = i%11 == 0
						r.chart.statistic = statistic(i % int(statisticCount))
						r.Desk.At = [...]time.Time{{}, r.Desk.Now().Add(-30 * time.Second), r.Desk.Now().Add(-time.Hour)}[i%3]
						r.chart.drag = drag{Dragged: pane.Dragged{Active: i%5 == 0, From: -4, To: 400}}
						r.Draw()
						r.Clean()
						if !r.isArranged(name) {
							return
						}
					}
				}
			})
		}
	}
}

// isArranged checks that header, plot, axis, legend and marks have rows of their
// own, and all of them a place on the screen.
func (r *rig) isArranged(name string) bool {
	r.Helper()
	w, h := r.Canvas.Size()
	if len(r.chart.series) == 0 {
		return true
	}
	p := r.chart.place
	if p.report {
		return true
	}
	used := make([]int, h)
	take := func(y, rows int) bool {
		for i := y; i < y+rows; i++ {
			if i < 0 || i >= h {
				r.Errorf("%s at %dx%d: row %d is taken", name, w, h, i)
				return false
			}
			used[i]++
		}
		return true
	}
	ok := take(0, 1) && take(p.plot.Y, p.plot.H+2) && take(p.legend.Y, p.legend.H) && (p.marks == 0 || take(p.marks, 1))
	for y, n := range used {
		if n > 1 {
			r.Errorf("%s at %dx%d: row %d is taken %d times", name, w, h, y, n)
			return false
		}
	}
	letters := endCells // at the ends of lines; lanes have theirs in their rules
	if r.chart.view == lanesView {
		letters = 1
	}
	if p.plot.W < minPlotW || p.plot.H < minPlotH || p.plot.X < 1 || p.plot.X+p.plot.W+letters > w || p.legend.H > max(1, h/3) {
		r.Errorf("%s at %dx%d: plot %+v, legend %+v", name, w, h, p.plot, p.legend)
		return false
	}
	return ok
}

// All sizes: the parts fit, whatever the gutter and the number of series.
func TestArrange(t *testing.T) {
	c := New(&pane.Desk{})
	for w := 1; w <= 300; w += 7 {
		for h := 1; h <= 100; h++ {
			for _, n := range []int{1, 3, 12, 62} {
				p := c.arrange(w, h, n, 5)
				if p.report {
					if w-6-endCells >= minPlotW && h >= 12 {
						t.Fatalf("%dx%d with %d series shows no plot", w, h, n)
					}
					continue
				}
				end := p.plot.Y + p.plot.H + 2
				if end != p.legend.Y || p.legend.Y+p.legend.H > h || p.legend.H > max(1, h/3) || p.plot.H < minPlotH {
					t.Fatalf("%dx%d with %d series: %+v", w, h, n, p)
				}
			}
		}
	}
}
