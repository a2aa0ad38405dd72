package collector

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
	"perfdeck/session/files/note"
	"perfdeck/session/system/failure"
)

// output is the way of samples into one file: of all hosts, or of one of them.
type output struct {
	r         *writer
	assembler *assembler
	hosts     []*member
	absent    []cooker.Status // by place: why the host does not answer
	files     *segmentFiles
	layout    *layout // nil: no file is begun
	out       logs.Row

	rows     int64 // of this run
	before   int64 // of the runs that it continues
	closed   int64 // bytes of files that were closed
	heard    time.Duration
	isHeard  bool             // a host answered, at heard
	followed time.Duration    // when a file was begun for new instances
	lacking  int              // instances that have no column
	told     bool             // of them, in this file
	failing  []*sample        // of a stream, by place: the newest news of a host that fails
	newest   [][]session.Cell // of a stream, by place: those of the newest answer
	asked    int64            // how often the user had asked for a new file when it was begun
	err      error            // why it ended
	blamed   bool             // err was reported: the recording goes on without it
	ended    bool

	resumed time.Time           // the last row of the process before this one
	had     []session.HostEvent // that it wrote about then
	begun   []begun             // files, the newest last
	notes   []note.Note         // that are not written
	noteErr string              // why, as it was told
}

// join takes a host in, at the end.
func (l *output) join(h Host) *member {
	m := &member{host: h, number: len(l.r.hosts), output: l, place: len(l.hosts)}
	l.hosts = append(l.hosts, m)
	l.absent = append(l.absent, cooker.Pending)
	l.failing, l.newest = append(l.failing, nil), append(l.newest, nil)
	l.assembler.hosts = append(l.assembler.hosts, assembledHost{})
	if s := l.layout; s != nil {
		s.hosts, s.targets, s.last = l.hosts, append(s.targets, nil), append(s.last, 0)
	}
	return m
}

// put takes a sample. It reports whether it is kept until its row is written.
func (l *output) put(s *sample) bool {
	m := l.hosts[s.place]
	if s.Explicit != nil {
		m.explicit = m.seriesOf(s.Explicit)
	}
	switch {
	case s.Err != nil:
		l.absent[s.place] = session.StatusOf(s.Err)
		if l.r.o.Stream != nil {
			l.failing[s.place] = &sample{Answer: session.Answer{Err: s.Err, Unmet: slices.Clone(s.Unmet)}}
		}
	case s.Idle:
	case !l.isHeard:
		l.heard, l.isHeard = s.Began, true
	}
	if l.assembler.put(s) {
		return true
	}
	l.learn(s)
	return false
}

// learn takes in which series a sample has.
func (l *output) learn(s *sample) {
	m := l.hosts[s.place]
	if s.Fresh {
		m.known, l.newest[s.place] = nil, nil
		if l.layout != nil {
			l.layout.targets[s.place] = nil
		}
	}
	m.known = append(m.known, m.seriesOf(s.News)...)
}

// writeDue writes the rows that are complete.
func (l *output) writeDue(now session.Instant) {
	for {
		d, ok := l.assembler.wait(now.Mono)
		if !ok || d > 0 || l.ended {
			return
		}
		l.writeNext(now)
	}
}

// writeNext takes a row and writes it.
func (l *output) writeNext(now session.Instant) {
	r, ok := l.assembler.nextRow(now)
	for _, s := range r.samples {
		if s != nil {
			l.learn(s)
		}
	}
	if ok && l.r.released && l.isReady(now, &r) && !l.isWritten(&r) {
		l.settle(&r)
		if l.r.o.Stream != nil {
			l.end(l.pour(&r))
		} else {
			l.end(l.write(&r))
		}
	}
	for _, s := range r.samples {
		l.r.recycle(s)
	}
}

// settle lets what was answered before the first row count for nothing but its
// columns.
func (l *output) settle(r *row) {
	if l.layout != nil || l.files.resume {
		return
	}
	for i := range l.hosts {
		if r.samples[i] == nil && len(l.assembler.hosts[i].queue) == 0 {
			l.hosts[i].follower.Restart()
		}
	}
}

// isWritten tells whether a row that was kept until this recorder had the file was
// written by the one before.
func (l *output) isWritten(r *row) bool {
	return l.files.resume && r.mono <= l.r.openedAt && !r.at.After(l.files.last)
}

// isReady tells whether the first file may be begun: when every host has answered
// or failed, or its time is up.
func (l *output) isReady(now session.Instant, r *row) bool {
	if l.files.segments > 0 || !l.files.o.waits() || l.layout != nil || l.files.resume || now.Mono-l.heard >= l.files.o.Patience {
		return true
	}
	for i := range l.hosts {
		if p := l.assembler.hosts[i].phase; p == silent || p == live && r.samples[i] == nil && !l.hosts[i].isKnown() {
			return false
		}
	}
	return true
}

