package tui

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/clocktest"
	"perfdeck/session/hosts/fake"
	"perfdeck/tui/pane"
)

// recorder is a recorder that remembers what it was asked.
type recorder struct {
	state pane.Recording
	what  []pane.RecordHost
	goes  *bool
	fails error // Extend and Stop
}

func (r *recorder) Status() pane.Recording { return r.state }
func (r *recorder) Propose() string        { return "deck.db" }
func (r *recorder) Start(file string, what []pane.RecordHost) error {
	r.state, r.what = pane.Recording{On: true, File: file, Samples: 3, Started: start}, what
	return nil
}
func (r *recorder) Lacking(what []pane.RecordHost) string {
	if len(what) > len(r.what) {
		return "more"
	}
	return ""
}
func (r *recorder) Extend(what []pane.RecordHost) error {
	if r.fails == nil {
		r.what = what
	}
	return r.fails
}
func (r *recorder) Stop() error       { r.state.On = r.fails != nil; return r.fails }
func (r *recorder) Leave(goesOn bool) { r.goes = &goesOn }

// The tasks of a deck with no more keys than the user was promised; text that
// is typed does not count.
func TestTasks(t *testing.T) {
	demo := func(c *clocktest.Clock) []fake.Host { return fake.Demo(c) }
	for _, task := range []struct {
		name  string
		hosts func(*clocktest.Clock) []fake.Host
		keys  []string // a word with a blank before it is typed
		most  int
		done  func(r *rig) bool
	}{
		{"add a counter", nil, []string{"a", " disk sec tr", "enter"}, 2,
			func(r *rig) bool { return strings.Contains(r.text(), "PhysicalDisk") }},
		{"process behind a spike", nil, []string{"t"}, 1,
			func(r *rig) bool {
				return strings.Contains(r.text(), "[3 Top]") && strings.Contains(r.text(), "sqlservr")
			}},
		{"add a host", nil, []string{"7", "a", " new01", "enter"}, 3,
			func(r *rig) bool { return r.root.desk.Find("new01") != nil }},
		{"set an alert", nil, []string{"w", " 20", "enter"}, 2,
			func(r *rig) bool {
				rules := r.root.desk.Board().Rules
				return len(rules) == 1 && rules[0].When.Limit == 20
			}},
		{"record", nil, []string{"r", "enter"}, 2,
			func(r *rig) bool { return r.recorder.state.On && len(r.recorder.what) == 1 }},
		{"back five minutes", nil, []string{"{"}, 1, func(r *rig) bool { return r.root.desk.Past() }},
		{"compare two hosts", demo, []string{"2", "space", "space", "enter"}, 4,
			func(r *rig) bool { return strings.Contains(r.text(), "2 hosts") }},
		{"save the deck", nil, []string{"W", " mine", "enter"}, 2,
			func(r *rig) bool { return len(r.root.desk.Kept.Decks) == 1 }},
		{"keep what the chart proposes", nil, []string{"5", "enter"}, 2, func(r *rig) bool {
			return strings.Contains(r.text(), "% Privileged Time ") && !strings.Contains(r.text(), "proposed")
		}},
		{"explain a number", nil, []string{"x"}, 1, func(r *rig) bool { return strings.Contains(r.text(), "formula") }},
		{"change the interval", nil, []string{"i", " 2", "enter"}, 3, func(r *rig) bool { return r.root.interval == 2*time.Second }},
	} {
		t.Run(task.name, func(t *testing.T) {
			onScreens(t, rigOptions{hosts: task.hosts, kept: new(session.Saved), save: func() {}}, func(r *rig) {
				r.begin(20)
				keys := 0
				for _, k := range task.keys {
					if text, typed := strings.CutPrefix(k, " "); typed {
						r.write(text)
						continue
					}
					keys++
					r.press(k)
				}
				r.pass(2 * time.Second)
				if keys > task.most || !task.done(r) {
					t.Errorf("%d keys, done: %v\n%s", keys, task.done(r), r.text())
				}
			})
		})
	}
}

