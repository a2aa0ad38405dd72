package logon

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// secret is a password, of the hosts that share it. It is fetched once and kept for reconnects.
type secret struct {
	fetch func(ctx context.Context) ([]byte, error)
	// again: fetch may be repeated after a failure or a refusal. One that asks
	// the user may not: the screens have the terminal by then.
	again bool
	watch bool          // it costs nothing to fetch it once more: it may be another by now
	rest  time.Duration // after a failure, in which it is not fetched again
	// successor logs on in place of all that share it, once the user said so.
	successor atomic.Pointer[Account]
	// sum tells passwords apart: it is that of the last one that was had.
	sum atomic.Pointer[[sha256.Size]byte]

	mu       sync.Mutex
	password []byte
	wrong    []byte // the last one that was refused
	err      error
	failed   time.Time     // when err came
	fetching chan struct{} // closed when the password that is fetched now is there; nil: none is
	renewed  bool          // since that began
}

func newSecret(fetch func(ctx context.Context) ([]byte, error)) *secret {
	return &secret{fetch: fetch}
}

// commandRest is how long a program or a keyring that failed is left alone.
const commandRest = 30 * time.Second

// get gives a copy of the password; the caller may wipe it.
func (s *secret) get(ctx context.Context) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.await(ctx); err != nil {
		return nil, err
	}
	if s.err != nil && (s.again && time.Since(s.failed) >= s.rest || errors.Is(s.err, ErrOnScreen)) {
		s.err = nil
	}
	for had := s.password != nil || s.err != nil; !had; had = !s.renewed { // else it may be an old one
		password, err := s.fetchApart(ctx)
		if err != nil && ctx.Err() != nil { // who asked has gone, which says nothing
			return nil, err
		}
		s.password, s.err, s.failed = password, err, time.Now()
	}
	if s.err != nil {
		return nil, s.err
	}
	sum := sha256.Sum256(s.password)
	s.sum.Store(&sum)
	return bytes.Clone(s.password), nil
}

// await waits until nobody fetches the password. The lock is held but while it waits.
func (s *secret) await(ctx context.Context) error {
	for s.fetching != nil {
		fetched := s.fetching
		s.mu.Unlock()
		select {
		case <-fetched:
		case <-ctx.Done():
		}
		s.mu.Lock()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

// fetchApart fetches the password without the lock, which is held before and after: a program may never end.
func (s *secret) fetchApart(ctx context.Context) ([]byte, error) {
	s.fetching, s.renewed = make(chan struct{}), false
	s.mu.Unlock()
	password, err := s.fetch(ctx)
	s.mu.Lock()
	close(s.fetching)
	s.fetching = nil
	return password, err
}

// isNew tells, once, that there is another password by now than the one that was refused.
func (s *secret) isNew(ctx context.Context) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.await(ctx) != nil || !s.watch || s.wrong == nil {
		return false
	}
	password, err := s.fetchApart(ctx)
	if err != nil || bytes.Equal(password, s.wrong) {
		clear(password)
		return false
	}
	s.password, s.wrong = password, bytes.Clone(password)
	return true
}

// retry has what failed fetched again at once.
func (s *secret) retry() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed = time.Time{}
}

// renew forgets a password that can be had again.
func (s *secret) renew() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.again {
		clear(s.password)
		s.password, s.err, s.renewed = nil, nil, true
	}
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
	if s.again && s.password != nil {
		s.wrong, s.password = s.password, nil
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
