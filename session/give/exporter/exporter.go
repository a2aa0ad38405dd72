// Package exporter answers an engine that speaks Prometheus' way of asking: /metrics for
// the hosts that were named, /probe for one that the engine names, /sd for what there is
// to be named. A host is followed from the first question about it until nobody asked for
// a while, and read each Options.Every in between: a rate is over the last such interval,
// whoever asks and when.
package exporter

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/give/health"
)

// Options are what an exporter works with.
type Options struct {
	Version string
	Clock   session.Clock
	// Metrics are the hosts of /metrics, in order, and Asked what is asked of them:
	// nothing asks for the usual countersets.
	Metrics []string
	Asked   Asked
	Also    map[string][]string // by host: Asked.Also
	// Targets are the hosts that /probe may name, and that /sd lists.
	Targets []Target
	// Open opens a host by its name in Metrics or Targets, and runs its sampler until
	// the context ends.
	Open func(ctx context.Context, name string) (*session.Sampler, error)
	// Pack are the paths of a pack of the user's words.
	Pack func(name string) ([]string, error)
	// Unauthenticated tells whether who asks needs no account now. Then /probe gives only the countersets
	// of Exposed. nil: all need one.
	Unauthenticated func() bool
	Exposed         []string
	MaxScrapes      int // at a time
	// Every is the interval of rates; 0: 15 seconds.
	Every time.Duration
}

// Target is a host that may be asked for.
type Target struct {
	Name   string
	As     string // how else it is called; empty: not
	Groups []string
}

// Exporter is an http.Handler. Use New.
type Exporter struct {
	now    atomic.Pointer[Options]
	mux    *http.ServeMux
	slots  chan struct{} // a scrape each
	render chan struct{} // one that writes its answer
	ctx    context.Context
	since  time.Time

	mu    sync.Mutex
	hosts map[string]*host // by name
	given int              // values, so far
	lost  map[string]int   // hosts that gave nothing when they were asked, by the reason
	swept time.Duration    // monotonic time of the newest look for what nobody asks for
}

// Limits of what is asked.
const (
	maxURL     = 8 << 10 // bytes of a request's address
	maxProbes  = 32      // of a host at a time: the one that was not asked for longest goes
	maxPaths   = 256     // of a probe
	renderings = 4       // answers that are written at a time
)

// idleProbe and idleHost are how long what nobody asks for is kept open.
const (
	idleProbe = 10 * time.Minute
	idleHost  = 30 * time.Minute
	sweepEach = time.Minute
)

// New makes an exporter. Its hosts are closed when the context ends.
func New(ctx context.Context, o Options) *Exporter {
	e := &Exporter{
		since: time.Now(), mux: http.NewServeMux(), ctx: ctx, hosts: map[string]*host{}, lost: map[string]int{},
		slots: make(chan struct{}, max(o.MaxScrapes, 1)), render: make(chan struct{}, renderings),
	}
	e.Set(o, nil)
	e.mux.HandleFunc("GET /metrics", e.scrape(e.metrics))
	e.mux.HandleFunc("GET /probe", e.scrape(e.probe))
	e.mux.HandleFunc("GET /sd", e.discover)
	e.mux.Handle("GET "+health.Path, health.Answer(func() error { return nil })) // it answers
	e.mux.HandleFunc("GET /{$}", e.home)
	return e
}

// Set has other hosts, or others of their names, be asked for from now on: those of which stays is false are
// let go of. What is asked at a time, by MaxScrapes, stays.
func (e *Exporter) Set(o Options, stays func(name string) bool) {
	o.Every = cmp.Or(o.Every, Every)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.now.Store(&o)
	for name, h := range e.hosts {
		if !stays(name) {
			h.close()
			delete(e.hosts, name)
		}
	}
}

// o are the options of now.
func (e *Exporter) o() *Options { return e.now.Load() }

// ServeHTTP answers a request.
func (e *Exporter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if len(r.URL.Path)+len(r.URL.RawQuery) > maxURL {
		refuse(w, http.StatusRequestURITooLong, "the address is longer than 8 KB", "name countersets instead of many paths")
		return
	}
	e.mux.ServeHTTP(w, r)
}

// target is the host of a name, as it is spelled by whom may name it.
func (e *Exporter) target(name string) (Target, bool) {
	targets := e.o().Targets
	i := slices.IndexFunc(targets, func(t Target) bool { return paths.EqualFold(t.Name, name) || paths.EqualFold(t.As, name) })
	if i < 0 {
		return Target{}, false
	}
	return targets[i], true
}

// host is one that is followed, opened when it is asked for first.
func (e *Exporter) host(name string) (*host, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	o := e.o()
	now := o.Clock.Now().Mono
	e.sweep(now)
	h := e.hosts[name]
	if h == nil {
		ctx, end := context.WithCancel(e.ctx)
		sampler, err := o.Open(ctx, name)
		if err != nil {
			end()
			return nil, err
		}
		h = &host{name: name, sampler: sampler, end: end, clock: o.Clock, every: o.Every, probes: map[string]*probe{}}
		e.hosts[name] = h
	}
	h.used = now
	return h, nil
}

// sweep closes what nobody asked for for long. e.mu is held.
func (e *Exporter) sweep(now time.Duration) {
	if now-e.swept < sweepEach {
		return
	}
	e.swept = now
	for name, h := range e.hosts {
		if now-h.used > idleHost {
			h.close()
			delete(e.hosts, name)
			continue
		}
		h.drop(func(p *probe) bool { return now-p.used > idleProbe })
	}
}
