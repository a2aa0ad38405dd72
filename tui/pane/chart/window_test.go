package chart

import (
	"math"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/themes"
	"perfdeck/tui/pane"
)

// What is years away is to the left or right of the window, whatever an int is.
func TestWindowFar(t *testing.T) {
	win := newWindow(start, time.Second, 300)
	for years := -200; years <= 200; years++ {
		at := start.AddDate(years, 0, 0).UnixNano()
		c, dot := win.column(at), win.dot(at)
		if years < 0 && (c >= 0 || dot >= 0) || years > 0 && (c < win.w || dot < 2*win.w) {
			t.Errorf("%d years away is column %d, dot %d", years, c, dot)
		}
	}
}

// A window of any width holds its end, and a moment has one column and one dot.
func TestWindow(t *testing.T) {
	for _, w := range []int{1, 7, 20, 108, 300} {
		for _, span := range []time.Duration{0, time.Second, 5 * time.Minute, 7 * 24 * time.Hour} {
			for offset := range 50 {
				end := start.Add(time.Duration(offset) * 777 * time.Millisecond)
				win := newWindow(end, span, w)
				if c := win.column(end.UnixNano()); c != w-1 {
					t.Fatalf("%d cells of %v: the end is in column %d", w, span, c)
				}
				for x := -2; x < w+2; x++ {
					at := win.start(x).UnixNano()
					if win.column(at) != x || win.dot(at) != 2*x || win.column(at-1) != x-1 {
						t.Fatalf("%d cells of %v: column %d begins in column %d, dot %d", w, span, x, win.column(at), win.dot(at))
					}
				}
			}
		}
	}
}

// A picture moves by whole cells: the same moments share a cell as time goes on.
func TestWindowDoesNotTremble(t *testing.T) {
	a := newWindow(start, 5*time.Minute, 100)
	for s := range 60 {
		b := newWindow(start.Add(time.Duration(s)*time.Second), 5*time.Minute, 100)
		shift := a.column(b.from)
		for k := range 200 {
			at := start.Add(-time.Duration(k) * time.Second).UnixNano()
			if a.dot(at) != b.dot(at)+2*shift {
				t.Fatalf("after %d s the sample %d s before is at dot %d, was at %d", s, k, b.dot(at), a.dot(at))
			}
		}
	}
}

func TestBroken(t *testing.T) {
	nanos := func(seconds ...float64) (out []int64) {
		for _, s := range seconds {
			out = append(out, int64(s*1e9))
		}
		return out
	}
	for _, test := range []struct {
		name  string
		nanos []int64
		gaps  []int
	}{
		{"even", nanos(0, 1, 2, 3, 4, 5), nil},
		{"jitter", nanos(0, 1.3, 1.9, 3.2, 4, 5.4), nil},
		{"one answer late", nanos(0, 1, 2, 4, 5, 6), nil},
		{"lost", nanos(0, 1, 2, 36, 37, 38), []int{3}},
		{"lost twice, one answer between", nanos(0, 1, 2, 3, 4, 34, 64, 65, 66, 67, 68, 69), []int{5, 6}},
		{"lost now", nanos(0, 1, 2, 3, 40), []int{4}},
		{"slower", nanos(0, 1, 2, 3, 13, 23, 33, 43), nil},
		{"faster", nanos(0, 10, 20, 30, 31, 32, 33), nil},
		{"clock set back", nanos(100, 101, 102, 50, 51, 52), []int{3}},
		{"two", nanos(0, 99), nil},
		{"one", nanos(5), nil},
		{"none", nil, nil},
	} {
		var got []int
		for i := range test.nanos {
			if session.IsBroken(test.nanos, i) {
				got = append(got, i)
			}
		}
		if len(got) != len(test.gaps) {
			t.Errorf("%s: gaps before %v, want %v", test.name, got, test.gaps)
			continue
		}
		for i := range got {
			if got[i] != test.gaps[i] {
				t.Errorf("%s: gaps before %v, want %v", test.name, got, test.gaps)
			}
		}
	}
}

