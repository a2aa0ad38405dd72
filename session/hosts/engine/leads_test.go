package engine

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/engine/enginetest"
	"perfdeck/session/engine/link"
	"perfdeck/session/engine/query"
)

// asking is a way to an engine that notes what is asked there.
type asking struct {
	mu      sync.Mutex
	queries []string
	at      string
	warns   string // of what queries with this the engine warns
	sent    []sent // queries for series
}

// sent is a query as it was sent.
type sent struct {
	path string
	form url.Values
}

func (a *asking) before(t testing.TB, live *enginetest.Engine) string {
	t.Helper()
	to, err := url.Parse("http://" + live.At)
	if err != nil {
		t.Fatal(err)
	}
	way := httputil.NewSingleHostReverseProxy(to)
	way.ModifyResponse = func(reply *http.Response) error {
		asked := reply.Request.URL.Query().Get("query")
		if a.warns == "" || !strings.Contains(asked, a.warns) {
			return nil
		}
		text, err := io.ReadAll(reply.Body)
		text = bytes.Replace(text, []byte(`{`), []byte(`{"warnings":["a store is away"],`), 1)
		reply.Body, reply.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
		reply.Header.Set("Content-Length", fmt.Sprint(len(text)))
		return err
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		text := r.Form.Get("query")
		r.Method, r.Body, r.ContentLength, r.URL.RawQuery = http.MethodGet, http.NoBody, 0, r.Form.Encode()
		r.Header.Set("Accept-Encoding", "identity") // a warning may be put in
		a.mu.Lock()
		a.queries = append(a.queries, r.URL.Path+" "+text)
		if text != "" {
			a.sent = append(a.sent, sent{r.URL.Path, r.Form})
		}
		a.mu.Unlock()
		way.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	a.at = s.URL
	return s.URL
}

// again asks the same once more, one query after the other, as who reads the answers and does
// nothing with them: how long that takes is the engine's own time.
func (a *asking) again(t testing.TB) time.Duration {
	t.Helper()
	a.mu.Lock()
	all := a.sent
	a.sent = nil
	a.mu.Unlock()
	began := time.Now()
	for _, one := range all {
		reply, err := http.PostForm(a.at+one.path, one.form)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, reply.Body); err != nil || reply.StatusCode != http.StatusOK {
			t.Fatal(reply.Status, err)
		}
		_ = reply.Body.Close()
	}
	took := time.Since(began)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sent, a.queries = nil, nil
	return took
}

func (a *asking) since() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	out := a.queries
	a.queries = nil
	return out
}

// plantProcesses plants a host of windows_exporter with processes, of which the later ones are
// busier: process n takes n ms in a second.
func plantProcesses(t testing.TB, live *enginetest.Engine, n int, newest time.Time, apart time.Duration) {
	const each = 5 // samples
	var series []enginetest.Sample
	add := func(value func(second float64) float64, labels ...string) {
		s := enginetest.Sample{Labels: map[string]string{"__name__": labels[0], "instance": "big:9182", "job": "windows"}}
		for i := 1; i < len(labels); i += 2 {
			s.Labels[labels[i]] = labels[i+1]
		}
		for i := range each {
			at := newest.Add(-time.Duration(each-1-i) * apart)
			s.Points = append(s.Points, enginetest.Point{Millis: at.UnixMilli(), Value: value(apart.Seconds() * float64(i))})
		}
		series = append(series, s)
	}
	constant := func(v float64) func(float64) float64 { return func(float64) float64 { return v } }
	add(constant(1), "windows_exporter_build_info")
	add(constant(1), "up")
	for p := range n {
		name, id := fmt.Sprintf("proc%d", p), fmt.Sprint(1000+p)
		share := float64(p) / 1000
		add(func(s float64) float64 { return share * s / 2 }, "windows_process_cpu_time_total", "process", name, "process_id", id, "creating_process_id", "4", "mode", "user")
		add(func(s float64) float64 { return share * s / 2 }, "windows_process_cpu_time_total", "process", name, "process_id", id, "creating_process_id", "4", "mode", "privileged")
		add(constant(float64(p%7+1)), "windows_process_threads", "process", name, "process_id", id, "creating_process_id", "4")
		add(constant(float64(p)*4096), "windows_process_private_bytes", "process", name, "process_id", id, "creating_process_id", "4")
		add(constant(float64(p%50)), "windows_process_handles", "process", name, "process_id", id, "creating_process_id", "4")
	}
	add(func(s float64) float64 { return s }, "windows_process_cpu_time_total", "process", "Idle", "process_id", "0", "creating_process_id", "0", "mode", "privileged")
	const most = 4000 // series of a request
	for part := range slices.Chunk(series, most) {
		plantSamples(t, live, part)
	}
}

