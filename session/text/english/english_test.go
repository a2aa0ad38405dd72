package english_test

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session/text/english"
)

func TestSpans(t *testing.T) {
	const day = 24 * time.Hour
	for _, test := range []struct {
		d                 time.Duration
		span, short, aged string
	}{
		{0, "<1 ms", "<1 ms", "0 s"},
		{1, "<1 ms", "<1 ms", "0 s"},
		{time.Millisecond, "1 ms", "1 ms", "0 s"},
		{3440 * time.Microsecond, "3.4 ms", "3.4 ms", "0 s"},
		{9960 * time.Microsecond, "10 ms", "10 ms", "0 s"},
		{340 * time.Millisecond, "340 ms", "340 ms", "0 s"},
		{time.Second - 1, "1 s", "1 s", "0 s"},
		{3440 * time.Millisecond, "3.4 s", "3.4 s", "3 s"},
		{9960 * time.Millisecond, "10 s", "10 s", "9 s"},
		{time.Minute - 1, "1 min", "60 s", "59 s"},
		{78 * time.Second, "1 min 18 s", "78 s", "78 s"},
		{2*time.Minute - 1, "2 min", "2:00", "119 s"},
		{192 * time.Second, "3 min 12 s", "3:12", "3 min"},
		{time.Hour - 1, "1 h", "1:00:00", "59 min"},
		{125*time.Minute + time.Second, "2 h 5 min", "2:05:01", "2 h"},
		{23*time.Hour + 40*time.Minute, "23 h 40 min", "23:40:00", "23 h"},
		{day - 1, "1 d", "24:00:00", "23 h"},
		{3*day + 4*time.Hour, "3 d 4 h", "3 d 4 h", "3 d"},
		{-78 * time.Second, "-1 min 18 s", "-1 min 18 s", "0 s"},
		{math.MaxInt64, "106751 d 23 h", "106751 d 23 h", "106751 d"},
	} {
		if span, short, aged := english.Span(test.d), english.Short(test.d), english.Age(test.d); span != test.span || short != test.short || aged != test.aged {
			t.Errorf("%v: %q, %q, %q, want %q, %q, %q", test.d, span, short, aged, test.span, test.short, test.aged)
		}
	}
	if english.Span(math.MinInt64) != "-"+english.Span(math.MaxInt64) {
		t.Error(english.Span(math.MinInt64))
	}
}

// part is a number in a unit.
var part = regexp.MustCompile(`^ ?([0-9.]+) ?(ms|s|min|h|d)`)

