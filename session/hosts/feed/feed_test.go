package feed

import (
	"context"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/clocktest"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/hosts/manifest"
	"perfdeck/session/system/guard"
)

const testManifest = `<counters xmlns="http://schemas.microsoft.com/win/2005/12/counters" schemaVersion="1.1">
 <provider providerName="Queue" symbol="Queue" providerGuid="{51D1685C-35ED-45BE-99FE-17261A4F27F4}" applicationIdentity="q.exe" providerType="userMode" callback="custom">
  <counterSet guid="{0D2C1E0A-5E1B-4A53-8B0C-2D3C6A5C9F12}" uri="Q.Q" symbol="Q" name="Queue" description="d" instances="multiple">
   <counter id="1" uri="Q.1" symbol="A" name="State" description="d" type="perf_counter_text" detailLevel="standard"/>
   <counter id="2" uri="Q.2" symbol="B" name="Length" description="d" type="perf_counter_large_rawcount" detailLevel="standard"/>
   <counter id="3" uri="Q.3" symbol="C" name="Jobs/sec" description="d" type="perf_counter_bulk_count" detailLevel="standard"/>
   <counter id="4" uri="Q.4" symbol="D" name="Wait" description="d" type="perf_average_timer" baseID="5" detailLevel="standard"/>
   <counter id="5" uri="Q.5" symbol="E" name="Wait Base" description="d" type="perf_average_base" detailLevel="standard"/>
   <counter id="6" uri="Q.6" symbol="F" name="Small" description="d" type="perf_counter_rawcount" detailLevel="standard"/>
   <counter id="7" uri="Q.7" symbol="G" name="Wraps/sec" description="d" type="perf_counter_counter" detailLevel="standard"/>
   <counter id="8" uri="Q.8" symbol="H" name="% Busy Time" description="d" type="perf_100nsec_timer" detailLevel="standard"/>
  </counterSet>
  <counterSet guid="{0D2C1E0A-5E1B-4A53-8B0C-2D3C6A5C9F13}" uri="Q.W" symbol="W" name="Whole" description="d" instances="single">
   <counter id="1" uri="W.1" symbol="A" name="Workers" description="d" type="perf_counter_large_rawcount" detailLevel="standard"/>
   <counter id="2" uri="W.2" symbol="B" name="Up Time" description="d" type="perf_elapsed_time" perfTimeID="3" perfFreqID="4" detailLevel="standard"/>
   <counter id="3" uri="W.3" symbol="C" name="Time" description="d" type="perf_counter_large_rawcount" detailLevel="standard"/>
   <counter id="4" uri="W.4" symbol="D" name="Frequency" description="d" type="perf_counter_large_rawcount" detailLevel="standard"/>
  </counterSet>
 </provider>
</counters>`

// rig is a source on a clock that stands still, and a query of all that is fed.
type rig struct {
	testing.TB
	*Source

	clock *clocktest.Clock
	query session.Query
	batch session.Batch
	mu    sync.Mutex
	said  []string
}

func parseManifest(t testing.TB, text string) *manifest.File {
	t.Helper()
	file, problems := manifest.Parse("queue.man", []byte(text))
	if !manifest.Valid(problems) {
		t.Fatal(problems)
	}
	return file
}

// newRig feeds the test's manifest; a nil clock is that of the system.
func newRig(t testing.TB, clock *clocktest.Clock, f Feed) *rig {
	t.Helper()
	f.Name, f.Files = "queue", []*manifest.File{parseManifest(t, testManifest)}
	r := &rig{TB: t, clock: clock}
	o := Options{Host: "here", Feeds: []Feed{f}, Clock: session.NewSystemClock(), Environ: os.Environ(), Report: func(err error) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.said = append(r.said, err.Error())
	}}
	o.Go = guard.New(func(e *guard.PanicError) { panic(e) }).Go
	if clock != nil {
		o.Clock = clock
	}
	r.Source = New(o)
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// still makes a rig whose only inlet is never run: the test tells its lines.
func still(t testing.TB) *rig {
	clock := clocktest.New(time.Unix(1_700_000_000, 0), func() {})
	r := newRig(t, clock, Feed{Inlets: []Inlet{{File: "test"}}})
	r.stop = func() {} // as if it ran
	r.inlets[0].answer()
	return r
}

