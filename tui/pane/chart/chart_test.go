package chart

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/fake"
	"perfdeck/tui/pane"
)

// clockScript is a host whose counter is the second of the script: what is under
// the cursor can be told from the cursor's time. Others are constant.
func clockScript(name string, faults ...fake.Fault) fake.Script {
	count := func(name string, v float64) fake.Counter {
		return fake.Counter{Name: name, Type: cooker.CounterLargeRawCount, Is: fake.Const(v)}
	}
	return fake.Script{Name: name, Faults: faults, Sets: []fake.Set{
		{Name: "System", Counters: []fake.Counter{
			{Name: "Seconds", Type: cooker.CounterLargeRawCount, Is: fake.Ramp(1000, 1)},
			count("Processes", 250), count("Threads", 7532), count("Handles", 4_600_000), count("Users", 1), count("Zero", 0),
		}},
		{Name: "Processor", Counters: []fake.Counter{
			{Name: "% Processor Time", Type: cooker.Timer100ns, Is: fake.Const(9)},
			{Name: "% User Time", Type: cooker.Timer100ns, Is: fake.Walk(20, 80, 30*time.Second)},
		}},
		{Name: "PhysicalDisk", Counters: []fake.Counter{
			{Name: "Avg. Disk sec/Transfer", Type: cooker.AverageTimer, Scale: 3, Is: fake.Const(0.0412)},
			{Name: "Avg. Disk Queue Length", Type: cooker.CounterRawCount, Scale: 2, Is: fake.Const(1)},
		}},
		{Name: "Memory", Counters: []fake.Counter{
			{Name: "Cache Bytes", Type: cooker.CounterLargeRawCount, Is: fake.Const(7 << 30)},
			{Name: "Pool Paged Bytes", Type: cooker.CounterLargeRawCount, Is: fake.Const(3 << 20)},
		}},
	}}
}

func one(scripts ...fake.Script) []fake.Script { return scripts }

// secondsAt is what the counter of seconds shows at a time.
func secondsAt(t time.Time) int { return 1000 + int(t.Sub(start)/time.Second) }

// What the legend shows under the cursor is the value of that time, wherever the
// cursor goes, and every counter's.
func TestCursorShowsTheValuesOfItsTime(t *testing.T) {
	onChart(t, one(clockScript("a")), func(r *rig) {
		r.add(r.Desk.Hosts[0], `\System\Seconds`, `\System\Threads`)
		r.pass(200 * time.Second)
		r.Draw()
		for range 40 {
			before := r.Desk.At
			r.press("h")
			if !before.IsZero() && !r.Desk.At.Before(before) {
				t.Fatalf("the cursor went from %v to %v", before, r.Desk.At)
			}
			want := strconv.Itoa(secondsAt(r.Desk.At))
			if row := r.row("Seconds"); !strings.Contains(row, want) {
				t.Fatalf("at %v the legend shows %q, want %s", r.Desk.At, row, want)
			}
			if row := r.row("Threads"); strings.Count(row, "7532") < 2 {
				t.Fatalf("the legend shows %q: one 7532 under the cursor, one as the last", row)
			}
		}
		at := r.Desk.At
		r.press("l", "l", "h", "h")
		if !r.Desk.At.Equal(at) {
			t.Errorf("two to the right and two back end at %v, began at %v", r.Desk.At, at)
		}
		for range 60 {
			r.press("l")
		}
		if r.Desk.Past() {
			t.Errorf("the right end is %v, not now", r.Desk.At)
		}
	})
}

// Each step of the cursor is a column of the plot, and its line stands there.
func TestCursorMovesByColumns(t *testing.T) {
	onChart(t, one(clockScript("a")), func(r *rig) {
		r.add(r.Desk.Hosts[0], `\System\Seconds`)
		r.pass(200 * time.Second)
		r.Draw()
		column := func() int { return r.chart.picture.key.win.column(r.Desk.At.UnixNano()) }
		r.press("h")
		for range 20 {
			last := column()
			r.press("h")
			if got := column(); got != last-1 {
				t.Fatalf("the cursor went from column %d to %d", last, got)
			}
			x, y := r.chart.place.plot.X+column(), r.chart.place.plot.Y+r.chart.place.plot.H-2
			if c := r.Canvas.At(x, y).Rune; c != '│' {
				t.Fatalf("column %d ends with %q", column(), c)
			}
		}
	})
}

// A host that was lost leaves a gap: in no view is anything drawn there, and
// the chart says what happened.
func TestGapIsNotBridged(t *testing.T) {
	lost := fake.Fault{Window: fake.Window{From: 100 * time.Second, To: 160 * time.Second}, Err: errors.New("lost")}
	onChart(t, one(clockScript("sql01", lost)), func(r *rig) {
		r.add(r.Desk.Hosts[0], `\System\Threads`, `\Processor\% User Time`)
		r.pass(300 * time.Second)
		for v := lineView; v <= stackedView; v++ {
			r.chart.view = v
			r.Draw()
			p := r.chart.picture
			win := p.key.win
			from, to := win.column(start.Add(103*time.Second).UnixNano()), win.column(start.Add(158*time.Second).UnixNano())
			if to-from < 15 {
				t.Fatalf("the gap is %d columns", to-from)
			}
			for x := from; x < to; x++ {
				for y := range p.key.h {
					if !p.isFree(x, y) {
						t.Fatalf("%s: %q is drawn in the gap", viewNames[v], p.cells.At(x, y).Rune)
					}
				}
			}
			for _, x := range []int{from - 5, to + 15} {
				if columnIsFree(&p, x) {
					t.Errorf("%s: column %d beside the gap is empty", viewNames[v], x)
				}
			}
			r.shows("no data", "sql01 lost", "sql01 back", "14:04:11", "~", "●")
		}
		r.Desk.At = start.Add(130 * time.Second)
		if row := r.row("Threads"); !strings.Contains(row, "gap") {
			t.Errorf("in the gap the legend shows %q", row)
		}
	})
}

