package collector

import (
	"context"
	"errors"
	"os"
	"path/filepath"
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
const notedEvery = time.Minute

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
		return nil, err
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
		out.host, out.place, out.answered, out.at = i, r.placeOf[i], answered, s.Time
		out.began = r.o.now().Mono - s.State.Latency
		out.fresh, out.news, out.pins = false, out.news[:0], nil
		if answered {
			k.pick(s, out)
		} else {
			out.failure = statusOf(s.State.Err)
		}
		select {
		case r.queue <- out:
		default: // the disk stands still: the samplers must not
			k.lose(out)
			r.lost.Add(1)
		}
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
	s.news, s.pins = nil, nil
	select {
	case r.spare <- s:
	default:
	}
}

// run writes rows until the recording ends.
func (r *Recording) run() {
	hold := r.o.Hold
	for !r.isOver() {
		timer, stop := r.o.Clock.Timer(r.pause())
		select {
		case s := <-r.queue:
			r.take(s)
		case o := <-r.orders:
			r.obey(o)
		case <-hold:
			hold = nil
			r.release()
		case <-timer:
		}
		stop()
		for drained := false; !drained; {
			select {
			case s := <-r.queue:
				r.take(s)
			default:
				drained = true
			}
		}
		r.write()
	}
	r.finish()
}

// pause is how long nothing is to be done.
func (r *Recording) pause() time.Duration {
	now := r.o.now().Mono
	d := r.nextCare - now
	if r.o.Duration > 0 {
		d = min(d, r.left())
	}
	for _, l := range r.lanes {
		if wait, ok := l.muster.wait(now); ok && !l.ended {
			d = min(d, wait)
		}
	}
	return max(0, d)
}

func (r *Recording) take(s *sample) {
	l := r.lanes[r.laneOf[s.host]]
	if l.ended || !l.put(s) {
		r.recycle(s)
	}
}

// write writes what is due, and looks after the recording.
func (r *Recording) write() {
	now := r.o.now()
	r.makeReady(now)
	changed := false
	for _, l := range r.lanes {
		before := l.rows
		l.writeDue(now)
		changed = changed || l.rows != before || l.ended
	}
	if now.Mono >= r.nextCare {
		r.nextCare = now.Mono + care
		r.takeCare(now)
		changed = true
	}
	if every, ok := r.o.syncEvery(); ok && every > 0 && now.Mono >= r.nextSync {
		r.nextSync = now.Mono + every
		for _, l := range r.lanes {
			if err := l.book.sync(); err != nil && !l.ended {
				l.end(err)
			}
		}
	}
	if changed {
		if r.o.Ring > 0 {
			r.ring.trim(r.openBytes(), r.o.Report)
		}
		r.publish()
		r.o.Changed()
	}
}

func (r *Recording) openBytes() (n int64) {
	for _, l := range r.lanes {
		if l.book.w != nil {
			n += l.book.bytes
		}
	}
	return n
}

// makeReady tells, once, that there is something to write.
func (r *Recording) makeReady(now session.Instant) {
	if r.told || r.o.Ready == nil {
		return
	}
	for _, l := range r.lanes {
		if !l.isHeard || now.Mono-l.heard < r.o.Patience && l.hasSilent() {
			if now.Mono-r.started.Mono < 2*r.o.Patience {
				return
			}
		}
	}
	r.told = true
	r.o.Ready()
}

func (l *lane) hasSilent() bool {
	for i := range l.muster.hosts {
		if l.muster.hosts[i].phase == silent {
			return true
		}
	}
	return false
}

// isOpen tells whether rows may be written.
func (r *Recording) isOpen() bool { return r.released }

// handing is how long a recording waits for the one before it to let go of its
// files.
const handing = 10 * time.Second

// release lets rows be written: the recorder before this one has ended, or is
// about to.
func (r *Recording) release() {
	for end := r.now() + handing; ; {
		err := r.takeOver()
		if err == nil {
			r.released = true
			r.saveDescriptor()
			return
		}
		if _, busy := errors.AsType[*BusyError](err); !busy || r.now() > end {
			r.err = err
			return
		}
		c, stop := r.o.Clock.Timer(20 * time.Millisecond)
		<-c
		stop()
	}
}

