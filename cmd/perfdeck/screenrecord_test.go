package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/session"
	"perfdeck/session/config"
	"perfdeck/session/record/collector"
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

// recordAndHang begins a recording of two hosts of which the second is gone. With
// hang it waits as for a disk, until that is called again.
func recordAndHang(t *testing.T, r *recordingSet, key, path string, hosts []host) (hang func()) {
	t.Helper()
	var hangs atomic.Bool
	hung, answers := make(chan struct{}), make(chan struct{})
	o := collector.Options{File: filepath.Join(t.TempDir(), "x.db"), Every: time.Second, Report: r.report, Changed: func() {
		if hangs.CompareAndSwap(true, false) {
			close(hung)
			<-answers
		}
	}}
	for _, h := range hosts {
		r.add(h)
		o.Hosts = append(o.Hosts, collector.Host{Name: h.name, Sampler: h.sampler, Paths: []string{path}})
	}
	if err := r.begin(key, o); err != nil {
		t.Fatal(err)
	}
	r.drop(hosts[1].name)
	time.Sleep(3 * time.Second)
	return func() {
		if !hangs.Load() && !isClosed(hung) {
			hangs.Store(true)
			<-hung
			return
		}
		close(answers)
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// TestDiskHangs: while the disk of a recording does not answer the screens can ask
// how things stand, whatever waits for it.
func TestDiskHangs(t *testing.T) {
	const path = `\Memory\Available MBytes`
	for name, waits := range map[string]func(r *screenRecorder, d *recordDesk, hosts []host){
		"a host comes back":        func(r *screenRecorder, _ *recordDesk, hosts []host) { r.add(hosts[1]) },
		"a host comes for alerts":  func(_ *screenRecorder, d *recordDesk, hosts []host) { d.add(hosts[2]) },
		"the deck is recorded too": func(r *screenRecorder, _ *recordDesk, hosts []host) { _ = r.Extend(onDeck(`\Memory\*`, hosts[0])) },
		"an alert stops it":        func(_ *screenRecorder, d *recordDesk, _ []host) { _ = d.Stop("night") },
		"the user stops it":        func(r *screenRecorder, _ *recordDesk, _ []host) { _ = r.Stop() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, hosts, _ := screenRecorderRig(t)
				r.program.config = &config.Config{Records: []config.Record{{Name: "night", Paths: []string{path}}}}
				d := r.program.newRecordDesk(time.Second, nil, r.report)
				t.Cleanup(d.close)
				own, alerts := recordAndHang(t, &r.recordingSet, ofScreens, path, hosts[:2]), recordAndHang(t, &d.recordingSet, "night", path, hosts[:2])
				own()
				alerts()
				waited := make(chan struct{})
				r.program.guard.Go(func() { defer close(waited); waits(r, d, hosts) })
				synctest.Wait()
				if isClosed(waited) {
					t.Error("it does not wait")
				}
				for what, mu := range map[string]*sync.Mutex{"screens": &r.mu, "alerts": &d.mu} {
					if !mu.TryLock() {
						t.Errorf("the recordings of the %s are locked", what)
						continue
					}
					mu.Unlock()
				}
				own()
				alerts()
				<-waited
			})
		})
	}
}

// TestRecordTooIsLate: that a disk does not answer is said instead of that more is
// recorded.
func TestRecordTooIsLate(t *testing.T) {
	const path = `\Memory\Available MBytes`
	synctest.Test(t, func(t *testing.T) {
		r, hosts, _ := screenRecorderRig(t)
		hang := recordAndHang(t, &r.recordingSet, ofScreens, path, hosts[:2])
		r.add(hosts[2])
		deck := onDeck(path, hosts[:3]...)
		hang()
		if err := r.Extend(deck); err == nil || !strings.Contains(err.Error(), "x.db") {
			t.Errorf("the disk does not answer: %v", err)
		}
		hang()
		if err := r.Extend(deck); err != nil || r.Lacking(deck) != "" {
			t.Errorf("it answers: %v, %q", err, r.Lacking(deck))
		}
		if err := r.Stop(); err != nil {
			t.Fatal(err)
		}
		if err := r.Extend(deck); err == nil {
			t.Error("nothing is recorded, and more is")
		}
	})
}

// TestRecordBeginsOnSlowDisk: while an alert's recording begins the screens can ask
// how things stand, and a host that comes meanwhile is recorded.
func TestRecordBeginsOnSlowDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, hosts, _ := screenRecorderRig(t)
		dir := t.TempDir()
		none := filepath.Join(dir, "none")
		if err := os.WriteFile(none, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		t.Setenv("XDG_STATE_HOME", none) // that it is no folder is told while the recording begins
		r.program.config = &config.Config{Records: []config.Record{{Name: "night", File: filepath.Join(dir, "night.db"), Paths: []string{`\Memory\*`}}}}
		answers := make(chan struct{})
		d := r.program.newRecordDesk(time.Second, nil, func(error) { <-answers })
		t.Cleanup(d.close)
		d.add(hosts[0])
		d.add(hosts[1])
		began := make(chan error, 1)
		r.program.guard.Go(func() { began <- d.Start("night") })
		synctest.Wait()
		if !d.mu.TryLock() {
			t.Error("the recordings are locked")
		} else {
			d.mu.Unlock()
			d.drop(hosts[0].name)
			d.add(hosts[2])
		}
		close(answers)
		if err := <-began; err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		d.mu.Lock()
		open := d.running("night")
		d.mu.Unlock()
		if open == nil {
			t.Fatal("nothing is recorded")
		}
		if texts, _ := open.Paths(hosts[2].name); len(texts) != 1 {
			t.Errorf("the host that came is not recorded: %q", texts)
		}
		if _, gone := open.Paths(hosts[0].name); !gone {
			t.Error("the host that went is recorded")
		}
	})
}
