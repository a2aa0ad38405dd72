package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// leavePrompt ends the program if it is asking for a password: nothing else
// would wake it.
func (p *program) leavePrompt() {
	p.mu.Lock()
	echo := p.echo
	p.mu.Unlock()
	if echo != nil {
		echo()
		fmt.Fprintln(p.err)
		os.Exit(exitFailed)
	}
}

// signalError says which signal ended the program.
type signalError struct{ signal os.Signal }

func (e *signalError) Error() string { return "ended by signal: " + e.signal.String() }

// oneEnd is how long signals ask for one end: a shell whose terminal closes sends
// its SIGHUP beside that of the system, timeout(1) its SIGTERM to the process and
// to its group.
const oneEnd = 2 * time.Second

// A command ends by itself when its context does. One that does not, as when a disk
// or who reads its output does not answer, is ended endWithin after the signal, or
// after it wrote down what it had gathered; leaveWithin is for leaving it.
const (
	endWithin   = 600 * time.Millisecond
	leaveWithin = 100 * time.Millisecond
	lookEvery   = 50 * time.Millisecond
)

// watchSignals ends the context at the first signal that asks for it, and the
// process soon after, or at a later signal unless only its terminal went.
func (p *program) watchSignals(cancel context.CancelCauseFunc) {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	p.guard.Go(func() {
		defer signal.Stop(signals)
		s := p.ending(signals)
		if s == nil {
			return
		}
		p.leavePrompt()
		cancel(&signalError{s})
		p.endSoon(s, signals)
	})
}

// endSoon ends the process if it does not end by itself.
func (p *program) endSoon(s os.Signal, signals <-chan os.Signal) {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	begun := time.Now()
	for busy := begun; ; {
		select {
		case again := <-signals:
			if again != syscall.SIGHUP && time.Since(begun) >= oneEnd {
				p.leave(&signalError{again})
			}
		case now := <-look.C:
			if p.ended.Load() {
				return // only the process has to go yet, which takes a second under the race detector
			}
			if p.isKeeping() {
				busy = now
			} else if now.Sub(busy) >= endWithin {
				p.leave(&signalError{s})
			}
		}
	}
}

// leave ends the process whatever it is doing: the terminal is given back, and files
// that are not complete are removed.
func (p *program) leave(why error) {
	time.AfterFunc(leaveWithin, func() { os.Exit(exitFailed) })
	p.mu.Lock()
	restore, echo := p.restore, p.echo
	for name := range p.halves {
		_ = os.RemoveAll(name)
	}
	p.mu.Unlock()
	for _, give := range []func(){restore, echo} {
		if give != nil {
			give()
		}
	}
	fmt.Fprintf(p.err, "perfdeck: %v\n", why)
	os.Exit(exitFailed)
}

// keep has the end of the program wait until what was gathered is written down and
// done is called; a second signal ends it before.
func (p *program) keep() (done func()) {
	add := func(n int) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.keeping += n
	}
	add(1)
	return sync.OnceFunc(func() { add(-1) })
}

func (p *program) isKeeping() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.keeping > 0
}

// half has a file, or a folder, removed if the program is ended before whole is
// called.
func (p *program) half(name string) (whole func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.halves == nil {
		p.halves = map[string]bool{}
	}
	p.halves[name] = true
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.halves, name)
	}
}

// ending waits for a signal that ends the program; nil if the program ended before.
func (p *program) ending(signals <-chan os.Signal) os.Signal {
	for {
		select {
		case s := <-signals:
			p.mu.Lock()
			hangup := p.hangup
			p.mu.Unlock()
			if s != syscall.SIGHUP || hangup == nil {
				return s
			}
			hangup()
		case <-p.ctx.Done():
			return nil
		}
	}
}

// onHangup takes SIGHUP for something else than the end; nil gives it back.
func (p *program) onHangup(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hangup = f
}