// Quitting while something is recorded asks once what becomes of it.
func TestQuitWhileRecording(t *testing.T) {
	onScreens(t, rigOptions{}, func(r *rig) {
		r.begin(3)
		r.press("r", "enter")
		r.shows("●")
		r.press("q")
		if r.quit {
			t.Fatal("it ended without a word")
		}
		r.dialogs(1)
		r.press("enter") // the safe answer
		if r.quit || len(r.root.dialogs) > 0 {
			t.Fatal("the safe answer is not to stay")
		}
		r.press("q", "down", "enter")
		if !r.quit || r.recorder.goes == nil || !*r.recorder.goes {
			t.Errorf("quit %v, goes on %v", r.quit, r.recorder.goes)
		}
	})
	onScreens(t, rigOptions{}, func(r *rig) {
		r.begin(3)
		r.press("r", "enter", "r", "down", "enter")
		if r.recorder.state.On {
			t.Error("it does not stop")
		}
		r.press("q")
		if !r.quit {
			t.Error("it does not end")
		}
	})
}

// connect opens invented hosts by name. Those that begin with win need an
// account, those that begin with den refuse every one but ana with her password.
func (r *rig) connect(ctx context.Context, ask pane.AddHosts) ([]*pane.Host, error) {
	var out []*pane.Host
	var missing *session.NoAccountError
	for _, name := range strings.Fields(ask.Names) {
		if strings.HasPrefix(name, "win") && ask.Account == "" {
			if missing == nil {
				missing = &session.NoAccountError{Account: "likely", Err: errors.New("log on to " + name + ": no account")}
			}
			missing.Names = append(missing.Names, name)
			continue
		}
		r.ask(name, ask.Account, ask.Password)
		source := &refusing{Source: fake.Demo(r.clock)[2].Source, host: name, rig: r}
		source.refuses.Store(strings.HasPrefix(name, "den"))
		s := session.NewSampler(name, source, r.clock)
		feed := s.Feed(session.FeedOptions{Every: time.Second, History: 2 * time.Minute})
		out = append(out, &pane.Host{Name: name, Sampler: s, Feed: feed, LogOns: source})
		go s.Run(ctx)
	}
	if missing != nil {
		return out, missing
	}
	return out, nil
}

// ask notes what was asked; hosts may be opened at the same time.
func (r *rig) ask(host, account string, password []byte) {
	r.asking.Lock()
	defer r.asking.Unlock()
	r.asked = append(r.asked, host+" "+account+" "+string(password))
}

// refusing is a host that may refuse the log-on.
type refusing struct {
	session.Source
	rig     *rig
	host    string
	refuses atomic.Bool
	paused  time.Duration
}

func (s *refusing) LogOn(account string, password []byte) error {
	s.rig.ask(s.host, account, password)
	s.refuses.Store(account != "ana" || string(password) != "s3cret")
	return nil
}

func (s *refusing) Paused() (string, time.Duration) { return "ana", s.paused }
func (s *refusing) LogOnNow()                       { s.paused = 0 }

func (s *refusing) Catalogue(ctx context.Context) (*session.Catalogue, error) {
	if s.refuses.Load() {
		return nil, fake.Denied(s.host)
	}
	return s.Source.Catalogue(ctx)
}

