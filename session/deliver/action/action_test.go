package action

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"perfdeck/session/alert"
)

var start = time.Date(2026, 3, 2, 14, 7, 32, 0, time.UTC)

// notice is one that fired, with actions.
func notice(actions ...string) alert.Notice {
	ev := alert.Event{
		Seq: 7, Time: start, Kind: alert.Fired, Severity: alert.Critical,
		ID:   alert.ID{Rule: "slow disk", Host: "db", Set: "Disk", Counter: "sec/Read", Name: "C:"},
		Path: `\\db\Disk(C:)\sec/Read`, Instance: "C:", Op: '>', Limit: 0.025, Value: new(0.0412),
		Shown: "41.2 ms", ShownLimit: "25.0 ms", UserText: "call ana",
	}
	for _, text := range actions {
		a, ok := alert.ParseAction(text)
		if !ok {
			panic(text)
		}
		ev.Actions = append(ev.Actions, a)
	}
	return alert.Notice{Event: ev}
}

// faults collects what a runner reports.
type faults struct {
	mu   sync.Mutex
	list []error
}

func (f *faults) report(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = append(f.list, err)
}

func (f *faults) all() []error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.list
}

// text is what was reported, a line each.
func (f *faults) text() string {
	var lines []string
	for _, err := range f.all() {
		lines = append(lines, err.Error())
	}
	return strings.Join(lines, "\n")
}

// runner makes a runner that the end of the test closes.
func runner(t *testing.T, o Options) (*Runner, *faults) {
	t.Helper()
	f := &faults{}
	o.Go, o.Report = func(f func()) { go f() }, f.report
	r := New(o)
	t.Cleanup(func() { r.Close(0) })
	return r, f
}

// settle waits until all is done.
func settle(r *Runner) {
	for _, p := range r.all() {
		<-p.whenIdle()
	}
}

func TestFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "alerts.log")
	r, f := runner(t, Options{})
	r.Deliver(notice("file:" + name))
	hostile := notice("file:" + name)
	hostile.ID.Rule = "a\nb\x1b[2J"
	r.Deliver(hostile)
	burst := notice("file:" + name)
	burst.More = []alert.Event{{ID: alert.ID{Host: "db2"}}, {ID: alert.ID{Host: "db"}}}
	r.Deliver(burst)
	settle(r)
	text, err := os.ReadFile(name)
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if err != nil || len(lines) != 3 || lines[0] != `2026-03-02T14:07:32Z critical fired "slow disk": \\db\Disk(C:)\sec/Read: 41.2 ms > 25.0 ms` ||
		!strings.HasSuffix(lines[2], ", and 2 more on 2 hosts: db2, db") || strings.Contains(string(text), "\x1b") || len(f.all()) > 0 {
		t.Errorf("%q, %v, %s", text, err, f.text())
	}
	if info, _ := os.Stat(name); runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	r.Deliver(notice("file:" + filepath.Join(dir, "none", "x")))
	r.Deliver(notice("file:" + dir))
	settle(r)
	if list := f.all(); len(list) != 2 || !errors.Is(list[0], fs.ErrNotExist) || !errors.Is(list[1], errNotFile) {
		t.Errorf("reported %s", f.text())
	}
}

func TestTerminal(t *testing.T) {
	var got []Request
	r, _ := runner(t, Options{Terminal: func(q Request) { got = append(got, q) }})
	r.Deliver(notice("log"))
	r.Deliver(notice("bell", "title"))
	hostile := notice("desktop")
	hostile.ID.Rule = "a;b\x1b\\\a\u202e"
	r.Deliver(hostile)
	if len(got) != 2 || !got[0].Bell || !strings.Contains(got[0].Title, "slow disk") || got[0].Heading != "" || got[1].Bell || got[1].Heading != "perfdeck: critical" {
		t.Fatalf("%+v", got)
	}
	if b := string(got[0].Sequences(OSC9)); !strings.HasPrefix(b, "\a\x1b]2;critical fired") || !strings.HasSuffix(b, "\x1b\\") {
		t.Errorf("%q", b)
	}
	for _, d := range []Desktop{OSC9, OSC777} {
		// Nothing of a name begins or ends a sequence.
		q := Request{Heading: "a;b\x1b]0;x\a", Body: "9;4;1\x1b\\\x9b"}
		b := string(q.Sequences(d))
		if strings.Count(b, "\x1b") != 2 || strings.ContainsAny(b, "\a\u009b") {
			t.Errorf("%q", b)
		}
		if d == OSC777 && strings.Count(b[:strings.Index(b, "a,b")], ";") != 2 {
			t.Errorf("%q", b)
		}
	}
	for environ, want := range map[string]Desktop{"TERM=xterm-256color": OSC9, "TERM=foot": OSC777, "VTE_VERSION=7600": OSC777, "VTE_VERSION=": OSC9} {
		if got := DesktopOf([]string{environ}); got != want {
			t.Errorf("%s: %v", environ, got)
		}
	}
}

