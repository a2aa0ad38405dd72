package session

import (
	"context"
	"sync"
	"time"
)

// Serial lets one at a time do something. The zero value is ready.
type Serial struct{ mu sync.Mutex }

// Do waits for its turn.
func (s *Serial) Do(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// Late is a value that is made when it is asked for first. The zero Late is ready, and any
// goroutine may ask.
type Late[T any] struct {
	mu   sync.Mutex
	made bool
	it   T
}

// Get returns the value, made by create at the first call. Where create fails the next call
// tries again.
func (l *Late[T]) Get(create func() (T, error)) (T, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.made {
		it, err := create()
		if err != nil {
			return it, err
		}
		l.it, l.made = it, true
	}
	return l.it, nil
}

// Made returns the value if it was made already.
func (l *Late[T]) Made() (it T, made bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.it, l.made
}

// Latest holds the newest of values. The zero Latest has none, and any goroutine may use it.
type Latest[T any] struct {
	mu sync.Mutex
	it T
	is bool
}

// Set replaces the value.
func (l *Latest[T]) Set(it T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.it, l.is = it, true
}

// Get returns the newest value; false: there is none.
func (l *Latest[T]) Get() (it T, is bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.it, l.is
}

// Take returns the newest value and removes it.
func (l *Latest[T]) Take() (it T, is bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	it, is = l.it, l.is
	var none T
	l.it, l.is = none, false
	return it, is
}

// Sleep is false when the context ended before d was over.
func Sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// IsClosed tells whether a channel that only ever is closed is so by now.
func IsClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
