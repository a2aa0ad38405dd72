package exporter_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/give/exporter"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/system/guard"
	"perfdeck/session/text/printable"
)

// script is a host with a count that goes up by 1000 each second, a number, and text.
func script(faults ...fake.Fault) fake.Script {
	return fake.Script{Name: "sql01", Faults: faults, Sets: []fake.Set{
		{Name: "Memory", Counters: []fake.Counter{
			{Name: "Available Bytes", Type: cooker.CounterLargeRawCount, Is: fake.Const(4096)},
			{Name: "Pages/sec", Type: cooker.CounterCounter, Is: fake.Const(1000)},
		}},
		{Name: "Jobs", Instances: session.MultipleInstances, Rows: []fake.Row{{Name: "a\"b\n"}, {Name: "\x1b[2J"}}, Counters: []fake.Counter{
			{Name: "% Busy", Type: cooker.Timer100ns, Is: fake.Const(25)},
			{Name: "State", Type: cooker.CounterText, Text: func(*session.Instance, time.Duration) string { return "fine" }},
		}},
	}}
}

// rig is an exporter of scripted hosts, in a bubble.
type rig struct {
	t *testing.T
	*exporter.Exporter
}

// frugal is a host whose services cost it much.
type frugal struct {
	session.Source

	t *testing.T
}

func (s frugal) Open(ctx context.Context) (session.Query, error) {
	q, err := s.Source.Open(ctx)
	return frugalQuery{q, s.t}, err
}

type frugalQuery struct {
	session.Query

	t *testing.T
}

func (q frugalQuery) Select(ctx context.Context, wants []session.Want) error {
	for _, w := range wants {
		if w.Seldom != (w.Set.Name == "Service") {
			q.t.Errorf("%s is wanted seldom: %v", w.Set.Name, w.Seldom)
		}
	}
	return q.Query.Select(ctx, wants)
}

// exporting runs a test with an exporter of hosts, on a time of its own.
func exporting(t *testing.T, o exporter.Options, hosts []fake.Script, f func(r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		clock := session.NewSystemClock()
		guarded := guard.New(func(e *guard.PanicError) { panic(e) })
		sources := map[string]session.Source{}
		for _, h := range hosts {
			sources[h.Name] = frugal{fake.New(h, clock), t}
			o.Metrics = append(o.Metrics, h.Name)
			o.Targets = append(o.Targets, exporter.Target{Name: h.Name, Groups: []string{"fra", "all"}})
		}
		o.Clock, o.Version = clock, "test"
		if o.MaxScrapes == 0 {
			o.MaxScrapes = 8
		}
		o.Open = func(ctx context.Context, name string) (*session.Sampler, error) {
			s := session.NewSampler(name, sources[name], clock)
			guarded.Go(func() { s.Run(ctx) })
			return s, nil
		}
		f(&rig{t, exporter.New(ctx, o)})
		cancel()
		synctest.Wait()
	})
}

// get asks, with so many seconds of time.
func (r *rig) get(path string, seconds float64) (code int, body string) {
	req := httptest.NewRequest(http.MethodGet, path, nil)
	req.Header.Set("X-Prometheus-Scrape-Timeout-Seconds", strconv.FormatFloat(seconds, 'g', -1, 64))
	w := httptest.NewRecorder()
	r.ServeHTTP(w, req)
	return w.Code, w.Body.String()
}

// has wants lines in an answer.
func (r *rig) has(body string, lines ...string) {
	r.t.Helper()
	for _, line := range lines {
		if !strings.Contains("\n"+body, "\n"+line+"\n") {
			r.t.Errorf("no %q in\n%s", line, body)
		}
	}
}

// pages is the rate in an answer.
func (r *rig) pages(body string) float64 {
	r.t.Helper()
	for line := range strings.Lines(body) {
		if text, ok := strings.CutPrefix(strings.TrimSpace(line), `perfdeck_memory_pages_per_second{host="sql01"} `); ok {
			rate, err := strconv.ParseFloat(text, 64)
			if err != nil {
				r.t.Error(err)
			}
			return rate
		}
	}
	r.t.Errorf("no rate in\n%s", body)
	return 0
}