// recordings notes what it is asked for.
type recordings struct{ asked []string }

func (r *recordings) Start(name string) error {
	r.asked = append(r.asked, "start "+name)
	return nil
}

func (r *recordings) Stop(name string) error {
	r.asked = append(r.asked, "stop "+name)
	return errors.New("it does not run")
}

func TestRecordings(t *testing.T) {
	rec := &recordings{}
	r, f := runner(t, Options{Recordings: rec})
	r.Deliver(notice("record:night"))
	r.Deliver(notice("stop-record:night"))
	settle(r)
	if strings.Join(rec.asked, ",") != "start night,stop night" || f.text() != "alert action stop-record:night: it does not run" {
		t.Errorf("%v, %s", rec.asked, f.text())
	}
	r, f = runner(t, Options{})
	r.Deliver(notice("record:night", "task:none", "webhook:none"))
	settle(r)
	if len(f.all()) != 3 {
		t.Errorf("reported %s", f.text())
	}
}

// What waits for one target is bounded: the oldest is dropped, and it is said.
func TestQueueIsBounded(t *testing.T) {
	gate, entered := make(chan struct{}), make(chan struct{}, 1000)
	var mu sync.Mutex
	lost, done := 0, 0
	p := &pool{start: func(f func()) { go f() }, most: 3, busy: map[alert.ID]int{}, do: func(j job) {
		entered <- struct{}{}
		<-gate
		mu.Lock()
		defer mu.Unlock()
		lost += j.lost
		done++
	}}
	dropped := 0
	for i := range 1000 {
		if p.put(job{notice: alert.Notice{Event: alert.Event{ID: alert.ID{Name: fmt.Sprint(i)}}}}) != nil {
			dropped++
		}
	}
	for range 3 {
		<-entered
	}
	p.mu.Lock()
	if p.running != 3 || len(p.queue) > mostQueued {
		t.Errorf("%d work, %d wait", p.running, len(p.queue))
	}
	p.mu.Unlock()
	close(gate)
	<-p.whenIdle()
	if done+dropped != 1000 || lost != dropped || dropped < 1000-mostQueued-3 {
		t.Errorf("%d done, %d dropped, %d of them told", done, dropped, lost)
	}
}

// Of one alert one job comes after the other, whatever others do meanwhile.
func TestPoolKeepsOrder(t *testing.T) {
	var mu sync.Mutex
	next, running, most := map[string]int{}, map[string]int{}, 0
	p := &pool{start: func(f func()) { go f() }, most: 4, busy: map[alert.ID]int{}, do: func(j job) {
		name := j.notice.ID.Name
		mu.Lock()
		running[name]++
		total := 0
		for _, n := range running {
			total += n
		}
		most = max(most, total)
		if running[name] > 1 || int(j.notice.Seq) != next[name] {
			t.Errorf("%s: job %d beside %d others, want %d", name, j.notice.Seq, running[name]-1, next[name])
		}
		next[name]++
		mu.Unlock()
		runtime.Gosched()
		mu.Lock()
		running[name]--
		mu.Unlock()
	}}
	for i := range 90 {
		p.put(job{notice: alert.Notice{Event: alert.Event{Seq: uint64(i / 3), ID: alert.ID{Name: fmt.Sprint(i % 3)}}}})
	}
	<-p.whenIdle()
	if next["0"]+next["1"]+next["2"] != 90 || most > 4 {
		t.Errorf("done %v, %d at once", next, most)
	}
}

// Every action that is done in turn is known here.
func TestEveryActionIsDone(t *testing.T) {
	for do := alert.Log; do <= alert.StopSet; do++ {
		if _, ok := inTurn[do]; ok != (do.Place() == alert.InTurn) {
			t.Errorf("%v: done in turn %v", alert.Action{Do: do}, ok)
		}
	}
}
