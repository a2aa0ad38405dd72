package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"perfdeck/session"
	"perfdeck/session/clocktest"
	"perfdeck/session/hosts/fake"
	"perfdeck/tui/pane"
)

// A host that leaves while messages about it are on their way is not looked for.
func TestMessagesOfARemovedHost(t *testing.T) {
	onScreens(t, rigOptions{hosts: func(c *clocktest.Clock) []fake.Host { return fake.Demo(c) }, w: 160}, func(r *rig) {
		r.begin(3)
		for len(r.root.watched) > 1 {
			w := r.root.watched[0]
			r.want(pane.RemoveHost{Host: w.Host})
			for _, msg := range []tea.Msg{
				catalogueReady{w}, snapshotReady{w}, pane.OpenHost{Host: w.Host},
				pane.OpenHosts{Hosts: []*pane.Host{w.Host}}, pane.OpenHosts{Hosts: []*pane.Host{w.Host, r.root.desk.Hosts[0]}},
				pane.RetryHost{Host: w.Host}, pane.AddPaths{Host: w.Host, Paths: []string{`\Memory\Cache Bytes`}}, drawNow{r.root.pacing.drawing}, pane.Reask{},
			} {
				if i, ok := msg.(pane.Intent); ok {
					r.want(i)
					continue
				}
				_, _ = r.root.Update(msg) // what it causes waits for the host
			}
			r.press("1", "t", "x", "esc", "1")
			if h := r.root.focused(); h == w.Host {
				t.Errorf("%s is focused", h.Name)
			}
			r.pass(2 * time.Second)
		}
	})
}

// Undo while an explanation is above a table whose rows ended asks for what the
// table wants.
func TestUndoAboveATable(t *testing.T) {
	rows := []fake.Row{{Name: "steady", Number: 1}}
	for i := range 40 {
		rows = append(rows, fake.Row{Name: fmt.Sprintf("short-%d", i), Number: uint64(i + 2), Alive: during(0, 9*time.Second)})
	}
	onScreens(t, rigOptions{hosts: script(workers(nil, rows...)), paths: []string{`\Memory\Available MBytes`, busiestPath}}, func(r *rig) {
		r.begin(3)
		r.press("d", "3")
		r.pass(3 * time.Second)
		r.press("x")
		r.pass(30 * time.Second)
		r.press("u", "esc")
		r.hides("short-3")
		r.shows("steady")
	})
}

// Where it is asked for, and where nobody looks, values are drawn seldom; but
// they are, whether hosts answer or not, and keys at once.
func TestDrawsSeldom(t *testing.T) {
	for _, c := range []struct {
		name        string
		low, blur   bool
		silent      bool
		least, most int // drawings in 60 s
	}{
		{name: "low bandwidth", low: true, least: 15, most: 21},
		{name: "blurred", blur: true, least: 9, most: 13},
		{name: "blurred, both", low: true, blur: true, least: 9, most: 13},
		{name: "blurred, no answers", blur: true, silent: true, least: 9, most: 13},
	} {
		t.Run(c.name, func(t *testing.T) {
			faults := []fake.Fault(nil)
			if c.silent {
				faults = []fake.Fault{{Window: during(12*time.Second, 0), Latency: time.Hour}}
			}
			onScreens(t, rigOptions{hosts: script(workers(faults, fake.Row{Name: "p", Number: 1}))}, func(r *rig) {
				r.begin(10)
				if r.root.frugal(c.low); c.blur {
					r.send(tea.BlurMsg{})
				}
				r.pass(5 * time.Second) // a silent host is told at once
				n := 0
				for range 60 {
					last := r.root.pacing.drawn
					r.beat()
					if r.root.pacing.drawn != last {
						n++
					}
				}
				if n < c.least || n > c.most {
					t.Errorf("drawn %d times in 60 s", n)
				}
				last := r.root.pacing.drawn
				r.clock.Advance(time.Second)
				r.send(keyPress("j"))
				if r.root.pacing.drawn == last {
					t.Error("a key is not answered")
				}
			})
		})
	}
}

