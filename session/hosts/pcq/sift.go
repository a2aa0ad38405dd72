package pcq

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"perfdeck/cooker"
	"perfdeck/session/wire/rpc"
)

// What a collection spends at most on finding out which sets fail. One of n takes
// the binary logarithm of n readings; what is left waits for the next collection.
const (
	mostSifted = 32
	siftTime   = 5 * time.Second
)

func isAnswerError(err error) bool {
	_, ok := errors.AsType[*rpc.AnswerError](err)
	return ok
}

// codeError is the result of a call in words for a set.
type codeError rpc.Code

func (e codeError) Error() string { return rpc.Code(e).Text() }

// aside is why a set is out of the query, and when it is tried again.
type aside struct {
	why     error
	retryAt time.Time
}

// collect reads all that the handle holds. Where the answer cannot be used, the sets
// that are the reason are taken out for a while, and the others read without them.
// The error is that of the connection.
func (h *handle) collect(ctx context.Context) (cooker.Clocks, error) {
	data, err := h.fetch(ctx)
	if isAnswerError(err) {
		if err = h.sift(ctx, err); err == nil {
			data, err = h.fetch(ctx)
		}
	}
	switch {
	case err == nil:
		return h.read(data), nil
	case !isAnswerError(err):
		return cooker.Clocks{}, err
	}
	// Now one way, now the other: the next collection tells.
	for _, a := range h.asked {
		if a.begin(); a.err == nil {
			a.err = fmt.Errorf("read counters: %w", err)
		}
	}
	return cooker.Clocks{}, nil
}

// sift finds the sets that make the answer fail and takes them out. Those that are
// back after a while are looked at before all others.
func (h *handle) sift(ctx context.Context, why error) error {
	s := sieve{handle: h, why: why, left: mostSifted, began: h.now()}
	var suspects []*asked
	for _, a := range h.asked {
		switch {
		case a.out != nil:
		case a.back:
			suspects = append(suspects, a)
		default:
			s.good = append(s.good, a)
		}
	}
	if len(suspects) > 0 && len(s.good) > 0 {
		fits, err := s.fits(ctx, nil)
		if err != nil {
			return err
		}
		if !fits { // others fail by now
			suspects = append(suspects, s.good...)
			s.good = nil
		}
	} else if len(suspects) == 0 {
		suspects, s.good = s.good, nil
	}
	var err error
	if len(suspects) == 1 { // once more: it may have been a moment's
		_, err = s.sift(ctx, suspects)
	} else {
		err = s.part(ctx, suspects)
	}
	if err != nil {
		return err
	}
	return h.settle(ctx, s.began)
}

// sieve is the search for the sets that make an answer fail.
type sieve struct {
	*handle
	why   error    // of the last answer that failed
	good  []*asked // can be read together
	left  int      // readings
	began time.Time
}

// part divides sets that cannot be read together with the good ones.
func (s *sieve) part(ctx context.Context, sets []*asked) error {
	first, second := sets[:len(sets)/2], sets[len(sets)/2:]
	fits, err := s.sift(ctx, first)
	switch {
	case err != nil:
		return err
	case fits && len(second) > 1: // so it is the others
		return s.part(ctx, second)
	}
	_, err = s.sift(ctx, second)
	return err
}

// sift adds sets to the good ones, or those that fit, and tells whether all do.
func (s *sieve) sift(ctx context.Context, sets []*asked) (all bool, err error) {
	if s.left == 0 || s.now().Sub(s.began) > siftTime {
		s.setAside(sets, 0)
		return false, nil
	}
	fits, err := s.fits(ctx, sets)
	switch {
	case err != nil:
		return false, err
	case fits:
		s.good = append(s.good, sets...)
		return true, nil
	case len(sets) == 1:
		s.setAside(sets, retryRefused)
		return false, nil
	}
	return false, s.part(ctx, sets)
}

func (s *sieve) setAside(sets []*asked, pause time.Duration) {
	for _, a := range sets {
		a.out, a.back = &aside{fmt.Errorf("read counters: %w", s.why), s.now().Add(pause)}, false
	}
}

// fits tells whether the good sets and these can be read together.
func (s *sieve) fits(ctx context.Context, sets []*asked) (bool, error) {
	s.left--
	for _, a := range s.asked {
		a.idle = !slices.Contains(s.good, a) && !slices.Contains(sets, a)
	}
	err := s.apply(ctx)
	if err == nil {
		_, err = s.fetch(ctx)
	}
	for _, a := range s.asked {
		a.idle = false
	}
	if isAnswerError(err) {
		s.why = err
		return false, nil
	}
	return err == nil, err
}

// bringBack tries sets again that are out of the query for long enough, and tells
// whether there are any. A handle with nothing else is opened anew: it may be itself
// what the host has lost.
func (h *handle) bringBack(ctx context.Context, now time.Time) (some bool, err error) {
	all := true
	for _, a := range h.asked {
		all = all && a.out != nil
		if a.out != nil && !isAhead(a.out.retryAt, now) {
			some = true
		}
	}
	if some && all {
		if err := h.reopen(ctx); err != nil {
			return false, err
		}
	}
	for _, a := range h.asked {
		if a.out != nil && !isAhead(a.out.retryAt, now) {
			a.out, a.back = nil, true
		}
	}
	return some, nil
}

// isAhead tells whether a retry is still to come. One that is far ahead is of before
// a step of the clock.
func isAhead(retryAt, now time.Time) bool {
	return now.Before(retryAt) && retryAt.Sub(now) <= retryRefused
}

// reopen gives the handle back and gets another, which is empty.
func (h *handle) reopen(ctx context.Context) error {
	if err := h.close(ctx); err != nil {
		return err
	}
	id, code, err := h.conn.OpenQueryHandle(ctx)
	if err == nil && code != rpc.CodeOK {
		err = &rpc.Error{Op: "open query", Host: h.host, Code: code}
	}
	h.id, h.specs = id, nil
	return err
}
