package session

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"perfdeck/session/system/backoff"
	"perfdeck/session/system/guard"
)

// Sampler keeps the beat of one host: one goroutine that collects what the
// feeds ask for, each at its own interval, and cooks it for them. A host that
// fails is tried again, with growing pauses, until its context ends.
type Sampler struct {
	host   string
	source Source
	waker
	known   chan struct{} // closed when the catalogue is there
	renewed chan struct{} // closed when another one takes its place
	events  *EventLog

	mu        sync.Mutex
	feeds     []*Feed
	state     HostState
	asking    time.Duration // monotonic start of the call under way, 0 none
	opening   time.Duration // the same of that which opens the host
	tryAt     time.Duration // monotonic state.NextTry, which a step of the wall clock leaves alone
	catalogue *Catalogue
	first     *Catalogue // of a host that is being opened

	// The goroutine's own.
	groups          []group
	wants           []Want // of the groups, as the query has them
	query           Query
	opened          *Instant      // when it began to open; nil: that was told
	idle            time.Duration // monotonic time of the newest answer of a host that nobody asks
	batch           Batch
	meter           meter
	pauses, refused backoff.Pauses // after failures and refusals in a row; of mu
}

// NewSampler makes a sampler of a source. It does nothing until Run.
func NewSampler(host string, source Source, clock Clock) *Sampler {
	s := &Sampler{host: host, source: source, waker: newWaker(clock), known: make(chan struct{}), renewed: make(chan struct{}),
		pauses: backoff.Pauses{First: time.Second, Most: 30 * time.Second, Spread: true}, refused: RefusedPauses()}
	s.state = HostState{Phase: Connecting, Since: clock.Now().Wall}
	s.events = newEventLog(host, source, clock)
	return s
}

// Events are those of the host: where its source has none they say so.
func (s *Sampler) Events() *EventLog { return s.events }

// Feed adds a consumer.
func (s *Sampler) Feed(o FeedOptions) *Feed {
	f := &Feed{sampler: s, each: o.Each, every: max(o.Every, MinInterval), history: o.History, memory: int(cmp.Or(o.Memory, historyMemory)), ready: make(chan struct{}, 1), dirty: true}
	f.beat.onDemand = o.OnDemand
	s.mu.Lock()
	defer s.mu.Unlock()
	s.feeds = append(s.feeds, f)
	return f
}

// Catalogue is what the host offers; nil until it answered for the first time.
func (s *Sampler) Catalogue() *Catalogue {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.catalogue
}

// Known is closed as soon as Catalogue has something to give.
func (s *Sampler) Known() <-chan struct{} { return s.known }

// Renew puts a newer catalogue in the place of the one that is known. What was
// asked for stays as it is; consumers look their paths up anew.
func (s *Sampler) Renew(cat *Catalogue) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.catalogue == nil {
		if s.first != nil {
			s.first = cat
		}
		return // else the first is yet to come, and will be newer
	}
	s.catalogue = cat
	close(s.renewed)
	s.renewed = make(chan struct{})
}

// Renewed is closed when another catalogue takes the place of the present one.
func (s *Sampler) Renewed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.renewed
}

// State is how things stand now. A host whose answer is overdue is Stale.
func (s *Sampler) State() HostState {
	s.mu.Lock()
	defer s.mu.Unlock()
	state := s.state
	since := max(s.asking, s.opening)
	if since == 0 {
		return state
	}
	if now := s.clock.Now(); now.Mono-since > overdue {
		state.Waits = now.Wall.Add(since - now.Mono)
		if state.Phase == Live && s.asking > 0 {
			state.Phase = Stale
		}
	}
	return state
}

// overdue is after how long an answer is missed on the screen.
const overdue = 3 * time.Second

// Retry makes the next attempt come at once.
func (s *Sampler) Retry() {
	if r, ok := s.source.(Retrier); ok {
		r.Retried()
	}
	s.events.Retry()
	s.mu.Lock()
	s.state.NextTry, s.tryAt = time.Time{}, 0
	s.mu.Unlock()
	s.wake()
}

// Run samples until the context ends. It closes the source.
func (s *Sampler) Run(ctx context.Context) {
	defer s.close()
	if s.events.source != nil {
		defer guard.Beside(func() { s.events.run(ctx) })()
	}
	for ctx.Err() == nil {
		if s.query == nil && !s.connect(ctx) {
			continue
		}
		s.regroup(ctx)
		if s.query == nil {
			continue
		}
		onBeat, wait := s.dueNow()
		if len(s.wants) == 0 {
			wait = s.rest()
		}
		if s.query == nil {
			continue
		}
		if wait > 0 {
			s.pause(ctx, wait)
			continue
		}
		s.collect(ctx, onBeat)
	}
}

// idleCheck is how often a host is asked whether it is there of which nobody wants a
// counter.
const idleCheck = 10 * time.Second

