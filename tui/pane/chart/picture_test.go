package chart

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"perfdeck/session/hosts/fake"
	"perfdeck/tui/pane"
)

// What did not change is not drawn again; what did is.
func TestPictureIsKept(t *testing.T) {
	onChart(t, one(clockScript("a")), func(r *rig) {
		r.add(r.Desk.Hosts[0], `\System\Seconds`, `\System\Users`)
		r.pass(100 * time.Second)
		r.Draw()
		// A sign in the kept picture stays as long as the picture does.
		mark := func() { r.chart.picture.cells.Root().Put(3, 3, '@', 0) }
		kept := func() bool { return strings.Contains(r.draw(), "@") }
		for _, test := range []struct {
			name string
			do   func()
			kept bool
		}{
			{"nothing", func() {}, true},
			{"the cursor", func() { r.press("h", "h") }, true},
			{"the moment is now", func() { r.Desk.At = time.Time{} }, true},
			{"a mark", func() { r.press("space") }, true},
			{"time without a sample", func() { r.chart.Snapshot(r.Desk.Hosts[0]) }, true},
			{"a sample", func() { r.pass(time.Second) }, false},
			{"the selection", func() { r.press("k") }, false},
			{"the scale", func() { r.press("+") }, false},
			{"hiding", func() { r.press("H") }, false},
			{"the view", func() { r.press("v") }, false},
			{"the axis", func() { r.press("Y") }, false},
			{"the span", func() { r.Desk.Span = time.Minute }, false},
			{"the size", func() { r.size(100, 30) }, false},
			{"removing", func() { r.press("d") }, false},
		} {
			r.Draw()
			mark()
			test.do()
			if kept() != test.kept {
				t.Errorf("%s: the picture is kept: %v, want %v", test.name, !test.kept, test.kept)
			}
		}
	})
}

// Marks and limits of others: in their columns, below the lines, explained.
func TestNotes(t *testing.T) {
	onChart(t, one(clockScript("a")), func(r *rig) {
		h := r.Desk.Hosts[0]
		r.add(h, `\System\Threads`, `\Processor\% User Time`)
		r.pass(200 * time.Second)
		at := start.Add(100 * time.Second)
		r.chart.Notes = notes{at: at}
		r.press("g")
		r.Draw()
		x, y := r.chart.place.plot.X+r.chart.picture.key.win.column(at.UnixNano()), r.chart.place.plot.Y+r.chart.place.plot.H
		if c := r.Canvas.At(x, y).Rune; c != '■' {
			t.Errorf("the worst of two marks at %v is %q", at, c)
		}
		r.shows("■ 14:04:12 limit", "▲ 14:04:12 first", "B > 85 warning", "╌╌╌")
		before := r.chart.picture.cells.String()
		r.chart.Notes = nil
		r.Draw()
		if r.chart.picture.cells.String() != before {
			t.Error("a limit changes the lines")
		}
		r.hides("╌", "■")
	})
}

type notes struct{ at time.Time }

func (n notes) Marks([]*pane.Host, time.Time, time.Time) []Mark {
	return []Mark{{n.at, Critical, "limit \x1b[2J"}, {n.at, Warning, "first"}, {n.at.Add(-time.Hour), Warning, "before the window"}}
}

func (n notes) Thresholds(t pane.Target) []pane.Threshold {
	if t.Set.Name == "Processor" {
		return []pane.Threshold{{Value: 85, Level: pane.Warning, Below: false, Text: "> 85 warning"}, {Value: 1e9, Level: pane.Critical, Below: false, Text: "above the axis"}, {Value: math.NaN(), Level: pane.Info, Below: false, Text: ""}}
	}
	return nil
}

// One counter of many hosts: the legend tells the computers, however narrow.
func TestManyHosts(t *testing.T) {
	var scripts []fake.Script
	for i := range 12 {
		scripts = append(scripts, clockScript(fmt.Sprintf("web%02d", i)))
	}
	onChart(t, scripts, func(r *rig) {
		for _, h := range r.Desk.Hosts {
			r.add(h, `\Processor\% User Time`)
		}
		r.pass(30 * time.Second)
		for _, w := range []int{70, 80, 120, 200} {
			r.size(w, 40)
			for i := range 5 {
				r.shows(fmt.Sprintf("web%02d", i))
			}
			r.shows("computer")
		}
		r.size(80, 24)
		r.press("G")
		r.shows("web11", "of 12")
		r.chart.view = reportView
		r.shows(`\\web11`)
		r.press("g")
		r.shows(`\\web00`)
	})
}

// Bars and the report show the statistic that is chosen.
func TestStatisticOfBarsAndReport(t *testing.T) {
	onChart(t, one(clockScript("a")), func(r *rig) {
		r.add(r.Desk.Hosts[0], `\System\Seconds`)
		r.pass(100 * time.Second)
		for _, v := range []view{barView, reportView} {
			r.chart.view, r.chart.statistic = v, current
			for _, want := range []string{"1100", "1050", "1000", "1100"} {
				r.size(120, 34)
				screen := r.draw()
				if strings.Count(screen, want) < 2 && !strings.Contains(screen, want[:3]) {
					t.Errorf("%s of %s is not %s:\n%s", statisticNames[r.chart.statistic], viewNames[v], want, screen)
				}
				r.press("V")
			}
		}
		r.Desk.At = start.Add(50 * time.Second)
		r.shows("at the cursor", "1050")
	})
}
