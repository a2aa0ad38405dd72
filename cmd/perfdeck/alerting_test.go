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
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/alert/action"
	"perfdeck/session/alert/rulepack"
	"perfdeck/session/config"
	"perfdeck/session/source/fake"
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
	p.guard = session.NewGuard(func(e *session.PanicError) { t.Error(e, string(e.Stack)) })
	var mu sync.Mutex
	var lines []alert.Notice
	var bells int
	a := p.newAlerting(alertingOptions{
		rules: file.Alerts.Rules, leads: true, report: func(err error) { t.Error(err) },
		log:      func(n alert.Notice) { mu.Lock(); defer mu.Unlock(); lines = append(lines, n) },
		terminal: func(r action.Request) { mu.Lock(); defer mu.Unlock(); bells++ },
	})
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
		a.watch.Run(ctx)
	})
	a.watch.Add("db", sampler)
	for end := time.Now().Add(time.Minute); len(hook.all()) == 0 && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
	}
	board := a.watch.Board()
	cancel()
	<-judged
	a.close() // lets the program end

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
	if err != nil || strings.Count(string(kept), "\n") != 1 {
		t.Errorf("journal: %q, %v", kept, err)
	}
}

// A second process beside one that leads tells its own terminal only.
func TestFollower(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_STATE_HOME", dir)
	p := &program{config: &config.Config{}}
	p.guard = session.NewGuard(func(e *session.PanicError) { t.Error(e, string(e.Stack)) })
	bells := 0
	begin := func() *alerting {
		return p.newAlerting(alertingOptions{report: func(err error) { t.Error(err) }, terminal: func(action.Request) { bells++ }})
	}
	leader, follower := begin(), begin()
	defer follower.close()
	if !leader.acts() || follower.acts() {
		t.Error("not exactly one acts")
	}
	note := filepath.Join(dir, "note")
	n := alert.Notice{Event: alert.Event{Kind: alert.Fired, Actions: []alert.Action{{Do: alert.Bell}, {Do: alert.File, Name: note}}}}
	follower.deliver(n)
	if err := follower.keep([]alert.Event{n.Event}); err != nil {
		t.Error(err)
	}
	leader.close()
	if _, err := os.Stat(note); err == nil || bells != 1 {
		t.Errorf("the follower acted, %d bells", bells)
	}
	if kept, _ := os.ReadFile(filepath.Join(dir, "perfdeck", "alerts.jsonl")); len(kept) != 0 {
		t.Errorf("the follower kept %q", kept)
	}
	if !follower.acts() {
		t.Error("nobody acts when the leader is gone")
	}
	if n.Actions[1].Name != note || len(n.Actions) != 2 {
		t.Error("the notice was changed")
	}
}

func TestAlertRules(t *testing.T) {
	file, _, err := config.Parse("f", []byte("[alerts]\npacks = [\"disk\"]\n[[alert]]\nname = \"slow disk\"\nwhen = '\\A\\B>1'\n[[alert]]\nwhen = '\\\\.\\A\\B>2'\n"))
	if err != nil {
		t.Fatal(err)
	}
	rules, err := rulesOf(file, []string{"memory"}, []string{`\A\B>3`})
	if err != nil || rules[0].Origin != commandLine || rules[1].Name != "slow disk" || rules[2].When.Path.Computer != localName() {
		t.Fatalf("%v, %+v", err, rules)
	}
	e := alert.NewEngine(rules, 0, nil, nil)
	for _, r := range e.Rules() {
		if r.Name == "slow disk" && r.When.Path.Object != "A" {
			t.Error("a pack wins over the config")
		}
	}
	for _, text := range []string{"", "x", `\A\B`, `\*\A>5`} {
		if _, mistakes := alertRules([]string{text}); len(mistakes) != 1 {
			t.Errorf("%q is taken", text)
		}
	}
}

func TestUnitWord(t *testing.T) {
	for word, want := range map[string]string{
		"--host=web01":           "--host=web01",
		`--alert=\M\% A>5`:       `"--alert=\\M\\%% A>5"`,
		`--alert=\M\"$x"`:        `"--alert=\\M\\\"$$x\""`,
		"":                       `""`,
		"--config=/etc/a b.toml": `"--config=/etc/a b.toml"`,
		"--alert=a;b":            `"--alert=a;b"`,
		"--alert=two\nlines":     `"--alert=two\x0alines"`,
		"--alert=\x1b\u202e\xff": `"--alert=\x1b\xe2\x80\xae\xff"`,
	} {
		if got := unitWord(word); got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
	}
}

// No pack is on unless it is named; all are offered on the screens.
func TestPacksAreNamed(t *testing.T) {
	if rules, err := rulesOf(&config.Config{}, nil, nil); err != nil || len(rules) != 0 {
		t.Errorf("without a word: %v, %v", rules, err)
	}
	offered := packsOffered()
	if len(offered) != len(rulepack.Names()) {
		t.Errorf("%d packs are offered", len(offered))
	}
	for _, p := range offered {
		if rules, err := rulesOf(&config.Config{}, []string{p.Name}, nil); err != nil || len(rules) != len(p.Rules) || len(rules) == 0 || p.About == "" {
			t.Errorf("%s: %q, %d rules, %d offered, %v", p.Name, p.About, len(rules), len(p.Rules), err)
		}
	}
}
