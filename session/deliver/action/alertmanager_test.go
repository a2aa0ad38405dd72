package action

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"perfdeck/session/alert"
	"perfdeck/session/config"
	"perfdeck/session/text/field"
)

// station stands in for an Alertmanager, in a bubble.
type station struct {
	mu    sync.Mutex
	down  bool
	posts [][]PostedAlert
	at    []time.Time
}

func (s *station) RoundTrip(q *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down {
		return nil, io.ErrUnexpectedEOF
	}
	var alerts []PostedAlert
	if err := json.NewDecoder(q.Body).Decode(&alerts); err != nil {
		return nil, err
	}
	s.posts, s.at = append(s.posts, alerts), append(s.at, time.Now())
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Date": {time.Now().UTC().Format(http.TimeFormat)}}, Body: io.NopCloser(&bytes.Buffer{})}, nil
}

func (s *station) set(down bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = down
}

// take are the posts since the last call.
func (s *station) take() [][]PostedAlert {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.posts
	s.posts = nil
	return out
}

// situation is what fires, as a Watch would say it.
type situation struct {
	mu     sync.Mutex
	firing []alert.Event
}

func (s *situation) set(events ...alert.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.firing = events
}

func (s *situation) get() []alert.Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.firing)
}

// manned makes a runner with a cluster of stations, and what was done of its notices.
func manned(m config.Alertmanager, stations ...*station) (*Runner, *faults, *situation, *[]string) {
	f, now, done := &faults{}, &situation{}, &[]string{}
	for i := range stations {
		m.URLs = append(m.URLs, fmt.Sprintf("https://am%d.example.com", i))
	}
	m.Name = "ops"
	var mu sync.Mutex
	r := New(Options{Go: func(f func()) { go f() }, Report: f.report, Targets: Targets{Alerts: config.Alerts{Alertmanagers: []config.Alertmanager{m}}}, Done: func(_ alert.Action, n *alert.Notice) {
		mu.Lock()
		defer mu.Unlock()
		*done = append(*done, n.Kind.String())
	}})
	c := &cluster{name: "ops", round: r.round}
	r.pools[target{alert.Alertmanager, "ops"}] = r.pool(1, func(j job) { r.tellCluster(c, j) })
	c.follow(m, nil)
	for i, s := range stations {
		c.members[i].client = &http.Client{Transport: s}
	}
	r.Repeat(now.get)
	synctest.Wait()
	return r, f, now, done
}

// fired is that something fires now, and its end after a time.
func fired(lasts time.Duration) (begin alert.Notice, end alert.Notice) {
	begin = notice("alertmanager:OPS")
	begin.Time = time.Now()
	begin.Since = begin.Time
	end = begin
	end.Kind, end.Time = alert.Cleared, begin.Time.Add(lasts)
	end.Lasted = field.Seconds(lasts - 3*time.Nanosecond) // by another clock than that of Time
	return begin, end
}