// takeOver locks what the last recorder had, and takes from the descriptor that
// it left how far it came.
func (r *Recording) takeOver() error {
	if err := r.lockID(); err != nil {
		return err
	}
	if d, err := loadDescriptor(filepath.Join(r.o.Dir, r.id+descriptorSuffix)); err == nil {
		r.before = *d
	}
	for _, l := range r.lanes {
		l.resume(&r.before)
	}
	return r.claim()
}

// resume lets a lane go on with the file that a descriptor names.
func (l *lane) resume(d *Descriptor) {
	if f, ok := d.file(l.hostName()); ok {
		l.book.file, l.book.serial, l.book.resume = f.Name, f.Serial, true
		l.before, l.book.last = f.Rows, f.Last
	}
}

// hostName is the host of whom the file is, empty for all.
func (l *lane) hostName() string {
	if l.r.o.PerHost {
		return l.hosts[0].name
	}
	return ""
}

// isOver tells whether the recording ended.
func (r *Recording) isOver() bool {
	if r.err != nil || r.ended.Load() {
		return true
	}
	if r.o.Duration > 0 && r.left() <= 0 {
		return true
	}
	for _, l := range r.lanes {
		if !l.ended {
			return false
		}
	}
	return true
}

// left is how long the recording still goes on.
func (r *Recording) left() time.Duration {
	return r.o.Duration - r.elapsed - (r.now() - r.started.Mono)
}

func (r *Recording) now() time.Duration { return r.o.now().Mono }

func (r *Recording) obey(o order) {
	if o.describe {
		r.saveDescriptor()
	}
	if o.stop {
		r.end = o
		r.ended.Store(true)
	}
	for i, h := range r.o.Hosts {
		if o.drop != "" && h.Name == o.drop {
			r.lanes[r.laneOf[i]].muster.drop(r.placeOf[i])
			r.feeds[i].Close()
		}
	}
}

// takeCare looks whether the files are there, the disk has room, and somebody
// wants the recording to end.
func (r *Recording) takeCare(now session.Instant) {
	for _, l := range r.lanes {
		l.book.lock.touch(now.Wall)
		switch {
		case l.ended || l.book.w == nil:
		case !l.book.isThere():
			l.end(stopped(l.book.file, ErrRemoved))
		default:
			l.end(r.checkRoom(l.book))
		}
	}
	if r.o.Dir == "" || r.idLock == nil {
		return
	}
	r.idLock.touch(now.Wall)
	if name := filepath.Join(r.o.Dir, r.id+stopSuffix); os.Remove(name) == nil {
		r.end = order{stop: true}
		r.ended.Store(true)
	}
	if now.Mono-r.noted >= notedEvery {
		r.saveDescriptor()
	}
}

// checkRoom keeps some of the disk free: the oldest files of a ring go first.
func (r *Recording) checkRoom(b *book) error {
	if r.o.MinFree < 0 {
		return nil
	}
	for {
		free, all, err := diskSpace(filepath.Dir(b.file))
		if err != nil {
			return nil //nolint:nilerr // the system does not tell: there may be room
		}
		least := r.o.MinFree
		if least == 0 {
			least = min(usualFree, all/100)
		}
		if free >= least {
			return nil
		}
		if r.o.Ring == 0 || !r.ring.removeOldest(r.o.Report) {
			return stopped(b.file, ErrDiskLow)
		}
	}
}

// finish ends everything.
func (r *Recording) finish() {
	r.ended.Store(true)
	r.cancel()
	for _, f := range r.feeds {
		f.Close()
	}
	for drained := false; !drained; {
		select {
		case s := <-r.queue:
			r.take(s)
		default:
			drained = true
		}
	}
	now := r.o.now()
	for _, l := range r.lanes {
		if r.released && r.err == nil {
			l.flush(now)
		}
		l.book.release()
		r.err = errors.Join(r.err, l.err)
	}
	r.publishEnd()
	r.concludeDescriptor()
	close(r.done)
	r.o.Changed()
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
