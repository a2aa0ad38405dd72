package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/app/pipeline"
	"perfdeck/session/config"
	"perfdeck/session/deliver/action"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/system/guard"
	"perfdeck/session/system/sharedtest"
)

// received are the messages of a webhook.
type received struct {
	mu   sync.Mutex
	list []action.Message
}

func (r *received) ServeHTTP(_ http.ResponseWriter, q *http.Request) {
	var m action.Message
	_ = json.NewDecoder(q.Body).Decode(&m)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, m)
}

func (r *received) all() []action.Message {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.list
}

// TestEndToEnd lets a host cross a limit: the program, the webhook, the log and
// the board of the screens all show one event.
func TestEndToEnd(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no sh on Windows")
	}
	dir := t.TempDir()
	t.Setenv("XDG_STATE_HOME", dir)
	hook := &received{}
	server := httptest.NewServer(hook)
	defer server.Close()
	note := filepath.Join(dir, "note")
	file, warnings, err := config.Parse("config.toml", []byte(`
[[alert]]
name = "queue"
when = '\Disk(*)\Queue > 5'
severity = "critical"
interval = 1
then = ["task:note", "webhook:hook", "bell"]

[tasks.note]
command = ["sh", "-c", 'printf "%s|%s|%s|%s\n" "$1" "$2" "$3" "$PERFDECK_ALERT_HOST" >> `+note+`', "sh", "{name}", "{counter}", "{value}"]

[webhooks.hook]
url = "`+server.URL+`"
`))
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	p := &program{environ: []string{"PATH=" + os.Getenv("PATH")}, config: file}
	p.guard = guard.New(func(e *guard.PanicError) { t.Error(e, string(e.Stack)) })
	var mu sync.Mutex
	var lines []alert.Notice
	var bells int
	a := p.newPipeline(pipeline.Options{
		Rules: file.Alerts.Rules, Leads: true, Report: func(err error) { t.Error(err) },
		Log:      func(n alert.Notice) { mu.Lock(); defer mu.Unlock(); lines = append(lines, n) },
		Terminal: func(r action.Request) { mu.Lock(); defer mu.Unlock(); bells++ },
	}, false)
	clock := session.NewSystemClock()
	source := fake.New(fake.Script{Name: "db", Sets: []fake.Set{{
		Name: "Disk", Instances: session.MultipleInstances, Rows: []fake.Row{{Name: "C:"}, {Name: "D: $(x)", Times: 9}},
		Counters: []fake.Counter{{Name: "Queue", Type: cooker.CounterRawCount, Is: fake.Const(1)}},
	}}}, clock)
	sampler := session.NewSampler("db", source, clock)
	ctx, cancel := context.WithCancel(t.Context())
	judged := make(chan struct{})
	p.guard.Go(func() { sampler.Run(ctx) })
	p.guard.Go(func() {
		defer close(judged)
		a.Run(ctx)
	})
	a.Watch().Add("db", sampler)
	sharedtest.Until(t, "the webhook", func() bool { return len(hook.all()) > 0 })
	board := a.Watch().Board()
	cancel()
	<-judged
	a.Close(pipeline.Closing) // lets the program end

	const path = `\\db\Disk(D: $(x))\Queue`
	if all := hook.all(); len(all) != 1 || all[0].Path != path || *all[0].Value != 9 || all[0].Event != "fired" {
		t.Errorf("webhook: %+v", all)
	}
	if text, err := os.ReadFile(note); err != nil || string(text) != "queue|"+path+"|9|db\n" {
		t.Errorf("program: %q, %v", text, err)
	}
	if len(lines) != 1 || bells != 1 || lines[0].Path != path {
		t.Errorf("log: %+v, %d bells", lines, bells)
	}
	if len(board.Active) != 1 || board.Active[0].State != alert.Firing || board.Active[0].Path != path || board.Count != [3]int{0, 0, 1} || len(board.History) != 1 {
		t.Errorf("board: %+v", board)
	}
	kept, err := os.ReadFile(filepath.Join(dir, "perfdeck", "alerts.jsonl"))
	if err != nil || strings.Count(string(kept), `"e":`) != 1 {
		t.Errorf("journal: %q, %v", kept, err)
	}
}

// What is tried on the invented hosts of the demo is not kept as that of real ones, on no way.
func TestDemoForgets(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	for _, demo := range []bool{false, true} {
		p := &program{config: new(config.Config), flags: flags{Demo: demo}}
		p.guard = guard.New(func(e *guard.PanicError) { t.Error(e) })
		o := p.pipelineOptions(pipeline.Options{Report: func(err error) { t.Error(err) }}, false)
		if o.Invented != demo || (o.Dir == "") != demo {
			t.Errorf("the demo %v: %v, %q", demo, o.Invented, o.Dir)
		}
	}
}