// One alert over many repeats, then its end, which is repeated for a while.
func TestAlertmanagerCourse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &station{}
		r, f, now, done := manned(config.Alertmanager{Repeat: time.Minute, Labels: map[string]string{"site": "fra"}, Link: "https://wiki.example.com/"}, s)
		defer r.Close(0)
		if got := s.take(); len(got) > 0 {
			t.Errorf("nothing fires: %v", got)
		}
		begin, end := fired(10 * time.Minute)
		now.set(begin.Event)
		r.Deliver(begin)
		time.Sleep(10*time.Minute - time.Second)
		posts := s.take()
		if len(posts) != 1+9 {
			t.Errorf("%d posts in ten minutes", len(posts))
		}
		want := map[string]string{"alertname": "slow disk", "severity": "critical", "host": "db", "counterset": "Disk", "counter": "sec/Read", "name": "C:", "site": "fra"}
		for i, post := range posts {
			p := post[0]
			if len(post) != 1 || fmt.Sprint(p.Labels) != fmt.Sprint(want) || !p.StartsAt.Equal(begin.Time) || p.EndsAt.Sub(s.at[i]) != 4*time.Minute || p.GeneratorURL == "" {
				t.Errorf("post %d: %+v", i, post)
			}
			if a := p.Annotations; a["value"] != "41.2 ms" || a["threshold"] != "> 25.0 ms" || !strings.Contains(a["summary"], "critical fired") || a["text"] != "call ana" {
				t.Errorf("annotations %v", a)
			}
		}
		acked := begin.Event
		acked.Kind, acked.By = alert.Acked, "ana"
		now.set(acked)
		time.Sleep(time.Minute)
		if got := s.take(); len(got) != 1 || got[0][0].Annotations["acknowledged"] != "by ana" || len(got[0][0].Labels) != len(want) {
			t.Errorf("acknowledged: %v", got)
		}
		now.set()
		end.Time = time.Now()
		r.Deliver(end)
		time.Sleep(time.Hour)
		posts = s.take()
		if n := len(posts); n < 15 || n > 17 {
			t.Errorf("the end is told %d times", n)
		}
		for _, post := range posts {
			if len(post) != 1 || !post[0].EndsAt.Equal(end.Time) || !post[0].StartsAt.Equal(begin.Time) || fmt.Sprint(post[0].Labels) != fmt.Sprint(want) {
				t.Errorf("end: %v", post)
			}
		}
		if text := f.text(); text != "" || len(*done) != 2 {
			t.Errorf("reported %s, done %v", text, *done)
		}
	})
}

// Each member is told, those that are away when they are back; one that takes it is enough.
func TestAlertmanagerMembers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := &station{}, &station{down: true}
		r, f, now, done := manned(config.Alertmanager{Repeat: time.Minute}, a, b)
		defer r.Close(0)
		begin, end := fired(time.Second)
		now.set(begin.Event)
		r.Deliver(begin)
		settle(r)
		if len(*done) != 1 || len(a.take()) != 1 || f.text() != "" {
			t.Errorf("done %v, %s", *done, f.text())
		}
		time.Sleep(5 * time.Minute)
		if n := strings.Count(f.text(), "am1.example.com"); n != 1 || strings.Contains(f.text(), "am0") {
			t.Errorf("reported %s", f.text())
		}
		now.set()
		end.Time = time.Now()
		r.Deliver(end)
		settle(r)
		b.set(false)
		time.Sleep(2 * time.Minute)
		if got := b.take(); len(got) == 0 || got[0][0].EndsAt.After(time.Now()) {
			t.Errorf("the member that is back is told %v", got)
		}
	})
}

// What fired and ended while nobody was there comes to its end there; what fires still is
// told; what was in the meantime is not.
func TestAlertmanagerAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &station{down: true}
		r, f, now, done := manned(config.Alertmanager{Repeat: time.Minute}, s)
		defer r.Close(0)
		begin, end := fired(10 * time.Minute)
		still := begin
		still.ID.Name = "D:"
		now.set(begin.Event, still.Event)
		r.Deliver(begin)
		r.Deliver(still)
		time.Sleep(10 * time.Minute)
		now.set(still.Event)
		r.Deliver(end)
		time.Sleep(time.Hour)
		if fmt.Sprint(*done) != "[fired]" || strings.Count(f.text(), "am0") != 2 { // at once and an hour later; of what ended since its end is told
			t.Errorf("done %v, %s", *done, f.text())
		}
		s.set(false)
		time.Sleep(3 * time.Minute)
		firing := map[string]bool{}
		for _, post := range s.take() {
			for _, p := range post {
				firing[p.Labels["name"]] = p.EndsAt.After(time.Now())
				if p.Labels["name"] == "C:" && !p.EndsAt.Equal(end.Time) {
					t.Errorf("what ended is told as %v", p)
				}
			}
		}
		if len(*done) != 3 || len(firing) != 2 || firing["C:"] || !firing["D:"] {
			t.Errorf("done %v, firing %v", *done, firing)
		}
	})
}

