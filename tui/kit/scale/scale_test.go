package scale

import (
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"perfdeck/cooker"
)

func bytesPerSecond() cooker.Format {
	return cooker.Format{Digits: cooker.DefaultDigits, Style: cooker.UnitWindows, Quantity: cooker.Quantity{Kind: cooker.BytesPerSecond}}
}

func TestOver(t *testing.T) {
	for _, c := range []struct{ number, one, want float64 }{
		{0, 1, 1}, {-1, 1, 1}, {math.NaN(), 1, 1},
		{1, 1, 1}, {1.01, 1, 1.5}, {1.5, 1, 1.5}, {2.9, 1, 3}, {3, 1, 3}, {6.5, 1, 8}, {8.1, 1, 10}, {99, 1, 100}, {100.5, 1, 150},
		{0.02, 1, 0.02}, {0.0004, 1, 0.01}, {0.3, 1, 0.3}, {0.7, 1, 0.8},
		{45 << 20, 1 << 20, 50 << 20}, {1e15, 1, 1e15}, {1.1e15, 1, 1.5e15},
		{math.Nextafter(3, 4), 1, 3}, // as 0.1 * 30
	} {
		if got := cooker.RoundOver(c.number, c.one); math.Abs(got-c.want) > 1e-9*c.want {
			t.Errorf("over %v in %v: %v, want %v", c.number, c.one, got, c.want)
		}
	}
}

// A feed of one number has one height; a higher one is followed at once, lower ones
// when all were under 60 % of the lower step for 10 s, a step at a time.
func TestScaleFollows(t *testing.T) {
	var s Scale
	f, now := cooker.DefaultFormat(), time.Unix(0, 0)
	feed := func(n int, largest, want float64) {
		t.Helper()
		for i := range n {
			now = now.Add(time.Second)
			if got := s.Top(Rule{}, largest, f, cooker.Unit{}, now); math.Abs(got-want) > 1e-9*want {
				t.Fatalf("%v after %d s: top %v, want %v", largest, i+1, got, want)
			}
		}
	}
	feed(60, 42, 50)
	feed(1, 51, 60)
	feed(60, 40, 60) // over 60 % of 50
	feed(10, 23, 60)
	feed(1, 23, 50)
	feed(1, 24.5, 50) // of 40 more than 60 %
	feed(10, 23, 50)
	feed(1, 23, 40)
	feed(60, 23, 40)
	feed(60, 0, 40) // nothing is nothing to go by
	feed(1, 900, 1000)
	feed(10, 20, 1000)
	for _, want := range []float64{800, 600, 500, 400, 300, 200, 150, 100, 80, 60, 50, 40, 40, 40} {
		feed(1, 20, want) // 20 is over 60 % of 30
	}
	feed(1, math.NaN(), 40)
	feed(1, math.Inf(1), 40)
}

func TestRules(t *testing.T) {
	var s Scale
	f, now := cooker.DefaultFormat(), time.Unix(0, 0)
	for _, c := range []struct {
		rule          Rule
		largest, want float64
	}{
		{Rule{Limit: 31.3}, 21.5, 31.3}, {Rule{Limit: 31.3}, 40, 31.3},
		{Rule{Least: 100}, 0, 100}, {Rule{Least: 100}, 99.9, 100}, {Rule{Least: 100}, 100, 100}, {Rule{Least: 100}, 140, 150},
		{Rule{Limit: math.NaN(), Least: 100}, 10, 150}, // not lower at once
	} {
		if got := s.Top(c.rule, c.largest, f, cooker.Unit{}, now); got != c.want {
			t.Errorf("%+v %v: %v, want %v", c.rule, c.largest, got, c.want)
		}
	}
}

// Another unit has other round numbers: the top stays near, and is never less than
// what is shown.
func TestScaleInAnotherUnit(t *testing.T) {
	var s Scale
	f, now := bytesPerSecond(), time.Unix(0, 0)
	kb, mb := cooker.Unit{Factor: 1 << 10, Label: "KB/s"}, cooker.Unit{Factor: 1 << 20, Label: "MB/s"}
	for _, c := range []struct {
		largest float64
		unit    cooker.Unit
		want    float64
		text    string
	}{
		{7900 << 10, kb, 8000 << 10, "8000 KB/s"},
		{9000 << 10, kb, 10 << 20, "10 MB/s"}, // 4 places at most
		{9.9 * (1 << 20), mb, 10 << 20, "10 MB/s"},
		{0.85 * (1 << 20), mb, 10 << 20, "10 MB/s"},
		{800 << 10, kb, 10 << 20, "10 MB/s"}, // and not lower at once
	} {
		got := s.Top(Rule{}, c.largest, f, c.unit, now)
		if text := string(f.AppendTop(nil, got, c.unit)); got != c.want || text != c.text {
			t.Errorf("%v in %s: %v %q, want %v %q", c.largest, c.unit.Label, got, text, c.want, c.text)
		}
	}
}

