package session

import (
	"sync"
	"time"
)

// Feed is one consumer's view of a host: what it asks for, at its own interval,
// with its own history. The sampler fills a one-slot mailbox; the newest
// snapshot wins.
type Feed struct {
	sampler *Sampler
	each    func(*Snapshot)
	history time.Duration
	ready   chan struct{}

	mu    sync.Mutex // guards what the consumer and the sampler share
	asked []Ask
	every time.Duration
	dirty bool // asked or every changed
	slot  *Snapshot
	done  bool

	// The sampler's own.
	asks   []Ask
	tracks []*track
	beat   beat
	times  ring[int64]
	next   uint64 // absolute number of the next sample
	primed bool   // every track was read at least once
	told   bool   // a snapshot was handed over
	pool   recycler
	missed uint64 // beats that the sampler did not count yet
}

// FeedOptions say how a feed is kept and handed over.
type FeedOptions struct {
	Every   time.Duration
	History time.Duration // of the series that the asks keep
	// Each, if set, gets every snapshot in the sampler's goroutine, instead of
	// the mailbox: nothing is dropped, and a slow one delays the beat. The
	// snapshot is released when it returns.
	Each func(*Snapshot)
}

// Ask replaces what the feed asks for. What stays keeps its history. A
// counterset that is new is read at once, new counters of one that is watched
// already with the next beat, so that no interval is cut short.
func (f *Feed) Ask(asks []Ask) {
	merged := mergeAsks(asks)
	f.mu.Lock()
	f.asked, f.dirty = merged, true
	f.mu.Unlock()
	f.sampler.wake()
}

// SetInterval changes the interval. History goes on.
func (f *Feed) SetInterval(every time.Duration) {
	f.mu.Lock()
	f.every, f.dirty = max(every, MinInterval), true
	f.mu.Unlock()
	f.sampler.wake()
}

// Interval is the feed's interval.
func (f *Feed) Interval() time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.every
}

// Ready gets a value when a new snapshot waits.
func (f *Feed) Ready() <-chan struct{} { return f.ready }

// Take returns the newest snapshot, nil when there is none since the last call.
// The caller releases it.
func (f *Feed) Take() *Snapshot {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.slot
	f.slot = nil
	return s
}

// Close ends the feed.
func (f *Feed) Close() {
	f.mu.Lock()
	f.done, f.dirty = true, true
	f.mu.Unlock()
	f.sampler.wake()
}

func (f *Feed) ended() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.done
}

// update takes over what the consumer changed. It reports whether the feed
// ended and whether anything changed.
func (f *Feed) update(now Instant) (ended, changed bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.done {
		f.slot.Release()
		f.slot = nil
		for _, t := range f.tracks {
			t.close()
		}
		return true, true
	}
	if !f.dirty {
		return false, false
	}
	f.dirty = false
	if f.every != f.beat.every {
		f.beat.every = f.every
		f.beat.retime(now)
	}
	if len(f.tracks) == 0 {
		f.beat.start(now) // nothing was read so far
	}
	f.retrack(samples(f.history, f.every))
	return false, true
}

// samples is how many samples a history of this length has.
func samples(history, every time.Duration) int {
	const most = 100_000
	return int(min(max(history/max(every, MinInterval), 2), most))
}

// retrack makes the tracks fit the asks. Tracks of countersets that stay keep
// their samples and history.
func (f *Feed) retrack(history int) {
	f.times.n = history
	old := f.tracks
	f.tracks = make([]*track, 0, len(f.asked))
	f.primed = true
	for _, a := range f.asked {
		t := takeTrack(&old, a.Set)
		if t == nil {
			t = newTrack(a, history, &f.pool)
			f.primed = false
		}
		t.ask, t.history = a, history
		t.combiners = combinersOf(a, t.combiners)
		f.tracks = append(f.tracks, t)
	}
	for _, t := range old {
		t.close()
	}
	f.asks = f.asked
}

func takeTrack(list *[]*track, set *Counterset) *track {
	for i, t := range *list {
		if t.ask.Set == set {
			*list = append((*list)[:i:i], (*list)[i+1:]...)
			return t
		}
	}
	return nil
}

// take cooks a batch for the feed's tracks and hands a snapshot over. With
// onBeat it is a sample of the history; else only tracks that never had one
// read it.
func (f *Feed) take(b *Batch, now Instant, onBeat bool, state HostState) {
	rate, sample := Rate{}, uint64(noHistory)
	if onBeat {
		rate = f.tick(now)
		sample = f.next
		f.next++
		f.times.add(b.Time.UnixNano())
	}
	for _, t := range f.tracks {
		if !onBeat && t.raw != nil {
			continue
		}
		for i := range b.Sets {
			switch {
			case b.Sets[i].Set != t.ask.Set:
			case b.IsDue(i):
				t.take(&b.Sets[i], b.Time, sample, rate)
			default:
				t.wait(rate)
			}
		}
	}
	f.primed = true
	f.publish(b.Time, state)
}

// tick moves the feed's beat on.
func (f *Feed) tick(now Instant) Rate {
	interval := now.Mono - f.beat.last.Mono
	missed, gap := f.beat.tick(now)
	f.missed += uint64(missed)
	return Rate{Interval: interval, Missed: missed, Gap: gap}
}

// publish puts a snapshot of the tracks into the mailbox.
func (f *Feed) publish(at time.Time, state HostState) {
	f.told = true
	s := &Snapshot{Host: f.sampler.host, Time: at, State: state, feed: f}
	s.Timeline = Timeline{Nanos: f.times.last()}
	s.Timeline.First = f.next - uint64(len(s.Timeline.Nanos))
	for _, t := range f.tracks {
		if t.view != nil {
			t.view.refs.Add(1)
			s.Sets = append(s.Sets, t.view)
		}
	}
	if f.each != nil {
		f.each(s)
		s.Release()
		return
	}
	f.mu.Lock()
	old := f.slot
	f.slot = s
	f.mu.Unlock()
	old.Release()
	select {
	case f.ready <- struct{}{}:
	default:
	}
}

// gap makes the next sample of every track start anew, as after a reconnect.
func (f *Feed) gap() {
	for _, t := range f.tracks {
		t.failed = maxMissedBeats + 1
	}
}