// write writes a row into the file that it belongs to.
func (l *output) write(r *row) error {
	b := l.files
	if b.w != nil && (b.isOver(r) || l.isWanted(r)) {
		if err := l.closeFile(); err != nil {
			return err
		}
	}
	if b.w == nil {
		if err := l.open(r); err != nil || b.w == nil {
			return err
		}
	} else if err := l.arrange(r); err != nil {
		return err
	}
	l.fill(r, b.o.Format.KeepsRaw)
	if err := b.write(&l.out); err != nil {
		return l.refused(r, err)
	}
	l.rows++
	if b.isFull() {
		return l.closeFile()
	}
	return nil
}

// fill makes what is written of a row.
func (l *output) fill(r *row, keepsRaw bool) {
	for i := range l.absent {
		if l.assembler.hosts[i].phase == live {
			l.absent[i] = cooker.Gap // it was late
		}
	}
	l.layout.fill(r, l.absent, &l.out, keepsRaw)
}

// closeFile ends the file; the next row begins another.
func (l *output) closeFile() error {
	begun := l.files.w != nil
	err := cmp.Or(l.writeEvents(), l.files.finish())
	if begun {
		l.closed += l.files.bytes
		l.r.noteFiles()
		l.list()
	}
	return err
}

// refused deals with a row that does not fit behind those of the file. In a
// recording that is continued one that was written before the hand-over is left
// out, and a clock that was set back begins a new file.
func (l *output) refused(r *row, err error) error {
	b := l.files
	if !b.resume || b.segments > 1 || !errors.Is(err, logs.ErrEarlier) {
		return stopped(b.file, err)
	}
	if b.tail.Last.Sub(r.at) < 2*b.o.Every {
		return nil
	}
	if err := l.closeFile(); err != nil {
		return err
	}
	return l.write(r)
}

// open begins a file with the columns of a row. Without any it begins none.
func (l *output) open(r *row) error {
	b := l.files
	if l.layout != nil || !b.isContinued() || !l.adopt() {
		l.layOut(r)
	}
	if len(l.layout.list) == 0 {
		l.layout = nil
		return nil
	}
	if l.lacking > 0 {
		l.followed = r.mono
	}
	l.lacking, l.told, l.asked = 0, false, l.r.wanted.Load()
	continues := b.isContinued()
	if err := l.claimNext(r); err != nil {
		return err
	}
	err := b.begin(r, l.layout.columns(0))
	if err == nil {
		err = b.ring.take(b.file, true)
	}
	if _, odd := errors.AsType[*logs.FileError](err); odd && continues {
		l.r.o.Report(fmt.Errorf("%w; another file is begun", err))
		b.segments++ // it stays as it is
		return l.open(r)
	}
	if err != nil {
		return err
	}
	if cut := b.tail.Cut; b.segments == 1 && cut > 0 {
		l.r.o.Report(fmt.Errorf("%s: %d bytes of a row that was not written to its end were cut off", b.file, cut))
	}
	l.noted()
	l.r.o.Begun(b.file)
	l.r.noteFiles()
	l.list()
	if continues {
		if b.isFull() || b.isOver(r) { // its recorder was killed before it began the next
			if err := l.closeFile(); err != nil {
				return err
			}
			return l.open(r)
		}
		return l.arrange(r)
	}
	l.leaveOut(r)
	return nil
}

// layOut makes the columns of a row: first those of before whose instances are still there.
func (l *output) layOut(r *row) {
	if l.layout != nil {
		l.layout = l.layout.follower()
	} else {
		l.expect()
		l.layout = newLayout(l.hosts)
	}
	l.layout.begin(r.samples)
}

// claimNext settles the name of the next file and writes it down before the file is
// made: whoever goes on after a kill finds it, and the ring counts it.
func (l *output) claimNext(r *row) error {
	if l.files.lock == nil {
		if err := l.files.claim(r.at); err != nil {
			return err
		}
		l.r.noteFiles()
	}
	return l.files.ring.claim(l.files.file, l.files.exists == Append && !l.files.resume)
}

// expect gives hosts that nobody knows yet the columns that can be told. Formats
// that grow get them when the host is there.
func (l *output) expect() {
	if l.r.o.Stream == nil && l.files.o.Format.Grows {
		return
	}
	for i, m := range l.hosts {
		if l.assembler.hosts[i].phase != live && m.explicit == nil && !m.isKnown() {
			m.explicit = m.seriesOf(m.follower.Expected())
		}
	}
}

// leaveOut tells which hosts have no columns, or not all, in a file that cannot get
// more.
func (l *output) leaveOut(r *row) {
	if l.files.o.grows() {
		return
	}
	for i, m := range l.hosts {
		if p := l.assembler.hosts[i].phase; p == idle || p == dropped || r.samples[i] != nil || m.isKnown() || m.left {
			continue
		}
		m.left = true
		for _, text := range m.host.Paths {
			if path, err := paths.Parse(text); err == nil && path.Wildcard() == 0 {
				continue
			}
			l.r.lacks.Store(true)
			where, hint := m.host.Name, "json and table follow instances and hosts"
			if l.files.file != "" {
				where, hint = l.files.file+": "+where, followHint
			}
			l.r.o.Report(failure.WithHint(fmt.Errorf("%s: %s: the columns were fixed before the host answered: left out", where, text), hint))
		}
	}
}

