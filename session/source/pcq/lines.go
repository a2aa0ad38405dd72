package pcq

import (
	"context"
	"errors"
	"slices"
	"sync"

	"perfdeck/session/wire/rpc"
)

// MaxCalls is how many calls at once a host is asked for its catalogue by, each over
// a connection of its own: a connection takes one call at a time.
const MaxCalls = 8

// lines are the connections that a catalogue is read over: one at first, and others
// as soon as they are there. One that breaks is left out, and the host refuses as many
// as it likes: what is left does.
type lines struct {
	free   chan Conn // those without a call
	cancel context.CancelFunc
	dials  sync.WaitGroup

	mu    sync.Mutex
	all   []Conn
	lent  Conn // that is somebody else's to close; nil: none
	ended bool
}

func newLines(first Conn) *lines {
	l := &lines{free: make(chan Conn, 2*MaxCalls), cancel: func() {}}
	l.add(first)
	return l
}

// widen dials others in the background, until end.
func (l *lines) widen(ctx context.Context, o *Options) {
	if o.Extra == nil {
		return
	}
	ctx, l.cancel = context.WithCancel(context.WithoutCancel(ctx))
	for range MaxCalls - 1 {
		l.dials.Add(1)
		o.Go(func() {
			defer l.dials.Done()
			if conn, err := o.Extra(ctx); err == nil {
				l.add(conn)
			}
		})
	}
}

func (l *lines) add(conn Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		_ = conn.Close()
		return
	}
	l.all = append(l.all, conn)
	l.free <- conn
}

func (l *lines) len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.all)
}

// call makes a call over a connection that has none. A connection that breaks is left
// out, and the call made over another: but not where the host answered it by a fault,
// nor where none is left.
func (l *lines) call(ctx context.Context, do func(Conn) (rpc.Array, error)) (rpc.Array, error) {
	for {
		var conn Conn
		select {
		case conn = <-l.free:
		case <-ctx.Done():
			return rpc.Array{}, ctx.Err()
		}
		a, err := do(conn)
		if err == nil {
			l.free <- conn
			return a, nil
		}
		l.leave(conn)
		if isFault(err) || ctx.Err() != nil || l.len() == 0 {
			return a, err
		}
	}
}

// leave leaves a connection out that broke.
func (l *lines) leave(conn Conn) {
	l.mu.Lock()
	l.all = slices.DeleteFunc(l.all, func(c Conn) bool { return c == conn })
	l.mu.Unlock()
	l.discard(conn)
}

// discard closes a connection, unless it is somebody else's.
func (l *lines) discard(conn Conn) {
	l.mu.Lock()
	own := conn != l.lent
	l.mu.Unlock()
	if own {
		_ = conn.Close()
	}
}

// lend gives the oldest connection away while no call is under way; nil: none is left.
// It goes on being used here as long as it is not broken, a call of its new owner
// waiting for one of these at most.
func (l *lines) lend() Conn {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.all) > 0 {
		l.lent = l.all[0]
	}
	return l.lent
}

// end closes all that are left.
func (l *lines) end() {
	l.cancel()
	l.mu.Lock()
	all := l.all
	l.all, l.ended = nil, true
	l.mu.Unlock()
	for _, conn := range all {
		l.discard(conn)
	}
	l.dials.Wait()
}

// isFault tells of an answer that ends a connection though the host goes on.
func isFault(err error) bool {
	call, ok := errors.AsType[*rpc.Error](err)
	return ok && call.Code != 0
}
