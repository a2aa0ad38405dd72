package push

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/snappy"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/engine/link"
	"perfdeck/session/engine/prom"
	"perfdeck/session/hosts/fake"
)

const (
	available = `windows_memory_available_bytes{host="sql01"}`
	pages     = `perfdeck_memory_pages_per_second{host="sql01"}`
	brief     = `perfdeck_jobs_busy_ratio{host="sql01",name="brief"}`
	hostIsUp  = `perfdeck_host_up{host="sql01"}`
)

// Values arrive each second, once, with the headers and the order that the specification
// wants. A text is a label, an instance that goes is marked, and so is the end of all.
func TestPush(t *testing.T) {
	e := newEngine()
	pushing(t, e, func(o *Options) { o.Labels = []prom.Label{{Name: "site", Value: "fra"}} }, []fake.Script{script()}, func(r *rig) {
		time.Sleep(20500 * time.Millisecond)
		r.close()
		if told := r.all(); told != "" {
			t.Errorf("told: %s", told)
		}
		with := func(name string) string { return strings.Replace(name, "}", `,site="fra"}`, 1) }
		for _, name := range []string{available, pages, hostIsUp, `perfdeck_jobs_busy_ratio{host="sql01",name="a\"b\n"}`} {
			got := e.points(with(name))
			if len(got) < 20 || len(got) > 23 || !isStale(got[len(got)-1]) {
				t.Errorf("%s has %d points: %v", with(name), len(got), got)
				continue
			}
			for i := 1; i < len(got)-1; i++ {
				if d := got[i].millis - got[i-1].millis; d < 990 || d > 1010 {
					t.Errorf("%s: %d ms between points", name, d)
				}
			}
		}
		if got := e.points(with(available)); got[3].value != 4096 {
			t.Errorf("available: %v", got)
		}
		if got := e.points(with(pages)); got[3].value != 1000 {
			t.Errorf("pages: %v", got)
		}
		if got := e.points(with(brief)); len(got) < 5 || len(got) > 9 || !isStale(got[len(got)-1]) || isStale(got[0]) {
			t.Errorf("what came and went: %v", got)
		}
		fine, late := `perfdeck_jobs_state_info{host="sql01",name="a\"b\n",site="fra",text="fine"}`, `perfdeck_jobs_state_info{host="sql01",name="a\"b\n",site="fra",text="late"}`
		if got := e.points(fine); len(got) < 8 || !isStale(got[len(got)-1]) || e.points(late) == nil {
			t.Errorf("texts: %v, then %v", got, e.points(late))
		}
		h := e.requests[0]
		for name, want := range map[string]string{"Content-Type": "application/x-protobuf", "Content-Encoding": "snappy", "X-Prometheus-Remote-Write-Version": "0.1.0", "User-Agent": "perfdeck/test"} {
			if h.Get(name) != want {
				t.Errorf("%s is %q", name, h.Get(name))
			}
		}
		if e.metadata["windows_memory_available_bytes"] != typeGauge || len(e.metadata) < 5 {
			t.Errorf("metadata: %v", e.metadata)
		}
		s := r.Status()
		if s.Sent != s.Taken || s.Refused+s.Lost != 0 || s.Queue.Samples != 0 {
			t.Errorf("%+v", s)
		}
	})
}

// Raw values go out as counters beside the clocks that they go by.
func TestPushRaw(t *testing.T) {
	e := newEngine()
	pushing(t, e, func(o *Options) { o.Raw = true }, []fake.Script{script()}, func(r *rig) {
		time.Sleep(10500 * time.Millisecond)
		r.close()
		got := e.points(`windows_memory_swap_page_operations_total{host="sql01"}`)
		if len(got) < 10 {
			t.Fatalf("%d points; %v", len(got), e.series)
		}
		if d := got[5].value - got[1].value; d < 3990 || d > 4010 {
			t.Errorf("it grows by %v in 4 s", d)
		}
		ticks := e.points(`perfdeck_clock_ticks_total{clock="performance",counterset="Memory",host="sql01"}`)
		hertz := e.points(`perfdeck_clock_frequency_hertz{clock="performance",counterset="Memory",host="sql01"}`)
		if len(ticks) != len(got) || len(hertz) != len(got) || hertz[0].value <= 0 {
			t.Errorf("clocks: %d, %d of %d", len(ticks), len(hertz), len(got))
		}
		if e.points(available)[1].value != 4096 || e.points(pages) != nil {
			t.Error("what is cooked as it is, is missing, or what is not, is there")
		}
		if e.metadata["windows_memory_swap_page_operations_total"] != typeCounter {
			t.Errorf("metadata: %v", e.metadata)
		}
	})
}

