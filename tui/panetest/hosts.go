package panetest

import (
	"context"
	"fmt"
	"sync"
	"time"

	"perfdeck/session"
	"perfdeck/session/clocktest"
	"perfdeck/session/files/listing"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/system/guard"
	"perfdeck/tui/pane"
)

// Scripts makes hosts of scripts; those without a name are host0, host1, ...
func Scripts(list ...fake.Script) func(*clocktest.Clock) []fake.Host {
	return func(c *clocktest.Clock) (hosts []fake.Host) {
		for i, s := range list {
			if s.Name == "" {
				s.Name = fmt.Sprint("host", i)
			}
			hosts = append(hosts, fake.Host{Name: s.Name, Source: fake.New(s, c)})
		}
		return hosts
	}
}

// Demo is the first n hosts of the demo.
func Demo(n int) func(*clocktest.Clock) []fake.Host {
	return func(c *clocktest.Clock) []fake.Host { return fake.Demo(c)[:n] }
}

// Watch puts a host on the desk, read every second, with so much history, until
// stop is called or the test ends.
func (r *Rig) Watch(h fake.Host, history time.Duration) (host *pane.Host, stop func()) {
	s := session.NewSampler(h.Name, h.Source, r.Clock)
	host = &pane.Host{Name: h.Name, Sampler: s, Feed: s.Feed(session.FeedOptions{Every: time.Second, History: history}), Events: s.Events()}
	r.Desk.Hosts = append(r.Desk.Hosts, host)
	return host, r.Go(s.Run)
}

// Go runs what a test needs besides, until stop is called or the test ends: in a
// bubble all that was started has returned before it ends.
func (r *Rig) Go(run func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	guarded := guard.New(func(e *guard.PanicError) { panic(e) })
	guarded.Go(func() { defer close(done); run(ctx) })
	stop = sync.OnceFunc(func() { cancel(); <-done })
	r.Cleanup(stop)
	return stop
}

// Take hands the newest snapshots to the screen, if there is one.
func (r *Rig) Take() {
	for _, h := range r.Desk.Hosts {
		snap := h.Feed.Take()
		if snap == nil {
			continue
		}
		h.Snap.Release()
		h.Snap = snap
		if r.screen != nil {
			r.screen.Snapshot(h)
		}
	}
}

// Deliver hands over the newest snapshots, draws, and asks the hosts for what
// the screen shows and they were not asked for, as the root does.
func (r *Rig) Deliver() {
	for _, h := range r.Desk.Hosts {
		if h.Sampler.Catalogue() != nil && !r.asked[h] {
			r.ask(h)
		}
	}
	r.Take()
	r.Draw()
	r.AskAgain()
	r.Clock.Advance(0)
}

// AskAgain asks the hosts anew if what they were asked for is not what the
// screen shows, and tells whether it did.
func (r *Rig) AskAgain() bool {
	s, ok := r.screen.(pane.Asker)
	if !ok || !s.AskStale() {
		return false
	}
	stale := r.Desk.Hosts
	if s, ok := r.screen.(pane.StaleAsker); ok {
		stale = s.StaleHosts()
	}
	for _, h := range stale {
		r.ask(h)
	}
	return true
}

func (r *Rig) ask(h *pane.Host) {
	r.asked[h] = true
	h.Feed.Ask(r.screen.Asks(h))
}

// Pass lets n seconds pass, one by one.
func (r *Rig) Pass(n int) {
	for range n {
		r.Clock.Advance(time.Second)
		r.Deliver()
	}
}

// Begin connects the hosts and takes n samples.
func (r *Rig) Begin(n int) {
	r.Clock.Advance(0)
	r.Deliver()
	r.Deliver()
	r.Pass(n)
}

// Stand is a sampler that says what a test wants.
type Stand struct {
	Is    session.HostState
	Knows *session.Catalogue
}

// Catalogue is what the test set.
func (s *Stand) Catalogue() *session.Catalogue { return s.Knows }

// Known is never told.
func (s *Stand) Known() <-chan struct{} { return nil }

// Renewed is never told.
func (s *Stand) Renewed() <-chan struct{} { return nil }

// State is what the test set.
func (s *Stand) State() session.HostState { return s.Is }

// Retry does nothing.
func (s *Stand) Retry() {}

// Value is the target of a counter of a host: of the instance of a name, where
// the newest snapshot has it.
func (r *Rig) Value(h *pane.Host, set, instance, counter string) pane.Target {
	r.Helper()
	s := h.Sampler.Catalogue().Set(set)
	c, ok := s.Counter(counter)
	if !ok {
		r.Fatalf("no counter %s in %s", counter, set)
	}
	t := pane.Target{Host: h, Set: s, Counter: c}
	if view := h.Snap.Set(s); view != nil {
		for i := range view.Rows {
			if view.Rows[i].Key.Name == instance {
				t.Key = view.Rows[i].Key
			}
		}
	}
	return t
}

// HostSets are hosts whose sets are shown, as a test says.
type HostSets struct {
	Asked map[string]bool
	Runs  map[string][]string // by host
	Told  []string            // records of which details were wanted
}

// Ask implements pane.HostSets, as do the others.
func (s *HostSets) Ask(h *pane.Host) bool {
	s.Asked[h.Name] = !s.Asked[h.Name]
	return s.Asked[h.Name]
}

// Running are those that run on a host.
func (s *HostSets) Running(h *pane.Host) []string { return s.Runs[h.Name] }

// Tell notes the record.
func (s *HostSets) Tell(r *listing.Record) { s.Told = append(s.Told, r.Name) }
