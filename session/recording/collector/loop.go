package collector

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"perfdeck/session"
	"perfdeck/session/files/formats"
	"perfdeck/session/system/osfile"
)

// run writes rows until the recording ends.
func (r *writer) run() {
	hold := r.o.Hold
	for !r.isOver() {
		timer, stop := r.o.Clock.Timer(r.pause())
		select {
		case s := <-r.queue:
			r.route(s)
		case o := <-r.orders:
			o(r)
		case <-hold:
			hold = nil
			r.release()
		case <-timer:
		}
		stop()
		r.drain()
		r.write()
	}
	r.finish()
}

// drain takes the samples that wait.
func (r *writer) drain() {
	for {
		select {
		case s := <-r.queue:
			r.route(s)
		default:
			return
		}
	}
}

// pause is how long nothing is to be done.
func (r *writer) pause() time.Duration {
	now := r.o.now().Mono
	d := r.nextCare - now
	if r.o.Duration > 0 {
		d = min(d, r.left())
	}
	for _, l := range r.outputs {
		if wait, ok := l.assembler.wait(now); ok && !l.ended && !r.isKeeping(now) {
			d = min(d, wait)
		}
	}
	return max(0, d)
}

func (r *writer) route(s *sample) {
	l := s.from.output
	if s.from != r.hosts[s.from.number] || l.ended || !l.put(s) { // or it came back, with other numbers
		r.recycle(s)
	}
}

// write writes what is due, and looks after the recording.
func (r *writer) write() {
	now := r.o.now()
	r.makeReady(now)
	changed := false
	for _, l := range r.outputs {
		if r.isKeeping(now.Mono) {
			break
		}
		before := l.rows
		l.writeDue(now)
		changed = changed || l.rows != before || l.ended
	}
	if now.Mono >= r.nextCare {
		r.nextCare = now.Mono + care
		r.maintain(now)
		changed = true
	}
	if every, ok := r.o.syncEvery(); ok && every > 0 && now.Mono >= r.nextSync {
		r.nextSync = now.Mono + every
		for _, l := range r.outputs {
			if err := l.files.sync(); err != nil && !l.ended {
				l.end(err)
			}
		}
	}
	if r.o.Wrote != nil && slices.ContainsFunc(r.outputs, func(l *output) bool { return l.rows > 0 }) {
		r.o.Wrote()
		r.o.Wrote = nil
	}
	if changed {
		if r.o.KeepFor > 0 {
			r.ring.expire(now.Wall.Add(-r.o.KeepFor), r.o.Report)
		}
		if r.o.Ring > 0 {
			r.ring.trim(r.openBytes(), r.o.Report)
		}
		r.publish()
		r.o.Changed()
	}
}

func (r *writer) openBytes() (n int64) {
	for _, l := range r.outputs {
		if l.files.w != nil {
			n += l.files.bytes
		}
	}
	return n
}

// makeReady tells, once, that there is something to write.
func (r *writer) makeReady(now session.Instant) {
	if r.told || r.o.Ready == nil {
		return
	}
	for _, l := range r.outputs {
		if !l.isHeard || now.Mono-l.heard < r.o.Patience && slices.ContainsFunc(l.assembler.hosts, func(h assembledHost) bool { return h.phase == silent }) {
			if now.Mono-r.started.Mono < 2*r.o.Patience {
				return
			}
		}
	}
	r.told, r.toldAt = true, now.Mono
	r.o.Ready()
}

// mostKept is for how long rows are kept that the recorder before this one may
// not have written.
const mostKept = time.Minute

// isKeeping tells whether rows are kept for the moment when they may be written:
// the recorder before this one knows that this one is ready, and takes its time to
// close its files.
func (r *writer) isKeeping(now time.Duration) bool {
	return !r.released && r.told && now-r.toldAt < mostKept
}

// handing is how long a recording waits for the one before it to let go of its
// files.
const handing = 10 * time.Second

