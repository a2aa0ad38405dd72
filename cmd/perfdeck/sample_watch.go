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
	fixed    bool // what is not known at the start cannot be shown
	evidence bool // keep what values are made from
}

// watcher brings the samples of all hosts together in rows.
type watcher struct {
	watching
	report  func(error)
	pickers []*picker
	waiting []*sampled // by picker: what is shown of a host that never answered
	late    []int      // by picker: answers that came when their row was written
	answers chan answer
	joins   chan joining
}

// answer is a sample of a host, or the news that the host failed.
type answer struct {
	host   int // of the pickers
	sample sampled
	began  time.Time // of its collection, by the monotonic clock
	failed bool
}

// watch looks the paths up on the hosts, whose samplers run, and asks for them.
// partly tells that some were not found. Hosts that do not answer yet join when
// they do.
func (p *program) watch(ctx context.Context, hosts []host, queries []query, how watching) (w *watcher, partly bool, err error) {
	lacking := p.awaitHosts(ctx, hosts)
	if ctx.Err() != nil {
		return nil, false, context.Cause(ctx)
	}
	silent := make([]bool, len(hosts))
	for i, h := range hosts {
		silent[i] = h.sampler.Catalogue() == nil
	}
	selections, unknown := resolveAll(hosts, queries, how.lookUp)
	lacking = append(lacking, unknown...)
	if err := p.noteLacking(lacking, len(selections) == 0); err != nil {
		return nil, false, err
	}
	w = &watcher{watching: how, report: func(err error) { p.report(err) }, answers: make(chan answer), joins: make(chan joining)}
	for i, h := range hosts {
		mine := slices.DeleteFunc(slices.Clone(selections), func(s selection) bool { return s.host != i })
		switch asked := meantFor(h, queries); {
		case len(mine) > 0:
			w.add(newPicker(h.name, mine), nil)
			w.follow(ctx, h, len(w.pickers)-1)
		case silent[i] && len(asked) > 0:
			w.expect(ctx, h, asked, p.guard.Go)
		}
	}
	return w, len(unknown) > 0, nil
}

func (w *watcher) add(k *picker, waiting *sampled) {
	k.evidence = w.evidence
	w.pickers, w.waiting, w.late = append(w.pickers, k), append(w.waiting, waiting), append(w.late, 0)
}

// follow takes samples of a host for a picker. The first collection only serves
// the second.
func (w *watcher) follow(ctx context.Context, h host, n int) {
	k, collections := w.pickers[n], 0
	feed := h.sampler.Feed(session.FeedOptions{Every: w.every, Each: func(s *session.Snapshot) {
		failed := s.State.Err != nil
		if !failed {
			collections++
		}
		if !failed && collections == 1 {
			return
		}
		now := time.Now()
		at, began := s.Time, now.Add(-s.State.Latency)
		if failed {
			at, began = now, now
		}
		select {
		case w.answers <- answer{n, sampled{h.name, at, k.pick(s)}, began, failed}:
		case <-ctx.Done():
		}
	}})
	asks := make([]session.Ask, len(k.selections))
	for i, s := range k.selections {
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
		// It may have failed before there was a feed to tell.
		if err := h.sampler.State().Err; err != nil && h.sampler.Catalogue() == nil {
			return err
		}
		select {
		case <-h.sampler.Known():
			return nil
		case <-feed.Ready():
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

// silent are the paths that never had a value.
func (w *watcher) silent() []silence {
	var all []silence
	for _, k := range w.pickers {
		all = append(all, k.silent()...)
	}
	return all
}