// An end that is told again does not end what fires anew.
func TestAlertmanagerAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &station{}
		r, _, now, _ := manned(config.Alertmanager{Repeat: time.Minute}, s)
		defer r.Close(0)
		begin, end := fired(time.Second)
		r.Deliver(begin)
		time.Sleep(time.Second)
		r.Deliver(end)
		settle(r)
		again := begin
		again.Time = time.Now()
		now.set(again.Event)
		r.Deliver(again)
		settle(r)
		s.take()
		time.Sleep(20 * time.Minute)
		posts := s.take()
		for _, post := range posts {
			if len(post) != 1 || post[0].EndsAt.Before(time.Now()) && post[0].EndsAt.Before(again.Time) {
				t.Errorf("%v", post)
			}
		}
		if len(posts) < 19 {
			t.Errorf("%d posts", len(posts))
		}
	})
}

// told sends one notice to a server and returns what came of it.
func told(t *testing.T, m config.Alertmanager, token func(context.Context) ([]byte, error), limit time.Duration) error {
	t.Helper()
	r, _ := runner(t, Options{})
	c := &cluster{name: "ops"}
	c.follow(m, token)
	for _, at := range c.members {
		at.limit = limit
	}
	begin, _ := fired(time.Second)
	return r.post(c, c.ofNotice(&begin, nil))
}

// Answers that are none of an Alertmanager, and what it says of what it refuses.
func TestAlertmanagerAnswers(t *testing.T) {
	elsewhere := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere = true }))
	defer other.Close()
	for _, c := range []struct {
		name      string
		answer    http.HandlerFunc
		want      string // part of the error; empty: it works
		permanent bool
	}{
		{"fine", func(http.ResponseWriter, *http.Request) {}, "", false},
		{"words", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `"start time must be before\u001b[2J `+secret+` end time"`)
		}, "400 Bad Request: start time must be before", true},
		{"message", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusUnprocessableEntity)
			_, _ = io.WriteString(w, `{"code":601,"message":"labels in body is required"}`)
		}, "labels in body is required", true},
		{"page", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = io.WriteString(w, "<html>Log in</html>")
		}, "a page answered", false},
		{"error page", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadGateway)
			_, _ = io.WriteString(w, "<html>nginx</html>")
		}, "502 Bad Gateway", false},
		{"elsewhere", func(w http.ResponseWriter, q *http.Request) {
			http.Redirect(w, q, other.URL, http.StatusTemporaryRedirect)
		}, "not followed", true},
		{"huge", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			for range 1000 {
				if _, err := io.WriteString(w, strings.Repeat("x", 1<<16)); err != nil {
					return
				}
			}
		}, "500 Internal Server Error: xxx", false},
		{"slow", func(_ http.ResponseWriter, q *http.Request) {
			select {
			case <-q.Context().Done():
			case <-time.After(10 * time.Second):
			}
		}, "no answer within", false},
		{"slow body", func(w http.ResponseWriter, q *http.Request) {
			w.WriteHeader(http.StatusOK)
			w.(http.Flusher).Flush()
			select {
			case <-q.Context().Done():
			case <-time.After(10 * time.Second):
			}
		}, "", false},
		{"denied", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }, "401", true},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			if q.URL.Path != "/am"+alertsAPI || q.Header.Get("Authorization") != "Bearer "+secret {
				t.Errorf("%s: asked %s with %q", c.name, q.URL, q.Header.Get("Authorization"))
			}
			_, _ = io.Copy(io.Discard, q.Body)
			c.answer(w, q)
		}))
		limit := 2 * time.Second
		if strings.HasPrefix(c.name, "slow") {
			limit = 200 * time.Millisecond
		}
		err := told(t, config.Alertmanager{URLs: []string{server.URL + "/am/"}}, token, limit)
		server.CloseClientConnections()
		server.Close()
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), secret) || strings.ContainsRune(err.Error(), 0x1b) || len(err.Error()) > 600 {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		} else if answer, ok := errors.AsType[*callError](err); !ok || answer.permanent != c.permanent {
			t.Errorf("%s: permanent %v", c.name, !c.permanent)
		}
	}
	if elsewhere {
		t.Error("a redirect was followed")
	}
}

