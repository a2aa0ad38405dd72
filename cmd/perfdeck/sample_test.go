package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"
	"unicode/utf16"
)

func TestUntilFirst(t *testing.T) {
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	for clock, want := range map[string]time.Duration{
		"":         0,
		"12:00":    0,
		"12:01":    time.Minute - time.Second,
		"12:00:30": 29 * time.Second,
		"11:59":    24*time.Hour - time.Minute - time.Second,
	} {
		if got, err := untilFirst(clock, now, time.Second); err != nil || got != want {
			t.Errorf("%q: %v (%v), want %v", clock, got, err, want)
		}
	}
	for _, clock := range []string{"24:00", "7", "noon", "12:60", "12:00:00:00"} {
		if _, err := untilFirst(clock, now, time.Second); err == nil {
			t.Errorf("%q is taken for a time", clock)
		}
	}
}

// TestReadCounters reads the same file in every encoding.
func TestReadCounters(t *testing.T) {
	const text = "; comment\r\n\\Memory\\Available MBytes\r\n\r\n  \"\\Büro(*)\\Größe\"\r\n# end"
	units := func(high int) (out []byte) {
		for _, u := range utf16.Encode([]rune("\uFEFF" + text)) {
			pair := []byte{byte(u), byte(u >> 8)}
			out = append(out, pair[high], pair[1-high])
		}
		return out
	}
	for encoding, data := range map[string][]byte{
		"UTF-8": []byte(text), "UTF-8 with mark": []byte("\uFEFF" + text), "UTF-16LE": units(0), "UTF-16BE": units(1),
	} {
		name := filepath.Join(t.TempDir(), "counters.txt")
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := (&program{}).readCounters(name)
		if err != nil || len(got) != 2 || got[0].Text != `\Memory\Available MBytes` || got[1].Text != `\Büro(*)\Größe` {
			t.Errorf("%s: %v (%v)", encoding, got, err)
		}
	}
}

func FuzzDecodeText(f *testing.F) {
	f.Add([]byte("\xFF\xFE\x5C\x00"))
	f.Add([]byte("\xFE\xFF\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if got := decodeText(data); len(got) > 3*len(data)+3 {
			t.Errorf("%d bytes became %d", len(data), len(got))
		}
	})
}
