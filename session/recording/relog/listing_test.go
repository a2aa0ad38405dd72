package relog

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
	"perfdeck/session/system/failure"
)

// What is in a recording is told in one line, and as JSON.
func TestList(t *testing.T) {
	csv, _ := formats.Named("csv")
	first := time.Date(2026, 3, 1, 22, 0, 0, 0, time.UTC)
	h := &logs.Header{Columns: []logs.Column{{Path: `\A\B`}}, Caption: "night"}
	h.Zone.Name = "UTC"
	l := List("a.csv", []*formats.Format{csv}, h, nil, logs.Span{First: first, Last: first.Add(time.Minute), Rows: 3})
	title := l.Title()
	for _, want := range []string{"a.csv: " + csv.Title, "1 counter", "about 3 samples", "2026-03-01 22:00:00 to 2026-03-01 22:01:00", "UTC+00:00", "night"} {
		if !strings.Contains(title, want) {
			t.Errorf("%q is not in %q", want, title)
		}
	}
	text, err := json.Marshal(l)
	if err != nil || !strings.Contains(string(text), `"counters":["\\A\\B"]`) || !strings.Contains(string(text), `"format":"csv"`) {
		t.Errorf("%s, %v", text, err)
	}
	h.Zone = logs.Zone{Name: "Eastern Daylight Time", Bias: 240}
	if l := List("a.csv", nil, h, nil, logs.Span{Exact: true}); !strings.Contains(l.Title(), "UTC-04:00") {
		t.Errorf("its zone is told as %q", l.Title())
	}
	if l := List("a.csv", nil, h, nil, logs.Span{Exact: true}); l.First != nil || strings.Contains(l.Title(), "about") {
		t.Errorf("an empty one: %q", l.Title())
	}
}

// Percentiles are those that the user wrote; of a counter without values nothing is known.
func TestSummaryOf(t *testing.T) {
	ps, err := ParsePercentiles([]string{"50", "99.9"})
	if err != nil || ps[0] != (Percentile{"50", 0.5}) {
		t.Fatalf("%+v, %v", ps, err)
	}
	for _, wrong := range []string{"", "x", "-1", "101", "NaN"} {
		if _, err := ParsePercentiles([]string{wrong}); err == nil {
			t.Errorf("%q is taken", wrong)
		} else if _, is := errors.AsType[*failure.UsageError](err); !is {
			t.Errorf("%q: %v", wrong, err)
		}
	}
	d := SummaryOf(`\A\B`, &logs.Summary{Missing: 2}, ps)
	text, err := json.Marshal(d)
	if err != nil || d.First != nil || !strings.Contains(string(text), `"min":null`) || !strings.Contains(string(text), `"99.9":null`) {
		t.Errorf("%s, %v", text, err)
	}
}
