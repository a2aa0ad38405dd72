package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/engine/link"
	"perfdeck/session/engine/prom"
	"perfdeck/session/engine/query"
	"perfdeck/session/hosts/local"
)

// planted is an engine with series that a test plants.
type planted struct {
	mu      sync.Mutex
	now     time.Time
	most    int           // it looks at so many series at once; 0: at all
	late    time.Duration // its answers are of a while ago, as VictoriaMetrics' are
	series  []*plant
	queries []string
	block   chan struct{} // queries wait for it; nil: they do not
}

type plant struct {
	labels map[string]string
	points [][2]any
	at     []time.Time
}

var selectorForm = regexp.MustCompile(`^(?:last_over_time\()?(?:([a-zA-Z_]+))?(?:\{([^}]*)\})?(?:\[(\d+)ms\])?\)?`)

// add plants a sample.
func (p *planted) add(at time.Time, value float64, labels ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	of := map[string]string{query.NameLabel: labels[0]}
	for i := 1; i < len(labels); i += 2 {
		of[labels[i]] = labels[i+1]
	}
	for _, s := range p.series {
		if maps.Equal(s.labels, of) {
			s.put(at, value)
			return
		}
	}
	s := &plant{labels: of}
	s.put(at, value)
	p.series = append(p.series, s)
}

func (s *plant) put(at time.Time, value float64) {
	s.at = append(s.at, at)
	s.points = append(s.points, [2]any{float64(at.UnixMilli()) / 1000, strconv.FormatFloat(value, 'g', -1, 64)})
}

// isTooMuch refuses to look at all series, if they are too many.
func (p *planted) isTooMuch(w http.ResponseWriter) bool {
	if p.most == 0 || len(p.series) <= p.most {
		return false
	}
	w.WriteHeader(http.StatusUnprocessableEntity)
	answer(w, map[string]any{"status": "error", "error": "the number of matching timeseries exceeds a limit"})
	return true
}