func TestAppendTop(t *testing.T) {
	plain := cooker.DefaultFormat()
	percent := plain
	percent.Quantity.Kind = cooker.Percent
	scaled := plain
	scaled.Scale = -3
	gb := cooker.Unit{Factor: 1 << 30, Label: "GB"}
	for _, c := range []struct {
		top  float64
		f    cooker.Format
		u    cooker.Unit
		want string
	}{
		{100, percent, cooker.Unit{Factor: 1, Label: "%"}, "100 %"},
		{50 << 20, bytesPerSecond(), cooker.Unit{Factor: 1 << 20, Label: "MB/s"}, "50 MB/s"},
		{1.5, plain, cooker.Unit{}, "1.5"}, {0.015, plain, cooker.Unit{}, "0.015"}, {8, plain, cooker.Unit{}, "8"},
		{31.28 * (1 << 30), plain, gb, "31.3 GB"}, {7.999 * (1 << 30), plain, gb, "8 GB"}, {212.44 * (1 << 30), plain, gb, "212.4 GB"},
		{4000, scaled, cooker.Unit{}, "4"},
		{100000, cooker.Format{Digits: cooker.DefaultDigits, Style: cooker.UnitWindows}, cooker.Unit{}, "100 k"},
		{100000, cooker.Format{Attributes: cooker.NoGrouping, Digits: cooker.DefaultDigits, Style: cooker.UnitWindows}, cooker.Unit{}, "100000"},
	} {
		if got := string(c.f.AppendTop([]byte("="), c.top, c.u)); got != "="+c.want {
			t.Errorf("%v: %q, want %q", c.top, got, "="+c.want)
		}
	}
}

// From a thousandth to a thousand million millions, in every quantity and style that
// has units: the top is never less than the number, never more than half as much again
// but for the smallest, and written in at most 4 places before the point.
func TestScaleSwept(t *testing.T) {
	for kind := cooker.Count; kind <= cooker.Seconds; kind++ {
		for _, style := range []cooker.UnitStyle{cooker.UnitWindows, cooker.UnitSI, cooker.UnitIEC} {
			f := cooker.Format{Digits: cooker.DefaultDigits, Style: style, Quantity: cooker.Quantity{Kind: kind}}
			for n := 1e-3; n <= 1e15; n *= 1.37 {
				var s Scale
				chooser := f.Chooser()
				u := chooser.Choose(n, time.Unix(0, 0))
				top := s.Top(Rule{}, n, f, u, time.Unix(0, 0))
				least := cooker.LeastTop * f.One(u)
				if top < n*(1-1e-9) || top > max(n*1.5*(1+1e-9), least) {
					t.Fatalf("%v %v: the top of %v is %v", kind, style, n, top)
				}
				text := string(f.AppendTop(nil, top, u))
				digits, _, _ := strings.Cut(text, " ")
				whole, _, _ := strings.Cut(digits, ".")
				if kind != cooker.Percent && kind != cooker.Seconds && (len(whole) > 4 || utf8.RuneCountInString(digits) > 7) {
					t.Fatalf("%v %v: the top of %v is written %q", kind, style, n, text)
				}
			}
		}
	}
}

func BenchmarkTop(b *testing.B) {
	var s Scale
	f, now := bytesPerSecond(), time.Unix(0, 0)
	u := cooker.Unit{Factor: 1 << 20}
	b.ReportAllocs()
	for i := range b.N {
		s.Top(Rule{}, float64(i%7)*1e6, f, u, now)
	}
}

// However often it is drawn in a tick, the top goes down one step at a time.
func TestTopGoesDownOncePerTick(t *testing.T) {
	var s Scale
	now := time.Unix(0, 0)
	s.Top(Rule{}, 1000, cooker.Format{}, cooker.Unit{}, now)
	last, fell := 1000., 0
	for range 40 {
		now = now.Add(time.Second)
		first := s.Top(Rule{}, 1, cooker.Format{}, cooker.Unit{}, now)
		for range 3 {
			if again := s.Top(Rule{}, 1, cooker.Format{}, cooker.Unit{}, now); again != first {
				t.Fatalf("%v, drawn again %v", first, again)
			}
		}
		if first < last {
			fell++
		}
		last = first
	}
	if fell < 5 {
		t.Errorf("it fell %d times, to %v", fell, last)
	}
}

// A top that is held stays, whatever comes, until it is freed.
func TestHold(t *testing.T) {
	var s Scale
	now := time.Unix(0, 0)
	top := func(v float64) float64 {
		now = now.Add(time.Minute)
		return s.Top(Rule{}, v, cooker.Format{}, cooker.Unit{}, now)
	}
	if s.Hold() || top(0) != 0 {
		t.Error("nothing is held, or nothing has a top")
	}
	if top(90) != 100 || !s.Hold() || top(5000) != 100 || top(1) != 100 || s.Hold() || top(5000) != 5000 {
		t.Errorf("it ends at %v", top(5000))
	}
}
