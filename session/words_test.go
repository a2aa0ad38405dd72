package session

import (
	"testing"
	"time"

	"perfdeck/session/text/printable"
)

func TestSpellSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{
		12 * time.Millisecond:          "12ms",
		61 * time.Second:               "1m1s",
		125*time.Minute + time.Second:  "2h5m",
		49*time.Hour + 20*time.Minute:  "2d1h",
		time.Hour - time.Nanosecond:    "1h0m0s",
		24*time.Hour - time.Nanosecond: "24h0m",
	} {
		if got := SpellSpan(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}

// JSON of ours keeps the limits of rules readable, and steers no terminal.
func TestJSONLine(t *testing.T) {
	plain, err := printable.JSON(map[string]string{"when": `\A\B>3 & <4`})
	if want := `{"when":"\\A\\B>3 & <4"}`; err != nil || string(plain) != want {
		t.Errorf("%s, %v", plain, err)
	}
	line, err := printable.JSONLine("a\u202eb")
	if want := `"a` + `\u202e` + `b"` + "\n"; err != nil || string(line) != want {
		t.Errorf("%q, %v", line, err)
	}
	if _, err := printable.JSONLine(func() {}); err == nil {
		t.Error("what is no JSON is written")
	}
}

func TestGroupDigits(t *testing.T) {
	for number, want := range map[string]string{"": "", "0": "0", "999": "999", "1000": "1,000", "-1": "-1", "-100": "-100", "-1000": "-1,000", "1234567": "1,234,567", "-12345678": "-12,345,678"} {
		if got := GroupDigits(number, ","); got != want {
			t.Errorf("%q: %q, want %q", number, got, want)
		}
	}
}
