package note_test

import (
	"strings"
	"testing"
	"time"

	"perfdeck/session/files/note"
	"perfdeck/session/text/printable"
)

// The times that programs write are read, and what is none is text.
func TestParseLine(t *testing.T) {
	zone := time.FixedZone("", 3600)
	written := time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC)
	for text, want := range map[string]struct{ at, text string }{
		"2026-11-23T03:12:00Z deploy 4.2":            {"2026-11-23T03:12:00Z", "deploy 4.2"},
		"2026-11-23T03:12:00.5+02:00 deploy":         {"2026-11-23T01:12:00.5Z", "deploy"},
		"2026-11-23T03:12:00 deploy":                 {"2026-11-23T02:12:00Z", "deploy"},
		"2026-11-23 03:12:00.25  deploy  4":          {"2026-11-23T02:12:00.25Z", "deploy 4"},
		"2026-11-23 03:12 deploy":                    {"2026-11-23T02:12:00Z", "deploy"},
		"2026-11-23 03:12:00+00:00 deploy":           {"2026-11-23T03:12:00Z", "deploy"},
		"2026-11-23 03:12:00 -0500 deploy":           {"2026-11-23T08:12:00Z", "deploy"},
		"1795403520 deploy":                          {"2026-11-23T03:12:00Z", "deploy"},
		"1795403520.75 deploy":                       {"2026-11-23T03:12:00.75Z", "deploy"},
		"\ufeff2026-11-23T03:12:00Z deploy\r\n":      {"2026-11-23T03:12:00Z", "deploy"},
		`{"time":"2026-11-23T03:12:00Z","text":"x"}`: {"2026-11-23T03:12:00Z", "x"},
		"deploy 4.2":                      {"", "deploy 4.2"},
		"42 done":                         {"", "42 done"},
		"2026-11-23 release":              {"", "2026-11-23 release"},
		"2026-13-45T99:99:99Z not a time": {"", "2026-13-45T99:99:99Z not a time"},
		`{"text":"x","by":"ci"}`:          {"", "x"},
		`{not json`:                       {"", "{not json"},
	} {
		n, dated, ok := note.ParseLine(text, written, zone, "deploys.log")
		at := written
		if want.at != "" {
			at, _ = time.Parse(time.RFC3339Nano, want.at)
		}
		if !ok || dated != (want.at != "") || !n.Time.Equal(at) || n.Text != want.text {
			t.Errorf("%q: %+v, %v, %v", text, n, dated, ok)
		}
	}
	for _, text := range []string{"", " \t\r\n", "2026-11-23T03:12:00Z", `{"time":"2026-11-23T03:12:00Z"}`, strings.Repeat("x", 1<<20)} {
		if n, _, ok := note.ParseLine(text, written, zone, ""); ok {
			t.Errorf("%.40q is %+v", text, n)
		}
	}
}

func FuzzParseLine(f *testing.F) {
	f.Add("2026-11-23 03:12:00 -0500 deploy")
	f.Add(`{"time":"2026-11-23T03:12:00Z","text":"x"}`)
	f.Add("1795403520.75 a\x1b[2Jb")
	f.Fuzz(func(t *testing.T, text string) {
		n, _, ok := note.ParseLine(text, at, time.UTC, "")
		if ok && (n.Text == "" || printable.Text(n.Text+n.By) != n.Text+n.By || strings.ContainsAny(n.Text, "\r\n")) {
			t.Fatalf("%q", n.Text)
		}
	})
}