// rest is how long there is nothing to do for a host of which nobody wants a counter.
// It was reached when it was opened, which it is anew for each check.
func (s *Sampler) rest() time.Duration {
	if s.opened != nil {
		s.answered(*s.opened, new(Batch))
		s.opened, s.idle = nil, s.clock.Now().Mono
	}
	if left := s.idle + idleCheck - s.clock.Now().Mono; left > 0 {
		return left
	}
	_ = s.query.Close()
	s.query = nil
	return 0
}

func (s *Sampler) close() {
	if s.query != nil {
		_ = s.query.Close()
	}
	_ = s.source.Close()
	for _, g := range s.groups {
		for _, f := range g.feeds {
			for _, t := range f.tracks {
				t.close()
			}
		}
	}
}

// connect opens the source, or waits for the time of the next attempt.
func (s *Sampler) connect(ctx context.Context) bool {
	s.mu.Lock()
	next, known := s.tryAt, s.catalogue
	s.mu.Unlock()
	if wait := next - s.clock.Now().Mono; wait > 0 {
		s.tellNew()
		s.pause(ctx, wait)
		return false
	}
	asked := s.clock.Now()
	s.setOpening(max(asked.Mono, 1))
	defer s.setOpening(0)
	var err error
	if known == nil {
		err = s.readCatalogue(ctx)
	}
	var q Query
	if err == nil {
		q, err = s.source.Open(ctx)
	}
	if err != nil {
		s.failed(ctx, err)
		return false
	}
	s.mu.Lock()
	s.query = q
	if known == nil {
		s.catalogue, s.first = s.first, nil
	}
	s.noteWarnings()
	s.mu.Unlock()
	s.opened = &asked
	if known == nil {
		close(s.known)
	}
	for _, g := range s.groups {
		for _, f := range g.feeds {
			f.gap()
		}
	}
	s.groups, s.wants = nil, nil // select everything anew
	return true
}

// readCatalogue asks for the first catalogue. A kept one may be renewed before
// the host is open.
func (s *Sampler) readCatalogue(ctx context.Context) error {
	cat, err := s.source.Catalogue(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.first = cat
	return err
}

// failed notes why the host gave no answer and when it is tried again.
func (s *Sampler) failed(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	if s.query != nil {
		_ = s.query.Close()
		s.query = nil
	}
	clock := s.clock.Now()
	now := clock.Wall
	s.mu.Lock()
	phase := Retrying
	if errors.Is(err, ErrDenied) {
		phase = Refused
	}
	if s.state.Phase != phase {
		s.state.Since = now
	}
	s.state.Phase, s.state.Err = phase, err
	pauses := &s.pauses
	if phase == Refused {
		pauses = &s.refused
	}
	pause := pauses.Next()
	s.state.NextTry, s.tryAt = now.Add(pause), clock.Mono+pause
	s.state.Tries++
	state := s.state
	s.mu.Unlock()
	for _, f := range s.current() {
		if !f.ended() {
			f.publish(now, state)
		}
	}
}

// tellNew tells feeds that came after a failure why the host has no values.
func (s *Sampler) tellNew() {
	s.mu.Lock()
	state := s.state
	s.mu.Unlock()
	for _, f := range s.current() {
		if !f.told && !f.ended() {
			f.publish(s.clock.Now().Wall, state)
		}
	}
}

// RefusedPauses are how long a host rests that refused the log-on or the access.
// Nothing protects the refusal of a log-on, so a first one costs seconds; then it is
// minutes, so that no account is locked.
func RefusedPauses() backoff.Pauses {
	return backoff.Pauses{Once: 5 * time.Second, First: 5 * time.Minute, Most: time.Hour, Spread: true}
}

func (s *Sampler) current() []*Feed {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.feeds)
}

func (s *Sampler) setAsking(at time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asking = at
}

func (s *Sampler) setOpening(at time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opening = at
}

// answered notes that the host answered, and when what it answered was made.
func (s *Sampler) answered(asked Instant, b *Batch) HostState {
	now := s.clock.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state.Phase != Live {
		s.state.Phase, s.state.Since = Live, now.Wall
	}
	s.state.Latency, s.state.LastAnswer = cmp.Or(b.Took, now.Mono-asked.Mono), now.Wall
	if !b.Newest.IsZero() {
		s.state.LastAnswer = b.Newest
	}
	s.state.Err, s.state.Tries, s.state.NextTry = nil, 0, time.Time{}
	s.pauses.Reset()
	s.refused.Reset()
	if m, ok := s.source.(Meter); ok {
		s.state.BytesPerSecond = s.meter.rate(m.Traffic(), now.Mono)
	}
	s.noteWarnings()
	return s.state
}

// noteWarnings takes over what the source warns of: it may find out later, in
// the background. s.mu is held.
func (s *Sampler) noteWarnings() {
	if w, ok := s.source.(Warner); ok {
		s.state.Notes = w.Warnings()
	}
}
