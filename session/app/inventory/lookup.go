package inventory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/system/failure"
	"perfdeck/session/text/english"
)

// patience is how long hosts that do not answer hold up the others.
const patience = 5 * time.Second

var errNoAnswer = errors.New("no answer so far; going on without it")

// tellAfter is how long something is waited for until that is told.
const tellAfter = 4 * time.Second

// waiting says what is waited for, and since when.
func waiting(what string, since time.Time) error {
	return fmt.Errorf("waiting for %s since %s", what, since.Local().Format(time.TimeOnly))
}

// awaited are the hosts that are silent, by the name of the first.
func awaited(hosts []Host, silent []bool) string {
	first, n := "", 0
	for i, h := range hosts {
		if silent[i] {
			if n++; n == 1 {
				first = h.Name
			}
		}
	}
	return english.AndMore(first, n)
}

// await waits until every host told its countersets or failed, and returns
// the failures. When one has answered, the others get a while more. What is waited for long is
// reported.
func await(ctx context.Context, hosts []Host, report func(error)) (failed []error) {
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
	began, tell := time.Now(), time.After(tellAfter)
	for answered := 0; answered < len(hosts); {
		select {
		case <-tell:
			report(waiting("the first answer of "+awaited(hosts, silent), began))
		case n := <-answers:
			answered++
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
	failed := await(ctx, hosts, report)
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	found, silent := 0, false
	var lacking []error
	taken := make([]error, len(queries)) // what paths of other languages are taken for
	meant := make([]bool, len(queries))
	for _, h := range hosts {
		var its []error
		cat := h.Sampler.Catalogue()
		for i, q := range queries {
			if !q.IsFor(&h) {
				continue
			}
			if meant[i] = true; cat == nil {
				silent = true
				continue
			}
			selections, err := q.Resolve(cat, o)
			if found += len(selections); err != nil {
				its = append(its, err)
			}
			if len(selections) > 0 && selections[0].Taken {
				taken[i] = fmt.Errorf("%s is taken for %s", q.Text, selections[0].Path.String())
			}
		}
		lacking = append(lacking, session.OncePerObject(its)...)
	}
	for i, q := range queries {
		if !meant[i] {
			lacking = append(lacking, fmt.Errorf("look up %s: %w", q.Text, errNotWatched))
		}
	}
	all := append(failed, lacking...)
	for i, err := range all {
		_, malformed := errors.AsType[*paths.ParseError](err)
		switch {
		case malformed:
			return false, failure.Usage(err)
		case found == 0 && i == len(all)-1 && (!patient || !silent):
			return false, err
		}
	}
	for _, err := range slices.Concat(all, slices.DeleteFunc(taken, func(err error) bool { return err == nil })) {
		report(err)
	}
	return len(lacking) > 0, nil
}

var errNotWatched = errors.New("no such host is watched")
