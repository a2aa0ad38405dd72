package engine

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/engine/query"
)

// opened is a query of counters of a host, by its name.
func opened(t testing.TB, h *Hub, host, set string, counters ...string) (*Source, session.Query) {
	t.Helper()
	one, err := h.Named(t.Context(), host)
	if err != nil {
		t.Fatal(err)
	}
	s := h.Open(one)
	q, err := s.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	of := s.list.catalogue.Set(set)
	if of == nil {
		t.Fatalf("no %s", set)
	}
	w := session.Want{Set: of}
	for _, name := range counters {
		i, ok := of.Counter(name)
		if !ok {
			t.Fatalf("no %s", name)
		}
		w.Counters = append(w.Counters, i)
	}
	if err := q.Select(t.Context(), []session.Want{w}); err != nil {
		t.Fatal(err)
	}
	return s, q
}

// value is a cooked value of an instance, of what was collected.
func value(b *session.SetBatch, instance string) (out cooker.Value) {
	row := func(b *session.SetBatch) *cooker.Reading {
		if b == nil {
			return nil
		}
		i := slices.IndexFunc(b.Instances, func(in session.Instance) bool { return in.Key.Name == instance })
		if i < 0 {
			return nil
		}
		return &b.Row(i)[0]
	}
	newer := row(b)
	if newer == nil {
		return cooker.Absent(cooker.Gone)
	}
	var clocks *cooker.Clocks
	if b.Before != nil {
		clocks = &b.Before.Clocks
	}
	return cooker.Cook(b.Set.Counters[b.Counters[0]].Type, row(b.Before), newer, clocks, &b.Clocks, nil)
}

// beats plants samples of a host of perfdeck's that come so often, the newest at a moment.
func beats(p *planted, host string, every time.Duration, newest time.Time) {
	for i := range 5 {
		at := newest.Add(-time.Duration(4-i) * every)
		p.add(at, 1, "perfdeck_host_up", "host", host)
		p.add(at, 7, "windows_memory_available_bytes", "host", host)
	}
}

