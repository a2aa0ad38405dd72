package chart

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/fake"
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/list"
	"perfdeck/tui/pane"
)

// Lanes divide the rows evenly, each has its rule and two rows at least, and those that
// do not fit are not squeezed in.
func TestLaneEdges(t *testing.T) {
	for h := 1; h < 120; h++ {
		for n := 1; n < 70; n++ {
			edges := laneEdges(h, n)
			if edges[0] != 0 || edges[len(edges)-1] != h {
				t.Fatalf("%d lanes in %d rows: %v", n, h, edges)
			}
			for i := 1; i < len(edges); i++ {
				if rows := edges[i] - edges[i-1]; h >= leastLane && rows < leastLane || rows-(h/(len(edges)-1)) > 1 {
					t.Fatalf("%d lanes in %d rows: %v", n, h, edges)
				}
			}
			if n*leastLane <= h && len(edges)-1 != n {
				t.Fatalf("%d lanes have room in %d rows: %v", n, h, edges)
			}
		}
	}
}

// laneScripts is a host of eight counters, one of them negative, one with a gap.
func laneScripts() []fake.Script {
	var rows []fake.Row
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		rows = append(rows, fake.Row{Name: name})
	}
	return one(fake.Script{Name: "web01", Sets: []fake.Set{
		{Name: "Thing", Instances: session.MultipleInstances, Rows: rows,
			Counters: []fake.Counter{{Name: "% Busy Time", Type: cooker.Timer100ns, Is: fake.Walk(40, 60, 20*time.Second)}}},
		{Name: "Other", Counters: []fake.Counter{
			{Name: "Offset", Type: cooker.CounterRawCount, Is: fake.Walk(4000, 5000, 30*time.Second)},
		}},
	}})
}

// Each lane has its own scale, and in all of them a cell of a column is the same time.
func TestLanesHaveOwnScales(t *testing.T) {
	onChart(t, laneScripts(), func(r *rig) {
		r.size(120, 30)
		r.add(r.Desk.Hosts[0], `\Thing(a)\% Busy Time`, `\Other\Offset`)
		r.pass(200 * time.Second)
		r.press("v", "v", "v")
		r.shows("view lanes", "100 %", "% Busy Time", "Offset")
		busy, offset := r.named('A'), r.named('B')
		if busy.lane.lo != 0 || busy.lane.hi != 100 {
			t.Errorf("the scale of a percentage is %v to %v", busy.lane.lo, busy.lane.hi)
		}
		if offset.lane.hi != 5000 && offset.lane.hi != 6000 {
			t.Errorf("the scale of 4000 to 5000 is %v to %v", offset.lane.lo, offset.lane.hi)
		}
		// Both began at the same time: their graphs begin in the same column.
		rows := strings.Split(r.draw(), "\n")
		begin := func(l lane) int {
			row := []rune(rows[r.chart.place.plot.Y+l.y+l.h-1])
			return slices.IndexFunc(row, func(c rune) bool { return c >= '⠁' && c <= '⣿' })
		}
		if a, b := begin(r.chart.picture.lanes[0]), begin(r.chart.picture.lanes[1]); a != b || a < 10 {
			t.Errorf("the graphs begin in columns %d and %d", a, b)
		}
	})
}

// As many lanes as have room are in view; the rest is reached by moving, and by the wheel.
func TestLanesScroll(t *testing.T) {
	onChart(t, laneScripts(), func(r *rig) {
		r.size(60, 13)
		r.add(r.Desk.Hosts[0], `\Thing(*)\% Busy Time`)
		r.pass(60 * time.Second)
		r.press("v", "v", "v", "g")
		inView := func() (out string) {
			for _, l := range r.chart.picture.lanes {
				out += string(l.series.letter())
			}
			return out
		}
		if got := inView(); got != "ABC" {
			t.Fatalf("in view are %s", got)
		}
		r.shows("lanes 1-3 of 6")
		r.press("G")
		if got := inView(); got != "DEF" {
			t.Errorf("at the end %s are in view", got)
		}
		r.press("k", "k", "k")
		if got := inView(); got != "CDE" {
			t.Errorf("after going up %s are in view", got)
		}
		r.chart.moveBy(list.First)
		r.Draw()
		r.Run(func() { r.chart.Wheel(pane.Hit{Kind: pane.HitRow}, 3) })
		r.Draw()
		if got := inView(); got == "ABC" {
			t.Error("the wheel does not scroll")
		}
	})
}

