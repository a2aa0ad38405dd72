package pipeline

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/config"
	"perfdeck/session/deliver/action"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/hosts/pla"
	"perfdeck/session/system/guard"
)

// patience is how long a test waits for actions.
const patience = 5 * time.Second

// restarts are runs of a pipeline, one after the other, with one state folder.
type restarts struct {
	testing.TB
	dir     string
	targets action.Targets
	sets    func(string) (pla.Sets, error)
}

func newRestarts(t testing.TB, url string) *restarts {
	dir := t.TempDir()
	token := filepath.Join(dir, "token")
	if err := os.WriteFile(token, []byte("s3cret-token"), 0o600); err != nil {
		t.Fatal(err)
	}
	file, warnings, err := config.Parse("config.toml", []byte("[webhooks.hook]\nurl = '"+url+"/s3cret-path'\ntoken_file = '"+token+"'\n"))
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	fetch := func(_ context.Context, _, _ string, ref config.PasswordRef) ([]byte, error) {
		return os.ReadFile(ref.File)
	}
	return &restarts{TB: t, dir: dir, targets: action.Targets{Alerts: file.Alerts, Fetch: fetch}}
}

func (r *restarts) begin() *Pipeline {
	guarded := guard.New(func(e *guard.PanicError) { r.Error(e, string(e.Stack)) })
	return New(Options{Dir: r.dir, Clock: session.NewSystemClock(), Go: guarded.Go, Targets: r.targets, Sets: r.sets, Report: func(err error) { r.Log(err) }, Leads: true})
}

// die ends a run as kill -9 does: the system closes its files, and nothing else is done.
func (r *restarts) die(p *Pipeline) {
	p.journal.Close()
	p.runner.Close(0)
}

// crossing are events of the disk C: that a webhook is told of.
func crossing(seq uint64, kinds ...alert.EventKind) (out []alert.Event) {
	for i, kind := range kinds {
		out = append(out, alert.Event{
			Seq: seq + uint64(i), Time: time.Now(), Kind: kind, Severity: alert.Critical, Path: `\\db\Disk(C:)\Queue`,
			ID:      alert.ID{Rule: "queue", Host: "db", Set: "Disk", Counter: "Queue", Name: "C:"},
			Actions: []alert.Action{{Do: alert.Webhook, Name: "hook"}},
		})
	}
	return out
}

// A second process beside one that leads tells its own terminal only.
func TestFollower(t *testing.T) {
	dir := t.TempDir()
	guarded := guard.New(func(e *guard.PanicError) { t.Error(e, string(e.Stack)) })
	bells := 0
	begin := func() *Pipeline {
		return New(Options{Dir: dir, Clock: session.NewSystemClock(), Go: guarded.Go, Report: func(err error) { t.Error(err) }, Terminal: func(action.Request) { bells++ }})
	}
	leader, follower := begin(), begin()
	defer follower.Close(patience)
	if !leader.acts() || follower.acts() {
		t.Error("not exactly one acts")
	}
	note := filepath.Join(dir, "note")
	n := alert.Notice{Event: alert.Event{Kind: alert.Fired, Actions: []alert.Action{{Do: alert.Bell}, {Do: alert.File, Name: note}}}}
	follower.Deliver(n)
	if err := follower.keep([]alert.Event{n.Event}); err != nil {
		t.Error(err)
	}
	leader.Close(patience)
	if _, err := os.Stat(note); err == nil || bells != 1 {
		t.Errorf("the follower acted, %d bells", bells)
	}
	if kept, _ := os.ReadFile(filepath.Join(dir, "alerts.jsonl")); len(kept) != 0 {
		t.Errorf("the follower kept %q", kept)
	}
	if !follower.acts() {
		t.Error("nobody acts when the leader is gone")
	}
	if n.Actions[1].Name != note || len(n.Actions) != 2 {
		t.Error("the notice was changed")
	}
}

// What was to be delivered when the program was killed is delivered by the next run: in
// order, before anything new, with the same IDs; what was delivered is not sent again.
func TestDeliverySurvivesKill(t *testing.T) {
	var got []action.Message
	var up atomic.Bool
	tried, served := make(chan struct{}, 100), make(chan struct{}, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if !up.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			tried <- struct{}{}
			return
		}
		var m action.Message
		_ = json.NewDecoder(q.Body).Decode(&m)
		got = append(got, m)
		served <- struct{}{}
	}))
	defer server.Close()
	r := newRestarts(t, server.URL)

	a := r.begin()
	if !a.acts() {
		t.Fatal("it does not lead")
	}
	events := crossing(1, alert.Fired, alert.Cleared)
	if err := a.keep(events); err != nil {
		t.Fatal(err)
	}
	a.Deliver(alert.Notice{Event: events[0]})
	a.Deliver(alert.Notice{Event: events[1]})
	<-tried
	if err := a.keep(crossing(3, alert.Fired)); err != nil { // held back by the folder
		t.Fatal(err)
	}
	r.die(a)
	text, err := os.ReadFile(filepath.Join(r.dir, "alerts.jsonl"))
	if err != nil || strings.Count(string(text), `"do":`) != 3 || strings.Contains(string(text), "s3cret") || strings.Contains(string(text), "127.0.0.1") {
		t.Fatalf("%v: %s", err, text)
	}

	up.Store(true)
	a = r.begin()
	if _, err := a.others(); err != nil { // as each second
		t.Fatal(err)
	}
	for range 3 {
		<-served
	}
	later := crossing(4, alert.Cleared)
	if err := a.keep(later); err != nil {
		t.Fatal(err)
	}
	a.Deliver(alert.Notice{Event: later[0]})
	<-served
	a.Close(patience)
	var words []string
	for _, m := range got {
		words = append(words, m.Event)
	}
	if strings.Join(words, " ") != "fired cleared fired cleared" || got[0].ID != events[0].Key() || got[1].ID != events[1].Key() {
		t.Errorf("got %v, IDs %s and %s", words, got[0].ID, got[1].ID)
	}

	a = r.begin()
	a.acts()
	a.Close(patience)
	if len(got) != 4 {
		t.Errorf("%d are sent again", len(got)-4)
	}
}