// tell tells lines and lets them settle.
func (r *rig) tell(text string) {
	r.Helper()
	if err := r.inlets[0].newLines().readAll(r.Context(), strings.NewReader(text)); err != nil {
		r.Fatal(err)
	}
	r.clock.Advance(settled)
}

// collect reads all counters; due says that only what is new is wanted.
func (r *rig) collect(due bool) *session.Batch {
	r.Helper()
	if r.query == nil {
		r.query, _ = r.Open(r.Context())
		var wants []session.Want
		for _, set := range r.catalogue.Sets {
			w := session.Want{Set: set}
			for i := range set.Counters {
				w.Counters = append(w.Counters, i)
			}
			wants = append(wants, w)
		}
		if err := r.query.Select(r.Context(), wants); err != nil {
			r.Fatal(err)
		}
		r.query.(*query).waited = r.clock != nil
	}
	r.batch.Due = nil
	if due {
		r.batch.Due = []bool{true, true}
	}
	if err := r.query.Collect(r.Context(), &r.batch); err != nil {
		r.Fatal(err)
	}
	return &r.batch
}

// value is a counter of the newest batch as a text, cooked with an older one of its set.
func value(older, newer *session.SetBatch, instance, counter string) string {
	find := func(b *session.SetBatch) *cooker.Reading {
		row := slices.IndexFunc(b.Instances, func(in session.Instance) bool { return in.Key.Name == instance })
		if row < 0 {
			return nil
		}
		col, _ := b.Set.Counter(counter)
		return &b.Row(row)[col]
	}
	col, _ := newer.Set.Counter(counter)
	var prev *cooker.Reading
	var clocks *cooker.Clocks
	if older != nil {
		prev, clocks = find(older), &older.Clocks
	}
	v := cooker.Cook(newer.Set.Counters[col].Type, prev, find(newer), clocks, &newer.Clocks, &cooker.Options{Texts: newer.Texts})
	if text, ok := v.Text(); ok {
		return text
	}
	if n, ok := v.Float(); ok {
		return fmt.Sprint(math.Round(n*1e6) / 1e6)
	}
	return v.Status().String()
}

func clone(b *session.SetBatch) *session.SetBatch {
	return &session.SetBatch{Set: b.Set, Counters: b.Counters, Clocks: b.Clocks, Instances: slices.Clone(b.Instances),
		Readings: slices.Clone(b.Readings), Texts: slices.Clone(b.Texts), Err: b.Err}
}

func TestRawValuesAreCookedByTheirTypes(t *testing.T) {
	r := still(t)
	r.tell(`{"set":"Queue","instance":"mail","State":"busy","Length":3,"Jobs/sec":100,"Wait":{"raw":1000000,"base":10},"Small":7,"Wraps/sec":4294967290,"% busy time":0}
{"set":"queue","instance":"print","length":1.4}
{"set":"Whole","workers":18446744073709551615}
`)
	older := clone(&r.collect(true).Sets[0])
	r.clock.Advance(2*time.Second - settled)
	r.tell(`{"set":"{0d2c1e0a-5e1b-4a53-8b0c-2d3c6a5c9f12}","instance":"mail","State":"idle","Jobs/sec":150,"Wait":{"raw":3000000,"base":20},"Wraps/sec":4294967300,"% busy time":5000000}` + "\n" +
		`whole_workers 5` + "\n" + fmt.Sprintf("up_time_seconds %d\n", 1_700_000_000-60))
	b := r.collect(true)
	for counter, want := range map[string]string{
		"State": "idle", "Length": "3", "Jobs/sec": "25", "Wait": "0.02", "Small": "7", "Wraps/sec": "5", "% Busy Time": "25",
	} {
		if got := value(older, &b.Sets[0], "mail", counter); got != want {
			t.Errorf("%s is %s, not %s", counter, got, want)
		}
	}
	if got := value(older, &b.Sets[0], "print", "Length"); got != "1" {
		t.Errorf("a raw value with a fraction is %s", got)
	}
	if got := value(older, &b.Sets[0], "print", "State"); got != "UNAVAILABLE" {
		t.Errorf("what was never told is %s", got)
	}
	if got := value(nil, &b.Sets[1], "", "Workers"); got != "5" {
		t.Errorf("a metric's value is %s", got)
	}
	if got := value(nil, &b.Sets[1], "", "Up Time"); got != "62" {
		t.Errorf("the time since a start is %s", got)
	}
}

