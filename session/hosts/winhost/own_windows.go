package winhost

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"perfdeck/session"
	"perfdeck/session/hosts/hkpd"
	"perfdeck/session/hosts/pcq"
	"perfdeck/session/text/english"
	"perfdeck/session/wire/rpc"
)

// NewOwn makes the source of the computer that this runs on: its V2 countersets
// by the functions of perflib.h, its V1 objects by HKEY_PERFORMANCE_DATA of this
// process. They take and give the same blocks as the calls of MS-PCQ and MS-RRP,
// which are made of them; no service, log-on or connection takes part. lcid is
// the language of labels (MS-LCID), 0 that of the computer; start starts a
// goroutine.
func NewOwn(host string, lcid uint32, start func(func())) *Source {
	v2, v1 := &calls{start: start}, &calls{start: start}
	return New(Options{
		Host: host,
		Events: func(ctx context.Context, from session.EventsFrom, _ func() (time.Duration, bool)) (session.EventReader, error) {
			return ownEvents(ctx, host, start, from)
		},
		V2: func(refreshed func(*session.Catalogue)) Half {
			return pcq.New(pcq.Options{
				Reach: pcq.Reach{Host: host, LCID: lcid, Refreshed: refreshed, Go: start, Dial: func(context.Context) (pcq.Conn, error) { return dialPerflib(v2) }},
			})
		},
		V1: func(refreshed func(*session.Catalogue)) Half {
			return hkpd.New(hkpd.Options{
				Reach: hkpd.Reach{Host: host, LCID: lcid, Refreshed: refreshed, Go: start, Dial: func(context.Context) (hkpd.Conn, error) { return dialRegistry(v1) }},
			})
		},
	})
}

// callTimeout is how long Windows may take for an answer. Providers are code of
// others, some of which ask servers for their values.
const callTimeout = 30 * time.Second

// calls runs functions of Windows, each in a goroutine of its own: one that asks
// a provider which hangs cannot be ended.
type calls struct {
	start func(func())
	stuck atomic.Int32 // were given up and have not come back
}

// call runs one of them. After an error it may still be running: what it reads
// and writes is then its own.
func (c *calls) call(ctx context.Context, op string, do func() rpc.Code) (rpc.Code, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	done := make(chan rpc.Code, 1)
	c.stuck.Add(1)
	c.start(func() {
		code := do()
		c.stuck.Add(-1)
		done <- code
	})
	select {
	case code := <-done:
		return code, nil
	case <-ctx.Done():
		if context.Cause(ctx) == context.DeadlineExceeded {
			return 0, &OwnError{Op: op, Err: errNoAnswer, Advice: adviceHangs}
		}
		return 0, context.Cause(ctx)
	}
}

// ready tells whether a new connection would do: it would hang as the one
// before while that has not come back, and take another thread.
func (c *calls) ready() error {
	if c.stuck.Load() > 0 {
		return &OwnError{Op: "read performance counters", Err: errStillHangs, Advice: adviceHangs}
	}
	return nil
}

// ErrNoAnswer marks errors of calls that hang: the next one may be answered.
var ErrNoAnswer = errors.New("no answer")

var (
	errNoAnswer   = fmt.Errorf("%w within %s", ErrNoAnswer, english.Span(callTimeout))
	errStillHangs = fmt.Errorf("%w: the call before has not come back", ErrNoAnswer)
)

// What can be done about performance counters that fail.
const (
	adviceHangs  = "a provider hangs: its name is in the event log Application, source Perflib; lodctr /Q lists them, lodctr /D:NAME disables one"
	adviceRights = "run perfdeck as an administrator, or as a member of Performance Monitor Users who signed in after joining it"
	adviceAbsent = "Windows has them since Vista; Wine lacks them"
	adviceRepair = "rebuild the counters: lodctr /R as an administrator, then winmgmt /resyncperf"
)

// OwnError says which question to this computer failed, and why.
type OwnError struct {
	Op     string
	Err    error
	Advice string
}

func (e *OwnError) Error() string { return e.Op + ": " + e.Err.Error() }

// Hint says what can be done.
func (e *OwnError) Hint() string { return e.Advice }

func (e *OwnError) Unwrap() error { return e.Err }

// refusal is the error of a code that leaves nothing to be read; nil for success.
func refusal(op string, code rpc.Code) error {
	switch {
	case code == rpc.CodeOK:
		return nil
	case code.IsDenied():
		return &OwnError{Op: op, Err: errors.New(code.Text()), Advice: adviceRights}
	}
	return &OwnError{Op: op, Err: errors.New(code.Text()), Advice: adviceRepair}
}