// An engine that is away for hours gets all of it, in order, while new samples come in.
func TestPushAway(t *testing.T) {
	e := newEngine()
	away := true
	e.answer = func(n int, _ *http.Request, _ []byte) *http.Response {
		switch {
		case !away:
			return nil
		case n%3 == 0:
			return reply(503, "not ready")
		}
		return &http.Response{Body: http.NoBody}
	}
	pushing(t, e, nil, []fake.Script{script()}, func(r *rig) {
		time.Sleep(3 * time.Hour)
		if s := r.Status(); s.Queue.Samples < 3*3600*3 || s.Err == nil || s.Sent != 0 {
			t.Errorf("%+v", s)
		}
		if !r.heard("connection refused") || strings.Count(r.all(), "\n") > 3 {
			t.Errorf("told: %.1000s", r.all())
		}
		e.mu.Lock()
		tries := e.n
		e.mu.Unlock()
		if tries > 3*3600/10 || tries < 3*3600/60 {
			t.Errorf("it was tried %d times in 3 h", tries)
		}
		e.mu.Lock()
		away = false
		e.mu.Unlock()
		time.Sleep(2 * time.Minute)
		if s := r.Status(); s.Queue.Samples > 20 || s.Refused != 0 || s.Err != nil {
			t.Errorf("after its return: %+v\n%s", s, r.all())
		}
		if !r.heard("takes samples again") {
			t.Errorf("told: %.1000s", r.all())
		}
		got := e.points(available)
		for i := 1; i < len(got); i++ {
			if d := got[i].millis - got[i-1].millis; d < 990 || d > 1010 {
				t.Fatalf("%d ms between points %d and %d of %d", d, i-1, i, len(got))
			}
		}
		if len(got) < 3*3600 {
			t.Errorf("%d points", len(got))
		}
	})
}

// A backlog is sent at a bounded rate.
func TestPushRate(t *testing.T) {
	e := newEngine()
	away := true
	e.answer = func(int, *http.Request, []byte) *http.Response {
		if away {
			return reply(500, "")
		}
		return nil
	}
	pushing(t, e, func(o *Options) { o.MostRate = 100 }, []fake.Script{script()}, func(r *rig) {
		time.Sleep(time.Hour)
		e.mu.Lock()
		away = false
		e.mu.Unlock()
		time.Sleep(time.Minute) // until it is tried again
		before := r.Status().Sent
		time.Sleep(time.Minute)
		if rate := float64(r.Status().Sent-before) / 60; rate > 115 || rate < 85 {
			t.Errorf("%v samples a second, 100 are allowed", rate)
		}
	})
}

// Retry-After is kept to, as seconds and as a date.
func TestRetryAfter(t *testing.T) {
	for _, form := range []string{"120", "date"} {
		e := newEngine()
		var tries []time.Time
		e.answer = func(n int, _ *http.Request, _ []byte) *http.Response {
			tries = append(tries, time.Now())
			if n > 1 {
				return nil
			}
			text := form
			if form == "date" {
				text = time.Now().Add(2 * time.Minute).UTC().Format(http.TimeFormat)
			}
			return reply(429, "slow down", "Retry-After", text)
		}
		pushing(t, e, nil, []fake.Script{script()}, func(r *rig) {
			time.Sleep(5 * time.Minute)
			e.mu.Lock()
			defer e.mu.Unlock()
			if d := tries[1].Sub(tries[0]); d < 118*time.Second || d > 125*time.Second {
				t.Errorf("%s: tried again after %v", form, d)
			}
			if s := r.Status(); s.Refused != 0 || s.Queue.Samples > 20 {
				t.Errorf("%+v", s)
			}
		})
	}
}

