package session

import (
	"math"
	"slices"
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
	memory  int
	ready   chan struct{}

	mu    sync.Mutex // guards what the consumer and the sampler share
	given []Ask      // as the consumer gave them
	asked []Ask      // the same, each counterset once
	every time.Duration
	dirty bool // asked or every changed
	now   bool // a sample beside the beat is wanted
	beats bool // one on demand is wanted
	slot  *Snapshot
	done  bool

	// The sampler's own.
	asks   []Ask
	tracks []*track
	away   []*track // of countersets that are not asked for: what was shown of them is kept
	beat   beat
	samples
	primed bool          // every track was read at least once
	extra  bool          // a sample beside the beat is to be taken
	second time.Duration // monotonic time of the second reading of what was read once, 0 none
	told   bool          // a snapshot was handed over
	missed uint64        // beats that the sampler did not count yet
}

// FeedOptions say how a feed is kept and handed over.
type FeedOptions struct {
	Every   time.Duration
	History time.Duration // of the series that the asks keep
	Memory  int64         // bytes, for histories that were shown and are not now; 0: 1 MiB
	// OnDemand: there is no beat but those that Beat asks for. Every is then about how
	// often that will be.
	OnDemand bool
	// Each, if set, gets every snapshot in the sampler's goroutine, instead of
	// the mailbox: nothing is dropped, and a slow one delays the beat. The
	// snapshot is released when it returns.
	Each func(*Snapshot)
}

// Ask replaces what the feed asks for. What stays keeps its history. A
// counterset that is new is read at once, new counters of one that is watched
// already with the next beat, so that no interval is cut short. To ask for the
// same again costs nothing.
func (f *Feed) Ask(asks []Ask) {
	cat := f.sampler.Catalogue()
	f.change(func() bool {
		if slices.EqualFunc(f.given, asks, func(a, b Ask) bool { return sameAsk(a, b, nil) }) {
			return false
		}
		f.given = cloneAsks(asks)
		f.asked = MergeAsks(askBesides(cat, slices.Clone(f.given)))
		return true
	})
}

// SetInterval changes the interval. History goes on.
func (f *Feed) SetInterval(every time.Duration) {
	every = max(every, MinInterval)
	f.change(func() bool {
		other := f.every != every
		f.every = every
		return other
	})
}

// SampleNow asks for the values as they are now, without waiting for the beat: a
// rate is the one since the last beat. It leaves no history, and the next beat
// is of its whole interval. Right behind a beat it gives the values of that.
func (f *Feed) SampleNow() {
	f.mu.Lock()
	f.now = true
	f.mu.Unlock()
	f.sampler.wake()
}

// Beat asks a feed that is on demand for its next sample: a rate is the one since the
// sample before.
func (f *Feed) Beat() {
	f.mu.Lock()
	f.beats = true
	f.mu.Unlock()
	f.sampler.wake()
}

// change wakes the sampler if there is something to take over, as there is of a
// feed that is new.
func (f *Feed) change(do func() (changed bool)) {
	f.mu.Lock()
	f.dirty = do() || f.dirty
	dirty := f.dirty
	f.mu.Unlock()
	if dirty {
		f.sampler.wake()
	}
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
	f.change(func() bool {
		f.done = true
		return true
	})
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
		for _, t := range slices.Concat(f.tracks, f.away) {
			t.close()
		}
		return true, true
	}
	f.extra, f.now = f.extra || f.now, false
	defer f.adoptBeat(now)
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
	f.retrack(samplesIn(f.history, f.every))
	return false, true
}

// adoptBeat lets the next tick of a feed on demand come at once, if it was asked for.
func (f *Feed) adoptBeat(now Instant) {
	if f.beats && f.beat.onDemand {
		f.beats, f.beat.next = false, now.Mono
	}
}

// samplesIn is how many samples a history of this length has.
func samplesIn(history, every time.Duration) int {
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
			t = takeTrack(&f.away, a.Set)
		}
		if t == nil {
			t = newTrack(a, history)
		}
		t.least = samplesIn(askedFor, f.every)
		f.primed = f.primed && t.raw != nil
		t.ask, t.history, t.matched = a, history, nil
		t.clocks.ask(&t.ask, history)
		t.recent.ask(&t.ask, recentSamples(history, f.every), history, &t.clocks)
		t.combiners = combinersOf(a, t.combiners)
		f.tracks = append(f.tracks, t)
	}
	for _, t := range old {
		if t.leave(f.next) {
			f.away = append(f.away, t)
		} else {
			t.close()
		}
	}
	f.asks = f.asked
}

// forget lets go of what was kept of countersets that nobody asks for, when the history of then is
// over, and of what used least where all takes too much memory.
func (f *Feed) forget(sample uint64, now time.Time) {
	f.away = slices.DeleteFunc(f.away, func(t *track) bool {
		over := t.awaySince+uint64(t.history) <= sample
		if over {
			t.close()
		}
		return over
	})
	held, most := 0, 0
	var largest *track
	for _, list := range [...][]*track{f.tracks, f.away} {
		for _, t := range list {
			n := t.held()
			if held += n; n > most {
				largest, most = t, n
			}
		}
	}
	if held > f.memory && largest != nil {
		largest.forget(math.MaxInt, most-(held-f.memory/8*7), now)
	}
}

func takeTrack(list *[]*track, set *Counterset) *track {
	for i, t := range *list {
		if t.ask.Set.ReadsLike(set) {
			*list = append((*list)[:i:i], (*list)[i+1:]...)
			return t
		}
	}
	return nil
}

