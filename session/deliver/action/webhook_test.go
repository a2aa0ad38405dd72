package action

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"perfdeck/session/alert"
	"perfdeck/session/config"
)

// receiver is a server that notes what it gets.
type receiver struct {
	*httptest.Server
	mu   sync.Mutex
	got  []Message
	auth []string
}

func newReceiver(t *testing.T, tls bool, answer http.HandlerFunc) *receiver {
	t.Helper()
	r := &receiver{}
	handler := http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		var p Message
		if err := json.NewDecoder(q.Body).Decode(&p); err != nil {
			t.Error(err)
		}
		r.mu.Lock()
		r.got, r.auth = append(r.got, p), append(r.auth, q.Header.Get("Authorization")+q.Header.Get("X-Token"))
		r.mu.Unlock()
		if answer != nil {
			answer(w, q)
		}
	})
	if tls {
		r.Server = httptest.NewTLSServer(handler)
	} else {
		r.Server = httptest.NewServer(handler)
	}
	r.Config.ErrorLog = nil
	t.Cleanup(r.Close)
	return r
}

// certificate writes the server's certificate to a file.
func (r *receiver) certificate(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: r.Certificate().Raw})
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

const secret = "s3cret-token"

func token(context.Context) ([]byte, error) { return []byte(secret), nil }

// send delivers one notice to a webhook and tells what was reported.
func send(t *testing.T, h config.Webhook, token func(context.Context) ([]byte, error)) string {
	t.Helper()
	c := newCaller(h, token)
	r, _ := runner(t, Options{})
	body, err := json.Marshal(MessageOf(new(notice("webhook:w")), 0))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.call(r.ctx, "k", body); err != nil {
		if strings.Contains(err.Error(), "s3cret") {
			t.Errorf("the token is shown: %v", err)
		}
		return err.Error()
	}
	return ""
}

func TestWebhook(t *testing.T) {
	server := newReceiver(t, true, nil)
	ca := server.certificate(t)
	if e := send(t, config.Webhook{URL: server.URL + "/hook", CAFile: ca}, token); e != "" {
		t.Fatal(e)
	}
	if e := send(t, config.Webhook{URL: server.URL + "/hook", Header: "X-Token", CAFile: ca}, token); e != "" {
		t.Fatal(e)
	}
	if e := send(t, config.Webhook{URL: server.URL + "/hook/{token}", CAFile: ca}, token); e != "" {
		t.Fatal(e)
	}
	if strings.Join(server.auth, ",") != "Bearer "+secret+","+secret+"," {
		t.Errorf("tokens %q", server.auth)
	}
	p := server.got[0]
	if p.Event != "fired" || p.Rule != "slow disk" || p.Severity != "critical" || *p.Value != 0.0412 || p.Op != ">" || *p.Threshold != 0.025 ||
		p.Path != `\\db\Disk(C:)\sec/Read` || p.Count != 1 || !p.Time.Equal(start) || p.ID == "" || !strings.Contains(p.Text, "41.2 ms") {
		t.Errorf("%+v", p)
	}
}