// The first answer has gauges and rates at once. Rates are over intervals of their own, one
// after the other, for whoever asks and whenever: what happens is in one of them, and in each
// answer of it.
func TestRatesAreOverAnInterval(t *testing.T) {
	const every = 15
	moves := script()
	moves.Sets[0].Counters[0].Is = fake.Ramp(0, 1)
	moves.Sets[0].Counters[1].Is = fake.Ramp(1000, 10)
	exporting(t, exporter.Options{Asked: exporter.Asked{Sets: []string{"Memory"}}}, []fake.Script{moves}, func(r *rig) {
		began := time.Now()
		_, body := r.get("/metrics", 10)
		if rate := r.pages(body); rate < 990 || rate > 1010 {
			t.Errorf("%v a second at first", rate)
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("the first answer took %s", took)
		}
		time.Sleep(2 * every * time.Second)
		var rates []float64
		runs := map[float64]int{}
		for second := range 6 * every {
			if second%7 == 0 { // somebody else, and somebody who wants it raw
				r.get("/probe?target=sql01&counterset=Memory&raw=1", 10)
				_, body = r.get("/metrics?raw=1", 10)
				if strings.Contains(body, "perfdeck_memory_pages_per_second{") {
					t.Errorf("not raw:\n%s", body)
				}
			}
			_, body = r.get("/metrics", 10)
			r.has(body, `windows_memory_available_bytes{host="sql01"} `+strconv.Itoa(int(time.Since(began).Seconds()))) // of now
			rate := r.pages(body)
			if runs[rate]++; runs[rate] == 1 {
				rates = append(rates, rate)
			}
			time.Sleep(time.Second)
		}
		rates = rates[1:] // it was read less often then, and a script moves by that
		for i, rate := range rates[1:] {
			if grew := rate - rates[i]; i+2 < len(rates) && runs[rate] != every || grew < 10*every-1 || grew > 10*every+1 {
				t.Errorf("%v for %d s, then %v for %d", rates[i], runs[rates[i]], rate, runs[rate])
			}
		}
	})
}

// Raw values are counters with the clocks that they go by; hostile names stay in their
// line.
func TestRawAndHostile(t *testing.T) {
	exporting(t, exporter.Options{}, []fake.Script{script()}, func(r *rig) {
		code, body := r.get("/probe?target=SQL01&counterset=Jobs&raw=1", 10)
		if code != http.StatusOK || printable.Text(strings.ReplaceAll(body, "\n", "")) != strings.ReplaceAll(body, "\n", "") {
			t.Errorf("%d %q", code, body)
		}
		r.has(body, "# TYPE perfdeck_jobs_busy_seconds_total counter", `perfdeck_jobs_state_info{host="sql01",name="a\"b\n",text="fine"} 1`)
		if !strings.Contains(body, `name="\\u001b[2J"`) || !strings.Contains(body, `perfdeck_clock_ticks_total{host="sql01",counterset="Jobs",clock="system"} `) {
			t.Error(body)
		}
		_, body = r.get("/probe?target=sql01&path="+url.QueryEscape(`\Jobs(a*)\% Busy`), 10)
		if r.has(body, `perfdeck_jobs_busy_ratio{host="sql01",name="a\"b\n"} 0.25`); strings.Count(body, "perfdeck_jobs_") != 2 {
			t.Errorf("more than was asked for:\n%s", body)
		}
	})
}

// Services are counted by their states; one of them has a series where a path names it.
func TestServicesAreCounted(t *testing.T) {
	host := fake.Script{Name: "web01", Sets: []fake.Set{{
		Name: "Service", Instances: session.MultipleInstances, Rows: []fake.Row{{Name: "nginx"}, {Name: "cron"}, {Name: "_Total", Flags: session.FlagTotal}},
		Counters: []fake.Counter{{Name: "Running", Type: cooker.CounterRawCount, Is: fake.Const(1)}},
	}}}
	exporting(t, exporter.Options{}, []fake.Script{host}, func(r *rig) {
		_, body := r.get("/probe?target=web01&counterset=Service", 10)
		if r.has(body, `perfdeck_service_running{host="web01",name="_Total"} 2`); strings.Contains(body, "nginx") {
			t.Errorf("one by name:\n%s", body)
		}
		_, body = r.get("/probe?target=web01&path="+url.QueryEscape(`\Service(nginx)\Running`), 10)
		if r.has(body, `perfdeck_service_running{host="web01",name="nginx"} 1`); strings.Contains(body, "cron") {
			t.Errorf("more than was asked for:\n%s", body)
		}
	})
}

