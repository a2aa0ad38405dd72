package feed

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"perfdeck/session"
	"perfdeck/session/system/backoff"
	"perfdeck/session/system/osfile"
	"perfdeck/session/system/subprocess"
	"perfdeck/session/text/english"
)

// inlet is where lines come from, and how it stands with it.
type inlet struct {
	source *Source
	feed   *Feed
	spec   Inlet
	number int // in Source.inlets
	schema *schema

	looked    time.Duration // monotonic, when a file that is followed had nothing more
	answering sync.Once
	answered  chan struct{} // closed when it told something, or failed, for the first time

	waiting waiting  // under Source.mu
	dead    error    // under Source.mu; why nothing comes of it; nil: something may
	told    toldLast // under Source.mu
	wrong   wrongLines
}

// run reads the inlet until the context ends, and again when that failed.
func (in *inlet) run(ctx context.Context) {
	defer in.answer()
	const most = 30 * time.Second
	for pauses := (backoff.Pauses{First: time.Second, Most: most}); ; {
		begun := in.source.o.Clock.Now().Mono
		err := in.read(ctx)
		if ctx.Err() != nil {
			return
		}
		took := in.source.o.Clock.Now().Mono - begun
		if err == nil || took > most { // it was well for a while
			pauses.Reset()
		}
		pause := max(in.feed.Every-took, minPause)
		if err == nil {
			in.alive()
		} else {
			in.fail(err)
			pause = pauses.Next()
		}
		in.answer()
		if !in.sleep(ctx, pause) {
			return
		}
	}
}

// minPause is between two runs of a program, however long one takes.
const minPause = 100 * time.Millisecond

func (in *inlet) sleep(ctx context.Context, d time.Duration) bool {
	return session.Await(ctx, in.source.o.Clock, d, nil)
}

func (in *inlet) answer() { in.answering.Do(func() { close(in.answered) }) }

// read reads the inlet once, or as long as it lasts.
func (in *inlet) read(ctx context.Context) error {
	switch {
	case len(in.spec.Command) > 0:
		return in.runProgram(ctx)
	case in.spec.File != "":
		return in.follow(ctx)
	case in.spec.Socket != "":
		return in.listen(ctx)
	}
	return in.scrape(ctx)
}

// fail notes why nothing comes any more. What the inlet told is forgotten.
func (in *inlet) fail(err error) {
	s := in.source
	s.mu.Lock()
	in.dead, in.waiting.entries = &Error{Feed: in.feed.Name, Inlet: in.spec.String(), Err: err}, nil
	news := in.told.news(in.dead, s.o.Clock.Now().Mono)
	for _, t := range s.tables {
		t.drop(func(r *row) bool { return r.inlet == in.number })
	}
	s.mu.Unlock()
	s.report(news)
}

// alive notes that it is well.
func (in *inlet) alive() {
	s := in.source
	s.mu.Lock()
	again := in.dead != nil && in.told.holds
	if in.dead = nil; again {
		in.told.holds = false
	}
	s.mu.Unlock()
	if again {
		s.report(&Error{Feed: in.feed.Name, Inlet: in.spec.String(), Err: session.ErrAgain})
	}
}

// toldLast is what was told last of an inlet that failed.
type toldLast struct {
	text  string
	at    time.Duration
	holds bool // that it is well again was not told
}

// news is what is to be told of a failure: one that holds once, one that comes and goes once a minute.
func (f *toldLast) news(err error, now time.Duration) error {
	if text := err.Error(); text != f.text || !f.holds && now-f.at >= tellEvery {
		*f = toldLast{text, now, true}
		return err
	}
	return nil
}

// lines takes what a reader gives apart into lines. Lines that come together are told of
// one moment.
type lines struct {
	inlet   *inlet
	buf     []byte
	have    int
	passing bool // the line is too long: all of it is passed over
	entries []entry
	ago     time.Duration // when what is read was told, before now
	undated bool          // nobody knows when

	second time.Duration // when the present second began
	count  int           // lines of it
}

func (in *inlet) newLines() *lines { return &lines{inlet: in, buf: make([]byte, 2*MaxLine)} }

// readAll reads to the end; the last line need not end.
func (l *lines) readAll(ctx context.Context, r io.Reader) error {
	for {
		switch _, err := l.readSome(ctx, r); {
		case errors.Is(err, io.EOF):
			l.flush()
			return nil
		case err != nil:
			return err
		}
	}
}

// readSome reads what there is now, and waits where it is too much.
func (l *lines) readSome(ctx context.Context, r io.Reader) (n int, err error) {
	n, err = r.Read(l.buf[l.have:])
	if ctx.Err() != nil {
		return n, context.Cause(ctx)
	}
	l.have += n
	l.split()
	l.apply(false)
	if n > 0 && !l.pace(ctx) {
		return n, context.Cause(ctx)
	}
	return n, err
}

