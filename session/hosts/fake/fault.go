package fake

import (
	"cmp"
	"context"
	"iter"
	"math"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
)

// Fault is something that goes wrong during a window. Its other fields say
// what, and to whom: the whole host, a set, a counter of a set.
type Fault struct {
	Window
	Set, Counter string // empty: all

	// Latency is how long the host takes to answer. Host only.
	Latency time.Duration
	// Hang keeps the host from answering until the caller gives up, even when
	// the window has passed. Host only.
	Hang bool
	// Err is the answer: of the host, to every call, or of the set.
	Err error
	// State is what readings of the counter, or of all counters of the set,
	// are worth instead.
	State cooker.Status
	// Restart lets counters begin anew, under new instance ids, when the
	// window opens: those of the set, or those of the host, which then loses
	// its open queries too.
	Restart bool
}

// forever is longer than any run.
const forever = time.Duration(math.MaxInt64)

// answer is what the whole host does to a call: it waits, fails, or neither.
func (s *Source) answer(ctx context.Context) error {
	var wait time.Duration
	var failed error
	for f := range s.faults("", s.now()) {
		failed = cmp.Or(failed, f.Err)
		if wait = max(wait, f.Latency); f.Hang {
			wait = forever
		}
	}
	if err := s.wait(ctx, wait); err != nil {
		return err
	}
	return failed
}

// faults are those of a set, or, without one, of the host, that are there at t.
func (s *Source) faults(set string, t time.Duration) iter.Seq[*Fault] {
	return func(yield func(*Fault) bool) {
		for i := range s.script.Faults {
			f := &s.script.Faults[i]
			if open, _ := f.at(t); open && f.Set == set && !yield(f) {
				return
			}
		}
	}
}

func (s *Source) wait(ctx context.Context, d time.Duration) error {
	if d > 0 && session.Await(ctx, s.clock, d, nil) {
		return nil
	}
	return ctx.Err()
}

// state is what readings of a counter are worth.
func (s *Source) state(set, counter string, t time.Duration) cooker.Status {
	for f := range s.faults(set, t) {
		if f.State != cooker.OK && (f.Counter == "" || f.Counter == counter) {
			return f.State
		}
	}
	return cooker.OK
}

// restarts counts the restarts of a set until t, those of the host included,
// and tells when the last was. set "" counts those of the host alone.
func (s *Source) restarts(set string, t time.Duration) (n int, last time.Duration) {
	last = -forever
	for i := range s.script.Faults {
		f := &s.script.Faults[i]
		if !f.Restart || f.Set != "" && f.Set != set {
			continue
		}
		if began := f.began(t); began > 0 {
			n += began
			last = max(last, f.opened(began-1))
		}
	}
	return n, last
}

// Denied is the error of a host that lets nobody read its counters.
func Denied(host string) error {
	return &session.HostError{Host: host, Op: "open counters", Err: session.ErrDenied,
		Advice: `add the account to the group "Performance Monitor Users" on ` + host + `, or use another account`}
}
