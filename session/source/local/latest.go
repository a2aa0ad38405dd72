package local

import (
	"sync"
	"time"
)

// latest runs a read that may be slow, or hang, in a goroutine of its own, and
// keeps its last answer. No more than one is under way.
type latest[T any] struct {
	mu      sync.Mutex
	running bool
	started time.Duration
	begun   bool
	answer  T
	ok      bool
}

// get returns the last answer; ok is false while there is none. It starts the
// next read if the last one began at least every ago.
func (l *latest[T]) get(o *Options, every time.Duration, read func() T) (answer T, ok bool) {
	if l.due(o.Monotonic(), every) {
		o.Go(func() { l.run(read) })
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.answer, l.ok
}

// due says that a read is to be started now.
func (l *latest[T]) due(now, every time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.running || l.begun && now-l.started < every {
		return false
	}
	l.running, l.begun, l.started = true, true, now
	return true
}

func (l *latest[T]) run(read func() T) {
	var answer T
	done := false
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.running = false
		if done {
			l.answer, l.ok = answer, true
		}
	}()
	answer = read()
	done = true
}
