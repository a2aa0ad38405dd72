package main

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"perfdeck/session"
	"perfdeck/session/config"
)

// serving serves this computer until the script ends, and puts the address into
// a variable: serving ACCOUNT PASSWORD VARIABLE.
func serving(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: serving ACCOUNT PASSWORD VARIABLE")
	}
	r, w, err := os.Pipe()
	ts.Check(err)
	p := &program{err: w, out: w, password: []byte(args[1])}
	p.guard = session.NewGuard(p.panicked)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- p.serve(ctx, serveFlags{listen: "127.0.0.1:0", account: args[0], connections: 16})
		w.Close()
	}()
	ts.Defer(func() {
		cancel()
		if err := <-done; err != nil && ctx.Err() == nil {
			ts.Logf("serve: %v", err)
		}
		r.Close()
	})
	lines := bufio.NewScanner(r)
	if !lines.Scan() {
		ts.Fatalf("the server says nothing")
	}
	_, address, ok := strings.Cut(lines.Text(), "serving on ")
	if !ok {
		ts.Fatalf("the server says %q", lines.Text())
	}
	ts.Setenv(args[2], address)
	go func() {
		for lines.Scan() { // so that the server never waits for its reader
		}
	}()
}

// expand replaces the variables in a file: expand FILE.
func expand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: expand FILE")
	}
	name := ts.MkAbs(args[0])
	text := os.Expand(ts.ReadFile(args[0]), func(v string) string { return filepath.ToSlash(ts.Getenv(v)) })
	ts.Check(os.WriteFile(name, []byte(text), 0o600))
}

func TestTargets(t *testing.T) {
	web := config.Host{Name: "Web01", Address: "tcp://10.0.0.1:1", Watch: true}
	db := config.Host{Name: "db", Address: "tcp://10.0.0.2"}
	p := &program{config: &config.Config{Hosts: []config.Host{web, db}}}
	for name, want := range map[string]target{
		"web01":             {name: "Web01", address: "tcp://10.0.0.1:1", own: web},
		"WEB01":             {name: "Web01", address: "tcp://10.0.0.1:1", own: web},
		"db":                {name: "db", address: "tcp://10.0.0.2", own: db},
		"local":             {name: localName(), address: "local"},
		".":                 {name: localName(), address: "."},
		"tcp://10.0.0.1":    {name: "10.0.0.1:14500", address: "tcp://10.0.0.1"},
		"tcp://10.0.0.1:99": {name: "10.0.0.1:99", address: "tcp://10.0.0.1:99"},
		"other":             {name: "other", address: "other"},
	} {
		if got, err := p.targetOf(name); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v, want %+v", name, got, err, want)
		}
	}
	for _, c := range []struct {
		named []string
		demo  bool
		want  []string
	}{
		{nil, false, []string{"local", "Web01"}},
		{[]string{"db"}, false, []string{"db"}},
		{nil, true, nil},
	} {
		p.flags = flags{hosts: c.named, demo: c.demo}
		p.watchOwn()
		if !reflect.DeepEqual(p.flags.hosts, c.want) {
			t.Errorf("%+v: %q", c, p.flags.hosts)
		}
	}
}

// A host that is named twice is watched once.
func TestHostsOnce(t *testing.T) {
	p := &program{config: new(config.Config), guard: session.NewGuard(func(*session.PanicError) {})}
	p.flags.hosts = []string{"local", "local"}
	hosts, err := p.hosts()
	if err != nil || len(hosts) != 1 {
		t.Errorf("%d hosts, %v", len(hosts), err)
	}
	closeHosts(hosts)
}