func TestWebhookRefusals(t *testing.T) {
	other := newReceiver(t, true, nil)
	redirecting := func(code int, to string) *receiver {
		return newReceiver(t, true, func(w http.ResponseWriter, q *http.Request) {
			if q.URL.Path == "/end" {
				return
			}
			w.Header().Set("Location", to)
			w.WriteHeader(code)
		})
	}
	plain := newReceiver(t, false, nil)
	away, home := redirecting(307, other.URL+"/s3cret"), redirecting(307, "/end")
	get, down, around := redirecting(302, "/end"), redirecting(308, strings.Replace(plain.URL, "/end", "", 1)), redirecting(307, "/")
	refused := newReceiver(t, true, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, secret, http.StatusForbidden) })
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	for name, c := range map[string]struct {
		hook config.Webhook
		want string // part of what is reported
	}{
		"another certificate": {config.Webhook{URL: other.URL}, "certificate"},
		"another host":        {config.Webhook{URL: away.URL, CAFile: away.certificate(t)}, "redirects to " + strings.TrimPrefix(other.URL, "https://")},
		"the same host":       {config.Webhook{URL: home.URL, CAFile: home.certificate(t)}, ""},
		"as GET":              {config.Webhook{URL: get.URL, CAFile: get.certificate(t)}, "not followed"},
		"without TLS":         {config.Webhook{URL: down.URL, CAFile: down.certificate(t)}, "not followed"},
		"around":              {config.Webhook{URL: around.URL, CAFile: around.certificate(t)}, "circle"},
		"refused":             {config.Webhook{URL: refused.URL, CAFile: refused.certificate(t)}, "403 Forbidden"},
		"nobody there":        {config.Webhook{URL: "https://" + closed.Addr().String()}, "refused"},
		"no certificates":     {config.Webhook{URL: other.URL, CAFile: "/nonexistent"}, "certificates"},
		"wrong certificates":  {config.Webhook{URL: other.URL, CAFile: "webhook_test.go"}, "certificates"},
	} {
		if got := send(t, c.hook, token); !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if len(other.got)+len(plain.got) != 0 {
		t.Error("a redirect was followed to another host")
	}
	if len(home.got) != 2 || home.auth[1] != "Bearer "+secret {
		t.Errorf("a redirect to the same host got %v", home.auth)
	}
}

func TestToken(t *testing.T) {
	server := newReceiver(t, false, nil)
	failing := func(context.Context) ([]byte, error) { return nil, errors.New("no file") }
	if got := send(t, config.Webhook{URL: server.URL}, failing); !strings.Contains(got, "no file") {
		t.Error(got)
	}
	split := func(context.Context) ([]byte, error) { return []byte(secret + "\r\nX-Evil: 1"), nil }
	if got := send(t, config.Webhook{URL: server.URL}, split); got == "" {
		t.Error("a token in two lines is sent")
	}
	if len(server.got) != 0 {
		t.Error("sent without a token")
	}
}

// slowServer never answers until it is closed.
func TestSlowServer(t *testing.T) {
	over := make(chan struct{})
	server := newReceiver(t, false, func(_ http.ResponseWriter, _ *http.Request) { <-over })
	defer close(over)
	c := newCaller(config.Webhook{URL: server.URL}, nil)
	c.limit = 20 * time.Millisecond
	var e *callError
	if err := c.call(t.Context(), "k", []byte("{}")); !errors.As(err, &e) || e.permanent || !strings.Contains(e.reason, "no answer within") {
		t.Errorf("error %v", err)
	}
}

// trip answers requests in the memory of a test.
type trip func(*http.Request) (int, http.Header)

func (f trip) RoundTrip(q *http.Request) (*http.Response, error) {
	code, header := f(q)
	if code == 0 {
		return nil, errors.New("connection refused")
	}
	return &http.Response{StatusCode: code, Header: header, Body: io.NopCloser(&bytes.Buffer{}), Request: q}, nil
}

// answer lets trip answer a webhook.
func (r *Runner) answer(name string, h config.Webhook, token func(context.Context) ([]byte, error), answer trip) {
	c := newCaller(h, token)
	c.round, c.client = r.round, &http.Client{Transport: answer}
	r.pools[target{alert.Webhook, name}] = r.pool(1, func(j job) { r.callHook(c, j) })
}

// hooked makes a runner with one webhook that trip answers, inside of a bubble.
func hooked(h config.Webhook, answer trip) (*Runner, *faults) {
	f := &faults{}
	h.URL = "https://example.com/s3cret"
	r := New(Options{Go: func(f func()) { go f() }, Report: f.report, Targets: Targets{Alerts: config.Alerts{Webhooks: map[string]config.Webhook{"w": h}}}})
	r.answer("w", h, nil, answer)
	return r, f
}

func TestRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		var at []time.Duration
		answers := []int{0, 500, 503, 200}
		r, f := hooked(config.Webhook{}, func(*http.Request) (int, http.Header) {
			at = append(at, time.Since(begin))
			return answers[len(at)-1], http.Header{"Retry-After": {"30"}}
		})
		r.Deliver(notice("webhook:w"))
		settle(r)
		if len(at) != 4 || at[1] != time.Second || at[2] != 31*time.Second || at[3] != 61*time.Second || len(f.all()) != 1 {
			t.Errorf("tried at %v, reported %s", at, f.text())
		}

		// What cannot work is not tried again; what does not work is given up.
		for code, want := range map[int]string{404: "404 Not Found", 0: "given up after 1 d"} {
			n, begin := 0, time.Now()
			r, f := hooked(config.Webhook{}, func(*http.Request) (int, http.Header) { n++; return code, nil })
			r.Deliver(notice("webhook:w"))
			settle(r)
			if !strings.Contains(f.text(), want) || strings.Contains(f.text(), "s3cret") || n > 24*60+10 || time.Since(begin) > giveUp {
				t.Errorf("%d: tried %d times in %v, reported %s", code, n, time.Since(begin), f.text())
			}
		}
	})
}

// A server that is down fills a bounded queue; what was lost is told with what
// comes through.
func TestDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var up atomic.Bool
		var got []Message
		r, f := hooked(config.Webhook{PerMinute: 1000}, func(q *http.Request) (int, http.Header) {
			if !up.Load() {
				return 0, nil
			}
			var p Message
			if err := json.NewDecoder(q.Body).Decode(&p); err != nil {
				t.Error(err)
			}
			got = append(got, p)
			return 200, nil
		})
		for i := range 500 {
			n := notice("webhook:w")
			n.Seq = uint64(i)
			r.Deliver(n)
			if i == 0 {
				synctest.Wait() // it is on its way
			}
		}
		time.Sleep(time.Minute)
		up.Store(true)
		settle(r)
		lost := 0
		for _, p := range got {
			lost += p.Lost
		}
		if len(got) != 1+mostQueued || lost != 500-len(got) || strings.Count(f.text(), "dropped") != lost {
			t.Errorf("%d came, %d are told as lost", len(got), lost)
		}
	})
}

func TestLimitAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var at []time.Time
		r, _ := hooked(config.Webhook{PerMinute: 3}, func(*http.Request) (int, http.Header) {
			at = append(at, time.Now())
			return 200, nil
		})
		for range 10 {
			r.Deliver(notice("webhook:w"))
		}
		settle(r)
		for i := range at {
			if i >= 3 && at[i].Sub(at[i-3]) < time.Minute {
				t.Errorf("request %d comes %v after the third before it", i, at[i].Sub(at[i-3]))
			}
		}
		if len(at) != 10 {
			t.Errorf("%d requests", len(at))
		}
	})
}

// The end of the program does not wait for a server that is down.
func TestCloseWhileDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, f := hooked(config.Webhook{}, func(*http.Request) (int, http.Header) { return 0, nil })
		for range 5 {
			r.Deliver(notice("webhook:w"))
		}
		begin := time.Now()
		r.Close(5 * time.Second)
		if d := time.Since(begin); d > 6*time.Second || !strings.Contains(f.text(), "4 were not done") || strings.Count(f.text(), "in vain") != 1 {
			t.Errorf("closed after %v, reported %s", d, f.text())
		}
	})
}