// release lets rows be written: the recorder before this one has ended, or is
// about to.
func (r *writer) release() {
	for end := r.now() + handing; ; {
		err := r.takeOver()
		if err == nil {
			r.released, r.openedAt = true, r.now()
			r.saveDescriptor()
			if r.o.Taken != nil {
				r.o.Taken()
			}
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
func (r *writer) takeOver() error {
	if err := r.lockID(); err != nil {
		return err
	}
	if d, err := loadDescriptor(filepath.Join(r.o.Dir, r.id+descriptorSuffix)); err == nil {
		r.before = *d
	}
	for _, l := range r.outputs {
		l.resume(&r.before)
	}
	return r.claim()
}

// resume lets an output go on with the file that a descriptor names.
func (l *output) resume(d *Descriptor) {
	i := slices.IndexFunc(d.Files, func(f DescribedFile) bool { return f.Host == l.hostName() })
	if i < 0 {
		return
	}
	f := &d.Files[i]
	l.files.file, l.files.serial, l.files.resume = f.Name, f.Serial, true
	l.before, l.files.last = f.Rows, f.Last
	l.files.had, l.files.begunAt, l.resumed = f.Own, f.Begun, f.Last
	if name := f.Name; l.r.o.Events {
		if set := l.r.o.Write.Set; set != "" {
			name += "!" + set
		}
		l.had, _, _ = formats.Events(context.Background(), []string{name}, nil, f.Last.Add(-mostUnread), time.Time{})
	}
}

// hostName is the host of whom the file is, empty for all.
func (l *output) hostName() string {
	if l.r.o.PerHost {
		return l.hosts[0].host.Name
	}
	return ""
}

// isOver tells whether the recording ended.
func (r *writer) isOver() bool {
	if r.err != nil || r.ended.Load() {
		return true
	}
	if r.o.Duration > 0 && r.left() <= 0 {
		return true
	}
	return r.isComplete()
}

// leastWait is how long, at least, a host that never answered is waited for when
// all others have a file to its end.
const leastWait = 30 * time.Second

// isComplete tells whether every file has come to its end. Those of hosts that never
// answered are waited for as long again as the others took.
func (r *writer) isComplete() bool {
	some, waits := false, false
	for _, l := range r.outputs {
		switch {
		case l.ended:
			some = true
		case l.isHeard:
			return false
		default:
			waits = true
		}
	}
	if !waits || !some {
		return !waits
	}
	now := r.now()
	if r.waitsSince == 0 {
		r.waitsSince = now
	}
	return now-r.waitsSince >= max(leastWait, time.Duration(r.o.Count)*r.o.Every)
}

// left is how long the recording still goes on.
func (r *writer) left() time.Duration {
	return r.o.Duration - r.elapsed - (r.now() - r.started.Mono)
}

func (r *writer) now() time.Duration { return r.o.now().Mono }

// maintain looks whether the files are there, the disk has room, and somebody
// wants the recording to end.
func (r *writer) maintain(now session.Instant) {
	for _, l := range r.outputs {
		l.files.lock.touch(now.Wall)
		switch {
		case l.ended || l.files.w == nil:
		case !l.files.isThere():
			l.end(stopped(l.files.file, ErrRemoved))
		default:
			l.end(cmp.Or(r.checkRoom(l.files), l.writeEvents()))
		}
	}
	r.collectNotes()
	if r.o.Dir == "" || r.idLock == nil {
		return
	}
	r.idLock.touch(now.Wall)
	if name := filepath.Join(r.o.Dir, r.id+stopSuffix); os.Remove(name) == nil {
		r.conclude(ending{})
	}
	if now.Mono-r.noted >= notedEvery {
		r.saveDescriptor()
	}
}

// checkRoom keeps some of the disk free: the oldest files of a ring go first.
func (r *writer) checkRoom(b *segmentFiles) error {
	if r.o.MinFree < 0 {
		return nil
	}
	for {
		free, all, err := osfile.Space(filepath.Dir(b.file))
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
func (r *writer) finish() {
	r.ended.Store(true)
	for _, m := range r.hosts {
		if !m.dropped {
			m.close()
		}
	}
	r.drain()
	now := r.o.now()
	for _, l := range r.outputs {
		if r.released && r.err == nil {
			l.flush(now)
		}
		l.files.release()
		if !l.blamed || !r.end.hand { // it is no reason not to go on with the others
			r.err = errors.Join(r.err, l.err)
		}
	}
	r.collectNotes()
	if r.o.Notes != nil {
		r.o.Notes.Close()
	}
	s := r.statusNow()
	s.Ended, s.Err = true, r.err
	r.status.Store(s)
	r.concludeDescriptor()
	close(r.done)
	r.o.Changed()
}
