package exporter_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/give/exporter"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/system/guard"
)

// findings are the kinds of what promtool's linter may say of us, and why.
var findings = []struct {
	kind   *regexp.Regexp
	reason string
}{
	{regexp.MustCompile(`use base unit "\w+" instead of "\w+"`), "a counter that is named for a unit, as Queue Minutes x100"},
	{regexp.MustCompile(`non-counter metrics should not have "_total" suffix`), "a counter whose name ends in Total and that goes up and down"},
	{regexp.MustCompile(`non-histogram and non-summary metrics should not have "_(count|sum)" suffix`), "a counter whose name ends so, as Thread Count"},
	{regexp.MustCompile(`non-histogram metrics should not have "_bucket" suffix`), "a counter whose name ends so"},
	{regexp.MustCompile(`metric name should not include type '(counter|gauge|histogram)'`), "a counter that is named so"},
	{regexp.MustCompile(`metric names should not contain abbreviated units`), "a counter that no table knows, whose name has its unit"},
	{regexp.MustCompile(`no help text`), "a counter that its host tells nothing about"},
}

// loads is what it is not to say of load averages, which every Linux host has.
var loads = regexp.MustCompile(`_system_load\w+ use base unit`)

// The real promtool parses what all hosts of the demo give, cooked and raw, and finds
// nothing wrong but of the kinds above.
func TestPromtool(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is not installed (Debian's package prometheus): NOT compared with the real one")
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	clock := session.NewSystemClock()
	guarded := guard.New(func(e *guard.PanicError) { panic(e) })
	o := exporter.Options{Clock: clock, Version: "te\"st", MaxScrapes: 8}
	sources := map[string]session.Source{}
	for _, h := range fake.Demo(clock) {
		sources[h.Name] = h.Source
		o.Metrics = append(o.Metrics, h.Name)
		for _, set := range h.Source.(*fake.Source).Offer().Sets {
			o.Asked.Sets = append(o.Asked.Sets, set.Name)
		}
	}
	hostile := script()
	hostile.Name = "h\"o\\s\nt"
	load := fake.Set{Name: "System"}
	for _, minutes := range []string{"1", "5", "15"} {
		load.Counters = append(load.Counters, fake.Counter{Name: "Load Average " + minutes + " Minutes x100", Type: cooker.CounterRawCount, Is: fake.Const(3)})
	}
	odd := fake.Set{Name: "Odd"} // counters that are named for what the linter looks for
	for _, name := range []string{"Queue Minutes x100", "Wait Time ms", "Requests Total", "Thread Count", "Gauge Reading", "Sum", "Wait Histogram Bucket"} {
		odd.Counters = append(odd.Counters, fake.Counter{Name: name, Type: cooker.CounterLargeRawCount, Is: fake.Const(3)})
	}
	hostile.Sets = append(hostile.Sets, odd, load)
	o.Asked.Sets = append(o.Asked.Sets, "Odd", "Jobs", "System")
	sources[hostile.Name] = fake.New(hostile, clock)
	o.Metrics = append(o.Metrics, hostile.Name)
	o.Open = func(ctx context.Context, name string) (*session.Sampler, error) {
		s := session.NewSampler(name, sources[name], clock)
		guarded.Go(func() { s.Run(ctx) })
		return s, nil
	}
	e := exporter.New(ctx, o)
	seen := map[int]bool{}
	for _, path := range []string{"/metrics", "/metrics?raw=1"} {
		w := httptest.NewRecorder()
		e.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		if w.Code != http.StatusOK || strings.Count(w.Body.String(), "\n") < 500 || strings.Contains(w.Body.String(), "instance=") {
			t.Fatalf("%s: %d, %d lines", path, w.Code, strings.Count(w.Body.String(), "\n"))
		}
		cmd := exec.CommandContext(t.Context(), promtool, "check", "metrics")
		cmd.Stdin = w.Body
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() == 1 { // 3: findings
			t.Fatalf("%s: promtool refuses it: %v\n%s", path, err, out)
		}
		if loads.Match(out) {
			t.Errorf("%s: %s", path, out)
		}
	lines:
		for line := range strings.Lines(string(out)) {
			for i, f := range findings {
				if f.kind.MatchString(line) {
					seen[i] = true
					continue lines
				}
			}
			if strings.TrimSpace(line) != "" {
				t.Errorf("%s: promtool says %s", path, line)
			}
		}
	}
	for i, f := range findings {
		if !seen[i] {
			t.Logf("this promtool does not say %s: %s", f.kind, f.reason)
		}
	}
}

// BenchmarkScrape answers a scrape of 20,000 values that were read anew.
func BenchmarkScrape(b *testing.B) {
	set := fake.Set{Name: "Process", Instances: session.MultipleInstances}
	for i := range 100 {
		set.Counters = append(set.Counters, fake.Counter{Name: "Counter " + string(rune('a'+i%26)) + strings.Repeat("x", i/26) + "/sec", Type: cooker.CounterBulkCount, Is: fake.Const(float64(i) * 1.37)})
		if i < 100 {
			set.Rows = append(set.Rows, fake.Row{Name: "process " + strings.Repeat("p", i%7), Number: uint64(i + 4)}, fake.Row{Name: "other \"one\"", Number: uint64(i + 1004)})
		}
	}
	clock := session.NewSystemClock()
	source := fake.New(fake.Script{Name: "sql01", Sets: []fake.Set{set}}, clock)
	guarded := guard.New(func(e *guard.PanicError) { panic(e) })
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	o := exporter.Options{Clock: skipping{clock, new(atomic.Int64)}, Metrics: []string{"sql01"}, Asked: exporter.Asked{Sets: []string{"Process"}}, MaxScrapes: 8}
	o.Open = func(ctx context.Context, name string) (*session.Sampler, error) {
		s := session.NewSampler(name, source, clock)
		guarded.Go(func() { s.Run(ctx) })
		return s, nil
	}
	e := exporter.New(ctx, o)
	for _, path := range []string{"/metrics", "/metrics?raw=1"} {
		b.Run(strings.TrimPrefix(path, "/"), func(b *testing.B) {
			var w *httptest.ResponseRecorder
			scrape := func() {
				w = httptest.NewRecorder()
				e.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
			}
			scrape()
			b.ResetTimer()
			for range b.N {
				scrape()
			}
			b.StopTimer()
			if n := strings.Count(w.Body.String(), `process="`); n < 20_000 {
				b.Fatalf("%d values", n)
			}
			if file := os.Getenv("PERFDECK_TEST_KEEP"); file != "" {
				_ = os.WriteFile(file, w.Body.Bytes(), 0o600)
			}
		})
	}
}

// skipping is a clock on which each look is seconds after the one before, so that every
// scrape reads anew.
type skipping struct {
	session.Clock

	looks *atomic.Int64
}

func (s skipping) Now() session.Instant {
	now := s.Clock.Now()
	now.Mono += time.Duration(s.looks.Add(1)) * 2 * time.Second
	return now
}
