package cache

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"perfdeck/session"
)

// Copy is the catalogue of a host that an earlier run kept, and its renewal while
// it is in use. One goroutine uses it; only what Options name is called from
// another.
type Copy struct {
	options CopyOptions
	kept    *session.Catalogue // what Catalogue gave
	begun   bool               // that is of the host, and was not saved
	cancel  context.CancelFunc
	done    chan struct{} // closed when the attempt ended; nil before the first
	over    atomic.Bool   // it succeeded
	odd     atomic.Pointer[error]
}

// CopyOptions say where a copy is and how it is renewed. All of them must be set.
type CopyOptions struct {
	File File
	// Usable tells whether a set of the file is one that the source can read, and
	// puts right what differs by version.
	Usable func(*session.Counterset) bool
	Shared *Shared // may be nil
	// Read reads the catalogue from the host anew, while kept is in use: over a
	// connection of its own, so that no sample waits for it, and none is lost by its
	// failures.
	Read func(ctx context.Context, kept *session.Catalogue) (*session.Catalogue, error)
	// Renewed hears of a catalogue that differs from the kept one.
	Renewed func(kept, fresh *session.Catalogue)
	Go      func(func()) // starts a goroutine
}

// NewCopy makes a copy. The file is read when it is asked for.
func NewCopy(o CopyOptions) *Copy { return &Copy{options: o} }

// Catalogue is the one that was kept; nil if there is none that can be used.
func (c *Copy) Catalogue() *session.Catalogue {
	if c.kept == nil {
		cat, err := c.options.File.Load()
		if c.kept = c.sound(cat); err != nil {
			c.odd.Store(&err)
		}
	}
	return c.kept
}

// Warnings tell why none is kept. They may be read at any time.
func (c *Copy) Warnings() []error {
	if err := c.odd.Load(); err != nil {
		return []error{*err}
	}
	return nil
}

// Parse reads the text of a file; nil if it is of no use.
func (c *Copy) Parse(text []byte) *session.Catalogue { return c.sound(c.options.File.Parse(text)) }

// sound is a kept catalogue all of whose sets can be used; nil else.
func (c *Copy) sound(cat *session.Catalogue) *session.Catalogue {
	if cat == nil {
		return nil
	}
	for i, set := range cat.Sets {
		if !c.options.Usable(set) {
			return nil
		}
		cat.Sets[i] = c.options.Shared.One(set)
	}
	return cat
}

// File is where it is kept.
func (c *Copy) File() *File { return &c.options.File }

// Save keeps what was read from the host.
func (c *Copy) Save(cat *session.Catalogue) { c.options.File.Save(cat) }

// Begin has a catalogue that is in use, and not whole, completed by Renew.
func (c *Copy) Begin(cat *session.Catalogue) { c.kept, c.begun = cat, true }

// Forget removes what was kept.
func (c *Copy) Forget() {
	c.Stop()
	c.kept = nil
	c.options.File.Remove()
}

// Renew reads the catalogue in the background, if a kept one is in use and that
// was not done. It is called when a query was opened, so a refused log-on is not
// tried twice; a failure is left to the next attempt.
func (c *Copy) Renew(ctx context.Context) {
	if c.kept == nil || c.over.Load() || c.done != nil && !session.IsClosed(c.done) {
		return
	}
	if c.cancel != nil {
		c.cancel()
	}
	ctx, c.cancel = context.WithCancel(context.WithoutCancel(ctx)) // until Stop
	done, kept, begun := make(chan struct{}), c.kept, c.begun
	c.done = done
	c.options.Go(func() {
		defer close(done)
		c.renew(ctx, kept, begun)
	})
}

func (c *Copy) renew(ctx context.Context, kept *session.Catalogue, begun bool) {
	o := &c.options
	fresh, err := o.Read(ctx, kept)
	if err != nil {
		return
	}
	c.over.Store(true)
	before, err1 := o.File.Text(kept)
	after, err2 := o.File.Text(fresh)
	same := bytes.Equal(before, after)
	if err1 != nil || err2 != nil || same && !begun {
		return
	}
	if o.File.Save(fresh); !same {
		o.Renewed(kept, fresh)
	}
}

// Wait waits for the end of an attempt that is under way.
func (c *Copy) Wait() {
	if c.done != nil {
		<-c.done
	}
}

// Stop ends an attempt and waits for it.
func (c *Copy) Stop() {
	if c.cancel != nil {
		c.cancel()
	}
	c.Wait()
}

// Shared is what the catalogues of several hosts have in common: hosts of one
// kind describe the same countersets, and a hundred copies of them are larger
// than all else that is kept of these hosts. The zero value is ready; sources
// may use it at the same time. A nil one shares nothing.
type Shared struct {
	mu   sync.Mutex
	sets map[string][]*session.Counterset // by GUID, or by name where they have none
}

// maxVariants is how many descriptions of one counterset are shared: versions
// and languages.
const maxVariants = 16

// One gives the set that was described in the same way before, or set itself.
// It must not be changed any more.
func (s *Shared) One(set *session.Counterset) *session.Counterset {
	if s == nil {
		return set
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := cmp.Or(set.GUID, set.Name)
	known := s.sets[key]
	if i := slices.IndexFunc(known, func(o *session.Counterset) bool { return same(o, set) }); i >= 0 {
		return known[i]
	}
	if len(known) < maxVariants {
		if s.sets == nil {
			s.sets = map[string][]*session.Counterset{}
		}
		s.sets[key] = append(known, set)
	}
	return set
}

func same(a, b *session.Counterset) bool {
	return a.GUID == b.GUID && a.V1Index == b.V1Index && a.Name == b.Name && a.Label == b.Label &&
		a.Description == b.Description && a.Provider == b.Provider && a.Protocol == b.Protocol && a.Instances == b.Instances &&
		slices.Equal(a.Counters, b.Counters) && slices.Equal(a.Facts, b.Facts)
}
