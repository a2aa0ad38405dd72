package collector

import (
	"cmp"
	"os"
	"path/filepath"
	"time"
)

// Status is how things stand with a recording.
type Status struct {
	ID       string
	File     string // that is written, or will be
	Files    int    // that are written now
	Segments int    // files that were begun, of this process
	Columns  int

	FileBytes int64 // of File
	Bytes     int64 // of all files of this process; those that a ring removed count
	Samples   int64 // rows, those before the recording was continued included
	// Missed is how many samples are not there: hosts gave none, or too late.
	Missed int64
	// Misses are the hosts of which some are not there in this process, in the order in which
	// they came.
	Misses []Miss

	Started time.Time // of the recording, whatever process began it
	Last    time.Time // of the newest row; zero: there is none
	Ended   bool
	Err     error // why it ended by itself; nil: it was stopped, or was complete
}

// Miss is how many samples of a host are not there.
type Miss struct {
	Host    string
	Samples int64
	Err     error // why the host failed, at last; nil: it was late
}

// Status tells how things stand. It never waits.
func (r *Recording) Status() Status { return *r.status.Load() }

// publish makes the status that others see.
func (r *writer) publish() { r.status.Store(r.statusNow()) }

func (r *writer) statusNow() *Status {
	s := &Status{ID: r.id, Started: r.started.Wall, Missed: r.before.Missed + r.lost.Load()}
	if !r.before.Started.IsZero() {
		s.Started = r.before.Started
	}
	for i, l := range r.outputs {
		b := l.files
		if i == 0 || s.File == "" {
			s.File, s.FileBytes = b.file, b.bytes
		}
		if b.w != nil {
			s.Files++
			s.Bytes += b.bytes
			s.Columns += len(l.layout.list)
		}
		s.Bytes += l.closed
		s.Segments += b.segments
		s.Samples = max(s.Samples, l.before+l.rows)
		s.Missed += l.assembler.missed()
		for place := range l.assembler.hosts {
			if h := &l.assembler.hosts[place]; h.missed > 0 || h.why != nil && l.rows == 0 {
				s.Misses = append(s.Misses, Miss{l.hosts[place].host.Name, h.missed, h.why})
			}
		}
		if b.last.After(s.Last) {
			s.Last = b.last
		}
	}
	return s
}

// describe gives the recording its ID, and takes the lock that tells that it runs.
func (r *writer) describe() error {
	r.id = newID()
	if r.o.Resume != nil {
		r.id = r.o.Resume.ID
	}
	if r.o.Dir == "" {
		return nil
	}
	if err := os.MkdirAll(r.o.Dir, 0o700); err != nil {
		return err
	}
	if !r.released {
		return nil // it is still that of another process
	}
	if err := r.lockID(); err != nil {
		return err
	}
	for _, left := range []string{filepath.Join(r.o.Dir, r.id+stopSuffix), LogFile(r.o.Dir, r.id)} {
		_ = os.Remove(left) // of a process that died
	}
	return nil
}

func (r *writer) lockID() (err error) {
	if r.o.Dir == "" || r.idLock != nil {
		return nil
	}
	r.made = madeIn(r.o.Dir)
	r.idLock, err = lockNamed(idLock(r.o.Dir, r.id))
	return err
}

// forgetSuperseded forgets old recordings, and those to the same file whose processes died:
// this one goes on in their place.
func (r *writer) forgetSuperseded() {
	if r.idLock == nil {
		return
	}
	list, _ := described(r.o.Dir)
	for _, e := range list {
		if e.isOld(r.o.now().Wall) {
			_ = Forget(r.o.Dir, e.ID)
			continue
		}
		if e.State == Interrupted && e.ID != r.id && e.Options.File == r.o.File {
			for _, f := range e.Files {
				removeIfEmpty(f.Name)
			}
			if err := Forget(r.o.Dir, e.ID); err != nil {
				r.o.Report(err)
			}
		}
	}
}

// removeIfEmpty removes a file that a recorder made and had written nothing to when it
// was killed.
func removeIfEmpty(name string) {
	l, err := lockRecording(name)
	if err != nil {
		return // somebody has it
	}
	defer l.release()
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 0 || SizeOf(name) > 0 {
		return
	}
	l.disown() // Windows removes no open file
	_ = os.Remove(name)
}

// noteFiles writes down which files there are.
func (r *writer) noteFiles() {
	r.publish()
	r.saveDescriptor()
}

// saveDescriptor writes down what another process needs to go on.
func (r *writer) saveDescriptor() {
	if r.idLock == nil {
		return
	}
	r.noted = r.now()
	if err := r.descriptor().save(r.o.Dir); err != nil {
		r.o.Report(err)
	}
}

func (r *writer) descriptor() *Descriptor {
	s := r.Status()
	o := r.o
	o.Hosts = r.recorded()
	d := describe(&o)
	d.ID, d.PID, d.Started, d.Noted = r.id, os.Getpid(), s.Started.Round(0), r.o.now().Wall.Round(0)
	d.Samples, d.Missed = s.Samples, s.Missed
	for _, l := range r.outputs {
		if l.files.file != "" {
			d.Files = append(d.Files, l.describe())
		}
	}
	return d
}

// describe says which file the output writes, and how far it came. One that is not begun
// yet has no rows of its own: who finds it after that finds it empty, or not at all.
func (l *output) describe() DescribedFile {
	b := l.files
	f := DescribedFile{Host: l.hostName(), Name: b.file, Serial: b.serial, Rows: l.before + l.rows, Last: b.last.Round(0)}
	f.Own, f.Begun = b.rows, b.begunAt.Round(0)
	if b.isContinued() {
		f.Own = b.had
	}
	return f
}

// concludeDescriptor leaves what the next start has to tell, or nothing.
func (r *writer) concludeDescriptor() {
	if r.idLock == nil {
		return
	}
	d := r.descriptor()
	switch {
	case r.end.hand && r.err == nil:
		d.PID = 0
	case r.err != nil && (r.end.hand || !r.o.Attended):
		d.Stopped, d.Reason = r.o.now().Wall.Round(0), r.err.Error()
	case r.end.note != "":
		d.Stopped, d.Reason = r.o.now().Wall.Round(0), r.end.note
	default:
		d = nil
	}
	var err error
	if d == nil {
		err = Forget(r.o.Dir, r.id)
	} else {
		_ = os.Remove(filepath.Join(r.o.Dir, r.id+stopSuffix))
		err = d.save(r.o.Dir)
	}
	if err = cmp.Or(err, r.made.CatchUp()); err != nil {
		r.o.Report(err)
	}
	r.idLock.release()
}
