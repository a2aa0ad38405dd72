package rpc

import (
	"context"
	"errors"
	"sync"
)

// Shared is the connection of a host for several users, each of which calls one
// interface. It is dialled when the first user comes and closed when the last
// one goes. A host that does not take both interfaces on one connection is given
// one for each.
type Shared struct {
	// Dial connects and binds to the interfaces.
	Dial func(ctx context.Context, interfaces ...Interface) (*Client, error)

	mu     sync.Mutex
	client *Client
	users  int // of client
	dial   *sharedDial
	absent map[Interface]error // what is known not to be served while client lasts
}

// sharedDial is a Dial under way, which all who come meanwhile wait for: so many
// users cost one log-on, a refused one too.
type sharedDial struct {
	done   chan struct{}
	client *Client
	err    error
	users  int
}

// Lease is one user's hold on a connection; after Close it must not be used.
type Lease struct {
	*Client
	release sync.Once
	shared  *Shared // nil: the connection is this user's own
}

// Connect gives the connection with the interface: the common one as long as it
// is not broken, a new one else.
func (s *Shared) Connect(ctx context.Context, i Interface) (*Lease, error) {
	c, err := s.common(ctx)
	if err != nil {
		return nil, err
	}
	lease := &Lease{Client: c, shared: s}
	if c.Serves(i) {
		return lease, nil
	}
	defer func() { _ = lease.Close() }()
	if err := s.known(i); err != nil {
		return nil, err
	}
	if c, err = s.Dial(ctx, i); err != nil {
		s.learn(i, err)
		return nil, err
	}
	return &Lease{Client: c}, nil
}

// Hold takes part in the common connection whatever it serves: so it stays while
// others find out which of its interfaces they can use.
func (s *Shared) Hold(ctx context.Context) (*Lease, error) {
	c, err := s.common(ctx)
	if err != nil {
		return nil, err
	}
	return &Lease{Client: c, shared: s}, nil
}

// known is why an interface cannot be had, as far as is known: asking again
// would cost a log-on.
func (s *Shared) known(i Interface) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.absent[i]
}

func (s *Shared) learn(i Interface, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if errors.Is(err, ErrNotServed) {
		s.absent[i] = err
	}
}

// common takes part in the common connection.
func (s *Shared) common(ctx context.Context) (*Client, error) {
	s.mu.Lock()
	if s.client != nil && s.client.Err() == nil {
		defer s.mu.Unlock()
		s.users++
		return s.client, nil
	}
	d := s.dial
	if d != nil {
		d.users++
		s.mu.Unlock()
		return s.wait(ctx, d)
	}
	d = &sharedDial{done: make(chan struct{}), users: 1}
	s.dial = d
	s.mu.Unlock()
	d.client, d.err = s.Dial(ctx, MSPCQ, MSRRP)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dial = nil
	if d.err == nil {
		s.client, s.users, s.absent = d.client, d.users, map[Interface]error{}
	}
	close(d.done)
	return d.client, d.err
}

// wait waits for another user's Dial. If only that user gave up, this one dials.
func (s *Shared) wait(ctx context.Context, d *sharedDial) (*Client, error) {
	select {
	case <-d.done:
		if errors.Is(d.err, context.Canceled) && ctx.Err() == nil {
			return s.common(ctx)
		}
		return d.client, d.err
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-d.done:
		if d.err == nil {
			s.leave(d.client)
		}
	default:
		d.users--
	}
	return nil, ctx.Err()
}

// leave counts a user of c out. A connection that another has replaced is closed
// by whoever leaves it first: it is broken.
func (s *Shared) leave(c *Client) {
	if c != s.client {
		_ = c.Close()
		return
	}
	if s.users--; s.users == 0 {
		_ = c.Close()
		s.client = nil
	}
}

// Close ends this user's hold; the connection ends with its last user.
func (l *Lease) Close() (err error) {
	l.release.Do(func() {
		if l.shared == nil {
			err = l.Client.Close()
			return
		}
		l.shared.mu.Lock()
		defer l.shared.mu.Unlock()
		l.shared.leave(l.Client)
	})
	return err
}