// The end of the program leaves to the next run what it cannot deliver, and says so.
func TestDeliverySurvivesEnd(t *testing.T) {
	released, asked := make(chan struct{}), make(chan struct{}, 10)
	var keys []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		keys = append(keys, q.Header.Get("Idempotency-Key"))
		asked <- struct{}{}
		select {
		case <-released:
		case <-q.Context().Done():
		}
	}))
	defer server.Close()
	r := newRestarts(t, server.URL)
	a := r.begin()
	a.acts()
	events := crossing(1, alert.Fired)
	if err := a.keep(events); err != nil {
		t.Fatal(err)
	}
	a.Deliver(alert.Notice{Event: events[0]})
	<-asked
	a.Close(patience / 20) // as after a signal
	close(released)
	a = r.begin()
	a.acts()
	<-asked
	a.Close(patience)
	if len(keys) != 2 || keys[0] != keys[1] {
		t.Errorf("sent as %v", keys)
	}
}

// A target that the config does not name any more is said, and holds up nothing.
func TestDeliveryWithoutTarget(t *testing.T) {
	r := newRestarts(t, "http://127.0.0.1:1")
	a := r.begin()
	a.acts()
	if err := a.keep(crossing(1, alert.Fired)); err != nil {
		t.Fatal(err)
	}
	r.die(a)
	r.targets = action.Targets{}
	a = r.begin()
	a.acts()
	a.Close(patience)
	if p, err := r.begin().journal.Take(time.Now()); err != nil || len(p.Notices)+len(p.Events) > 0 {
		t.Errorf("%+v waits, %v", p, err)
	}
}

// Of invented hosts nobody is told but who looks, and nothing is kept.
func TestInvented(t *testing.T) {
	dir, asked := t.TempDir(), make(chan struct{}, 100)
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked <- struct{}{} }))
	defer server.Close()
	guarded := guard.New(func(e *guard.PanicError) { t.Error(e, string(e.Stack)) })
	rule, err := alert.ParseRule(`\Disk\Queue>5`)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "note")
	rule.Interval = time.Second
	rule.Actions = []alert.Action{
		{Do: alert.Log}, {Do: alert.Bell}, {Do: alert.File, Name: file}, {Do: alert.Webhook, Name: "hook"}, {Do: alert.Alertmanager, Name: "am"},
		{Do: alert.Task, Name: "touch"}, {Do: alert.Record, Name: "none"},
	}
	bells, lines := make(chan action.Request, 100), make(chan alert.Notice, 100)
	p := New(Options{
		Dir: dir, Clock: session.NewSystemClock(), Go: guarded.Go, Leads: true, Invented: true, Report: func(err error) { t.Error(err) },
		Rules: []alert.Rule{rule}, Terminal: func(r action.Request) { bells <- r }, Log: func(n alert.Notice) { lines <- n },
		Targets: action.Targets{Alerts: config.Alerts{
			Webhooks:      map[string]config.Webhook{"hook": {URL: server.URL}},
			Alertmanagers: []config.Alertmanager{{Name: "am", URLs: []string{server.URL}, Repeat: time.Millisecond}},
			Tasks:         map[string]config.Task{"touch": {Command: []string{"touch", file}}},
		}},
	})
	clock := session.NewSystemClock()
	sampler := session.NewSampler("db", fake.New(fake.Script{Name: "db", Sets: []fake.Set{{
		Name: "Disk", Counters: []fake.Counter{{Name: "Queue", Type: cooker.CounterRawCount, Is: fake.Const(9)}},
	}}}, clock), clock)
	ctx, cancel := context.WithCancel(t.Context())
	judged := make(chan struct{})
	guarded.Go(func() { sampler.Run(ctx) })
	guarded.Go(func() {
		defer close(judged)
		p.Run(ctx)
	})
	p.Watch().Add("db", sampler)
	<-lines
	<-bells
	if len(p.Watch().Engine().Firing(alert.Alertmanager)) != 1 || p.firing() != nil {
		t.Error("Alertmanagers are told again")
	}
	cancel()
	<-judged
	p.Close(patience) // when all is done
	if left, _ := os.ReadDir(dir); len(left) > 0 || len(asked) > 0 {
		t.Errorf("%d files, %d calls", len(left), len(asked))
	}
}