// A click on a rule selects its lane, a click again explains it; on a graph it sets the
// cursor, at which the rules tell the values. A hidden lane keeps its place.
func TestLanesClick(t *testing.T) {
	onChart(t, laneScripts(), func(r *rig) {
		r.size(100, 24)
		r.add(r.Desk.Hosts[0], `\Thing(a)\% Busy Time`, `\Thing(b)\% Busy Time`)
		r.pass(120 * time.Second)
		r.press("v", "v", "v", "g")
		second := r.chart.picture.lanes[1]
		r.click(30, r.chart.place.plot.Y+second.y)
		if r.chart.selected() != second.series {
			t.Error("the click did not select the lane")
		}
		r.press("H")
		r.shows("hidden")
		if at := r.chart.picture.lanes[1]; at.y != second.y || at.h != second.h {
			t.Errorf("the hidden lane went from %+v to %+v", second, at)
		}
		r.press("H")
		r.click(80, r.chart.place.plot.Y+second.y+2)
		if !r.Desk.Past() {
			t.Fatal("the click on the graph set no cursor")
		}
		at, _ := second.series.at(r.Desk.At).Float()
		if want := second.series.number(cooker.FloatValue(at)); !strings.Contains(r.row("B % Busy Time"), want) {
			t.Errorf("at the cursor it is %s, and the rule says %s", want, r.row("B % Busy Time"))
		}
	})
}

// limits are watched of everything.
type limits struct{ below bool }

func (limits) Marks([]*pane.Host, time.Time, time.Time) []Mark { return nil }

func (l limits) Thresholds(pane.Target) []pane.Threshold {
	return []pane.Threshold{{Value: 50, Level: pane.Critical, Below: l.below, Text: "> 50"}, {Value: 1e9, Level: pane.Warning, Below: false, Text: "beyond the scale"}}
}

// Cells over a limit have the colour of its state, and the limit is a line; one beyond
// the scale is not drawn.
func TestLaneLimits(t *testing.T) {
	onChart(t, laneScripts(), func(r *rig) {
		r.size(100, 24)
		r.add(r.Desk.Hosts[0], `\Thing(a)\% Busy Time`)
		r.chart.Notes = limits{}
		r.pass(120 * time.Second)
		r.press("v", "v", "v")
		r.shows("> 50")
		r.hides("beyond")
		critical := pane.Critical.Style().Foreground()
		count := func() (n int) {
			for y := range r.chart.place.plot.H {
				for x := range r.chart.place.plot.W {
					cell := r.chart.picture.cells.At(x, y)
					if cell.Style.Foreground() == critical && cell.Rune >= '⠁' && cell.Rune <= '⣿' {
						n++
					}
				}
			}
			return n
		}
		if count() == 0 {
			t.Error("nothing over the limit is shown as critical")
		}
		r.chart.Notes = limits{below: true}
		r.chart.version++
		r.Draw()
		if n := count(); n > 0 {
			t.Errorf("%d cells over a limit that is watched from below are critical", n)
		}
	})
}

// Lanes are drawn where there is nothing but ASCII, and gaps are blank.
func TestLanesGapsAndASCII(t *testing.T) {
	script := laneScripts()
	script[0].Faults = []fake.Fault{{Err: errors.New("lost"), Window: fake.Window{From: 60 * time.Second, To: 120 * time.Second}}}
	onChart(t, script, func(r *rig) {
		r.Canvas.SetGlyphs(canvas.ASCII)
		r.size(100, 24)
		r.add(r.Desk.Hosts[0], `\Thing(a)\% Busy Time`)
		r.pass(240 * time.Second)
		r.press("v", "v", "v")
		rows := strings.Split(r.draw(), "\n")
		l := r.chart.picture.lanes[0]
		ground := strings.TrimRight(rows[r.chart.place.plot.Y+l.y+l.h-1], " ")
		parts := strings.Fields(ground)
		if len(parts) != 2 || strings.Trim(parts[0]+parts[1], "#:.") != "" {
			t.Errorf("the ground of a graph with a gap: %q", ground)
		}
	})
}
