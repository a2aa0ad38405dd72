package push

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/klauspost/compress/snappy"

	"perfdeck/session"
	"perfdeck/session/system/backoff"
	"perfdeck/session/system/failure"
	"perfdeck/session/text/english"
)

// Bounds of what is sent of a backlog.
const (
	leastRate = 20_000 // samples a second
	catchUp   = 4      // times what comes in
	rateOver  = time.Minute
	mostParts = 64          // requests that a refused block is parted into
	fewParts  = 4           // where nothing of the block before was taken
	tellEach  = time.Minute // between two tellings of refusals
)

// sender sends blocks in the order of the queue, one at a time.
type sender struct {
	p    *Pusher
	host string

	mu      sync.Mutex
	sent    int64
	refused int64
	err     error // why nothing can be sent now
	since   time.Time
	told    map[string]bool // what was told since then

	backlog  bool // of the run's own: more waits than what just came
	hopeless bool // nothing of the newest block that was refused was taken: the run's own
}

func (s *sender) status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Status{Sent: s.sent, Refused: s.refused, Err: s.err, Since: s.since}
}

// run sends until the context ends.
func (s *sender) run(ctx context.Context) {
	q := s.p.queue
	pauses := backoff.Pauses{First: 500 * time.Millisecond, Most: 30 * time.Second, Spread: true} // between tries of a block
	lulls := backoff.Pauses{First: 5 * time.Second, Most: time.Minute}                            // between blocks that are refused for who sends them
	limit := pacer{clock: s.p.o.Clock.Now, most: s.p.o.MostRate}
	tell := refusals{s: s, toldAt: s.p.o.Clock.Now().Mono - tellEach}
	s.backlog = q.Status().Samples > 0
	for ctx.Err() == nil {
		b, ticket, ok := q.Next()
		if !ok {
			tell.flush()
			if s.backlog {
				s.backlog = false
				s.p.o.Tell(fmt.Sprintf("push to %s: caught up, nothing waits", s.host))
			}
			session.Await(ctx, s.p.o.Clock, time.Second, q.wake)
			continue
		}
		a := s.deliver(ctx, b.Body, b.Samples, &tell)
		if ctx.Err() != nil && a.err != nil && !a.refuse {
			return
		}
		if a.err != nil && !a.refuse {
			s.away(a.err)
			session.Await(ctx, s.p.o.Clock, max(pauses.Next(), a.after), nil)
			continue
		}
		q.Done(ticket)
		pauses.Reset()
		s.back()
		if a.err != nil && !a.data && !a.large {
			session.Await(ctx, s.p.o.Clock, lulls.Next(), nil) // else one mistake would empty the queue at once
		} else {
			lulls.Reset()
		}
		s.p.mu.Lock()
		taken := s.p.taken
		s.p.mu.Unlock()
		if wait := limit.after(b.Samples, taken); wait > 0 && q.Status().Blocks > 2 {
			session.Await(ctx, s.p.o.Clock, wait, nil)
		}
	}
}

// deliver sends a block. Of one that is refused for what is in it, or for its size, the
// parts are sent: an engine may drop a whole request for one sample of it.
func (s *sender) deliver(ctx context.Context, body []byte, samples int, tell *refusals) answer {
	a := s.p.client.post(ctx, body)
	if a.refuse && !a.data && !a.large && s.p.client.Renews() {
		a = s.p.client.post(ctx, body) // with a token that is fetched anew
	}
	parts := 0
	if a.data || a.large {
		if parts = mostParts; s.hopeless { // as all of a backlog that is too old
			parts = fewParts
		}
		s.hopeless = true
	}
	return s.settle(ctx, body, samples, a, &parts, tell)
}

