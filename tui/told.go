package tui

import "sync"

// told is what went wrong outside the screens and is not in the Log yet, in order:
// the messages that tell of it may overtake each other.
type told struct {
	mu   sync.Mutex
	errs []error
}

func (t *told) add(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.errs = append(t.errs, err)
}

func (t *told) take() []error {
	t.mu.Lock()
	defer t.mu.Unlock()
	errs := t.errs
	t.errs = nil
	return errs
}
