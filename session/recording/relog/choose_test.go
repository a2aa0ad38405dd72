package relog

import (
	"strings"
	"testing"
	"time"

	"perfdeck/session/files/logs"
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
		{`\Process( * )\ID Process`, `\\SRV\Process(x)\ID Process`, true},
		{`\Memory\Pages / sec`, `\\SRV\Memory\Pages/sec`, true},
		{`\ Process ( x )\ID Process`, `\\SRV\Process(x)\ID Process`, true},
		{`\Process( x )\ID Process`, `\\SRV\Process(y)\ID Process`, false},
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
		if got, err := parseMoment(text, first, first, false); err != nil || !got.Equal(want) {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"25:00", "13/1/2026", "x", "2026-02-30"} {
		if got, err := parseMoment(text, first, first, false); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// Limits take both passes of an hour that clocks show twice, and where clocks pass over a time
// they are there; a pass before the recording began is none of its.
func TestLimitsWhereClocksChange(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip(err)
	}
	for _, c := range []struct{ first, begin, end, from, to string }{
		{"2026-10-25T00:00:00+02:00", "02:15", "02:45", "2026-10-25T02:15:00+02:00", "2026-10-25T02:45:00+01:00"},
		{"2026-10-25T00:00:00+02:00", "2026-10-25 02:15", "10/25/2026 02:45", "2026-10-25T02:15:00+02:00", "2026-10-25T02:45:00+01:00"},
		{"2026-03-28T23:00:00+01:00", "02:15", "04:00", "2026-03-29T03:00:00+02:00", "2026-03-29T04:00:00+02:00"},
		{"2026-10-25T02:40:00+02:00", "2026-10-25 02:15", "02:30", "2026-10-25T02:15:00+01:00", "2026-10-25T02:30:00+01:00"},
	} {
		first, _ := time.Parse(time.RFC3339, c.first)
		from, to, err := Limits(c.begin, c.end, first.In(zone), first.AddDate(0, 0, 2), first, func(string) {})
		if err != nil || from.Format(time.RFC3339) != c.from || to.Format(time.RFC3339) != c.to {
			t.Errorf("%s to %s: %v to %v, %v", c.begin, c.end, from, to, err)
		}
	}
}

// A filter finds a name that looks the same, unless one is there that is; what it finds
// nowhere may be another name.
func TestLookAlikes(t *testing.T) {
	h := &logs.Header{Columns: []logs.Column{
		{Path: `\\S\Processeur(_Total)\% d’inactivité`}, {Path: `\\S\Disque(apple–b)\Longueur`}, {Path: `\\S\M\d'x`}, {Path: `\\S\M\d’x`},
	}}
	for text, want := range map[string]int{
		`\Processeur(_Total)\% d'inactivité`: 0, `\Disque(apple-*)\Longueur`: 1, `\\S\M\d'x`: 2, `\M\d’x`: 3,
	} {
		if got, unmatched := Matching(h, []Filter{NewFilter(text)}); len(got) != 1 || got[0] != want || len(unmatched) > 0 {
			t.Errorf("%s: %v", text, got)
		}
	}
	for text, want := range map[string]string{
		`\Procesor(_Total)\% d'inactivité`:    "Processeur",
		`\Processeur(_Total)\% d'inactivitée`: "% d’inactivité",
		`\Disque(aple-b)\Longueur`:            "apple–b",
	} {
		filter := NewFilter(text)
		if hint := nearest(h, &filter); !strings.Contains(hint, "'"+want+"'") {
			t.Errorf("%s: %q", text, hint)
		}
	}
}