// An account is sent as HTTP has it, over TLS whose certificate is trusted.
func TestAlertmanagerAccount(t *testing.T) {
	var user, password string
	server := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) { user, password, _ = q.BasicAuth() }))
	defer server.Close()
	m := config.Alertmanager{URLs: []string{server.URL}, User: "perfdeck"}
	if err := told(t, m, token, time.Second); err == nil || !strings.Contains(err.Error(), "certificate") || user != "" {
		t.Errorf("not trusted: %v", err)
	}
	m.CAFile = (&receiver{Server: server}).certificate(t)
	if err := told(t, m, token, 5*time.Second); err != nil || user != "perfdeck" || password != secret {
		t.Errorf("%v, %q %q", err, user, password)
	}
	m.CAFile = filepath.Join(t.TempDir(), "none")
	if err := os.WriteFile(m.CAFile, []byte("no"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := told(t, m, token, 5*time.Second); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Error(err)
	}
	failing := func(context.Context) ([]byte, error) { return nil, io.ErrNoProgress }
	if err := told(t, config.Alertmanager{URLs: []string{server.URL}}, failing, time.Second); err == nil || !strings.Contains(err.Error(), "token") {
		t.Error(err)
	}
}

// Whatever instances are called, labels are texts that JSON holds and that differ where
// the instances do.
func TestAlertmanagerHostileLabels(t *testing.T) {
	c := &cluster{Alertmanager: config.Alertmanager{Repeat: time.Minute}}
	seen := map[string]string{}
	for _, name := range []string{
		"", "a", "A", "a\n", "a\\n", "a\"", "{{ .Labels }}", "{{", "\x00", "\x1b[2J", "\xff", "\u202e", "a\u00a0b", strings.Repeat("x", 5000), strings.Repeat("x", 5001), "#1", "名前", "💥",
	} {
		n := notice()
		n.ID.Name, n.Instance, n.ID.Host, n.ID.Rule = name, name+" ", "h", "r\n"+name
		p := c.posted(&n.Event, start.Add(time.Second))
		text, err := json.Marshal(p)
		var again PostedAlert
		if err != nil || json.Unmarshal(text, &again) != nil || fmt.Sprint(again.Labels) != fmt.Sprint(p.Labels) {
			t.Errorf("%.50q: %.100s, %v", name, text, err)
		}
		for label, value := range p.Labels {
			if !utf8.ValidString(value) || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\n' }) || len(value) > 1100 || value == "" {
				t.Errorf("%.50q: %s=%.100q", name, label, value)
			}
		}
		if key := fmt.Sprint(p.Labels); seen[key] != "" {
			t.Errorf("%.50q and %.50q are one alert", name, seen[key])
		} else {
			seen[key] = name + " "
		}
	}
}

// A clock that differs is told once; so is a cluster that is away, until it is back.
func TestAlertmanagerClock(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Date", time.Now().Add(-7*time.Minute).UTC().Format(http.TimeFormat))
	}))
	defer server.Close()
	r, f := runner(t, Options{Targets: Targets{Alerts: config.Alerts{Alertmanagers: []config.Alertmanager{{Name: "ops", URLs: []string{server.URL}, Repeat: time.Minute}}}}})
	for range 3 {
		begin, _ := fired(time.Second)
		r.Deliver(begin)
	}
	settle(r)
	if strings.Count(f.text(), "the clock of") != 1 || !strings.Contains(f.text(), "behind") {
		t.Errorf("reported %s", f.text())
	}
}

// What the config does not name any more is told so, and nothing is repeated to it.
func TestAlertmanagerUnknown(t *testing.T) {
	r, f := runner(t, Options{})
	begin, _ := fired(time.Second)
	r.Deliver(begin)
	settle(r)
	if !strings.Contains(f.text(), errUnknown.Error()) {
		t.Errorf("reported %s", f.text())
	}
}

// BenchmarkRepeat is what it takes to repeat a thousand alerts, but for the network.
func BenchmarkRepeat(b *testing.B) {
	c := &cluster{Alertmanager: config.Alertmanager{Repeat: time.Minute, Labels: map[string]string{"site": "fra"}}}
	firing := map[alert.ID]*alert.Event{}
	for i := range 1000 {
		n := notice()
		n.ID.Name = fmt.Sprint(i)
		firing[n.ID] = &n.Event
	}
	for b.Loop() {
		if _, err := json.Marshal(c.ofAll(firing)); err != nil {
			b.Fatal(err)
		}
	}
}