// Of a request that is refused for one sample only that is lost; it is counted and told in
// the engine's words.
func TestPushParts(t *testing.T) {
	e := newEngine()
	pushing(t, e, nil, []fake.Script{script()}, func(r *rig) {
		time.Sleep(3 * time.Second)
		e.mu.Lock() // another one pushed the series, ahead of us by 10 s
		for i := range int64(10) {
			e.series[available] = append(e.series[available], point{time.Now().UnixMilli() + 1000*i, 1})
		}
		e.mu.Unlock()
		time.Sleep(30 * time.Second)
		s := r.Status()
		if s.Refused < 8 || s.Refused > 12 {
			t.Errorf("%d samples were refused: %+v", s.Refused, s)
		}
		if n := len(e.points(pages)); n < 31 {
			t.Errorf("others have %d points", n)
		}
		if !r.heard("out of order sample") || strings.Count(r.all(), "out of order sample") > 2 {
			t.Errorf("told:\n%s", r.all())
		}
	})
}

// A backlog that is refused as a whole does not cost a request a sample, and what follows
// is taken.
func TestPushHopeless(t *testing.T) {
	e := newEngine()
	var late time.Time
	e.answer = func(_ int, _ *http.Request, body []byte) *http.Response {
		if late.IsZero() {
			return reply(503, "")
		}
		message, err := snappy.Decode(nil, body)
		if err != nil {
			return reply(400, err.Error())
		}
		tooOld := false
		_ = fields(message, func(_, _ int, field byte, _ uint64, inside []byte) error {
			if field == fieldSeries {
				_, p, _ := parseSeries(inside)
				tooOld = tooOld || p.millis < late.UnixMilli()
			}
			return nil
		})
		if tooOld {
			return reply(400, "out of bounds")
		}
		return nil
	}
	pushing(t, e, nil, []fake.Script{script()}, func(r *rig) {
		time.Sleep(time.Hour)
		e.mu.Lock()
		late, e.n = time.Now().Add(-10*time.Minute), 0
		e.mu.Unlock()
		time.Sleep(3 * time.Minute)
		s := r.Status()
		if n := len(e.points(available)); n < 12*60 || n > 14*60 || s.Refused < 50*60*4 || s.Queue.Samples > 20 {
			t.Errorf("%d points; %+v", n, s)
		}
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.n > 50*60*6+13*60+200 {
			t.Errorf("%d requests", e.n)
		}
		if !r.heard("out of bounds") || strings.Count(r.all(), "out of bounds") > 6 {
			t.Errorf("told:\n%.3000s", r.all())
		}
	})
}

// What is wrong with who sends or where to is dropped, counted and told, slowly: the
// queue is not emptied by a mistake.
func TestPushRefused(t *testing.T) {
	for _, code := range []int{401, 403, 404, 405} {
		e := newEngine()
		e.answer = func(int, *http.Request, []byte) *http.Response {
			return reply(code, "<html>\x1b[31mno\x1b[0m</html>")
		}
		pushing(t, e, nil, []fake.Script{script()}, func(r *rig) {
			time.Sleep(10 * time.Minute)
			s := r.Status()
			if s.Refused == 0 || s.Sent != 0 || s.Refused > s.Taken/8 {
				t.Errorf("%d: %+v", code, s)
			}
			if n := strings.Count(r.all(), "are dropped"); n < 5 || n > 12 || strings.Contains(r.all(), "\x1b") || strings.Contains(r.all(), "html") {
				t.Errorf("told:\n%.2000s", r.all())
			}
		})
	}
}

// Lies are no arrival: a web page with 200, a redirect, an answer without end, no answer.
func TestPushLies(t *testing.T) {
	for name, c := range map[string]struct {
		answer func(r *http.Request) *http.Response
		words  string
	}{
		"web page": {func(*http.Request) *http.Response {
			return reply(200, "<!DOCTYPE html><p>Log in", "Content-Type", "text/html")
		}, "web page"},
		"hidden page": {func(*http.Request) *http.Response { return reply(200, "\n <html>") }, "web page"},
		"redirect": {func(*http.Request) *http.Response {
			return reply(307, "", "Location", "http://elsewhere.test/api")
		}, "redirects to"},
		"huge": {func(*http.Request) *http.Response {
			a := reply(500, "")
			a.Body = io.NopCloser(endless{})
			return a
		}, "aaaaa"},
		"drip": {func(r *http.Request) *http.Response {
			a := reply(200, "")
			a.Body = io.NopCloser(&drip{r})
			return a
		}, "no answer within 30 s"},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEngine()
			lies := true
			e.answer = func(_ int, r *http.Request, _ []byte) *http.Response {
				if lies {
					return c.answer(r)
				}
				return nil
			}
			pushing(t, e, nil, []fake.Script{script()}, func(r *rig) {
				time.Sleep(5 * time.Minute)
				s := r.Status()
				if s.Sent != 0 || s.Refused != 0 || s.Err == nil || !r.heard(c.words) || strings.Contains(r.all(), "\x1b") || len(r.all()) > 5000 {
					t.Errorf("%+v\n%.2000s", s, r.all())
				}
				e.mu.Lock()
				lies = false
				e.mu.Unlock()
				time.Sleep(2 * time.Minute)
				if s := r.Status(); s.Refused != 0 || s.Queue.Samples > 20 || len(e.points(available)) < 7*60-2 {
					t.Errorf("then: %+v", s)
				}
			})
		})
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a'
	}
	return len(p), nil
}

