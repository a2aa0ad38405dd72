package collector

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/logs"
)

// Recording is a recording that goes on. Its methods may be called by any
// goroutine.
type Recording struct {
	o       Options
	id      string
	idLock  *lock // in o.Dir; nil: it is not described
	ring    *ring
	lanes   []*lane
	pickers []*picker
	feeds   []*session.Feed
	laneOf  []int // by host
	placeOf []int

	queue  chan *sample
	spare  chan *sample
	orders chan order
	done   chan struct{}
	status atomic.Pointer[Status]
	wanted atomic.Int64 // how often a new file was asked for
	lost   atomic.Int64 // samples that could not be queued
	ended  atomic.Bool
	cancel context.CancelFunc

	// The goroutine's own.
	started  session.Instant
	before   Descriptor    // what the recording had when it was continued
	elapsed  time.Duration // how long it had gone on
	released bool          // rows may be written
	told     bool          // Ready was called
	nextCare time.Duration
	nextSync time.Duration
	noted    time.Duration // when the descriptor was written
	err      error
	end      order
}

// order is what is asked of a recording.
type order struct {
	drop string // a host; empty: nothing
	stop bool
	note string // why it ends; empty: nothing is kept of it
	hand bool   // another process goes on with it

	describe bool // the descriptor is written now
}

// care is how often a recording looks after itself: whether its file is there and
// whether it is to end.
const care = time.Second

// notedEvery is how often a descriptor is written.
const notedEvery = 15 * time.Second

// Start begins a recording. What is wrong with its file is told at once: *StopError
// or *BusyError. Hosts that are not known yet join when they are.
func Start(o Options) (*Recording, error) { return start(o, creator{logs.Create, logs.Append}) }

func start(o Options, create creator) (*Recording, error) {
	if err := o.settle(); err != nil {
		return nil, err
	}
	r := &Recording{o: o, orders: make(chan order, 16), done: make(chan struct{}), started: o.now(), released: o.Hold == nil}
	if o.Resume != nil {
		r.before = *o.Resume
		r.elapsed = max(0, r.started.Wall.Sub(r.before.Started))
	}
	r.makeLanes(create)
	if err := r.describe(); err != nil {
		if _, busy := errors.AsType[*BusyError](err); busy {
			return nil, err
		}
		o.Report(fmt.Errorf("the recording can neither be listed nor resumed: %w", err))
		r.o.Dir = ""
	}
	if r.released {
		if err := r.claim(); err != nil {
			r.idLock.release()
			return nil, err
		}
	}
	r.forgetSuperseded()
	r.publish()
	r.saveDescriptor()
	room := max(256, 32*len(o.Hosts))
	r.queue, r.spare = make(chan *sample, room), make(chan *sample, room)
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	for i, h := range o.Hosts {
		r.follow(ctx, i, h)
	}
	o.Go(r.run)
	return r, nil
}

// makeLanes makes one way for all hosts, or one for each.
func (r *Recording) makeLanes(create creator) {
	r.ring = openRing(r.o.Ring, r.o.Dir, r.o.File, r.o.name())
	r.laneOf, r.placeOf = make([]int, len(r.o.Hosts)), make([]int, len(r.o.Hosts))
	for i, h := range r.o.Hosts {
		if i == 0 || r.o.PerHost {
			host := ""
			if r.o.PerHost {
				host = h.Name
			}
			r.lanes = append(r.lanes, r.newLane(host, create))
		}
		l := r.lanes[len(r.lanes)-1]
		r.laneOf[i], r.placeOf[i] = len(r.lanes)-1, len(l.hosts)
		l.hosts = append(l.hosts, hosted{number: i, name: h.Name})
		r.pickers = append(r.pickers, newPicker(i, h.Name, r.o.Format.KeepsRaw))
	}
	for _, l := range r.lanes {
		l.resume(&r.before)
		l.muster = newMuster(r.o.Every, len(l.hosts))
		l.absent = make([]cooker.Status, len(l.hosts))
		for i := range l.absent {
			l.absent[i] = cooker.Pending
		}
	}
}

