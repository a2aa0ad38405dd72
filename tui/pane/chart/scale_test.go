package chart

import (
	"strings"
	"testing"
	"time"

	"perfdeck/tui/chart"
	"perfdeck/tui/pane"
)

// Counters of different quantities share the axis of 0 to 100, each by the scale
// that fits: that of its provider if it does.
func TestScaleToFit(t *testing.T) {
	for _, test := range []struct {
		path  string
		scale int
		text  string
	}{
		{`\PhysicalDisk\Avg. Disk sec/Transfer`, 3, "10^3"}, // 0.0412
		{`\PhysicalDisk\Avg. Disk Queue Length`, 1, "10"},   // 1: the provider's 100 is at the top, but fits
		{`\System\Threads`, -2, "10^-2"},                    // 7532
		{`\System\Handles`, -5, "10^-5"},                    // 4,600,000
		{`\System\Processes`, -1, "10^-1"},                  // 250
		{`\System\Users`, 1, "10"},                          // 1: ten times is no less than a 25th
		{`\System\Zero`, 0, "1"},
		{`\Memory\Cache Bytes`, -8, "10^-8"}, // 7.5e9
	} {
		onChart(t, one(clockScript("a")), func(r *rig) {
			r.add(r.Desk.Hosts[0], `\Processor\% Processor Time`, test.path)
			r.pass(10 * time.Second)
			r.Draw()
			s := r.named('B')
			limit := s.limit() * pane.Power(s.scale)
			if limit > 100 || limit > 0 && limit <= 4 {
				t.Errorf("%s is drawn at %v of 100 with the scale %d", test.path, limit, s.scale)
			}
			r.press("G", "=")
			if test.path == `\System\Zero` {
				return
			}
			if got := s.limit() * pane.Power(s.scale); got > 100 || got <= 10 {
				t.Errorf("%s fitted is %v of 100", test.path, got)
			}
			if s := r.named('A'); s.scale != 0 {
				t.Errorf("a percentage of 9 is drawn with the scale %d", s.scale)
			}
		})
	}
}

func TestScaleByKeys(t *testing.T) {
	onChart(t, one(clockScript("a")), func(r *rig) {
		r.add(r.Desk.Hosts[0], `\System\Threads`, `\System\Users`)
		r.pass(5 * time.Second)
		r.Draw()
		s := r.named('A')
		if s.scale != 0 || r.named('B').scale != 0 {
			t.Errorf("counts are drawn with the scales %d and %d", s.scale, r.named('B').scale)
		}
		r.press("g", "+", "+", "-")
		if row := r.row("Threads"); s.scale != 1 || !strings.Contains(row, " 10 ") {
			t.Errorf("the scale is %d in %q", s.scale, row)
		}
		for range 30 {
			r.press("-")
		}
		if s.scale != -10 {
			t.Errorf("the lowest scale is %d", s.scale)
		}
		r.shows("10^-10")
		if v, _ := s.value.Float(); v != 7532 || !strings.Contains(r.row("Threads"), "7532") {
			t.Error("the scale changes numbers")
		}
		r.press("=", "=")
		if s.pinned {
			t.Error("= twice does not let the scale follow")
		}
		r.press("j", "=") // 1 on the axis of thousands
		if b := r.named('B'); b.scale != 3 {
			t.Errorf("1 on an axis to %v has the scale %d", r.chart.picture.axis.hi, b.scale)
		}
	})
}

// The axis of one quantity has its unit; the ways to choose it go round.
func TestAxis(t *testing.T) {
	onChart(t, one(clockScript("a"), clockScript("b")), func(r *rig) {
		r.add(r.Desk.Hosts[0], `\Memory\Cache Bytes`)
		r.add(r.Desk.Hosts[1], `\Memory\Cache Bytes`)
		r.pass(5 * time.Second)
		r.shows("y auto 0-8 GB")
		r.press("Y")
		r.shows("y close")
		r.press("Y")
		r.shows("y 0-100")
		if s := r.named('A'); s.limit()*pane.Power(s.scale) > 100 {
			t.Errorf("on 0 to 100 the scale is %d", s.scale)
		}
		r.press("Y")
		ask, ok := r.Last().(pane.AskText)
		if !ok {
			t.Fatal("Y does not ask")
		}
		for _, bad := range []string{"", "5", "7 3", "x y", "0 0", "1 1e99", "NaN 3", "0 Inf"} {
			if ask.Done(bad) == nil {
				t.Errorf("the axis takes %q", bad)
			}
		}
		if err := ask.Done("0 5000"); err != nil {
			t.Error(err)
		}
		r.shows("y fixed 0-5000", "5000")
		r.press("Y")
		r.shows("y auto")
	})
}

// Values stand where the axis says: a constant in the row of its label.
func TestValueStandsAtItsLabel(t *testing.T) {
	onChart(t, one(clockScript("a")), func(r *rig) {
		r.add(r.Desk.Hosts[0], `\System\Threads`)
		r.pass(60 * time.Second)
		r.Draw()
		p := &r.chart.picture
		row := chart.Row(7532, p.axis.lo, p.axis.hi, p.key.h)
		found := 0
		for y := range p.key.h {
			for x := range p.key.win.w {
				if !p.isFree(x, y) {
					if y != row {
						t.Fatalf("7532 on %v to %v is drawn in row %d, want %d", p.axis.lo, p.axis.hi, y, row)
					}
					found++
				}
			}
		}
		if found < 10 {
			t.Errorf("%d cells are drawn", found)
		}
	})
}

func TestNiceAxis(t *testing.T) {
	for _, test := range []struct {
		lo, hi, factor float64
		want           int
		wantLo, wantHi float64
		labels         string
	}{
		{0, 100, 1, 4, 0, 100, "0 25 50 75 100"},
		{0, 100, 1, 1, 0, 100, "0 100"},
		{0, 7.5e9, 1 << 30, 4, 0, 8 << 30, "0 2 4 6 8"},
		{0, 0.0412, 1e-3, 4, 0, 0.06, "0 20 40 60"},
		{-3, 12, 1, 4, -5, 15, "-5 0 5 10 15"},
		{9400, 9420, 1, 4, 9400, 9420, "9400 9405 9410 9415 9420"},
		{5, 5, 1, 4, 5, 6, "5.00 5.25 5.50 5.75 6.00"},
		{0, 1e30, 1, 4, 0, 1e30, "0 2.5e+29 5e+29 7.5e+29 1e+30"},
	} {
		a := axis{factor: test.factor}
		a.fit(test.lo, test.hi, test.want)
		var texts []string
		for _, l := range a.labels(40) {
			texts = append(texts, l.text)
		}
		near := func(a, b float64) bool { return a-b < 1e-9*max(1e-3, b, -b) && b-a < 1e-9*max(1e-3, b, -b) }
		if got := strings.Join(texts, " "); got != test.labels || !near(a.lo, test.wantLo) || !near(a.hi, test.wantHi) {
			t.Errorf("%v to %v: the axis is %v to %v with %s; want %v to %v with %s", test.lo, test.hi, a.lo, a.hi, got, test.wantLo, test.wantHi, test.labels)
		}
	}
}