// What the config has beside what is asked for is given by /metrics, where the host has it, and to nobody who
// names the host.
func TestBesideWhatIsAsked(t *testing.T) {
	set := func(name string) fake.Set {
		return fake.Set{Name: name, Counters: []fake.Counter{{Name: "Load", Type: cooker.CounterRawCount, Is: fake.Const(3)}}}
	}
	web, sql := fake.Script{Name: "web01", Sets: []fake.Set{set("Memory"), set("Service")}}, fake.Script{Name: "sql01", Sets: []fake.Set{set("Memory")}}
	also := map[string][]string{"web01": {`\Service\Load`}, "sql01": {`\Service\Load`}}
	exporting(t, exporter.Options{Also: also}, []fake.Script{web, sql}, func(r *rig) {
		_, body := r.get("/metrics", 10)
		r.has(body, `perfdeck_service_load{host="web01"} 3`, `perfdeck_memory_load{host="sql01"} 3`, `perfdeck_host_missing_paths{host="sql01"} 0`)
		if _, body = r.get("/probe?target=web01", 10); strings.Contains(body, "service_load") {
			t.Errorf("to who did not ask:\n%s", body)
		}
	})
}

// A frozen host costs the time of one scrape, which says so within it, and then none; the
// others have theirs.
func TestFrozenHost(t *testing.T) {
	frozen := script(fake.Fault{Window: fake.Window{From: 10 * time.Second}, Hang: true})
	other := script()
	other.Name = "web01"
	exporting(t, exporter.Options{Asked: exporter.Asked{Sets: []string{"Memory"}}}, []fake.Script{frozen, other}, func(r *rig) {
		_, body := r.get("/metrics", 10)
		r.has(body, `perfdeck_host_up{host="sql01"} 1`, `perfdeck_host_up{host="web01"} 1`)
		time.Sleep(15 * time.Second)
		for i, most := range []time.Duration{2 * time.Second, 2 * time.Second, 0} {
			began := time.Now()
			code, body := r.get("/metrics", 2)
			if took := time.Since(began); took > most || code != http.StatusOK {
				t.Errorf("answer %d: %d after %s", i, code, took)
			}
			r.has(body, `perfdeck_host_up{host="sql01"} 0`, `perfdeck_host_down_info{host="sql01",reason="no answer"} 1`, `windows_memory_available_bytes{host="web01"} 4096`)
			if strings.Contains(body, `_bytes{host="sql01"}`) || !strings.Contains(body, "# perfdeck: sql01: ") {
				t.Errorf("values of a frozen host, or no word about it:\n%s", body)
			}
			time.Sleep(3 * time.Second)
		}
	})
}

var errCable = errors.New("the cable is out\nof the wall")

// The values of a lost host vanish, with a word why, and come again with it.
func TestLostHost(t *testing.T) {
	window := fake.Window{From: 10 * time.Second, To: 70 * time.Second}
	lost := script(fake.Fault{Window: window, Err: errCable})
	denied := script(fake.Fault{Window: window, Err: fmt.Errorf("log on: %w", session.ErrDenied)})
	denied.Name = "web01"
	exporting(t, exporter.Options{Asked: exporter.Asked{Sets: []string{"Memory"}}}, []fake.Script{lost, denied}, func(r *rig) {
		r.get("/metrics", 10)
		time.Sleep(15 * time.Second)
		for range 3 {
			_, body := r.get("/metrics", 10)
			r.has(body, `perfdeck_host_up{host="sql01"} 0`, `perfdeck_host_down_info{host="sql01",reason="failed"} 1`, `perfdeck_host_down_info{host="web01",reason="denied"} 1`, "# perfdeck: the cable is out of the wall")
			if strings.Contains(body, "windows_memory") {
				t.Errorf("values of lost hosts:\n%s", body)
			}
			time.Sleep(15 * time.Second)
		}
		time.Sleep(2 * time.Minute)
		r.get("/metrics", 10)
		time.Sleep(15 * time.Second)
		_, body := r.get("/metrics", 10)
		r.has(body, `perfdeck_host_up{host="sql01"} 1`, `perfdeck_memory_pages_per_second{host="sql01"} 1000`,
			`perfdeck_exporter_hosts{} 2`, `perfdeck_exporter_hosts_up{} 1`, `perfdeck_exporter_errors_total{reason="denied"} 5`,
			`perfdeck_exporter_errors_total{reason="failed"} 3`, `perfdeck_exporter_errors_total{reason="no answer"} 0`)
		if strings.Contains(body, "perfdeck_exporter_samples_total{} 0\n") {
			t.Error("values of no number")
		}
	})
}

