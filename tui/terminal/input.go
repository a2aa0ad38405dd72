package terminal

import (
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

// Input is the keys of a terminal as the screens get them: what of its bytes means
// something, as the library's readers expect a file that they can wait for.
type Input struct {
	*os.File

	mu     sync.Mutex
	filter filter
	buf    [256]byte // what goes on of it has room in a page, as readers have
	rest   []byte    // that had no room
	due    time.Time // until when answers may come; zero: there are none
	asked  int       // how often the terminal was asked what it is,
	told   int       // and told,
	at     time.Time // the last time then

	was     string // the mode that the terminal had
	settled struct {
		sync.Mutex
		back *term.State // to what SettleAfter goes back; nil: it is not at work
	}
	watched struct {
		sync.Mutex
		by     *watcher // nil: nobody
		inside bool
		over   bool
	}
}

// answerWait is how long a terminal may take to answer: longer than slow lines do.
const answerWait = 2 * time.Second

// otherWait is how long other answers may come behind that which is asked for last.
const otherWait = 50 * time.Millisecond

// shortWait is how long who was told to end waits for it.
const shortWait = 100 * time.Millisecond

// NewInput is the input of a terminal.
func NewInput(file *os.File) *Input {
	in := &Input{File: file, was: modeOf(file)}
	in.filter.answered = func() {
		in.told, in.at = min(in.told+1, in.asked), time.Now()
		if soon := time.Now().Add(otherWait); in.told == in.asked && soon.Before(in.due) {
			in.due = soon // not all terminals answer in turn
		}
	}
	return in
}

// Read gives what goes on of the bytes that are there, which may be nothing. Where keys
// wait for what comes behind them it waits a moment for that, and for nothing else.
func (in *Input) Read(p []byte) (int, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if len(in.rest) > 0 {
		return in.give(p), nil
	}
	if in.canRead(0) { // Settle may have taken it
		if err := in.read(); err != nil {
			return 0, err
		}
	}
	for in.filter.waits() && len(in.rest) < len(p)/2 {
		if !in.canRead(escapeWait) {
			in.rest = append(in.rest, in.filter.expire()...)
			break
		}
		if err := in.read(); err != nil {
			break // it is told by the next one
		}
	}
	return in.give(p), nil
}

// read reads once.
func (in *Input) read() error {
	n, err := in.File.Read(in.buf[:])
	in.rest = append(in.rest, in.filter.feed(in.buf[:n], time.Now())...)
	switch {
	case n > 0:
		return nil
	case errors.Is(err, io.EOF): // no key is the end of a terminal, whose readers would wait for ever
		return ErrHungUp
	}
	return err
}

// give hands over what has room.
func (in *Input) give(p []byte) int {
	n := copy(p, in.rest)
	in.rest = in.rest[:copy(in.rest, in.rest[n:])]
	return n
}

func (in *Input) canRead(wait time.Duration) bool { return readable(in.File, wait) }

// Ask says that the terminal is asked what it is, behind all other questions, for which time that is.
func (in *Input) Ask() (n int) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.due = time.Now().Add(answerWait)
	in.asked++
	return in.asked
}

// Answered is how often it answered that, and when it did so last.
func (in *Input) Answered() (n int, at time.Time) {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.told, in.at
}

// Forget takes what was asked until now for answered.
func (in *Input) Forget() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.told = in.asked
}

// Hurry has nobody wait for long for what the terminal still answers.
func (in *Input) Hurry() {
	in.mu.Lock()
	defer in.mu.Unlock()
	if soon := time.Now().Add(shortWait); soon.Before(in.due) {
		in.due = soon
	}
}

// Settle takes what the terminal still answers, so that no shell gets it, and keys that
// come with it. It ends with the last answer, or when that is overdue. The terminal must
// be in raw mode.
func (in *Input) Settle() {
	for in.settle() {
	}
}

func (in *Input) settle() (more bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	wait := min(20*time.Millisecond, time.Until(in.due))
	if in.due.IsZero() || wait <= 0 {
		in.due = time.Time{}
		return false
	}
	if in.canRead(wait) {
		err := in.read()
		in.rest = in.rest[:0]
		return err == nil
	}
	return true
}

// SettleAfter is Settle for who gave the terminal back before it had answered. Who calls it
// while it is at work has no time: that gives the terminal back at once.
func (in *Input) SettleAfter() {
	s := &in.settled
	s.Lock()
	defer s.Unlock()
	if s.back != nil {
		_ = term.Restore(int(in.Fd()), s.back)
		return
	}
	if !in.awaits() {
		return
	}
	was, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return
	}
	s.back = was
	s.Unlock()
	in.Settle()
	s.Lock()
	_ = term.Restore(int(in.Fd()), was)
	s.back = nil
}

func (in *Input) awaits() bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return time.Now().Before(in.due)
}

// Watch has a small process give the terminal back should this one end without having done
// so. What goes to the terminal then ends what it was asked for.
func (in *Input) Watch(out *os.File, end string) {
	w := &in.watched
	w.Lock()
	defer w.Unlock()
	if w.over || w.by != nil {
		return
	}
	w.by = startWatcher(in.File, out, in.was, end, w.inside)
}

// Unwatch ends it.
func (in *Input) Unwatch() {
	w := &in.watched
	w.Lock()
	defer w.Unlock()
	if w.over = true; w.by != nil {
		w.by.end()
		w.by = nil
	}
}

// Inside says whether the terminal is the program's, or was given back.
func (in *Input) Inside(is bool) {
	w := &in.watched
	w.Lock()
	defer w.Unlock()
	if w.inside = is; w.by != nil {
		w.by.tell(is)
	}
}
