package field_test

import (
	"testing"
	"time"

	"perfdeck/session/text/english"
	"perfdeck/session/text/field"
)

// Times as people and typeperf write them: numbers of seconds, units, [[HH:]MM:]SS.
func TestParseTime(t *testing.T) {
	const second = time.Second
	for text, want := range map[string]time.Duration{
		"15": 15 * second, "0.5": second / 2, "00:15": 15 * second, "1:30": 90 * second, "01:00:05": 3605 * second, "0:00.5": second / 2, "0": 0, "1e2": 100 * second,
		"15s": 15 * second, " 1 min 30 s": 90 * second, "2h": 2 * time.Hour, "1D": 24 * time.Hour, "1d 2h": 26 * time.Hour, "1.5m": 90 * second, "500ms": second / 2, "30 sec": 30 * second,
	} {
		got, ok := field.ParseTime(text)
		if !ok || got != want {
			t.Errorf("%q: %v %v, want %v", text, got, ok, want)
		}
		if again, ok := field.ParseTime(english.Exact(got)); !ok || again != got {
			t.Errorf("%v is written %q and read %v", got, english.Exact(got), again)
		}
	}
	for _, text := range []string{"", ":", "1:", ":5", "1:60", "1:2:3:4", "1:-5", "1:+5", "1:nan", "x", "s", "-5", "-5s", "1e19", "nan", "inf", "5 years", "99999999999999999999", ".", "1.2.3", "1dd", "999999d"} {
		if got, ok := field.ParseTime(text); ok {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func FuzzParseTime(f *testing.F) {
	for _, text := range []string{"1 min 30 s", "1d2h", "01:30:00", "9e9d", "90"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if d, ok := field.ParseTime(text); ok && d < 0 {
			t.Fatalf("%q is %v", text, d)
		}
	})
}

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "1500": 1500, "500KB": 500 << 10, "500k": 500 << 10, " 1.5 GiB ": 3 << 29, "2g": 2 << 30, "1TB": 1 << 40, "7b": 7, "10 MB": 10 << 20,
	} {
		if got, ok := field.ParseSize(text); !ok || got != want {
			t.Errorf("%q: %d %v, want %d", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "MB", "-1", "1e40", "NaN", "Inf", "1.5.2MB", "5 apples", "0x10"} {
		if got, ok := field.ParseSize(text); ok {
			t.Errorf("%q is taken for %d", text, got)
		}
	}
}