// rank is the place of the feed among those of its interval: those that miss nothing,
// of recorders and rules, have a sample before screens.
func (f *Feed) rank() int {
	if f.each != nil {
		return 0
	}
	return 1
}

// secondAfter is how long after its first reading a counterset is read again for a
// screen, so that rates need not wait for the beat.
const secondAfter = 250 * time.Millisecond

// waits tells whether a sample is wanted before the next beat.
func (f *Feed) waits(now Instant) bool {
	return !f.primed || f.extra || f.second > 0 && now.Mono >= f.second
}

// planSecond has what was read for the first time now read again, unless the beat comes
// about as soon. answered is when that was there. Who gets every snapshot keeps to the
// beat.
func (f *Feed) planSecond(now, answered Instant) {
	at := answered.Mono + secondAfter
	if f.each != nil || f.second > 0 || at+secondAfter/2 > f.beat.next {
		return
	}
	if slices.ContainsFunc(f.tracks, func(t *track) bool { return t.once && t.read == now.Mono }) {
		f.second = at
	}
}

// receive cooks a batch for the feed's tracks and hands a snapshot over. With
// onBeat it is a sample of the history; else it is read by tracks that never had
// one, and shown by the others if it was asked for.
func (f *Feed) receive(b *Batch, now Instant, onBeat bool, state HostState) {
	rate, sample := Rate{}, uint64(noHistory)
	if onBeat {
		rate = f.tick(now)
		sample = f.add(b.Time)
	}
	second := f.second > 0 && (onBeat || now.Mono >= f.second)
	for _, t := range f.tracks {
		beside := !onBeat && t.raw != nil
		if beside && !f.extra && (!second || !t.once) {
			continue
		}
		for i := range b.Sets {
			if b.Sets[i].Set != t.ask.Set {
				continue
			}
			isNews := b.IsDue(i) && !t.has(&b.Sets[i])
			switch {
			case beside:
				if since := now.Mono - max(t.read, f.beat.last.Mono); isNews && since >= MinInterval {
					t.peek(&b.Sets[i], b.Time, Rate{Interval: since})
				}
			case isNews:
				t.cook(&b.Sets[i], b.Time, sample, rate)
				t.read = now.Mono
			default:
				t.wait(rate)
			}
		}
	}
	if onBeat {
		f.forget(sample, b.Time)
	}
	f.primed, f.extra = true, false
	if second {
		f.second = 0
	}
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
	s := &Snapshot{Host: f.sampler.host, Time: at, State: state, Timeline: f.line(), Sets: make([]*SetView, 0, len(f.tracks)), feed: f}
	for _, t := range f.tracks {
		switch {
		case t.peeked != nil:
			s.Sets = append(s.Sets, t.peeked)
			if t.once {
				t.peeked.refs.Add(1) // shown until the beat has a rate
			} else {
				t.peeked = nil // it is the snapshot's alone
			}
		case t.view != nil && (!t.away || t.view.Err != nil):
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
	Wake(f.ready)
}

// gap makes the next sample of every track start anew, as after a reconnect.
func (f *Feed) gap() {
	for _, t := range f.tracks {
		t.failed = MostMissed + 1
	}
}

// MostMissed is how many beats may be missed before the interval counts as
// a gap instead of a long interval.
const MostMissed = 3

// beat keeps an even rhythm: ticks at n x every of the monotonic clock, from its phase on,
// so that beats of different intervals meet. A tick that comes too
// late is counted as missed and never made up for.
type beat struct {
	every time.Duration
	next  time.Duration // monotonic time of the next tick
	last  Instant       // of the tick before; zero before the first

	onDemand bool // it ticks when somebody asks for it
}

// never is the time of a tick that nobody asked for.
const never = time.Duration(math.MaxInt64)

// start lets the first tick come about one interval after origin.
func (b *beat) start(origin Instant) {
	b.last = origin
	b.retime(origin)
}

// retime lets the next tick come about one interval after the last.
func (b *beat) retime(now Instant) {
	if b.onDemand {
		b.next = never
		return
	}
	b.next = b.from(max(b.last.Mono+b.every/2, now.Mono), now.Phase)
}

// from is the first tick that does not come before earliest.
func (b *beat) from(earliest, phase time.Duration) time.Duration {
	phase %= b.every
	return (earliest-phase+b.every-1)/b.every*b.every + phase //nolint:durationcheck // a count of intervals, times the interval
}

// due reports whether the next tick has come.
func (b *beat) due(now Instant) bool { return now.Mono >= b.next }

// tick marks the tick as done at now. One after others were missed that comes less
// than a quarter of the interval before the next stands for that, so that no rate is of
// a moment. It returns how many beats were missed since the one before and whether the interval since then is a gap: after the
// computer slept, after a step of the wall clock, after too many missed beats.
func (b *beat) tick(now Instant) (missed int, gap bool) {
	if late := now.Mono - b.next; late >= b.every && !b.onDemand {
		missed = int((late + b.every/4) / b.every)
	}
	if b.onDemand {
		b.next = never
	} else {
		b.next = b.from(b.next+time.Duration(missed+1)*b.every, now.Phase)
	}
	gap = missed > MostMissed || b.stepped(now)
	b.last = now
	return missed, gap
}

// stepped tells whether the two clocks moved apart since the last tick.
func (b *beat) stepped(now Instant) bool {
	if b.last.Wall.IsZero() {
		return false
	}
	apart := now.Wall.Sub(b.last.Wall) - (now.Mono - b.last.Mono)
	return apart.Abs() > max(b.every/2, 500*time.Millisecond)
}