// drip gives a byte each second.
type drip struct{ r *http.Request }

func (d *drip) Read(p []byte) (int, error) {
	select {
	case <-time.After(time.Second):
		p[0] = ' '
		return 1, nil
	case <-d.r.Context().Done():
		return 0, d.r.Context().Err()
	}
}

// The series of a host end when it fails and when it is frozen; the engine is told why.
func TestPushHostLost(t *testing.T) {
	window := fake.Window{From: 10 * time.Second, To: 120 * time.Second}
	for reason, fault := range map[string]fake.Fault{
		prom.Failed:   {Window: window, Err: errors.New("broken")},
		prom.Denied:   {Window: window, Err: session.ErrDenied},
		prom.NoAnswer: {Window: window, Latency: 100 * time.Second},
	} {
		t.Run(reason, func(t *testing.T) {
			e := newEngine()
			pushing(t, e, nil, []fake.Script{script(fault)}, func(r *rig) {
				time.Sleep(90 * time.Second)
				got := e.points(available)
				if len(got) < 9 || !isStale(got[len(got)-1]) || got[len(got)-1].millis-got[len(got)-2].millis > 20_000 {
					t.Errorf("%v", got)
				}
				if up := e.points(hostIsUp); up[len(up)-1].value != 0 {
					t.Errorf("up: %v", up)
				}
				if up := e.points(hostIsUp); time.Now().UnixMilli()-up[len(up)-1].millis > 62_000 {
					t.Errorf("that it is down was told last at %d", up[len(up)-1].millis)
				}
				if e.points(`perfdeck_host_down_info{host="sql01",reason="`+reason+`"}`) == nil {
					t.Errorf("no reason: %v", e.series)
				}
				time.Sleep(7 * time.Minute) // a refusal rests for 5 minutes and a quarter more
				if got := e.points(available); isStale(got[len(got)-1]) {
					t.Error("it did not come back")
				}
				if down := e.points(`perfdeck_host_down_info{host="sql01",reason="` + reason + `"}`); !isStale(down[len(down)-1]) {
					t.Errorf("the reason stays: %v", down)
				}
			})
		})
	}
}

// A clock that is set back is told, and no sample is lost to an engine that takes late ones.
func TestPushClockSteps(t *testing.T) {
	e := newEngine()
	e.strict = false
	pushing(t, e, nil, []fake.Script{script()}, func(r *rig) {
		time.Sleep(30 * time.Second)
		r.clock.(*stepping).step(-time.Hour)
		time.Sleep(30 * time.Second)
		r.clock.(*stepping).step(2 * time.Hour)
		time.Sleep(30 * time.Second)
		if n := len(e.points(available)); n < 88 {
			t.Errorf("%d points", n)
		}
		if n := strings.Count(r.all(), "went back"); n != 1 {
			t.Errorf("told %d times:\n%s", n, r.all())
		}
	})
}

// A token that is refused is fetched anew, and is in no message.
func TestPushToken(t *testing.T) {
	e := newEngine()
	e.answer = func(_ int, r *http.Request, _ []byte) *http.Response {
		if r.Header.Get("Authorization") != "Bearer second" {
			return reply(401, "who is "+r.Header.Get("X-Scope-Orgid"))
		}
		return nil
	}
	tokens := []string{"first", "second"}
	n := 0
	pushing(t, e, func(o *Options) {
		o.Engine.URL, o.Engine.Tenant = "https://engine.test/push", "ops"
		o.Engine.Bearer = func(context.Context) ([]byte, error) {
			n++
			return []byte(tokens[min(n, len(tokens))-1]), nil
		}
	}, []fake.Script{script()}, func(r *rig) {
		time.Sleep(10 * time.Second)
		if s := r.Status(); s.Refused != 0 || s.Sent == 0 || n != 2 || r.all() != "" {
			t.Errorf("%+v, %d tokens\n%s", s, n, r.all())
		}
	})
}

