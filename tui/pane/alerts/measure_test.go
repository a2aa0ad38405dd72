package alerts

import (
	"math"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/text/english"
)

func TestDirection(t *testing.T) {
	for name, want := range map[string]paths.Op{
		"Available MBytes": paths.Below, "% Free Space": paths.Below, "Free Megabytes": paths.Below, "% Idle Time": paths.Below,
		"Buffer cache hit ratio": paths.Below, "Page life expectancy": paths.Below, "Copy Read Hits %": paths.Below,
		"% Processor Time": paths.Above, "Avg. Disk sec/Read": paths.Above, "Pages/sec": paths.Above, "Free list stalls/sec": paths.Above,
		"Processor Queue Length": paths.Above, "Idle Break Events/sec": paths.Above,
	} {
		typ := cooker.CounterRawCount
		if strings.HasSuffix(name, "/sec") {
			typ = cooker.CounterCounter
		}
		c := &session.Counter{Name: name, Quantity: cooker.QuantityIn(typ, "", name)}
		if got := direction(c); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// What is proposed is a round number that the window did not pass.
func TestPropose(t *testing.T) {
	count, percent := measure{}, measure{quantity: cooker.Quantity{Kind: cooker.Percent}}
	for _, test := range []struct {
		m      measure
		lo, hi float64
		op     paths.Op
		want   string
	}{
		{count, 0, 0, paths.Above, "0"}, {count, 3, 3, paths.Above, "4"}, {count, 0, 17, paths.Above, "25"}, {count, 100, 200, paths.Below, "80"},
		{count, 0, 0.5, paths.Above, "0.6"}, {count, 0.00012, 1, paths.Below, "0.00008"}, {count, -7, -5, paths.Above, "-4"}, {count, -7, -5, paths.Below, "-10"},
		{count, 1e300, 1e308, paths.Above, "1.5e+308"}, {count, 0, 5e-324, paths.Above, "5e-324"},
		{percent, 0, 71, paths.Above, "90"}, {percent, 0, 98, paths.Above, "95"}, {percent, 0, 0.5, paths.Above, "5"}, {percent, 40, 60, paths.Below, "30"},
		{percent, 4, 60, paths.Below, "3"}, {percent, 0, 60, paths.Below, "0"}, {percent, 0, 350, paths.Above, "500"},
	} {
		got := propose(test.m, session.Window{Min: cooker.FloatValue(test.lo), Max: cooker.FloatValue(test.hi), Count: 9}, test.op)
		if got != test.want {
			t.Errorf("%v..%v %v: %s, want %s", test.lo, test.hi, test.op, got, test.want)
		}
	}
	if got := propose(count, session.Window{}, paths.Above); got != "" {
		t.Errorf("nothing was seen, and %q is proposed", got)
	}
}

func TestSpans(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"": 0, "15": 15 * second, "15s": 15 * second, " 1 min 30 s": 90 * second, "2h": 2 * time.Hour, "1D": 24 * time.Hour, "1.5m": 90 * second, "500ms": 500 * time.Millisecond,
	} {
		if got, err := readSpan(text); err != nil || got != want {
			t.Errorf("%q is %v, %v", text, got, err)
		}
		if want == 0 {
			continue
		}
		for _, written := range []string{typed(want), english.Span(want)} {
			if got, err := readSpan(written); err != nil || got != want {
				t.Errorf("%v is written %q and read %v, %v", want, written, got, err)
			}
		}
	}
	for _, text := range []string{"s", "x", "-5", "8d", "1e9", "5 years", "99999999999999999999", ".", "1.2.3"} {
		if got, err := readSpan(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
	if got, err := readInterval("Once"); err != nil || got != alert.Once || typed(got) != "once" {
		t.Errorf("once is %v, %v", got, err)
	}
	if _, err := readInterval("0.5"); err == nil {
		t.Error("an interval of half a second is taken")
	}
	for text, want := range map[string][2]int{"": {}, "3": {3, 3}, "5 of 6": {5, 6}, "5/6": {5, 6}, " 1 OF 2 ": {1, 2}} {
		if got, err := readCounts(text); err != nil || got != want {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"0", "x", "3 of", "of 3", "7 of 6", "65 of 65", "1 of 2 of 3", "-1"} {
		if got, err := readCounts(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}

// FuzzMeasure holds that what is written for a value is read as that value, and
// that nothing that is typed becomes a number that is none.
func FuzzMeasure(f *testing.F) {
	for _, text := range []string{"25 ms", "0x1F", "-1e309", "1e-320 µs", "5 k/s", "NaN", "Inf", ".", "0x", "1_0", "二"} {
		f.Add(text, 0.025, uint8(6), int8(0))
	}
	f.Fuzz(func(t *testing.T, text string, v float64, kind uint8, exponent int8) {
		q := cooker.Quantity{Kind: cooker.QuantityKind(kind % 7), Exponent: exponent % 4}
		m := measure{quantity: q, style: cooker.UnitWindows, unit: cooker.UnitFor(q, cooker.UnitWindows, v)}
		for _, m := range []measure{m, {hex: true}} {
			if got, err := m.parse(text); err == nil && (math.IsNaN(got) || math.IsInf(got, 0)) {
				t.Fatalf("%q is %v", text, got)
			}
		}
		if math.IsNaN(v) || math.Abs(v) > 1e300 || v != 0 && math.Abs(v) < 1e-290 {
			return
		}
		got, err := m.parse(m.text(v))
		if err != nil || math.Abs(got-v) > math.Abs(v)*1e-13 {
			t.Fatalf("%v is written %q in %q and read %v, %v", v, m.text(v), m.unit.Label, got, err)
		}
	})
}

// FuzzFields holds that what is typed into the fields is read or refused.
func FuzzFields(f *testing.F) {
	for _, text := range []string{"1 min 30 s", "5 of 6", "sat 00:00-24:00;", "bell, task:x", "9e9d"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if d, err := readSpan(text); err == nil && (d < 0 || d > alert.MaxInterval) {
			t.Fatalf("%q is %v", text, d)
		}
		_, _ = readCounts(text)
		_, _ = readActions(text)
		_, _ = readQuiet(text)
		_, _ = readAggregate(text)
	})
}