// A beat without news is none: a program that tells each 5 seconds has a rate over 5.
func TestWhatIsNotNewIsNotDue(t *testing.T) {
	r := still(t)
	r.tell(`{"set":"Queue","instance":"mail","Jobs/sec":0}`)
	older := clone(&r.collect(true).Sets[0])
	for range 4 {
		r.clock.Advance(time.Second)
		if b := r.collect(true); b.Due[0] {
			t.Fatal("nothing new is due")
		}
		if b := r.collect(false); len(b.Sets[0].Instances) != 1 {
			t.Fatal("who wants everything gets nothing")
		}
	}
	r.clock.Advance(time.Second - settled)
	r.tell(`{"set":"Queue","instance":"mail","Jobs/sec":50}`)
	b := r.collect(true)
	if !b.Due[0] || value(older, &b.Sets[0], "mail", "Jobs/sec") != "10" {
		t.Errorf("the rate is %s, due: %v", value(older, &b.Sets[0], "mail", "Jobs/sec"), b.Due)
	}
}

// Lines that come one after the other are told of one moment.
func TestLinesOfOneMomentAreShownTogether(t *testing.T) {
	r := still(t)
	l := r.inlets[0].newLines()
	for i := range 3 {
		_ = l.readAll(t.Context(), strings.NewReader(fmt.Sprintf(`{"set":"Queue","instance":"q%d","Length":1}`, i)))
		if b := r.collect(true); b.Sets[0].Err == nil {
			t.Fatalf("shown after %d lines", i+1)
		}
		r.clock.Advance(settled / 2)
	}
	r.clock.Advance(settled)
	if b := r.collect(true); len(b.Sets[0].Instances) != 3 {
		t.Errorf("shown are %v, %v", b.Sets[0].Instances, b.Sets[0].Err)
	}
}

func TestInstancesComeAndGo(t *testing.T) {
	r := still(t)
	if b := r.collect(true); b.Sets[0].Err == nil || b.Sets[1].Err == nil {
		t.Error("nothing was told, and there is no error")
	}
	names := func() (out []string) {
		for _, in := range r.collect(false).Sets[0].Instances {
			out = append(out, in.Key.Name)
		}
		return out
	}
	r.tell(`{"set":"Queue","instance":"a","Length":1}` + "\n" + `{"set":"Queue","instance":"b","Length":1}` + "\n" + `{"set":"Whole","Workers":1}`)
	if got := names(); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("instances %q", got)
	}
	r.tell(`{"set":"Queue","instance":"a","gone":true}`)
	if got := names(); !slices.Equal(got, []string{"b"}) {
		t.Errorf("when one has gone: %q", got)
	}
	r.clock.Advance(DefaultKeep)
	if b := r.collect(true); !b.Due[0] || len(b.Sets[0].Instances) != 0 || b.Sets[0].Err != nil || b.Sets[1].Err == nil {
		t.Errorf("after a while without a word: %v, %v, %v", b.Sets[0].Instances, b.Sets[0].Err, b.Sets[1].Err)
	}
	r.tell(`{"set":"Queue","instance":"c","Length":1}`)
	r.Source.inlets[0].fail(os.ErrNotExist)
	b := r.collect(true)
	if b.Sets[0].Err == nil || !strings.Contains(b.Sets[0].Err.Error(), "feed queue (test)") || len(r.Warnings()) != 1 {
		t.Errorf("a dead feed: %v, %v", b.Sets[0].Err, r.Warnings())
	}
	r.tell(`{"set":"Queue","instance":"c","Length":1}`)
	if got := names(); !slices.Equal(got, []string{"c"}) || len(r.Warnings()) != 0 {
		t.Errorf("a feed that is back: %q, %v", got, r.Warnings())
	}
}