// read reads what was written, and its parts.
func read(t *testing.T, text string) (d time.Duration, numbers []float64) {
	t.Helper()
	if strings.HasPrefix(text, "<") {
		return 0, []float64{0}
	}
	if h, m, ok := strings.Cut(text, ":"); ok {
		m, s, isHours := strings.Cut(m, ":")
		if !isHours {
			h, m, s = "0", h, m
		}
		text = h + " h " + m + " min " + s + " s"
	}
	units := map[string]time.Duration{"ms": time.Millisecond, "s": time.Second, "min": time.Minute, "h": time.Hour, "d": 24 * time.Hour}
	for rest := text; rest != ""; {
		found := part.FindStringSubmatch(rest)
		if found == nil {
			t.Fatalf("%q is no duration", text)
		}
		n, err := strconv.ParseFloat(found[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		d, numbers, rest = d+time.Duration(math.Round(n*float64(units[found[2]]))), append(numbers, n), rest[len(found[0]):]
	}
	return d, numbers
}

// What is longer is never written as less, nothing is off by more than its least unit says, and
// no unit is filled up by rounding; what can be typed is read as it was.
func TestSpansHold(t *testing.T) {
	for name, form := range map[string]struct {
		write func(time.Duration) string
		most  float64       // of seconds, minutes and hours
		off   float64       // at most, of the time
		least time.Duration // from which on
		cells int
	}{
		"Span":  {english.Span, 60, 0.05, time.Millisecond, 13},
		"Short": {english.Short, 120, 0.05, time.Millisecond, 9},
		"Age":   {english.Age, 120, 0.5, time.Second, 7},
	} {
		before := time.Duration(-1)
		for d := time.Duration(1); d < 99*24*time.Hour; d += max(1, d/997) {
			text := form.write(d)
			is, numbers := read(t, text)
			if is < before {
				t.Fatalf("%s of %v is %q, which is less than before", name, d, text)
			}
			if before = is; d >= form.least && math.Abs(float64(is-d)) > form.off*float64(d) {
				t.Fatalf("%s of %v is %q", name, d, text)
			}
			if last := numbers[len(numbers)-1]; (last >= form.most || len(numbers) > 1 && (last == 0 && !strings.Contains(text, ":") || last >= 60)) && !strings.HasSuffix(text, "ms") && !strings.HasSuffix(text, "d") || len(text) > form.cells {
				t.Fatalf("%s of %v is %q", name, d, text)
			}
			if typed := english.Exact(d); strings.Contains(typed, "m0s") || strings.HasSuffix(typed, "h0m") {
				t.Fatalf("%v can be typed as %q", d, typed)
			} else if is, err := time.ParseDuration(typed); is != d {
				t.Fatalf("%v can be typed as %q, which is %v, %v", d, typed, is, err)
			}
		}
	}
	for d, want := range map[time.Duration]string{0: "0s", 500 * time.Millisecond: "500ms", 24 * time.Hour: "24h", 90 * time.Second: "1m30s", time.Hour + time.Second: "1h0m1s"} {
		if got := english.Exact(d); got != want {
			t.Errorf("%v is typed %q, want %q", d, got, want)
		}
	}
}

// Sizes read as counters of bytes do, and limits are whole.
func TestSize(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1024: "1 KB", 64 << 20: "64 MB", 1<<20 - 1: "1.00 MB", 1280: "1.25 KB", 30e6: "28.6 MB", math.MaxInt64: "8.00 EB"} {
		if got := english.Size(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
	before := 0.0
	for n := int64(1); n < 1<<59; n += 1 + n/997 {
		text := english.Size(n)
		number, unit, _ := strings.Cut(text, " ")
		is, err := strconv.ParseFloat(number, 64)
		if factor := math.Pow(1024, float64(strings.Index("BKMGTPE", unit[:1]))); err != nil || is >= 1024 || is*factor < before || math.Abs(is*factor-float64(n)) > 0.006*float64(n) {
			t.Fatalf("%d is %q", n, text)
		} else if before = is * factor; is < 1023 && strings.Contains(number, ".") {
			counter := cooker.Field(cooker.FloatValue(float64(n)), cooker.UnitFor(cooker.Quantity{Kind: cooker.Bytes}, cooker.UnitWindows, float64(n)))
			if counter != number {
				t.Fatalf("%d is %q, and %q of a counter", n, text, counter)
			}
		}
	}
}

func TestGroupDigits(t *testing.T) {
	for number, want := range map[string]string{"": "", "0": "0", "999": "999", "1000": "1,000", "-1": "-1", "-100": "-100", "-1000": "-1,000", "1234567": "1,234,567", "-12345678": "-12,345,678"} {
		if got := english.GroupDigits(number, ","); got != want {
			t.Errorf("%q: %q, want %q", number, got, want)
		}
	}
}

func TestPlurals(t *testing.T) {
	for got, want := range map[string]string{
		english.Count(1, "host", "hosts"): "1 host", english.Count(0, "host", "hosts"): "0 hosts", english.Count(int64(12), "host", "hosts"): "12 hosts",
		english.Plural(2, "was", "were"): "were", english.Times(1): "once", english.Times(2): "twice", english.Times(0): "0 times",
		english.AndMore("a", 1): "a", english.AndMore("a", 3): "a and 2 more",
		english.Either(nil): "", english.Either([]string{"a"}): "a", english.Either([]string{"a", "b", "c"}): "a, b or c",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
