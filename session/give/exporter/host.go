package exporter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/engine/prom"
)

// host is one that is followed.
type host struct {
	name    string
	sampler *session.Sampler
	clock   session.Clock
	every   time.Duration
	end     context.CancelFunc
	used    time.Duration // of Exporter.mu

	mu     sync.Mutex
	probes map[string]*probe // by what is asked
}

// probe is one set of questions to a host: a query that stays open between scrapes.
type probe struct {
	asked Asked
	used  time.Duration

	turn      chan struct{} // held by the one scrape at a time, that of what follows
	closed    bool
	feed      *session.Feed
	catalogue *session.Catalogue // that it was looked up in
	names     prom.Naming
	means     []session.Target
	missing   []error // what means nothing on the host
	newest    *session.Snapshot
	at        time.Duration     // monotonic time of it
	beats     uint64            // samples so far
	beat      *session.Feed     // that keeps the interval of rates
	rates     *session.Snapshot // its newest
}

// Every is the interval of rates where nobody names one. About as often a scrape is expected:
// what it costs a host to read, sources weigh against it.
const Every = 15 * time.Second

// fresh is for how long an answer is given again: two servers that ask at the same time
// have one interval between them.
const fresh = time.Second

// secondIn is how long a first answer waits for its second reading.
const secondIn = 2 * time.Second

// probeFor is the probe of a host for questions.
func (h *host) probeFor(a Asked) *probe {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.clock.Now().Mono
	p := h.probes[a.key()]
	if p == nil {
		if len(h.probes) >= maxProbes {
			h.remove(slices.MinFunc(slices.Collect(maps.Values(h.probes)), func(a, b *probe) int { return cmp.Compare(a.used, b.used) }))
		}
		p = &probe{asked: a, turn: make(chan struct{}, 1)}
		h.probes[a.key()] = p
	}
	p.used = now
	return p
}

// drop closes probes.
func (h *host) drop(which func(*probe) bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range h.probes {
		if which(p) {
			h.remove(p)
		}
	}
}

// remove closes a probe, once the scrape is over that may be using it.
func (h *host) remove(p *probe) {
	select {
	case p.turn <- struct{}{}:
		p.close()
		<-p.turn
	default:
		return // it is in use
	}
	delete(h.probes, p.asked.key())
}

// forget lets go of its samples.
func (p *probe) forget() {
	p.newest.Release()
	p.rates.Release()
	p.newest, p.rates = nil, nil
}

func (p *probe) close() {
	p.closed = true
	p.forget()
	if p.feed != nil {
		p.feed.Close()
		p.beat.Close()
	}
}

func (h *host) close() {
	h.drop(func(*probe) bool { return true })
	h.end()
}

// errClosed says that a probe was closed before a scrape came to its turn.
var errClosed = errors.New("what is asked for was let go of; ask again")

// errSilent says that a host did not answer in the time that a scrape has.
var errSilent = errors.New("no answer in time")

// read takes a sample and gives it to use, and that of the newest interval for rates, nil
// where there is none. It keeps nothing of them. The error says why there is none: of the
// host, of the time, *lookUpError where nothing that is asked for is there.
func (p *probe) read(ctx context.Context, h *host, use func(now, rates *session.Snapshot)) error {
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return p.late(h)
	}
	if p.closed {
		return errClosed
	}
	if err := h.state(); err != nil {
		if p.feed != nil {
			p.feed.Beat() // it is read as soon as the host is back
		}
		return err
	}
	if err := p.lookUp(ctx, h); err != nil {
		return err
	}
	now := h.clock.Now().Mono
	if p.newest == nil || now-p.at >= fresh {
		if err := p.next(ctx, h); err != nil {
			return err
		}
	}
	p.keepUp(h)
	use(p.newest, p.rates)
	return nil
}

// keepUp takes the newest sample of the interval. One of before the host failed, or before
// this computer slept, is none of now.
func (p *probe) keepUp(h *host) {
	if s := p.beat.Take(); s != nil {
		p.rates.Release()
		p.rates = s
	}
	if p.rates != nil && (p.rates.State.Err != nil || h.clock.Now().Wall.Sub(p.rates.Time) > 2*h.every) {
		p.rates.Release()
		p.rates = nil
	}
}

// state is why a host is known to give no answer now: it failed and will be tried again
// later, or is overdue.
func (h *host) state() error {
	s := h.sampler.State()
	switch {
	case s.Phase == session.Stale:
		return fmt.Errorf("%s: %w: its last one was at %s", h.name, errSilent, s.LastAnswer.Format(time.RFC3339))
	case s.Err != nil && h.clock.Now().Wall.Before(s.NextTry):
		return s.Err
	}
	return nil
}

// late is why a host gave nothing in time.
func (p *probe) late(h *host) error {
	if err := h.sampler.State().Err; err != nil {
		return err
	}
	return fmt.Errorf("%s: %w", h.name, errSilent)
}

