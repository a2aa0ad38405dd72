package rpc

import (
	"context"
	"errors"
	"sync"
)

// common is something that several users have together, made when the first of them comes and ended
// when the last one goes. One that broke is replaced for those who come then.
type common[C interface{ Err() error }] struct {
	make func(ctx context.Context) (C, error)
	end  func(C)

	mu     sync.Mutex
	now    *held[C] // nil: there is none
	making *making[C]
}

// held is one of them.
type held[C any] struct {
	of    C
	users int
}

// making is one under way, which all who come meanwhile wait for: so many users cost one log-on, a
// refused one too.
type making[C any] struct {
	done  chan struct{}
	made  *held[C]
	err   error
	users int
}

// take takes part.
func (c *common[C]) take(ctx context.Context) (*held[C], error) {
	c.mu.Lock()
	if h := c.now; h != nil && h.of.Err() == nil {
		defer c.mu.Unlock()
		h.users++
		return h, nil
	}
	m := c.making
	if m != nil {
		m.users++
		c.mu.Unlock()
		return c.wait(ctx, m)
	}
	m = &making[C]{done: make(chan struct{}), users: 1}
	c.making = m
	c.mu.Unlock()
	of, err := c.make(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.making = nil
	if m.err = err; err == nil {
		m.made = &held[C]{of, m.users}
		c.now = m.made
	}
	close(m.done)
	return m.made, m.err
}

// wait waits for what another user makes. If only that user gave up, this one makes it.
func (c *common[C]) wait(ctx context.Context, m *making[C]) (*held[C], error) {
	select {
	case <-m.done:
		if errors.Is(m.err, context.Canceled) && ctx.Err() == nil {
			return c.take(ctx)
		}
		return m.made, m.err
	case <-ctx.Done():
	}
	c.mu.Lock()
	if m.made == nil {
		m.users--
		c.mu.Unlock()
		return nil, ctx.Err()
	}
	c.mu.Unlock()
	c.leave(m.made)
	return nil, ctx.Err()
}

// leave counts a user out.
func (c *common[C]) leave(h *held[C]) {
	c.mu.Lock()
	h.users--
	last := h.users == 0
	if last && c.now == h {
		c.now = nil
	}
	c.mu.Unlock()
	if last {
		c.end(h.of)
	}
}

// newest is the one that there is; nil: there is none.
func (c *common[C]) newest() *held[C] {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}
