package reporting

import (
	"context"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/analysis/history"
	"perfdeck/session/analysis/report"
	"perfdeck/session/clocktest"
	"perfdeck/session/config/rulepack"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/system/guard"
)

// What screens keep is told of as a recording is: what goes on at its end, since when, by whom with
// his ID, those that ended, too; what lies before the span that is asked about is left out.
func TestKept(t *testing.T) { synctest.Test(t, testKept) }

func testKept(t *testing.T) {
	const busyFrom, end = 90, 150 // seconds
	late := fake.Window{From: busyFrom * time.Second, To: time.Hour}
	percent := func(name string, is fake.Motion) fake.Counter {
		return fake.Counter{Name: name, Type: cooker.CounterRawCount, Is: is}
	}
	script := fake.Script{Name: "db", Sets: []fake.Set{
		{Name: "Processor Information", Instances: session.MultipleInstances, Rows: []fake.Row{{Name: "0,0"}, {Name: "_Total"}},
			Counters: []fake.Counter{percent("% Processor Time", fake.Burst(fake.Const(5), fake.Const(99), late))}},
		{Name: "Process", Instances: session.MultipleInstances, Rows: []fake.Row{{Name: "calm", Is: map[string]fake.Motion{"% Processor Time": fake.Const(3)}}, {Name: "hog", Alive: fake.Window{From: busyFrom * time.Second, To: (end - 5) * time.Second}}},
			Counters: []fake.Counter{percent("% Processor Time", fake.Burst(fake.Const(3), fake.Const(90), late)), {Name: "ID Process", Type: cooker.CounterRawCount, Is: fake.Const(77)}}},
	}}
	clock := clocktest.New(begin, synctest.Wait)
	s := session.NewSampler("db", fake.New(script, clock), clock)
	ctx, cancel := context.WithCancel(t.Context())
	defer func() { cancel(); synctest.Wait() }()
	go s.Run(ctx)
	clock.Advance(0)
	feed := s.Feed(session.FeedOptions{Every: time.Second, History: 10 * time.Minute})
	defer feed.Close()
	var asks []session.Ask
	for _, set := range s.Catalogue().Sets {
		asks = append(asks, session.Ask{Set: set, Counters: []int{0}, Keep: []session.Keep{{Counters: []int{0}, Match: func(*session.Instance) bool { return true }}}})
	}
	feed.Ask(asks)
	var snap *session.Snapshot
	for range end {
		clock.Advance(time.Second)
		if got := feed.Take(); got != nil {
			snap = got
		}
	}
	rules, err := rulepack.Rules("processor")
	if err != nil {
		t.Fatal(err)
	}
	made := func(from, to int) *report.Report {
		at := func(seconds int) time.Time { return begin.Add(time.Duration(seconds) * time.Second) }
		k := NewLive([]history.Host{{Name: "db", Snap: snap}, {Name: "absent"}})
		r, err := k.Report(t.Context(), report.Options{Name: "-", End: at(to), Of: at(from), Meant: func(string) bool { return true }},
			report.Judging{Rules: rules, Guard: guard.New(func(e *guard.PanicError) { panic(e) })})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := made(end-40, end)
	if len(r.Verdicts) != 1 || r.Verdicts[0].Host != "db" || !r.Verdicts[0].IsOpen || r.Verdicts[0].Severity != alert.Careful {
		t.Fatalf("verdicts %+v", r.Verdicts)
	}
	v := r.Verdicts[0]
	if since := v.Begin.Sub(begin).Seconds(); math.Abs(since-busyFrom) > 3 {
		t.Errorf("since second %v", since)
	}
	if len(v.Paths) == 0 || !strings.Contains(strings.Join(v.Paths, " "), `Processor Information(_Total)\% Processor Time`) {
		t.Errorf("it is about %q", v.Paths)
	}
	if len(v.Culprits) == 0 || v.Culprits[0].Name != "hog" || v.Culprits[0].Share < 0.8 {
		t.Errorf("by %+v", v.Culprits)
	}
	lines := r.WhyLines(v, "")
	if len(lines) < 3 || lines[0][0] != "" || !strings.Contains(lines[0][1], "busy") || lines[2][0] != "who" {
		t.Errorf("told as %q", lines)
	}
	if rest := r.WhyRest(report.WhyOptions{}); len(rest) == 0 || rest[0][0] != "processor" || !strings.HasPrefix(rest[0][1], "hog") || !strings.Contains(rest[0][1], "CPU-seconds") {
		t.Errorf("who used what: %q", rest)
	}
	if r := made(40, 80); len(r.Verdicts) > 0 {
		t.Errorf("before it: %+v", r.Verdicts)
	}
}