// Wrong lines are counted, and told of once a minute.
func TestWrongLinesAreCounted(t *testing.T) {
	r := still(t)
	wrong := []string{
		"nonsense ...", "{", `{"set":"Queue"}`, `{"set":"No","x":1}`, `{"set":"Queue","instance":"a","No":1}`, `{"set":"Queue","instance":"a"}`,
		`{"set":"Queue","instance":"a","Length":-1}`, `{"set":"Queue","instance":"a","Length":"1"}`, `{"set":"Queue","instance":"a","Length":true}`,
		`{"set":"Queue","instance":"a","Length":[1]}`, `{"set":"Queue","instance":"a","Length":1e20}`, `{"set":"Queue","instance":"a","Small":4294967296}`,
		`{"set":"Queue","instance":"a","Length":{"raw":1,"base":1}}`, `{"set":"Queue","instance":"a","Wait":{"row":1}}`, `{"set":"Queue","instance":5,"Length":1}`,
		`{"set":"Whole","instance":"a","Workers":1}`, `{"instance":"a","Length":1}`, `{"set":"Queue","instance":"` + strings.Repeat("x", maxName+1) + `","Length":1}`,
		`queue_length{instance="a" 1`, `queue_length{instance="a"} x`, `queue_length{instance="a"} -3`,
		`{"set":"Queue","instance":"a","Length":` + strings.Repeat("0", MaxLine), strings.Repeat("x", 3*MaxLine),
	}
	for i, line := range wrong {
		r.tell(line + "\n")
		if got := r.inlets[0].wrong.total; got != uint64(i+1) {
			t.Fatalf("line %d, %.60q: %d wrong lines", i+1, line, got)
		}
	}
	if len(r.said) != 1 || !strings.Contains(r.said[0], "1 line was wrong, the last: ") {
		t.Errorf("said %q", r.said)
	}
	r.clock.Advance(tellEvery)
	if w := r.Warnings(); len(w) != 0 {
		t.Errorf("what was told is told: %v", w)
	}
	r.tell("x\n" + `{"set":"Queue","instance":"a","Length":1}` + "\r\n\n# a comment\nnode_nothing_of_ours 5\n")
	if len(r.said) != 2 || !strings.Contains(r.said[1], fmt.Sprintf("%d lines were wrong, %d in all", len(wrong), len(wrong)+1)) {
		t.Errorf("said %q", r.said)
	}
	if w := r.Warnings(); len(w) != 1 || len(r.collect(false).Sets[0].Instances) != 1 {
		t.Errorf("warnings %v, instances %v", w, r.batch.Sets[0].Instances)
	}
}

