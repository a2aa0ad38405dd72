package relog

import (
	"testing"
	"time"
)

func TestFilters(t *testing.T) {
	for _, c := range []struct {
		filter, column string
		want           bool
	}{
		{`\Process(*)\% Processor Time`, `\\SRV\Process(a/b#3)\% processor time`, true},
		{`\Process(*)\% Processor Time`, `\\SRV\Process(_Total)\% User Time`, false},
		{`\Process(a)\ID Process`, `\\SRV\Process(a#1)\ID Process`, false},
		{`\Process(a#*)\ID Process`, `\\SRV\Process(a#1)\ID Process`, true},
		{`\\srv\Memory\*`, `\\SRV\Memory\Pages/sec`, true},
		{`\\srv2\Memory\*`, `\\SRV\Memory\Pages/sec`, false},
		{`\\srv*\Memory\*`, `\\SRV2\Memory\Pages/sec`, true},
		{`\Memory\*`, `\Memory\Pages/sec`, true},
		{`\Memory\*`, `\\SRV\Memory(x)\Pages/sec`, false},
		{`\*(*)\*`, `\\SRV\Process(x)\ID Process`, true},
		{`\Process(*)\*`, `\\SRV\Thread(Process(x)/0)\ID Thread`, false},
		{`no path`, `no path`, true},
	} {
		f, column := NewFilter(c.filter), NewFilter(c.column)
		if got := f.Matches(&column); got != c.want {
			t.Errorf("%s matches %s: %t", c.filter, c.column, got)
		}
	}
}

func TestMoments(t *testing.T) {
	zone := time.FixedZone("", 3600)
	first := time.Date(2026, 3, 1, 22, 0, 0, 0, zone)
	for text, want := range map[string]time.Time{
		"22:30": first.Add(30 * time.Minute), "03:00": first.Add(5 * time.Hour), "2026-03-02": first.Add(2 * time.Hour),
		"2026-03-01 22:00:05": first.Add(5 * time.Second), "3/1/2026 22:00:01": first.Add(time.Second), "3/1/2026 10:00:01PM": first.Add(time.Second),
		"2026-03-01T21:00:00Z": first, "2026-03-01T22:00:00.5": first.Add(500 * time.Millisecond), "": {},
	} {
		if got, err := ParseMoment(text, first, first); err != nil || !got.Equal(want) {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"25:00", "13/1/2026", "x", "2026-02-30"} {
		if got, err := ParseMoment(text, first, first); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}
