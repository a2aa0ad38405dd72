package output

import "sync/atomic"

// Progress is how far something is, for who draws it. Any goroutine may use it.
type Progress struct{ at, of atomic.Int64 }

// Set notes how far it is, and of how much.
func (p *Progress) Set(at, of int64) {
	p.at.Store(at)
	p.of.Store(of)
}

// Get is how far it was at last.
func (p *Progress) Get() (at, of int64) { return p.at.Load(), p.of.Load() }
