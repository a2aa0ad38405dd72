package main

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/zalando/go-keyring"

	"perfdeck/session"
	"perfdeck/session/app/inventory"
	"perfdeck/session/app/pipeline"
	"perfdeck/session/app/roster"
	"perfdeck/session/config"
	"perfdeck/session/hosts/logon"
	"perfdeck/session/system/guard"
	"perfdeck/tui/pane"
)

// loggingOn is a program whose standard input is no terminal, and whose keyring is
// empty.
func loggingOn(t *testing.T) *program {
	t.Helper()
	in, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	p := &program{in: in, err: in, environ: os.Environ()}
	p.guard = guard.New(p.panicked)
	p.keyring = func(string, string) (string, error) { return "", keyring.ErrNotFound }
	return p
}

// opened is a host that a program opens.
func opened(t *testing.T, p *program, name string, as *logon.Account) (inventory.Host, error) {
	t.Helper()
	known, err := p.inventory()
	if err != nil {
		t.Fatal(err)
	}
	return known.OpenAs(name, as, inventory.Mode{})
}

// A host without an account is wrong usage; --spn names one host alone.
func TestWhoIsAskedFor(t *testing.T) {
	for _, change := range []func(*program){
		func(*program) {},
		func(p *program) {
			p.flags.User, p.flags.kerberos.SPN, p.flags.Hosts = "ana", "cifs/web", []string{"web", "sql"}
		},
	} {
		p := loggingOn(t)
		p.password = []byte("x")
		change(p)
		known, err := p.inventory()
		if err != nil {
			t.Fatal(err)
		}
		if _, err = known.Remote(inventory.Target{Name: "web", Address: "web"}); p.report(err) != exitUsage {
			t.Errorf("error %v", err)
		}
	}
}

// While the screens are shown nothing is asked on the terminal, and what was not
// asked may be typed on them later.
func TestNothingIsAskedUnderTheScreens(t *testing.T) {
	p := loggingOn(t)
	p.config, p.flags.User = new(config.Config), "ana"
	p.asks.Set(nil)
	for range 2 {
		_, err := opened(t, p, "web", nil)
		none, ok := errors.AsType[*logon.NoAccountError](err)
		if !ok || none.Account != "ana" || !errors.Is(err, logon.ErrOnScreen) {
			t.Fatalf("error %v", err)
		}
	}
	if _, err := p.prompt("password"); !errors.Is(err, logon.ErrOnScreen) {
		t.Errorf("the prompt says %v", err)
	}
	as, err := p.accounts().Typed("ana", []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	for _, typed := range []*logon.Account{as, nil} { // the second is like the first
		h, err := opened(t, p, "web", typed)
		if err != nil {
			t.Fatal(err)
		}
		_ = h.Source.Close()
	}
}

func newScreenRun(t *testing.T, p *program) *screenRun {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	alerts := &screenAlerts{Pipeline: pipeline.New(pipeline.Options{Clock: session.NewSystemClock(), Go: p.guard.Go})}
	t.Cleanup(func() { alerts.Close(0) })
	known, err := p.inventory()
	if err != nil {
		t.Fatal(err)
	}
	r := &screenRun{program: p, known: known, ctx: ctx, settings: config.Merge(), alerts: alerts, hosts: roster.New(roster.Judged(alerts.Watch()))}
	return r
}

// Hosts are added by their names, in the demo those it has.
func TestHostsAreAdded(t *testing.T) {
	p := loggingOn(t)
	p.config = &config.Config{Groups: []config.Group{{Name: "fra", Hosts: []string{"closed:1", "closed:2"}}}}
	r := newScreenRun(t, p)
	names := func(hosts []*pane.Host) (out []string) {
		for _, h := range hosts {
			out = append(out, h.Name)
		}
		return out
	}
	hosts, err := r.connect(pane.AddHosts{Names: "local,group:fra"})
	missing, ok := errors.AsType[*session.NoAccountError](err)
	if !ok || !slices.Equal(missing.Names, []string{"closed:1", "closed:2"}) || !slices.Equal(names(hosts), []string{inventory.LocalName()}) {
		t.Fatalf("hosts %q, %v", names(hosts), err)
	}
	more, err := r.connect(pane.AddHosts{Names: strings.Join(missing.Names, " "), Account: "ana", Password: []byte("x")})
	if err != nil || !slices.Equal(names(more), missing.Names) || !slices.Equal(more[0].Groups, []string{"fra"}) || more[0].LogOns == nil {
		t.Fatalf("hosts %q, %v", names(more), err)
	}
	if again, err := r.connect(pane.AddHosts{Names: "closed:1"}); err == nil || len(again) > 0 {
		t.Errorf("a host that is watched: %q, %v", names(again), err)
	}
	_, err = r.connect(pane.AddHosts{Names: "closed:3"})
	if missing, ok := errors.AsType[*session.NoAccountError](err); !ok || missing.Account != "ana" {
		t.Errorf("the account is forgotten: %v", err)
	}
	more[0].Feed.Close()
	if again, err := r.connect(pane.AddHosts{Names: "closed:1", Account: "ana"}); err != nil || len(again) != 1 {
		t.Errorf("a host that was removed: %q, %v", names(again), err)
	}

	p = loggingOn(t)
	p.flags.Demo = true
	r = newScreenRun(t, p)
	if hosts, err := r.connect(pane.AddHosts{Names: "WEB02"}); err != nil || !slices.Equal(names(hosts), []string{"web02"}) {
		t.Errorf("the demo adds %q, %v", names(hosts), err)
	}
	if _, err := r.connect(pane.AddHosts{Names: "real"}); err == nil || !strings.Contains(err.Error(), "dc01") {
		t.Errorf("the demo: %v", err)
	}
}
