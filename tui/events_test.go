package tui

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/clocktest"
	"perfdeck/session/hosts/fake"
)

// counted counts who reads the events of a host, and how often.
type counted struct {
	*fake.Source

	open, reads atomic.Int64
}

func (c *counted) Events(ctx context.Context, from session.EventsFrom) (session.EventReader, error) {
	r, err := c.Source.Events(ctx, from)
	if err == nil {
		c.open.Add(1)
	}
	return &countedReader{r, c}, err
}

type countedReader struct {
	session.EventReader

	of *counted
}

func (r *countedReader) Read(ctx context.Context) ([]session.HostEvent, bool, error) {
	r.of.reads.Add(1)
	return r.EventReader.Read(ctx)
}

func (r *countedReader) Close() error {
	r.of.open.Add(-1)
	return r.EventReader.Close()
}

// What hosts write down is read while a screen shows it, of those hosts that it shows, and not otherwise.
func TestEventsAreReadWhileSeen(t *testing.T) {
	var of []*counted
	hosts := func(c *clocktest.Clock) []fake.Host {
		of = nil
		list := fake.Demo(c)
		list = []fake.Host{list[0], list[3]}
		for i := range list {
			of = append(of, &counted{Source: list[i].Source.(*fake.Source)})
			list[i].Source = of[i]
		}
		return list
	}
	onScreens(t, rigOptions{hosts: hosts}, func(r *rig) {
		r.begin(30)
		for _, step := range []struct {
			key   string
			first bool // host of the two
			both  bool
		}{
			{"1", false, false}, {"2", false, false}, {"8", true, true}, {"7", false, false}, {"3", true, false}, {"c", true, false}, {"x", true, false}, {"4", false, false},
			{"6", false, false}, {"8", true, true}, {"9", false, false},
		} {
			r.press(step.key)
			r.pass(3 * time.Second)
			was := of[0].reads.Load()
			r.pass(10 * time.Second)
			reads := of[0].reads.Load() - was
			want := [2]int64{}
			if step.first {
				want[0] = 1
			}
			if step.both {
				want[1] = 1
			}
			if got := [2]int64{of[0].open.Load(), of[1].open.Load()}; got != want || (reads > 0) != step.first {
				t.Errorf("%s: %d readers, want %d; %d reads\n%s", step.key, got, want, reads, r.text())
			}
		}
	})
}

// What is told of a process, a disk or a service stands on its row, as long as it is of that time; on the
// chart of any value of the host; and in the Log.
func TestEventsWhereTheyBelong(t *testing.T) {
	onScreens(t, rigOptions{w: 140}, func(r *rig) {
		r.begin(140)
		r.press("3")
		r.pass(2 * time.Second)
		if row := r.row("SQLAGENT"); !strings.Contains(row, "14:09 ended unexpectedly") {
			t.Errorf("%q\n%s", row, r.text())
		}
		r.press("/")
		r.write("SQLAGENT")
		r.press("enter", "enter")
		r.pass(2 * time.Second)
		r.shows("service SQLSERVERAGENT ended unexpectedly at 14:09:40")
		r.press("enter")
		r.pass(2 * time.Second)
		r.shows("told", "service SQLSERVERAGENT ended unexpectedly at 14:09:40")
		r.press("c")
		r.pass(2 * time.Second)
		r.shows("e 14:09:40 service SQLSERVERAGENT ended unexpectedly")
		r.pass(15 * time.Minute)
		r.press("3")
		if row := r.row("SQLAGENT"); strings.Contains(row, "14:09") {
			t.Errorf("%q", row)
		}
	})
}

// A process that is gone tells who ended it, if the host does.
func TestKilledProcess(t *testing.T) {
	script := fake.Script{Name: "web1", Sets: []fake.Set{{
		Name: "Process", Instances: session.MultipleInstances,
		Rows:     []fake.Row{{Name: "java", Number: 77, Alive: fake.Window{To: 20 * time.Second}}, {Name: "sh", Number: 9}},
		Counters: []fake.Counter{{Name: "% Processor Time", Type: cooker.Timer100ns, Is: fake.Const(7)}},
	}}}
	script.Events = []fake.Event{{HostEvent: session.HostEvent{Level: session.EventError, Log: "kernel", Source: "kernel", PID: 77, Known: "memory-killer", Names: []string{"java", "shop"}}, At: 20 * time.Second}}
	hosts := func(c *clocktest.Clock) []fake.Host { return []fake.Host{{Name: "web1", Source: fake.New(script, c)}} }
	onScreens(t, rigOptions{hosts: hosts}, func(r *rig) {
		r.begin(5)
		r.press("3")
		said := ""
		for range 20 {
			r.pass(time.Second)
			if row := r.row("java"); strings.Contains(row, "gone") {
				said = row
			}
		}
		if !strings.Contains(said, "was killed: memory ran out in shop") {
			t.Errorf("%q", said)
		}
		r.press("[") // a minute back it was there
		r.pass(time.Second)
		if row := r.row("java"); !strings.Contains(row, "was killed") {
			t.Errorf("before that %q\n%s", row, r.text())
		}
	})
}
