package pipeline

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/config"
	"perfdeck/session/deliver/action"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/system/guard"
)

// What a host says itself in an event is known to who asks for its events, and stands nowhere else: not in what
// webhooks, Alertmanagers, files, tasks and the log are told, not in what is kept, and not on the board.
func TestTextsOfEventsStayThere(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell for a task: ", err)
	}
	const secret = "hunter2"
	told := make(chan string, 100)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		told <- string(body)
	}))
	defer server.Close()
	guarded := guard.New(func(e *guard.PanicError) { t.Error(e, string(e.Stack)) })
	dir, clock := t.TempDir(), session.NewSystemClock()
	note, env := filepath.Join(t.TempDir(), "note"), filepath.Join(t.TempDir(), "env")
	rule, err := alert.ParseRule("event journal:systemd/*>0 in 10m")
	if err != nil {
		t.Fatal(err)
	}
	rule.Actions = []alert.Action{
		{Do: alert.Log}, {Do: alert.File, Name: note}, {Do: alert.Webhook, Name: "hook"}, {Do: alert.Alertmanager, Name: "am"}, {Do: alert.Task, Name: "env"},
	}
	lines := make(chan alert.Notice, 100)
	p := New(Options{
		Dir: dir, Clock: clock, Go: guarded.Go, Leads: true, Report: func(err error) { t.Error(err) }, Rules: []alert.Rule{rule}, Around: true,
		Log: func(n alert.Notice) { lines <- n },
		Targets: action.Targets{Alerts: config.Alerts{
			Webhooks:      map[string]config.Webhook{"hook": {URL: server.URL}},
			Alertmanagers: []config.Alertmanager{{Name: "am", URLs: []string{server.URL}, Repeat: time.Minute}},
			Tasks:         map[string]config.Task{"env": {Command: []string{"sh", "-c", "env > '" + env + "'"}, Timeout: patience, Most: 1}},
		}},
	})
	happens := fake.Event{At: time.Second}
	happens.Count, happens.Log, happens.Source, happens.ID = 1, "journal", "systemd", "d9b373ed"
	happens.Known, happens.Names, happens.Text = "unit-failed", []string{"nginx", "exit-code"}, "ExecStart=/bin/nginx --password="+secret
	sampler := session.NewSampler("web01", fake.New(fake.Script{Name: "web01", Events: []fake.Event{happens}}, clock), clock)
	ctx, cancel := context.WithCancel(t.Context())
	judged := make(chan struct{})
	guarded.Go(func() { sampler.Run(ctx) })
	guarded.Go(func() {
		defer close(judged)
		p.Run(ctx)
	})
	p.Watch().Add("web01", sampler)
	n := <-lines
	all := map[string]string{"the line": n.Text(), "a body": <-told, "another": <-told, "the board": fmt.Sprintf("%+v", *p.Watch().Board().Active[0])}
	if events := sampler.Events().State().Events; len(events) != 1 || !strings.Contains(events[0].Text, secret) {
		t.Errorf("events %+v", events)
	}
	cancel()
	<-judged
	p.Close(patience) // when all is done
	for _, root := range []string{dir, filepath.Dir(note), filepath.Dir(env)} {
		err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(name)
			all[name] = string(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	written, err := json.Marshal(n)
	if err != nil {
		t.Fatal(err)
	}
	all["the notice"] = string(written)
	for where, text := range all {
		if strings.Contains(text, secret) || strings.Contains(text, "ExecStart") {
			t.Errorf("%s has what the host said: %s", where, text)
		}
	}
	const sentence = "service nginx failed: exit-code (journal:systemd/d9b373ed)"
	for _, where := range []string{"the line", "a body", "another", note, env, filepath.Join(dir, "alerts.jsonl")} {
		if !strings.Contains(all[where], sentence) {
			t.Errorf("%s does not say what it was: %q", where, all[where])
		}
	}
}
