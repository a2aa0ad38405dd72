package collector

import (
	"slices"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
)

// follower records a host: its samples go to the goroutine that writes. What
// follows feed is of that goroutine.
type follower struct {
	number int // of the recording
	host   Host
	picker *picker
	more   chan struct{} // there are more paths
	gone   chan struct{} // closed when the host is recorded no more
	feed   *session.Feed

	lane    *lane
	place   int // in the lane
	dropped bool
}

func (r *Recording) newFollower(number int, h Host) *follower {
	return &follower{
		number: number, host: h, picker: newPicker(number, h.Name, r.o.Format.KeepsRaw, h.Paths),
		more: make(chan struct{}, 1), gone: make(chan struct{}),
	}
}

// follow begins to record a host: its paths are looked up when it is known, and
// again when it has another catalogue, or when there are more of them.
func (r *Recording) follow(f *follower) {
	var last time.Time // of a beat
	f.feed = f.host.Sampler.Feed(session.FeedOptions{Every: r.o.Every, Each: func(s *session.Snapshot) {
		if r.ended.Load() {
			return
		}
		answered := s.State.Err == nil
		if answered && (isBeside(s) || s.Time.Equal(last)) {
			return
		}
		last = s.Time
		out := r.newSample(f)
		out.answered, out.at, out.began = answered, s.Time, r.o.now().Mono-s.State.Latency
		if answered {
			f.picker.pick(s, out)
		} else {
			out.failure = statusOf(s.State.Err)
		}
		r.hand(out)
	}})
	feed := f.feed
	r.o.Go(func() {
		known, isKnown := f.host.Sampler.Known(), false
		for {
			select {
			case <-known:
				known, isKnown = f.host.Sampler.Renewed(), true
			case <-f.more:
				if !isKnown {
					continue // they are looked up with the others
				}
			case <-f.gone:
				return
			}
			asks, lacking := f.picker.find(f.host.Sampler.Catalogue(), r.o.ShowHidden)
			for _, err := range lacking {
				r.o.Report(err)
			}
			feed.Ask(asks)
			if len(asks) == 0 {
				out := r.newSample(f)
				out.idle = true
				r.hand(out)
			}
		}
	})
}

// leave ends what follow began.
func (f *follower) leave() {
	close(f.gone)
	f.feed.Close()
}

// isBeside tells whether a snapshot only serves the next one, so that rates have
// values: it was read at once, before the first beat, or between two beats for
// countersets that were added.
func isBeside(s *session.Snapshot) bool {
	if beats := s.Timeline.Nanos; len(beats) > 0 && beats[len(beats)-1] != s.Time.UnixNano() {
		return true
	}
	for _, v := range s.Sets {
		if v.Rate.Interval > 0 {
			return false
		}
	}
	return true
}

// hand gives a sample to the goroutine that writes. It does not wait for it.
func (r *Recording) hand(s *sample) {
	select {
	case r.queue <- s:
	default: // the disk stands still: the samplers must not
		s.from.picker.lose(s)
		r.lost.Add(1)
	}
}

func (r *Recording) newSample(f *follower) (s *sample) {
	select {
	case s = <-r.spare:
	default:
		s = new(sample)
	}
	s.reset(f)
	return s
}

// recycle gives the memory of a sample back.
func (r *Recording) recycle(s *sample) {
	if s == nil {
		return
	}
	select {
	case r.spare <- s:
	default:
	}
}

// find finds the host of a name.
func (r *Recording) find(name string) (f *follower, ok bool) {
	i := slices.IndexFunc(r.hosts, func(f *follower) bool { return paths.EqualFold(f.host.Name, name) })
	if i < 0 {
		return nil, false
	}
	return r.hosts[i], true
}

// set puts a host in its place among the others, where other goroutines see it.
func (r *Recording) set(f *follower) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if f.number == len(r.hosts) {
		r.hosts = append(r.hosts, nil)
	}
	r.hosts[f.number] = f
}

// recorded are the hosts that are recorded now.
func (r *Recording) recorded() (out []Host) {
	for _, f := range r.hosts {
		if !f.dropped {
			out = append(out, f.host)
		}
	}
	return out
}

// drop lets a host go.
func (r *Recording) drop(name string) {
	f, ok := r.find(name)
	if !ok || f.dropped {
		return
	}
	f.leave()
	r.mu.Lock()
	f.dropped = true
	r.mu.Unlock()
	f.lane.muster.drop(f.place)
	r.noteFiles()
}

// goOnWithout tells at once why a lane ended, and lets its hosts go. When no other
// is left the recording ends, and that tells it.
func (r *Recording) goOnWithout(l *lane) {
	if r.ended.Load() {
		return // all end now
	}
	if !slices.ContainsFunc(r.hosts, func(f *follower) bool { return !f.dropped && !f.lane.ended }) {
		r.ended.Store(true)
		return
	}
	l.blamed = true
	r.o.Report(l.err)
	for _, h := range l.hosts {
		r.drop(h.name)
	}
}

// add lets a host join, or come back, or have more paths.
func (r *Recording) add(h Host) error {
	old, known := r.find(h.Name)
	if !known {
		return r.join(h)
	}
	if old.lane.ended {
		if err := old.lane.restart(r.o.now()); err != nil {
			return err
		}
	}
	texts := slices.Clone(old.host.Paths)
	for _, text := range h.Paths {
		if !slices.ContainsFunc(texts, func(t string) bool { return paths.EqualFold(t, text) }) {
			texts = append(texts, text)
		}
	}
	more := len(texts) > len(old.host.Paths)
	h.Paths = texts
	f := old
	if old.dropped {
		f = r.newFollower(old.number, h)
		f.lane, f.place = old.lane, old.place
		f.lane.revive(f.place)
		r.follow(f)
		r.set(f)
	} else if more {
		r.mu.Lock()
		f.host.Paths = texts
		r.mu.Unlock()
		f.picker.extend(texts)
		select {
		case f.more <- struct{}{}:
		default:
		}
	}
	if more {
		f.lane.hosts[f.place].awaits = len(texts)
	}
	r.noteFiles()
	return nil
}

// join takes a host in that was not there before.
func (r *Recording) join(h Host) error {
	f := r.newFollower(len(r.hosts), h)
	if r.o.PerHost {
		l := r.newLane(h.Name)
		if err := l.book.claim(r.o.now().Wall); err != nil {
			return err
		}
		r.lanes = append(r.lanes, l)
	}
	r.seat(f, r.lanes[len(r.lanes)-1])
	f.lane.hosts[f.place].awaits = len(h.Paths)
	r.follow(f)
	r.set(f)
	r.noteFiles()
	return nil
}