func TestFloodsAreBounded(t *testing.T) {
	r := still(t)
	l := r.inlets[0].newLines()
	for i := range maxInstances + 5 {
		l.parse(fmt.Appendf(nil, `{"set":"Queue","instance":"%d","Length":1}`, i))
		if i%1000 == 0 {
			l.apply(false)
		}
	}
	l.flush()
	r.clock.Advance(settled)
	if b := r.collect(false); len(b.Sets[0].Instances) != maxInstances || r.inlets[0].wrong.total != 5 {
		t.Errorf("%d instances, %d lines wrong", len(b.Sets[0].Instances), r.inlets[0].wrong.total)
	}
	l.second, l.count = r.clock.Now().Mono, linesPerSecond // as many as a second may have
	waits := make(chan bool, 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { waits <- l.pace(ctx) }()
	for r.clock.Waiting() == 0 {
		runtime.Gosched()
	}
	r.clock.Advance(time.Second)
	if !<-waits {
		t.Error("it does not go on in the next second")
	}
}

func TestMetricsFindTheirCounters(t *testing.T) {
	mapped, err := paths.Parse(`\Queue({site}-{q})\Length`)
	if err != nil {
		t.Fatal(err)
	}
	r := still(t)
	r.inlets[0].schema.metrics = map[string]paths.Path{"special": mapped}
	for line, want := range map[string]string{
		`queue_length{instance="a"} 3`:                      `a Length 3`,
		`length{queue="a b"} 3 1700000000000`:               `a b Length 3`,
		`queue_jobs_total{b="2",a="1"} 3e0 # {t="x"} 1`:     `1,2 Jobs/sec 3`,
		`queue_wait_seconds_sum{q="a"} 1.5`:                 `a Wait 15000000`,
		`queue_wait_seconds_count{q="a"} 4`:                 `a Wait Base 4`,
		`queue_busy_time_seconds_total{q="a"} 2`:            `a % Busy Time 20000000`,
		`queue_percent_length{q="a"} 2`:                     "",
		`special{site="x",q="y"} 8`:                         `x-y Length 8`,
		`queue_length 3`:                                    `default Length 3`,
		`queue_length{q="\"\\\n"} 2`:                        "\"\\\n Length 2",
		`{"set":"Queue","instance":"a","wait":{"raw":5}}`:   `a Wait 5`,
		`{"set":"Queue","instance":"a","wait base":2}`:      `a Wait Base 2`,
		`{"set":"Queue","parent":"p","instance":"a","s":1}`: "wrong",
	} {
		e, err := r.inlets[0].schema.line([]byte(line))
		got := ""
		switch {
		case err != nil:
			got = "wrong"
		case e.table != nil:
			got = fmt.Sprintf("%s %s %d", e.name.name, e.table.set.Counters[e.values[0].column].Name, e.values[0].cell.raw)
		}
		if got != want {
			t.Errorf("%s: %q, not %q", line, got, want)
		}
	}
}

// awaits reads until the value is there.
func (r *rig) awaits(instance, counter, want string) {
	r.Helper()
	got := ""
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		b := r.collect(false)
		if b.Sets[0].Err != nil {
			got = b.Sets[0].Err.Error()
		} else if slices.ContainsFunc(b.Sets[0].Instances, func(in session.Instance) bool { return in.Key.Name == instance }) {
			got = value(nil, &b.Sets[0], instance, counter)
		} else {
			got = fmt.Sprintf("no such one of %d", len(b.Sets[0].Instances))
		}
		if strings.Contains(got, want) {
			return
		}
	}
	r.Fatalf("%s of %s is %s, not %s", counter, instance, got, want)
}

func lineOf(instance string, length int) string {
	return fmt.Sprintf(`{"set":"Queue","instance":%q,"Length":%d}`+"\n", instance, length)
}

