package collector

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"perfdeck/session"
	"perfdeck/session/files/formats"
	"perfdeck/session/system/store"
)

// Recording is a recording that goes on. Its methods may be called by any
// goroutine.
type Recording struct {
	o  Options
	id string

	mu    sync.Mutex // of hosts, and what changes of each, where others than the writer look
	hosts []*member  // by number

	queue  chan *sample
	spare  chan *sample
	orders chan order
	done   chan struct{}
	status atomic.Pointer[Status]
	wanted atomic.Int64 // how often a new file was asked for
	lost   atomic.Int64 // samples that could not be queued
	ended  atomic.Bool
	lacks  atomic.Bool // something has no columns
}

// writer is the goroutine of a recording with all that is its own: nobody else has it
// once it runs.
type writer struct {
	*Recording

	idLock  *lock // in o.Dir; nil: it is not described
	made    *store.Journal
	create  creator
	ring    *ring
	outputs []*output

	started    session.Instant
	before     Descriptor    // what the recording had when it was continued
	elapsed    time.Duration // how long it had gone on
	released   bool          // rows may be written
	openedAt   time.Duration // when that was, after a hand-over
	told       bool          // Ready was called
	toldAt     time.Duration
	nextCare   time.Duration
	waitsSince time.Duration // monotonic time since which only hosts are missing that never answered; 0: others are
	nextSync   time.Duration
	noted      time.Duration // when the descriptor was written
	err        error
	end        ending
}

// order is something that the goroutine which writes is asked to do. It does not block.
type order func(*writer)

// ending is how somebody had the recording end.
type ending struct {
	note string // why; empty: nothing is kept of it
	hand bool   // another process goes on with it
}

// conclude has the recording end.
func (r *writer) conclude(how ending) {
	r.end = how
	r.ended.Store(true)
}

// care is how often a recording looks after itself: whether its file is there and
// whether it is to end.
const care = time.Second

// notedEvery is how often a descriptor is written.
const notedEvery = 15 * time.Second

// Start begins a recording. What is wrong with its file is told at once: *StopError
// or *BusyError. Hosts that are not known yet join when they are.
func Start(o Options) (*Recording, error) {
	w, err := start(o, creator{formats.Create, formats.Append})
	if err != nil {
		return nil, err
	}
	return w.Recording, nil
}

func start(o Options, create creator) (*writer, error) {
	if err := o.settle(); err != nil {
		return nil, err
	}
	if o.Stream == nil {
		for _, err := range []error{o.Format.Caution(o.File), o.noEvents()} {
			if err != nil {
				o.Report(err)
			}
		}
	}
	r := &writer{
		Recording: &Recording{o: o, orders: make(chan order, 16), done: make(chan struct{})},
		create:    create, started: o.now(), released: o.Hold == nil,
	}
	if o.Resume != nil {
		r.before = *o.Resume
		r.elapsed = max(0, r.started.Wall.Sub(r.before.Started))
	}
	r.makeOutputs()
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
	for _, m := range r.hosts {
		r.follow(m)
	}
	o.Go(r.run)
	return r, nil
}

// makeOutputs makes one way for all hosts, or one for each.
func (r *writer) makeOutputs() {
	limit := r.o.Ring
	if r.o.KeepFor > 0 && limit == 0 {
		limit = math.MaxInt64 // by time alone
	}
	r.ring = openRing(limit, r.o.Dir, r.o.File, r.o.name())
	for i, h := range r.o.Hosts {
		if i == 0 || r.o.PerHost {
			host := ""
			if r.o.PerHost {
				host = h.Name
			}
			r.outputs = append(r.outputs, r.newOutput(host))
		}
		r.set(r.outputs[len(r.outputs)-1].join(h))
	}
	for _, l := range r.outputs {
		l.resume(&r.before)
	}
}

func (r *writer) newOutput(host string) *output {
	b := &segmentFiles{o: &r.o, name: r.o.name(), ring: r.ring, create: r.create, exists: r.o.Exists, serial: r.o.Serial}
	b.computer = host
	if host == "" && len(r.o.Hosts) == 1 {
		b.computer = r.o.Hosts[0].Name
	}
	l := &output{r: r, files: b, assembler: newAssembler(r.o.Every, 0)}
	l.assembler.goesOn = r.o.Stream != nil
	return l
}

// claim locks the files, so that what is wrong with them, or with their disk, is
// known at once.
func (r *writer) claim() error {
	for i, l := range r.outputs {
		err := l.files.claim(r.o.now().Wall)
		if err == nil {
			if err = r.checkRoom(l.files); err != nil {
				l.files.release()
			}
		}
		if err != nil {
			for _, l := range r.outputs[:i] {
				l.files.release()
			}
			return err
		}
	}
	return nil
}

// Done is closed when the recording has ended.
func (r *Recording) Done() <-chan struct{} { return r.done }

// Stop ends the recording: what is complete is written and the file is closed. It
// returns when that is done, or the context ends; then it is done later. note is
// why; with one it is kept for the next start.
func (r *Recording) Stop(ctx context.Context, note string) error {
	return r.stop(ctx, ending{note: note})
}

func (r *Recording) stop(ctx context.Context, how ending) error {
	r.ask(ctx, func(w *writer) { w.conclude(how) })
	select {
	case <-r.done:
		return r.Status().Err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// ask has the goroutine that writes do something, unless it ended, or the context does before.
func (r *Recording) ask(ctx context.Context, o order) {
	select {
	case r.orders <- o:
	case <-r.done:
	case <-ctx.Done():
	}
}

// NewSegment lets the next row begin a new file.
func (r *Recording) NewSegment() { r.wanted.Add(1) }

// Drop lets a host go. Its columns stay, without values.
func (r *Recording) Drop(host string) {
	r.ask(context.Background(), func(w *writer) { w.drop(host) })
}

// Add lets another host be recorded, one that was dropped again, or more counters
// of one that is. A file that grows gets columns for them. Another is followed by
// the next one when they are there; with PerHost a host has its own, and another
// one where that ended. The error is *StopError or *BusyError where that cannot be
// begun.
func (r *Recording) Add(ctx context.Context, h Host) error {
	answer := make(chan error, 1)
	r.ask(ctx, func(w *writer) { answer <- w.add(h) })
	select {
	case err := <-answer:
		return err
	case <-r.done:
		return errOver
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

var errOver = errors.New("the recording has ended")

// Paths are those that are recorded of a host; none: it is not recorded. gone tells
// that the host was dropped, or that its own file ended: Report was told why.
func (r *Recording) Paths(host string) (texts []string, gone bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	number := r.numberOf(host)
	if number < 0 {
		return nil, false
	}
	m := r.hosts[number]
	return m.host.Paths, m.dropped
}

// HasHosts tells whether any host is still recorded.
func (r *Recording) HasHosts() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.recorded()) > 0
}

// LeftOut tells that hosts which answered late have no columns in some file.
func (r *Recording) LeftOut() bool { return r.lacks.Load() }

// Silent are the paths that never had a value.
func (r *Recording) Silent() (out []session.Silence) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, m := range r.hosts {
		out = append(out, m.follower.Silent()...)
	}
	return out
}
