package tui

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"perfdeck/session"
	"perfdeck/session/clocktest"
	"perfdeck/session/hosts/fake"
	"perfdeck/tui/pane"
	"perfdeck/tui/terminal"
)

// mute is a host that tells its counters when it is let, or why it does not.
type mute struct {
	session.Source
	told chan error
}

func (s *mute) Catalogue(ctx context.Context) (*session.Catalogue, error) {
	select {
	case err := <-s.told:
		if err != nil {
			return nil, err
		}
		return s.Source.Catalogue(ctx)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// onMute runs a test on a host that has not told its counters. let lets it.
func onMute(t *testing.T, test func(r *rig, let func(error))) {
	t.Helper()
	var host *mute
	hosts := func(c *clocktest.Clock) []fake.Host {
		host = &mute{fake.Demo(c)[0].Source, make(chan error, 1)}
		return []fake.Host{{Name: "sql01", Source: host}}
	}
	onScreens(t, rigOptions{hosts: hosts}, func(r *rig) {
		r.settle()
		test(r, func(err error) {
			host.told <- err
			r.settle()
			r.pass(3 * time.Second)
		})
	})
}

// What is typed for a counter of a host that has not told its counters yet is there
// when it has; esc drops it, and a host that does not tell drops it too.
func TestTypedBeforeTheCounters(t *testing.T) {
	add := func(r *rig) {
		r.press("a")
		r.write("disk sec tr")
		r.press("enter", "j")
		r.dialogs(0)
		r.shows("waiting for the counters of sql01", "13 keys wait, esc drops them")
	}
	onMute(t, func(r *rig, let func(error)) {
		add(r)
		let(nil)
		r.dialogs(0)
		r.shows("PhysicalDisk", "0 C:")
		r.hides("esc drops")
	})
	onMute(t, func(r *rig, let func(error)) {
		add(r)
		r.press("esc")
		r.shows("dropped what was typed ahead")
		let(nil)
		r.dialogs(0)
		r.hides("0 C:")
	})
	onMute(t, func(r *rig, let func(error)) {
		add(r)
		r.press("q")
		let(errors.New("no"))
		r.dialogs(0)
		if r.shows("not told its counters"); r.quit {
			t.Error("q was meant for the dialog")
		}
	})
}

// The palette finds what a host tells while it is open, and does it when it was
// chosen before.
func TestTypedIntoThePaletteBeforeTheCounters(t *testing.T) {
	onMute(t, func(r *rig, let func(error)) {
		r.press(":")
		r.write("disk sec trans")
		r.dialogs(1)
		r.press("enter", "z")
		r.dialogs(1)
		let(nil)
		r.dialogs(0)
		r.shows("PhysicalDisk", "0 C:")
	})
	onMute(t, func(r *rig, let func(error)) {
		r.press(":")
		r.write("disk sec trans")
		let(nil)
		r.dialogs(1)
		r.shows("PhysicalDisk")
	})
}

// More keys than can be kept do not take more memory, and are told of; those that no
// dialog takes do not wait.
func TestKeysThatWaitAreBounded(t *testing.T) {
	onMute(t, func(r *rig, let func(error)) {
		r.press("a")
		r.write(strings.Repeat("x", 2*mostAhead))
		if n := len(r.root.ahead.kept); n != mostAhead {
			t.Errorf("%d are kept", n)
		}
		r.shows("no more keys can wait")
		before := r.out.repaints
		if r.press("ctrl+l"); r.out.repaints == before {
			t.Error("nothing is painted anew")
		}
		if r.press("ctrl+c"); !r.quit {
			t.Error("it does not end")
		}
		let(nil)
	})
}

// slowly connects when it is let, and then asks for an account.
func slowly(r *rig) (let func()) {
	answer := make(chan struct{})
	r.root.options.Connect = func(pane.AddHosts) ([]*pane.Host, error) {
		<-answer
		return nil, &session.NoAccountError{Names: []string{"win01"}, Account: "likely", Err: errors.New("no account")}
	}
	return func() { close(answer); r.settle() }
}

// What is typed behind the name of a host goes to the form that asks for its
// account; who does not wait for it is not asked.
func TestTypedBehindAHost(t *testing.T) {
	onScreens(t, rigOptions{}, func(r *rig) {
		r.begin(3)
		let := slowly(r)
		r.press("7", "a")
		r.write("win01")
		r.press("enter")
		r.write("ana")
		r.press("tab")
		r.write("s3cret")
		r.dialogs(0)
		r.shows("connecting to win01", "10 keys wait")
		let()
		r.dialogs(1)
		r.shows("Log on to win01", "ana", "••••••")
		r.hides("s3cret", "keys wait")
	})
	onScreens(t, rigOptions{}, func(r *rig) {
		r.begin(3)
		let := slowly(r)
		r.press("7", "a")
		r.write("win01")
		r.press("enter", "d", "esc", "1", "j")
		let()
		r.dialogs(0)
		r.shows("no account", "[1 Deck]")
	})
}

// Where the terminal is bubbletea's, keys behind ctrl+z wait until the program goes on.
func TestTypedBehindSuspend(t *testing.T) {
	onScreens(t, rigOptions{}, func(r *rig) {
		r.begin(3)
		r.root.output = &rendered{sheet: r.root.sheet(), input: terminal.NewInput(nil), watch: func() {}}
		r.send(keyPress("ctrl+z"))
		r.send(keyPress("?"))
		r.dialogs(0)
		r.settle()
		r.dialogs(1)
	})
}

// Keys behind one that ends the program do nothing.
func TestTypedBehindTheEnd(t *testing.T) {
	onScreens(t, rigOptions{}, func(r *rig) {
		r.begin(3)
		before := r.text()
		r.send(keyPress("q"))
		for _, k := range []string{"d", "a", "2"} {
			r.send(keyPress(k))
		}
		r.send(tea.PasteMsg{Content: "x"})
		if r.settle(); !r.quit || r.text() != before {
			t.Errorf("quit %v:\n%s", r.quit, r.text())
		}
	})
}

// A host that refuses its account asks for another only while the user does nothing
// else.
func TestRefusalsBetweenKeys(t *testing.T) {
	onScreens(t, rigOptions{}, func(r *rig) {
		r.begin(3)
		r.press("7", "a")
		r.write("den01")
		r.press("enter", "j")
		r.pass(2 * time.Second)
		r.dialogs(0)
		r.shows("den01 refuses")
	})
}

// What an intent causes is done before what was put behind it.
func TestIntentsKeepTheirOrder(t *testing.T) {
	onScreens(t, rigOptions{}, func(r *rig) {
		r.begin(3)
		var order []string
		ask := func(name string, then func()) pane.Intent {
			return pane.Close{Then: func() {
				order = append(order, name)
				if then != nil {
					then()
				}
			}}
		}
		r.root.desk.Send(ask("1", func() {
			r.root.desk.Send(ask("1.1", func() { r.root.desk.Send(ask("1.1.1", nil)) }))
			r.root.desk.Send(ask("1.2", nil))
		}))
		r.root.desk.Send(ask("2", nil))
		r.send(nil)
		if got := strings.Join(order, " "); got != "1 1.1 1.1.1 1.2 2" {
			t.Errorf("they are done as %s", got)
		}
	})
}

// The keys of a burst are brought to the terminal together, a single one at once, and
// those of a user who holds one down several times.
func TestBurstIsShownOnce(t *testing.T) {
	onScreens(t, rigOptions{}, func(r *rig) {
		r.begin(3)
		shown := func(keys int, gap, wait time.Duration) int {
			before := r.out.shows
			for range keys {
				r.send(keyPress("j"))
				time.Sleep(gap) // of the bubble
				r.arrive()
			}
			for range 5 {
				time.Sleep(wait)
				r.arrive()
			}
			return r.out.shows - before
		}
		if n := shown(40, 0, burstGap); n != 1 {
			t.Errorf("a burst is shown %d times", n)
		}
		if n := shown(1, burstGap, 0); n != 1 {
			t.Errorf("a key is shown %d times", n)
		}
		if n := shown(100, burstGap/2, burstGap); n < 2 || n > 10 {
			t.Errorf("keys that come all the time are shown %d times", n)
		}
		if r.root.pacing.showing {
			t.Error("something is still to be shown")
		}
	})
}
