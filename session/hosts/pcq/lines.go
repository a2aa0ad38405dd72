package pcq

import (
	"context"
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

	mu      sync.Mutex
	all     []Conn
	lent    Conn // that is somebody else's to close; nil: none
	apart   bool // lent takes no calls from here: what its owner asks for waits for none of them
	dialing int  // connections that are still to come
	ended   bool
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
	l.dialing = MaxCalls - 1
	for range MaxCalls - 1 {
		l.dials.Add(1)
		o.Go(func() {
			defer l.dials.Done()
			conn, err := o.Extra(ctx)
			if err == nil {
				l.add(conn)
			}
			l.change(func() { l.dialing-- })
		})
	}
}

// change changes what is known of the connections. One that was lent is used again when
// no other is left, or to come.
func (l *lines) change(do func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	do()
	if l.apart && l.dialing == 0 && len(l.all) == 1 {
		l.join()
	}
}

// join has the lent connection take calls from here, too. l.mu is held.
func (l *lines) join() {
	if l.apart && slices.Contains(l.all, l.lent) {
		l.free <- l.lent
	}
	l.apart = false
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
		if rpc.CodeOf(err) != 0 || ctx.Err() != nil || l.len() == 0 {
			return a, err
		}
	}
}

// leave leaves a connection out that broke.
func (l *lines) leave(conn Conn) {
	l.change(func() { l.all = slices.DeleteFunc(l.all, func(c Conn) bool { return c == conn }) })
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
// It takes no calls from here until share, unless no other can; its new owner's wait for
// one of them at most then.
func (l *lines) lend() Conn {
	l.change(func() {
		if len(l.all) == 0 {
			return
		}
		l.lent, l.apart = l.all[0], true
		for range len(l.free) {
			if conn := <-l.free; conn != l.lent {
				l.free <- conn
			}
		}
	})
	return l.lent
}

// share takes calls over the lent connection, too, by now.
func (l *lines) share() { l.change(l.join) }

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
