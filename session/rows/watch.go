package rows

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
)

// Sample is one sample of one host.
type Sample struct {
	Host  string
	Time  time.Time
	Cells []Cell
}

// Row is what the hosts answered on one beat. A host that did not answer is not
// among them.
type Row struct {
	Time    time.Time
	Samples []Sample
	Columns []Sample // of the first row: what columns are made of, of every host
}

// Options are how counters are watched.
type Options struct {
	Every    time.Duration
	LookUp   paths.Options
	Fixed    bool // what is not known at the start cannot be shown
	Evidence bool // keep what values are made from

	Report func(error)  // hears what is not watched, and why
	Go     func(func()) // starts a goroutine
}

// Watcher brings the samples of all hosts together in rows.
type Watcher struct {
	Options

	pickers []*picker
	waiting []*Sample // by picker: what is shown of a host that never answered
	late    []int     // by picker: answers that came when their row was written
	heard   []bool    // by picker: columns need not wait for it
	newest  []*Sample // by picker: its newest answer, until rows begin
	settled bool      // rows have begun
	left    bool
	answers chan answer
	joins   chan joining
}

// answer is a sample of a host, or the news that the host failed.
type answer struct {
	host   int // of the pickers
	sample Sample
	began  time.Time // of its collection, by the monotonic clock
	failed bool
}

// Watch looks the paths up on the hosts and asks for them. partly tells that some
// were not found. Hosts that do not answer yet join when they do. A malformed path
// is an error, and so is having nothing to watch.
func Watch(ctx context.Context, hosts []Host, queries []Query, o Options) (w *Watcher, partly bool, err error) {
	lacking := Await(ctx, hosts, o.Go)
	if ctx.Err() != nil {
		return nil, false, context.Cause(ctx)
	}
	silent := make([]bool, len(hosts))
	for i, h := range hosts {
		silent[i] = h.Sampler.Catalogue() == nil
	}
	selections, unknown := resolveAll(hosts, queries, o.LookUp)
	lacking = append(lacking, unknown...)
	if err := o.noteLacking(lacking, len(selections) == 0); err != nil {
		return nil, false, err
	}
	w = &Watcher{Options: o, answers: make(chan answer), joins: make(chan joining)}
	for i, h := range hosts {
		mine := slices.DeleteFunc(slices.Clone(selections), func(s selection) bool { return s.host != i })
		switch asked := h.MeantFor(queries); {
		case len(mine) > 0:
			w.add(newPicker(h.Name, mine), nil)
			w.follow(ctx, h, len(w.pickers)-1)
		case silent[i] && len(asked) > 0:
			w.expect(ctx, h, asked)
		}
	}
	return w, len(unknown) > 0, nil
}

func (w *Watcher) add(k *picker, waiting *Sample) {
	k.evidence = w.Evidence
	w.pickers, w.waiting, w.late = append(w.pickers, k), append(w.waiting, waiting), append(w.late, 0)
	w.heard, w.newest = append(w.heard, waiting != nil), append(w.newest, nil)
}

// follow takes samples of a host for a picker. The first collection only serves
// the second.
func (w *Watcher) follow(ctx context.Context, h Host, n int) {
	k, collections := w.pickers[n], 0
	feed := h.Sampler.Feed(session.FeedOptions{Every: w.Every, Each: func(s *session.Snapshot) {
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
		case w.answers <- answer{n, Sample{h.Name, at, k.pick(s)}, began, failed}:
		case <-ctx.Done():
		}
	}})
	asks := make([]session.Ask, len(k.selections))
	for i, s := range k.selections {
		asks[i] = session.Ask{Set: s.Set, Counters: s.Counters}
		if s.query.Combine != nil {
			asks[i].Combine = []session.Combine{*s.query.Combine}
		}
	}
	feed.Ask(asks)
}

// patience is how long hosts that do not answer hold up the others.
const patience = 5 * time.Second

var errNoAnswer = errors.New("no answer so far; going on without it")

// Await waits until every host told its countersets or failed, and returns
// the failures. When one has answered, the others get a while more.
func Await(ctx context.Context, hosts []Host, start func(func())) (failed []error) {
	type news struct {
		host int
		err  error
	}
	answers := make(chan news)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for i, h := range hosts {
		start(func() {
			err := await(ctx, h)
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
					failed = append(failed, fmt.Errorf("%s: %w", h.Name, errNoAnswer))
				}
			}
			return failed
		case <-ctx.Done():
			return failed
		}
	}
	return failed
}

// await waits until a host told its countersets or failed.
func await(ctx context.Context, h Host) error {
	feed := h.Sampler.Feed(session.FeedOptions{Every: time.Second})
	defer feed.Close()
	for {
		// It may have failed before there was a feed to tell.
		if err := h.Sampler.State().Err; err != nil && h.Sampler.Catalogue() == nil {
			return err
		}
		select {
		case <-h.Sampler.Known():
			return nil
		case <-feed.Ready():
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// noteLacking reports why something is not watched. A malformed path is an error,
// and so is having nothing else.
func (o *Options) noteLacking(lacking []error, nothing bool) error {
	for i, err := range lacking {
		_, malformed := errors.AsType[*paths.ParseError](err)
		if malformed || nothing && i == len(lacking)-1 {
			return err
		}
		o.Report(err)
	}
	return nil
}

// Silent are the paths that never had a value.
func (w *Watcher) Silent() []Silence {
	var all []Silence
	for _, k := range w.pickers {
		all = append(all, k.silent()...)
	}
	for i := range all {
		if len(w.pickers) == 1 {
			all[i].Host = "" // it goes without saying
		}
	}
	return all
}