// valueIn is what a counter of an instance was worth between two samples of a batch.
func valueIn(b *session.SetBatch, instance string, counter int) float64 {
	row := func(b *session.SetBatch) *cooker.Reading {
		i := slices.IndexFunc(b.Instances, func(in session.Instance) bool { return in.Key.Name == instance })
		return &b.Row(i)[slices.Index(b.Counters, counter)]
	}
	v, _ := cooker.Cook(b.Set.Counters[counter].Type, row(b.Before), row(b), &b.Before.Clocks, &b.Clocks, nil).Float()
	return v
}

// Of very many processes an engine is asked which lead, and for those alone; of few it is
// asked for all.
func TestLeadsOfRealEngines(t *testing.T) {
	for _, kind := range enginetest.Both() {
		for _, c := range []struct {
			processes int
			beside    bool // another exporter of the host is there, too
		}{{300, false}, {300, true}, {8, false}} {
			processes, many := c.processes, c.processes > 10
			t.Run(fmt.Sprint(kind.Name, c), func(t *testing.T) {
				t.Parallel()
				live := enginetest.Start(t, kind, "")
				if c.beside {
					now := []enginetest.Point{{Millis: time.Now().UnixMilli(), Value: 1}}
					plantSamples(t, live, []enginetest.Sample{
						{Labels: map[string]string{"__name__": "up", "instance": "big:9419"}, Points: now},
						{Labels: map[string]string{"__name__": "app_depth", "instance": "big:9419", "queue": "q"}, Points: now},
					})
				}
				plantProcesses(t, live, processes, time.Now().Add(-time.Second), 5*time.Second)
				counted := &asking{warns: "topk("}
				e, err := query.New(link.Engine{URL: counted.before(t, live)}, query.Limits{Apart: time.Nanosecond})
				if err != nil {
					t.Fatal(err)
				}
				h := NewHub(e, func(f func()) { go f() })
				s, q := opened(t, h, "big", "Process", "% Processor Time", "Thread Count")
				set := s.list.catalogue.Set("Process")
				cpu, _ := set.Counter("% Processor Time")
				threads, _ := set.Counter("Thread Count")
				counters := []int{cpu, threads}
				slices.Sort(counters)
				want := session.Want{Set: set, Counters: counters, Leads: []session.Lead{{By: cpu, Rows: 10}}}
				if many { // one that is looked at, too
					want.Facts.Rows = []session.InstanceKey{{Name: "proc3", ID: 1003}}
				}
				if err := q.Select(t.Context(), []session.Want{want}); err != nil {
					t.Fatal(err)
				}
				counted.since()
				var b session.Batch
				if err := q.Collect(t.Context(), &b); err != nil {
					t.Fatal(err)
				}
				queries := counted.since()
				topk := slices.ContainsFunc(queries, func(q string) bool { return strings.Contains(q, "topk(") })
				set0 := &b.Sets[0]
				var names []string
				for _, in := range set0.Instances {
					if in.Flags == 0 {
						names = append(names, in.Key.Name)
					}
				}
				if many {
					if want := "proc3 proc290 proc291 proc292 proc293 proc294 proc295 proc296 proc297 proc298 proc299"; strings.Join(names, " ") != want || set0.Left != processes-11 {
						t.Errorf("%v and %d besides", names, set0.Left)
					}
				} else if len(names) != processes || set0.Left != 0 {
					t.Errorf("%v and %d besides", names, set0.Left)
				}
				if said := strings.Contains(fmt.Sprint(s.Warnings()), "a store is away"); said != many {
					t.Errorf("warnings: %v", s.Warnings())
				}
				if many && set0.Before == nil {
					t.Error("what leads has no rates")
				}
				for _, one := range queries {
					if !topk || len(queries) > 4 {
						t.Errorf("asked: %s", one)
					}
				}
				busiest := fmt.Sprintf("proc%d", processes-1)
				if v := valueIn(set0, busiest, cpu); math.Abs(v-float64(processes-1)/10) > 1e-6 {
					t.Errorf("%s takes %v", busiest, v)
				}
			})
		}
	}
}

