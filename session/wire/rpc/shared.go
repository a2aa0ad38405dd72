package rpc

import (
	"context"
	"errors"
	"sync"
	"time"

	"perfdeck/session"
)

// Shared is the way to a host for several users, each of which calls one interface: of counters, of
// services, of events. Over SMB there is one connection and one log-on for all of them, and a pipe
// for those whose interfaces are served on the same one; a pipe that is silent, or breaks, is no
// matter of the others. What is shared is made when its first user comes and ends when the last one
// goes.
type Shared struct {
	// LogOn logs on over SMB; nil: each connection does so by itself, where that is needed.
	LogOn func(ctx context.Context) (*Shares, error)
	// Dial connects and binds to the interfaces, by a pipe on a log-on where that is not nil.
	Dial func(ctx context.Context, on *Shares, interfaces ...Interface) (*Client, error)
	Now  func() time.Time // nil: time.Now

	mu       sync.Mutex
	logOn    *common[*Shares]
	pipes    map[string]*common[piped]
	refusals map[Interface]refusal
}

// piped is a connection, and what it is on.
type piped struct {
	*Client

	on *held[*Shares] // nil: nothing that is shared
}

// refusal is why an interface is of no use to the account.
type refusal struct {
	err  error
	over any // the connection to the host that there was
	when time.Time
}

// remembered is for how long a refusal is believed without asking again.
const remembered = 10 * time.Minute

// Lease is one user's hold on a connection; after Close it must not be used.
type Lease struct {
	*Client

	once  sync.Once
	leave func() // nil: the connection is this user's own
}

// Close ends this user's hold; the connection ends with its last user.
func (l *Lease) Close() (err error) {
	l.once.Do(func() {
		if l.leave == nil {
			err = l.Client.Close()
		} else {
			l.leave()
		}
	})
	return err
}

// Connect gives a connection with the interface: that of its pipe as long as it is not broken, a new
// one else. A host that does not take all interfaces of a pipe on one connection is given one for
// each. What was refused is remembered, see Refused.
func (s *Shared) Connect(ctx context.Context, i Interface) (*Lease, error) {
	if err := s.refusal(i); err != nil {
		return nil, err
	}
	l, on, err := s.lease(ctx, i)
	if err != nil {
		if i.pipe != MSPCQ.pipe && errors.Is(err, session.ErrDenied) && !IsWrongPassword(err) {
			s.Refused(i, err)
		}
		return nil, err
	}
	if l.Serves(i) {
		return l, nil
	}
	defer l.Close() //nolint:errcheck // nothing is lost
	c, err := s.Dial(ctx, on, i)
	if errors.Is(err, ErrNotServed) {
		s.Refused(i, err)
	}
	if err != nil {
		return nil, err
	}
	return &Lease{Client: c}, nil
}

// Hold takes part in the connection for counters whatever it serves: so it stays while others find
// out which of its interfaces they can use.
func (s *Shared) Hold(ctx context.Context) (*Lease, error) {
	l, _, err := s.lease(ctx, MSPCQ)
	return l, err
}

// lease takes part in the connection by the pipe of an interface.
func (s *Shared) lease(ctx context.Context, i Interface) (*Lease, *Shares, error) {
	p := s.pipe(i)
	c, err := p.take(ctx)
	if err != nil {
		return nil, nil, err
	}
	l := &Lease{Client: c.of.Client, leave: func() { p.leave(c) }}
	if c.of.on == nil {
		return l, nil, nil
	}
	return l, c.of.on.of, nil
}

// pipe is the one that an interface is served on.
func (s *Shared) pipe(i Interface) *common[piped] {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pipes == nil {
		s.pipes, s.refusals = map[string]*common[piped]{}, map[Interface]refusal{}
		s.logOn = &common[*Shares]{make: s.LogOn, end: func(of *Shares) { _ = of.Close() }}
	}
	if i == OwnSideChannel { // which is beside counters
		i = MSPCQ
	}
	if p := s.pipes[i.pipe]; p != nil {
		return p
	}
	all := []Interface{i}
	if i.pipe == MSPCQ.pipe {
		all = []Interface{MSPCQ, MSRRP}
	}
	p := &common[piped]{make: func(ctx context.Context) (piped, error) { return s.open(ctx, all) }, end: s.end}
	s.pipes[i.pipe] = p
	return p
}

// open makes the connection of a pipe.
func (s *Shared) open(ctx context.Context, all []Interface) (piped, error) {
	if s.LogOn == nil {
		c, err := s.Dial(ctx, nil, all...)
		return piped{Client: c}, err
	}
	on, err := s.logOn.take(ctx)
	if err != nil {
		return piped{}, err
	}
	c, err := s.Dial(ctx, on.of, all...)
	if err != nil {
		s.logOn.leave(on)
		return piped{}, err
	}
	return piped{c, on}, nil
}

func (s *Shared) end(p piped) {
	_ = p.Close()
	if p.on != nil {
		s.logOn.leave(p.on)
	}
}

// Refused notes that the host refuses the account what an interface is for. Connect tells the same
// without asking, until there is another connection to the host, or ten minutes are over.
func (s *Shared) Refused(i Interface, err error) {
	over := s.over(i)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refusals[i] = refusal{err, over, s.now()}
}

// refusal is why an interface cannot be had, as far as is known: asking again would cost a log-on.
func (s *Shared) refusal(i Interface) error {
	over := s.over(i)
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.refusals[i]; (over == nil || over == r.over) && s.now().Sub(r.when) < remembered {
		return r.err
	}
	return nil
}

// over is the connection to the host that there is; nil: there is none.
func (s *Shared) over(i Interface) any {
	p := s.pipe(i)
	if s.LogOn == nil {
		if h := p.newest(); h != nil {
			return h
		}
	} else if h := s.logOn.newest(); h != nil {
		return h
	}
	return nil
}

func (s *Shared) now() time.Time {
	if s.Now != nil {
		return s.Now()
	}
	return time.Now()
}