// A server that is down is told of at once with the reason, then rarely, or when the reason
// is another; and that it is back is told. A certificate that is not trusted is told at once,
// and not tried again.
func TestOutagesAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var code, back atomic.Int32
		code.Store(501)
		r, f := hooked(config.Webhook{}, func(*http.Request) (int, http.Header) { return int(code.Load()), nil })
		r.o.Tell = func(string) { back.Add(1) }
		told := func() int { synctest.Wait(); return strings.Count(f.text(), "tried again") }
		r.Deliver(notice("webhook:w"))
		r.Deliver(notice("webhook:w"))
		time.Sleep(time.Millisecond)
		if told() != 1 || !strings.Contains(f.text(), "501") {
			t.Errorf("the first failure is told as %q", f.text())
		}
		time.Sleep(40 * time.Minute)
		if n := told(); n != 1 {
			t.Errorf("told %d times: %s", n, f.text())
		}
		code.Store(0)
		time.Sleep(2 * time.Minute)
		if n := told(); n != 2 {
			t.Errorf("with another reason it is told %d times: %s", n, f.text())
		}
		time.Sleep(3 * time.Hour)
		if n := told(); n < 4 || n > 6 || back.Load() != 0 {
			t.Errorf("after hours it is told %d times, as well again %d times: %s", n, back.Load(), f.text())
		}
		code.Store(200)
		r.Deliver(notice("webhook:w"))
		settle(r)
		if back.Load() != 1 {
			t.Errorf("that it is well again is told %d times", back.Load())
		}
	})
	other := newReceiver(t, true, nil)
	r, f := runner(t, Options{Targets: Targets{Alerts: config.Alerts{Webhooks: map[string]config.Webhook{"w": {URL: other.URL}}}}})
	r.Deliver(notice("webhook:w"))
	r.Close(20 * time.Second)
	if !strings.Contains(f.text(), "certificate") || strings.Contains(f.text(), "not done") || strings.Contains(f.text(), "in vain") {
		t.Errorf("a certificate that is not trusted: %s", f.text())
	}
}

// A token that is refused is fetched anew for the next notice.
func TestNewToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fetched := 0
		var seen []string
		token := func(context.Context) ([]byte, error) {
			fetched++
			return []byte{'a' + byte(fetched)}, nil
		}
		r, _ := hooked(config.Webhook{}, nil)
		r.answer("w", config.Webhook{URL: "https://example.com"}, token, func(q *http.Request) (int, http.Header) {
			seen = append(seen, q.Header.Get("Authorization"))
			return map[string]int{"Bearer b": 401, "Bearer c": 200}[seen[len(seen)-1]], nil
		})
		for range 3 {
			r.Deliver(notice("webhook:w"))
		}
		settle(r)
		if strings.Join(seen, ",") != "Bearer b,Bearer c,Bearer c" {
			t.Errorf("tokens %v", seen)
		}
	})
}

func TestBurstPayload(t *testing.T) {
	n := notice()
	for i := range 900 {
		n.More = append(n.More, alert.Event{ID: alert.ID{Host: "h"}, Value: map[bool]*float64{true: new(float64(i))}[i > 0]})
	}
	p := MessageOf(&n, 2)
	if p.Count != 901 || len(p.More) != mostListed || p.More[0].Value != nil || *p.More[1].Value != 1 || p.Lost != 2 {
		t.Errorf("count %d, %d listed", p.Count, len(p.More))
	}
}

