package main

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"perfdeck/session/hosts/pcq/server"
	"perfdeck/session/system/guard"
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
	p.guard = guard.New(p.panicked)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		c := p.serveCommand()
		c.SetContext(ctx)
		done <- p.serve(c, serveFlags{Listen: "127.0.0.1:0", account: args[0], Options: server.Options{MaxConnections: 16}})
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