// Engines that cannot be named so.
func TestParseURL(t *testing.T) {
	for _, text := range []string{"", "localhost:9090", "ftp://x/", "http://", "http://u:p@h/", "http://h/\x1b", "http:// h/"} {
		if u, err := ParseURL(text); err == nil {
			t.Errorf("%q is %v", text, u)
		} else if strings.Contains(err.Error(), "u:p") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if u, err := ParseURL("http://h:9090"); err != nil || u.String() != "http://h:9090/api/v1/write" {
		t.Errorf("%v, %v", u, err)
	}
	if _, err := newClient(link.Engine{URL: "http://far.test/", Password: func(context.Context) ([]byte, error) { return nil, nil }}); err == nil {
		t.Error("a password goes over http")
	}
	if _, err := newClient(link.Engine{URL: "http://127.0.0.1:1/", Password: func(context.Context) ([]byte, error) { return nil, nil }}); err != nil {
		t.Errorf("loopback: %v", err)
	}
}

// A host may call things what it likes: labels are bounded, valid, and no label of ours.
func TestHostileLabels(t *testing.T) {
	long := strings.Repeat("x", 50_000)
	s := fake.Script{Name: "h\xff\"o\n" + long, Sets: []fake.Set{{Name: "Jobs", Instances: session.MultipleInstances,
		Rows:     []fake.Row{{Name: long + "1"}, {Name: long + "2"}, {Name: "\xff\xfe"}, {Name: "{}\"\\"}, {Name: " "}},
		Counters: []fake.Counter{{Name: "__name__", Type: cooker.CounterLargeRawCount, Is: fake.Const(1)}},
	}}}
	e := newEngine()
	pushing(t, e, func(o *Options) { o.Labels = []prom.Label{{Name: "site", Value: "mine"}} }, []fake.Script{s}, func(r *rig) {
		time.Sleep(5 * time.Second)
		names := map[string]bool{}
		e.mu.Lock()
		defer e.mu.Unlock()
		for name := range e.series {
			if strings.HasPrefix(name, "perfdeck_jobs") {
				names[name] = true
				if len(name) > 5000 || !strings.Contains(name, "mine") || strings.Contains(name, `\x`) {
					t.Errorf("%.200s", name)
				}
			}
		}
		if len(names) != 5 {
			t.Errorf("%d series: %v", len(names), r.all())
		}
		if s := r.Status(); s.Refused != 0 {
			t.Errorf("%+v\n%s", s, r.all())
		}
	})
	for _, l := range []prom.Label{{Name: "__name__", Value: "x"}, {Name: "a-b", Value: "x"}, {Name: "1a", Value: "x"}, {Name: "a"}, {Name: "a", Value: "\x1b"}, {Name: "", Value: "x"}} {
		if CheckLabels([]prom.Label{l}) == nil {
			t.Errorf("%v is a label", l)
		}
	}
}

// FuzzHalve parts whatever there is into two that are the whole.
func FuzzHalve(f *testing.F) {
	b := appendSeries(nil, appendLabels(nil, []label{{Name: "b", Value: "1"}, {Name: "a", Value: "2"}}), 1, 5)
	f.Add(append(b, b...))
	f.Add([]byte{0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Fuzz(func(t *testing.T, message []byte) {
		first, second, ok := halve(message)
		if ok && (string(first)+string(second) != string(message) || countSamples(first)+countSamples(second) != countSamples(message)) {
			t.Fatalf("%x and %x of %x", first, second, message)
		}
	})
}

// Labels that every series has are refused, as is the metric's name; __replica__ is a label
// as others.
func TestOwnLabelsAreRefused(t *testing.T) {
	for name, ok := range map[string]bool{"host": false, "__name__": false, "__replica__": true, "job": true, "site": true} {
		if err := CheckLabels([]prom.Label{{Name: name, Value: "x"}}); (err == nil) != ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}
