package logon

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// secret is a password. It is fetched once and kept for reconnects.
type secret struct {
	fetch func(ctx context.Context) ([]byte, error)
	// again: fetch may be repeated after a failure or a refusal. One that asks
	// the user may not: the screens have the terminal by then.
	again  bool
	logOns *logOns // with it, of the hosts that share it
	// successor logs on in place of all that share it, once the user said so.
	successor atomic.Pointer[Account]

	mu       sync.Mutex
	password []byte
	err      error
}

func newSecret(fetch func(ctx context.Context) ([]byte, error)) *secret {
	return &secret{fetch: fetch, logOns: newLogOns(time.Now)}
}

// get gives a copy of the password; the caller may wipe it.
func (s *secret) get(ctx context.Context) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.password == nil && s.err == nil {
		s.password, s.err = s.fetch(ctx)
	}
	err := s.err
	if s.again || errors.Is(err, ErrOnScreen) {
		s.err = nil
	}
	if err != nil {
		return nil, err
	}
	return bytes.Clone(s.password), nil
}

// ready fetches the password if it is not at hand.
func (s *secret) ready(ctx context.Context) error {
	password, err := s.get(ctx)
	clear(password)
	return err
}

// refused drops a password that was refused, if another can be had: it may have
// been changed.
func (s *secret) refused() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.again {
		clear(s.password)
		s.password = nil
	}
}

// holds tells whether a password is the one that is known; an empty one is any.
func (s *secret) holds(password []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.password != nil && (len(password) == 0 || bytes.Equal(s.password, password))
}

// known is a copy of the password if it was fetched already, else nil.
func (s *secret) known() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return bytes.Clone(s.password)
}