// adopt takes the columns of the file that is continued. It reports false when
// there are none.
func (l *output) adopt() bool {
	b := l.files
	in, err := formats.Open(context.Background(), b.file, logs.OpenOptions{Set: b.o.Write.Set})
	if err != nil {
		return false
	}
	defer in.Close()
	l.layout = newLayout(l.hosts)
	l.layout.adopt(in.Header().Columns)
	var more int64
	more, b.last = rowsSince(in, b.last)
	l.before += more
	b.had += more
	for place, m := range l.hosts {
		for _, one := range m.explicit {
			l.layout.place(place, one, false, true)
		}
	}
	return true
}

// rowsSince counts the rows that a file got since a descriptor noted its last one:
// those of some seconds at most. last is that of the newest.
func rowsSince(in logs.Reader, noted time.Time) (n int64, last time.Time) {
	last = noted
	in.Only([]int{})
	if !noted.IsZero() {
		if err := in.SeekTime(noted.Add(1)); err != nil {
			return 0, last
		}
	}
	for row, err := range (logs.Scan{}).Rows(context.Background(), in) {
		if err != nil {
			break
		}
		n, last = n+1, row.Recorded()
	}
	return n, last
}

// arrange finds columns for the row, and adds them to the file where it may grow.
func (l *output) arrange(r *row) error {
	s, grows := l.layout, l.files.o.grows()
	s.now++
	width := len(s.list)
	l.lacking = 0
	joins := false
	s.typed, s.changed = false, false
	for place, m := range l.hosts {
		from := r.samples[place]
		s.look(place, from)
		n := s.settle(place, from, grows)
		if m.awaits > 0 && from != nil && from.Sought >= m.awaits {
			m.awaits = 0
			joins = joins || n+s.placeExplicit(place, grows) > 0
		}
		l.lacking += n
		if n > 0 && n == len(from.Cells) {
			l.r.lacks.Store(true)
		}
	}
	if (joins || s.typed && l.files.o.Format.RawOnly) && !grows || s.changed && l.files.o.Format.KeepsRaw { // the row is the first of the next file
		if err := l.closeFile(); err != nil {
			return err
		}
		return l.open(r)
	}
	if len(s.list) > width {
		w, ok := l.files.w.(logs.Grower)
		if !ok {
			return stopped(l.files.file, logs.ErrColumnsDiffer)
		}
		return stopped(l.files.file, w.AddColumns(s.columns(width)))
	}
	if l.lacking > 0 && !l.told && !l.files.o.FollowInstances {
		l.told = true
		l.r.o.Report(failure.WithHint(fmt.Errorf("%s: counters of instances that came later have no column there (%d): they are left out", l.files.file, l.lacking), followHint))
	}
	return nil
}

// followHint is for what has no column.
const followHint = "--follow-instances begins a new file for them; files of SQLite and JSON grow"

const (
	// followPause is how long instances without a column wait at least: each time
	// a file is begun for them.
	followPause = time.Minute
	// mostColumns is from where on a file that grows is left for a new one if
	// only a quarter of its columns has an instance.
	mostColumns = 20_000
	lookedAt    = 256 // rows: counting takes a while
)

// isWanted tells whether a new file is wanted for the sake of its columns, or by
// the user.
func (l *output) isWanted(r *row) bool {
	b := l.files
	switch {
	case l.r.wanted.Load() != l.asked:
		return true
	case l.lacking > 0 && b.o.FollowInstances:
		return l.followed == 0 || r.mono-l.followed >= followPause
	}
	return l.isCrowded(mostColumns)
}

// isCrowded tells whether most of so many columns, or of more, are of instances that are gone.
func (l *output) isCrowded(least int) bool {
	n := len(l.layout.list)
	return n >= least && l.rows%lookedAt == 0 && l.layout.live()*4 < n
}

// end ends the output after an error; nil does nothing.
func (l *output) end(err error) {
	if err == nil && (l.r.o.Count == 0 || l.before+l.rows < l.r.o.Count) {
		return
	}
	l.ended = true
	l.err = errors.Join(l.err, err)
	if finishErr := l.closeFile(); err == nil {
		l.err = errors.Join(l.err, finishErr)
	}
	if l.err != nil {
		l.r.goOnWithout(l)
	}
}

// restart lets an output that ended go on in another file.
func (l *output) restart(now session.Instant) error {
	if l.err == nil {
		return errOver // it is complete
	}
	if err := l.files.claim(now.Wall); err != nil {
		return err
	}
	l.ended, l.err, l.blamed = false, nil, false
	before := l.assembler.hosts
	l.assembler = newAssembler(l.r.o.Every, len(l.hosts)) // nobody missed what came in between
	for i := range before {
		l.assembler.hosts[i].missed = before[i].missed
	}
	return nil
}

// flush writes the rows that are complete, and ends the output. One that is not is left
// out: its beat is not over.
func (l *output) flush(now session.Instant) {
	l.writeDue(now)
	if !l.ended {
		l.ended = true
		l.err = l.closeFile()
	}
}