// Of a set whose instances are named by several labels the engine ranks the instances, too, and
// the rows of those alone are read, by as many queries as their labels need.
func TestLeadsOfSeveralLabels(t *testing.T) {
	const instances, leads = 600, 200
	for _, kind := range enginetest.Both() {
		t.Run(kind.Name, func(t *testing.T) {
			t.Parallel()
			live := enginetest.Start(t, kind, "")
			newest := time.Now().Add(-time.Second)
			series := []enginetest.Sample{{Labels: map[string]string{"__name__": "up", "instance": "big:80"}, Points: []enginetest.Point{{Millis: newest.UnixMilli(), Value: 1}}}}
			for i := range instances {
				labels := map[string]string{"__name__": "app_requests_total", "instance": "big:80", "job": "app", "path": fmt.Sprintf("/%d/%s", i, strings.Repeat("x", 60)), "method": []string{"GET", "POST"}[i%2]}
				if i%3 > 0 {
					labels["code"] = fmt.Sprint(200 + i%5)
				}
				s := enginetest.Sample{Labels: labels}
				for n := range 4 {
					s.Points = append(s.Points, enginetest.Point{Millis: newest.Add(-time.Duration(3-n) * 5 * time.Second).UnixMilli(), Value: float64(i * n * 5)})
				}
				series = append(series, s)
			}
			plantSamples(t, live, series)
			counted := &asking{}
			e, err := query.New(link.Engine{URL: counted.before(t, live)}, query.Limits{Apart: time.Nanosecond})
			if err != nil {
				t.Fatal(err)
			}
			s, q := opened(t, NewHub(e, func(f func()) { go f() }), "big", "app_requests_total", "Value", "Value/sec")
			set := s.list.catalogue.Set("app_requests_total")
			want := session.Want{Set: set, Counters: []int{0, 1}, Leads: []session.Lead{{By: 1, Rows: leads}}}
			read := func() *session.SetBatch {
				t.Helper()
				if err := q.Select(t.Context(), []session.Want{want}); err != nil {
					t.Fatal(err)
				}
				counted.since()
				var b session.Batch
				if err := q.Collect(t.Context(), &b); err != nil {
					t.Fatal(err)
				}
				return &b.Sets[0]
			}
			got := read()
			if len(got.Instances) != leads || got.Left != instances-leads {
				t.Errorf("%d instances, %d besides", len(got.Instances), got.Left)
			}
			for i := range got.Instances {
				name := got.Instances[i].Key.Name
				n := 0
				if _, err := fmt.Sscanf(name[strings.Index(name, "path="):], "path=/%d/", &n); err != nil || n < instances-leads {
					t.Errorf("%q leads", name)
				} else if v := valueIn(got, name, 1); math.Abs(v-float64(n)) > 1e-6 {
					t.Errorf("%q: %v/s", name, v)
				}
			}
			for _, one := range counted.since() {
				if strings.Contains(one, "app_") && !strings.Contains(one, "topk(") && !strings.Contains(one, "path=~") || len(one) > mostQuery {
					t.Errorf("asked %d bytes: %.200s", len(one), one)
				}
			}
			// One that led, and is looked at, is there while others lead.
			want.Facts.Rows = []session.InstanceKey{got.Instances[0].Key}
			want.Leads[0].Rows = 10
			if got = read(); len(got.Instances) < 10 || len(got.Instances) > 11 || !slices.ContainsFunc(got.Instances, func(in session.Instance) bool { return in.Key == want.Facts.Rows[0] }) {
				t.Errorf("%d instances", len(got.Instances))
			}
		})
	}
}

