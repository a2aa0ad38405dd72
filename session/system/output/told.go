package output

import "sync"

// Told remembers what was told, up to so much. Any goroutine may use it; at first it remembers nothing.
type Told struct {
	Most int

	mu   sync.Mutex
	told map[string]bool
}

// IsNew tells, once, that a text was not told yet.
func (t *Told) IsNew(text string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if text == "" || t.told[text] || len(t.told) >= t.Most {
		return false
	}
	if t.told == nil {
		t.told = map[string]bool{}
	}
	t.told[text] = true
	return true
}

// Forget has all be new again.
func (t *Told) Forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.told)
}

// mostTold bounds what is remembered of errors.
const mostTold = 10_000

// Once tells errors to a function, each text once: what is wrong with a path is found out before a
// recording begins, and by the recording again. Any goroutine may call what it returns: to is called
// by one at a time.
func Once(to func(error)) (report func(error)) {
	var mu sync.Mutex
	told := Told{Most: mostTold}
	return func(err error) {
		mu.Lock()
		defer mu.Unlock()
		if told.IsNew(err.Error()) {
			to(err)
		}
	}
}
