package cache

import (
	"context"
	"time"

	"perfdeck/session"
	"perfdeck/session/system/guard"
)

// Reach is how a host is reached by connections C, and how its catalogue is kept. Dial
// must be set.
type Reach[C any] struct {
	Host string // name in the catalogue and in errors
	// Dial connects and logs on. Its calls end at their own deadlines.
	Dial func(ctx context.Context) (C, error)
	// Aside is Dial for a kept catalogue's refresh, which a second goroutine
	// calls; nil: Dial.
	Aside func(ctx context.Context) (C, error)

	// LCID is the language of labels and descriptions (MS-LCID); 0: the host's.
	LCID uint32

	// Shared lets sources share what their catalogues have in common; may be nil.
	Shared *Shared
	// CacheDir is where the catalogue is kept between runs; empty: nowhere.
	CacheDir string
	// Refreshed hears of a catalogue that differs from the kept one which
	// Catalogue gave. It is called from a goroutine of its own; nil: nobody does.
	Refreshed func(*session.Catalogue)

	Now func() time.Time // wall clock; nil: time.Now
	Go  func(func())     // starts a goroutine; nil: one whose panic ends the program
}

// SetDefaults completes what was left out.
func (r *Reach[C]) SetDefaults() {
	if r.Aside == nil {
		r.Aside = r.Dial
	}
	if r.Refreshed == nil {
		r.Refreshed = func(*session.Catalogue) {}
	}
	if r.Now == nil {
		r.Now = time.Now
	}
	if r.Go == nil {
		r.Go = guard.New(func(e *guard.PanicError) { panic(e) }).Go
	}
}