// What an address asks for that it may not have, or that is nothing, is refused with what
// to do.
func TestRefusals(t *testing.T) {
	o := exporter.Options{Unauthenticated: func() bool { return true }, Exposed: []string{"memory"}, Pack: func(name string) ([]string, error) {
		if name != "memory" {
			return nil, errors.New("no such pack")
		}
		return []string{`\Memory\Available Bytes`}, nil
	}}
	exporting(t, o, []fake.Script{script()}, func(r *rig) {
		for path, want := range map[string]int{
			"/probe": 400, "/probe?target=": 400, "/probe?target=sql01&target=sql01": 400, "/probe?target=sql02": 403, "/probe?target=127.0.0.1": 403,
			"/probe?target=sql01": 403, "/probe?target=sql01&counterset=Jobs": 403, "/probe?target=sql01&counterset=Memory": 200,
			"/probe?target=sql01&counterset=Memory&counterset=Jobs": 403, "/probe?target=sql01&pack=memory": 200, "/probe?target=sql01&pack=disk": 400,
			"/probe?target=sql01&path=" + url.QueryEscape(`\Jobs(*)\% Busy`): 403, "/probe?target=sql01&path=" + url.QueryEscape(`\*(*)\*`): 403,
			"/probe?target=sql01&path=" + url.QueryEscape(`\Memory\Nothing`): 404, "/probe?target=sql01&path=" + url.QueryEscape(`\Memory\*`): 200,
			"/probe?target=sql01&path=nonsense": 400, "/probe?target=sql01&path=" + url.QueryEscape(`\\web01\Memory\*`): 400,
			"/probe?target=sql01&raw=2&counterset=Memory": 400, "/probe?target=sql01&module=x": 400, "/probe?%zz": 400,
			"/probe?target=sql01" + strings.Repeat("&counterset=Memory", 300): 400, "/probe?target=" + strings.Repeat("x", 9000): 414,
			"/metrics": 200, "/sd": 200, "/": 200, "/-/healthy": 200, "/other": 404,
		} {
			if code, body := r.get(path, 10); code != want || printable.Text(strings.ReplaceAll(body, "\n", " ")) != strings.ReplaceAll(body, "\n", " ") {
				t.Errorf("%.80s: %d, want %d: %s", path, code, want, body)
			}
		}
		_, body := r.get("/sd", 10)
		for _, want := range []string{`"sql01"`, `"__meta_perfdeck_groups": ",fra,all,"`, `"group": "fra"`} {
			if !strings.Contains(body, want) {
				t.Errorf("no %s in %s", want, body)
			}
		}
	})
}

// More scrapes at a time than are allowed are sent away at once.
func TestManyScrapes(t *testing.T) {
	slow := script(fake.Fault{Window: fake.Window{}, Hang: true})
	exporting(t, exporter.Options{MaxScrapes: 2}, []fake.Script{slow}, func(r *rig) {
		codes := make(chan int, 5)
		var waits []func()
		for range cap(codes) {
			waits = append(waits, guard.Beside(func() {
				code, _ := r.get("/probe?target=sql01&counterset=Memory", 5)
				codes <- code
			}))
		}
		count := map[int]int{}
		for range cap(codes) {
			count[<-codes]++
		}
		for _, wait := range waits {
			wait()
		}
		if count[http.StatusOK] != 2 || count[http.StatusServiceUnavailable] != 3 {
			t.Error(count)
		}
	})
}

// What nobody asks for any more is let go of, and read anew when it is asked for again.
func TestLetsGo(t *testing.T) {
	exporting(t, exporter.Options{}, []fake.Script{script()}, func(r *rig) {
		for i := range 100 { // more than are kept
			if code, body := r.get("/probe?target=sql01&counterset=Memory&path="+url.QueryEscape(`\Jobs(`+strconv.Itoa(i)+`*)\% Busy`), 10); code != http.StatusOK {
				t.Fatalf("%d %s", code, body)
			}
		}
		time.Sleep(2 * time.Hour)
		r.get("/metrics", 10)
		_, body := r.get("/probe?target=sql01&counterset=Memory", 10)
		r.has(body, `perfdeck_memory_pages_per_second{host="sql01"} 1000`)
	})
}

// FuzzProbe asks for anything: it is answered.
func FuzzProbe(f *testing.F) {
	f.Add("target=sql01&counterset=Memory&raw=1")
	f.Add(`target=sql01&path=\Jobs(*)\%25 Busy&pack=x`)
	f.Fuzz(func(t *testing.T, query string) {
		exporting(t, exporter.Options{Pack: func(string) ([]string, error) { return nil, errors.New("none") }}, []fake.Script{script()}, func(r *rig) {
			req := httptest.NewRequest(http.MethodGet, "/probe", nil)
			req.URL.RawQuery = query
			w := httptest.NewRecorder()
			r.ServeHTTP(w, req)
			if w.Code == 0 || w.Body.Len() == 0 {
				t.Errorf("%q: %d", query, w.Code)
			}
		})
	})
}
