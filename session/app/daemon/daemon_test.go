package daemon

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/app/inventory"
	"perfdeck/session/app/pipeline"
	"perfdeck/session/config"
	"perfdeck/session/files/note"
	"perfdeck/session/files/note/notebook"
	"perfdeck/session/give/push"
	"perfdeck/session/recording/recorders"
	"perfdeck/session/system/guard"
)

// rig is a daemon over hosts of the demo, and all that it works with.
type rig struct {
	*testing.T

	known *inventory.Inventory
	d     *Daemon
	setup *Setup
	wrong error // of the config that is read again
	hosts []string
	stays bool

	begun  bool
	judged int // times that it told so

	records, pushes follower
	notes           []note.Note
	failed          chan struct{}
	hangup          func()

	mu   sync.Mutex
	said []string
}

// follower notes which hosts it has.
type follower struct{ has []string }

func (f *follower) Add(h inventory.Host) { f.has = append(f.has, h.Name) }
func (f *follower) Drop(name string) {
	f.has = slices.DeleteFunc(f.has, func(n string) bool { return n == name })
}
func (f *follower) Start(string) error        { return nil }
func (f *follower) Stop(string) error         { return nil }
func (f *follower) SetPlans([]recorders.Plan) {}
func (f *follower) StartAlways()              {}
func (f *follower) Files() []string           { return nil }
func (f *follower) Await(context.Context)     {}
func (f *follower) Close()                    {}
func (f *follower) Set([]push.Entry)          {}
func (r *rig) Note(n *note.Note)              { r.say("note " + n.Text) }
func (r *rig) Failed() <-chan struct{}        { return r.failed }
func (r *rig) HasFailed() bool                { return session.IsClosed(r.failed) }
func (r *rig) OnHangup(do func())             { r.with(func() { r.hangup = do }) }
func (r *rig) Keep() func()                   { return func() {} }
func (r *rig) SetFiles([]string)              {}
func (r *rig) News() (n []note.Note, err error) {
	r.with(func() { n, r.notes = r.notes, nil })
	return n, nil
}

// with does what touches fields that the daemon's goroutine touches, too.
func (r *rig) with(do func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	do()
}

// goesOn tells that the daemon listens to hangups, which it does while it runs.
func (r *rig) goesOn() (does bool) {
	r.with(func() { does = r.hangup != nil })
	return does
}

func (r *rig) say(text string) { r.with(func() { r.said = append(r.said, text) }) }

// heard is what was said since it was asked for last.
func (r *rig) heard() (out string) {
	r.with(func() { out, r.said = strings.Join(r.said, "\n"), nil })
	return out
}

func (r *rig) rules(texts ...string) (out []alert.Rule) {
	for _, text := range texts {
		text, once := strings.CutSuffix(text, " once")
		rule, err := alert.ParseRule(text)
		if err != nil {
			r.Fatal(err)
		}
		if rule.Interval = time.Second; once {
			rule.Interval = alert.Once
		}
		rule.Actions = []alert.Action{{Do: alert.Log}}
		out = append(out, rule)
	}
	return out
}

// watching runs a daemon over hosts in a bubble, and returns what it ends with. during is
// called while it runs, and ends it if nothing else does.
func watching(t *testing.T, hosts, rules []string, during func(r *rig)) (ended error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := &rig{T: t, hosts: hosts, failed: make(chan struct{})}
		guarded := guard.New(func(e *guard.PanicError) { t.Error(e, string(e.Stack)) })
		r.known = inventory.New(inventory.Options{Config: new(config.Config), Demo: true, Clock: func() session.Clock { return session.NewSystemClock() }, Go: guarded.Go, Named: func() int { return 0 }})
		r.setup = &Setup{Rules: r.rules(rules...), Hosts: r.open(), Stays: func() (stays bool) { r.with(func() { stays = r.stays }); return stays }}
		r.d = New(Options{
			Alerts: pipeline.Options{
				Clock: session.NewSystemClock(), Go: guarded.Go, Report: func(err error) { r.say("wrong: " + err.Error()) }, Tell: r.say,
				Log: func(n alert.Notice) { r.say(n.Line()) },
			},
			Records: &r.records, Pushes: &r.pushes, Notes: r, Output: r, Life: r,
			Begun: func() { r.with(func() { r.begun = true }) }, Judging: func() { r.with(func() { r.judged++ }) },
			Reload: func(take func(*Setup)) {
				if r.wrong == nil {
					take(r.setup)
				}
			},
		}, r.setup)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			ended = r.d.Run(ctx)
		}()
		synctest.Wait()
		during(r)
		cancel()
		<-done
		r.known.Close()
		synctest.Wait()
	})
	return ended
}

