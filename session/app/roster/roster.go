// Package roster is the hosts that a process watches while it runs: they come, each once, are given
// to all that follow hosts, and go.
package roster

import (
	"context"
	"sync"

	"perfdeck/paths"
	"perfdeck/session/alert"
	"perfdeck/session/app/inventory"
)

// Follower is what hosts are given to: alerts, recordings, pushes.
type Follower interface {
	Add(h inventory.Host)
	Drop(name string)
}

// Judged has alerts follow hosts.
func Judged(w *alert.Watch) Follower { return judged{w} }

type judged struct{ *alert.Watch }

func (j judged) Add(h inventory.Host) {
	j.Opens(h.Name, h.Open) // what fires at once says how it is opened
	j.Watch.Add(h.Name, h.Sampler)
}

// Roster has the hosts. Its methods may be called by any goroutine.
type Roster struct {
	followers []Follower

	mu    sync.Mutex
	hosts map[string]*Member // by their folded names
}

// New makes a roster without hosts.
func New(followers ...Follower) *Roster {
	return &Roster{followers: followers, hosts: map[string]*Member{}}
}

// Member is a host of a roster.
type Member struct {
	inventory.Host

	ctx context.Context //nolint:containedctx // that of the host: it ends when the host goes
	end context.CancelFunc
}

// Start runs its sampler, until the context of Add ends, or the host goes.
func (m *Member) Start() { inventory.Start(m.ctx, m.Host) }

// Add gives a host to all followers. Where one of its name is there already it is closed, and nil
// is returned.
func (r *Roster) Add(ctx context.Context, h inventory.Host) *Member {
	m := &Member{Host: h}
	key := paths.Fold(h.Name)
	r.mu.Lock()
	has := r.hosts[key] != nil
	if !has {
		m.ctx, m.end = context.WithCancel(ctx)
		r.hosts[key] = m
	}
	r.mu.Unlock()
	if has {
		_ = h.Source.Close()
		return nil
	}
	for _, f := range r.followers {
		f.Add(h)
	}
	return m
}

// Drop lets a host go; of one that is not there nothing happens.
func (r *Roster) Drop(name string) {
	key := paths.Fold(name)
	r.mu.Lock()
	m := r.hosts[key]
	r.mu.Unlock()
	if m == nil {
		return
	}
	for _, f := range r.followers {
		f.Drop(m.Name)
	}
	m.end()
	r.mu.Lock() // its name is free once nothing follows it
	if r.hosts[key] == m {
		delete(r.hosts, key)
	}
	r.mu.Unlock()
}

// Set has these hosts and no others. Those that came are started. One that is there stays as it is,
// unless it is reached or read in another way by now: then it goes, and comes anew.
func (r *Roster) Set(ctx context.Context, hosts []inventory.Host) {
	wanted := map[string]*inventory.Host{}
	for i := range hosts {
		wanted[paths.Fold(hosts[i].Name)] = &hosts[i]
	}
	for _, m := range r.Members() {
		if h := wanted[paths.Fold(m.Name)]; h == nil || !h.IsAs(&m.Host) {
			r.Drop(m.Name)
		}
	}
	for _, h := range hosts {
		if m := r.Add(ctx, h); m != nil {
			m.Start()
		}
	}
}

// Members are the hosts that are there, in no order.
func (r *Roster) Members() []*Member {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]*Member, 0, len(r.hosts))
	for _, m := range r.hosts {
		out = append(out, m)
	}
	return out
}

// End ends the samplers of all hosts. Followers have them still.
func (r *Roster) End() {
	for _, m := range r.Members() {
		m.end()
	}
}
