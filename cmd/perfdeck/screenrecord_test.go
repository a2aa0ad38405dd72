package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/session"
	"perfdeck/tui/pane"
)

// screenRecorderRig is a recorder of the demo's hosts, and what it tells.
func screenRecorderRig(t *testing.T) (r *screenRecorder, hosts []host, told func() string) {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	p := &program{err: os.Stderr, guard: session.NewGuard(func(e *session.PanicError) { t.Error(e) })}
	p.flags.demo = true
	hosts, err := p.hosts()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	p.start(ctx, hosts)
	var mu sync.Mutex
	var all []string
	r = newScreenRecorder(p, &cobra.Command{}, false, func() time.Duration { return session.MinInterval }, func(err error) {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, err.Error())
	})
	t.Cleanup(func() { _ = r.Stop() })
	return r, hosts, func() string {
		mu.Lock()
		defer mu.Unlock()
		return strings.Join(all, "\n")
	}
}

// onDeck is a deck of hosts.
func onDeck(path string, hosts ...host) (what []pane.RecordHost) {
	for _, h := range hosts {
		what = append(what, pane.RecordHost{Host: &pane.Host{Name: h.name}, Paths: []string{path}})
	}
	return what
}

// TestScreenRecorderRefuses names that cannot be, with what to do instead, and
// makes nothing.
func TestScreenRecorderRefuses(t *testing.T) {
	r, hosts, _ := screenRecorderRig(t)
	r.add(hosts[0])
	dir := t.TempDir()
	there := filepath.Join(dir, "there.db")
	if err := os.WriteFile(there, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	deck := onDeck(`\Memory\*`, hosts[0])
	for file, want := range map[string]string{
		"":                             "needs a name",
		dir:                            "name of a file is missing",
		dir + "/":                      "name of a file is missing",
		filepath.Join(dir, "no/x.csv"): "make the folder",
		filepath.Join(dir, "x.blg"):    "csv",
		there:                          "another name",
	} {
		if err := r.Start(file, deck); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", file, err, want)
		}
	}
	if err := r.Start(filepath.Join(dir, "x.csv"), nil); err == nil {
		t.Error("nothing is recorded")
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 || r.Status().On {
		t.Errorf("left behind: %v", left)
	}
}

// TestScreenRecorderHosts: the user is told what becomes of hosts that come and go
// while something is recorded, and can let them join.
func TestScreenRecorderHosts(t *testing.T) {
	r, hosts, told := screenRecorderRig(t)
	first, second := hosts[0], hosts[1]
	r.add(first)
	if err := r.Start(filepath.Join(t.TempDir(), "x.db"), onDeck(`\Memory\*`, first)); err != nil {
		t.Fatal(err)
	}
	r.add(second)
	if want := second.name + " is not recorded"; !strings.Contains(told(), want) {
		t.Errorf("%q is not told: %s", want, told())
	}
	deck := onDeck(`\Memory\*`, first, second)
	if got := r.Lacking(deck); got != second.name {
		t.Errorf("it lacks %q", got)
	}
	r.Extend(deck)
	if got := r.Lacking(deck); got != "" {
		t.Errorf("it still lacks %q", got)
	}
	if got := r.Lacking(append(deck, onDeck(`\System\Processes`, first)...)); got != first.name {
		t.Errorf("of another counter it lacks %q", got)
	}
	r.drop(second.name)
	r.add(second)
	for _, want := range []string{"recorded no more", "recorded again"} {
		if !strings.Contains(told(), second.name+" is "+want) {
			t.Errorf("%q is not told: %s", want, told())
		}
	}
	if err := r.Stop(); err != nil {
		t.Error(err)
	}
}