// open opens hosts of the demo.
func (r *rig) open() (out []inventory.Host) {
	all, err := r.known.Open(nil, inventory.Mode{})
	for _, h := range all {
		if slices.Contains(r.hosts, h.Name) {
			out = append(out, h)
		} else {
			_ = h.Source.Close()
		}
	}
	if err != nil || len(out) != len(r.hosts) {
		r.Fatal(err, len(out), r.hosts)
	}
	return out
}

const everywhere = `\Memory\Available MBytes>1`

// Hosts come and go with the config that is read again, for recordings and pushes too; one
// that is wrong changes nothing.
func TestReload(t *testing.T) {
	err := watching(t, []string{"web02", "dc01"}, []string{everywhere}, func(r *rig) {
		time.Sleep(5 * time.Second)
		if said := r.heard(); strings.Count(said, "fired") != 2 {
			t.Errorf("said %q", said)
		}
		r.wrong = errors.New("line 3")
		r.hangup()
		synctest.Wait()
		if len(r.records.has) != 2 || !r.begun || r.judged == 0 {
			t.Errorf("has %v, begun %v, judged %d", r.records.has, r.begun, r.judged)
		}
		r.wrong, r.hosts = nil, []string{"web02"}
		r.setup = &Setup{Rules: r.setup.Rules, Hosts: r.open(), Stays: r.setup.Stays}
		r.hangup()
		synctest.Wait()
		if !slices.Equal(r.records.has, r.hosts) || !slices.Equal(r.pushes.has, r.hosts) {
			t.Errorf("has %v and %v", r.records.has, r.pushes.has)
		}
		if said := r.heard(); strings.Count(said, "cleared") != 1 || !strings.Contains(said, "dc01") || !strings.Contains(said, "no longer watched") {
			t.Errorf("said %q", said)
		}
		r.setup = &Setup{Rules: r.rules(`\None\Such>1`), Hosts: r.open(), Stays: r.setup.Stays}
		r.hangup()
		time.Sleep(time.Minute)
		synctest.Wait()
		if !r.goesOn() {
			t.Error("a config without a rule that can be judged ends it")
		}
	})
	if err != nil {
		t.Error(err)
	}
}

// It ends when nothing is left to judge, unless something else goes on.
func TestEnd(t *testing.T) {
	once := `\Memory\Available MBytes>1 once`
	for name, c := range map[string]struct {
		rules []string
		stays bool
		want  error
		runs  bool
	}{
		"all judged once":       {[]string{once}, false, nil, false},
		"some judged once":      {[]string{once, `\None\Such>1`}, false, ErrSome, false},
		"none can be judged":    {[]string{`\None\Such>1`}, false, ErrNone, false},
		"something else stays":  {[]string{once}, true, nil, true},
		"a rule that goes on":   {[]string{everywhere}, false, nil, true},
		"one that does besides": {[]string{everywhere, once}, false, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			runs := false
			err := watching(t, []string{"web02"}, c.rules, func(r *rig) {
				r.with(func() { r.stays = c.stays })
				time.Sleep(time.Minute)
				synctest.Wait()
				runs = r.goesOn()
			})
			if !errors.Is(err, c.want) || runs != c.runs {
				t.Errorf("%v, goes on: %v", err, runs)
			}
		})
	}
}

// Notes are printed that were not there before; nobody who reads is the end.
func TestNotesAndReaders(t *testing.T) {
	err := watching(t, []string{"web02"}, []string{`\Memory\Available MBytes<1`}, func(r *rig) {
		r.heard()
		r.with(func() { r.notes = []note.Note{{Text: "deployed"}} })
		time.Sleep(notebook.LookEvery)
		synctest.Wait()
		if said := r.heard(); said != "note deployed" {
			t.Errorf("said %q", said)
		}
		close(r.failed)
		synctest.Wait()
		if r.goesOn() {
			t.Error("it goes on though nobody reads")
		}
	})
	if err != nil {
		t.Error(err)
	}
}