// A receiver that takes 12 s gets a notice once; others do not wait for it. One that
// takes a minute gets it again, never beside another request, with the same ID.
func TestSlowReceiver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow, quick := 0, time.Duration(-1)
		h := config.Webhook{URL: "https://example.com"}
		f := &faults{}
		r := New(Options{Go: func(f func()) { go f() }, Report: f.report, Targets: Targets{Alerts: config.Alerts{Webhooks: map[string]config.Webhook{"slow": h, "quick": h}}}})
		begin := time.Now()
		r.answer("slow", h, nil, func(*http.Request) (int, http.Header) {
			slow++
			time.Sleep(12 * time.Second)
			return 200, nil
		})
		r.answer("quick", h, nil, func(*http.Request) (int, http.Header) {
			quick = time.Since(begin)
			return 200, nil
		})
		r.Deliver(notice("webhook:slow", "webhook:quick"))
		settle(r)
		if slow != 1 || quick != 0 || f.text() != "" {
			t.Errorf("sent %d times, the other one after %v, reported %s", slow, quick, f.text())
		}
	})
	synctest.Test(t, func(t *testing.T) {
		at, most, n := 0, 0, 0
		ids := map[string]bool{}
		r, _ := hooked(config.Webhook{}, nil)
		r.answer("w", config.Webhook{URL: "https://example.com"}, nil, func(q *http.Request) (int, http.Header) {
			var m Message
			if err := json.NewDecoder(q.Body).Decode(&m); err != nil {
				t.Error(err)
			}
			ids[m.ID+" "+q.Header.Get(eventHeader)] = true
			at, n = at+1, n+1
			most = max(most, at)
			select {
			case <-q.Context().Done():
			case <-time.After(time.Minute):
			}
			if at--; n < 3 {
				return 0, nil
			}
			return 200, nil
		})
		r.Deliver(notice("webhook:w"))
		settle(r)
		key := new(notice()).Key()
		if n != 3 || most != 1 || len(ids) != 1 || !ids[key+` "`+key+`"`] {
			t.Errorf("%d requests, %d at once, IDs %v", n, most, ids)
		}
	})
}

// A config that changes while a notice waits changes nothing about the order: what
// waits is sent first, to where the webhook leads now.
func TestOrderOverReload(t *testing.T) {
	var got []string
	server := newReceiver(t, false, nil)
	closed := httptest.NewServer(nil)
	closed.Close()
	r, f := runner(t, Options{Targets: Targets{Alerts: config.Alerts{Webhooks: map[string]config.Webhook{"w": {URL: closed.URL}}}}})
	fired, cleared := notice("webhook:w"), notice("webhook:w")
	fired.Time = time.Now() // an old one is given up with the first attempt, which may be before the change
	cleared.Kind, cleared.Seq, cleared.Time = alert.Cleared, 8, fired.Time
	r.Deliver(fired)
	r.SetTargets(Targets{Alerts: config.Alerts{Webhooks: map[string]config.Webhook{"w": {URL: server.URL}}}})
	r.Deliver(cleared)
	settle(r)
	for _, m := range server.got {
		got = append(got, m.Event)
	}
	if strings.Join(got, " ") != "fired cleared" || strings.Contains(f.text(), "given up") {
		t.Errorf("got %v, reported %s", got, f.text())
	}
}

// Whoever keeps what waits is told of each that is delivered or given up, and of none
// that the end of the program left.
func TestDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		code := 200
		var mu sync.Mutex
		var done []string
		r, f := hooked(config.Webhook{}, func(*http.Request) (int, http.Header) { return code, nil })
		r.o.Done = func(a alert.Action, n *alert.Notice) {
			mu.Lock()
			defer mu.Unlock()
			done = append(done, a.String()+" "+n.Key())
		}
		r.o.Waits = func() bool { return true }
		key := new(notice()).Key()
		r.Deliver(notice("webhook:w"))
		settle(r)
		code = 404
		r.Deliver(notice("webhook:w", "task:none"))
		settle(r)
		if got := strings.Join(done, ","); strings.Count(got, "webhook:w "+key) != 2 || strings.Count(got, "task:none "+key) != 1 {
			t.Errorf("done: %s", got)
		}
		done, code = nil, 0
		r.Deliver(notice("webhook:w"))
		r.Deliver(notice("webhook:w"))
		r.Close(time.Second)
		if len(done) != 0 || strings.Count(f.text(), "not done yet") != 2 || !strings.Contains(f.text(), "in vain: send to") {
			t.Errorf("done at the end: %v, reported %s", done, f.text())
		}
	})
}

func newCaller(h config.Webhook, token func(context.Context) ([]byte, error)) *caller {
	c := &caller{}
	c.follow(h, token)
	return c
}