// A host that sends no more is not there, and its readings are as old as its samples.
func TestNoMoreSamples(t *testing.T) {
	now := time.Now()
	for _, c := range []struct {
		every, age time.Duration
		there      bool
	}{
		{5 * time.Second, 10 * time.Second, true},
		{5 * time.Second, 40 * time.Second, false},
		{15 * time.Second, 40 * time.Second, true},
		{15 * time.Second, 70 * time.Second, false},
		{time.Minute, 150 * time.Second, true},
	} {
		p := &planted{now: now.Add(-c.age)}
		beats(p, "a", c.every, now.Add(-c.age))
		h := hub(t, p)
		h.clock.at = now // which is right
		host, err := h.Named(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		p.now = now
		s := h.Open(host)
		q, err := s.Open(t.Context())
		if (err == nil) != c.there {
			t.Errorf("each %v, %v old: opened, %v", c.every, c.age, err)
		}
		if err != nil {
			if _, err = s.Catalogue(t.Context()); err != nil {
				t.Fatal(err)
			}
			q = &open{source: s}
		}
		set := s.list.catalogue.Set("Memory")
		i, _ := set.Counter("Available Bytes")
		_ = q.Select(t.Context(), []session.Want{{Set: set, Counters: []int{i}}})
		var b session.Batch
		err = q.Collect(t.Context(), &b)
		if (err == nil) != c.there {
			t.Errorf("each %v, %v old: collected, %v", c.every, c.age, err)
		}
		if age := now.Sub(b.Newest); c.there && (age-c.age).Abs() > time.Second {
			t.Errorf("%v old: told to be %v old", c.age, age)
		}
	}
}

// An engine whose clock differs has hosts that are there all the same, and it is said.
func TestOtherClock(t *testing.T) {
	now := time.Now()
	for _, ahead := range []time.Duration{time.Hour, -time.Hour, 0} {
		p := &planted{now: now.Add(ahead)}
		beats(p, "a", 5*time.Second, now.Add(ahead-time.Second))
		s, q := opened(t, hub(t, p), "a", "Memory", "Available Bytes")
		var b session.Batch
		if err := q.Collect(t.Context(), &b); err != nil {
			t.Errorf("%v: %v", ahead, err)
		}
		if age := time.Since(b.Newest); age < -5*time.Second || age > 30*time.Second {
			t.Errorf("%v: %v old", ahead, age)
		}
		if said := len(s.Warnings()) > 0; said != (ahead != 0) {
			t.Errorf("%v: %v", ahead, s.Warnings())
		}
	}
}

// A host with more series than an engine looks at for the names of their metrics has those of its
// kind.
func TestVeryManySeries(t *testing.T) {
	now := time.Now()
	p := &planted{now: now, most: 10}
	beats(p, "a", 5*time.Second, now)
	for i := range 20 {
		p.add(now, float64(i), "windows_logical_disk_free_bytes", "host", "a", "volume", strconv.Itoa(i))
	}
	s, _ := opened(t, hub(t, p), "a", "Memory", "Available Bytes")
	if s.list.catalogue.Set("LogicalDisk") == nil {
		t.Error("no disks")
	}
	if at, n, err := s.Newest(t.Context()); err != nil || n != -1 || now.Sub(at).Abs() > time.Second {
		t.Errorf("%v, %d, %v", at, n, err)
	}
}

// An engine that answers for a while ago has the right clock all the same.
func TestLateAnswers(t *testing.T) {
	now := time.Now()
	h := hub(t, &planted{now: now, late: 30 * time.Second})
	if ahead := h.AskAhead(t.Context()); ahead != 0 {
		t.Errorf("%v ahead", ahead)
	}
	h = hub(t, &planted{now: now.Add(time.Hour), late: 30 * time.Second})
	if ahead := h.AskAhead(t.Context()); (ahead - time.Hour).Abs() > 5*time.Second {
		t.Errorf("%v ahead", ahead)
	}
}

// A host that gets samples is there, though none is of what is wanted: that is said, and its
// counters have no value.
func TestLacksCounters(t *testing.T) {
	now := time.Now()
	p := &planted{now: now}
	beats(p, "other", 5*time.Second, now)
	for i := range 3 {
		p.add(now.Add(time.Duration(i-3)*25*time.Second), 1, "node_load1", "host", "UPPER")
	}
	p.add(now, 1, "node_procs_running", "host", "another")
	p.add(now.Add(-time.Hour), 1, "node_procs_running", "host", "UPPER") // it had one
	s, q := opened(t, hub(t, p), "upper", "System", "Processor Queue Length")
	var b session.Batch
	if err := q.Collect(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	if got := value(&b.Sets[0], ""); got.Status() != cooker.Unavailable {
		t.Errorf("%v", got)
	}
	if said := s.Warnings(); !slices.Contains(said, errLacks) {
		t.Errorf("%v", said)
	}
}

// Groups look back as far as their own samples need.
func TestWindowOfGroup(t *testing.T) {
	now := time.Now()
	p := &planted{now: now}
	beats(p, "a", 5*time.Second, now)
	p.add(now.Add(-time.Hour), 1, "perfdeck_memory_physical_bytes", "host", "a")
	h := hub(t, p)
	_, none := opened(t, h, "a", "Memory", "Physical Bytes")
	_, some := opened(t, h, "a", "Memory", "Available Bytes")
	for range 6 {
		for _, q := range []session.Query{none, some} {
			var b session.Batch
			if err := q.Collect(t.Context(), &b); err != nil {
				t.Fatal(err)
			}
		}
		h.mu.Lock()
		for _, g := range h.groups {
			g.at = time.Time{} // so that it is asked again
		}
		h.mu.Unlock()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	n, last := 0, ""
	for _, q := range p.queries {
		if strings.Contains(q, "windows_memory_available_bytes") && strings.HasSuffix(q, "ms]") {
			n, last = n+1, q
		}
	}
	if n < 6 || !strings.HasSuffix(last, "[12500ms]") {
		t.Errorf("%d queries, the last is %s", n, last)
	}
}

// The first answer has two samples, so that there is a rate at once.
func TestFirstRate(t *testing.T) {
	now := time.Now()
	p := &planted{now: now}
	exporters(p, now.Add(-16*time.Second), 0)
	exporters(p, now.Add(-time.Second), 15)
	_, q := opened(t, hub(t, p), "win1", "Processor Information", "% Processor Time")
	var b session.Batch
	if err := q.Collect(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	if f, ok := value(&b.Sets[0], "0,1").Float(); !ok || math.Abs(f-50) > 1e-6 {
		t.Errorf("%v", value(&b.Sets[0], "0,1"))
	}
	again := session.Batch{Due: []bool{true}}
	if err := q.Collect(t.Context(), &again); err != nil || again.Due[0] {
		t.Errorf("the second time: due %v, %v", again.Due, err)
	}
}

// Several exporters of one host are one host that has what all of them give; of those that give
// the same one is taken.
func TestSeveralExporters(t *testing.T) {
	now := time.Now()
	p := &planted{now: now}
	for i := range 2 {
		at := now.Add(time.Duration(i-1) * 15 * time.Second)
		p.add(at, 1, "up", "instance", "both:9100")
		p.add(at, 1, "up", "instance", "both:9999")
		p.add(at, 1, "up", "instance", "app01:9090")
		p.add(at, 1, "node_uname_info", "instance", "both:9100")
		p.add(at, 1, "node_uname_info", "instance", "both:9101")
		p.add(at, 1, "windows_os_info", "instance", "both:9182")
		p.add(at, 3<<30, "node_memory_MemAvailable_bytes", "instance", "both:9100")
		p.add(at, 5<<30, "node_memory_MemAvailable_bytes", "instance", "both:9101")
		p.add(at, 4<<30, "windows_memory_available_bytes", "instance", "both:9182")
		p.add(at, 64<<30, "node_memory_MemTotal_bytes", "instance", "both:9100")
		p.add(at, 9, "app_depth", "instance", "both:9999", "queue", "q")
		p.add(at, 8, "app_depth", "instance", "app01:9090", "queue", "q")
		for _, core := range []string{"_Total", "0"} {
			p.add(at, 1, "system_uptime", "host", "tele")
			p.add(at, 30, "win_cpu_Percent_Processor_Time", "host", "tele", "objectname", "Processor", "instance", core)
		}
	}
	h := hub(t, p)
	hosts, err := h.Hosts(t.Context())
	if err != nil || len(hosts) != 2 || hosts[0].Name != "both" {
		t.Fatalf("%+v, %v", hosts, err)
	}
	for _, c := range []struct {
		host, set, counter, instance string
		want                         float64
	}{
		{"both", "Memory", "Available Bytes", "", 4 << 30},
		{"both", "Memory", "Physical Bytes", "", 64 << 30},
		{"both", "app_depth", "Value", "queue=q", 9},
		{"app01", "app_depth", "Value", "queue=q", 8},
		{"tele", "Processor Information", "% Processor Time", "0,0", 30},
		{"tele", "Processor Information", "% Processor Time", "_Total", 30},
	} {
		s, q := opened(t, h, c.host, c.set, c.counter)
		var b session.Batch
		if err := q.Collect(t.Context(), &b); err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		if f, ok := value(&b.Sets[0], c.instance).Float(); !ok || f != c.want {
			t.Errorf("%+v: %v", c, value(&b.Sets[0], c.instance))
		}
		if said := strings.Contains(fmt.Sprint(s.Warnings()), "both:9101"); said != (c.host == "both") {
			t.Errorf("%s: %v", c.host, s.Warnings())
		}
	}
	if _, err := h.Named(t.Context(), "nobody"); !errors.Is(err, ErrNoHost) {
		t.Errorf("nobody: %v", err)
	}
}

// Hosts of several exporters that want the same are asked for together, and warnings of one
// group stay when another has none.
func TestOneQueryForKinds(t *testing.T) {
	now := time.Now()
	p := &planted{now: now}
	exporters(p, now.Add(-16*time.Second), 0)
	exporters(p, now.Add(-time.Second), 15)
	h := hub(t, p)
	var queries []session.Query
	for _, host := range []string{"win1", "web.example"} {
		_, q := opened(t, h, host, "Processor Information", "% Processor Time")
		queries = append(queries, q)
	}
	p.mu.Lock()
	before := len(p.queries)
	p.mu.Unlock()
	done := make(chan error)
	for _, q := range queries {
		go func() {
			var b session.Batch
			done <- q.Collect(t.Context(), &b)
		}()
	}
	for range queries {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	p.mu.Lock()
	if n := len(p.queries) - before; n > 2 {
		t.Errorf("%d queries: %q", n, p.queries[before:])
	}
	p.mu.Unlock()
	h.mu.Lock()
	for _, g := range h.groups {
		g.said = []string{"slow"}
		break
	}
	h.mu.Unlock()
	if !slices.Contains(h.warnings(), "slow") {
		t.Error("a warning is lost")
	}
}

// What nobody looks at is asked for seldom, and that the host is there is known all the same.
func TestSeldom(t *testing.T) {
	now := time.Now()
	p := &planted{now: now}
	beats(p, "a", 200*time.Millisecond, now)
	s, q := opened(t, hub(t, p), "a", "Memory", "Available Bytes")
	w := q.(*open).given
	w[0].Seldom = true
	if err := q.Select(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	count := func() (n int) {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, text := range p.queries {
			if strings.Contains(text, "available_bytes") {
				n++
			}
		}
		return n
	}
	for i := range 3 {
		s.hub.mu.Lock()
		for _, g := range s.hub.groups {
			g.at = time.Time{} // so that it is asked again
		}
		s.hub.mu.Unlock()
		b := session.Batch{Due: []bool{true}}
		if err := q.Collect(t.Context(), &b); err != nil || b.Due[0] != (i == 0) || b.Newest.IsZero() {
			t.Errorf("%d: due %v, %v, %v", i, b.Due, b.Newest, err)
		}
	}
	if n := count(); n != 1 {
		t.Errorf("%d queries", n)
	}
	w[0].Seldom = false
	_ = q.Select(t.Context(), w)
	for range 2 {
		s.hub.mu.Lock()
		for _, g := range s.hub.groups {
			g.at = time.Time{}
		}
		s.hub.mu.Unlock()
		b := session.Batch{Due: []bool{true}}
		if err := q.Collect(t.Context(), &b); err != nil {
			t.Error(err)
		}
	}
	if n := count(); n != 3 {
		t.Errorf("%d queries when it is looked at again", n)
	}
}

// Of too many hosts the first are shown, and it is said.
func TestTooManyHosts(t *testing.T) {
	now := time.Now()
	p := &planted{now: now}
	for i := range mostHosts + 5 {
		s := &plant{labels: map[string]string{query.NameLabel: "perfdeck_host_up", "host": fmt.Sprintf("h%05d", i)}}
		s.put(now, 1)
		p.series = append(p.series, s)
	}
	h := hub(t, p)
	hosts, err := h.Hosts(t.Context())
	if err != nil || len(hosts) != mostHosts || hosts[0].Name != "h00000" {
		t.Fatalf("%d hosts, %v", len(hosts), err)
	}
	if said := fmt.Sprint(h.warnings()); !strings.Contains(said, "5 hosts are left out") {
		t.Error(said)
	}
}

// A host has what the engine has of it, not what it has of others of its kind.
func TestCatalogueOfAHost(t *testing.T) {
	now := time.Now()
	p := &planted{now: now}
	for host, metrics := range map[string][]string{
		"a:9100": {"node_load1", "node_memory_MemTotal_bytes", "a_jobs"},
		"b:9100": {"node_load1", "b_jobs"},
	} {
		for _, name := range metrics {
			p.add(now, 1, name, "instance", host)
		}
	}
	h := hub(t, p)
	hosts, err := h.Hosts(t.Context())
	if err != nil || len(hosts) != 2 {
		t.Fatalf("%+v, %v", hosts, err)
	}
	for i, want := range []string{"Memory System a_jobs", "System b_jobs"} {
		cat, err := h.Open(hosts[i]).Catalogue(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, set := range cat.Sets {
			names = append(names, set.Name)
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %s, want %s", hosts[i].Name, got, want)
		}
	}
}
