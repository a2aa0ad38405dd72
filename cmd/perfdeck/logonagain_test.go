package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/config"
	"perfdeck/tui"
	"perfdeck/tui/pane"
)

// remoteOf is a host of an account.
func remoteOf(t *testing.T, p *program, name string) *remote {
	t.Helper()
	r, err := p.remote(target{name: name, address: name})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// What the user types for one host is for all that share a password that nobody
// has taken yet; for that host alone once one has.
func TestAnotherAccount(t *testing.T) {
	p := loggingOn(t)
	p.config, p.flags.user, p.password = new(config.Config), `CORP\ana`, []byte("wrong")
	a, b := remoteOf(t, p, "a"), remoteOf(t, p, "b")
	is := func(r *remote, user, domain, password string) {
		t.Helper()
		now, err := r.now()
		if err != nil {
			t.Fatal(err)
		}
		got, err := now.options.Password(t.Context())
		if err != nil || now.options.User != user || now.options.Domain != domain || string(got) != password {
			t.Errorf("%s is logged on to by %s %s, password %q, %v", now.options.Host, now.options.Domain, now.options.User, got, err)
		}
	}
	logOn := func(r *remote, account, password string) {
		t.Helper()
		if err := r.logOn(account, []byte(password)); err != nil {
			t.Fatal(err)
		}
	}
	is(a, "ana", "CORP", "wrong")
	logOn(a, `CORP\ana`, "right")
	is(a, "ana", "CORP", "right")
	is(b, "ana", "CORP", "right")
	now, err := a.now()
	if err != nil {
		t.Fatal(err)
	}
	if err := now.who.logOns.try(t.Context(), "a", reached, func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	logOn(b, "ina", "other")
	is(a, "ana", "CORP", "right")
	is(b, "ina", "", "other")
	logOn(b, `corp\ANA`, "") // as it was typed before
	is(b, "ANA", "corp", "right")
	logOn(b, `CORP\ana`, "wrong") // round and round
	logOn(b, "ina", "other")
	logOn(b, `CORP\ana`, "wrong")
	is(b, "ana", "CORP", "wrong")
	is(a, "ana", "CORP", "right")
	for account, password := range map[string]string{"nobody": "", "": "x", `CORP\`: "x", "long": strings.Repeat("x", mostPassword+1)} {
		if err := a.logOn(account, []byte(password)); err == nil || password != "" && strings.Contains(err.Error(), password+"x") {
			t.Errorf("%q: %v", account, err)
		}
	}
}

// While the screens are shown nothing is asked on the terminal, and what was not
// asked may be typed on them later.
func TestNothingIsAskedUnderTheScreens(t *testing.T) {
	p := loggingOn(t)
	p.config, p.flags.user = new(config.Config), "ana"
	p.onScreen.Store(true)
	for range 2 {
		_, err := p.openHost("web", nil)
		none, ok := errors.AsType[*noAccountError](err)
		if !ok || none.account != "ana" || !errors.Is(err, errOnScreen) {
			t.Fatalf("error %v", err)
		}
	}
	if _, err := p.prompt("password"); !errors.Is(err, errOnScreen) {
		t.Errorf("the prompt says %v", err)
	}
	as, err := p.typedCredentials("ana", []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	for _, typed := range []*credentials{as, nil} { // the second is like the first
		h, err := p.openHost("web", typed)
		if err != nil {
			t.Fatal(err)
		}
		_ = h.source.Close()
	}
}

func newScreenRun(t *testing.T, p *program) *screenRun {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	r := &screenRun{program: p, ctx: ctx, settings: config.Merge(), alerts: &screenAlerts{alerting: &alerting{watch: alert.NewWatch(alert.Options{Clock: session.NewSystemClock()})}}}
	r.recorder = newScreenRecorder(p, nil, false, r.interval, func(error) {})
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
	missing, ok := errors.AsType[*tui.NoAccountError](err)
	if !ok || !slices.Equal(missing.Names, []string{"closed:1", "closed:2"}) || !slices.Equal(names(hosts), []string{localName()}) {
		t.Fatalf("hosts %q, %v", names(hosts), err)
	}
	more, err := r.connect(pane.AddHosts{Names: strings.Join(missing.Names, " "), Account: "ana", Password: []byte("x")})
	if err != nil || !slices.Equal(names(more), missing.Names) || !slices.Equal(more[0].Groups, []string{"fra"}) || more[0].LogOn == nil {
		t.Fatalf("hosts %q, %v", names(more), err)
	}
	if again, err := r.connect(pane.AddHosts{Names: "closed:1"}); err == nil || len(again) > 0 {
		t.Errorf("a host that is watched: %q, %v", names(again), err)
	}
	_, err = r.connect(pane.AddHosts{Names: "closed:3"})
	if missing, ok := errors.AsType[*tui.NoAccountError](err); !ok || missing.Account != "ana" {
		t.Errorf("the account is forgotten: %v", err)
	}
	more[0].Feed.Close()
	if again, err := r.connect(pane.AddHosts{Names: "closed:1", Account: "ana"}); err != nil || len(again) != 1 {
		t.Errorf("a host that was removed: %q, %v", names(again), err)
	}

	p.flags.demo = true
	if hosts, err := r.connect(pane.AddHosts{Names: "WEB02"}); err != nil || !slices.Equal(names(hosts), []string{"web02"}) {
		t.Errorf("the demo adds %q, %v", names(hosts), err)
	}
	if _, err := r.connect(pane.AddHosts{Names: "real"}); err == nil || !strings.Contains(err.Error(), "dc01") {
		t.Errorf("the demo: %v", err)
	}
}
