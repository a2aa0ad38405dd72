package notebook

import (
	"sync"
	"sync/atomic"

	"perfdeck/session/record/note"
)

// Board is notes that are known, for who shows them. Any goroutine may use it.
type Board struct {
	mu      sync.Mutex
	all     []note.Note
	changed atomic.Pointer[func()]
}

// All are those that are known, in order of time; do not change.
func (b *Board) All() []note.Note {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all
}

// Add adds notes.
func (b *Board) Add(news ...note.Note) {
	if len(news) == 0 {
		return
	}
	b.mu.Lock()
	b.all = note.Merge(b.all, news)
	b.mu.Unlock()
	if changed := b.changed.Load(); changed != nil {
		(*changed)()
	}
}

// OnChange names who is told that there are more.
func (b *Board) OnChange(changed func()) { b.changed.Store(&changed) }