// The window scrolls so far that the moment is in it, stands still there while
// time goes on, and goes on itself when the moment is now again.
func TestWindowFollowsTheMoment(t *testing.T) {
	onChart(t, one(clockScript("a")), func(r *rig) {
		r.add(r.Desk.Hosts[0], `\System\Seconds`)
		r.pass(900 * time.Second)
		r.shows("live")
		const s = time.Second
		for _, ago := range []time.Duration{10 * s, 290 * s, 400 * s, 700 * s, 880 * s, 600 * s, 310 * s, 5 * s} {
			r.Desk.At = r.Desk.Now().Add(-ago)
			r.Draw()
			win := r.chart.picture.key.win
			if c := win.column(r.Desk.At.UnixNano()); c < 0 || c >= win.w {
				t.Errorf("%v ago is in column %d of %d", ago, c, win.w)
			}
			if win.to() > r.Desk.Now().UnixNano()+win.cell {
				t.Errorf("%v ago: the window ends in the future", ago)
			}
		}
		r.shows("live") // that was beyond the window, so it ends now again
		r.Desk.At = r.Desk.Now().Add(-700 * time.Second)
		r.shows("frozen")
		win, cells := r.chart.picture.key.win, r.chart.picture.cells.String()
		r.pass(20 * time.Second)
		r.Draw()
		if r.chart.picture.key.win != win || r.chart.picture.cells.String() != cells {
			t.Error("a frozen window moves")
		}
		r.Desk.At = time.Time{}
		r.shows("live")
	})
}

// A range dragged across the plot is the selected span, to the column; enter zooms into
// it, and esc leaves the zoom, then the span.
func TestZoomIntoSpan(t *testing.T) {
	onChart(t, one(clockScript("a")), func(r *rig) {
		r.add(r.Desk.Hosts[0], `\System\Seconds`)
		r.pass(400 * time.Second)
		r.Draw()
		plot, before := r.chart.place.plot, r.chart.picture.key.win
		r.chart.Drag(r.hit(plot.X+41, plot.Y+3), plot.X+60, plot.Y+3, false)
		r.Draw()
		for x, want := range map[int]bool{40: false, 41: true, 60: true, 61: false} {
			if got := r.Canvas.At(plot.X+x, plot.Y+3).Style.Background() == themes.Selection; got != want {
				t.Errorf("while 41 to 60 is dragged column %d is marked: %v", x, got)
			}
		}
		r.drag(plot.X+70, plot.X+41, plot.Y+3)
		if got, end, ok := r.Desk.SpanEnds(); !ok || !got.Equal(before.start(41)) || !end.Equal(before.start(71)) {
			t.Errorf("selected %v to %v, %v", got, end, ok)
		}
		if win := r.chart.picture.key.win; win != before {
			t.Error("selecting zooms")
		}
		r.shows("selected", "live")
		for x, want := range map[int]bool{40: false, 41: true, 70: true, 71: false} {
			if got := r.Canvas.At(plot.X+x, plot.Y+3).Style.Background() == themes.Surface; got != want {
				t.Errorf("column %d of the selected 41 to 70 is shaded: %v", x, got)
			}
		}
		if a, b := r.Canvas.At(plot.X+41, plot.Y+plot.H).Rune, r.Canvas.At(plot.X+70, plot.Y+plot.H).Rune; a != '[' || b != ']' {
			t.Errorf("the ends on the axis are %q and %q", a, b)
		}
		r.press("enter")
		win := r.chart.picture.key.win
		from, to := before.start(41).UnixNano(), before.start(71).UnixNano()
		if off := max(abs(win.from-from), abs(win.to()-to)); off > 2*win.cell {
			t.Errorf("zoomed %v to %v, want %v to %v", time.Unix(0, win.from), time.Unix(0, win.to()), time.Unix(0, from), time.Unix(0, to))
		}
		if r.Desk.Past() {
			t.Error("zooming moved the cursor")
		}
		r.shows("zoomed")
		low, _ := r.chart.series[0].stats.Min.Float()
		if want := secondsAt(before.start(41)); math.Abs(low-float64(want)) > 3 {
			t.Errorf("the lowest value in the zoomed range is %v, want %d", low, want)
		}
		r.pass(10 * time.Second)
		r.Draw()
		if r.chart.picture.key.win != win {
			t.Error("a zoomed window moves")
		}
		r.chart.Wheel(pane.Hit{Kind: hitPlot}, -3)
		r.Draw()
		if inner := r.chart.picture.key.win; inner.from <= win.from || inner.to() >= win.to() {
			t.Error("the wheel does not zoom further in")
		}
		r.press("esc")
		r.shows("live", "selected")
		r.press("esc")
		r.hides("selected")

		r.drag(plot.X+50, plot.X+50, plot.Y+3) // a click: the cursor
		if !r.Desk.Past() || r.chart.zoom.span != 0 {
			t.Errorf("a click zooms to %v, cursor %v", r.chart.zoom.span, r.Desk.At)
		}
		if c := r.chart.picture.key.win.column(r.Desk.At.UnixNano()); c != 50 {
			t.Errorf("a click on column 50 puts the cursor in column %d", c)
		}
		r.drag(plot.X+20, plot.X+40, plot.Y+3) // the cursor is not in this
		if c := r.chart.picture.key.win.column(r.Desk.At.UnixNano()); c != 50 {
			t.Errorf("selecting moved the cursor to column %d", c)
		}
		r.press("enter")
		if c := r.chart.picture.key.win.column(r.Desk.At.UnixNano()); c < 0 || c > r.chart.picture.key.win.w {
			t.Errorf("after zooming elsewhere the cursor is in column %d", c)
		}
		if got := r.chart.zoom.span; got > 2*time.Minute {
			t.Errorf("zoomed to %v", got)
		}
	})
}

