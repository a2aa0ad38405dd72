//go:build !windows

package main

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/cmd/perfdeck/screens"
	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/app/inventory"
	"perfdeck/session/app/pipeline"
	"perfdeck/session/config"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/recording/recorders"
	"perfdeck/session/system/guard"
	"perfdeck/session/system/sharedtest"
	"perfdeck/tui/pane"
)

// alertRecorderRig is the recorder of screens with a host that is called db, whose
// alerts can record Night to night.db in a folder; and what is told of.
type alertRecorderRig struct {
	screens.Recorder

	program *program
	alerts  *screenAlerts
	dir     string
	host    inventory.Host

	mu   sync.Mutex
	told []string
}

func newAlertRecorderRig(t *testing.T, goesOn bool) *alertRecorderRig {
	t.Helper()
	g := &alertRecorderRig{dir: t.TempDir()}
	t.Setenv("XDG_STATE_HOME", g.dir)
	t.Setenv("XDG_CONFIG_HOME", g.dir)
	file, _, err := config.Parse("config.toml", []byte("[[record]]\nname = \"night\"\nfile = '"+filepath.Join(g.dir, "night.db")+"'\npaths = ['\\Disk(*)\\Queue']\n"))
	if err != nil {
		t.Fatal(err)
	}
	p := &program{config: file, err: os.Stderr}
	p.guard = guard.New(func(e *guard.PanicError) { t.Error(e, string(e.Stack)) })
	c := &cobra.Command{}
	c.Flags().StringArray("alert", nil, "")
	if g.alerts, err = p.screenAlerts(c, g.tell); err != nil {
		t.Fatal(err)
	}
	clock := session.NewSystemClock()
	source := fake.New(fake.Script{Name: "db", Sets: []fake.Set{{
		Name: "Disk", Instances: session.MultipleInstances, Rows: []fake.Row{{Name: "C:"}},
		Counters: []fake.Counter{{Name: "Queue", Type: cooker.CounterRawCount, Is: fake.Const(1)}},
	}}}, clock)
	g.host = inventory.Host{Name: "db", Sampler: session.NewSampler("db", source, clock)}
	p.guard.Go(func() { g.host.Sampler.Run(t.Context()) })
	for _, f := range g.alerts.followers() {
		f.Add(g.host)
	}
	g.program = p
	g.Recorder = screens.Recorder{Screens: recorders.NewScreens(g.alerts.records.All, p.screenRecording(c, goesOn, func() time.Duration { return time.Second }))}
	t.Cleanup(func() {
		g.alerts.records.Close()
		g.alerts.Close(pipeline.Closing)
	})
	return g
}

func (g *alertRecorderRig) tell(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.told = append(g.told, err.Error())
}

// ofTold is what was told of something.
func (g *alertRecorderRig) ofTold(what string) (out []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, text := range g.told {
		if strings.Contains(text, what) {
			out = append(out, text)
		}
	}
	return out
}

// fire lets an alert do something about its recording.
func (g *alertRecorderRig) fire(do alert.Do) {
	g.alerts.Deliver(alert.Notice{Event: alert.Event{Kind: alert.Fired, Actions: []alert.Action{{Do: do, Name: "Night"}}}})
}

func (g *alertRecorderRig) await(t *testing.T, on bool) pane.Recording {
	t.Helper()
	sharedtest.Until(t, "the recording begins, or ends", func() bool { return g.Status().On == on })
	return g.Status()
}

// An alert on the screens starts a recording of the config, which they show, and
// stops it.
func TestAlertsRecordOnScreens(t *testing.T) {
	g := newAlertRecorderRig(t, false)
	if g.Status().On {
		t.Error("it records already")
	}
	g.fire(alert.Record)
	if s := g.await(t, true); !strings.Contains(s.File, "night") || s.Started.IsZero() {
		t.Errorf("%+v", s)
	}
	g.fire(alert.StopRecord)
	g.await(t, false)
	g.fire(alert.Record)
	g.await(t, true)
	if err := g.Stop(); err != nil || g.Status().On {
		t.Errorf("stopped by the user: %v, %+v", err, g.Status())
	}
	g.fire(alert.Record)
	g.await(t, true)
	g.Leave(false)
	g.End()
	for _, f := range g.alerts.followers() {
		f.Drop("db")
	}
	if s, told := g.Status(), g.ofTold(""); s.On || len(told) > 0 {
		t.Errorf("at the end: %+v, told %q", s, told)
	}
}

// TestKeepRecordingHoldsForAlerts: what becomes of recordings at the end of the
// screens holds for those of alerts, too.
func TestKeepRecordingHoldsForAlerts(t *testing.T) {
	for _, goesOn := range []bool{false, true} {
		g := newAlertRecorderRig(t, goesOn)
		g.fire(alert.Record)
		g.await(t, true)
		// It is described nowhere, so that no process can go on with it.
		if err := os.RemoveAll(filepath.Join(g.dir, "perfdeck")); err != nil {
			t.Fatal(err)
		}
		said, err := os.Create(filepath.Join(t.TempDir(), "said"))
		if err != nil {
			t.Fatal(err)
		}
		g.program.err = said
		g.End()
		text, err := os.ReadFile(said.Name())
		if err != nil {
			t.Fatal(err)
		}
		_ = said.Close()
		if tried := strings.Contains(string(text), "go on with the recording"); tried != goesOn {
			t.Errorf("goes on %v, but it says %q", goesOn, text)
		}
	}
}