// split takes the whole lines of the buffer.
func (l *lines) split() {
	rest := l.buf[:l.have]
	for {
		line, after, found := bytes.Cut(rest, []byte("\n"))
		if !found {
			break
		}
		rest = after
		if !l.passing {
			l.parse(line)
		}
		l.passing = false
	}
	if len(rest) >= MaxLine {
		if !l.passing {
			l.inlet.complain(errLong, rest)
		}
		l.passing = true
		rest = nil
	}
	l.have = copy(l.buf, rest)
}

var errLong = fmt.Errorf("it is longer than %s", english.Size(MaxLine))

// flush takes the last line.
func (l *lines) flush() {
	if l.have > 0 && !l.passing {
		l.parse(l.buf[:l.have])
	}
	l.have, l.passing = 0, false
	l.apply(false)
}

// parse reads a line; what is wrong with it is complained about.
func (l *lines) parse(line []byte) {
	l.count++
	if len(line) > MaxLine {
		l.inlet.complain(errLong, line)
		return
	}
	e, err := l.inlet.schema.line(line)
	switch {
	case err != nil:
		l.inlet.complain(err, line)
	case e.table != nil:
		e.undated = l.undated
		l.entries = append(l.entries, e)
	}
}

// apply hands on what lines told.
func (l *lines) apply(whole bool) {
	if in := l.inlet; len(l.entries) > 0 || whole {
		in.source.hear(in, l.entries, l.ago, whole)
		in.alive()
		in.answer()
	}
	l.entries = l.entries[:0]
}

// pace waits for the next second when this one had as many lines as one may have.
func (l *lines) pace(ctx context.Context) bool {
	now := l.inlet.source.o.Clock.Now().Mono
	if now-l.second >= time.Second {
		l.second, l.count = now, 0
	}
	if l.count < linesPerSecond {
		return true
	}
	return l.inlet.sleep(ctx, l.second+time.Second-now)
}

// complain counts a wrong line, and tells of them once a minute.
func (in *inlet) complain(why error, line []byte) {
	s := in.source
	if len(line) > 0 {
		why = fmt.Errorf("%w: %s", why, beginning(line))
	}
	s.mu.Lock()
	news := in.countWrong(1, why)
	s.mu.Unlock()
	s.report(news)
}

// wrongLines counts wrong lines.
type wrongLines struct {
	total, before uint64
	told          error
	at            time.Duration
	last          error // why the last one was
}

const tellEvery = time.Minute

// countWrong counts wrong lines, and gives what is to be told of them, if it is time. Source.mu is held.
func (in *inlet) countWrong(n int, why error) error {
	w, now := &in.wrong, in.source.o.Clock.Now().Mono
	w.total += uint64(n)
	w.last = why
	if w.told != nil && now-w.at < tellEvery {
		return nil
	}
	w.told, w.at = in.untold(), now
	return w.told
}

// untold tells of the wrong lines that were not told of yet; nil: all were. Source.mu is held.
func (in *inlet) untold() error {
	w := &in.wrong
	since := w.total - w.before
	if since == 0 {
		return nil
	}
	lines := english.Count(since, "line was wrong", "lines were wrong")
	if w.before > 0 {
		lines += fmt.Sprintf(", %d in all", w.total)
	}
	w.before = w.total
	return &Error{Feed: in.feed.Name, Inlet: in.spec.String(), Err: fmt.Errorf("%s, the last: %w", lines, w.last), hint: "session/hosts/README.md, Feeds, says what lines are; perfdeck manifest show FILE has the names"}
}

var _ session.Warner = (*Source)(nil)

// runProgram runs a program as long as it lasts. One that ends well is run again.
func (in *inlet) runProgram(ctx context.Context) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer r.Close()
	var complaints subprocess.Head
	c := exec.CommandContext(ctx, in.spec.Command[0], in.spec.Command[1:]...) //nolint:gosec // what the user named
	c.Env, c.Stdout, c.Stderr, c.WaitDelay = subprocess.Environ(in.source.o.Environ), w, &complaints, time.Second
	wait, _, err := subprocess.Start(c)
	_ = w.Close()
	if err != nil {
		return err
	}
	// What it started may hold its output open: it ends with the program.
	ended := make(chan error, 1)
	in.source.o.Go(func() { ended <- wait() })
	readErr := in.newLines().readAll(ctx, osfile.Until(ctx, r))
	if readErr != nil {
		end()
	}
	err = <-ended
	switch {
	case readErr != nil:
		return readErr
	case err == nil, errors.Is(err, exec.ErrWaitDelay):
		return nil
	case complaints.FirstLine() != "":
		return fmt.Errorf("it ended: %w: %s", err, complaints.FirstLine())
	}
	return fmt.Errorf("it ended: %w", err)
}