// While a span is open it reaches to the cursor, on either side; in every view that has
// time it is shaded, and its head tells how long it is.
func TestSpanFollowsTheCursor(t *testing.T) {
	onChart(t, one(clockScript("a")), func(r *rig) {
		r.add(r.Desk.Hosts[0], `\System\Seconds`)
		r.pass(400 * time.Second)
		r.Draw()
		r.press("h", "h", "h")
		r.Desk.Selected = pane.SpanFrom(r.Desk.At)
		for v := range viewCount {
			if v == barView || v == reportView {
				continue
			}
			r.chart.view = v
			r.press("h", "h", "h", "h", "h", "h")
			from, to, ok := r.Desk.SpanEnds()
			if !ok || !from.Equal(r.Desk.At) {
				t.Fatalf("%s: selected %v to %v, the cursor is at %v", viewNames[v], from, to, r.Desk.At)
			}
			r.shows("selecting " + to.Add(from.Sub(to)).Format(time.TimeOnly))
			plot, win := r.chart.place.plot, r.chart.picture.key.win
			shaded := 0
			for x := range win.w {
				if r.Canvas.At(plot.X+x, plot.Y+plot.H-1).Style.Background() == themes.Surface {
					shaded++
				}
			}
			if want := win.column(to.UnixNano()-1) - win.column(from.UnixNano()) + 1; shaded != want {
				t.Errorf("%s: %d columns are shaded, want %d", viewNames[v], shaded, want)
			}
		}
		r.chart.view = lineView
		r.press("esc")
		r.hides("selecting")
	})
}

func abs(n int64) int64 { return max(n, -n) }

