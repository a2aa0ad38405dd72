package deck

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/hosts/fake"
	"perfdeck/tui/pane"
)

// Clicks on the deck of one host.
func TestClicks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, 120, 34, nil, synctest.Wait)
		watch := alert.NewWatch(alert.Options{Clock: r.Clock, Rules: []alert.Rule{ruleOf(t, `\Processor Information(_Total)\% Processor Time>10`)}})
		r.Desk.Alerts = watch
		m := quiet("one")
		for i := range 60 {
			m.processes = append(m.processes, fake.Row{Name: fmt.Sprint("task", i), Number: uint64(100 + i)})
		}
		h := r.host(m.script())
		watch.Add(h.Name, h.Sampler.(*session.Sampler))
		r.Go(watch.Run)
		r.book.HostsChanged()
		r.Clock.Advance(0)
		r.book.Load(h, nil)
		r.pass(20)
		d := r.book.Own(h)
		last := func(what string, is func(pane.Intent) bool) {
			t.Helper()
			if !is(r.Last()) {
				t.Errorf("%s: %T %+v\n%s", what, r.Last(), r.Last(), r.Text())
			}
		}
		r.clickOn("Queue Len", 0) // a row: select, open
		if got := r.Row("►"); !strings.Contains(got, "Queue Len") {
			t.Errorf("selected: %q", got)
		}
		r.clickOn("Queue Len", 0)
		last("a row again", func(i pane.Intent) bool { _, ok := i.(pane.OpenExplain); return ok })

		core := d.laid.places[1] // a core: select, Top
		r.clickAt(core.X+4, core.Y+2)
		if at := d.selectedLine(); d.focus != 1 || at != 1 {
			t.Errorf("core %d of pane %d is selected", at, d.focus)
		}
		r.clickAt(core.X+4, core.Y+2)
		last("a core again", func(i pane.Intent) bool { o, ok := i.(pane.OpenTop); return ok && o.Key.Name == "0,1" })

		r.clickOn("Memory", 0) // a title: focus, zoom, back
		if d.panes[d.focus].set.Name != "Memory" || d.zoomed {
			t.Errorf("pane %d is focused", d.focus)
		}
		r.clickOn("Memory", 0)
		if !d.zoomed {
			t.Errorf("a title again does not zoom:\n%s", r.Text())
		}
		r.clickOn("Memory", 0)
		if d.zoomed {
			t.Error("a third time does not end it")
		}

		top := scaleText(r.Row("PhysicalDisk")) // a scale: hold, free
		r.clickOn(top, 0)
		r.pass(1)
		r.Shows("=" + top)
		r.clickOn("="+top, 0)
		r.pass(1)
		r.Hides("=" + top)
		r.clickOn("100 %", 0)
		last("the scale of percentages", func(i pane.Intent) bool { s, ok := i.(pane.Say); return ok && strings.Contains(s.Text, "percentages") })

		r.clickOn("10·", 0) // the number of a limit
		last("a limit", func(i pane.Intent) bool { g, ok := i.(pane.GoTo); return ok && g.Tab == pane.TabAlerts })
		r.Sent = nil
		r.clickOn("▲", 0)
		last("a sign", func(i pane.Intent) bool { g, ok := i.(pane.GoTo); return ok && g.Tab == pane.TabAlerts })
		r.clickOn("t top", 0)
		last("more", func(i pane.Intent) bool { o, ok := i.(pane.OpenTop); return ok && o.Set.Name == "Process" })

		p := d.laid.places[0] // a graph: the moment of the cell
		r.clickAt(p.X+1+42-3, p.Y+3)
		last("a graph", func(i pane.Intent) bool {
			m, ok := i.(pane.MoveTo)
			ago := r.Desk.Now().Sub(m.At)
			return ok && !m.At.IsZero() && ago >= 3*time.Second && ago <= 8*time.Second
		})
	})
}

// scaleText is the top of the scale that the first title with a pair in a line shows.
func scaleText(row string) string {
	for _, unit := range []string{" MB/s", " KB/s", " B/s"} {
		if at := strings.Index(row, unit); at > 0 {
			return row[strings.LastIndexByte(row[:at], ' ')+1:][:at-strings.LastIndexByte(row[:at], ' ')-1] + unit
		}
	}
	return ""
}

// Every bar of processors that have no room for meters can be chosen.
func TestBarClicks(t *testing.T) {
	m := quiet("one")
	m.cpus = 16
	onDeck(t, 80, 22, []fake.Script{m.script()}, func(r *rig) {
		r.pass(5)
		d := r.book.Own(r.Desk.Hosts[0])
		p := d.laid.places[1]
		if p.W < 16 {
			t.Fatalf("no bars in %+v:\n%s", p, r.Text())
		}
		for i := range 16 {
			r.clickAt(p.X+i, p.Y+p.H-1)
			if at := d.selectedLine(); d.focus != 1 || at != i {
				t.Errorf("bar %d chooses %d of pane %d", i, at, d.focus)
			}
		}
	})
}

// Of one host that never answered the line that offers another try can be clicked.
func TestWaitingClick(t *testing.T) {
	onDeck(t, 80, 22, []fake.Script{silentFrom("mute", 0)}, func(r *rig) {
		r.pass(3)
		r.clickOn("try again now", 0)
		if e, ok := r.Last().(pane.RetryHost); !ok || e.Host == nil || e.Host.Name != "mute" {
			t.Errorf("R: %+v", r.Last())
		}
	})
}