// A host without an account, and one that refuses its account, ask for another;
// what is typed as a password is seen nowhere.
func TestAccountsAreAsked(t *testing.T) {
	onScreens(t, rigOptions{}, func(r *rig) {
		r.begin(3)
		secret := func() {
			t.Helper()
			if strings.Contains(r.text(), "s3cret") {
				t.Errorf("the password is shown:\n%s", r.text())
			}
		}
		r.press("7", "a")
		r.write("win01 new01 win02")
		r.press("enter")
		r.pass(time.Second)
		r.shows("Log on to win01 and 1 more", "likely")
		r.press("enter") // to the password
		r.write("s3cret")
		secret()
		r.shows("••••••")
		r.press("shift+tab")
		secret()
		r.press("enter")
		r.pass(2 * time.Second)
		want := []string{"new01  ", "win01 likely s3cret", "win02 likely s3cret"}
		if !slices.Equal(r.asked, want) || len(r.root.desk.Hosts) != 4 {
			t.Fatalf("asked %q, want %q", r.asked, want)
		}

		r.asked = nil
		r.press("a")
		r.write("den01")
		r.press("enter")
		r.pass(2 * time.Second)
		r.shows("Log on to den01", "access denied")
		r.press("esc")
		r.pass(2 * time.Second)
		if r.root.dialog() != nil {
			t.Fatal("it is asked again")
		}
		r.press("G")
		for _, password := range []string{"wrong", "s3cret"} {
			r.press("e")
			r.write("ana")
			r.press("tab")
			r.write(password)
			r.press("enter")
			r.pass(2 * time.Second)
		}
		if want := []string{"den01  ", "den01 ana wrong", "den01 ana s3cret"}; !slices.Equal(r.asked, want) {
			t.Errorf("asked %q, want %q", r.asked, want)
		}
		if state := r.root.desk.Find("den01").Sampler.State(); state.Phase != session.Live {
			t.Errorf("den01 is %v", state.Phase)
		}
		r.press("8")
		secret()
		r.press("7", "g", "e")
		if r.root.dialog() != nil {
			t.Error("a host without account is asked for one")
		}
	})
}

// Who looks elsewhere is not disturbed by a refusal.
func TestRefusalsDoNotDisturb(t *testing.T) {
	onScreens(t, rigOptions{}, func(r *rig) {
		r.begin(3)
		r.press("7", "a")
		r.write("den01")
		r.press("enter", "1")
		r.pass(2 * time.Second)
		if r.root.dialog() != nil {
			t.Errorf("a form opens:\n%s", r.text())
		}
		r.shows("den01 refuses")
	})
}

// Hosts come and go while the screens run; a removed one comes back by undo.
func TestHostsComeAndGo(t *testing.T) {
	onScreens(t, rigOptions{}, func(r *rig) {
		r.begin(3)
		r.press("7", "a")
		r.write("new01 new02")
		r.press("enter")
		r.pass(2 * time.Second)
		r.shows("new01", "new02", "sql01")
		r.press("1")
		r.pass(time.Second)
		r.shows("3 hosts")
		r.press("7", "g", "j", "d")
		r.pass(time.Second)
		if len(r.root.desk.Hosts) != 2 {
			t.Fatalf("%d hosts are left:\n%s", len(r.root.desk.Hosts), r.text())
		}
		r.press("u")
		r.pass(2 * time.Second)
		if len(r.root.desk.Hosts) != 3 {
			t.Errorf("undo leaves %d hosts", len(r.root.desk.Hosts))
		}
		for range 4 { // the last one stays
			r.press("7", "d")
		}
		if len(r.root.desk.Hosts) != 1 {
			t.Errorf("%d hosts are left", len(r.root.desk.Hosts))
		}
		r.press("2", "3", "4", "5", "8", "1")
		r.pass(time.Second)
	})
}

// R tries a host that refused at once; where wrong passwords have paused its account
// it asks before.
func TestTryingARefusingHost(t *testing.T) {
	onScreens(t, rigOptions{}, func(r *rig) {
		r.begin(2)
		r.press("7", "a")
		r.write("den01")
		r.press("enter")
		r.settle()
		r.press("esc")
		h := r.root.desk.Find("den01")
		source := h.LogOns.(*refusing)
		tries := func() int { return h.Sampler.State().Tries }
		before := tries()
		r.want(pane.RetryHost{Host: h})
		r.settle()
		if tries() == before {
			t.Error("a host that refused is not tried at once")
		}
		source.paused = 5 * time.Minute
		before = tries()
		r.want(pane.RetryHost{Host: h})
		r.settle()
		r.shows("The password of ana was refused", "5 min")
		if tries() != before {
			t.Error("it is tried before the user said so")
		}
		r.press("enter") // the safe answer
		r.settle()
		if source.paused == 0 || tries() != before {
			t.Error("it is tried though the user said no")
		}
		r.want(pane.RetryHost{Host: h})
		r.press("right", "enter")
		r.settle()
		if source.paused != 0 || tries() == before {
			t.Errorf("paused for %v, %d tries", source.paused, tries())
		}
	})
}