// The wheel changes the span over the plot and the selection over the legend.
func TestWheel(t *testing.T) {
	onChart(t, one(clockScript("a")), func(r *rig) {
		r.add(r.Desk.Hosts[0], `\System\Seconds`, `\System\Users`, `\System\Threads`, `\System\Handles`, `\System\Processes`)
		r.pass(2 * time.Second)
		r.Draw()
		plot, legend := r.chart.place.plot, r.chart.place.legend
		r.chart.Wheel(r.hit(plot.X+5, plot.Y+5), 3)
		r.chart.Wheel(r.hit(plot.X+5, plot.Y+5), 3)
		r.chart.Wheel(r.hit(plot.X+5, plot.Y+5), -3)
		if r.Desk.Span != 10*time.Minute {
			t.Errorf("the span is %v", r.Desk.Span)
		}
		r.click(10, legend.Y+2)
		if r.chart.selected() != r.chart.series[1] {
			t.Error("a click selects another series")
		}
		r.chart.Wheel(r.hit(10, legend.Y+2), 3)
		if r.chart.selected() != r.chart.series[1] {
			t.Error("the wheel moves the selection though all series are in view")
		}
		r.Draw()
		if r.click(10, legend.Y+2); len(r.Sent) == 0 {
			t.Error("a click on the selected series does not open it")
		}
	})
}

// Labels of the time axis stand at round times of the clock that is read, each
// in the column of its time.
func TestTicks(t *testing.T) {
	zone := time.FixedZone("half", 5*3600+1800)
	for _, span := range []time.Duration{30 * time.Second, 5 * time.Minute, time.Hour, 24 * time.Hour, 7 * 24 * time.Hour} {
		win := newWindow(start, span, 108)
		ticks := win.ticks(zone)
		if len(ticks) < 2 || len(ticks) > 12 {
			t.Errorf("%v has %d labels", span, len(ticks))
		}
		for i, k := range ticks {
			if k.x < 0 || k.x >= win.w || i > 0 && k.x < ticks[i-1].x+len(ticks[i-1].text)+1 {
				t.Errorf("%v: label %q at %d", span, k.text, k.x)
			}
			form := "15:04:05"
			if len(k.text) > 8 {
				form = "Jan 2 15:04"
			}
			at, err := time.ParseInLocation(form, k.text, zone)
			shown := win.start(k.x).In(zone)
			if err != nil || (at.Second()%5 != 0) {
				t.Errorf("%v: label %q", span, k.text)
			}
			if d := shown.Add(time.Duration(win.cell)); span <= time.Hour && (d.Minute()*60+d.Second()) < at.Minute()*60+at.Second() && at.Minute() > 0 {
				t.Errorf("%v: label %q in the column of %v", span, k.text, shown)
			}
		}
	}
}

// ofLength is a recording that is as long as this.
type ofLength struct {
	pane.Archive

	first, last time.Time
}

func (o ofLength) Bounds() (first, last time.Time) { return o.first, o.last }

// A recording that is shorter than the span is shown whole, and is not called live; a window that
// follows the cursor to long ago does not begin before the first sample, and what was before a counter
// was asked for is not kept, and not unknown to the host.
func TestSpansOfWhatThereIs(t *testing.T) {
	onChart(t, one(clockScript("a")), func(r *rig) {
		r.add(r.Desk.Hosts[0], `\System\Seconds`)
		r.pass(200 * time.Second)
		r.add(r.Desk.Hosts[0], `\Memory\Cache Bytes`)
		r.pass(60 * time.Second)
		first, last := r.Desk.Sampled()
		r.Desk.Span = time.Minute
		r.Desk.At = first.Add(5 * time.Second)
		r.draw()
		if win := r.chart.picture.key.win; win.start(0).Before(first.Add(-2 * time.Second)) {
			t.Errorf("the window begins %v before the first sample", first.Sub(win.start(0)))
		}
		if got := r.named('B').at(r.Desk.At).Status(); got != cooker.NotKept {
			t.Errorf("before it was asked for it is %q", got.Word())
		}
		r.Desk.At, r.Desk.Span = time.Time{}, 5*time.Minute
		r.Desk.Archive = ofLength{first: last.Add(-72 * time.Second), last: last}
		r.draw()
		if got := r.chart.span(); got != 72*time.Second {
			t.Errorf("the span is %v", got)
		}
		r.shows("recorded", "span 1 min 12 s")
		r.hides("live")
	})
}
