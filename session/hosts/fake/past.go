package fake

import (
	"sync"
	"time"

	"perfdeck/session"
)

// Past is the clock of one host that has a past: it is behind another clock, with
// which it goes, until Go. From then on its timers come at once, and bring it as far
// forward as they would have taken, until it is not behind any more.
type Past struct {
	clock session.Clock
	lead  time.Duration // of its monotonic time before the other's, so that it is never negative
	there chan struct{} // closed when it is not behind any more

	mu     sync.Mutex
	behind time.Duration
	goes   bool
}

// NewPast makes a clock that is so far behind another.
func NewPast(clock session.Clock, behind time.Duration) *Past {
	return &Past{clock: clock, lead: behind, behind: behind, there: make(chan struct{})}
}

// Now is the present of the host.
func (p *Past) Now() session.Instant {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.clock.Now()
	return session.Instant{Wall: now.Wall.Add(-p.behind), Mono: now.Mono + p.lead - p.behind}
}

// Timer is one of the other clock, or comes at once.
func (p *Past) Timer(d time.Duration) (<-chan time.Time, func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.goes {
		d -= p.skip(d)
	}
	return p.clock.Timer(d)
}

// skip comes forward by d, or less if it is not as far behind. p.mu is held.
func (p *Past) skip(d time.Duration) time.Duration {
	d = max(0, min(d, p.behind))
	if p.behind -= d; p.behind == 0 && !session.IsClosed(p.there) {
		close(p.there)
	}
	return d
}

// Skip comes forward by d at once.
func (p *Past) Skip(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.skip(d)
}

// Go lets the past go by.
func (p *Past) Go() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.goes = true
}

// There is closed when the past has gone by.
func (p *Past) There() <-chan struct{} { return p.there }

// Feed lets the past go by when a feed is asked for values, and waits for that: the first picture has
// it.
func (p *Past) Feed(f *session.Feed) *PastFeed { return &PastFeed{f, p} }

// PastFeed is a feed of a host that has a past.
type PastFeed struct {
	*session.Feed

	past *Past
}

// pastWait bounds how long is waited for the past, which takes some ten milliseconds.
const pastWait = time.Second

// Ask replaces what is asked for.
func (f *PastFeed) Ask(asks []session.Ask) {
	f.Feed.Ask(asks)
	if len(asks) == 0 || session.IsClosed(f.past.there) {
		return
	}
	f.past.Go()
	select {
	case <-f.past.there:
	case <-time.After(pastWait):
	}
}
