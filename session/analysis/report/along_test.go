package report_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/analysis/report"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
)

// withEvents writes a recording anew, as recorders do, with events of its hosts.
func withEvents(t testing.TB, file string, events ...session.HostEvent) string {
	t.Helper()
	in, err := formats.Open(t.Context(), file, logs.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	format, _ := formats.Named("sqlite")
	out := filepath.Join(t.TempDir(), "eventful.db")
	w, err := formats.Create(out, format, in.Header(), logs.WriteOptions{Buffered: true})
	if err != nil {
		t.Fatal(err)
	}
	for row, err := range (logs.Scan{}).Rows(t.Context(), in) {
		if err = errors.Join(err, w.WriteRow(row)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(formats.WriteEvents(w, events), w.Close()); err != nil {
		t.Fatal(err)
	}
	return out
}

// at is an event at a sample.
func at(sample int, e session.HostEvent) session.HostEvent {
	e.Time = began.Add(time.Duration(15*sample) * time.Second)
	e.Until, e.Count = e.Time, 1
	if e.Host == "" {
		e.Host = "sql01"
	}
	return e
}

// ordinary are what a host that is well writes down all the time.
func ordinary() (out []session.HostEvent) {
	for i := 5; i < 1900; i += 13 {
		out = append(out, at(i, session.HostEvent{Level: session.EventWarning, Log: "journal", Source: "nginx", Text: "upstream response is buffered"}))
	}
	for i := 40; i < 1900; i += 300 {
		out = append(out,
			at(i, session.HostEvent{Level: session.EventError, Log: "System", Source: "Schannel", ID: "36887", Text: "a fatal alert was received"}),
			at(i+1, session.HostEvent{Level: session.EventInformation, Log: "journal", Source: "systemd", Known: "unit-started", Names: []string{"logrotate"}, Unit: "logrotate"}),
		)
	}
	return out
}

// Incidents whose cause stands in what the host wrote down: it is among the first two lines of what
// went along, in all forms, however much else was written.
func TestCauseStandsInEvents(t *testing.T) {
	const secret = "upstream response is buffered"
	busy := during(noise(20, 0.4, 1), noise(99.5, 0.004, 2), 600, 760)
	short := during(noise(9000, 0.02, 3), noise(40, 0.1, 4), 600, 760)
	slow := during(noise(0.006, 0.3, 5), noise(0.12, 0.4, 6), 600, 760)
	for name, c := range map[string]struct {
		column column
		events []session.HostEvent
		want   string
	}{
		"a service that crashes under load": {
			column{`\\sql01\Processor Information(_Total)\% Processor Time`, busy},
			[]session.HostEvent{
				at(612, session.HostEvent{Level: session.EventWarning, Log: "journal", Source: "systemd", Unit: "shop", Known: "unit-failed", Names: []string{"shop", "exit-code"}, Text: "shop.service: Failed with result"}),
				at(616, session.HostEvent{Level: session.EventWarning, Log: "journal", Source: "systemd", Unit: "shop", Known: "unit-failed", Names: []string{"shop", "exit-code"}}),
			},
			"service shop failed: exit-code, twice",
		},
		"the memory killer": {
			column{`\\sql01\Memory\Available MBytes`, short},
			[]session.HostEvent{at(640, session.HostEvent{Level: session.EventError, Log: "kernel", Source: "kernel", PID: 77, Known: "memory-killer", Names: []string{"java"}, Text: "Out of memory: Killed process 77 (java)"})},
			"java was killed: memory ran out",
		},
		"a disk that is reset": {
			column{`\\sql01\PhysicalDisk(1 D:)\Avg. Disk sec/Transfer`, slow},
			[]session.HostEvent{at(596, session.HostEvent{Level: session.EventWarning, Log: "System", Source: "storahci", ID: "129", Known: "disk-reset", Names: []string{"1"}})},
			"disk 1 was reset",
		},
	} {
		t.Run(name, func(t *testing.T) {
			file := withEvents(t, recording(t, "night.csv", 1920, c.column, column{`\\web02\Memory\Available MBytes`, noise(4000, 0.02, 8)}), append(ordinary(), c.events...)...)
			r := reported(t, report.Options{}, packRules(t), file)
			if len(r.Verdicts) != 1 {
				t.Fatalf("%d verdicts: %s", len(r.Verdicts), r.Headline())
			}
			for _, name := range []string{"html", "md", "text"} {
				told := form(t, r, name)
				first, _, _ := strings.Cut(told, "What else moved")
				if !strings.Contains(strings.ReplaceAll(first, "\u00a0", " "), c.want) || !strings.Contains(told, "in their own words") {
					t.Errorf("%s does not tell it:\n%.3000s", name, told)
				}
			}
			var why bytes.Buffer
			if err := r.WriteWhy(&why, report.WhyOptions{TextOptions: report.TextOptions{Printer: wide80(&why)}}); err != nil {
				t.Fatal(err)
			}
			var along []string
			for line := range strings.Lines(why.String()) {
				if strings.HasPrefix(strings.TrimSpace(line), "along") {
					along = append(along, line)
				}
			}
			if len(along) < 2 || len(along) > 3 || !strings.Contains(along[0]+along[1], c.want) {
				t.Errorf("why:\n%s", why.String())
			}
			var out struct {
				Texts    string
				Verdicts []struct {
					Along []struct {
						Time time.Time
						Said string
						Text string
						New  bool
					}
				}
			}
			if err := json.Unmarshal([]byte(form(t, r, "json")), &out); err != nil {
				t.Fatal(err)
			}
			told := out.Verdicts[0].Along
			if len(told) == 0 || len(told) > 12 || !strings.Contains(told[0].Said+told[min(1, len(told)-1)].Said, c.want) || !told[0].New && !told[1].New || out.Texts == "" {
				t.Errorf("JSON %+v", told)
			}
			if n := strings.Count(form(t, r, "json"), secret); n != 1*2 { // the text, and what is said, folded
				t.Errorf("what nginx says stands there %d times", n)
			}
		})
	}
}

// What hosts write down that is well is nothing; what kills, resets or ends is a warning by itself.
func TestEventsAlone(t *testing.T) {
	calm := recording(t, "night.csv", 1920,
		column{`\\sql01\Processor Information(_Total)\% Processor Time`, noise(20, 0.4, 1)}, column{`\\sql01\Memory\Available MBytes`, noise(9000, 0.02, 3)},
		column{`\\web02\Memory\Available MBytes`, noise(4000, 0.02, 8)})
	if r := reported(t, report.Options{}, packRules(t), withEvents(t, calm, ordinary()...)); len(r.Verdicts) > 0 || !strings.HasPrefix(r.Headline(), "Nothing was wrong") {
		t.Errorf("%s: %+v", r.Headline(), r.Verdicts)
	}
	killed := session.HostEvent{Level: session.EventCritical, Host: "web02", Log: "kernel", Known: "memory-killer", Names: []string{"java"}, Text: "Killed process 77"}
	events := append(ordinary(), at(300, killed), at(305, killed), at(10_000, killed), at(7, session.HostEvent{Host: "other", Known: "disk-reset"}))
	r := reported(t, report.Options{}, packRules(t), withEvents(t, calm, events...))
	if len(r.Verdicts) != 1 {
		t.Fatalf("%s: %+v", r.Headline(), r.Verdicts)
	}
	v := r.Verdicts[0]
	if v.Severity != alert.Warning || v.Host != "web02" || v.Spells != 2 || v.Number != 1 || v.Begin != at(300, killed).Time || !strings.Contains(v.Sentence, "java was killed") {
		t.Errorf("%+v", v)
	}
	for _, name := range []string{"html", "md", "text", "json"} {
		if told := form(t, r, name); !strings.Contains(told, "java was killed") || !strings.Contains(told, "Killed process 77") {
			t.Errorf("%s:\n%.2000s", name, told)
		}
	}
	var why bytes.Buffer
	if err := r.WriteWhy(&why, report.WhyOptions{TextOptions: report.TextOptions{Printer: wide80(&why)}}); err != nil || !strings.Contains(why.String(), "java was killed") {
		t.Errorf("%v:\n%s", err, why.String())
	}
	if meant := reported(t, report.Options{Meant: func(host string) bool { return host == "sql01" }}, packRules(t), withEvents(t, calm, events...)); len(meant.Verdicts) > 0 {
		t.Errorf("of a host that is not meant: %+v", meant.Verdicts)
	}
}

// A finding that is an event stands among the others by its severity, and counters lead to theirs.
func TestEventsAmongOthers(t *testing.T) {
	reset := session.HostEvent{Host: "web02", Log: "System", Source: "storahci", ID: "129", Known: "disk-reset", Names: []string{"1"}}
	r := reported(t, report.Options{}, packRules(t), withEvents(t, night(t), at(100, reset)))
	if len(r.Verdicts) != 2 || r.Verdicts[0].Severity != alert.Critical || r.Verdicts[1].Host != "web02" || r.Verdicts[1].Number != 2 {
		t.Fatalf("%+v", r.Verdicts)
	}
	for _, h := range r.Hosts {
		for _, c := range h.Counters {
			if len(c.Verdicts) > 0 && (!slices.Equal(c.Verdicts, []int{1}) || c.Instance != "1 D:") {
				t.Errorf("%s leads to %v", c.Path, c.Verdicts)
			}
		}
	}
}
