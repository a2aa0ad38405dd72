package past

import (
	"slices"
	"testing"
	"time"
)

// Spans are moments of many forms, and are written as they are read.
func TestParseSpan(t *testing.T) {
	now := time.Date(2026, 3, 2, 10, 0, 0, 0, time.Local)
	for text, want := range map[string]string{
		"": "09:00 10:00", "@-2h": "08:00 10:00", "@-2h/30m": "08:00 08:30", "@03:12": "03:12 04:12", "@yesterday 03:12/2h": "-1 03:12 05:12",
		"@11:00": "-1 11:00 12:00", "@2026-03-02T09:30": "09:30 10:00", "@2026-03-02 08:15/1h": "08:15 09:15", "@09:30/2h": "09:30 10:00",
	} {
		span, err := ParseSpan("prom+http://e#h"+text, now)
		day := ""
		if span.From.Day() != now.Day() {
			day = "-1 "
		}
		if got := day + span.From.Format("15:04 ") + span.To.Format("15:04"); err != nil || span.Hosts != "prom+http://e#h" || got != want {
			t.Errorf("%q: %s, %q, %v, want %s", text, got, span.Hosts, err, want)
		}
	}
	span := Span{Hosts: "prom+http://e:9090#h", From: now, To: now.Add(time.Hour)}
	if again, err := ParseSpan(span.String(), now.Add(2*time.Hour)); err != nil || again != span {
		t.Errorf("%s is read as %+v, %v", span, again, err)
	}
	if name := span.File(); name != "e_9090 h 2026-03-02 10.00.db" {
		t.Errorf("its file is %q", name)
	}
}

// Moments of flags are those of engines that say none.
func TestWithin(t *testing.T) {
	names := []string{"a.csv", "prom+http://e#a", "prom+http://e@-2h"}
	for _, c := range []struct {
		at, length string
		want       string
		used       bool
	}{
		{"", "", "prom+http://e#a", false},
		{"03:12", "", "prom+http://e#a@03:12", true},
		{"", "2h", "prom+http://e#a@-2h/2h", true},
		{"03:12", "2h", "prom+http://e#a@03:12/2h", true},
	} {
		got, used := Within(names, IsSpan, c.at, c.length)
		if want := []string{names[0], c.want, names[2]}; used != c.used || !slices.Equal(got, want) {
			t.Errorf("%+v: %q, %v", c, got, used)
		}
	}
	if _, used := Within(names[:1], IsSpan, "03:12", "2h"); used {
		t.Error("a file has a moment")
	}
}

// A recording is called by its file, a part of the past by the engine and the host too.
func TestTitle(t *testing.T) {
	for name, want := range map[string]string{"a/night.db": "night.db", "prom+http://e:9090#sql01@-20m/15m": "prom+http://e:9090#sql01@-20m/15m"} {
		if got := Title(name); got != want {
			t.Errorf("%s is called %s", name, got)
		}
	}
}
