package output

import "sync"

// Once tells errors, each text once: what is wrong with a path is found out before a
// recording begins, and by the recording again. Any goroutine may call it.
type Once struct {
	to func(error)

	mu   sync.Mutex
	told map[string]bool
}

// mostTold bounds what is remembered.
const mostTold = 10_000

// NewOnce tells errors to a function.
func NewOnce(to func(error)) *Once { return &Once{to: to, told: map[string]bool{}} }

// Report tells an error, unless one of its text was told.
func (t *Once) Report(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if text := err.Error(); !t.told[text] && len(t.told) < mostTold {
		t.told[text] = true
		t.to(err)
	}
}