func columnIsFree(p *picture, x int) bool {
	for y := range p.key.h {
		if !p.isFree(x, y) {
			return false
		}
	}
	return true
}

// While a host does not answer time goes on: the gap grows, and says since when.
func TestHostIsLostNow(t *testing.T) {
	lost := fake.Fault{Window: fake.Window{From: 100 * time.Second}, Err: errors.New("lost")}
	onChart(t, one(clockScript("sql01", lost)), func(r *rig) {
		r.add(r.Desk.Hosts[0], `\System\Threads`)
		r.pass(99 * time.Second)
		r.shows("live")
		r.hides("lost")
		r.pass(60 * time.Second)
		r.shows("no data", "sql01 lost", "since 14:04:1", "stale", "~7532")
		r.hides("live")
	})
}

// The statistics are perfmon's, of what the window shows.
func TestStatistics(t *testing.T) {
	onChart(t, one(clockScript("a")), func(r *rig) {
		r.add(r.Desk.Hosts[0], `\System\Seconds`)
		r.pass(400 * time.Second)
		r.Desk.Span = time.Minute
		r.size(140, 34)
		r.Draw()
		s := r.chart.series[0]
		low, _ := s.stats.Min.Float()
		high, _ := s.stats.Max.Float()
		avg, _ := s.stats.Mean.Float()
		if math.Abs(high-low-60) > 2 || math.Abs(avg-(high+low)/2) > 0.51 || high != 1400 {
			t.Errorf("minimum %v, average %v, maximum %v of a minute of a ramp to 1400", low, avg, high)
		}
		if d := s.stats.duration; d < 58*time.Second || d > 61*time.Second {
			t.Errorf("duration is %v", d)
		}
		r.shows("average", "minimum", "maximum", "duration", "last 1400")
	})
}

// Selected series, keys and messages that the root is sent.
func TestKeys(t *testing.T) {
	onChart(t, one(clockScript("a")), func(r *rig) {
		r.press("h")
		if say, ok := r.Last().(pane.Say); !ok || say.Text == "" {
			t.Error("on an empty chart the cursor moves")
		}
		r.press("a")
		if ask, ok := r.Last().(pane.AskCounter); !ok || ask.Host != r.Desk.Hosts[0] {
			t.Error("a does not ask for a counter")
		}
		r.add(r.Desk.Hosts[0], `\System\Threads`, `\System\Users`)
		r.pass(3 * time.Second)
		r.press("j", "enter")
		if open, ok := r.Last().(pane.OpenExplain); !ok || open.Target != r.chart.series[1].target {
			t.Error("enter does not explain the selected one")
		}
		r.press("space", "esc")
		if r.chart.list.IsMarked(r.chart.series[1]) {
			t.Error("esc leaves the mark")
		}
		r.press("esc")
		if _, ok := r.Last().(pane.Back); !ok {
			t.Error("esc does not leave the chart")
		}
		r.press("H")
		if row := r.row("Users"); !strings.Contains(row, "hidden") {
			t.Errorf("a hidden series is %q", row)
		}
		r.press("H")
		r.hides("hidden")
		r.press("z")
		r.hides("counter")
		r.press("z")
		r.shows("counter")
		r.Sent = nil
		r.press("z", "esc")
		r.shows("counter") // esc leaves the plot alone first, then the chart
		if len(r.Sent) > 0 {
			t.Errorf("esc sent %#v", r.Sent)
		}
		_, h := r.Canvas.Size()
		r.click(20, h-3)
	})
}

// Where the legend is one line, its values and those of the header are of one
// moment, and the header says of which.
func TestMomentOfOneLine(t *testing.T) {
	onChart(t, one(clockScript("a")), func(r *rig) {
		r.size(60, 13)
		r.add(r.Desk.Hosts[0], `\System\Seconds`)
		r.pass(30 * time.Second)
		r.shows("live")
		for range 5 {
			r.press("left")
		}
		s := r.chart.series[0]
		then := s.number(s.at(r.Desk.At))
		if then == s.number(s.value) {
			t.Fatal("the value did not change")
		}
		rows := strings.Split(r.draw(), "\n")
		if head := rows[0]; !strings.Contains(head, then) || !strings.Contains(head, "at "+r.Desk.At.Format("15:04:05")) || strings.Contains(head, "live") {
			t.Errorf("the header is %q at %s with %s below", head, r.Desk.At, then)
		}
	})
}

var _ tea.Msg = pane.Say{}

// A counter is drawn at its default scale, and at that of the user instead.
func TestScaleOfTheUser(t *testing.T) {
	onChart(t, one(clockScript("a")), func(r *rig) {
		add := func(want int) {
			r.add(r.Desk.Hosts[0], `\System\Seconds`)
			if s := r.chart.series[len(r.chart.series)-1]; s.scale != want {
				r.Errorf("drawn at 10^%d, want 10^%d", s.scale, want)
			}
		}
		add(r.Desk.Hosts[0].Sampler.Catalogue().Set("System").Counters[0].DefaultScale)
		r.chart.series = nil
		r.Desk.Numbers = &pane.Numbers{Looks: func(_ *session.Counterset, c *session.Counter) session.Look {
			look := c.Look()
			look.ChartScale = -4
			return look
		}}
		add(-4)
		r.Desk.Numbers.Replace(&pane.Numbers{}) // as a config that is read again
		r.pass(time.Second)
		if s := r.chart.series[0]; s.scale == -4 {
			r.Error("the chart keeps the scale of before")
		}
	})
}
