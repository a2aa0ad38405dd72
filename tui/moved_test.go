package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/hosts/fake"
	"perfdeck/tui/pane"
)

// slowDisk is a host whose disk is slow for five minutes, after half an hour.
func slowDisk() fake.Script {
	slow := fake.Window{From: 30 * time.Minute, To: 35 * time.Minute}
	burst := func(lo, hi, worse float64) fake.Motion {
		return fake.Burst(fake.Walk(lo, hi, 9*time.Second), fake.Walk(worse*lo, worse*hi, 9*time.Second), slow)
	}
	return fake.Script{Name: "db07", Sets: []fake.Set{
		{Name: "Disk", Instances: session.MultipleInstances, Rows: []fake.Row{{Name: "C:"}}, Counters: []fake.Counter{
			{Name: "Latency", Type: cooker.CounterRawCount, Is: burst(4, 6, 9)},
			{Name: "Queue", Type: cooker.CounterRawCount, Is: burst(20, 30, 20)},
		}},
		{Name: "Other", Counters: []fake.Counter{
			{Name: "Users", Type: cooker.CounterRawCount, Is: fake.Walk(100, 120, 15*time.Second)},
			{Name: "Sessions", Type: cooker.CounterRawCount, Is: fake.Walk(400, 440, 25*time.Second)},
		}},
	}}
}

func movedOptions() rigOptions {
	return rigOptions{
		hosts: script(slowDisk()), history: 2 * time.Hour,
		paths:  []string{`\Disk(C:)\Latency`, `\Disk(C:)\Queue`, `\Other\Users`, `\Other\Sessions`},
		alerts: []alert.Rule{mustRule(`\Disk(*)\Latency>20`)},
	}
}

func mustRule(text string) alert.Rule {
	r, err := alert.ParseRule(text)
	if err != nil {
		panic(err)
	}
	r.Interval = time.Second
	return r
}

// A user selects the bad time with the keys, asks what moved, marks two, and has them in
// lanes over that time.
func TestWhatMovedByKeys(t *testing.T) {
	onScreens(t, movedOptions(), func(r *rig) {
		r.begin(36 * 60)
		r.press("[", "B")
		r.shows("a span begins at")
		r.press("[", "[", "[", "[", "[", "B")
		r.shows("selected 5 min from", "C tells what moved")
		from, to, ok := r.root.desk.SpanEnds()
		if !ok || to.Sub(from) != 5*time.Minute {
			t.Fatalf("selected is %v to %v", from, to)
		}
		r.press("C")
		r.pass(time.Second)
		r.shows("What moved", "2 counters of 4 moved", "Latency", "Queue")
		r.hides("Users", "Sessions")
		r.press("space", "space", "enter")
		r.shows("view lanes", "Latency", "Queue", "selected", "zoomed")
		r.hides("Users")
		if axis := r.row("┴"); !strings.Contains(axis, "[") || !strings.Contains(axis, "]") {
			t.Errorf("the span is not marked on the axis: %s", axis)
		}
		r.press("C", "v")
		r.pass(time.Second)
		r.shows("What went along with")
		r.press("esc")
		r.shows("[5 Chart]")
		r.press("esc")
		if !r.root.desk.Selected.IsNone() {
			t.Error("esc did not clear the span")
		}
	})
}

// Dragging across the chart selects, on any chart; C without a span looks at the last
// minutes.
func TestWhatMovedByDragging(t *testing.T) {
	onScreens(t, movedOptions(), func(r *rig) {
		r.begin(36 * 60)
		r.press("c", "5", ")")
		r.send(tea.MouseClickMsg{X: 50, Y: 8, Button: tea.MouseLeft})
		r.send(tea.MouseMotionMsg{X: 80, Y: 8, Button: tea.MouseLeft})
		r.send(tea.MouseReleaseMsg{X: 80, Y: 8, Button: tea.MouseLeft})
		r.settle()
		r.shows("selected 2 min 4")
		if r.root.desk.Past() {
			t.Error("the cursor stayed where the button went down")
		}
		r.press("esc", "C")
		r.pass(time.Second)
		r.shows("lately", "5 min", "2 counters of 4 moved")
	})
}

// On Alerts the span is that of the alert that is selected.
func TestWhatMovedInAnAlert(t *testing.T) {
	onScreens(t, movedOptions(), func(r *rig) {
		r.begin(33 * 60)
		r.press("6", "C")
		r.pass(time.Second)
		r.shows(`What moved alert \Disk(*)\Latency>20`, "Latency", "Queue")
		from := r.root.moved
		r.pass(4 * time.Minute)
		r.press("esc", "tab", "tab", "C") // the events: the newest tells that it is well again
		r.pass(time.Second)
		r.shows("What moved alert", "2 counters of 4 moved", "5 min")
		if r.root.moved == from {
			t.Error("the span of the event is that of the alert while it fired")
		}
	})
}

// B and C are the same on every screen: they do something or say why not.
func TestSpanKeysOnEveryScreen(t *testing.T) {
	onScreens(t, movedOptions(), func(r *rig) {
		r.begin(120)
		for _, tab := range r.root.tabs {
			r.root.desk.Selected = pane.Span{}
			r.press(tab.key, "B")
			if !r.root.desk.Selected.IsOpen() {
				t.Errorf("on %s B begins no span", tab.screen.Title())
			}
			r.press("B")
			r.shows("another end")
			r.press("[", "B", "C")
			r.pass(time.Second)
			r.shows("What moved")
			r.press("esc")
			if r.root.screen() != tab.screen {
				t.Errorf("esc leads from what moved to %s, not to %s", r.root.screen().Title(), tab.screen.Title())
			}
			r.press(".")
		}
	})
}
