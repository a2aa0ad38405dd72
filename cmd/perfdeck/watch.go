package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
)

// sampled is one sample of one host.
type sampled struct {
	host  string
	time  time.Time
	cells []cell
}

// row is what the hosts answered on one beat. A host that did not answer is not
// among them.
type row struct {
	time    time.Time
	samples []sampled
}

// watching is how counters are watched.
type watching struct {
	every    time.Duration
	lookUp   paths.Options
	evidence bool // keep what values are made from
}

// watcher brings the samples of all hosts together in rows.
type watcher struct {
	watching
	pickers []*picker
	answers chan answer
}

// answer is a sample of a host, or the news that the host failed.
type answer struct {
	host   int // of the pickers
	sample sampled
	failed bool
}

// watch looks the paths up on the hosts, whose samplers run, and asks for them.
// partly tells that some were not found.
func (p *program) watch(ctx context.Context, hosts []host, queries []query, how watching) (w *watcher, partly bool, err error) {
	lacking := p.awaitHosts(ctx, hosts)
	if ctx.Err() != nil {
		return nil, false, context.Cause(ctx)
	}
	selections, unknown := resolveAll(hosts, queries, how.lookUp)
	lacking = append(lacking, unknown...)
	if err := p.noteLacking(lacking, len(selections) == 0); err != nil {
		return nil, false, err
	}
	w = &watcher{watching: how, answers: make(chan answer)}
	for i, h := range hosts {
		mine := slices.DeleteFunc(slices.Clone(selections), func(s selection) bool { return s.host != i })
		if len(mine) > 0 {
			w.add(ctx, h, mine)
		}
	}
	return w, len(lacking) > 0, nil
}

// add takes samples of a host. The first collection only serves the second.
func (w *watcher) add(ctx context.Context, h host, selections []selection) {
	k, n, collections := newPicker(h.name, selections), len(w.pickers), 0
	k.evidence = w.evidence
	w.pickers = append(w.pickers, k)
	feed := h.sampler.Feed(session.FeedOptions{Every: w.every, Each: func(s *session.Snapshot) {
		failed := s.State.Err != nil
		if !failed {
			collections++
		}
		if !failed && collections == 1 {
			return
		}
		at := s.Time
		if failed {
			at = time.Now()
		}
		select {
		case w.answers <- answer{n, sampled{h.name, at, k.pick(s)}, failed}:
		case <-ctx.Done():
		}
	}})
	asks := make([]session.Ask, len(selections))
	for i, s := range selections {
		asks[i] = session.Ask{Set: s.Set, Counters: s.Counters}
		if s.query.combine != nil {
			asks[i].Combine = []session.Combine{*s.query.combine}
		}
	}
	feed.Ask(asks)
}

// patience is how long hosts that do not answer hold up the others.
const patience = 5 * time.Second

var errNoAnswer = errors.New("no answer so far; going on without it")

// awaitHosts waits until every host told its countersets or failed, and returns
// the failures. When one has answered, the others get a while more.
func (p *program) awaitHosts(ctx context.Context, hosts []host) (failed []error) {
	type news struct {
		host int
		err  error
	}
	answers := make(chan news)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for i, h := range hosts {
		p.guard.Go(func() {
			err := awaitHost(ctx, h)
			select {
			case answers <- news{i, err}:
			case <-ctx.Done():
			}
		})
	}
	silent := make([]bool, len(hosts))
	for i := range silent {
		silent[i] = true
	}
	var late <-chan time.Time
	for range hosts {
		select {
		case n := <-answers:
			silent[n.host] = false
			if n.err != nil {
				failed = append(failed, n.err)
			} else if late == nil {
				late = time.After(patience)
			}
		case <-late:
			for i, h := range hosts {
				if silent[i] {
					failed = append(failed, fmt.Errorf("%s: %w", h.name, errNoAnswer))
				}
			}
			return failed
		case <-ctx.Done():
			return failed
		}
	}
	return failed
}

// awaitHost waits until a host told its countersets or failed.
func awaitHost(ctx context.Context, h host) error {
	feed := h.sampler.Feed(session.FeedOptions{Every: time.Second})
	defer feed.Close()
	for {
		select {
		case <-h.sampler.Known():
			return nil
		case <-feed.Ready():
			if err := h.sampler.State().Err; err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// noteLacking reports why something is not watched. A malformed path ends the
// command, and so does having nothing else.
func (p *program) noteLacking(lacking []error, nothing bool) error {
	for i, err := range lacking {
		_, malformed := errors.AsType[*paths.ParseError](err)
		if malformed || nothing && i == len(lacking)-1 {
			return err
		}
		p.report(err)
	}
	return nil
}

// rows hands out count rows, or all until the context ends (0).
func (w *watcher) rows(ctx context.Context, count int, write func(row) error) error {
	b := newBeat(len(w.pickers))
	var late <-chan time.Time
	for n := 0; count == 0 || n < count; {
		var early *answer // of a host that is in the row already
		complete := true
		select {
		case a := <-w.answers:
			if b.has(a) {
				early = &a
			} else {
				complete = b.add(a)
			}
		case <-late:
		case <-ctx.Done():
			return nil
		}
		if complete {
			if err := write(b.take()); err != nil {
				return err
			}
			n++
			late = nil
		}
		if early != nil {
			b.add(*early)
		}
		if late == nil && (!complete || early != nil || b.allFailed()) {
			late = time.After(w.grace(b))
		}
	}
	return nil
}

// grace is how long a row waits for hosts that are late; when no host answers,
// rows go on at the interval.
func (w *watcher) grace(b *beat) time.Duration {
	if b.allFailed() {
		return w.every
	}
	return min(w.every/2, time.Second)
}

// beat is a row that is being put together.
type beat struct {
	samples []*sampled // by host; nil: none yet
	failed  []*sampled // by host; nil: it answers
}

func newBeat(hosts int) *beat {
	return &beat{make([]*sampled, hosts), make([]*sampled, hosts)}
}

// has tells whether the row has an answer of that host.
func (b *beat) has(a answer) bool { return !a.failed && b.samples[a.host] != nil }

// add takes an answer. It reports whether the row is complete.
func (b *beat) add(a answer) bool {
	if a.failed {
		b.failed[a.host] = &a.sample
	} else {
		b.samples[a.host], b.failed[a.host] = &a.sample, nil
	}
	some := false
	for i := range b.samples {
		if b.samples[i] == nil && b.failed[i] == nil {
			return false
		}
		some = some || b.samples[i] != nil
	}
	return some
}

func (b *beat) allFailed() bool {
	for _, f := range b.failed {
		if f == nil {
			return false
		}
	}
	return true
}

// take makes the row and begins the next.
func (b *beat) take() row {
	var r row
	for i, s := range b.samples {
		if s == nil && b.failed[i] != nil {
			s = b.failed[i]
			s.time = time.Now()
		}
		b.samples[i] = nil
		if s == nil {
			continue
		}
		if r.time.IsZero() || s.time.Before(r.time) {
			r.time = s.time
		}
		r.samples = append(r.samples, *s)
	}
	return r
}

// silent are the paths that never had a value.
func (w *watcher) silent() []silence {
	var all []silence
	for _, k := range w.pickers {
		all = append(all, k.silent()...)
	}
	return all
}