// settle counts what an engine answered to a request. Of one that was refused the halves are sent, as long as some
// parts are left, and of those that are; what is refused alone is counted.
func (s *sender) settle(ctx context.Context, body []byte, samples int, a answer, left *int, tell *refusals) answer {
	switch {
	case a.err == nil:
		if s.hopeless {
			s.hopeless = false
			*left = max(*left, mostParts)
		}
		s.count(int64(samples), 0)
		return a
	case !a.refuse:
		return a
	}
	if message, err := snappy.Decode(nil, body); *left >= 2 && err == nil {
		if first, second, ok := halve(message); ok {
			for _, half := range [][]byte{first, second} {
				*left--
				packed := snappy.Encode(nil, half)
				// When the other one does not arrive this one is sent again with the rest: engines know samples by
				// their time.
				if done := s.settle(ctx, packed, countSamples(half), s.p.client.post(ctx, packed), left, tell); done.err != nil && !done.refuse {
					return done
				}
			}
			return answer{}
		}
	}
	s.count(0, int64(samples))
	tell.note(samples, a)
	return a
}

func (s *sender) count(sent, refused int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent += sent
	s.refused += refused
}

// mostReasons bounds how many different reasons are told of an engine that takes nothing.
const mostReasons = 10

// away notes, and tells each reason once, that nothing can be sent.
func (s *sender) away(err error) {
	s.mu.Lock()
	first := s.err == nil
	if first {
		s.since, s.told = s.p.o.Clock.Now().Wall, map[string]bool{}
	}
	s.err = err
	known := s.told[err.Error()] || len(s.told) >= mostReasons
	if !known {
		s.told[err.Error()] = true
	}
	s.mu.Unlock()
	switch {
	case first:
		s.p.o.Report(failure.WithHint(err, "samples wait in "+s.p.o.Queue+" and are sent when it takes them again"))
	case !known:
		s.p.o.Report(err)
	}
}

// back notes and tells that the engine takes samples again.
func (s *sender) back() {
	s.mu.Lock()
	was, since := s.err, s.since
	s.err = nil
	s.mu.Unlock()
	if was == nil {
		return
	}
	text := fmt.Sprintf("push to %s: it takes samples again, after %s", s.host, english.Span(s.p.o.Clock.Now().Wall.Sub(since)))
	if n := s.p.queue.Status().Samples; n > 0 {
		s.backlog = true
		text += fmt.Sprintf("; %d waited and are sent in order", n)
	}
	s.p.o.Tell(text)
}

// refusals gathers what an engine refuses, and tells it now and then.
type refusals struct {
	s       *sender
	samples int
	last    answer
	toldAt  time.Duration
}

func (r *refusals) note(samples int, a answer) {
	r.samples += samples
	r.last = a
	r.flush()
}

func (r *refusals) flush() {
	now := r.s.p.o.Clock.Now().Mono
	if r.samples == 0 || now-r.toldAt < tellEach {
		return
	}
	r.toldAt = now
	r.s.p.o.Report(failure.WithHint(fmt.Errorf("%w; %d samples are dropped", r.last.err, r.samples), hintOf(r.last)))
	r.samples = 0
}

// pacer bounds how fast a backlog is sent.
type pacer struct {
	clock func() session.Instant
	most  int

	seen  time.Duration // monotonic
	taken int64         // when seen was
	rate  float64       // samples a second that come in
	due   time.Duration // when the next block may be sent
}

// after is how long to wait behind a block. taken is how many samples came so far.
func (p *pacer) after(samples int, taken int64) time.Duration {
	now := p.clock().Mono
	if d := now - p.seen; p.seen == 0 {
		p.seen, p.taken = now, taken
	} else if d >= time.Second {
		fresh := float64(taken-p.taken) / d.Seconds()
		part := min(1, d.Seconds()/rateOver.Seconds()*6)
		p.rate += (fresh - p.rate) * part
		p.seen, p.taken = now, taken
	}
	rate := float64(p.most)
	if rate <= 0 {
		rate = max(leastRate, catchUp*p.rate)
	}
	p.due = max(p.due, now) + time.Duration(float64(samples)/rate*float64(time.Second))
	return p.due - now
}
