package desk

import (
	"sync"
	"time"
)

// Look is the newest result of a look at something slow, at which is looked again while
// somebody asks. Any goroutine may use it.
type Look[T any] struct {
	Every   time.Duration
	Do      func() T
	Changed func()       // the result may be another one; called behind a look that nobody waits for
	Go      func(func()) // starts a goroutine

	mu      sync.Mutex
	it      T
	known   bool
	looking bool
	at      time.Time
}

// Get is the result of the last look; false: there was none. It does not wait.
func (l *Look[T]) Get() (it T, known bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.looking && time.Since(l.at) >= l.Every {
		l.looking = true
		l.Go(func() { l.Now(); l.Changed() })
	}
	return l.it, l.known
}

// Now looks, and waits for that.
func (l *Look[T]) Now() {
	it := l.Do()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.it, l.known, l.looking, l.at = it, true, false, time.Now()
}

// Expire has the next Get look.
func (l *Look[T]) Expire() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.at = time.Time{}
}
