package joined

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"perfdeck/session"
)

// Live is a feed of a host.
type Live interface {
	Ask(asks []session.Ask)
	SetInterval(every time.Duration)
	Ready() <-chan struct{}
	Take() *session.Snapshot
	Close()
}

// Feed is a feed whose host was recorded: where somebody looks at a moment before its first sample it
// shows what recordings have of that, joined to its own. Ask, Take and See are of one goroutine.
type Feed struct {
	Live

	shelf    *Shelf
	identity string
	asks     []session.Ask
	live     *session.Snapshot // the newest of its own, while a moment is looked at; else nil
	ready    chan struct{}
	done     chan struct{}

	reading sync.Mutex // of open
	open    opened

	mu     sync.Mutex
	look   look // zero: it is live
	cancel context.CancelFunc
	seen   seen
	rounds uint64 // counts what was seen
	fresh  bool   // seen is other than what was taken
}

// seen is what was read of recordings.
type seen struct {
	snap   *session.Snapshot // nil: nothing was
	pieces []Piece
	events []session.HostEvent
	to     time.Time // up to which it is wanted
	err    error     // why there is none
}

// Feed is that of a host which the shelf may have recordings of.
func (s *Shelf) Feed(live Live, identity string) *Feed {
	f := &Feed{Live: live, shelf: s, identity: identity, open: opened{open: s.Open}, ready: make(chan struct{}, 1), done: make(chan struct{})}
	s.Go(func() {
		for {
			select {
			case <-live.Ready():
				f.wake()
			case <-f.done:
				return
			}
		}
	})
	return f
}

// Ready gets a value when Take has something.
func (f *Feed) Ready() <-chan struct{} { return f.ready }

func (f *Feed) wake() {
	session.Wake(f.ready)
}

// Kept is from when on there are samples, recorded or its own, and when its newest is, given what it shows.
func (f *Feed) Kept(shown *session.Snapshot) (first, last time.Time) {
	first, last = f.sampled(shown)
	if begin := f.shelf.Begin(f.identity); !begin.IsZero() && begin.Before(first) {
		first = begin
	}
	return first, last
}

// sampled is when the first and the newest of its own samples is.
func (f *Feed) sampled(shown *session.Snapshot) (first, last time.Time) {
	if f.live != nil {
		shown = f.live
	}
	if shown == nil || len(shown.Timeline.Nanos) == 0 {
		return first, last
	}
	return shown.Timeline.At(shown.Timeline.First), shown.Timeline.At(shown.Timeline.Next() - 1)
}

// SampleNow is that of the live feed, if it has one.
func (f *Feed) SampleNow() {
	if s, ok := f.Live.(interface{ SampleNow() }); ok {
		s.SampleNow()
	}
}

// Ask replaces what is asked for.
func (f *Feed) Ask(asks []session.Ask) {
	f.asks = slices.Clone(asks)
	f.Live.Ask(asks)
	if l := f.look; f.live != nil {
		f.See(l.at, l.to.Sub(l.at), nil)
	}
}

// See has a moment before the first sample shown, with so much time around it, else what is sampled now.
// shown is what Take gave last. It reports whether Take will give another one for it: recordings are
// read meanwhile, the moment first.
func (f *Feed) See(at time.Time, around time.Duration, shown *session.Snapshot) (isOther bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	first, _ := f.sampled(shown)
	if !at.Before(first) {
		at = time.Time{}
	}
	if f.look.at.Equal(at) && (at.IsZero() || f.look.to.Equal(at.Add(around)) && areAlike(f.look.asks, f.asks)) {
		return false // it is shown, or read
	}
	if f.cancel != nil {
		f.cancel()
		f.cancel = nil
	}
	if at.IsZero() {
		f.look, f.seen = look{}, seen{}
		f.wake()
		return true
	}
	if f.live == nil {
		f.live = shown.Hold()
	}
	f.look = look{identity: f.identity, asks: f.asks, at: at, from: at.Add(-around), to: at.Add(around)}
	want := f.look
	if want.live = f.live.Hold(); !want.to.Before(first) {
		want.to = first.Add(-1)
	}
	ctx, cancel := context.WithCancel(context.Background())
	f.cancel = cancel
	isEmpty := f.seen.snap == nil
	f.shelf.Go(func() {
		defer want.live.Release()
		if moment := want; isEmpty { // who sees nothing sees that soon
			moment.from, moment.to = at.Add(-momentReach), at
			f.read(ctx, moment)
		}
		f.read(ctx, want)
	})
	return true
}

// momentReach is where the rows are sought that have a moment.
const momentReach = 20 * time.Second

// Looks tells whether a moment is looked at that is not its own.
func (f *Feed) Looks() bool { return f.live != nil }

// areAlike tells whether asks want the same countersets, counters and rows. Of what functions match
// besides recordings have all histories mostly.
func areAlike(a, b []session.Ask) bool {
	return slices.EqualFunc(a, b, func(a, b session.Ask) bool {
		return a.Set == b.Set && slices.Equal(a.Counters, b.Counters) && slices.Equal(a.Facts.Keys, b.Facts.Keys) && len(a.Combine) == len(b.Combine) &&
			slices.EqualFunc(a.Keep, b.Keep, func(a, b session.Keep) bool {
				return slices.Equal(a.Counters, b.Counters) && slices.Equal(a.Rows, b.Rows) && a.Busiest == b.Busiest && a.By == b.By && a.Recent == b.Recent
			})
	})
}

// read reads for a look, unless there is another one by now.
func (f *Feed) read(ctx context.Context, l look) {
	f.reading.Lock()
	defer f.reading.Unlock()
	if ctx.Err() != nil {
		return
	}
	snap, pieces, err := f.shelf.read(ctx, l, &f.open)
	events := l.kept(ctx, pieces)
	f.mu.Lock()
	defer f.mu.Unlock()
	if ctx.Err() != nil {
		return
	}
	f.seen, f.fresh = seen{snap, pieces, events, f.look.to, err}, true
	f.rounds++
	f.wake()
}

// Take is what is to be shown if that changed, else nil. The caller releases it.
func (f *Feed) Take() *session.Snapshot {
	newer := f.Live.Take()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.look.at.IsZero() {
		if newer == nil {
			newer, f.live = f.live, nil
		}
		f.live.Release()
		f.live = nil
		return newer
	}
	if newer != nil {
		grows := !f.live.Time.After(f.seen.to)
		f.live.Release()
		f.live = newer
		f.fresh = f.fresh || grows
	}
	if !f.fresh || f.seen.snap == nil {
		return nil
	}
	f.fresh = false
	return session.Join(f.seen.snap, f.live, f.seen.to)
}

// Source names the recording that has a moment, or says that none has it; empty: it is no moment of one, or is
// sought.
func (f *Feed) Source(at time.Time) (text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.seen.err != nil {
		return f.seen.err.Error()
	}
	for _, p := range f.seen.pieces {
		if !p.From.After(at) && !at.After(p.To.Add(3*p.Every)) {
			text = filepath.Base(p.Name)
		}
	}
	return text
}

// Close ends it.
func (f *Feed) Close() {
	close(f.done)
	f.See(time.Time{}, 0, nil)
	f.live.Release()
	f.live = nil
	f.shelf.Go(func() {
		f.reading.Lock()
		defer f.reading.Unlock()
		f.open.Close()
	})
	f.Live.Close()
}