// lookUp finds out what the questions mean on the host, once for each catalogue of it.
func (p *probe) lookUp(ctx context.Context, h *host) error {
	if p.feed == nil {
		p.feed = h.sampler.Feed(session.FeedOptions{Every: h.every, OnDemand: true})
		p.beat = h.sampler.Feed(session.FeedOptions{Every: h.every})
		p.feed.Ask(nil) // so that a host that fails already says so
	}
	for h.sampler.Catalogue() == nil {
		select {
		case <-h.sampler.Known():
		case <-p.feed.Ready():
			if err := p.collect(); err != nil {
				return err
			}
		case <-ctx.Done():
			return p.late(h)
		}
	}
	cat := h.sampler.Catalogue()
	if cat == p.catalogue {
		return p.nothing(h)
	}
	p.catalogue = cat
	p.means, p.missing = nil, nil
	var asks []session.Ask
	for _, q := range p.asked.questions() {
		found, err := q.Resolve(cat, paths.Options{})
		if err != nil {
			p.missing = append(p.missing, err)
		}
		for _, t := range found {
			ask := t.Ask()
			ask.Seldom = prom.TotalsOf(t.Set.Name) != nil // each time costs a call
			p.means, asks = append(p.means, t), append(asks, ask)
		}
	}
	p.forget()
	p.beats = 0
	p.feed.Ask(asks)
	p.beat.Ask(asks)
	return p.nothing(h)
}

// nothing is an error if nothing that is asked for is there.
func (p *probe) nothing(h *host) error {
	if len(p.means) > 0 {
		return nil
	}
	return &lookUpError{h.name, p.missing}
}

// lookUpError says that a host has nothing of what is asked for.
type lookUpError struct {
	host    string
	missing []error
}

func (e *lookUpError) Error() string {
	if len(e.missing) == 0 {
		return e.host + ": it has none of the usual countersets"
	}
	return fmt.Sprintf("%s: %v", e.host, e.missing[0])
}

func (e *lookUpError) Unwrap() []error { return e.missing }

// next waits for the next sample: of one that was not asked before, for its second
// reading, if that comes soon.
func (p *probe) next(ctx context.Context, h *host) error {
	first := p.newest == nil
	if !first {
		_ = p.collect() // what came in between, of a host that was away
		p.feed.Beat()
	}
	for {
		before := p.beats
		if err := p.await(ctx, h); err != nil {
			return err
		}
		p.at = h.clock.Now().Mono
		if first || p.beats > before { // else it was beside the beat
			break
		}
	}
	if p.keepUp(h); p.rates == nil || len(p.rates.Timeline.Nanos) == 0 {
		p.beginRates(ctx, h)
	}
	return nil
}

// beginRates has rates read before the first interval is over: they are since the first
// reading then.
func (p *probe) beginRates(ctx context.Context, h *host) {
	before := p.rates
	p.beat.SampleNow()
	soon, stop := h.clock.Timer(secondIn)
	defer stop()
	for p.rates == before || !p.hasRates() {
		select {
		case <-p.beat.Ready():
			p.keepUp(h)
		case <-soon:
			return
		case <-ctx.Done():
			return // what there is, is given
		}
	}
}

// await waits for a snapshot.
func (p *probe) await(ctx context.Context, h *host) error {
	for {
		select {
		case <-p.feed.Ready():
			took := p.newest
			if err := p.collect(); err != nil {
				return err
			}
			if p.newest != took && len(p.newest.Sets) > 0 {
				return nil
			}
		case <-ctx.Done():
			return p.late(h)
		}
	}
}

// collect takes the newest snapshot, if there is a new one. The error is that of the host.
func (p *probe) collect() error {
	s := p.feed.Take()
	switch {
	case s == nil:
		return nil
	case s.State.Err != nil:
		err := s.State.Err
		s.Release()
		return err
	}
	p.newest.Release()
	p.newest = s
	p.beats = s.Timeline.First + uint64(len(s.Timeline.Nanos))
	return nil
}

// hasRates tells whether every counterset was read twice, or could not be.
func (p *probe) hasRates() bool {
	return p.rates != nil && len(p.rates.Sets) > 0 && !slices.ContainsFunc(p.rates.Sets, func(v *session.SetView) bool { return v.Err == nil && !v.Set.Told && v.Rate.Interval == 0 })
}

// Asked is what is asked of a host: whole countersets by their names, and paths.
type Asked struct {
	Sets, Paths []string
	Also        []string // paths of what is given beside it, where the host has it
}

func (a Asked) isEmpty() bool { return len(a.Sets)+len(a.Paths) == 0 }

func (a Asked) key() string { return fmt.Sprintf("%q %q %q", a.Sets, a.Paths, a.Also) }

// questions are what is asked for. That a host has nothing of the usual is nothing to tell.
func (a Asked) questions() (out []session.Question) {
	out = prom.Whole(a.Sets, false)
	if a.isEmpty() {
		out = prom.Whole(prom.UsualSets(), true)
	}
	for _, text := range a.Paths {
		out = append(out, session.Question{Text: text})
	}
	for _, text := range a.Also {
		out = append(out, session.Question{Text: text, Optional: true})
	}
	return out
}
