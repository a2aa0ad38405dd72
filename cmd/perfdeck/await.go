package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/record/collector"
	"perfdeck/session/system/output"
)

// patience is how long hosts that do not answer hold up the others.
const patience = 5 * time.Second

var errNoAnswer = errors.New("no answer so far; going on without it")

// await waits until every host told its countersets or failed, and returns
// the failures. When one has answered, the others get a while more.
func (p *program) await(ctx context.Context, hosts []host) (failed []error) {
	type news struct {
		host int
		err  error
	}
	answers := make(chan news)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for i, h := range hosts {
		p.guard.Go(func() {
			err := h.await(ctx)
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

// await waits until a host told its countersets or failed.
func (h host) await(ctx context.Context) error {
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

// lookUp waits until the hosts told their countersets and looks the queries up on
// those they are meant for. It reports what is lacking; partly tells that something
// is not there. A malformed path is an error, and so is having nothing: with patient
// only when no host may still have something.
func (p *program) lookUp(ctx context.Context, hosts []host, queries []query, o paths.Options, patient bool, report func(error)) (partly bool, err error) {
	failed := p.await(ctx, hosts)
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	found, silent := 0, false
	var lacking []error
	for _, q := range queries {
		meant := false
		for _, h := range hosts {
			if !q.isFor(h.name) {
				continue
			}
			meant = true
			cat := h.sampler.Catalogue()
			if cat == nil {
				silent = true
				continue
			}
			selections, err := q.Resolve(cat, o)
			if found += len(selections); err != nil {
				lacking = append(lacking, err)
			}
		}
		if !meant {
			lacking = append(lacking, fmt.Errorf("look up %s: %w", q.Text, errNotWatched))
		}
	}
	all := append(failed, lacking...)
	for i, err := range all {
		_, malformed := errors.AsType[*paths.ParseError](err)
		switch {
		case malformed:
			return false, usage(err)
		case found == 0 && i == len(all)-1 && (!patient || !silent):
			return false, err
		}
	}
	for _, err := range all {
		report(err)
	}
	return len(lacking) > 0, nil
}

var errNotWatched = errors.New("no such host is watched")

// pour records hosts whose samplers run onto a stream, until count rows are there or
// the context ends. begin is called when it is known that there is something; it may
// be nil. partly tells that not all that was asked for is there; r is nil where
// nothing was begun.
func (p *program) pour(ctx context.Context, hosts []host, queries []query, o collector.Options, begin func() error) (r *collector.Recording, partly bool, err error) {
	if o.Report == nil {
		o.Report = output.NewOnce(func(err error) { p.report(err) }).Report
	}
	if partly, err = p.lookUp(ctx, hosts, queries, paths.Options{ShowHidden: o.ShowHidden}, false, o.Report); err != nil {
		return nil, false, err
	}
	if begin != nil {
		if err := begin(); err != nil {
			return nil, false, err
		}
	}
	o.Hosts, o.Clock, o.Go = recordedHosts(hosts, queries), p.newClock(), p.guard.Go
	if r, err = collector.Start(o); err != nil {
		return nil, false, err
	}
	select {
	case <-r.Done():
	case <-ctx.Done():
		_ = r.Stop(context.WithoutCancel(ctx), "")
	}
	return r, partly || r.LeftOut(), r.Status().Err
}

// silent are the queries that never had a value on their hosts. Of an only host they
// are told without it.
func silent(r *collector.Recording, hosts []host) []session.Silence {
	out := r.Silent()
	for i := range out {
		if len(hosts) == 1 {
			out[i].Host = ""
		}
	}
	return out
}