// beat lets a second pass as bubbletea does: nothing is drawn before its time.
func (r *rig) beat() {
	due := r.root.rests(0)
	r.clock.Advance(time.Second)
	for _, w := range r.root.watched {
		select {
		case <-w.Feed.Ready():
			r.send(snapshotReady{w})
		default:
		}
	}
	if n := r.root.pacing.drawing; n != 0 && due <= time.Second {
		r.send(drawNow{n})
	}
	r.send(clockTick{})
}

// The clock goes on at its pace when the only host falls silent, and draws nothing
// beside snapshots that come.
func TestClockGoesOnWithoutAnswers(t *testing.T) {
	silent := []fake.Fault{{Window: during(20*time.Second, 0), Hang: true}}
	onScreens(t, rigOptions{hosts: script(workers(silent, fake.Row{Name: "p", Number: 1}))}, func(r *rig) {
		r.begin(5)
		n, last := 0, r.root.pacing.drawn
		send := func(msg tea.Msg) {
			r.send(msg)
			if r.root.pacing.drawn == last {
				return
			}
			if gap := r.root.pacing.drawn.Sub(last); gap > 1250*time.Millisecond {
				t.Errorf("%v without a drawing before %v", gap, r.root.pacing.drawn.Sub(start))
			}
			n, last = n+1, r.root.pacing.drawn
		}
		for r.clock.Now().Wall.Sub(start) < 60*time.Second {
			tick, began := r.root.tick(), time.Now()
			tick()
			for left := time.Since(began); left > 0; left -= 50 * time.Millisecond { // of the bubble
				r.clock.Advance(min(left, 50*time.Millisecond))
				for _, w := range r.root.watched {
					select {
					case <-w.Feed.Ready():
						send(snapshotReady{w})
					default:
					}
				}
			}
			send(clockTick{})
		}
		if n > 60 {
			t.Errorf("drawn %d times in 55 s", n)
		}
	})
}

// What was taken hold of with the mouse means nothing on another screen, nor
// after a dialog.
func TestGripOfAnotherScreen(t *testing.T) {
	var kept session.Saved
	onScreens(t, rigOptions{w: 140, kept: &kept, save: func() {}}, func(r *rig) {
		r.begin(3)
		x, y := 2, 33 // below the panes
		r.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
		r.press("3")
		r.pass(time.Second)
		r.send(tea.MouseMotionMsg{X: 90, Y: 9, Button: tea.MouseLeft})
		r.send(tea.MouseReleaseMsg{X: 90, Y: 9, Button: tea.MouseLeft})
		if len(kept.Tables) != 0 {
			t.Errorf("a drag on the deck changed a table: %+v", kept.Tables)
		}
		for _, at := range [][2]int{{0, 0}, {139, 0}, {139, 35}, {-5, -5}, {500, 500}} { // and edges
			for _, button := range []tea.MouseButton{tea.MouseLeft, tea.MouseRight} {
				r.send(tea.MouseClickMsg{X: at[0], Y: at[1], Button: button})
				r.send(tea.MouseMotionMsg{X: -1, Y: 900, Button: button})
				r.send(tea.MouseReleaseMsg{X: 900, Y: -1, Button: button})
				r.press("esc")
			}
			r.send(tea.MouseWheelMsg{X: at[0], Y: at[1], Button: tea.MouseWheelDown})
		}
	})
}

// The wheel above the tabs is not that of the pane with the number of the tab.
func TestWheelAboveTabs(t *testing.T) {
	onScreens(t, rigOptions{hosts: func(c *clocktest.Clock) []fake.Host { return fake.Demo(c) }, w: 160}, func(r *rig) {
		r.begin(3)
		before := r.focused()
		r.scroll("3 Top", tea.MouseWheelDown)
		if r.focused() != before {
			t.Errorf("the focus went from %q to %q", before, r.focused())
		}
	})
}

