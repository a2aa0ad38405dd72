package inventory

import (
	"context"
	"errors"
	"fmt"
	"perfdeck/paths"
	"perfdeck/session"
	"time"
)

// patience is how long hosts that do not answer hold up the others.
const patience = 5 * time.Second

var errNoAnswer = errors.New("no answer so far; going on without it")

// Await waits until every host told its countersets or failed, and returns
// the failures. When one has answered, the others get a while more.
func Await(ctx context.Context, hosts []Host) (failed []error) {
	type news struct {
		host int
		err  error
	}
	answers := make(chan news)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for i, h := range hosts {
		h.spawn(func() {
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
func (h *Host) await(ctx context.Context) error {
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

// LookUp waits until the hosts told their countersets and looks the queries up on
// those they are meant for. It reports what is lacking; partly tells that something
// is not there. A malformed path is an error, and so is having nothing: with patient
// only when no host may still have something.
func LookUp(ctx context.Context, hosts []Host, queries []Query, o paths.Options, patient bool, report func(error)) (partly bool, err error) {
	failed := Await(ctx, hosts)
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	found, silent := 0, false
	var lacking []error
	for _, q := range queries {
		meant := false
		for _, h := range hosts {
			if !q.IsFor(h.Name) {
				continue
			}
			meant = true
			cat := h.Sampler.Catalogue()
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
			return false, session.Usage(err)
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