func (p *planted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	p.mu.Lock()
	block := p.block
	p.queries = append(p.queries, r.URL.Path+" "+r.Form.Get("query"))
	p.mu.Unlock()
	if block != nil && strings.HasPrefix(r.Form.Get("query"), "{") {
		select {
		case <-block:
		case <-r.Context().Done():
			return
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	if strings.HasSuffix(r.URL.Path, "/values") {
		names := []string{}
		of := strings.Trim(r.Form.Get("match[]"), "{}")
		if of != "" && p.isTooMuch(w) {
			return
		}
		for _, s := range p.series {
			if name := s.labels[query.NameLabel]; s.matches("", of) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		answer(w, map[string]any{"status": "success", "data": names})
		return
	}
	expression := r.Form.Get("query")
	if expression == "vector(time())" {
		answer(w, map[string]any{"status": "success", "data": map[string]any{"resultType": "vector", "result": []any{
			map[string]any{"metric": map[string]any{}, "value": [2]any{float64(p.now.Unix()), strconv.FormatFloat(float64(p.now.Add(-p.late).UnixMilli())/1000, 'f', 3, 64)}},
		}}})
		return
	}
	if strings.HasPrefix(expression, `{host="`) && p.isTooMuch(w) {
		return
	}
	stamped := strings.HasPrefix(expression, "max(timestamp(")
	if stamped {
		expression = strings.TrimSuffix(strings.TrimPrefix(expression, "max(timestamp("), "))")
	}
	grouped := strings.HasPrefix(expression, "group by (__name__, host, instance) (")
	expression = strings.TrimPrefix(expression, "group by (__name__, host, instance) (")
	expression, _, _ = strings.Cut(expression, " == ")
	m := selectorForm.FindStringSubmatch(expression)
	span := 5 * time.Minute
	if m[3] != "" {
		ms, _ := strconv.Atoi(m[3])
		span = time.Duration(ms) * time.Millisecond
	}
	at := p.now
	if text := r.Form.Get("time"); text != "" {
		seconds, _ := strconv.ParseFloat(text, 64)
		at = time.UnixMilli(int64(seconds * 1000))
	}
	result := []any{}
	for _, s := range p.series {
		if !s.matches(m[1], m[2]) {
			continue
		}
		var points [][2]any
		for i, t := range s.at {
			if !t.After(at) && !t.Before(at.Add(-span)) {
				points = append(points, s.points[i])
			}
		}
		if len(points) == 0 {
			continue
		}
		labels := s.labels
		if grouped {
			labels = map[string]string{}
			for _, name := range []string{query.NameLabel, "host", "instance"} {
				if v := s.labels[name]; v != "" {
					labels[name] = v
				}
			}
		}
		one := map[string]any{"metric": labels}
		if m[3] != "" && !grouped {
			one["values"] = points
		} else {
			one["value"] = points[len(points)-1]
			if stamped {
				one["value"] = [2]any{0, fmt.Sprint(points[len(points)-1][0])}
			}
		}
		result = append(result, one)
	}
	answer(w, map[string]any{"status": "success", "data": map[string]any{"resultType": "vector", "result": result}})
}

func answer(w http.ResponseWriter, what map[string]any) {
	text, err := json.Marshal(what)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_, _ = w.Write(text)
}

var matcherForm = regexp.MustCompile(`(\w+)(=~|!=|=)"((?:[^"\\]|\\.)*)"`)

func (s *plant) matches(name, matchers string) bool {
	if name != "" && s.labels[query.NameLabel] != name {
		return false
	}
	for _, m := range matcherForm.FindAllStringSubmatch(matchers, -1) {
		value, _ := strconv.Unquote(`"` + m[3] + `"`)
		is := s.labels[m[1]]
		if m[2] == "=" && is != value || m[2] == "!=" && is == value || m[2] == "=~" && !regexp.MustCompile("^(?:"+value+")$").MatchString(is) {
			return false
		}
	}
	return true
}

// hub is a hub of a planted engine.
func hub(t *testing.T, p *planted) *Hub {
	t.Helper()
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	e, err := query.New(link.Engine{URL: server.URL}, query.Limits{Apart: time.Nanosecond})
	if err != nil {
		t.Fatal(err)
	}
	return NewHub(e, func(f func()) { go f() })
}

var start = time.Date(2026, 3, 2, 3, 12, 0, 0, time.UTC)

// Every row of the tables is about a counter that there is.
func TestTablesNameCounters(t *testing.T) {
	known := map[string]bool{}
	for _, set := range local.Countersets() {
		for i := range set.Counters {
			known[set.Name+"\\"+set.Counters[i].Name] = true
		}
	}
	for _, table := range tables() {
		for _, e := range table.entries {
			if !known[e.set+"\\"+e.name] {
				t.Errorf("%s: there is no %s\\%s", e.metric, e.set, e.name)
			}
			if e.form == momentForm && e.scale != 1 {
				t.Errorf("%s: a moment with a scale", e.metric)
			}
		}
	}
}

// exporters plants a beat of each exporter.
func exporters(p *planted, at time.Time, seconds float64) {
	add := func(v float64, labels ...string) { p.add(at, v, labels...) }
	win := func(v float64, name string, labels ...string) {
		add(v, append([]string{name, "instance", "win1:9182", "job", "windows"}, labels...)...)
	}
	win(1, "windows_os_info")
	for core := range 2 {
		win(1000+seconds*0.5*float64(core), "windows_cpu_time_total", "core", fmt.Sprint("0,", core), "mode", "idle")
		win(500+seconds*0.25, "windows_cpu_time_total", "core", fmt.Sprint("0,", core), "mode", "user")
	}
	win(8<<30, "windows_memory_available_bytes")
	win(30e9, "windows_logical_disk_free_bytes", "volume", "C:")
	win(120e9, "windows_logical_disk_size_bytes", "volume", "C:")
	win(100+seconds*3, "windows_physical_disk_reads_total", "disk", "0")
	win(100+seconds*1, "windows_physical_disk_writes_total", "disk", "0")
	win(50+seconds*0.02, "windows_physical_disk_read_write_latency_seconds_total", "disk", "0")
	win(10+seconds*0.25, "windows_physical_disk_read_seconds_total", "disk", "0")
	win(10+seconds*0.1, "windows_physical_disk_write_seconds_total", "disk", "0")
	win(10+seconds*0.6, "windows_physical_disk_idle_seconds_total", "disk", "0")
	for i := range 5 {
		win(seconds*0.01*float64(i), "windows_process_cpu_time_total", "process", fmt.Sprint("p", i), "process_id", fmt.Sprint(100+i), "mode", "user")
		win(seconds*0.02, "windows_process_cpu_time_total", "process", fmt.Sprint("p", i), "process_id", fmt.Sprint(100+i), "mode", "privileged")
	}
	win(float64(start.Unix()-3600), "windows_system_system_up_time")
	node := func(v float64, name string, labels ...string) {
		add(v, append([]string{name, "instance", "web.example:9100", "job", "node"}, labels...)...)
	}
	node(1, "node_uname_info", "nodename", "web")
	node(2000+seconds*0.9, "node_cpu_seconds_total", "cpu", "0", "mode", "idle")
	node(7+seconds*0.25, "node_disk_io_time_seconds_total", "device", "sda")
	for _, device := range []string{"sda", "sda2", "dm-0", "sdb"} { // two of them again what sda does
		node(5000+seconds*200, "node_disk_read_bytes_total", "device", device)
	}
	node(1.25, "node_load1")
	node(1000+seconds*100, "node_network_receive_bytes_total", "device", "eth0")
	node(1000+seconds*50, "node_network_transmit_bytes_total", "device", "eth0")
	node(float64(start.Unix()-60), "node_boot_time_seconds")
	add(3600, "system_uptime", "host", "tele1")
	add(97.5, "cpu_usage_active", "host", "tele1", "cpu", "cpu-total")
	add(40, "win_cpu_Percent_Processor_Time", "host", "tele1", "objectname", "Processor", "instance", "_Total")
	add(1, "perfdeck_host_up", "host", "sql01")
	add(4<<30, "windows_memory_available_bytes", "host", "sql01")
	add(0.25, "perfdeck_processor_information_processor_time_ratio", "host", "sql01", "core", "_Total")
	add(10+seconds*2, "app_jobs_total", "host", "sql01", "queue", "mail")
	add(math.NaN(), "app_depth", "host", "sql01", "queue", "mail")
}

// cooked is a counter of a host out of two beats.
func cookedOf(t *testing.T, q session.Query, set *session.Counterset, counter, instance string, again func()) cooker.Value {
	t.Helper()
	i, ok := set.Counter(counter)
	if !ok || set.Counters[i].Absent != "" {
		t.Errorf("%s\\%s is not there", set.Name, counter)
		return cooker.Absent(cooker.Unavailable)
	}
	if err := q.Select(t.Context(), []session.Want{{Set: set, Counters: []int{i}}}); err != nil {
		t.Fatal(err)
	}
	var read [2]cooker.Reading
	var clocks [2]cooker.Clocks
	for n := range 2 {
		var b session.Batch
		if err := q.Collect(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		row := slices.IndexFunc(b.Sets[0].Instances, func(in session.Instance) bool { return in.Key.Name == instance })
		if row < 0 {
			t.Errorf("%s(%s) is not there: %+v", set.Name, instance, b.Sets[0].Instances)
			return cooker.Absent(cooker.Gone)
		}
		read[n], clocks[n] = b.Sets[0].Row(row)[0], b.Sets[0].Clocks
		if n == 0 {
			again()
		}
	}
	return cooker.Cook(set.Counters[i].Type, &read[0], &read[1], &clocks[0], &clocks[1], nil)
}

// What exporters give has the names of Windows, and is cooked by their types.
func TestExporters(t *testing.T) {
	for _, c := range []struct {
		host, set, counter, instance string
		want                         float64
	}{
		{"win1", "Processor Information", "% Processor Time", "0,1", 50},
		{"win1", "Processor Information", "% Processor Time", "_Total", 75},
		{"win1", "Processor Information", "% User Time", "0,0", 25},
		{"win1", "Memory", "Available MBytes", "", 8192},
		{"win1", "LogicalDisk", "% Free Space", "C:", 25},
		{"win1", "PhysicalDisk", "Disk Transfers/sec", "0", 4},
		{"win1", "PhysicalDisk", "Avg. Disk sec/Transfer", "_Total", 0.005},
		{"win1", "PhysicalDisk", "% Disk Time", "0", 35},
		{"win1", "PhysicalDisk", "% Disk Read Time", "0", 25},
		{"win1", "PhysicalDisk", "% Disk Write Time", "_Total", 10},
		{"win1", "PhysicalDisk", "% Idle Time", "0", 60},
		{"win1", "Process", "% User Time", "_Total", 10},
		{"win1", "Process", "% Processor Time", "p3", 5},
		{"win1", "Process", "% Processor Time", "_Total", 20},
		{"web.example", "PhysicalDisk", "% Disk Time", "sda", 25},
		{"web.example", "PhysicalDisk", "Disk Read Bytes/sec", "dm-0", 200},
		{"web.example", "PhysicalDisk", "Disk Read Bytes/sec", "_Total", 400},
		{"win1", "System", "System Up Time", "", 3615},
		{"web.example", "Processor Information", "% Processor Time", "0,0", 10},
		{"web.example", "System", "Load Average 1 Minutes x100", "", 125},
		{"web.example", "Network Interface", "Bytes Total/sec", "eth0", 150},
		{"web.example", "System", "System Up Time", "", 75},
		{"tele1", "Processor Information", "% Processor Time", "_Total", 97.5},
		{"tele1", "Processor", "% Processor Time", "_Total", 40},
		{"sql01", "Memory", "Available Bytes", "", 4 << 30},
		{"sql01", "Processor Information", "% Processor Time", "_Total", 25},
		{"sql01", "app_jobs_total", "Value/sec", "queue=mail", 2},
	} {
		t.Run(c.host+" "+c.set+" "+c.counter, func(t *testing.T) {
			t.Parallel()
			p := &planted{now: start}
			exporters(p, start, 0)
			h := hub(t, p)
			hosts, err := h.Hosts(t.Context())
			if err != nil || len(hosts) != 4 {
				t.Fatalf("hosts %+v, %v", hosts, err)
			}
			i := slices.IndexFunc(hosts, func(o Host) bool { return o.Name == c.host })
			if i < 0 {
				t.Fatalf("hosts %+v", hosts)
			}
			s := h.Open(hosts[i])
			cat, err := s.Catalogue(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			set := cat.Set(c.set)
			if set == nil {
				t.Fatalf("no counterset %s", c.set)
			}
			q, err := s.Open(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			got := cookedOf(t, q, set, c.counter, c.instance, func() {
				exporters(p, start.Add(15*time.Second), 15)
				p.mu.Lock()
				p.now = start.Add(16 * time.Second)
				p.mu.Unlock()
			})
			if f, ok := got.Float(); !ok || math.Abs(f-c.want) > 1e-6*c.want {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

// A thousand hosts that want the same cost a query or two for each beat of all of them.
func TestOneQueryForAll(t *testing.T) {
	const many = 1000
	p := &planted{now: start}
	for i := range many {
		name := fmt.Sprintf("srv%04d", i)
		p.add(start, 1, "perfdeck_host_up", "host", name)
		p.add(start, float64(i), "windows_memory_available_bytes", "host", name)
	}
	h := hub(t, p)
	hosts, err := h.Hosts(t.Context())
	if err != nil || len(hosts) != many {
		t.Fatalf("%d hosts, %v", len(hosts), err)
	}
	queries := make([]session.Query, many)
	sources := make([]*Source, many)
	for i, host := range hosts {
		sources[i] = h.Open(host)
	}
	for i, s := range sources {
		cat, err := s.Catalogue(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		set := cat.Set("Memory")
		counter, _ := set.Counter("Available Bytes")
		if queries[i], err = s.Open(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := queries[i].Select(t.Context(), []session.Want{{Set: set, Counters: []int{counter}, Every: time.Hour}}); err != nil {
			t.Fatal(err)
		}
	}
	p.mu.Lock()
	before := len(p.queries)
	p.mu.Unlock()
	if before > 4 {
		t.Errorf("%d queries for the catalogue, the clock, and who is there", before)
	}
	var done sync.WaitGroup
	for i, q := range queries {
		done.Go(func() {
			var b session.Batch
			if err := q.Collect(t.Context(), &b); err != nil {
				t.Error(err)
				return
			}
			if f := math.Float64frombits(b.Sets[0].Readings[0].Raw); f != float64(i) {
				t.Errorf("host %d has %v", i, f)
			}
		})
	}
	done.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.queries) - before; n > 3 {
		t.Errorf("%d queries for the values of %d hosts", n, many)
	}
}

// openOne is a query of the memory of the only host.
func openOne(t *testing.T, h *Hub) session.Query {
	t.Helper()
	hosts, err := h.Hosts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := h.Open(hosts[0])
	cat, err := s.Catalogue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	set := cat.Set("Memory")
	counter, _ := set.Counter("Available Bytes")
	q, err := s.Open(t.Context())
	if err == nil {
		err = q.Select(t.Context(), []session.Want{{Set: set, Counters: []int{counter}}})
	}
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// Where nothing came since, nothing is told anew; a host without samples says why.
func TestNothingNew(t *testing.T) {
	p := &planted{now: start}
	p.add(start, 1, "perfdeck_host_up", "host", "a")
	p.add(start, 7, "windows_memory_available_bytes", "host", "a")
	q := openOne(t, hub(t, p))
	for beat := range 2 {
		b := session.Batch{Due: []bool{true}}
		if err := q.Collect(t.Context(), &b); err != nil || b.Due[0] != (beat == 0) {
			t.Fatalf("beat %d: due %v, %v", beat, b.Due, err)
		}
	}
	p.mu.Lock()
	p.now = start.Add(time.Hour)
	p.mu.Unlock()
	var b session.Batch
	if err := q.Collect(t.Context(), &b); !errors.Is(err, errNoSamples) {
		t.Errorf("an hour later: %v", err)
	}
	p.add(start.Add(time.Hour), 1, "perfdeck_host_down_info", "host", "a", "reason", "denied")
	if err := q.Collect(t.Context(), &b); !errors.Is(err, session.ErrDenied) {
		t.Errorf("a host that denies: %v", err)
	}
}

// An engine is not asked more often than twice as often as it gets samples.
func TestNotAskedInVain(t *testing.T) {
	p := &planted{now: start.Add(time.Minute)}
	for i := range 5 {
		p.add(start.Add(time.Duration(i)*15*time.Second), 1, "perfdeck_host_up", "host", "a")
		p.add(start.Add(time.Duration(i)*15*time.Second), 7, "windows_memory_available_bytes", "host", "a")
	}
	q := openOne(t, hub(t, p))
	var b session.Batch
	if err := q.Collect(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	p.mu.Lock()
	before := len(p.queries)
	p.mu.Unlock()
	for range 10 {
		b = session.Batch{Due: []bool{true}}
		if err := q.Collect(t.Context(), &b); err != nil || b.Due[0] {
			t.Fatalf("due %v, %v", b.Due, err)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.queries) - before; n > 0 {
		t.Errorf("%d queries for nothing", n)
	}
}

// What nobody asks for any more is forgotten.
func TestGroupsAreForgotten(t *testing.T) {
	p := &planted{now: start}
	p.add(start, 1, "perfdeck_host_up", "host", "a")
	h := hub(t, p)
	host := Host{Name: "a", parts: []part{{label: prom.Label{Name: "host", Value: "a"}}}}
	for i := range 5 {
		if _, err := h.samples(t.Context(), &host, &ask{key: fmt.Sprint("m", i), metrics: []string{fmt.Sprint("m", i)}}, time.Second); err != nil {
			t.Fatal(err)
		}
		h.mu.Lock()
		for _, g := range h.groups {
			g.at = g.at.Add(-2 * forgotten)
		}
		h.mu.Unlock()
	}
	if n := len(h.groups); n != 1 {
		t.Errorf("%d groups are kept", n)
	}
}

// A host whose samples come more rarely than those of others is there all the same.
func TestSlowHost(t *testing.T) {
	p := &planted{now: start}
	for i := range 30 {
		at := start.Add(-time.Duration(i) * 2 * time.Second)
		p.add(at, 1, "perfdeck_host_up", "host", "fast")
		p.add(at, 1, "windows_memory_available_bytes", "host", "fast")
	}
	p.add(start.Add(-4*time.Minute), 1, "perfdeck_host_up", "host", "slow")
	p.add(start.Add(-4*time.Minute), 2, "windows_memory_available_bytes", "host", "slow")
	h := hub(t, p)
	hosts, err := h.Hosts(t.Context())
	if err != nil || len(hosts) != 2 {
		t.Fatal(hosts, err)
	}
	for range 2 {
		for i := range hosts {
			heard, err := h.samples(t.Context(), &hosts[i], &ask{key: "m", metrics: []string{"windows_memory_available_bytes"}}, time.Nanosecond)
			found := heard.parts[0].samples
			if err != nil || len(found) != 1 || found[0].value != float64(i+1) {
				t.Errorf("%s: %+v, %v", hosts[i].Name, found, err)
			}
		}
		h.mu.Lock()
		for _, g := range h.groups {
			g.at = time.Time{} // so that it is asked again
		}
		h.mu.Unlock()
	}
}

// Who does not wait any more ends what nobody else waits for.
func TestGivenUp(t *testing.T) {
	p := &planted{now: start}
	p.add(start, 1, "perfdeck_host_up", "host", "a")
	p.add(start, 7, "windows_memory_available_bytes", "host", "a")
	h := hub(t, p)
	q := openOne(t, h)
	p.mu.Lock()
	p.block = make(chan struct{})
	p.mu.Unlock()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	var b session.Batch
	if err := q.Collect(ctx, &b); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	p.mu.Lock()
	close(p.block)
	p.block = nil
	p.mu.Unlock()
	if err := q.Collect(t.Context(), &b); err != nil || len(b.Sets[0].Readings) != 1 {
		t.Errorf("afterwards: %v", err)
	}
}

// The past comes in the order of time, whole, however it is cut into parts.
func TestPast(t *testing.T) {
	p := &planted{now: start.Add(time.Hour)}
	for i := range 240 {
		at := start.Add(time.Duration(i) * 15 * time.Second)
		for _, host := range []string{"a", "b"} {
			p.add(at, 1, "perfdeck_host_up", "host", host)
			p.add(at, float64(i), "windows_memory_available_bytes", "host", host)
		}
	}
	h := hub(t, p)
	hosts, err := h.HostsIn(t.Context(), start, start.Add(time.Hour))
	if err != nil || len(hosts) != 2 {
		t.Fatalf("%+v, %v", hosts, err)
	}
	seen := map[string]int{}
	last := uint64(0)
	span := Span{From: start.Add(-time.Second), To: start.Add(time.Hour), Hosts: hosts, Sets: []string{"Memory", "None"}}
	err = h.Past(t.Context(), span, func(host string, b *session.SetBatch) error {
		if b.Clocks.Time100ns < last {
			t.Errorf("time goes back at %d of %s", seen[host], host)
		}
		last = b.Clocks.Time100ns
		if f := math.Float64frombits(b.Readings[0].Raw); f != float64(seen[host]) {
			t.Fatalf("sample %d of %s is %v", seen[host], host, f)
		}
		seen[host]++
		return nil
	}, func(time.Time) {})
	if err != nil || seen["a"] != 240 || seen["b"] != 240 {
		t.Errorf("%v, %v", seen, err)
	}
}

// Many values with hostile names are asked for in queries that engines take: none is longer than
// VictoriaMetrics allows, and each value is asked for once.
func TestBandsInQueriesThatAreTaken(t *testing.T) {
	p := &planted{now: start}
	exporters(p, start, 0)
	h := hub(t, p)
	hosts, err := h.Hosts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(hosts, func(host Host) bool { return host.kinds()&ofPerfdeck != 0 })
	source := h.Open(hosts[i])
	catalogue, err := source.Catalogue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var of []session.Valued
	for _, set := range catalogue.Sets {
		for c := range set.Counters {
			key := session.InstanceKey{}
			if set.Instances.Multiple() {
				key.Name = "a\"} or up #\n\\"
			}
			if set.Counters[c].Absent == "" {
				of = append(of, session.Valued{Set: set, Counter: c, Key: key})
			}
		}
	}
	of = slices.Repeat(of, 40)
	before := len(p.queries)
	if _, err := source.Bands(t.Context(), of, start.Add(-time.Hour), start, time.Minute); err != nil {
		t.Fatal(err)
	}
	asked := 0
	for _, q := range p.queries[before:] {
		if len(q) > 16<<10 {
			t.Errorf("a query has %d bytes", len(q))
		}
		asked += strings.Count(q, "label_replace(")
		if strings.Contains(q, "\n") || strings.Contains(q, `"a"}`) {
			t.Errorf("a name gets out of its quotes:\n%s", q)
		}
	}
	if len(p.queries)-before < 2 || asked < len(statistics)*len(of)*3/4 || asked > len(statistics)*len(of) {
		t.Errorf("%d statistics of %d values were asked for", asked, len(of))
	}
}

// What an exporter gives is asked of an engine's past as it is cooked here.
func TestExpressions(t *testing.T) {
	p := &planted{now: start}
	exporters(p, start, 0)
	var names []string
	for _, s := range p.series {
		names = append(names, s.labels[query.NameLabel])
	}
	slices.Sort(names)
	l := newList("db", slices.Compact(names), ofWindowsExporter)
	host := Host{Name: "win1", parts: []part{{prom.Label{Name: "instance", Value: "win1:9182"}, ofWindowsExporter}}}
	for _, c := range []struct{ set, counter, instance, want, whence string }{
		{"PhysicalDisk", "% Disk Read Time", "0", `100 * rate(windows_physical_disk_read_seconds_total{instance="win1:9182",disk="0",parent=""}[30s])`, ""},
		{"Process", "% User Time", "_Total", "", "sum"},
		{"PhysicalDisk", "% Disk Time", "_Total", "", "avg"},
		{"Process", "% Processor Time", "p1", `sum without (mode) (100 * rate(windows_process_cpu_time_total{instance="win1:9182",mode="user",process="p1"}[30s])) + ` +
			`sum without (mode) (100 * rate(windows_process_cpu_time_total{instance="win1:9182",mode="privileged",process="p1"}[30s]))`, ""},
	} {
		set := l.catalogue.Set(c.set)
		i, _ := set.Counter(c.counter)
		v := session.Valued{Set: set, Counter: i, Key: session.InstanceKey{Name: c.instance}}
		e := l.expressions(host.parts, v, oneInstance(v), 30*time.Second)
		if len(e) != 1 || c.want != "" && e[0].text != c.want || e[0].whence != c.whence {
			t.Errorf("%s\\%s: %+v", c.set, c.counter, e)
		}
	}
}

// FuzzSeries: no labels and no values of an engine break a batch.
func FuzzSeries(f *testing.F) {
	f.Add("windows_cpu_time_total", "core", "0,0", "mode", "idle", 1.5)
	f.Add("windows_process_handles", "process", "x", "process_id", "18446744073709551616", -1.0)
	f.Add("app_total", "index", "-1", "parent", "\x00", 1e300)
	f.Fuzz(func(t *testing.T, metric, k1, v1, k2, v2 string, value float64) {
		l := newList("db:9090", []string{metric}, 0)
		labels := query.Labels{{Name: query.NameLabel, Value: metric}, {Name: k1, Value: v1}, {Name: k2, Value: v2}}
		for _, set := range l.catalogue.Sets {
			want := session.Want{Set: set}
			for i := range set.Counters {
				want.Counters = append(want.Counters, i)
			}
			w := l.wanted(want)
			var b session.SetBatch
			b.Reset(&w.Want)
			parts := []heard{{samples: []sample{{labels: labels, at: 1, value: value}}}}
			w.seek(parts)
			w.fill(&b, parts, 1, false)
			if len(b.Readings) != len(b.Instances)*len(set.Counters) {
				t.Fatalf("%d readings of %d instances", len(b.Readings), len(b.Instances))
			}
			for i := range b.Readings {
				cooker.Cook(set.Counters[i%len(set.Counters)].Type, nil, &b.Readings[i], nil, &b.Clocks, nil)
			}
		}
	})
}

// Rows stand by name, numbers in it as numbers; whatever the order they come in.
func TestCompareNames(t *testing.T) {
	want := []string{"", "0", "0,0", "0,2", "0,10", "0,_Total", "1", "02", "2", "9", "010", "10", "15", "C:", "a", "a1", "a1b", "a1c", "a2", "a10", "a10b2", "a10b10", "ab", "worker-9", "worker-10", "z"}
	got := slices.Clone(want)
	for i := range 50 {
		rand.New(rand.NewPCG(1, uint64(i))).Shuffle(len(got), func(a, b int) { got[a], got[b] = got[b], got[a] })
		slices.SortFunc(got, compareNames)
		if !slices.Equal(got, want) {
			t.Fatalf("%q, want %q", got, want)
		}
	}
	for _, a := range want {
		for _, b := range want {
			if x, y := compareNames(a, b), compareNames(b, a); x != -y || (x == 0) != (a == b) {
				t.Errorf("%q and %q: %d, %d", a, b, x, y)
			}
		}
	}
}