func (r *Recording) newLane(host string, create creator) *lane {
	b := &book{o: &r.o, name: r.o.name(), ring: r.ring, create: create, exists: r.o.Exists, serial: r.o.Serial}
	b.computer = host
	if host == "" && len(r.o.Hosts) == 1 {
		b.computer = r.o.Hosts[0].Name
	}
	l := &lane{r: r, book: b}
	return l
}

// claim locks the files, so that what is wrong with them is known at once.
func (r *Recording) claim() error {
	for i, l := range r.lanes {
		if err := l.book.claim(r.o.now().Wall); err != nil {
			for _, l := range r.lanes[:i] {
				l.book.release()
			}
			return err
		}
	}
	return nil
}

// follow records a host: its paths are looked up when it is known, and again when
// it has another catalogue.
func (r *Recording) follow(ctx context.Context, i int, h Host) {
	k := r.pickers[i]
	feed := h.Sampler.Feed(session.FeedOptions{Every: r.o.Every, Each: func(s *session.Snapshot) {
		if r.ended.Load() {
			return
		}
		answered := s.State.Err == nil
		if answered && isFirst(s) {
			return
		}
		out := r.newSample()
		out.reset(i, r.placeOf[i])
		out.answered, out.at, out.began = answered, s.Time, r.o.now().Mono-s.State.Latency
		if answered {
			k.pick(s, out)
		} else {
			out.failure = statusOf(s.State.Err)
		}
		r.hand(k, out)
	}})
	r.feeds = append(r.feeds, feed)
	r.o.Go(func() {
		known := h.Sampler.Known()
		for {
			select {
			case <-known:
			case <-ctx.Done():
				return
			}
			known = h.Sampler.Renewed()
			asks, lacking := k.find(h.Sampler.Catalogue(), h.Paths, r.o.ShowHidden)
			for _, err := range lacking {
				r.o.Report(err)
			}
			feed.Ask(asks)
			if len(asks) == 0 {
				out := r.newSample()
				out.reset(i, r.placeOf[i])
				out.idle = true
				r.hand(k, out)
			}
		}
	})
}

// isFirst tells whether a snapshot only serves the next one, so that rates have
// values: it was read at once, before the first beat.
func isFirst(s *session.Snapshot) bool {
	for _, v := range s.Sets {
		if v.Rate.Interval > 0 {
			return false
		}
	}
	return true
}

// hand gives a sample to the goroutine that writes. It does not wait for it.
func (r *Recording) hand(k *picker, s *sample) {
	select {
	case r.queue <- s:
	default: // the disk stands still: the samplers must not
		k.lose(s)
		r.lost.Add(1)
	}
}

func (r *Recording) newSample() *sample {
	select {
	case s := <-r.spare:
		return s
	default:
		return new(sample)
	}
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

// Done is closed when the recording has ended.
func (r *Recording) Done() <-chan struct{} { return r.done }

// Stop ends the recording: what is complete is written and the file is closed. It
// returns when that is done, or the context ends; then it is done later. note is
// why; with one it is kept for the next start.
func (r *Recording) Stop(ctx context.Context, note string) error {
	return r.stop(ctx, order{stop: true, note: note})
}

func (r *Recording) stop(ctx context.Context, how order) error {
	select {
	case r.orders <- how:
	case <-r.done:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	select {
	case <-r.done:
		return r.Status().Err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// NewSegment lets the next row begin a new file.
func (r *Recording) NewSegment() { r.wanted.Add(1) }

// Drop lets a host go. Its columns stay, without values.
func (r *Recording) Drop(host string) {
	select {
	case r.orders <- order{drop: host}:
	case <-r.done:
	}
}

// Silent are the paths that never had a value.
func (r *Recording) Silent() (out []Silence) {
	for i, k := range r.pickers {
		out = append(out, k.silent(r.o.Hosts[i].Paths)...)
	}
	return out
}
