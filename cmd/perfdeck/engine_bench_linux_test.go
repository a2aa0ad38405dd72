package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// fleetEngine plays an engine with hosts that perfdeck pushed cooked values of: what Fleet
// shows. What it answers is made once for each moment, so that its own time is little.
type fleetEngine struct {
	hosts   int
	queries atomic.Int64
	asked   askedQueries
}

var (
	metricsForm = regexp.MustCompile(`__name__=~"([^"]*)"`)
	hostsForm   = regexp.MustCompile(`host=~"([^"]*)"`)
)

// fleetMetrics are its series of a host, with their labels besides, and values.
var fleetMetrics = []struct{ name, labels, value string }{
	{"perfdeck_host_up", "", "1"},
	{"perfdeck_processor_information_processor_time_ratio", `,"core":"_Total"`, "0.25"},
	{"windows_memory_available_bytes", "", "4000000000"},
	{"perfdeck_memory_physical_bytes", "", "16000000000"},
	{"perfdeck_physicaldisk_avg_disk_transfer_seconds", `,"disk":"_Total"`, "0.004"},
	{"perfdeck_network_interface_total_bytes_per_second", `,"nic":"eth0"`, "1000000"},
	{"perfdeck_network_interface_total_bytes_per_second", `,"nic":"eth1"`, "2000000"},
}

func (e *fleetEngine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.queries.Add(1)
	e.asked.note(r)
	w.Header().Set("Content-Type", "application/json")
	if strings.HasSuffix(r.URL.Path, "/values") {
		names := make([]string, len(fleetMetrics))
		for i, m := range fleetMetrics {
			names[i] = `"` + m.name + `"`
		}
		fmt.Fprintf(w, `{"status":"success","data":[%s]}`, strings.Join(names, ","))
		return
	}
	query := r.Form.Get("query")
	if query == "vector(time())" {
		fmt.Fprintf(w, `{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[0,"%.3f"]}]}}`, float64(time.Now().UnixMilli())/1000)
		return
	}
	named := map[string]bool{}
	if of := hostsForm.FindStringSubmatch(query); of != nil {
		for name := range strings.SplitSeq(strings.ReplaceAll(of[1], `\\`, ""), "|") {
			named[name] = true
		}
	}
	wanted := strings.Split(metricsForm.FindStringSubmatch(query)[1], "|")
	matrix := strings.HasSuffix(query, "ms]")
	now := float64(time.Now().Truncate(5*time.Second).UnixMilli()) / 1000
	var b strings.Builder
	b.WriteString(`{"status":"success","data":{"resultType":"matrix","result":[`)
	comma := ""
	for _, m := range fleetMetrics {
		there := false
		for _, name := range wanted {
			there = there || name == m.name
		}
		if !there {
			continue
		}
		for i := range e.hosts {
			host := fmt.Sprintf("srv%04d.example.com", i)
			if len(named) > 0 && !named[host] {
				continue
			}
			fmt.Fprintf(&b, `%s{"metric":{"__name__":%q,"host":%q%s},`, comma, m.name, host, m.labels)
			if matrix {
				fmt.Fprintf(&b, `"values":[[%.3f,%q],[%.3f,%q]]}`, now-5, m.value, now, m.value)
			} else {
				fmt.Fprintf(&b, `"value":[%.3f,%q]}`, now, m.value)
			}
			comma = ","
		}
	}
	b.WriteString(`]}}`)
	_, _ = io.WriteString(w, b.String())
}

// askedQueries are the queries that an engine was asked, to ask them again.
type askedQueries struct {
	mu   sync.Mutex
	list []askedQuery
}

type askedQuery struct {
	path string
	form url.Values
}

// note reads the form of a query, and keeps it.
func (a *askedQueries) note(r *http.Request) {
	_ = r.ParseForm()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.list = append(a.list, askedQuery{r.URL.Path, r.Form})
}

// take are the queries up to here.
func (a *askedQueries) take() []askedQuery {
	a.mu.Lock()
	defer a.mu.Unlock()
	out := a.list
	a.list = nil
	return out
}

// ownTime is how long an engine needs for queries, one after the other: who asks them reads the
// answers and does nothing with them.
func ownTime(b *testing.B, at string, list []askedQuery) time.Duration {
	b.Helper()
	began := time.Now()
	for _, q := range list {
		reply, err := http.PostForm(at+q.path, q.form)
		if err != nil {
			b.Fatal(err)
		}
		_, err = io.Copy(io.Discard, reply.Body)
		_ = reply.Body.Close()
		if err != nil || reply.StatusCode != http.StatusOK {
			b.Fatal(reply.Status, err)
		}
	}
	return time.Since(began)
}

// BenchmarkFleetOfEngine shows 5,000 hosts of an engine, which this process plays, on Fleet at
// 200x60, each 10 s. An iteration is a second. It reports after how long Fleet had them all, how
// much of that the engine needs for the same queries when a bare client asks them, and what the
// processors worked for it until then; after that the share of one processor, the memory at most and the queries a minute:
//
//	go test -run '^$' -bench FleetOfEngine -benchtime 60x ./cmd/perfdeck
func BenchmarkFleetOfEngine(b *testing.B) {
	engine := &fleetEngine{hosts: 5000}
	server := httptest.NewServer(engine)
	b.Cleanup(server.Close)
	began := time.Now()
	pid, shown, press := onBigScreen(b, []string{"-H", "prom+" + server.URL, "-i", "10", "--history", "2m"})
	pressed := false
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		text := shown()
		if !pressed && strings.Contains(text, "2 Fleet") {
			press("2")
			pressed = true
		}
		if strings.Contains(text, "5000 hosts") && strings.Contains(text, "srv0003") && strings.Contains(text, " 4.0 ") {
			break
		} else if time.Now().After(end) {
			b.Fatalf("the fleet does not come:\n%s", text)
		}
	}
	first, cpuFirst, asked := time.Since(began), cpuTimeOf(b, pid), engine.asked.take()
	time.Sleep(12 * time.Second)
	before, from, queries := cpuTimeOf(b, pid), time.Now(), engine.queries.Load()
	for b.Loop() {
		time.Sleep(time.Second)
	}
	passed := time.Since(from)
	cpu, peak, queries := cpuTimeOf(b, pid)-before, peakMiBOf(b, pid), engine.queries.Load()-queries
	own := ownTime(b, server.URL, asked)
	b.ReportMetric(first.Seconds(), "s-first")
	b.ReportMetric(own.Seconds(), "s-engine")
	b.ReportMetric(cpuFirst.Seconds(), "CPU-s-first")
	b.ReportMetric(100*float64(cpu)/float64(passed), "%CPU")
	b.ReportMetric(peak, "MiB-peak")
	b.ReportMetric(float64(queries)/passed.Minutes(), "queries/min")
}