func TestFilesAreFollowed(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lines")
	put := func(flag int, text string) {
		t.Helper()
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|flag, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	put(0, strings.Repeat("x", firstLook)+"\n"+lineOf("a", 1)) // only the last of it is looked at
	r := newRig(t, nil, Feed{Inlets: []Inlet{{File: name}}})
	r.awaits("a", "Length", "1")
	put(os.O_APPEND, lineOf("a", 2)+`{"set":"Queue","instance":"a",`)
	r.awaits("a", "Length", "2")
	put(os.O_APPEND, `"Length":3}`+"\n")
	r.awaits("a", "Length", "3")
	put(os.O_TRUNC, lineOf("b", 4))
	r.awaits("b", "Length", "4")
	if err := os.Rename(name, name+".1"); err != nil {
		t.Skip("an open file cannot be renamed here")
	}
	put(0, lineOf("c", 5))
	r.awaits("c", "Length", "5")
	if w := r.Warnings(); len(w) != 0 {
		t.Errorf("warnings %v", w)
	}
}

func TestSocketsTakeLinesOfMany(t *testing.T) {
	dir, err := os.MkdirTemp("", "feed") // short: a socket's name has a limit
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "s")
	r := newRig(t, nil, Feed{Inlets: []Inlet{{Socket: name}}})
	r.Begin()
	for i, instance := range []string{"a", "b"} {
		var c net.Conn
		for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
			if c, err = net.Dial("unix", name); err == nil {
				break
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		_, _ = c.Write([]byte(lineOf(instance, i)))
		_ = c.Close()
		r.awaits(instance, "Length", fmt.Sprint(i))
	}
	r.awaits("a", "Length", "0") // it stays when its writer goes
	other := newRig(t, nil, Feed{Inlets: []Inlet{{Socket: name}}})
	other.awaits("a", "Length", "another program listens on it")
}

func TestAddressesAreAsked(t *testing.T) {
	var mu sync.Mutex
	answer := `queue_length{q="a"} 1` + "\n" + `queue_length{q="b"} 2` + "\n"
	set := func(text string) {
		mu.Lock()
		defer mu.Unlock()
		answer = text
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		switch answer {
		case "moved":
			http.Redirect(w, req, "http://example.com/", http.StatusFound)
		case "broken":
			w.WriteHeader(http.StatusInternalServerError)
		case "endless":
			for range maxScrape/MaxLine + 1 {
				_, _ = w.Write([]byte(strings.Repeat("#", MaxLine)))
			}
		default:
			_, _ = w.Write([]byte(answer))
		}
	}))
	defer s.Close()
	r := newRig(t, nil, Feed{Inlets: []Inlet{{URL: s.URL}}, Every: time.Millisecond})
	r.awaits("b", "Length", "2")
	set(`queue_length{q="b"} 3`)
	r.awaits("b", "Length", "3")
	r.awaits("a", "Length", "no such one") // it is not told of any more
	set("moved")
	r.awaits("b", "Length", "302 Found")
	for url, want := range map[string]string{"http://example.com/": "not of this computer", "https://127.0.0.1/": "no http", "http://a:b@127.0.0.1/": "account", "http://10.0.0.1:80": "not of"} {
		if err := CheckURL(url); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", url, err)
		}
	}
	in := &inlet{source: r.Source, feed: &Feed{}, spec: Inlet{URL: s.URL}, schema: &schema{}}
	for state, want := range map[string]string{"broken": "500", "endless": "more than"} {
		set(state)
		if err := in.scrape(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", state, err)
		}
	}
}

// What is fed stands beside what a source has itself.
func TestFedStandsBeside(t *testing.T) {
	r := still(t)
	own := fake.New(fake.Script{Name: "here", Sets: []fake.Set{
		{Name: "Memory", Counters: []fake.Counter{{Name: "Free", Is: fake.Const(5)}}},
		{Name: "whole", Counters: []fake.Counter{{Name: "Workers", Is: fake.Const(7)}}},
	}}, r.clock)
	b := NewBeside(own, r.Source)
	cat, err := b.Catalogue(t.Context())
	if err != nil || len(cat.Sets) != 3 || cat.Set("Queue") == nil {
		t.Fatalf("catalogue %v, %v", cat, err)
	}
	if w := b.Warnings(); len(w) != 1 || !strings.Contains(w[0].Error(), `"Whole"`) {
		t.Errorf("warnings %v", w)
	}
	if again, _ := b.Catalogue(t.Context()); again != cat {
		t.Error("the catalogue is made anew")
	}
	q, err := b.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	if err := q.Select(t.Context(), []session.Want{{Set: cat.Set("Queue"), Counters: []int{1}}, {Set: cat.Set("Memory"), Counters: []int{0}}}); err != nil {
		t.Fatal(err)
	}
	r.tell(lineOf("a", 9))
	batch := session.Batch{Due: []bool{true, true}}
	q.(*fedQuery).parts[1].Query.(*query).waited = true
	for i, want := range [][]bool{{true, true}, {false, true}} {
		batch.Due = []bool{true, true}
		if err := q.Collect(t.Context(), &batch); err != nil || !slices.Equal(batch.Due, want) {
			t.Errorf("collection %d: due %v, %v", i+1, batch.Due, err)
		}
		if i == 0 && (batch.Sets[0].Readings[0].Raw != 9 || batch.Sets[1].Set.Name != "Memory" || len(batch.Sets[1].Instances) != 1) {
			t.Errorf("read %+v", batch.Sets)
		}
	}
}