// Instances are named without reading them, those with a text alone, and the rows that are looked
// at are read without ranking all others.
func TestInstancesByName(t *testing.T) {
	for _, kind := range enginetest.Both() {
		t.Run(kind.Name, func(t *testing.T) {
			t.Parallel()
			live := enginetest.Start(t, kind, "")
			plantProcesses(t, live, 300, time.Now().Add(-time.Second), 5*time.Second)
			counted := &asking{}
			e, err := query.New(link.Engine{URL: counted.before(t, live)}, query.Limits{Apart: time.Nanosecond})
			if err != nil {
				t.Fatal(err)
			}
			s, q := opened(t, NewHub(e, func(f func()) { go f() }), "big", "Process", "Thread Count")
			set := s.list.catalogue.Set("Process")
			threads, _ := set.Counter("Thread Count")
			for _, c := range []struct {
				text       string
				most, want int
				more       bool
			}{{"", 100, 100, true}, {"PROC29", 100, 11, false}, {"proc29", 5, 5, true}, {"none.", 5, 0, false}} {
				keys, more, err := s.Instances(t.Context(), set, threads, c.text, c.most)
				if err != nil || len(keys) != c.want || more != c.more {
					t.Errorf("%q: %d, %v, %v", c.text, len(keys), more, err)
				}
			}
			want := session.Want{Set: set, Counters: []int{threads}, Leads: []session.Lead{{By: threads}}}
			want.Facts.Rows = []session.InstanceKey{{Name: "proc7"}, {Name: "proc8", ID: 1008}}
			if err := q.Select(t.Context(), []session.Want{want}); err != nil {
				t.Fatal(err)
			}
			counted.since()
			var b session.Batch
			if err := q.Collect(t.Context(), &b); err != nil || len(b.Sets[0].Instances) != 2 || b.Sets[0].Left != -1 {
				t.Errorf("%v, %+v", err, b.Sets)
			}
			for _, one := range counted.since() {
				if strings.Contains(one, "topk(") {
					t.Errorf("asked: %s", one)
				}
			}
		})
	}
}

// BenchmarkLeadsOfRealEngines is what Top asks for of 10,000 processes, 50,000 series: which
// lead, and those. Besides it reports how long the engine needs for the same queries when a bare
// client asks them, and what is beyond that:
//
//	go test -run '^$' -bench LeadsOfRealEngines -benchtime 10x ./session/hosts/engine
func BenchmarkLeadsOfRealEngines(b *testing.B) {
	for _, kind := range enginetest.Both() {
		b.Run(kind.Name, func(b *testing.B) {
			live := enginetest.Start(b, kind, "")
			plantProcesses(b, live, 10_000, time.Now().Add(-time.Second), time.Minute) // planting them takes a while
			way := &asking{}
			e, err := query.New(link.Engine{URL: way.before(b, live)}, query.Limits{})
			if err != nil {
				b.Fatal(err)
			}
			h := NewHub(e, func(f func()) { go f() })
			shown := []string{"% Processor Time", "Thread Count", "Private Bytes", "Handle Count"}
			s, q := opened(b, h, "big", "Process", shown...)
			set := s.list.catalogue.Set("Process")
			want := session.Want{Set: set}
			for _, name := range shown {
				counter, _ := set.Counter(name)
				want.Counters = append(want.Counters, counter)
			}
			want.Leads = []session.Lead{{By: want.Counters[0], Rows: 60}}
			slices.Sort(want.Counters)
			if err := q.Select(b.Context(), []session.Want{want}); err != nil {
				b.Fatal(err)
			}
			var ours, own time.Duration
			for b.Loop() {
				way.since()
				way.again(b) // it is warm for both
				began := time.Now()
				var batch session.Batch
				if err := q.Collect(b.Context(), &batch); err != nil {
					b.Fatal(err)
				}
				ours += time.Since(began)
				if n := len(batch.Sets[0].Instances); n < 60 || n > 70 || batch.Sets[0].Left < 9_900 {
					b.Fatalf("%d instances, %d left: %s", n, batch.Sets[0].Left, way.since())
				}
				own += way.again(b)
			}
			n := float64(b.N)
			b.ReportMetric(float64(own.Milliseconds())/n, "ms-engine")
			b.ReportMetric(float64((ours-own).Milliseconds())/n, "ms-beyond")
		})
	}
}
