// Package lifetime is the life of the process: it begins, signals ask for its end, and it
// ends with the terminal given back, what was gathered written down, and nothing left that
// is not complete.
package lifetime

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"perfdeck/session/system/guard"
)

// Life is that of a process. The zero value is one that no signal ends. Its methods may
// be called by many goroutines.
type Life struct {
	ended    atomic.Bool  // what was to be done is
	outlives atomic.Int32 // how much goes on when nobody reads the output

	mu      sync.Mutex
	ctx     context.Context //nolint:containedctx // that of the process; nil: it never ends
	restore func()          // gives the terminal back; nil: it was never taken
	echo    func()          // switches the echo on again; nil: nothing is asked
	hangup  func()          // is called for SIGHUP; nil: that ends the process
	keeping int             // how many write down what they gathered
	halves  map[string]bool // files that are not complete, and folders of such
}

// SignalError says which signal ended the process.
type SignalError struct{ Signal os.Signal }

func (e *SignalError) Error() string { return "ended by signal: " + e.Signal.String() }

// oneEnd is how long signals ask for one end: a shell whose terminal closes sends
// its SIGHUP beside that of the system, timeout(1) its SIGTERM to the process and
// to its group.
const oneEnd = 2 * time.Second

// What is done ends by itself when the context does. What does not, as when a disk or who
// reads its output does not answer, is ended EndWithin after the signal, or after it wrote
// down what it had gathered; leaveWithin is for leaving it.
const (
	EndWithin   = 600 * time.Millisecond
	leaveWithin = 100 * time.Millisecond
	lookEvery   = 50 * time.Millisecond
)

// failed is the exit code of a process that a signal or a panic ended.
const failed = 1

// Run does something under a context that the first signal ends which asks for it; the
// process ends soon after, or at a later signal unless only its terminal went. What it
// says then goes to errOut.
func (l *Life) Run(guard *guard.Guard, errOut io.Writer, do func(ctx context.Context)) {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	l.mu.Lock()
	l.ctx = ctx
	l.mu.Unlock()
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	l.tidyPipes(ctx, guard)
	guard.Go(func() {
		defer signal.Stop(signals)
		s := l.ending(ctx, signals)
		if s == nil {
			return
		}
		l.leavePrompt(errOut)
		cancel(&SignalError{s})
		l.endSoon(errOut, s, signals)
	})
	guard.Run(func() { do(ctx) })
}

// Outlive has what runs on go on when whoever reads what it prints goes away.
func (l *Life) Outlive() (end func()) {
	l.outlives.Add(1)
	return func() { l.outlives.Add(-1) }
}

// End tells that what was to be done is: the process ends by itself.
func (l *Life) End() { l.ended.Store(true) }

// Context ends with the first signal that asks for the end.
func (l *Life) Context() context.Context {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ctx == nil {
		return context.Background()
	}
	return l.ctx
}

// OnExit remembers how the terminal is given back.
func (l *Life) OnExit(restore func()) { l.set(func() { l.restore = restore }) }

// Prompting remembers how the echo is switched on again while a secret is asked for; nil
// when it was answered.
func (l *Life) Prompting(echo func()) { l.set(func() { l.echo = echo }) }

// OnHangup takes SIGHUP for something else than the end; nil gives it back.
func (l *Life) OnHangup(f func()) { l.set(func() { l.hangup = f }) }

func (l *Life) set(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f()
}

// Keep has the end of the process wait until what was gathered is written down and done
// is called; a second signal ends it before.
func (l *Life) Keep() (done func()) {
	l.set(func() { l.keeping++ })
	return sync.OnceFunc(func() { l.set(func() { l.keeping-- }) })
}

// Half has a file, or a folder, removed if the process is ended before whole is called.
func (l *Life) Half(name string) (whole func()) {
	l.set(func() {
		if l.halves == nil {
			l.halves = map[string]bool{}
		}
		l.halves[name] = true
	})
	return func() { l.set(func() { delete(l.halves, name) }) }
}

// GiveBack gives the terminal back, as after a panic in any goroutine, so that the report
// can be read.
func (l *Life) GiveBack() {
	var restore func()
	l.set(func() { restore = l.restore })
	if restore != nil {
		restore()
	}
}

// leavePrompt ends the process if it is asking for a secret: nothing else would wake it.
func (l *Life) leavePrompt(errOut io.Writer) {
	var echo func()
	l.set(func() { echo = l.echo })
	if echo != nil {
		echo()
		fmt.Fprintln(errOut)
		os.Exit(failed)
	}
}

// ending waits for a signal that ends the process; nil if that ended before.
func (l *Life) ending(ctx context.Context, signals <-chan os.Signal) os.Signal {
	for {
		select {
		case s := <-signals:
			var hangup func()
			l.set(func() { hangup = l.hangup })
			if s != syscall.SIGHUP || hangup == nil {
				return s
			}
			hangup()
		case <-ctx.Done():
			return nil
		}
	}
}

// endSoon ends the process if it does not end by itself.
func (l *Life) endSoon(errOut io.Writer, s os.Signal, signals <-chan os.Signal) {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	begun := time.Now()
	for busy := begun; ; {
		select {
		case again := <-signals:
			if again != syscall.SIGHUP && time.Since(begun) >= oneEnd {
				l.leave(errOut, &SignalError{again})
			}
		case now := <-look.C:
			if l.ended.Load() {
				return // only the process has to go yet, which takes a second under the race detector
			}
			if l.isKeeping() {
				busy = now
			} else if now.Sub(busy) >= EndWithin {
				l.leave(errOut, &SignalError{s})
			}
		}
	}
}

func (l *Life) isKeeping() (is bool) {
	l.set(func() { is = l.keeping > 0 })
	return is
}

// leave ends the process whatever it is doing: the terminal is given back, and files
// that are not complete are removed.
func (l *Life) leave(errOut io.Writer, why error) {
	time.AfterFunc(leaveWithin, func() { os.Exit(failed) })
	l.mu.Lock()
	restore, echo := l.restore, l.echo
	for name := range l.halves {
		_ = os.RemoveAll(name)
	}
	l.mu.Unlock()
	for _, give := range []func(){restore, echo} {
		if give != nil {
			give()
		}
	}
	fmt.Fprintf(errOut, "perfdeck: %v\n", why)
	os.Exit(failed)
}