// Of several paths some of which are wrong, those that were added can be taken
// back.
func TestAddSomeOfSeveral(t *testing.T) {
	onScreens(t, rigOptions{}, func(r *rig) {
		r.begin(3)
		r.want(pane.AddPaths{Host: r.root.desk.Hosts[0], Paths: []string{`\PhysicalDisk(_Total)\% Idle Time`, `\No\Such`}})
		r.pass(time.Second)
		r.shows("PhysicalDisk")
		r.press("u")
		r.pass(5 * time.Second)
		r.hides("PhysicalDisk")
	})
}

// fleetOf is n small hosts.
func fleetOf(n, processes int) func(*clocktest.Clock) []fake.Host {
	return func(c *clocktest.Clock) []fake.Host {
		var out []fake.Host
		for i := range n {
			s := workers(nil)
			s.Name = fmt.Sprintf("srv%03d", i)
			for p := range processes {
				s.Sets[0].Rows = append(s.Sets[0].Rows, fake.Row{Name: fmt.Sprintf("worker-%d", p), Number: uint64(p + 1)})
			}
			out = append(out, fake.Host{Name: s.Name, Source: fake.New(s, c)})
		}
		return out
	}
}

// 200 hosts come, are looked at, and go, whatever is shown; in short runs 60.
func TestManyHosts(t *testing.T) {
	kept, n, left := session.Saved{}, 200, 50
	if testing.Short() {
		n, left = 60, 15
	}
	onScreens(t, rigOptions{hosts: fleetOf(n, 3), w: 160, h: 48, kept: &kept, save: func() {}, paths: []string{`\Memory\Available MBytes`, busiestPath}}, func(r *rig) {
		r.begin(3)
		r.shows(fmt.Sprint("of ", n), fmt.Sprint(n, " hosts"))
		r.press("D")
		r.dialogs(1)
		if n := strings.Count(r.text(), "its own deck"); n > 20 {
			t.Errorf("%d hosts are in the menu", n)
		}
		r.press("esc", "W")
		r.write("all")
		r.press("enter")
		r.pass(2 * time.Second)
		if panes := len(kept.Decks[0].Panes); panes != 2*n {
			t.Errorf("the deck of all has %d panes", panes)
		}
		r.press("G", "g", "esc", "2", "G", "enter")
		for range n - left {
			r.want(pane.RemoveHost{Host: r.root.desk.Hosts[len(r.root.desk.Hosts)/2]})
		}
		r.pass(2 * time.Second)
		r.press("1", "2", "3", "4", "5", "7", "8", "1")
		if n := len(r.root.watched); n != left {
			t.Errorf("%d hosts are left", n)
		}
	})
}

// A beat of 200 hosts: their snapshots are taken and drawn together. Reading them takes
// very much longer than that: ns/tick is without.
func BenchmarkFleetTick(b *testing.B) {
	for _, screen := range []string{"1", "2"} {
		b.Run("screen "+screen, func(b *testing.B) {
			r := benchRig(b, rigOptions{w: 200, h: 60, hosts: fleetOf(200, 100), paths: []string{`\Memory\Available MBytes`, busiestPath}}, 4)
			r.press(screen)
			r.pass(2 * time.Second)
			var took time.Duration
			for b.Loop() {
				r.clock.Advance(time.Second)
				for _, w := range r.root.watched {
					select {
					case <-w.Feed.Ready():
					default:
					}
				}
				began := time.Now()
				for _, w := range r.root.watched {
					r.root.Update(snapshotReady{w})
				}
				r.root.Update(drawNow{r.root.pacing.drawing})
				took += time.Since(began)
			}
			b.ReportMetric(float64(took.Nanoseconds())/float64(b.N), "ns/tick")
		})
	}
}
