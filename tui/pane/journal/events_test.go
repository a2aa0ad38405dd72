package journal

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/hosts/fake/faketest"
	"perfdeck/session/system/failure"
	"perfdeck/tui/canvas"
	"perfdeck/tui/pane"
	"perfdeck/tui/panetest"
)

// told is what a host tells, without being read.
type told struct{ session.EventState }

func (t *told) Want(time.Duration, func([]session.HostEvent)) func() { return func() {} }
func (t *told) State() session.EventState                            { return t.EventState }

func (t *told) add(e session.HostEvent) {
	e.Until, e.Count = e.Time, max(1, e.Count)
	t.Events, t.Round = append(t.Events, e), t.Round+1
}

const hostile = "\x1b]0;owned\a\x1b[2J\u202edrowssap\nnext\r" // and the like

// eventRig is the story, and events of a host beside it.
func eventRig(t testing.TB, w, h int) (*rig, *told) {
	r := newRig(t, w, h, story()...)
	events := &told{}
	at := func(back time.Duration) time.Time { return now.Add(-back) }
	events.add(session.HostEvent{Time: at(25*time.Hour + time.Minute), Level: session.EventWarning, Log: "System", Source: "disk", ID: "153", Known: "disk-retried", Names: []string{"1 D:"}, Text: "IO at " + hostile, Count: 3, Own: at(25 * time.Hour)})
	events.add(session.HostEvent{Time: at(50 * time.Minute), Level: session.EventError, Log: "journal", Source: "shop" + hostile, Unit: "shop", PID: 77, Text: hostile})
	events.add(session.HostEvent{Time: at(45 * time.Minute), Known: session.EventGap, Names: []string{"4 s"}})
	events.add(session.HostEvent{Time: at(30 * time.Minute), Level: session.EventCritical, Log: "System", Source: "Kernel-Power", ID: "41", Known: "unexpected-restart", Text: "The system has rebooted"})
	r.Desk.Hosts[0].Events = events
	r.Draw()
	return r, events
}

// Events of hosts stand among the rest by their times: our sentence, or who wrote it and what; the
// rest of what is known of the selected one is below.
func TestEventsAmongTheRest(t *testing.T) {
	r, events := eventRig(t, 100, 30)
	all, last := r.Canvas.String(), -1
	for _, text := range []string{"812 counters", "disk 1 D: repeated a transfer, 3 times", "stale: read", "down: connection", "owned", "not read for 4 s", "disk full", "restarted unexpectedly", "59 min"} {
		i := strings.Index(all, text)
		if i <= last {
			t.Errorf("%q is not shown behind what came before:\n%s", text, all)
		}
		last = i
	}
	if strings.ContainsAny(all, "\x1b\a\r\u202e") || r.Desk.Journal.Keep != nil {
		t.Errorf("%q", all)
	}
	r.Click("restarted unexpectedly")
	r.Shows("■ critical", "The system has rebooted", "System log, Kernel-Power, id 41", "how the clock of the host stands to ours is not known")
	r.Press("enter")
	if m, ok := r.Last().(pane.MoveTo); !ok || !m.At.Equal(now.Add(-30*time.Minute)) || r.screen.Selected()[0].Host != r.Desk.Hosts[0] {
		t.Errorf("enter sends %#v", r.Last())
	}
	was := r.Selected()
	events.Events = append([]session.HostEvent{}, events.Events...)
	events.Events[3].Count = 7
	events.add(session.HostEvent{Time: now, Source: "cron", Text: "new"})
	r.Draw()
	if !strings.Contains(r.Selected(), "unexpectedly, 7 times") {
		t.Errorf("%q is selected, it was %q", r.Selected(), was)
	}
	r.Shows("cron: new", "2 newer")
}

func TestFilterOfEvents(t *testing.T) {
	r, _ := eventRig(t, 100, 30)
	for _, c := range []struct {
		text  string
		level pane.Level
		want  int
	}{
		{"", pane.Info, 10}, {"", pane.Careful, 6}, {"", pane.Critical, 2}, {"source:disk", pane.Info, 1}, {"unit=shop", pane.Info, 1}, {"id:41 or id:153", pane.Info, 2},
		{"log:system", pane.Info, 2}, {"host:sql", pane.Info, 7}, {"rebooted", pane.Info, 1}, {"level:warning", pane.Info, 2}, {"!log~e", pane.Info, 8},
	} {
		if err := r.screen.search.Set(c.text); err != nil {
			t.Fatal(err)
		}
		r.screen.level, r.screen.stale = c.level, true
		r.Draw()
		if n := r.screen.entries(len(r.screen.Rows)); n != c.want {
			t.Errorf("%q from %d on: %d, want %d\n%s", c.text, c.level, n, c.want, r.Canvas)
		}
	}
}

// Why a host tells nothing stands above, with what can be done about it.
func TestWhyNoEvents(t *testing.T) {
	r, events := eventRig(t, 120, 30)
	events.Err = fmt.Errorf("sql01: journal: %w", session.ErrDenied)
	events.Err = failure.WithHint(events.Err, "add the account to the group systemd-journal")
	r.Desk.Hosts[1].Events = &told{session.EventState{Err: session.ErrNoEvents}}
	r.Draw()
	r.Shows("no events of sql01: journal: access denied (add the account to the group systemd-journal)", "web02: hosts")
	events.Err = errors.New("sql01: " + strings.Repeat("long ", 200))
	for _, size := range [][2]int{{40, 12}, {60, 15}, {80, 24}} {
		r.Sound(size[0], size[1], canvas.Full)
	}
}

func TestSweepOfEvents(t *testing.T) {
	r, events := eventRig(t, 120, 34)
	for i, name := range faketest.HostileNames() {
		events.add(session.HostEvent{Time: now.Add(time.Duration(i) * time.Second), Level: session.EventLevel(i % 5), Log: name, Source: name, ID: name, Unit: name, Known: "unit-failed", Names: []string{name, hostile}, Text: strings.Repeat(name, 1+1000/(1+len(name)))})
	}
	for _, key := range []string{"G", "k", "g", "v"} {
		r.Press(key)
		for _, glyphs := range []canvas.GlyphSet{canvas.Full, canvas.ASCII} {
			for _, size := range panetest.GrowingSizes(5) {
				r.Sound(size[0], size[1], glyphs)
			}
		}
	}
}
